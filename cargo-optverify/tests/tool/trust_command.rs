//! `./x trust`: a part that fails, a figure that is bad and one that is missing each fail the whole. The parts
//! themselves are played by a cargo of our own, which says what it is told to.
#![cfg(unix)]

use crate::common;

use common::{Project, Ran};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

const FIGURES: [(&str, &str); 6] = [
    (
        "mir_mutations",
        "figure: damaged MIR texts | 5, 0 panics\nfigure: damaged captures | 5, 0 panics",
    ),
    ("--lib store", "figure: damaged stored proofs | 5, 0 panics"),
    (
        "--test damage",
        "figure: damaged proof files (check-proof) | 5, 0 panics, 0 valid",
    ),
    (
        "--bin cargo-optverify",
        "figure: damaged settings | 5, 0 panics\nfigure: damaged baselines | 5, 0 panics",
    ),
    (
        "--test trust",
        "test a ... figure: solver faults (kind x query x root) | 30 runs, 25 weaker verdicts, 0 wrong\n\
         figure: kill -9 at random points of a run | 100 while it ran, 0 wrong\n\
         figure: two runs at once on one target folder | 2 pairs, 0 wrong\n\
         figure: forged stored proofs | 3 for each of 6 roots, 0 believed\n\
         figure: captures changed between two loads | 4 changes, 0 verdicts\n\
         figure: check-proof on the suites | 10 valid, 0 refuted\n\
         figure: a crate of many functions | 40 functions, 0 wrong\n\
         figure: a function of many blocks | 300 blocks: safe",
    ),
    (
        "--test fuzz",
        "fuzz: 300 functions (20 exhaustive), 0 wrong",
    ),
];

/// `./x trust` with a cargo that prints these figures, and fails where its command line has `failing` in it.
fn trust(change: impl Fn(&str) -> String, failing: &str) -> Ran {
    let project = Project::empty();
    let x = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("x");
    std::fs::copy(x, project.path().join("x")).expect("the script");
    // nothing is to be downloaded
    project.file("target/z3/lib/libz3.so", "");
    let mut cargo = String::from("#!/bin/sh\ncase \"$*\" in\n");
    for (part, figures) in FIGURES {
        cargo.push_str(&format!(
            "*'{part}'*) cat <<'END'\n{}\nEND\n;;\n",
            change(figures)
        ));
    }
    cargo.push_str(&format!("esac\ncase \"$*\" in {failing}) exit 1 ;; esac\n"));
    let cargo = project.file("bin/cargo", &cargo);
    std::fs::set_permissions(cargo, PermissionsExt::from_mode(0o755)).expect("a program");
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", project.path().join("bin").display());
    let mut command = Command::new("sh");
    command.args(["x", "trust", "300"]).env("PATH", path);
    let output = command.current_dir(project.path()).output();
    Ran::of(output.expect("the script runs"))
}

#[test]
fn whatever_is_bad_fails_the_whole() {
    let good = trust(str::to_owned, "none");
    assert_eq!(good.code, 0, "{good:?}");
    let rows: usize = FIGURES.iter().map(|(_, f)| f.lines().count()).sum();
    let printed = good.stdout.lines().filter(|l| l.starts_with("| "));
    assert_eq!(printed.count(), rows + 1, "{good:?}");
    // each part: as a failure, and with every one of its figures missing or bad
    for (part, figures) in FIGURES {
        let ran = trust(str::to_owned, &format!("*'{part}'*"));
        assert_eq!(ran.code, 1, "{part} failed: {ran:?}");
        assert!(ran.stderr.contains(part), "{ran:?}");
        for line in figures.lines() {
            let ran = trust(|f| f.replace(line, "nothing"), "none");
            assert_eq!(ran.code, 1, "without {line}: {ran:?}");
            for word in ["panics", "wrong", "believed", "refuted"] {
                let zero = format!("0 {word}");
                if !line.contains(&format!(" {zero}")) {
                    continue;
                }
                for count in [1, 10, 203] {
                    let worse = line.replace(&zero, &format!("{count} {word}"));
                    let ran = trust(|f| f.replace(line, &worse), "none");
                    assert_eq!(ran.code, 1, "{worse}: {ran:?}");
                    assert!(ran.stderr.contains("a bad figure"), "{ran:?}");
                }
            }
        }
    }
}
