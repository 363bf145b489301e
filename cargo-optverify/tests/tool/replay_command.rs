//! `replay`: a counterexample becomes a test that fails in both builds until the bug is gone.

use crate::common;

use common::Project;

const SOURCE: &str = "use optverify::{Any, any, verify};\n\n#[derive(Any, Clone)]\npub struct Gauge {\n    pub top: u8,\n}\n\n\
                      impl Gauge {\n    #[verify]\n    pub fn part(&self, n: u8) -> u8 {\n        n / self.top\n    }\n}\n\n\
                      pub mod inner {\n    use super::*;\n    #[verify]\n    fn drawn(of: u8) -> u8 {\n        let d: u8 = any();\n        \
                      of / d\n    }\n}\n\n#[verify]\npub fn fine(n: u8) -> u8 {\n    n / 2\n}\n";

#[test]
fn tests_are_written_in_place_and_run() {
    let project = Project::package("gauges", SOURCE);
    for (root, name) in [("part", "optverify_part"), ("drawn", "optverify_drawn")] {
        let ran = project.run(&["replay", root, "--in-place"]);
        assert_eq!(ran.code, 1, "{ran:?}");
        for build in [
            "not optimized: fails: at src/lib.rs:",
            "as shipped:    fails: at src/lib.rs:",
        ] {
            assert!(ran.stdout.contains(build), "{root}: {ran:?}");
        }
        let source =
            std::fs::read_to_string(project.path().join("src/lib.rs")).expect("the source");
        assert!(source.contains(&format!("fn {name}()")), "{source}");
    }
    // the test passes when the bug is gone
    let source = std::fs::read_to_string(project.path().join("src/lib.rs")).expect("the source");
    let fixed = source
        .replace("n / self.top", "n / self.top.max(1)")
        .replace("of / d", "of / d.max(1)");
    project.file("src/lib.rs", &fixed);
    let out = std::process::Command::new("cargo")
        .args(["test", "--quiet", "--lib"])
        .current_dir(project.path())
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .expect("cargo runs");
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success() && text.contains("2 passed"), "{text}");
}

/// A file in `tests` is a crate of its own, and has the values on which the builds differ.
#[test]
fn a_test_from_outside() {
    let source = include_str!("../../../examples/quickstart/src/lib.rs");
    let project = Project::package("outside", source);
    let cargo = |more: &[&str]| {
        let out = std::process::Command::new("cargo")
            .args(["test", "--quiet", "--test", "found"])
            .args(more)
            .current_dir(project.path())
            .env_remove("CARGO_TARGET_DIR")
            .output()
            .expect("cargo runs");
        let text = [out.stdout, out.stderr].concat();
        (
            out.status.success(),
            String::from_utf8_lossy(&text).into_owned(),
        )
    };
    let replay = |root: &str| {
        let ran = project.run(&["replay", root, "--output", "tests/found.rs"]);
        assert_eq!(ran.code, 1, "{ran:?}");
    };
    replay("middle");
    let (passes, text) = cargo(&["--release"]);
    assert!(!passes && text.contains("1 failed"), "{text}");
    // of rustc's own bug: wrong as shipped, right as written
    let out = std::process::Command::new("rustc")
        .arg("--version")
        .output();
    let version = out.expect("rustc").stdout;
    if version.starts_with(b"rustc 1.95.0") {
        replay("alarms_are_logged");
        let (passes, text) = cargo(&["--release"]);
        assert!(!passes && text.contains("1 failed"), "{text}");
        let (passes, text) = cargo(&[]);
        assert!(passes, "{text}");
    }
}

#[test]
fn nothing_is_touched_without_in_place() {
    let project = Project::empty();
    let source = "#[optverify::verify]\nfn divide(n: u8, d: u8) -> u8 {\n    n / d\n}\n#[optverify::verify]\nfn fine(n: u8) -> u8 { n }\n";
    project.file("one.rs", source);
    let ran = project.run(&["replay", "divide", "one.rs", "--output", "new/found.rs"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.stdout.contains("as shipped:    panics at one.rs:3:5"),
        "{ran:?}"
    );
    let test = std::fs::read_to_string(project.path().join("new/found.rs")).expect("the test");
    assert!(
        test.contains("let _ = divide(core::hint::black_box(0), core::hint::black_box(0));"),
        "{test}"
    );
    let after = std::fs::read_to_string(project.path().join("one.rs")).expect("the source");
    assert_eq!(after, source);

    let ran = project.run(&["replay", "divide", "one.rs", "--in-place"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.stdout.contains("not optimized: fails: at one.rs:3:5"),
        "{ran:?}"
    );
    let ran = project.run(&["replay", "fine", "one.rs"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("nothing to replay"), "{ran:?}");
}
