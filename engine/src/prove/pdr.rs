//! Property-directed reachability (Bradley, 2011; Een/Mishchenko/Brayton) on the cut-point graph, over words.
//!
//! Made for control: lock protocols, handshakes, schedulers, where few variables with few values decide. Cubes are
//! made of predicates (comparisons of the guards, `v = c` for the constants that `v` is compared with or gets,
//! and what assertions become when they are pushed back over updates) and, where these do not determine a step,
//! of `v = value`. Predecessors are lifted by unsat cores over fixed draws, so a chain of cubes back to the entry
//! is a real run. One frame sequence for each head; the entry is in every frame. Unknown answers end the engine.

use super::candidates::is_value;
use super::trace::{self, Step, Trace};
use super::{Budget, Counterexample, Deadline, Task};
use crate::program::cpg::CutPoint;
use crate::smt::{Answer, Model, Solver};
use crate::term::{FastMap, Sort, Subst, Term, Value, Var};
use petgraph::graph::NodeIndex;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

pub enum Outcome {
    /// Clauses (negated cubes) for each head; inductive, and they exclude every stop.
    Safe(BTreeMap<NodeIndex, Vec<Term>>),
    Unsafe(Counterexample),
    GaveUp(&'static str),
}

struct PdrEdge {
    from: NodeIndex,
    to: NodeIndex,
    guard: Term,
    subst: Subst,
    draws: Vec<Var>,
    /// Guard, background and the clauses of the source.
    solver: Solver,
    /// Nothing but definitions: for lifting.
    lifter: Solver,
}

/// A proof obligation: these states lead to a stop, by these draws, through `next`.
struct Obligation {
    node: NodeIndex,
    cube: Vec<Term>,
    draws: FastMap<Var, Value>,
    next: Option<Rc<Obligation>>,
}

struct Clause {
    cube: BTreeSet<Term>,
    level: usize,
}

struct Pdr<'a> {
    task: &'a mut Task,
    edges: Vec<PdrEdge>,
    predicates: BTreeMap<NodeIndex, Vec<Term>>,
    live: BTreeMap<NodeIndex, BTreeSet<Var>>,
    clauses: BTreeMap<NodeIndex, Vec<Clause>>,
    /// One literal for each level.
    acts: Vec<Term>,
    query: Budget,
    deadline: Deadline,
}

enum Stopped {
    Found(Counterexample),
    Gave(&'static str),
}

type Progress<T> = Result<T, Stopped>;

/// `background` are lemmas known to hold.
pub fn pdr(
    task: &mut Task,
    background: &BTreeMap<NodeIndex, Vec<Term>>,
    query: Budget,
    deadline: &Deadline,
) -> Outcome {
    let live = super::slice::live(&task.program, &task.cpg);
    let predicates = super::predicates::predicates(task, &live);
    let mut edges = vec![];
    for e in task.cpg.graph.edge_indices() {
        let Some((from, to)) = task.cpg.graph.edge_endpoints(e) else {
            continue;
        };
        let edge = &task.cpg.graph[e];
        let mut subst = Subst::new();
        for (v, t) in &edge.updates {
            subst.bind(*v, *t);
        }
        let mut solver = task.solver(deadline);
        solver.assert(&task.program.pool, edge.guard);
        for &t in background.get(&from).into_iter().flatten() {
            solver.assert(&task.program.pool, t);
        }
        edges.push(PdrEdge {
            from,
            to,
            guard: edge.guard,
            subst,
            draws: edge.draws.iter().map(|d| d.var).collect(),
            solver,
            lifter: task.solver(deadline),
        });
    }
    let mut p = Pdr {
        task,
        edges,
        predicates,
        live,
        clauses: BTreeMap::new(),
        acts: vec![],
        query,
        deadline: deadline.clone(),
    };
    match p.run() {
        Ok(level) => Outcome::Safe(p.invariant(level)),
        Err(Stopped::Found(cex)) => Outcome::Unsafe(cex),
        Err(Stopped::Gave(why)) => Outcome::GaveUp(why),
    }
}

impl Pdr<'_> {
    /// Returns a level whose frame is inductive.
    fn run(&mut self) -> Progress<usize> {
        self.new_level();
        loop {
            self.new_level();
            let top = self.acts.len() - 1;
            while let Some(bad) = self.bad_state(top)? {
                self.block(bad, top)?;
            }
            if let Some(level) = self.propagate(top)? {
                return Ok(level);
            }
            if top > 60 {
                return Err(Stopped::Gave("too many frames"));
            }
        }
    }

    fn new_level(&mut self) {
        let pool = &mut self.task.program.pool;
        let v = pool.fresh(format!("level{}", self.acts.len()), Sort::Bool);
        let t = pool.var(v);
        self.acts.push(t);
    }

    fn is_entry(&self, n: NodeIndex) -> bool {
        n == self.task.cpg.entry
    }

    /// Asks an edge; `level` is the frame of its source.
    fn ask(
        &mut self,
        e: usize,
        name: &'static str,
        level: usize,
        more: &[Term],
    ) -> Progress<Option<Model>> {
        if self.deadline.passed() {
            return Err(Stopped::Gave("time"));
        }
        let from = self.edges[e].from;
        if !self.is_entry(from) && level == 0 {
            return Ok(None);
        }
        let mut query = more.to_vec();
        if !self.is_entry(from) {
            query.extend(&self.acts[level..]);
        }
        let pool = &self.task.program.pool;
        match self.edges[e].solver.check(pool, name, &query, self.query) {
            Answer::Unsat => Ok(None),
            Answer::Sat(m) if m.exact => Ok(Some(m)),
            _ => Err(Stopped::Gave("a query without answer")),
        }
    }

    /// A state of the last frame from which a stop is one step away.
    fn bad_state(&mut self, top: usize) -> Progress<Option<Obligation>> {
        for e in 0..self.edges.len() {
            if !matches!(self.task.cpg.graph[self.edges[e].to], CutPoint::Stop(_)) {
                continue;
            }
            if let Some(m) = self.ask(e, "pdr-stop", top, &[])? {
                return Ok(Some(self.lifted(e, &m, &[], None)?));
            }
        }
        Ok(None)
    }

    /// The states around the model's from which the edge leads into `target` by the model's draws.
    fn lifted(
        &mut self,
        e: usize,
        m: &Model,
        target: &[Term],
        next: Option<Rc<Obligation>>,
    ) -> Progress<Obligation> {
        let node = self.edges[e].from;
        let mut draws = FastMap::default();
        let mut fixed = vec![];
        for &d in &self.edges[e].draws.clone() {
            let sort = self.task.program.pool.var_info(d).sort;
            let value = m.values.get(&d).cloned().unwrap_or(Value::zero(sort));
            if let Value::Bits(b) = value {
                fixed.push(is_value(self.task, d, b));
            }
            draws.insert(d, value);
        }
        if self.is_entry(node) {
            let o = Obligation {
                node,
                cube: vec![],
                draws,
                next,
            };
            return Err(self.counterexample(o, m));
        }
        let pool = &mut self.task.program.pool;
        let mut step = self.edges[e].guard;
        for &t in target {
            let t = self.edges[e].subst.apply(pool, t);
            step = pool.and(step, t);
        }
        let fails = pool.not(step);
        let mut memo = FastMap::default();
        let mut cube = vec![];
        for &p in self.predicates.get(&node).into_iter().flatten() {
            let holds = pool.eval_memo(p, m, &mut memo).bits() != 0;
            cube.push(if holds { p } else { pool.not(p) });
        }
        let mut query = cube.clone();
        query.push(fails);
        query.extend(&fixed);
        let lifter = &mut self.edges[e].lifter;
        let mut answer = lifter.check(pool, "pdr-lift", &query, self.query);
        if answer.is_sat() {
            // The predicates do not determine the step: the values do.
            let mut values = vec![];
            for &v in self.live.get(&node).into_iter().flatten() {
                if self.task.program.pool.var_info(v).sort.is_array() {
                    return Err(Stopped::Gave("arrays"));
                }
                let b = m.values.get(&v).map_or(0, Value::bits);
                values.push(is_value(self.task, v, b));
            }
            cube.extend(values);
            query = cube.clone();
            query.push(fails);
            query.extend(&fixed);
            let pool = &self.task.program.pool;
            answer = self.edges[e]
                .lifter
                .check(pool, "pdr-lift", &query, self.query);
        }
        if !answer.is_unsat() {
            return Err(Stopped::Gave("lifting"));
        }
        let core: BTreeSet<Term> = self.edges[e].lifter.core().iter().copied().collect();
        cube.retain(|t| core.contains(t));
        Ok(Obligation {
            node,
            cube,
            draws,
            next,
        })
    }

    fn counterexample(&self, first: Obligation, m: &Model) -> Stopped {
        let mut t = Trace {
            initial: m.values.clone(),
            steps: vec![],
        };
        let mut at = Some(&first);
        while let Some(o) = at {
            t.steps.push(Step {
                draws: o.draws.clone(),
            });
            at = o.next.as_deref();
        }
        match trace::play(self.task, &t) {
            Ok(cex) => Stopped::Found(cex),
            Err(_) => Stopped::Gave("a run that does not replay"),
        }
    }

    /// Excludes the obligation from the frames up to `top`, or finds a run.
    fn block(&mut self, bad: Obligation, top: usize) -> Progress<()> {
        let mut queue: Vec<(usize, Rc<Obligation>)> = vec![(top, Rc::new(bad))];
        while let Some(at) = (0..queue.len()).min_by_key(|&i| (queue[i].0, usize::MAX - i)) {
            let (level, o) = queue.remove(at);
            if self.is_blocked(&o, level) {
                if level < top {
                    queue.push((level + 1, o));
                }
                continue;
            }
            match self.predecessor(&o, level)? {
                Ok(before) => {
                    queue.push((level, o));
                    queue.push((level - 1, Rc::new(before)));
                }
                Err(core) => {
                    let cube = self.generalised(o.node, core, level)?;
                    let mut level = level;
                    while level < top && self.unreachable(o.node, &cube, level)?.is_some() {
                        level += 1;
                    }
                    self.learn(o.node, cube, level);
                    if level < top {
                        queue.push((level + 1, o));
                    }
                }
            }
            if queue.len() > 2000 {
                return Err(Stopped::Gave("too many obligations"));
            }
        }
        Ok(())
    }

    fn is_blocked(&self, o: &Obligation, level: usize) -> bool {
        let cube: BTreeSet<Term> = o.cube.iter().copied().collect();
        self.clauses
            .get(&o.node)
            .into_iter()
            .flatten()
            .any(|c| c.level >= level && c.cube.is_subset(&cube))
    }

    /// A step into the cube from the frame before (`Ok`), or the part of the cube that cannot be entered (`Err`).
    fn predecessor(
        &mut self,
        o: &Rc<Obligation>,
        level: usize,
    ) -> Progress<Result<Obligation, Vec<Term>>> {
        let mut core: BTreeSet<Term> = BTreeSet::new();
        for e in 0..self.edges.len() {
            if self.edges[e].to != o.node {
                continue;
            }
            let (query, after) = self.step_into(e, &o.cube);
            if let Some(m) = self.ask(e, "pdr-pre", level - 1, &query)? {
                let before = self.lifted(e, &m, &o.cube, Some(o.clone()))?;
                return Ok(Ok(before));
            }
            self.collect_core(e, &o.cube, &after, level - 1, &mut core);
        }
        Ok(Err(core.into_iter().collect()))
    }

    /// The question whether the edge leads into the cube from outside of it.
    fn step_into(&mut self, e: usize, cube: &[Term]) -> (Vec<Term>, Vec<Term>) {
        let pool = &mut self.task.program.pool;
        let after: Vec<Term> = cube
            .iter()
            .map(|t| self.edges[e].subst.apply(pool, *t))
            .collect();
        let mut query = after.clone();
        if self.edges[e].from == self.edges[e].to {
            let inside = pool.and_all(cube);
            let outside = pool.not(inside);
            query.push(outside);
        }
        (query, after)
    }

    fn collect_core(
        &self,
        e: usize,
        cube: &[Term],
        after: &[Term],
        level: usize,
        core: &mut BTreeSet<Term>,
    ) {
        if level == 0 && !self.is_entry(self.edges[e].from) {
            return; // Nothing was asked: the frame is empty.
        }
        let used = self.edges[e].solver.core();
        for (t, a) in cube.iter().zip(after) {
            if used.contains(a) {
                core.insert(*t);
            }
        }
    }

    /// Is the cube unreachable in one step from the frame? Then the part of it that matters.
    fn unreachable(
        &mut self,
        node: NodeIndex,
        cube: &[Term],
        level: usize,
    ) -> Progress<Option<Vec<Term>>> {
        let mut core = BTreeSet::new();
        for e in 0..self.edges.len() {
            if self.edges[e].to != node {
                continue;
            }
            let (query, after) = self.step_into(e, cube);
            if self.ask(e, "pdr-ind", level, &query)?.is_some() {
                return Ok(None);
            }
            self.collect_core(e, cube, &after, level, &mut core);
        }
        Ok(Some(core.into_iter().collect()))
    }

    /// Drops literals as long as the rest stays unreachable.
    fn generalised(
        &mut self,
        node: NodeIndex,
        mut cube: Vec<Term>,
        level: usize,
    ) -> Progress<Vec<Term>> {
        let mut i = 0;
        let mut failures = 0;
        while i < cube.len() && failures < 10 {
            let mut less = cube.clone();
            less.remove(i);
            match self.unreachable(node, &less, level - 1)? {
                Some(core) => {
                    // Keep the order, so that position i is still the next to try.
                    less.retain(|t| core.contains(t));
                    cube = less;
                    i = 0;
                    failures = 0;
                }
                None => {
                    i += 1;
                    failures += 1;
                }
            }
        }
        Ok(cube)
    }

    fn learn(&mut self, node: NodeIndex, cube: Vec<Term>, level: usize) {
        let set: BTreeSet<Term> = cube.iter().copied().collect();
        let known = self.clauses.entry(node).or_default();
        known.retain(|c| !(c.level <= level && set.is_subset(&c.cube)));
        known.push(Clause { cube: set, level });
        self.assert_clause(node, &cube, level);
    }

    fn assert_clause(&mut self, node: NodeIndex, cube: &[Term], level: usize) {
        let pool = &mut self.task.program.pool;
        let inside = pool.and_all(cube);
        let clause = pool.not(inside);
        let guarded = pool.implies(self.acts[level], clause);
        for e in &mut self.edges {
            if e.from == node {
                e.solver.assert(pool, guarded);
            }
        }
    }

    /// Moves clauses forward; a level that keeps none of its own is inductive.
    fn propagate(&mut self, top: usize) -> Progress<Option<usize>> {
        for level in 1..top {
            let nodes: Vec<NodeIndex> = self.clauses.keys().copied().collect();
            for n in nodes {
                let mine: Vec<Vec<Term>> = self.clauses[&n]
                    .iter()
                    .filter(|c| c.level == level)
                    .map(|c| c.cube.iter().copied().collect())
                    .collect();
                for cube in mine {
                    if self.unreachable(n, &cube, level)?.is_some() {
                        self.learn(n, cube, level + 1);
                    }
                }
            }
            if self.clauses.values().flatten().all(|c| c.level != level) {
                return Ok(Some(level));
            }
        }
        Ok(None)
    }

    fn invariant(&mut self, level: usize) -> BTreeMap<NodeIndex, Vec<Term>> {
        let mut out = BTreeMap::new();
        for (n, clauses) in &self.clauses {
            let mut terms = vec![];
            for c in clauses.iter().filter(|c| c.level > level) {
                let cube: Vec<Term> = c.cube.iter().copied().collect();
                let inside = self.task.program.pool.and_all(&cube);
                terms.push(self.task.program.pool.not(inside));
            }
            out.insert(*n, terms);
        }
        out
    }
}
