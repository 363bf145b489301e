//! Which variables may still be read for something that matters (a branch, an assumption, a result): a backward bit-vector
//! analysis over blocks.

use super::{BlockId, Program, Stmt, Terminator};
use crate::term::{FastMap, Node, Pool, Term, Var};
use std::cell::RefCell;
use std::rc::Rc;

/// A set of variables, by handle.
pub type VarSet = Vec<u64>;

pub struct Liveness {
    live_in: Vec<VarSet>,
    words: usize,
    /// Variables of a term, remembered: terms are shared.
    reads: RefCell<FastMap<Term, Rc<Vec<Var>>>>,
}

impl Liveness {
    pub fn of(program: &Program) -> Liveness {
        let words = program.pool.n_vars().div_ceil(64);
        let n = program.blocks.len();
        let mut live = Liveness {
            live_in: vec![vec![0; words]; n],
            words,
            reads: RefCell::default(),
        };
        let mut preds: Vec<Vec<u32>> = vec![vec![]; n];
        for b in 0..n {
            for s in program.successors(BlockId(b as u32)) {
                preds[s.index()].push(b as u32);
            }
        }
        let mut order: Vec<BlockId> = program.reverse_postorder();
        // Popped from the end: start with the last blocks.
        let mut queued = vec![false; n];
        for b in &order {
            queued[b.index()] = true;
        }
        while let Some(b) = order.pop() {
            queued[b.index()] = false;
            let new = live.live_before(program, b);
            if new != live.live_in[b.index()] {
                live.live_in[b.index()] = new;
                for &p in &preds[b.index()] {
                    if !queued[p as usize] {
                        queued[p as usize] = true;
                        order.push(BlockId(p));
                    }
                }
            }
        }
        live
    }

    pub fn is_live_in(&self, b: BlockId, v: Var) -> bool {
        self.contains(&self.live_in[b.index()], v)
    }

    pub fn contains(&self, set: &VarSet, v: Var) -> bool {
        let i = v.0 as usize;
        set.get(i / 64).is_some_and(|w| w >> (i % 64) & 1 == 1)
    }

    pub fn remove(&self, set: &mut VarSet, v: Var) {
        let i = v.0 as usize;
        if let Some(w) = set.get_mut(i / 64) {
            *w &= !(1 << (i % 64));
        }
    }

    /// Adds the variables of a term.
    pub fn read(&self, pool: &Pool, t: Term, set: &mut VarSet) {
        if let Node::Const(_) = pool.node(t) {
            return;
        }
        let vars = self
            .reads
            .borrow_mut()
            .entry(t)
            .or_insert_with(|| Rc::new(pool.free_vars(&[t])))
            .clone();
        for v in vars.iter() {
            let i = v.0 as usize;
            if let Some(w) = set.get_mut(i / 64) {
                *w |= 1 << (i % 64);
            }
        }
    }

    /// What is live behind the terminator (its own condition not included).
    pub fn live_out(&self, program: &Program, b: BlockId) -> VarSet {
        let mut set = vec![0; self.words];
        if matches!(program.block(b).terminator, Terminator::Return) {
            for v in &program.outputs {
                let i = v.0 as usize;
                set[i / 64] |= 1 << (i % 64);
            }
        }
        for s in program.successors(b) {
            for (w, x) in set.iter_mut().zip(&self.live_in[s.index()]) {
                *w |= x;
            }
        }
        set
    }

    fn live_before(&self, program: &Program, b: BlockId) -> VarSet {
        let mut set = self.live_out(program, b);
        let block = program.block(b);
        if let Terminator::Branch { cond, .. } = block.terminator {
            self.read(&program.pool, cond, &mut set);
        }
        for stmt in block.stmts.iter().rev() {
            match stmt {
                // what only makes a value that nobody reads reads nothing
                Stmt::Assign(v, _) if !self.contains(&set, *v) => {}
                Stmt::Assign(v, t) => {
                    self.remove(&mut set, *v);
                    self.read(&program.pool, *t, &mut set);
                }
                Stmt::Havoc(v, _) => self.remove(&mut set, *v),
                Stmt::Assume(c) => self.read(&program.pool, *c, &mut set),
            }
        }
        set
    }
}
