//! An accelerator: n >= 1 iterations of one looping path as a single guarded update over the iteration count.
//!
//! Lineage: Definition 3 of the trace-automata paper, with the bound function of under-approximating accelerators
//! made explicit as `saturated`: any number of iterations is a chain of accelerated steps in which every step but
//! the last is saturated (its last iteration wrapped a guard term, or hit the limit of an array summary or of the
//! counter). That is what the trace automaton needs instead of Lemma 1.
//!
//! Variables that are assigned without looking at themselves (`t = a[i]`, flags) are constant, or a function of the
//! others, from the second iteration on: up to `MAX_PEEL` iterations are peeled off and composed in front.

use super::guard::{Literal, SignNeeded, discharge, signs};
use super::path::{Oracle, Path};
use super::recurrence::{Closed, ClosedForms, solve};
use crate::term::{Node, Pool, Sort, Subst, Term, Var, mask};
use std::collections::{BTreeMap, BTreeSet};

const MAX_PEEL: usize = 3;

/// What may be concluded from an accelerated step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Precision {
    /// Reaches exactly what iterations of the path reach.
    Exact,
    /// Every accelerated step is a sequence of iterations, but not all sequences are covered (draws are the same
    /// in all iterations).
    Under,
    /// Covers all sequences of iterations, and perhaps more.
    Over,
}

#[derive(Clone, Debug)]
pub struct Accelerator {
    /// The path that is iterated (after case splits on signs).
    pub path: Path,
    /// The iteration count.
    pub count: Var,
    /// n iterations are possible: over the state before, the path's draws and `count`.
    pub guard: Term,
    /// The state after n iterations.
    pub updates: BTreeMap<Var, Term>,
    /// Another accelerated step of the same path may follow usefully.
    pub saturated: Term,
    pub precision: Precision,
    /// The smallest count.
    pub first: u128,
    /// Is n = 1 included?
    pub subsumes_path: bool,
    /// The state repeats after this power of two of iterations, if known.
    pub period_bits: Option<u32>,
    /// The number of iterations after which the path's guard fails for the first time (0: it fails at once), with
    /// the condition under which that is known; to be confirmed by evaluating the guard there.
    pub exit: Option<Exit>,
    /// Variables that stand for values without a closed form.
    pub unknowns: Vec<Var>,
    /// For arrays: first index and odd part of the stride (see `ArrayForm::stride`).
    pub strides: BTreeMap<Var, (Term, u128)>,
}

/// See `Accelerator::exit`: the path is left for the first time after `count` iterations.
#[derive(Clone, Copy, Debug)]
pub struct Exit {
    pub known: Term,
    pub count: Term,
}

/// Why a path is not accelerated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The path cannot be taken twice in a row.
    Once,
    /// Nothing changes: the path needs no iteration at all.
    Stutters,
    /// Too little is known for an accelerator to be of use.
    NoClosedForm,
}

/// Accelerates a path; a step of unknown sign splits it into up to three.
pub fn accelerate(
    pool: &mut Pool,
    oracle: &mut dyn Oracle,
    path: &Path,
) -> Vec<(Path, Result<Accelerator, Refusal>)> {
    let mut out = vec![];
    let mut todo = vec![path.clone()];
    while let Some(path) = todo.pop() {
        if path.updates.is_empty() {
            out.push((path, Err(Refusal::Stutters)));
            continue;
        }
        match one(pool, oracle, &path) {
            Ok(a) => out.push((path, a)),
            Err(SignNeeded(step)) => {
                for sign in signs(pool, step) {
                    let mut case = path.clone();
                    case.literals.push(sign);
                    let guard = case.guard(pool);
                    if !oracle.infeasible(pool, guard) {
                        todo.push(case);
                    }
                }
            }
        }
    }
    out
}

fn one(
    pool: &mut Pool,
    oracle: &mut dyn Oracle,
    path: &Path,
) -> Result<Result<Accelerator, Refusal>, SignNeeded> {
    let Some(peeled) = Peeled::of(pool, path) else {
        return Ok(Err(Refusal::NoClosedForm));
    };
    let rest = &peeled.path;
    let width = count_width(pool, path);
    let forms = solve(pool, &rest.updates, width);
    let mut step = rest.step();
    let literals = discharge(pool, oracle, &forms, &rest.literals, &mut step)?;
    if literals
        .iter()
        .any(|l| matches!(l.rule, super::guard::Rule::Once))
    {
        return Ok(Err(Refusal::Once));
    }
    let useful = forms
        .forms
        .values()
        .any(|f| !matches!(f, Closed::Unknown | Closed::Previous(_)));
    if forms.has_unknown() && !useful {
        return Ok(Err(Refusal::NoClosedForm));
    }
    let exact_guard = literals.iter().all(Literal::is_exact);
    let precision = match draws_flow(pool, path, &peeled, &forms) {
        _ if forms.has_unknown() || !exact_guard => Precision::Over,
        true => Precision::Under,
        false => Precision::Exact,
    };
    // Over-approximating draws, too, would leave nothing to conclude.
    if precision == Precision::Over && draws_flow(pool, path, &peeled, &forms) {
        return Ok(Err(Refusal::NoClosedForm));
    }
    Ok(Ok(assemble(
        pool, path, &peeled, &forms, &literals, precision,
    )))
}

fn assemble(
    pool: &mut Pool,
    path: &Path,
    peeled: &Peeled,
    forms: &ClosedForms,
    literals: &[Literal],
    precision: Precision,
) -> Accelerator {
    let width = forms.count_width;
    let count = pool.fresh("n", Sort::Bv(width));
    let n = pool.var(count);
    let n_peels = peeled.states.len();
    let peels = pool.bv(n_peels as u128, width);
    let m = pool.sub(n, peels);
    let before_vars = pool.n_vars();

    // The iterations behind the peeled ones, over the state where they start.
    let one = pool.bv(1, width);
    let zero = pool.bv(0, width);
    let k = pool.sub(m, one);
    let mut inside = pool.ule(one, m);
    let mut saturated = pool.bool(false);
    for l in literals {
        let ok = l.within(pool, forms, k);
        inside = pool.and(inside, ok);
        let wraps = l.wraps(pool, m);
        saturated = pool.or(saturated, wraps);
    }
    for form in forms.forms.values() {
        if let Closed::Array(a) = form
            && a.limit < mask(width)
        {
            let limit = pool.bv(a.limit, width);
            let ok = pool.ule(m, limit);
            inside = pool.and(inside, ok);
            let full = pool.eq(m, limit);
            saturated = pool.or(saturated, full);
        }
    }
    // Longer runs than the counter can count repeat earlier states if there is a period below its range.
    if forms.period_bits.is_none_or(|p| p >= width) {
        let most = pool.bv(mask(width), width);
        let full = pool.eq(n, most);
        saturated = pool.or(saturated, full);
    }
    let exit = exit_count(pool, literals, forms);
    let mut updates = forms.after(pool, m);
    // Definitions of peeled variables hold after the peeled iterations.
    let mut end = Subst::new();
    for (&v, &t) in &updates {
        end.bind(v, t);
    }
    for &(v, definition) in &peeled.definitions {
        let t = end.apply(pool, definition);
        updates.insert(v, t);
    }
    let none = pool.eq(m, zero);
    let mut guard = inside;
    let mut exit_known = exit;
    if let Some(last) = peeled.states.last() {
        // Move everything to the state before the peeled iterations.
        let mut first = Subst::new();
        for (&v, &t) in last {
            first.bind(v, t);
        }
        guard = first.apply(pool, guard);
        guard = pool.or(none, guard);
        let some = pool.not(none);
        saturated = first.apply(pool, saturated);
        saturated = pool.and(some, saturated);
        // A value that lags one iteration behind has no closed form for m = 0.
        let mut moved = BTreeMap::new();
        for (&v, &t) in &updates {
            let mut t = first.apply(pool, t);
            if matches!(forms.forms.get(&v), Some(Closed::Previous(_))) {
                let start = last.get(&v).copied().unwrap_or_else(|| pool.var(v));
                t = pool.ite(none, start, t);
            }
            moved.insert(v, t);
        }
        for (&v, &t) in last {
            moved.entry(v).or_insert(t);
        }
        updates = moved;
        for &l in &peeled.conditions {
            guard = pool.and(guard, l);
        }
        let enough = pool.ule(peels, n);
        guard = pool.and(guard, enough);
        exit_known = exit_known.map(|e| {
            // The peeled iterations must all happen, or the path is left among them: only the plain case is
            // used, where the first peeled iterations decide it.
            let known = first.apply(pool, e.known);
            let count = first.apply(pool, e.count);
            let all = pool.and_all(&peeled.conditions);
            let count = pool.add(count, peels);
            let entered = pool.and_all(&path.literals);
            let count = pool.ite(entered, count, zero);
            let left = pool.not(entered);
            let through = pool.and(known, all);
            Exit {
                known: pool.or(left, through),
                count,
            }
        });
    }
    updates.retain(|&v, &mut t| pool.as_var(t) != Some(v));
    let unknowns = if forms.has_unknown() {
        (before_vars..pool.n_vars())
            .map(|i| Var(i as u32))
            .collect()
    } else {
        vec![]
    };
    let mut strides = BTreeMap::new();
    if n_peels == 0 {
        for (&v, form) in &forms.forms {
            if let Closed::Array(a) = form
                && let Some(stride) = a.stride()
            {
                strides.insert(v, stride);
            }
        }
    }
    Accelerator {
        strides,
        path: path.clone(),
        count,
        guard,
        updates,
        saturated,
        precision,
        first: n_peels.max(1) as u128,
        subsumes_path: n_peels <= 1,
        period_bits: forms.period_bits,
        exit: exit_known,
        unknowns,
    }
}

/// The minimum over the literals of their first failure.
fn exit_count(pool: &mut Pool, literals: &[Literal], forms: &ClosedForms) -> Option<Exit> {
    let width = forms.count_width;
    let mut ever = pool.bool(false);
    let mut least = pool.bv(0, width);
    for l in literals {
        let (fails, count) = l.first_failure(pool, width)?;
        let sooner = pool.ult(count, least);
        let neither = pool.not(ever);
        let better = pool.or(neither, sooner);
        let take = pool.and(fails, better);
        least = pool.ite(take, count, least);
        ever = pool.or(ever, fails);
    }
    Some(Exit {
        known: ever,
        count: least,
    })
}

/// Do values drawn in one iteration matter for a later one? Then equal draws in all iterations cover less than
/// all runs.
fn draws_flow(pool: &Pool, path: &Path, peeled: &Peeled, forms: &ClosedForms) -> bool {
    let draws: BTreeSet<Var> = path.draws.iter().map(|d| d.var).collect();
    let uses = |t: Term| pool.free_vars(&[t]).iter().any(|v| draws.contains(v));
    if path.draws.is_empty() {
        return false;
    }
    let in_updates = path.updates.iter().any(|(v, &t)| {
        uses(t)
            && (!peeled.states.is_empty()
                || !matches!(forms.forms.get(v), Some(Closed::Previous(_))))
    });
    let in_guard = path
        .literals
        .iter()
        .any(|&l| uses(l) && !forms.is_unchanged(pool, l));
    let peeled_guard = !peeled.states.is_empty()
        && path.literals.iter().any(|&l| {
            uses(l)
                && pool
                    .free_vars(&[l])
                    .iter()
                    .any(|v| path.updates.contains_key(v))
        });
    in_updates || in_guard || peeled_guard
}

/// Wide enough to count through every range involved, and through the periods of the closed forms.
fn count_width(pool: &Pool, path: &Path) -> u32 {
    let mut most = 1;
    let mut seen = crate::term::FastSet::default();
    let mut todo: Vec<Term> = path.literals.clone();
    todo.extend(path.updates.values());
    for &v in path.updates.keys() {
        match pool.var_info(v).sort {
            Sort::Bv(w) => most = most.max(w),
            Sort::Array { index, .. } => most = most.max(index),
            Sort::Bool => {}
        }
    }
    while let Some(t) = todo.pop() {
        if !seen.insert(t) {
            continue;
        }
        if let Sort::Bv(w) = pool.sort(t) {
            most = most.max(w);
        }
        todo.extend(pool.children(t));
    }
    (most + 2).min(128)
}

/// A path with its first iterations taken off.
struct Peeled {
    /// What is iterated afterwards.
    path: Path,
    /// The state after each peeled iteration, over the state before all.
    states: Vec<BTreeMap<Var, Term>>,
    /// The literals of the peeled iterations, over the state before all.
    conditions: Vec<Term>,
    /// Variables that are functions of the others after the peeled iterations.
    definitions: Vec<(Var, Term)>,
}

impl Peeled {
    fn of(pool: &mut Pool, path: &Path) -> Option<Peeled> {
        let mut out = Peeled {
            path: path.clone(),
            states: vec![],
            conditions: vec![],
            definitions: vec![],
        };
        loop {
            let resets = out.resets(pool);
            if resets.is_empty() {
                return Some(out);
            }
            if out.states.len() == MAX_PEEL {
                return None;
            }
            out.peel_one(pool, path);
            // Simultaneously: every definition refers to the iteration just peeled.
            let mut s = Subst::new();
            for &(v, t) in &resets {
                out.path.updates.remove(&v);
                if let Some(t) = t {
                    s.bind(v, t);
                    out.definitions.push((v, t));
                }
            }
            if !s.is_empty() {
                for l in &mut out.path.literals {
                    *l = s.apply(pool, *l);
                }
                for t in out.path.updates.values_mut() {
                    *t = s.apply(pool, *t);
                }
                // Older definitions may mention what is defined now.
                for (_, t) in &mut out.definitions {
                    *t = s.apply(pool, *t);
                }
            }
            let always = out.path.literals.iter().any(|&l| pool.is_false(l));
            if always {
                return None;
            }
            out.path.literals.retain(|&l| !pool.is_true(l));
            out.path
                .updates
                .retain(|&v, &mut t| pool.as_var(t) != Some(v));
        }
    }

    /// Variables to be peeled: assigned without looking at themselves, and looked at by others. With `None` they
    /// are constant afterwards, with `Some` a function of the state.
    fn resets(&self, pool: &mut Pool) -> Vec<(Var, Option<Term>)> {
        let updates = &self.path.updates;
        let mut found: Vec<(Var, Option<Term>)> = vec![];
        for (&v, &t) in updates {
            let free = pool.free_vars(&[t]);
            if free.contains(&v) {
                continue;
            }
            let mut users: Vec<Term> = self.path.literals.clone();
            users.extend(updates.iter().filter(|(u, _)| **u != v).map(|(_, &t)| t));
            if !pool.free_vars(&users).contains(&v) {
                continue;
            }
            let changing: Vec<Var> = free
                .into_iter()
                .filter(|u| updates.contains_key(u))
                .collect();
            if changing.is_empty() {
                found.push((v, None));
                continue;
            }
            // The value in terms of the state after the step: every variable used must be invertible.
            let mut back = Subst::new();
            let invertible = changing
                .iter()
                .all(|&u| match inverse_step(pool, updates, u) {
                    Some(t) => {
                        back.bind(u, t);
                        true
                    }
                    None => false,
                });
            if invertible {
                let t = back.apply(pool, t);
                found.push((v, Some(t)));
            }
        }
        found
    }

    /// Appends the state and the literals of one more iteration of the original path.
    fn peel_one(&mut self, pool: &mut Pool, path: &Path) {
        let mut before = Subst::new();
        if let Some(last) = self.states.last() {
            for (&v, &t) in last {
                before.bind(v, t);
            }
        }
        for &l in &path.literals {
            let l = before.apply(pool, l);
            self.conditions.push(l);
        }
        let mut next: BTreeMap<Var, Term> = self.states.last().cloned().unwrap_or_default();
        for (&v, &t) in &path.updates {
            let t = before.apply(pool, t);
            next.insert(v, t);
        }
        self.states.push(next);
    }
}

/// `u` before the step in terms of `u` after it, for `u' = u + unchanged`.
fn inverse_step(pool: &mut Pool, updates: &BTreeMap<Var, Term>, u: Var) -> Option<Term> {
    let t = updates[&u];
    let this = pool.var(u);
    if let Node::Var(_) = pool.node(t) {
        return None;
    }
    if !matches!(pool.sort(this), Sort::Bv(_)) {
        return None;
    }
    let mut linear = super::linear::Linear::of(pool, t);
    if linear.atoms.remove(&this) != Some(1) {
        return None;
    }
    let rest: Vec<Term> = linear.atoms.keys().copied().collect();
    if pool
        .free_vars(&rest)
        .iter()
        .any(|v| updates.contains_key(v))
    {
        return None;
    }
    let by = linear.term(pool);
    Some(pool.sub(this, by))
}
