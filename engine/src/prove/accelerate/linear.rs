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
