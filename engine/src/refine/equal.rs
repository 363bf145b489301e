//! Proves that a product never meets a difference, or finds an input on which it does.

use super::product::{Pair, Product, product};
use super::twin::{Difference, Twin};
use crate::adapt::{self, Carried};
use crate::program::cpg::CutPoint;
use crate::program::{BlockId, Program};
use crate::prove::candidates::{Effort, candidates};
use crate::prove::concrete::{Samples, concrete};
use crate::prove::houdini::{Candidates, Houdini};
use crate::prove::portfolio::{self, Settings};
use crate::prove::{Budget, Deadline, Lemma, Proof, Task, Verdict, certify, slice};
use crate::smt::{Role, apart};
use crate::term::{FastMap, Import, Sort, Subst, Term, Value, Var};
use petgraph::graph::NodeIndex;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// How the program after a pass stands to the one before it.
#[derive(Clone, Debug)]
pub enum Refinement {
    /// Proven: where the program before returns, the one after returns the same.
    Equal,
    Differs(Box<Difference>),
    Unknown(String),
}

/// Compares two programs that have both been proven safe; `proofs` are theirs, as candidates.
pub fn refine(
    before: &Program,
    after: &Program,
    proofs: (Option<&Carried>, Option<&Carried>),
    deadline: &Deadline,
) -> Refinement {
    let (a, b) = (before.clone(), after.clone());
    let proofs = (proofs.0.cloned(), proofs.1.cloned());
    let deadline = deadline.clone();
    apart(Role::Refine, move || decide(&a, &b, &proofs, &deadline))
        .unwrap_or_else(|e| Refinement::Unknown(format!("the comparison: {e}")))
}

fn decide(
    before: &Program,
    after: &Program,
    proofs: &(Option<Carried>, Option<Carried>),
    deadline: &Deadline,
) -> Refinement {
    let twin = match Twin::of(before, after) {
        Ok(t) => t,
        Err(why) => return Refinement::Unknown(why),
    };
    if let Some(d) = twin.search(3, 120, &deadline.within_millis(40)) {
        return Refinement::Differs(Box::new(d));
    }
    let seen = twin.lockstep(40, &deadline.within_millis(30));
    let by_line = by_line(before, after, twin.heads());
    let mut relations = vec![likely(&seen, &by_line)];
    let all: BTreeSet<Pair> = seen.union(&by_line).copied().collect();
    if !relations.contains(&all) {
        relations.push(all);
    }
    let mut why = String::new();
    for related in &relations {
        let product = match product(before, after, twin.inputs(), related) {
            Ok(p) => p,
            Err(e) => {
                why = e;
                continue;
            }
        };
        match prove(&product, (before, after), proofs, &twin, deadline) {
            Refinement::Unknown(e) => why = e,
            decided => return decided,
        }
    }
    match twin.search(1009, 20_000, &deadline.within_millis(600)) {
        Some(d) => Refinement::Differs(Box::new(d)),
        None => Refinement::Unknown(why),
    }
}

/// Heads of the same source line, in the same order.
fn by_line(
    before: &Program,
    after: &Program,
    heads: &(Vec<BlockId>, Vec<BlockId>),
) -> BTreeSet<Pair> {
    let group = |program: &Program, heads: &[BlockId]| {
        let mut out: BTreeMap<Option<u32>, Vec<CutPoint>> = BTreeMap::new();
        for h in heads {
            let line = program.block(*h).span.as_ref().map(|s| s.line);
            out.entry(line).or_default().push(CutPoint::Head(*h));
        }
        out
    };
    let (a, b) = (group(before, &heads.0), group(after, &heads.1));
    let mut out = BTreeSet::new();
    for (line, xs) in &a {
        let ys = b.get(line).cloned().unwrap_or_default();
        for (i, x) in xs.iter().enumerate() {
            for (j, y) in ys.iter().enumerate() {
                if i == j || xs.len() != ys.len() {
                    out.insert((*x, *y));
                }
            }
        }
    }
    out
}

/// What runs have shown; of heads that no run reached, the guess by line.
fn likely(seen: &BTreeSet<Pair>, by_line: &BTreeSet<Pair>) -> BTreeSet<Pair> {
    let mut out = seen.clone();
    for pair in by_line {
        if !seen.iter().any(|s| s.0 == pair.0 || s.1 == pair.1) {
            out.insert(*pair);
        }
    }
    out
}

fn prove(
    product: &Product,
    sides: (&Program, &Program),
    proofs: &(Option<Carried>, Option<Carried>),
    twin: &Twin,
    deadline: &Deadline,
) -> Refinement {
    let mut task = slice::slice(product.program.clone());
    let samples = concrete(&task, 5, 150, &deadline.within_millis(40)).samples;
    let mut at = equalities(product, sides, &mut task, &samples);
    carried(product, proofs, &mut task, &mut at);
    if inductive(&mut task, at.clone(), deadline) {
        return Refinement::Equal;
    }
    for (n, c) in candidates(&mut task, &samples, Effort::Lean) {
        let here = at.entry(n).or_default();
        here.lemmas.extend(c.lemmas);
        here.kernels.extend(c.kernels);
    }
    if inductive(&mut task, at, deadline) {
        return Refinement::Equal;
    }
    let budget = (deadline.left_millis() / 3).min(15_000);
    let settings = Settings {
        timeout: Duration::from_millis(budget),
        ..Settings::default()
    };
    let answer = portfolio::prove_by(&product.program, &settings, &deadline.within_millis(budget));
    match answer.verdict {
        Verdict::Safe(_) => Refinement::Equal,
        Verdict::Unsafe(c) => {
            let value = |v: &Var| {
                let found = c.inputs.iter().find(|(u, _)| u == v);
                let zero = || Value::zero(product.program.pool.var_info(*v).sort);
                found.map_or_else(zero, |(_, x)| x.clone())
            };
            let inputs: Vec<Value> = product.inputs.iter().map(value).collect();
            let mut tape = match product.tape.as_ref().map(value) {
                Some(Value::Array(a)) => (0..4096).map(|i| a.get(i)).collect(),
                _ => vec![],
            };
            match twin.compare(&inputs, &mut tape, None) {
                Some(d) => Refinement::Differs(Box::new(d)),
                None => Refinement::Unknown("a difference was not confirmed by runs".into()),
            }
        }
        Verdict::Unknown(reason) => Refinement::Unknown(reason.to_string()),
    }
}

/// MkInd on the product, certified.
fn inductive(task: &mut Task, at: BTreeMap<NodeIndex, Candidates>, deadline: &Deadline) -> bool {
    let within = deadline.within_millis(4000);
    let mut h = Houdini::new(task, at, Budget::steady(200), &within);
    if h.run().is_err() || !h.open_stops().is_empty() {
        return false;
    }
    let proof = Proof::Inductive { lemmas: h.proof() };
    let verdict = certify::certify(task, "refine", Verdict::Safe(proof), deadline);
    matches!(verdict, Verdict::Safe(_))
}

/// Variables of the same name, and of the same values on all runs: equal before and after?
fn equalities(
    product: &Product,
    sides: (&Program, &Program),
    task: &mut Task,
    samples: &BTreeMap<NodeIndex, Samples>,
) -> BTreeMap<NodeIndex, Candidates> {
    let mut pairs: Vec<(Term, Term)> = vec![];
    let mut after = sides.1.clone();
    for (v, u) in adapt::variables(sides.0, &mut after) {
        if let Some(u) = after.pool.as_var(u)
            && let (Some(a), Some(b)) = (product.before.get(&v), product.after.get(&u))
        {
            pairs.push((*a, *b));
        }
    }
    pairs.sort();
    let var_of = |t: &Term| product.program.pool.as_var(*t);
    let ours: BTreeSet<Var> = product.before.values().filter_map(var_of).collect();
    let live = slice::live(&task.program, &task.cpg);
    let mut out: BTreeMap<NodeIndex, Candidates> = BTreeMap::new();
    for n in task.cpg.heads() {
        let mut same = pairs.clone();
        if let Some(s) = samples.get(&n)
            && s.rows.len() >= 3
        {
            let mut columns: FastMap<Vec<u128>, (Vec<Var>, Vec<Var>)> = FastMap::default();
            for (k, v) in s.vars.iter().enumerate() {
                let column: Vec<u128> = s.rows.iter().map(|r| r[k]).collect();
                let sides = columns.entry(column).or_default();
                if ours.contains(v) {
                    sides.0.push(*v);
                } else {
                    sides.1.push(*v);
                }
            }
            for (a, b) in columns.into_values() {
                for &x in a.iter().take(6) {
                    for &y in b.iter().take(6) {
                        let pool = &mut task.program.pool;
                        same.push((pool.var(x), pool.var(y)));
                    }
                }
            }
        }
        let mut representatives = adapt::representatives(task, n, live.get(&n));
        for (a, b) in same {
            let lemma = equal(task, &mut representatives, a, b);
            push(task, &live, n, lemma, &mut out);
        }
    }
    out
}

fn equal(task: &mut Task, s: &mut Subst, a: Term, b: Term) -> Option<Lemma> {
    let pool = &mut task.program.pool;
    if pool.sort(a) != pool.sort(b) {
        return None;
    }
    if let Sort::Array { index, .. } = pool.sort(a) {
        let i = pool.fresh("i", Sort::Bv(index));
        let at = pool.var(i);
        let (x, y) = (pool.select(a, at), pool.select(b, at));
        let body = pool.eq(x, y);
        return Some(Lemma {
            bound: vec![i],
            body,
        });
    }
    let (a, b) = (s.apply(pool, a), s.apply(pool, b));
    Some(Lemma::plain(pool.eq(a, b)))
}

fn push(
    task: &mut Task,
    live: &BTreeMap<NodeIndex, BTreeSet<Var>>,
    n: NodeIndex,
    lemma: Option<Lemma>,
    out: &mut BTreeMap<NodeIndex, Candidates>,
) {
    let Some(lemma) = lemma else { return };
    let pool = &task.program.pool;
    if pool.as_const(lemma.body).is_some() {
        return;
    }
    let known = live.get(&n);
    let free = pool.free_vars(&[lemma.body]);
    let is_known = |v: &Var| lemma.bound.contains(v) || known.is_some_and(|l| l.contains(v));
    if free.iter().all(is_known) {
        out.entry(n).or_default().lemmas.insert(lemma);
    }
}

/// What each side's own proof knows at its head.
fn carried(
    product: &Product,
    proofs: &(Option<Carried>, Option<Carried>),
    task: &mut Task,
    out: &mut BTreeMap<NodeIndex, Candidates>,
) {
    let live = slice::live(&task.program, &task.cpg);
    for n in task.cpg.heads() {
        let CutPoint::Head(block) = task.cpg.graph[n] else {
            continue;
        };
        let Some(&(p, q)) = product.nodes.get(&block) else {
            continue;
        };
        let mut representatives = adapt::representatives(task, n, live.get(&n));
        for (proof, vars, head) in [
            (&proofs.0, &product.before, p),
            (&proofs.1, &product.after, q),
        ] {
            let Some(proof) = proof else { continue };
            let mut import = Import::default();
            for l in proof.lemmas.get(&head).into_iter().flatten() {
                if !l.bound.is_empty() {
                    continue;
                }
                let pool = &mut task.program.pool;
                let body = import.term(&proof.program.pool, l.body, pool, vars);
                let lemma = body.map(|t| Lemma::plain(representatives.apply(pool, t)));
                push(task, &live, n, lemma, out);
            }
        }
    }
}
