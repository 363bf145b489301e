//! The lean encoding (the paper's VCLean): one formula, in which each context is written once and the assertions
//! that it serves are nested in it.

use super::flow::{Flow, Part};
use super::fragment::{Fragment, Item};
use super::{Condition, Context, sp};
use crate::term::{Pool, Term};

pub fn conditions(pool: &mut Pool, fragment: &Fragment, context: Context) -> Vec<Condition> {
    let flow = Flow::of(fragment);
    let assumed = sp::assumed(context);
    let always = pool.bool(true);
    // What must hold at the start of each node, for itself and for all nodes that it dominates.
    let mut goals: Vec<Term> = vec![always; fragment.nodes.len()];
    let mut behind: Vec<Vec<usize>> = vec![vec![]; fragment.nodes.len()];
    for n in (0..fragment.nodes.len()).rev() {
        let mut goal = always;
        // Dominated nodes were met backwards: the last is the first in the fragment.
        for &next in &behind[n] {
            if pool.is_true(goals[next]) {
                continue;
            }
            let mut way = flow.between(pool, next, assumed);
            if !context.is_global() {
                let values = flow.between(pool, next, Part::Values);
                way = pool.and(values, way);
            }
            let after = pool.implies(way, goals[next]);
            goal = pool.and(after, goal);
        }
        for item in fragment.nodes[n].items.iter().rev() {
            goal = match item {
                Item::Define(v, t) if !context.is_global() => {
                    let v = pool.var(*v);
                    let value = pool.eq(v, *t);
                    pool.implies(value, goal)
                }
                Item::Define(..) => goal,
                Item::Assume(t) => pool.implies(*t, goal),
                Item::Assert(t) => {
                    let after = if context.keeps_asserts() {
                        pool.implies(*t, goal)
                    } else {
                        goal
                    };
                    pool.and(*t, after)
                }
            };
        }
        goals[n] = goal;
        if n > 0 {
            behind[flow.dominator[n]].push(n);
        }
    }
    let goal = goals.first().copied().unwrap_or(always);
    let context = if context.is_global() {
        sp::everything(pool, &flow)
    } else {
        always
    };
    vec![Condition { context, goal }]
}
