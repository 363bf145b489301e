//! UTF-8 in terms: which bytes are part of a text, said of one byte and its neighbours.
//!
//! A text that the program never writes stays the input. Wherever the program reads a byte of it, what is true there of
//! every text is assumed (`assume_texts`): the neighbours that a first byte asks for, and the first byte that any
//! other one follows. That is less than that all bytes together are a text, so a proof holds for texts, and a
//! counterexample is run with a text in place of its bytes (`texts::repaired`).
//!
//! A text that is written becomes one at the start of the program (`repaired_byte`).

use super::texts::{REPLACEMENT, of_inputs};
use super::{Program, Stmt, Terminator};
use crate::term::{BinOp, FastSet, Node, Pool, Sort, Term, Var};
use std::collections::BTreeSet;

/// First bytes of a sequence of this length, and which second ones they allow (the Unicode standard, table 3-7).
fn leads(n: usize) -> &'static [(u8, u8, u8, u8)] {
    match n {
        2 => &[(0xc2, 0xdf, 0x80, 0xbf)],
        3 => &[
            (0xe0, 0xe0, 0xa0, 0xbf),
            (0xe1, 0xec, 0x80, 0xbf),
            (0xed, 0xed, 0x80, 0x9f),
            (0xee, 0xef, 0x80, 0xbf),
        ],
        _ => &[
            (0xf0, 0xf0, 0x90, 0xbf),
            (0xf1, 0xf3, 0x80, 0xbf),
            (0xf4, 0xf4, 0x80, 0x8f),
        ],
    }
}

/// How far on either side of a byte it can be seen whether it belongs to a well-formed sequence.
pub const REACH: u64 = 3;

/// The byte at an index of the text that is made of these bytes.
pub fn repaired_byte(pool: &mut Pool, raw: Term, at: Term) -> Term {
    let near: Vec<Term> = (0..=2 * REACH)
        .map(|k| {
            let offset = pool.bv(u128::from(k.wrapping_sub(REACH)), 64);
            let i = pool.add(at, offset);
            pool.select(raw, i)
        })
        .collect();
    let middle = REACH as usize;
    let mut kept = within(pool, near[middle], 0, 0x7f);
    for back in 0..=middle {
        // sequences that start so many bytes before, and are long enough to reach here
        for n in 2.max(back + 1)..=4 {
            let starts = starts_sequence(pool, &near[middle - back..], n);
            kept = pool.or(kept, starts);
        }
    }
    let other = pool.bv(u128::from(REPLACEMENT), 8);
    pool.ite(kept, near[middle], other)
}

/// Does a well-formed sequence of this length start at the first of these bytes?
fn starts_sequence(pool: &mut Pool, bytes: &[Term], n: usize) -> Term {
    let mut starts = pool.bool(false);
    for &(first, last, low, high) in leads(n) {
        let lead = within(pool, bytes[0], first, last);
        let second = within(pool, bytes[1], low, high);
        let both = pool.and(lead, second);
        starts = pool.or(starts, both);
    }
    for &b in &bytes[2..n] {
        let continues = within(pool, b, 0x80, 0xbf);
        starts = pool.and(starts, continues);
    }
    starts
}

fn within(pool: &mut Pool, byte: Term, low: u8, high: u8) -> Term {
    let (low, high) = (pool.bv(low.into(), 8), pool.bv(high.into(), 8));
    let above = pool.ule(low, byte);
    let below = pool.ule(byte, high);
    pool.and(above, below)
}

/// Does no sequence of the text go across this index?
pub fn is_boundary(pool: &mut Pool, byte: Term, at: Term, len: Term) -> Term {
    let is_end = pool.eq(at, len);
    let continues = within(pool, byte, 0x80, 0xbf);
    let starts = pool.not(continues);
    pool.or(is_end, starts)
}

/// What is true of every byte of a text, by its index: of the bytes after it if it is a first one, and of those before it
/// if not, where somebody reads `backwards`.
pub fn holds_at(pool: &mut Pool, bytes: Term, len: Term, at: Term, backwards: bool) -> Term {
    let byte = |pool: &mut Pool, k: i64| {
        let offset = pool.bv(u128::from(k as u64), 64);
        let i = pool.add(at, offset);
        pool.select(bytes, i)
    };
    let here: Vec<Term> = (0..=4).map(|k| byte(pool, k)).collect();
    let rest = pool.sub(len, at);
    let mut all = pool.bool(true);
    let mut unless = |pool: &mut Pool, condition: Term, then: Term| {
        let not = pool.not(condition);
        let implied = pool.or(not, then);
        all = pool.and(all, implied);
    };
    let ends = |pool: &mut Pool, n: usize| {
        let (n, next) = (pool.bv(n as u128, 64), here[n]);
        let is_last = pool.eq(rest, n);
        let continues = within(pool, next, 0x80, 0xbf);
        let starts = pool.not(continues);
        pool.or(is_last, starts)
    };
    let ascii = within(pool, here[0], 0, 0x7f);
    let next = ends(pool, 1);
    unless(pool, ascii, next);
    for n in 2..=4usize {
        let (first, last) = (leads(n)[0].0, leads(n)[leads(n).len() - 1].1);
        let leads = within(pool, here[0], first, last);
        let starts = starts_sequence(pool, &here, n);
        let least = pool.bv(n as u128, 64);
        let fits = pool.ule(least, rest);
        let next = ends(pool, n);
        let whole = pool.and(starts, fits);
        let whole = pool.and(whole, next);
        unless(pool, leads, whole);
    }
    let no = pool.bool(false);
    for (low, high) in [(0xc0, 0xc1), (0xf5, 0xff)] {
        let never = within(pool, here[0], low, high);
        unless(pool, never, no);
    }
    if backwards {
        let follows = follows_lead(pool, at, &byte);
        let continues = within(pool, here[0], 0x80, 0xbf);
        unless(pool, continues, follows);
    }
    let inside = pool.ult(at, len);
    let outside = pool.not(inside);
    pool.or(outside, all)
}

/// Is there, one to three bytes before, a first byte of a sequence that is long enough?
fn follows_lead(pool: &mut Pool, at: Term, byte: &dyn Fn(&mut Pool, i64) -> Term) -> Term {
    let mut found = pool.bool(false);
    for back in (1..=3u8).rev() {
        let before = byte(pool, -i64::from(back));
        let least = [0xc2, 0xe0, 0xf0][usize::from(back) - 1];
        let leads = within(pool, before, least, 0xf4);
        let continues = within(pool, before, 0x80, 0xbf);
        let further = pool.and(continues, found);
        let either = pool.or(leads, further);
        let least = pool.bv(back.into(), 64);
        let exists = pool.ule(least, at);
        found = pool.and(exists, either);
    }
    found
}

/// Texts that the program never writes are not repaired: what is true of them is assumed where they are read.
pub fn assume_texts(program: &mut Program, except: &BTreeSet<Var>) {
    for (len, bytes) in of_inputs(&program.inputs) {
        if except.contains(&bytes) {
            continue;
        }
        let mut writes = vec![];
        for (b, block) in program.blocks.iter().enumerate() {
            for (i, stmt) in block.stmts.iter().enumerate() {
                if let Stmt::Assign(v, _) | Stmt::Havoc(v, _) = stmt
                    && (*v == bytes || *v == len)
                {
                    writes.push((b, i));
                }
            }
        }
        let [(b, i)] = writes[..] else { continue };
        let repairs = matches!(&program.blocks[b].stmts[i], Stmt::Assign(v, t)
            if *v == bytes && matches!(program.pool.node(*t), Node::Lambda { .. }));
        if b != program.entry.index() || !repairs {
            continue;
        }
        program.blocks[b].stmts.remove(i);
        let pool = &program.pool;
        program
            .requires
            .retain(|r| !pool.free_vars(&[*r]).contains(&bytes));
        // Loops start here, before they have read anything.
        let pool = &mut program.pool;
        let (array, end, start) = (pool.var(bytes), pool.var(len), pool.bv(0, 64));
        let first = holds_at(pool, array, end, start, true);
        program.requires.push(first);
        let text = Text {
            len: end,
            bytes: array,
            backwards: counts_down(program),
        };
        for b in 0..program.blocks.len() {
            assume_in_block(program, b, &text);
        }
    }
}

struct Text {
    len: Term,
    bytes: Term,
    backwards: bool,
}

/// Does the program count an index down?
fn counts_down(program: &Program) -> bool {
    let pool = &program.pool;
    let is_negative = |t: Term| pool.as_const(t).is_some_and(|k| k >> 63 == 1);
    let mut stmts = program.blocks.iter().flat_map(|b| &b.stmts);
    stmts.any(|stmt| match stmt {
        Stmt::Assign(_, t) if pool.sort(*t) == Sort::Bv(64) => match *pool.node(*t) {
            Node::Binary(BinOp::Add, a, b) => is_negative(a) || is_negative(b),
            Node::Binary(BinOp::Sub, ..) => true,
            _ => false,
        },
        _ => false,
    })
}

/// The indices at which the terms read the array.
fn reads_of(pool: &Pool, mut todo: Vec<Term>, array: Term) -> Vec<Term> {
    let mut seen: FastSet<Term> = FastSet::default();
    let mut out = vec![];
    while let Some(t) = todo.pop() {
        if !seen.insert(t) {
            continue;
        }
        match *pool.node(t) {
            // its index may be the function's own
            Node::Lambda { .. } => continue,
            Node::Select(a, i) if a == array => out.push(i),
            _ => {}
        }
        todo.extend(pool.children(t));
    }
    out
}

fn assume_in_block(program: &mut Program, b: usize, text: &Text) {
    let stmts = std::mem::take(&mut program.blocks[b].stmts);
    let mut known: FastSet<Term> = FastSet::default();
    let mut out = vec![];
    let assume = |pool: &mut Pool, t: Term, known: &mut FastSet<Term>, out: &mut Vec<Stmt>| {
        for i in reads_of(pool, vec![t], text.bytes) {
            if known.insert(i) {
                let holds = holds_at(pool, text.bytes, text.len, i, text.backwards);
                out.push(Stmt::Assume(holds));
            }
        }
    };
    for stmt in stmts {
        if let Stmt::Assign(_, t) | Stmt::Assume(t) = stmt {
            assume(&mut program.pool, t, &mut known, &mut out);
        }
        if let Stmt::Assign(v, _) | Stmt::Havoc(v, _) = stmt {
            let pool = &program.pool;
            known.retain(|i| !pool.free_vars(&[*i]).contains(&v));
        }
        out.push(stmt);
    }
    if let Terminator::Branch { cond, .. } = program.blocks[b].terminator {
        assume(&mut program.pool, cond, &mut known, &mut out);
    }
    program.blocks[b].stmts = out;
}

#[cfg(test)]
mod tests {
    use super::super::texts::repaired;
    use super::*;
    use crate::prove::concrete::Random;
    use crate::term::{ArrayValue, FastMap, Value};
    use std::sync::Arc;

    /// Bytes that make sequences, whole and broken ones.
    const BYTES: [u8; 18] = [
        0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc1, 0xc2, 0xdf, 0xe0, 0xed, 0xef,
        0xf0, 0xf4, 0xf5,
    ];

    #[test]
    fn the_term_makes_the_text_that_std_makes_and_boundaries_are_those_of_std() {
        let mut random = Random::new(8);
        let mut pool = Pool::default();
        let v = pool.fresh("raw", Sort::Array { index: 64, elem: 8 });
        let raw = pool.var(v);
        let (mut whole, mut broken) = (0, 0);
        for _ in 0..4_000 {
            let n = random.below(7) as usize;
            let bytes: Vec<u8> = (0..n)
                .map(|_| BYTES[random.below(BYTES.len() as u64) as usize])
                .collect();
            let mut env: FastMap<Var, Value> = FastMap::default();
            let at = bytes
                .iter()
                .enumerate()
                .map(|(i, b)| (i as u128, u128::from(*b)));
            let array = ArrayValue::new(0, at.collect());
            env.insert(v, Value::Array(Arc::new(array)));
            let made: Vec<u8> = (0..n as u128)
                .map(|i| {
                    let at = pool.bv(i, 64);
                    let byte = repaired_byte(&mut pool, raw, at);
                    pool.eval_bits(byte, &env) as u8
                })
                .collect();
            assert_eq!(made, repaired(&bytes), "{bytes:x?}");
            let text = String::from_utf8(made.clone()).expect("a text");
            if text.as_bytes() == bytes {
                whole += 1
            } else {
                broken += 1
            }
            if let Ok(same) = std::str::from_utf8(&bytes) {
                assert_eq!(same, text);
            }
            let len = pool.bv(n as u128, 64);
            // All bytes together are a text if and only if each of them is in its place.
            let each = (0..n as u128).all(|i| {
                let at = pool.bv(i, 64);
                let holds = holds_at(&mut pool, raw, len, at, true);
                pool.eval_bool(holds, &env)
            });
            assert_eq!(each, std::str::from_utf8(&bytes).is_ok(), "{bytes:x?}");
            for (i, b) in made.iter().enumerate() {
                let (at, byte) = (pool.bv(i as u128, 64), pool.bv(u128::from(*b), 8));
                let boundary = is_boundary(&mut pool, byte, at, len);
                assert_eq!(
                    pool.eval_bool(boundary, &env),
                    text.is_char_boundary(i),
                    "{text:?} {i}"
                );
            }
        }
        assert!(
            whole > 100 && broken > 100,
            "{whole} texts, {broken} broken ones"
        );
    }
}
