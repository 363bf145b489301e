//! What must hold for accelerators to be what they claim: induction on the iteration count, as queries that must be
//! unsatisfiable. They become part of the proof's obligations and are asked again by `certify` in a fresh solver.
//!
//! With path P (guard) and U (update), accelerator G(n), V(n), count of width N, first count m (1, or the peeled
//! iterations): sound: G(m) gives m iterations; G(n+1) gives G(n), P after V(n), and V(n+1) = U(V(n)). Complete: P
//! gives G(1); G(n) unsaturated, and P after V(n), give G(n+1); at the largest count either saturated, or the state
//! repeats one with a smaller count. Equality of arrays is asked at an arbitrary index. Equations that are
//! polynomial identities are decided by expansion, not by the solver.

use super::accelerator::{Accelerator, Precision};
use super::graph::{Accelerated, Kind};
use super::linear::expanded;
use crate::term::{Pool, Sort, Subst, Term, Var, mask};
use std::collections::BTreeMap;

/// The conditions that must be unsatisfiable for all accelerators of the graph.
pub fn obligations(pool: &mut Pool, graph: &Accelerated) -> Vec<Term> {
    let mut out = graph.dropped.clone();
    // A proof needs every run to be covered; that the accelerators do nothing else matters for precision only.
    for (i, (_, a)) in graph.accelerators.iter().enumerate() {
        complete(pool, a, &mut out);
        // Where the exit count replaced the search for a count, that count must be real.
        let counted = graph
            .moves
            .iter()
            .any(|m| matches!(m.kind, Kind::Complete { accelerator, .. } if accelerator == i));
        if counted {
            sound(pool, a, &mut out);
            leaves(pool, a, &mut out);
        }
    }
    // The effect of a completed loop is used in place of it: it must be what the loop does.
    for (_, a) in &graph.completed {
        sound(pool, a, &mut out);
        leaves(pool, a, &mut out);
    }
    out.retain(|&t| !pool.is_false(t));
    out.sort();
    out.dedup();
    out
}

/// P gives G(1); unsaturated G(n) and P after V(n) give G(n+1) with V(n+1) = U(V(n)); or the counter is full and the
/// state repeats.
fn complete(pool: &mut Pool, a: &Accelerator, out: &mut Vec<Term>) {
    let width = pool.var_info(a.count).sort.width();
    let n = pool.var(a.count);
    let one = pool.bv(1, width);
    let most = pool.bv(mask(width), width);
    let next = pool.add(n, one);
    let path = pool.and_all(&a.path.literals);
    if a.subsumes_path {
        let start = at(pool, a, a.guard, one);
        let real = first_steps(pool, a, one);
        let fine = pool.and(start, real);
        let missed = pool.not(fine);
        let bad = pool.and(path, missed);
        out.push(bad);
    }
    if a.precision == Precision::Under {
        return;
    }
    let mut after = state(pool, a, n);
    let path_after = after.apply(pool, path);
    let open = pool.not(a.saturated);
    let here = pool.and(a.guard, open);
    let goes_on = pool.and(here, path_after);
    let full = pool.eq(n, most);
    let room = pool.not(full);
    let within = pool.and(goes_on, room);
    let guard_next = at(pool, a, a.guard, next);
    let lost = pool.not(guard_next);
    let lost = pool.and(within, lost);
    out.push(lost);
    let equal = stepped(pool, a, n, next);
    let differs = pool.not(equal);
    let differs = pool.and(within, differs);
    out.push(differs);
    let end = pool.and(goes_on, full);
    match a.period_bits.filter(|&p| p < width) {
        Some(p) if !pool.is_false(end) => {
            let again = pool.bv(1 << p, width);
            let possible = at(pool, a, a.guard, again);
            let same = stepped(pool, a, n, again);
            let fine = pool.and(possible, same);
            let bad = pool.not(fine);
            let bad = pool.and(end, bad);
            out.push(bad);
        }
        _ => out.push(end),
    }
}

/// G(first) gives the first iterations; G(n+1) gives G(n), P after V(n), and V(n+1) = U(V(n)).
fn sound(pool: &mut Pool, a: &Accelerator, out: &mut Vec<Term>) {
    let width = pool.var_info(a.count).sort.width();
    let n = pool.var(a.count);
    let first = pool.bv(a.first, width);
    let one = pool.bv(1, width);
    let most = pool.bv(mask(width), width);
    let next = pool.add(n, one);
    let path = pool.and_all(&a.path.literals);

    let below = pool.ult(n, first);
    let early = pool.and(a.guard, below);
    out.push(early);
    let begin = at(pool, a, a.guard, first);
    let real = first_steps(pool, a, first);
    let unreal = pool.not(real);
    let bad = pool.and(begin, unreal);
    out.push(bad);

    let full = pool.eq(n, most);
    let room = pool.not(full);
    let started = pool.ule(first, n);
    let inner = pool.and(room, started);
    let mut after = state(pool, a, n);
    let path_after = after.apply(pool, path);
    let guard_next = at(pool, a, a.guard, next);
    let equal = stepped(pool, a, n, next);
    let premise = pool.and(guard_next, inner);
    let both = pool.and(a.guard, path_after);
    let fine = pool.and(both, equal);
    let bad = pool.not(fine);
    let bad = pool.and(premise, bad);
    out.push(bad);
}

/// An inner loop without a known exit never ends: its path leads to states of the same kind.
fn leaves(pool: &mut Pool, a: &Accelerator, out: &mut Vec<Term>) {
    let Some(exit) = a.exit else { return };
    let path = pool.and_all(&a.path.literals);
    let endless = pool.not(exit.known);
    let outside = pool.not(path);
    let bad = pool.and(endless, outside);
    out.push(bad);
    let mut step = a.path.step();
    let still = step.apply(pool, path);
    let known_after = step.apply(pool, exit.known);
    let endless_after = pool.not(known_after);
    let fine = pool.and(still, endless_after);
    let wrong = pool.not(fine);
    let here = pool.and(endless, path);
    let bad = pool.and(here, wrong);
    out.push(bad);
}

fn at(pool: &mut Pool, a: &Accelerator, t: Term, n: Term) -> Term {
    let mut s = Subst::new();
    s.bind(a.count, n);
    s.apply(pool, t)
}

/// The state after n iterations as a substitution.
fn state(pool: &mut Pool, a: &Accelerator, n: Term) -> Subst {
    let mut s = Subst::new();
    for (&v, &t) in &a.updates {
        let t = at(pool, a, t, n);
        s.bind(v, t);
    }
    s
}

/// V(to) = U(V(from)), for what has a closed form.
fn stepped(pool: &mut Pool, a: &Accelerator, from: Term, to: Term) -> Term {
    let mut before = state(pool, a, from);
    let mut news = BTreeMap::new();
    for (&v, &t) in &a.path.updates {
        let t = before.apply(pool, t);
        news.insert(v, t);
    }
    equal(pool, a, &news, to)
}

/// The first iterations happen, and lead to V(first); `first` is 1 or `a.first`.
fn first_steps(pool: &mut Pool, a: &Accelerator, first: Term) -> Term {
    let mut news: BTreeMap<Var, Term> = BTreeMap::new();
    let mut possible = pool.bool(true);
    let n_steps = pool.as_const(first).unwrap_or(1);
    for _ in 0..n_steps {
        let mut before = Subst::new();
        for (&v, &t) in &news {
            before.bind(v, t);
        }
        for &l in &a.path.literals {
            let l = before.apply(pool, l);
            possible = pool.and(possible, l);
        }
        let mut next = news.clone();
        for (&v, &t) in &a.path.updates {
            let t = before.apply(pool, t);
            next.insert(v, t);
        }
        news = next;
    }
    let same = equal(pool, a, &news, first);
    pool.and(possible, same)
}

/// The given values are those of V(n); variables without a closed form are arbitrary and left out.
fn equal(pool: &mut Pool, a: &Accelerator, values: &BTreeMap<Var, Term>, n: Term) -> Term {
    let mut out = pool.bool(true);
    let mut vars: Vec<Var> = values.keys().chain(a.updates.keys()).copied().collect();
    vars.sort();
    vars.dedup();
    for v in vars {
        let this = pool.var(v);
        let claimed = match a.updates.get(&v) {
            Some(&t) if pool.as_var(t).is_some_and(|u| a.unknowns.contains(&u)) => continue,
            Some(&t) => at(pool, a, t, n),
            None => this,
        };
        let value = values.get(&v).copied().unwrap_or(this);
        let same = match pool.sort(this) {
            Sort::Array { index, .. } => {
                let q = pool.fresh("j", Sort::Bv(index));
                let mut j = pool.var(q);
                // Every index is `first + odd * q` for some q: then the division by the stride folds away.
                if let Some(&(low, odd)) = a.strides.get(&v)
                    && pool.width(low) == index
                {
                    let odd = pool.bv(odd, index);
                    let offset = pool.mul(j, odd);
                    j = pool.add(low, offset);
                }
                let (x, y) = (pool.select(claimed, j), pool.select(value, j));
                pool.eq(x, y)
            }
            Sort::Bv(_) => {
                let (x, y) = (expanded(pool, claimed), expanded(pool, value));
                pool.eq(x, y)
            }
            Sort::Bool => pool.eq(claimed, value),
        };
        out = pool.and(out, same);
    }
    out
}
