//! Constants (above all initialisation flags and pointer tags) along feasible edges: Wegman and Zadeck's conditional
//! constants, dense over live variables.
//!
//! States are long and blocks are short, so a state is a sorted list that is merged with what one block changes, and
//! only the variables that a block reads are looked up.

use super::liveness::Liveness;
use super::{BlockId, Program, Stmt, Terminator};
use crate::term::{BinOp, Node, Pool, Subst, Term, UnOp, Var};
use std::collections::{BTreeMap, BTreeSet};

/// Known constants at the start of a block, by variable.
type Known = Vec<(Var, Term)>;

/// What a block does to them; `None` is a value that is not known any more.
type Changes = BTreeMap<Var, Option<Term>>;

/// Writes constants where they are known; what cannot be reached is `Blocked`.
pub fn propagate(program: &mut Program) {
    let live = Liveness::of(program);
    let n = program.blocks.len();
    let reads: Vec<Vec<Var>> = (0..n).map(|b| reads(program, b)).collect();
    let mut known: Vec<Option<Known>> = vec![None; n];
    known[program.entry.index()] = Some(Known::new());
    let mut position = vec![usize::MAX; n];
    for (i, b) in program.reverse_postorder().iter().enumerate() {
        position[b.index()] = i;
    }
    let mut todo: BTreeSet<(usize, BlockId)> = BTreeSet::new();
    todo.insert((0, program.entry));
    while let Some((_, b)) = todo.pop_first() {
        let Some(state) = known[b.index()].take() else {
            continue;
        };
        let outs = transfer(program, b, &state, &reads[b.index()]);
        let outs: Vec<(BlockId, Known)> = outs
            .into_iter()
            .map(|(to, changes)| (to, merge(&state, &changes, |v| live.is_live_in(to, v))))
            .collect();
        known[b.index()] = Some(state);
        for (to, out) in outs {
            let changed = match &mut known[to.index()] {
                slot @ None => {
                    *slot = Some(out);
                    true
                }
                Some(old) => intersect(old, &out),
            };
            if changed {
                todo.insert((position[to.index()], to));
            }
        }
    }
    for (b, state) in known.into_iter().enumerate() {
        match state {
            None => {
                program.blocks[b].stmts.clear();
                program.blocks[b].terminator = Terminator::Blocked;
            }
            Some(state) => {
                rewrite(program, b, &state, &reads[b]);
                program.blocks[b].origin.known = state;
            }
        }
    }
}

fn reads(program: &Program, b: usize) -> Vec<Var> {
    program.pool.free_vars(&program.blocks[b].terms())
}

fn get(known: &Known, v: Var) -> Option<Term> {
    let at = known.binary_search_by_key(&v, |(v, _)| *v).ok()?;
    Some(known[at].1)
}

/// The state after the changes, without what nobody reads.
fn merge(known: &Known, changes: &Changes, live: impl Fn(Var) -> bool) -> Known {
    let mut out = Known::with_capacity(known.len() + changes.len());
    let mut changes = changes.iter().peekable();
    let push = |v: Var, t: Term, out: &mut Known| {
        if live(v) {
            out.push((v, t));
        }
    };
    for &(v, t) in known {
        while let Some((w, new)) = changes.next_if(|(w, _)| **w < v) {
            if let Some(new) = new {
                push(*w, *new, &mut out);
            }
        }
        match changes.next_if(|(w, _)| **w == v) {
            Some((_, Some(new))) => push(v, *new, &mut out),
            Some((_, None)) => {}
            None => push(v, t, &mut out),
        }
    }
    for (w, new) in changes {
        if let Some(new) = new {
            push(*w, *new, &mut out);
        }
    }
    out
}

/// Keeps what both know; true if that is less than before.
fn intersect(old: &mut Known, new: &Known) -> bool {
    let before = old.len();
    let mut at = 0;
    old.retain(|&(v, t)| {
        while new.get(at).is_some_and(|(w, _)| *w < v) {
            at += 1;
        }
        new.get(at) == Some(&(v, t))
    });
    old.len() != before
}

fn is_constant(pool: &Pool, t: Term) -> bool {
    match pool.node(t) {
        Node::Const(_) => true,
        Node::ConstArray(v) => pool.as_const(*v).is_some(),
        _ => false,
    }
}

fn bind(known: &Known, reads: &[Var]) -> Subst {
    let mut s = Subst::new();
    for &v in reads {
        if let Some(t) = get(known, v) {
            s.bind(v, t);
        }
    }
    s
}

/// What a block changes, per feasible successor.
fn transfer(
    program: &mut Program,
    b: BlockId,
    known: &Known,
    reads: &[Var],
) -> Vec<(BlockId, Changes)> {
    let mut changes = Changes::new();
    let mut subst = bind(known, reads);
    let pool = &mut program.pool;
    let block = &program.blocks[b.index()];
    for stmt in &block.stmts {
        match stmt {
            Stmt::Assign(v, t) => {
                let value = subst.apply(pool, *t);
                if is_constant(pool, value) {
                    changes.insert(*v, Some(value));
                    subst.bind(*v, value);
                } else {
                    changes.insert(*v, None);
                    subst.unbind(*v);
                }
            }
            Stmt::Havoc(v, _) => {
                changes.insert(*v, None);
                subst.unbind(*v);
            }
            Stmt::Assume(c) => {
                let c = subst.apply(pool, *c);
                if pool.is_false(c) {
                    return vec![];
                }
            }
        }
    }
    match block.terminator {
        Terminator::Goto(to) => vec![(to, changes)],
        Terminator::Branch {
            cond,
            then,
            otherwise,
        } => {
            let c = subst.apply(pool, cond);
            if pool.is_true(c) {
                return vec![(then, changes)];
            }
            if pool.is_false(c) {
                return vec![(otherwise, changes)];
            }
            let mut yes = changes.clone();
            learn(pool, cond, true, &mut yes);
            let mut no = changes;
            learn(pool, cond, false, &mut no);
            vec![(then, yes), (otherwise, no)]
        }
        _ => vec![],
    }
}

/// What a branch condition says about variables.
fn learn(pool: &mut Pool, cond: Term, holds: bool, state: &mut Changes) {
    match *pool.node(cond) {
        Node::Var(v) => {
            let t = pool.bool(holds);
            state.insert(v, Some(t));
        }
        Node::Unary(UnOp::Not, c) => learn(pool, c, !holds, state),
        Node::Binary(BinOp::Eq, a, b) if holds => {
            if let (Node::Var(v), Some(_)) = (pool.node(a).clone(), pool.as_const(b)) {
                state.insert(v, Some(b));
            }
        }
        Node::Binary(BinOp::And, a, b) if holds => {
            learn(pool, a, true, state);
            learn(pool, b, true, state);
        }
        Node::Binary(BinOp::Or, a, b) if !holds => {
            learn(pool, a, false, state);
            learn(pool, b, false, state);
        }
        _ => {}
    }
}

fn rewrite(program: &mut Program, b: usize, known: &Known, reads: &[Var]) {
    let mut changes = Changes::new();
    let mut subst = bind(known, reads);
    let stmts = std::mem::take(&mut program.blocks[b].stmts);
    let mut out = vec![];
    for stmt in stmts {
        match stmt {
            Stmt::Assign(v, t) => {
                let value = subst.apply(&mut program.pool, t);
                if is_constant(&program.pool, value) {
                    let now = changes.get(&v).copied().unwrap_or_else(|| get(known, v));
                    // Already that constant: nothing to do.
                    if now != Some(value) {
                        out.push(Stmt::Assign(v, value));
                    }
                    changes.insert(v, Some(value));
                    subst.bind(v, value);
                } else {
                    changes.insert(v, None);
                    subst.unbind(v);
                    if program.pool.as_var(value) != Some(v) {
                        out.push(Stmt::Assign(v, value));
                    }
                }
            }
            Stmt::Havoc(v, draw) => {
                changes.insert(v, None);
                subst.unbind(v);
                out.push(Stmt::Havoc(v, draw));
            }
            Stmt::Assume(c) => {
                let c = subst.apply(&mut program.pool, c);
                if !program.pool.is_true(c) {
                    out.push(Stmt::Assume(c));
                }
            }
        }
    }
    let terminator = match program.blocks[b].terminator.clone() {
        Terminator::Branch {
            cond,
            then,
            otherwise,
        } => {
            let c = subst.apply(&mut program.pool, cond);
            if program.pool.is_true(c) || then == otherwise {
                Terminator::Goto(then)
            } else if program.pool.is_false(c) {
                Terminator::Goto(otherwise)
            } else {
                Terminator::Branch {
                    cond: c,
                    then,
                    otherwise,
                }
            }
        }
        other => other,
    };
    program.blocks[b].stmts = out;
    program.blocks[b].terminator = terminator;
}
