//! Engines that find a proof or a counterexample, and the words they answer in.
//!
//! An engine gets a `Task` (the program, its cut-point graph, and the graph sliced to what matters for the stops)
//! and answers with a `Verdict`. Nobody outside believes an engine: `certify` re-checks every proof in a fresh
//! solver and runs every counterexample in the interpreter before a verdict leaves this room.

pub mod accelerate;
pub mod affine;
pub mod automata;
pub mod bmc;
pub mod candidates;
pub mod certify;
pub mod choose;
pub mod concrete;
pub mod context;
mod distance;
pub mod domains;
pub mod exhaust;
mod explore;
mod growth;
pub mod houdini;
mod inherit;
pub mod interest;
pub mod kinduction;
mod modes;
mod patience;
pub mod pdr;
mod planted;
pub mod portfolio;
pub mod predicates;
pub mod ranges;
mod remember;
pub mod scalars;
mod shares;
pub mod slice;
mod small_domains;
pub mod states;
mod trace;
pub mod vc;

pub use crate::smt::{Budget, Deadline};
pub use trace::{Step, Trace};

use crate::program::cpg::{Cpg, CutPoint};
use crate::program::{Program, SourceSpan};
use crate::term::{Pool, Subst, Term, Value, Var};
use std::collections::BTreeMap;

/// A fact at a cut-point: `body` holds for all values of `bound` (usually none are bound).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lemma {
    pub bound: Vec<Var>,
    pub body: Term,
}

impl Lemma {
    pub fn plain(body: Term) -> Lemma {
        Lemma {
            bound: vec![],
            body,
        }
    }

    /// The lemma as a goal: the bound variables are replaced by fresh ones, which stand for any value.
    pub fn skolemized(&self, pool: &mut Pool) -> (Term, Vec<Term>) {
        let mut s = Subst::new();
        let mut witnesses = vec![];
        for &v in &self.bound {
            let info = pool.var_info(v).clone();
            let fresh = pool.fresh(info.name, info.sort);
            let t = pool.var(fresh);
            s.bind(v, t);
            witnesses.push(t);
        }
        (s.apply(pool, self.body), witnesses)
    }

    /// The lemma as a hypothesis, at one tuple of terms.
    pub fn instance(&self, pool: &mut Pool, at: &[Term]) -> Term {
        let mut s = Subst::new();
        for (&v, &t) in self.bound.iter().zip(at) {
            s.bind(v, t);
        }
        s.apply(pool, self.body)
    }
}

/// Lemmas for each cut-point; a cut-point without an entry has `true`.
pub type Lemmas = BTreeMap<CutPoint, Vec<Lemma>>;

/// Why a program is safe.
#[derive(Clone, Debug)]
pub enum Proof {
    /// The lemmas hold initially, are kept by every edge and exclude every stop.
    Inductive { lemmas: Lemmas },
    /// Every run is finite: the whole unrolling was explored. `obligations` are the terms that had to be
    /// unsatisfiable (error conditions and unwinding assertions that did not fold to false by themselves).
    Unrolled {
        obligations: Vec<Term>,
        steps: usize,
    },
}

/// A run to a violation.
#[derive(Clone, Debug, PartialEq)]
pub struct Counterexample {
    pub inputs: Vec<(Var, Value)>,
    /// The values of `any()`, in the order of execution.
    pub draws: Vec<Value>,
    /// Index into `Program::stops`.
    pub stop: usize,
    /// Was it run to its stop step by step? False: too long to run; the exact accelerator jumped, and samples
    /// of the jumps were checked.
    pub executed: bool,
    /// Blocks executed; of a run that was jumped over, at least so many.
    pub steps: u64,
}

/// Why there is no verdict. Every reason tells what a person can do about it.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// No engine was strong enough within the time.
    Inconclusive {
        tried: Vec<&'static str>,
    },
    Timeout {
        millis: u64,
    },
    /// A construct outside the model may be reached.
    Unsupported {
        what: String,
        span: Option<SourceSpan>,
    },
    /// The only runs to a violation found depend on values that the model approximates.
    Approximate {
        what: String,
    },
    /// The solver broke.
    Solver(String),
    /// An engine claimed what could not be confirmed: a bug of ours, never a verdict.
    NotCertified {
        engine: &'static str,
        what: String,
    },
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Reason::Inconclusive { tried } => write!(
                f,
                "no engine could decide it (tried {}); a stronger assertion inside the loop or a larger --timeout may help",
                tried.join(", ")
            ),
            Reason::Timeout { millis } => {
                write!(f, "not decided within {millis} ms; try a larger --timeout")
            }
            Reason::Unsupported { what, .. } => write!(f, "not supported: {what}"),
            Reason::Approximate { what } => write!(f, "depends on an approximated value: {what}"),
            Reason::Solver(what) => write!(f, "the solver failed: {what}"),
            Reason::NotCertified { engine, what } => {
                write!(
                    f,
                    "internal: the answer of {engine} was not confirmed: {what}"
                )
            }
        }
    }
}

#[derive(Clone, Debug)]
pub enum Verdict {
    Safe(Proof),
    Unsafe(Counterexample),
    Unknown(Reason),
}

impl Verdict {
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Safe(_) => "safe",
            Verdict::Unsafe(_) => "unsafe",
            Verdict::Unknown(_) => "unknown",
        }
    }
}

/// What an engine works on. All terms live in the program's pool.
#[derive(Clone)]
pub struct Task {
    pub program: Program,
    /// The whole graph: proofs and counterexamples are about this one.
    pub full: Cpg,
    /// The graph without what cannot influence a stop: same nodes, same guards, fewer updates, no exit.
    pub cpg: Cpg,
    /// Facts at heads that slicing established and used, part of every inductive proof.
    pub facts: Lemmas,
    /// Makes the conditions by which proofs are certified.
    pub vcgen: crate::vc::Generator,
}

impl Task {
    /// Does any way lead to a stop, as far as slicing can tell?
    pub fn has_stops(&self) -> bool {
        let graph = &self.cpg.graph;
        let ends = graph.edge_indices().filter_map(|e| graph.edge_endpoints(e));
        ends.into_iter()
            .any(|(_, to)| matches!(graph[to], CutPoint::Stop(_)))
    }

    /// The solver that suits questions about edges: one with functions if arrays are read at variable places.
    pub fn solver(&self, deadline: &Deadline) -> crate::smt::Solver {
        let mut roots = vec![];
        for e in self.cpg.graph.edge_weights() {
            roots.push(e.guard);
            roots.extend(e.updates.values());
        }
        let pool = &self.program.pool;
        let symbolic = |i: &Term| pool.as_const(*i).is_none();
        if vc::indices(pool, &roots).iter().any(symbolic) {
            crate::smt::Solver::with_functions(deadline)
        } else {
            crate::smt::Solver::new(deadline)
        }
    }
}

/// The reason that a stop outside the model gives.
fn unsupported(task: &Task, stop: usize) -> Reason {
    let stop = &task.program.stops[stop];
    let what = match &stop.kind {
        crate::program::StopKind::Unsupported(what)
        | crate::program::StopKind::Panic(what)
        | crate::program::StopKind::Undefined(what) => what.clone(),
    };
    Reason::Unsupported {
        what,
        span: stop.span.clone(),
    }
}

#[cfg(test)]
pub(crate) mod tests;
#[cfg(test)]
mod tests_lookahead;
