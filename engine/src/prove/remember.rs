//! Remembered counters: what one loop counted is not forgotten when the next one begins.
//!
//! Slicing leaves only variables that are still read. But the proof of a second loop often speaks of the first one's
//! counter: after `while i < n { i += 1; k += 1 }` it is `k + j = i` and `i >= n` that hold all through the next loop,
//! also where `n` is negative, and no relation of what is still read says as much. Such variables, and the inputs, are
//! kept at the heads of later loops. They cost every engine something, so this is not where the search begins.

use super::{Task, slice};
use crate::term::Var;
use petgraph::algo::has_path_connecting;
use petgraph::graph::NodeIndex;
use petgraph::visit::EdgeRef;
use std::collections::{BTreeMap, BTreeSet};

/// Variables that are kept at one head.
const MOST: usize = 6;

/// The task with such variables kept; nothing if there are none.
pub fn remember(task: &Task) -> Option<Task> {
    let kept = earlier(task);
    (!kept.is_empty()).then(|| slice::keeping(task, kept))
}

/// For each head what earlier loops counted and inputs were, if it is no longer read.
fn earlier(task: &Task) -> BTreeMap<NodeIndex, BTreeSet<Var>> {
    let graph = &task.cpg.graph;
    let live = slice::live(&task.program, &task.cpg);
    let is_scalar = |v: &Var| !task.program.pool.var_info(*v).sort.is_array();
    let heads = task.cpg.heads();
    let comes_before = |a: NodeIndex, b: NodeIndex| {
        has_path_connecting(graph, a, b, None) && !has_path_connecting(graph, b, a, None)
    };
    let mut out = BTreeMap::new();
    for &n in &heads {
        let mut kept = BTreeSet::new();
        for &m in heads.iter().filter(|m| comes_before(**m, n)) {
            for e in graph.edges_directed(m, petgraph::Direction::Incoming) {
                if has_path_connecting(graph, m, e.source(), None) {
                    kept.extend(e.weight().updates.keys().copied());
                }
            }
        }
        if !kept.is_empty() {
            kept.extend(live.get(&task.cpg.entry).into_iter().flatten());
        }
        kept.retain(|v| is_scalar(v) && !live.get(&n).is_some_and(|l| l.contains(v)));
        if (1..=MOST).contains(&kept.len()) {
            out.insert(n, kept);
        }
    }
    out
}
