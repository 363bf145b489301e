//! Inputs that are only put right: an array that the program maps once, at its start, element by element, and never
//! writes again.
//!
//! Reads of it become reads of the input with the map around them, so that no invariant has to remember, for all
//! elements, what the map did.

use super::{BlockId, Program, Stmt, Terminator};
use crate::term::{Node, Subst, Term, Var};
use std::collections::{BTreeMap, BTreeSet};

/// Rewrites in place; runs stay the same, but for the array itself, which keeps the input. Those of `except` are left:
/// others look at them when the run is over.
pub fn settle(program: &mut Program, except: &BTreeSet<Var>) {
    let mut writes: BTreeMap<Var, u32> = BTreeMap::new();
    for block in &program.blocks {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Assign(v, _) | Stmt::Havoc(v, _) => *writes.entry(*v).or_default() += 1,
                Stmt::Assume(_) => {}
            }
        }
    }
    let entry = program.entry;
    let mut blocks = (0..program.blocks.len() as u32).map(BlockId);
    if blocks.any(|b| program.successors(b).contains(&entry)) {
        return;
    }
    let once = |v: &Var, t: &Term, program: &Program| {
        matches!(program.pool.node(*t), Node::Lambda { .. })
            && writes.get(v) == Some(&1)
            && !except.contains(v)
            && (program.pool.free_vars(&[*t]).iter()).all(|w| w == v || !writes.contains_key(w))
    };
    let stmts = std::mem::take(&mut program.blocks[entry.index()].stmts);
    let mut maps = Subst::new();
    let mut kept = vec![];
    for stmt in stmts {
        match stmt {
            Stmt::Assign(v, t) if once(&v, &t, program) => maps.bind(v, t),
            stmt => kept.push(rewritten(stmt, &mut maps, program)),
        }
    }
    program.blocks[entry.index()].stmts = kept;
    if maps.is_empty() {
        return;
    }
    for b in 0..program.blocks.len() {
        if b != entry.index() {
            let stmts = std::mem::take(&mut program.blocks[b].stmts);
            let stmts = stmts.into_iter().map(|s| rewritten(s, &mut maps, program));
            program.blocks[b].stmts = stmts.collect();
        }
        if let Terminator::Branch { cond, .. } = program.blocks[b].terminator {
            let now = maps.apply(&mut program.pool, cond);
            if let Terminator::Branch { cond, .. } = &mut program.blocks[b].terminator {
                *cond = now;
            }
        }
    }
}

fn rewritten(stmt: Stmt, maps: &mut Subst, program: &mut Program) -> Stmt {
    match stmt {
        Stmt::Assign(v, t) => Stmt::Assign(v, maps.apply(&mut program.pool, t)),
        Stmt::Assume(t) => Stmt::Assume(maps.apply(&mut program.pool, t)),
        stmt @ Stmt::Havoc(..) => stmt,
    }
}
