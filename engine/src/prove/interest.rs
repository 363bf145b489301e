//! Interesting values: the constants that a program compares a variable with, for those who choose values of it.
//!
//! Two magic numbers, each among sixty constants of the program, are not guessed together by chance; each among the
//! one or two that its own variable is compared with, they are. A value that is only handed on is compared where it ends.

use crate::program::{Program, Stmt};
use crate::term::{BinOp, FastSet, Node, Pool, Sort, Term, UnOp, Var, mask};
use std::collections::{BTreeMap, BTreeSet};

/// More constants say nothing about a variable that all constants of the program do not.
const CONSTANTS: usize = 24;
/// Rounds over all assignments in which values are followed.
const HANDED_ON: usize = 6;

/// Operations around a variable that are looked through: choices share their rests, and would be looked at again and again.
const DEPTH: u32 = 8;

/// For each variable (an array: for its elements) what it is compared with.
pub type Interest = BTreeMap<Var, Vec<u128>>;

pub fn interest(program: &Program) -> Interest {
    let pool = &program.pool;
    let mut out: BTreeMap<Var, BTreeSet<u128>> = BTreeMap::new();
    let mut seen: FastSet<Term> = FastSet::default();
    let mut todo: Vec<Term> = program.blocks.iter().flat_map(|b| b.terms()).collect();
    todo.extend(&program.requires);
    while let Some(t) = todo.pop() {
        if !seen.insert(t) {
            continue;
        }
        if let Node::Binary(BinOp::Eq | BinOp::Ult | BinOp::Ule | BinOp::Slt | BinOp::Sle, a, b) =
            *pool.node(t)
        {
            for (value, with) in [(a, b), (b, a)] {
                if let Some(c) = pool.as_const(with) {
                    compared(pool, value, c, &mut out);
                }
            }
        }
        todo.extend(pool.children(t));
    }
    let handed_on: Vec<(Var, Term)> = program
        .blocks
        .iter()
        .flat_map(|b| &b.stmts)
        .filter_map(|s| match s {
            Stmt::Assign(v, t) => Some((*v, *t)),
            _ => None,
        })
        .collect();
    for _ in 0..HANDED_ON {
        let mut changed = false;
        // backwards, so that most of a chain is followed in one round
        for &(to, t) in handed_on.iter().rev() {
            let Some(constants) = out.get(&to).cloned() else {
                continue;
            };
            let before = count(&out);
            for c in constants {
                compared(pool, t, c, &mut out);
            }
            changed |= count(&out) > before;
        }
        if !changed {
            break;
        }
    }
    out.retain(|_, constants| constants.len() <= CONSTANTS);
    out.into_iter()
        .map(|(v, constants)| (v, constants.into_iter().collect()))
        .collect()
}

fn count(all: &BTreeMap<Var, BTreeSet<u128>>) -> usize {
    all.values().map(BTreeSet::len).sum()
}

/// `value` is compared with `c`: which variable must be what for them to be equal?
fn compared(pool: &Pool, value: Term, c: u128, out: &mut BTreeMap<Var, BTreeSet<u128>>) {
    compared_inside(pool, value, c, out, DEPTH);
}

fn compared_inside(
    pool: &Pool,
    value: Term,
    c: u128,
    out: &mut BTreeMap<Var, BTreeSet<u128>>,
    depth: u32,
) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    let mut add = |v: Var, c: u128| {
        let all = out.entry(v).or_default();
        // one too many: it is known that there are more
        if all.len() <= CONSTANTS {
            all.insert(c);
        }
    };
    match (pool.node(value), pool.sort(value)) {
        (Node::Var(v), _) => add(*v, c),
        (Node::Select(array, _), _) => {
            if let Some(v) = pool.as_var(*array) {
                add(v, c);
            }
        }
        (Node::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::BvXor), a, b), Sort::Bv(w)) => {
            let (a, b) = (*a, *b);
            match (*op, pool.as_const(a), pool.as_const(b)) {
                (BinOp::Add, None, Some(k)) | (BinOp::Add, Some(k), None) => {
                    let rest = if pool.as_const(a).is_some() { b } else { a };
                    compared_inside(pool, rest, c.wrapping_sub(k) & mask(w), out, depth);
                }
                (BinOp::Sub, None, Some(k)) => {
                    compared_inside(pool, a, c.wrapping_add(k) & mask(w), out, depth);
                }
                (BinOp::Sub, Some(k), None) => {
                    compared_inside(pool, b, k.wrapping_sub(c) & mask(w), out, depth);
                }
                (BinOp::BvXor, None, Some(k)) => compared_inside(pool, a, c ^ k, out, depth),
                (BinOp::BvXor, Some(k), None) => compared_inside(pool, b, c ^ k, out, depth),
                _ => {}
            }
        }
        (Node::Unary(UnOp::Not, a), Sort::Bool) => compared_inside(pool, *a, c ^ 1, out, depth),
        (Node::Zext(a) | Node::Sext(a), _) => {
            if let Sort::Bv(w) = pool.sort(*a) {
                compared_inside(pool, *a, c & mask(w), out, depth);
            }
        }
        (Node::Ite(_, a, b), _) => {
            let (a, b) = (*a, *b);
            compared_inside(pool, a, c, out, depth);
            compared_inside(pool, b, c, out, depth);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_behind_sums_and_choices() {
        let mut pool = Pool::default();
        let (x, y) = (
            pool.fresh("x".to_owned(), Sort::Bv(8)),
            pool.fresh("y".to_owned(), Sort::Bv(8)),
        );
        let (tx, ty) = (pool.var(x), pool.var(y));
        let three = pool.constant(3, Sort::Bv(8));
        let sum = pool.add(tx, three);
        let is_less = pool.ult(tx, ty);
        let either = pool.ite(is_less, sum, ty);
        let mut out = BTreeMap::new();
        compared(&pool, either, 1, &mut out);
        assert_eq!(out[&x], BTreeSet::from([254]));
        assert_eq!(out[&y], BTreeSet::from([1]));
        let product = pool.mul(tx, ty);
        let mut out = BTreeMap::new();
        compared(&pool, product, 1, &mut out);
        assert!(out.is_empty(), "a product says nothing of one factor");
    }
}
