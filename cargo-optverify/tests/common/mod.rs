//! What the integration tests share: projects in temporary folders, and the tool run on them.
#![allow(dead_code, reason = "every test file uses a part of it")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder outside this repository, gone after the test.
pub struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    pub fn empty() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    /// A package with these sources that depends on the crate `optverify` of this repository.
    pub fn package(name: &str, source: &str) -> Self {
        let project = Self::empty();
        project.file("Cargo.toml", &manifest(name, ""));
        project.file("src/lib.rs", source);
        project
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(&path, text).expect("a file");
        path
    }

    /// The tool, as cargo would call it in this folder.
    pub fn tool(&self, args: &[&str]) -> Command {
        // a long run must not see the builds of whoever works on meanwhile
        let other = std::env::var_os("OPTVERIFY_TOOL");
        let own = env!("CARGO_BIN_EXE_cargo-optverify");
        let mut command = Command::new(other.unwrap_or_else(|| own.into()));
        command.arg("optverify").args(args).current_dir(self.path());
        // what the test runner's own cargo leaves behind
        for name in [
            "CARGO_MANIFEST_DIR",
            "RUSTFLAGS",
            "CARGO_ENCODED_RUSTFLAGS",
            "CARGO_TARGET_DIR",
        ] {
            command.env_remove(name);
        }
        command
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        Ran::of(self.tool(args).output().expect("the tool runs"))
    }
}

impl Project {
    /// The capture of a crate with roots, after the tool has run here in the release profile.
    pub fn captured(&self) -> PathBuf {
        let captures = self.path().join("target/optverify/release/captures");
        let captures = std::fs::read_dir(captures).expect("captures").flatten();
        let mut captures = captures.map(|e| e.path());
        let found = captures.find(|p| p.join("capture.json").is_file());
        found.expect("a capture")
    }
}

/// The manifest of a package with `optverify` as a dependency, and more lines after it.
pub fn manifest(name: &str, more: &str) -> String {
    let optverify = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("optverify");
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         optverify = {{ path = {:?} }}\n{more}",
        optverify.display().to_string()
    )
}

#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    pub fn of(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The messages of `--message-format json`.
    pub fn messages(&self) -> Vec<serde_json::Value> {
        let parse = |line: &str| {
            serde_json::from_str(line).unwrap_or_else(|e| panic!("{e} in {line}\n{self:?}"))
        };
        self.stdout.lines().map(parse).collect()
    }

    /// The names that `list` prints.
    pub fn listed(&self) -> Vec<&str> {
        assert_eq!(self.code, 0, "{self:?}");
        self.stdout
            .lines()
            .filter_map(|line| line.split("  (").next())
            .collect()
    }
}
