//! Types of other crates inside of the crate's own: what they do when they are dropped, and whether they have values, no text
//! of this crate says.

use super::common::{Project, manifest};

const PLAIN: &str = "version = \"0.1.0\"\nedition = \"2021\"\n";

/// A package whose dependency `dep` has these items, and the verdicts of its roots.
fn verdicts(of_dep: &str, source: &str) -> Vec<(String, String)> {
    let project = Project::package("main", source);
    let more = "dep = { path = \"dep\" }\n[workspace]\n";
    project.file("Cargo.toml", &manifest("main", more));
    project.file(
        "dep/Cargo.toml",
        &format!("[package]\nname = \"dep\"\n{PLAIN}"),
    );
    project.file("dep/src/lib.rs", of_dep);
    let ran = project.run(&["--message-format", "json", "--no-native"]);
    let text = |m: &serde_json::Value, key: &str| m[key].as_str().unwrap_or_default().to_owned();
    let messages = ran.messages();
    let roots = messages.iter().filter(|m| m["reason"] == "optverify-root");
    let found: Vec<_> = roots
        .map(|m| {
            let root = text(m, "root").rsplit("::").next().unwrap_or("").to_owned();
            (root, text(m, "verdict"))
        })
        .collect();
    assert!(!found.is_empty(), "{ran:?}");
    found
}

const GUARD: &str = "pub struct Guard(pub u8);\nimpl Drop for Guard { fn drop(&mut self) { assert!(self.0 != 7); } }\n\
    pub use std::ops::Drop as Finish;\npub trait Family { type Box; }\nimpl Family for u8 { type Box = Guard; }\n";

#[test]
fn drops_that_no_text_of_the_crate_shows() {
    let source = "use optverify::verify;\npub enum E { A(dep::Guard), B(u8) }\npub struct H { pub g: dep::Guard, pub k: u8 }\n\
        #[verify] pub fn of_enum(_e: E) {}\n#[verify] pub fn of_struct(h: H) -> u8 { h.k }\n\
        #[verify] pub fn overwritten(s: &mut E, k: u8) { *s = E::B(k); }\n";
    for (root, verdict) in verdicts(GUARD, source) {
        assert_ne!(verdict, "safe", "{root}");
    }
    let renamed = "use optverify::verify;\npub struct D(u8);\n\
        impl dep::Finish for D { fn drop(&mut self) { assert!(self.0 != 7); } }\npub enum E { A(D), B(u8) }\n\
        #[verify] pub fn of_enum(_e: E) {}\n#[verify] pub fn overwritten(s: &mut E, k: u8) { *s = E::B(k); }\n";
    for (root, verdict) in verdicts(GUARD, renamed) {
        assert_ne!(verdict, "safe", "{root}");
    }
    let chosen = "use optverify::verify;\npub struct X<T: dep::Family> { pub a: Option<T::Box>, pub b: u8 }\n\
        #[verify] pub fn of_chosen(_x: X<u8>) {}\npub struct Other(u8);\nimpl Drop for Other { fn drop(&mut self) {} }\n";
    for (root, verdict) in verdicts(GUARD, chosen) {
        assert_ne!(verdict, "safe", "{root}");
    }
}

#[test]
fn plain_types_beside_a_dependency() {
    let source = "use optverify::verify;\npub enum E { A(Vec<u8>), B(u8) }\npub struct H { pub e: E, pub k: u8 }\n\
        #[verify] pub fn fine(h: H) -> u8 { h.k }\n#[verify] pub fn fails(h: H) { assert!(h.k != 7); }\n";
    let expected =
        [("fine", "safe"), ("fails", "unsafe")].map(|(r, v)| (r.to_owned(), v.to_owned()));
    let mut found = verdicts(GUARD, source);
    found.sort_by_key(|(root, _)| root != "fine");
    assert_eq!(found, expected);
}

#[test]
fn values_that_cannot_be() {
    let source = "use optverify::verify;\n#[verify] pub fn void(_e: dep::Void) { panic!() }\n\
        #[verify] pub fn option(e: Option<dep::Void>) { assert!(e.is_none()) }\n\
        pub enum E { A(std::string::ParseError), B(u8) }\n#[verify] pub fn alias(e: E) { if let E::A(_) = e { panic!() } }\n\
        pub enum F { A(<u8 as TryFrom<u8>>::Error), B(u8) }\n#[verify] pub fn chosen(e: F) { if let F::A(_) = e { panic!() } }\n";
    for (root, verdict) in verdicts("pub enum Void {}\n", source) {
        assert_ne!(verdict, "unsafe", "{root}");
    }
}
