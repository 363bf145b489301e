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
use super::{Budget, Deadline, Task, vc};
use crate::program::BlockId;
use crate::program::cpg::CutPoint;
use crate::program::machine::Machine;
use crate::smt::{Answer, Model, Solver};
use crate::term::{BinOp, FastSet, Node, Sort, Subst, Term, Value, Var};
use petgraph::graph::{EdgeIndex, NodeIndex};
use petgraph::visit::EdgeRef;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// More values make a variable data.
const VALUES: usize = 12;
/// Rows that are soon looked at, and where nothing else helps.
pub const SOME_ROWS: usize = 2000;
pub const MOST_ROWS: usize = 6000;
/// Choices of a step that are tried one by one.
const CHOICES: u32 = 9;

/// What was seen with one valuation of the control variables.
struct Row {
    kernels: Vec<Kernel>,
    /// The relations as a term, made when asked for.
    term: Option<Term>,
}

/// The table of one head.
struct Table {
    control: Vec<Var>,
    data: Vec<(u32, Vec<Var>)>,
    rows: BTreeMap<Vec<u128>, Row>,
    term: Option<Term>,
}

/// A row whose steps have to be looked at; the entry has one with no control variables.
type Place = (NodeIndex, Vec<u128>);

struct States<'a> {
    task: &'a mut Task,
    tables: BTreeMap<NodeIndex, Table>,
    todo: VecDeque<Place>,
    queued: BTreeSet<Place>,
    machine: Machine,
    solver: Solver,
    /// Queries asked of this solver: what it keeps of old ones makes it slow.
    asked: usize,
    seed: u64,
    most_rows: usize,
    query: Budget,
    deadline: Deadline,
    suspect: bool,
}

/// How it ended.
pub enum Outcome {
    /// Inductive tables that exclude every stop, as lemmas.
    Closed(BTreeMap<NodeIndex, Term>),
    /// A stop follows a state of the tables: a bug, unless the relations are too weak.
    Suspect,
    /// There are more rows than asked for.
    TooLarge,
    GaveUp,
}

pub fn states(
    task: &mut Task,
    seed: u64,
    most_rows: usize,
    query: Budget,
    deadline: &Deadline,
) -> Outcome {
    let found = concrete::concrete_rows(task, seed, 3000, most_rows, &deadline.within_millis(150));
    if found.violation.is_some() {
        return Outcome::Suspect;
    }
    let heads = task.cpg.heads();
    let watched: Vec<BlockId> = heads
        .iter()
        .filter_map(|n| match task.cpg.graph[*n] {
            CutPoint::Head(b) => Some(b),
            _ => None,
        })
        .collect();
    let machine = Machine::of(&task.program, &watched);
    let related = related(task);
    let finite = super::predicates::finite(task);
    let mut tables = BTreeMap::new();
    for (n, s) in &found.samples {
        tables.insert(*n, table(task, s, &related, &finite));
    }
    let solver = task.solver(deadline);
    let entry = task.cpg.entry;
    let mut s = States {
        task,
        tables,
        todo: VecDeque::from([(entry, vec![])]),
        queued: BTreeSet::new(),
        machine,
        solver,
        asked: 0,
        seed,
        most_rows,
        query,
        deadline: deadline.clone(),
        suspect: false,
    };
    for (n, samples) in found.samples {
        s.add_samples(n, &samples);
    }
    while let Some(place) = s.todo.pop_front() {
        s.queued.remove(&place);
        if s.close(&place).is_none() {
            if std::env::var("OPTVERIFY_TRACE").is_ok() {
                s.report(&format!("gave up at {place:?}"));
            }
            return match s.suspect {
                true => Outcome::Suspect,
                false if s.n_rows() > most_rows => Outcome::TooLarge,
                false => Outcome::GaveUp,
            };
        }
    }
    if std::env::var("OPTVERIFY_TRACE").is_ok() {
        s.report("closed");
    }
    Outcome::Closed(heads.into_iter().map(|n| (n, s.lemma(n))).collect())
}

/// The variables that the program compares with each other, and what flows into them.
fn related(task: &Task) -> BTreeSet<Var> {
    let pool = &task.program.pool;
    let state: BTreeSet<Var> = task.program.vars.iter().copied().collect();
    let mut out: BTreeSet<Var> = BTreeSet::new();
    let mut seen: FastSet<Term> = FastSet::default();
    let mut todo: Vec<Term> = task.cpg.graph.edge_weights().map(|e| e.guard).collect();
    while let Some(t) = todo.pop() {
        if !seen.insert(t) {
            continue;
        }
        if let Node::Binary(BinOp::Eq | BinOp::Ult | BinOp::Slt, ..) = pool.node(t) {
            let vars = pool.free_vars(&[t]);
            if vars.len() > 1 && vars.len() < 8 {
                out.extend(vars.into_iter().filter(|v| state.contains(v)));
            }
        }
        todo.extend(pool.children(t));
    }
    for _ in 0..3 {
        for e in task.cpg.graph.edge_weights() {
            for (v, t) in &e.updates {
                if !out.contains(v) {
                    continue;
                }
                for leaf in super::predicates::leaves(pool, *t) {
                    let vars = pool.free_vars(&[leaf]);
                    out.extend(vars.into_iter().filter(|v| state.contains(v)));
                }
            }
        }
    }
    out
}

/// Which variables are control: those that only ever get constants, and those that took few values.
fn table(task: &Task, s: &Samples, related: &BTreeSet<Var>, finite: &BTreeSet<Var>) -> Table {
    let mut control = vec![];
    let mut data: BTreeMap<u32, Vec<Var>> = BTreeMap::new();
    for (i, &v) in s.vars.iter().enumerate() {
        let seen: BTreeSet<u128> = s.rows.iter().map(|r| r[i]).collect();
        let few = seen.len() <= VALUES && s.rows.len() >= 40;
        match task.program.pool.var_info(v).sort {
            Sort::Bool => control.push(v),
            Sort::Bv(w) if w <= 1 || few || finite.contains(&v) => control.push(v),
            Sort::Bv(w) if related.contains(&v) => data.entry(w).or_default().push(v),
            _ => {}
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
    /// For us: the shape of the tables.
    fn report(&self, what: &str) {
        eprintln!("states: {what}");
        let name = |v: &Var| self.task.program.pool.var_info(*v).name.clone();
        for (n, t) in &self.tables {
            let control: Vec<String> = t.control.iter().map(name).collect();
            let data: Vec<String> = t
                .data
                .iter()
                .flat_map(|(_, vs)| vs.iter().map(name))
                .collect();
            eprintln!(
                "  {:?}: {} rows, control {control:?}, data {data:?}, {} left",
                self.task.cpg.graph[*n],
                t.rows.len(),
                self.todo.len()
            );
        }
    }

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
        let row = t.rows.entry(key.clone()).or_insert_with(|| {
            new = true;
            let kernels = t.data.iter().map(|(w, vars)| {
                let columns = vars.iter().map(|v| pool.var(*v)).collect();
                Kernel::everything(*w, columns)
            });
            Row {
                kernels: kernels.collect(),
                term: None,
            }
        });
        for (k, (_, vars)) in row.kernels.iter_mut().zip(&t.data) {
            let state: Vec<u128> = vars.iter().map(value).collect();
            new |= k.restrict(&state);
        }
        if new {
            row.term = None;
            t.term = None;
            let place = (n, key);
            if self.queued.insert(place.clone()) {
                self.todo.push_back(place);
            }
        }
        new
    }

    /// The relations of a row.
    fn relations(&mut self, place: &Place) -> Term {
        let pool = &mut self.task.program.pool;
        let Some(row) = self
            .tables
            .get_mut(&place.0)
            .and_then(|t| t.rows.get_mut(&place.1))
        else {
            return pool.bool(true);
        };
        if let Some(t) = row.term {
            return t;
        }
        let mut all = pool.bool(true);
        for k in &row.kernels {
            for e in k.plain().equations(pool) {
                all = pool.and(all, e);
            }
        }
        row.term = Some(all);
        all
    }

    /// The table of a head as a term; a head that nothing reached is `false`.
    fn lemma(&mut self, n: NodeIndex) -> Term {
        let Some(t) = self.tables.get(&n) else {
            return self.task.program.pool.bool(true);
        };
        if let Some(t) = t.term {
            return t;
        }
        let control = t.control.clone();
        let keys: Vec<Vec<u128>> = t.rows.keys().cloned().collect();
        let mut leaves: Vec<(Vec<u128>, Term)> = vec![];
        for key in keys {
            let place = (n, key);
            let all = self.relations(&place);
            leaves.push((place.1, all));
        }
        let term = diagram(self.task, &control, &leaves, 0);
        if let Some(t) = self.tables.get_mut(&n) {
            t.term = Some(term);
        }
        term
    }

    fn ask(&mut self, name: &'static str, query: &[Term]) -> Option<Option<Model>> {
        self.asked += 1;
        if self.asked.is_multiple_of(40) {
            self.solver = self.task.solver(&self.deadline);
        }
        match self
            .solver
            .check(&self.task.program.pool, name, query, self.query)
        {
            Answer::Unsat => Some(None),
            Answer::Sat(m) if m.exact => Some(Some(m)),
            _ => None,
        }
    }

    /// Looks at the steps of one row until all of them end in the tables.
    fn close(&mut self, place: &Place) -> Option<()> {
        let known: Vec<(Var, u128)> = match self.tables.get(&place.0) {
            Some(t) => t.control.iter().copied().zip(place.1.clone()).collect(),
            None => vec![],
        };
        let mut here = Subst::new();
        for &(v, c) in &known {
            let pool = &mut self.task.program.pool;
            let sort = pool.var_info(v).sort;
            let c = pool.constant(c, sort);
            here.bind(v, c);
        }
        self.solve(place, &mut here);
        let edges: Vec<EdgeIndex> = self.task.cpg.graph.edges(place.0).map(|e| e.id()).collect();
        for e in edges {
            let (_, to) = self.task.cpg.graph.edge_endpoints(e)?;
            let edge = self.task.cpg.graph[e].clone();
            let pool = &mut self.task.program.pool;
            let guard = here.apply(pool, edge.guard);
            if pool.is_false(guard) {
                continue;
            }
            if matches!(self.task.cpg.graph[to], CutPoint::Stop(_)) {
                let relations = self.relations(place);
                let relations = here.apply(&mut self.task.program.pool, relations);
                if self.ask("states-stop", &[relations, guard])?.is_some() {
                    self.suspect = true;
                    return None;
                }
                continue;
            }
            // What the step makes of every variable, in this row.
            let mut after: BTreeMap<Var, Term> = here.iter().collect();
            for (v, t) in &edge.updates {
                let t = here.apply(pool, *t);
                after.insert(*v, t);
            }
            let choices: Vec<Var> = edge
                .draws
                .iter()
                .map(|d| d.var)
                .filter(|v| self.task.program.pool.var_info(*v).sort == Sort::Bool)
                .collect();
            self.steps(place, to, &mut here, guard, after, &choices, CHOICES)?;
        }
        Some(())
    }

    /// Relations of a row that give a variable: most steps are then decided without the solver.
    fn solve(&mut self, place: &Place, here: &mut Subst) {
        let relations = self.relations(place);
        let pool = &mut self.task.program.pool;
        for (v, t) in vc::offsets(pool, &[relations]) {
            if here.get(v).is_none() {
                let t = here.apply(pool, t);
                here.bind(v, t);
            }
        }
    }

    /// The relations that must hold after a step, if it ends in one row: no need to look at all of them.
    fn inside(&mut self, to: NodeIndex, step: &mut Subst) -> Term {
        let row = self.tables.get(&to).and_then(|t| {
            let value = |v: &Var| {
                step.get(*v)
                    .and_then(|t| self.task.program.pool.as_const(t))
            };
            t.control.iter().map(value).collect::<Option<Vec<u128>>>()
        });
        let Some(key) = row else {
            let all = self.lemma(to);
            return step.apply(&mut self.task.program.pool, all);
        };
        let is_known = self
            .tables
            .get(&to)
            .is_some_and(|t| t.rows.contains_key(&key));
        if !is_known {
            return self.task.program.pool.bool(false);
        }
        let relations = self.relations(&(to, key));
        step.apply(&mut self.task.program.pool, relations)
    }

    /// The steps of one row over one edge. Choices are made one by one, as long as they are few: each leaves
    /// constants behind, and most steps are then looked up without the solver.
    #[allow(clippy::too_many_arguments)]
    fn steps(
        &mut self,
        place: &Place,
        to: NodeIndex,
        here: &mut Subst,
        guard: Term,
        after: BTreeMap<Var, Term>,
        choices: &[Var],
        depth: u32,
    ) -> Option<()> {
        if self.deadline.passed() {
            return None;
        }
        if depth > 0 {
            let mut roots: Vec<Term> = after.values().copied().collect();
            roots.push(guard);
            roots.retain(|t| !self.task.program.pool.sort(*t).is_array());
            let free = self.task.program.pool.free_vars(&roots);
            if let Some(&choice) = choices.iter().find(|c| free.binary_search(c).is_ok()) {
                for value in [false, true] {
                    let pool = &mut self.task.program.pool;
                    let value = pool.bool(value);
                    let mut s = Subst::new();
                    s.bind(choice, value);
                    let guard = s.apply(pool, guard);
                    if pool.is_false(guard) {
                        continue;
                    }
                    let after = after.iter().map(|(v, t)| (*v, s.apply(pool, *t))).collect();
                    self.steps(place, to, here, guard, after, choices, depth - 1)?;
                }
                return Some(());
            }
        }
        let mut step = Subst::new();
        for (v, t) in after {
            step.bind(v, t);
        }
        loop {
            if self.deadline.passed() || self.n_rows() > self.most_rows {
                return None;
            }
            let inside = self.inside(to, &mut step);
            let pool = &mut self.task.program.pool;
            let leaves = pool.not(inside);
            if pool.is_false(leaves) {
                return Some(());
            }
            let relations = self.relations(place);
            let relations = here.apply(&mut self.task.program.pool, relations);
            match self.ask("states", &[relations, guard, leaves])? {
                None => return Some(()),
                Some(m) => self.step(to, &step, &m)?,
            }
        }
    }

    fn n_rows(&self) -> usize {
        self.tables.values().map(|t| t.rows.len()).sum()
    }

    /// Adds the state after the model's step, and what concrete runs find from there.
    fn step(&mut self, to: NodeIndex, after: &Subst, m: &Model) -> Option<()> {
        let mut state: BTreeMap<Var, Value> = BTreeMap::new();
        for &v in &self.task.program.vars.clone() {
            let pool = &mut self.task.program.pool;
            let own = pool.var(v);
            let t = after.get(v).unwrap_or(own);
            state.insert(v, pool.eval(t, m));
        }
        let value = |v: &Var| match state.get(v) {
            Some(Value::Bits(b)) => *b,
            _ => 0,
        };
        if !self.add(to, &value) {
            return None; // The model is no step out of the table: something is not understood.
        }
        let CutPoint::Head(block) = self.task.cpg.graph[to] else {
            return None;
        };
        self.seed += 1;
        let state: Vec<(Var, Value)> = state.into_iter().collect();
        let found = concrete::from(self.task, &self.machine, block, &state, self.seed, 6);
        for (n, s) in found {
            self.add_samples(n, &s);
        }
        Some(())
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
