//! Affine relations modulo 2^w, kept as the kernel of the states seen (King/Sondergaard; Elder et al.; Reps/Thakur).
//!
//! Mueller-Olm and Seidl compute all affine relations mod 2^w of affine programs; we get the same module for any
//! program by symbolic abstraction from below: start with the kernel of sampled states, ask the solver for a step
//! that leaves it, shrink the kernel by the state it shows, until no step leaves it. Z/2^w is a chain ring, so a
//! kernel is shrunk exactly by one elimination on the column of smallest 2-adic valuation; the chain of kernels
//! has length at most w * (n + 1).

use crate::term::{Pool, Term, Var, mask};

/// Coefficients beyond this are accidents of few samples, not relations of the program.
const COEFFICIENT: u128 = 64;

/// All rows `a` with `a . (x, 1) = 0 mod 2^w` for every state seen; `basis` generates them.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub w: u32,
    /// The columns: terms over the state, the last column is the constant 1.
    pub columns: Vec<Term>,
    pub basis: Vec<Vec<u128>>,
}

impl Kernel {
    /// Before any state every row is a relation.
    pub fn everything(w: u32, columns: Vec<Term>) -> Kernel {
        let n = columns.len() + 1;
        let basis = (0..n)
            .map(|i| (0..n).map(|j| u128::from(i == j)).collect())
            .collect();
        Kernel { w, columns, basis }
    }

    /// Keeps the relations that hold of this state; true if some were lost.
    pub fn restrict(&mut self, state: &[u128]) -> bool {
        let m = mask(self.w);
        let dot = |row: &[u128]| -> u128 {
            let mut d = row[row.len() - 1];
            for (a, x) in row.iter().zip(state) {
                d = d.wrapping_add(a.wrapping_mul(*x));
            }
            d & m
        };
        let dots: Vec<u128> = self.basis.iter().map(|r| dot(r)).collect();
        let Some(pivot) = (0..dots.len())
            .filter(|&i| dots[i] != 0)
            .min_by_key(|&i| (dots[i].trailing_zeros(), i))
        else {
            return false;
        };
        let v = dots[pivot].trailing_zeros();
        let inverse = crate::term::odd_inverse(dots[pivot] >> v);
        let row = self.basis[pivot].clone();
        for (i, (other, d)) in self.basis.iter_mut().zip(&dots).enumerate() {
            if i != pivot && *d != 0 {
                let q = (d >> v).wrapping_mul(inverse);
                for (a, p) in other.iter_mut().zip(&row) {
                    *a = a.wrapping_sub(q.wrapping_mul(*p)) & m;
                }
            }
        }
        // What is left of the pivot: its multiple that vanishes.
        let lift = self.w - v;
        for a in &mut self.basis[pivot] {
            *a = if lift >= 128 { 0 } else { (*a << lift) & m };
        }
        self.basis.retain(|r| r.iter().any(|a| *a != 0));
        self.normalise();
        true
    }

    /// Echelon form: every generator has a leading column with a power of two, which no later generator uses, and
    /// in which the earlier ones are reduced to the nearest multiple. `5x - 5y = 10` becomes `x - y = 2`, and
    /// `x - (1 + 2^31) y` beside `2^31 y` becomes `x - y`: what a person would write down.
    pub fn normalise(&mut self) {
        let m = mask(self.w);
        let columns = self.columns.len();
        let mut rest = std::mem::take(&mut self.basis);
        let mut done: Vec<(usize, Vec<u128>)> = vec![];
        loop {
            let lead = (0..rest.len())
                .flat_map(|r| (0..columns).map(move |c| (r, c)))
                .filter(|&(r, c)| rest[r][c] != 0)
                .min_by_key(|&(r, c)| (rest[r][c].trailing_zeros(), c, r));
            let Some((r, c)) = lead else { break };
            let mut pivot = rest.swap_remove(r);
            let v = pivot[c].trailing_zeros();
            let unit = crate::term::odd_inverse(pivot[c] >> v);
            for a in &mut pivot {
                *a = a.wrapping_mul(unit) & m;
            }
            for row in &mut rest {
                let q = row[c] >> v;
                for (a, b) in row.iter_mut().zip(&pivot) {
                    *a = a.wrapping_sub(q.wrapping_mul(*b)) & m;
                }
            }
            rest.retain(|row| row.iter().any(|a| *a != 0));
            done.push((c, pivot));
        }
        for k in (1..done.len()).rev() {
            let (c, pivot) = done[k].clone();
            let v = pivot[c].trailing_zeros();
            // To the nearest multiple, so that -1 + 2^v becomes -1 and not 2^v - 1.
            let half = if v == 0 { 0 } else { 1 << (v - 1) };
            for (_, row) in &mut done[..k] {
                let q = (row[c].wrapping_add(half) & m) >> v;
                for (a, b) in row.iter_mut().zip(&pivot) {
                    *a = a.wrapping_sub(q.wrapping_mul(*b)) & m;
                }
            }
        }
        self.basis = done.into_iter().map(|(_, r)| r).chain(rest).collect();
    }

    /// Only what is no accident of few samples.
    pub fn plain(&self) -> Kernel {
        let mut plain = self.clone();
        let m = mask(self.w);
        plain.basis.retain(|r| {
            let (_, coefficients) = r.split_last().unwrap_or((&0, &[]));
            coefficients
                .iter()
                .all(|a| *a <= COEFFICIENT || a.wrapping_neg() & m <= COEFFICIENT)
        });
        plain
    }

    /// The generators as equations, simplified by a common power of two: `2^k (a . x) = 0` says that the
    /// low `w - k` bits of `a . x` are zero.
    pub fn equations(&self, pool: &mut Pool) -> Vec<Term> {
        let mut out = vec![];
        for row in &self.basis {
            let k = row
                .iter()
                .filter(|a| **a != 0)
                .map(|a| a.trailing_zeros())
                .min()
                .unwrap_or(0);
            let w = self.w - k;
            let row = simplest(row.iter().map(|a| (a >> k) & mask(w)).collect(), w);
            let (mut lhs, mut rhs) = (pool.bv(0, w), pool.bv(0, w));
            let last = row.len() - 1;
            for (i, a) in row.into_iter().enumerate() {
                if a == 0 {
                    continue;
                }
                // Negative coefficients go to the other side: x + y = n reads better than x + y - n = 0.
                let negative = a > mask(w) >> 1 && w > 1;
                let c = if negative {
                    a.wrapping_neg() & mask(w)
                } else {
                    a
                };
                let term = if i == last {
                    pool.bv(c, w)
                } else {
                    let x = pool.extract(self.columns[i], 0, w);
                    let c = pool.bv(c, w);
                    pool.mul(x, c)
                };
                if negative {
                    rhs = pool.add(rhs, term);
                } else {
                    lhs = pool.add(lhs, term);
                }
            }
            let t = pool.eq(lhs, rhs);
            if !pool.is_true(t) {
                out.push(t);
            }
        }
        out
    }

    pub fn vars(&self, pool: &Pool) -> Vec<Var> {
        pool.free_vars(&self.columns)
    }
}

/// The equation times the unit that makes its coefficients small: `i + x * 0x55555555 = 0` is `3 * i = x`, and solvers
/// multiply by large numbers bit by bit.
fn simplest(row: Vec<u128>, w: u32) -> Vec<u128> {
    let times =
        |u: u128| -> Vec<u128> { row.iter().map(|a| a.wrapping_mul(u) & mask(w)).collect() };
    let cost = |row: &Vec<u128>| -> u32 {
        let size = |a: u128| 128 - a.min(a.wrapping_neg() & mask(w)).leading_zeros();
        row.iter().map(|a| size(*a)).sum()
    };
    let odd = row.iter().filter(|a| *a & 1 == 1);
    let scaled = odd.map(|a| times(inverse(*a)));
    // The first of the smallest, so that equal programs get equal lemmas.
    scaled
        .chain([times(1)])
        .min_by_key(cost)
        .unwrap_or_default()
}

/// Of an odd number, modulo 2^128.
fn inverse(a: u128) -> u128 {
    let mut x = a;
    // Each step doubles the number of bits that are right; three are at the start.
    for _ in 0..6 {
        x = x.wrapping_mul(2u128.wrapping_sub(a.wrapping_mul(x)));
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prove::concrete::Random;
    use crate::term::Sort;

    /// At width 3 with two columns every row can be enumerated: the basis generates exactly the relations.
    #[test]
    fn units_have_inverses_and_equations_small_numbers() {
        for a in (1..2000u128).step_by(2).chain([u128::MAX, u128::MAX - 2]) {
            assert_eq!(a.wrapping_mul(inverse(a)), 1);
        }
        let third = inverse(3) & mask(32);
        let minus = third.wrapping_neg() & mask(32);
        let small = simplest(vec![1, minus, minus, 0], 32);
        let signed: Vec<i32> = small.iter().map(|a| *a as u32 as i32).collect();
        assert!(
            signed == [-3, 1, 1, 0] || signed == [3, -1, -1, 0],
            "{signed:?}"
        );
    }

    #[test]
    fn the_kernel_is_exact() {
        let mut random = Random::new(5);
        for _ in 0..300 {
            let mut pool = Pool::new();
            let w = 3;
            let columns: Vec<Term> = (0..2)
                .map(|i| {
                    let v = pool.fresh(format!("x{i}"), Sort::Bv(w));
                    pool.var(v)
                })
                .collect();
            let mut k = Kernel::everything(w, columns);
            let states: Vec<Vec<u128>> = (0..1 + random.below(4))
                .map(|_| (0..2).map(|_| u128::from(random.below(8))).collect())
                .collect();
            for s in &states {
                k.restrict(s);
                assert!(!k.restrict(s));
            }
            let mut generated = std::collections::BTreeSet::from([vec![0, 0, 0]]);
            for row in &k.basis {
                let mut next = generated.clone();
                for g in &generated {
                    for f in 0..8u128 {
                        next.insert(g.iter().zip(row).map(|(a, b)| (a + f * b) & 7).collect());
                    }
                }
                generated = next;
            }
            for a in 0..8u128 {
                for b in 0..8u128 {
                    for c in 0..8u128 {
                        let holds = states.iter().all(|s| (a * s[0] + b * s[1] + c) & 7 == 0);
                        assert_eq!(holds, generated.contains(&vec![a, b, c]));
                    }
                }
            }
        }
    }
}
