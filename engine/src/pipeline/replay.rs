//! A counterexample of the program before a pass, run on the program after it: where it still ends in a violation,
//! nothing needs to be searched.

use crate::program::interp::{self, Blind, Outcome, Script};
use crate::program::{Program, input_vars};
use crate::prove::Counterexample;

/// Longest run that is worth replaying; longer ones are cheaper to find again.
const MAX_STEPS: u64 = 300_000;

/// The counterexample over the new program's variables, if it runs to a violation there.
pub fn carry_over(before: &Program, c: &Counterexample, after: &Program) -> Option<Counterexample> {
    if !c.executed || before.inputs.len() != after.inputs.len() {
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
