//! The path of a new user: a fresh project, `cargo add optverify`, one root with a bug; then fixed.

use crate::common;

use common::Project;

const BUG: &str = "use optverify::verify;\n\n#[verify]\npub fn share(total: u32, parts: u32) -> u32 {\n    \
                   total / parts\n}\n";

#[test]
fn a_bug_is_found_and_its_fix_proven() {
    let project = Project::empty();
    let cargo = |args: &[&str]| {
        let mut command = std::process::Command::new("cargo");
        command
            .args(args)
            .current_dir(project.path())
            .env_remove("CARGO_TARGET_DIR");
        assert!(command.status().expect("cargo runs").success(), "{args:?}");
    };
    cargo(&["init", "--quiet", "--lib", "--name", "fresh"]);
    let optverify = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("optverify");
    cargo(&[
        "add",
        "--quiet",
        "optverify",
        "--path",
        &optverify.display().to_string(),
    ]);
    project.file("src/lib.rs", BUG);

    let ran = project.run(&[]);
    assert_eq!(ran.code, 1, "{ran:?}");
    for expected in [
        "unsafe fresh::share",
        "parts = 0",
        "src/lib.rs:5",
        "attempt to divide by zero",
    ] {
        assert!(
            ran.stdout.contains(expected),
            "no {expected:?} in {}",
            ran.stdout
        );
    }

    let messages = project.run(&["--message-format", "json"]).messages();
    let root = &messages[0];
    assert_eq!(root["verdict"], "unsafe");
    assert_eq!(root["counterexample"]["inputs"]["parts"], "0");
    assert_eq!(root["counterexample"]["line"], 5);
    assert_eq!(root["counterexample"]["replayed"], true);

    project.file(
        "src/lib.rs",
        &BUG.replace(
            "total / parts",
            "if parts == 0 { 0 } else { total / parts }",
        ),
    );
    let ran = project.run(&[]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("safe fresh::share"), "{}", ran.stdout);

    let passes = project.run(&["passes", "share"]);
    assert_eq!(passes.code, 0, "{passes:?}");
    assert!(
        passes.stdout.contains("reference") && passes.stdout.contains("GVN"),
        "{}",
        passes.stdout
    );

    let graph = project.run(&["graph", "share", "--pass", "GVN"]);
    assert_eq!(graph.code, 0, "{graph:?}");
    assert!(
        graph.stdout.starts_with("<svg") && graph.stdout.contains("after GVN"),
        "{}",
        graph.stdout
    );

    let unknown_root = project.run(&["passes", "shore"]);
    assert_eq!(unknown_root.code, 101);
    assert!(
        unknown_root.stderr.contains("the roots are: fresh::share"),
        "{unknown_root:?}"
    );
}
