//! Abstract domains as sources of lemmas: each reads the samples of a head as one of its elements, widened to the
//! constants of the program, and Houdini decides what of it holds. So the domains need no transfer functions, and
//! nothing here can be unsound.

mod bits;
mod intervals;
mod zones;

use super::Task;
use super::concrete::{Samples, constants};
use crate::term::{BinOp, FastSet, Node, Sort, Term, Var, mask};
use std::collections::BTreeSet;

/// What the program mentions, for widening.
pub struct Mentioned {
    /// Constants.
    numbers: Vec<u128>,
    /// Masks of `x & mask`.
    masks: BTreeSet<u128>,
}

impl Mentioned {
    pub fn of(task: &Task) -> Mentioned {
        let pool = &task.program.pool;
        let mut out = Mentioned {
            numbers: constants(task),
            masks: BTreeSet::new(),
        };
        let mut seen: FastSet<Term> = FastSet::default();
        let mut todo: Vec<Term> = vec![];
        for e in task.cpg.graph.edge_weights() {
            todo.push(e.guard);
            todo.extend(e.updates.values());
        }
        while let Some(t) = todo.pop() {
            if !seen.insert(t) {
                continue;
            }
            if let Node::Binary(BinOp::BvAnd | BinOp::BvOr, a, b) = *pool.node(t) {
                let masks = [a, b].into_iter().filter_map(|x| pool.as_const(x));
                out.masks.extend(masks);
            }
            todo.extend(pool.children(t));
        }
        out
    }

    /// The constants and their neighbours as numbers of this width.
    fn near(&self, width: u32) -> BTreeSet<u128> {
        let mut out = BTreeSet::new();
        for c in self.numbers.iter().take(12) {
            for d in [0u128, 1, u128::MAX] {
                out.insert(c.wrapping_add(d) & mask(width));
            }
        }
        out
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Domain {
    Zones,
    Bits,
    Intervals,
}

/// The lemmas that a domain reads off the samples of a head.
pub fn proposals(
    task: &mut Task,
    domain: Domain,
    samples: &Samples,
    mentioned: &Mentioned,
) -> Vec<Term> {
    let mut out = vec![];
    if samples.rows.is_empty() {
        return out;
    }
    let propose = match domain {
        Domain::Zones => zones::propose,
        Domain::Bits => bits::propose,
        Domain::Intervals => intervals::propose,
    };
    propose(task, samples, mentioned, &mut out);
    out
}

/// The bit-vectors among the sampled variables: column, variable, width.
fn scalars(task: &Task, samples: &Samples) -> Vec<(usize, Var, u32)> {
    let sort = |v: &Var| task.program.pool.var_info(*v).sort;
    let all = samples.vars.iter().enumerate();
    all.filter_map(|(i, v)| match sort(v) {
        Sort::Bv(w) if w > 1 => Some((i, *v, w)),
        _ => None,
    })
    .take(16)
    .collect()
}
