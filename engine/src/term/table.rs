//! Tables: arrays of constants, read at an index that is not known.
//!
//! Comparing the index with each position makes a chain as long as the table, and every later use of the value walks it. A
//! tree over the bits of the index is as deep as the index has bits, and equal parts of the table are one node. What is
//! made of constants only is remembered with its bounds, so that a comparison with it is often decided when it is built,
//! and so that others may take it for some value between them.

use super::{Node, Pool, Term};

/// Shorter chains stay chains: they say which position is meant.
const LEAST: usize = 16;
/// Longer ones would be padded to too many leaves.
const MOST_BITS: u32 = 14;

/// A term whose leaves are all constants.
#[derive(Clone, Copy, Debug)]
pub struct Constants {
    pub least: u128,
    pub most: u128,
    /// Leaves, with those that occur several times.
    pub leaves: u32,
}

impl Pool {
    /// The bounds of a term that chooses among many constants.
    pub fn table(&self, t: Term) -> Option<Constants> {
        let found = self.constants.get(&t).copied();
        found.filter(|c| c.leaves as usize >= LEAST)
    }

    /// The constants that a term chooses from, if it does nothing else.
    pub(super) fn constants(&self, t: Term) -> Option<Constants> {
        match *self.node(t) {
            Node::Const(c) => Some(Constants {
                least: c,
                most: c,
                leaves: 1,
            }),
            Node::Ite(..) => self.constants.get(&t).copied(),
            _ => None,
        }
    }

    /// Takes note of a choice between two terms.
    pub(super) fn note_choice(&mut self, chosen: Term, a: Term, b: Term) {
        if let (Some(x), Some(y)) = (self.constants(a), self.constants(b)) {
            let both = Constants {
                least: x.least.min(y.least),
                most: x.most.max(y.most),
                leaves: x.leaves.saturating_add(y.leaves),
            };
            self.constants.insert(chosen, both);
        }
    }

    /// An element of an array that is nothing but many constants.
    pub(super) fn read_table(&mut self, array: Term, index: Term) -> Option<Term> {
        if self.as_const(index).is_some() {
            return None;
        }
        let mut entries = vec![];
        let mut at = array;
        let fill = loop {
            match *self.node(at) {
                Node::Store(a, i, v) => {
                    let (i, _) = (self.as_const(i)?, self.as_const(v)?);
                    entries.push((i, v));
                    at = a;
                }
                Node::ConstArray(v) => {
                    self.as_const(v)?;
                    break v;
                }
                _ => return None,
            }
        };
        let most = entries.iter().map(|(i, _)| *i).max()?;
        let bits = 128 - most.leading_zeros();
        if entries.len() < LEAST || bits > MOST_BITS {
            return None;
        }
        let mut row = vec![fill; 1 << bits];
        // the last write is the first of the chain
        for (i, v) in entries.into_iter().rev() {
            row[i as usize] = v;
        }
        for k in 0..bits {
            let bit = self.extract(index, k, 1);
            let one = self.bv(1, 1);
            let is_set = self.eq(bit, one);
            row = row
                .chunks(2)
                .map(|pair| self.ite(is_set, pair[1], pair[0]))
                .collect();
        }
        let (inside, width) = (row.first().copied()?, self.width(index));
        if bits >= width {
            return Some(inside);
        }
        let end = self.bv(1 << bits, width);
        let is_inside = self.ult(index, end);
        Some(self.ite(is_inside, inside, fill))
    }
}
