//! Proofs that say nothing are told, in every format, and only those: `--deny-vacuous` lets them fail the run.

mod common;

use common::{Project, Ran};

const SOURCE: &str = r#"use optverify::{assume, requires, verify};

#[verify]
#[requires(n > 5)]
#[requires(n < 3)]
pub fn contradictory(n: u32) -> u32 { 100 / n }

#[verify]
pub fn constant() { assume(1 > 2); assert!(std::env::args().count() == 9); }

#[verify]
pub fn here(n: u32) -> u32 { if n > 100 { assume(n < 50); } n / 2 }

#[verify]
pub fn unreached(n: u32) -> u32 { let k = n % 4; if k > 4 { assert!(n == 17); } k }
"#;

/// The twins: narrow assumptions, panics that are meant not to happen, loops without an end, helpers.
const FINE: &str = r#"use optverify::{assume, requires, verify};

#[verify]
#[requires(n > 5)]
#[requires(n < 7)]
pub fn narrow(n: u32) -> u32 { assert!(n == 6); 100 / n }

#[verify]
pub fn not_here(n: u32) -> u32 { if n > 100 { assume(n < 102); assert!(n == 101); } n / 2 }

#[verify]
pub fn reached(n: u32) -> u32 { let k = n % 4; if k > 2 { assert!(k == 3); } k }

#[verify]
pub fn excluded(n: u32) -> u32 {
    if n % 2 > 1 { assert!(false) }
    match n % 3 { 0 => 1, 1 => 2, 2 => 3, _ => unreachable!() }
}

#[verify]
pub fn forever(n: u32) { assume(n > 3); loop { assert!(n > 3); } }

fn helper(x: Option<u32>) -> u32 { match x { Some(v) => { assert!(v < 9); v } None => 0 } }

#[verify]
pub fn helped() -> u32 { helper(None) }

#[verify]
pub fn dropped_before_it_fails(n: u8) {
    let cell = std::rc::Rc::new(std::cell::RefCell::new(n));
    *cell.clone().borrow_mut() = 3;
    assert!(*cell.borrow() == 3);
}
"#;

/// Warnings have little time, and a busy machine may need several runs to find one.
const TRIES: usize = 6;

/// Runs until the output is what is wanted, or a few times.
fn run_until(project: &Project, args: &[&str], wanted: impl Fn(&Ran) -> bool) -> Ran {
    let mut ran = project.run(args);
    for _ in 1..TRIES {
        if wanted(&ran) {
            break;
        }
        ran = project.run(args);
    }
    ran
}

fn kinds(project: &Project, root: &str) -> Vec<(String, u64)> {
    let args = ["p.rs", "--message-format", "json", "--root", root];
    let ran = run_until(project, &args, |ran| ran.stdout.contains("\"vacuous\""));
    let messages = ran.messages();
    let found = messages.iter().find(|m| m["reason"] == "optverify-root");
    let message = found.unwrap_or_else(|| panic!("{root}: {ran:?}"));
    assert_eq!(message["verdict"], "safe", "{root}: {ran:?}");
    let all = message["vacuous"].as_array().cloned().unwrap_or_default();
    let kind = |v: &serde_json::Value| v["kind"].as_str().unwrap_or_default().to_owned();
    let line = |v: &serde_json::Value| v["line"].as_u64().unwrap_or_default();
    all.iter().map(|v| (kind(v), line(v))).collect()
}

#[test]
fn what_says_nothing_is_told() {
    let project = Project::empty();
    project.file("p.rs", SOURCE);
    let expected = [
        ("contradictory", "excluded", 3),
        ("constant", "excluded", 9),
        ("here", "excluded-here", 12),
        ("unreached", "unreached", 15),
    ];
    for (root, kind, line) in expected {
        assert_eq!(kinds(&project, root), [(kind.to_owned(), line)], "{root}");
    }
    let texts = [
        "warning[OV2001]: the assumptions of `p::contradictory` exclude every execution",
        "warning[OV2001]: this assumption in `p::here` excludes every execution",
        "warning[OV2002]: this assertion in `p::unreached` is never reached",
    ];
    let ran = run_until(&project, &["p.rs"], |ran| {
        texts.iter().all(|text| ran.stdout.contains(text))
    });
    assert_eq!(ran.code, 0, "{ran:?}");
    for text in texts {
        assert!(ran.stdout.contains(text), "{text}: {ran:?}");
    }
    let args = ["p.rs", "--message-format", "github", "--sarif", "s.json"];
    let ran = run_until(&project, &args, |ran| {
        ran.stdout.matches("::warning").count() == 4
    });
    assert!(
        ran.stdout.contains("::warning file=p.rs,line=15"),
        "{ran:?}"
    );
    let sarif = std::fs::read_to_string(project.path().join("s.json")).expect("a report");
    assert!(sarif.contains("\"OV2001\"") && sarif.contains("\"OV2002\""));
    let args = ["p.rs", "--deny-vacuous"];
    let ran = run_until(&project, &args, |ran| ran.code == 2);
    assert_eq!(ran.code, 2, "{ran:?}");
    let ran = project.run(&["explain-code", "OV2001"]);
    assert!(ran.stdout.contains("no execution satisfies"), "{ran:?}");
}

#[test]
fn what_says_something_is_not() {
    let project = Project::empty();
    project.file("p.rs", FINE);
    let ran = project.run(&["p.rs", "--deny-vacuous", "--message-format", "json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for message in ran.messages() {
        assert!(message["vacuous"].is_null(), "{message}");
    }
}
