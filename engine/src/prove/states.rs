//! Control states with affine data: the reachable valuations of small variables, each with its own affine relations.
//!
//! Schedulers and handshakes have a few variables with a few values that decide everything, and data that is only
//! copied and counted. The lemma at a head is a disjunction over the valuations of its control variables; each
//! carries the kernel (see `affine`) of the data seen with it. Built from below: concrete runs fill the table, the
//! solver shows steps that leave it, each such state is added and runs are continued from it, until no step leaves.
//! As a term the table is a decision diagram: hash-consing shares equal rests. Ends when the table is too large.

use super::affine::Kernel;
use super::candidates::is_value;
use super::concrete::{self, Samples};
use super::{Budget, Deadline, Task};
use crate::program::BlockId;
use crate::program::cpg::CutPoint;
use crate::program::machine::Machine;
use crate::smt::{Answer, Model, Solver};
use crate::term::{Sort, Subst, Term, Value, Var};
use petgraph::graph::NodeIndex;
use std::collections::{BTreeMap, BTreeSet};

/// More values make a variable data.
const VALUES: usize = 12;
const ROWS: usize = 6000;

/// The table of one head.
struct Table {
    control: Vec<Var>,
    data: Vec<(u32, Vec<Var>)>,
    rows: BTreeMap<Vec<u128>, Vec<Kernel>>,
    term: Option<Term>,
}

struct StateEdge {
    from: NodeIndex,
    to: NodeIndex,
    subst: Subst,
    solver: Solver,
}

struct States<'a> {
    task: &'a mut Task,
    tables: BTreeMap<NodeIndex, Table>,
    machine: Machine,
    seed: u64,
    query: Budget,
    deadline: Deadline,
}

/// The inductive tables as lemmas, and whether they exclude every stop; nothing if time or space ran out.
pub fn states(
    task: &mut Task,
    seed: u64,
    query: Budget,
    deadline: &Deadline,
) -> Option<(BTreeMap<NodeIndex, Term>, bool)> {
    let found = concrete::concrete_rows(task, seed, 3000, ROWS, &deadline.within_millis(150));
    let watched: Vec<BlockId> = task
        .cpg
        .heads()
        .into_iter()
        .filter_map(|n| match task.cpg.graph[n] {
            CutPoint::Head(b) => Some(b),
            _ => None,
        })
        .collect();
    let machine = Machine::of(&task.program, &watched);
    let mut tables = BTreeMap::new();
    for (n, s) in &found.samples {
        tables.insert(*n, table(task, s));
    }
    let mut edges = vec![];
    for e in task.cpg.graph.edge_indices() {
        let (from, to) = task.cpg.graph.edge_endpoints(e)?;
        let edge = &task.cpg.graph[e];
        let mut subst = Subst::new();
        for (v, t) in &edge.updates {
            subst.bind(*v, *t);
        }
        let mut solver = task.solver(deadline);
        solver.assert(&task.program.pool, edge.guard);
        edges.push(StateEdge {
            from,
            to,
            subst,
            solver,
        });
    }
    let mut s = States {
        task,
        tables,
        machine,
        seed,
        query,
        deadline: deadline.clone(),
    };
    for (n, samples) in found.samples {
        s.add_samples(n, &samples);
    }
    s.close(&mut edges)?;
    let safe = s.excludes_stops(&mut edges);
    let nodes: Vec<NodeIndex> = s.tables.keys().copied().collect();
    let lemmas = nodes.into_iter().map(|n| (n, s.lemma(n))).collect();
    Some((lemmas, safe))
}

/// Which variables are control: those that took few values.
fn table(task: &Task, s: &Samples) -> Table {
    let sets = super::predicates::value_sets(task);
    let mut control = vec![];
    let mut data: BTreeMap<u32, Vec<Var>> = BTreeMap::new();
    for (i, &v) in s.vars.iter().enumerate() {
        let seen: BTreeSet<u128> = s.rows.iter().map(|r| r[i]).collect();
        let sort = task.program.pool.var_info(v).sort;
        let few = seen.len() <= VALUES && (s.rows.len() >= 40 || sets.contains_key(&v));
        match sort {
            Sort::Bool => control.push(v),
            Sort::Bv(w) if w <= 1 || few => control.push(v),
            Sort::Bv(w) => data.entry(w).or_default().push(v),
            Sort::Array { .. } => {}
        }
    }
    Table {
        control,
        data: data.into_iter().collect(),
        rows: BTreeMap::new(),
        term: None,
    }
}

impl States<'_> {
    fn add_samples(&mut self, n: NodeIndex, s: &Samples) {
        for row in &s.rows {
            let value = |v: &Var| s.vars.iter().position(|u| u == v).map_or(0, |i| row[i]);
            self.add(n, &value);
        }
    }

    /// Adds one state; true if the table did not have it.
    fn add(&mut self, n: NodeIndex, value: &dyn Fn(&Var) -> u128) -> bool {
        let Some(t) = self.tables.get_mut(&n) else {
            return false;
        };
        let key: Vec<u128> = t.control.iter().map(value).collect();
        let pool = &mut self.task.program.pool;
        let mut new = false;
        let kernels = t.rows.entry(key).or_insert_with(|| {
            new = true;
            t.data
                .iter()
                .map(|(w, vars)| {
                    let columns = vars.iter().map(|v| pool.var(*v)).collect();
                    Kernel::everything(*w, columns)
                })
                .collect()
        });
        for (k, (_, vars)) in kernels.iter_mut().zip(&t.data) {
            let state: Vec<u128> = vars.iter().map(value).collect();
            new |= k.restrict(&state);
        }
        if new {
            t.term = None;
        }
        new
    }

    /// The table of a head as a term; a head that nothing reached is `false`, the entry is `true`.
    fn lemma(&mut self, n: NodeIndex) -> Term {
        let Some(t) = self.tables.get(&n) else {
            return self.task.program.pool.bool(true);
        };
        if let Some(t) = t.term {
            return t;
        }
        let mut leaves: Vec<(Vec<u128>, Term)> = vec![];
        let control = t.control.clone();
        for (key, kernels) in &t.rows {
            let mut all = self.task.program.pool.bool(true);
            for k in kernels {
                for e in k.equations(&mut self.task.program.pool) {
                    all = self.task.program.pool.and(all, e);
                }
            }
            leaves.push((key.clone(), all));
        }
        let term = diagram(self.task, &control, &leaves, 0);
        if let Some(t) = self.tables.get_mut(&n) {
            t.term = Some(term);
        }
        term
    }

    /// Adds what steps lead to until no step leaves the tables.
    fn close(&mut self, edges: &mut [StateEdge]) -> Option<()> {
        let mut dirty = true;
        while std::mem::take(&mut dirty) {
            for e in edges.iter_mut() {
                if !matches!(self.task.cpg.graph[e.to], CutPoint::Head(_)) {
                    continue;
                }
                loop {
                    if self.deadline.passed() || self.n_rows() > ROWS {
                        return None;
                    }
                    let before = self.lemma(e.from);
                    let after = self.lemma(e.to);
                    let pool = &mut self.task.program.pool;
                    let after = e.subst.apply(pool, after);
                    let leaves = pool.not(after);
                    if pool.is_false(leaves) || pool.is_false(before) {
                        break;
                    }
                    match e
                        .solver
                        .check(pool, "states", &[before, leaves], self.query)
                    {
                        Answer::Unsat => break,
                        Answer::Sat(m) if m.exact => {
                            self.step(e, &m)?;
                            dirty = true;
                        }
                        _ => return None,
                    }
                }
            }
        }
        Some(())
    }

    fn n_rows(&self) -> usize {
        self.tables.values().map(|t| t.rows.len()).sum()
    }

    /// Adds the state after the model's step, and what concrete runs find from there.
    fn step(&mut self, e: &mut StateEdge, m: &Model) -> Option<()> {
        let mut after: BTreeMap<Var, Value> = BTreeMap::new();
        for &v in &self.task.program.vars.clone() {
            let pool = &mut self.task.program.pool;
            let own = pool.var(v);
            let t = e.subst.get(v).unwrap_or(own);
            after.insert(v, pool.eval(t, m));
        }
        let value = |v: &Var| match after.get(v) {
            Some(Value::Bits(b)) => *b,
            _ => 0,
        };
        if !self.add(e.to, &value) {
            return None; // The model is no step out of the table: something is not understood.
        }
        let CutPoint::Head(block) = self.task.cpg.graph[e.to] else {
            return None;
        };
        self.seed += 1;
        let state: Vec<(Var, Value)> = after.into_iter().collect();
        let found = concrete::from(self.task, &self.machine, block, &state, self.seed, 6);
        for (n, s) in found {
            self.add_samples(n, &s);
        }
        Some(())
    }

    fn excludes_stops(&mut self, edges: &mut [StateEdge]) -> bool {
        for e in edges.iter_mut() {
            if !matches!(self.task.cpg.graph[e.to], CutPoint::Stop(_)) {
                continue;
            }
            let before = self.lemma(e.from);
            let pool = &self.task.program.pool;
            let answer = e.solver.check(pool, "states-stop", &[before], self.query);
            if !answer.is_unsat() {
                return false;
            }
        }
        true
    }
}

/// Rows with a common beginning share a test of it; equal rests are equal terms.
fn diagram(task: &mut Task, control: &[Var], rows: &[(Vec<u128>, Term)], depth: usize) -> Term {
    if rows.is_empty() {
        return task.program.pool.bool(false);
    }
    if depth == control.len() {
        return rows[0].1;
    }
    // Values with equal rests are tested together.
    let mut by_rest: BTreeMap<Term, Vec<u128>> = BTreeMap::new();
    let mut start = 0;
    while start < rows.len() {
        let c = rows[start].0[depth];
        let mut end = start;
        while end < rows.len() && rows[end].0[depth] == c {
            end += 1;
        }
        let rest = diagram(task, control, &rows[start..end], depth + 1);
        by_rest.entry(rest).or_default().push(c);
        start = end;
    }
    let mut out = vec![];
    for (rest, values) in by_rest {
        let tests: Vec<Term> = values
            .into_iter()
            .map(|c| is_value(task, control[depth], c))
            .collect();
        let one = super::houdini::balanced_or(task, &tests);
        out.push(task.program.pool.and(one, rest));
    }
    super::houdini::balanced_or(task, &out)
}
