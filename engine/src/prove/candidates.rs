//! Lemmas worth trying at a head: from samples, guards, the property and the constants of the program.
//!
//! Everything proposed agrees with the samples; Houdini decides. Templates, per head over the scalars live there:
//! modular affine relations (kernels); orders and differences of pairs; bounds by program constants; atoms of
//! guards and stop conditions, of either sign; "still as initially, or the loop was entered" (peeling).

use super::affine::Kernel;
use super::concrete::{Samples, constants};
use super::houdini::{Candidates, edges_into};
use super::{Lemma, Task, inherit};
use crate::program::cpg::CutPoint;
use crate::program::{texts, utf8};
use crate::term::{
    BinOp, FastMap, FastSet, Node, Pool, Sort, Subst, Term, UnOp, Value, Var, mask, to_signed,
};
use petgraph::graph::NodeIndex;
use std::collections::{BTreeMap, BTreeSet};

/// Comparisons that are tried at every head.
pub(super) const MOST_ATOMS: usize = 80;

/// How much to propose.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Effort {
    /// Affine kernels and atoms.
    Lean,
    /// Orders, bounds, arrays as well.
    Full,
    /// Products of two variables, and implications between small sets of values.
    Rich,
}

pub fn candidates(
    task: &mut Task,
    samples: &BTreeMap<NodeIndex, Samples>,
    effort: Effort,
) -> BTreeMap<NodeIndex, Candidates> {
    let mut out: BTreeMap<NodeIndex, Candidates> = BTreeMap::new();
    let numbers = constants(task);
    let signed = uses_signed(task);
    let live = super::slice::live(&task.program, &task.cpg);
    let atoms = atoms(task, effort);
    // Bounds of factors are what makes a product not wrap.
    let products = super::portfolio::multiplies(task);
    let paces = super::growth::paces(task);
    // What is known of a byte is known by where characters start; every atom of one is dear.
    let has_texts = !texts::of_inputs(&task.program.inputs).is_empty();
    for n in task.cpg.heads() {
        let Some(s) = samples.get(&n) else { continue };
        let envs = environments(s);
        let mut c = Candidates {
            kernels: kernels(task, s, effort),
            ..Candidates::default()
        };
        let mut proposals: Vec<Term> = vec![];
        let here: BTreeSet<Var> = live.get(&n).cloned().unwrap_or_default();
        for &a in &atoms {
            if effort < Effort::Full && is_unwieldy(&task.program.pool, a) {
                continue;
            }
            if has_texts && effort < Effort::Rich && reads_array(&task.program.pool, a) {
                continue;
            }
            if task
                .program
                .pool
                .free_vars(&[a])
                .iter()
                .all(|v| here.contains(v))
            {
                let not = task.program.pool.not(a);
                proposals.extend([a, not]);
            }
        }
        proposals.extend(peeled(task, n));
        boundaries(task, s, &mut proposals);
        super::growth::growth(task, &paces, &here, &mut proposals);
        super::distance::distance(task, n, &here, &mut proposals);
        super::shares::shares(task, n, &here, &mut proposals);
        if effort >= Effort::Full {
            orders(task, s, signed, &mut proposals);
            bounds(task, s, signed, &numbers, &mut proposals);
            if products {
                inherit::origins(task, n, &here, &mut proposals);
            }
            super::planted::planted(task, &here, &mut proposals);
            super::ranges::ranges(task, n, &here, &mut c.lemmas);
        }
        if effort >= Effort::Rich {
            implications(task, s, &mut proposals);
        }
        let pool = &task.program.pool;
        for t in proposals {
            if pool.as_const(t).is_some() {
                continue;
            }
            // Atoms that read arrays cannot be judged by scalar samples: the solver will.
            let judged = !reads_array(pool, t);
            if !judged || envs.iter().all(|e| pool.eval_bool(t, e)) {
                c.lemmas.insert(Lemma::plain(t));
            }
        }
        out.insert(n, c);
    }
    if effort >= Effort::Rich {
        let cpg = task.cpg.clone();
        for (at, lemma) in super::accelerate::candidates(&mut task.program, &cpg) {
            let c = cpg.node(at).and_then(|n| out.get_mut(&n));
            if let Some(c) = c {
                c.lemmas.insert(lemma);
            }
        }
    }
    out
}

/// What the whole program says about what is worth proposing, for those who propose it of a part of the states.
pub struct Proposer {
    numbers: Vec<u128>,
    signed: bool,
    atoms: Vec<Term>,
    live: BTreeMap<NodeIndex, BTreeSet<Var>>,
}

impl Proposer {
    pub fn of(task: &mut Task) -> Proposer {
        Proposer {
            numbers: constants(task),
            signed: uses_signed(task),
            live: super::slice::live(&task.program, &task.cpg),
            atoms: atoms(task, Effort::Full),
        }
    }

    /// Guards, orders and bounds over scalars that hold in all of these states.
    pub fn of_part(&self, task: &mut Task, n: NodeIndex, s: &Samples) -> Vec<Term> {
        let Some(here) = self.live.get(&n) else {
            return vec![];
        };
        let mut proposals: Vec<Term> = vec![];
        for &a in &self.atoms {
            let vars = task.program.pool.free_vars(&[a]);
            let is_plain = vars.iter().all(|v| here.contains(v))
                && !reads_array(&task.program.pool, a)
                && !is_unwieldy(&task.program.pool, a);
            if is_plain {
                let not = task.program.pool.not(a);
                proposals.extend([a, not]);
            }
        }
        bounds(task, s, self.signed, &self.numbers, &mut proposals);
        orders(task, s, self.signed, &mut proposals);
        let envs = environments(s);
        let pool = &task.program.pool;
        proposals
            .retain(|t| pool.as_const(*t).is_none() && envs.iter().all(|e| pool.eval_bool(*t, e)));
        proposals
    }
}

/// The rows as values of variables.
fn environments(s: &Samples) -> Vec<FastMap<Var, Value>> {
    let named = |row: &Vec<u128>| {
        let pairs = s.vars.iter().zip(row);
        pairs.map(|(v, b)| (*v, Value::Bits(*b))).collect()
    };
    s.rows.iter().map(named).collect()
}

/// Nodes of an atom with a choice in it that is still tried early.
const WIELDY: usize = 40;

/// Is it about what several paths make of a variable? As a lemma it says what no loop keeps, and every query pays for it.
fn is_unwieldy(pool: &Pool, t: Term) -> bool {
    let mut seen: FastSet<Term> = FastSet::default();
    let (mut todo, mut chooses) = (vec![t], false);
    while let Some(t) = todo.pop() {
        if seen.insert(t) {
            chooses |= matches!(pool.node(t), Node::Ite(..));
            todo.extend(pool.children(t));
        }
    }
    chooses && seen.len() > WIELDY
}

/// Where characters of a text start and end, by every index.
fn boundaries(task: &mut Task, s: &Samples, out: &mut Vec<Term>) {
    let program = &mut task.program;
    for (len, bytes) in texts::of_inputs(&program.inputs) {
        let pool = &mut program.pool;
        let (array, end) = (pool.var(bytes), pool.var(len));
        for v in &s.vars {
            if pool.var_info(*v).sort != Sort::Bv(64) || *v == len {
                continue;
            }
            let at = pool.var(*v);
            let byte = pool.select(array, at);
            out.push(utf8::is_boundary(pool, byte, at, end));
        }
    }
}

fn reads_array(pool: &Pool, t: Term) -> bool {
    pool.free_vars(&[t])
        .iter()
        .any(|v| pool.var_info(*v).sort.is_array())
}

/// One kernel for each width; narrower variables are zero-extended.
fn kernels(task: &mut Task, s: &Samples, effort: Effort) -> Vec<Kernel> {
    let mut widths: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (i, v) in s.vars.iter().enumerate() {
        if let Sort::Bv(w) = task.program.pool.var_info(*v).sort {
            widths.entry(w).or_default().push(i);
        }
    }
    let mut out = vec![];
    for (&w, at) in &widths {
        let mut at = at.clone();
        if effort >= Effort::Full {
            // What is counted in a narrow variable may be summed up in a wide one.
            at.extend(widths.range(..w).flat_map(|(_, narrow)| narrow));
        }
        at.truncate(24);
        let pool = &mut task.program.pool;
        let mut columns = vec![];
        for &i in &at {
            let x = pool.var(s.vars[i]);
            columns.push(pool.zext(x, w));
        }
        let mut squares = vec![];
        if effort >= Effort::Rich && at.len() <= 4 {
            for a in 0..at.len() {
                for b in a..at.len() {
                    let t = pool.mul(columns[a], columns[b]);
                    squares.push((at[a], at[b], t));
                }
            }
        }
        columns.extend(squares.iter().map(|(_, _, t)| *t));
        let mut k = Kernel::everything(w, columns);
        for row in &s.rows {
            let mut state: Vec<u128> = at.iter().map(|&i| row[i]).collect();
            for (a, b, _) in &squares {
                state.push(row[*a].wrapping_mul(row[*b]) & mask(w));
            }
            k.restrict(&state);
        }
        // Of a head that no run got to everything holds: the first refutation of the solver says more.
        out.push(k);
    }
    if effort >= Effort::Full {
        out.extend(with_parts(task, s, &out));
    }
    out.retain(|k| !k.basis.is_empty());
    out
}

/// Parts of variables that join a kernel.
const MOST_PARTS: usize = 3;

/// Kernels that also relate what the program itself takes of a variable: quotients, remainders, bits.
fn with_parts(task: &mut Task, s: &Samples, plain: &[Kernel]) -> Vec<Kernel> {
    let parts = parts(task, s);
    if parts.is_empty() {
        return vec![];
    }
    let pool = &mut task.program.pool;
    let mut out = vec![];
    for k in plain {
        let wide = |t: &Term| pool.width(*t) <= k.w;
        let mut more: Vec<Term> = parts.iter().copied().filter(wide).collect();
        more.truncate(MOST_PARTS);
        let n_plain = k.columns.len();
        let mut columns = k.columns.clone();
        for t in more {
            columns.push(pool.zext(t, k.w));
        }
        let mut larger = Kernel::everything(k.w, columns);
        for row in &s.rows {
            let env: FastMap<Var, Value> = s
                .vars
                .iter()
                .zip(row)
                .map(|(v, b)| (*v, Value::Bits(*b)))
                .collect();
            let state: Vec<u128> = larger
                .columns
                .iter()
                .map(|c| pool.eval_bits(*c, &env))
                .collect();
            larger.restrict(&state);
        }
        // Relations of the variables alone are known already.
        let last = larger.columns.len();
        larger
            .basis
            .retain(|row| row[n_plain..last].iter().any(|a| *a != 0));
        out.push(larger);
    }
    out
}

/// Quotients, remainders and bits of one variable that guards or updates mention.
fn parts(task: &Task, s: &Samples) -> Vec<Term> {
    let pool = &task.program.pool;
    let mut todo: Vec<Term> = vec![];
    for e in task.cpg.graph.edge_weights() {
        todo.push(e.guard);
        todo.extend(e.updates.values());
    }
    let mut seen: FastSet<Term> = FastSet::default();
    let mut out = BTreeSet::new();
    while let Some(t) = todo.pop() {
        if !seen.insert(t) {
            continue;
        }
        let of = match *pool.node(t) {
            Node::Binary(
                BinOp::Udiv
                | BinOp::Urem
                | BinOp::Sdiv
                | BinOp::Srem
                | BinOp::BvAnd
                | BinOp::Lshr
                | BinOp::Ashr,
                x,
                c,
            ) if pool.as_const(c).is_some() => pool.as_var(x),
            Node::Extract { arg, .. } => pool.as_var(arg),
            _ => None,
        };
        if of.is_some_and(|v| s.vars.contains(&v)) {
            out.insert(t);
        }
        todo.extend(pool.children(t));
    }
    out.into_iter().collect()
}

/// Does the program compare or extend with sign?
fn uses_signed(task: &Task) -> bool {
    let pool = &task.program.pool;
    let mut seen: FastSet<Term> = FastSet::default();
    let mut todo: Vec<Term> = task.cpg.graph.edge_weights().map(|e| e.guard).collect();
    while let Some(t) = todo.pop() {
        if seen.insert(t) {
            if matches!(pool.node(t), Node::Binary(BinOp::Slt, ..) | Node::Sext(_)) {
                return true;
            }
            todo.extend(pool.children(t));
        }
    }
    false
}

/// Comparisons in guards; what is compared with drawn values is of use where a variable keeps the draw.
fn atoms(task: &mut Task, effort: Effort) -> Vec<Term> {
    let state: FastSet<Var> = task.program.vars.iter().copied().collect();
    let mut out: Vec<Term> = vec![];
    for e in task.cpg.graph.edge_indices().rev() {
        let mut seen: FastSet<Term> = FastSet::default();
        let mut todo = vec![task.cpg.graph[e].guard];
        let (mut of_draws, mut of_state) = (vec![], vec![]);
        while let Some(t) = todo.pop() {
            if !seen.insert(t) || out.len() > MOST_ATOMS {
                continue;
            }
            let pool = &task.program.pool;
            if is_atom(pool, t) {
                if pool.free_vars(&[t]).iter().any(|v| !state.contains(v)) {
                    of_draws.push(t);
                } else {
                    of_state.push(t);
                    if !out.contains(&t) {
                        out.push(t);
                    }
                }
            }
            todo.extend(pool.children(t));
        }
        inherit::handed_on(task, e, &of_state, &mut out);
        if effort >= Effort::Rich {
            inherit::passed_on(task, e, &mut out);
        }
        if of_draws.is_empty() {
            continue;
        }
        let pool = &mut task.program.pool;
        let mut kept = Subst::new();
        for (&v, &t) in &task.cpg.graph[e].updates {
            if pool.free_vars(&[t]).iter().any(|v| !state.contains(v)) {
                let v = pool.var(v);
                kept.replace(t, v);
            }
        }
        for t in of_draws {
            let t = kept.apply(pool, t);
            if pool.free_vars(&[t]).iter().all(|v| state.contains(v)) && !out.contains(&t) {
                out.push(t);
            }
        }
    }
    let pool = &task.program.pool;
    // Whole stop conditions are the property itself.
    for e in task.cpg.graph.edge_indices() {
        if let Some((_, to)) = task.cpg.graph.edge_endpoints(e)
            && matches!(task.cpg.graph[to], CutPoint::Stop(_))
        {
            let g = task.cpg.graph[e].guard;
            if pool.free_vars(&[g]).iter().all(|v| state.contains(v)) && !out.contains(&g) {
                out.push(g);
            }
        }
    }
    out.sort();
    out
}

pub(super) fn is_atom(pool: &Pool, t: Term) -> bool {
    match pool.node(t) {
        Node::Binary(op, a, _) => {
            matches!(op, BinOp::Ult | BinOp::Slt)
                || (*op == BinOp::Eq && pool.sort(*a) != Sort::Bool)
        }
        Node::Var(_) => pool.sort(t) == Sort::Bool,
        _ => false,
    }
}

/// `x = y`, `x <= y`, `x < y` of equally wide variables, as far as the samples allow.
fn orders(task: &mut Task, s: &Samples, signed: bool, out: &mut Vec<Term>) {
    let pool = &mut task.program.pool;
    let scalars: Vec<Var> = s
        .vars
        .iter()
        .copied()
        .filter(|v| matches!(pool.var_info(*v).sort, Sort::Bv(w) if w > 1))
        .take(20)
        .collect();
    for &x in &scalars {
        for &y in &scalars {
            if x == y || pool.var_info(x).sort != pool.var_info(y).sort {
                continue;
            }
            let (tx, ty) = (pool.var(x), pool.var(y));
            out.push(pool.ult(tx, ty));
            out.push(pool.ule(tx, ty));
            if x < y {
                let e = pool.eq(tx, ty);
                out.push(pool.not(e));
            }
            if signed {
                out.push(pool.slt(tx, ty));
                out.push(pool.sle(tx, ty));
            }
        }
    }
}

/// Bounds by constants of the program; of those that hold of the samples the two tightest.
fn bounds(task: &mut Task, s: &Samples, signed: bool, numbers: &[u128], out: &mut Vec<Term>) {
    for (i, &v) in s.vars.iter().enumerate() {
        let Sort::Bv(w) = task.program.pool.var_info(v).sort else {
            continue;
        };
        let pool = &mut task.program.pool;
        let x = pool.var(v);
        if s.rows.is_empty() {
            // No run got here: any constant of the program may be a bound.
            for &c in numbers.iter().filter(|c| **c <= mask(w)).take(12) {
                let k = pool.bv(c, w);
                out.push(pool.ule(x, k));
                if signed && w > 1 {
                    out.push(pool.sle(x, k));
                    out.push(pool.sle(k, x));
                }
            }
            continue;
        }
        let mut near: BTreeSet<u128> = BTreeSet::new();
        for c in numbers {
            for d in [0u128, 1, u128::MAX] {
                near.insert(c.wrapping_add(d) & mask(w));
            }
        }
        near.insert(0);
        near.insert(mask(w) >> 1);
        let max = s.rows.iter().map(|r| r[i]).max().unwrap_or(0);
        let min = s.rows.iter().map(|r| r[i]).min().unwrap_or(0);
        for &c in near.iter().filter(|c| **c >= max).take(2) {
            let k = pool.bv(c, w);
            out.push(pool.ule(x, k));
        }
        for &c in near.iter().rev().filter(|c| **c <= min).take(2) {
            let k = pool.bv(c, w);
            out.push(pool.ule(k, x));
        }
        let values: BTreeSet<u128> = s.rows.iter().map(|r| r[i]).collect();
        if values.len() <= 8 && s.rows.len() >= 3 * values.len() {
            let mut is_one = pool.bool(false);
            for c in values {
                let k = pool.bv(c, w);
                let e = pool.eq(x, k);
                is_one = pool.or(is_one, e);
            }
            out.push(is_one);
        }
        if signed && w > 1 {
            let of = |c: u128| to_signed(c, w);
            let max = s.rows.iter().map(|r| of(r[i])).max().unwrap_or(0);
            let min = s.rows.iter().map(|r| of(r[i])).min().unwrap_or(0);
            let mut sorted: Vec<u128> = near.iter().copied().collect();
            sorted.sort_by_key(|c| of(*c));
            for &c in sorted.iter().filter(|c| of(**c) >= max).take(2) {
                let k = pool.bv(c, w);
                out.push(pool.sle(x, k));
            }
            for &c in sorted.iter().rev().filter(|c| of(**c) <= min).take(2) {
                let k = pool.bv(c, w);
                out.push(pool.sle(k, x));
            }
        }
    }
}

/// For variables that take few values: `x = a -> y is one of those seen with it`.
fn implications(task: &mut Task, s: &Samples, out: &mut Vec<Term>) {
    let small: Vec<usize> = (0..s.vars.len())
        .filter(|&i| {
            let values: BTreeSet<u128> = s.rows.iter().map(|r| r[i]).collect();
            values.len() <= 8
        })
        .take(40)
        .collect();
    for &i in &small {
        let values: BTreeSet<u128> = s.rows.iter().map(|r| r[i]).collect();
        for &a in &values {
            for &j in &small {
                if i == j {
                    continue;
                }
                let all: BTreeSet<u128> = s.rows.iter().map(|r| r[j]).collect();
                let with: BTreeSet<u128> =
                    s.rows.iter().filter(|r| r[i] == a).map(|r| r[j]).collect();
                if with.len() == all.len() || with.len() > 3 {
                    continue;
                }
                let premise = is_value(task, s.vars[i], a);
                let pool = &mut task.program.pool;
                let mut conclusion = pool.bool(false);
                for b in with {
                    let e = is_value(task, s.vars[j], b);
                    conclusion = task.program.pool.or(conclusion, e);
                }
                out.push(task.program.pool.implies(premise, conclusion));
            }
        }
    }
}

/// `v = value`, of Bool or bit-vector.
pub fn is_value(task: &mut Task, v: Var, value: u128) -> Term {
    let pool = &mut task.program.pool;
    let sort = pool.var_info(v).sort;
    let x = pool.var(v);
    let c = pool.constant(value, sort);
    pool.eq(x, c)
}

/// The loop has not run yet, or its guard held at the start: what later rounds know of the first one.
fn peeled(task: &mut Task, n: NodeIndex) -> Vec<Term> {
    let entries: Vec<_> = edges_into(task, n)
        .into_iter()
        .filter(|e| {
            task.cpg
                .graph
                .edge_endpoints(*e)
                .is_some_and(|(from, _)| from == task.cpg.entry)
        })
        .collect();
    let [entry] = entries[..] else { return vec![] };
    let Some(own) = task.cpg.graph.find_edge(n, n) else {
        return vec![];
    };
    let entry = task.cpg.graph[entry].clone();
    let own = task.cpg.graph[own].clone();
    let live = super::slice::live(&task.program, &task.cpg);
    let here = live.get(&n).cloned().unwrap_or_default();
    let pool = &mut task.program.pool;
    // Names at the head of what the entry knew under another name.
    let mut back = Subst::new();
    let mut known: BTreeSet<Var> = BTreeSet::new();
    for &v in here.iter().filter(|v| !own.updates.contains_key(v)) {
        let at_entry = match entry.updates.get(&v) {
            Some(&t) => pool.as_var(t),
            None => Some(v),
        };
        if let Some(p) = at_entry {
            let t = pool.var(v);
            back.bind(p, t);
            known.insert(p);
        }
    }
    let mut init = Subst::new();
    for (v, t) in &entry.updates {
        init.bind(*v, *t);
    }
    let mut first = pool.bool(true);
    for &v in here.iter().filter(|v| own.updates.contains_key(v)) {
        if pool.var_info(v).sort.is_array() {
            continue;
        }
        let own = pool.var(v);
        let t = entry.updates.get(&v).copied().unwrap_or(own);
        if pool.free_vars(&[t]).iter().any(|v| !known.contains(v)) {
            continue;
        }
        let t = back.apply(pool, t);
        let e = pool.eq(own, t);
        first = pool.and(first, e);
    }
    if pool.is_true(first) {
        return vec![];
    }
    let mut out = vec![];
    for g in conjuncts(pool, own.guard) {
        let g = init.apply(pool, g);
        if pool.free_vars(&[g]).iter().all(|v| known.contains(v)) {
            let g = back.apply(pool, g);
            out.push(pool.or(first, g));
        }
    }
    out
}

/// The conjuncts of a condition, negations of disjunctions included.
pub fn conjuncts(pool: &mut Pool, t: Term) -> Vec<Term> {
    let mut out = vec![];
    let mut todo = vec![t];
    while let Some(t) = todo.pop() {
        match *pool.node(t) {
            Node::Binary(BinOp::And, a, b) => todo.extend([a, b]),
            Node::Unary(UnOp::Not, n) => match *pool.node(n) {
                Node::Binary(BinOp::Or, a, b) => {
                    let (a, b) = (pool.not(a), pool.not(b));
                    todo.extend([a, b]);
                }
                _ => out.push(t),
            },
            _ => out.push(t),
        }
    }
    out
}
