//! The predicates that cubes are made of: what the program itself asks about its state.
//!
//! Comparisons of guards and of the conditions inside updates; `v = c` where `v` gets or is compared with the
//! constant `c`, also through other variables; and the comparisons pushed back over the alternatives of updates
//! (`token == local + 2` becomes `token == local + 1` where `token` is incremented).

use super::Task;
use super::candidates::is_value;
use crate::term::{BinOp, FastMap, FastSet, Node, Pool, Sort, Subst, Term, Var};
use petgraph::graph::NodeIndex;
use std::collections::{BTreeMap, BTreeSet};

const ATOMS: usize = 200;
const VALUES: usize = 40;

pub fn predicates(
    task: &mut Task,
    live: &BTreeMap<NodeIndex, BTreeSet<Var>>,
) -> BTreeMap<NodeIndex, Vec<Term>> {
    let state: FastSet<Var> = task.program.vars.iter().copied().collect();
    let mut atoms = comparisons(task, &state);
    push_back(task, &state, &mut atoms);
    for (v, values) in value_sets(task) {
        for c in values {
            let t = is_value(task, v, c);
            atoms.insert(t);
        }
    }
    let pool = &mut task.program.pool;
    let mut out = BTreeMap::new();
    for n in task.cpg.heads() {
        let Some(here) = live.get(&n) else { continue };
        let mut mine: Vec<Term> = vec![];
        for &v in here {
            if pool.var_info(v).sort == Sort::Bool {
                mine.push(pool.var(v));
            }
        }
        for &a in &atoms {
            let vars = pool.free_vars(&[a]);
            if !vars.is_empty()
                && vars.iter().all(|v| here.contains(v))
                && pool.as_const(a).is_none()
                && !mine.contains(&a)
            {
                mine.push(a);
            }
        }
        out.insert(n, mine);
    }
    out
}

/// All comparisons over the state alone, in guards and in updates of live variables.
fn comparisons(task: &Task, state: &FastSet<Var>) -> BTreeSet<Term> {
    let pool = &task.program.pool;
    let mut seen: FastSet<Term> = FastSet::default();
    let mut out = BTreeSet::new();
    let mut todo: Vec<Term> = vec![];
    for e in task.cpg.graph.edge_weights() {
        todo.push(e.guard);
        todo.extend(e.updates.values());
    }
    while let Some(t) = todo.pop() {
        if !seen.insert(t) {
            continue;
        }
        if let Node::Binary(op, a, _) = pool.node(t)
            && (matches!(op, BinOp::Ult | BinOp::Slt)
                || (*op == BinOp::Eq && pool.sort(*a) != Sort::Bool))
            && out.len() < ATOMS
            && pool.free_vars(&[t]).iter().all(|v| state.contains(v))
            && super::vc::indices(pool, &[t]).is_empty()
        {
            out.insert(t);
        }
        todo.extend(pool.children(t));
    }
    out
}

/// The alternatives of an update: the leaves of its `ite`s.
pub fn leaves(pool: &Pool, t: Term) -> Vec<Term> {
    let mut seen: FastSet<Term> = FastSet::default();
    let mut out = vec![];
    let mut todo = vec![t];
    while let Some(t) = todo.pop() {
        if !seen.insert(t) || out.len() > 200 {
            continue;
        }
        match pool.node(t) {
            Node::Ite(_, a, b) => todo.extend([*a, *b]),
            _ => out.push(t),
        }
    }
    out
}

/// Closes relations between two variables under the program's updates, as far as the limit allows.
fn push_back(task: &mut Task, state: &FastSet<Var>, atoms: &mut BTreeSet<Term>) {
    let mut steps: BTreeSet<(Var, Term)> = BTreeSet::new();
    for e in task.cpg.graph.edge_weights() {
        for (v, t) in &e.updates {
            if task.program.pool.sort(*t).is_array() {
                continue;
            }
            for leaf in leaves(&task.program.pool, *t) {
                let vars = task.program.pool.free_vars(&[leaf]);
                if !vars.is_empty() && vars.iter().all(|v| state.contains(v)) {
                    steps.insert((*v, leaf));
                }
            }
        }
    }
    let mut todo: Vec<Term> = atoms
        .iter()
        .copied()
        .filter(|a| task.program.pool.free_vars(&[*a]).len() >= 2)
        .collect();
    let mut made = 0;
    while let Some(a) = todo.pop() {
        let vars = task.program.pool.free_vars(&[a]);
        for (v, leaf) in &steps {
            if !vars.contains(v) || made > 60 {
                continue;
            }
            let mut s = Subst::new();
            s.bind(*v, *leaf);
            let t = s.apply(&mut task.program.pool, a);
            if task.program.pool.as_const(t).is_none()
                && task.program.pool.dag_size(&[t]) < 12
                && atoms.insert(t)
            {
                made += 1;
                todo.insert(0, t);
            }
        }
    }
}

/// The constants that each variable is compared with or gets, closed under copies.
pub fn value_sets(task: &Task) -> BTreeMap<Var, BTreeSet<u128>> {
    let pool = &task.program.pool;
    let mut sets: BTreeMap<Var, BTreeSet<u128>> = BTreeMap::new();
    let mut copies: BTreeSet<(Var, Var)> = BTreeSet::new();
    let mut seen: FastSet<Term> = FastSet::default();
    let mut todo: Vec<Term> = vec![];
    let mut memo: FastMap<Term, Vec<Term>> = FastMap::default();
    for e in task.cpg.graph.edge_weights() {
        todo.push(e.guard);
        for (v, t) in &e.updates {
            todo.push(*t);
            if !matches!(pool.var_info(*v).sort, Sort::Bv(_)) {
                continue;
            }
            for &leaf in memo.entry(*t).or_insert_with(|| leaves(pool, *t)).iter() {
                if let Some(c) = pool.as_const(leaf) {
                    sets.entry(*v).or_default().insert(c);
                } else if let Some(u) = pool.as_var(leaf) {
                    copies.insert((*v, u));
                }
            }
        }
    }
    while let Some(t) = todo.pop() {
        if !seen.insert(t) {
            continue;
        }
        if let Node::Binary(BinOp::Eq | BinOp::Ult, a, b) = pool.node(t)
            && let (Some(v), Some(c)) = (pool.as_var(*a), pool.as_const(*b))
        {
            sets.entry(v).or_default().insert(c);
        }
        todo.extend(pool.children(t));
    }
    for _ in 0..4 {
        for (a, b) in &copies {
            let from = sets.get(b).cloned().unwrap_or_default();
            sets.entry(*a).or_default().extend(from);
        }
    }
    sets.retain(|_, s| s.len() <= VALUES);
    sets
}

/// The variables that only ever get constants, also through each other: their values are finitely many.
pub fn finite(task: &Task) -> BTreeSet<Var> {
    let pool = &task.program.pool;
    let live = super::slice::live(&task.program, &task.cpg);
    let at_entry = live.get(&task.cpg.entry).cloned().unwrap_or_default();
    let mut out: BTreeSet<Var> = task
        .program
        .vars
        .iter()
        .copied()
        .filter(|v| matches!(pool.var_info(*v).sort, Sort::Bv(_)) && !at_entry.contains(v))
        .collect();
    let mut gets: BTreeMap<Var, BTreeSet<Term>> = BTreeMap::new();
    for e in task.cpg.graph.edge_weights() {
        for (v, t) in &e.updates {
            if out.contains(v) {
                gets.entry(*v).or_default().extend(leaves(pool, *t));
            }
        }
    }
    loop {
        let lost: Vec<Var> = out
            .iter()
            .copied()
            .filter(|v| {
                gets.get(v).into_iter().flatten().any(|leaf| {
                    pool.as_const(*leaf).is_none()
                        && pool.as_var(*leaf).is_none_or(|u| !out.contains(&u))
                })
            })
            .collect();
        if lost.is_empty() {
            return out;
        }
        for v in lost {
            out.remove(&v);
        }
    }
}
