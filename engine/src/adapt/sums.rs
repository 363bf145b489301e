//! Sums: which term a value is counted from, and how much was added, as two questions.
//!
//! Counters go through choices: `ite(c, ite(d, x + 1, x) + 1, x)`. That two such values are equal is hard for a solver
//! that sees adders behind every choice, and easy once the choices are made between numbers: here between `x` and
//! `x`, and between 2, 1 and 0. Equal numbers of both kinds make equal values; the converse is not claimed.

use crate::term::{FastMap, Node, Pool, Term};

/// The width of a base's number.
const NUMBERS: u32 = 16;

#[derive(Default)]
pub struct Sums {
    bases: FastMap<Term, u128>,
    split: FastMap<Term, (Term, Term)>,
    raised: FastMap<(Term, u128), Term>,
}

impl Sums {
    /// A condition under which both are equal.
    pub fn equal(&mut self, pool: &mut Pool, a: Term, b: Term) -> Term {
        let ((base, added), (other, more)) = (self.split(pool, a), self.split(pool, b));
        let (same, equal) = (pool.eq(base, other), pool.eq(added, more));
        pool.and(same, equal)
    }

    /// The number of what the value is counted from (0: nothing), and what is added to that.
    fn split(&mut self, pool: &mut Pool, t: Term) -> (Term, Term) {
        if let Some(known) = self.split.get(&t) {
            return *known;
        }
        let width = pool.width(t);
        let out = if pool.as_const(t).is_some() {
            (pool.bv(0, NUMBERS), t)
        } else if let Node::Ite(c, yes, no) = *pool.node(t) {
            let ((a, b), (x, y)) = (self.split(pool, yes), self.split(pool, no));
            (pool.ite(c, a, x), pool.ite(c, b, y))
        } else if let Some((rest, by)) = pool.split_const_add(t).filter(|(_, by)| *by != 0) {
            let (base, added) = self.split(pool, rest);
            (base, self.raise(pool, added, by))
        } else {
            let next = self.bases.len() as u128 + 1;
            let number = *self.bases.entry(t).or_insert(next);
            (pool.bv(number, NUMBERS), pool.bv(0, width))
        };
        self.split.insert(t, out);
        out
    }

    /// A choice between constants, each larger by so much.
    fn raise(&mut self, pool: &mut Pool, t: Term, by: u128) -> Term {
        if let Some(known) = self.raised.get(&(t, by)) {
            return *known;
        }
        let out = if let Node::Ite(c, yes, no) = *pool.node(t) {
            let (a, b) = (self.raise(pool, yes, by), self.raise(pool, no, by));
            pool.ite(c, a, b)
        } else {
            let width = pool.width(t);
            let by = pool.bv(by, width);
            pool.add(t, by)
        };
        self.raised.insert((t, by), out);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Sort, Value};

    /// Wherever the condition holds both are equal, for all values; and where they are equal by their sums it holds.
    #[test]
    fn equal_sums_are_equal_values() {
        let mut pool = Pool::new();
        let vars: Vec<_> = ["x", "y"].map(|n| pool.fresh(n, Sort::Bv(3))).to_vec();
        let flags: Vec<_> = ["c", "d"].map(|n| pool.fresh(n, Sort::Bool)).to_vec();
        let (x, y) = (pool.var(vars[0]), pool.var(vars[1]));
        let (c, d) = (pool.var(flags[0]), pool.var(flags[1]));
        let numbers: Vec<Term> = (0..3).map(|n| pool.bv(n, 3)).collect();
        let mut values = vec![x, y, numbers[0], numbers[2]];
        for depth in 0..2 {
            for &one in &values.clone() {
                for by in [1, 2] {
                    values.push(pool.add(one, numbers[by]));
                }
                let other = values[depth];
                values.push(pool.ite([c, d][depth], one, other));
            }
        }
        let (mut equal, mut found) = (0, 0);
        let mut sums = Sums::default();
        for (&a, &b) in values.iter().zip(values.iter().rev()).step_by(3) {
            let shown = sums.equal(&mut pool, a, b);
            for bits in 0..256u128 {
                let env: FastMap<_, _> = [
                    (vars[0], Value::Bits(bits & 7)),
                    (vars[1], Value::Bits(bits >> 3 & 7)),
                    (flags[0], Value::Bits(bits >> 6 & 1)),
                    (flags[1], Value::Bits(bits >> 7)),
                ]
                .into_iter()
                .collect();
                let are_equal = pool.eval(a, &env) == pool.eval(b, &env);
                let holds = pool.eval_bool(shown, &env);
                assert!(!holds || are_equal, "{} {}", pool.show(a), pool.show(b));
                equal += usize::from(are_equal);
                found += usize::from(holds);
            }
        }
        assert!(found * 10 > equal, "{found} of {equal} equal values");
        assert!(found > 0);
    }
}
