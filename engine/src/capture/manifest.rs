//! `capture.json`: what was captured, with which compiler and flags. Written by the wrapper in
//! `cargo-optverify`, read here; these types are the format.
//!
//! The process of every root reads it: what is long for each function is not in it, but in a line of `lines`.

use super::lines::Place;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Bumped when a reader of the old format would misread the new one.
pub const FORMAT_VERSION: u32 = 5;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest {
    pub format_version: u32,
    /// Version of the tool that captured.
    pub tool: String,
    pub compiler: Compiler,
    pub target: String,
    pub pointer_width: u32,
    pub package: String,
    pub crate_name: String,
    pub edition: String,
    /// Where relative file names of the MIR's spans start.
    pub source_root: String,
    /// The crate's root source file, as the compiler was given it.
    pub source_file: String,
    pub profile: Profile,
    /// The compiler's arguments as they came from cargo and the user.
    pub flags: Vec<String>,
    /// The optimization passes that ran, in order.
    pub passes: Vec<Pass>,
    /// Every function of the crate that a root can reach, as far as names tell.
    pub functions: Vec<Function>,
    pub roots: Vec<Root>,
    /// Texts of the whole crate, with a list of their items beside them.
    #[serde(default)]
    pub whole: BTreeSet<String>,
    /// With `--all-functions`: the functions that are no roots.
    #[serde(default)]
    pub left_out: Vec<LeftOut>,
    /// What went wrong without making the capture useless, in words.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Compiler {
    /// `1.95.0 (59807616e 2026-04-14)`.
    pub version: String,
    pub commit_hash: String,
    pub host: String,
    /// `rustc -vV`.
    pub verbose: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Profile {
    pub name: String,
    pub opt_level: String,
    pub overflow_checks: bool,
    pub debug_assertions: bool,
    /// `unwind` or `abort`.
    pub panic: String,
}

/// One execution of an optimization pass. Some passes run twice: the number tells them apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pass {
    /// As in the dump's file name: `3-2-016`.
    pub number: String,
    /// Position in the optimization phase: 16. The final `runtime-optimized` comes one after the last.
    pub index: u32,
    pub name: String,
}

/// `impl<T> Trait for Foo<T>`, taken apart; paths as the source has them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImplHeader {
    pub trait_path: Option<String>,
    pub type_path: String,
    /// Has it parameters other than lifetimes?
    pub is_generic: bool,
    /// What stands in the angle brackets after `impl`, or after the name of a type with derived traits.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub generics: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Function {
    /// As MIR's `fn` line prints it: `m::<impl at src/lib.rs:3:1: 3:16>::get`.
    pub path: String,
    /// As calls print it, where that differs and could be found out: `Foo::get`, `<Foo as Trait>::get`.
    pub called_as: Option<String>,
    /// The header of the impl that it stands in, where the source has one to read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_impl: Option<ImplHeader>,
    /// The crate before the first optimization with this function's calls inlined deeper than rustc does by itself,
    /// where that was needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Of a closure: may its body be another for every type that its function is instantiated with?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_be_generic: bool,
    /// No function of the crate: an instance of a generic one, or one of std that an instance calls.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_instance: bool,
    /// No function of the compiler's at all: one that does what std's function of this name does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_stand_in: bool,
    /// One per entry of [`Manifest::passes`], in order, for the passes that ran on this function. Readers ask the capture
    /// for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub snapshots: Vec<SnapshotEntry>,
    /// Where they are, if not here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<Place>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SnapshotEntry {
    pub number: String,
    pub index: u32,
    pub name: String,
    /// The shipped pipeline's MIR after this pass, relative to the capture's folder. Passes that
    /// changed nothing share the file of the pass before.
    pub shipped: String,
    /// Did the pass change the shipped text?
    pub changed: bool,
    /// The same stage with the calls of other crates' functions inlined.
    pub closed: String,
    /// Did the pass change the closed text?
    pub closed_changed: bool,
    pub closed_how: ClosedHow,
}

/// How a snapshot came to have no calls of other crates' functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ClosedHow {
    /// It has none: the shipped snapshot itself.
    #[serde(rename = "as shipped")]
    AsShipped,
    /// From the shipped pipeline, run once more with unlimited inlining.
    #[serde(rename = "inlined")]
    Inlined,
    /// From a compile that ends with this pass, through functions that do nothing but call the root: rustc inlines a few
    /// levels of calls for each.
    #[serde(rename = "inlined deeper")]
    InlinedDeeper,
    /// The pass stands before the inliner: the passes up to it, then unlimited inlining, nothing else.
    #[serde(rename = "prefix+inlined")]
    PrefixInlined,
    /// It could not be closed: calls of other crates remain.
    #[serde(rename = "not closed")]
    NotClosed,
}

/// A function that cannot be a root.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LeftOut {
    pub function: String,
    pub why: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Root {
    /// For people and reports: `crate::module::f`, `crate::Type::f`, `crate::f::<u32>`.
    pub name: String,
    /// The function to verify: the path of an entry of [`Manifest::functions`].
    pub function: String,
    pub file: String,
    pub line: u32,
    /// Is the function a generated one that assumes, calls and checks?
    pub harness: bool,
    /// `timeout`, `overflow`, `expect`, `assume_total`, as written.
    pub options: BTreeMap<String, String>,
}

impl Root {
    /// The functions that `assume_total = "a, b::c"` names.
    pub fn assumed_total(&self) -> Vec<String> {
        let names = self.options.get("assume_total").map(String::as_str);
        let names = names.unwrap_or_default().split(',').map(str::trim);
        names.filter(|n| !n.is_empty()).map(str::to_owned).collect()
    }
}
