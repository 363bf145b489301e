//! Equations between polynomials in one normal form: everything on one side, multiplied out, in one order.
//!
//! A bit-blasting solver cannot see that `(i + 1) * (i + 1)` is `i * i + 2 * i + 1`. Multiplied out, a polynomial
//! invariant after a step and before it differ by terms that cancel, and the step is proved without arithmetic.

use crate::term::{BinOp, Node, Pool, Term, UnOp, mask};
use std::collections::BTreeMap;

/// A product of terms in the order of their handles -> its coefficient, which is not 0.
pub(super) type Polynomial = BTreeMap<Vec<Term>, u128>;

/// Beyond these the normal form is larger than what it helps.
const MAX_MONOMIALS: usize = 24;
const MAX_DEGREE: usize = 4;
const MAX_DEPTH: u32 = 40;

/// `a - b` multiplied out; `None` where both are linear, or too large.
pub(super) fn difference(pool: &Pool, a: Term, b: Term) -> Option<Polynomial> {
    let w = pool.width(a);
    if !multiplies(pool, a, MAX_DEPTH) && !multiplies(pool, b, MAX_DEPTH) {
        return None;
    }
    let mut out = expand(pool, a, MAX_DEPTH)?;
    for (m, c) in expand(pool, b, MAX_DEPTH)? {
        add(&mut out, m, c.wrapping_neg(), w);
    }
    if out.len() > MAX_MONOMIALS {
        return None;
    }
    // Of an equation and its negative one is chosen, by what does not depend on names: the same law of two variables
    // must look the same.
    let leading = out.iter().max_by_key(|(m, _)| (m.len(), *m));
    if leading.is_some_and(|(_, c)| *c > mask(w) / 2) {
        for c in out.values_mut() {
            *c = c.wrapping_neg() & mask(w);
        }
    }
    Some(out)
}

/// Is there a product of two terms that are not constants?
fn multiplies(pool: &Pool, t: Term, depth: u32) -> bool {
    if depth == 0 {
        return false;
    }
    match *pool.node(t) {
        Node::Unary(UnOp::Neg, a) => multiplies(pool, a, depth - 1),
        Node::Binary(BinOp::Add | BinOp::Sub, a, b) => {
            multiplies(pool, a, depth - 1) || multiplies(pool, b, depth - 1)
        }
        Node::Binary(BinOp::Mul, a, b) => {
            (pool.as_const(a).is_none() && pool.as_const(b).is_none())
                || multiplies(pool, a, depth - 1)
                || multiplies(pool, b, depth - 1)
        }
        Node::Binary(BinOp::Shl, a, n) => {
            pool.as_const(n).is_some() && multiplies(pool, a, depth - 1)
        }
        _ => false,
    }
}

fn add(to: &mut Polynomial, monomial: Vec<Term>, coefficient: u128, w: u32) {
    let c = to.entry(monomial).or_insert(0);
    *c = c.wrapping_add(coefficient) & mask(w);
    to.retain(|_, c| *c != 0);
}

fn expand(pool: &Pool, t: Term, depth: u32) -> Option<Polynomial> {
    let w = pool.width(t);
    let atom = || Some(Polynomial::from([(vec![t], 1)]));
    if depth == 0 {
        return atom();
    }
    let mut out = Polynomial::new();
    match *pool.node(t) {
        Node::Const(c) => add(&mut out, vec![], c, w),
        Node::Unary(UnOp::Neg, a) => {
            for (m, c) in expand(pool, a, depth - 1)? {
                add(&mut out, m, c.wrapping_neg(), w);
            }
        }
        Node::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) => {
            out = expand(pool, a, depth - 1)?;
            for (m, c) in expand(pool, b, depth - 1)? {
                let c = if op == BinOp::Sub {
                    c.wrapping_neg()
                } else {
                    c
                };
                add(&mut out, m, c, w);
            }
        }
        Node::Binary(BinOp::Mul, a, b) => {
            let (a, b) = (expand(pool, a, depth - 1)?, expand(pool, b, depth - 1)?);
            if a.len() * b.len() > MAX_MONOMIALS {
                return None;
            }
            for (m, c) in &a {
                for (n, d) in &b {
                    let mut product = [m.as_slice(), n.as_slice()].concat();
                    product.sort();
                    if product.len() > MAX_DEGREE {
                        return None;
                    }
                    add(&mut out, product, c.wrapping_mul(*d), w);
                }
            }
        }
        Node::Binary(BinOp::Shl, a, n) => match pool.as_const(n) {
            Some(n) if n < u128::from(w) => {
                for (m, c) in expand(pool, a, depth - 1)? {
                    add(&mut out, m, c.wrapping_shl(n as u32), w);
                }
            }
            _ => return atom(),
        },
        _ => return atom(),
    }
    (out.len() <= MAX_MONOMIALS).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Sort, Value};

    /// The normal form has the value of the difference, up to its sign, on all values of two small variables.
    #[test]
    fn a_normal_form_keeps_the_zeros() {
        const W: u32 = 4;
        let mut pool = Pool::new();
        let [x, y] = ["x", "y"].map(|n| {
            let v = pool.fresh(n, Sort::Bv(W));
            pool.var(v)
        });
        let mut leaves = vec![x, y];
        leaves.extend([1, 7, 15].map(|c| pool.bv(c, W)));
        let mut seed = 7_u64;
        let mut next = |n: usize| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1);
            (seed >> 33) as usize % n
        };
        let mut normalised = 0;
        for _ in 0..400 {
            let mut terms = leaves.clone();
            for _ in 0..5 {
                let (a, b) = (terms[next(terms.len())], terms[next(terms.len())]);
                let t = match next(5) {
                    0 => pool.add(a, b),
                    1 => pool.sub(a, b),
                    2 => pool.neg(a),
                    _ => pool.mul(a, b),
                };
                terms.push(t);
            }
            let (a, b) = (terms[terms.len() - 1], terms[terms.len() - 2]);
            let Some(p) = difference(&pool, a, b) else {
                continue;
            };
            normalised += 1;
            for (vx, vy) in (0..16).flat_map(|x| (0..16).map(move |y| (x, y))) {
                let env: Vec<Value> = vec![Value::Bits(vx), Value::Bits(vy)];
                let sum: u128 = p.iter().fold(0, |sum, (m, c)| {
                    let product = m
                        .iter()
                        .fold(*c, |p, t| p.wrapping_mul(pool.eval_bits(*t, &env)));
                    sum.wrapping_add(product)
                });
                let equal = pool.eval_bits(a, &env) == pool.eval_bits(b, &env);
                assert_eq!(sum & mask(W) == 0, equal, "{}", pool.show(a));
            }
        }
        assert!(normalised > 50, "only {normalised} were products");
    }

    #[test]
    fn a_step_of_a_sum_cancels() {
        let mut pool = Pool::new();
        let [i, s] = ["i", "s"].map(|n| {
            let v = pool.fresh(n, Sort::Bv(64));
            pool.var(v)
        });
        let (one, two) = (pool.bv(1, 64), pool.bv(2, 64));
        let law = |pool: &mut Pool, i, s| {
            let square = pool.mul(i, i);
            let twice = pool.mul(s, two);
            let right = pool.add(i, twice);
            difference(pool, square, right)
        };
        let before = law(&mut pool, i, s);
        let after = pool.add(i, one);
        let sum = pool.add(s, i);
        assert_eq!(law(&mut pool, after, sum), before);
        assert!(before.is_some());
        assert_ne!(law(&mut pool, after, s), before);
    }
}
