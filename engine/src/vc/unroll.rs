//! Loop expansion: a program in which every loop is entered at most so many times in a row, and runs that go on are
//! no runs (unwinding assumptions). What the cube is measured on, as in the paper.

use crate::program::wto::{Wto, WtoElem};
use crate::program::{Block, BlockId, Program, Terminator};
use std::collections::BTreeMap;

/// A block within certain iterations of the loops around it.
type Place = (BlockId, Vec<usize>);

/// The program with `times` iterations of each loop, or nothing if it gets more than `limit` blocks.
pub fn unroll(program: &Program, times: usize, limit: usize) -> Option<Program> {
    let loops = loops_around(&Wto::of(program), program.blocks.len());
    let mut out = program.clone();
    out.blocks.clear();
    let mut numbers: BTreeMap<Place, BlockId> = BTreeMap::new();
    let mut places: Vec<Place> = vec![];
    let mut number = |places: &mut Vec<Place>, p: Place| {
        *numbers.entry(p).or_insert_with_key(|p| {
            places.push(p.clone());
            BlockId(places.len() as u32 - 1)
        })
    };
    let start = vec![0; loops[program.entry.index()].len()];
    out.entry = number(&mut places, (program.entry, start));
    let mut at = 0;
    while let Some((b, counts)) = places.get(at).cloned() {
        at += 1;
        if at > limit {
            return None;
        }
        let mut block: Block = program.block(b).clone();
        let mut go = |to: BlockId| {
            let (from, into) = (&loops[b.index()], &loops[to.index()]);
            let common = from.iter().zip(into).take_while(|(x, y)| x == y).count();
            let mut next = counts[..common].to_vec();
            next.resize(into.len(), 0);
            // Back at the head of a loop that it is in.
            if into.len() == common && into.last() == Some(&to) {
                next[common - 1] += 1;
                if next[common - 1] > times {
                    return None;
                }
            }
            Some(number(&mut places, (to, next)))
        };
        let ends: Vec<Option<BlockId>> = program.successors(b).into_iter().map(&mut go).collect();
        block.terminator = match (block.terminator, &ends[..]) {
            (Terminator::Goto(_), [Some(to)]) => Terminator::Goto(*to),
            (Terminator::Goto(_), _) => Terminator::Blocked,
            (Terminator::Branch { cond, .. }, [Some(then), Some(otherwise)]) => {
                Terminator::Branch {
                    cond,
                    then: *then,
                    otherwise: *otherwise,
                }
            }
            (Terminator::Branch { cond, .. }, [then, otherwise]) => {
                let (mut assumed, on) = match (then, otherwise) {
                    (Some(then), _) => (cond, Some(*then)),
                    (_, otherwise) => (out.pool.not(cond), *otherwise),
                };
                if on.is_none() {
                    assumed = out.pool.bool(false);
                }
                block.stmts.push(crate::program::Stmt::Assume(assumed));
                on.map_or(Terminator::Blocked, Terminator::Goto)
            }
            (end, _) => end,
        };
        out.blocks.push(block);
    }
    Some(out)
}

/// The heads of the loops around each block, outermost first.
fn loops_around(wto: &Wto, blocks: usize) -> Vec<Vec<BlockId>> {
    let mut out = vec![vec![]; blocks];
    let mut todo: Vec<(&[WtoElem], Vec<BlockId>)> = vec![(&wto.elems, vec![])];
    while let Some((elems, around)) = todo.pop() {
        for e in elems {
            match e {
                WtoElem::Vertex(b) => out[b.index()] = around.clone(),
                WtoElem::Component(head, inner) => {
                    let mut around = around.clone();
                    around.push(*head);
                    out[head.index()] = around.clone();
                    todo.push((inner, around));
                }
            }
        }
    }
    out
}
