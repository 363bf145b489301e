//! The ledger of assumptions: the page and the code list the same, every guard that the page names is there, and a
//! verdict lists what its own root uses.

use crate::common::Project;
use optverify_engine::assumption::Assumption;
use std::collections::BTreeSet;
use std::path::Path;

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the workspace")
}

/// The rows of the page's first table: code and the rest.
fn rows() -> Vec<(String, String)> {
    let page = repository().join("docs/src/assumptions.md");
    let text = std::fs::read_to_string(page).expect("the page");
    let rows = text.lines().filter_map(|line| {
        let (code, rest) = line.strip_prefix("| `")?.split_once("` |")?;
        Some((code.to_owned(), rest.to_owned()))
    });
    rows.collect()
}

#[test]
fn the_page_and_the_code_list_the_same() {
    let rows = rows();
    let codes: Vec<&str> = rows.iter().map(|(code, _)| code.as_str()).collect();
    let known: Vec<&str> = Assumption::ALL.iter().map(|a| a.code()).collect();
    assert_eq!(codes, known);
    for (code, rest) in &rows {
        let text = Assumption::ALL
            .iter()
            .find(|a| a.code() == code)
            .expect("known")
            .text();
        assert!(
            rest.contains(text),
            "the page says something else of {code}: {rest}"
        );
    }
}

/// A guard is `path`, or `path::test`: the file exists and has the test.
#[test]
fn every_guard_is_there() {
    let mut guards = 0;
    for (code, rest) in rows() {
        let named: Vec<&str> = rest
            .split('`')
            .filter(|part| part.contains(".rs"))
            .collect();
        let outside = rest.contains("outside the proof");
        assert!(!named.is_empty() || outside, "{code} has no guard");
        for guard in named {
            let (file, test) = guard.split_once("::").unwrap_or((guard, ""));
            let text = std::fs::read_to_string(repository().join(file));
            let text = text.unwrap_or_else(|e| panic!("{code}: {file}: {e}"));
            assert!(has_test(&text, test), "{code}: {guard}");
            guards += 1;
        }
    }
    assert!(guards > 15, "{guards}");
}

/// Is there a function of this name that runs as a test?
fn has_test(text: &str, name: &str) -> bool {
    let head = format!("fn {name}(");
    let mut before = text.match_indices(&head).map(|(at, _)| &text[..at]);
    let is_test = |before: &str| before.trim_end().ends_with("#[test]");
    name.is_empty() || before.any(is_test)
}

#[test]
fn what_is_no_test_is_no_guard() {
    let text = "#[test]\nfn guards() {}\nfn helps() {}\n#[test]\nfn guards_more() {}\n";
    assert!(has_test(text, "guards") && has_test(text, "guards_more") && has_test(text, ""));
    assert!(!has_test(text, "helps") && !has_test(text, "guard") && !has_test(text, "more"));
}

const SOURCE: &str = "use optverify::{any, assume, verify};
#[verify] pub fn plain(n: u8) -> u8 { n / 2 }
#[verify] pub fn lends(t: &mut [u8; 4], n: u8) { t[n as usize % 4] = n; }
#[verify] pub fn assumes(n: u8) -> u8 { assume(n > 0); 100 / n }
#[verify] pub fn heaps(n: u8) -> usize { let mut v = Vec::new(); v.push(n); v.len() }
#[verify] pub fn floats(x: f32) { if x < 1.0 { assert!(!(x >= 1.0)); } }
#[verify] pub fn loops(n: u32) { let mut i = 0; while i < n { i += 1; } assert!(i == n); }
#[verify] pub fn fails(n: u8) -> u8 { 100 / n }
#[verify] pub fn gives_up() -> usize { std::env::args().count() }
#[verify] pub fn takes(v: Vec<u8>) -> usize { let n: bool = any(); if n { v.len() } else { 0 } }
trait Speak { fn speak(&self) -> u8; }
struct Cat(u8);
impl Speak for Cat { fn speak(&self) -> u8 { self.0 / 2 } }
#[verify] pub fn speaks(n: u8) -> u8 { let c: &dyn Speak = &Cat(n); c.speak() }
";

#[test]
fn a_verdict_lists_what_its_root_uses() {
    let project = Project::empty();
    project.file("sample.rs", SOURCE);
    let ran = project.run(&["sample.rs", "--message-format", "json", "--no-native"]);
    let messages = ran.messages();
    let codes = |root: &str| -> BTreeSet<String> {
        let name = format!("sample::{root}");
        let message = messages
            .iter()
            .find(|m| m["root"] == name.as_str())
            .expect("a message");
        let all = message["assumptions"].as_array().expect("a list").iter();
        all.map(|a| a["code"].as_str().expect("a code").to_owned())
            .collect()
    };
    let has = |root: &str, code: &str| codes(root).contains(code);
    for root in [
        "plain", "lends", "assumes", "heaps", "floats", "loops", "fails", "takes",
    ] {
        assert!(has(root, "compiler"), "{root}: {ran:?}");
    }
    // each where it is used, and not where it is not
    for (code, with, without) in [
        ("no-alias", "lends", "plain"),
        ("single-thread", "lends", "plain"),
        ("assumed", "assumes", "plain"),
        ("heap", "heaps", "plain"),
        ("floats", "floats", "plain"),
        ("termination", "loops", "plain"),
        ("solver", "loops", "fails"),
        ("std-inputs", "takes", "heaps"),
        ("std-drops", "heaps", "loops"),
        ("trait-objects", "speaks", "plain"),
    ] {
        assert!(has(with, code), "{with} without {code}: {:?}", codes(with));
        assert!(
            !has(without, code),
            "{without} with {code}: {:?}",
            codes(without)
        );
    }
    // what is unknown claims nothing
    assert_eq!(codes("gives_up"), BTreeSet::new());
}

const TOTAL: &str = "use optverify::verify;
unsafe extern \"C\" { safe fn measure() -> u32; safe fn log(n: u32); }
#[verify(assume_total = \"measure, log, absent\")] pub fn proven(n: u32) { log(n); assert!(measure() / 2 < 1 << 31); }
#[verify(assume_total = \"log\")] pub fn refuted(n: u32) { log(n); assert!(n < 9); }
#[verify(assume_total = \"measure\")] pub fn in_doubt() { assert!(measure() < 9); }
#[verify] pub fn not_assumed() { assert!(measure() / 2 < 1 << 31); }
";

#[test]
fn a_verdict_names_what_is_assumed_total() {
    let project = Project::empty();
    project.file("sample.rs", TOTAL);
    let ran = project.run(&["sample.rs", "--message-format", "json", "--no-native"]);
    let messages = ran.messages();
    let of = |root: &str| {
        let name = format!("sample::{root}");
        let found = messages.iter().find(|m| m["root"] == name.as_str());
        let message = found.unwrap_or_else(|| panic!("{root}: {ran:?}"));
        let all = message["assumptions"].as_array().expect("a list");
        let total = all.iter().find(|a| a["code"] == "assumed-total");
        let names = total.map(|a| a["names"].to_string());
        (message["verdict"].as_str().expect("a verdict"), names)
    };
    let names = |text: &str| Some(text.to_owned());
    assert_eq!(of("proven"), ("safe", names("[\"log\",\"measure\"]")));
    assert_eq!(of("refuted"), ("unsafe", names("[\"log\"]")));
    assert_eq!(of("in_doubt"), ("unknown", None));
    assert_eq!(of("not_assumed"), ("unknown", None));
    assert!(
        ran.stderr.contains("`assume_total` names `absent`"),
        "{ran:?}"
    );
    // people see it as well
    let ran = project.run(&["sample.rs", "--no-native"]);
    assert!(
        ran.stdout.contains("assuming that `log`, `measure` return"),
        "{ran:?}"
    );
}
