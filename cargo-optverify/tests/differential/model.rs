//! The same calls in the program model: values go into the inputs' variables, and come back out of them.

#![allow(clippy::only_used_in_recursion)] // how a value is passed is part of its path, also where it changes nothing

use crate::functions::{Function, Passing};
use crate::native::Ended;
use crate::types::{Items, Ty, Val};
use optverify_engine::program::interp::{self, Blind, Outcome, Script};
use optverify_engine::program::{InputShape, Program, StopKind};
use optverify_engine::term::{Value, Var};
use std::sync::Arc;

/// More steps than any generated function needs.
const MAX_STEPS: u64 = 2_000_000;

/// What the interpreter says of a call, beside the native answer.
#[derive(Debug)]
pub enum Judgement {
    Agrees,
    /// The model has no answer, and says why.
    Unsupported(String),
    Differs(String),
}

pub fn judge(
    program: &Program,
    function: &Function,
    items: &Items,
    arguments: &[Val],
    native: &Ended,
) -> Judgement {
    let mut state = interp::initial_state(program);
    for ((input, p), value) in program
        .inputs
        .iter()
        .zip(&function.parameters)
        .zip(arguments)
    {
        let place = Walk {
            items,
            indices: vec![],
        };
        if let Err(why) = place.write(&input.shape, &p.ty, p.passing, value, &mut state) {
            return Judgement::Unsupported(why);
        }
    }
    let run = interp::run(
        program,
        state,
        &mut Script::new(vec![]),
        MAX_STEPS,
        &mut Blind,
    );
    match (&run.outcome, native) {
        (Outcome::Stopped(s), native) => match (&program.stops[*s].kind, native) {
            (StopKind::Unsupported(why), _) => Judgement::Unsupported(why.clone()),
            (StopKind::Panic(_), Ended::Panicked) => Judgement::Agrees,
            (stop, _) => Judgement::Differs(format!("native {native:?}, model {stop:?}")),
        },
        (Outcome::Approximate(why), _) => Judgement::Unsupported(format!("approximate: {why}")),
        (Outcome::Returned, Ended::Returned(result, behind)) => {
            let walk = Walk {
                items,
                indices: vec![],
            };
            let mut differences = vec![];
            walk.compare(
                &program.returned,
                &function.result,
                Passing::Value,
                result,
                &run.state,
                &mut differences,
            );
            let mut behind = behind.iter();
            for (input, p) in program.inputs.iter().zip(&function.parameters) {
                if matches!(p.passing, Passing::RefMut | Passing::SliceMut)
                    && let Some(value) = behind.next()
                {
                    walk.compare(
                        &input.shape,
                        &p.ty,
                        p.passing,
                        value,
                        &run.state,
                        &mut differences,
                    );
                }
            }
            if differences.is_empty() {
                Judgement::Agrees
            } else {
                Judgement::Differs(differences.join("; "))
            }
        }
        (outcome, native) => Judgement::Differs(format!("native {native:?}, model {outcome:?}")),
    }
}

/// A walk through a shape and a value of the same type.
struct Walk<'a> {
    items: &'a Items,
    /// Indices of the arrays above, with their widths.
    indices: Vec<(u128, u32)>,
}

impl Walk<'_> {
    fn index(&self) -> u128 {
        self.indices.iter().fold(0, |all, (i, w)| (all << w) | i)
    }

    fn element(&self, i: usize) -> Self {
        let mut indices = self.indices.clone();
        indices.push((i as u128, if indices.is_empty() { 64 } else { 32 }));
        Walk {
            items: self.items,
            indices,
        }
    }

    fn write(
        &self,
        shape: &InputShape,
        ty: &Ty,
        passing: Passing,
        value: &Val,
        state: &mut [Value],
    ) -> Result<(), String> {
        match (shape, value) {
            (InputShape::Reference(inner), _) => self.write(inner, ty, passing, value, state)?,
            (InputShape::Scalar { var, .. }, Val::Bits(b)) => self.set(*var, *b, state),
            (InputShape::Slice { len, elem }, Val::Parts(parts)) => {
                self.set(*len, parts.len() as u128, state);
                for (i, part) in parts.iter().enumerate() {
                    self.element(i)
                        .write(elem, ty, Passing::Value, part, state)?;
                }
            }
            (InputShape::Array { elem, .. }, Val::Parts(parts)) => {
                for (i, (part, t)) in parts.iter().zip(self.parts(ty)).enumerate() {
                    self.element(i)
                        .write(elem, &t, Passing::Value, part, state)?;
                }
            }
            (InputShape::Tuple(shapes), Val::Parts(parts)) => {
                for ((shape, part), t) in shapes.iter().zip(parts).zip(self.parts(ty)) {
                    self.write(shape, &t, Passing::Value, part, state)?;
                }
            }
            (InputShape::Struct { fields, .. }, Val::Parts(parts)) => {
                let types = self.parts(ty);
                for (name, shape) in fields {
                    let i: usize = name.parse().map_err(|_| "a field without a number")?;
                    self.write(shape, &types[i], Passing::Value, &parts[i], state)?;
                }
            }
            (
                InputShape::Enum {
                    discriminant,
                    variants,
                    ..
                },
                Val::Variant(v, payload),
            ) => {
                let (name, types) = ty.variants(self.items).expect("an enum")[*v].clone();
                let Some((bits, _, shapes)) = variants.iter().find(|(_, n, _)| *n == name) else {
                    return Err(format!("harness: no variant {name}"));
                };
                self.set(*discriminant, *bits, state);
                for (i, shape) in shapes.iter().enumerate() {
                    self.write(shape, &types[i], Passing::Value, &payload[i], state)?;
                }
            }
            (InputShape::Opaque(_), _) => {}
            _ => return Err(format!("harness: {shape:?} is no shape of {value:?}")),
        }
        Ok(())
    }

    fn set(&self, var: Var, bits: u128, state: &mut [Value]) {
        match &mut state[var.0 as usize] {
            Value::Bits(b) => *b = bits,
            Value::Array(a) => {
                Arc::make_mut(a).at.insert(self.index(), bits);
            }
        }
    }

    fn get(&self, var: Var, state: &[Value]) -> u128 {
        match &state[var.0 as usize] {
            Value::Bits(b) => *b,
            Value::Array(a) => a.get(self.index()),
        }
    }

    fn parts(&self, ty: &Ty) -> Vec<Ty> {
        ty.parts(self.items).unwrap_or_default()
    }

    fn compare(
        &self,
        shape: &InputShape,
        ty: &Ty,
        passing: Passing,
        value: &Val,
        state: &[Value],
        out: &mut Vec<String>,
    ) {
        match (shape, value) {
            (InputShape::Reference(inner), _) => {
                self.compare(inner, ty, passing, value, state, out)
            }
            (InputShape::Scalar { var, .. }, Val::Bits(b)) => {
                let found = self.get(*var, state);
                if found != *b {
                    out.push(format!("native {b}, model {found} of type {}", ty.name()));
                }
            }
            (InputShape::Slice { elem, .. }, Val::Parts(parts)) => {
                for (i, part) in parts.iter().enumerate() {
                    self.element(i)
                        .compare(elem, ty, Passing::Value, part, state, out);
                }
            }
            (InputShape::Array { elem, .. }, Val::Parts(parts)) => {
                for (i, (part, t)) in parts.iter().zip(self.parts(ty)).enumerate() {
                    self.element(i)
                        .compare(elem, &t, Passing::Value, part, state, out);
                }
            }
            (InputShape::Tuple(shapes), Val::Parts(parts)) => {
                for ((shape, part), t) in shapes.iter().zip(parts).zip(self.parts(ty)) {
                    self.compare(shape, &t, Passing::Value, part, state, out);
                }
            }
            (InputShape::Struct { fields, .. }, Val::Parts(parts)) => {
                let types = self.parts(ty);
                for (name, shape) in fields {
                    if let Ok(i) = name.parse::<usize>() {
                        self.compare(shape, &types[i], Passing::Value, &parts[i], state, out);
                    }
                }
            }
            (
                InputShape::Enum {
                    discriminant,
                    variants,
                    ..
                },
                Val::Variant(v, payload),
            ) => {
                let (name, types) = ty.variants(self.items).expect("an enum")[*v].clone();
                let found = self.get(*discriminant, state);
                match variants.iter().find(|(_, n, _)| *n == name) {
                    Some((bits, _, shapes)) if *bits == found => {
                        for (i, shape) in shapes.iter().enumerate() {
                            self.compare(shape, &types[i], Passing::Value, &payload[i], state, out);
                        }
                    }
                    _ => out.push(format!("native {name}, model discriminant {found}")),
                }
            }
            (InputShape::Opaque(_), _) => {}
            _ => out.push(format!("harness: {shape:?} is no shape of {value:?}")),
        }
    }
}
