//! Conditional normal form of static single assignments (the paper's VCSSA): definitions need no path condition,
//! because each variable has one; joins choose by the conditions since their dominator.

use super::cnf::{Paths, in_contexts};
use super::flow::Flow;
use super::fragment::{Fragment, Item};
use super::{Condition, Context};
use crate::term::Pool;

pub fn conditions(pool: &mut Pool, fragment: &Fragment, context: Context) -> Vec<Condition> {
    let flow = Flow::of(fragment);
    let paths = Paths::of(pool, &flow);
    let statements = |pool: &mut Pool, n: usize| {
        let mut out = vec![];
        for &e in &fragment.nodes[n].incoming {
            let edge = &fragment.edges[e];
            if edge.copies.is_empty() {
                continue;
            }
            let mut path = edge.condition;
            let mut at = edge.from;
            while at != flow.dominator[n] {
                path = pool.and(paths.from_dominator[at], path);
                at = flow.dominator[at];
            }
            for (v, t) in &edge.copies {
                let v = pool.var(*v);
                let value = pool.eq(v, *t);
                out.push(pool.implies(path, value));
            }
        }
        for item in &fragment.nodes[n].items {
            if let Item::Define(v, t) = item {
                let v = pool.var(*v);
                out.push(pool.eq(v, *t));
            }
        }
        out
    };
    in_contexts(pool, &flow, &paths, context, statements)
}
