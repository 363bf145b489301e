//! The solver against the evaluator: models evaluate to true, and what is unsat has no small solution.

use super::*;
use crate::term::{BinOp, FastMap, Pool, Sort, Value};

fn deadline() -> Deadline {
    Deadline::after_millis(20_000)
}

#[test]
fn a_model_satisfies_what_was_asked() {
    let mut p = Pool::new();
    for w in [3u32, 8, 32, 64, 65, 128] {
        let (x, y) = (p.fresh("x", Sort::Bv(w)), p.fresh("y", Sort::Bv(w)));
        let (tx, ty) = (p.var(x), p.var(y));
        let prod = p.mul(tx, ty);
        let k = p.bv(35 & crate::term::mask(w), w);
        let (one, few) = (p.bv(1, w), p.bv(7, w));
        let small = p.ule(tx, few);
        let e = p.eq(prod, k);
        let gx = p.ult(one, tx);
        let gy = p.ult(one, ty);
        let no = p.binary(BinOp::UmulOverflows, tx, ty);
        let fits = p.not(no);
        let mut s = Solver::new(&deadline());
        let ask = if w == 3 {
            vec![e, gx, gy]
        } else {
            vec![e, gx, gy, fits, small]
        };
        let Answer::Sat(m) = s.check(&p, "test", &ask, Budget::millis(5000)) else {
            panic!("width {w}");
        };
        for t in ask {
            assert!(p.eval_bool(t, &m), "width {w}: {}", p.show(t));
        }
    }
}

#[test]
fn cores_name_the_assumptions_that_clash() {
    let mut p = Pool::new();
    let x = p.fresh("x", Sort::Bv(32));
    let x = p.var(x);
    let (three, five, nine) = (p.bv(3, 32), p.bv(5, 32), p.bv(9, 32));
    let low = p.ult(x, three);
    let high = p.ult(five, x);
    let other = p.ult(x, nine);
    let mut s = Solver::new(&deadline());
    assert!(
        s.check(&p, "test", &[other, low], Budget::millis(1000))
            .is_sat()
    );
    assert!(
        s.check(&p, "test", &[other, low, high], Budget::millis(1000))
            .is_unsat()
    );
    assert!(s.core().contains(&low) && s.core().contains(&high));
    assert!(s.check(&p, "test", &[high], Budget::millis(1000)).is_sat());
}

#[test]
fn reads_of_one_place_agree() {
    let mut p = Pool::new();
    let a = p.fresh("a", Sort::Array { index: 8, elem: 8 });
    let ta = p.var(a);
    let idx: Vec<_> = (0..12)
        .map(|n| {
            let v = p.fresh(format!("i{n}"), Sort::Bv(8));
            p.var(v)
        })
        .collect();
    let reads: Vec<_> = idx.iter().map(|&i| p.select(ta, i)).collect();
    let e = p.eq(idx[0], idx[11]);
    let same = p.eq(reads[0], reads[11]);
    let differ = p.not(same);
    for mut s in [
        Solver::new(&deadline()),
        Solver::with_functions(&deadline()),
    ] {
        // All reads are known to the solver before the question.
        let distinct: Vec<_> = (0..11)
            .map(|i| {
                let t = p.eq(reads[i], reads[i + 1]);
                p.not(t)
            })
            .collect();
        let Answer::Sat(m) = s.check(&p, "test", &distinct, Budget::millis(2000)) else {
            panic!()
        };
        assert!(distinct.iter().all(|&t| p.eval_bool(t, &m)));
        assert!(
            s.check(&p, "test", &[e, differ], Budget::millis(2000))
                .is_unsat()
        );
        assert!(
            s.check(&p, "test", &[differ], Budget::millis(2000))
                .is_sat()
        );
    }
}

#[test]
fn a_budget_that_runs_out_is_no_answer() {
    let mut p = Pool::new();
    let w = 64;
    let (x, y) = (p.fresh("x", Sort::Bv(w)), p.fresh("y", Sort::Bv(w)));
    let (x, y) = (p.var(x), p.var(y));
    let prod = p.mul(x, y);
    let k = p.bv(0xd6e8_feb8_6659_fd93 | 1, w);
    let e = p.eq(prod, k);
    let no = p.binary(BinOp::UmulOverflows, x, y);
    let fits = p.not(no);
    let one = p.bv(1, w);
    let (gx, gy) = (p.ult(one, x), p.ult(one, y));
    let mut s = Solver::new(&deadline());
    let answer = s.check(
        &p,
        "test",
        &[e, fits, gx, gy],
        Budget {
            millis: 30,
            rlimit: 0,
        },
    );
    assert!(matches!(answer, Answer::Unknown(Why::Budget)));
    let stats = take_stats();
    assert_eq!(stats["test"].unknown, 1);
}

#[test]
fn a_cancelled_query_ends_at_once() {
    for functions in [false, true] {
        let mut p = Pool::new();
        let w = 96;
        let (x, y) = (p.fresh("x", Sort::Bv(w)), p.fresh("y", Sort::Bv(w)));
        let (x, y) = (p.var(x), p.var(y));
        let prod = p.mul(x, y);
        let k = p.bv((1 << 89) - 1, w) /* a prime */;
        let e = p.eq(prod, k);
        let no = p.binary(BinOp::UmulOverflows, x, y);
        let fits = p.not(no);
        let one = p.bv(1, w);
        let (gx, gy) = (p.ult(one, x), p.ult(one, y));
        let all = Deadline::after_millis(60_000);
        let other = all.clone();
        let ender = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(300));
            other.cancel();
        });
        let mut s = if functions {
            Solver::with_functions(&all)
        } else {
            Solver::new(&all)
        };
        let start = std::time::Instant::now();
        let answer = s.check(&p, "cancelled", &[e, fits, gx, gy], Budget::millis(60_000));
        assert!(
            matches!(answer, Answer::Unknown(Why::Deadline)),
            "{answer:?} after {:?}",
            start.elapsed()
        );
        assert!(start.elapsed().as_secs() < 20, "not interrupted");
        ender.join().expect("the ender ends");
    }
    let stats = take_stats();
    assert_eq!(stats["cancelled"].unknown, 2);
    assert!(stats["cancelled"].resources > 0);
}

#[test]
fn float_orders_are_those_of_the_machine() {
    use crate::term::FloatOp;
    let mut p = Pool::new();
    let (x, y) = (p.fresh("x", Sort::Bv(64)), p.fresh("y", Sort::Bv(64)));
    let (tx, ty) = (p.var(x), p.var(y));
    let samples = [
        0.0,
        -0.0,
        1.5,
        -1.5,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        1e-310,
    ];
    for op in [FloatOp::Lt, FloatOp::Le, FloatOp::Eq] {
        let t = p.float(op, &[tx, ty], 1);
        for a in samples {
            for b in samples {
                let (ca, cb) = (
                    p.bv(u128::from(a.to_bits()), 64),
                    p.bv(u128::from(b.to_bits()), 64),
                );
                let (ea, eb) = (p.eq(tx, ca), p.eq(ty, cb));
                let mut env: FastMap<_, Value> = FastMap::default();
                env.insert(x, Value::Bits(u128::from(a.to_bits())));
                env.insert(y, Value::Bits(u128::from(b.to_bits())));
                let expected = p.eval_bool(t, &env);
                let mut s = Solver::new(&deadline());
                let got = s
                    .check(&p, "test", &[t, ea, eb], Budget::millis(1000))
                    .is_sat();
                assert_eq!(got, expected, "{op:?} {a} {b}");
            }
        }
    }
}

#[test]
fn quotients_are_those_of_the_machine() {
    let mut p = Pool::new();
    for w in [9u32, 16, 64] {
        let (x, y) = (p.fresh("x", Sort::Bv(w)), p.fresh("y", Sort::Bv(w)));
        let (tx, ty) = (p.var(x), p.var(y));
        let (q, r) = (p.binary(BinOp::Udiv, tx, ty), p.binary(BinOp::Urem, tx, ty));
        for (a, b) in [
            (0u128, 0u128),
            (7, 0),
            (7, 1),
            (7, 2),
            (255, 16),
            (300, 7),
            (5, 300),
        ] {
            for wrong in [false, true] {
                let (a, b) = (a & crate::term::mask(w), b & crate::term::mask(w));
                let mut env: FastMap<_, Value> = FastMap::default();
                env.insert(x, Value::Bits(a));
                env.insert(y, Value::Bits(b));
                let (vq, vr) = (p.eval_bits(q, &env), p.eval_bits(r, &env));
                let (ca, cb) = (p.bv(a, w), p.bv(b, w));
                let (cq, cr) = (p.bv(vq, w), p.bv(vr + u128::from(wrong), w));
                let eqs = [p.eq(tx, ca), p.eq(ty, cb), p.eq(q, cq), p.eq(r, cr)];
                let mut s = Solver::new(&deadline());
                let got = s.check(&p, "test", &eqs, Budget::millis(4000));
                assert_eq!(got.is_sat(), !wrong, "{a} {b} at {w}");
                assert_eq!(got.is_unsat(), wrong, "{a} {b} at {w}");
            }
        }
        let three = p.bv(3, w);
        let (q, r) = (
            p.binary(BinOp::Udiv, tx, three),
            p.binary(BinOp::Urem, tx, three),
        );
        let back = p.mul(q, three);
        let back = p.add(back, r);
        let e = p.eq(back, tx);
        let ne = p.not(e);
        let mut s = Solver::new(&deadline());
        assert!(s.check(&p, "test", &[ne], Budget::millis(4000)).is_unsat());
        let (small, k) = (p.ult(r, three), p.bv(crate::term::mask(w) / 3, w));
        let big = p.not(small);
        assert!(s.check(&p, "test", &[big], Budget::millis(4000)).is_unsat());
        let top = p.eq(q, k);
        let start = std::time::Instant::now();
        let got = s.check(&p, "test", &[top], Budget::millis(4000));
        assert!(got.is_sat(), "{got:?} at {w} {:?}", start.elapsed());
    }
}

/// Only that products are the same ones is needed; what needs more is not refuted by mistake.
#[test]
fn products_may_be_unknowns() {
    let mut p = Pool::new();
    let [low, high, n] = ["low", "high", "n"].map(|v| p.fresh(v, Sort::Bv(64)));
    let [low, high, n] = [low, high, n].map(|v| p.var(v));
    let one = p.bv(1, 64);
    let next = p.add(low, one);
    let (square, squared_next) = (p.mul(high, high), p.mul(next, next));
    let above = p.ult(n, square);
    let not_above = p.ule(squared_next, n);
    let ask =
        |p: &Pool, terms: &[crate::term::Term]| super::opaque::refute(p, terms, 5000, |ask| ask());
    let equal = p.eq(high, next);
    assert!(ask(&p, &[above, not_above, equal]));
    assert!(!ask(&p, &[above, not_above]));
    // true of no product, which is not looked at
    let two = p.bv(2, 64);
    let bit = p.bv(3, 64);
    let rest = p.binary(BinOp::BvAnd, square, bit);
    let never = p.eq(rest, two);
    assert!(!ask(&p, &[never]));
    let mut s = Solver::new(&deadline());
    let answer = s.check(&p, "test", &[above, not_above, equal], Budget::millis(5000));
    assert!(answer.is_unsat());
}
