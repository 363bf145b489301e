//! Division without dividing: a bit-blasted divider is what SAT solvers are worst at.
//!
//! By a constant, quotient and remainder are defined by multiplication: `x = q*c + r`, `r < c`, `q <= MAX/c`, `r <= x`.
//! By a term, they are first only bounded (`r < y`, `q <= x`, ...); when a model disagrees with the real quotient, its
//! point is excluded, and after some points the divider is brought in after all. `Unsat` is final at any time. Signed
//! division is that of the magnitudes, with the sign put back (SMT-LIB's own definition).

use super::translate::{Translator, number};
use crate::term::{Pool, Term, mask};
use z3::ast::{BV, Bool};

/// Quotient and remainder of one pair of terms.
pub(super) struct Division {
    pub x: BV,
    pub y: BV,
    pub quotient: BV,
    pub remainder: BV,
    /// Points excluded so far; `None` once the definition is exact.
    points: Option<u32>,
}

const POINTS: u32 = 3;

impl Translator {
    /// The terms that stand for signed `x / y` and `x % y`.
    pub(super) fn divide_signed(&mut self, pool: &Pool, x: Term, y: Term) -> (BV, BV) {
        let zero = number(0, pool.width(x));
        let (x_negative, y_negative) = (self.bv(x).bvslt(&zero), self.bv(y).bvslt(&zero));
        let (q, r) = self.divide(pool, x, y, true);
        let is_negative = x_negative.iff(&y_negative).not();
        (
            is_negative.ite(&q.bvneg(), &q),
            x_negative.ite(&r.bvneg(), &r),
        )
    }

    /// The constants that stand for `x / y` and `x % y`, of the magnitudes if they are signed.
    pub(super) fn divide(&mut self, pool: &Pool, x: Term, y: Term, signed: bool) -> (BV, BV) {
        if let Some(&n) = self.divided.get(&(x, y, signed)) {
            let d = &self.divisions[n];
            return (d.quotient.clone(), d.remainder.clone());
        }
        let w = pool.width(x);
        let magnitude = |t: Term| {
            let t = self.bv(t).clone();
            match signed {
                true => t.bvslt(number(0, w)).ite(&t.bvneg(), &t),
                false => t,
            }
        };
        let (bx, by) = (magnitude(x), magnitude(y));
        let constant = pool.as_const(y).map(|c| match signed && c >> (w - 1) == 1 {
            true => c.wrapping_neg() & mask(w),
            false => c,
        });
        let q = BV::new_const(self.fresh_name(), w);
        let r = BV::new_const(self.fresh_name(), w);
        let zero = number(0, w);
        let facts = match constant {
            Some(0) => vec![q.eq(number(mask(w), w)), r.eq(&bx)],
            Some(c) => vec![
                bx.eq(q.bvmul(number(c, w)).bvadd(&r)),
                r.bvult(number(c, w)),
                q.bvule(number(mask(w) / c, w)),
                // the sum does not wrap: 9 bits have no 170 * 3 + 2
                r.bvule(&bx),
            ],
            None => {
                let by_zero = by.eq(&zero);
                let less = bx.bvult(&by);
                vec![
                    by_zero.implies(Bool::and(&[q.eq(number(mask(w), w)), r.eq(&bx)])),
                    Bool::or(&[&by_zero, &r.bvult(&by)]),
                    Bool::or(&[&by_zero, &q.bvule(&bx)]),
                    r.bvule(&bx),
                    Bool::or(&[
                        by_zero.clone(),
                        less.not(),
                        Bool::and(&[q.eq(&zero), r.eq(&bx)]),
                    ]),
                    Bool::or(&[
                        by_zero.clone(),
                        less.clone(),
                        Bool::and(&[q.eq(&zero).not(), r.bvule(bx.bvsub(&by))]),
                    ]),
                    by.eq(number(1, w)).implies(q.eq(&bx)),
                ]
            }
        };
        self.definitions.extend(facts);
        self.divided.insert((x, y, signed), self.divisions.len());
        self.divisions.push(Division {
            x: bx,
            y: by,
            quotient: q.clone(),
            remainder: r.clone(),
            points: match constant {
                Some(_) => None,
                None => Some(0),
            },
        });
        (q, r)
    }

    /// Brings a division closer to the truth after a model in which it is wrong.
    pub(super) fn refine_division(&mut self, n: usize, x: u128, y: u128) {
        let d = &mut self.divisions[n];
        let w = d.x.get_size();
        let Some(points) = d.points else { return };
        if points < POINTS && y != 0 {
            d.points = Some(points + 1);
            let here = Bool::and(&[d.x.eq(number(x, w)), d.y.eq(number(y, w))]);
            let value = Bool::and(&[
                d.quotient.eq(number(x / y, w)),
                d.remainder.eq(number(x % y, w)),
            ]);
            self.definitions.push(here.implies(value));
        } else {
            d.points = None;
            self.definitions.push(d.quotient.eq(d.x.bvudiv(&d.y)));
            self.definitions.push(d.remainder.eq(d.x.bvurem(&d.y)));
        }
    }
}
