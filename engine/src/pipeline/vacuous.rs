//! Does a proof say anything? Assumptions that exclude every execution prove all, and an assertion that no run gets to
//! was not tested by anybody.
//!
//! Runs on sampled inputs show for free what is reached. Only what none of them got to is asked: the place becomes the
//! one violation of a copy of the program, and a certified proof that it cannot happen is a warning. What is not known is
//! not said.

use super::Options;
use crate::lower::{Mark, MarkKind};
use crate::program::interp::Outcome;
use crate::program::machine::{Machine, State, World};
use crate::program::simplify::simplify;
use crate::program::{
    Block, BlockId, Origin, Program, SourceSpan, Stop, StopKind, Terminator, input_vars,
};
use crate::prove::concrete::{Random, Values};
use crate::prove::portfolio::{self, Settings};
use crate::prove::{Deadline, Verdict};
use crate::report::{Vacuous, VacuousReport};
use crate::term::{Node, Sort, Value, Var};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The reference as it was lowered, with the places that the user's own assumptions and assertions have in it.
pub struct Probes {
    pub program: Program,
    pub marks: Vec<Mark>,
}

/// Runs, and the time for them.
const MOST_RUNS: u64 = 200;
const RUN_MILLIS: u64 = 20;
const MOST_STEPS: u64 = 20_000;
/// The time for a question to the engines, most of which take a few milliseconds, and for all of them.
const QUESTION_MILLIS: u64 = 300;
const ALL_MILLIS: u64 = 600;
/// The same where runs were broken off: a place behind a long loop is most likely just not reached yet.
const GLANCE_MILLIS: u64 = 40;
const GLANCES_MILLIS: u64 = 80;
/// Runs were made before.
const ENGINES: [&str; 4] = ["slice", "havoc", "bmc", "houdini"];
/// Blocks between a decision and the panic that it leads to.
const MOST_BACK: usize = 64;

/// An assumption or assertion: the blocks that are reached if it is passed (got to), and those where it fails.
struct Point {
    kind: MarkKind,
    span: SourceSpan,
    got_to: Vec<BlockId>,
    failed: Vec<BlockId>,
}

/// What is vacuous about a program that is proven safe.
pub fn vacuous(probes: &Probes, options: &Options, deadline: &Deadline) -> Vec<VacuousReport> {
    let mut program = probes.program.clone();
    let points = points(&mut program, &probes.marks);
    if points.is_empty() || deadline.passed() {
        return vec![];
    }
    let (seen, all_ended) = run(&program, &points);
    let is_seen = |blocks: &[BlockId]| blocks.iter().any(|b| seen.contains(b));
    let (question, all) = match all_ended {
        true => (QUESTION_MILLIS, ALL_MILLIS),
        false => (GLANCE_MILLIS, GLANCES_MILLIS),
    };
    let deadline = deadline.within_millis(all);
    let ask = |blocks: &[BlockId]| match deadline.passed() {
        true => None,
        false => reachable(&program, blocks, options, question),
    };
    let mut out = vec![];
    for point in &points {
        if is_seen(&point.got_to) || ask(&point.got_to) != Some(false) {
            continue;
        }
        let kind = match point.kind {
            MarkKind::Assert => Vacuous::Unreached,
            MarkKind::Assume if leads_nowhere(&program, &point.got_to) => Vacuous::Excluded,
            // One in a place that nobody gets to excludes nothing.
            MarkKind::Assume if is_seen(&point.failed) || ask(&point.failed) == Some(true) => {
                Vacuous::ExcludedHere
            }
            MarkKind::Assume => continue,
        };
        let report = VacuousReport::new(kind, &point.span);
        if kind == Vacuous::Excluded {
            return vec![report];
        }
        out.push(report);
    }
    out
}

/// The marks as blocks of the program, one point for each place of the source. Blocks are added for edges.
fn points(program: &mut Program, marks: &[Mark]) -> Vec<Point> {
    let mut preds: BTreeMap<BlockId, Vec<BlockId>> = BTreeMap::new();
    for b in program.reverse_postorder() {
        for s in program.successors(b) {
            preds.entry(s).or_default().push(b);
        }
    }
    let mut out: Vec<Point> = vec![];
    for mark in marks {
        let Some(deciders) = deciders(program, &preds, mark.block) else {
            continue;
        };
        let got_to = match mark.kind {
            MarkKind::Assert => deciders.iter().map(|d| d.0).collect(),
            MarkKind::Assume => {
                let edges = deciders.iter();
                edges.map(|d| on_other_edge(program, d.0, d.1)).collect()
            }
        };
        // An assertion may fail at several places; assumptions of a contract all stand at one.
        let known = |p: &&mut Point| mark.kind == MarkKind::Assert && p.span == mark.span;
        match out.iter_mut().find(known) {
            Some(point) => {
                point.got_to.extend::<Vec<BlockId>>(got_to);
                point.failed.push(mark.block);
            }
            None => out.push(Point {
                kind: mark.kind,
                span: mark.span.clone(),
                got_to,
                failed: vec![mark.block],
            }),
        }
    }
    // assumptions first: they explain what is not reached
    out.sort_by_key(|p| p.kind == MarkKind::Assert);
    out
}

/// The branches that decide whether a block is reached, each with the way that leads there; none if it is not decided by
/// branches alone. A branch all of whose ways lead there decides nothing: what an assertion drops before it fails (a borrow
/// of a cell) may branch itself.
fn deciders(
    program: &Program,
    preds: &BTreeMap<BlockId, Vec<BlockId>>,
    block: BlockId,
) -> Option<Vec<(BlockId, BlockId)>> {
    let mut branches = vec![];
    // what can only lead to the block, or to a violation, of which there is none
    let (mut todo, mut doomed) = (vec![block], BTreeSet::from([block]));
    while let Some(at) = todo.pop() {
        if doomed.len() > MOST_BACK || at == program.entry {
            return None;
        }
        for &p in preds.get(&at).into_iter().flatten() {
            if matches!(program.block(p).terminator, Terminator::Branch { .. }) {
                branches.push((p, at));
            }
            let fails = |s: &BlockId| {
                let stops = matches!(program.block(*s).terminator, Terminator::Stop(_));
                stops || doomed.contains(s)
            };
            if program.successors(p).iter().all(fails) && doomed.insert(p) {
                todo.push(p);
            }
        }
    }
    branches.retain(|(p, _)| !doomed.contains(p));
    (!branches.is_empty()).then_some(branches)
}

/// A block on the edge of a branch that does not lead to `to`.
fn on_other_edge(program: &mut Program, branch: BlockId, to: BlockId) -> BlockId {
    let new = BlockId(program.blocks.len() as u32);
    let mut other = to;
    if let Terminator::Branch {
        then, otherwise, ..
    } = &mut program.blocks[branch.index()].terminator
    {
        let side = if *then == to { otherwise } else { then };
        other = std::mem::replace(side, new);
    }
    program.blocks.push(Block {
        stmts: vec![],
        terminator: Terminator::Goto(other),
        span: None,
        origin: Origin::default(),
    });
    new
}

/// Without these blocks, does every run end where an assumption does not hold? Violations are known not to happen.
fn leads_nowhere(program: &Program, without: &[BlockId]) -> bool {
    let mut done: BTreeSet<BlockId> = without.iter().copied().collect();
    let mut open = BTreeSet::new();
    // a block, and whether all behind it was looked at
    let mut todo = vec![(program.entry, false)];
    while let Some((b, is_behind)) = todo.pop() {
        if is_behind {
            open.remove(&b);
            done.insert(b);
            continue;
        }
        if done.contains(&b) {
            continue;
        }
        let returns = matches!(program.block(b).terminator, Terminator::Return);
        if returns || !open.insert(b) {
            return false;
        }
        todo.push((b, true));
        let next = program.successors(b);
        if next.iter().any(|s| open.contains(s)) {
            return false;
        }
        todo.extend(next.into_iter().map(|s| (s, false)));
    }
    true
}

/// Can a run get to one of these blocks of a program without violations? Nothing if it is not known.
fn reachable(
    program: &Program,
    blocks: &[BlockId],
    options: &Options,
    millis: u64,
) -> Option<bool> {
    let mut probe = program.clone();
    for block in &mut probe.blocks {
        if matches!(block.terminator, Terminator::Stop(_)) {
            block.terminator = Terminator::Blocked;
        }
    }
    for b in blocks {
        let block = &mut probe.blocks[b.index()];
        block.stmts.clear();
        block.terminator = Terminator::Stop(0);
    }
    probe.stops = vec![Stop {
        kind: StopKind::Panic("reached".into()),
        span: None,
    }];
    simplify(&mut probe);
    let is_stop = |b: &Block| matches!(b.terminator, Terminator::Stop(_));
    if !probe.blocks.iter().any(is_stop) {
        return Some(false);
    }
    let settings = Settings {
        timeout: Duration::from_millis(millis),
        vcgen: options.vcgen,
        engines: ENGINES.map(str::to_owned).to_vec(),
        ..Settings::default()
    };
    match portfolio::prove(&probe, &settings).verdict {
        Verdict::Safe(_) => Some(false),
        Verdict::Unsafe(_) => Some(true),
        Verdict::Unknown(_) => None,
    }
}

struct Sampled<'a> {
    values: Values<'a>,
    seen: &'a mut BTreeSet<BlockId>,
    deadline: &'a Deadline,
    draws: u32,
    ticks: u32,
}

impl World for Sampled<'_> {
    fn draw(&mut self, var: Var, sort: Sort) -> Option<Value> {
        self.draws += 1;
        (self.draws < 1000).then(|| self.values.of(var, sort))
    }

    fn watch(&mut self, block: BlockId, _: &State, _: &Machine) -> bool {
        self.seen.insert(block);
        self.ticks += 1;
        !(self.ticks.is_multiple_of(256) && self.deadline.passed())
    }
}

/// The blocks of points that runs on sampled inputs get to, and whether these runs came to their ends.
fn run(program: &Program, points: &[Point]) -> (BTreeSet<BlockId>, bool) {
    let blocks = points.iter().flat_map(|p| p.got_to.iter().chain(&p.failed));
    let watched: Vec<BlockId> = blocks.copied().collect();
    let machine = Machine::of(program, &watched);
    let constants = constants(program);
    let interest = crate::prove::interest::interest(program);
    let mut inputs = vec![];
    for input in &program.inputs {
        input_vars(&input.shape, &mut inputs);
    }
    let texts = crate::program::texts::of_inputs(&program.inputs);
    let deadline = Deadline::after_millis(RUN_MILLIS);
    let (mut seen, mut all_ended) = (BTreeSet::new(), true);
    for n in 0..MOST_RUNS {
        let is_got_to = |p: &Point| p.got_to.iter().any(|b| seen.contains(b));
        if points.iter().all(is_got_to) || deadline.passed() {
            break;
        }
        let mut sampled = Sampled {
            values: Values {
                random: Random::new(n),
                constants: &constants,
                interest: &interest,
                mood: n % 4,
            },
            seen: &mut seen,
            deadline: &deadline,
            draws: 0,
            ticks: 0,
        };
        let sort = |v: Var| program.pool.var_info(v).sort;
        let mut values: Vec<(Var, Value)> = vec![];
        for &v in &inputs {
            values.push((v, sampled.values.of(v, sort(v))));
        }
        for (len, bytes) in &texts {
            let (n, content) = sampled.values.text();
            for (v, value) in &mut values {
                if v == len {
                    *value = Value::Bits(n);
                } else if v == bytes {
                    *value = Value::Array(content.clone().into());
                }
            }
        }
        let (outcome, ..) = machine.run(&values, &mut sampled, MOST_STEPS);
        all_ended &= outcome != Outcome::OutOfSteps;
    }
    (seen, all_ended)
}

/// Numbers that the program mentions.
fn constants(program: &Program) -> Vec<u128> {
    let mut out = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut todo: Vec<_> = program.blocks.iter().flat_map(Block::terms).collect();
    while let Some(t) = todo.pop() {
        if !seen.insert(t) {
            continue;
        }
        if let (Node::Const(c), Sort::Bv(_)) = (program.pool.node(t), program.pool.sort(t)) {
            out.insert(*c);
        }
        todo.extend(program.pool.children(t));
    }
    out.into_iter().take(64).collect()
}
