//! A counterexample for people: inputs as Rust writes them, the draws, and what happens on the way.

use crate::program::interp::{self, Observer, Outcome, Script};
use crate::program::{BlockId, InputShape, Program, ScalarKind, StopKind};
use crate::prove;
use crate::report::{Counterexample, Step};
use crate::term::{Value, to_signed};
use std::collections::BTreeMap;

/// Longest run that is traced for its steps.
const MAX_TRACED: u64 = 400_000;
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
    let mut tracer = Tracer {
        program,
        steps: vec![],
        last: BTreeMap::new(),
        visits: BTreeMap::new(),
    };
    let mut script = Script::new(c.draws.clone());
    let mut any = vec![];
    let mut steps = vec![];
    if c.executed {
        let run = interp::run(program, state, &mut script, MAX_TRACED, &mut tracer);
        for (v, value) in &run.drawn {
            let kind = program.draw_kind(*v);
            any.push(scalar_text(value.bits(), kind)?);
        }
        if matches!(run.outcome, Outcome::Stopped(_)) {
            steps = condense(tracer.steps);
        }
    }
    if any.is_empty() {
        let sorts = c.draws.iter().map(|v| v.bits().to_string());
        any.extend(sorts);
    }
    let stop = &program.stops[c.stop];
    let panic = match &stop.kind {
        StopKind::Panic(m) => m.clone(),
        StopKind::Undefined(m) => format!("undefined behaviour: {m}"),
        StopKind::Unsupported(m) => return Err(format!("not supported: {m}")),
    };
    let (file, line) = stop
        .span
        .as_ref()
        .map_or((String::new(), 0), |s| (s.file.to_string(), s.line));
    Ok(Counterexample {
        inputs,
        any,
        panic,
        file,
        line,
        replayed: c.executed,
        steps,
        pass: None,
    })
}

/// A value of an input, as Rust source. `indices` select the element inside arrays.
fn show(shape: &InputShape, state: &[Value], indices: &[(u128, u32)]) -> Result<String, String> {
    let index = indices
        .iter()
        .fold(0u128, |acc, (i, w)| acc.checked_shl(*w).unwrap_or(0) | i);
    let bits = |v: crate::term::Var| match &state[v.0 as usize] {
        Value::Bits(b) => *b,
        Value::Array(a) => a.get(index),
    };
    let with = |i: u128| {
        let mut next = indices.to_vec();
        next.push((i, if indices.is_empty() { 64 } else { 32 }));
        next
    };
    Ok(match shape {
        InputShape::Scalar { var, kind } => scalar_text(bits(*var), Some(*kind))?,
        InputShape::Array { len, elem } => sequence(elem, state, *len, with)?,
        InputShape::Slice { len, elem } => {
            let n = bits(*len);
            format!("&{}", sequence(elem, state, n, with)?)
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
            let Some((_, variant, fields)) = variants.iter().find(|(v, ..)| *v == d) else {
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
        InputShape::Text { len, bytes } => {
            let n = bits(*len);
            if n > MAX_ELEMENTS {
                return Err("a text too long to be shown".into());
            }
            let Value::Array(content) = &state[bytes.0 as usize] else {
                return Err("a text without bytes".into());
            };
            let content: Vec<u8> = (0..n).map(|i| content.get(i) as u8).collect();
            match String::from_utf8(content) {
                Ok(text) => format!("{text:?}"),
                Err(_) => {
                    return Err(
                        "only texts that are not valid UTF-8 were found to violate it".into(),
                    );
                }
            }
        }
        InputShape::Opaque(text) => text.clone(),
    })
}

fn sequence(
    elem: &InputShape,
    state: &[Value],
    len: u128,
    with: impl Fn(u128) -> Vec<(u128, u32)>,
) -> Result<String, String> {
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

fn scalar_text(bits: u128, kind: Option<ScalarKind>) -> Result<String, String> {
    Ok(match kind {
        Some(ScalarKind::Bool) => (bits != 0).to_string(),
        Some(ScalarKind::Char) => match u32::try_from(bits).ok().and_then(char::from_u32) {
            Some(c) => format!("{c:?}"),
            None => return Err("an impossible char".into()),
        },
        Some(ScalarKind::Signed(w)) => to_signed(bits, w).to_string(),
        Some(ScalarKind::Float(32)) => format!("{:?}", f32::from_bits(bits as u32)),
        Some(ScalarKind::Float(_)) => format!("{:?}", f64::from_bits(bits as u64)),
        Some(ScalarKind::Unsigned(_)) | None => bits.to_string(),
    })
}

/// Follows the values of named variables from block to block.
struct Tracer<'a> {
    program: &'a Program,
    steps: Vec<Step>,
    last: BTreeMap<u32, u128>,
    visits: BTreeMap<BlockId, u64>,
}

/// Steps kept at the start and at the end of a run.
const KEPT: usize = 12;

impl Observer for Tracer<'_> {
    fn at(&mut self, block: BlockId, state: &[Value]) {
        let visits = self.visits.entry(block).or_insert(0);
        *visits += 1;
        let Some(span) = &self.program.block(block).span else {
            return;
        };
        let mut values = BTreeMap::new();
        for (v, name) in &self.program.source_names {
            let (Value::Bits(b), Some(kind)) = (&state[v.0 as usize], name.kind) else {
                continue;
            };
            if self.last.insert(v.0, *b) != Some(*b)
                && let Ok(text) = scalar_text(*b, Some(kind))
            {
                values.insert(name.name.clone(), text);
            }
        }
        if values.is_empty() {
            return;
        }
        let what = values
            .iter()
            .map(|(n, v)| format!("{n} = {v}"))
            .collect::<Vec<_>>()
            .join(", ");
        self.steps.push(Step {
            file: span.file.to_string(),
            line: span.line,
            what,
            values,
        });
        // Memory stays bounded on long runs; what is in between is condensed anyway.
        if self.steps.len() > 64 * KEPT {
            let tail = self.steps.split_off(self.steps.len() - KEPT);
            self.steps.truncate(KEPT);
            self.steps.extend(tail);
        }
    }
}

/// The beginning and the end of a long run.
fn condense(mut steps: Vec<Step>) -> Vec<Step> {
    if steps.len() <= 2 * KEPT {
        return steps;
    }
    let left_out = steps.len() - 2 * KEPT;
    let tail = steps.split_off(steps.len() - KEPT);
    steps.truncate(KEPT);
    let (file, line) = (tail[0].file.clone(), tail[0].line);
    steps.push(Step {
        file,
        line,
        what: format!("... {left_out} more steps or more ..."),
        values: BTreeMap::new(),
    });
    steps.extend(tail);
    steps
}
