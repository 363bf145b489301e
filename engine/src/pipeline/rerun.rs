//! A counterexample from a file, run again: its values are anybody's claim, and only the interpreter says what they do.

use super::{prepare_reference, prepare_snapshot, witness};
use crate::capture::{Capture, Root};
use crate::program::interp::{self, Blind, Outcome, Script};
use crate::program::{Program, input_vars};
use crate::prove;
use crate::report::Counterexample;
use crate::term::{ArrayValue, Sort, Value, Var, mask};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Longest run that is run again; `witness` traces as many.
const MAX_STEPS: u64 = 4_000_000;
/// More values than any counterexample has.
const MOST_VALUES: usize = 1 << 20;

/// The values of a run: the leaves of the inputs in the order of the signature, then what `any()` draws.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunValues {
    pub inputs: Vec<RunValue>,
    pub draws: Vec<RunValue>,
}

/// Numbers are decimal, as bits without a sign.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RunValue {
    Bits(String),
    Array {
        default: String,
        at: BTreeMap<String, String>,
    },
}

impl RunValues {
    pub fn of(program: &Program, c: &prove::Counterexample) -> RunValues {
        let input = |v: Var| {
            let found = c.inputs.iter().find(|(w, _)| *w == v);
            let zero = || Value::zero(program.pool.var_info(v).sort);
            RunValue::of(&found.map_or_else(zero, |(_, value)| value.clone()))
        };
        RunValues {
            inputs: leaves(program).into_iter().map(input).collect(),
            draws: c.draws.iter().map(RunValue::of).collect(),
        }
    }
}

impl RunValue {
    fn of(value: &Value) -> RunValue {
        match value {
            Value::Bits(b) => RunValue::Bits(b.to_string()),
            Value::Array(a) => RunValue::Array {
                default: a.default.to_string(),
                at: (a.at.iter())
                    .map(|(i, b)| (i.to_string(), b.to_string()))
                    .collect(),
            },
        }
    }

    fn read(&self) -> Result<Value, String> {
        let number = |text: &String| {
            let read = text.parse::<u128>();
            read.map_err(|_| format!("`{text}` is not a value"))
        };
        Ok(match self {
            RunValue::Bits(b) => Value::Bits(number(b)?),
            RunValue::Array { default, at } => {
                let pairs = at.iter().map(|(i, b)| Ok((number(i)?, number(b)?)));
                Value::Array(Arc::new(ArrayValue {
                    default: number(default)?,
                    at: pairs.collect::<Result<_, String>>()?,
                }))
            }
        })
    }
}

/// Runs the values on the snapshot of this number (`reference`, `3-2-016`). The error says why it is no counterexample.
pub fn rerun(
    capture: &Capture,
    root: &Root,
    number: &str,
    values: &RunValues,
) -> Result<Counterexample, String> {
    let (reference, crate_mir) = prepare_reference(capture, root).map_err(|e| e.to_string())?;
    if number == "reference" {
        return run(&reference.program, values, "reference");
    }
    let snapshots = capture.snapshots(&root.function);
    let snapshot = snapshots.iter().find(|s| s.number == number);
    let snapshot = snapshot.ok_or_else(|| format!("there is no snapshot {number}"))?;
    let prepared = prepare_snapshot(capture, root, snapshot, &crate_mir);
    let prepared = prepared.map_err(|e| e.to_string())?;
    run(&prepared.program, values, &snapshot.name)
}

fn run(program: &Program, values: &RunValues, stage: &str) -> Result<Counterexample, String> {
    let leaves = leaves(program);
    if leaves.len() != values.inputs.len() || values.draws.len() > MOST_VALUES {
        return Err("the run has inputs of another function".into());
    }
    let mut state = interp::initial_state(program);
    let mut inputs = vec![];
    for (v, value) in leaves.into_iter().zip(&values.inputs) {
        let value = value.read()?;
        if !fits(&value, program.pool.var_info(v).sort) {
            return Err("the run has an input that is no value of its type".into());
        }
        state[v.0 as usize] = value.clone();
        inputs.push((v, value));
    }
    let draws: Vec<Value> = values
        .draws
        .iter()
        .map(RunValue::read)
        .collect::<Result<_, String>>()?;
    let mut script = Checked {
        script: Script::new(draws.clone()),
        fits: true,
    };
    let run = interp::run(program, state, &mut script, MAX_STEPS, &mut Blind);
    if !script.fits {
        return Err("the run draws what is no value of its type".into());
    }
    let stop = match run.outcome {
        Outcome::Stopped(stop) if program.stops[stop].is_violation() => stop,
        Outcome::Stopped(_) => return Err("the run leaves the model".into()),
        Outcome::Returned => return Err("the run returns, without a violation".into()),
        Outcome::Blocked => return Err("the run violates an assumption".into()),
        Outcome::OutOfSteps => return Err("the run is too long to be run again".into()),
        Outcome::OutOfDraws => return Err("the run draws more values than there are".into()),
        Outcome::Approximate(what) => return Err(format!("the run depends on {what}")),
    };
    if run.drawn.len() != draws.len() {
        return Err("the run draws fewer values than there are".into());
    }
    let c = prove::Counterexample {
        inputs,
        draws,
        stop,
        executed: true,
        steps: run.steps,
    };
    let mut described = witness::describe(program, &c)?;
    described.pass = Some(stage.to_string());
    Ok(described)
}

fn leaves(program: &Program) -> Vec<Var> {
    let mut all = vec![];
    for input in &program.inputs {
        input_vars(&input.shape, &mut all);
    }
    all
}

/// A script whose values must be of the sorts that are drawn.
struct Checked {
    script: Script,
    fits: bool,
}

impl interp::Draws for Checked {
    fn next(&mut self, program: &Program, var: Var) -> Option<Value> {
        let sort = program.pool.var_info(var).sort;
        let value = self.script.next(program, var)?;
        if fits(&value, sort) {
            return Some(value);
        }
        self.fits = false;
        None
    }
}

fn fits(value: &Value, sort: Sort) -> bool {
    let within = |bits: u128, width: u32| bits <= mask(width);
    match (value, sort) {
        (Value::Bits(b), Sort::Bool) => *b <= 1,
        (Value::Bits(b), Sort::Bv(w)) => within(*b, w),
        (Value::Array(a), Sort::Array { elem, .. }) => {
            // an element of one bit is a boolean
            let elem = elem.max(1);
            within(a.default, elem) && a.at.values().all(|b| within(*b, elem))
        }
        _ => false,
    }
}
