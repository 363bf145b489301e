//! The simplifier against the evaluator: at small widths every simplified term keeps its value on all inputs.

use super::*;

/// A tiny deterministic generator; tests must not depend on the machine.
struct Rng(u64);
impl Rng {
    fn next(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

const OPS: [BinOp; 19] = [
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::Udiv,
    BinOp::Urem,
    BinOp::Sdiv,
    BinOp::Srem,
    BinOp::BvAnd,
    BinOp::BvOr,
    BinOp::BvXor,
    BinOp::Shl,
    BinOp::Lshr,
    BinOp::Ashr,
    BinOp::Ult,
    BinOp::Ule,
    BinOp::Slt,
    BinOp::Sle,
    BinOp::UmulOverflows,
    BinOp::SmulOverflows,
];

/// Builds the same random expression twice: simplified over variables, and evaluated over constants.
fn random_pair(
    pool: &mut Pool,
    rng: &mut Rng,
    vars: &[(Term, u128)],
    w: u32,
    depth: u32,
) -> (Term, u128) {
    if depth == 0 || rng.next(6) == 0 {
        if rng.next(2) == 0 {
            let c = u128::from(rng.next(1 << w));
            return (pool.bv(c, w), c);
        }
        return vars[rng.next(vars.len() as u64) as usize];
    }
    let (a, va) = random_pair(pool, rng, vars, w, depth - 1);
    let (b, vb) = random_pair(pool, rng, vars, w, depth - 1);
    match rng.next(8) {
        0 => {
            let (c, vc) = random_pair(pool, rng, vars, w, depth - 1);
            let zero = pool.bv(0, w);
            let cond = pool.eq(c, zero);
            (pool.ite(cond, a, b), if vc == 0 { va } else { vb })
        }
        1 => {
            let wide = pool.sext(a, w + 2);
            let k = pool.bv(3, w + 2);
            let sum = pool.add(wide, k);
            let v = (to_signed(va, w) as u128).wrapping_add(3) & mask(w);
            (pool.extract(sum, 0, w), v)
        }
        2 => (pool.bv_not(a), !va & mask(w)),
        3 => (pool.neg(a), va.wrapping_neg() & mask(w)),
        _ => {
            let op = OPS[rng.next(OPS.len() as u64) as usize];
            let v = eval::apply_binary(op, va, vb, w, w);
            let t = pool.binary(op, a, b);
            if pool.sort(t) == Sort::Bool {
                (pool.bool_to_bv(t, w), v)
            } else {
                (t, v)
            }
        }
    }
}

#[test]
fn simplified_terms_keep_their_value() {
    let mut rng = Rng(0x9e37_79b9_7f4a_7c15);
    for round in 0..4000u64 {
        let mut pool = Pool::new();
        let w = 1 + (round % 5) as u32;
        let x = pool.fresh("x", Sort::Bv(w));
        let y = pool.fresh("y", Sort::Bv(w));
        let (tx, ty) = (pool.var(x), pool.var(y));
        let (vx, vy) = (u128::from(rng.next(1 << w)), u128::from(rng.next(1 << w)));
        let (t, expected) = random_pair(&mut pool, &mut rng, &[(tx, vx), (ty, vy)], w, 5);
        let mut env: FastMap<Var, Value> = FastMap::default();
        env.insert(x, Value::Bits(vx));
        env.insert(y, Value::Bits(vy));
        assert_eq!(pool.eval_bits(t, &env), expected, "{}", pool.show(t));
        let mut s = Subst::new();
        let (cx, cy) = (pool.bv(vx, w), pool.bv(vy, w));
        s.bind(x, cx);
        s.bind(y, cy);
        let folded = s.apply(&mut pool, t);
        assert_eq!(pool.as_const(folded), Some(expected), "{}", pool.show(t));
    }
}

#[test]
fn reads_go_through_writes() {
    let mut pool = Pool::new();
    let sort = Sort::Array { index: 64, elem: 8 };
    let a = pool.fresh("a", sort);
    let (a, i, j) = (
        pool.var(a),
        pool.fresh("i", Sort::Bv(64)),
        pool.fresh("j", Sort::Bv(64)),
    );
    let (i, j) = (pool.var(i), pool.var(j));
    let v = pool.bv(7, 8);
    let b = pool.store(a, i, v);
    assert_eq!(pool.select(b, i), v);
    let read = pool.select(b, j);
    assert_eq!(pool.show(read), "if((i == j), 7, a[j])");
    let one = pool.bv(1, 64);
    let next = pool.add(i, one);
    let other = pool.select(b, next);
    assert_eq!(pool.show(other), "a[(i + 1)]");
}

/// All values of three bits: division by zero and the quotient that wraps included.
#[test]
fn a_quotient_times_its_divisor_is_what_was_divided_less_the_rest() {
    let w = 3;
    let mut pool = Pool::new();
    let (x, y) = (pool.fresh("x", Sort::Bv(w)), pool.fresh("y", Sort::Bv(w)));
    let (tx, ty) = (pool.var(x), pool.var(y));
    for op in [BinOp::Udiv, BinOp::Sdiv] {
        let quotient = pool.binary(op, tx, ty);
        for product in [pool.mul(quotient, ty), pool.mul(ty, quotient)] {
            assert!(!matches!(pool.node(product), Node::Binary(BinOp::Mul, ..)));
            for (a, b) in (0..8).flat_map(|a| (0..8).map(move |b| (a, b))) {
                let env: FastMap<Var, Value> = [(x, Value::Bits(a)), (y, Value::Bits(b))]
                    .into_iter()
                    .collect();
                let divided = pool.eval_bits(quotient, &env);
                let expected = divided.wrapping_mul(b) & mask(w);
                assert_eq!(pool.eval_bits(product, &env), expected, "{op:?} {a} {b}");
            }
        }
    }
}

#[test]
fn a_product_of_one_choice_is_a_choice_of_products() {
    let w = 3;
    let mut pool = Pool::new();
    let vars: Vec<Var> = (0..3)
        .map(|i| pool.fresh(format!("v{i}"), Sort::Bv(w)))
        .collect();
    let [c, a, b] = [0, 1, 2].map(|i| pool.var(vars[i]));
    let zero = pool.bv(0, w);
    let condition = pool.eq(c, zero);
    let chosen = pool.ite(condition, a, b);
    for wide in [false, true] {
        let factor = match wide {
            true => pool.sext(chosen, 2 * w),
            false => chosen,
        };
        let product = pool.mul(factor, factor);
        assert!(matches!(pool.node(product), Node::Ite(..)));
        for values in 0..512u128 {
            let value = |i: usize| (values >> (3 * i)) & 7;
            let env: FastMap<Var, Value> =
                (0..3).map(|i| (vars[i], Value::Bits(value(i)))).collect();
            let one = pool.eval_bits(factor, &env);
            let expected = one.wrapping_mul(one) & mask(pool.width(factor));
            assert_eq!(pool.eval_bits(product, &env), expected);
        }
    }
}

/// Every value of three bits, for every pair of operators: an interval holds what it is the interval of, and what is
/// decided by operators alone is so.
#[test]
fn intervals_and_orders_hold_of_all_values() {
    let w = 3;
    for f in OPS {
        for g in OPS {
            let mut pool = Pool::new();
            let (x, y) = (pool.fresh("x", Sort::Bv(w)), pool.fresh("y", Sort::Bv(w)));
            let (tx, ty) = (pool.var(x), pool.var(y));
            let mut terms = vec![tx, ty];
            for k in [0, 1, 2, 3, 5, 7] {
                let k = pool.bv(k, w);
                terms.push(k);
            }
            let scalar = |pool: &mut Pool, t: Term| match pool.sort(t) {
                Sort::Bool => pool.bool_to_bv(t, w),
                _ => t,
            };
            let mut inner = vec![];
            for &a in &terms {
                for &b in &terms {
                    let t = pool.binary(f, a, b);
                    inner.push(scalar(&mut pool, t));
                }
            }
            let mut outer = inner.clone();
            for &a in &inner {
                for &b in &terms[..5] {
                    for (a, b) in [(a, b), (b, a)] {
                        let t = pool.binary(g, a, b);
                        outer.push(scalar(&mut pool, t));
                    }
                }
            }
            outer.sort();
            outer.dedup();
            let ranges: Vec<(u128, u128)> = outer.iter().map(|t| pool.range(*t)).collect();
            let below: Vec<bool> = outer.iter().map(|t| pool.never_above(*t, tx)).collect();
            for (a, b) in (0..8).flat_map(|a| (0..8).map(move |b| (a, b))) {
                let env: FastMap<Var, Value> = [(x, Value::Bits(a)), (y, Value::Bits(b))]
                    .into_iter()
                    .collect();
                for (n, &t) in outer.iter().enumerate() {
                    let v = pool.eval_bits(t, &env);
                    let (least, most) = ranges[n];
                    assert!(least <= v && v <= most, "{} {a} {b}", pool.show(t));
                    assert!(!below[n] || v <= a, "{} {a} {b}", pool.show(t));
                }
            }
        }
    }
}

/// What must be decided without a solver, and its neighbour that must not.
#[test]
fn bounds_of_chunks_are_true_as_they_are_built() {
    let mut pool = Pool::new();
    let n = pool.fresh("n", Sort::Bv(64));
    let n = pool.var(n);
    let [three, ten, sixteen] = [3, 10, 16].map(|k| pool.bv(k, 64));
    let rest = pool.binary(BinOp::BvAnd, n, three);
    let whole = pool.sub(n, rest);
    let inside = pool.ule(whole, n);
    assert!(pool.is_true(inside));
    assert_eq!(pool.sub(n, whole), rest);
    let digit = pool.binary(BinOp::Urem, n, ten);
    let less = pool.ult(digit, ten);
    assert!(pool.is_true(less));
    let less = pool.ult(digit, three);
    assert!(pool.as_const(less).is_none());
    let nibble = pool.binary(BinOp::BvOr, digit, three);
    let less = pool.ult(nibble, sixteen);
    assert!(pool.is_true(less));
    let sum = pool.add(n, three);
    let more = pool.ule(n, sum);
    assert!(pool.as_const(more).is_none());
}

/// Copies of any length are those of their elements, one by one.
#[test]
fn wide_copies_are_copies_of_all_elements() {
    use super::eval::{ArrayValue, blit_value};
    let filled =
        |default: u128, at: &[(u128, u128)]| ArrayValue::new(default, at.iter().copied().collect());
    const WIDE: u128 = 1 << 33;
    let source = filled(7, &[(5, 1), (WIDE, 2)]);
    let mut target = filled(9, &[(3, 3), (WIDE + 3, 4), (3 * WIDE, 5)]);
    let before = target.clone();
    blit_value(&mut target, 3, &source, 1, WIDE);
    let mut again = filled(0, &[(WIDE, 6)]);
    blit_value(&mut again, 10, &target, 0, 2 * WIDE);
    let near = |k: u128| (k.saturating_sub(20)..k + 20).collect::<Vec<u128>>();
    let places = [0, WIDE / 2, 1 << 24, WIDE, 2 * WIDE, 3 * WIDE];
    for k in places.into_iter().flat_map(near) {
        let copied = (3..3 + WIDE).contains(&k);
        let expected = if copied {
            source.get(k - 3 + 1)
        } else {
            before.get(k)
        };
        assert_eq!(target.get(k), expected, "at {k}");
        let expected = match k {
            k if (10..10 + 2 * WIDE).contains(&k) => target.get(k - 10),
            WIDE => 6,
            _ => 0,
        };
        assert_eq!(again.get(k), expected, "at {k} of the second");
    }
}
