//! The last word: no verdict leaves without being confirmed by something that does not trust the engines.
//!
//! Safe: the verification conditions of the whole, unsliced program are made anew from its blocks (`crate::vc`) and
//! asked in a fresh solver in a fresh thread (and so a fresh Z3 context); of an unrolled proof every obligation. Unsafe: the interpreter runs the counterexample to
//! its stop. Anything else is `Unknown`. Counterexamples are shrunk first.

use super::{Budget, Counterexample, Deadline, Lemma, Lemmas, Proof, Reason, Task, Verdict, vc};
use crate::program::BlockId;
use crate::program::cpg::CutPoint;
use crate::program::interp::{self, Blind, Outcome as Ended, Script};
use crate::program::machine::{Machine, World};
use crate::program::texts::repaired_inputs;
use crate::smt::{Answer, Role, Solver, apart};
use crate::term::{BinOp, FastMap, Node, Pool, Shape, Sort, Term, Value, Var, mask};
use crate::vc::{Condition, Ends, Fragment, Outcome, Start, constants, seen};
use petgraph::graph::NodeIndex;
use petgraph::visit::EdgeRef;

/// How the reason begins where the solver did not answer.
pub const NOT_RECHECKED: &str = "a proof obligation was not re-checked";

/// Confirms a verdict, or turns it into `Unknown`.
pub fn certify(
    task: &Task,
    engine: &'static str,
    verdict: Verdict,
    deadline: &Deadline,
) -> Verdict {
    match verdict {
        Verdict::Safe(proof) => match recheck(task, &proof, deadline) {
            Ok(()) => Verdict::Safe(proof),
            Err(what) => Verdict::Unknown(Reason::NotCertified { engine, what }),
        },
        Verdict::Unsafe(cex) => match replay(task, engine, &cex) {
            Ok(cex) => Verdict::Unsafe(shrink(task, cex)),
            Err(reason) => Verdict::Unknown(match reason {
                Ok(reason) => reason,
                Err(what) => Reason::NotCertified { engine, what },
            }),
        },
        unknown => unknown,
    }
}

fn recheck(task: &Task, proof: &Proof, deadline: &Deadline) -> Result<(), String> {
    let mut task = task.clone();
    let proof = proof.clone();
    let deadline = deadline.clone();
    apart(Role::Certify, move || confirm(&mut task, proof, &deadline))
        .unwrap_or_else(|e| Err(format!("the check: {e}")))
}

fn confirm(task: &mut Task, proof: Proof, deadline: &Deadline) -> Result<(), String> {
    match proof {
        Proof::Inductive { lemmas } => inductive(task, &lemmas, deadline),
        Proof::Unrolled { obligations, .. } => {
            let mut solver = task.solver(deadline);
            for t in obligations {
                expect_unsat(&mut solver, task, &[t])?;
            }
            Ok(())
        }
    }
}

/// Lemmas and stops of the whole program, one cut-point after the other. The conditions are made from the blocks by
/// the chosen generator, not from the edges on which the engines worked.
fn inductive(task: &mut Task, lemmas: &Lemmas, deadline: &Deadline) -> Result<(), String> {
    let heads = task.full.wto.heads();
    let mut ends = Ends::new();
    for (at, lemmas) in lemmas {
        if let CutPoint::Head(b) = at {
            ends.insert(*b, lemmas.clone());
        }
    }
    for node in task.full.graph.node_indices() {
        let at = task.full.graph[node];
        let start = match at {
            CutPoint::Entry => Start {
                block: task.program.entry,
                entry: true,
                known: &[],
                paths: false,
            },
            CutPoint::Head(b) => Start {
                block: b,
                entry: false,
                known: lemmas.get(&at).map_or(&[], |l| l),
                paths: false,
            },
            CutPoint::Exit | CutPoint::Stop(_) => continue,
        };
        match fragment(task, &start, &heads, &ends, deadline) {
            Outcome::Valid => {}
            // Lemmas about arrays are used at the places that occur; more of them occur on the edges.
            Outcome::Invalid if !quantified(lemmas) => {
                return Err("a verification condition does not hold".to_string());
            }
            _ => edges(task, node, lemmas, deadline)?,
        }
    }
    Ok(())
}

/// The conditions of the fragment that begins here: all at once if they were seen before or look easy, else in cases.
fn fragment(
    task: &mut Task,
    start: &Start,
    heads: &[BlockId],
    ends: &Ends,
    deadline: &Deadline,
) -> Outcome {
    let cases = cases(&mut task.program.pool, start.known);
    let whole = Question::of(task, start, heads, ends);
    if whole.todo.is_empty() {
        return Outcome::Valid;
    }
    let cases = match cases {
        Cases::None => return whole.ask(task, Budget::millis(FRAGMENT_MS), deadline),
        Cases::Values(cases) => cases,
        Cases::Some(cases) => {
            let outcome = whole.ask(task, Budget::steady(GLANCE_MS), deadline);
            if !matches!(outcome, Outcome::Unknown(_)) {
                return outcome;
            }
            cases
        }
    };
    for known in &cases {
        let start = Start {
            known,
            paths: true,
            ..*start
        };
        let case = Question::of(task, &start, heads, ends);
        let outcome = case.ask(task, Budget::millis(FRAGMENT_MS), deadline);
        if outcome != Outcome::Valid {
            return outcome;
        }
    }
    // The cases cover what is known, so this is shown as well.
    seen::remember(whole.shapes);
    Outcome::Valid
}

/// The conditions of a fragment that no fresh solver has shown valid yet.
struct Question {
    fragment: Fragment,
    todo: Vec<Condition>,
    shapes: Vec<Shape>,
}

impl Question {
    fn of(task: &mut Task, start: &Start, heads: &[BlockId], ends: &Ends) -> Question {
        let fragment = crate::vc::passify(&mut task.program, start, heads, ends);
        let pool = &mut task.program.pool;
        let conditions = match fragment.asserts() {
            0 => vec![],
            _ => task.vcgen.conditions(pool, &fragment),
        };
        let (todo, shapes) = seen::unseen(pool, &conditions).into_iter().unzip();
        Question {
            fragment,
            todo,
            shapes,
        }
    }

    fn ask(&self, task: &mut Task, budget: Budget, deadline: &Deadline) -> Outcome {
        if self.todo.is_empty() {
            return Outcome::Valid;
        }
        let pool = &mut task.program.pool;
        let outcome = crate::vc::solve(pool, &self.fragment, &self.todo, budget, deadline);
        if outcome == Outcome::Valid {
            seen::remember(self.shapes.iter().cloned());
        }
        outcome
    }
}

/// Fewer cases are left to the solver.
pub const MANY_CASES: usize = 8;
const MOST_CASES: usize = 2000;

/// How what is known falls apart.
enum Cases {
    None,
    Some(Vec<Vec<Lemma>>),
    /// Each case says what several variables are worth: looking at all of them at once is the slow way.
    Values(Vec<Vec<Lemma>>),
}

/// What is known, in cases that cover it: a lemma that is a long disjunction, or a diagram of the states of a protocol,
/// is taken apart, because in each of its cases most branches are decided.
fn cases(pool: &mut Pool, known: &[Lemma]) -> Cases {
    let mut counts = FastMap::default();
    let plain = known.iter().enumerate().filter(|(_, l)| l.bound.is_empty());
    let longest = plain
        .map(|(i, l)| (i, n_cases(pool, l.body, &mut counts)))
        .filter(|(_, n)| (MANY_CASES..=MOST_CASES).contains(n))
        .max_by_key(|(_, n)| *n);
    let Some((at, _)) = longest else {
        return Cases::None;
    };
    let case = |parts: Vec<Term>| {
        let mut case = known.to_vec();
        case.splice(at..=at, parts.into_iter().map(Lemma::plain));
        case
    };
    let parts = cases_of(pool, known[at].body, &counts);
    let cases: Vec<Vec<Lemma>> = parts.into_iter().map(case).collect();
    match cases.iter().all(|case| constants(pool, case).len() > 1) {
        true => Cases::Values(cases),
        false => Cases::Some(cases),
    }
}

/// The number of cases that a term falls apart into.
pub fn n_cases(pool: &Pool, t: Term, counts: &mut FastMap<Term, usize>) -> usize {
    if let Some(n) = counts.get(&t) {
        return *n;
    }
    let n = match *pool.node(t) {
        Node::Binary(BinOp::Or, a, b) => {
            n_cases(pool, a, counts).saturating_add(n_cases(pool, b, counts))
        }
        Node::Binary(BinOp::And, a, b) => {
            n_cases(pool, a, counts).saturating_mul(n_cases(pool, b, counts))
        }
        _ => 1,
    };
    counts.insert(t, n);
    n
}

/// Each case as a conjunction; together they are the term.
fn cases_of(pool: &Pool, t: Term, counts: &FastMap<Term, usize>) -> Vec<Vec<Term>> {
    if counts.get(&t) == Some(&1) {
        return vec![vec![t]];
    }
    match *pool.node(t) {
        Node::Binary(BinOp::Or, a, b) => {
            let mut out = cases_of(pool, a, counts);
            out.extend(cases_of(pool, b, counts));
            out
        }
        Node::Binary(BinOp::And, a, b) => {
            let (left, right) = (cases_of(pool, a, counts), cases_of(pool, b, counts));
            let both = |l: &Vec<Term>, r: &Vec<Term>| l.iter().chain(r).copied().collect();
            left.iter()
                .flat_map(|l| right.iter().map(move |r| both(l, r)))
                .collect()
        }
        _ => vec![vec![t]],
    }
}

/// How long they may take before their cases are asked about.
const GLANCE_MS: u32 = 8;
/// How long the conditions of a fragment may take before its edges are asked about one by one.
const FRAGMENT_MS: u32 = 1000;

fn quantified(lemmas: &Lemmas) -> bool {
    lemmas.values().flatten().any(|l| !l.bound.is_empty())
}

/// Every triple of the edges from a node.
fn edges(
    task: &mut Task,
    node: NodeIndex,
    lemmas: &Lemmas,
    deadline: &Deadline,
) -> Result<(), String> {
    let all: Vec<_> = task.full.graph.edges(node).map(|e| e.id()).collect();
    for e in all {
        let mut solver = task.solver(deadline);
        for assumptions in vc::triples(task, e, lemmas) {
            expect_unsat(&mut solver, task, &assumptions)?;
        }
    }
    Ok(())
}

fn expect_unsat(solver: &mut Solver, task: &Task, terms: &[Term]) -> Result<(), String> {
    match solver.check(&task.program.pool, "certify", terms, Budget::millis(20_000)) {
        Answer::Unsat => Ok(()),
        Answer::Sat(_) => Err("a proof obligation does not hold".to_string()),
        Answer::Unknown(why) => Err(format!("{NOT_RECHECKED}: {why}")),
        Answer::Failed(e) => Err(e),
    }
}

/// A script that fits as many draws as are asked for.
struct Replay<'a> {
    draws: &'a [Value],
    at: usize,
}

impl World for Replay<'_> {
    fn draw(&mut self, _: Var, _: Sort) -> Option<Value> {
        self.at += 1;
        self.draws.get(self.at - 1).cloned()
    }
}

const ORACLE_STEPS: u64 = 20_000;
const MACHINE_STEPS: u64 = 400_000_000;
const GLANCE_STEPS: u64 = 500_000;

/// Runs it; `Err(Ok(reason))` if the run meets something outside the model.
///
/// Runs of the accelerator may be too long for any interpreter: it has replayed them by exact jumps, each checked
/// at sampled iterations (`accelerate::jump`), and only that is accepted in place of a run.
fn replay(
    task: &Task,
    engine: &str,
    cex: &Counterexample,
) -> Result<Counterexample, Result<Reason, String>> {
    let program = &task.program;
    // Where nobody reads, a model has any bytes.
    let cex = &Counterexample {
        inputs: repaired_inputs(&program.inputs, &cex.inputs),
        ..cex.clone()
    };
    let mut state = interp::initial_state(program);
    for (v, value) in &cex.inputs {
        state[v.0 as usize] = value.clone();
    }
    let jumped = engine == "accelerate";
    let patience = if jumped {
        MACHINE_STEPS / 20
    } else {
        MACHINE_STEPS
    };
    let mut script = Script::new(cex.draws.clone());
    let run = interp::run(program, state, &mut script, ORACLE_STEPS, &mut Blind);
    // A run that is known to be longer is only looked at whether it really goes on.
    let patience = match jumped && cex.steps > patience {
        true => GLANCE_STEPS,
        false => patience,
    };
    let (outcome, steps, drawn) = if run.outcome == Ended::OutOfSteps {
        let mut world = Replay {
            draws: &cex.draws,
            at: 0,
        };
        let (outcome, _, steps) = Machine::of(program, &[]).run(&cex.inputs, &mut world, patience);
        (outcome, steps, world.at)
    } else {
        (run.outcome, run.steps, run.drawn.len())
    };
    match outcome {
        Ended::Stopped(stop) if program.stops[stop].is_violation() => {
            let mut cex = cex.clone();
            cex.draws.truncate(drawn);
            cex.stop = stop;
            cex.executed = true;
            cex.steps = steps;
            Ok(cex)
        }
        Ended::OutOfSteps if jumped && only_inputs_matter(task) => {
            let mut cex = cex.clone();
            cex.executed = false;
            Ok(cex)
        }
        Ended::Stopped(stop) => Err(Ok(super::unsupported(task, stop))),
        Ended::Approximate(what) => Err(Ok(Reason::Approximate { what })),
        other => Err(Err(format!(
            "the run of the counterexample ended as {other:?}"
        ))),
    }
}

/// Does the program read nothing at its start but its inputs?
pub fn only_inputs_matter(task: &Task) -> bool {
    let mut inputs = vec![];
    for i in &task.program.inputs {
        super::trace::input_vars(&i.shape, &mut inputs);
    }
    let live = super::slice::live(&task.program, &task.full);
    live.get(&task.full.entry)
        .into_iter()
        .flatten()
        .all(|v| inputs.contains(v))
}

/// Tries smaller values, one input or draw at a time: 0, then few bits, then half. Only what still fails stays.
fn shrink(task: &Task, mut cex: Counterexample) -> Counterexample {
    if cex.steps > ORACLE_STEPS || !cex.executed {
        return cex;
    }
    let mut left: u64 = 200_000;
    let machine = Machine::of(&task.program, &[]);
    let fails = |c: &Counterexample, left: &mut u64| -> Option<Counterexample> {
        let mut world = Replay {
            draws: &c.draws,
            at: 0,
        };
        let (outcome, _, steps) = machine.run(&c.inputs, &mut world, ORACLE_STEPS.min(*left));
        *left = left.saturating_sub(steps + 50);
        match outcome {
            Ended::Stopped(stop) if stop == cex.stop => {
                let mut c = c.clone();
                c.draws.truncate(world.at);
                c.steps = steps;
                Some(c)
            }
            _ => None,
        }
    };
    let mut best = cex.clone();
    for i in 0..cex.inputs.len() {
        for v in smaller(
            &best.inputs[i].1,
            task.program.pool.var_info(best.inputs[i].0).sort,
        ) {
            let mut c = best.clone();
            c.inputs[i].1 = v;
            if let Some(c) = fails(&c, &mut left) {
                best = c;
                break;
            }
        }
    }
    // Room that is not used is not shown, unless it matters.
    for (len, room) in crate::program::buffers(&task.program.inputs) {
        let mut c = best.clone();
        let value = |v: Var| {
            c.inputs
                .iter()
                .find(|(w, _)| *w == v)
                .map(|(_, x)| x.clone())
        };
        let (Some(n), true) = (value(len), len != room) else {
            continue;
        };
        for (_, slot) in c.inputs.iter_mut().filter(|(v, _)| *v == room) {
            *slot = n.clone();
        }
        best = fails(&c, &mut left).unwrap_or(best);
    }
    let mut i = 0;
    while i < best.draws.len() && left > 0 {
        for v in smaller(&best.draws[i], Sort::Bv(128)) {
            let mut c = best.clone();
            c.draws[i] = v;
            if let Some(c) = fails(&c, &mut left) {
                best = c;
                break;
            }
        }
        i += 1;
    }
    // The interpreter has the last word on the small one, too.
    best.executed = false;
    if let Ok(small) = replay(task, "shrink", &best) {
        cex = small;
    }
    cex
}

fn smaller(v: &Value, sort: Sort) -> Vec<Value> {
    match v {
        Value::Bits(b) => {
            let m = match sort {
                Sort::Bv(w) => mask(w),
                _ => 1,
            };
            let mut out = vec![0, 1, 2, b & 0xf, b & 0xff, m];
            out.retain(|c| c < b && *c <= m);
            out.sort_unstable();
            out.dedup();
            out.into_iter().map(Value::Bits).collect()
        }
        Value::Array(a) => {
            let mut out = vec![];
            if !a.at.is_empty() || a.default != 0 {
                out.push(Value::zero(Sort::Array { index: 1, elem: 1 }));
            }
            out
        }
    }
}
