//! Proofs that need no array's contents: bounds of indices, counters, lengths.
//!
//! Every value that is read out of an array or a table becomes an arbitrary one (the same read on the same edge the same value),
//! and Houdini runs over the scalars that are left. Most questions about indices are of this kind, and their queries
//! are without the reads, which cost a bit-blasting solver most. What is proven of the abstraction holds of the program;
//! it is certified there like any other proof.

use super::houdini::Candidates;
use super::{Lemma, Task};
use crate::program::cpg::Cpg;
use crate::term::{FastMap, Pool, Subst, Term};
use petgraph::graph::NodeIndex;
use std::collections::{BTreeMap, BTreeSet};

/// The graph without arrays; nothing where it has none.
pub fn abstracted(task: &mut Task) -> Option<Cpg> {
    let mut cpg = task.cpg.clone();
    let pool = &mut task.program.pool;
    let mut reads = Reads::default();
    for edge in cpg.graph.edge_weights_mut() {
        edge.guard = reads.replace(pool, edge.guard);
        edge.updates
            .retain(|v, _| !pool.var_info(*v).sort.is_array());
        for t in edge.updates.values_mut() {
            *t = reads.replace(pool, *t);
        }
    }
    (!reads.fresh.is_empty()).then_some(cpg)
}

/// The candidates that speak of scalars only.
pub fn scalar_candidates(
    pool: &Pool,
    candidates: BTreeMap<NodeIndex, Candidates>,
) -> BTreeMap<NodeIndex, Candidates> {
    let scalar = |l: &Lemma| {
        l.bound.is_empty()
            && pool
                .free_vars(&[l.body])
                .iter()
                .all(|v| !pool.var_info(*v).sort.is_array())
    };
    let mut out = candidates;
    for at in out.values_mut() {
        let kept: BTreeSet<Lemma> = at.lemmas.iter().filter(|l| scalar(l)).cloned().collect();
        at.lemmas = kept;
    }
    out
}

/// Values out of arrays, and the variables that stand for them.
#[derive(Default)]
struct Reads {
    fresh: FastMap<Term, Term>,
}

impl Reads {
    fn replace(&mut self, pool: &mut Pool, root: Term) -> Term {
        let mut subst = Subst::new();
        let mut seen = BTreeSet::new();
        let mut todo = vec![root];
        while let Some(t) = todo.pop() {
            if !seen.insert(t) {
                continue;
            }
            let children = pool.children(t);
            if children.iter().any(|c| pool.sort(*c).is_array()) || pool.table(t).is_some() {
                let stands = *self.fresh.entry(t).or_insert_with(|| {
                    let sort = pool.sort(t);
                    let v = pool.fresh("read", sort);
                    pool.var(v)
                });
                subst.replace(t, stands);
            } else {
                todo.extend(children);
            }
        }
        subst.apply(pool, root)
    }
}
