//! Hostile files: proofs that claim what is false, and captures that lead elsewhere. No verdict gets better by them,
//! and nothing is read or written outside the folders that were named.

use crate::common::Project;
use crate::{expected, figure, long, none_is_wrong, verdicts};
use serde_json::{Value, json};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

const JSON: [&str; 4] = ["--message-format", "json", "--no-native", "--quiet"];

fn hash(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// Where the store keeps a root's proof (`pipeline/store.rs`).
fn slot(store: &Path, message: &Value) -> PathBuf {
    let text = |name: &str| message[name].as_str().expect("text").to_owned();
    let (root, package) = (text("root"), text("package"));
    let key = (
        &package,
        &package,
        &root,
        &text("file"),
        &text("profile"),
        &text("target"),
    );
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = root.chars().map(plain).collect();
    store.join(format!("{name}-{:016x}.json", hash(&key)))
}

/// The same file with another proof inside, and a checksum that is right.
fn forge(envelope: &Value, proof: &Value) -> String {
    let proof = proof.to_string();
    let mut forged = envelope.clone();
    forged["checksum"] = json!(hash(&proof));
    forged["proof"] = json!(proof);
    forged.to_string()
}

#[test]
fn stored_proofs_of_what_is_false() {
    let project = Project::package("p", crate::SOURCE);
    let ran = project.run(&JSON);
    assert_eq!(verdicts(&ran.messages()), expected(), "{ran:?}");
    let messages = ran.messages();
    let roots: Vec<&Value> = messages.iter().filter(|m| m["root"].is_string()).collect();
    let store = project.path().join("target/optverify/release/proofs");
    let safe = roots
        .iter()
        .find(|m| m["root"] == "p::together")
        .expect("a root");
    let file = slot(&store, safe);
    let text = std::fs::read_to_string(&file).expect("the slot is where this test looks");
    let envelope: Value = serde_json::from_str(&text).expect("JSON");
    let honest: Value =
        serde_json::from_str(envelope["proof"].as_str().expect("text")).expect("JSON");
    let lines: Vec<Value> = (1..70)
        .map(|line| json!({"line": line, "lemmas": [[[], 0]]}))
        .collect();
    let falsum = json!({"content": honest["content"], "proof": {"Inductive": {
        "parts": {"vars": [], "nodes": [[{"Const": 0}, "Bool"]]}, "n_state": 0, "heads": lines, "millis": 1}}});
    let unrolled = |engine: &str, steps: u64| {
        json!({"content": honest["content"],
            "proof": {"Unrolled": {"engine": engine, "steps": steps, "millis": u64::MAX}}})
    };
    let forgeries = [
        honest.clone(),
        falsum,
        unrolled("bmc", 0),
        unrolled("bmc", 1),
        unrolled("accelerate", 0),
        unrolled("accelerate", u64::MAX),
    ];
    // the rest is slow: all the time there is
    let n_tried = if long() { forgeries.len() } else { 3 };
    let mut unknown = 0;
    for (n, forgery) in forgeries[..n_tried].iter().enumerate() {
        for root in &roots {
            std::fs::write(slot(&store, root), forge(&envelope, forgery)).expect("a file");
        }
        let ran = project.run(&[&JSON[..], &["--timeout", "20s"]].concat());
        // a bound that no run can have may cost all the time
        let when = format!("with forgery {n}");
        unknown += none_is_wrong(&verdicts(&ran.messages()), &when);
        assert!(!ran.stderr.contains("panicked"), "forgery {n}: {ran:?}");
    }
    figure(
        "forged stored proofs",
        format!(
            "{n_tried} for each of {} roots, 0 believed, {unknown} verdicts unknown",
            roots.len()
        ),
    );
}

/// Everything under a folder, with sizes.
fn all_files(folder: &Path) -> Vec<(PathBuf, u64)> {
    let mut found = vec![];
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() && !path.is_symlink() {
            true => found.extend(all_files(&path)),
            false => found.push((path.clone(), path.metadata().map_or(0, |m| m.len()))),
        }
    }
    found.sort();
    found
}

#[test]
fn names_that_climb_out_of_their_folder() {
    let project = Project::empty();
    project.file("a/b/sample.rs", crate::SOURCE);
    let ran = project.run(&["capture", "a/b/sample.rs", "-o", "a/b/capture"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let manifest = project.path().join("a/b/capture/capture.json");
    let text = std::fs::read_to_string(&manifest).expect("the manifest");
    let mut hostile: Value = serde_json::from_str(&text).expect("JSON");
    let climbing = "../../../climbed";
    for root in hostile["roots"].as_array_mut().expect("roots") {
        let name = root["name"]
            .as_str()
            .expect("text")
            .replace("sample", climbing);
        root["name"] = json!(name);
    }
    (hostile["package"], hostile["crate_name"]) = (json!(climbing), json!(climbing));
    hostile["profile"]["name"] = json!("/climbed");
    std::fs::write(&manifest, hostile.to_string()).expect("a file");
    let before = all_files(project.path());
    std::fs::create_dir_all(project.path().join("out/deep")).expect("a folder");
    let capture = ["--from-capture", "a/b/capture"];
    let outputs = [
        "--proof-store",
        "out/deep/proofs",
        "--html",
        "out/deep/r.html",
        "--sarif",
        "out/deep/r.sarif",
    ];
    let ran = project.run(&[&capture[..], &outputs, &JSON].concat());
    assert_eq!(verdicts(&ran.messages()), expected(), "{ran:?}");
    let ran = project.run(
        &[
            &["check-proof"][..],
            &capture,
            &["--proofs", "out/deep/full"],
        ]
        .concat(),
    );
    assert!(ran.stdout.contains(" valid"), "{ran:?}");
    let after = all_files(project.path());
    let out = project.path().join("out/deep");
    let (inside, outside): (Vec<_>, Vec<_>) =
        after.into_iter().partition(|(p, _)| p.starts_with(&out));
    assert_eq!(outside, before, "nothing else was written");
    assert!(inside.len() > 5, "{inside:?}");
    assert!(
        inside
            .iter()
            .all(|(p, _)| !p.display().to_string().contains("..")),
        "{inside:?}"
    );
}

/// A capture whose snapshots lie elsewhere is refused before anything of them is read.
#[test]
fn snapshots_that_lie_elsewhere() {
    let project = Project::empty();
    project.file("sample.rs", crate::SOURCE);
    let ran = project.run(&["capture", "sample.rs", "-o", "capture"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let path = project.path().join("capture/capture.json");
    let text = std::fs::read_to_string(&path).expect("the manifest");
    let lines = std::fs::read_to_string(project.path().join("capture/snapshots.json"));
    let lines = lines.expect("the snapshots");
    let first: Value = serde_json::from_str(lines.lines().next().expect("a line")).expect("JSON");
    let elsewhere = project.file("elsewhere.mir", "fn f() -> () {}");
    for name in [
        "../elsewhere.mir".to_owned(),
        elsewhere.display().to_string(),
    ] {
        let mut hostile: Value = serde_json::from_str(&text).expect("JSON");
        // in the manifest itself, which is as good
        let function = &mut hostile["functions"][0];
        function["snapshots"] = first["snapshots"].clone();
        function["snapshots"][0]["closed"] = json!(name);
        function.as_object_mut().expect("an object").remove("line");
        std::fs::write(&path, hostile.to_string()).expect("a file");
        let ran = project.run(&[&["--from-capture", "capture"][..], &JSON].concat());
        assert_eq!(ran.code, 101, "{ran:?}");
        assert!(ran.stderr.contains("is not in its folder"), "{ran:?}");
    }
}
