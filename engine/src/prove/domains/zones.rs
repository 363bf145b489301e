//! Zones: the difference of two variables lies between constants of the program.

use super::{Mentioned, scalars};
use crate::prove::Task;
use crate::prove::concrete::Samples;
use crate::term::{Term, mask, to_signed};

pub fn propose(task: &mut Task, samples: &Samples, mentioned: &Mentioned, out: &mut Vec<Term>) {
    let all = scalars(task, samples);
    let all = &all[..all.len().min(9)];
    for (n, &(i, x, w)) in all.iter().enumerate() {
        let mut near: Vec<i128> = vec![0];
        for c in mentioned.near(w) {
            let c = to_signed(c, w);
            near.extend([c, c.wrapping_neg()]);
        }
        near.sort_unstable();
        near.dedup();
        for &(j, y, _) in all[n + 1..].iter().filter(|o| o.2 == w) {
            let apart = samples
                .rows
                .iter()
                .map(|r| to_signed(r[i].wrapping_sub(r[j]) & mask(w), w));
            let (Some(min), Some(max)) = (apart.clone().min(), apart.max()) else {
                continue;
            };
            // A fixed difference is an affine relation.
            if min == max {
                continue;
            }
            let below: Vec<i128> = near.iter().rev().copied().filter(|c| *c <= min).collect();
            let above: Vec<i128> = near.iter().copied().filter(|c| *c >= max).collect();
            let pool = &mut task.program.pool;
            for (a, &lo) in below.iter().take(2).enumerate() {
                for &hi in above.iter().take(2 - a) {
                    let size = hi.wrapping_sub(lo) as u128 & mask(w);
                    // More than half of all numbers is no zone.
                    if size > mask(w) >> 1 {
                        continue;
                    }
                    let (tx, ty) = (pool.var(x), pool.var(y));
                    let (lo, size) = (pool.bv(lo as u128 & mask(w), w), pool.bv(size, w));
                    let apart = pool.sub(tx, ty);
                    let above = pool.sub(apart, lo);
                    out.push(pool.ule(above, size));
                }
            }
        }
    }
}
