//! Reads terms as linear expressions over Z/2^w: `sum of coefficient * atom + constant`.
//!
//! An atom is any subterm that is not itself a sum, difference or multiple; coefficients are numbers mod 2^w.

use crate::term::{BinOp, Node, Pool, Term, UnOp, mask};
use std::collections::BTreeMap;

/// A linear expression of one width; no coefficient is zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Linear {
    pub width: u32,
    pub atoms: BTreeMap<Term, u128>,
    pub constant: u128,
}

impl Linear {
    /// The linear reading of a bit-vector term.
    pub fn of(pool: &Pool, t: Term) -> Linear {
        let width = pool.width(t);
        let mut out = Linear {
            width,
            atoms: BTreeMap::new(),
            constant: 0,
        };
        out.gather(pool, t, 1);
        let m = mask(width);
        out.constant &= m;
        out.atoms.retain(|_, c| {
            *c &= m;
            *c != 0
        });
        out
    }

    fn gather(&mut self, pool: &Pool, root: Term, factor: u128) {
        let mut todo = vec![(root, factor)];
        while let Some((t, f)) = todo.pop() {
            match *pool.node(t) {
                Node::Const(c) => self.constant = self.constant.wrapping_add(c.wrapping_mul(f)),
                Node::Binary(BinOp::Add, a, b) => todo.extend([(a, f), (b, f)]),
                Node::Binary(BinOp::Sub, a, b) => todo.extend([(a, f), (b, f.wrapping_neg())]),
                Node::Unary(UnOp::Neg, a) => todo.push((a, f.wrapping_neg())),
                // ~x = -x - 1
                Node::Unary(UnOp::BvNot, a) => {
                    self.constant = self.constant.wrapping_sub(f);
                    todo.push((a, f.wrapping_neg()));
                }
                Node::Binary(BinOp::Mul, a, b) => match pool.as_const(b) {
                    Some(k) => todo.push((a, f.wrapping_mul(k))),
                    None => self.atom(t, f),
                },
                _ => self.atom(t, f),
            }
        }
    }

    fn atom(&mut self, t: Term, f: u128) {
        let c = self.atoms.entry(t).or_default();
        *c = c.wrapping_add(f);
    }

    /// The expression as a term again.
    pub fn term(&self, pool: &mut Pool) -> Term {
        let mut out = pool.bv(0, self.width);
        for (&t, &c) in &self.atoms {
            let k = pool.bv(c, self.width);
            let p = pool.mul(t, k);
            out = pool.add(out, p);
        }
        let k = pool.bv(self.constant, self.width);
        pool.add(out, k)
    }
}

/// A sum of monomials: sorted factors with a coefficient.
type Monomials = BTreeMap<Vec<Term>, u128>;

const MAX_MONOMIALS: usize = 64;

/// The term with all products of sums multiplied out, in a fixed order: equal polynomials become equal terms.
pub fn expanded(pool: &mut Pool, t: Term) -> Term {
    let w = pool.width(t);
    let Some(sum) = monomials(pool, t, 0) else {
        return t;
    };
    let mut out = pool.bv(0, w);
    let mut constant = pool.bv(0, w);
    for (factors, c) in sum {
        let c = pool.bv(c, w);
        if pool.as_const(c) == Some(0) {
            continue;
        }
        let Some((&head, rest)) = factors.split_first() else {
            constant = c;
            continue;
        };
        let mut p = head;
        for &f in rest {
            p = pool.mul(p, f);
        }
        let p = pool.mul(p, c);
        out = pool.add(out, p);
    }
    pool.add(out, constant)
}

fn monomials(pool: &Pool, t: Term, depth: usize) -> Option<Monomials> {
    if depth > 200 {
        return None;
    }
    let scaled = |m: Monomials, f: u128| -> Monomials {
        m.into_iter().map(|(k, c)| (k, c.wrapping_mul(f))).collect()
    };
    let mut out: Monomials = match *pool.node(t) {
        Node::Const(c) => Monomials::from([(vec![], c)]),
        Node::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) => {
            let mut x = monomials(pool, a, depth + 1)?;
            let mut y = monomials(pool, b, depth + 1)?;
            if op == BinOp::Sub {
                y = scaled(y, u128::MAX);
            }
            for (k, c) in y {
                let e = x.entry(k).or_default();
                *e = e.wrapping_add(c);
            }
            x
        }
        Node::Unary(UnOp::Neg, a) => scaled(monomials(pool, a, depth + 1)?, u128::MAX),
        Node::Binary(BinOp::Mul, a, b) => {
            let x = monomials(pool, a, depth + 1)?;
            let y = monomials(pool, b, depth + 1)?;
            let mut out = Monomials::new();
            for (k1, c1) in &x {
                for (k2, c2) in &y {
                    let mut k = [k1.as_slice(), k2.as_slice()].concat();
                    k.sort();
                    let e = out.entry(k).or_default();
                    *e = e.wrapping_add(c1.wrapping_mul(*c2));
                }
            }
            out
        }
        _ => Monomials::from([(vec![t], 1)]),
    };
    let m = mask(pool.width(t));
    out.retain(|_, c| {
        *c &= m;
        *c != 0
    });
    (out.len() <= MAX_MONOMIALS).then_some(out)
}
