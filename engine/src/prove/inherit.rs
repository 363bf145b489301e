//! What variables inherit from the values that they get: questions that were asked of those before, and their ranges.

use super::Task;
use super::candidates::{MOST_ATOMS, conjuncts, is_atom};
use super::houdini::edges_into;
use crate::program::cpg::CutPoint;
use crate::term::{BinOp, FastMap, FastSet, Node, Pool, Sort, Subst, Term, UnOp, Var, mask};
use petgraph::graph::{EdgeIndex, NodeIndex};
use petgraph::visit::EdgeRef;
use std::collections::{BTreeMap, BTreeSet};

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
    let Some((mut names, is_new)) = names_after(pool, &updates) else {
        return;
    };
    for &t in asked {
        let t = names.apply(pool, t);
        let vars = pool.free_vars(&[t]);
        let is_after = |v: &Var| is_new.contains(v) || !updates.contains_key(v);
        if out.len() < 2 * MOST_ATOMS && vars.iter().all(is_after) && !out.contains(&t) {
            out.push(t);
        }
    }
}

/// What stops ask of the values that variables get, asked of the variables: the assertion at the end of a loop's body, as
/// a whole. What a stop's condition also says of draws and of values before is left out.
pub fn established(task: &mut Task, e: EdgeIndex, out: &mut Vec<Term>) {
    let Some((from, _)) = task.cpg.graph.edge_endpoints(e) else {
        return;
    };
    let is_stop = |n: NodeIndex| matches!(task.cpg.graph[n], CutPoint::Stop(_));
    let stops = task.cpg.graph.edges(from).filter(|s| is_stop(s.target()));
    let stops: Vec<Term> = stops.map(|s| s.weight().guard).collect();
    let updates = task.cpg.graph[e].updates.clone();
    let state: FastSet<Var> = task.program.vars.iter().copied().collect();
    let pool = &mut task.program.pool;
    let Some((mut names, is_new)) = names_after(pool, &updates) else {
        return;
    };
    for stop in stops {
        let asked = names.apply(pool, stop);
        let is_after =
            |v: &Var| state.contains(v) && (is_new.contains(v) || !updates.contains_key(v));
        let open = told(pool, asked, &is_after, &mut FastMap::default());
        let holds = pool.not(open);
        for t in conjuncts(pool, holds).into_iter().chain([holds]) {
            if pool.as_const(t).is_none()
                && !is_atom(pool, t)
                && out.len() < 2 * MOST_ATOMS
                && !out.contains(&t)
            {
                out.push(t);
            }
        }
    }
}

/// A condition without what it says of other variables: it holds at least where the whole does.
fn told(
    pool: &mut Pool,
    t: Term,
    is_after: &dyn Fn(&Var) -> bool,
    seen: &mut FastMap<Term, Term>,
) -> Term {
    if let Some(&known) = seen.get(&t) {
        return known;
    }
    let parts = match *pool.node(t) {
        Node::Binary(BinOp::And, a, b) => Some((true, a, b)),
        Node::Binary(BinOp::Or, a, b) => Some((false, a, b)),
        Node::Unary(UnOp::Not, n) => match *pool.node(n) {
            Node::Binary(BinOp::And, a, b) => Some((false, pool.not(a), pool.not(b))),
            Node::Binary(BinOp::Or, a, b) => Some((true, pool.not(a), pool.not(b))),
            _ => None,
        },
        _ => None,
    };
    let out = match parts {
        Some((is_and, a, b)) => {
            let a = told(pool, a, is_after, seen);
            let b = told(pool, b, is_after, seen);
            if is_and {
                pool.and(a, b)
            } else {
                pool.or(a, b)
            }
        }
        None if pool.free_vars(&[t]).iter().all(is_after) => t,
        None => pool.bool(true),
    };
    seen.insert(t, out);
    out
}

/// The values that variables get, by the variables that hold them afterwards.
fn names_after(pool: &mut Pool, updates: &BTreeMap<Var, Term>) -> Option<(Subst, BTreeSet<Var>)> {
    let mut names = Subst::new();
    let mut known: FastSet<Term> = FastSet::default();
    let mut is_new: BTreeSet<Var> = BTreeSet::new();
    for (&v, &t) in updates {
        let new = pool.var(v);
        if pool.as_const(t).is_none() && !pool.sort(t).is_array() && t != new && known.insert(t) {
            names.replace(t, new);
            is_new.insert(v);
        }
    }
    (!known.is_empty()).then_some((names, is_new))
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
