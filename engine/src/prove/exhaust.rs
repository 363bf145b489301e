//! Exhaust: all runs, one by one, where there are few.
//!
//! A function of two bytes has 65,536 runs, a simulation that chooses four times among eight actions 4,096: the machine
//! makes them in less time than a solver needs to understand one of them, whatever arithmetic, tables and loops they go
//! through. What is enumerated are the inputs that the program reads and the values that it draws. Each needs a
//! domain: all values of a small type, or those up to a bound that an assumption right behind the draw (or a requirement
//! of the input) sets. That there are no others is an obligation of the proof, asked again when it is certified. The runs themselves are not asked of a solver, they are made; some of them by the interpreter as
//! well, which shares no code with the machine, and a difference ends the engine.

use super::certify::only_inputs_matter;
use super::{Budget, Counterexample, Deadline, Proof, Task, Verdict, slice, small_domains};
use crate::program::interp::{self, Blind, Outcome, Script};
use crate::program::machine::{Machine, World};
use crate::program::{BlockId, Draw, Program, Stmt, Terminator, input_vars};
use crate::smt::{Answer, Solver};
use crate::term::{FastMap, Pool, Sort, Subst, Term, Value, Var};
use std::collections::BTreeSet;
use std::time::Instant;

/// As it is called in reports.
pub const NAME: &str = "exhaust";

/// Bits of a variable all of whose values are tried.
const SMALL: u32 = 16;
const TINY: u32 = 8;
/// So many values an assumption may leave of a larger one.
const FEW: u128 = 64;
/// Inputs together.
const MOST_INPUTS: f64 = 70_000.0;
/// Blocks of one run.
const MOST_STEPS: u64 = 100_000;
/// One of so many runs is made by the interpreter, too, unless it is long.
const ORACLE: u64 = 64;
const ORACLE_STEPS: u64 = 2_000;
/// Runs before it is estimated how long the others will take.
const FIRST: u64 = 16;

/// Values of a variable, in turn.
type Domain = Vec<u128>;

/// Makes all runs, if that looks as if it takes no longer than this.
pub fn exhaust(task: &mut Task, millis: u64, deadline: &Deadline) -> Option<Verdict> {
    let mut domains = Domains {
        obligations: vec![],
        solver: Solver::new(deadline),
    };
    let inputs = domains.of_inputs(task)?;
    let drawn = domains.of_draws(&mut task.program)?;
    let machine = Machine::of(&task.program, &[]);
    let mut odometer = Odometer {
        drawn: &drawn,
        dials: vec![],
        at: 0,
    };
    let start = Instant::now();
    let mut runs = 0u64;
    loop {
        odometer.at = 0;
        let values: Vec<(Var, Value)> = inputs
            .iter()
            .map(|(v, domain)| (*v, Value::Bits(odometer.choose(domain))))
            .collect();
        let (outcome, state, steps) = machine.run(&values, &mut odometer, MOST_STEPS);
        runs += 1;
        let script = odometer.script(&inputs);
        if runs % ORACLE == 1 && steps < ORACLE_STEPS {
            let mut state = interp::initial_state(&task.program);
            for (v, value) in &values {
                state[v.0 as usize] = value.clone();
            }
            let mut draws = Script::new(script.clone());
            let run = interp::run(&task.program, state, &mut draws, MOST_STEPS, &mut Blind);
            if run.outcome != outcome {
                return None;
            }
        }
        match outcome {
            // One run of several that these values may have is no proof.
            _ if state.is_open => return None,
            Outcome::Returned | Outcome::Blocked => {}
            Outcome::Stopped(stop) if task.program.stops[stop].is_violation() => {
                return Some(Verdict::Unsafe(Counterexample {
                    inputs: values,
                    draws: script,
                    stop,
                    executed: false,
                    steps,
                }));
            }
            _ => return None,
        }
        if !odometer.turn() {
            let obligations = domains.obligations;
            let steps = usize::try_from(runs).unwrap_or(usize::MAX);
            return Some(Verdict::Safe(Proof::Unrolled { obligations, steps }));
        }
        if runs.is_multiple_of(FIRST) {
            let spent = start.elapsed().as_secs_f64() * 1000.0;
            let is_slow = spent > 2.0 && spent > odometer.done() * millis as f64;
            if deadline.passed() || is_slow {
                return None;
            }
        }
    }
}

/// The choices of a run, each with the number of those that there are.
struct Odometer<'a> {
    drawn: &'a FastMap<Var, Domain>,
    dials: Vec<(usize, usize, u128)>,
    at: usize,
}

impl Odometer<'_> {
    /// The value that this choice has now; a new choice begins with the first one.
    fn choose(&mut self, domain: &[u128]) -> u128 {
        if self.at == self.dials.len() {
            self.dials.push((0, domain.len(), 0));
        }
        let dial = &mut self.dials[self.at];
        // Where no value is let through, none is as good as any other.
        dial.2 = domain.get(dial.0).copied().unwrap_or(0);
        self.at += 1;
        dial.2
    }

    /// The values drawn in the last run.
    fn script(&self, inputs: &[(Var, Domain)]) -> Vec<Value> {
        let drawn = &self.dials[inputs.len().min(self.at)..self.at];
        drawn.iter().map(|d| Value::Bits(d.2)).collect()
    }

    /// On to the next run; false if there is none.
    fn turn(&mut self) -> bool {
        self.dials.truncate(self.at);
        while let Some(dial) = self.dials.last_mut() {
            if dial.0 + 1 < dial.1 {
                dial.0 += 1;
                return true;
            }
            self.dials.pop();
        }
        false
    }

    /// The share of all runs that is behind, if those ahead branch like those behind.
    fn done(&self) -> f64 {
        let mut part = 1.0;
        let mut done = 0.0;
        for (position, n, _) in &self.dials {
            part /= (*n).max(1) as f64;
            done += part * *position as f64;
        }
        done
    }
}

impl World for Odometer<'_> {
    fn draw(&mut self, var: Var, _: Sort) -> Option<Value> {
        let domain = self.drawn.get(&var)?;
        Some(Value::Bits(self.choose(domain)))
    }
}

struct Domains {
    /// There are no other values.
    obligations: Vec<Term>,
    solver: Solver,
}

impl Domains {
    /// The inputs that are read, with their values; nothing if there are too many, or something else is read.
    fn of_inputs(&mut self, task: &mut Task) -> Option<Vec<(Var, Domain)>> {
        if !only_inputs_matter(task) {
            return None;
        }
        let entry = task.program.entry;
        let mut requires = task.program.requires.clone();
        requires.extend(behind(&mut task.program, entry, 0));
        let live = slice::live(&task.program, &task.full);
        let mut read: BTreeSet<Var> = live.get(&task.full.entry).cloned().unwrap_or_default();
        read.extend(task.program.pool.free_vars(&requires));
        let mut inputs = vec![];
        for i in &task.program.inputs {
            input_vars(&i.shape, &mut inputs);
        }
        let mut out = vec![];
        let mut n = 1.0;
        for v in inputs.into_iter().filter(|v| read.contains(v)) {
            let domain = self.of(&mut task.program, v, &requires)?;
            n *= domain.len() as f64;
            if n > MOST_INPUTS {
                return None;
            }
            out.push((v, domain));
        }
        Some(out)
    }

    /// Variables that are drawn, with all values that any place lets through.
    fn of_draws(&mut self, program: &mut Program) -> Option<FastMap<Var, Domain>> {
        let mut out: FastMap<Var, Domain> = FastMap::default();
        for b in program.reverse_postorder() {
            for at in 0..program.block(b).stmts.len() {
                let v = match program.block(b).stmts[at] {
                    Stmt::Havoc(v, Draw::Any) => v,
                    Stmt::Havoc(..) => return None,
                    _ => continue,
                };
                let conditions = behind(program, b, at + 1);
                let found = self.of(program, v, &conditions)?;
                let domain = out.entry(v).or_default();
                for value in found {
                    if !domain.contains(&value) {
                        domain.push(value);
                    }
                }
            }
        }
        Some(out)
    }

    /// The values of one variable under those of the conditions that speak of nothing else.
    fn of(&mut self, program: &mut Program, v: Var, conditions: &[Term]) -> Option<Domain> {
        let pool = &mut program.pool;
        let width = match pool.var_info(v).sort {
            Sort::Bool => 1,
            Sort::Bv(width) => width,
            Sort::Array { .. } => return None,
        };
        if width <= TINY {
            return Some((0..1 << width).collect());
        }
        let mut known = pool.bool(true);
        for &c in conditions {
            if pool.free_vars(&[c]).iter().all(|other| *other == v) {
                known = pool.and(known, c);
            }
        }
        if pool.is_false(known) {
            return Some(vec![]);
        }
        let most = small_domains::bound(pool, known, v, &mut FastMap::default());
        if let Some(most) = most.filter(|n| *n < FEW) {
            let (own, last) = (pool.var(v), pool.bv(most, width));
            let above = pool.ult(last, own);
            let others = pool.and(known, above);
            if self.is_impossible(pool, others) {
                return Some((0..=most).collect());
            }
        }
        (width <= SMALL).then(|| (0..1 << width).collect())
    }

    fn is_impossible(&mut self, pool: &Pool, t: Term) -> bool {
        if pool.is_false(t) {
            return true;
        }
        let answer = (self.solver).check(pool, "exhaust", &[t], Budget::steady(50));
        let impossible = matches!(answer, Answer::Unsat);
        if impossible {
            self.obligations.push(t);
        }
        impossible
    }
}

/// What must hold from this statement on before anything else can happen, in terms of what variables are there.
fn behind(program: &mut Program, mut block: BlockId, mut from: usize) -> Vec<Term> {
    let mut out = vec![];
    let mut values = Subst::new();
    for _ in 0..program.blocks.len().min(16) {
        let stmts = program.block(block).stmts.clone();
        for stmt in stmts.into_iter().skip(from) {
            match stmt {
                Stmt::Assign(v, t) => {
                    let t = values.apply(&mut program.pool, t);
                    values.bind(v, t);
                }
                Stmt::Assume(c) => out.push(values.apply(&mut program.pool, c)),
                // Whoever draws the same variable again means another value by it.
                Stmt::Havoc(..) => return out,
            }
        }
        from = 0;
        match program.block(block).terminator.clone() {
            Terminator::Goto(to) => block = to,
            Terminator::Branch {
                cond,
                then,
                otherwise,
            } => {
                let cond = values.apply(&mut program.pool, cond);
                if is_blocked(program, otherwise) {
                    out.push(cond);
                    block = then;
                } else if is_blocked(program, then) {
                    out.push(program.pool.not(cond));
                    block = otherwise;
                } else {
                    return out;
                }
            }
            _ => return out,
        }
    }
    out
}

fn is_blocked(program: &Program, b: BlockId) -> bool {
    let block = program.block(b);
    block.stmts.is_empty() && matches!(block.terminator, Terminator::Blocked)
}

#[cfg(test)]
mod tests;
