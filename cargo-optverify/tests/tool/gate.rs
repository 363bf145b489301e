//! What fails a run: levels of the gate, allowed unknowns, baselines, parts of a matrix, limits.

use crate::common;

use common::Project;

const BAD: &str = "#[optverify::verify]\npub fn bad(n: u8) -> u8 { 100 / n }\n";
const GOOD: &str = "#[optverify::verify]\npub fn good(n: u8) -> u8 { n / 2 }\n";
const BEYOND: &str =
    "#[optverify::verify]\npub fn beyond() -> usize { std::env::args().count() }\n";
/// The class of rust-lang/rust#158206: safe as written, broken by a pass of 1.95.0.
const MISCOMPILED: &str = include_str!("../ui/unsafe/miscompiled.rs");

fn project(source: &str) -> Project {
    let project = Project::empty();
    project.file("p.rs", source);
    project
}

fn has_the_bug() -> bool {
    let out = std::process::Command::new("rustc")
        .arg("--version")
        .output()
        .expect("rustc");
    String::from_utf8_lossy(&out.stdout).starts_with("rustc 1.95.0")
}

#[test]
fn levels() {
    let project = project(MISCOMPILED);
    if has_the_bug() {
        assert_eq!(project.run(&["p.rs", "--no-native"]).code, 1);
        assert_eq!(
            project
                .run(&["p.rs", "--no-native", "--gate", "every-pass"])
                .code,
            1
        );
    }
    let ran = project.run(&["p.rs", "--no-native", "--gate", "reference"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    // what is wrong as written fails every level
    project.file("p.rs", BAD);
    for level in ["reference", "optimized", "every-pass"] {
        assert_eq!(project.run(&["p.rs", "--gate", level]).code, 1, "{level}");
    }
}

/// A pass that breaks what a later one repairs: only `every-pass` minds.
#[test]
fn between_the_passes() {
    let project = project(
        "#[optverify::verify]\nfn look(n: u8) -> u8 {\n    [1u8, 2, 3, 4, 5, 6, 7, 8][(n & 7) as usize]\n}\n",
    );
    assert_eq!(project.run(&["capture", "p.rs", "-o", "taken"]).code, 0);
    let run = |level| {
        let args = ["--from-capture", "taken", "--no-native", "--gate", level];
        project.run(&args)
    };
    assert_eq!(run("every-pass").code, 0);
    let folder = project.path().join("taken/shipped/000-look");
    let passes = std::fs::read_dir(folder).expect("snapshots").flatten();
    let mut gvn = passes.filter(|e| e.file_name().to_string_lossy().ends_with(".GVN.mir"));
    let file = gvn.next().expect("a snapshot after GVN").path();
    let text = std::fs::read_to_string(&file).expect("MIR");
    assert!(text.contains("const 7_u8"), "{text}");
    std::fs::write(&file, text.replace("const 7_u8", "const 15_u8")).expect("written");
    assert_eq!(run("reference").code, 0);
    assert_eq!(run("optimized").code, 0);
    let ran = run("every-pass");
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("error[OV1004]"), "{ran:?}");
}

#[test]
fn allowed_unknowns() {
    let project = project(&[GOOD, BEYOND].concat());
    assert_eq!(project.run(&["p.rs"]).code, 2);
    assert_eq!(project.run(&["p.rs", "--allow-unknown"]).code, 0);
    // a violation is none, and nothing at all is not something unknown
    project.file("p.rs", &[BAD, BEYOND].concat());
    assert_eq!(project.run(&["p.rs", "--allow-unknown"]).code, 1);
    project.file("p.rs", "fn main() {}\n");
    assert_eq!(project.run(&["p.rs", "--allow-unknown"]).code, 2);
}

#[test]
fn baselines() {
    let project = project(&[BAD, GOOD, BEYOND].concat());
    let ran = project.run(&["p.rs", "--write-baseline", "accepted.toml"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let with = ["p.rs", "--baseline", "accepted.toml"];
    let ran = project.run(&with);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stdout.contains("accepted by the baseline until 2"),
        "{ran:?}"
    );
    let text = std::fs::read_to_string(project.path().join("accepted.toml")).expect("it is there");
    assert_eq!(text.matches("[[accepted]]").count(), 2, "{text}");

    // another violation of the same root is not accepted
    project.file(
        "p.rs",
        &[&BAD.replace("100 / n", "[1, 2][n as usize]"), GOOD, BEYOND].concat(),
    );
    assert_eq!(project.run(&with).code, 1);
    // what was fixed is said
    project.file("p.rs", &[&BAD.replace("/ n", "/ 2"), GOOD, BEYOND].concat());
    let ran = project.run(&with);
    assert_eq!(ran.code, 0);
    assert!(
        ran.stderr
            .contains("entry for `p::bad` (OV1001) is no longer needed"),
        "{ran:?}"
    );

    // after its last day an entry holds no more
    project.file("p.rs", &[BAD, GOOD, BEYOND].concat());
    let at = text.find("expires = \"").expect("a day") + "expires = \"".len();
    let day = &text[at..at + 10];
    project.file("accepted.toml", &text.replace(day, "2001-01-01"));
    let ran = project.run(&with);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("ended on 2001-01-01"), "{ran:?}");

    project.file("accepted.toml", &text.replace(day, "soon"));
    assert_eq!(project.run(&with).code, 101);
    assert_eq!(
        project.run(&["p.rs", "--baseline", "nowhere.toml"]).code,
        101
    );
}

#[test]
fn parts_of_a_matrix() {
    let roots: Vec<String> = (0..7)
        .map(|i| GOOD.replace("good", &format!("good{i}")))
        .collect();
    let project = project(&roots.concat());
    let mut names = Vec::new();
    for part in ["hash:1/3", "hash:2/3", "hash:3/3"] {
        let ran = project.run(&["p.rs", "--partition", part, "--message-format", "json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let roots = ran
            .messages()
            .into_iter()
            .filter(|m| m["reason"] == "optverify-root");
        names.extend(roots.map(|m| m["root"].to_string()));
    }
    names.sort();
    assert_eq!(names.len(), 7, "{names:?}");
    names.dedup();
    assert_eq!(names.len(), 7);
    // a part may be empty, the whole may not
    project.file("p.rs", GOOD);
    let codes =
        ["hash:1/2", "hash:2/2"].map(|part| project.run(&["p.rs", "--partition", part]).code);
    assert_eq!(codes, [0, 0]);
    project.file("p.rs", "fn main() {}\n");
    assert_eq!(project.run(&["p.rs", "--partition", "hash:1/2"]).code, 2);
}

#[test]
fn the_first_failure_ends_it() {
    let project = project(&[BAD, GOOD, &GOOD.replace("good", "better")].concat());
    let ran = project.run(&["p.rs", "-j1", "--fail-fast"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("2 roots were not verified"), "{ran:?}");
    assert!(!ran.stdout.contains("good"), "{ran:?}");
    // without it all of them are
    let ran = project.run(&["p.rs", "-j1"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("3 roots: 2 safe, 1 unsafe"), "{ran:?}");
}

/// A budget is one root's: the others have their own, and what stands at a root is for it alone.
#[test]
fn timeouts() {
    // a product of two primes that nobody finds within a second
    let hard = "#[optverify::verify]
fn hard(a: u32, b: u32) {
    optverify::assume(a > 1 && b > 1);
    assert!(u64::from(a) * u64::from(b) != 4_611_685_975_477_714_963);
}
";
    let project = project(&[hard, GOOD].concat());
    let start = std::time::Instant::now();
    let ran = project.run(&["p.rs", "--timeout", "1s"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stdout.contains("safe p::good"), "{ran:?}");
    assert!(ran.stdout.contains("[OV0001]: `p::hard`"), "{ran:?}");
    let own = hard.replace("verify]", "verify(timeout = \"1s\")]");
    project.file("p.rs", &[&own, GOOD].concat());
    let ran = project.run(&["p.rs", "--timeout", "1h"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stdout.contains("not decided within 1000 ms"), "{ran:?}");
    assert!(start.elapsed().as_secs() < 300);
}

/// A root that dies of its limit is unknown, the others keep their verdicts.
#[cfg(unix)]
#[test]
fn memory_limits() {
    let project = project(&[BAD, GOOD].concat());
    let enough = project.run(&["p.rs", "--memory", "4000"]);
    assert_eq!(enough.code, 1, "{enough:?}");
    assert!(enough.stdout.contains("safe p::good"), "{enough:?}");
    assert!(
        enough.stdout.contains("attempt to divide by zero"),
        "{enough:?}"
    );
    let little = project.run(&["p.rs", "--memory", "20"]);
    assert_eq!(little.code, 2, "{little:?}");
    assert!(little.stdout.contains("ran out of memory"), "{little:?}");
}
