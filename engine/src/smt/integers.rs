//! A question about bit-vectors asked over the integers.
//!
//! A bit-blasting solver proves `i < n -> i + 1 <= n` carry by carry, at 64 bits in tens of milliseconds; over the
//! integers it is one step. Every bit-vector is here its unsigned value. Sums, products with constants, quotients by
//! constants, slices and comparisons are exact: a sum that wraps is the sum less `2^w`, by cases. Of products and quotients
//! of two unknowns is said what is linear about them (`products`). Everything else is an arbitrary value in its range
//! with the bounds that are obvious. So a refutation here refutes the question, and nothing else follows: a model
//! means nothing.

use super::linear;
use super::products::{Factor, Part, Products};
use crate::term::{BinOp, FastMap, Node, Pool, Sort, Term, UnOp, Var, mask};
use z3::ast::{Bool, Int};
use z3::{FuncDecl, Params, SatResult, Solver};

#[derive(Clone)]
enum Value {
    Bool(Bool),
    Int(Int),
}

/// An incremental solver of its own, beside the one for bit-vectors.
pub(super) struct Integers {
    solver: Solver,
    memo: FastMap<Term, Value>,
    arrays: FastMap<Var, FuncDecl>,
    literals: FastMap<Term, Bool>,
    by_literal: FastMap<String, Term>,
    asserted: usize,
    names: u32,
    products: Products,
    /// Quotient and rest of two terms.
    quotients: FastMap<(Term, Term), (Int, Int)>,
}

impl Default for Integers {
    fn default() -> Self {
        Integers {
            solver: Solver::new_for_logic("QF_UFLIA").unwrap_or_default(),
            memo: FastMap::default(),
            arrays: FastMap::default(),
            literals: FastMap::default(),
            by_literal: FastMap::default(),
            asserted: 0,
            names: 0,
            products: Products::default(),
            quotients: FastMap::default(),
        }
    }
}

impl Integers {
    /// The assumptions that cannot hold together with the facts, if the integers show it. `facts` only ever grows
    /// from one call to the next; `ask` runs the query.
    pub(super) fn refute(
        &mut self,
        pool: &Pool,
        facts: &[Term],
        assumptions: &[Term],
        (millis, rlimit): (u32, u32),
        ask: impl FnOnce(&mut dyn FnMut() -> SatResult) -> SatResult,
    ) -> Option<Vec<Term>> {
        for fact in &facts[self.asserted..] {
            let fact = self.bool(pool, *fact)?;
            self.solver.assert(&fact);
            self.asserted += 1;
        }
        let mut literals = vec![];
        for &t in assumptions {
            if !self.literals.contains_key(&t) {
                let holds = self.bool(pool, t)?;
                let literal = Bool::new_const(self.name());
                self.solver.assert(literal.implies(&holds));
                self.by_literal.insert(literal.to_string(), t);
                self.literals.insert(t, literal);
            }
            literals.push(self.literals[&t].clone());
        }
        let mut limits = Params::new();
        limits.set_u32("timeout", millis);
        limits.set_u32("rlimit", rlimit);
        self.solver.set_params(&limits);
        let solver = &self.solver;
        if ask(&mut || solver.check_assumptions(&literals)) != SatResult::Unsat {
            return None;
        }
        let core = self.solver.get_unsat_core();
        let term = |l: &Bool| self.by_literal.get(&l.to_string()).copied();
        Some(core.iter().filter_map(term).collect())
    }

    fn name(&mut self) -> u32 {
        self.names += 1;
        self.names
    }

    fn bool(&mut self, pool: &Pool, t: Term) -> Option<Bool> {
        let mut todo = vec![(t, false)];
        while let Some((t, ready)) = todo.pop() {
            if self.memo.contains_key(&t) {
                continue;
            }
            if ready {
                let value = self.value(pool, t)?;
                self.memo.insert(t, value);
                continue;
            }
            todo.push((t, true));
            match pool.node(t) {
                Node::Select(_, i) => todo.push((*i, false)),
                Node::Float(..) => {}
                // Some value between its bounds: the bits of its index are none of the integers' business.
                Node::Ite(..) if pool.table(t).is_some() => {}
                _ => match linear::sum(pool, t) {
                    Some(sum) => todo.extend(sum.parts.keys().map(|a| (*a, false))),
                    None => todo.extend(pool.children(t).into_iter().map(|c| (c, false))),
                },
            }
        }
        match &self.memo[&t] {
            Value::Bool(b) => Some(b.clone()),
            Value::Int(_) => None,
        }
    }

    fn int(&self, t: Term) -> Option<&Int> {
        match self.memo.get(&t)? {
            Value::Int(i) => Some(i),
            Value::Bool(_) => None,
        }
    }

    fn known(&self, t: Term) -> Option<&Bool> {
        match self.memo.get(&t)? {
            Value::Bool(b) => Some(b),
            Value::Int(_) => None,
        }
    }

    /// An arbitrary value below `2^w`.
    fn any(&mut self, w: u32) -> Int {
        let i = Int::new_const(self.name());
        self.solver.assert(i.ge(0));
        self.solver.assert(i.lt(power(w)));
        i
    }

    fn any_value(&mut self, sort: Sort) -> Option<Value> {
        Some(match sort {
            Sort::Bool => Value::Bool(Bool::new_const(self.name())),
            Sort::Bv(w) => Value::Int(self.any(w)),
            Sort::Array { .. } => return None,
        })
    }

    /// The value of a term whose parts have theirs.
    fn value(&mut self, pool: &Pool, t: Term) -> Option<Value> {
        let sort = pool.sort(t);
        if let Some(sum) = linear::sum(pool, t) {
            return Some(Value::Int(self.wrapped(&sum, sort.width())?));
        }
        Some(match pool.node(t) {
            Node::Const(c) => match sort {
                Sort::Bool => Value::Bool(Bool::from_bool(*c != 0)),
                _ => Value::Int(Int::from_u128(*c)),
            },
            Node::Unary(UnOp::Not, a) => Value::Bool(self.known(*a)?.not()),
            Node::Ite(..) if pool.table(t).is_some() => {
                let value = self.any_value(sort)?;
                if let (Value::Int(i), Some(table)) = (&value, pool.table(t)) {
                    self.solver.assert(i.ge(Int::from_u128(table.least)));
                    self.solver.assert(i.le(Int::from_u128(table.most)));
                }
                value
            }
            Node::Ite(c, a, b) => {
                let c = self.known(*c)?;
                match (self.memo.get(a)?, self.memo.get(b)?) {
                    (Value::Bool(a), Value::Bool(b)) => Value::Bool(c.ite(a, b)),
                    (Value::Int(a), Value::Int(b)) => Value::Int(c.ite(a, b)),
                    _ => return None,
                }
            }
            Node::Zext(a) => Value::Int(self.int(*a)?.clone()),
            Node::Sext(a) => {
                let (from, to) = (pool.width(*a), sort.width());
                let a = self.int(*a)?;
                let high = Int::add(&[a, &power(to)]) - power(from);
                Value::Int(a.ge(power(from - 1)).ite(&high, a))
            }
            Node::Extract { arg, lo } => {
                let whole = pool.width(*arg);
                let arg = self.int(*arg)?.clone();
                Value::Int(self.slice(&arg, *lo, sort.width(), whole))
            }
            Node::Binary(op, a, b) => return self.binary(pool, *op, *a, *b, sort),
            Node::Select(array, index) => {
                let (Some(array), Sort::Bv(w)) = (pool.as_var(*array), sort) else {
                    return self.any_value(sort);
                };
                let index = self.int(*index)?.clone();
                let read = self.read(array).apply(&[&index]).as_int()?;
                self.solver.assert(read.ge(0));
                self.solver.assert(read.lt(power(w)));
                Value::Int(read)
            }
            _ => return self.any_value(sort),
        })
    }

    fn read(&mut self, array: Var) -> &FuncDecl {
        let name = self.name();
        let int = z3::Sort::int();
        let declare = || FuncDecl::new(name, &[&int], &int);
        self.arrays.entry(array).or_insert_with(declare)
    }

    /// The sum less the multiple of `2^w` that brings it into range, by cases where these are few.
    fn wrapped(&mut self, sum: &linear::Sum, w: u32) -> Option<Int> {
        let mut exact = signed(sum.constant, w);
        // How often the sum can be below and above the range.
        let below = u32::from(sum.constant > mask(w) / 2);
        let (mut below, mut above) = (below, 0u32);
        for (t, c) in &sum.parts {
            exact += self.int(*t)? * signed(*c, w);
            let (negative, size) = match *c > mask(w) / 2 {
                true => (true, c.wrapping_neg() & mask(w)),
                false => (false, *c),
            };
            let size = u32::try_from(size).unwrap_or(u32::MAX);
            match negative {
                true => below = below.saturating_add(size),
                false => above = above.saturating_add(size),
            }
        }
        if sum.constant == 0 || sum.constant > mask(w) / 2 {
            above = above.saturating_sub(1);
        }
        if below.saturating_add(above) <= 3 {
            let mut value = exact.clone();
            for k in 1..=above {
                let less = &exact - power(w) * Int::from_u64(u64::from(k));
                value = less.ge(0).ite(&less, &value);
            }
            for k in 1..=below {
                let step = power(w) * Int::from_u64(u64::from(k));
                let least = -(power(w) * Int::from_u64(u64::from(k - 1)));
                value = exact.lt(&least).ite(&(&exact + step), &value);
            }
            return Some(value);
        }
        let value = self.any(w);
        let times = Int::new_const(self.name());
        self.solver.assert(exact.eq(&value + power(w) * times));
        Some(value)
    }

    /// Bits `lo .. lo + w` of a value of `whole` bits.
    fn slice(&mut self, arg: &Int, lo: u32, w: u32, whole: u32) -> Int {
        let middle = self.any(w);
        let mut sum = &middle * power(lo);
        if lo > 0 {
            sum += self.any(lo);
        }
        if lo + w < whole {
            sum += self.any(whole - lo - w) * power(lo + w);
        }
        self.solver.assert(arg.eq(sum));
        middle
    }

    fn binary(&mut self, pool: &Pool, op: BinOp, a: Term, b: Term, sort: Sort) -> Option<Value> {
        if pool.sort(a) == Sort::Bool {
            let (a, b) = (self.known(a)?, self.known(b)?);
            return Some(Value::Bool(match op {
                BinOp::And => Bool::and(&[a, b]),
                BinOp::Or => Bool::or(&[a, b]),
                BinOp::Eq => a.iff(b),
                _ => return None,
            }));
        }
        let (wa, wb) = (pool.width(a), pool.width(b));
        let (ca, cb) = (pool.as_const(a), pool.as_const(b));
        let (x, y) = (self.int(a)?.clone(), self.int(b)?.clone());
        if matches!(
            op,
            BinOp::Eq | BinOp::Ult | BinOp::Ule | BinOp::Slt | BinOp::Sle
        ) {
            for c in [ca, cb].into_iter().flatten() {
                self.products.note_constant(&self.solver, c);
            }
        }
        Some(match op {
            BinOp::Eq => Value::Bool(x.eq(&y)),
            BinOp::Ult => Value::Bool(x.lt(&y)),
            BinOp::Ule => Value::Bool(x.le(&y)),
            BinOp::Slt => Value::Bool(as_signed(&x, wa).lt(as_signed(&y, wb))),
            BinOp::Sle => Value::Bool(as_signed(&x, wa).le(as_signed(&y, wb))),
            BinOp::UmulOverflows if ca.is_some() || cb.is_some() => {
                Value::Bool((x * y).ge(power(wa)))
            }
            BinOp::UmulOverflows => Value::Bool(self.unsigned(pool, a, b)?.ge(power(wa))),
            BinOp::SmulOverflows => {
                let (size, negative) = self.signed_product(a, b, wa)?;
                let most = negative.ite(&power(wa - 1), &(power(wa - 1) - Int::from_u64(1)));
                Value::Bool(size.gt(most))
            }
            BinOp::Mul => Value::Int(self.wrapped_product(pool, a, b)?),
            BinOp::Sdiv | BinOp::Srem if cb.is_some_and(|c| c != 0 && c <= mask(wa) / 2) => {
                Value::Int(self.signed_quotient(op, &x, &y, wa))
            }
            BinOp::Concat => Value::Int(x * power(wb) + y),
            BinOp::Udiv | BinOp::Urem if cb.is_some_and(|c| c != 0) => {
                let (quotient, rest) = (self.any(wa), self.any(wa));
                self.solver.assert(x.eq(&quotient * &y + &rest));
                self.solver.assert(rest.lt(&y));
                Value::Int(if op == BinOp::Udiv { quotient } else { rest })
            }
            BinOp::Lshr if cb.is_some_and(|n| n < u128::from(wa)) => {
                let n = cb? as u32;
                Value::Int(self.slice(&x, n, wa - n, wa))
            }
            BinOp::BvAnd if cb.or(ca).is_some_and(is_low_mask) => {
                let w = cb.or(ca)?.count_ones();
                let arg = if cb.is_some() { &x } else { &y };
                Value::Int(self.slice(arg, 0, w, wa))
            }
            BinOp::BvAnd => self.bounded(wa, |r| [r.le(&x), r.le(&y)]),
            BinOp::BvOr => self.bounded(wa, |r| [r.ge(&x), r.ge(&y), r.le(&x + &y)]),
            BinOp::BvXor => self.bounded(wa, |r| [r.le(&x + &y)]),
            BinOp::Lshr => self.bounded(wa, |r| [r.le(&x)]),
            BinOp::Udiv => Value::Int(self.quotient(pool, a, b)?.0),
            BinOp::Urem => Value::Int(self.quotient(pool, a, b)?.1),
            _ => return self.any_value(sort),
        })
    }

    fn part(&self, pool: &Pool, t: Term) -> Option<Part> {
        Some(Part {
            factor: Factor::value(pool, t),
            int: self.int(t)?.clone(),
            most: pool.range(t).1,
        })
    }

    /// The product of two unsigned values, not wrapped.
    fn unsigned(&mut self, pool: &Pool, a: Term, b: Term) -> Option<Int> {
        let (x, y) = (self.part(pool, a)?, self.part(pool, b)?);
        let (name, half) = (self.name(), pool.width(a) / 2);
        Some(self.products.product(&self.solver, name, x, y, half))
    }

    /// The size of the product of two values with signs, and whether it is negative (or zero of different signs).
    fn signed_product(&mut self, a: Term, b: Term, w: u32) -> Option<(Int, Bool)> {
        let part = |t: Term| {
            let x = self.int(t)?;
            let negative = x.ge(power(w - 1));
            let size = negative.ite(&(power(w) - x), x);
            let part = Part {
                factor: Factor::Magnitude(t),
                int: size,
                most: 1 << (w - 1),
            };
            Some((part, negative))
        };
        let ((x, x_negative), (y, y_negative)) = (part(a)?, part(b)?);
        let name = self.name();
        let size = (self.products).product(&self.solver, name, x, y, (w / 2).saturating_sub(1));
        Some((size, x_negative.xor(&y_negative)))
    }

    fn wrapped_product(&mut self, pool: &Pool, a: Term, b: Term) -> Option<Int> {
        let w = pool.width(a);
        let exact = self.unsigned(pool, a, b)?;
        let most = pool.range(a).1.checked_mul(pool.range(b).1);
        if most.is_some_and(|most| most <= mask(w)) {
            return Some(exact);
        }
        let value = self.any(w);
        let fits = exact.lt(power(w));
        self.solver.assert(fits.implies(value.eq(&exact)));
        self.solver.assert(value.le(&exact));
        let is_signed = |t: Term| matches!(pool.node(t), Node::Sext(_));
        if w >= 2 && (is_signed(a) || is_signed(b)) {
            let (size, negative) = self.signed_product(a, b, w)?;
            let fits = size.lt(power(w - 1));
            let with_sign = negative.ite(&(-&size), &size);
            let equal = as_signed(&value, w).eq(with_sign);
            self.solver.assert(fits.implies(equal));
        }
        Some(value)
    }

    /// Quotient and rest; of a division by zero, which has both by definition, only their ranges.
    fn quotient(&mut self, pool: &Pool, a: Term, b: Term) -> Option<(Int, Int)> {
        if let Some(known) = self.quotients.get(&(a, b)) {
            return Some(known.clone());
        }
        let w = pool.width(a);
        let (x, y) = (self.int(a)?.clone(), self.part(pool, b)?);
        let (quotient, rest) = (self.any(w), self.any(w));
        let divides = y.int.ge(1);
        let of_quotient = Part {
            factor: Factor::Quotient(a, b),
            int: quotient.clone(),
            most: mask(w),
        };
        let name = self.name();
        let divisor = y.int.clone();
        let product = (self.products).product(&self.solver, name, of_quotient, y, w / 2);
        for fact in [x.eq(product + &rest), rest.lt(&divisor), quotient.le(&x)] {
            self.solver.assert(divides.implies(&fact));
        }
        self.solver.assert(rest.le(&x));
        self.quotients
            .insert((a, b), (quotient.clone(), rest.clone()));
        Some((quotient, rest))
    }

    /// Division by a positive constant: towards zero, and the rest has the sign of what is divided.
    fn signed_quotient(&mut self, op: BinOp, x: &Int, y: &Int, w: u32) -> Int {
        let negative = x.ge(power(w - 1));
        let size = negative.ite(&(power(w) - x), x);
        let (quotient, rest) = (self.any(w), self.any(w));
        self.solver.assert(size.eq(&quotient * y + &rest));
        self.solver.assert(rest.lt(y));
        let found = if op == BinOp::Sdiv { quotient } else { rest };
        let below = Bool::and(&[&negative, &found.ge(1)]);
        below.ite(&(power(w) - &found), &found)
    }

    fn bounded<const N: usize>(&mut self, w: u32, bounds: impl Fn(&Int) -> [Bool; N]) -> Value {
        let r = self.any(w);
        for bound in bounds(&r) {
            self.solver.assert(&bound);
        }
        Value::Int(r)
    }
}

fn is_low_mask(c: u128) -> bool {
    c != 0 && c & c.wrapping_add(1) == 0
}

fn power(w: u32) -> Int {
    match w {
        0..=127 => Int::from_u128(1 << w),
        _ => Int::from_u128(1 << 127) * Int::from_u64(2),
    }
}

/// A coefficient as the nearest of the numbers that are the same modulo `2^w`.
fn signed(c: u128, w: u32) -> Int {
    match c > mask(w) / 2 {
        true => -Int::from_u128(c.wrapping_neg() & mask(w)),
        false => Int::from_u128(c),
    }
}

fn as_signed(x: &Int, w: u32) -> Int {
    x.ge(power(w - 1)).ite(&(x - power(w)), x)
}
