//! The concrete interpreter of the program model: the oracle for counterexamples and for the lowering's tests.

use super::{BlockId, Draw, Program, Stmt, Terminator, texts};
use crate::term::{Value, Var};

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Returned,
    /// Index into `Program::stops`.
    Stopped(usize),
    /// An assumption was violated: not a run.
    Blocked,
    /// The budget of steps ran out.
    OutOfSteps,
    /// The script of arbitrary values ran out.
    OutOfDraws,
    /// The run depends on a value that the model only approximates.
    Approximate(String),
}

/// Supplies arbitrary values: a counterexample's script, or a random source.
pub trait Draws {
    /// The next value of a draw of `any()` for this variable.
    fn next(&mut self, program: &Program, var: Var) -> Option<Value>;
}

/// A fixed list of values.
pub struct Script {
    pub values: Vec<Value>,
    pub at: usize,
}

impl Script {
    pub fn new(values: Vec<Value>) -> Script {
        Script { values, at: 0 }
    }
}

impl Draws for Script {
    fn next(&mut self, _: &Program, _: Var) -> Option<Value> {
        let v = self.values.get(self.at).cloned();
        self.at += 1;
        v
    }
}

/// Sees the states of a run: traces for people, samples for invariants.
pub trait Observer {
    /// Control is at the start of this block.
    fn at(&mut self, block: BlockId, state: &[Value]);
}

/// Sees nothing.
pub struct Blind;
impl Observer for Blind {
    fn at(&mut self, _: BlockId, _: &[Value]) {}
}

/// A finished run: its end and the values of all variables (by handle).
pub struct Run {
    pub outcome: Outcome,
    pub state: Vec<Value>,
    pub last_block: BlockId,
    pub steps: u64,
    /// The values drawn by `any()`, in order.
    pub drawn: Vec<(Var, Value)>,
}

/// All variables zero, for the inputs to be filled in.
pub fn initial_state(program: &Program) -> Vec<Value> {
    (0..program.pool.n_vars())
        .map(|i| Value::zero(program.pool.var_info(Var(i as u32)).sort))
        .collect()
}

/// Runs from the entry. `state` holds the inputs; inputs outside `requires`, and texts that are none, give `Blocked`.
pub fn run(
    program: &Program,
    mut state: Vec<Value>,
    draws: &mut dyn Draws,
    max_steps: u64,
    observer: &mut dyn Observer,
) -> Run {
    let mut drawn = vec![];
    let mut block = program.entry;
    let mut steps = 0;
    let outcome = 'run: {
        if !texts::are_texts(&program.inputs, &state) {
            break 'run Outcome::Blocked;
        }
        for &r in &program.requires {
            if !program.pool.eval_bool(r, &state) {
                break 'run Outcome::Blocked;
            }
        }
        loop {
            observer.at(block, &state);
            let b = program.block(block);
            for stmt in &b.stmts {
                match stmt {
                    Stmt::Assign(v, t) => {
                        let value = program.pool.eval(*t, &state);
                        state[v.0 as usize] = value;
                    }
                    Stmt::Havoc(v, Draw::Any) => match draws.next(program, *v) {
                        Some(value) => {
                            drawn.push((*v, value.clone()));
                            state[v.0 as usize] = value;
                        }
                        None => break 'run Outcome::OutOfDraws,
                    },
                    Stmt::Havoc(_, Draw::Approximate(why)) => {
                        break 'run Outcome::Approximate(why.clone());
                    }
                    Stmt::Assume(c) => {
                        if !program.pool.eval_bool(*c, &state) {
                            break 'run Outcome::Blocked;
                        }
                    }
                }
            }
            steps += 1;
            if steps >= max_steps {
                break 'run Outcome::OutOfSteps;
            }
            match b.terminator {
                Terminator::Goto(t) => block = t,
                Terminator::Branch {
                    cond,
                    then,
                    otherwise,
                } => {
                    block = if program.pool.eval_bool(cond, &state) {
                        then
                    } else {
                        otherwise
                    };
                }
                Terminator::Return => break 'run Outcome::Returned,
                Terminator::Stop(s) => break 'run Outcome::Stopped(s),
                Terminator::Blocked => break 'run Outcome::Blocked,
            }
        }
    };
    Run {
        outcome,
        state,
        last_block: block,
        steps,
        drawn,
    }
}
