//! A disk that is full, a folder that cannot be written, two runs at once: clear words, the same verdicts, and the
//! next run finds nothing half-made.

use crate::common::{Project, Ran};
use crate::{expected, figure, none_is_wrong, verdicts};
use std::path::Path;
use std::process::Stdio;

const JSON: [&str; 4] = ["--message-format", "json", "--no-native", "--quiet"];

fn captured() -> Project {
    let project = Project::empty();
    project.file("sample.rs", crate::SOURCE);
    let ran = project.run(&["capture", "sample.rs", "-o", "capture"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    project
}

fn verify(project: &Project, more: &[&str]) -> Ran {
    let args = [&["--from-capture", "capture"], more, &JSON].concat();
    project.run(&args)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect()
}

#[test]
fn a_store_that_cannot_be_written_is_a_note() {
    let project = captured();
    project.file("occupied", "a file, not a folder");
    // the kernel lets nobody make files there, not even root
    for store in ["occupied", "/proc/optverify-proofs"] {
        let ran = verify(&project, &["--proof-store", store]);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert_eq!(verdicts(&ran.messages()), expected(), "{ran:?}");
        assert!(ran.stderr.contains("could not be stored"), "{ran:?}");
    }
    assert_eq!(
        std::fs::read_to_string(project.path().join("occupied")).expect("text"),
        "a file, not a folder"
    );
}

#[test]
fn a_target_folder_that_cannot_be_written_is_an_error() {
    let project = Project::package("p", crate::SOURCE);
    project.file("target", "a file, not a folder");
    let ran = project.run(&JSON);
    assert_eq!(ran.code, 101, "{ran:?}");
    assert!(
        !ran.stderr.is_empty() && !ran.stderr.contains("panicked"),
        "{ran:?}"
    );
    std::fs::remove_file(project.path().join("target")).expect("a file");
    let ran = project.run(&JSON);
    assert_eq!(
        verdicts(&ran.messages()),
        expected(),
        "the next run recovers: {ran:?}"
    );
}

/// Files of more than so many blocks of 512 bytes cannot be written: as if the disk were full.
#[cfg(unix)]
fn with_little_room(project: &Project, blocks: u32, args: &[&str]) -> Ran {
    let tool = project.tool(args);
    let mut shell = std::process::Command::new("sh");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
    shell
        .args(["-c", &script, "sh"])
        .arg(tool.get_program())
        .args(tool.get_args());
    shell.current_dir(project.path());
    for (name, value) in tool.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    Ran::of(shell.output().expect("the tool runs"))
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_nothing_half_made() {
    let project = captured();
    let args = [
        &["--from-capture", "capture", "--proof-store", "proofs"][..],
        &JSON,
    ]
    .concat();
    let ran = with_little_room(&project, 1, &args);
    assert_eq!(verdicts(&ran.messages()), expected(), "{ran:?}");
    assert!(ran.stderr.contains("could not be stored"), "{ran:?}");
    let left: Vec<String> = names(&project.path().join("proofs"));
    assert!(
        left.iter()
            .all(|name| name.ends_with(".json") && !name.contains(".tmp")),
        "{left:?}"
    );
    for pass in ["anew", "stored"] {
        let ran = verify(&project, &["--proof-store", "proofs"]);
        assert_eq!(verdicts(&ran.messages()), expected(), "{pass}: {ran:?}");
        assert!(!ran.stderr.contains("ignored"), "{pass}: {ran:?}");
    }
    // reports that are asked for and cannot be written fail the run, loudly
    let args = [
        &["--from-capture", "capture", "--html", "report.html"][..],
        &JSON,
    ]
    .concat();
    let ran = with_little_room(&project, 1, &args);
    assert_eq!(ran.code, 101, "{ran:?}");
    assert!(ran.stderr.contains("report.html"), "{ran:?}");
}

#[cfg(unix)]
#[test]
fn a_build_on_a_full_disk_fails_and_the_next_one_does_not() {
    let project = Project::package("p", crate::SOURCE);
    for blocks in [1, 16, 64] {
        let ran = with_little_room(&project, blocks, &JSON);
        assert!(
            !ran.stderr.contains("panicked at cargo-optverify"),
            "{ran:?}"
        );
        match ran.code {
            101 => {}
            // enough room after all
            _ => drop(none_is_wrong(&verdicts(&ran.messages()), "on a full disk")),
        }
    }
    let ran = project.run(&JSON);
    assert_eq!(
        verdicts(&ran.messages()),
        expected(),
        "the next run recovers: {ran:?}"
    );
}

#[test]
fn two_runs_at_once() {
    let project = Project::package("p", crate::SOURCE);
    let rounds = 2;
    for round in 0..rounds {
        let start = || {
            let mut tool = project.tool(&JSON);
            tool.stdout(Stdio::piped()).stderr(Stdio::piped());
            tool.spawn().expect("the tool starts")
        };
        let both = [start(), start()];
        for child in both {
            let ran = Ran::of(child.wait_with_output().expect("it ends"));
            assert_eq!(verdicts(&ran.messages()), expected(), "{ran:?}");
            assert!(!ran.stderr.contains("ignored"), "{ran:?}");
        }
        // both build and prove anew
        if round + 1 < rounds {
            project.file("src/lib.rs", &format!("{}\n// {round}\n", crate::SOURCE));
        }
    }
    let ran = project.run(&JSON);
    assert_eq!(verdicts(&ran.messages()), expected(), "{ran:?}");
    let stored = |m: &serde_json::Value| m["reference"]["engine"] == "stored";
    assert!(ran.messages().iter().any(stored), "{ran:?}");
    figure(
        "two runs at once on one target folder",
        format!("{rounds} pairs, 0 wrong"),
    );
}
