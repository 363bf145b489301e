//! The model that suits a root, as far as a few concrete runs tell before any engine starts: rows of the heap for each
//! allocation (`lower/crowd.rs`) cost proofs, and without them a root that needs them is searched in vain. So is one whose
//! calls of itself are a tree, unfolded along its first branch (`lower/inline.rs`).

use super::{Model, Prepared, SnapshotError, prepare_reference};
use crate::capture::{Capture, Root};
use crate::lower::{CROWDED, TOO_DEEP};
use crate::mir::MirFile;
use crate::program::{Program, StopKind};
use crate::prove::{Deadline, concrete::concrete, slice};

const RUNS: usize = 40;
const RUNS_MS: u64 = 25;

/// The reference program of a root in the given model, or in the one that its runs ask for.
pub fn reference(
    capture: &Capture,
    root: &Root,
    model: Model,
) -> Result<(Model, Prepared, MirFile), SnapshotError> {
    let (prepared, file) = prepare_reference(capture, root, model)?;
    let suited = suited(&prepared.program, model);
    if suited == model {
        return Ok((model, prepared, file));
    }
    let (prepared, file) = prepare_reference(capture, root, suited)?;
    Ok((suited, prepared, file))
}

/// Where runs leave the model for want of something that another one has, the other one.
fn suited(program: &Program, model: Model) -> Model {
    let left_for = |kind: &StopKind| match kind {
        StopKind::Unsupported(what) => Model {
            rows_everywhere: model.rows_everywhere || what == CROWDED,
            even_recursion: model.even_recursion || what.contains(TOO_DEEP),
            ..model
        },
        StopKind::Panic(_) | StopKind::Undefined(_) => model,
    };
    if program
        .stops
        .iter()
        .all(|stop| left_for(&stop.kind) == model)
    {
        return model;
    }
    let task = slice::slice(program.clone());
    let found = concrete(&task, 1, RUNS, &Deadline::after_millis(RUNS_MS));
    let all = found
        .left
        .iter()
        .map(|stop| left_for(&task.program.stops[*stop].kind));
    all.fold(model, |a, b| Model {
        rows_everywhere: a.rows_everywhere || b.rows_everywhere,
        even_recursion: a.even_recursion || b.even_recursion,
        ..a
    })
}
