//! What two variables share: a search among `size` elements from `base` on keeps `base + size <= len`, which no order of two
//! variables says. Proposed is `base <= len` and `size <= len - base` (the sum may wrap, the difference then does not), for
//! pairs that a head's own loop changes and bounds that it does not.

use super::Task;
use crate::term::{Sort, Var};
use petgraph::graph::NodeIndex;
use std::collections::BTreeSet;

/// Bounds that are tried, and variables that share them.
const MOST_BOUNDS: usize = 4;
const MOST_SHARES: usize = 6;

/// Pairs within a bound, at a head with a loop of its own.
pub fn shares(
    task: &mut Task,
    n: NodeIndex,
    here: &BTreeSet<Var>,
    out: &mut Vec<crate::term::Term>,
) {
    let mut changed: BTreeSet<Var> = BTreeSet::new();
    for edge in task.cpg.graph.edges_connecting(n, n) {
        changed.extend(edge.weight().updates.keys());
    }
    if changed.is_empty() {
        return;
    }
    let pool = &mut task.program.pool;
    let sort = |v: &Var| pool.var_info(*v).sort;
    let is_number = |v: &&Var| matches!(sort(v), Sort::Bv(w) if w >= 8);
    let (moved, kept): (Vec<Var>, Vec<Var>) =
        (here.iter().filter(is_number).copied()).partition(|v| changed.contains(v));
    let sorts: Vec<Sort> = moved.iter().map(sort).collect();
    let bounds: Vec<(Var, Sort)> = kept.iter().map(|v| (*v, sort(v))).collect();
    for (i, &a) in moved.iter().enumerate().take(MOST_SHARES) {
        for (j, &b) in moved.iter().enumerate().take(MOST_SHARES).skip(i + 1) {
            let of_sort = bounds.iter().filter(|(_, s)| *s == sorts[i]);
            for &(bound, _) in of_sort.take(MOST_BOUNDS) {
                if sorts[i] != sorts[j] {
                    continue;
                }
                let (a, b, bound) = (pool.var(a), pool.var(b), pool.var(bound));
                let rest = pool.sub(bound, a);
                out.push(pool.ule(a, bound));
                out.push(pool.ule(b, rest));
            }
        }
    }
}
