//! Cleans a lowered program: constants (above all initialisation flags and pointer tags) are propagated along
//! feasible edges (Wegman and Zadeck's conditional constants, dense over live variables), dead assignments and
//! unreachable blocks go, straight lines become one block.

use super::liveness::Liveness;
use super::{BlockId, Draw, Program, Stmt, Terminator};
use crate::term::{BinOp, Node, Pool, Subst, Term, UnOp, Var};
use std::collections::{BTreeMap, BTreeSet};

/// Known constants at the start of a block.
type Known = BTreeMap<Var, Term>;

/// Simplifies in place; the program's runs stay the same, step counts aside.
pub fn simplify(program: &mut Program) {
    shorten(program);
    propagate_constants(program);
    drop_dead(program);
    shorten(program);
    forget_unused_vars(program);
}

fn propagate_constants(program: &mut Program) {
    let live = Liveness::of(program);
    let n = program.blocks.len();
    let mut known: Vec<Option<Known>> = vec![None; n];
    known[program.entry.index()] = Some(Known::new());
    let order = reverse_postorder(program);
    let mut position = vec![usize::MAX; n];
    for (i, b) in order.iter().enumerate() {
        position[b.index()] = i;
    }
    let mut todo: BTreeSet<(usize, BlockId)> = BTreeSet::new();
    todo.insert((0, program.entry));
    while let Some((_, b)) = todo.pop_first() {
        let Some(state) = known[b.index()].clone() else {
            continue;
        };
        for (to, out) in transfer(program, b, state) {
            let filtered: Known = out
                .into_iter()
                .filter(|(v, _)| live.is_live_in(to, *v))
                .collect();
            let changed = match &mut known[to.index()] {
                slot @ None => {
                    *slot = Some(filtered);
                    true
                }
                Some(old) => {
                    let before = old.len();
                    old.retain(|v, t| filtered.get(v) == Some(t));
                    old.len() != before
                }
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
                program.blocks[b].origin.known = state.iter().map(|(v, t)| (*v, *t)).collect();
                rewrite(program, b, state);
            }
        }
    }
}

fn is_constant(pool: &Pool, t: Term) -> bool {
    match pool.node(t) {
        Node::Const(_) => true,
        Node::ConstArray(v) => pool.as_const(*v).is_some(),
        _ => false,
    }
}

fn bind(state: &Known) -> Subst {
    let mut s = Subst::new();
    for (v, t) in state {
        s.bind(*v, *t);
    }
    s
}

/// The constants after a block, per feasible successor.
fn transfer(program: &mut Program, b: BlockId, mut state: Known) -> Vec<(BlockId, Known)> {
    let block = std::mem::take(&mut program.blocks[b.index()].stmts);
    let mut subst = bind(&state);
    for stmt in &block {
        match stmt {
            Stmt::Assign(v, t) => {
                let value = subst.apply(&mut program.pool, *t);
                if is_constant(&program.pool, value) {
                    state.insert(*v, value);
                    subst.bind(*v, value);
                } else if state.remove(v).is_some() {
                    subst = bind(&state);
                }
            }
            Stmt::Havoc(v, _) => {
                if state.remove(v).is_some() {
                    subst = bind(&state);
                }
            }
            Stmt::Assume(c) => {
                let c = subst.apply(&mut program.pool, *c);
                if program.pool.is_false(c) {
                    program.blocks[b.index()].stmts = block;
                    return vec![];
                }
            }
        }
    }
    program.blocks[b.index()].stmts = block;
    match program.blocks[b.index()].terminator {
        Terminator::Goto(to) => vec![(to, state)],
        Terminator::Branch {
            cond,
            then,
            otherwise,
        } => {
            let c = subst.apply(&mut program.pool, cond);
            if program.pool.is_true(c) {
                return vec![(then, state)];
            }
            if program.pool.is_false(c) {
                return vec![(otherwise, state)];
            }
            let mut yes = state.clone();
            learn(&mut program.pool, cond, true, &mut yes);
            let mut no = state;
            learn(&mut program.pool, cond, false, &mut no);
            vec![(then, yes), (otherwise, no)]
        }
        _ => vec![],
    }
}

/// What a branch condition says about variables.
fn learn(pool: &mut Pool, cond: Term, holds: bool, state: &mut Known) {
    match *pool.node(cond) {
        Node::Var(v) => {
            let t = pool.bool(holds);
            state.insert(v, t);
        }
        Node::Unary(UnOp::Not, c) => learn(pool, c, !holds, state),
        Node::Binary(BinOp::Eq, a, b) if holds => {
            if let (Node::Var(v), Some(_)) = (pool.node(a).clone(), pool.as_const(b)) {
                state.insert(v, b);
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

fn rewrite(program: &mut Program, b: usize, mut state: Known) {
    let mut subst = bind(&state);
    let stmts = std::mem::take(&mut program.blocks[b].stmts);
    let mut out = vec![];
    for stmt in stmts {
        match stmt {
            Stmt::Assign(v, t) => {
                let value = subst.apply(&mut program.pool, t);
                if is_constant(&program.pool, value) {
                    // Already that constant: nothing to do.
                    if state.get(&v) != Some(&value) {
                        out.push(Stmt::Assign(v, value));
                    }
                    state.insert(v, value);
                    subst.bind(v, value);
                } else {
                    if state.remove(&v).is_some() {
                        subst = bind(&state);
                    }
                    if program.pool.as_var(value) != Some(v) {
                        out.push(Stmt::Assign(v, value));
                    }
                }
            }
            Stmt::Havoc(v, draw) => {
                if state.remove(&v).is_some() {
                    subst = bind(&state);
                }
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

/// Drops assignments whose variable nobody reads afterwards. Draws stay: a replay counts them.
fn drop_dead(program: &mut Program) {
    let live = Liveness::of(program);
    for b in 0..program.blocks.len() {
        let mut alive = live.live_out(program, BlockId(b as u32));
        let stmts = std::mem::take(&mut program.blocks[b].stmts);
        let mut kept = vec![];
        if let Terminator::Branch { cond, .. } = program.blocks[b].terminator {
            live.read(&program.pool, cond, &mut alive);
        }
        for stmt in stmts.into_iter().rev() {
            match &stmt {
                Stmt::Assign(v, t) => {
                    if !live.contains(&alive, *v) {
                        continue;
                    }
                    live.remove(&mut alive, *v);
                    live.read(&program.pool, *t, &mut alive);
                }
                // An approximation that nobody reads is none.
                Stmt::Havoc(v, Draw::Approximate(_)) if !live.contains(&alive, *v) => continue,
                Stmt::Havoc(v, _) => live.remove(&mut alive, *v),
                Stmt::Assume(c) => live.read(&program.pool, *c, &mut alive),
            }
            kept.push(stmt);
        }
        kept.reverse();
        program.blocks[b].stmts = kept;
    }
}

fn reverse_postorder(program: &Program) -> Vec<BlockId> {
    super::summary::topological(program, program.entry, &[])
}

/// Skips empty blocks, joins straight lines, renumbers what is reachable.
fn shorten(program: &mut Program) {
    let n = program.blocks.len();
    let mut target: Vec<BlockId> = (0..n as u32).map(BlockId).collect();
    for (b, target) in target.iter_mut().enumerate() {
        // Follow chains of empty gotos; a cycle of them is an empty loop and stays.
        let mut at = BlockId(b as u32);
        let mut hops = 0;
        while program.block(at).stmts.is_empty()
            && let Terminator::Goto(next) = program.block(at).terminator
            && hops < n
        {
            at = next;
            hops += 1;
        }
        if hops < n {
            *target = at;
        }
    }
    for block in &mut program.blocks {
        match &mut block.terminator {
            Terminator::Goto(t) => *t = target[t.index()],
            Terminator::Branch {
                then, otherwise, ..
            } => {
                *then = target[then.index()];
                *otherwise = target[otherwise.index()];
            }
            _ => {}
        }
        if let Terminator::Branch {
            then, otherwise, ..
        } = block.terminator
            && then == otherwise
        {
            block.terminator = Terminator::Goto(then);
        }
    }
    program.entry = target[program.entry.index()];
    let mut preds = vec![0usize; n];
    let reachable = reverse_postorder(program);
    for &b in &reachable {
        for s in program.successors(b) {
            preds[s.index()] += 1;
        }
    }
    preds[program.entry.index()] += 1;
    let mut gone = vec![false; n];
    for &b in &reachable {
        if gone[b.index()] {
            continue;
        }
        while let Terminator::Goto(next) = program.block(b).terminator
            && next != b
            && preds[next.index()] == 1
        {
            let tail = std::mem::take(&mut program.blocks[next.index()].stmts);
            let end = program.blocks[next.index()].terminator.clone();
            gone[next.index()] = true;
            let span = program.blocks[next.index()].span.clone();
            let block = &mut program.blocks[b.index()];
            block.stmts.extend(tail);
            block.terminator = end;
            if block.span.is_none() {
                block.span = span;
            }
        }
    }
    renumber(program, &gone);
}

fn renumber(program: &mut Program, gone: &[bool]) {
    let order: Vec<BlockId> = reverse_postorder(program)
        .into_iter()
        .filter(|b| !gone[b.index()])
        .collect();
    let mut new_id = vec![BlockId(0); program.blocks.len()];
    for (i, b) in order.iter().enumerate() {
        new_id[b.index()] = BlockId(i as u32);
    }
    let mut blocks = vec![];
    for &b in &order {
        let mut block = program.blocks[b.index()].clone();
        match &mut block.terminator {
            Terminator::Goto(t) => *t = new_id[t.index()],
            Terminator::Branch {
                then, otherwise, ..
            } => {
                *then = new_id[then.index()];
                *otherwise = new_id[otherwise.index()];
            }
            _ => {}
        }
        blocks.push(block);
    }
    program.entry = new_id[program.entry.index()];
    program.blocks = blocks;
}

/// The state holds what some statement reads or writes, plus inputs and outputs.
fn forget_unused_vars(program: &mut Program) {
    let mut used: BTreeSet<Var> = program.outputs.iter().copied().collect();
    let mut terms: Vec<Term> = program.requires.clone();
    for block in &program.blocks {
        for s in &block.stmts {
            match s {
                Stmt::Assign(v, t) => {
                    used.insert(*v);
                    terms.push(*t);
                }
                Stmt::Havoc(v, _) => {
                    used.insert(*v);
                }
                Stmt::Assume(c) => terms.push(*c),
            }
        }
        if let Terminator::Branch { cond, .. } = block.terminator {
            terms.push(cond);
        }
    }
    used.extend(program.pool.free_vars(&terms));
    program.vars.retain(|v| used.contains(v));
    program.source_names.retain(|(v, _)| used.contains(v));
}
