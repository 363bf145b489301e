//! A counterexample of the program before a pass, run on the program after it: where it still ends in a violation,
//! nothing needs to be searched.

use crate::program::interp::{self, Blind, Outcome, Script};
use crate::program::{Program, input_vars};
use crate::prove::portfolio::{self, Settings};
use crate::prove::{Counterexample, Deadline, Verdict};
use crate::term::{Value, Var};

/// Longest run that is worth replaying; longer ones are cheaper to find again.
const MAX_STEPS: u64 = 300_000;

/// A run that the accelerator jumped over, with the same inputs in the new program: it jumps again, and has nothing to
/// search for.
fn jump_over(
    after: &Program,
    inputs: &[(Var, Value)],
    deadline: &Deadline,
) -> Option<Counterexample> {
    let mut fixed = after.clone();
    for (v, value) in inputs {
        let Value::Bits(bits) = value else {
            return None;
        };
        let pool = &mut fixed.pool;
        let (t, sort) = (pool.var(*v), pool.var_info(*v).sort);
        let k = pool.constant(*bits, sort);
        let is_it = pool.eq(t, k);
        fixed.requires.push(is_it);
    }
    let settings = Settings {
        engines: vec!["accelerate".into()],
        ..Settings::default()
    };
    let answer = portfolio::prove_by(&fixed, &settings, &deadline.within_millis(3000));
    // Fewer inputs, same program: a run of the one is a run of the other.
    match answer.verdict {
        Verdict::Unsafe(c) => Some(c),
        _ => None,
    }
}

/// The counterexample over the new program's variables, if it runs to a violation there.
pub fn carry_over(
    before: &Program,
    c: &Counterexample,
    after: &Program,
    deadline: &Deadline,
) -> Option<Counterexample> {
    if before.inputs.len() != after.inputs.len() {
        return None;
    }
    let (mut old, mut new) = (vec![], vec![]);
    for (a, b) in before.inputs.iter().zip(&after.inputs) {
        input_vars(&a.shape, &mut old);
        input_vars(&b.shape, &mut new);
    }
    // The same source signature has the same leaves; a pass may have dropped some that nobody reads.
    if old.len() != new.len() {
        return None;
    }
    let mut state = interp::initial_state(after);
    let mut inputs = vec![];
    for (o, n) in old.iter().zip(&new) {
        if before.pool.var_info(*o).sort != after.pool.var_info(*n).sort {
            return None;
        }
        if let Some((_, value)) = c.inputs.iter().find(|(v, _)| v == o) {
            state[n.0 as usize] = value.clone();
            inputs.push((*n, value.clone()));
        }
    }
    if !c.executed {
        return jump_over(after, &inputs, deadline);
    }
    let mut script = Script::new(c.draws.clone());
    let run = interp::run(after, state, &mut script, MAX_STEPS, &mut Blind);
    match run.outcome {
        Outcome::Stopped(stop) if after.stops[stop].is_violation() => Some(Counterexample {
            inputs,
            draws: c.draws.clone(),
            stop,
            executed: true,
            steps: run.steps,
        }),
        _ => None,
    }
}
