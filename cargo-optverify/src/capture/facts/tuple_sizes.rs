//! Sizes of tuples that stand in memory (`Vec<(u8, u32)>`): rustc chooses the order of their fields and prints no size of a
//! tuple itself, so a probe crate has each in a static of a transparent type.

use crate::capture::command::RustcCommand;
use anyhow::{Context, Result};
use optverify_engine::capture::TypeSize;
use optverify_engine::lower::erase;
use optverify_engine::mir::{self, ArrayLen, GenericArg, Ty, TyKind};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// What the compiler printed about the probe, for `type_sizes` to read; empty where there is nothing to ask.
pub fn ask(command: &RustcCommand, scratch: &Path, reference: &str) -> Result<String> {
    let tuples = tuples_in_memory(reference);
    // this option makes the sizes of one compile say nothing about the next
    let is_random = |arg: &String| arg.replace('_', "-").contains("randomize-layout");
    if tuples.is_empty() || command.args.iter().any(is_random) {
        return Ok(String::new());
    }
    let dir = scratch.join("tuples");
    std::fs::create_dir_all(&dir)?;
    let source = dir.join("optverify_tuples.rs");
    let statics = tuples.iter().enumerate().map(|(n, ty)| {
        format!(
            "pub static S{n}: ::core::mem::MaybeUninit<{ty}> = ::core::mem::MaybeUninit::uninit();\n"
        )
    });
    std::fs::write(&source, statics.collect::<String>())?;
    let output = Command::new(&command.rustc)
        .args(["--crate-name", "optverify_tuples", "--crate-type", "lib"])
        .args(["--emit=mir", "--cap-lints=allow", "--edition", "2021"])
        .args(["-Zmir-opt-level=0", "-Zmir-enable-passes=+GVN"])
        .arg("-Zprint-type-sizes")
        .args((command.values("--target").iter()).flat_map(|target| ["--target", target]))
        .arg("--out-dir")
        .arg(&dir)
        .arg(&source)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTC_ICE", "0")
        .current_dir(&command.current_dir)
        .output()
        .context("could not run the compiler on the probe of tuples")?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The tuples of primitive types that are arguments of other types or elements of arrays and slices.
fn tuples_in_memory(mir: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for start in ["<(", "[(", "*const (", "*mut ("] {
        for (at, _) in mir.match_indices(start) {
            let text = &mir[at + start.len() - 1..];
            let Some(ty) = closed(text).and_then(|t| mir::parse_ty(t).ok()) else {
                continue;
            };
            let ty = erase(&ty);
            if matches!(ty.kind(), TyKind::Tuple(parts) if parts.len() > 1) && is_primitive(&ty) {
                found.insert(ty.to_string());
            }
        }
    }
    found
}

/// Up to the parenthesis that closes the first one.
fn closed(text: &str) -> Option<&str> {
    let mut depth = 0i32;
    for (at, c) in text.char_indices().take(400) {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            '\n' => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(&text[..=at]);
        }
    }
    None
}

/// Built from what every crate can name.
fn is_primitive(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Tuple(parts) => parts.iter().all(is_primitive),
        TyKind::Slice(of) => is_primitive(of),
        TyKind::Array(of, ArrayLen::Known(_)) => is_primitive(of),
        TyKind::Ref { ty, .. } | TyKind::RawPtr { ty, .. } => is_primitive(ty),
        TyKind::Adt { path, args } => {
            matches!(&**path, "std::option::Option" | "core::option::Option")
                && matches!(args.as_slice(), [GenericArg::Type(of)] if is_primitive(of))
        }
        _ => PRIMITIVES.contains(&ty.to_string().as_str()),
    }
}

const PRIMITIVES: &[&str] = &[
    "bool", "char", "str", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64",
    "i128", "isize", "f32", "f64",
];

/// Sizes that the crate's own compile did not print.
pub fn add(known: &mut BTreeMap<String, TypeSize>, printed: BTreeMap<String, TypeSize>) {
    for (ty, size) in printed {
        known.entry(ty).or_insert(size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tuples_in_memory_that_can_be_named() {
        let mir = "let _1: (u32, bool);\nlet _2: std::vec::Vec<(u8, &'a [u16])>;\nlet _3: [(T, u8); 2];\n\
                   let _4: *const (u8, (bool, char));\nlet _5: std::vec::Vec<(u8, m::S)>;\nlet _6: X<()>;";
        let found: Vec<String> = tuples_in_memory(mir).into_iter().collect();
        assert_eq!(found, ["(u8, &[u16])", "(u8, (bool, char))"]);
    }
}
