//! The structure of a fragment's graph: dominators, and formulas for what happens between a node and a node that
//! it dominates.
//!
//! What happens between `d` and `n` is made as the paper makes it for a conditional, `(b && one) || (!b && other)`:
//! from each node on the way to where its branches come together again (its post-dominator on the way to `n`), then
//! on from there. On structured programs nothing is written twice.

use super::fragment::{Fragment, Item};
use crate::term::{Pool, Term};

/// Which part of the runs between two nodes a formula tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The path alone: conditions of branches.
    Path,
    /// The path and the values of variables.
    Values,
    /// The path and what is assumed.
    Assumed,
    /// The path, what is assumed, and what is asserted.
    AssumedAndAsserted,
}

pub struct Flow<'a> {
    pub fragment: &'a Fragment,
    /// The closest dominator of each node but the first.
    pub dominator: Vec<usize>,
}

impl<'a> Flow<'a> {
    pub fn of(fragment: &'a Fragment) -> Flow<'a> {
        let mut dominator = vec![0; fragment.nodes.len()];
        for n in 1..fragment.nodes.len() {
            let before = fragment.nodes[n].incoming.iter();
            let before = before.map(|&e| fragment.edges[e].from);
            dominator[n] = before
                .reduce(|a, b| meet(a, b, |x| dominator[x], |x, y| x > y))
                .unwrap_or(0);
        }
        Flow {
            fragment,
            dominator,
        }
    }

    /// What a node itself adds.
    pub fn own(&self, pool: &mut Pool, n: usize, part: Part) -> Term {
        let mut terms = vec![];
        for item in &self.fragment.nodes[n].items {
            match (item, part) {
                (Item::Define(v, t), Part::Values) => {
                    let v = pool.var(*v);
                    terms.push(pool.eq(v, *t));
                }
                (Item::Assume(t), Part::Assumed | Part::AssumedAndAsserted)
                | (Item::Assert(t), Part::AssumedAndAsserted) => terms.push(*t),
                _ => {}
            }
        }
        pool.and_all(&terms)
    }

    /// What an edge adds.
    pub fn step(&self, pool: &mut Pool, edge: usize, part: Part) -> Term {
        let e = &self.fragment.edges[edge];
        let mut out = e.condition;
        if part == Part::Values {
            for (v, t) in &e.copies {
                let v = pool.var(*v);
                let copy = pool.eq(v, *t);
                out = pool.and(out, copy);
            }
        }
        out
    }

    /// What happens after the items of the dominator of `n` and before those of `n`.
    pub fn between(&self, pool: &mut Pool, n: usize, part: Part) -> Term {
        let nodes = &self.fragment.nodes;
        let d = self.dominator[n];
        if let [edge] = nodes[n].incoming[..] {
            return self.step(pool, edge, part);
        }
        // The nodes on the way, backwards from `n`; all are after `d`.
        let mut on_way = vec![false; n - d + 1];
        on_way[n - d] = true;
        for m in (d + 1..=n).rev() {
            if on_way[m - d] {
                for &e in &nodes[m].incoming {
                    on_way[self.fragment.edges[e].from - d] = true;
                }
            }
        }
        let mut way = Way {
            flow: self,
            part,
            d,
            n,
            meets: vec![n; n - d + 1],
            leaves: vec![None; n - d + 1],
        };
        for m in (d..n).rev() {
            if on_way[m - d] {
                way.visit(pool, m, &on_way);
            }
        }
        way.along(pool, d, n)
    }
}

/// The work of one `between`.
struct Way<'f, 'a> {
    flow: &'f Flow<'a>,
    part: Part,
    d: usize,
    n: usize,
    /// Where the branches of a node come together on the way to `n`.
    meets: Vec<usize>,
    /// What happens from the end of a node to there.
    leaves: Vec<Option<Term>>,
}

impl Way<'_, '_> {
    fn visit(&mut self, pool: &mut Pool, m: usize, on_way: &[bool]) {
        let fragment = self.flow.fragment;
        let outgoing = &fragment.nodes[m].outgoing;
        let target = |e: usize| fragment.edges[e].to;
        let inside: Vec<usize> = outgoing
            .iter()
            .copied()
            .filter(|&e| target(e) <= self.n && on_way[target(e) - self.d])
            .collect();
        let (d, n) = (self.d, self.n);
        let up = |x: usize| if x == n { n } else { self.meets[x - d] };
        let joined = inside
            .iter()
            .map(|&e| target(e))
            .reduce(|a, b| meet(a, b, up, |x, y| x < y));
        let meets = joined.unwrap_or(n);
        self.meets[m - d] = meets;
        let mut ways = vec![];
        let mut trivial = inside.len() == outgoing.len();
        for &e in &inside {
            let mut way = self.flow.step(pool, e, self.part);
            trivial &= way == fragment.edges[e].condition;
            let q = target(e);
            if q != meets {
                let own = self.flow.own(pool, q, self.part);
                let rest = self.along(pool, q, meets);
                let more = pool.and(own, rest);
                trivial &= pool.is_true(more);
                way = pool.and(way, more);
            }
            ways.push(way);
        }
        // One of the conditions holds: if nothing else is said, nothing is said.
        let leaves = if trivial {
            pool.bool(true)
        } else {
            pool.or_all(&ways)
        };
        self.leaves[m - d] = Some(leaves);
    }

    /// From the end of `from` to the start of `to`, which all ways to `n` pass.
    fn along(&self, pool: &mut Pool, from: usize, to: usize) -> Term {
        let mut parts = vec![];
        let mut at = from;
        loop {
            parts.extend(self.leaves[at - self.d]);
            at = self.meets[at - self.d];
            if at >= to {
                break;
            }
            parts.push(self.flow.own(pool, at, self.part));
        }
        nested(pool, &parts)
    }
}

/// A conjunction that begins with its first part and holds the others in one term: suffixes are shared.
pub fn nested(pool: &mut Pool, parts: &[Term]) -> Term {
    let mut out = pool.bool(true);
    for t in parts.iter().rev() {
        out = pool.and(*t, out);
    }
    out
}

/// Where two chains come together; `further` tells which of two has to go on.
fn meet(
    mut a: usize,
    mut b: usize,
    up: impl Fn(usize) -> usize,
    further: impl Fn(usize, usize) -> bool,
) -> usize {
    while a != b {
        if further(a, b) {
            a = up(a);
        } else {
            b = up(b);
        }
    }
    a
}
