//! Strongest postconditions (the paper's VCSP): a context is what happened before, branches are disjunctions.

use super::flow::{Flow, Part, nested};
use super::fragment::{Fragment, Item};
use super::{Condition, Context};
use crate::term::{Pool, Term};

pub fn conditions(pool: &mut Pool, fragment: &Fragment, context: Context) -> Vec<Condition> {
    let flow = Flow::of(fragment);
    let assumed = assumed(context);
    let always = pool.bool(true);
    // The values and the assumptions after the items of each node.
    let mut after: Vec<(Term, Term)> = vec![];
    let mut out = vec![];
    let mut goals = vec![];
    for n in 0..fragment.nodes.len() {
        let (mut values, mut known) = (always, always);
        if n > 0 {
            (values, known) = after[flow.dominator[n]];
            // A global context has the values of everything already.
            if !context.is_global() {
                let way = flow.between(pool, n, Part::Values);
                values = pool.and(values, way);
            }
            let way = flow.between(pool, n, assumed);
            known = pool.and(known, way);
        }
        for item in &fragment.nodes[n].items {
            match item {
                Item::Define(v, t) if !context.is_global() => {
                    let v = pool.var(*v);
                    let value = pool.eq(v, *t);
                    values = pool.and(values, value);
                }
                Item::Define(..) => {}
                Item::Assume(t) => known = pool.and(known, *t),
                Item::Assert(t) => {
                    if context.is_global() {
                        goals.push(pool.implies(known, *t));
                    } else {
                        let context = pool.and(values, known);
                        out.push(Condition { context, goal: *t });
                    }
                    if context.keeps_asserts() {
                        known = pool.and(known, *t);
                    }
                }
            }
        }
        after.push((values, known));
    }
    if context.is_global() {
        out.push(Condition {
            context: everything(pool, &flow),
            goal: nested(pool, &goals),
        });
    }
    out
}

/// The part of a context that is not values.
pub fn assumed(context: Context) -> Part {
    if context.keeps_asserts() {
        Part::AssumedAndAsserted
    } else {
        Part::Assumed
    }
}

/// The values on all runs from the start to the end.
pub fn everything(pool: &mut Pool, flow: &Flow) -> Term {
    let mut chain = vec![flow.fragment.end()];
    while let Some(&n) = chain.last()
        && n > 0
    {
        chain.push(flow.dominator[n]);
    }
    let mut parts = vec![];
    for &n in chain.iter().rev() {
        if n > 0 {
            parts.push(flow.between(pool, n, Part::Values));
        }
        parts.push(flow.own(pool, n, Part::Values));
    }
    nested(pool, &parts)
}
