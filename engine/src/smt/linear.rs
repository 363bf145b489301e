//! A term as a sum of others with constant factors, modulo the width.

use crate::term::{BinOp, Node, Pool, Term, UnOp, mask};
use std::collections::BTreeMap;

/// `constant + sum of factor * part`; no factor is 0.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Sum {
    pub parts: BTreeMap<Term, u128>,
    pub constant: u128,
}

/// Deeper sums are taken apart in pieces.
const MAX_DEPTH: u32 = 64;

/// The sum that a term is; nothing for terms that are no sums.
pub(super) fn sum(pool: &Pool, t: Term) -> Option<Sum> {
    if !is_sum(pool, t) {
        return None;
    }
    let mut out = Sum::default();
    add(pool, t, 1, MAX_DEPTH, &mut out);
    let m = mask(pool.width(t));
    out.constant &= m;
    for c in out.parts.values_mut() {
        *c &= m;
    }
    out.parts.retain(|_, c| *c != 0);
    Some(out)
}

fn is_sum(pool: &Pool, t: Term) -> bool {
    match pool.node(t) {
        Node::Unary(UnOp::Neg | UnOp::BvNot, _) => true,
        Node::Binary(BinOp::Add | BinOp::Sub, ..) => true,
        Node::Binary(BinOp::Mul, a, b) => {
            pool.as_const(*a).is_some() || pool.as_const(*b).is_some()
        }
        Node::Binary(BinOp::Shl, a, n) => {
            (pool.as_const(*n)).is_some_and(|n| n < u128::from(pool.width(*a)))
        }
        _ => false,
    }
}

/// Adds `factor * t`.
fn add(pool: &Pool, t: Term, factor: u128, depth: u32, out: &mut Sum) {
    if let Some(c) = pool.as_const(t) {
        out.constant = out.constant.wrapping_add(c.wrapping_mul(factor));
        return;
    }
    if depth > 0 && is_sum(pool, t) {
        let minus = factor.wrapping_neg();
        match *pool.node(t) {
            Node::Unary(UnOp::Neg, a) => return add(pool, a, minus, depth - 1, out),
            Node::Unary(UnOp::BvNot, a) => {
                out.constant = out.constant.wrapping_add(minus);
                return add(pool, a, minus, depth - 1, out);
            }
            Node::Binary(BinOp::Add, a, b) => {
                add(pool, a, factor, depth - 1, out);
                return add(pool, b, factor, depth - 1, out);
            }
            Node::Binary(BinOp::Sub, a, b) => {
                add(pool, a, factor, depth - 1, out);
                return add(pool, b, minus, depth - 1, out);
            }
            Node::Binary(BinOp::Mul, a, b) => {
                let (c, other) = match (pool.as_const(a), pool.as_const(b)) {
                    (Some(c), _) => (c, b),
                    (_, Some(c)) => (c, a),
                    _ => (1, t),
                };
                if other != t {
                    return add(pool, other, factor.wrapping_mul(c), depth - 1, out);
                }
            }
            Node::Binary(BinOp::Shl, a, n) => {
                if let Some(n) = pool.as_const(n) {
                    return add(pool, a, factor.wrapping_shl(n as u32), depth - 1, out);
                }
            }
            _ => {}
        }
    }
    let part = out.parts.entry(t).or_default();
    *part = part.wrapping_add(factor);
}
