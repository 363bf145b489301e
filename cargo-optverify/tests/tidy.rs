//! Tidiness as a test: every room says what it is for, dependencies point one way, nothing of one
//! machine is in a tracked file.

use std::path::{Path, PathBuf};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the workspace")
        .to_path_buf()
}

fn rust_files(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.ends_with("target") {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

fn sources() -> Vec<(String, String)> {
    let root = repository();
    let mut files = Vec::new();
    for folder in [
        "optverify",
        "engine",
        "checker",
        "cargo-optverify",
        "examples",
    ] {
        rust_files(&root.join(folder), &mut files);
    }
    let relative = |path: &PathBuf| {
        path.strip_prefix(&root)
            .expect("inside")
            .display()
            .to_string()
    };
    files
        .iter()
        .map(|path| (relative(path), std::fs::read_to_string(path).expect("text")))
        .collect()
}

#[test]
fn every_file_says_what_it_is_for() {
    let is_data = |name: &str| {
        name.contains("/ui/")
            || name.contains("/data/")
            || name.contains("/templates/")
            || name.ends_with("corpus_functions.rs")
    };
    let silent: Vec<String> = sources()
        .into_iter()
        .filter(|(name, text)| !is_data(name) && !text.starts_with("//!"))
        .map(|(name, _)| name)
        .collect();
    assert!(
        silent.is_empty(),
        "these files do not start with `//!`: {silent:#?}"
    );
}

/// Folders in the order of the data flow; a folder may use those before it.
#[test]
fn dependencies_point_one_way() {
    let forbidden = [
        (
            "engine/src/capture/",
            &[
                "crate::mir",
                "crate::program",
                "crate::prove",
                "crate::smt",
                "crate::pipeline",
            ][..],
        ),
        (
            "engine/src/mir/",
            &[
                "crate::program",
                "crate::prove",
                "crate::smt",
                "crate::vc",
                "crate::pipeline",
            ],
        ),
        (
            "engine/src/term/",
            &[
                "crate::program",
                "crate::prove",
                "crate::smt",
                "crate::mir",
                "crate::pipeline",
            ],
        ),
        (
            "engine/src/smt/",
            &[
                "crate::prove",
                "crate::mir",
                "crate::pipeline",
                "crate::report",
            ],
        ),
        (
            "engine/src/program/",
            &["crate::prove", "crate::smt", "crate::pipeline"],
        ),
        ("engine/src/prove/", &["crate::pipeline", "crate::mir"]),
        (
            "engine/src/",
            &["optverify_engine::cli", "std::process::Command"],
        ),
        ("cargo-optverify/src/report/", &["z3::", "crate::capture"]),
        // what finds proofs has no part in checking them
        (
            "checker/src/",
            &[
                "engine::lower",
                "engine::program",
                "engine::term",
                "engine::vc",
                "engine::smt",
                "engine::prove",
                "engine::adapt",
                "engine::refine",
                "engine::pipeline",
            ],
        ),
    ];
    let mut wrong = Vec::new();
    for (name, text) in sources() {
        for (folder, words) in forbidden
            .iter()
            .filter(|(folder, _)| name.starts_with(folder))
        {
            let code: Vec<&str> = text
                .lines()
                .filter(|l| !l.trim_start().starts_with("//"))
                .collect();
            // tests may look further
            let code = code.join("\n");
            let code = code.split("#[cfg(test)]").next().unwrap_or_default();
            let is_test = name.contains("/tests") || name.contains("examples");
            for word in words.iter().filter(|word| !is_test && code.contains(*word)) {
                wrong.push(format!("{name} uses {word}, but {folder} must not"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn only_the_solver_folder_sees_z3() {
    let outside: Vec<String> = sources()
        .into_iter()
        .filter(|(name, _)| {
            name.starts_with("engine/src/") || name.starts_with("cargo-optverify/src/")
        })
        .filter(|(name, text)| !name.starts_with("engine/src/smt/") && text.contains("use z3"))
        .map(|(name, _)| name)
        .collect();
    assert!(outside.is_empty(), "{outside:#?}");
}

#[test]
fn nothing_of_one_machine() {
    let root = repository();
    let mut files = Vec::new();
    rust_files(&root, &mut files);
    for name in [
        "Cargo.toml",
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "x",
        ".ci/run",
    ] {
        files.push(root.join(name));
    }
    // written so that this file does not find itself
    let words = [
        ["/wo", "rk/"].concat(),
        ["artif", "actory"].concat(),
        ["/ro", "ot/"].concat(),
    ];
    for path in files.iter().filter(|p| p.is_file()) {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        for word in &words {
            assert!(!text.contains(word), "{} mentions {word}", path.display());
        }
    }
}
