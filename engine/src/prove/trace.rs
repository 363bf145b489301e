//! From a symbolic run to a counterexample: values of inputs and draws are played through the whole graph.

use super::{Counterexample, Task};
use crate::program::Draw;
use crate::program::cpg::CutPoint;
pub use crate::program::input_vars;
use crate::term::{FastMap, Value, Var};
use petgraph::graph::{EdgeIndex, NodeIndex};
use petgraph::visit::EdgeRef;

/// One edge of a run, with the values of the draws made on it (by the edge's own draw variables).
#[derive(Clone, Debug, Default)]
pub struct Step {
    pub draws: FastMap<Var, Value>,
}

/// A run as an engine sees it: initial values, then the draws of each step. The edges follow by themselves.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    pub initial: FastMap<Var, Value>,
    pub steps: Vec<Step>,
}

/// Plays the trace through the unsliced graph; `Err` says why it is no counterexample.
pub fn play(task: &Task, trace: &Trace) -> Result<Counterexample, String> {
    let pool = &task.program.pool;
    let mut state: Vec<Value> = crate::program::interp::initial_state(&task.program);
    let mut holders = vec![];
    for input in &task.program.inputs {
        input_vars(&input.shape, &mut holders);
    }
    // What is no input has no value yet: zero here, and the interpreter agrees.
    for v in &holders {
        if let Some(value) = trace.initial.get(v) {
            state[v.0 as usize] = value.clone();
        }
    }
    let inputs: Vec<(Var, Value)> = holders
        .iter()
        .map(|v| (*v, state[v.0 as usize].clone()))
        .collect();
    let mut draws = vec![];
    let mut node = task.full.entry;
    for step in &trace.steps {
        for (v, value) in &step.draws {
            if let Some(slot) = state.get_mut(v.0 as usize) {
                *slot = value.clone();
            }
        }
        let Some((edge, to)) = enabled(task, node, &state) else {
            return Err("no edge is enabled".to_string());
        };
        let e = &task.full.graph[edge];
        let mut memo = FastMap::default();
        for d in &e.draws {
            if pool.eval_memo(d.when, &state, &mut memo).bits() == 0 {
                continue;
            }
            match &d.draw {
                Draw::Any => draws.push(state[d.var.0 as usize].clone()),
                Draw::Approximate(why) => return Err(format!("approximate: {why}")),
            }
        }
        match task.full.graph[to] {
            CutPoint::Stop(stop) => {
                return Ok(Counterexample {
                    inputs,
                    draws,
                    stop,
                    executed: false,
                    steps: 0,
                });
            }
            CutPoint::Exit => return Err("the run returns".to_string()),
            _ => {}
        }
        let new: Vec<(Var, Value)> = e
            .updates
            .iter()
            .map(|(v, t)| (*v, pool.eval_memo(*t, &state, &mut memo)))
            .collect();
        for (v, value) in new {
            state[v.0 as usize] = value;
        }
        node = to;
    }
    Err("the run does not end at a stop".to_string())
}

fn enabled(task: &Task, node: NodeIndex, state: &Vec<Value>) -> Option<(EdgeIndex, NodeIndex)> {
    let pool = &task.program.pool;
    let mut memo = FastMap::default();
    task.full
        .graph
        .edges(node)
        .find(|e| pool.eval_memo(e.weight().guard, state, &mut memo).bits() != 0)
        .map(|e| (e.id(), e.target()))
}
