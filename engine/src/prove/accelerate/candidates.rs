//! Candidate lemmas from closed forms: what remains of an accelerated loop when the iteration count is eliminated.
//!
//! With `x = x0 + n*c` and c odd, `n = (x - x0) / c` modulo 2^w, and every other closed form becomes an equation
//! between x and its variable: affine relations, sums, products, array contents. Steps of one sign give bounds, even
//! steps congruences, and the guard of the last step holds in terms of the values before it. Nothing here is
//! trusted: these are guesses for Houdini, so inner loops may be skipped over with arbitrary values.

use super::path::{Path, Syntactic, conjuncts, split};
use super::recurrence::{Closed, ClosedForms, inverse, solve};
use crate::program::Program;
use crate::program::cpg::{Cpg, CutPoint, Edge};
use crate::prove::Lemma;
use crate::term::{BinOp, Node, Pool, Sort, Subst, Term, Var, to_signed};
use petgraph::graph::NodeIndex;
use petgraph::visit::EdgeRef;
use std::collections::{BTreeMap, BTreeSet};

const MAX_PATHS: usize = 24;
const MAX_CYCLES: usize = 16;
const MAX_PER_HEAD: usize = 160;

/// Guesses for every loop head.
pub fn candidates(program: &mut Program, cpg: &Cpg) -> Vec<(CutPoint, Lemma)> {
    let mut out = vec![];
    for head in cpg.heads() {
        let mut found = vec![];
        at_head(&mut program.pool, cpg, head, &mut found);
        let mut seen = BTreeSet::new();
        found.retain(|l: &Lemma| !program.pool.is_true(l.body) && seen.insert(l.clone()));
        found.truncate(MAX_PER_HEAD);
        out.extend(found.into_iter().map(|l| (cpg.graph[head], l)));
    }
    out
}

fn at_head(pool: &mut Pool, cpg: &Cpg, head: NodeIndex, out: &mut Vec<Lemma>) {
    let body = component(cpg, head);
    let changed = changed_in(cpg, &body);
    let mut paths = vec![];
    for edge in cycles(pool, cpg, head, &body) {
        if let Some(more) = split(
            pool,
            &mut Syntactic,
            edge.guard,
            &edge.updates,
            &edge.draws,
            MAX_PATHS,
        ) {
            paths.extend(more);
        }
    }
    let entries: Vec<&Edge> = cpg
        .graph
        .edges_directed(head, petgraph::Direction::Incoming)
        .filter(|e| !body.contains(&e.source()))
        .map(|e| e.weight())
        .collect();
    for entry in entries {
        let start = starts(pool, entry, &changed);
        entry_guards(pool, entry, &changed, out);
        if paths.is_empty() {
            continue;
        }
        let forms: Vec<ClosedForms> = paths.iter().map(|p| solve(pool, &p.updates, 128)).collect();
        monotone(pool, &start, &forms, &changed, out);
        last_guards(pool, &start, &paths, out);
        eliminate(pool, &start, &forms, &changed, out);
    }
}

/// The nodes of the loop around a head: what reaches it again without leaving through a shallower head.
fn component(cpg: &Cpg, head: NodeIndex) -> BTreeSet<NodeIndex> {
    let depth = |n: NodeIndex| match cpg.graph[n] {
        CutPoint::Head(b) => cpg.depth.get(&b).copied(),
        _ => None,
    };
    let mine = depth(head).unwrap_or(0);
    let inside = |n: NodeIndex| n == head || depth(n).is_some_and(|d| d > mine);
    let reach = |forward: bool| {
        let mut seen = BTreeSet::from([head]);
        let mut todo = vec![head];
        while let Some(n) = todo.pop() {
            let next: Vec<NodeIndex> = if forward {
                cpg.graph.neighbors(n).collect()
            } else {
                cpg.graph
                    .neighbors_directed(n, petgraph::Direction::Incoming)
                    .collect()
            };
            for m in next {
                if inside(m) && seen.insert(m) {
                    todo.push(m);
                }
            }
        }
        seen
    };
    reach(true).intersection(&reach(false)).copied().collect()
}

fn changed_in(cpg: &Cpg, body: &BTreeSet<NodeIndex>) -> BTreeSet<Var> {
    cpg.graph
        .edge_references()
        .filter(|e| body.contains(&e.source()) && body.contains(&e.target()))
        .flat_map(|e| e.weight().updates.keys().copied())
        .collect()
}

/// The ways around the loop as single edges; inner loops are skipped over with arbitrary values for what they change.
fn cycles(pool: &mut Pool, cpg: &Cpg, head: NodeIndex, body: &BTreeSet<NodeIndex>) -> Vec<Edge> {
    let mut out = vec![];
    let start = Edge {
        guard: pool.bool(true),
        updates: BTreeMap::new(),
        draws: vec![],
        blocks: vec![],
    };
    let mut todo = vec![(head, start, vec![head])];
    while let Some((at, so_far, visited)) = todo.pop() {
        if out.len() + todo.len() > MAX_CYCLES {
            break;
        }
        let mut before = so_far.clone();
        if at != head {
            for v in changed_in(cpg, &component(cpg, at)) {
                let info = pool.var_info(v).clone();
                let fresh = pool.fresh(info.name, info.sort);
                let t = pool.var(fresh);
                before.updates.insert(v, t);
            }
        }
        for e in cpg.graph.edges(at) {
            let to = e.target();
            if !body.contains(&to) || (to != head && visited.contains(&to)) {
                continue;
            }
            let next = compose(pool, &before, e.weight());
            if to == head {
                out.push(next);
            } else {
                let mut visited = visited.clone();
                visited.push(to);
                todo.push((to, next, visited));
            }
        }
    }
    out
}

/// One edge after the other.
pub fn compose(pool: &mut Pool, first: &Edge, second: &Edge) -> Edge {
    let mut s = Subst::new();
    for (&v, &t) in &first.updates {
        s.bind(v, t);
    }
    let guard = s.apply(pool, second.guard);
    let mut updates = first.updates.clone();
    for (&v, &t) in &second.updates {
        let t = s.apply(pool, t);
        updates.insert(v, t);
    }
    let mut draws = first.draws.clone();
    for d in &second.draws {
        let mut d = d.clone();
        d.when = s.apply(pool, d.when);
        d.when = pool.and(first.guard, d.when);
        draws.push(d);
    }
    Edge {
        guard: pool.and(first.guard, guard),
        updates,
        draws,
        blocks: vec![],
    }
}

/// Values at loop entry that can be expressed by what the loop and the entry edge leave alone.
fn starts(pool: &mut Pool, entry: &Edge, changed: &BTreeSet<Var>) -> BTreeMap<Var, Term> {
    let mut out = BTreeMap::new();
    for &v in changed {
        if let Some(&t) = entry.updates.get(&v)
            && let Some(t) = lasting(pool, entry, changed, t)
        {
            out.insert(v, t);
        }
    }
    out
}

/// The term if it means the same at every visit of the head. Variables that the entry edge just set to the same
/// value are used in place of it.
fn lasting(pool: &mut Pool, entry: &Edge, changed: &BTreeSet<Var>, t: Term) -> Option<Term> {
    let own: BTreeSet<Var> = entry.draws.iter().map(|d| d.var).collect();
    let mut s = Subst::new();
    for (&v, &u) in &entry.updates {
        if !changed.contains(&v)
            && let Some(x) = pool.as_var(u)
        {
            let t = pool.var(v);
            s.bind(x, t);
        }
    }
    let stays = |pool: &Pool, t: Term| {
        pool.free_vars(&[t])
            .iter()
            .all(|v| !changed.contains(v) && !entry.updates.contains_key(v) && !own.contains(v))
    };
    if stays(pool, t) {
        return Some(t);
    }
    let renamed = s.apply(pool, t);
    let fine = pool.free_vars(&[renamed]).iter().all(|v| {
        !changed.contains(v)
            && !own.contains(v)
            && (!entry.updates.contains_key(v) || s.iter().any(|(_, x)| pool.as_var(x) == Some(*v)))
    });
    fine.then_some(renamed)
}

/// What the way into the loop has checked stays true for what the loop does not change.
fn entry_guards(pool: &mut Pool, entry: &Edge, changed: &BTreeSet<Var>, out: &mut Vec<Lemma>) {
    let mut literals = vec![];
    conjuncts(pool, entry.guard, &mut literals);
    for l in literals {
        if let Some(l) = lasting(pool, entry, changed, l) {
            out.push(Lemma::plain(l));
        }
    }
}

/// The constant step of a variable in one path (0 if unchanged).
fn step(pool: &Pool, forms: &ClosedForms, v: Var) -> Option<u128> {
    match forms.forms.get(&v) {
        None => Some(0),
        Some(Closed::Polynomial(p)) if p.len() == 2 => pool.as_const(p[1]),
        _ => None,
    }
}

/// Bounds by the first value, and congruences.
fn monotone(
    pool: &mut Pool,
    start: &BTreeMap<Var, Term>,
    forms: &[ClosedForms],
    changed: &BTreeSet<Var>,
    out: &mut Vec<Lemma>,
) {
    for &v in changed {
        let Some(&x0) = start.get(&v) else { continue };
        let Sort::Bv(w) = pool.var_info(v).sort else {
            continue;
        };
        let steps: Vec<Option<u128>> = forms.iter().map(|f| step(pool, f, v)).collect();
        let Some(steps) = steps.into_iter().collect::<Option<Vec<u128>>>() else {
            continue;
        };
        let x = pool.var(v);
        let t = steps.iter().map(|s| s.trailing_zeros()).min().unwrap_or(0);
        if (1..w).contains(&t) {
            let (a, b) = (pool.extract(x, 0, t), pool.extract(x0, 0, t));
            let e = pool.eq(a, b);
            out.push(Lemma::plain(e));
        }
        let up = steps.iter().all(|&s| to_signed(s, w) >= 0);
        let down = steps.iter().all(|&s| to_signed(s, w) <= 0);
        if up {
            let (u, s) = (pool.ule(x0, x), pool.sle(x0, x));
            out.extend([Lemma::plain(u), Lemma::plain(s)]);
        }
        if down {
            let (u, s) = (pool.ule(x, x0), pool.sle(x, x0));
            out.extend([Lemma::plain(u), Lemma::plain(s)]);
        }
    }
}

/// The guard held before the last step: `entry value, or guard(value - step)`; and the bound it implies.
fn last_guards(pool: &mut Pool, start: &BTreeMap<Var, Term>, paths: &[Path], out: &mut Vec<Lemma>) {
    let Some(first) = paths.first() else { return };
    for &l in &first.literals {
        if !paths.iter().all(|p| p.literals.contains(&l)) {
            continue;
        }
        let free = pool.free_vars(&[l]);
        let mut held = pool.bool(false);
        let mut at_start = pool.bool(true);
        let mut complete = true;
        for p in paths {
            let mut back = Subst::new();
            for &v in &free {
                if let Some(&t) = p.updates.get(&v) {
                    match before(pool, &p.updates, v, t) {
                        Some(b) => back.bind(v, b),
                        None => complete = false,
                    }
                }
            }
            let earlier = back.apply(pool, l);
            held = pool.or(held, earlier);
        }
        for &v in &free {
            if paths.iter().any(|p| p.updates.contains_key(&v)) {
                match start.get(&v) {
                    // what an array holds is no single value to be still the first one
                    Some(&x0) if !pool.sort(x0).is_array() => {
                        let x = pool.var(v);
                        let e = pool.eq(x, x0);
                        at_start = pool.and(at_start, e);
                    }
                    _ => complete = false,
                }
            }
        }
        if complete {
            let t = pool.or(at_start, held);
            out.push(Lemma::plain(t));
        }
        // x < B becomes x <= B after a step of one; x != B does as well for loops that count towards it.
        for weaker in weakened(pool, l) {
            out.push(Lemma::plain(weaker));
        }
    }
}

fn weakened(pool: &mut Pool, l: Term) -> Vec<Term> {
    match *pool.node(l) {
        Node::Binary(BinOp::Ult, a, b) => vec![pool.ule(a, b)],
        Node::Binary(BinOp::Slt, a, b) => vec![pool.sle(a, b)],
        Node::Unary(crate::term::UnOp::Not, n) => match *pool.node(n) {
            Node::Binary(BinOp::Eq, a, b) if matches!(pool.sort(a), Sort::Bv(_)) => vec![
                pool.ule(a, b),
                pool.ule(b, a),
                pool.sle(a, b),
                pool.sle(b, a),
            ],
            _ => vec![],
        },
        _ => vec![],
    }
}

/// The value before a step of `v' = v + unchanged`.
fn before(pool: &mut Pool, updates: &BTreeMap<Var, Term>, v: Var, t: Term) -> Option<Term> {
    if !matches!(pool.var_info(v).sort, Sort::Bv(_)) {
        return None;
    }
    let x = pool.var(v);
    let by = pool.sub(t, x);
    let by = super::linear::Linear::of(pool, by).term(pool);
    let fixed = pool
        .free_vars(&[by])
        .iter()
        .all(|u| !updates.contains_key(u));
    fixed.then(|| pool.sub(x, by))
}

/// Equations between the variables of a loop, without the iteration count.
fn eliminate(
    pool: &mut Pool,
    start: &BTreeMap<Var, Term>,
    forms: &[ClosedForms],
    changed: &BTreeSet<Var>,
    out: &mut Vec<Lemma>,
) {
    let scalars: Vec<Var> = changed
        .iter()
        .copied()
        .filter(|v| matches!(pool.var_info(*v).sort, Sort::Bv(_)))
        .collect();
    for &x in &scalars {
        let Some(&x0) = start.get(&x) else { continue };
        let w = pool.var_info(x).sort.width();
        let Some(c) = step(pool, &forms[0], x).filter(|&c| c != 0) else {
            continue;
        };
        let x_term = pool.var(x);
        let moved = pool.sub(x_term, x0);
        // Linear relations that all paths keep.
        for &y in &scalars {
            let Some(&y0) = start.get(&y) else { continue };
            let Some(d) = step(pool, &forms[0], y).filter(|&d| d != 0) else {
                continue;
            };
            if y <= x || pool.var_info(y).sort.width() != w {
                continue;
            }
            let g = c.trailing_zeros().min(d.trailing_zeros());
            let (cc, dd) = (c >> g, d >> g);
            let kept = forms
                .iter()
                .all(|f| match (step(pool, f, x), step(pool, f, y)) {
                    (Some(a), Some(b)) => {
                        cc.wrapping_mul(b) & crate::term::mask(w)
                            == dd.wrapping_mul(a) & crate::term::mask(w)
                    }
                    _ => false,
                });
            if kept {
                let y_term = pool.var(y);
                let other = pool.sub(y_term, y0);
                let (kc, kd) = (pool.bv(cc, w), pool.bv(dd, w));
                let (a, b) = (pool.mul(other, kc), pool.mul(moved, kd));
                let e = pool.eq(a, b);
                out.push(Lemma::plain(e));
            }
        }
        if c & 1 == 0 || forms.len() != 1 {
            continue;
        }
        // n = (x - x0) / c
        let inv = pool.bv(inverse(c), w);
        let n = pool.mul(moved, inv);
        let n = pool.resize(n, forms[0].count_width, false);
        let count = pool.fresh("n", pool.sort(n));
        let count_term = pool.var(count);
        let mut entry = Subst::new();
        for (&v, &t) in start {
            entry.bind(v, t);
        }
        for (&y, form) in &forms[0].forms {
            if y == x || (step(pool, &forms[0], y).is_some()) {
                continue;
            }
            let lemma = match form {
                Closed::Array(a) => Some(a.contents(pool, &forms[0], y, count_term)),
                Closed::Polynomial(_) | Closed::Shift(..) | Closed::Toggle => {
                    forms[0].at(pool, count_term).get(&y).map(|&t| {
                        let y = pool.var(y);
                        (vec![], pool.bool(true), y, t)
                    })
                }
                _ => None,
            };
            let Some((bound, when, now, value)) = lemma else {
                continue;
            };
            // The closed form speaks of the entry state; the count and what is read now of the present one.
            let Some(value) = at_entry(pool, &mut entry, start, changed, value, (count, n)) else {
                continue;
            };
            let Some(when) = at_entry(pool, &mut entry, start, changed, when, (count, n)) else {
                continue;
            };
            let e = pool.eq(now, value);
            let body = pool.implies(when, e);
            out.push(Lemma { bound, body });
        }
    }
}

/// Replaces changed variables by their entry values, and then the count by what it is now.
fn at_entry(
    pool: &mut Pool,
    entry: &mut Subst,
    start: &BTreeMap<Var, Term>,
    changed: &BTreeSet<Var>,
    t: Term,
    count: (Var, Term),
) -> Option<Term> {
    if pool
        .free_vars(&[t])
        .iter()
        .any(|v| changed.contains(v) && !start.contains_key(v))
    {
        return None;
    }
    let t = entry.apply(pool, t);
    let mut fill = Subst::new();
    fill.bind(count.0, count.1);
    Some(fill.apply(pool, t))
}
