//! MkInd: the largest inductive part of the carried lemmas; Verify: what is missing, from the cheap candidates.

use super::{Adapted, Carried, Proven, guess_map, steps, weaken};
use crate::prove::candidates::{Effort, candidates};
use crate::prove::concrete::{concrete, constants};
use crate::prove::houdini::{Candidates, Houdini};
use crate::prove::{Budget, Deadline, Lemma, Lemmas, Proof, Task, Verdict, certify, slice};
use crate::report::How;
use crate::smt::{Role, apart};
use crate::term::{BinOp, Import, Node, Subst, Term, Var};
use petgraph::graph::NodeIndex;
use std::collections::{BTreeMap, BTreeSet};

/// Algorithms 1 to 3: carry, drop what does not hold, strengthen with cheap candidates.
pub fn mk_ind(before: &Carried, mut task: Task, deadline: &Deadline) -> Option<Adapted> {
    if !task.has_stops() {
        let facts = task.facts.clone();
        return certified(&mut task, facts, before, How::Adapted, deadline);
    }
    let kept = kept(before, &mut task);
    if !kept.is_empty() {
        task = slice::keeping(&task, kept);
    }
    if let Some(adapted) = by_steps(before, &task, deadline) {
        return Some(adapted);
    }
    let carried = carry(before, &mut task, deadline);
    // Not worth more than proving it anew.
    let within = deadline.within_millis(before.millis.saturating_mul(2).clamp(1000, 8000));
    // Most passes leave the proof as it is: then one check of all triples is all there is to do.
    let all = as_they_are(&task, &carried);
    let adapted = certified(&mut task, all, before, How::Adapted, &within);
    if adapted.is_some() {
        return adapted;
    }
    let deadline = &within;
    if let Some(lemmas) = inductive(&mut task, carried.clone(), deadline) {
        return certified(&mut task, lemmas, before, How::Adapted, deadline);
    }
    let weaker = with_rungs(&mut task, &carried);
    if let Some(lemmas) = inductive(&mut task, weaker, deadline) {
        return certified(&mut task, lemmas, before, How::Adapted, deadline);
    }
    // Verify: the carried lemmas with the cheap candidates of the engines.
    let samples = concrete(&task, 1, 120, &deadline.within_millis(20)).samples;
    let mut more = candidates(&mut task, &samples, Effort::Lean);
    for (n, c) in carried {
        more.entry(n).or_default().lemmas.extend(c.lemmas);
    }
    let lemmas = inductive(&mut task, more, deadline)?;
    certified(&mut task, lemmas, before, How::Strengthened, deadline)
}

/// The whole proof, if the program makes no new steps; shown apart, like every proof.
fn by_steps(before: &Carried, task: &Task, deadline: &Deadline) -> Option<Adapted> {
    if !steps::is_worth_it(before) {
        return None;
    }
    let kept = task.cpg.kept.values().flatten().copied().collect();
    let millis = before.millis;
    // Where the pass did change something there is another way.
    let deadline = deadline.within_millis((millis / 3).max(200));
    let (before, mut task) = (before.clone(), task.clone());
    let found = apart(Role::Certify, move || {
        let lemmas = steps::steps(&before, &mut task, &deadline)?;
        Some((lemmas, task.program))
    });
    let (lemmas, program) = found.ok()??;
    Some(Adapted {
        how: How::Adapted,
        proof: Proven::Inductive(Box::new(Carried {
            program,
            lemmas,
            kept,
            millis,
            shown: true,
        })),
    })
}

/// What the kept variables are called now, at the heads whose lemmas speak of them.
fn kept(before: &Carried, task: &mut Task) -> BTreeMap<NodeIndex, BTreeSet<Var>> {
    let mut out: BTreeMap<NodeIndex, BTreeSet<Var>> = BTreeMap::new();
    if before.kept.is_empty() {
        return out;
    }
    let named = guess_map::variables(&before.program, &mut task.program);
    for (node, olds) in guess_map::heads(before, task) {
        for lemma in olds.iter().flat_map(|old| &before.lemmas[old]) {
            let vars = before.program.pool.free_vars(&[lemma.body]);
            let vars = vars.iter().filter(|v| before.kept.contains(v));
            let now = vars.filter_map(|v| task.program.pool.as_var(*named.get(v)?));
            out.entry(node).or_default().extend(now);
        }
    }
    out
}

/// All carried lemmas, with what slicing found out by itself.
fn as_they_are(task: &Task, carried: &BTreeMap<NodeIndex, Candidates>) -> Lemmas {
    let mut out = task.facts.clone();
    for (n, c) in carried {
        let at = out.entry(task.cpg.graph[*n]).or_default();
        at.extend(c.lemmas.iter().cloned());
    }
    out
}

/// Weaker forms that are tried at one head.
const MOST_RUNGS: usize = 150;

/// The carried lemmas and the rungs below each.
fn with_rungs(
    task: &mut Task,
    carried: &BTreeMap<NodeIndex, Candidates>,
) -> BTreeMap<NodeIndex, Candidates> {
    let numbers = constants(task);
    let state: BTreeSet<Var> = task.program.vars.iter().copied().collect();
    let mut out = carried.clone();
    for (n, c) in &mut out {
        let pool = &mut task.program.pool;
        let mut guards: Vec<Term> = task.cpg.graph.edges(*n).map(|e| e.weight().guard).collect();
        guards.retain(|g| pool.free_vars(&[*g]).iter().all(|v| state.contains(v)));
        let lemmas: Vec<Lemma> = c.lemmas.iter().cloned().collect();
        let weaker = lemmas
            .iter()
            .flat_map(|l| weaken::rungs(pool, l, &numbers, &guards));
        c.lemmas
            .extend(weaker.take(MOST_RUNGS).collect::<Vec<Lemma>>());
    }
    out
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

fn certified(
    task: &mut Task,
    lemmas: Lemmas,
    before: &Carried,
    how: How,
    deadline: &Deadline,
) -> Option<Adapted> {
    let proof = Proof::Inductive { lemmas };
    match certify::certify(task, "adapt", Verdict::Safe(proof), deadline) {
        Verdict::Safe(Proof::Inductive { lemmas }) => Some(Adapted {
            how,
            proof: Proven::Inductive(Box::new(Carried {
                program: task.program.clone(),
                lemmas,
                kept: task.cpg.kept.values().flatten().copied().collect(),
                millis: before.millis,
                shown: true,
            })),
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
        let mut equal = representatives(task, node, live.get(&node));
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
pub fn representatives(task: &mut Task, node: NodeIndex, live: Option<&BTreeSet<Var>>) -> Subst {
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
