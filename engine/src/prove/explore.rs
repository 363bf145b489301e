//! Deep bugs of state machines: concrete runs that go on from wherever something new was seen.
//!
//! Lineage: coverage-guided fuzzing (AFL) and explicit-state search. A bug behind fifteen choices that must all be right is
//! out of reach of independent random runs, and unrolling asks the solver about all of them at once. Here a run is kept
//! whenever it comes to a valuation of the control variables that no run was in, and later runs start there. What is
//! changed: coverage is not of edges but of control states at loop heads, the ones that `states` makes its tables of.
//! Not claimed: that what was not seen cannot be.

use super::concrete::{Random, Values, constants};
use super::interest::{Interest, interest};
use super::{Counterexample, Deadline, Task, predicates, slice, trace};
use crate::program::BlockId;
use crate::program::cpg::CutPoint;
use crate::program::interp::Outcome;
use crate::program::machine::{Machine, State, World};
use crate::program::texts::of_inputs;
use crate::term::{Sort, Value, Var};
use std::collections::{BTreeMap, BTreeSet};

/// States that are kept: more are data, not control.
const KEPT: usize = 4000;
/// Runs in a row without anything new, for each kept state: nothing more is to be expected.
const FRUITLESS: usize = 24;
/// Blocks of one run, and loop heads that it may pass without anything new.
const BLOCKS: u64 = 3000;
const OLD: u32 = 6;
/// One of so many runs starts at the entry.
const ENTRY: u64 = 8;
/// One control state is kept with so many choices of the inputs: some make every run a short one.
const INPUTS: usize = 4;

/// A state at a head that was new, and how it was come to.
struct Place {
    block: BlockId,
    state: State,
    /// Where the run started that found it; the inputs if at the entry.
    from: Origin,
    draws: Vec<Value>,
    /// The run that chose the inputs.
    first_run: u64,
}

#[derive(Clone)]
enum Origin {
    Entry(Vec<(Var, Value)>),
    Place(usize),
}

/// What is told apart of a variable: its value, or which of these it is, or between which it lies.
struct Control {
    var: Var,
    between: Option<Vec<u128>>,
}

type Seen = BTreeMap<(BlockId, Vec<u128>), Vec<u64>>;

struct Run<'a> {
    values: Values<'a>,
    draws: Vec<Value>,
    control: &'a BTreeMap<BlockId, Vec<Control>>,
    /// The control states that were seen, with the first runs that were kept of each.
    seen: &'a mut Seen,
    first_run: u64,
    new: Vec<(BlockId, State, usize)>,
    old: u32,
}

/// Looks for a violation; nothing if none was found, or if no variable is control.
pub fn explore(task: &Task, seed: u64, deadline: &Deadline) -> Option<Counterexample> {
    let interest = interest(&task.program);
    let control = control(task, &interest);
    // Texts are not any bytes: they are left to `concrete`.
    let has_texts = !of_inputs(&task.program.inputs).is_empty();
    if has_texts || control.values().all(Vec::is_empty) {
        return None;
    }
    let program = &task.program;
    let watched: Vec<BlockId> = control.keys().copied().collect();
    let machine = Machine::of(program, &watched);
    let constants = constants(task);
    let mut inputs = vec![];
    for i in &program.inputs {
        trace::input_vars(&i.shape, &mut inputs);
    }
    let mut places: Vec<Place> = vec![];
    let mut seen = Seen::new();
    // How often runs started from a place, then the newest first; the entry is no place.
    let mut queue: BTreeSet<(usize, std::cmp::Reverse<usize>)> = BTreeSet::new();
    let mut fruitless = 0;
    for n in 0u64.. {
        if deadline.passed() || places.len() >= KEPT || fruitless > FRUITLESS * (places.len() + 4) {
            return None;
        }
        // The inputs are chosen at the entry only.
        let first = if n % ENTRY == 0 {
            None
        } else {
            queue.pop_first()
        };
        let first_run = first.map_or(n, |(_, std::cmp::Reverse(at))| places[at].first_run);
        let mut run = Run {
            values: Values {
                random: Random::new(seed.wrapping_add(n * 0x9e37_79b1)),
                constants: &constants,
                interest: &interest,
                // every mood at the entry, too
                mood: (n + n / ENTRY) % 4,
            },
            draws: vec![],
            control: &control,
            seen: &mut seen,
            first_run,
            new: vec![],
            old: 0,
        };
        let (origin, (outcome, _, steps)) = match first {
            None => {
                let sort = |v: &Var| program.pool.var_info(*v).sort;
                let values: Vec<(Var, Value)> = inputs
                    .iter()
                    .map(|v| (*v, run.values.of(*v, sort(v))))
                    .collect();
                let end = machine.run(&values, &mut run, BLOCKS);
                (Origin::Entry(values), end)
            }
            Some((tried, std::cmp::Reverse(at))) => {
                queue.insert((tried + 1, std::cmp::Reverse(at)));
                let place = &places[at];
                let end = machine.resume(place.block, &place.state, &mut run, BLOCKS);
                (Origin::Place(at), end)
            }
        };
        let (draws, new) = (run.draws, run.new);
        if let Outcome::Stopped(stop) = outcome
            && program.stops[stop].is_violation()
        {
            let (inputs, draws) = whole_run(&places, origin, draws);
            return Some(Counterexample {
                inputs,
                draws,
                stop,
                executed: false,
                steps,
            });
        }
        fruitless = if new.is_empty() { fruitless + 1 } else { 0 };
        for (block, state, n_draws) in new {
            queue.insert((0, std::cmp::Reverse(places.len())));
            places.push(Place {
                block,
                state,
                from: origin.clone(),
                draws: draws[..n_draws].to_vec(),
                first_run,
            });
        }
    }
    None
}

/// The control variables of each head: those that only ever get constants, and those that are compared with some.
fn control(task: &Task, interest: &Interest) -> BTreeMap<BlockId, Vec<Control>> {
    let finite = predicates::finite(task);
    let live = slice::live(&task.program, &task.cpg);
    let mut out = BTreeMap::new();
    for n in task.cpg.heads() {
        let CutPoint::Head(block) = task.cpg.graph[n] else {
            continue;
        };
        let as_control = |var: Var| {
            let between = match task.program.pool.var_info(var).sort {
                Sort::Bool | Sort::Bv(1) => None,
                Sort::Bv(_) if finite.contains(&var) => None,
                Sort::Bv(_) => Some(interest.get(&var)?.clone()),
                Sort::Array { .. } => return None,
            };
            Some(Control { var, between })
        };
        let here = live.get(&n).into_iter().flatten();
        out.insert(block, here.filter_map(|v| as_control(*v)).collect());
    }
    out
}

impl Control {
    fn of(&self, machine: &Machine, state: &State) -> u128 {
        let value = machine.scalar(state, self.var);
        match &self.between {
            None => value,
            Some(constants) => match constants.binary_search(&value) {
                Ok(at) => 2 * at as u128 + 1,
                Err(at) => 2 * at as u128,
            },
        }
    }
}

/// The inputs and draws of a run that ends with `last`, from the entry on.
fn whole_run(
    places: &[Place],
    mut origin: Origin,
    last: Vec<Value>,
) -> (Vec<(Var, Value)>, Vec<Value>) {
    let mut parts = vec![last];
    loop {
        match origin {
            Origin::Entry(inputs) => {
                parts.reverse();
                return (inputs, parts.concat());
            }
            Origin::Place(at) => {
                parts.push(places[at].draws.clone());
                origin = places[at].from.clone();
            }
        }
    }
}

impl World for Run<'_> {
    fn draw(&mut self, var: Var, sort: Sort) -> Option<Value> {
        let v = self.values.of(var, sort);
        self.draws.push(v.clone());
        Some(v)
    }

    fn watch(&mut self, block: BlockId, state: &State, machine: &Machine) -> bool {
        let Some(control) = self.control.get(&block) else {
            return true;
        };
        let key = control.iter().map(|c| c.of(machine, state)).collect();
        let kept = self.seen.entry((block, key)).or_default();
        if kept.len() < INPUTS && !kept.contains(&self.first_run) {
            kept.push(self.first_run);
            self.new.push((block, state.clone(), self.draws.len()));
            self.old = 0;
            return true;
        }
        self.old += 1;
        self.old <= OLD
    }
}
