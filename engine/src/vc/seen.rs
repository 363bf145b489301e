//! Conditions that a fresh solver has shown valid before, in this process.
//!
//! A pass of the compiler leaves most of a function as it is, and so most of its conditions, but for the names of
//! variables. A condition is a closed question: asked once, it is answered for every program in which it occurs. This
//! is where adapting a proof costs what the pass changed (the paper's work-list of changed edges). What is compared is
//! the whole condition, not a hash of it; nothing is ever read from a file.

use super::Condition;
use crate::term::{Pool, Shape};
use std::collections::HashSet;
use std::sync::Mutex;

/// Nodes of all conditions that are kept: about 100 MB.
const MOST_NODES: usize = 2_000_000;

#[derive(Default)]
struct Seen {
    valid: HashSet<Shape>,
    nodes: usize,
}

static SEEN: Mutex<Option<Seen>> = Mutex::new(None);

fn with<R>(work: impl FnOnce(&mut Seen) -> R) -> R {
    let mut seen = SEEN.lock().unwrap_or_else(|e| e.into_inner());
    work(seen.get_or_insert_default())
}

/// The conditions that were not shown valid yet.
pub fn unseen(pool: &Pool, conditions: &[Condition]) -> Vec<(Condition, Shape)> {
    let shapes = conditions
        .iter()
        .map(|c| (*c, Shape::of(pool, &[c.context, c.goal])));
    with(|seen| {
        shapes
            .filter(|(_, shape)| !seen.valid.contains(shape))
            .collect()
    })
}

/// These were shown valid.
pub fn remember(shapes: impl IntoIterator<Item = Shape>) {
    with(|seen| {
        for shape in shapes {
            if seen.nodes + shape.size() > MOST_NODES {
                return;
            }
            seen.nodes += shape.size();
            seen.valid.insert(shape);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{BinOp, Sort};

    /// `x < y -> not (y < x)`, over two variables of this width.
    fn condition(pool: &mut Pool, names: [&str; 2], width: u32, swapped: bool) -> Condition {
        let [x, y] = names.map(|n| pool.fresh(n, Sort::Bv(width)));
        let (x, y) = (pool.var(x), pool.var(y));
        let context = pool.binary(BinOp::Ult, x, y);
        let back = if swapped {
            pool.binary(BinOp::Ult, x, y)
        } else {
            pool.binary(BinOp::Ult, y, x)
        };
        let goal = pool.not(back);
        Condition { context, goal }
    }

    #[test]
    fn names_do_not_matter_but_everything_else_does() {
        let mut first = Pool::new();
        let c = condition(&mut first, ["a", "b"], 17, false);
        let todo = unseen(&first, &[c]);
        assert_eq!(todo.len(), 1);
        remember(todo.into_iter().map(|(_, shape)| shape));
        let mut pool = Pool::new();
        pool.fresh("in the way", Sort::Bv(8));
        let renamed = condition(&mut pool, ["c", "d"], 17, false);
        let wider = condition(&mut pool, ["c", "d"], 18, false);
        let swapped = condition(&mut pool, ["c", "d"], 17, true);
        let asked: Vec<Condition> = unseen(&pool, &[renamed, wider, swapped])
            .into_iter()
            .map(|(c, _)| c)
            .collect();
        assert_eq!(asked, [wider, swapped]);
    }
}
