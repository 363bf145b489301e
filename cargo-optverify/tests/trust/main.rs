//! Distrust of ourselves: faults of the solver and of the disk, kills, hostile files, sizes, the ledger of
//! assumptions. Every test prints its figures; `./x trust` runs larger numbers of the same (`OPTVERIFY_TRUST=long`)
//! and makes a table of them.

mod assumptions;
mod between;
#[path = "../common/mod.rs"]
mod common;
mod disk;
mod hostile;
mod kills;
mod limits;
#[path = "../../../engine/tests/mutate/mod.rs"]
mod mutate;
mod solver;
mod suites;

use serde_json::Value;
use std::collections::BTreeMap;

/// Safe and unsafe roots, decided by different engines, each asking the solver.
const SOURCE: &str = include_str!("sample.rs.txt");

/// The verdicts, whatever goes wrong meanwhile, unless it is `unknown`.
const EXPECTED: [(&str, &str); 6] = [
    ("apart", "unsafe"),
    ("beyond", "unsafe"),
    ("bounded", "safe"),
    ("down", "safe"),
    ("late", "unsafe"),
    ("together", "safe"),
];

/// Larger numbers, for `./x trust`.
fn long() -> bool {
    std::env::var("OPTVERIFY_TRUST").is_ok_and(|v| v == "long")
}

/// One line of the table of `./x trust`.
fn figure(what: &str, value: impl std::fmt::Display) {
    println!("figure: {what} | {value}");
}

/// By the last name of each root.
fn verdicts(messages: &[Value]) -> BTreeMap<String, String> {
    let roots = messages.iter().filter(|m| m["reason"] == "optverify-root");
    let name = |m: &Value| {
        let name = m["root"].as_str().unwrap_or_default();
        name.rsplit("::").next().unwrap_or_default().to_owned()
    };
    roots
        .map(|m| {
            (
                name(m),
                m["verdict"].as_str().unwrap_or_default().to_owned(),
            )
        })
        .collect()
}

fn expected() -> BTreeMap<String, String> {
    let pairs = EXPECTED.iter();
    pairs.map(|(r, v)| ((*r).into(), (*v).into())).collect()
}

/// No verdict is the opposite of what is true. How many are unknown?
fn none_is_wrong(found: &BTreeMap<String, String>, when: &str) -> usize {
    let mut unknown = 0;
    for (root, truth) in expected() {
        match found.get(&root).map_or("unknown", String::as_str) {
            "unknown" => unknown += 1,
            verdict => assert_eq!(verdict, truth, "{root} {when}"),
        }
    }
    unknown
}
