//! Solves the conditions of a fragment: one solver for all of them, each a named query with its own budget.

use super::{Condition, Fragment, Generator, shared, written};
use crate::smt::{Answer, Budget, Deadline, absorb_stats, take_stats};
use crate::term::Pool;
use std::time::{Duration, Instant};

#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// No run violates an assertion.
    Valid,
    /// Some run does.
    Invalid,
    /// Not answered, and why.
    Unknown(String),
}

/// An outcome with its price.
#[derive(Clone, Debug)]
pub struct Report {
    pub outcome: Outcome,
    pub conditions: usize,
    /// Nodes, written out.
    pub written: u64,
    /// Nodes, equal ones once.
    pub shared: u64,
    pub generating: Duration,
    pub solving: Duration,
    /// The solver's own count of its work.
    pub resources: u64,
}

/// Generates and solves.
pub fn check(
    pool: &mut Pool,
    fragment: &Fragment,
    generator: Generator,
    budget: Budget,
    deadline: &Deadline,
) -> Report {
    let start = Instant::now();
    let conditions = generator.conditions(pool, fragment);
    let generating = start.elapsed();
    let (written, shared) = (written(pool, &conditions), shared(pool, &conditions));
    let earlier = take_stats();
    let start = Instant::now();
    let outcome = solve(pool, fragment, &conditions, budget, deadline);
    let solving = start.elapsed();
    let spent = take_stats();
    let resources = spent.values().map(|q| q.resources).sum();
    absorb_stats(&earlier);
    absorb_stats(&spent);
    Report {
        outcome,
        conditions: conditions.len(),
        written,
        shared,
        generating,
        solving,
        resources,
    }
}

/// Are all conditions valid? Ends at the first that is not.
pub fn solve(
    pool: &mut Pool,
    fragment: &Fragment,
    conditions: &[Condition],
    budget: Budget,
    deadline: &Deadline,
) -> Outcome {
    let mut solver = fragment.solver(pool, deadline);
    let mut missing = None;
    for c in conditions {
        let violated = pool.not(c.goal);
        match solver.check(pool, "vc", &[c.context, violated], budget) {
            Answer::Unsat => {}
            Answer::Sat(_) => return Outcome::Invalid,
            Answer::Unknown(why) => missing = Some(why.to_string()),
            Answer::Failed(why) => missing = Some(why),
        }
    }
    missing.map_or(Outcome::Valid, Outcome::Unknown)
}
