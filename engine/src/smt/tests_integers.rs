//! The integers against all values: at width 3 every refutation of a random question is right, and a question of
//! sums and comparisons that has no answer is refuted.

use super::integers::Integers;
use crate::term::{BinOp, FastMap, Pool, Sort, Term, UnOp, Value, Var};
use z3::SatResult;

const WIDTH: u32 = 3;

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }
}

fn number(p: &mut Pool, r: &mut Random, vars: &[Term], depth: u32, linear: bool) -> Term {
    if depth == 0 || r.below(4) == 0 {
        return match r.below(3) {
            0 => p.bv(u128::from(r.below(8)), WIDTH),
            _ => r.of(vars),
        };
    }
    let a = number(p, r, vars, depth - 1, linear);
    let b = number(p, r, vars, depth - 1, linear);
    let c = p.bv(u128::from(r.below(8)), WIDTH);
    match r.below(if linear { 6 } else { 21 }) {
        0 | 1 => p.add(a, b),
        2 => p.sub(a, b),
        3 => p.mul(a, c),
        4 => match r.of(&[UnOp::Neg, UnOp::BvNot]) {
            UnOp::Neg => p.neg(a),
            _ => p.bv_not(a),
        },
        5 => {
            let condition = p.ult(a, b);
            p.ite(condition, b, c)
        }
        6 => p.binary(BinOp::Udiv, a, c),
        7 => p.binary(BinOp::Urem, a, c),
        8 => p.binary(BinOp::Shl, a, c),
        9 => p.binary(BinOp::Lshr, a, c),
        10 => p.binary(r.of(&[BinOp::BvAnd, BinOp::BvOr, BinOp::BvXor]), a, c),
        11 => {
            let wide = match r.below(2) {
                0 => p.zext(a, 2 * WIDTH),
                _ => p.sext(a, 2 * WIDTH),
            };
            let k = p.bv(u128::from(r.below(64)), 2 * WIDTH);
            let sum = p.add(wide, k);
            p.extract(sum, r.below(4) as u32, WIDTH)
        }
        12 => {
            let both = p.binary(BinOp::Concat, a, b);
            p.extract(both, r.below(4) as u32, WIDTH)
        }
        13 => p.binary(
            r.of(&[BinOp::Udiv, BinOp::Urem, BinOp::Sdiv, BinOp::Srem]),
            a,
            b,
        ),
        14 => p.binary(r.of(&[BinOp::BvAnd, BinOp::BvOr, BinOp::BvXor]), a, b),
        15..=17 => {
            let wide = |p: &mut Pool, t: Term, with_sign: bool| match with_sign {
                true => p.sext(t, 2 * WIDTH),
                false => p.zext(t, 2 * WIDTH),
            };
            let (sign_a, sign_b) = (r.below(2) == 0, r.below(2) == 0);
            let (a, b) = (wide(p, a, sign_a), wide(p, b, sign_b));
            let product = p.mul(a, b);
            let k = p.bv(u128::from(1 + r.below(31)), 2 * WIDTH);
            let part = p.binary(r.of(&[BinOp::Sdiv, BinOp::Srem, BinOp::Udiv]), product, k);
            p.extract(part, r.below(4) as u32, WIDTH)
        }
        _ => p.binary(
            r.of(&[BinOp::Mul, BinOp::Shl, BinOp::Lshr, BinOp::Ashr]),
            a,
            b,
        ),
    }
}

fn condition(p: &mut Pool, r: &mut Random, vars: &[Term], linear: bool) -> Term {
    let a = number(p, r, vars, 2, linear);
    let b = number(p, r, vars, 2, linear);
    let ops = [
        BinOp::Eq,
        BinOp::Ult,
        BinOp::Ule,
        BinOp::Slt,
        BinOp::Sle,
        BinOp::UmulOverflows,
        BinOp::SmulOverflows,
    ];
    let c = p.binary(r.of(&ops[..if linear { 5 } else { 7 }]), a, b);
    match r.below(2) {
        0 => p.not(c),
        _ => c,
    }
}

fn satisfiable(p: &Pool, vars: &[Var], all: &[Term]) -> bool {
    (0..1u128 << (WIDTH * vars.len() as u32)).any(|bits| {
        let mut env: FastMap<Var, Value> = FastMap::default();
        for (n, v) in vars.iter().enumerate() {
            let value = bits >> (WIDTH * n as u32) & 7;
            env.insert(*v, Value::Bits(value));
        }
        all.iter().all(|t| p.eval_bits(*t, &env) == 1)
    })
}

fn refuted(p: &Pool, all: &[Term]) -> bool {
    let mut integers = Integers::default();
    let ask = |ask: &mut dyn FnMut() -> SatResult| ask();
    integers.refute(p, &[], all, (10_000, 0), ask).is_some()
}

#[test]
fn what_the_integers_refute_has_no_answer() {
    let mut r = Random(0x9e37_79b9_7f4a_7c15);
    let (mut without_answer, mut found, mut missed_linear) = (0, 0, 0);
    for round in 0..1500 {
        let linear = round % 2 == 0;
        let mut p = Pool::new();
        let vars: Vec<Var> = (0..3)
            .map(|n| p.fresh(format!("x{n}"), Sort::Bv(WIDTH)))
            .collect();
        let terms: Vec<Term> = vars.iter().map(|v| p.var(*v)).collect();
        let all: Vec<Term> = (0..4)
            .map(|_| condition(&mut p, &mut r, &terms, linear))
            .collect();
        let (answer, refuted) = (satisfiable(&p, &vars, &all), refuted(&p, &all));
        assert!(!(answer && refuted), "a wrong refutation in round {round}");
        without_answer += u32::from(!answer);
        found += u32::from(refuted);
        missed_linear += u32::from(linear && !answer && !refuted);
    }
    assert_eq!(missed_linear, 0, "sums and comparisons are exact");
    assert!(
        without_answer > 300 && found * 10 > without_answer * 8,
        "{found} of {without_answer}"
    );
}

/// Questions about products at 64 bits and more that a bit-blasting solver does not answer in seconds.
#[test]
fn products_are_bounded_and_ordered() {
    let mut p = Pool::new();
    let variable = |p: &mut Pool, name: &str, w: u32| {
        let v = p.fresh(name.to_owned(), Sort::Bv(w));
        p.var(v)
    };
    // rate <= 10_000 -> amount * rate / 10_000 <= amount
    let (amount, rate) = (variable(&mut p, "amount", 32), variable(&mut p, "rate", 16));
    let share = |p: &mut Pool, most: u128| {
        let limit = p.bv(most, 16);
        let few = p.ule(rate, limit);
        let (a, r) = (p.zext(amount, 64), p.zext(rate, 64));
        let (product, whole) = (p.mul(a, r), p.bv(10_000, 64));
        let part = p.binary(BinOp::Udiv, product, whole);
        let more = p.ult(a, part);
        [few, more]
    };
    let (right, wrong) = (share(&mut p, 10_000), share(&mut p, 10_001));
    assert!(refuted(&p, &right) && !refuted(&p, &wrong));
    // i < rows, j < columns, both at most 1000 -> i * columns + j < rows * columns
    let names = ["i", "j", "rows", "columns"];
    let [i, j, rows, columns] = names.map(|name| variable(&mut p, name, 64));
    let limit = p.bv(1000, 64);
    let mut all = vec![p.ule(rows, limit), p.ule(columns, limit), p.ult(i, rows)];
    let (row, end) = (p.mul(i, columns), p.mul(rows, columns));
    let at = p.add(row, j);
    all.push(p.ule(end, at));
    assert!(!refuted(&p, &all));
    all.push(p.ult(j, columns));
    assert!(refuted(&p, &all));
    // x, y < m <= 2^32 - 1: x * y does not overflow
    let m = variable(&mut p, "m", 32);
    let m = p.zext(m, 64);
    let [x, y] = ["x", "y"].map(|name| variable(&mut p, name, 64));
    let mut all = vec![p.binary(BinOp::UmulOverflows, x, y), p.ult(x, m)];
    assert!(!refuted(&p, &all));
    all.push(p.ult(y, m));
    assert!(refuted(&p, &all));
}
