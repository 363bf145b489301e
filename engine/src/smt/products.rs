//! Products of two unknowns over the integers: what is linear about them.
//!
//! Lineage: the bounds of a product by those of its factors (McCormick, 1976) and the order of products that share a factor,
//! as in incremental linearization (Cimatti et al., 2017). Changed: nothing is refined from models, for the integers here
//! have none that mean anything. Said are, once for each product, its bounds by the ranges of its factors, by the
//! constants that anything is compared with (`rate <= 10_000` bounds `amount * rate`, under whatever name), and how it compares with other
//! products of the same factor (`i < rows` makes `i * columns + columns <= rows * columns`). All of it is true of natural
//! numbers, so a refutation stays one.

use crate::term::{FastMap, Node, Pool, Term};
use std::collections::BTreeSet;
use z3::Solver;
use z3::ast::{Bool, Int};

/// More products are not compared with each other, and more constants are not looked at.
const MOST_COMPARED: usize = 12;
const MOST_CONSTANTS: usize = 8;

/// What is multiplied: names for natural numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum Factor {
    /// The unsigned value of a term.
    Value(Term),
    /// The absolute value of a term with a sign.
    Magnitude(Term),
    /// The quotient of two.
    Quotient(Term, Term),
}

impl Factor {
    /// Widening changes no value, so that it hides none of what is known of it.
    pub fn value(pool: &Pool, mut t: Term) -> Factor {
        while let Node::Zext(narrow) = *pool.node(t) {
            t = narrow;
        }
        Factor::Value(t)
    }
}

/// A factor with its integer and the largest value that its operators allow.
#[derive(Clone)]
pub(super) struct Part {
    pub factor: Factor,
    pub int: Int,
    pub most: u128,
}

struct Product {
    parts: [Part; 2],
    exact: Int,
}

#[derive(Default)]
pub(super) struct Products {
    known: FastMap<(Factor, Factor), Int>,
    all: Vec<Product>,
    constants: BTreeSet<u128>,
}

impl Products {
    /// The product itself, not wrapped. `name` is for the unknown that it is, `half` the number of bits of half a word.
    pub fn product(&mut self, solver: &Solver, name: u32, a: Part, b: Part, half: u32) -> Int {
        let (a, b) = if a.factor <= b.factor { (a, b) } else { (b, a) };
        let key = (a.factor, b.factor);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let exact = Int::new_const(name);
        solver.assert(exact.ge(0));
        for (x, y) in [(&a, &b), (&b, &a)] {
            solver.assert(x.int.eq(0).implies(exact.eq(0)));
            solver.assert(x.int.ge(1).implies(exact.ge(&y.int)));
            solver.assert(exact.le(&y.int * Int::from_u128(x.most)));
            // two halves of a word make no more than a word
            let low = (1u128 << half.min(127)) - 1;
            if x.most > low {
                at_most(solver, &exact, x, y, low);
            }
        }
        for (x, y) in [(&a, &b), (&b, &a)] {
            for &c in &self.constants {
                compared(solver, &exact, x, y, c);
            }
        }
        let new = Product {
            parts: [a, b],
            exact: exact.clone(),
        };
        if self.all.len() < MOST_COMPARED {
            for old in &self.all {
                in_order(solver, old, &new);
            }
        }
        self.all.push(new);
        self.known.insert(key, exact.clone());
        exact
    }

    /// Something is compared with this constant. It may be a factor by another name, so all of them are.
    pub fn note_constant(&mut self, solver: &Solver, c: u128) {
        if c < 2 || self.constants.len() >= MOST_CONSTANTS || !self.constants.insert(c) {
            return;
        }
        for product in &self.all {
            let [a, b] = &product.parts;
            for (x, y) in [(a, b), (b, a)] {
                compared(solver, &product.exact, x, y, c);
            }
        }
    }
}

/// `x <= c` makes `x * y <= c * y`.
fn at_most(solver: &Solver, exact: &Int, x: &Part, y: &Part, c: u128) {
    let c = Int::from_u128(c);
    solver.assert(x.int.le(&c).implies(exact.le(&y.int * c)));
}

/// Bounds of the product on either side of a constant.
fn compared(solver: &Solver, exact: &Int, x: &Part, y: &Part, c: u128) {
    if c > x.most {
        return;
    }
    at_most(solver, exact, x, y, c);
    at_most(solver, exact, x, y, c - 1);
    for c in [c, c.saturating_add(1)] {
        let c = Int::from_u128(c);
        solver.assert(x.int.ge(&c).implies(exact.ge(&y.int * c)));
    }
}

/// Products of one factor are ordered like their others.
fn in_order(solver: &Solver, p: &Product, q: &Product) {
    for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        if p.parts[i].factor != q.parts[j].factor {
            continue;
        }
        let shared = &p.parts[i].int;
        let (x, y) = (&p.parts[1 - i].int, &q.parts[1 - j].int);
        let less =
            |a: &Int, b: &Int, p: &Int, q: &Int| -> Bool { a.lt(b).implies((p + shared).le(q)) };
        solver.assert(less(x, y, &p.exact, &q.exact));
        solver.assert(less(y, x, &q.exact, &p.exact));
        solver.assert(x.eq(y).implies(p.exact.eq(&q.exact)));
    }
}
