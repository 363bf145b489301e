//! Ordinary Rust, in `tests/programs/`: every root says what its verdict must be, and most have a failing twin.
//!
//! A line `//@ expect: safe|unsafe` stands above each `#[verify]`. A verdict other than that is an error; so is
//! `unknown`, unless a line `//@ known: unknown because ..` says why it cannot be helped yet.

mod common;

use common::Project;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

struct Expected {
    verdict: String,
    may_be_unknown: bool,
}

/// The roots of a file by name.
fn expectations(source: &str) -> BTreeMap<String, Expected> {
    let mut roots = BTreeMap::new();
    let (mut verdict, mut known) = (None, false);
    for line in source.lines() {
        if let Some(v) = line.strip_prefix("//@ expect: ") {
            verdict = Some(v.trim().to_owned());
        } else if line.starts_with("//@ known: unknown because ") {
            known = true;
        } else if let (Some(at), Some(v)) = (line.find("fn "), verdict.clone()) {
            let name = line[at + 3..].split(['(', '<']).next().unwrap_or_default();
            let expected = Expected {
                verdict: v,
                may_be_unknown: known,
            };
            roots.insert(name.to_owned(), expected);
            (verdict, known) = (None, false);
        }
    }
    roots
}

/// Of a hundred roots so many may run out of time: machines differ in speed, verdicts must not.
const SLOW_PERCENT: usize = 5;

/// What a file's verdicts came to.
#[derive(Default)]
struct Checked {
    roots: usize,
    wrong: Vec<String>,
    slow: Vec<String>,
}

fn check(file: &Path) -> Checked {
    let source = std::fs::read_to_string(file).expect("the program");
    let expected = expectations(&source);
    let project = Project::empty();
    let text = file.to_string_lossy();
    let args = [
        "--message-format",
        "json",
        "--timeout",
        "20s",
        "--no-native",
    ];
    let ran = project.run(&[&[&*text][..], &args, &["-j", "1"]].concat());
    let mut seen = BTreeMap::new();
    let (mut wrong, mut slow) = (vec![], vec![]);
    for m in ran.messages() {
        if m["reason"] != "optverify-root" {
            continue;
        }
        let full = m["root"].as_str().unwrap_or_default();
        // `file::name`, with `::<u32>` for an instance of a generic function.
        let name = full.split("::").nth(1).unwrap_or_default().to_owned();
        let verdict = m["verdict"].as_str().unwrap_or_default();
        let Some(e) = expected.get(&name) else {
            wrong.push(format!("{full}: no expectation"));
            continue;
        };
        *seen.entry(name).or_insert(0) += 1;
        let tolerated = verdict == "unknown" && e.may_be_unknown;
        if verdict != e.verdict && !tolerated {
            let why = m["why"].as_str().unwrap_or_default();
            let timed_out = why.starts_with("not decided within") || why.ends_with("time is up");
            let list = if verdict == "unknown" && timed_out {
                &mut slow
            } else {
                &mut wrong
            };
            list.push(format!(
                "{full}: {verdict}, not {}; {}",
                e.verdict, m["why"]
            ));
        }
    }
    let missing = expected.keys().filter(|name| !seen.contains_key(*name));
    wrong.extend(missing.map(|name| format!("{}: {name} was not verified", file.display())));
    Checked {
        roots: expected.len(),
        wrong,
        slow,
    }
}

#[test]
fn every_program_has_its_verdict() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let entries = std::fs::read_dir(folder).expect("the folder");
    let mut files: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    files.sort();
    assert!(!files.is_empty());
    let (queue, all) = (Mutex::new(files), Mutex::new(Checked::default()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(file) = queue.lock().expect("no panic").pop() else {
                        return;
                    };
                    let found = check(&file);
                    let mut all = all.lock().expect("no panic");
                    all.roots += found.roots;
                    all.wrong.extend(found.wrong);
                    all.slow.extend(found.slow);
                }
            });
        }
    });
    let all = all.into_inner().expect("no panic");
    assert!(all.wrong.is_empty(), "{}", all.wrong.join("\n"));
    println!("{} roots, out of time: {}", all.roots, all.slow.len());
    assert!(
        all.slow.len() * 100 <= all.roots * SLOW_PERCENT,
        "too slow:\n{}",
        all.slow.join("\n")
    );
}
