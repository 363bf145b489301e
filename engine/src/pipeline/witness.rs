//! A counterexample for people: inputs as Rust writes them, the draws, and what happens on the way.

use super::events::Tracer;
use crate::lower::is_foreign;
use crate::program::cpg::CutPoint;
use crate::program::interp::{self, Outcome, Script};
use crate::program::texts::{LONGEST, repaired};
use crate::program::{InputShape, Program, ScalarKind, StopKind, Texts};
use crate::prove;
use crate::report::Counterexample;
use crate::term::{Value, to_signed};

/// Longest run that is traced for its steps.
const MAX_TRACED: u64 = 4_000_000;
/// No slice has more bytes (`lower`).
const MOST_BYTES: u64 = 1 << 47;
/// Longest array that is spelled out.
const MAX_ELEMENTS: u128 = 4096;

/// Describes a certified counterexample; fails if its inputs are no values of their types.
pub fn describe(program: &Program, c: &prove::Counterexample) -> Result<Counterexample, String> {
    let mut state = interp::initial_state(program);
    for (v, value) in &c.inputs {
        if let Some(slot) = state.get_mut(v.0 as usize) {
            *slot = value.clone();
        }
    }
    let mut inputs = serde_json::Map::new();
    for input in &program.inputs {
        let text = show(&input.shape, &state, &[])?;
        inputs.insert(input.name.clone(), text.into());
    }
    let mut tracer = Tracer::new(program);
    let mut script = Script::new(c.draws.clone());
    let mut any = vec![];
    let mut steps = vec![];
    let mut path = vec![];
    let mut last_line = None;
    let mut structs = Default::default();
    if c.executed {
        let run = interp::run(program, state, &mut script, MAX_TRACED, &mut tracer);
        for (v, value) in &run.drawn {
            let kind = program.draw_kind(*v);
            any.push(scalar_text(value.bits(), kind)?);
        }
        if matches!(run.outcome, Outcome::Stopped(_)) {
            let story = tracer.finish(CutPoint::Stop(c.stop));
            (steps, path, last_line) = (story.steps, story.path, story.last_line);
            structs = story.structs;
        }
    }
    // a run that is too long to be traced draws on
    let rest = c.draws.iter().skip(any.len());
    any.extend(rest.map(|v| v.bits().to_string()));
    let stop = &program.stops[c.stop];
    let panic = match &stop.kind {
        StopKind::Panic(m) => m.clone(),
        StopKind::Undefined(m) => format!("undefined behaviour: {m}"),
        StopKind::Unsupported(m) => return Err(format!("not supported: {m}")),
    };
    let own = stop.span.as_ref().filter(|s| !is_foreign(&s.file));
    let place = own.or(last_line.as_ref()).or(stop.span.as_ref());
    // of a panic inside of a macro of std only the line is known
    let (end_line, end_column) = own.map_or((0, 0), |s| s.end);
    Ok(Counterexample {
        inputs,
        any,
        panic,
        file: place.map_or(String::new(), |s| s.file.to_string()),
        line: place.map_or(0, |s| s.line),
        column: place.map_or(0, |s| s.column),
        end_line,
        end_column,
        replayed: c.executed,
        steps,
        pass: None,
        results: None,
        path,
        structs,
    })
}

/// Why a counterexample for any bytes is none for texts.
pub(super) const NO_TEXT: &str = "only texts that are not valid UTF-8 were found to violate it";

/// Why a counterexample is not shown that a shorter text may have as well.
pub(super) const LONG_TEXT: &str = "a text too long to be shown";

/// A value of an input, as Rust source. `indices` select the element inside arrays.
pub(super) fn show(
    shape: &InputShape,
    state: &[Value],
    indices: &[(u128, u32)],
) -> Result<String, String> {
    let joined = |indices: &[(u128, u32)]| {
        let join = |all: u128, (i, w): &(u128, u32)| all.checked_shl(*w).unwrap_or(0) | i;
        indices.iter().fold(0, join)
    };
    let index = joined(indices);
    // Inside arrays the program takes a length that no slice has for none.
    let length = |n: u128| match !indices.is_empty() && n > u128::from(MOST_BYTES) {
        true => 0,
        false => n,
    };
    let bits = |v: crate::term::Var| match &state[v.0 as usize] {
        Value::Bits(b) => *b,
        Value::Array(a) => a.get(index),
    };
    let below = |i: u128, width: u32| [indices, &[(i, width)]].concat();
    // Elements of arrays inside arrays have 32 bits for their index, those of slices 64 (`lower/input.rs`).
    let of_array = |i: u128| below(i, if indices.is_empty() { 64 } else { 32 });
    let of_slice = |i: u128| below(i, 64);
    Ok(match shape {
        InputShape::Scalar { var, kind } => scalar_text(bits(*var), Some(*kind))?,
        InputShape::Array { len, elem } => sequence(elem, state, *len, of_array)?,
        InputShape::Slice { len, elem } => {
            let n = length(bits(*len));
            format!("&{}", sequence(elem, state, n, of_slice)?)
        }
        InputShape::Vector {
            len,
            capacity,
            elem,
        } => {
            let elements = sequence(elem, state, bits(*len), of_slice)?;
            match room(bits(*len), bits(*capacity)) {
                Some(n) => {
                    format!(
                        "{{ let mut v = Vec::with_capacity({n}); v.append(&mut vec!{elements}); v }}"
                    )
                }
                None => format!("vec!{elements}"),
            }
        }
        InputShape::Elements { len, elem } => {
            format!("{}.iter()", sequence(elem, state, bits(*len), of_slice)?)
        }
        InputShape::Tuple(parts) => {
            let parts: Result<Vec<_>, _> = parts.iter().map(|p| show(p, state, indices)).collect();
            let parts = parts?;
            match parts.as_slice() {
                [one] => format!("({one},)"),
                _ => format!("({})", parts.join(", ")),
            }
        }
        InputShape::Struct { name, fields } => {
            let mut out = vec![];
            for (n, f) in fields {
                out.push(format!("{n}: {}", show(f, state, indices)?));
            }
            format!("{name} {{ {} }}", out.join(", "))
        }
        InputShape::Enum {
            name,
            discriminant,
            variants,
        } => {
            let d = bits(*discriminant);
            // Elements of arrays that are no variant stand for the first one.
            let found = variants.iter().find(|(v, ..)| *v == d);
            let fallback = variants.first().filter(|_| !indices.is_empty());
            let Some((_, variant, fields)) = found.or(fallback) else {
                return Err(format!("an impossible value of `{name}`"));
            };
            let fields: Result<Vec<_>, _> =
                fields.iter().map(|p| show(p, state, indices)).collect();
            let fields = fields?;
            match (name.as_str(), fields.is_empty()) {
                ("Option" | "Result", true) => variant.clone(),
                ("Option" | "Result", false) => format!("{variant}({})", fields.join(", ")),
                (_, true) => format!("{name}::{variant}"),
                (_, false) => format!("{name}::{variant}({})", fields.join(", ")),
            }
        }
        InputShape::Reference(inner) => match **inner {
            InputShape::Slice { .. } | InputShape::Text { .. } => show(inner, state, indices)?,
            _ => format!("&{}", show(inner, state, indices)?),
        },
        InputShape::Made {
            before,
            parts,
            after,
        } => {
            let texts: Result<Vec<_>, _> = parts.iter().map(|p| show(p, state, indices)).collect();
            let text = texts?.join(", ");
            let spare = match parts.as_slice() {
                [
                    InputShape::Text {
                        len,
                        capacity: Some(c),
                        ..
                    },
                ] => room(bits(*len), bits(*c)),
                _ => None,
            };
            match spare {
                Some(n) => {
                    format!("{{ let mut s = String::with_capacity({n}); s.push_str({text}); s }}")
                }
                None => format!("{before}({text}){after}"),
            }
        }
        InputShape::Text {
            len, bytes, texts, ..
        } => {
            let n = length(bits(*len));
            if n > LONGEST {
                return Err(LONG_TEXT.into());
            }
            let Value::Array(content) = &state[bytes.0 as usize] else {
                return Err("a text without bytes".into());
            };
            let byte = |i: u128| content.get(joined(&of_slice(i))) as u8;
            let mut content: Vec<u8> = (0..n).map(byte).collect();
            if *texts != Texts::AnyBytes {
                content = repaired(&content);
            }
            match String::from_utf8(content) {
                Ok(text) => format!("{text:?}"),
                Err(_) => {
                    return Err(NO_TEXT.into());
                }
            }
        }
        InputShape::Opaque(text) => text.clone(),
    })
}

/// The room of a buffer that is more than what it holds, and that a test could make.
fn room(len: u128, capacity: u128) -> Option<u128> {
    (capacity > len && capacity < 1 << 24).then_some(capacity)
}

/// Has a value of this shape a text in it, which must be one?
fn holds_text(shape: &InputShape) -> bool {
    match shape {
        InputShape::Text { .. } => true,
        InputShape::Scalar { .. } | InputShape::Opaque(_) => false,
        InputShape::Array { elem, .. }
        | InputShape::Slice { elem, .. }
        | InputShape::Vector { elem, .. }
        | InputShape::Elements { elem, .. } => holds_text(elem),
        InputShape::Tuple(parts) | InputShape::Made { parts, .. } => parts.iter().any(holds_text),
        InputShape::Struct { fields, .. } => fields.iter().any(|(_, f)| holds_text(f)),
        InputShape::Enum { variants, .. } => variants
            .iter()
            .any(|(_, _, fields)| fields.iter().any(holds_text)),
        InputShape::Reference(inner) => holds_text(inner),
    }
}

fn sequence(
    elem: &InputShape,
    state: &[Value],
    len: u128,
    with: impl Fn(u128) -> Vec<(u128, u32)>,
) -> Result<String, String> {
    if len > MAX_ELEMENTS && holds_text(elem) {
        return Err(LONG_TEXT.into());
    }
    if len > MAX_ELEMENTS {
        let first = show(elem, state, &with(0))?;
        return Ok(format!("[{first}, ..; {len}]"));
    }
    let mut all = vec![];
    for i in 0..len {
        all.push(show(elem, state, &with(i))?);
    }
    if all.len() > 3 && all.iter().all(|x| *x == all[0]) {
        return Ok(format!("[{}; {len}]", all[0]));
    }
    Ok(format!("[{}]", all.join(", ")))
}

pub(super) fn scalar_text(bits: u128, kind: Option<ScalarKind>) -> Result<String, String> {
    Ok(match kind {
        Some(ScalarKind::Bool) => (bits != 0).to_string(),
        Some(ScalarKind::Char) => match u32::try_from(bits).ok().and_then(char::from_u32) {
            Some(c) => format!("{c:?}"),
            // An element of an array that is no char: the program takes it for this one.
            None => format!("{:?}", '\0'),
        },
        Some(ScalarKind::Signed(w)) => to_signed(bits, w).to_string(),
        Some(ScalarKind::Float(32)) => format!("{:?}", f32::from_bits(bits as u32)),
        Some(ScalarKind::Float(_)) => format!("{:?}", f64::from_bits(bits as u64)),
        Some(ScalarKind::Unsigned(_)) | None => bits.to_string(),
    })
}
