//! Exact closed forms over Z/2^w of iterating an update k times.
//!
//! Lineage: the closed forms of loop acceleration (Kroening, Lewis, Weissenbacher, "Proving Safety with Trace
//! Automata and Bounded Model Checking", and their CAV'13 under-approximation paper), but taken modulo 2^w from
//! the start: `x + k*c` needs no overflow guard. Changed: polynomials live in the binomial basis, in which
//! summing is a shift of the coefficients; constant linear maps are raised to the k-th power by the bits of k;
//! arrays are functions of the index (`array.rs`). Not claimed: anything for updates that multiply changing
//! variables to a degree above 3, or that read an array they wrote earlier.

use super::array::ArrayForm;
use super::linear::Linear;
use crate::term::{BinOp, Node, Pool, Sort, Subst, Term, Var, mask};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The value of one variable after k iterations, from the state before them.
#[derive(Clone, Debug)]
pub enum Closed {
    /// `sum of coefficient[j] * C(k, j)`; the coefficients are terms over the state before.
    Polynomial(Vec<Term>),
    /// A component of the k-th power of a constant linear map.
    Power(Rc<LinearMap>, usize),
    /// The variable shifted by `k * amount`.
    Shift(BinOp, u32),
    /// A boolean that is negated each time.
    Toggle,
    Array(ArrayForm),
    /// Computed from the state one iteration earlier (known for k >= 1 only).
    Previous(Term),
    /// No closed form: arbitrary (over-approximates).
    Unknown,
}

/// `x' = A x + b` with its powers for the exponents 2^i; `b` holds unchanged terms.
#[derive(Debug)]
pub struct LinearMap {
    vars: Vec<Var>,
    offsets: Vec<Term>,
    width: u32,
    /// For each i the matrices A^(2^i) and I + A + .. + A^(2^i - 1).
    powers: Vec<(Matrix, Matrix)>,
}

type Matrix = Vec<Vec<u128>>;

/// The closed forms of an update. Variables without one are unchanged.
#[derive(Clone, Debug)]
pub struct ClosedForms {
    pub forms: BTreeMap<Var, Closed>,
    /// The width of iteration counts.
    pub count_width: u32,
    /// All values repeat after `2^period_bits` iterations, if that is known.
    pub period_bits: Option<u32>,
}

const MAX_DEGREE: usize = 3;
const MAX_DIMENSION: usize = 4;

/// Solves what it can; what it cannot becomes `Unknown`.
pub fn solve(pool: &mut Pool, updates: &BTreeMap<Var, Term>, count_width: u32) -> ClosedForms {
    let mut out = ClosedForms {
        forms: updates.keys().map(|&v| (v, Closed::Unknown)).collect(),
        count_width,
        period_bits: None,
    };
    // Polynomials, in the order of their dependence.
    loop {
        let mut progress = false;
        for (&v, &t) in updates {
            if matches!(out.forms[&v], Closed::Unknown)
                && let Some(form) = simple(pool, &out, v, t)
            {
                out.forms.insert(v, form);
                progress = true;
            }
        }
        if !progress {
            break;
        }
    }
    for &v in updates.keys() {
        if matches!(out.forms[&v], Closed::Unknown)
            && let Some(map) = LinearMap::around(pool, updates, v, count_width)
        {
            let map = Rc::new(map);
            for (i, &u) in map.vars.iter().enumerate() {
                if matches!(out.forms[&u], Closed::Unknown) {
                    out.forms.insert(u, Closed::Power(map.clone(), i));
                }
            }
        }
    }
    for (&v, &t) in updates {
        if matches!(out.forms[&v], Closed::Unknown)
            && let Some(form) = ArrayForm::of(pool, &out, updates, v, t)
        {
            out.forms.insert(v, Closed::Array(form));
        }
    }
    // What depends on solved variables only, and not on itself, follows one iteration behind.
    for (&v, &t) in updates {
        if matches!(out.forms[&v], Closed::Unknown) {
            let known = pool.free_vars(&[t]).iter().all(|u| {
                *u != v
                    && !matches!(
                        out.forms.get(u),
                        Some(Closed::Unknown | Closed::Previous(_))
                    )
            });
            if known {
                out.forms.insert(v, Closed::Previous(t));
            }
        }
    }
    out.period_bits = out.period(pool);
    out
}

/// The forms that need nothing but already solved variables.
fn simple(pool: &mut Pool, solved: &ClosedForms, v: Var, t: Term) -> Option<Closed> {
    let sort = pool.var_info(v).sort;
    let this = pool.var(v);
    if sort == Sort::Bool {
        return (t == pool.not(this)).then_some(Closed::Toggle);
    }
    let Sort::Bv(w) = sort else { return None };
    if let Node::Binary(op @ (BinOp::Lshr | BinOp::Ashr), a, s) = *pool.node(t)
        && a == this
        && let Some(s) = pool.as_const(s)
    {
        return Some(Closed::Shift(op, s.min(u128::from(w)) as u32));
    }
    let linear = Linear::of(pool, t);
    // x * 2^s
    if linear.constant == 0
        && linear.atoms.len() == 1
        && let Some(&c) = linear.atoms.get(&this)
        && c.is_power_of_two()
        && c != 1
    {
        return Some(Closed::Shift(BinOp::Shl, c.trailing_zeros()));
    }
    if linear.atoms.get(&this) != Some(&1) {
        return None;
    }
    let mut rest = linear;
    rest.atoms.remove(&this);
    let difference = rest.term(pool);
    let difference = solved.polynomial(pool, difference)?;
    if difference.len() > MAX_DEGREE {
        return None;
    }
    let mut coefficients = vec![this];
    coefficients.extend(difference);
    Some(Closed::Polynomial(coefficients))
}

impl ClosedForms {
    pub fn is_changed(&self, v: Var) -> bool {
        self.forms.contains_key(&v)
    }

    /// Does the term keep its value over iterations?
    pub fn is_unchanged(&self, pool: &Pool, t: Term) -> bool {
        pool.free_vars(&[t]).iter().all(|&v| !self.is_changed(v))
    }

    /// The term as a polynomial in the iteration count (binomial basis, coefficients over the state before).
    pub fn polynomial(&self, pool: &mut Pool, t: Term) -> Option<Vec<Term>> {
        if self.is_unchanged(pool, t) {
            return Some(vec![t]);
        }
        let linear = Linear::of(pool, t);
        let w = linear.width;
        let constant = pool.bv(linear.constant, w);
        let mut out = vec![constant];
        for (atom, factor) in linear.atoms {
            let p = if self.is_unchanged(pool, atom) {
                vec![atom]
            } else {
                match pool.node(atom).clone() {
                    Node::Var(v) => match self.forms.get(&v) {
                        Some(Closed::Polynomial(p)) => p.clone(),
                        _ => return None,
                    },
                    Node::Binary(BinOp::Mul, a, b) => {
                        let (a, b) = (self.polynomial(pool, a)?, self.polynomial(pool, b)?);
                        product(pool, &a, &b)?
                    }
                    _ => return None,
                }
            };
            let factor = pool.bv(factor, w);
            for (j, c) in p.into_iter().enumerate() {
                let c = pool.mul(c, factor);
                match out.get(j).copied() {
                    Some(old) => out[j] = pool.add(old, c),
                    None => out.push(c),
                }
            }
        }
        while out.len() > 1
            && out
                .last()
                .is_some_and(|&c| pool.as_const(c).is_some_and(|c| c == 0))
        {
            out.pop();
        }
        Some(out)
    }

    /// The values of the changed variables after `k` iterations (k >= 0); `Previous` ones are left out,
    /// `Unknown` ones are fresh.
    pub fn at(&self, pool: &mut Pool, k: Term) -> BTreeMap<Var, Term> {
        self.forms
            .iter()
            .filter_map(|(&v, form)| Some((v, self.value(pool, v, form, k)?)))
            .collect()
    }

    fn value(&self, pool: &mut Pool, v: Var, form: &Closed, k: Term) -> Option<Term> {
        let this = pool.var(v);
        Some(match form {
            Closed::Polynomial(p) => {
                let w = pool.width(this);
                let mut out = p[0];
                for (j, &c) in p.iter().enumerate().skip(1) {
                    let b = binomial(pool, k, j, w);
                    let t = pool.mul(c, b);
                    out = pool.add(out, t);
                }
                out
            }
            Closed::Power(map, i) => map.at(pool, k)[*i],
            Closed::Shift(op, amount) => shifted(pool, *op, this, *amount, k),
            Closed::Toggle => {
                let odd = pool.extract(k, 0, 1);
                let one = pool.bv(1, 1);
                let odd = pool.eq(odd, one);
                pool.xor_bool(this, odd)
            }
            Closed::Array(form) => form.at(pool, self, this, k),
            Closed::Unknown => {
                let info = pool.var_info(v).clone();
                let fresh = pool.fresh(format!("{}?", info.name), info.sort);
                pool.var(fresh)
            }
            Closed::Previous(_) => return None,
        })
    }

    /// The values of all changed variables after `n >= 1` iterations.
    pub fn after(&self, pool: &mut Pool, n: Term) -> BTreeMap<Var, Term> {
        let mut out = self.at(pool, n);
        if self
            .forms
            .values()
            .any(|f| matches!(f, Closed::Previous(_)))
        {
            let one = pool.bv(1, self.count_width);
            let k = pool.sub(n, one);
            let mut before = Subst::new();
            for (v, t) in self.at(pool, k) {
                before.bind(v, t);
            }
            for (&v, form) in &self.forms {
                if let Closed::Previous(t) = form {
                    out.insert(v, before.apply(pool, *t));
                }
            }
        }
        out
    }

    /// Only scalars: for terms evaluated at another iteration while arrays keep their first contents.
    pub fn scalars_at(&self, pool: &mut Pool, k: Term) -> Subst {
        let mut s = Subst::new();
        for (&v, form) in &self.forms {
            if !matches!(form, Closed::Array(_) | Closed::Unknown)
                && let Some(t) = self.value(pool, v, form, k)
            {
                s.bind(v, t);
            }
        }
        s
    }

    pub fn has_unknown(&self) -> bool {
        self.forms.values().any(|f| matches!(f, Closed::Unknown))
    }

    /// The exponent of a common period of all forms.
    fn period(&self, pool: &Pool) -> Option<u32> {
        let mut bits = 0;
        for (&v, form) in &self.forms {
            bits = bits.max(match form {
                Closed::Polynomial(p) => pool.var_info(v).sort.width() + u32::from(p.len() > 2),
                Closed::Toggle => 1,
                _ => return None,
            });
        }
        Some(bits)
    }
}

/// `C(i,1) * C(i,1) = C(i,1) + 2 C(i,2)`: products of progressions.
fn product(pool: &mut Pool, a: &[Term], b: &[Term]) -> Option<Vec<Term>> {
    if a.len() == 1 || b.len() == 1 {
        let (k, p) = if a.len() == 1 { (a[0], b) } else { (b[0], a) };
        return Some(p.iter().map(|&c| pool.mul(c, k)).collect());
    }
    if a.len() > 2 || b.len() > 2 {
        return None;
    }
    let low = pool.mul(a[0], b[0]);
    let square = pool.mul(a[1], b[1]);
    let cross1 = pool.mul(a[0], b[1]);
    let cross2 = pool.mul(a[1], b[0]);
    let middle = pool.add(cross1, cross2);
    let middle = pool.add(middle, square);
    let high = pool.add(square, square);
    Some(vec![low, middle, high])
}

/// `C(k, j)` modulo 2^w.
pub fn binomial(pool: &mut Pool, k: Term, j: usize, w: u32) -> Term {
    match j {
        0 => pool.bv(1, w),
        1 => pool.resize(k, w, false),
        2 => {
            let n = pool.width(k);
            if w < 128 {
                // The product has one bit more than the quotient.
                let kk = pool.resize(k, w + 1, false);
                let one = pool.bv(1, w + 1);
                let less = pool.sub(kk, one);
                let p = pool.mul(kk, less);
                return pool.extract(p, 1, w);
            }
            // No wider type: halve the even factor first. Counts below the width are exact numbers.
            let k = if n < w { pool.zext(k, w) } else { k };
            let one = pool.bv(1, w);
            let less = pool.sub(k, one);
            let half_k = pool.binary(BinOp::Lshr, k, one);
            let half_less = pool.binary(BinOp::Lshr, less, one);
            let even = pool.mul(half_k, less);
            let odd = pool.mul(k, half_less);
            let bit = pool.extract(k, 0, 1);
            let zero = pool.bv(0, 1);
            let is_even = pool.eq(bit, zero);
            pool.ite(is_even, even, odd)
        }
        // C(k,3) = C(k,2) * (k-2) / 3, and 3 is invertible.
        _ => {
            debug_assert_eq!(j, MAX_DEGREE);
            let b = binomial(pool, k, 2, w);
            let kk = pool.resize(k, w, false);
            let two = pool.bv(2, w);
            let less = pool.sub(kk, two);
            let p = pool.mul(b, less);
            let third = pool.bv(inverse(3), w);
            pool.mul(p, third)
        }
    }
}

/// The inverse of an odd number modulo 2^128 (and so modulo every smaller power).
pub fn inverse(odd: u128) -> u128 {
    let mut x = odd;
    for _ in 0..7 {
        x = x.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(x)));
    }
    x
}

fn shifted(pool: &mut Pool, op: BinOp, x: Term, amount: u32, k: Term) -> Term {
    let w = pool.width(x);
    let n = pool.width(k);
    // Enough steps to shift everything out.
    let steps = u128::from(w.div_ceil(amount.max(1)));
    let limit = pool.bv(steps, n);
    let few = if steps > mask(n) {
        pool.bool(true)
    } else {
        pool.ult(k, limit)
    };
    let kk = pool.resize(k, w, false);
    let factor = pool.bv(u128::from(amount), w);
    let by = pool.mul(kk, factor);
    let near = pool.binary(op, x, by);
    let all = pool.bv(u128::from(w - 1), w);
    let far = match op {
        BinOp::Ashr => pool.binary(BinOp::Ashr, x, all),
        _ => pool.bv(0, w),
    };
    if amount == 0 {
        return x;
    }
    pool.ite(few, near, far)
}

impl LinearMap {
    /// The map over `v` and what it depends on, if all of that is linear with constant coefficients.
    fn around(
        pool: &mut Pool,
        updates: &BTreeMap<Var, Term>,
        v: Var,
        count_width: u32,
    ) -> Option<LinearMap> {
        let Sort::Bv(width) = pool.var_info(v).sort else {
            return None;
        };
        let mut vars = vec![v];
        let mut rows: Vec<BTreeMap<Var, u128>> = vec![];
        let mut offsets = vec![];
        while rows.len() < vars.len() {
            let u = vars[rows.len()];
            let mut linear = Linear::of(pool, updates[&u]);
            let mut row = BTreeMap::new();
            let atoms: Vec<(Term, u128)> = linear.atoms.iter().map(|(a, c)| (*a, *c)).collect();
            for (atom, c) in atoms {
                match pool.as_var(atom) {
                    Some(x) if updates.contains_key(&x) => {
                        linear.atoms.remove(&atom);
                        row.insert(x, c);
                        if !vars.contains(&x) {
                            vars.push(x);
                        }
                    }
                    _ if pool
                        .free_vars(&[atom])
                        .iter()
                        .all(|x| !updates.contains_key(x)) => {}
                    _ => return None,
                }
            }
            if vars.len() > MAX_DIMENSION {
                return None;
            }
            rows.push(row);
            offsets.push(linear.term(pool));
        }
        let a: Matrix = rows
            .iter()
            .map(|r| {
                vars.iter()
                    .map(|x| r.get(x).copied().unwrap_or(0))
                    .collect()
            })
            .collect();
        let mut powers = vec![(a, identity(vars.len()))];
        for i in 1..count_width as usize {
            let (a, s) = &powers[i - 1];
            let twice = multiply(a, a, width);
            let sum = sum(s, &multiply(a, s, width), width);
            powers.push((twice, sum));
        }
        Some(LinearMap {
            vars,
            offsets,
            width,
            powers,
        })
    }

    fn at(&self, pool: &mut Pool, k: Term) -> Vec<Term> {
        let mut state: Vec<Term> = self.vars.iter().map(|&v| pool.var(v)).collect();
        let one = pool.bv(1, 1);
        let n_bits = pool.width(k) as usize;
        for (i, (a, s)) in self.powers.iter().take(n_bits).enumerate() {
            let bit = pool.extract(k, i as u32, 1);
            let bit = pool.eq(bit, one);
            let next: Vec<Term> = (0..state.len())
                .map(|r| {
                    let moved = self.combine(pool, &a[r], &state);
                    let added = self.combine(pool, &s[r], &self.offsets);
                    pool.add(moved, added)
                })
                .collect();
            for (x, y) in state.iter_mut().zip(next) {
                *x = pool.ite(bit, y, *x);
            }
        }
        state
    }

    fn combine(&self, pool: &mut Pool, row: &[u128], terms: &[Term]) -> Term {
        let mut out = pool.bv(0, self.width);
        for (&c, &t) in row.iter().zip(terms) {
            let k = pool.bv(c, self.width);
            let p = pool.mul(t, k);
            out = pool.add(out, p);
        }
        out
    }
}

fn identity(n: usize) -> Matrix {
    (0..n)
        .map(|i| (0..n).map(|j| u128::from(i == j)).collect())
        .collect()
}

fn multiply(a: &Matrix, b: &Matrix, w: u32) -> Matrix {
    let n = a.len();
    let cell = |i: usize, j: usize| {
        (0..n).fold(0u128, |s, l| s.wrapping_add(a[i][l].wrapping_mul(b[l][j]))) & mask(w)
    };
    (0..n)
        .map(|i| (0..n).map(|j| cell(i, j)).collect())
        .collect()
}

fn sum(a: &Matrix, b: &Matrix, w: u32) -> Matrix {
    a.iter()
        .zip(b)
        .map(|(r, s)| {
            r.iter()
                .zip(s)
                .map(|(x, y)| x.wrapping_add(*y) & mask(w))
                .collect()
        })
        .collect()
}
