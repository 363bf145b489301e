//! Programs that k-induction and the domains decide on their own, and near ones that must not be proved.

use super::Verdict;
use super::portfolio::{Answer, Settings, prove};
use super::tests::{Build, S};
use crate::program::Program;
use crate::term::{BinOp, Sort};
use std::time::Duration;

fn by(program: &Program, engine: &str) -> Answer {
    let settings = Settings {
        timeout: Duration::from_secs(60),
        engines: vec!["concrete".to_string(), engine.to_string()],
        ..Settings::default()
    };
    prove(program, &settings)
}

/// Three values in a row; what is drawn is asserted two rounds later.
fn delay_line(assumed: bool) -> Program {
    let mut b = Build::new();
    let sort = Sort::Bv(8);
    let (_, n) = b.input("n", sort);
    let [(i, ti), (x, tx), (y, ty), (z, tz)] = ["i", "x", "y", "z"].map(|v| b.var(v, sort));
    let pool = &mut b.p.pool;
    let (zero, one, three) = (pool.bv(0, 8), pool.bv(1, 8), pool.bv(3, 8));
    let (five, four) = (pool.bv(5, 8), pool.bv(4, 8));
    let mut good = |v| {
        let shifted = pool.binary(BinOp::Lshr, v, three);
        let mixed = pool.binary(BinOp::BvXor, v, shifted);
        let some = pool.binary(BinOp::BvAnd, mixed, five);
        let bad = pool.eq(some, four);
        pool.not(bad)
    };
    let (first, last) = (good(tx), good(tz));
    let (more, next) = (pool.ult(ti, n), pool.add(ti, one));
    let mut round = vec![S::Assert(first), S::Set(x, ty), S::Set(y, tz), S::Any(z)];
    if assumed {
        round.push(S::Assume(last));
    }
    round.push(S::Set(i, next));
    let start = [i].map(|v| S::Set(v, zero)).into_iter();
    let start = start.chain([x, y, z].map(|v| S::Set(v, one)));
    let body = start.chain([S::While(more, round)]).collect();
    b.finish(body)
}

#[test]
fn what_holds_after_two_more_rounds_is_proved() {
    let answer = by(&delay_line(true), "k-induction");
    assert!(matches!(answer.verdict, Verdict::Safe(_)));
    assert_eq!(answer.engine, "k-induction");
    let answer = by(&delay_line(false), "k-induction");
    assert!(matches!(answer.verdict, Verdict::Unsafe(_)));
}

/// `j` follows `i` at a distance below `limit`; the distance is asserted a round later.
fn followers(limit: u128) -> Program {
    let mut b = Build::new();
    let sort = Sort::Bv(8);
    let (_, n) = b.input("n", sort);
    let [(i, ti), (j, tj), (gap, tgap)] = ["i", "j", "gap"].map(|v| b.var(v, sort));
    let (go, tgo) = b.var("go", Sort::Bool);
    let pool = &mut b.p.pool;
    let (zero, one, three) = (pool.bv(0, 8), pool.bv(1, 8), pool.bv(3, 8));
    let limit = pool.bv(limit, 8);
    let apart = pool.sub(ti, tj);
    let (small, room) = (pool.ule(tgap, three), pool.ult(apart, limit));
    let (behind, more) = (pool.ult(tj, ti), pool.ult(ti, n));
    let follow = pool.and(tgo, behind);
    let (up, follows) = (pool.add(ti, one), pool.add(tj, one));
    let lead = S::If(room, vec![S::Set(i, up)], vec![]);
    let round = vec![
        S::Assert(small),
        S::Set(gap, apart),
        S::Any(go),
        S::If(follow, vec![S::Set(j, follows)], vec![lead]),
    ];
    let start = [i, j, gap].map(|v| S::Set(v, zero)).into_iter();
    let body = start.chain([S::While(more, round)]).collect();
    b.finish(body)
}

#[test]
fn differences_of_two_variables_are_bounded() {
    let answer = by(&followers(3), "domains");
    assert!(matches!(answer.verdict, Verdict::Safe(_)));
    assert_eq!(answer.engine, "domains");
    let answer = by(&followers(4), "domains");
    assert!(matches!(answer.verdict, Verdict::Unsafe(_)));
}
