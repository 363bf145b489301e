//! Random programs of few bits, all of whose runs are made: against a search over all their states.

use super::*;
use crate::prove::certify;
use crate::prove::tests::{Build, S, brute_force, random_program};

fn decided(program: &Program) -> Option<bool> {
    let deadline = Deadline::after(std::time::Duration::from_secs(60));
    let mut task = slice::slice(program.clone());
    let found = exhaust(&mut task, 2000, &deadline)?;
    match certify::certify(&task, "exhaust", found, &deadline) {
        Verdict::Safe(_) => Some(false),
        Verdict::Unsafe(_) => Some(true),
        Verdict::Unknown(reason) => panic!("{reason:?}"),
    }
}

#[test]
fn random_programs() {
    let (mut safe, mut found) = (0, 0);
    for seed in 0..400 {
        let (program, w) = random_program(seed);
        if let Some(is_unsafe) = decided(&program) {
            assert_eq!(is_unsafe, brute_force(&program, w), "{seed}");
            safe += usize::from(!is_unsafe);
            found += usize::from(is_unsafe);
        }
    }
    assert!(safe >= 20 && found >= 20, "{safe} safe, {found} unsafe");
}

/// `n = any(); assume(n < bound); n += add; assert(n != bad)`, at 64 bits.
fn drawn(bound: u128, add: u128, bad: u128) -> Program {
    let mut b = Build::new();
    let (v, n) = b.var("n", Sort::Bv(64));
    let pool = &mut b.p.pool;
    let [bound, add, bad] = [bound, add, bad].map(|c| pool.bv(c, 64));
    let few = pool.ult(n, bound);
    let sum = pool.add(n, add);
    let is_bad = pool.eq(n, bad);
    let fine = pool.not(is_bad);
    b.finish(vec![
        S::Any(v),
        S::Assume(few),
        S::Set(v, sum),
        S::Assert(fine),
    ])
}

#[test]
fn an_assumption_behind_a_draw_bounds_it() {
    assert_eq!(decided(&drawn(8, 3, 11)), Some(false));
    assert_eq!(decided(&drawn(8, 3, 10)), Some(true));
    // Nobody makes so many runs.
    assert_eq!(decided(&drawn(8_000_000, 3, 2)), None);
    // None at all: every run is excluded.
    assert_eq!(decided(&drawn(0, 3, 3)), Some(false));
}

/// An assumption that comes too late, or speaks of another value of the variable, is none of the draw's.
#[test]
fn only_what_is_right_behind_a_draw_counts() {
    let mut b = Build::new();
    let (v, n) = b.var("n", Sort::Bv(32));
    let pool = &mut b.p.pool;
    let (four, far) = (pool.bv(4, 32), pool.bv(1000, 32));
    let few = pool.ult(n, four);
    let is_far = pool.eq(n, far);
    let fine = pool.not(is_far);
    // The first value is not bounded by what is assumed of the second.
    let program = b.finish(vec![S::Any(v), S::Assert(fine), S::Any(v), S::Assume(few)]);
    assert_eq!(decided(&program), None);
}
