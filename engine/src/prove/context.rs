//! Simplifies an edge by its own guard: what is known on the edge decides conditions inside guard and updates.
//!
//! Inlined iterators leave `if(i < n, i, 0)` everywhere, on edges whose guard says `i < n`. Each conjunct of the
//! guard is taken for true in all others and in the updates, with its immediate consequences; a conjunct `v = c`
//! replaces `v`. Conjuncts are rewritten one at a time, so the conjunction stays equivalent at every step.

use super::candidates::conjuncts;
use crate::program::cpg::Edge;
use crate::term::{BinOp, Node, Pool, Subst, Term, UnOp, mask};

const CONJUNCTS: usize = 40;
const SIZE: usize = 6000;

pub fn simplify(pool: &mut Pool, edge: &mut Edge) {
    for _ in 0..3 {
        let before = edge.guard;
        let mut parts = conjuncts(pool, edge.guard);
        parts.sort();
        parts.dedup();
        if parts.len() > CONJUNCTS || pool.dag_size(&[edge.guard]) > SIZE {
            break;
        }
        for i in 0..parts.len() {
            let mut s = Subst::new();
            for (j, &p) in parts.iter().enumerate() {
                if i != j {
                    assume(pool, &mut s, p);
                }
            }
            parts[i] = s.apply(pool, parts[i]);
        }
        edge.guard = pool.and_all(&parts);
        if edge.guard == before {
            break;
        }
    }
    if pool.is_false(edge.guard) {
        edge.updates.clear();
        return;
    }
    let mut s = Subst::new();
    let parts = conjuncts(pool, edge.guard);
    if parts.len() > CONJUNCTS {
        return;
    }
    for p in parts {
        assume(pool, &mut s, p);
    }
    for t in edge.updates.values_mut() {
        *t = s.apply(pool, *t);
    }
    for d in &mut edge.draws {
        d.when = s.apply(pool, d.when);
    }
}

/// Adds a condition that holds, and what follows from it at once.
fn assume(pool: &mut Pool, s: &mut Subst, p: Term) {
    let (yes, no) = (pool.bool(true), pool.bool(false));
    let (holds, atom) = match *pool.node(p) {
        Node::Unary(UnOp::Not, a) => (false, a),
        _ => (true, p),
    };
    if pool.as_const(atom).is_some() {
        return;
    }
    s.fix(atom, if holds { yes } else { no });
    match (*pool.node(atom)).clone() {
        Node::Binary(op @ (BinOp::Ult | BinOp::Slt), a, b) if holds => {
            let back = pool.binary(op, b, a);
            let same = pool.eq(a, b);
            fix(pool, s, back, no);
            fix(pool, s, same, no);
            if op == BinOp::Ult {
                let w = pool.width(a);
                let (top, almost, zero) = (
                    pool.bv(mask(w), w),
                    pool.bv(mask(w).wrapping_sub(1), w),
                    pool.bv(0, w),
                );
                let is_top = pool.eq(a, top);
                let above = pool.ult(almost, a);
                let is_zero = pool.eq(b, zero);
                for t in [is_top, above, is_zero] {
                    fix(pool, s, t, no);
                }
            }
        }
        Node::Binary(BinOp::Eq, a, b) if holds => {
            // The younger name goes.
            match (pool.as_var(a), pool.as_var(b)) {
                (Some(v), _) if pool.as_const(b).is_some() => s.bind(v, b),
                (Some(v), Some(u)) if v > u => s.bind(v, b),
                (Some(_), Some(u)) => s.bind(u, a),
                _ if pool.as_const(b).is_some() => s.fix(a, b),
                _ => {}
            }
        }
        Node::Var(v) => s.bind(v, if holds { yes } else { no }),
        _ => {}
    }
}

/// Fixes a condition, whichever sign it is stored with.
fn fix(pool: &mut Pool, s: &mut Subst, t: Term, value: Term) {
    if pool.as_const(t).is_some() {
        return;
    }
    match *pool.node(t) {
        Node::Unary(UnOp::Not, a) => {
            let n = pool.not(value);
            s.fix(a, n);
        }
        _ => s.fix(t, value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Sort;
    use std::collections::BTreeMap;

    #[test]
    fn a_guard_decides_what_it_implies() {
        let mut p = Pool::new();
        let i = p.fresh("i", Sort::Bv(64));
        let (ti, n) = (p.var(i), p.fresh("n", Sort::Bv(64)));
        let n = p.var(n);
        let (almost, zero, one) = (p.bv(mask(64) - 1, 64), p.bv(0, 64), p.bv(1, 64));
        let a = p.ule(ti, almost);
        let b = p.ult(ti, n);
        let ok = p.and(a, b);
        let at = p.ite(ok, ti, zero);
        let inside = p.ult(at, n);
        let done = p.ule(n, ti);
        let either = p.or(ok, done);
        let g = p.and(either, ok);
        let guard = p.and(g, inside);
        let next = p.add(ti, one);
        let next = p.ite(ok, next, ti);
        let mut edge = Edge {
            guard,
            updates: BTreeMap::from([(i, next)]),
            draws: vec![],
            blocks: vec![],
        };
        simplify(&mut p, &mut edge);
        assert_eq!(p.show(edge.guard), "(i < n)");
        assert_eq!(p.show(edge.updates[&i]), "(i + 1)");
    }
}
