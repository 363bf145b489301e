//! Bounded model checking by symbolic execution of the cut-point graph, with states merged at cut-points.
//!
//! Lineage: Clarke/Kroening/Lerda (CBMC) for unwinding assertions; merging in weak topological order as in
//! Bourdoncle's iteration strategy, so that inner loops are finished before outer ones continue and a path is never
//! explored twice. Composition is substitution, and substitution folds: loops with concrete bounds execute outright
//! and need no solver. What is changed: an iteration counts against the bound only if its path condition changed,
//! so deterministic loops may run for thousands of rounds. Not claimed: completeness for unbounded loops.

use super::small_domains::{Cases, by_cases};
use super::trace::{self, Step, Trace};
use super::{Counterexample, Proof, Reason, Task};
use crate::program::cpg::CutPoint;
use crate::program::wto::WtoElem;
use crate::smt::{Answer, Budget, Deadline, Model, Solver};
use crate::term::{FastMap, Subst, Term, Value, Var};
use petgraph::graph::NodeIndex;
use petgraph::visit::EdgeRef;
use std::collections::{BTreeMap, BTreeSet};

/// How far to go.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Symbolic iterations of a loop in one activation.
    pub unwind: usize,
    /// Edges composed in all.
    pub steps: usize,
    /// Terms made in all.
    pub terms: usize,
    pub query: Budget,
}

pub enum Outcome {
    Safe(Proof),
    Unsafe(Counterexample),
    /// Nothing found within the bounds; true if every run longer than the bounds was cut off by `unwind` alone.
    Exhausted {
        deepen: bool,
    },
    Unknown(Reason),
}

/// A state on arrival at a node: under which condition, and with which values.
#[derive(Clone)]
struct Arrival {
    from: Option<(usize, NodeIndex)>,
    condition: Term,
    values: BTreeMap<Var, Term>,
}

/// A node at some depth.
struct Visit {
    node: NodeIndex,
    condition: Term,
    renamed: Vec<(Var, Var)>,
    /// Guards of the edges in terms of the initial state, with the visit that they lead to.
    leads: Vec<(Term, NodeIndex, Option<usize>)>,
}

struct Explorer<'a> {
    task: &'a mut Task,
    solver: Solver,
    bounds: Bounds,
    deadline: &'a Deadline,
    order: BTreeMap<NodeIndex, Vec<usize>>,
    visits: Vec<Visit>,
    pending: BTreeMap<NodeIndex, Vec<Arrival>>,
    /// Error conditions not yet asked about, with the visit they leave from.
    errors: Vec<Term>,
    unsupported: Vec<(Term, usize)>,
    obligations: Vec<Term>,
    /// Per head: symbolic iterations in this activation, and the condition of the last visit.
    rounds: BTreeMap<NodeIndex, (usize, Term)>,
    models: Vec<(Model, FastMap<Term, Value>)>,
    cut: bool,
    uncertain: Option<Reason>,
}

/// What a question may cost before its cases are asked about.
const GLANCE: Budget = Budget {
    millis: 60,
    rlimit: 400_000,
};

pub fn bmc(task: &mut Task, bounds: Bounds, deadline: &Deadline) -> Outcome {
    let mut order = BTreeMap::new();
    let mut path = vec![];
    positions(task, &task.cpg.wto.elems, &mut path, &mut order);
    order.insert(task.cpg.entry, vec![]);
    let always = task.program.pool.bool(true);
    let entry = task.cpg.entry;
    let mut x = Explorer {
        solver: Solver::new(deadline),
        task,
        bounds,
        deadline,
        order,
        visits: vec![],
        pending: BTreeMap::from([(
            entry,
            vec![Arrival {
                from: None,
                condition: always,
                values: BTreeMap::new(),
            }],
        )]),
        errors: vec![],
        unsupported: vec![],
        obligations: vec![],
        rounds: BTreeMap::new(),
        models: vec![],
        cut: false,
        uncertain: None,
    };
    x.explore()
}

/// Where a head stands in the iteration: inside its component everything else comes before the head's next round.
fn positions(
    task: &Task,
    elems: &[WtoElem],
    path: &mut Vec<usize>,
    out: &mut BTreeMap<NodeIndex, Vec<usize>>,
) {
    for (i, e) in elems.iter().enumerate() {
        if let WtoElem::Component(h, inner) = e {
            path.push(i);
            if let Some(n) = task.cpg.node(CutPoint::Head(*h)) {
                let mut key = path.clone();
                key.push(usize::MAX);
                out.insert(n, key);
            }
            positions(task, inner, path, out);
            path.pop();
        }
    }
}

impl Explorer<'_> {
    fn explore(&mut self) -> Outcome {
        let mut steps = 0;
        let first_term = self.task.program.pool.len();
        loop {
            let next = self
                .pending
                .keys()
                .min_by_key(|n| self.order.get(n).cloned().unwrap_or_default())
                .copied();
            let Some(node) = next else { break };
            let arrivals = self.pending.remove(&node).unwrap_or_default();
            steps += 1;
            if steps > self.bounds.steps
                || self.task.program.pool.len() - first_term > self.bounds.terms
                || (steps % 16 == 0 && self.deadline.passed())
            {
                if let Some(out) = self.ask_errors() {
                    return out;
                }
                return Outcome::Exhausted { deepen: false };
            }
            self.visit(node, arrivals);
            if self.errors.len() >= 8
                && let Some(out) = self.ask_errors()
            {
                return out;
            }
        }
        if let Some(out) = self.ask_errors() {
            return out;
        }
        for (t, stop) in std::mem::take(&mut self.unsupported) {
            match self.ask("bmc-unsupported", t) {
                Answer::Unsat => {}
                Answer::Sat(_) => return Outcome::Unknown(super::unsupported(self.task, stop)),
                Answer::Unknown(_) => return Outcome::Exhausted { deepen: false },
                Answer::Failed(e) => return Outcome::Unknown(Reason::Solver(e)),
            }
        }
        if let Some(r) = self.uncertain.take() {
            return Outcome::Unknown(r);
        }
        if self.cut {
            return Outcome::Exhausted { deepen: true };
        }
        Outcome::Safe(Proof::Unrolled {
            obligations: std::mem::take(&mut self.obligations),
            steps,
        })
    }

    fn visit(&mut self, node: NodeIndex, arrivals: Vec<Arrival>) {
        let me = self.visits.len();
        let outside = self.enters_from_outside(node, &arrivals);
        let origins: Vec<(usize, Term)> = arrivals
            .iter()
            .filter_map(|a| Some((a.from?.0, a.condition)))
            .collect();
        let (condition, values) = self.merge(arrivals);
        if !self.worth_visiting(node, condition, outside) {
            return;
        }
        for (from, condition) in origins {
            for (g, to, visit) in &mut self.visits[from].leads {
                // Each edge of a visit arrives once; its guard is the arrival's condition.
                if *to == node && *g == condition {
                    *visit = Some(me);
                }
            }
        }
        let mut s = Subst::new();
        for (v, t) in &values {
            s.bind(*v, *t);
        }
        let edges: Vec<_> = self.task.cpg.graph.edges(node).map(|e| e.id()).collect();
        let renamed = self.rename_draws(&edges, &mut s);
        let mut leads = vec![];
        for e in edges {
            let Some((_, to)) = self.task.cpg.graph.edge_endpoints(e) else {
                continue;
            };
            let edge = self.task.cpg.graph[e].clone();
            let pool = &mut self.task.program.pool;
            let guard = s.apply(pool, edge.guard);
            let taken = pool.and(condition, guard);
            if pool.is_false(taken) {
                continue;
            }
            leads.push((taken, to, None));
            if let CutPoint::Stop(stop) = self.task.cpg.graph[to] {
                if self.task.program.stops[stop].is_violation() {
                    self.errors.push(taken);
                } else {
                    self.unsupported.push((taken, stop));
                }
                continue;
            }
            let mut new = values.clone();
            for (v, t) in &edge.updates {
                let t = s.apply(&mut self.task.program.pool, *t);
                new.insert(*v, t);
            }
            self.pending.entry(to).or_default().push(Arrival {
                from: Some((me, node)),
                condition: taken,
                values: new,
            });
        }
        self.visits.push(Visit {
            node,
            condition,
            renamed,
            leads,
        });
    }

    /// Draws are new at every visit: no two steps share a choice.
    fn rename_draws(
        &mut self,
        edges: &[petgraph::graph::EdgeIndex],
        s: &mut Subst,
    ) -> Vec<(Var, Var)> {
        let mut seen = BTreeSet::new();
        let mut renamed = vec![];
        for &e in edges {
            for d in self.task.cpg.graph[e].draws.clone() {
                if seen.insert(d.var) {
                    let pool = &mut self.task.program.pool;
                    let info = pool.var_info(d.var).clone();
                    let fresh = pool.fresh(info.name, info.sort);
                    let t = pool.var(fresh);
                    s.bind(d.var, t);
                    renamed.push((d.var, fresh));
                }
            }
        }
        renamed
    }

    /// Does an arrival come from outside the loop of this head?
    fn enters_from_outside(&self, node: NodeIndex, arrivals: &[Arrival]) -> bool {
        let Some(mine) = self.order.get(&node) else {
            return true;
        };
        let component = &mine[..mine.len().saturating_sub(1)];
        arrivals.iter().any(|a| match a.from {
            None => true,
            Some((_, from)) => !self
                .order
                .get(&from)
                .is_some_and(|o| o.starts_with(component) && !component.is_empty()),
        })
    }

    /// Counts symbolic rounds and asks the solver whether there is a run that gets here at all.
    fn worth_visiting(&mut self, node: NodeIndex, condition: Term, outside: bool) -> bool {
        let pool = &self.task.program.pool;
        if pool.is_false(condition) {
            return false;
        }
        let last = self.rounds.get(&node).copied();
        let rounds = match last {
            Some((n, c)) if !outside => n + usize::from(c != condition),
            _ => 0,
        };
        let changed = last.is_none_or(|(_, c)| c != condition);
        self.rounds.insert(node, (rounds, condition));
        if !changed || pool.is_true(condition) {
            return true;
        }
        let known = self
            .models
            .iter_mut()
            .any(|(m, memo)| pool.eval_memo(condition, m, memo).bits() != 0);
        if !known {
            match self.ask("bmc-unwind", condition) {
                Answer::Unsat => return false,
                Answer::Sat(m) => {
                    self.models.push((m, FastMap::default()));
                    if self.models.len() > 4 {
                        self.models.remove(0);
                    }
                }
                Answer::Failed(e) => self.uncertain = Some(Reason::Solver(e)),
                Answer::Unknown(_) => {}
            }
        }
        if rounds > self.bounds.unwind {
            self.cut = true;
            return false;
        }
        true
    }

    fn merge(&mut self, mut arrivals: Vec<Arrival>) -> (Term, BTreeMap<Var, Term>) {
        let pool = &mut self.task.program.pool;
        let Some(first) = arrivals.pop() else {
            return (pool.bool(false), BTreeMap::new());
        };
        let (mut condition, mut values) = (first.condition, first.values);
        while let Some(a) = arrivals.pop() {
            let vars: BTreeSet<Var> = values.keys().chain(a.values.keys()).copied().collect();
            for v in vars {
                let own = pool.var(v);
                let x = a.values.get(&v).copied().unwrap_or(own);
                let y = values.get(&v).copied().unwrap_or(own);
                let t = pool.ite(a.condition, x, y);
                values.insert(v, t);
            }
            condition = pool.or(a.condition, condition);
        }
        (condition, values)
    }

    /// Is one of the collected error conditions satisfiable?
    fn ask_errors(&mut self) -> Option<Outcome> {
        let errors = std::mem::take(&mut self.errors);
        if errors.is_empty() {
            return None;
        }
        let any = self.task.program.pool.or_all(&errors);
        match self.ask("bmc-error", any) {
            Answer::Unsat => None,
            Answer::Sat(m) => {
                let trace = self.trace(&m);
                Some(match trace::play(self.task, &trace) {
                    Ok(cex) => Outcome::Unsafe(cex),
                    Err(what) => Outcome::Unknown(match what.strip_prefix("approximate: ") {
                        Some(what) => Reason::Approximate {
                            what: what.to_string(),
                        },
                        None if !m.exact => Reason::Approximate {
                            what: "arithmetic on floats that are not constant".to_string(),
                        },
                        None => Reason::NotCertified {
                            engine: "bmc",
                            what,
                        },
                    }),
                })
            }
            Answer::Unknown(_) => {
                self.uncertain = Some(Reason::Inconclusive { tried: vec!["bmc"] });
                None
            }
            Answer::Failed(e) => Some(Outcome::Unknown(Reason::Solver(e))),
        }
    }

    /// Asks the solver, at once and then case by case. What cannot be is an obligation of the proof.
    fn ask(&mut self, name: &'static str, question: Term) -> Answer {
        let pool = &mut self.task.program.pool;
        let whole = self.bounds.query;
        let glance = Budget {
            millis: whole.millis.min(GLANCE.millis),
            rlimit: whole.rlimit.min(GLANCE.rlimit),
        };
        let mut answer = self.solver.check(pool, name, &[question], glance);
        if let Answer::Unknown(_) = answer {
            match by_cases(pool, question, glance, self.deadline) {
                Cases::None(cases) => {
                    self.obligations.extend(cases);
                    return Answer::Unsat;
                }
                Cases::Some(m) => return Answer::Sat(m),
                Cases::Undecided => answer = self.solver.check(pool, name, &[question], whole),
            }
        }
        if let Answer::Unsat = answer {
            self.obligations.push(question);
        }
        answer
    }

    /// The run of a model: at each visit the one edge whose guard is true.
    fn trace(&self, m: &Model) -> Trace {
        let pool = &self.task.program.pool;
        let mut memo = FastMap::default();
        let mut out = Trace {
            initial: m.values.clone(),
            steps: vec![],
        };
        let mut at = Some(0);
        while let Some(v) = at {
            let Some(visit) = self.visits.get(v) else {
                break;
            };
            debug_assert!(pool.eval_memo(visit.condition, m, &mut memo).bits() != 0);
            let mut step = Step::default();
            for (draw, renamed) in &visit.renamed {
                let sort = pool.var_info(*renamed).sort;
                let value = m
                    .values
                    .get(renamed)
                    .cloned()
                    .unwrap_or_else(|| Value::zero(sort));
                step.draws.insert(*draw, value);
            }
            out.steps.push(step);
            let lead = visit
                .leads
                .iter()
                .find(|(g, _, _)| pool.eval_memo(*g, m, &mut memo).bits() != 0);
            at = lead.and_then(|(_, _, to)| *to);
            let _ = visit.node;
        }
        out
    }
}
