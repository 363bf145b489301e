//! Witnesses at their limits: runs that are long, runs that nobody can run again, and results that a pass changes without a
//! violation.

use crate::common;

use common::Project;
use serde_json::Value;

/// A loop of this many rounds, and a violation behind it for one input.
fn rounds(count: &str) -> String {
    format!(
        "#[optverify::verify]
fn long(n: u8) {{
    let mut i = 0u32;
    while i < {count} {{
        i += 1;
    }}
    assert!(i != {count} || n != 7);
}}
"
    )
}

fn witness_of(source: &str, more: &[&str]) -> (Project, common::Ran) {
    let project = Project::empty();
    project.file("p.rs", source);
    let mut args = vec!["p.rs", "--no-native", "--witness", "w.yml"];
    args.extend(more);
    let ran = project.run(&args);
    (project, ran)
}

fn check(project: &Project) -> common::Ran {
    project.run(&["check-proof", "p.rs", "--witness", "w.yml"])
}

fn tree(project: &Project) -> Value {
    let text = std::fs::read_to_string(project.path().join("w.yml")).expect("a witness");
    serde_saphyr::from_str(&text).expect("YAML")
}

/// Changes the input of the run, and seals it again.
fn with_input(witness: &mut Value, input: &str) {
    let sealed = witness[0]["optverify"]["proof"].as_str().expect("a proof");
    let mut envelope: Value = serde_json::from_str(sealed).expect("JSON");
    let inside = envelope["proof"].as_str().expect("text");
    let mut proof: Value = serde_json::from_str(inside).expect("JSON");
    proof["snapshots"][0]["claim"]["inputs"][0] = input.into();
    let inside = proof.to_string();
    let sum = inside.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
        (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    envelope["checksum"] = format!("{sum:016x}").into();
    envelope["proof"] = inside.into();
    witness[0]["optverify"]["proof"] = envelope.to_string().into();
}

/// Longer than what the interpreter runs step by step: the compiled one does.
#[test]
fn a_long_run_is_run_again() {
    let (project, ran) = witness_of(&rounds("3_000_000"), &[]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let ran = check(&project);
    assert_eq!(ran.code, 0, "{ran:?}");
    // the failing twin: with another input it returns
    let mut witness = tree(&project);
    with_input(&mut witness, "8");
    project.file("w.yml", &witness.to_string());
    let ran = check(&project);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.stdout.contains("returns, without a violation"),
        "{ran:?}"
    );
}

/// "Don't know" is not "wrong".
#[test]
fn a_run_that_is_too_long_is_not_checkable() {
    let (project, ran) = witness_of(&rounds("4_000_000_000"), &[]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("not replayed"), "{ran:?}");
    let ran = check(&project);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stdout.contains(" 0 refuted, 1 not"), "{ran:?}");
    assert!(ran.stdout.contains("more than 400 million"), "{ran:?}");
    assert!(
        ran.stdout.contains("cargo optverify replay p::long"),
        "{ran:?}"
    );
}

/// What a pass makes of a result is about two programs: no witness, and the tool says so.
#[test]
fn refinement_has_no_witness() {
    let source = "#[optverify::verify]\nfn five(n: u8) -> u8 {\n    n / 2 + 5\n}\n";
    let (project, ran) = witness_of(source, &["--refine"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("is about two"), "{ran:?}");
    assert_eq!(check(&project).code, 0, "a witness of safety");
    let (_, ran) = witness_of(source, &[]);
    assert!(!ran.stderr.contains("is about two"), "{ran:?}");

    // a pass that makes a six of the five
    let ran = project.run(&["capture", "p.rs", "-o", "captured"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(miscompile(&project.path().join("captured")) > 0);
    let args = [
        "--from-capture",
        "captured",
        "--refine",
        "--no-native",
        "--witness",
        "none.yml",
    ];
    let ran = project.run(&args);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.stderr.contains("no witness of p::five: a pass changes"),
        "{ran:?}"
    );
    assert!(ran.stderr.contains("is about two"), "{ran:?}");
    assert!(!project.path().join("none.yml").exists());
}

/// Edits every snapshot but the reference.
fn miscompile(folder: &std::path::Path) -> usize {
    let mut edited = 0;
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            edited += miscompile(&path);
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let name = path.display().to_string();
        if text.contains("const 5_u8") && !name.contains("reference") {
            std::fs::write(&path, text.replace("const 5_u8", "const 6_u8")).expect("written");
            edited += 1;
        }
    }
    edited
}
