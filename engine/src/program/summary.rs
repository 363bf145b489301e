//! Summarises the loop-free fragment behind a cut-point as one functional edge per cut-point that it reaches.
//!
//! Blocks are visited in topological order with a path condition and a value for each changed variable; where
//! paths join, values are merged by `ite` over the incoming condition. This is the SSA encoding of the VC cube
//! taken to its functional normal form; hash-consing keeps it linear in the fragment.

use super::cpg::{CutPoint, Edge, EdgeDraw};
use super::values::Values;
use super::{BlockId, Program, Stmt, Terminator};
use crate::term::{Pool, Term};
use std::collections::BTreeMap;

/// What is known when control enters a block from somewhere.
struct Arrival {
    condition: Term,
    values: Values,
}

/// The edges from `start` (a loop head, or the entry, whose block may itself be a head).
pub fn fragment(
    program: &mut Program,
    start: BlockId,
    from_entry: bool,
    heads: &[BlockId],
) -> BTreeMap<CutPoint, Edge> {
    let mut edges: BTreeMap<CutPoint, Edge> = BTreeMap::new();
    let always = program.pool.bool(true);
    // The program's entry may be a loop head: then the entry edge is empty.
    if from_entry && heads.contains(&start) {
        let guard = requires(program);
        edges.insert(
            CutPoint::Head(start),
            Edge {
                guard,
                updates: BTreeMap::new(),
                draws: vec![],
                blocks: vec![],
            },
        );
        return edges;
    }
    let order = topological(program, start, heads);
    let mut arrivals: BTreeMap<BlockId, Vec<Arrival>> = BTreeMap::new();
    let condition = if from_entry {
        requires(program)
    } else {
        always
    };
    arrivals.insert(
        start,
        vec![Arrival {
            condition,
            values: Values::default(),
        }],
    );
    let mut draws: Vec<EdgeDraw> = vec![];
    let mut ends: BTreeMap<CutPoint, Vec<Arrival>> = BTreeMap::new();
    for &b in &order {
        let Some(incoming) = arrivals.remove(&b) else {
            continue;
        };
        let Arrival {
            mut condition,
            values,
        } = merge(&mut program.pool, incoming);
        if program.pool.is_false(condition) {
            continue;
        }
        let block = &program.blocks[b.index()];
        let mut subst = values.in_terms(&program.pool, &block.terms());
        let (stmts, terminator) = (block.stmts.clone(), block.terminator.clone());
        let mut changes = BTreeMap::new();
        for stmt in &stmts {
            match stmt {
                Stmt::Assign(v, t) => {
                    let t = subst.apply(&mut program.pool, *t);
                    changes.insert(*v, t);
                    subst.bind(*v, t);
                }
                Stmt::Havoc(v, draw) => {
                    let info = program.pool.var_info(*v).clone();
                    let fresh = program.pool.fresh(format!("{}'", info.name), info.sort);
                    draws.push(EdgeDraw {
                        var: fresh,
                        draw: draw.clone(),
                        when: condition,
                    });
                    let t = program.pool.var(fresh);
                    changes.insert(*v, t);
                    subst.bind(*v, t);
                }
                Stmt::Assume(c) => {
                    let c = subst.apply(&mut program.pool, *c);
                    condition = program.pool.and(condition, c);
                }
            }
        }
        let values = values.with(changes);
        let mut go = |pool: &Pool, to: BlockId, condition: Term| {
            if pool.is_false(condition) {
                return;
            }
            let arrival = Arrival {
                condition,
                values: values.clone(),
            };
            if heads.contains(&to) {
                ends.entry(CutPoint::Head(to)).or_default().push(arrival);
            } else {
                arrivals.entry(to).or_default().push(arrival);
            }
        };
        match terminator {
            Terminator::Goto(to) => go(&program.pool, to, condition),
            Terminator::Branch {
                cond,
                then,
                otherwise,
            } => {
                let c = subst.apply(&mut program.pool, cond);
                let yes = program.pool.and(condition, c);
                let n = program.pool.not(c);
                let no = program.pool.and(condition, n);
                go(&program.pool, then, yes);
                go(&program.pool, otherwise, no);
            }
            Terminator::Return => ends
                .entry(CutPoint::Exit)
                .or_default()
                .push(Arrival { condition, values }),
            Terminator::Stop(s) => ends.entry(CutPoint::Stop(s)).or_default().push(Arrival {
                condition,
                values: Values::default(),
            }),
            Terminator::Blocked => {}
        }
    }
    for (to, incoming) in ends {
        let Arrival { condition, values } = merge(&mut program.pool, incoming);
        let mut updates = BTreeMap::new();
        for (v, t) in values.all() {
            if program.pool.as_var(t) != Some(v) {
                updates.insert(v, t);
            }
        }
        // Only what this edge mentions is its own.
        let mut used: Vec<Term> = updates.values().copied().collect();
        used.push(condition);
        let free = program.pool.free_vars(&used);
        let draws = draws
            .iter()
            .filter(|d| free.binary_search(&d.var).is_ok() || matches!(d.draw, super::Draw::Any))
            .cloned()
            .collect();
        edges.insert(
            to,
            Edge {
                guard: condition,
                updates,
                draws,
                blocks: order.clone(),
            },
        );
    }
    edges
}

fn requires(program: &mut Program) -> Term {
    let all = program.requires.clone();
    program.pool.and_all(&all)
}

/// Joins the arrivals at one block: conditions are disjoint, so the order of the `ite`s does not matter.
fn merge(pool: &mut Pool, mut incoming: Vec<Arrival>) -> Arrival {
    let Some(mut out) = incoming.pop() else {
        let condition = pool.bool(false);
        return Arrival {
            condition,
            values: Values::default(),
        };
    };
    while let Some(a) = incoming.pop() {
        let (common, changed) = Values::parted(&[&a.values, &out.values]);
        let mut changes = BTreeMap::new();
        for v in changed {
            let old = pool.var(v);
            let x = a.values.get(v).unwrap_or(old);
            let y = out.values.get(v).unwrap_or(old);
            changes.insert(v, pool.ite(a.condition, x, y));
        }
        out.values = common.with(changes);
        out.condition = pool.or(a.condition, out.condition);
    }
    out
}

/// The blocks that `start` reaches without passing a head, in topological order.
pub fn topological(program: &Program, start: BlockId, heads: &[BlockId]) -> Vec<BlockId> {
    let mut done = vec![false; program.blocks.len()];
    let mut order = vec![];
    let mut stack = vec![(start, 0usize)];
    done[start.index()] = true;
    while let Some((b, next)) = stack.pop() {
        let succs = program.successors(b);
        if next < succs.len() {
            stack.push((b, next + 1));
            let s = succs[next];
            if !done[s.index()] && !heads.contains(&s) {
                done[s.index()] = true;
                stack.push((s, 0));
            }
        } else {
            order.push(b);
        }
    }
    order.reverse();
    order
}
