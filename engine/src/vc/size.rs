//! How large conditions are: as they would be written into a file, and as this program holds them.

use super::Condition;
use crate::term::{FastMap, Pool, Term};

/// Nodes of the conditions written out as trees, as the paper counts; saturates at `u64::MAX`.
pub fn written(pool: &mut Pool, conditions: &[Condition]) -> u64 {
    let mut known: FastMap<Term, u64> = FastMap::default();
    let mut sum = 0u64;
    for c in conditions {
        let formula = pool.implies(c.context, c.goal);
        sum = sum.saturating_add(tree(pool, formula, &mut known));
    }
    sum
}

fn tree(pool: &Pool, root: Term, known: &mut FastMap<Term, u64>) -> u64 {
    let mut todo = vec![root];
    while let Some(&t) = todo.last() {
        if known.contains_key(&t) {
            todo.pop();
            continue;
        }
        let children = pool.children(t);
        let open: Vec<Term> = children
            .iter()
            .copied()
            .filter(|c| !known.contains_key(c))
            .collect();
        if open.is_empty() {
            let below = children.iter().map(|c| known[c]);
            let size = below.fold(1u64, |a, b| a.saturating_add(b));
            known.insert(t, size);
            todo.pop();
        } else {
            todo.extend(open);
        }
    }
    known[&root]
}

/// Nodes with equal subterms held once, within each condition.
pub fn shared(pool: &mut Pool, conditions: &[Condition]) -> u64 {
    let mut sum = 0;
    for c in conditions {
        sum += pool.dag_size(&[c.context, c.goal]) as u64;
    }
    sum
}
