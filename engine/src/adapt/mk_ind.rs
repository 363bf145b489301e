//! MkInd: the largest inductive part of the carried lemmas; Verify: what is missing, from the cheap candidates.

use super::{Carried, guess_map};
use crate::program::Program;
use crate::prove::candidates::{Effort, candidates};
use crate::prove::concrete::concrete;
use crate::prove::houdini::{Candidates, Houdini};
use crate::prove::{Budget, Deadline, Lemma, Lemmas, Proof, Task, Verdict, certify, slice};
use crate::report::How;
use crate::term::{BinOp, Import, Node, Subst, Term, Var};
use petgraph::graph::NodeIndex;
use std::collections::{BTreeMap, BTreeSet};

/// A certified proof of the new program, found by adaptation.
pub struct Adapted {
    pub how: How,
    pub proof: Carried,
}

/// Tries to carry the proof over. `None`: it has to be proven (or refuted) anew.
pub fn adapt(before: &Carried, after: &Program, deadline: &Deadline) -> Option<Adapted> {
    let (before, after, deadline) = (before.clone(), after.clone(), deadline.clone());
    // A thread of its own: its own solver context, and a break-off ends only the attempt.
    std::thread::Builder::new()
        .name("adapt".into())
        .stack_size(256 << 20)
        .spawn(move || mk_ind(&before, after, &deadline))
        .ok()?
        .join()
        .ok()?
}

fn mk_ind(before: &Carried, after: Program, deadline: &Deadline) -> Option<Adapted> {
    let mut task = slice::slice(after);
    let carried = carry(before, &mut task, deadline);
    if let Some(lemmas) = inductive(&mut task, carried.clone(), deadline) {
        return certified(&mut task, lemmas, How::Adapted, deadline);
    }
    // Verify: the carried lemmas with the cheap candidates of the engines.
    let samples = concrete(&task, 1, 120, &deadline.within_millis(20)).samples;
    let mut more = candidates(&mut task, &samples, Effort::Lean);
    for (n, c) in carried {
        more.entry(n).or_default().lemmas.extend(c.lemmas);
    }
    let lemmas = inductive(&mut task, more, deadline)?;
    certified(&mut task, lemmas, How::Strengthened, deadline)
}

fn inductive(
    task: &mut Task,
    at: BTreeMap<NodeIndex, Candidates>,
    deadline: &Deadline,
) -> Option<Lemmas> {
    let deadline = deadline.within_millis(3000);
    let mut h = Houdini::new(task, at, Budget::steady(200), &deadline);
    h.run().ok()?;
    h.open_stops().is_empty().then(|| h.proof())
}

fn certified(task: &mut Task, lemmas: Lemmas, how: How, deadline: &Deadline) -> Option<Adapted> {
    let proof = Proof::Inductive { lemmas };
    match certify::certify(task, "adapt", Verdict::Safe(proof), deadline) {
        Verdict::Safe(Proof::Inductive { lemmas }) => Some(Adapted {
            how,
            proof: Carried {
                program: task.program.clone(),
                lemmas,
            },
        }),
        _ => None,
    }
}

/// The carried lemmas over the new program's variables, at the heads they may belong to.
fn carry(
    before: &Carried,
    task: &mut Task,
    deadline: &Deadline,
) -> BTreeMap<NodeIndex, Candidates> {
    let named = guess_map::variables(&before.program, &mut task.program);
    let heads = guess_map::heads(before, task);
    let live = slice::live(&task.program, &task.cpg);
    let missing = missing_vars(before, &named);
    let samples = (!missing.is_empty()).then(|| {
        let old = slice::slice(before.program.clone());
        let budget = deadline.within_millis(40);
        let mut by_head = BTreeMap::new();
        for (n, s) in concrete(&old, 7, 60, &budget).samples {
            by_head.insert(old.cpg.graph[n], s);
        }
        (by_head, concrete(task, 7, 60, &budget).samples)
    });
    let mut out: BTreeMap<NodeIndex, Candidates> = BTreeMap::new();
    for (node, olds) in heads {
        let mut equal = equalities(task, node, live.get(&node));
        for old in olds {
            let mut vars = named.clone();
            if let Some((a, b)) = &samples
                && let (Some(a), Some(b)) = (a.get(&old), b.get(&node))
            {
                let after = &mut task.program;
                vars.extend(guess_map::by_samples(
                    a,
                    b,
                    &before.program,
                    after,
                    &missing,
                ));
            }
            let mut import = Import::default();
            for lemma in &before.lemmas[&old] {
                let mut vars = vars.clone();
                let mut bound = vec![];
                for &b in &lemma.bound {
                    let info = before.program.pool.var_info(b).clone();
                    let fresh = task.program.pool.fresh(info.name, info.sort);
                    let t = task.program.pool.var(fresh);
                    vars.insert(b, t);
                    bound.push(fresh);
                    import = Import::default();
                }
                let pool = &mut task.program.pool;
                let Some(body) = import.term(&before.program.pool, lemma.body, pool, &vars) else {
                    continue;
                };
                let body = equal.apply(pool, body);
                if pool.as_const(body).is_some() {
                    continue;
                }
                let known = live.get(&node);
                let free = pool.free_vars(&[body]);
                let speaks_of_live = free
                    .iter()
                    .all(|v| bound.contains(v) || known.is_none_or(|l| l.contains(v)));
                if speaks_of_live {
                    let lemma = Lemma { bound, body };
                    out.entry(node).or_default().lemmas.insert(lemma);
                }
            }
        }
    }
    out
}

fn missing_vars(before: &Carried, named: &crate::term::FastMap<Var, Term>) -> Vec<Var> {
    let mut all = BTreeSet::new();
    for lemmas in before.lemmas.values() {
        for l in lemmas {
            for v in before.program.pool.free_vars(&[l.body]) {
                if !named.contains_key(&v) && !l.bound.contains(&v) {
                    all.insert(v);
                }
            }
        }
    }
    all.into_iter().collect()
}

/// Slicing replaced variables by representatives: lemmas must speak of those.
fn equalities(task: &mut Task, node: NodeIndex, live: Option<&BTreeSet<Var>>) -> Subst {
    let mut s = Subst::new();
    let facts = task.facts.get(&task.cpg.graph[node]).cloned();
    for f in facts.into_iter().flatten() {
        let Node::Binary(BinOp::Eq, a, b) = *task.program.pool.node(f.body) else {
            continue;
        };
        for (x, y) in [(a, b), (b, a)] {
            if let Some(v) = task.program.pool.as_var(x)
                && !live.is_some_and(|l| l.contains(&v))
            {
                s.bind(v, y);
                break;
            }
        }
    }
    s
}
