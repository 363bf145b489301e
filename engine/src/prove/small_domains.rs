//! Case analysis over a variable that has few values: `n * f(n - 1)` is hard for every `n` at once, and nothing at all
//! for each `n` up to 5.
//!
//! A question about a run that is written out mentions inputs and draws. Where the question itself bounds one of them
//! (an `assume(n <= 5)` is in every path condition), or its type is a byte, each value is substituted, and what folds
//! away need not be asked. The cases cover the question: every value up to the bound, and everything above it.

use crate::smt::{Answer, Budget, Deadline, Model, Solver};
use crate::term::{BinOp, FastMap, Node, Pool, Shape, Sort, Subst, Term, UnOp, Value, Var, mask};

/// More values are too many.
const MOST_VALUES: u128 = 256;
/// Nodes times values that may be rebuilt.
const MOST_WORK: u128 = 1_000_000;
/// Variables that are tried.
const MOST_TRIED: usize = 3;

pub enum Cases {
    /// No case can be: these were shown unsatisfiable, and together they are the question.
    None(Vec<Term>),
    Some(Model),
    Undecided,
}

/// Is the term satisfiable? Asked case by case.
pub fn by_cases(pool: &mut Pool, question: Term, budget: Budget, deadline: &Deadline) -> Cases {
    let size = Shape::of(pool, &[question]).size() as u128;
    let mut domains: Vec<(u128, Var)> = pool
        .free_vars(&[question])
        .into_iter()
        .filter_map(|v| {
            let Sort::Bv(width) = pool.var_info(v).sort else {
                return None;
            };
            let bound = bound(pool, question, v, &mut FastMap::default());
            let most = bound.unwrap_or(u128::MAX).min(mask(width));
            (most < MOST_VALUES && (most + 1) * size <= MOST_WORK).then_some((most, v))
        })
        .collect();
    domains.sort();
    for (most, v) in domains.into_iter().take(MOST_TRIED) {
        match over(pool, question, v, most, budget, deadline) {
            Cases::Undecided => {}
            decided => return decided,
        }
    }
    Cases::Undecided
}

fn over(
    pool: &mut Pool,
    question: Term,
    v: Var,
    most: u128,
    budget: Budget,
    deadline: &Deadline,
) -> Cases {
    let width = pool.var_info(v).sort.width();
    let (variable, last) = (pool.var(v), pool.bv(most, width));
    let above = pool.ult(last, variable);
    // What bounds the variable is all of the question that matters here.
    let bounding = bounding(pool, question, v, &mut FastMap::default());
    let beyond = pool.and(bounding, above);
    let mut solver = Solver::new(deadline);
    let mut obligations = vec![];
    for value in std::iter::once(None).chain((0..=most).map(Some)) {
        let case = match value {
            None => beyond,
            Some(value) => {
                let mut s = Subst::new();
                let k = pool.bv(value, width);
                s.bind(v, k);
                s.apply(pool, question)
            }
        };
        if pool.is_false(case) {
            continue;
        }
        match solver.check(pool, "small-domains", &[case], budget) {
            Answer::Unsat => obligations.push(case),
            Answer::Sat(mut m) => {
                if let Some(value) = value {
                    m.values.insert(v, Value::Bits(value));
                }
                return Cases::Some(m);
            }
            Answer::Unknown(_) | Answer::Failed(_) => return Cases::Undecided,
        }
    }
    Cases::None(obligations)
}

/// The largest value that the variable can have where the condition holds, as far as comparisons with constants say.
pub fn bound(
    pool: &Pool,
    condition: Term,
    v: Var,
    known: &mut FastMap<Term, Option<u128>>,
) -> Option<u128> {
    if let Some(b) = known.get(&condition) {
        return *b;
    }
    let is_it = |t: Term| is_it(pool, t, v);
    let found = match *pool.node(condition) {
        Node::Binary(BinOp::And, a, b) => {
            let (a, b) = (bound(pool, a, v, known), bound(pool, b, v, known));
            match (a, b) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            }
        }
        Node::Binary(BinOp::Or, a, b) => {
            let (a, b) = (bound(pool, a, v, known), bound(pool, b, v, known));
            a.zip(b).map(|(a, b)| a.max(b))
        }
        Node::Binary(BinOp::Ule, a, b) if is_it(a) => pool.as_const(b),
        Node::Binary(BinOp::Ult, a, b) if is_it(a) => pool.as_const(b)?.checked_sub(1),
        Node::Binary(BinOp::Eq, a, b) if is_it(a) => pool.as_const(b),
        Node::Binary(BinOp::Eq, a, b) if is_it(b) => pool.as_const(a),
        Node::Unary(UnOp::Not, t) => match *pool.node(t) {
            // not (c < v), not (c <= v)
            Node::Binary(BinOp::Ult, a, b) if is_it(b) => pool.as_const(a),
            Node::Binary(BinOp::Ule, a, b) if is_it(b) => pool.as_const(a)?.checked_sub(1),
            _ => None,
        },
        _ => None,
    };
    known.insert(condition, found);
    found
}

/// Is it the variable, perhaps widened?
fn is_it(pool: &Pool, t: Term, v: Var) -> bool {
    match *pool.node(t) {
        Node::Zext(inner) => pool.as_var(inner) == Some(v),
        _ => pool.as_var(t) == Some(v),
    }
}

/// The condition with everything but comparisons of the variable with constants forgotten: it follows from the
/// condition.
fn bounding(pool: &mut Pool, condition: Term, v: Var, known: &mut FastMap<Term, Term>) -> Term {
    if let Some(t) = known.get(&condition) {
        return *t;
    }
    let compares = |pool: &Pool, t: Term| match *pool.node(t) {
        Node::Binary(BinOp::Ule | BinOp::Ult | BinOp::Eq, a, b) => {
            (is_it(pool, a, v) && pool.as_const(b).is_some())
                || (is_it(pool, b, v) && pool.as_const(a).is_some())
        }
        _ => false,
    };
    let kept = match *pool.node(condition) {
        Node::Binary(op @ (BinOp::And | BinOp::Or), a, b) => {
            let a = bounding(pool, a, v, known);
            let b = bounding(pool, b, v, known);
            pool.binary(op, a, b)
        }
        Node::Unary(UnOp::Not, t) if compares(pool, t) => condition,
        _ if compares(pool, condition) => condition,
        _ => pool.bool(true),
    };
    known.insert(condition, kept);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `n <= most` and `n * (n + 1) * (n + 2) == target`, at 64 bits.
    fn question(pool: &mut Pool, most: u128, target: u128) -> (Var, Term) {
        let v = pool.fresh("n", Sort::Bv(64));
        let n = pool.var(v);
        let last = pool.bv(most, 64);
        let few = pool.ule(n, last);
        let (one, two) = (pool.bv(1, 64), pool.bv(2, 64));
        let (a, b) = (pool.add(n, one), pool.add(n, two));
        let product = pool.mul(n, a);
        let product = pool.mul(product, b);
        let target = pool.bv(target, 64);
        let is = pool.eq(product, target);
        (v, pool.and(few, is))
    }

    fn decide(most: u128, target: u128) -> Option<Option<u128>> {
        let mut pool = Pool::new();
        let (v, q) = question(&mut pool, most, target);
        match by_cases(
            &mut pool,
            q,
            Budget::steady(50),
            &Deadline::after_millis(5000),
        ) {
            Cases::None(_) => Some(None),
            Cases::Some(m) => Some(Some(m.values[&v].bits())),
            Cases::Undecided => None,
        }
    }

    #[test]
    fn every_value_is_a_case() {
        for most in [0, 1, 7, 200] {
            for n in [0, 1, 5, 7, 8, 201] {
                let expected = (n <= most).then_some(n);
                assert_eq!(
                    decide(most, n * (n + 1) * (n + 2)),
                    Some(expected),
                    "{n} up to {most}"
                );
            }
            assert_eq!(decide(most, 7), Some(None));
        }
    }

    #[test]
    fn too_many_values_are_not_tried() {
        assert_eq!(decide(100_000, 7), None);
    }

    #[test]
    fn a_bound_on_one_of_two_ways_is_none() {
        let mut pool = Pool::new();
        let (v, q) = question(&mut pool, 3, 6);
        let free = pool.fresh("b", Sort::Bool);
        let free = pool.var(free);
        let either = pool.or(q, free);
        assert_eq!(bound(&pool, q, v, &mut FastMap::default()), Some(3));
        assert_eq!(bound(&pool, either, v, &mut FastMap::default()), None);
    }
}
