//! A difference between two snapshots, for people: the input and both results.

use super::witness;
use crate::capture::Root;
use crate::program::interp;
use crate::program::texts::are_texts;
use crate::program::{InputShape, Program, StopKind};
use crate::refine::{Difference, End};
use crate::report::{Counterexample, Results};
use crate::term::Value;

/// Fails if its inputs are no values of their types.
pub fn describe(
    before: &Program,
    after: &Program,
    d: &Difference,
    root: &Root,
) -> Result<Counterexample, String> {
    let mut start = interp::initial_state(before);
    for (v, value) in &d.inputs_before {
        start[v.0 as usize] = value.clone();
    }
    let mut inputs = serde_json::Map::new();
    if !are_texts(&before.inputs, &start) {
        return Err(witness::NO_TEXT.into());
    }
    for input in &before.inputs {
        let text = witness::show(&input.shape, &start, &[])?;
        inputs.insert(input.name.clone(), text.into());
    }
    let first = outcome(before, &d.state_before);
    let second = match &d.end_after {
        End::Returned(state) => outcome(after, state),
        End::Blocked => "does not get past an assumption".into(),
        End::Stopped(s) => match &after.stops[*s].kind {
            StopKind::Panic(m) => format!("panics: {m}"),
            StopKind::Undefined(m) | StopKind::Unsupported(m) => {
                format!("undefined behaviour: {m}")
            }
        },
    };
    Ok(Counterexample {
        inputs,
        any: d.draws.iter().map(|v| v.bits().to_string()).collect(),
        panic: format!("the result changes: {first} before, {second} after"),
        file: root.file.clone(),
        line: root.line,
        column: 0,
        replayed: true,
        results: Some(Results {
            before: first,
            after: second,
        }),
        ..Counterexample::default()
    })
}

/// `returns 5, a = [1, 2]`: the value, and what is behind references.
fn outcome(program: &Program, state: &[Value]) -> String {
    let show = |shape: &InputShape| witness::show(shape, state, &[]).unwrap_or_else(|why| why);
    let mut text = format!("returns {}", show(&program.returned));
    for input in &program.inputs {
        if matches!(input.shape, InputShape::Reference(_)) {
            text += &format!(", {} = {}", input.name, show(&input.shape));
        }
    }
    text
}
