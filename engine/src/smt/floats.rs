//! Floats in the solver: held as bits; comparisons and classifications by their bit patterns, the rest arbitrary.
//!
//! Order, equality and NaN of IEEE numbers are plain bit-vector formulas. Arithmetic is left to constant folding;
//! what remains symbolic becomes an arbitrary value, which is sound for proofs, and marks the model as inexact.

use super::translate::{Ast, Translator, number};
use crate::term::{FloatOp, Pool, Sort, Term};
use z3::ast::{BV, Bool};

/// The number of mantissa bits of a float of this width.
fn mantissa(w: u32) -> u32 {
    match w {
        16 => 10,
        32 => 23,
        _ => 52,
    }
}

fn is_nan(x: &BV, w: u32) -> Bool {
    let magnitude = x.bvand(number(crate::term::mask(w - 1), w));
    let infinity = crate::term::mask(w - 1) & !crate::term::mask(mantissa(w));
    magnitude.bvugt(number(infinity, w))
}

fn is_zero(x: &BV, w: u32) -> Bool {
    x.bvand(number(crate::term::mask(w - 1), w))
        .eq(number(0, w))
}

/// `x < y` of two numbers that are not NaN: sign and magnitude.
fn less(x: &BV, y: &BV, w: u32) -> Bool {
    let zero = number(0, w);
    let (nx, ny) = (x.bvslt(&zero), y.bvslt(&zero));
    let both_zero = Bool::and(&[&is_zero(x, w), &is_zero(y, w)]);
    let ordered = nx.ite(
        &ny.ite(&y.bvult(x), &Bool::from_bool(true)),
        &ny.ite(&Bool::from_bool(false), &x.bvult(y)),
    );
    Bool::and(&[&both_zero.not(), &ordered])
}

impl Translator {
    pub(super) fn float(
        &mut self,
        pool: &Pool,
        op: FloatOp,
        args: &[Term],
        sort: Sort,
    ) -> Option<Ast> {
        let w = pool.width(args[0]);
        if !matches!(w, 16 | 32 | 64) {
            return None;
        }
        let x = self.bv(args[0]).clone();
        let numbers = |y: &BV| Bool::and(&[&is_nan(&x, w).not(), &is_nan(y, w).not()]);
        let equal = |y: &BV| {
            let both_zero = Bool::and(&[&is_zero(&x, w), &is_zero(y, w)]);
            Bool::or(&[&x.eq(y), &both_zero])
        };
        Some(match op {
            FloatOp::IsNan => Ast::Bool(is_nan(&x, w)),
            FloatOp::Eq => {
                let y = self.bv(args[1]);
                Ast::Bool(Bool::and(&[&numbers(y), &equal(y)]))
            }
            FloatOp::Lt => {
                let y = self.bv(args[1]);
                Ast::Bool(Bool::and(&[&numbers(y), &less(&x, y, w)]))
            }
            FloatOp::Le => {
                let y = self.bv(args[1]);
                let le = Bool::or(&[&equal(y), &less(&x, y, w)]);
                Ast::Bool(Bool::and(&[&numbers(y), &le]))
            }
            // Negation flips the sign bit, of NaN as well.
            FloatOp::Neg if sort == Sort::Bv(w) => Ast::Bv(x.bvxor(number(1u128 << (w - 1), w))),
            _ => return None,
        })
    }
}
