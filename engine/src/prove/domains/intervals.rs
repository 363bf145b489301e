//! Wrapped intervals: `x` goes from `lo` upwards to `hi` and may pass zero. Those that do not wrap, signed or
//! unsigned, are bounds, which others propose.

use super::{Mentioned, scalars};
use crate::prove::Task;
use crate::prove::concrete::Samples;
use crate::term::{Term, mask, to_signed};

const EACH: usize = 6;

pub fn propose(task: &mut Task, samples: &Samples, mentioned: &Mentioned, out: &mut Vec<Term>) {
    for (i, v, w) in scalars(task, samples) {
        let near = mentioned.near(w);
        let mut found: Vec<(u128, u128)> = vec![];
        for &lo in &near {
            let from_lo = |x: u128| x.wrapping_sub(lo) & mask(w);
            let Some(furthest) = samples.rows.iter().map(|r| from_lo(r[i])).max() else {
                continue;
            };
            for &hi in near.iter().filter(|h| **h < lo) {
                let wraps = to_signed(lo, w) > to_signed(hi, w);
                if wraps && from_lo(hi) >= furthest {
                    found.push((from_lo(hi), lo));
                }
            }
        }
        found.sort_unstable();
        let pool = &mut task.program.pool;
        for (size, lo) in found.into_iter().take(EACH) {
            let x = pool.var(v);
            let (lo, size) = (pool.bv(lo, w), pool.bv(size, w));
            let way = pool.sub(x, lo);
            out.push(pool.ule(way, size));
        }
    }
}
