//! What the bytes of a `str` that is an input may be, and which text stands for bytes that are none.

use super::{Input, InputShape, outside_arrays};
use crate::term::{ArrayValue, Value, Var};
use std::sync::Arc;

/// What the bytes of a `str` may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Texts {
    /// More than there is: a proof holds for texts as well, a counterexample must be one.
    #[default]
    AnyBytes,
    /// The program starts by repairing the bytes (`lower/utf8.rs`).
    Utf8,
    /// The same, and not longer than this many bytes: only good for counterexamples.
    Short(u32),
}

/// The longest text of a counterexample.
pub const LONGEST: u128 = 4096;

/// What stands for a byte of no well-formed sequence.
pub const REPLACEMENT: u8 = b'?';

/// The text that the program makes of these bytes.
pub fn repaired(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![];
    for chunk in bytes.utf8_chunks() {
        out.extend(chunk.valid().bytes());
        out.extend(chunk.invalid().iter().map(|_| REPLACEMENT));
    }
    out
}

/// The same inputs with the texts that the program makes of them: they mean the same where nothing is repaired.
pub fn repaired_inputs(inputs: &[Input], values: &[(Var, Value)]) -> Vec<(Var, Value)> {
    let mut out = values.to_vec();
    let value = |v: Var| values.iter().find(|(w, _)| *w == v).map(|(_, value)| value);
    for (len, bytes) in of_inputs(inputs) {
        let (Some(Value::Bits(n)), Some(Value::Array(raw))) = (value(len), value(bytes)) else {
            continue;
        };
        // A longer one is never shown.
        let content: Vec<u8> = (0..(*n).min(LONGEST)).map(|i| raw.get(i) as u8).collect();
        let at = repaired(&content).into_iter().enumerate();
        let at = at.map(|(i, b)| (i as u128, u128::from(b))).collect();
        let text = Value::Array(Arc::new(ArrayValue::new(0, at)));
        for (_, slot) in out.iter_mut().filter(|(v, _)| *v == bytes) {
            *slot = text.clone();
        }
    }
    out
}

/// Are the texts among these inputs texts? Of a longer one than is ever shown, only its start is looked at.
pub fn are_texts(inputs: &[Input], state: &[Value]) -> bool {
    of_inputs(inputs).into_iter().all(|(len, bytes)| {
        let (Value::Bits(n), Value::Array(raw)) =
            (&state[len.0 as usize], &state[bytes.0 as usize])
        else {
            return false;
        };
        let content: Vec<u8> = (0..(*n).min(LONGEST)).map(|i| raw.get(i) as u8).collect();
        match std::str::from_utf8(&content) {
            Ok(_) => true,
            // cut in the middle of a sequence
            Err(e) => *n > LONGEST && e.error_len().is_none(),
        }
    })
}

/// The texts among inputs: length and bytes of each.
pub fn of_inputs(inputs: &[Input]) -> Vec<(Var, Var)> {
    let of = |shape: &InputShape| match shape {
        InputShape::Text {
            len,
            bytes,
            texts: Texts::Utf8 | Texts::Short(_),
            ..
        } => Some((*len, *bytes)),
        _ => None,
    };
    outside_arrays(inputs).into_iter().filter_map(of).collect()
}
