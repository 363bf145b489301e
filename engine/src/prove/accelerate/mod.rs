//! Exact acceleration of loops over machine integers, and the proofs and counterexamples it gives.
//!
//! Rooms, in the order of the data: `path` (ways around a loop) -> `recurrence`, `array`, `guard` (n iterations of
//! one way in closed form) -> `accelerator` -> `graph` (accelerators as edges, inner loops completed, forbidden
//! words) -> `unroll` (bounded model checking in product with the trace automaton) -> `concretise`, `jump`
//! (counterexamples) and `certificate`. `candidates` makes lemmas from closed forms for the inductive engines.
//!
//! Lineage: Kroening, Lewis, Weissenbacher, "Proving Safety with Trace Automata and Bounded Model Checking". What is
//! changed: everything is exact modulo 2^w, so that the paper's overflow split of paths disappears (see `guard`).
//! Never: a violation through an over-approximating accelerator, or safety without the whole tree explored.

mod accelerator;
mod array;
mod candidates;
mod certificate;
mod concretise;
mod graph;
mod guard;
pub mod jump;
mod linear;
mod path;
mod recurrence;
mod unroll;

#[cfg(test)]
mod examples;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_random;
#[cfg(test)]
mod tests_run;

pub use accelerator::{Accelerator, Exit, Precision, Refusal, accelerate};
pub use candidates::candidates;
pub use graph::{Accelerated, Choice, build};
pub use path::{Oracle, Path, Syntactic, live, restrict, split};

use super::{Counterexample, Reason, Task};
use crate::smt::{Answer, Budget, Deadline, Solver};
use crate::term::{Pool, Term};
use std::time::{Duration, Instant};

/// What takes part: the rows of the paper's Table 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub acceleration: bool,
    pub trace_automata: bool,
    pub max_depth: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            acceleration: true,
            trace_automata: true,
            max_depth: 64,
        }
    }
}

/// What the engine found, before anyone certified it.
#[derive(Clone, Debug)]
pub enum Decision {
    /// Every run is covered by the explored tree; the terms that had to be unsatisfiable.
    Safe {
        obligations: Vec<Vec<Term>>,
    },
    Unsafe(Counterexample),
    Unknown(Reason),
}

/// The decision with its cost, for tables.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub decision: Decision,
    /// Steps of the deepest run explored.
    pub depth: usize,
    pub n_accelerators: usize,
    pub n_automaton_states: usize,
    /// Of the time, what finding accelerators and making the automaton took.
    pub building: Duration,
    /// Why the search ended without a decision, for people who improve it.
    pub stuck: String,
}

/// Asks the solver, with a small budget.
pub struct Asking {
    solver: Solver,
    budget: Budget,
}

impl Asking {
    pub fn new(deadline: &Deadline, budget: Budget) -> Asking {
        Asking {
            solver: Solver::new(deadline),
            budget,
        }
    }
}

impl Oracle for Asking {
    fn valid(&mut self, pool: &mut Pool, condition: Term) -> bool {
        if pool.is_true(condition) {
            return true;
        }
        if pool.is_false(condition) {
            return false;
        }
        let n = pool.not(condition);
        matches!(
            self.solver
                .check(pool, "accelerate-guard", &[n], self.budget),
            Answer::Unsat
        )
    }
}

/// Proves or refutes by bounded model checking of the accelerated program.
pub fn run(task: &mut Task, options: Options, deadline: &Deadline) -> Outcome {
    let cpg = task.cpg.clone();
    let mut outcome = None;
    let mut has_over = true;
    let mut building = Duration::ZERO;
    // Searching for counts gives the cheaper certificate, counting by formula the easier queries (products of a
    // count and a variable): first one, then the other. Over-approximating accelerators prove but never refute:
    // where there are any, the search is made without them, too.
    for (over, completing) in [(true, false), (false, true), (true, true)] {
        if outcome.is_some() && !over && !has_over {
            continue;
        }
        if outcome.is_some() && !options.trace_automata {
            break;
        }
        let choice = Choice {
            acceleration: options.acceleration,
            trace_automata: options.trace_automata,
            over,
            completing,
        };
        let share = deadline.within_millis(deadline.left_millis() / if completing { 1 } else { 2 });
        let start = Instant::now();
        let mut oracle = Asking::new(&share, Budget::steady(50));
        let graph = build(&mut task.program.pool, &mut oracle, &cpg, choice);
        has_over = graph.has_over();
        building += start.elapsed();
        let mut out = explore(task, &graph, options, &share);
        out.n_accelerators = graph.accelerators.len() + graph.completed.len();
        out.n_automaton_states = graph.dfa.n_states();
        out.building = building;
        let open = matches!(out.decision, Decision::Unknown(Reason::Inconclusive { .. }));
        let hopeless = graph.accelerators.is_empty() && !has_over;
        if !open || hopeless || deadline.passed() {
            return out;
        }
        outcome = Some(out);
    }
    outcome.unwrap_or(Outcome {
        decision: Decision::Unknown(Reason::Inconclusive {
            tried: vec!["accelerate"],
        }),
        depth: 0,
        n_accelerators: 0,
        n_automaton_states: 0,
        building: Duration::ZERO,
        stuck: String::new(),
    })
}

fn explore(task: &mut Task, graph: &Accelerated, options: Options, deadline: &Deadline) -> Outcome {
    let limits = unroll::Limits {
        max_depth: options.max_depth,
        max_items: 4000,
        query: Budget::steady(2000),
    };
    let entry = task.cpg.entry;
    let mut program = task.program.clone();
    let mut found = None;
    let explored = unroll::explore(
        &mut program,
        graph,
        entry,
        deadline,
        &limits,
        &mut |program, hit| {
            task.program.pool = program.pool.clone();
            found = concretise::concretise(task, graph, hit, deadline).ok();
            found.is_some()
        },
    );
    task.program.pool = program.pool;
    let inconclusive = Reason::Inconclusive {
        tried: vec!["accelerate"],
    };
    let mut stuck = String::new();
    let (decision, depth) = match explored {
        unroll::Explored::All {
            mut obligations,
            depth,
        } => match certificate(task, graph, deadline) {
            Some(more) => {
                obligations.extend(more.into_iter().map(|t| vec![t]));
                (Decision::Safe { obligations }, depth)
            }
            None => {
                stuck = "an accelerator was not confirmed".to_string();
                (Decision::Unknown(inconclusive), depth)
            }
        },
        unroll::Explored::Hit(depth) => match found {
            Some(cex) => (Decision::Unsafe(cex), depth),
            None => (Decision::Unknown(inconclusive), depth),
        },
        unroll::Explored::Unsupported(stop, depth) => {
            (Decision::Unknown(super::unsupported(task, stop)), depth)
        }
        unroll::Explored::Approximate(what, depth) => {
            (Decision::Unknown(Reason::Approximate { what }), depth)
        }
        unroll::Explored::Stuck(why, depth) => {
            stuck = why;
            (Decision::Unknown(inconclusive), depth)
        }
    };
    Outcome {
        decision,
        depth,
        n_accelerators: 0,
        n_automaton_states: 0,
        building: Duration::ZERO,
        stuck,
    }
}

/// The inductions behind the accelerators, asked once here: a proof whose accelerators the solver cannot confirm is
/// not given out.
fn certificate(task: &mut Task, graph: &Accelerated, deadline: &Deadline) -> Option<Vec<Term>> {
    let pool = &mut task.program.pool;
    let terms = certificate::obligations(pool, graph);
    let mut solver = Solver::new(deadline);
    let confirmed = terms.iter().all(|&t| {
        let answer = solver.check(pool, "accelerate-induction", &[t], Budget::steady(3000));
        matches!(answer, Answer::Unsat)
    });
    confirmed.then_some(terms)
}
