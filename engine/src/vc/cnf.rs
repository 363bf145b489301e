//! Conditional normal form (the paper's VCCNF): every statement guarded by the condition of the paths to it.

use super::flow::{Flow, Part, nested};
use super::fragment::{Fragment, Item};
use super::{Condition, Context};
use crate::term::{Pool, Term};

pub fn conditions(pool: &mut Pool, fragment: &Fragment, context: Context) -> Vec<Condition> {
    let flow = Flow::of(fragment);
    let paths = Paths::of(pool, &flow);
    let statements = |pool: &mut Pool, n: usize| {
        let mut out = vec![];
        for &e in &fragment.nodes[n].incoming {
            let edge = &fragment.edges[e];
            for (v, t) in &edge.copies {
                let path = pool.and(paths.to[edge.from], edge.condition);
                let v = pool.var(*v);
                let value = pool.eq(v, *t);
                out.push(pool.implies(path, value));
            }
        }
        for item in &fragment.nodes[n].items {
            if let Item::Define(v, t) = item {
                let v = pool.var(*v);
                let value = pool.eq(v, *t);
                out.push(pool.implies(paths.to[n], value));
            }
        }
        out
    };
    in_contexts(pool, &flow, &paths, context, statements)
}

/// The condition of the paths to each node.
pub struct Paths {
    /// From the start.
    pub to: Vec<Term>,
    /// From the closest dominator.
    pub from_dominator: Vec<Term>,
}

impl Paths {
    pub fn of(pool: &mut Pool, flow: &Flow) -> Paths {
        let always = pool.bool(true);
        let (mut to, mut from_dominator) = (vec![], vec![]);
        for n in 0..flow.fragment.nodes.len() {
            if n == 0 {
                to.push(always);
                from_dominator.push(always);
                continue;
            }
            let way = flow.between(pool, n, Part::Path);
            from_dominator.push(way);
            let whole = pool.and(to[flow.dominator[n]], way);
            to.push(whole);
        }
        Paths { to, from_dominator }
    }
}

/// The conditions of the right-hand face of the cube, given what each node says of the values of variables.
pub fn in_contexts(
    pool: &mut Pool,
    flow: &Flow,
    paths: &Paths,
    context: Context,
    mut statements: impl FnMut(&mut Pool, usize) -> Vec<Term>,
) -> Vec<Condition> {
    let fragment = flow.fragment;
    let before = ancestors(fragment);
    // What each node adds to the values and to the assumptions of the nodes behind it.
    let mut values: Vec<Vec<Term>> = vec![];
    let mut known: Vec<Vec<Term>> = vec![];
    let mut out = vec![];
    let mut goals = vec![];
    for n in 0..fragment.nodes.len() {
        values.push(statements(pool, n));
        known.push(vec![]);
        for item in &fragment.nodes[n].items {
            match item {
                Item::Define(..) => {}
                Item::Assume(t) => known[n].push(pool.implies(paths.to[n], *t)),
                Item::Assert(t) => {
                    let goal = pool.implies(paths.to[n], *t);
                    let rests = all_of(pool, &known, &before[n], n);
                    if context.is_global() {
                        goals.push(pool.implies(rests, goal));
                    } else {
                        let facts = all_of(pool, &values, &before[n], n);
                        let context = pool.and(facts, rests);
                        out.push(Condition { context, goal });
                    }
                    if context.keeps_asserts() {
                        known[n].push(goal);
                    }
                }
            }
        }
    }
    if context.is_global() {
        let everything: Vec<Term> = values.concat();
        out.push(Condition {
            context: pool.and_all(&everything),
            goal: nested(pool, &goals),
        });
    }
    out
}

fn all_of(pool: &mut Pool, of: &[Vec<Term>], before: &[usize], n: usize) -> Term {
    let mut out = pool.bool(true);
    for &m in before.iter().chain([&n]) {
        for t in &of[m] {
            out = pool.and(out, *t);
        }
    }
    out
}

/// The nodes from which each node can be reached, in order.
fn ancestors(fragment: &Fragment) -> Vec<Vec<usize>> {
    let mut out: Vec<Vec<usize>> = vec![];
    for n in &fragment.nodes {
        let mut all: Vec<usize> = vec![];
        for &e in &n.incoming {
            let from = fragment.edges[e].from;
            all.push(from);
            all.extend(&out[from]);
        }
        all.sort_unstable();
        all.dedup();
        out.push(all);
    }
    out
}
