//! Verification witnesses: `bench` and `--witness` write them, `check-proof --witness` reads them back; whatever is
//! changed in one, it is not valid any more.

use crate::common;

use common::Project;
use serde_json::Value;

const SAFE: &str = "//@ expect: safe
#[optverify::verify]
fn transfer(n: u32) {
    let (mut left, mut right) = (n, 0u32);
    while left > 0 {
        left -= 1;
        right += 1;
    }
    assert!(right == n);
}
";

const UNSAFE: &str = "//@ expect: unsafe
use optverify::{any, verify};
#[verify]
fn bad(n: u8) -> u8 {
    let mut sum = 0u8;
    for _ in 0..3 {
        let step: u8 = any();
        sum = sum.wrapping_add(step);
    }
    assert!(sum != 77 || n < 5);
    sum
}
";

/// Two tasks and their witnesses.
fn project() -> Project {
    let project = Project::empty();
    project.file("tasks/good/transfer.rs", SAFE);
    project.file("tasks/bad.rs", UNSAFE);
    let ran = project.run(&["bench", "tasks", "--witnesses", "out"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    project
}

fn text(project: &Project, file: &str) -> String {
    let path = project.path().join(file);
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{file}: {e}"))
}

/// The witness as a tree, as any reader of YAML sees it.
fn tree(text: &str) -> Value {
    serde_saphyr::from_str(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn check(project: &Project, source: &str, witness: &str) -> common::Ran {
    project.run(&["check-proof", source, "--witness", witness])
}

/// JSON is YAML.
fn changed(project: &Project, of: &str, change: impl FnOnce(&mut Value)) -> common::Ran {
    let mut witness = tree(&text(project, &format!("out/{of}.yml")));
    change(&mut witness[0]);
    project.file("changed.yml", &witness.to_string());
    check(project, &format!("tasks/{of}.rs"), "changed.yml")
}

/// Opens the proof inside, changes it, and seals it again.
fn forge(entry: &mut Value, change: impl FnOnce(&mut Value)) {
    let sealed = entry["optverify"]["proof"].as_str().expect("a proof");
    let mut envelope: Value = serde_json::from_str(sealed).expect("JSON");
    let inside = envelope["proof"].as_str().expect("text");
    let mut proof: Value = serde_json::from_str(inside).expect("JSON");
    change(&mut proof);
    let inside = proof.to_string();
    let sum = inside.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
        (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    envelope["checksum"] = format!("{sum:016x}").into();
    envelope["proof"] = inside.into();
    entry["optverify"]["proof"] = envelope.to_string().into();
}

#[test]
fn witnesses_are_valid_and_of_the_format() {
    let project = project();
    let schema = include_str!("../../../docs/schema/witness-v1.json");
    let schema: Value = serde_json::from_str(schema).expect("JSON");
    for of in ["good/transfer", "bad"] {
        let witness = tree(&text(&project, &format!("out/{of}.yml")));
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        let errors: Vec<String> = validator
            .iter_errors(&witness)
            .map(|e| format!("{}: {e}", e.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{errors:#?}");
        // the schema can say no
        let mut wrong = witness.clone();
        wrong[0]["metadata"]["task"]["language"] = "C".into();
        assert!(!jsonschema::is_valid(&schema, &wrong));
        let ran = check(
            &project,
            &format!("tasks/{of}.rs"),
            &format!("out/{of}.yml"),
        );
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(
            ran.stdout.contains(" 0 refuted, 0 not checkable"),
            "{ran:?}"
        );
    }
    let good = tree(&text(&project, "out/good/transfer.yml"));
    let invariant = &good[0]["content"][0]["invariant"];
    assert_eq!(invariant["format"], "rust_expression", "{good:#}");
    assert_eq!(invariant["location"]["line"], 5, "{good:#}");
    let value = invariant["value"].as_str().expect("text");
    assert!(value.contains("left") && value.contains("right"), "{value}");
    let bad = tree(&text(&project, "out/bad.yml"));
    let segments = bad[0]["content"].as_array().expect("segments");
    let target = &segments.last().expect("one")["segment"][0]["waypoint"];
    assert_eq!(target["type"], "target");
    assert_eq!(target["location"]["line"], 10, "{bad:#}");
    assert_eq!(
        bad[0]["optverify"]["violation"]["any"]
            .as_array()
            .map(Vec::len),
        Some(3)
    );
}

#[test]
fn a_changed_correctness_witness_is_rejected() {
    let project = project();
    let change = |change: fn(&mut Value)| changed(&project, "good/transfer", change);
    // as it is, it holds in this form as well
    assert_eq!(change(|_| {}).code, 0);
    let ran = change(|e| e["content"][0]["invariant"]["value"] = "left == right".into());
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("not those of its proof"), "{ran:?}");
    let ran = change(|e| e["content"] = Value::Array(vec![]));
    assert_eq!(ran.code, 1, "{ran:?}");
    let ran = change(|e| e["content"][0]["invariant"]["location"]["line"] = 4.into());
    assert_eq!(ran.code, 1, "{ran:?}");
    // invariants and proof both without the lemmas: the checker finds the panic reachable
    let ran = change(|e| {
        e["content"] = Value::Array(vec![]);
        forge(e, |proof| {
            for s in proof["snapshots"].as_array_mut().expect("snapshots") {
                for cut in s["claim"]["cuts"].as_array_mut().into_iter().flatten() {
                    cut["lemmas"] = Value::Array(vec![]);
                }
            }
        });
    });
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("REFUTED"), "{ran:?}");
    // of another file, another version, another compiler, another root, another format
    let other: [fn(&mut Value); 6] = [
        |e| {
            let hashes = &mut e["metadata"]["task"]["input_file_hashes"];
            hashes["transfer.rs"] = "0".repeat(64).into();
        },
        |e| e["metadata"]["task"]["input_files"][0] = "other.rs".into(),
        |e| e["optverify"]["build"]["rustc"] = "1.0.0".into(),
        |e| e["optverify"]["root"] = "transfer::other".into(),
        |e| e["metadata"]["format_version"] = "3.0".into(),
        |e| e["optverify"]["proof"] = "{}".into(),
    ];
    for (i, change) in other.into_iter().enumerate() {
        let ran = changed(&project, "good/transfer", change);
        assert_eq!(ran.code, 2, "{i}: {ran:?}");
        assert!(ran.stdout.contains("0 valid"), "{i}: {ran:?}");
    }
}

#[test]
fn a_witness_is_of_one_program_and_complete() {
    let project = project();
    let ran = check(&project, "tasks/bad.rs", "out/good/transfer.yml");
    assert_eq!(ran.code, 2, "{ran:?}");
    // the same names, another program
    project.file(
        "later/transfer.rs",
        &SAFE.replace("right += 1", "right += 2"),
    );
    let ran = check(&project, "later/transfer.rs", "out/good/transfer.yml");
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stdout.contains("another version"), "{ran:?}");
    // ... even if the hash is forged
    let mut witness = tree(&text(&project, "out/good/transfer.yml"));
    project.file("later/bad.rs", UNSAFE);
    let ran = project.run(&["later/transfer.rs", "--witness", "later.yml", "--no-native"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let later = tree(&text(&project, "later.yml"));
    witness[0]["metadata"] = later[0]["metadata"].clone();
    project.file("forged.yml", &witness.to_string());
    let ran = check(&project, "later/transfer.rs", "forged.yml");
    assert_eq!(ran.code, 1, "{ran:?}");
    // cut off anywhere, it is nothing
    for of in ["good/transfer", "bad"] {
        let whole = text(&project, &format!("out/{of}.yml"));
        for cut in [0, 1, 5, 9] {
            let end = whole.len() * cut / 10;
            let end = (0..=end).rev().find(|i| whole.is_char_boundary(*i));
            project.file("cut.yml", &whole[..end.expect("a place")]);
            let ran = check(&project, &format!("tasks/{of}.rs"), "cut.yml");
            assert_eq!(ran.code, 2, "{cut}: {ran:?}");
        }
    }
    let ran = check(&project, "tasks/bad.rs", "out/none.yml");
    assert_eq!(ran.code, 2, "{ran:?}");
}

#[test]
fn a_changed_violation_witness_is_rejected() {
    let project = project();
    let change = |change: fn(&mut Value)| changed(&project, "bad", change);
    assert_eq!(change(|_| {}).code, 0);
    let wrong: [fn(&mut Value); 6] = [
        |e| e["content"][0]["segment"][0]["waypoint"]["constraint"]["value"] = "n == 1".into(),
        |e| drop(e["content"].as_array_mut().map(|c| c.pop())),
        |e| e["optverify"]["violation"]["panic"] = "another".into(),
        |e| e["optverify"]["violation"]["any"][0] = "1".into(),
        // a run that returns, one that draws too little
        |e| forge(e, |p| p["snapshots"][0]["claim"]["inputs"][0] = "0".into()),
        |e| {
            forge(e, |p| {
                p["snapshots"][0]["claim"]["draws"] = Value::Array(vec![])
            })
        },
    ];
    for (i, change) in wrong.into_iter().enumerate() {
        let ran = changed(&project, "bad", change);
        assert_eq!(ran.code, 1, "{i}: {ran:?}");
        assert!(ran.stdout.contains("0 valid"), "{i}: {ran:?}");
    }
    // values that are none of their types
    let ran = change(|e| {
        forge(e, |p| {
            p["snapshots"][0]["claim"]["inputs"][0] = "300".into()
        })
    });
    assert_eq!(ran.code, 1, "{ran:?}");
}

/// Of a function that rustc breaks: the run is one of the program after the pass, and of the one that ships.
#[test]
fn a_miscompilation_has_a_violation_witness() {
    let project = Project::empty();
    let source = include_str!("../../../examples/quickstart/src/lib.rs");
    project.file("lib.rs", source);
    let args = [
        "lib.rs",
        "--root",
        "alarms_are_logged",
        "--no-native",
        "--witness",
        "w.yml",
    ];
    let ran = project.run(&args);
    assert_eq!(ran.code, 1, "{ran:?}");
    let witness = tree(&text(&project, "w.yml"));
    assert_ne!(witness[0]["optverify"]["violation"]["pass"], "reference");
    let ran = check(&project, "lib.rs", "w.yml");
    assert_eq!(ran.code, 0, "{ran:?}");
}
