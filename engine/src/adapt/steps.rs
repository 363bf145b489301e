//! Steps: a program that makes no step that the program before it could not make keeps the proof of that one.
//!
//! The paper's work-list holds the edges that a pass changed, and asks their Hoare triples again. Where the lemmas list
//! hundreds of states that is the whole price of the proof, again for every pass, although most passes change how an
//! edge is written and not what it does. Here an edge is compared with its counterpart instead: if its guard implies
//! the old guard, and every variable that the old lemmas speak of gets the old value, each run over it is a run over
//! the old edge, so the old triple is its triple too. One query for an edge, however many states there are; none where
//! both are the same term. Values that are drawn may be any, so the old draws may be the new ones, whichever order
//! they are guessed to have.
//!
//! Only for proofs that were certified in this process (`Carried::shown`): of a stored proof nothing is known.

use super::sums::Sums;
use super::{Carried, guess_map};
use crate::program::cpg::{Cpg, CutPoint};
use crate::prove::{Budget, Deadline, Lemma, Lemmas, Task, certify, slice};
use crate::smt::{Answer, Solver};
use crate::term::{FastMap, Import, Pool, Sort, Subst, Term, Var};
use petgraph::graph::NodeIndex;
use petgraph::visit::EdgeRef;
use std::collections::{BTreeMap, BTreeSet};

/// Lemmas of fewer cases are asked again: it is cheaper, and from the blocks.
const MANY: usize = 16;

/// What an edge may take.
const EDGE_MS: u32 = 1500;

/// Does the proof list so many states that comparing steps is the cheaper way?
pub fn is_worth_it(before: &Carried) -> bool {
    let pool = &before.program.pool;
    let mut lemmas = before.lemmas.values().flatten();
    let mut counts = FastMap::default();
    before.shown
        && lemmas.clone().all(|l| l.bound.is_empty())
        && lemmas.any(|l| certify::n_cases(pool, l.body, &mut counts) >= MANY)
}

/// The lemmas of the program before, in the words of the new one, if they are shown to hold there. To be called where
/// proofs are certified.
pub fn steps(before: &Carried, task: &mut Task, deadline: &Deadline) -> Option<Lemmas> {
    let mut comparison = Comparison::of(before, task, deadline)?;
    let nodes: Vec<NodeIndex> = comparison.heads.keys().copied().collect();
    for n in nodes {
        comparison.leave(n)?;
    }
    comparison.lemmas()
}

struct Comparison<'a> {
    before: &'a Carried,
    task: &'a mut Task,
    /// The old program's graph, and its pool with the terms of that graph.
    old: Cpg,
    old_pool: Pool,
    /// What old variables are called now.
    vars: FastMap<Var, Term>,
    /// Entry and heads, each with the old one that stands for it.
    heads: BTreeMap<NodeIndex, NodeIndex>,
    solver: Solver,
}

impl<'a> Comparison<'a> {
    fn of(before: &'a Carried, task: &'a mut Task, deadline: &Deadline) -> Option<Self> {
        let mut program = before.program.clone();
        let old = Cpg::of(&mut program);
        let vars = guess_map::variables(&before.program, &mut task.program);
        let mut heads = BTreeMap::from([(task.full.node(CutPoint::Entry)?, old.entry)]);
        let old_heads = old.heads().into_iter().map(|n| old.graph[n]);
        let candidates = guess_map::heads_among(&before.program, old_heads, task);
        let mut taken = BTreeSet::new();
        for (n, olds) in candidates {
            let one = olds.into_iter().find(|o| taken.insert(*o))?;
            let here = task.full.node(task.cpg.graph[n])?;
            heads.insert(here, old.node(one)?);
        }
        if task.full.heads().iter().any(|n| !heads.contains_key(n)) {
            return None;
        }
        let solver = task.solver(deadline);
        let mut comparison = Comparison {
            before,
            task,
            old,
            old_pool: program.pool,
            vars,
            heads,
            solver,
        };
        comparison.lemmas()?;
        // What has no name any more and no lemma mentions may have been anything.
        for v in program.vars {
            if !comparison.vars.contains_key(&v) {
                comparison.unknown(v);
            }
        }
        Some(comparison)
    }

    fn unknown(&mut self, old: Var) {
        let info = self.old_pool.var_info(old).clone();
        let pool = &mut self.task.program.pool;
        let fresh = pool.fresh(info.name, info.sort);
        let fresh = pool.var(fresh);
        self.vars.insert(old, fresh);
    }

    fn old_lemmas(&self, o: NodeIndex) -> &'a [Lemma] {
        let lemmas = self.before.lemmas.get(&self.old.graph[o]);
        lemmas.map_or(&[], |l| l)
    }

    fn facts(&self, n: NodeIndex) -> Vec<Term> {
        let facts = self.task.facts.get(&self.task.full.graph[n]);
        facts.into_iter().flatten().map(|f| f.body).collect()
    }

    /// The old lemmas and what slicing found out by itself; nothing if a lemma has no words here.
    fn lemmas(&mut self) -> Option<Lemmas> {
        let mut out = self.task.facts.clone();
        let live = slice::live(&self.task.program, &self.task.cpg);
        for (n, o) in self.heads.clone() {
            let at = self.task.full.graph[n];
            let sliced = self.task.cpg.node(at)?;
            // By the facts these are the same, in words that last.
            let mut same = super::representatives(self.task, sliced, live.get(&sliced));
            let mut import = Import::default();
            for lemma in self.old_lemmas(o) {
                let pool = &mut self.task.program.pool;
                let body = import.term(&self.old_pool, lemma.body, pool, &self.vars)?;
                let body = same.apply(pool, body);
                let lemma = Lemma::plain(body);
                let lemmas = out.entry(at).or_default();
                if !pool.is_true(body) && !lemmas.contains(&lemma) {
                    lemmas.push(lemma);
                }
            }
        }
        Some(out)
    }

    /// Every step from here is an old one.
    fn leave(&mut self, n: NodeIndex) -> Option<()> {
        let o = self.heads[&n];
        self.draws(n, o);
        let mut import = Import::default();
        let edges: Vec<_> = self.task.full.graph.edges(n).map(|e| e.id()).collect();
        for e in edges {
            let (_, to) = self.task.full.graph.edge_endpoints(e)?;
            let edge = self.task.full.graph[e].clone();
            let mut known = self.facts(n);
            known.push(edge.guard);
            match self.task.full.graph[to] {
                CutPoint::Exit => continue,
                CutPoint::Stop(_) => {
                    let stops = self.old_stop(o, &mut import)?;
                    self.show(&known, stops)?;
                }
                _ => self.same_step(&known, (o, to), &edge.updates, &mut import)?,
            }
            let mut after = Subst::new();
            for (v, t) in &edge.updates {
                after.bind(*v, *t);
            }
            for fact in self.facts(to) {
                let fact = after.apply(&mut self.task.program.pool, fact);
                self.show(&known, fact)?;
            }
        }
        Some(())
    }

    fn follows(&mut self, known: &[Term], goal: Term) -> bool {
        let pool = &mut self.task.program.pool;
        let broken = pool.not(goal);
        let question: Vec<Term> = known.iter().copied().chain([broken]).collect();
        let all = pool.and_all(&question);
        if pool.is_false(all) {
            return true;
        }
        let answer = self
            .solver
            .check(pool, "steps", &question, Budget::steady(EDGE_MS));
        matches!(answer, Answer::Unsat)
    }

    fn show(&mut self, known: &[Term], goal: Term) -> Option<()> {
        self.follows(known, goal).then_some(())
    }

    /// The condition of an old step to any stop: the old proof excludes it.
    fn old_stop(&mut self, o: NodeIndex, import: &mut Import) -> Option<Term> {
        let pool = &mut self.task.program.pool;
        let mut any = pool.bool(false);
        for e in self.old.graph.edges(o) {
            if matches!(self.old.graph[e.target()], CutPoint::Stop(_)) {
                let guard = import.term(&self.old_pool, e.weight().guard, pool, &self.vars)?;
                any = pool.or(any, guard);
            }
        }
        Some(any)
    }

    /// The old step to the old head was taken, and what its lemmas speak of has the old values.
    fn same_step(
        &mut self,
        known: &[Term],
        (o, to): (NodeIndex, NodeIndex),
        updates: &BTreeMap<Var, Term>,
        import: &mut Import,
    ) -> Option<()> {
        let old_to = *self.heads.get(&to)?;
        let pool = &mut self.task.program.pool;
        let Some(e) = self.old.graph.find_edge(o, old_to) else {
            let never = pool.bool(false);
            return self.show(known, never);
        };
        let edge = self.old.graph[e].clone();
        let guard = import.term(&self.old_pool, edge.guard, pool, &self.vars)?;
        self.show(known, guard)?;
        let bodies: Vec<Term> = self.old_lemmas(old_to).iter().map(|l| l.body).collect();
        for v in self.old_pool.free_vars(&bodies) {
            let pool = &mut self.task.program.pool;
            let now = *self.vars.get(&v)?;
            let value = match edge.updates.get(&v) {
                Some(t) => import.term(&self.old_pool, *t, pool, &self.vars)?,
                None => now,
            };
            let new = pool.as_var(now).and_then(|w| updates.get(&w).copied());
            let new = new.unwrap_or(now);
            if new == value {
                continue;
            }
            match pool.sort(value) {
                Sort::Array { .. } => return None,
                Sort::Bv(_) => {
                    let equal = Sums::default().equal(pool, new, value);
                    if self.follows(known, equal) {
                        continue;
                    }
                }
                Sort::Bool => {}
            }
            let equal = self.task.program.pool.eq(new, value);
            self.show(known, equal)?;
        }
        Some(())
    }

    /// Old draws are new ones of the same name, else of the same sort, in program order; else any value.
    fn draws(&mut self, n: NodeIndex, o: NodeIndex) {
        let drawn = |cpg: &Cpg, at: NodeIndex| -> BTreeSet<Var> {
            let edges = cpg.graph.edges(at);
            edges
                .flat_map(|e| e.weight().draws.iter().map(|d| d.var))
                .collect()
        };
        let mut left: Vec<Var> = drawn(&self.task.full, n).into_iter().collect();
        let mut todo: Vec<Var> = drawn(&self.old, o).into_iter().collect();
        for by_name in [true, false] {
            todo.retain(|v| {
                let kind = |pool: &Pool, v: Var| -> (String, Sort) {
                    let info = pool.var_info(v);
                    let name = by_name.then(|| info.name.clone());
                    (name.unwrap_or_default(), info.sort)
                };
                let pool = &mut self.task.program.pool;
                let wanted = kind(&self.old_pool, *v);
                let Some(i) = left.iter().position(|w| kind(pool, *w) == wanted) else {
                    return true;
                };
                let now = pool.var(left.remove(i));
                self.vars.insert(*v, now);
                false
            });
        }
        for v in todo {
            self.unknown(v);
        }
    }
}

#[cfg(test)]
mod tests;
