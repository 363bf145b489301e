//! Two programs run on the same values: differences that runs show, and which loop heads go together.
//!
//! Both sides read the values of `any()` from one list, in the order in which each of them draws. A value is kept
//! with all its bits and cut to the width that is asked for, as in the product.

use super::outputs::{self, InputPair};
use crate::program::cpg::CutPoint;
use crate::program::interp::{self, Blind, Draws, Outcome};
use crate::program::machine::{Machine, State, World};
use crate::program::wto::Wto;
use crate::program::{BlockId, Program, Stmt, Terminator};
use crate::prove::Deadline;
use crate::prove::concrete::{Random, Values};
use crate::prove::interest::{Interest, interest};
use crate::term::{FastSet, Node, Sort, Term, Value, Var, mask};
use std::collections::BTreeSet;

const MAX_BLOCKS: u64 = 100_000;
/// Runs up to this length are repeated by the oracle, longer ones by the compiled interpreter alone.
const ORACLE_BLOCKS: u64 = 20_000;
const MAX_DRAWS: usize = 20_000;

/// Values of variables of one side.
type Assigned = Vec<(Var, Value)>;

/// An input on which both programs were run, with different ends.
#[derive(Clone, Debug)]
pub struct Difference {
    pub inputs_before: Assigned,
    pub inputs_after: Assigned,
    /// What `any()` gave, in order.
    pub draws: Vec<Value>,
    pub state_before: Vec<Value>,
    pub end_after: End,
}

#[derive(Clone, Debug)]
pub enum End {
    Returned(Vec<Value>),
    /// The run does not get past an assumption that held before the pass.
    Blocked,
    /// Index into the stops of the program after the pass.
    Stopped(usize),
}

pub struct Twin<'a> {
    before: &'a Program,
    after: &'a Program,
    machines: (Machine, Machine),
    heads: (Vec<BlockId>, Vec<BlockId>),
    inputs: Vec<InputPair>,
    constants: Vec<u128>,
    /// What variables of the program before are compared with.
    interest: Interest,
}

/// Values for `any()`, shared by both sides; more are made when the list is too short.
struct Tape<'a> {
    values: &'a mut Vec<u128>,
    at: usize,
    source: Option<&'a mut Values<'a>>,
    drawn: Vec<Value>,
    visits: Vec<BlockId>,
}

impl Tape<'_> {
    fn next(&mut self, sort: Sort) -> Option<Value> {
        if self.at == self.values.len() {
            let source = self.source.as_mut()?;
            if self.at >= MAX_DRAWS {
                return None;
            }
            let v = source.any(sort).bits();
            self.values.push(v);
        }
        let all = self.values[self.at];
        self.at += 1;
        let bits = match sort {
            Sort::Bool => all & 1,
            Sort::Bv(w) => all & mask(w),
            Sort::Array { .. } => return None,
        };
        self.drawn.push(Value::Bits(bits));
        Some(Value::Bits(bits))
    }
}

impl World for Tape<'_> {
    fn draw(&mut self, _: Var, sort: Sort) -> Option<Value> {
        self.next(sort)
    }

    fn watch(&mut self, block: BlockId, _: &State, _: &Machine) -> bool {
        if self.visits.len() < 400 {
            self.visits.push(block);
        }
        true
    }
}

impl Draws for Tape<'_> {
    fn next(&mut self, program: &Program, var: Var) -> Option<Value> {
        Tape::next(self, program.pool.var_info(var).sort)
    }
}

/// One run of one side.
struct Ran {
    outcome: Outcome,
    state: Vec<Value>,
    drawn: Vec<Value>,
    visits: Vec<BlockId>,
    blocks: u64,
    /// Does it have bits that Rust leaves open, as those of a NaN?
    is_open: bool,
}

impl<'a> Twin<'a> {
    pub fn of(before: &'a Program, after: &'a Program) -> Result<Twin<'a>, String> {
        let inputs = outputs::inputs(before, after)?;
        let heads = (Wto::of(before).heads(), Wto::of(after).heads());
        let mut constants = BTreeSet::new();
        mentioned(before, &mut constants);
        mentioned(after, &mut constants);
        Ok(Twin {
            machines: (Machine::of(before, &heads.0), Machine::of(after, &heads.1)),
            heads,
            before,
            after,
            inputs,
            constants: constants.into_iter().take(96).collect(),
            interest: interest(before),
        })
    }

    /// Random runs until a difference is found.
    pub fn search(&self, seed: u64, runs: u64, deadline: &Deadline) -> Option<Difference> {
        for k in 0..runs {
            if deadline.passed() {
                return None;
            }
            let (inputs, mut tape, mut values) = self.values(seed, k);
            if let Some(d) = self.compare(&inputs, &mut tape, Some(&mut values)) {
                return Some(self.shrunk(inputs, d));
            }
        }
        None
    }

    fn values(&self, seed: u64, k: u64) -> (Vec<Value>, Vec<u128>, Values<'_>) {
        let mut values = Values {
            random: Random::new(seed.wrapping_mul(0x51_7cc1).wrapping_add(k * 0x1234_5677)),
            constants: &self.constants,
            interest: &self.interest,
            mood: k % 4,
        };
        let inputs = self
            .inputs
            .iter()
            .map(|p| match p.0 {
                Some(v) => values.of(v, self.sort(p)),
                None => values.any(self.sort(p)),
            })
            .collect();
        (inputs, vec![], values)
    }

    fn sort(&self, pair: &InputPair) -> Sort {
        match pair {
            (Some(v), _) => self.before.pool.var_info(*v).sort,
            (None, Some(v)) => self.after.pool.var_info(*v).sort,
            (None, None) => Sort::Bool,
        }
    }

    /// The values of the inputs, for each side by its own variables.
    fn split(&self, inputs: &[Value]) -> (Assigned, Assigned) {
        let (mut a, mut b) = (vec![], vec![]);
        for ((x, y), value) in self.inputs.iter().zip(inputs) {
            a.extend(x.map(|v| (v, value.clone())));
            b.extend(y.map(|v| (v, value.clone())));
        }
        (a, b)
    }

    fn run(
        &self,
        is_before: bool,
        inputs: &[(Var, Value)],
        tape: &mut Vec<u128>,
        source: Option<&mut Values<'_>>,
    ) -> Ran {
        let (program, machine) = if is_before {
            (self.before, &self.machines.0)
        } else {
            (self.after, &self.machines.1)
        };
        let mut own = source.map(|s| Values {
            random: s.random.clone(),
            constants: s.constants,
            interest: s.interest,
            mood: s.mood,
        });
        let mut world = Tape {
            values: tape,
            at: 0,
            source: own.as_mut(),
            drawn: vec![],
            visits: vec![],
        };
        let (outcome, state, blocks) = machine.run(inputs, &mut world, MAX_BLOCKS);
        let n = program.pool.n_vars();
        let is_open = state.is_open;
        let state = match outcome {
            Outcome::Returned => (0..n)
                .map(|i| machine.value(&state, Var(i as u32)))
                .collect(),
            _ => vec![],
        };
        Ran {
            outcome,
            state,
            drawn: world.drawn,
            visits: world.visits,
            blocks,
            is_open,
        }
    }

    /// Runs both on these inputs; the oracle has the last word.
    pub fn compare(
        &self,
        inputs: &[Value],
        tape: &mut Vec<u128>,
        mut source: Option<&mut Values<'_>>,
    ) -> Option<Difference> {
        let (a, b) = self.split(inputs);
        let before = self.run(true, &a, tape, source.as_deref_mut());
        if before.outcome != Outcome::Returned {
            return None;
        }
        let after = self.run(false, &b, tape, source);
        if before.is_open || after.is_open {
            return None;
        }
        self.end(&before.state, &after.outcome, &after.state)?;
        // Again, in the interpreter that everything else is measured by.
        let (mut state_before, mut outcome, mut state_after) =
            (before.state, after.outcome, after.state);
        if before.blocks <= ORACLE_BLOCKS && after.blocks <= ORACLE_BLOCKS {
            let first = oracle(self.before, &a, tape);
            let second = oracle(self.after, &b, tape);
            if first.outcome != Outcome::Returned {
                return None;
            }
            (state_before, outcome, state_after) = (first.state, second.outcome, second.state);
        }
        let end_after = self.end(&state_before, &outcome, &state_after)?;
        Some(Difference {
            inputs_before: a,
            inputs_after: b,
            draws: before.drawn,
            state_before,
            end_after,
        })
    }

    fn end(&self, before: &[Value], outcome: &Outcome, after: &[Value]) -> Option<End> {
        match outcome {
            Outcome::Returned => outputs::states_differ((self.before, before), (self.after, after))
                .then(|| End::Returned(after.to_vec())),
            Outcome::Blocked => Some(End::Blocked),
            Outcome::Stopped(s) if self.after.stops[*s].is_violation() => Some(End::Stopped(*s)),
            _ => None,
        }
    }

    /// Smaller values, one input at a time.
    fn shrunk(&self, mut inputs: Vec<Value>, mut found: Difference) -> Difference {
        let mut tape: Vec<u128> = found.draws.iter().map(Value::bits).collect();
        for i in 0..inputs.len() {
            for small in smaller(&inputs[i]) {
                let mut next = inputs.clone();
                next[i] = small;
                if let Some(d) = self.compare(&next, &mut tape.clone(), None) {
                    (inputs, found) = (next, d);
                    break;
                }
            }
        }
        for i in 0..tape.len().min(64) {
            for small in smaller(&Value::Bits(tape[i])) {
                let mut next = tape.clone();
                next[i] = small.bits();
                if let Some(d) = self.compare(&inputs, &mut next.clone(), None) {
                    (tape, found) = (next, d);
                    break;
                }
            }
        }
        found
    }

    /// Pairs of heads at which both sides are at the same time, on runs that pass equally many.
    pub fn lockstep(&self, runs: u64, deadline: &Deadline) -> BTreeSet<(CutPoint, CutPoint)> {
        let mut out = BTreeSet::new();
        for k in 0..runs {
            if deadline.passed() {
                break;
            }
            let (inputs, mut tape, mut values) = self.values(11, k);
            let (a, b) = self.split(&inputs);
            let before = self.run(true, &a, &mut tape, Some(&mut values));
            let after = self.run(false, &b, &mut tape, Some(&mut values));
            if before.visits.len() == after.visits.len() {
                let heads = |b: &BlockId| CutPoint::Head(*b);
                let pairs = before.visits.iter().map(heads);
                out.extend(pairs.zip(after.visits.iter().map(heads)));
            }
        }
        out
    }

    pub fn inputs(&self) -> &[InputPair] {
        &self.inputs
    }

    pub fn heads(&self) -> &(Vec<BlockId>, Vec<BlockId>) {
        &self.heads
    }
}

fn oracle(program: &Program, inputs: &[(Var, Value)], tape: &mut Vec<u128>) -> interp::Run {
    let mut state = interp::initial_state(program);
    for (v, value) in inputs {
        state[v.0 as usize] = value.clone();
    }
    let mut world = Tape {
        values: tape,
        at: 0,
        source: None,
        drawn: vec![],
        visits: vec![],
    };
    interp::run(program, state, &mut world, MAX_BLOCKS, &mut Blind)
}

fn smaller(v: &Value) -> Vec<Value> {
    match v {
        Value::Bits(b) => {
            let mut out = vec![0, 1, 2, b & 0xf, b & 0xff];
            out.retain(|c| c < b);
            out.sort_unstable();
            out.dedup();
            out.into_iter().map(Value::Bits).collect()
        }
        Value::Array(a) if !a.at.is_empty() || a.default != 0 => {
            vec![Value::Array(std::sync::Arc::default())]
        }
        Value::Array(_) => vec![],
    }
}

/// The numbers in a program, and their negations.
fn mentioned(program: &Program, out: &mut BTreeSet<u128>) {
    let mut todo: Vec<Term> = program.requires.clone();
    for b in &program.blocks {
        for s in &b.stmts {
            match s {
                Stmt::Assign(_, t) | Stmt::Assume(t) => todo.push(*t),
                Stmt::Havoc(..) => {}
            }
        }
        if let Terminator::Branch { cond, .. } = b.terminator {
            todo.push(cond);
        }
    }
    let mut seen = FastSet::default();
    while let Some(t) = todo.pop() {
        if !seen.insert(t) {
            continue;
        }
        if let (Node::Const(c), Sort::Bv(w)) = (program.pool.node(t), program.pool.sort(t)) {
            out.insert(*c);
            out.insert(c.wrapping_neg() & mask(w));
        }
        todo.extend(program.pool.children(t));
    }
}
