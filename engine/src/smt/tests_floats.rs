//! Float operations in the solver give what the machine computes, and nothing else.

use super::{Budget, Deadline, Solver};
use crate::term::{FloatOp, Pool, Sort, Term, apply_float, mask};

const TWO: [FloatOp; 6] = [
    FloatOp::Add,
    FloatOp::Sub,
    FloatOp::Mul,
    FloatOp::Div,
    FloatOp::Min,
    FloatOp::Max,
];
const ONE: [FloatOp; 6] = [
    FloatOp::Sqrt,
    FloatOp::Floor,
    FloatOp::Ceil,
    FloatOp::Trunc,
    FloatOp::Round,
    FloatOp::RoundEven,
];

/// Numbers at which operations change: zeros, halves, limits of integers, subnormal ones, infinities, NaN.
fn samples(w: u32) -> Vec<u128> {
    let numbers = [
        0.0,
        -0.0,
        0.5,
        -0.5,
        1.0,
        -1.5,
        2.5,
        255.0,
        255.5,
        -128.7,
        -129.0,
        16_777_217.0,
        2_147_483_648.0,
        -9.3e18,
        1.9e19,
        3.5e38,
        1e-310,
        1e-42,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    let bits = |x: f64| match w {
        32 => u128::from((x as f32).to_bits()),
        _ => u128::from(x.to_bits()),
    };
    numbers.map(bits).to_vec()
}

fn is_nan(bits: u128, w: u32) -> bool {
    match w {
        32 => f32::from_bits(bits as u32).is_nan(),
        _ => f64::from_bits(bits as u64).is_nan(),
    }
}

/// With these arguments the operation has exactly the machine's result; `float`: a NaN has any bits.
fn agrees(op: FloatOp, args: &[u128], from: u32, to: u32, float: bool) {
    let mut p = Pool::new();
    let mut facts: Vec<Term> = vec![];
    let mut vars: Vec<Term> = vec![];
    for &a in args {
        let v = p.fresh("v", Sort::Bv(from));
        let v = p.var(v);
        let c = p.bv(a, from);
        facts.push(p.eq(v, c));
        vars.push(v);
    }
    let result = p.float(op, &vars, to);
    let expected = apply_float(op, args, from, to);
    let value = p.bv(expected, to);
    let same = p.eq(result, value);
    let ask = |fact: Term, p: &Pool| {
        let mut s = Solver::new(&Deadline::after_millis(60_000));
        let all: Vec<Term> = facts.iter().copied().chain([fact]).collect();
        s.check(p, "floats", &all, Budget::millis(60_000))
    };
    let what = format!("{op:?} {args:x?} at {from} to {to}: {expected:x}");
    let zeros =
        matches!(op, FloatOp::Min | FloatOp::Max) && args.iter().all(|a| a & mask(from - 1) == 0);
    assert!(ask(same, &p).is_sat(), "{what}");
    let other = p.not(same);
    if float && is_nan(expected, to) {
        let nan = p.float(FloatOp::IsNan, &[result], 1);
        let number = p.not(nan);
        assert!(ask(number, &p).is_unsat(), "{what}");
    } else if !zeros {
        let answer = ask(other, &p);
        assert!(answer.is_unsat(), "{what}: {answer:?}");
    }
}

#[test]
fn arithmetic_is_that_of_the_machine() {
    // all pairs, and all at 64 bits, take minutes
    for (w, step) in [(32, 1), (64, 6)] {
        let all = samples(w);
        for (n, &x) in all.iter().enumerate().step_by(step) {
            let y = all[(n * 5 + 4) % all.len()];
            for op in TWO {
                agrees(op, &[x, y], w, w, true);
            }
        }
    }
}

#[test]
fn roots_and_roundings_are_those_of_the_machine() {
    for x in samples(32) {
        for op in &ONE[1..] {
            agrees(*op, &[x], 32, 32, true);
        }
    }
    for x in samples(32).into_iter().step_by(5) {
        agrees(FloatOp::Sqrt, &[x], 32, 32, true);
    }
    for x in samples(64).into_iter().step_by(4) {
        for op in &ONE[1..] {
            agrees(*op, &[x], 64, 64, true);
        }
    }
}

#[test]
fn conversions_are_those_of_the_machine() {
    for w in [32, 64] {
        for x in samples(w) {
            agrees(FloatOp::Convert, &[x], w, 96 - w, true);
            for to in [8, 32, 128] {
                agrees(FloatOp::ToSigned, &[x], w, to, false);
                agrees(FloatOp::ToUnsigned, &[x], w, to, false);
            }
        }
        for from in [8, 64, 128] {
            for x in [
                0,
                1,
                100,
                16_777_217,
                u128::MAX,
                u128::MAX >> 1,
                1 << 127,
                1 << 31,
            ] {
                agrees(FloatOp::FromSigned, &[x & mask(from)], from, w, true);
                agrees(FloatOp::FromUnsigned, &[x & mask(from)], from, w, true);
            }
        }
    }
}
