//! A proof by unrolling has no lemmas that could travel; what travels is its bound.
//!
//! "Every run ends within this many steps, and none of them in a stop" is tried on the program after the pass as it
//! was found before it: one engine, one depth, no search. The obligations are made anew from the new program and
//! certified. If the depth does not suffice there, the program has to be proven from scratch.

use super::{Adapted, Proven};
use crate::prove::bmc::{self, Bounds};
use crate::prove::{Budget, Deadline, Proof, Task, Verdict, accelerate, certify, exhaust};
use crate::report::How;

/// The bound of an unrolled proof.
#[derive(Clone, Debug)]
pub struct Unrolled {
    /// The engine that found it.
    pub engine: &'static str,
    /// Its depth, in that engine's own measure.
    pub steps: usize,
    /// What it took.
    pub millis: u64,
}

/// Proves the program within the carried bound, in a time that is not worth a search.
pub fn replay(before: &Unrolled, mut task: Task, deadline: &Deadline) -> Option<Adapted> {
    let start = std::time::Instant::now();
    let within = deadline.within_millis(before.millis.saturating_mul(2).clamp(1000, 8000));
    let proof = within_bound(before, &mut task, &within)?;
    let verdict = certify::certify(&task, before.engine, Verdict::Safe(proof), deadline);
    match verdict {
        Verdict::Safe(Proof::Unrolled { steps, .. }) => Some(Adapted {
            how: How::Adapted,
            proof: Proven::Unrolled(Unrolled {
                engine: before.engine,
                steps: steps.max(before.steps),
                millis: start.elapsed().as_millis() as u64,
            }),
        }),
        _ => None,
    }
}

fn within_bound(before: &Unrolled, task: &mut Task, deadline: &Deadline) -> Option<Proof> {
    if before.engine == exhaust::NAME {
        // It looks only at how long the runs take that it has made.
        let patience = before.millis.saturating_mul(4).max(1000);
        return match exhaust::exhaust(task, patience, deadline) {
            Some(Verdict::Safe(proof)) => Some(proof),
            _ => None,
        };
    }
    if before.engine == "accelerate" {
        let options = accelerate::Options {
            max_depth: before.steps,
            ..accelerate::Options::default()
        };
        let out = accelerate::run(task, options, deadline);
        let accelerate::Decision::Safe { obligations } = out.decision else {
            return None;
        };
        let pool = &mut task.program.pool;
        return Some(Proof::Unrolled {
            obligations: obligations.iter().map(|o| pool.and_all(o)).collect(),
            steps: out.depth,
        });
    }
    let bounds = Bounds {
        unwind: before.steps,
        // The graph of the new program may cut its runs into more pieces.
        steps: before.steps.saturating_mul(2).max(64),
        terms: 4_000_000,
        query: Budget::steady(2000),
    };
    match bmc::bmc(task, bounds, deadline) {
        bmc::Outcome::Safe(proof) => Some(proof),
        _ => None,
    }
}
