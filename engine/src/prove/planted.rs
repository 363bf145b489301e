//! What stands at one place of an array before a loop looks for it.
//!
//! `a[n / 2] = 3` and a search for 3 from the left: the search ends at `n / 2` at the latest, because `a[n / 2] == 3` stays
//! true and `j <= n / 2` does until it is found. The same for `assume(text[end] == 0)`. Places and values are told by
//! the stores and the guards of the edges, over variables that the edge leaves alone.

use super::candidates::conjuncts;
use super::{Task, vc};
use crate::term::{FastSet, Node, Sort, Term, Var};
use std::collections::BTreeSet;

/// Places that are looked at, and positions that may be before one.
const MOST_PLACES: usize = 6;
const MOST_POSITIONS: usize = 6;

/// Proposals for a head where these variables are live.
pub fn planted(task: &mut Task, live: &BTreeSet<Var>, out: &mut Vec<Term>) {
    let mut places: BTreeSet<Term> = BTreeSet::new();
    for (place, says) in told(task, live) {
        if !places.contains(&place) && places.len() >= MOST_PLACES {
            continue;
        }
        places.insert(place);
        out.push(says);
    }
    let pool = &mut task.program.pool;
    for place in places {
        let sort = pool.sort(place);
        let own = pool.free_vars(&[place]);
        let positions = live.iter().filter(|v| pool.var_info(**v).sort == sort);
        let positions = positions.filter(|v| !own.contains(v));
        let positions: Vec<Var> = positions.copied().take(MOST_POSITIONS).collect();
        for v in positions {
            let at = pool.var(v);
            out.push(pool.ule(at, place));
        }
    }
}

/// Places of arrays, each with what an edge says of the element there.
fn told(task: &mut Task, live: &BTreeSet<Var>) -> Vec<(Term, Term)> {
    let state: FastSet<Var> = task.program.vars.iter().copied().collect();
    let edges: Vec<_> = task.cpg.graph.edge_weights().cloned().collect();
    let pool = &mut task.program.pool;
    let mut found = vec![];
    for edge in &edges {
        let changed = edge.updates.iter();
        let changed = changed.filter(|(v, t)| pool.as_var(**t) != Some(**v));
        let changed: BTreeSet<Var> = changed.map(|(v, _)| *v).collect();
        let stays = |v: &Var| live.contains(v) && state.contains(v) && !changed.contains(v);
        for (&array, &updated) in &edge.updates {
            let is_array = matches!(pool.var_info(array).sort, Sort::Array { .. });
            let mut at = updated;
            while let Node::Store(before, place, value) = *pool.node(at)
                && is_array
                && live.contains(&array)
            {
                if pool.free_vars(&[place, value]).iter().all(stays) {
                    let whole = pool.var(array);
                    let there = pool.select(whole, place);
                    found.push((place, pool.eq(there, value)));
                }
                at = before;
            }
        }
        for atom in conjuncts(pool, edge.guard) {
            if let [place] = vc::indices(pool, &[atom])[..]
                && pool.free_vars(&[atom]).iter().all(stays)
                && matches!(pool.sort(place), Sort::Bv(_))
            {
                found.push((place, atom));
            }
        }
    }
    found
}
