//! Cleans a lowered program: constants are propagated (`constants`), pointers keep the targets that they have (`targets`), dead
//! assignments and unreachable blocks go, straight lines become one block.

use super::liveness::Liveness;
use super::{BlockId, Draw, Program, Stmt, Terminator, constants, targets};
use crate::term::{Term, Var};
use std::collections::BTreeSet;

/// Fewer targets leave less code, and less code fewer targets.
const NARROWED: usize = 4;

/// Simplifies in place; the program's runs stay the same, step counts aside.
pub fn simplify(program: &mut Program) {
    shorten(program);
    constants::propagate(program);
    for _ in 0..NARROWED {
        if !targets::narrow(program) {
            break;
        }
        constants::propagate(program);
    }
    drop_dead(program);
    shorten(program);
    forget_unused_vars(program);
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
    let reachable = program.reverse_postorder();
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
    let order: Vec<BlockId> = program
        .reverse_postorder()
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
