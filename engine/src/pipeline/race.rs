//! Adaptation against proving anew, so that the chain is never much slower than a proof from scratch.
//!
//! Adaptation starts alone: most passes cost it a few milliseconds. Once it has taken a fifth of what the first proof
//! took, the engines start beside it, and the first certified answer ends the other. Which of the two it is may
//! depend on the machine; the verdict does not, since both are certified. A proof by making every run is made again,
//! here as there: it has as long as it took.

use crate::adapt::{self, Adapted, Proven};
use crate::program::Program;
use crate::prove::{Deadline, exhaust};
use crate::smt::{absorb_stats, take_stats};
use crate::vc::Generator;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// What adaptation may take at least before the engines start, in milliseconds.
const HEAD_START: u64 = 100;

pub enum Winner<T> {
    Adapted(Adapted),
    Anew(T),
}

/// Carries `proof` over to `program`, or proves it by `anew`, which says whether it has decided.
pub fn race<T>(
    proof: &Proven,
    program: &Program,
    vcgen: Generator,
    deadline: &Deadline,
    anew: impl Fn(&Deadline) -> (T, bool),
) -> Winner<T> {
    let adapting = deadline.apart();
    let proving = deadline.apart();
    let alone = match proof {
        Proven::Unrolled(bound) if bound.engine == exhaust::NAME => bound.millis * 3 / 2,
        _ => proof.millis() / 5,
    };
    let head_start = Duration::from_millis(alone.max(HEAD_START));
    std::thread::scope(|threads| {
        let (send, answer) = channel();
        let (adapting_there, proving_there) = (adapting.clone(), proving.clone());
        threads.spawn(move || {
            let adapted = adapt::adapt(proof, program, vcgen, &adapting_there);
            if adapted.is_some() {
                proving_there.cancel();
            }
            // The race may be over.
            let _ = send.send((adapted, take_stats()));
        });
        let take = |(adapted, stats)| -> Option<Adapted> {
            absorb_stats(&stats);
            adapted
        };
        match answer.recv_timeout(head_start) {
            Ok(found) => match take(found) {
                Some(adapted) => Winner::Adapted(adapted),
                None => Winner::Anew(anew(deadline).0),
            },
            Err(RecvTimeoutError::Disconnected) => Winner::Anew(anew(deadline).0),
            Err(RecvTimeoutError::Timeout) => {
                let (found, decided) = anew(&proving);
                if decided {
                    adapting.cancel();
                    return Winner::Anew(found);
                }
                match answer.recv().ok().and_then(take) {
                    Some(adapted) => Winner::Adapted(adapted),
                    None => Winner::Anew(found),
                }
            }
        }
    })
}
