//! A counterexample from a file, run again: its values are anybody's claim, and only the interpreter says what they do.

use super::{Model, prepare_reference, prepare_snapshot, witness};
use crate::capture::{Capture, Root};
use crate::program::interp::{self, Blind, Outcome};
use crate::program::machine::{Machine, World};
use crate::program::texts::repaired_inputs;
use crate::program::{Program, input_vars};
use crate::prove;
use crate::report::Counterexample;
use crate::term::{ArrayValue, Sort, Value, Var, mask};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Longest run of the interpreter; `witness` traces as many.
const INTERPRETED: u64 = 4_000_000;
/// Longest run of its compiled twin, as long as those that `certify` believes.
const COMPILED: u64 = 400_000_000;
/// More values than any counterexample has.
const MOST_VALUES: usize = 1 << 20;

/// Why a run is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum NotRerun {
    /// It does something else than it is said to.
    #[error("{0}")]
    Refuted(String),
    /// What it does cannot be found out here.
    #[error("{0}")]
    NotCheckable(String),
}

/// Most faults are refutations.
impl From<String> for NotRerun {
    fn from(why: String) -> Self {
        Self::Refuted(why)
    }
}

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
        let values = repaired_inputs(&program.inputs, &c.inputs);
        let input = |v: Var| {
            let found = values.iter().find(|(w, _)| *w == v);
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
                let at = pairs.collect::<Result<_, String>>()?;
                Value::Array(Arc::new(ArrayValue::new(number(default)?, at)))
            }
        })
    }
}

/// Runs the values on the snapshot of this number (`reference`, `3-2-016`). The error says why it is no counterexample, or
/// why nobody can say so here.
pub fn rerun(
    capture: &Capture,
    root: &Root,
    number: &str,
    values: &RunValues,
) -> Result<Counterexample, NotRerun> {
    let mut last = rerun_in(capture, root, number, values, Model::default());
    let others = [false, true].into_iter().flat_map(|first_call| {
        let models = [(false, false), (true, false), (false, true), (true, true)];
        models.map(|(rows, even)| (first_call, rows, even))
    });
    for (first_call, rows_everywhere, even_recursion) in others.skip(1) {
        let Err(NotRerun::NotCheckable(_)) = last else {
            break;
        };
        let model = Model {
            rows_everywhere,
            even_recursion,
            first_call,
            ..Model::default()
        };
        last = rerun_in(capture, root, number, values, model);
    }
    last
}

/// The same in one of the models that a root may be verified in.
fn rerun_in(
    capture: &Capture,
    root: &Root,
    number: &str,
    values: &RunValues,
    model: Model,
) -> Result<Counterexample, NotRerun> {
    let unmade = |e: super::SnapshotError| NotRerun::NotCheckable(e.to_string());
    let (reference, crate_mir) = prepare_reference(capture, root, model).map_err(unmade)?;
    if number == "reference" {
        return run(&reference.program, values, "reference");
    }
    let snapshots = capture.snapshots(&root.function);
    let snapshots = snapshots.map_err(|e| unmade(e.into()))?;
    let snapshot = snapshots.iter().find(|s| s.number == number);
    let snapshot = snapshot.ok_or_else(|| format!("there is no snapshot {number}"))?;
    let prepared = prepare_snapshot(capture, root, snapshot, &crate_mir, model).map_err(unmade)?;
    run(&prepared.program, values, &snapshot.name)
}

fn run(program: &Program, values: &RunValues, stage: &str) -> Result<Counterexample, NotRerun> {
    let refuted = |why: &str| Err(NotRerun::Refuted(why.into()));
    let leaves = leaves(program);
    if leaves.len() != values.inputs.len() || values.draws.len() > MOST_VALUES {
        return refuted("the run has inputs of another function");
    }
    let mut inputs = vec![];
    for (v, value) in leaves.into_iter().zip(&values.inputs) {
        let value = value.read()?;
        if !fits(&value, program.pool.var_info(v).sort) {
            return refuted("the run has an input that is no value of its type");
        }
        inputs.push((v, value));
    }
    let draws = values.draws.iter().map(RunValue::read);
    let draws: Vec<Value> = draws.collect::<Result<_, String>>()?;
    let ended = execute(program, &inputs, &draws);
    if !ended.fits {
        return refuted("the run draws what is no value of its type");
    }
    let unclear = |why: String| Err(NotRerun::NotCheckable(why));
    let stop = match ended.outcome {
        Outcome::Stopped(stop) if program.stops[stop].is_violation() => stop,
        Outcome::Stopped(_) => return unclear("the run leaves the model".into()),
        Outcome::Returned => return refuted("the run returns, without a violation"),
        Outcome::Blocked => return refuted("the run violates an assumption"),
        Outcome::OutOfSteps => {
            return unclear(format!(
                "the run has more than {} million steps, too many to be run again",
                COMPILED / 1_000_000
            ));
        }
        Outcome::OutOfDraws => return refuted("the run draws more values than there are"),
        Outcome::Approximate(what) => return unclear(format!("the run depends on {what}")),
    };
    if ended.drawn != draws.len() {
        return refuted("the run draws fewer values than there are");
    }
    let c = prove::Counterexample {
        inputs,
        draws,
        stop,
        executed: true,
        steps: ended.steps,
    };
    let mut described = witness::describe(program, &c)?;
    described.pass = Some(stage.to_string());
    Ok(described)
}

/// How a run ended.
struct Ended {
    outcome: Outcome,
    steps: u64,
    drawn: usize,
    /// Was everything that was drawn a value of its sort?
    fits: bool,
}

/// The interpreter, and its compiled twin for what is too long for it.
fn execute(program: &Program, inputs: &[(Var, Value)], draws: &[Value]) -> Ended {
    let mut state = interp::initial_state(program);
    for (v, value) in inputs {
        state[v.0 as usize] = value.clone();
    }
    let mut checked = Checked::new(draws);
    let run = interp::run(program, state, &mut checked, INTERPRETED, &mut Blind);
    let (mut outcome, mut steps) = (run.outcome, run.steps);
    if outcome == Outcome::OutOfSteps {
        checked = Checked::new(draws);
        let machine = Machine::of(program, &[]);
        (outcome, _, steps) = machine.run(inputs, &mut checked, COMPILED);
    }
    Ended {
        outcome,
        steps,
        drawn: checked.drawn,
        fits: checked.fits,
    }
}

fn leaves(program: &Program) -> Vec<Var> {
    let mut all = vec![];
    for input in &program.inputs {
        input_vars(&input.shape, &mut all);
    }
    all
}

/// A script whose values must be of the sorts that are drawn.
struct Checked<'a> {
    draws: &'a [Value],
    drawn: usize,
    fits: bool,
}

impl<'a> Checked<'a> {
    fn new(draws: &'a [Value]) -> Self {
        Self {
            draws,
            drawn: 0,
            fits: true,
        }
    }
}

impl World for Checked<'_> {
    fn draw(&mut self, _: Var, sort: Sort) -> Option<Value> {
        let value = self.draws.get(self.drawn)?;
        if !fits(value, sort) {
            self.fits = false;
            return None;
        }
        self.drawn += 1;
        Some(value.clone())
    }
}

impl interp::Draws for Checked<'_> {
    fn next(&mut self, program: &Program, var: Var) -> Option<Value> {
        self.draw(var, program.pool.var_info(var).sort)
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
