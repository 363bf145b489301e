//! The ladder: what a lemma that a pass broke may still be, before it is given up.
//!
//! TECHNIQUES, "Weaken before dropping", with one change: the rungs are not tried one after the other but proposed
//! together. MkInd keeps the largest inductive part of whatever it is given, so what it keeps is at least as strong
//! as the first rung that would have held, and it costs one search instead of one for each rung.

use crate::prove::Lemma;
use crate::term::{BinOp, Node, Pool, Sort, Term, UnOp, mask, to_signed};

/// Rungs for one lemma, at most.
const MOST_GUARDS: usize = 3;

/// Weaker lemmas, each implied by `lemma`. `numbers` are the program's constants, `guards` conditions under which
/// the loop goes on.
pub fn rungs(pool: &mut Pool, lemma: &Lemma, numbers: &[u128], guards: &[Term]) -> Vec<Lemma> {
    if !lemma.bound.is_empty() {
        return vec![];
    }
    let mut out = vec![];
    match *pool.node(lemma.body) {
        Node::Binary(BinOp::Eq, a, b) => equality(pool, a, b, &mut out),
        Node::Binary(op @ (BinOp::Ult | BinOp::Slt), a, b) => {
            looser(pool, (op, false), a, b, numbers, &mut out);
        }
        Node::Unary(UnOp::Not, inner) => {
            // `not (a < b)` is `b <= a`.
            if let Node::Binary(op @ (BinOp::Ult | BinOp::Slt), a, b) = *pool.node(inner) {
                looser(pool, (op, true), b, a, numbers, &mut out);
            }
        }
        _ => {}
    }
    for &g in guards.iter().take(MOST_GUARDS) {
        let t = pool.implies(g, lemma.body);
        out.push(t);
    }
    out.retain(|t| pool.as_const(*t).is_none() && *t != lemma.body);
    out.into_iter().map(Lemma::plain).collect()
}

/// `a = b`: either order, and equality of the low bits.
fn equality(pool: &mut Pool, a: Term, b: Term, out: &mut Vec<Term>) {
    let Sort::Bv(w) = pool.sort(a) else { return };
    for (x, y) in [(a, b), (b, a)] {
        let (unsigned, signed) = (pool.ule(x, y), pool.sle(x, y));
        out.extend([unsigned, signed]);
    }
    for k in [1, 2, 3, 8, 16, 32].into_iter().filter(|k| *k < w) {
        let (x, y) = (pool.extract(a, 0, k), pool.extract(b, 0, k));
        let t = pool.eq(x, y);
        out.push(t);
    }
}

/// `a < b` or `a <= b` with a constant side: the same with the next constant of the program.
fn looser(
    pool: &mut Pool,
    (op, or_equal): (BinOp, bool),
    a: Term,
    b: Term,
    numbers: &[u128],
    out: &mut Vec<Term>,
) {
    let Sort::Bv(w) = pool.sort(a) else { return };
    let signed = op == BinOp::Slt;
    let rank = |n: u128| -> i128 {
        if signed {
            to_signed(n, w)
        } else {
            // Unsigned numbers in the order of signed ones.
            to_signed(n ^ (1 << (w - 1)), w)
        }
    };
    let fitting = || numbers.iter().copied().filter(|n| *n <= mask(w));
    let mut compare = |pool: &mut Pool, x: Term, y: Term| {
        let t = match (signed, or_equal) {
            (false, false) => pool.ult(x, y),
            (false, true) => pool.ule(x, y),
            (true, false) => pool.slt(x, y),
            (true, true) => pool.sle(x, y),
        };
        out.push(t);
    };
    if let Some(c) = pool.as_const(b) {
        let above = fitting().filter(|n| rank(*n) > rank(c));
        if let Some(next) = above.min_by_key(|n| rank(*n)) {
            let next = pool.bv(next, w);
            compare(pool, a, next);
        }
    } else if let Some(c) = pool.as_const(a) {
        let below = fitting().filter(|n| rank(*n) < rank(c));
        if let Some(next) = below.max_by_key(|n| rank(*n)) {
            let next = pool.bv(next, w);
            compare(pool, next, b);
        }
    } else if !or_equal {
        let t = if signed {
            pool.sle(a, b)
        } else {
            pool.ule(a, b)
        };
        out.push(t);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{FastMap, Value};

    /// Every rung follows from its lemma, for all values of two variables of three bits.
    #[test]
    fn every_rung_is_weaker() {
        let mut pool = Pool::new();
        let (x, y) = (pool.fresh("x", Sort::Bv(3)), pool.fresh("y", Sort::Bv(3)));
        let (a, b) = (pool.var(x), pool.var(y));
        let numbers: Vec<u128> = (0..8).collect();
        let guard = pool.ult(a, b);
        let mut lemmas = vec![pool.eq(a, b), pool.ult(a, b), pool.slt(a, b)];
        for n in &numbers {
            let c = pool.bv(*n, 3);
            lemmas.extend([pool.eq(a, c), pool.ult(a, c), pool.ule(a, c)]);
            lemmas.extend([pool.ult(c, a), pool.ule(c, a), pool.slt(a, c)]);
            lemmas.extend([pool.sle(a, c), pool.slt(c, a), pool.sle(c, a)]);
        }
        let mut checked = 0;
        let mut weaker = 0;
        for lemma in lemmas {
            let lemma = Lemma::plain(lemma);
            for rung in rungs(&mut pool, &lemma, &numbers, &[guard]) {
                let mut differs = false;
                for (v, w) in (0..8).flat_map(|v| (0..8).map(move |w| (v, w))) {
                    let env: FastMap<_, _> = [(x, Value::Bits(v)), (y, Value::Bits(w))]
                        .into_iter()
                        .collect();
                    let (l, r) = (
                        pool.eval_bool(lemma.body, &env),
                        pool.eval_bool(rung.body, &env),
                    );
                    let (l_text, r_text) = (pool.show(lemma.body), pool.show(rung.body));
                    assert!(!l || r, "{l_text} does not give {r_text}");
                    differs |= l != r;
                }
                checked += 1;
                weaker += usize::from(differs);
            }
        }
        assert!(checked > 100, "{checked} rungs");
        assert!(
            weaker * 10 > checked * 8,
            "{weaker} of {checked} are really weaker"
        );
    }
}
