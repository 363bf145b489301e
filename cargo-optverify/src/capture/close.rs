//! Is a snapshot closed: does it call nothing but the crate's own captured functions, panics,
//! intrinsics and the verifier's vocabulary?

use crate::capture::mir_text::callee;
use std::collections::BTreeSet;

/// `local`: the captured functions, as their own lines and as calls print them.
pub fn is_closed(body: &str, local: &BTreeSet<String>) -> bool {
    body.lines()
        .filter_map(|line| callee(line.split("//").next().unwrap_or(line).trim()))
        .all(|callee| local.contains(callee) || is_known(callee))
}

fn is_known(callee: &str) -> bool {
    let panics = [
        "core::panicking::",
        "std::panicking::",
        "std::rt::",
        "core::rt::",
    ];
    let others = [
        "optverify::nondet::",
        "std::intrinsics::",
        "core::intrinsics::",
        "std::process::abort",
    ];
    panics
        .iter()
        .chain(&others)
        .any(|path| callee.starts_with(path))
}
