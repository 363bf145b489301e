//! What the checker's tests share: one small program, a capture of any MIR, proof files with their seals.
#![allow(dead_code, reason = "every test file uses a part of it")]

use optverify_checker::Settings;
use optverify_checker::proof_file::checksum;
use optverify_engine::capture::Capture;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// Counts one variable down and another up; what both start with is what the second ends with.
pub const COUNT: &str = r#"fn f(_1: u32) -> () {
    let mut _0: ();
    let mut _2: u32;
    let mut _3: u32;
    let mut _4: bool;
    let mut _5: bool;
    let mut _6: !;

    bb0: {
        _2 = copy _1;
        _3 = const 0_u32;
        goto -> bb1;
    }

    bb1: {
        _4 = Gt(copy _2, const 0_u32);
        switchInt(move _4) -> [0: bb3, otherwise: bb2];
    }

    bb2: {
        _2 = Sub(copy _2, const 1_u32);
        _3 = Add(copy _3, const 1_u32);
        goto -> bb1;
    }

    bb3: {
        _5 = Eq(copy _3, copy _1);
        switchInt(move _5) -> [0: bb5, otherwise: bb4];
    }

    bb4: {
        return;
    }

    bb5: {
        _6 = core::panicking::panic(const "no") -> unwind continue;
    }
}
"#;

pub fn capture(folder: &Path, mir: &str) -> Capture {
    let functions: Vec<Value> = ["f", "step"]
        .iter()
        .map(|name| json!({"path": name, "called_as": null, "snapshots": []}))
        .collect();
    let manifest = json!({
        "format_version": optverify_engine::capture::FORMAT_VERSION, "tool": "0.1.0",
        "compiler": {"version": "", "commit_hash": "", "host": "", "verbose": ""},
        "target": "x86_64-unknown-linux-gnu", "pointer_width": 64, "package": "p", "crate_name": "p",
        "edition": "2021", "source_root": "", "source_file": "p.rs",
        "profile": {"name": "release", "opt_level": "3", "overflow_checks": false, "debug_assertions": false, "panic": "unwind"},
        "flags": [], "passes": [], "functions": functions, "notes": [],
        "roots": [{"name": "p::f", "function": "f", "file": "p.rs", "line": 1, "harness": false, "options": {}}],
    });
    let facts = json!({"enums": {}, "consts": {}, "type_sizes": {}});
    let files = [
        ("capture.json", manifest.to_string()),
        ("facts.json", facts.to_string()),
        ("reference.mir", mir.to_string()),
    ];
    for (name, text) in files {
        std::fs::write(folder.join(name), text).expect("a file");
    }
    Capture::load(folder).expect("a capture")
}

pub fn file(claim: &Value) -> String {
    let proof = json!({
        "root": "p::f", "function": "f",
        "snapshots": [{"number": "reference", "name": "reference", "claim": claim}],
    });
    sealed(&proof.to_string())
}

pub fn sealed(proof: &str) -> String {
    let checksum = format!("{:016x}", checksum(proof.as_bytes()));
    json!({"format_version": 1, "tool": "t", "checksum": checksum, "proof": proof}).to_string()
}

pub fn settings() -> Settings {
    Settings {
        timeout: Duration::from_secs(20),
        unrolling: Duration::from_secs(2),
        second: None,
        queries: None,
    }
}

pub fn lemmas(at: &str, lemmas: &[&str], places: &Value) -> Value {
    let cut = json!({"at": at, "statement": 0, "lemmas": lemmas});
    json!({"kind": "inductive", "cuts": [cut], "places": places})
}
