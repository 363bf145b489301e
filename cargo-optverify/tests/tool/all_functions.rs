//! `--all-functions` on a package that knows nothing of this tool: its functions are roots, what cannot be one is
//! counted with its reason.

use crate::common;

use common::{Project, Ran};
use std::collections::BTreeMap;

const SOURCE: &str = "
#![no_std]
use core::mem::MaybeUninit;

pub struct Counter { step: u8 }

impl Counter {
    pub fn after(&self, n: u8) -> u8 { n.wrapping_add(self.step) }
    pub fn limited(&self, n: u8) -> u8 { const LIMIT: u8 = u8::MAX >> 1; let r = n & LIMIT; assert!(r < 128); r }
    pub fn share(&self, n: u8) -> u8 { n / self.step }
}

impl core::fmt::Display for Counter {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result { f.write_str(\"counter\") }
}

pub trait Doubled { fn once(&self) -> u8; fn twice(&self) -> u8 { self.once() * 2 } }

pub fn identity<T>(x: T) -> T { x }
pub fn longest<'a>(a: &'a [u8], b: &'a [u8]) -> &'a [u8] { if a.len() < b.len() { b } else { a } }
pub fn first(bytes: &[u8]) -> u8 { bytes[0] }
pub unsafe fn unchecked(bytes: &[u8]) -> u8 { *bytes.get_unchecked(0) }
pub fn apply(f: fn(u8) -> u8, x: u8) -> u8 { f(x) }
pub fn uninit() -> u8 { let x = MaybeUninit::new(3u8); unsafe { x.assume_init() } }
";

fn package() -> Project {
    let project = Project::empty();
    let manifest = "[package]\nname = \"day_one\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    project.file("Cargo.toml", manifest);
    project.file("src/lib.rs", SOURCE);
    project
}

/// By the root's name.
fn verdicts(ran: &Ran) -> BTreeMap<String, String> {
    let messages = ran.messages().into_iter();
    messages
        .filter(|value| value["reason"] == "optverify-root")
        .map(|value| {
            let word = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
            (word("root"), word("verdict"))
        })
        .collect()
}

#[test]
fn every_function_of_a_package() {
    let ran = package().run(&["--all-functions", "--message-format", "json"]);
    let found = verdicts(&ran);
    let expected = [
        ("day_one::Counter::after", "safe"),
        ("day_one::Counter::share", "unsafe"),
        ("day_one::first", "unsafe"),
        ("day_one::longest", "safe"),
        ("day_one::uninit", "safe"),
        ("day_one::Counter::limited", "safe"),
    ];
    let expected = expected.map(|(root, verdict)| (root.to_owned(), verdict.to_owned()));
    assert_eq!(found, BTreeMap::from(expected), "{ran:?}");
    assert_eq!(ran.code, 1);
}

#[test]
fn the_table_says_where_the_crate_stands() {
    let text = package().run(&["--all-functions"]).stdout;
    let lines: Vec<String> = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    for wanted in [
        "functions 11",
        "safe 4",
        "unsafe 2",
        "unknown 0",
        "no roots 5",
    ] {
        assert!(
            lines.iter().any(|line| line == wanted),
            "no `{wanted}` in\n{text}"
        );
    }
    let generic = "2 generic: no instance to verify";
    assert!(lines.iter().any(|line| line.starts_with(generic)), "{text}");
}

/// Without the option the same package has nothing to verify.
#[test]
fn only_marked_functions_otherwise() {
    assert_eq!(package().run(&[]).code, 2);
}

/// One macro's functions have one place in the source, and each its own constants, bodies and dumps.
#[test]
fn functions_of_one_macro_are_told_apart() {
    let project = package();
    project.file(
        "src/lib.rs",
        "pub trait Table { fn at(i: usize) -> u8; fn step(&self, by: u8) -> u8; }\n\
         macro_rules! table { ($t:ident, $n:expr, $i:expr) => { pub struct $t; impl Table for $t {\n\
         fn at(i: usize) -> u8 { [7u8; $n][i % ($n + $i)] }\n\
         fn step(&self, by: u8) -> u8 { let n = by % 4 + 1; assert!(n <= 4 - $i); n } } } }\n\
         table!(Right, 3, 0);\ntable!(Wrong, 5, 1);\ntable!(Long, 12, 0);\n",
    );
    let ran = project.run(&["--all-functions", "--message-format", "json", "--no-native"]);
    let found = verdicts(&ran);
    let expected = [
        ("day_one::<$t as Table>::at", "safe"),
        ("day_one::<$t as Table>::at #2", "unsafe"),
        ("day_one::<$t as Table>::at #3", "safe"),
        ("day_one::<$t as Table>::step", "safe"),
        ("day_one::<$t as Table>::step #2", "unsafe"),
        ("day_one::<$t as Table>::step #3", "safe"),
    ];
    let expected = expected.map(|(root, verdict)| (root.to_owned(), verdict.to_owned()));
    assert_eq!(found, BTreeMap::from(expected), "{}", ran.stderr);
}
