//! Places of the program that allocate again while what they made before is still in use: rows of `vec![vec![0; n]; m]`,
//! the nodes of a list that a loop builds.
//!
//! One object for all allocations of a place is exact only while one of them is alive (`heap`). Here the object has a row
//! for each allocation, numbered in the order in which they are made: pointers have the number of the row in front of
//! their position, and each row has a room of its own. No number is used twice, so nothing that was freed comes back:
//! a run of 2^64 allocations takes centuries, and is assumed away like a machine with more memory than addresses.
//!
//! Rows cost proofs an array more, so only those places have them that need them: places in loops whose allocations are
//! kept in memory that has many elements. Where that misses one, the run leaves the model ("a second allocation"), and
//! the root is verified again with rows for all places in loops (`pipeline`).

use super::pointer::Target;
use super::shape::Step;
use super::value::{PointerValue, in_array};
use super::{Lowered, Lowerer, ObjectId, ObjectKey, Part, gap};
use crate::program::{BlockId, Terminator};
use crate::term::{Sort, Term};
use std::collections::BTreeSet;

/// The width of a row's number.
const NUMBER: u32 = 64;

impl Lowerer<'_> {
    /// The dimensions in front of those of the object's own type.
    pub fn rows_of(&self, key: &ObjectKey) -> Vec<u32> {
        match self.crowds.contains(key) {
            true => vec![NUMBER],
            false => vec![],
        }
    }

    pub fn is_crowd(&self, object: ObjectId) -> bool {
        let o = &self.objects[object.0 as usize];
        matches!(o.key, ObjectKey::Heap(..)) && !o.outer.is_empty()
    }

    /// The number that the next allocation gets.
    pub fn row_counter(&mut self, object: ObjectId) -> Term {
        self.part(object, &[], Part::Index(0), Sort::Bv(NUMBER))
    }

    /// A row of its own, if `when` holds, with room for `n` elements.
    pub fn make_row(&mut self, object: ObjectId, n: Term, when: Term) -> PointerValue {
        let counter = self.row_counter(object);
        // The counter moves on below: the number has a variable of its own.
        let row = self.pool.fresh("allocation", Sort::Bv(NUMBER));
        self.draw_vars.push(row);
        self.assign(row, counter);
        let row = self.pool.var(row);
        let last = self.pool.bv(u128::from(u64::MAX), NUMBER);
        let is_last = self.pool.eq(counter, last);
        let there_is_one = self.pool.not(is_last);
        self.assume(there_is_one);
        let one = self.pool.bv(1, NUMBER);
        let next = self.pool.add(counter, one);
        let next = self.pool.ite(when, next, counter);
        if let Some(var) = self.pool.as_var(counter) {
            self.assign(var, next);
        }
        let zero = self.bv64(0);
        let target = Target::Place(object, vec![Step::Elem; 2]);
        let p = self.pointer_to(target, vec![row, zero], None);
        self.set_room(object, &p, n, when);
        p
    }

    /// How many elements the allocation behind a pointer has room for.
    pub fn room(&mut self, object: ObjectId, p: &PointerValue) -> Lowered<Term> {
        let rows = self.objects[object.0 as usize].outer.len();
        match p.indices.get(..rows) {
            Some(row) => self.object_length(object, row),
            None => gap("a pointer without the row that it points into"),
        }
    }

    /// Gives the allocation behind a pointer another room, if `when` holds.
    pub fn set_room(&mut self, object: ObjectId, p: &PointerValue, n: Term, when: Term) {
        let rows = self.objects[object.0 as usize].outer.clone();
        let whole = self.part(object, &[], Part::Meta, in_array(Sort::Bv(64), &rows));
        let changed = match (rows.is_empty(), p.indices.first()) {
            (false, Some(row)) => self.pool.store(whole, *row, n),
            _ => n,
        };
        let after = self.pool.ite(when, changed, whole);
        if let Some(var) = self.pool.as_var(whole) {
            self.assign(var, after);
        }
    }

    /// Once pointer targets are settled: are there places that need rows and have none? Then everything that speaks of
    /// objects is forgotten, and made anew with them.
    pub fn find_crowds(&mut self) -> bool {
        let mut found = vec![];
        for (object, block) in self.allocating.clone() {
            let key = self.objects[object.0 as usize].key.clone();
            let kept = self.source.rows_everywhere || self.is_kept_among_elements(object);
            if kept && !self.crowds.contains(&key) && self.is_in_loop(block) {
                found.push(key);
            }
        }
        if found.is_empty() {
            return false;
        }
        self.crowds.extend(found);
        self.forget_objects();
        true
    }

    /// Everything that speaks of objects, to begin anew with others.
    pub fn forget_objects(&mut self) {
        self.objects.clear();
        self.object_index.clear();
        self.targets.clear();
        self.target_index.clear();
        self.points_to.clear();
        self.vtables.clear();
        self.heap_whole.clear();
        self.boxes.clear();
        self.movable.clear();
        self.escaped.clear();
    }

    /// Does memory with many elements hold pointers to the object?
    fn is_kept_among_elements(&self, object: ObjectId) -> bool {
        self.points_to.iter().any(|((_, path), targets)| {
            let is_it = |t: &super::pointer::TargetId| {
                matches!(&self.targets[t.0 as usize], Target::Place(o, _) if *o == object)
            };
            path.contains(&Step::Elem) && targets.iter().any(is_it)
        })
    }

    fn is_in_loop(&self, block: BlockId) -> bool {
        let after = |b: BlockId| match self.blocks[b.index()].terminator {
            Terminator::Goto(to) => vec![to],
            Terminator::Branch {
                then, otherwise, ..
            } => vec![then, otherwise],
            Terminator::Return | Terminator::Stop(_) | Terminator::Blocked => vec![],
        };
        let mut todo = after(block);
        let mut seen = BTreeSet::new();
        while let Some(b) = todo.pop() {
            if b == block {
                return true;
            }
            if seen.insert(b) {
                todo.extend(after(b));
            }
        }
        false
    }
}
