//! Packages and workspaces: what cargo's users expect of a subcommand.

use crate::common;

use common::{Project, manifest};

const TWO_ROOTS: &str = "use optverify::verify;\n\n#[verify]\npub fn first(n: u32) -> u32 {\n    n\n}\n\n\
                         pub mod inner {\n    #[optverify::verify]\n    fn second(n: u8) -> u8 {\n        n\n    }\n}\n";

#[test]
fn a_fresh_project_is_captured_once() {
    let project = Project::package("fresh", TWO_ROOTS);
    let ran = project.run(&["list"]);
    assert_eq!(ran.listed(), ["fresh::first", "fresh::inner::second"]);
    assert!(ran.stderr.contains("Compiling fresh"), "{ran:?}");

    let ran = project.run(&["list"]);
    assert_eq!(ran.listed(), ["fresh::first", "fresh::inner::second"]);
    assert!(
        !ran.stderr.contains("Compiling"),
        "a fresh crate was compiled again: {ran:?}"
    );

    // a capture that is gone comes back although cargo believes the crate fresh
    std::fs::remove_dir_all(project.path().join("target/optverify/release/captures"))
        .expect("captures");
    assert_eq!(project.run(&["list"]).listed().len(), 2);

    // changed sources are captured again
    project.file("src/lib.rs", &TWO_ROOTS.replace("first", "renamed"));
    assert_eq!(
        project.run(&["list"]).listed(),
        ["fresh::renamed", "fresh::inner::second"]
    );

    // the user's own target directory is left alone
    assert!(!project.path().join("target/release").exists());
}

#[test]
fn a_workspace_of_three_crates_with_features() {
    let project = Project::empty();
    project.file(
        "Cargo.toml",
        "[workspace]\nresolver = \"3\"\nmembers = [\"a\", \"b\", \"c\"]\n",
    );
    project.file("a/Cargo.toml", &manifest("a", "\n[features]\nextra = []\n"));
    project.file(
        "a/src/lib.rs",
        "#[optverify::verify]\npub fn plain(n: u32) -> u32 { n }\n\
         #[cfg(feature = \"extra\")]\n#[optverify::verify]\npub fn extra(n: u32) -> u32 { n }\n",
    );
    project.file("b/Cargo.toml", &manifest("b", "a = { path = \"../a\" }\n"));
    project.file(
        "b/src/main.rs",
        "#[optverify::verify]\nfn root(n: u32) -> u32 { a::plain(n) }\nfn main() { root(1); }\n",
    );
    project.file(
        "c/Cargo.toml",
        "[package]\nname = \"c\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    project.file("c/src/lib.rs", "pub fn nothing_to_verify() {}\n");

    assert_eq!(
        project.run(&["list", "--workspace"]).listed(),
        ["a::plain", "b::root"]
    );
    assert_eq!(project.run(&["list", "-p", "b"]).listed(), ["b::root"]);
    let with_features = project.run(&["list", "-p", "a", "--features", "extra"]);
    assert_eq!(with_features.listed(), ["a::plain", "a::extra"]);
    // both variants of the crate are kept, and told apart
    assert_eq!(project.run(&["list", "-p", "a"]).listed(), ["a::plain"]);
    let manifest_path = project.path().join("a/Cargo.toml").display().to_string();
    assert_eq!(
        project
            .run(&["list", "--manifest-path", &manifest_path])
            .listed(),
        ["a::plain"]
    );

    let nothing = project.run(&["-p", "c"]);
    assert_eq!(
        nothing.code, 2,
        "a gate that checks nothing must not pass: {nothing:?}"
    );
}

/// A root that calls a function of a sibling crate which rustc would not inline across crates.
#[test]
fn calls_between_crates_of_a_workspace_are_closed() {
    let project = Project::empty();
    project.file(
        "Cargo.toml",
        "[workspace]\nresolver = \"3\"\nmembers = [\"low\", \"mid\", \"top\"]\n",
    );
    let package = |name: &str, more: &str| {
        format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\n{more}"
        )
    };
    project.file("low/Cargo.toml", &package("low", ""));
    project.file(
        "low/src/lib.rs",
        "pub fn sum(list: &[u8]) -> u32 {\n    let mut sum = 0u32;\n    for x in list {\n        \
         sum = sum.checked_add(u32::from(*x)).expect(\"small\");\n    }\n    assert!(sum < 9000);\n    sum\n}\n",
    );
    project.file(
        "mid/Cargo.toml",
        &package("mid", "low = { path = \"../low\" }\n"),
    );
    project.file(
        "mid/src/lib.rs",
        "pub fn twice(list: &[u8]) -> u32 {\n    low::sum(list) + low::sum(list)\n}\n",
    );
    project.file(
        "top/Cargo.toml",
        &manifest("top", "mid = { path = \"../mid\" }\n"),
    );
    project.file(
        "top/src/lib.rs",
        "#[optverify::verify]\npub fn root(list: [u8; 4]) -> u32 {\n    mid::twice(&list)\n}\n",
    );
    assert_eq!(
        project.run(&["list", "--workspace"]).listed(),
        ["top::root"]
    );

    let dir = project.captured();
    let capture = optverify_engine::capture::Capture::load(dir).expect("it loads");
    let calls = |text: &str| text.contains("mid::twice(") || text.contains("low::sum(");
    assert!(!calls(
        &capture.reference_text("root").expect("the reference")
    ));
    let snapshots = capture.snapshots("root").expect("snapshots");
    assert!(!calls(
        &snapshots
            .last()
            .expect("a snapshot")
            .text()
            .expect("its text")
    ));
}

#[test]
fn a_compile_error_is_shown_as_cargo_shows_it() {
    let project = Project::package("broken", "pub fn f() -> u32 { \"text\" }\n");
    let ran = project.run(&[]);
    assert_eq!(ran.code, 101, "{ran:?}");
    assert!(
        ran.stderr.contains("error[E0308]: mismatched types"),
        "{ran:?}"
    );
    assert!(ran.stderr.contains("could not compile `broken`"), "{ran:?}");

    let no_project = Project::empty().run(&[]);
    assert_eq!(no_project.code, 101, "{no_project:?}");
    assert!(
        no_project.stderr.contains("could not find `Cargo.toml`"),
        "{no_project:?}"
    );
}

#[test]
fn strict_crates_have_no_warnings_from_the_attributes() {
    let strict = "//! Documented.\n#![no_std]\n#![forbid(unsafe_code)]\n#![deny(missing_docs, warnings)]\n\
         use optverify::{ensures, requires, verify};\n\n/// Documented.\n#[verify]\n#[requires(n < 10)]\n\
         #[ensures(|ret| *ret > n)]\npub fn f(n: u32) -> u32 {\n    n + 1\n}\n\n/// Documented.\n#[verify(T = u8)]\n\
         pub fn g<T: Copy>(x: T) -> T {\n    x\n}\n";
    let project = Project::package("strict", strict);
    let build = std::process::Command::new("cargo")
        .args(["build", "--quiet"])
        .current_dir(project.path())
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .expect("cargo runs");
    assert!(
        build.status.success() && build.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&build.stderr)
    );
    assert_eq!(
        project.run(&["list"]).listed(),
        ["strict::f", "strict::g::<u8>"]
    );
}

/// Of another crate's static only the type tells that it may change: its first value is none to rely on, but to refute.
#[test]
fn a_static_mut_of_another_crate_holds_anything() {
    let project = Project::empty();
    project.file(
        "Cargo.toml",
        "[workspace]\nresolver = \"3\"\nmembers = [\"dep\", \"app\"]\n",
    );
    project.file(
        "dep/Cargo.toml",
        "[package]\nname = \"dep\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    project.file(
        "dep/src/lib.rs",
        "pub static mut COUNTER: u32 = 3;\npub static LIMIT: u32 = 3;\n\
         #[inline(always)]\npub fn bump() { unsafe { COUNTER = COUNTER.wrapping_add(1) } }\n",
    );
    project.file(
        "app/Cargo.toml",
        &manifest("app", "dep = { path = \"../dep\" }\n"),
    );
    project.file(
        "app/src/lib.rs",
        "#[optverify::verify]\npub fn first() { assert!(unsafe { dep::COUNTER } == 3); }\n\
         #[optverify::verify]\npub fn fixed() { assert!(dep::LIMIT == 3); }\n\
         #[optverify::verify]\npub fn second() { assert!(unsafe { dep::COUNTER } != 3); }\n\
         #[optverify::verify]\npub fn changed() { let a = unsafe { dep::COUNTER }; dep::bump(); \
         assert!(unsafe { dep::COUNTER } == a.wrapping_add(1)); }\n",
    );
    let ran = project.run(&["-p", "app", "--message-format", "json", "--no-native"]);
    let messages = ran.messages();
    let verdict = |root: &str| {
        let found = messages.iter().find(|m| m["root"] == root);
        found.map(|m| m["verdict"].to_string()).unwrap_or_default()
    };
    assert_eq!(verdict("app::first"), "\"unknown\"", "{ran:?}");
    assert_eq!(verdict("app::second"), "\"unsafe\"", "{ran:?}");
    assert_eq!(verdict("app::fixed"), "\"safe\"", "{ran:?}");
    assert_eq!(verdict("app::changed"), "\"safe\"", "{ran:?}");
}
