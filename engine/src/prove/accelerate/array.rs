//! Arrays written once per iteration, summarised as functions of the index: no quantifier, no frame axiom.
//!
//! `A[i] = v; i += c` gives `A'(j) = ite(touched(j, n), v at the iteration that wrote j, A(j))`. The iteration is
//! found by dividing `j - i` by c modulo 2^w (c = 2^t * odd: the low t bits must be zero, the rest is multiplied by
//! the inverse), so strides above one and downward loops need no special case. Each index is written at most once
//! in the first 2^(w-t) iterations; `limit` keeps the count below that, and below the point where the value would
//! read an element that an earlier iteration wrote.

use super::linear::Linear;
use super::recurrence::{ClosedForms, inverse};
use crate::term::{BinOp, Node, Pool, Sort, Term, Var, mask};
use std::collections::BTreeMap;

/// `A' = store(A, index, value)` each iteration.
#[derive(Clone, Debug)]
pub struct ArrayForm {
    /// The index of the first iteration, split into an unchanged high part (of arrays of arrays) and a moving one.
    high: Option<Term>,
    low: Term,
    /// What the moving part grows by.
    step: u128,
    value: Term,
    /// At most this many iterations are described.
    pub limit: u128,
}

impl ArrayForm {
    pub fn of(
        pool: &mut Pool,
        solved: &ClosedForms,
        updates: &BTreeMap<Var, Term>,
        v: Var,
        t: Term,
    ) -> Option<ArrayForm> {
        let (index, value) = single_store(pool, v, t)?;
        let (high, low) = match *pool.node(index) {
            Node::Binary(BinOp::Concat, h, l) if solved.is_unchanged(pool, h) => (Some(h), l),
            _ => (None, index),
        };
        let progression = solved.polynomial(pool, low)?;
        let [_, step] = progression[..] else {
            return None;
        };
        let step = pool.as_const(step)?;
        let w = pool.width(low);
        let mut limit = repeats_after(step, w);
        // Every read of an array that this loop writes must see what was there before the loop.
        for (array, at) in reads(pool, value)? {
            let Some(&update) = updates.get(&array) else {
                continue;
            };
            let (index, _) = single_store(pool, array, update)?;
            let distance = distance(pool, at, index)?;
            let other = solved.polynomial(pool, low_part(pool, index))?;
            let [_, other_step] = other[..] else {
                return None;
            };
            let other_step = pool.as_const(other_step)?;
            let w = pool.width(low_part(pool, index));
            if let Some(j) = first_hit(distance.wrapping_neg(), other_step, w) {
                limit = limit.min(j);
            }
        }
        // A form for a handful of iterations is not worth having.
        if limit < 4 {
            return None;
        }
        if solved.scalar_unknown(pool, value) {
            return None;
        }
        Some(ArrayForm {
            high,
            low,
            step,
            value,
            limit,
        })
    }

    /// First index and odd part of the stride, if the index has no unchanged high part: `low + odd * q` is then every
    /// index, for some q.
    pub fn stride(&self) -> Option<(Term, u128)> {
        let odd = self.step >> self.step.trailing_zeros();
        self.high.is_none().then_some((self.low, odd))
    }

    /// The array after `n <= limit` iterations.
    pub fn at(&self, pool: &mut Pool, forms: &ClosedForms, this: Term, n: Term) -> Term {
        let sort = pool.sort(this);
        let Sort::Array { index, .. } = sort else {
            return this;
        };
        let bound = pool.fresh("j", Sort::Bv(index));
        let j = pool.var(bound);
        let (touched, value) = self.written(pool, forms, j, n);
        let old = pool.select(this, j);
        let body = pool.ite(touched, value, old);
        pool.lambda(bound, body, sort)
    }

    /// What is known of the contents after n iterations: (bound index, touched, element now, its value).
    pub fn contents(
        &self,
        pool: &mut Pool,
        forms: &ClosedForms,
        array: Var,
        n: Term,
    ) -> (Vec<Var>, Term, Term, Term) {
        let width = match pool.var_info(array).sort {
            Sort::Array { index, .. } => index,
            _ => 1,
        };
        let bound = pool.fresh("j", Sort::Bv(width));
        let j = pool.var(bound);
        let (touched, value) = self.written(pool, forms, j, n);
        let this = pool.var(array);
        let now = pool.select(this, j);
        (vec![bound], touched, now, value)
    }

    /// Is index `j` written in the first n iterations, and with which value?
    fn written(&self, pool: &mut Pool, forms: &ClosedForms, j: Term, n: Term) -> (Term, Term) {
        let index = pool.width(j);
        let w = pool.width(self.low);
        let low_j = pool.extract(j, 0, w);
        let offset = pool.sub(low_j, self.low);
        let t = self.step.trailing_zeros();
        let odd = inverse(self.step >> t);
        let mut touched = pool.bool(true);
        if t > 0 {
            let rest = pool.extract(offset, 0, t);
            let zero = pool.bv(0, t);
            touched = pool.eq(rest, zero);
        }
        let quotient = pool.extract(offset, t, w - t);
        let odd = pool.bv(odd, w - t);
        let quotient = pool.mul(quotient, odd);
        let n_width = pool.width(n);
        // Compare at the wider of the two widths: neither side may be cut.
        let wide = n_width.max(w - t);
        let (q, m) = (pool.zext(quotient, wide), pool.zext(n, wide));
        let early = pool.ult(q, m);
        touched = pool.and(touched, early);
        if let Some(high) = self.high {
            let high_j = pool.extract(j, w, index - w);
            let same = pool.eq(high_j, high);
            touched = pool.and(touched, same);
        }
        let k = pool.resize(quotient, forms.count_width, false);
        let mut then = forms.scalars_at(pool, k);
        let value = then.apply(pool, self.value);
        (touched, value)
    }
}

/// Index and value of an update that is one write.
fn single_store(pool: &Pool, v: Var, t: Term) -> Option<(Term, Term)> {
    match *pool.node(t) {
        Node::Store(a, i, x) if pool.as_var(a) == Some(v) => Some((i, x)),
        _ => None,
    }
}

fn low_part(pool: &Pool, index: Term) -> Term {
    match *pool.node(index) {
        Node::Binary(BinOp::Concat, _, l) => l,
        _ => index,
    }
}

/// The constant difference of two indices (with equal high parts).
fn distance(pool: &mut Pool, a: Term, b: Term) -> Option<u128> {
    let parts = |pool: &Pool, t: Term| match *pool.node(t) {
        Node::Binary(BinOp::Concat, h, l) => (Some(h), l),
        _ => (None, t),
    };
    let ((ha, la), (hb, lb)) = (parts(pool, a), parts(pool, b));
    if ha != hb || pool.width(la) != pool.width(lb) {
        return None;
    }
    let d = pool.sub(la, lb);
    let d = Linear::of(pool, d);
    d.atoms.is_empty().then_some(d.constant)
}

/// The array reads in a term, if all are reads of variables.
fn reads(pool: &Pool, t: Term) -> Option<Vec<(Var, Term)>> {
    let mut out = vec![];
    let mut seen = crate::term::FastSet::default();
    let mut todo = vec![t];
    while let Some(t) = todo.pop() {
        if !seen.insert(t) {
            continue;
        }
        if let Node::Select(a, i) = *pool.node(t) {
            out.push((pool.as_var(a)?, i));
        }
        todo.extend(pool.children(t));
    }
    Some(out)
}

/// After how many steps a progression comes back to its start.
pub fn repeats_after(step: u128, w: u32) -> u128 {
    if step == 0 {
        return 1;
    }
    let bits = w - step.trailing_zeros();
    if bits >= 128 { u128::MAX } else { 1 << bits }
}

/// The first j >= 1 with `j * step = distance` modulo 2^w.
pub fn first_hit(distance: u128, step: u128, w: u32) -> Option<u128> {
    let distance = distance & mask(w);
    if step == 0 {
        return (distance == 0).then_some(1);
    }
    let t = step.trailing_zeros();
    if t > 0 && distance & mask(t) != 0 {
        return None;
    }
    let j = (distance >> t).wrapping_mul(inverse(step >> t)) & mask(w - t);
    Some(if j == 0 { repeats_after(step, w) } else { j })
}

impl ClosedForms {
    /// Does the term need a changed scalar whose value at an iteration is not known?
    fn scalar_unknown(&self, pool: &Pool, t: Term) -> bool {
        use super::recurrence::Closed;
        pool.free_vars(&[t]).iter().any(|v| {
            !pool.var_info(*v).sort.is_array()
                && matches!(
                    self.forms.get(v),
                    Some(Closed::Unknown | Closed::Previous(_))
                )
        })
    }
}
