//! Of what is inductive, only what the stops need becomes the proof: by unsat cores, backwards from the stops.
//!
//! Every later pass asks for whatever is left here, and people read it. All lemmas that a target needs are one question
//! of an edge, so that a round costs a query for each edge. Where an answer has no core (the integers and fresh solvers
//! have none, or a large one) two things help: what is needed anyway may do, and what others imply is dropped, which
//! changes nothing (`x <= 5` beside `x <= 4`). Nothing here is trusted: the proof is certified as it is.

use super::{Houdini, balanced_or};
use crate::program::cpg::CutPoint;
use crate::prove::certify::{self, MANY_CASES};
use crate::prove::{Lemma, Lemmas};
use crate::smt::{Budget, Deadline};
use crate::term::{FastMap, Term};
use petgraph::graph::NodeIndex;
use std::collections::{BTreeMap, BTreeSet};

/// So long may be looked for a smaller proof, in any case.
const LEAST_CORE_MS: u64 = 200;

/// Lemmas that may all be needed.
const FEW: usize = 4;

/// For the question whether a lemma follows from others.
const IMPLIED_MS: u32 = 10;

impl Houdini<'_> {
    /// The lemmas that the stops need, with the lemmas that those need; and the facts of slicing.
    ///
    /// Every later pass asks for whatever is left here, so looking for less may take as long as the search did, also
    /// where the engine's own time is over.
    pub fn proof(&mut self) -> Lemmas {
        let spent = self.started.elapsed().as_millis() as u64;
        let time = self.deadline.at_least_millis(spent.max(LEAST_CORE_MS));
        let time = time.within_millis(spent.max(LEAST_CORE_MS));
        for edge in &mut self.edges {
            edge.solver.extend(&time);
        }
        let mut needed: BTreeMap<NodeIndex, BTreeSet<Lemma>> = BTreeMap::new();
        // Edges whose target needs lemmas that were not asked about there yet; all of them are one question.
        let mut todo: BTreeMap<usize, BTreeSet<Lemma>> = BTreeMap::new();
        for i in 0..self.edges.len() {
            if matches!(self.task.cpg.graph[self.edges[i].to], CutPoint::Stop(_)) {
                todo.insert(i, BTreeSet::new());
            }
        }
        while let Some((i, goals)) = todo.pop_first() {
            let from = self.edges[i].from;
            let have = needed.entry(from).or_default();
            let core = self.core(i, &goals, have);
            let new: Vec<Lemma> = core.into_iter().filter(|l| !have.contains(l)).collect();
            have.extend(new.iter().cloned());
            for j in 0..self.edges.len() {
                if self.edges[j].to == from && !new.is_empty() {
                    todo.entry(j).or_default().extend(new.iter().cloned());
                }
            }
        }
        if self.edges.iter().any(|e| e.coreless) {
            for lemmas in needed.values_mut() {
                self.drop_implied(lemmas, &time);
            }
        }
        let mut out = self.task.facts.clone();
        for (n, lemmas) in needed {
            out.entry(self.task.cpg.graph[n])
                .or_default()
                .extend(lemmas);
        }
        out
    }

    /// Lemmas of the source by which the edge keeps these of its target (or, for a stop, is never taken).
    fn core(
        &mut self,
        i: usize,
        goals: &BTreeSet<Lemma>,
        have: &BTreeSet<Lemma>,
    ) -> BTreeSet<Lemma> {
        let mut broken: Vec<Term> = goals.iter().map(|l| self.goal(i, l)).collect();
        broken.retain(|g| !self.task.program.pool.is_false(*g));
        if broken.is_empty() && !goals.is_empty() {
            return BTreeSet::new();
        }
        let some = match goals.is_empty() {
            true => None,
            false => Some(balanced_or(self.task, &broken)),
        };
        let known = self.hypotheses_of(i, self.edges[i].from, &broken);
        // An answer without a core would need everything: does what is needed anyway do?
        if self.edges[i].coreless {
            let few = known.iter();
            let few = few.filter(|(_, l)| have.contains(l) || goals.contains(l));
            let (query, lemmas): (Vec<Term>, BTreeSet<Lemma>) = few.cloned().unzip();
            if self.refuted(i, query, some) {
                return lemmas;
            }
        }
        let query: Vec<Term> = known.iter().map(|(t, _)| *t).collect();
        let all = query.len();
        let core = match self.refuted(i, query, some) {
            true => self.edges[i].solver.core().to_vec(),
            false => known.iter().map(|(t, _)| *t).collect(),
        };
        let known = known.into_iter().filter(|(t, _)| core.contains(t));
        let lemmas: Vec<Lemma> = known.map(|(_, l)| l).collect();
        let mut lemmas: BTreeSet<Lemma> = lemmas.into_iter().collect();
        if lemmas.len() > FEW && core.len() >= all {
            self.edges[i].coreless = true;
            let time = self.edges[i].solver.deadline().clone();
            self.drop_implied(&mut lemmas, &time);
        }
        lemmas
    }

    /// Drops what the others say as well. Lists of values stay, questions are taken apart by them; so does everything
    /// where lemmas are quantified: terms show at which indices those are of use.
    fn drop_implied(&mut self, lemmas: &mut BTreeSet<Lemma>, deadline: &Deadline) {
        if lemmas.iter().any(|l| !l.bound.is_empty()) {
            return;
        }
        let mut solver = self.task.solver(deadline);
        let pool = &self.task.program.pool;
        let mut counts = FastMap::default();
        let mut is_list = |l: &Lemma| certify::n_cases(pool, l.body, &mut counts) >= MANY_CASES;
        let mut longest: Vec<Lemma> = lemmas.iter().filter(|l| !is_list(l)).cloned().collect();
        longest.sort_by_key(|l| std::cmp::Reverse(pool.dag_size(&[l.body])));
        for l in longest {
            let others = lemmas.iter().filter(|o| **o != l);
            let mut query: Vec<Term> = others.map(|o| o.body).collect();
            query.push(self.task.program.pool.not(l.body));
            let pool = &self.task.program.pool;
            if solver
                .check(pool, "houdini-implied", &query, Budget::steady(IMPLIED_MS))
                .is_unsat()
            {
                lemmas.remove(&l);
            }
        }
    }

    fn refuted(&mut self, i: usize, mut query: Vec<Term>, goal: Option<Term>) -> bool {
        query.extend(goal);
        let pool = &self.task.program.pool;
        let solver = &mut self.edges[i].solver;
        solver
            .check(pool, "houdini-core", &query, self.query)
            .is_unsat()
    }
}
