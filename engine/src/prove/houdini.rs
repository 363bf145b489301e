//! Houdini over all cut-points at once (Flanagan/Leino, 2001): the largest inductive subset of the candidates.
//!
//! Changed: one model drops only the lemmas that it refutes (never all that were asked); affine relations are not
//! dropped but replaced by what is left of their module (see `affine`); quantified array lemmas are used at the
//! indices that occur; of what remains only the lemmas that the stops need become the proof (`core`).

mod core;

use super::affine::Kernel;
use super::{Lemma, Task, vc};
use crate::program::cpg::CutPoint;
use crate::smt::{Answer, Budget, Deadline, Solver};
use crate::term::{FastMap, Subst, Term};
use petgraph::graph::{EdgeIndex, NodeIndex};
use petgraph::visit::EdgeRef;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Instant;

/// What is to be tried at one head.
#[derive(Clone, Default, Debug)]
pub struct Candidates {
    pub lemmas: BTreeSet<Lemma>,
    pub kernels: Vec<Kernel>,
}

impl Candidates {
    fn all(&self, task: &mut Task) -> BTreeSet<Lemma> {
        let mut out = self.lemmas.clone();
        for k in &self.kernels {
            for t in k.equations(&mut task.program.pool) {
                out.insert(Lemma::plain(t));
            }
        }
        out
    }
}

/// One edge with its solver: the guard is a fact, lemmas are assumptions.
struct EdgeVc {
    from: NodeIndex,
    to: NodeIndex,
    guard: Term,
    subst: Subst,
    solver: Solver,
    /// The negation of a lemma of the target after the edge.
    goals: FastMap<Lemma, Term>,
    /// Did an answer come without a core?
    coreless: bool,
}

pub struct Houdini<'a> {
    pub task: &'a mut Task,
    pub at: BTreeMap<NodeIndex, Candidates>,
    edges: Vec<EdgeVc>,
    query: Budget,
    deadline: Deadline,
    started: Instant,
}

/// Some query had no answer in time: nothing may be concluded from what is left.
#[derive(Debug)]
pub struct GaveUp;

impl<'a> Houdini<'a> {
    pub fn new(
        task: &'a mut Task,
        at: BTreeMap<NodeIndex, Candidates>,
        query: Budget,
        deadline: &Deadline,
    ) -> Houdini<'a> {
        let mut edges = vec![];
        let ids: Vec<EdgeIndex> = task.cpg.graph.edge_indices().collect();
        for e in ids {
            let Some((from, to)) = task.cpg.graph.edge_endpoints(e) else {
                continue;
            };
            let edge = &task.cpg.graph[e];
            let mut subst = Subst::new();
            for (v, t) in &edge.updates {
                subst.bind(*v, *t);
            }
            let guard = edge.guard;
            let mut solver = task.solver(deadline);
            solver.assert(&task.program.pool, guard);
            edges.push(EdgeVc {
                from,
                to,
                guard,
                subst,
                solver,
                goals: FastMap::default(),
                coreless: false,
            });
        }
        Houdini {
            task,
            at,
            edges,
            query,
            deadline: deadline.clone(),
            started: Instant::now(),
        }
    }

    /// Drops candidates until the rest is inductive.
    pub fn run(&mut self) -> Result<(), GaveUp> {
        let mut work: VecDeque<usize> = (0..self.edges.len())
            .filter(|&i| matches!(self.task.cpg.graph[self.edges[i].to], CutPoint::Head(_)))
            .collect();
        while let Some(i) = work.pop_front() {
            let to = self.edges[i].to;
            if self.settle(i)? {
                for j in 0..self.edges.len() {
                    if self.edges[j].from == to
                        && matches!(self.task.cpg.graph[self.edges[j].to], CutPoint::Head(_))
                        && !work.contains(&j)
                    {
                        work.push_back(j);
                    }
                }
            }
        }
        Ok(())
    }

    fn lemmas_at(&mut self, n: NodeIndex) -> BTreeSet<Lemma> {
        match self.at.get(&n) {
            Some(c) => c.clone().all(self.task),
            None => BTreeSet::new(),
        }
    }

    /// Makes the lemmas of the target hold after this edge; true if some went.
    fn settle(&mut self, i: usize) -> Result<bool, GaveUp> {
        let (from, to) = (self.edges[i].from, self.edges[i].to);
        let mut changed = false;
        loop {
            if self.deadline.passed() {
                return Err(GaveUp);
            }
            let mut goals: Vec<(Lemma, Term)> = vec![];
            for l in self.lemmas_at(to) {
                let g = self.goal(i, &l);
                if !self.task.program.pool.is_false(g) {
                    goals.push((l, g));
                }
            }
            if goals.is_empty() {
                return Ok(changed);
            }
            let terms: Vec<Term> = goals.iter().map(|(_, g)| *g).collect();
            let some = balanced_or(self.task, &terms);
            let mut query = self.hypotheses(i, from, &terms);
            query.push(some);
            let pool = &self.task.program.pool;
            match self.edges[i]
                .solver
                .check(pool, "houdini", &query, self.query)
            {
                Answer::Unsat => return Ok(changed),
                Answer::Sat(m) => {
                    let refuted: Vec<&Lemma> = goals
                        .iter()
                        .filter(|(_, g)| self.task.program.pool.eval_bool(*g, &m))
                        .map(|(l, _)| l)
                        .collect();
                    if refuted.is_empty() {
                        // The model was only approximately one: give up what was asked.
                        for (l, _) in &goals {
                            self.drop_lemma(to, l);
                        }
                        changed = true;
                        continue;
                    }
                    let refuted: Vec<Lemma> = refuted.into_iter().cloned().collect();
                    self.shrink_kernels(i, to, &m);
                    for l in &refuted {
                        if let Some(c) = self.at.get_mut(&to) {
                            c.lemmas.remove(l);
                        }
                    }
                    changed = true;
                }
                Answer::Unknown(_) => {
                    // One by one: whatever is too hard goes.
                    if goals.len() == 1 {
                        self.drop_lemma(to, &goals[0].0);
                        changed = true;
                        continue;
                    }
                    for (l, g) in goals {
                        let mut query = self.hypotheses(i, from, &[g]);
                        query.push(g);
                        let pool = &self.task.program.pool;
                        let each = Budget {
                            millis: self.query.millis / 2,
                            rlimit: self.query.rlimit / 2,
                        };
                        if !self.edges[i]
                            .solver
                            .check(pool, "houdini-single", &query, each)
                            .is_unsat()
                        {
                            self.drop_lemma(to, &l);
                            changed = true;
                        }
                        if self.deadline.passed() {
                            return Err(GaveUp);
                        }
                    }
                }
                Answer::Failed(_) => return Err(GaveUp),
            }
        }
    }

    fn drop_lemma(&mut self, at: NodeIndex, l: &Lemma) {
        if let Some(c) = self.at.get_mut(&at)
            && !c.lemmas.remove(l)
        {
            // An equation of a kernel: the whole kernel goes, its parts are not lemmas by themselves.
            let pool = &mut self.task.program.pool;
            c.kernels.retain(|k| !k.equations(pool).contains(&l.body));
        }
    }

    fn shrink_kernels(&mut self, i: usize, to: NodeIndex, m: &crate::smt::Model) {
        let Some(c) = self.at.get_mut(&to) else {
            return;
        };
        let pool = &mut self.task.program.pool;
        let edge = &mut self.edges[i];
        for k in &mut c.kernels {
            let mut state = vec![];
            for &column in &k.columns {
                let after = edge.subst.apply(pool, column);
                state.push(pool.eval_bits(after, m));
            }
            k.restrict(&state);
        }
    }

    /// The negated lemma after the edge.
    fn goal(&mut self, i: usize, l: &Lemma) -> Term {
        if let Some(&g) = self.edges[i].goals.get(l) {
            return g;
        }
        let pool = &mut self.task.program.pool;
        // A bound variable is no state variable: left free, it is its own witness, shared by all goals.
        let after = self.edges[i].subst.apply(pool, l.body);
        let mut not = pool.not(after);
        for &j in &l.bound {
            not = vc::case_split(pool, not, j, 4);
        }
        self.edges[i].goals.insert(l.clone(), not);
        not
    }

    /// The lemmas of the source, quantified ones at the indices around.
    fn hypotheses(&mut self, i: usize, from: NodeIndex, goals: &[Term]) -> Vec<Term> {
        let found = self.hypotheses_of(i, from, goals);
        found.into_iter().map(|(t, _)| t).collect()
    }

    /// As `hypotheses`, with the lemma that each comes from.
    fn hypotheses_of(&mut self, i: usize, from: NodeIndex, goals: &[Term]) -> Vec<(Term, Lemma)> {
        let lemmas = self.lemmas_at(from);
        let mut out = vec![];
        let mut quantified = vec![];
        for l in lemmas {
            if l.bound.is_empty() {
                out.push((l.body, l));
            } else {
                quantified.push(l);
            }
        }
        if !quantified.is_empty() {
            let mut about = goals.to_vec();
            about.push(self.edges[i].guard);
            about.extend(out.iter().map(|(t, _)| *t));
            let pool = &mut self.task.program.pool;
            out.extend(vc::instances_of(pool, &quantified, &about));
        }
        out
    }

    /// Are all stops excluded by what is left? Returns the stops that are not.
    pub fn open_stops(&mut self) -> Vec<usize> {
        let mut open = vec![];
        for i in 0..self.edges.len() {
            let CutPoint::Stop(s) = self.task.cpg.graph[self.edges[i].to] else {
                continue;
            };
            let query = self.hypotheses(i, self.edges[i].from, &[]);
            let pool = &self.task.program.pool;
            let answer = self.edges[i]
                .solver
                .check(pool, "houdini-stop", &query, self.query);
            if !answer.is_unsat() {
                open.push(s);
            }
        }
        open
    }

    /// The candidates that survived, as assumptions for other engines.
    pub fn survivors(&mut self) -> BTreeMap<NodeIndex, Vec<Lemma>> {
        let nodes: Vec<NodeIndex> = self.at.keys().copied().collect();
        nodes
            .into_iter()
            .map(|n| (n, self.lemmas_at(n).into_iter().collect()))
            .collect()
    }
}

/// A disjunction as a balanced tree: the simplifier looks only a few levels deep, the solver likes it flat.
pub fn balanced_or(task: &mut Task, terms: &[Term]) -> Term {
    match terms {
        [] => task.program.pool.bool(false),
        [t] => *t,
        _ => {
            let (a, b) = terms.split_at(terms.len() / 2);
            let a = balanced_or(task, a);
            let b = balanced_or(task, b);
            task.program.pool.or(a, b)
        }
    }
}

/// All edges into a node.
pub fn edges_into(task: &Task, n: NodeIndex) -> Vec<EdgeIndex> {
    task.cpg
        .graph
        .edges_directed(n, petgraph::Direction::Incoming)
        .map(|e| e.id())
        .collect()
}
