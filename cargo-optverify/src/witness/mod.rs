//! Verification witnesses: the format 2.0 of the verification competition, in YAML, with a declared extension for Rust.
//!
//! A correctness witness has the invariants of the loops, a violation witness the way to the violation, both in the
//! source's own names and places. The key `optverify` holds what a machine needs to check either without guessing:
//! the proof file of all snapshots, or the values of the run. `check-proof` believes none of it (`check`).
//! The format is described in the book (`witnesses.md`) and in `docs/schema/witness-v1.json`.

pub mod check;
mod content;
pub mod write;

use optverify_engine::capture::Manifest;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Of the competition's format.
pub const FORMAT_VERSION: &str = "2.0";
/// Of what is added for Rust.
pub const EXTENSION_VERSION: u32 = 1;
/// No panic and no undefined behaviour.
pub const SPECIFICATION: &str = "G ! (panic || undefined)";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub entry_type: EntryType,
    pub metadata: Metadata,
    pub content: Vec<Item>,
    pub optverify: Extension,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryType {
    /// Correctness.
    InvariantSet,
    /// Violation.
    ViolationSequence,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Metadata {
    pub format_version: String,
    pub uuid: String,
    pub creation_time: String,
    pub producer: Producer,
    pub task: Task,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Producer {
    pub name: String,
    pub version: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    pub input_files: Vec<String>,
    /// SHA-256, by file.
    pub input_file_hashes: BTreeMap<String, String>,
    pub specification: String,
    pub data_model: String,
    pub language: String,
}

/// One of the two.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Item {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invariant: Option<Invariant>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment: Option<Vec<Step>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Invariant {
    /// `loop_invariant`.
    #[serde(rename = "type")]
    pub kind: String,
    pub location: Location,
    pub value: String,
    /// `rust_expression`, or `smt_lib` for what Rust has no words for.
    pub format: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Location {
    pub file_name: String,
    pub line: u32,
    pub column: u32,
    pub function: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    pub waypoint: Waypoint,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Waypoint {
    /// `assumption`, `target`.
    #[serde(rename = "type")]
    pub kind: String,
    pub action: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constraint: Option<Constraint>,
    pub location: Location,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Constraint {
    pub value: String,
    pub format: String,
}

/// What is added to the competition's format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Extension {
    pub extension_version: u32,
    pub root: String,
    pub build: Build,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub violation: Option<Violation>,
    /// A proof file (`proof-files.md`), as text.
    pub proof: String,
}

/// The compile that the witness is of; passes are numbered by it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    pub rustc: String,
    pub target: String,
    pub opt_level: String,
    pub overflow_checks: bool,
    pub debug_assertions: bool,
}

impl Build {
    pub fn of(info: &Manifest) -> Build {
        Build {
            rustc: info.compiler.version.clone(),
            target: info.target.clone(),
            opt_level: info.profile.opt_level.clone(),
            overflow_checks: info.profile.overflow_checks,
            debug_assertions: info.profile.debug_assertions,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Violation {
    /// After this pass; `reference` is the program as written.
    pub pass: String,
    pub panic: String,
    /// Parameters in the order of the signature, as Rust writes their values.
    pub inputs: Vec<Input>,
    /// What `any()` draws.
    pub any: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Input {
    pub name: String,
    pub value: String,
}

/// How files are named in a witness: a single file by its name alone, wherever it lies.
pub fn shown_file(file: &str, is_single: bool) -> String {
    let name = Path::new(file).file_name().filter(|_| is_single);
    name.map_or(file.to_string(), |n| n.to_string_lossy().into_owned())
}

/// Where a file of a capture's spans is.
pub fn source_path(info: &Manifest, file: &str) -> PathBuf {
    Path::new(&info.source_root).join(file)
}

/// SHA-256, in hexadecimal.
pub fn hash(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
