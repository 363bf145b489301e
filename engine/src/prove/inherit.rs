//! What variables inherit from the values that they get: questions that were asked of those before, and their ranges.

use super::Task;
use super::candidates::{MOST_ATOMS, is_atom};
use super::houdini::edges_into;
use crate::term::{FastSet, Node, Sort, Subst, Term, Var, mask};
use petgraph::graph::{EdgeIndex, NodeIndex};
use std::collections::BTreeSet;

/// Bounds by the operators of what a variable has when its loop begins: a counter to `n as usize` is at most 255 for a byte `n`.
pub fn origins(task: &mut Task, n: NodeIndex, here: &BTreeSet<Var>, out: &mut Vec<Term>) {
    for e in edges_into(task, n) {
        if task
            .cpg
            .graph
            .edge_endpoints(e)
            .is_none_or(|(from, _)| from == n)
        {
            continue;
        }
        let updates = task.cpg.graph[e].updates.clone();
        let pool = &mut task.program.pool;
        for (v, t) in updates {
            let Sort::Bv(w) = pool.sort(t) else { continue };
            let (least, most) = pool.range(t);
            if !here.contains(&v) || least == most {
                continue;
            }
            let x = pool.var(v);
            if most < mask(w) {
                let most = pool.bv(most, w);
                out.push(pool.ule(x, most));
            }
            if least > 0 {
                let least = pool.bv(least, w);
                out.push(pool.ule(least, x));
            }
        }
    }
}

/// What was asked of values, asked of the variables that get them: `if n > len - at { return }` before `for i in 0..n`,
/// whose end is all that is left of `n`. What also speaks of a variable that the edge changes says nothing of the new one.
pub fn handed_on(task: &mut Task, e: EdgeIndex, asked: &[Term], out: &mut Vec<Term>) {
    let updates = task.cpg.graph[e].updates.clone();
    let pool = &mut task.program.pool;
    let mut names = Subst::new();
    let mut known: FastSet<Term> = FastSet::default();
    let mut is_new: BTreeSet<Var> = BTreeSet::new();
    for (&v, &t) in &updates {
        let new = pool.var(v);
        if pool.as_const(t).is_none() && !pool.sort(t).is_array() && t != new && known.insert(t) {
            names.replace(t, new);
            is_new.insert(v);
        }
    }
    if known.is_empty() {
        return;
    }
    for &t in asked {
        let t = names.apply(pool, t);
        let vars = pool.free_vars(&[t]);
        let is_after = |v: &Var| is_new.contains(v) || !updates.contains_key(v);
        if out.len() < 2 * MOST_ATOMS && vars.iter().all(is_after) && !out.contains(&t) {
            out.push(t);
        }
    }
}

/// What was asked of a value before a variable got it, asked of the variable: `if m * m <= n { low = m }` proposes
/// `low * low <= n`.
pub fn passed_on(task: &mut Task, e: EdgeIndex, out: &mut Vec<Term>) {
    let updates = task.cpg.graph[e].updates.clone();
    let pool = &mut task.program.pool;
    for (v, t) in updates {
        if pool.sort(t).is_array() {
            continue;
        }
        let (mut conditions, mut values, mut choices) = (vec![], BTreeSet::new(), vec![t]);
        let mut seen: FastSet<Term> = FastSet::default();
        while let Some(t) = choices.pop() {
            if !seen.insert(t) {
                continue;
            }
            match *pool.node(t) {
                Node::Ite(c, a, b) => {
                    conditions.push(c);
                    choices.extend([a, b]);
                }
                Node::Binary(..) => {
                    values.insert(t);
                }
                _ => {}
            }
        }
        let mut atoms = BTreeSet::new();
        while let Some(t) = conditions.pop() {
            if seen.insert(t) {
                if is_atom(pool, t) {
                    atoms.insert(t);
                }
                conditions.extend(pool.children(t));
            }
        }
        let own = pool.var(v);
        for value in values {
            for &a in &atoms {
                let mut s = Subst::new();
                s.replace(value, own);
                let asked = s.apply(pool, a);
                if asked != a && out.len() <= MOST_ATOMS && !out.contains(&asked) {
                    out.push(asked);
                }
            }
        }
    }
}
