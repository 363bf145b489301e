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
const MOST_WORK: u128 = 4_000_000;
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
    let beyond = pool.and(question, above);
    let mut cases = vec![(None, beyond)];
    for value in 0..=most {
        let mut s = Subst::new();
        let k = pool.bv(value, width);
        s.bind(v, k);
        cases.push((Some(value), s.apply(pool, question)));
    }
    let mut solver = Solver::new(deadline);
    let mut obligations = vec![];
    for (value, case) in cases {
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
fn bound(
    pool: &Pool,
    condition: Term,
    v: Var,
    known: &mut FastMap<Term, Option<u128>>,
) -> Option<u128> {
    if let Some(b) = known.get(&condition) {
        return *b;
    }
    let is_it = |t: Term| match *pool.node(t) {
        Node::Zext(inner) => pool.as_var(inner) == Some(v),
        _ => pool.as_var(t) == Some(v),
    };
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
