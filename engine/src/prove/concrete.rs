//! Concrete runs on boundary and random values: shallow bugs at once, and samples for guessing invariants.
//!
//! Deterministic: the generator's seed is fixed. Values are drawn from the program's own constants and their
//! neighbours, from the ends of the range, from small numbers, and at random.

use super::interest::{Interest, interest};
use super::{Counterexample, Deadline, Task, trace};
use crate::program::BlockId;
use crate::program::cpg::CutPoint;
use crate::program::interp::Outcome;
use crate::program::machine::{Machine, State, World};
use crate::program::texts::of_inputs;
use crate::term::{ArrayValue, Node, Sort, Value, Var, mask};
use petgraph::graph::NodeIndex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// xorshift64*: small, fast, the same everywhere.
#[derive(Clone)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(2).wrapping_add(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn any(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        (self.any() >> 33) % n.max(1)
    }
}

/// States seen at heads: values of the scalar variables that are live there, in the order of `vars`.
#[derive(Clone, Default, Debug)]
pub struct Samples {
    pub vars: Vec<Var>,
    pub rows: Vec<Vec<u128>>,
}

pub struct Findings {
    pub violation: Option<Counterexample>,
    pub samples: BTreeMap<NodeIndex, Samples>,
    /// Runs that ended by themselves, and runs in all.
    pub finished: usize,
    pub runs: usize,
    /// How often a run was at the same head, at most; nothing if a run did not end.
    pub longest: Option<u64>,
    /// Where runs left the model.
    pub left: BTreeSet<usize>,
}

/// Arbitrary values that programs tend to care about.
pub struct Values<'a> {
    pub random: Random,
    pub constants: &'a [u128],
    /// What single variables are compared with.
    pub interest: &'a Interest,
    /// How wild this run's values are: 0 small, 1 constants of the program, 2 anything.
    pub mood: u64,
}

struct Run<'a> {
    values: Values<'a>,
    draws: Vec<Value>,
    nodes: &'a BTreeMap<BlockId, NodeIndex>,
    samples: &'a mut BTreeMap<NodeIndex, Samples>,
    seen: BTreeMap<NodeIndex, u64>,
    limits: &'a Limits,
    deadline: &'a Deadline,
    ticks: u64,
}

/// Runs that are few, and the time that they may take in any case.
const FEW: usize = 40;
const PATIENCE_MS: u64 = 120;

/// Runs until the deadline or until enough was seen.
pub fn concrete(task: &Task, seed: u64, max_runs: usize, deadline: &Deadline) -> Findings {
    concrete_rows(task, seed, max_runs, 400, deadline)
}

/// As `concrete`; on a busy machine the time may be over before anything was seen, so a few runs are made in any case.
pub fn patient(task: &Task, seed: u64, max_runs: usize, deadline: &Deadline) -> Findings {
    let first = concrete(task, seed, max_runs, deadline);
    let enough = max_runs.min(FEW);
    if first.runs >= enough || first.violation.is_some() || !deadline.passed() {
        return first;
    }
    concrete(task, seed, enough, &deadline.at_least_millis(PATIENCE_MS))
}

/// As `concrete`, keeping up to `max_rows` states for each head.
pub fn concrete_rows(
    task: &Task,
    seed: u64,
    max_runs: usize,
    max_rows: usize,
    deadline: &Deadline,
) -> Findings {
    let limits = Limits {
        rows: max_rows,
        steps: 100_000,
        draws: 20_000,
    };
    runs(task, seed, max_runs, &limits, deadline)
}

/// A few runs to their ends, however long: loops of a million rounds, and assertions behind them.
pub fn long(task: &Task, seed: u64, deadline: &Deadline) -> Option<Counterexample> {
    let limits = Limits {
        rows: 0,
        steps: 200_000_000,
        draws: 1_000_000,
    };
    // one that does not end leaves time for others
    for share in [4, 3, 2, 1] {
        let within = deadline.part(share);
        let found = runs(task, seed + u64::from(share), 4, &limits, &within);
        if found.violation.is_some() || deadline.passed() {
            return found.violation;
        }
    }
    None
}

/// How many states of a head are kept, and how long a run may be.
struct Limits {
    rows: usize,
    steps: u64,
    draws: usize,
}

fn runs(task: &Task, seed: u64, max_runs: usize, limits: &Limits, deadline: &Deadline) -> Findings {
    let program = &task.program;
    let (nodes, mut samples) = watch_heads(task);
    let watched: Vec<BlockId> = nodes.keys().copied().collect();
    let machine = Machine::of(program, &watched);
    let constants = constants(task);
    let interest = interest(&task.program);
    let texts = of_inputs(&program.inputs);
    let mut inputs = vec![];
    for i in &program.inputs {
        trace::input_vars(&i.shape, &mut inputs);
    }
    let mut out = Findings {
        violation: None,
        samples: BTreeMap::new(),
        finished: 0,
        runs: 0,
        longest: Some(0),
        left: BTreeSet::new(),
    };
    while out.runs < max_runs && !deadline.passed() {
        out.runs += 1;
        let mut run = Run {
            values: Values {
                random: Random::new(seed.wrapping_add(out.runs as u64 * 0x1234_5677)),
                constants: &constants,
                interest: &interest,
                mood: (out.runs % 4) as u64,
            },
            draws: vec![],
            nodes: &nodes,
            samples: &mut samples,
            seen: BTreeMap::new(),
            limits,
            deadline,
            ticks: 0,
        };
        let mut values: Vec<(Var, Value)> = inputs
            .iter()
            .map(|&v| (v, run.values.of(v, program.pool.var_info(v).sort)))
            .collect();
        for &(len, bytes) in &texts {
            let (n, content) = run.values.text();
            for (v, value) in &mut values {
                if *v == len {
                    *value = Value::Bits(n);
                } else if *v == bytes {
                    *value = Value::Array(Arc::new(content.clone()));
                }
            }
        }
        let (outcome, _, steps) = machine.run(&values, &mut run, limits.steps);
        let draws = run.draws;
        let most = run.seen.values().copied().max().unwrap_or(0);
        out.longest = out.longest.map(|l| l.max(most));
        match outcome {
            Outcome::Stopped(stop) if program.stops[stop].is_violation() => {
                out.violation = Some(Counterexample {
                    inputs: values,
                    draws,
                    stop,
                    executed: false,
                    steps,
                });
                break;
            }
            Outcome::OutOfSteps => out.longest = None,
            Outcome::Stopped(stop) => {
                out.left.insert(stop);
                out.finished += 1;
            }
            _ => out.finished += 1,
        }
        // Without any choice all runs are the same.
        if inputs.is_empty() && draws.is_empty() {
            break;
        }
    }
    out.samples = samples;
    out
}

/// The heads by their blocks, and empty samples of what is live there.
fn watch_heads(task: &Task) -> (BTreeMap<BlockId, NodeIndex>, BTreeMap<NodeIndex, Samples>) {
    let live = super::slice::live(&task.program, &task.cpg);
    let mut samples = BTreeMap::new();
    let mut nodes = BTreeMap::new();
    for n in task.cpg.heads() {
        let CutPoint::Head(b) = task.cpg.graph[n] else {
            continue;
        };
        nodes.insert(b, n);
        let vars = live
            .get(&n)
            .into_iter()
            .flatten()
            .copied()
            .filter(|v| !task.program.pool.var_info(*v).sort.is_array())
            .collect();
        samples.insert(n, Samples { vars, rows: vec![] });
    }
    (nodes, samples)
}

/// Continues from a state at a head; the machine must watch the heads.
pub fn from(
    task: &Task,
    machine: &Machine,
    block: BlockId,
    state: &[(Var, Value)],
    seed: u64,
    runs: u64,
) -> BTreeMap<NodeIndex, Samples> {
    let (nodes, mut samples) = watch_heads(task);
    let constants = constants(task);
    let interest = interest(&task.program);
    let deadline = Deadline::after_millis(20);
    let limits = Limits {
        rows: 400,
        steps: 2000,
        draws: 20_000,
    };
    for k in 0..runs {
        let mut run = Run {
            values: Values {
                random: Random::new(seed.wrapping_mul(31).wrapping_add(k)),
                constants: &constants,
                interest: &interest,
                mood: k % 4,
            },
            draws: vec![],
            nodes: &nodes,
            samples: &mut samples,
            seen: BTreeMap::new(),
            limits: &limits,
            deadline: &deadline,
            ticks: 0,
        };
        machine.run_from(block, state, &mut run, limits.steps);
    }
    samples
}

/// The numbers that the program's edges mention, with their neighbours.
pub fn constants(task: &Task) -> Vec<u128> {
    let pool = &task.program.pool;
    let mut out = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut todo = vec![];
    for e in task.cpg.graph.edge_weights() {
        todo.push(e.guard);
        todo.extend(e.updates.values());
    }
    while let Some(t) = todo.pop() {
        if !seen.insert(t) {
            continue;
        }
        if let (Node::Const(c), Sort::Bv(w)) = (pool.node(t), pool.sort(t)) {
            out.insert(*c);
            out.insert(c.wrapping_neg() & mask(w));
        }
        todo.extend(pool.children(t));
    }
    out.into_iter().take(64).collect()
}

impl Values<'_> {
    /// A value of this variable: often one that the program asks for.
    pub fn of(&mut self, var: Var, sort: Sort) -> Value {
        let interest: &[u128] = match self.interest.get(&var) {
            Some(constants) if self.mood != 3 => constants,
            _ => &[],
        };
        let random = &mut self.random;
        let mut asked_for = |w: u32| {
            if interest.is_empty() || random.below(2) == 0 {
                return None;
            }
            let c = interest[random.below(interest.len() as u64) as usize];
            let beside = [0, 0, 0, 0, 0, 0, 1, u128::MAX][random.below(8) as usize];
            Some(c.wrapping_add(beside) & mask(w))
        };
        match sort {
            Sort::Bv(w) if w > 1 => {
                if let Some(c) = asked_for(w) {
                    return Value::Bits(c);
                }
                self.any(sort)
            }
            Sort::Array { elem, .. } if elem > 1 && !interest.is_empty() => {
                let wanted: Vec<Option<u128>> = (0..12).map(|_| asked_for(elem)).collect();
                let Value::Array(a) = self.any(sort) else {
                    return self.any(sort);
                };
                let mut a = (*a).clone();
                for (i, c) in wanted.into_iter().enumerate() {
                    if let Some(c) = c {
                        a.at.insert(i as u128, c);
                    }
                }
                Value::Array(Arc::new(a))
            }
            _ => self.any(sort),
        }
    }

    pub fn any(&mut self, sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bits(u128::from(self.random.below(2))),
            Sort::Bv(w) => Value::Bits(self.bits(w)),
            Sort::Array { elem, .. } => {
                let w = if elem == 0 { 1 } else { elem };
                let default = match self.random.below(2) {
                    0 => 0,
                    _ => self.bits(w),
                };
                let mut a = ArrayValue::new(default, BTreeMap::new());
                for i in 0..self.random.below(12) {
                    let v = self.bits(w);
                    a.at.insert(u128::from(i), v);
                }
                Value::Array(Arc::new(a))
            }
        }
    }

    /// A short text of letters, and of characters that the program mentions; its length and its bytes.
    pub fn text(&mut self) -> (u128, ArrayValue) {
        let mut text = String::new();
        for _ in 0..self.random.below(8) {
            let number = match self.random.below(3) {
                0 => 0x20 + self.random.below(0x60) as u32,
                _ => self.bits(32) as u32,
            };
            text.extend(char::from_u32(number % 0x11_0000));
        }
        let bytes = text.bytes().map(u128::from);
        let content = ArrayValue::new(0, (0..).zip(bytes).collect());
        (text.len() as u128, content)
    }

    fn bits(&mut self, w: u32) -> u128 {
        if w == 1 {
            return u128::from(self.random.below(2));
        }
        let m = mask(w);
        let pick = self.random.below(8);
        let v = match (self.mood, pick) {
            (0 | 1, 0..=5) => u128::from(self.random.below(8)),
            (2, 0..=4) | (_, 6) if !self.constants.is_empty() => {
                let c = self.constants[self.random.below(self.constants.len() as u64) as usize];
                // some rounds of what takes so much in each
                let times = [1, 1, 1, 1, 1, 2, 3, 5][self.random.below(8) as usize];
                c.wrapping_mul(times)
                    .wrapping_add(u128::from(self.random.below(3)))
                    .wrapping_sub(1)
            }
            (3, 0..=1) => u128::from(self.random.below(200)),
            (_, 7) => match self.random.below(5) {
                0 => m,
                1 => m >> 1,
                2 => (m >> 1) + 1,
                3 => m - u128::from(self.random.below(8)),
                _ => 0,
            },
            _ => u128::from(self.random.any()) | u128::from(self.random.any()) << 64,
        };
        v & m
    }
}

impl World for Run<'_> {
    fn draw(&mut self, var: Var, sort: Sort) -> Option<Value> {
        if self.draws.len() > self.limits.draws {
            return None;
        }
        let v = self.values.of(var, sort);
        self.draws.push(v.clone());
        Some(v)
    }

    fn watch(&mut self, block: BlockId, state: &State, machine: &Machine) -> bool {
        self.ticks += 1;
        if self.ticks.is_multiple_of(256) && self.deadline.passed() {
            return false;
        }
        let Some(node) = self.nodes.get(&block) else {
            return true;
        };
        let n = self.seen.entry(*node).or_default();
        *n += 1;
        // The first rounds of a loop, then ever fewer.
        if *n <= 12 || n.is_power_of_two() || ((*n).is_multiple_of(37) && *n < 1000) {
            let s = self.samples.get_mut(node);
            if let Some(s) = s
                && s.rows.len() < self.limits.rows
            {
                let row = s.vars.iter().map(|v| machine.scalar(state, *v)).collect();
                s.rows.push(row);
            }
        }
        true
    }
}
