//! k-induction (Sheeran, Singh, Stalmarck 2000) on top of what Houdini knows, as lemmas of an ordinary proof.
//!
//! A property that holds after k runs of a loop in which it held is inductive together with its weakest
//! preconditions: "it holds now, and after one more round, .., and after k - 1 more". Those are proposed, and the
//! proof is certified like any other. Where a round draws values, the precondition is asked for without the
//! conditions on them, which is stronger: such a property may be missed, never wrongly kept.

use super::candidates::conjuncts;
use super::houdini::Candidates;
use super::{Lemma, Task};
use crate::program::cpg::CutPoint;
use crate::term::{FastSet, Subst, Term, Var};
use petgraph::graph::NodeIndex;
use petgraph::visit::EdgeRef;
use std::collections::BTreeMap;

/// Rounds looked ahead.
const ROUNDS: usize = 4;
/// Larger formulas are no lemmas.
const SIZE: usize = 800;
const EACH: usize = 60;

/// Adds the properties and their preconditions to the candidates.
pub fn extend(task: &mut Task, at: &mut BTreeMap<NodeIndex, Candidates>) {
    let mut level: BTreeMap<NodeIndex, Vec<Term>> = BTreeMap::new();
    for n in task.cpg.heads() {
        level.insert(n, properties(task, n));
    }
    for _ in 0..ROUNDS {
        for (n, terms) in &level {
            let here = &mut at.entry(*n).or_default().lemmas;
            here.extend(terms.iter().map(|t| Lemma::plain(*t)));
        }
        let mut next: BTreeMap<NodeIndex, Vec<Term>> = BTreeMap::new();
        for n in task.cpg.heads() {
            let found = before(task, n, &level);
            let known = at.get(&n).map(|c| &c.lemmas);
            let new = |t: &Term| known.is_none_or(|k| !k.contains(&Lemma::plain(*t)));
            next.insert(n, found.into_iter().filter(new).take(EACH).collect());
        }
        level = next;
    }
}

/// What must hold at a head so that no stop follows at once.
fn properties(task: &mut Task, n: NodeIndex) -> Vec<Term> {
    let mut out = vec![];
    let stops: Vec<Term> = task
        .cpg
        .graph
        .edges(n)
        .filter(|e| matches!(task.cpg.graph[e.target()], CutPoint::Stop(_)))
        .map(|e| e.weight().guard)
        .collect();
    for guard in stops {
        let reached = without_draws(task, guard);
        let never = task.program.pool.not(reached);
        if task.program.pool.as_const(never).is_none() {
            out.push(never);
        }
    }
    out
}

/// The weakest preconditions over the edges from a head.
fn before(task: &mut Task, n: NodeIndex, level: &BTreeMap<NodeIndex, Vec<Term>>) -> Vec<Term> {
    let mut out = vec![];
    let edges: Vec<_> = task
        .cpg
        .graph
        .edges(n)
        .map(|e| (e.target(), e.weight().clone()))
        .collect();
    for (to, edge) in edges {
        let Some(goals) = level.get(&to) else {
            continue;
        };
        let premise = without_draws(task, edge.guard);
        let mut subst = Subst::new();
        for (v, t) in &edge.updates {
            subst.bind(*v, *t);
        }
        for &goal in goals {
            let pool = &mut task.program.pool;
            let after = subst.apply(pool, goal);
            let lemma = pool.implies(premise, after);
            if pool.as_const(lemma).is_none()
                && pool.dag_size(&[lemma]) <= SIZE
                && speaks_of_state(task, lemma)
            {
                out.push(lemma);
            }
        }
    }
    out
}

/// The part of a condition that is about the state alone.
fn without_draws(task: &mut Task, guard: Term) -> Term {
    let mut parts = conjuncts(&mut task.program.pool, guard);
    parts.retain(|t| speaks_of_state(task, *t));
    task.program.pool.and_all(&parts)
}

fn speaks_of_state(task: &Task, t: Term) -> bool {
    let state: FastSet<Var> = task.program.vars.iter().copied().collect();
    let free = task.program.pool.free_vars(&[t]);
    free.iter().all(|v| state.contains(v))
}
