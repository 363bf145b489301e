//! The accelerated graph: the cut-point graph with accelerators as additional edges, and the words that the trace
//! automaton forbids.
//!
//! Lineage: Definitions 4 and 5 of the trace-automata paper. Inner loops come first: a nested loop that has one
//! path and a known number of iterations is replaced by its effect (`Complete`), so that the loop around it becomes
//! a single path that can be accelerated in turn. Where that number may be wrong because something wraps, an edge
//! to `Incomplete` says so: a proof must show that it cannot be taken.

use super::accelerator::{Accelerator, Precision, Refusal, accelerate};
use super::candidates::compose;
use super::path::{Oracle, Path, live, restrict, split};
use crate::program::cpg::{Cpg, CutPoint, Edge, EdgeDraw};
use crate::prove::automata::{Dfa, Letter};
use crate::term::{Pool, Subst, Term, Var};
use petgraph::graph::NodeIndex;
use petgraph::visit::EdgeRef;
use std::collections::BTreeMap;

const MAX_PATHS: usize = 32;
const MAX_EDGES: usize = 400;

/// Where an edge leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Target {
    Head(NodeIndex),
    /// Index into `Program::stops`.
    Stop(usize),
    /// The summary of an inner loop does not describe what happens.
    Incomplete,
}

#[derive(Clone, Debug)]
pub enum Kind {
    /// An edge of the graph, or a composition of several.
    Plain,
    /// The looping path of an accelerator.
    Path(usize),
    /// What remains of a loop besides its accelerated paths.
    Rest,
    /// n iterations; `saturated` tells whether the last one was.
    Jump { accelerator: usize, saturated: bool },
    /// All iterations until the path is left, as many as `count` says. Without draws this is the only way on after
    /// an unsaturated jump: the next edge is another one, so the path's guard fails there.
    Complete { accelerator: usize, count: Term },
    /// The jump where that count is wrong because something wraps.
    Remainder { accelerator: usize },
}

impl Kind {
    pub fn accelerator(&self) -> Option<usize> {
        match *self {
            Kind::Jump { accelerator, .. }
            | Kind::Complete { accelerator, .. }
            | Kind::Remainder { accelerator } => Some(accelerator),
            _ => None,
        }
    }
}

/// An edge of the accelerated graph: a letter of the automaton.
#[derive(Clone, Debug)]
pub struct Move {
    pub from: NodeIndex,
    pub to: Target,
    pub guard: Term,
    pub updates: BTreeMap<Var, Term>,
    pub draws: Vec<EdgeDraw>,
    pub kind: Kind,
}

#[derive(Clone, Debug)]
pub struct Accelerated {
    pub moves: Vec<Move>,
    pub accelerators: Vec<(NodeIndex, Accelerator)>,
    /// Inner loops that were replaced by their effect.
    pub completed: Vec<(NodeIndex, Accelerator)>,
    pub forbidden: Vec<Vec<Letter>>,
    pub dfa: Dfa,
    /// Guards of edges that were left out because the solver found them infeasible: obligations of a proof.
    pub dropped: Vec<Term>,
}

impl Accelerated {
    /// Does any accelerator over-approximate?
    pub fn has_over(&self) -> bool {
        self.accelerators
            .iter()
            .any(|(_, a)| a.precision == Precision::Over)
    }
}

/// An edge with its ends, while the graph is being changed.
#[derive(Clone)]
struct Wire {
    from: NodeIndex,
    to: Target,
    edge: Edge,
}

/// What is added to the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    pub acceleration: bool,
    pub trace_automata: bool,
    /// Accelerators that over-approximate take part (proofs only).
    pub over: bool,
    /// Loops are left after a number of iterations given by a formula, where there is one.
    pub completing: bool,
}

pub fn build(pool: &mut Pool, oracle: &mut dyn Oracle, cpg: &Cpg, choice: Choice) -> Accelerated {
    let needed = live(pool, cpg);
    let mut wires: Vec<Wire> = vec![];
    for e in cpg.graph.edge_references() {
        let to = match cpg.graph[e.target()] {
            CutPoint::Head(_) => Target::Head(e.target()),
            CutPoint::Stop(s) => Target::Stop(s),
            CutPoint::Entry | CutPoint::Exit => continue,
        };
        let mut edge = e.weight().clone();
        edge.updates = restrict(&edge.updates, &needed[&e.target()]);
        if !matches!(to, Target::Head(_)) {
            edge.updates.clear();
        }
        wires.push(Wire {
            from: e.source(),
            to,
            edge,
        });
    }
    let mut completed = vec![];
    let mut dropped = vec![];
    if choice.acceleration {
        for head in inner_heads(cpg) {
            if let Some(a) = completable(pool, oracle, &wires, head) {
                let Some(changed) = complete(pool, oracle, &wires, head, &a, &mut dropped) else {
                    continue;
                };
                wires = changed;
                for w in &mut wires {
                    if let Target::Head(n) = w.to {
                        w.edge.updates = restrict(&w.edge.updates, &needed[&n]);
                    }
                }
                completed.push((head, a));
            }
        }
    }
    let mut out = Accelerated {
        moves: vec![],
        accelerators: vec![],
        completed,
        forbidden: vec![],
        dfa: Dfa::containing(&[], 0),
        dropped,
    };
    let mut heads: Vec<NodeIndex> = wires.iter().map(|w| w.from).collect();
    heads.sort();
    heads.dedup();
    for head in heads {
        for w in wires.iter().filter(|w| w.from == head) {
            if w.to == Target::Head(head) && choice.acceleration {
                out.add_loop(pool, oracle, head, &w.edge, choice);
            } else {
                out.add(head, w.to, &w.edge, Kind::Plain);
            }
        }
    }
    let forbidden: &[Vec<Letter>] = if choice.trace_automata {
        &out.forbidden
    } else {
        &[]
    };
    out.dfa = Dfa::containing(forbidden, out.moves.len());
    out
}

impl Accelerated {
    fn add(&mut self, from: NodeIndex, to: Target, edge: &Edge, kind: Kind) -> Letter {
        self.moves.push(Move {
            from,
            to,
            guard: edge.guard,
            updates: edge.updates.clone(),
            draws: edge.draws.clone(),
            kind,
        });
        self.moves.len() - 1
    }

    /// Adds a loop edge: its accelerated paths with their accelerators, and the rest.
    fn add_loop(
        &mut self,
        pool: &mut Pool,
        oracle: &mut dyn Oracle,
        head: NodeIndex,
        edge: &Edge,
        choice: Choice,
    ) {
        let to = Target::Head(head);
        let Some(paths) = split(
            pool,
            oracle,
            edge.guard,
            &edge.updates,
            &edge.draws,
            MAX_PATHS,
        ) else {
            self.add(head, to, edge, Kind::Plain);
            return;
        };
        let mut rest = edge.guard;
        for path in &paths {
            for (case, result) in accelerate(pool, oracle, path) {
                let guard = case.guard(pool);
                match result {
                    // Going around without changing anything leads nowhere new.
                    Err(Refusal::Stutters) => {}
                    Ok(a) if choice.over || a.precision != Precision::Over => {
                        self.add_accelerator(pool, head, &case, a, choice);
                    }
                    _ => continue,
                }
                let not = pool.not(guard);
                rest = pool.and(rest, not);
            }
        }
        if oracle.infeasible(pool, rest) {
            self.dropped.push(rest);
        } else {
            let mut edge = edge.clone();
            edge.guard = rest;
            self.add(head, to, &edge, Kind::Rest);
        }
    }

    fn add_accelerator(
        &mut self,
        pool: &mut Pool,
        head: NodeIndex,
        path: &Path,
        a: Accelerator,
        choice: Choice,
    ) {
        let to = Target::Head(head);
        let index = self.accelerators.len();
        let edge = Edge {
            guard: path.guard(pool),
            updates: path.updates.clone(),
            draws: path.draws.clone(),
            blocks: vec![],
        };
        let step = self.add(head, to, &edge, Kind::Path(index));
        let mut jumps = vec![];
        for saturated in [false, true] {
            let side = if saturated {
                a.saturated
            } else {
                pool.not(a.saturated)
            };
            let guard = pool.and(a.guard, side);
            if pool.is_false(guard) {
                continue;
            }
            let edge = Edge {
                guard,
                updates: a.updates.clone(),
                draws: path.draws.clone(),
                blocks: vec![],
            };
            let kind = Kind::Jump {
                accelerator: index,
                saturated,
            };
            jumps.push((saturated, self.add(head, to, &edge, kind)));
        }
        if let Some(exit) = a.exit
            && choice.trace_automata
            && choice.completing
            && a.precision == Precision::Exact
            && a.subsumes_path
            && path.draws.is_empty()
        {
            let (mut effect, sound) = effect(pool, &a, exit.known, exit.count);
            let entered = path.guard(pool);
            let known = pool.and(entered, exit.known);
            effect.guard = pool.and(known, sound);
            let kind = Kind::Complete {
                accelerator: index,
                count: exit.count,
            };
            jumps.push((false, self.add(head, to, &effect, kind)));
            let unsound = pool.not(sound);
            let open = pool.not(a.saturated);
            let mut guard = pool.and(a.guard, open);
            guard = pool.and(guard, known);
            guard = pool.and(guard, unsound);
            if !pool.is_false(guard) {
                let edge = Edge {
                    guard,
                    updates: a.updates.clone(),
                    draws: vec![],
                    blocks: vec![],
                };
                let kind = Kind::Remainder { accelerator: index };
                jumps.push((false, self.add(head, to, &edge, kind)));
            }
        }
        if a.subsumes_path {
            self.forbidden.push(vec![step]);
        }
        if a.precision != Precision::Under {
            for &(saturated, first) in &jumps {
                for &(_, second) in &jumps {
                    if !saturated {
                        self.forbidden.push(vec![first, second]);
                    }
                }
            }
        }
        self.accelerators.push((head, a));
    }
}

/// Nested heads, innermost first.
fn inner_heads(cpg: &Cpg) -> Vec<NodeIndex> {
    let mut heads: Vec<(usize, NodeIndex)> = cpg
        .heads()
        .into_iter()
        .filter_map(|n| match cpg.graph[n] {
            CutPoint::Head(b) => Some((cpg.depth.get(&b).copied().unwrap_or(0), n)),
            _ => None,
        })
        .filter(|&(d, _)| d > 0)
        .collect();
    heads.sort_by_key(|&(d, n)| (std::cmp::Reverse(d), n));
    heads.into_iter().map(|(_, n)| n).collect()
}

/// The accelerator of a loop that has one path, takes no draws, and ends after a known number of iterations.
fn completable(
    pool: &mut Pool,
    oracle: &mut dyn Oracle,
    wires: &[Wire],
    head: NodeIndex,
) -> Option<Accelerator> {
    let mut paths = vec![];
    for w in wires.iter().filter(|w| w.from == head) {
        match w.to {
            Target::Head(n) if n == head => {
                let e = &w.edge;
                paths.extend(split(
                    pool, oracle, e.guard, &e.updates, &e.draws, MAX_PATHS,
                )?);
            }
            _ => {}
        }
    }
    let [path] = &paths[..] else { return None };
    if !path.draws.is_empty() {
        return None;
    }
    let mut cases = accelerate(pool, oracle, path);
    if cases.len() != 1 {
        return None;
    }
    let (_, result) = cases.pop()?;
    let a = result.ok()?;
    (a.precision == Precision::Exact && a.exit.is_some()).then_some(a)
}

/// Takes the loop at `head` out of the graph: ways into it are composed with its effect and the ways out of it.
fn complete(
    pool: &mut Pool,
    oracle: &mut dyn Oracle,
    wires: &[Wire],
    head: NodeIndex,
    a: &Accelerator,
    dropped: &mut Vec<Term>,
) -> Option<Vec<Wire>> {
    let exit = a.exit?;
    let (effect, sound) = effect(pool, a, exit.known, exit.count);
    let mut broken = effect.clone();
    broken.guard = {
        let bad = pool.not(sound);
        pool.and(exit.known, bad)
    };
    let mut good = effect;
    good.guard = pool.and(exit.known, sound);

    let (mut ins, mut outs, mut out) = (vec![], vec![], vec![]);
    for w in wires {
        match (w.from == head, w.to == Target::Head(head)) {
            (true, true) => {}
            (true, false) => outs.push(w),
            (false, true) => ins.push(w),
            (false, false) => out.push(w.clone()),
        }
    }
    for i in ins {
        let through = compose(pool, &i.edge, &good);
        for o in &outs {
            let edge = compose(pool, &through, &o.edge);
            if !pool.is_false(edge.guard) {
                out.push(Wire {
                    from: i.from,
                    to: o.to,
                    edge,
                });
            }
        }
        let mut edge = compose(pool, &i.edge, &broken);
        edge.updates.clear();
        if oracle.infeasible(pool, edge.guard) {
            dropped.push(edge.guard);
        } else {
            out.push(Wire {
                from: i.from,
                to: Target::Incomplete,
                edge,
            });
        }
    }
    (out.len() <= MAX_EDGES).then_some(out)
}

/// The state after `count` iterations as an edge, and the condition that the path is really left then.
fn effect(pool: &mut Pool, a: &Accelerator, known: Term, count: Term) -> (Edge, Term) {
    let zero = {
        let w = pool.width(count);
        pool.bv(0, w)
    };
    let none = pool.eq(count, zero);
    let mut s = Subst::new();
    s.bind(a.count, count);
    let mut updates = BTreeMap::new();
    for (&v, &t) in &a.updates {
        let after = s.apply(pool, t);
        let before = pool.var(v);
        let t = pool.ite(none, before, after);
        updates.insert(v, t);
    }
    let possible = s.apply(pool, a.guard);
    let possible = pool.or(none, possible);
    let mut end = Subst::new();
    for (&v, &t) in &updates {
        end.bind(v, t);
    }
    let mut again = pool.bool(true);
    for &l in &a.path.literals {
        let l = end.apply(pool, l);
        again = pool.and(again, l);
    }
    let left = pool.not(again);
    let sound = pool.and(possible, left);
    let edge = Edge {
        guard: known,
        updates,
        draws: vec![],
        blocks: vec![],
    };
    (edge, sound)
}
