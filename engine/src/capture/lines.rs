//! `snapshots.json`: what every pass made of each function, one line for each. The manifest says where a function's line
//! is, so that the process of a root reads the lines of what it can reach: all lines of a crate of thousands of functions
//! are longer than everything else that it needs.

use super::{Function, SnapshotEntry};
use serde::{Deserialize, Serialize};

/// In bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub start: u64,
    pub length: u64,
}

/// With the function's name: a line that is found in a wrong place is another function's.
#[derive(Serialize, Deserialize)]
struct Line<P, S> {
    path: P,
    snapshots: S,
}

/// The functions as the manifest has them, and the lines.
pub fn laid_out(functions: &[Function]) -> serde_json::Result<(Vec<Function>, String)> {
    let mut lines = String::new();
    let mut short = Vec::with_capacity(functions.len());
    for function in functions {
        let line = serde_json::to_string(&Line {
            path: &function.path,
            snapshots: &function.snapshots,
        })?;
        short.push(Function {
            line: Some(Place {
                start: lines.len() as u64,
                length: line.len() as u64,
            }),
            path: function.path.clone(),
            called_as: function.called_as.clone(),
            of_impl: function.of_impl.clone(),
            reference: function.reference.clone(),
            snapshots: vec![],
            ..*function
        });
        lines += &line;
        lines.push('\n');
    }
    Ok((short, lines))
}

/// What a line says; nothing if it is another function's.
pub(super) fn read(
    line: &str,
    function: &Function,
) -> serde_json::Result<Option<Vec<SnapshotEntry>>> {
    let line: Line<String, Vec<SnapshotEntry>> = serde_json::from_str(line)?;
    Ok((line.path == function.path).then_some(line.snapshots))
}
