//! From a symbolic hit to a counterexample: short runs are expanded step by step, long ones replayed by jumps.

use super::graph::{Accelerated, Target};
use super::jump;
use super::unroll::Hit;
use crate::program::Draw;
use crate::program::cpg::CutPoint;
use crate::prove::trace::{self, Step, Trace};
use crate::prove::{Counterexample, Task};
use crate::smt::Deadline;
use crate::term::{FastMap, Value, Var};
use petgraph::graph::NodeIndex;
use petgraph::visit::EdgeRef;
use std::collections::BTreeSet;

/// Runs with more edges than this are not expanded.
const MAX_EXPANDED: u64 = 20_000;

pub fn concretise(
    task: &Task,
    graph: &Accelerated,
    hit: &Hit,
    deadline: &Deadline,
) -> Result<Counterexample, String> {
    match expand(task, graph, hit) {
        Ok(trace) => trace::play(task, &trace),
        Err(_) => by_jumps(task, graph, hit, deadline),
    }
}

fn initial(task: &Task, hit: &Hit) -> FastMap<Var, Value> {
    task.program
        .vars
        .iter()
        .filter_map(|v| Some((*v, hit.model.values.get(v)?.clone())))
        .collect()
}

/// The run as single steps of the graph; inner loops that the search completed are walked.
fn expand(task: &Task, graph: &Accelerated, hit: &Hit) -> Result<Trace, String> {
    let total: u128 = hit
        .steps
        .iter()
        .map(|s| s.count.unwrap_or(1))
        .fold(0, u128::saturating_add);
    if total > u128::from(MAX_EXPANDED) {
        return Err("too long".to_string());
    }
    let completed: BTreeSet<NodeIndex> = graph.completed.iter().map(|(n, _)| *n).collect();
    let mut trace = Trace {
        initial: initial(task, hit),
        steps: vec![],
    };
    let mut state = crate::program::interp::initial_state(&task.program);
    set(&mut state, &trace.initial);
    let mut node = task.cpg.entry;
    let pool = &task.program.pool;
    for s in &hit.steps {
        for _ in 0..s.count.unwrap_or(1) {
            set(&mut state, &s.draws);
            // One letter: edges until a node that the search knows.
            loop {
                if trace.steps.len() as u64 > MAX_EXPANDED {
                    return Err("too long".to_string());
                }
                let mut memo = FastMap::default();
                let taken = task
                    .cpg
                    .graph
                    .edges(node)
                    .find(|e| pool.eval_memo(e.weight().guard, &state, &mut memo).bits() != 0)
                    .ok_or("no edge is enabled")?;
                trace.steps.push(Step {
                    draws: s.draws.clone(),
                });
                let new: Vec<(Var, Value)> = taken
                    .weight()
                    .updates
                    .iter()
                    .map(|(v, t)| (*v, pool.eval_memo(*t, &state, &mut memo)))
                    .collect();
                for (v, value) in new {
                    state[v.0 as usize] = value;
                }
                node = taken.target();
                if !completed.contains(&node) {
                    break;
                }
            }
            if !matches!(task.cpg.graph[node], CutPoint::Head(_)) {
                return Ok(trace);
            }
        }
    }
    Ok(trace)
}

fn set(state: &mut [Value], values: &FastMap<Var, Value>) {
    for (v, value) in values {
        if let Some(slot) = state.get_mut(v.0 as usize) {
            *slot = value.clone();
        }
    }
}

/// The run with its loops jumped over; draws inside jumped loops cannot be listed.
fn by_jumps(
    task: &Task,
    graph: &Accelerated,
    hit: &Hit,
    deadline: &Deadline,
) -> Result<Counterexample, String> {
    let mut draws = vec![];
    for s in &hit.steps {
        let mv = &graph.moves[s.letter];
        let jumps = mv.kind.accelerator().is_some();
        for d in mv.draws.iter().filter(|d| d.draw == Draw::Any) {
            if jumps {
                return Err("a long loop with draws".to_string());
            }
            // Conditions of draws are looked at by the replay; a draw that is not made must not be listed.
            if !task.program.pool.is_true(d.when) && !matches!(mv.to, Target::Stop(_)) {
                return Err("a draw that may not happen, before a long loop".to_string());
            }
            let zero = Value::zero(task.program.pool.var_info(d.var).sort);
            draws.push(s.draws.get(&d.var).cloned().unwrap_or(zero));
        }
    }
    let given = initial(task, hit);
    let mut holders = vec![];
    for input in &task.program.inputs {
        trace::input_vars(&input.shape, &mut holders);
    }
    let inputs: Vec<(Var, Value)> = holders
        .iter()
        .map(|v| {
            let zero = Value::zero(task.program.pool.var_info(*v).sort);
            (*v, given.get(v).cloned().unwrap_or(zero))
        })
        .collect();
    let mut program = task.program.clone();
    let replay = jump::replay(&mut program, &task.cpg, graph, &inputs, &draws, deadline)?;
    if replay.stop != hit.stop {
        return Err("the replay ends at another stop".to_string());
    }
    Ok(Counterexample {
        inputs,
        draws,
        stop: replay.stop,
        executed: false,
        steps: replay.steps.saturating_add(replay.iterations),
    })
}
