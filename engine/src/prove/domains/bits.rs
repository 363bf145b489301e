//! Known bits, by the masks of the program and by runs of bits that never changed.
//! Congruences by powers of two are affine relations already; those by other numbers need a remainder that the
//! solver does not prove in useful time (measured), so they are not proposed.

use super::{Mentioned, scalars};
use crate::prove::Task;
use crate::prove::concrete::Samples;
use crate::term::{BinOp, Term, mask};
use std::collections::BTreeSet;

const MASKS: usize = 8;

pub fn propose(task: &mut Task, samples: &Samples, mentioned: &Mentioned, out: &mut Vec<Term>) {
    for (i, v, w) in scalars(task, samples) {
        let column = || samples.rows.iter().map(|r| r[i]);
        let ones = column().fold(mask(w), |a, b| a & b);
        let known = !(ones ^ column().fold(0, |a, b| a | b)) & mask(w);
        // A constant is an affine relation.
        if known == mask(w) {
            continue;
        }
        // Zeros at the top are a bound.
        let top = 1 << (w - 1);
        let mut parts: BTreeSet<u128> = runs(known)
            .into_iter()
            .filter(|run| run & top == 0 || ones & run != 0)
            .take(4)
            .collect();
        for m in mentioned.masks.iter().take(MASKS) {
            parts.extend([known & m, known & !m & mask(w)]);
        }
        parts.remove(&0);
        let pool = &mut task.program.pool;
        let x = pool.var(v);
        for part in parts {
            let (m, c) = (pool.bv(part, w), pool.bv(ones & part, w));
            let kept = pool.binary(BinOp::BvAnd, x, m);
            out.push(pool.eq(kept, c));
        }
    }
}

/// The groups of adjacent bits of a mask, from below.
fn runs(mut bits: u128) -> Vec<u128> {
    let mut out = vec![];
    while bits != 0 {
        let low = bits.trailing_zeros();
        let length = (bits >> low).trailing_ones();
        let run = mask(length) << low;
        out.push(run);
        bits &= !run;
    }
    out
}
