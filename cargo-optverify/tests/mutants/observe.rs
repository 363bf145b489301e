//! What a caller sees of a run in the interpreter, as text: written for this test, so that it does not share a
//! mistake with the comparison that is tested.

use optverify_engine::program::interp::{self, Blind, Draws, Outcome};
use optverify_engine::program::{InputShape, Program, input_vars};
use optverify_engine::term::{ArrayValue, Sort, Value, Var, mask};
use std::sync::Arc;

const MAX_STEPS: u64 = 20_000;

/// splitmix64: a failing seed must fail again on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn bits(&mut self, width: u32) -> u128 {
        let wide = u128::from(self.next()) << 64 | u128::from(self.next());
        let value = match self.below(4) {
            0 => wide % 12,
            1 => wide,
            2 => mask(width).wrapping_sub(wide % 3),
            _ => wide % 300,
        };
        value & mask(width)
    }

    fn value(&mut self, sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bits(self.bits(1)),
            Sort::Bv(w) => Value::Bits(self.bits(w)),
            Sort::Array { elem, .. } => {
                let at = (0..10).map(|i| (i, self.bits(elem.max(1)))).collect();
                Value::Array(Arc::new(ArrayValue::new(0, at)))
            }
        }
    }
}

/// The leaves of all inputs.
fn leaves(program: &Program) -> Vec<Var> {
    let mut out = vec![];
    for input in &program.inputs {
        input_vars(&input.shape, &mut out);
    }
    out
}

struct Tape(Vec<u128>, usize);

impl Draws for Tape {
    fn next(&mut self, program: &Program, var: Var) -> Option<Value> {
        let value = *self.0.get(self.1)?;
        self.1 += 1;
        Some(Value::Bits(match program.pool.var_info(var).sort {
            Sort::Bv(w) => value & mask(w),
            _ => value & 1,
        }))
    }
}

/// An input on which the first program returns and the second does something else; `None` if no run shows one.
pub fn difference(first: &Program, second: &Program, seed: u64, runs: usize) -> Option<String> {
    let (a, b) = (leaves(first), leaves(second));
    let sorts = |p: &Program, vars: &[Var]| -> Vec<Sort> {
        vars.iter().map(|v| p.pool.var_info(*v).sort).collect()
    };
    if sorts(first, &a) != sorts(second, &b) {
        return None;
    }
    let mut random = Random(seed);
    for _ in 0..runs {
        let values: Vec<Value> = sorts(first, &a)
            .into_iter()
            .map(|s| random.value(s))
            .collect();
        let tape: Vec<u128> = (0..400).map(|_| random.bits(128)).collect();
        let one = end(first, &a, &values, &tape);
        let Some(one) = one.filter(|text| text.starts_with("returns")) else {
            continue;
        };
        match end(second, &b, &values, &tape) {
            Some(two) if two != one => return Some(format!("{values:?}: {one}, then {two}")),
            _ => {}
        }
    }
    None
}

fn end(program: &Program, leaves: &[Var], values: &[Value], tape: &[u128]) -> Option<String> {
    let mut state = interp::initial_state(program);
    for (v, value) in leaves.iter().zip(values) {
        state[v.0 as usize] = value.clone();
    }
    let mut tape = Tape(tape.to_vec(), 0);
    let run = interp::run(program, state, &mut tape, MAX_STEPS, &mut Blind);
    match run.outcome {
        Outcome::Returned => {
            let mut text = format!("returns {}", show(&program.returned, &run.state, &[]));
            for input in &program.inputs {
                if let InputShape::Reference(inner) = &input.shape {
                    text += &format!(" {}={}", input.name, show(inner, &run.state, &[]));
                }
            }
            Some(text)
        }
        Outcome::Stopped(s) if program.stops[s].is_violation() => {
            Some(format!("stops at {:?}", program.stops[s].kind))
        }
        Outcome::Blocked => Some("blocked".into()),
        // No finite run tells what these do.
        _ => None,
    }
}

fn show(shape: &InputShape, state: &[Value], at: &[(u128, u32)]) -> String {
    let bits = |v: &Var| match &state[v.0 as usize] {
        Value::Bits(b) => *b,
        Value::Array(a) => a.get(at.iter().fold(0, |all, (i, w)| (all << w) | i)),
    };
    let list = |n: u128, elem: &InputShape| -> String {
        let width = if at.is_empty() { 64 } else { 32 };
        let one = |i| show(elem, state, &[at, &[(i, width)]].concat());
        (0..n.min(40)).map(one).collect::<Vec<_>>().join(",")
    };
    match shape {
        InputShape::Scalar { var, .. } => bits(var).to_string(),
        InputShape::Array { len, elem } => list(*len, elem),
        InputShape::Slice { len, elem } | InputShape::Elements { len, elem } => {
            list(bits(len), elem)
        }
        InputShape::Vector { len, elem, .. } => list(bits(len), elem),
        InputShape::Tuple(parts) => {
            let parts: Vec<_> = parts.iter().map(|p| show(p, state, at)).collect();
            format!("({})", parts.join(","))
        }
        InputShape::Struct { fields, .. } => {
            let one = |(n, f): &(String, InputShape)| format!("{n}:{}", show(f, state, at));
            fields.iter().map(one).collect::<Vec<_>>().join(",")
        }
        InputShape::Enum {
            discriminant,
            variants,
            ..
        } => {
            let tag = bits(discriminant);
            let fields = variants.iter().find(|(b, ..)| *b == tag);
            let fields = fields.map_or(vec![], |(_, _, f)| {
                f.iter().map(|f| show(f, state, at)).collect()
            });
            format!("#{tag}({})", fields.join(","))
        }
        InputShape::Reference(inner) => show(inner, state, at),
        InputShape::Text { len, .. } => bits(len).to_string(),
        InputShape::Made { parts, .. } => parts.iter().map(|p| show(p, state, at)).collect(),
        InputShape::Opaque(text) => text.clone(),
    }
}
