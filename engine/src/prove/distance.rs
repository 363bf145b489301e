//! What is still to go: a loop that has `n - i` rounds left moves every index by at most so much.
//!
//! `for _ in 1..code { dest[k] = source[j]; k += 1; j += 1 }` needs that `j` has room for the rounds that are left, which
//! no relation of `j` to the loop's own counter says: proposed is `i < n -> (n - i) * step <= bound - j`, with `j <= bound`,
//! for the bounds that the loop does not change. Where a rest is cut off in pieces of `k`, as by `chunks_exact(k)`, the rounds
//! are `rest / k`.

use super::Task;
use super::candidates::conjuncts;
use super::growth::{Pace, pace};
use crate::program::cpg::Edge;
use crate::term::{BinOp, Node, Pool, Sort, Term, UnOp, Var};
use petgraph::graph::NodeIndex;
use std::collections::BTreeSet;

/// Lemmas of this kind at one head, and bounds that are tried for an index.
const MOST: usize = 24;
const MOST_BOUNDS: usize = 4;

/// Room for the rounds that are left, at a head with a loop of its own.
pub fn distance(task: &mut Task, n: NodeIndex, here: &BTreeSet<Var>, out: &mut Vec<Term>) {
    let loops = task.cpg.graph.edges_connecting(n, n);
    let loops: Vec<Edge> = loops.map(|e| e.weight().clone()).collect();
    let start = out.len();
    for edge in loops {
        let pool = &mut task.program.pool;
        let is_wide = |pool: &Pool, v: Var| pool.var_info(v).sort == Sort::Bv(64);
        let mut bounds: Vec<Var> = (here.iter().copied())
            .filter(|v| is_wide(pool, *v) && !edge.updates.contains_key(v))
            .collect();
        bounds.truncate(MOST_BOUNDS);
        let moved: Vec<(Var, u128)> = (edge.updates.iter())
            .filter(|(v, _)| here.contains(v) && is_wide(pool, **v))
            .filter_map(|(v, t)| match pace(pool, *t, *v, 8)? {
                Pace::Up(_, step) if (1..=64).contains(&step) => Some((*v, step)),
                _ => None,
            })
            .collect();
        let mut rounds: Vec<(Term, Term)> = vec![];
        for (i, end) in counters(pool, &edge) {
            let more = pool.ult(i, end);
            let (i, end) = (pool.zext(i, 64), pool.zext(end, 64));
            rounds.push((more, pool.sub(end, i)));
        }
        for (v, t) in &edge.updates {
            if here.contains(v)
                && is_wide(pool, *v)
                && let Some(Pace::Down(piece @ 2..=64)) = pace(pool, *t, *v, 8)
            {
                let (rest, piece) = (pool.var(*v), pool.bv(piece, 64));
                let left = pool.binary(BinOp::Udiv, rest, piece);
                rounds.push((pool.bool(true), left));
            }
        }
        for (more, left) in rounds {
            let counted = pool.free_vars(&[left]);
            for &(index, step) in &moved {
                let x = pool.var(index);
                let step = pool.bv(step, 64);
                let way = pool.mul(left, step);
                for &bound in &bounds {
                    if out.len() >= start + MOST {
                        return;
                    }
                    if counted.contains(&bound) || counted.contains(&index) {
                        continue;
                    }
                    let bound = pool.var(bound);
                    let room = pool.sub(bound, x);
                    let fits = pool.ule(way, room);
                    out.push(pool.implies(more, fits));
                    out.push(pool.ule(x, bound));
                }
            }
        }
    }
}

/// The counters that go up by one until they reach what the loop does not change: `i < n`, `i != n`.
fn counters(pool: &mut Pool, edge: &Edge) -> Vec<(Term, Term)> {
    let mut out = vec![];
    for c in conjuncts(pool, edge.guard) {
        let pair = match *pool.node(c) {
            Node::Binary(BinOp::Ult, a, b) => Some((a, b)),
            Node::Unary(UnOp::Not, e) => match *pool.node(e) {
                Node::Binary(BinOp::Eq, a, b) => Some((a, b)),
                _ => None,
            },
            _ => None,
        };
        let Some((a, b)) = pair else { continue };
        for (i, end) in [(a, b), (b, a)] {
            let counts = (pool.as_var(i)).is_some_and(|v| {
                let next = edge.updates.get(&v);
                next.is_some_and(|t| pool.offset(*t) == Some((Some(v), 1)))
            });
            let fixed = match pool.as_var(end) {
                Some(v) => !edge.updates.contains_key(&v),
                None => pool.as_const(end).is_some(),
            };
            let wide = matches!(pool.sort(i), Sort::Bv(w) if (2..=64).contains(&w));
            if counts && fixed && wide && !out.contains(&(i, end)) {
                out.push((i, end));
            }
        }
    }
    out.truncate(3);
    out
}
