//! Sums of bounded values: what is added up in a loop is at most so much per round.
//!
//! `sum += *byte` with `i += 1` proposes `sum <= 255 * i`, and for what counts down from `n` that
//! `sum <= 255 * (n - i)`; where every round adds at least 5, also `sum >= 5 * i`. How much a round adds is read off the
//! update's operators (`term/range.rs`); branches that set the sum to something else, or take from it, are not looked
//! at: Houdini decides.

use super::Task;
use crate::term::{BinOp, Node, Pool, Sort, Term, Var, mask};
use std::collections::{BTreeMap, BTreeSet};

/// Lemmas of this kind at one head.
const MOST: usize = 24;

/// What a variable does on some edge.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Pace {
    /// Grows by at least and at most so much.
    Up(u128, u128),
    /// Shrinks by a constant.
    Down(u128),
}

/// Bounds of sums over the variables that are live at a head.
pub fn growth(task: &mut Task, paces: &Paces, here: &BTreeSet<Var>, out: &mut Vec<Term>) {
    let pool = &mut task.program.pool;
    let changes: BTreeSet<Var> = paces.iter().flat_map(|p| p.keys()).copied().collect();
    let widths = |pool: &Pool, v: Var| match pool.var_info(v).sort {
        Sort::Bv(w) => Some(w).filter(|w| *w <= 64),
        _ => None,
    };
    let fixed: Vec<Var> = (here.iter().copied())
        .filter(|v| !changes.contains(v) && pool.var_info(*v).sort == Sort::Bv(64))
        .take(4)
        .collect();
    let start = out.len();
    for &sum in here {
        let Some(w) = widths(pool, sum).filter(|w| *w > 8) else {
            continue;
        };
        let of_sum: Vec<&BTreeMap<Var, Pace>> =
            paces.iter().filter(|p| p.contains_key(&sum)).collect();
        let ups = (of_sum.iter()).filter_map(|p| match p[&sum] {
            Pace::Up(least, most) => Some((least, most)),
            Pace::Down(_) => None,
        });
        let least = ups.clone().map(|(least, _)| least).min().unwrap_or(0);
        let most = ups.map(|(_, most)| most);
        // A counter is bounded by what it counts to; a value that may be anything is no growth.
        let Some(most) = most.max().filter(|m| *m > 0 && *m <= mask(w - 1)) else {
            continue;
        };
        for &counter in here {
            if counter == sum || widths(pool, counter).is_none_or(|w| w < 8) {
                continue;
            }
            let mut steps = of_sum.iter().map(|p| p.get(&counter));
            let down = match of_sum.first().and_then(|p| p.get(&counter)) {
                Some(Pace::Down(_)) => true,
                Some(Pace::Up(_, k)) if *k > 0 => false,
                _ => continue,
            };
            let together =
                steps.all(|s| matches!(s, Some(Pace::Down(_)) if down) || (s.is_some() && !down));
            if !together || out.len() >= start + MOST {
                continue;
            }
            let (x, i) = (pool.var(sum), pool.var(counter));
            let (x, i) = (pool.zext(x, 64), pool.zext(i, 64));
            let factor = pool.bv(most, 64);
            let counts = match down {
                false => vec![i],
                true => (fixed.iter())
                    .map(|n| {
                        let n = pool.var(*n);
                        pool.sub(n, i)
                    })
                    .collect(),
            };
            for count in counts {
                let bound = pool.mul(count, factor);
                out.push(pool.ule(x, bound));
                if least > 0 {
                    let factor = pool.bv(least, 64);
                    let bound = pool.mul(count, factor);
                    out.push(pool.ule(bound, x));
                }
            }
        }
    }
}

/// What each edge does with the variables that it adds to.
pub type Paces = Vec<BTreeMap<Var, Pace>>;

/// Of the whole graph; the same for all heads.
pub fn paces(task: &Task) -> Paces {
    let pool = &task.program.pool;
    let of_edge = |updates: &BTreeMap<Var, Term>| {
        let mut out = BTreeMap::new();
        for (v, t) in updates {
            if !matches!(pool.var_info(*v).sort, Sort::Bv(w) if w <= 64) {
                continue;
            }
            if let Some(pace) = pace(pool, *t, *v, 8) {
                out.insert(*v, pace);
            }
        }
        out
    };
    let edges = task.cpg.graph.edge_weights();
    edges.map(|e| of_edge(&e.updates)).collect()
}

pub(super) fn pace(pool: &Pool, t: Term, v: Var, depth: u32) -> Option<Pace> {
    if pool.as_var(t) == Some(v) {
        return Some(Pace::Up(0, 0));
    }
    if depth == 0 {
        return None;
    }
    let inner = |t: Term| pace(pool, t, v, depth - 1);
    match *pool.node(t) {
        Node::Binary(BinOp::Add, a, b) => {
            let w = pool.width(t);
            // constants are on the right; one of the upper half takes away
            if let Some(c) = pool.as_const(b)
                && c > mask(w) / 2
            {
                let less = c.wrapping_neg() & mask(w);
                return inner(a).map(|_| Pace::Down(less));
            }
            let (grown, by) = match (inner(a), inner(b)) {
                (Some(pace), None) => (pace, b),
                (None, Some(pace)) => (pace, a),
                _ => return None,
            };
            match grown {
                Pace::Up(least, most) => {
                    let (by_least, by_most) = pool.range(by);
                    let least = least.saturating_add(by_least);
                    Some(Pace::Up(least, most.saturating_add(by_most)))
                }
                Pace::Down(_) => None,
            }
        }
        Node::Binary(BinOp::Sub, a, _) => inner(a).map(|_| Pace::Up(0, 0)),
        Node::Ite(_, a, b) => match (inner(a), inner(b)) {
            (Some(Pace::Up(a, most_a)), Some(Pace::Up(b, most_b))) => {
                Some(Pace::Up(a.min(b), most_a.max(most_b)))
            }
            (Some(a), Some(b)) => (a == b).then_some(a),
            (a, b) => a.or(b),
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_round_adds_is_read_off_the_update() {
        let mut pool = Pool::new();
        let [x, y] = ["x", "y"].map(|name| pool.fresh(name, Sort::Bv(64)));
        let byte = pool.fresh("byte", Sort::Bv(8));
        let (tx, ty, byte) = (pool.var(x), pool.var(y), pool.var(byte));
        let wide = pool.zext(byte, 64);
        let sum = pool.add(tx, wide);
        assert_eq!(pace(&pool, sum, x, 8), Some(Pace::Up(0, 255)));
        let condition = pool.ult(ty, tx);
        let either = pool.ite(condition, sum, tx);
        assert_eq!(pace(&pool, either, x, 8), Some(Pace::Up(0, 255)));
        let four = pool.bv(4, 64);
        let (some, more) = (pool.add(tx, four), pool.add(sum, four));
        let at_least = pool.ite(condition, some, more);
        assert_eq!(pace(&pool, at_least, x, 8), Some(Pace::Up(4, 259)));
        let less = pool.sub(tx, four);
        assert_eq!(pace(&pool, less, x, 8), Some(Pace::Down(4)));
        let other = pool.add(ty, wide);
        assert_eq!(pace(&pool, other, x, 8), None);
        let twice = pool.add(tx, tx);
        assert_eq!(pace(&pool, twice, x, 8), None);
    }
}
