//! Backwards: where the reference is not decided in its share of the time, the optimized program is proven first and
//! its proof adapted against the direction of the passes (the paper's future work).
//!
//! Optimized code may be much easier: fewer variables, folded arithmetic, loops that are gone. The proof is tried on
//! the reference at once, then from pass to pass; like any adapted proof it counts only once it is certified there.
//! `--engine backwards` has no other way to prove a reference, which shows what this one does.

use super::{Model, Options, prepare_snapshot};
use crate::adapt::{self, Proven};
use crate::capture::{Capture, Root};
use crate::mir::MirFile;
use crate::program::Program;
use crate::prove::Deadline;

/// Its name among the engines.
pub const BACKWARDS: &str = "backwards";

/// A proof of the reference, by way of the optimized program.
pub fn backwards(
    capture: &Capture,
    root: &Root,
    (crate_mir, model): (&MirFile, Model),
    reference: &Program,
    options: &Options,
    deadline: &Deadline,
    prove: impl FnOnce(&Program, &Deadline) -> Option<Proven>,
) -> Option<Proven> {
    let snapshots: Vec<_> = capture
        .snapshots(&root.function)
        .ok()?
        .into_iter()
        .filter(|s| s.changed)
        .collect();
    let program = |at: usize| -> Option<Program> {
        let prepared = prepare_snapshot(capture, root, &snapshots[at], crate_mir, model).ok()?;
        Some(prepared.program)
    };
    let last = snapshots.len().checked_sub(1)?;
    let optimized = program(last)?;
    let mut fingerprint = optimized.fingerprint();
    if fingerprint == reference.fingerprint() {
        return None;
    }
    let mut proof = prove(
        &optimized,
        &deadline.within_millis(deadline.left_millis() / 2),
    )?;
    let adapted = |proof: &Proven, to: &Program| -> Option<Proven> {
        Some(adapt::adapt(proof, to, options.vcgen, deadline)?.proof)
    };
    if let Some(found) = adapted(&proof, reference) {
        return Some(found);
    }
    for at in (0..last).rev() {
        let earlier = program(at)?;
        let now = earlier.fingerprint();
        if now != fingerprint {
            proof = adapted(&proof, &earlier)?;
            fingerprint = now;
        }
    }
    adapted(&proof, reference)
}
