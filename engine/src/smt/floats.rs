//! Floats in the solver: held as bits; comparisons, classifications and conversions to integers by their bit patterns,
//! arithmetic in `float_arithmetic`.
//!
//! What has neither (the remainder) becomes an arbitrary value, which is sound for proofs, and marks the model as inexact.

use super::translate::{Ast, Translator, number};
use crate::term::{FloatOp, Pool, Sort, Term};
use z3::ast::{BV, Bool};

/// The number of mantissa bits of a float of this width.
pub(super) fn mantissa(w: u32) -> u32 {
    match w {
        16 => 10,
        32 => 23,
        _ => 52,
    }
}

pub(super) fn is_nan(x: &BV, w: u32) -> Bool {
    let magnitude = x.bvand(number(crate::term::mask(w - 1), w));
    let infinity = crate::term::mask(w - 1) & !crate::term::mask(mantissa(w));
    magnitude.bvugt(number(infinity, w))
}

fn is_zero(x: &BV, w: u32) -> Bool {
    x.bvand(number(crate::term::mask(w - 1), w))
        .eq(number(0, w))
}

/// `x < y` of two numbers that are not NaN: sign and magnitude.
pub(super) fn less(x: &BV, y: &BV, w: u32) -> Bool {
    let zero = number(0, w);
    let (nx, ny) = (x.bvslt(&zero), y.bvslt(&zero));
    let both_zero = Bool::and(&[&is_zero(x, w), &is_zero(y, w)]);
    let ordered = nx.ite(
        &ny.ite(&y.bvult(x), &Bool::from_bool(true)),
        &ny.ite(&Bool::from_bool(false), &x.bvult(y)),
    );
    Bool::and(&[&both_zero.not(), &ordered])
}

/// Towards zero, at most the limits of the integer, NaN to 0: the significand shifted by the exponent.
fn to_integer(x: &BV, w: u32, out: u32, signed: bool) -> BV {
    let m = mantissa(w);
    let bias = u128::from(crate::term::mask(w - 2 - m) as u32);
    // the significand, shifted to the left by less than `out`
    let wide = (out + m + 2).max(w);
    let exponent = x.extract(w - 2, m).zero_ext(wide - (w - 1 - m));
    let significand = number(1, 1).concat(x.extract(m - 1, 0));
    let significand = significand.zero_ext(wide - (m + 1));
    let below_one = exponent.bvult(limit_of(bias, wide));
    let infinite = x
        .extract(w - 2, m)
        .eq(number(crate::term::mask(w - 1 - m), w - 1 - m));
    let too_large = Bool::or(&[
        infinite,
        exponent.bvuge(limit_of(bias + u128::from(out), wide)),
    ]);
    let shifted = significand.bvshl(exponent.bvsub(limit_of(bias, wide)));
    let magnitude = shifted.bvlshr(limit_of(u128::from(m), wide));
    let negative = x.extract(w - 1, w - 1).eq(number(1, 1));
    let zero = number(0, out);
    let plain = magnitude.extract(out - 1, 0);
    let value = if signed {
        let max = crate::term::mask(out - 1);
        let above =
            |limit: u128| Bool::or(&[too_large.clone(), magnitude.bvugt(limit_of(limit, wide))]);
        let positive = above(max).ite(&number(max, out), &plain);
        let minus = above(max + 1).ite(&number(max + 1, out), &plain.bvneg());
        negative.ite(&minus, &positive)
    } else {
        let positive = too_large.ite(&number(crate::term::mask(out), out), &plain);
        negative.ite(&zero, &positive)
    };
    Bool::or(&[below_one, is_nan(x, w)]).ite(&zero, &value)
}

/// A numeral of more than 128 bits, too.
fn limit_of(value: u128, wide: u32) -> BV {
    match wide {
        129.. => number(value, 128).zero_ext(wide - 128),
        _ => number(value, wide),
    }
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
        if matches!(op, FloatOp::FromSigned | FloatOp::FromUnsigned) {
            return self.float_arithmetic(pool, op, args, sort.width());
        }
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
            FloatOp::ToSigned => Ast::Bv(to_integer(&x, w, sort.width(), true)),
            FloatOp::ToUnsigned => Ast::Bv(to_integer(&x, w, sort.width(), false)),
            _ => return self.float_arithmetic(pool, op, args, sort.width()),
        })
    }
}
