//! Quantified lemmas over array ranges: "for all j in lo..hi, the relation holds at j".
//!
//! Relations come from what loops write (`a[i] = v(i)` gives `a[j] = v(j)`) and from what assertions read
//! (`c[i] == a[i] + b[i]`, with the index made a variable); ranges are bounded by the index variables live at the
//! head, by zero and by lengths. One bound variable; instantiated where arrays are read.

use super::{Lemma, Task};
use crate::program::cpg::CutPoint;
use crate::term::{BinOp, FastSet, Node, Pool, Sort, Subst, Term, UnOp, Var};
use petgraph::graph::NodeIndex;
use std::collections::BTreeSet;

/// A larger number is no place to begin at.
const MOST_START: u128 = 4;

pub fn ranges(task: &mut Task, n: NodeIndex, live: &BTreeSet<Var>, out: &mut BTreeSet<Lemma>) {
    let arrays: Vec<Var> = live
        .iter()
        .copied()
        .filter(|v| task.program.pool.var_info(*v).sort.is_array())
        .collect();
    if arrays.is_empty() {
        return;
    }
    let starts = starts(task, n);
    for (j, relation) in relations(task) {
        let pool = &task.program.pool;
        let vars = pool.free_vars(&[relation]);
        if vars.iter().any(|v| *v != j && !live.contains(v)) {
            continue;
        }
        let sort = pool.var_info(j).sort;
        let index: Vec<Var> = live
            .iter()
            .copied()
            .filter(|v| pool.var_info(*v).sort == sort)
            .take(8)
            .collect();
        let pool = &mut task.program.pool;
        let tj = pool.var(j);
        let zero = pool.bv(0, sort.width());
        let mut lows = vec![zero];
        let mut highs = vec![];
        let from = starts.iter().filter(|c| pool.sort(**c) == sort);
        lows.extend(from.copied());
        for v in index {
            let t = pool.var(v);
            lows.push(t);
            highs.push(t);
        }
        for &lo in &lows {
            for &hi in &highs {
                if lo == hi {
                    continue;
                }
                let above = pool.ule(lo, tj);
                let below = pool.ult(tj, hi);
                let inside = pool.and(above, below);
                let body = pool.implies(inside, relation);
                if pool.as_const(body).is_none() && out.len() < 400 {
                    out.insert(Lemma {
                        bound: vec![j],
                        body,
                    });
                }
            }
        }
    }
}

/// The numbers beside zero that variables of a loop begin with: `for j in 1..n` looks back from the second element on.
fn starts(task: &Task, n: NodeIndex) -> Vec<Term> {
    let pool = &task.program.pool;
    let mut found: BTreeSet<Term> = BTreeSet::new();
    for e in super::houdini::edges_into(task, n) {
        let from_elsewhere = task
            .cpg
            .graph
            .edge_endpoints(e)
            .is_some_and(|(from, _)| from != n);
        let updates = task.cpg.graph[e].updates.values().copied();
        let is_start =
            |t: &Term| matches!(pool.node(*t), Node::Const(c) if (1..=MOST_START).contains(c));
        found.extend(updates.filter(|t| from_elsewhere && is_start(t)));
    }
    let bits = |t: &Term| matches!(pool.sort(*t), Sort::Bv(w) if w > 8);
    found.into_iter().filter(bits).take(2).collect()
}

/// Relations between array elements at one index, with the variable that stands for it.
fn relations(task: &mut Task) -> Vec<(Var, Term)> {
    let mut out: Vec<(Var, Term)> = vec![];
    let state: FastSet<Var> = task.program.vars.iter().copied().collect();
    let edges: Vec<_> = task.cpg.graph.edge_indices().collect();
    let mut bound: std::collections::BTreeMap<u32, Var> = Default::default();
    let add = |pool: &mut Pool, j: Var, t: Term, out: &mut Vec<(Var, Term)>| {
        let vars = pool.free_vars(&[t]);
        if pool.as_const(t).is_none()
            && vars.contains(&j)
            && vars.iter().all(|v| *v == j || state.contains(v))
            && !out.contains(&(j, t))
            && out.len() < 12
        {
            out.push((j, t));
        }
    };
    for e in edges {
        let Some((_, to)) = task.cpg.graph.edge_endpoints(e) else {
            continue;
        };
        let edge = task.cpg.graph[e].clone();
        let pool = &mut task.program.pool;
        if matches!(task.cpg.graph[to], CutPoint::Stop(_)) {
            for (atom, i) in asserted(pool, edge.guard) {
                let w = pool.width(i);
                let j = *bound
                    .entry(w)
                    .or_insert_with(|| pool.fresh("j", Sort::Bv(w)));
                if let Some(t) = generalised(pool, atom, i, j) {
                    let not = pool.not(t);
                    add(pool, j, not, &mut out);
                    add(pool, j, t, &mut out);
                }
            }
        }
        for (&a, &t) in &edge.updates {
            let Sort::Array { index, .. } = pool.var_info(a).sort else {
                continue;
            };
            // The newest write of the edge; several branches are read through at the variable's own index.
            let mut t = t;
            while let Node::Ite(_, x, y) = *pool.node(t) {
                t = if matches!(pool.node(x), Node::Store(..)) {
                    x
                } else {
                    y
                };
            }
            let Node::Store(_, i, v) = *pool.node(t) else {
                continue;
            };
            let j = *bound
                .entry(index)
                .or_insert_with(|| pool.fresh("j", Sort::Bv(index)));
            if let Some(v) = generalised(pool, v, i, j) {
                let (ta, tj) = (pool.var(a), pool.var(j));
                let at = pool.select(ta, tj);
                let e = pool.eq(at, v);
                add(pool, j, e, &mut out);
            }
        }
    }
    out
}

/// What a stop says of elements, with the index to be made a variable: each comparison of one or two elements, and all
/// of one element together (`a[i] != 1 && a[i] != 2`).
fn asserted(pool: &mut Pool, guard: Term) -> Vec<(Term, Term)> {
    let mut out = vec![];
    for atom in comparisons(pool, guard) {
        let at = super::vc::indices(pool, &[atom]);
        if at.len() <= 2 {
            out.extend(at.into_iter().map(|i| (atom, i)));
        }
    }
    let mut of_one: std::collections::BTreeMap<Term, Vec<Term>> = Default::default();
    for t in super::candidates::conjuncts(pool, guard) {
        if let [i] = super::vc::indices(pool, &[t])[..] {
            of_one.entry(i).or_default().push(t);
        }
    }
    for (i, parts) in of_one {
        if parts.len() > 1 {
            out.push((pool.and_all(&parts), i));
        }
    }
    out
}

/// The comparisons of a guard that read arrays.
fn comparisons(pool: &Pool, guard: Term) -> Vec<Term> {
    let mut seen: FastSet<Term> = FastSet::default();
    let mut out = vec![];
    let mut todo = vec![guard];
    while let Some(t) = todo.pop() {
        if !seen.insert(t) || out.len() > 20 {
            continue;
        }
        match pool.node(t) {
            Node::Binary(BinOp::And | BinOp::Or, a, b) => todo.extend([*a, *b]),
            Node::Unary(UnOp::Not, a) => todo.push(*a),
            Node::Binary(BinOp::Eq | BinOp::Ult | BinOp::Slt, ..)
                if !super::vc::indices(pool, &[t]).is_empty() =>
            {
                out.push(t)
            }
            _ => {}
        }
    }
    out
}

/// The term with the index `i` made the variable `j`: `i` must be a constant, a variable, or a variable plus a constant.
fn generalised(pool: &mut Pool, t: Term, i: Term, j: Var) -> Option<Term> {
    let (v, offset) = match *pool.node(i) {
        Node::Const(_) => return Some(at_variable(pool, t, i, j)),
        Node::Var(v) => (v, 0),
        Node::Binary(BinOp::Add, x, c) => (pool.as_var(x)?, pool.as_const(c)?),
        _ => return None,
    };
    let w = pool.width(i);
    let tj = pool.var(j);
    let back = pool.bv(offset.wrapping_neg(), w);
    let value = pool.add(tj, back);
    let mut s = Subst::new();
    s.bind(v, value);
    Some(s.apply(pool, t))
}

/// Elements at the index `i` become elements at `j`.
fn at_variable(pool: &mut Pool, t: Term, i: Term, j: Var) -> Term {
    let tj = pool.var(j);
    let mut s = Subst::new();
    let mut seen: FastSet<Term> = FastSet::default();
    let mut todo = vec![t];
    while let Some(t) = todo.pop() {
        if !seen.insert(t) {
            continue;
        }
        if let Node::Select(array, at) = *pool.node(t)
            && at == i
        {
            let element = pool.select(array, tj);
            s.fix(t, element);
        }
        todo.extend(pool.children(t));
    }
    s.apply(pool, t)
}
