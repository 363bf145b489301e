//! Pointers: their targets, and the variables that hold one.

use super::shape::Step;
use super::value::{PointerValue, in_array};
use super::{Lowered, Lowerer, ObjectId, ObjectKey, Part, gap};
use crate::mir::{AllocKind, Block, StatementKind};
use crate::term::{Sort, Term};
use std::collections::BTreeSet;

/// The width of the tag that names a target.
pub const TAG_WIDTH: u32 = 16;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct TargetId(pub u32);

/// What a pointer may point to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    /// A place in an object. Where the path ends in `Elem`, the pointer may move among the elements.
    Place(ObjectId, Vec<Step>),
    /// No object: a number (index 0 holds it).
    Address,
    /// A function, by its printed path.
    Function(String),
}

impl Target {
    /// The number of indices that a pointer to this target needs.
    pub fn n_indices(&self) -> usize {
        match self {
            Target::Place(_, path) => path.iter().filter(|s| **s == Step::Elem).count(),
            Target::Address => 1,
            Target::Function(_) => 0,
        }
    }
}

impl Lowerer<'_> {
    pub fn target(&mut self, target: Target) -> TargetId {
        if let Some(&t) = self.target_index.get(&target) {
            return t;
        }
        let id = TargetId(self.targets.len() as u32);
        self.targets.push(target.clone());
        self.target_index.insert(target, id);
        id
    }

    /// A pointer to one known target.
    pub fn pointer_to(
        &mut self,
        target: Target,
        indices: Vec<Term>,
        meta: Option<Term>,
    ) -> PointerValue {
        let id = self.target(target);
        PointerValue {
            tag: self.pool.bv(u128::from(id.0), TAG_WIDTH),
            indices,
            meta,
            targets: BTreeSet::from([id]),
        }
    }

    /// The pointer held by a leaf, whole (all elements, if it is inside arrays).
    pub fn load_pointer(
        &mut self,
        object: ObjectId,
        path: &[Step],
        dims: &[u32],
        fat: bool,
    ) -> PointerValue {
        let targets = self
            .points_to
            .get(&(object, path.to_vec()))
            .cloned()
            .unwrap_or_default();
        let tag_sort = in_array(Sort::Bv(TAG_WIDTH), dims);
        let tag = match targets.iter().next() {
            None => self.pool.constant(0, tag_sort),
            Some(only) if targets.len() == 1 => self.pool.constant(u128::from(only.0), tag_sort),
            Some(_) => self.part(object, path, Part::Tag, tag_sort),
        };
        let n = self.n_indices(&targets);
        let index_sort = in_array(Sort::Bv(64), dims);
        let indices = (0..n)
            .map(|k| self.part(object, path, Part::Index(k as u8), index_sort))
            .collect();
        let meta = fat.then(|| self.part(object, path, Part::Meta, index_sort));
        PointerValue {
            tag,
            indices,
            meta,
            targets,
        }
    }

    pub fn n_indices(&self, targets: &BTreeSet<TargetId>) -> usize {
        targets
            .iter()
            .map(|t| self.targets[t.0 as usize].n_indices())
            .max()
            .unwrap_or(0)
    }

    /// Records that a leaf may point to these targets.
    pub fn flow(&mut self, object: ObjectId, path: &[Step], targets: &BTreeSet<TargetId>) {
        if targets.is_empty() {
            return;
        }
        let known = self.points_to.entry((object, path.to_vec())).or_default();
        let before = known.len();
        known.extend(targets);
        if known.len() != before {
            self.grew = true;
        }
    }

    /// Is the tag this target?
    pub fn tag_is(&mut self, p: &PointerValue, t: TargetId) -> Term {
        if p.targets.len() == 1 {
            return self.pool.bool(p.targets.contains(&t));
        }
        let k = self.pool.bv(u128::from(t.0), TAG_WIDTH);
        self.pool.eq(p.tag, k)
    }

    /// Moves a pointer by a number of units (in 64-bit wrapping arithmetic); the strides are those of its targets, one
    /// where they say nothing.
    pub fn offset_pointer(
        &mut self,
        p: &PointerValue,
        by: Term,
        strides: &[u64],
    ) -> Lowered<PointerValue> {
        let mut out = p.clone();
        let zero = self.pool.as_const(by) == Some(0);
        for (k, &t) in p.targets.iter().enumerate() {
            let target = self.targets[t.0 as usize].clone();
            let (n, moves) = match &target {
                Target::Place(_, path) => (target.n_indices(), path.last() == Some(&Step::Elem)),
                Target::Address => (1, false),
                Target::Function(_) => (0, false),
            };
            if !moves && !zero {
                // One past a single object would be fine, but has no representation.
                let here = self.tag_is(p, t);
                let not_here = self.pool.not(here);
                if self.pool.is_false(not_here) {
                    return gap(
                        "pointer arithmetic on something that is not an element of an array",
                    );
                }
                self.check(
                    not_here,
                    crate::program::StopKind::Unsupported(
                        "pointer arithmetic on something that is not an element of an array".into(),
                    ),
                );
                continue;
            }
            if n == 0 {
                continue;
            }
            let here = self.tag_is(p, t);
            let by = self.in_elements(by, strides.get(k).copied().unwrap_or(1));
            let moved = self.pool.add(p.indices[n - 1], by);
            out.indices[n - 1] = self.pool.ite(here, moved, out.indices[n - 1]);
        }
        Ok(out)
    }

    /// Do two pointers point to the same address?
    pub fn pointers_equal(&mut self, p: &PointerValue, q: &PointerValue) -> Lowered<Term> {
        let mut equal = self.pool.bool(false);
        for &t in &p.targets {
            let here_p = self.tag_is(p, t);
            for &u in &q.targets {
                let here_q = self.tag_is(q, u);
                let both = self.pool.and(here_p, here_q);
                let same = if t == u {
                    self.address_is_kept(t)?;
                    self.address_tells(t)?;
                    let n = self.targets[t.0 as usize].n_indices();
                    let mut same = self.pool.bool(true);
                    for k in 0..n {
                        let e = self.pool.eq(p.indices[k], q.indices[k]);
                        same = self.pool.and(same, e);
                    }
                    same
                } else {
                    self.different_targets_equal(t, p, u, q, both)?
                };
                let hit = self.pool.and(both, same);
                equal = self.pool.or(equal, hit);
            }
        }
        Ok(equal)
    }

    /// Addresses inside an object may be compared while it stays where it is. A buffer that grows keeps its object here
    /// but not its address natively, and an allocation may or may not get the place of one that was freed.
    pub fn address_is_kept(&mut self, t: TargetId) -> Lowered<()> {
        let Target::Place(o, _) = &self.targets[t.0 as usize] else {
            return Ok(());
        };
        if self.iterating {
            return Ok(());
        }
        let key = &self.objects[o.0 as usize].key;
        if matches!(key, ObjectKey::Heap(..)) || self.movable.contains(o) {
            return gap("pointers into the heap compared or subtracted");
        }
        if self.may_have_copies(key) {
            return gap(
                "pointers into constants compared or subtracted, of which there may be copies",
            );
        }
        // only a raw pointer can be there longer than its variable
        if self.begins_again(key) && self.check_tame().is_err() {
            return gap("pointers compared or subtracted to a variable of a loop's body");
        }
        Ok(())
    }

    /// Is this a variable that a loop makes anew, perhaps elsewhere?
    fn begins_again(&self, key: &ObjectKey) -> bool {
        let ObjectKey::Local(instance, local) = key else {
            return false;
        };
        let begins = StatementKind::StorageLive(*local);
        let body = self.instances[instance.0 as usize].body.body;
        let mut blocks = body.blocks.iter();
        let of_block = |b: &Block| b.statements.iter().any(|s| s.kind == begins);
        if blocks.any(|b| of_block(b) && body.is_on_cycle(b.id)) {
            return true;
        }
        // or a function that a loop calls
        let Some(mut calls) = self.instances[instance.0 as usize].calls.as_deref() else {
            return true;
        };
        let mut at = *instance;
        while let (Some(parent), Some((&block, above))) =
            (self.instances[at.0 as usize].parent, calls.split_last())
        {
            let body = self.instances[parent.0 as usize].body.body;
            if body.is_on_cycle(crate::mir::BlockId(block)) {
                return true;
            }
            (at, calls) = (parent, above);
        }
        false
    }

    /// A literal and a constant have an address for each place that mentions them, or one for all: every codegen unit
    /// makes its own, and merges those that are equal. A static has one address.
    fn may_have_copies(&self, key: &ObjectKey) -> bool {
        match key {
            ObjectKey::Literal(_) => true,
            ObjectKey::Alloc(file, id) => {
                let alloc = self.bodies.file(*file).alloc(*id);
                !alloc.is_some_and(|a| matches!(a.kind, AllocKind::Static(_)))
            }
            ObjectKey::Local(..)
            | ObjectKey::Pointee(..)
            | ObjectKey::Static(_)
            | ObjectKey::Heap(..) => false,
        }
    }

    /// Different targets: places of different objects differ (an address one past an object may coincide with
    /// another object, which safe code cannot rely on); places of one object may be the same address.
    fn different_targets_equal(
        &mut self,
        t: TargetId,
        p: &PointerValue,
        u: TargetId,
        q: &PointerValue,
        both: Term,
    ) -> Lowered<Term> {
        let (a, b) = (
            self.targets[t.0 as usize].clone(),
            self.targets[u.0 as usize].clone(),
        );
        match (a, b) {
            // Null (or any small number) is no object's address.
            (Target::Address, Target::Place(..)) | (Target::Place(..), Target::Address) => {
                let address = if matches!(self.targets[t.0 as usize], Target::Address) {
                    p.indices[0]
                } else {
                    q.indices[0]
                };
                let zero = self.bv64(0);
                let is_null = self.pool.eq(address, zero);
                if self.pool.is_true(is_null) {
                    return Ok(self.pool.bool(false));
                }
                let fine = self.pool.implies(both, is_null);
                self.check(
                    fine,
                    crate::program::StopKind::Unsupported(
                        "comparison of an address with a number".into(),
                    ),
                );
                Ok(self.pool.bool(false))
            }
            (Target::Place(o1, p1), Target::Place(o2, p2)) if o1 == o2 => {
                if p1.starts_with(&p2) || p2.starts_with(&p1) {
                    return gap("comparison of pointers into the same object at different depths");
                }
                // One past a field may be the next one, and a field without a size is where another one is.
                self.never_compared(
                    both,
                    "comparison of pointers to different parts of an object",
                );
                Ok(self.pool.bool(false))
            }
            (Target::Function(_), Target::Function(_)) => gap("comparison of function pointers"),
            // One past an object may be the start of another: nothing may be concluded.
            (Target::Place(..), Target::Place(..)) => {
                self.never_compared(both, "comparison of pointers into different objects");
                Ok(self.pool.bool(false))
            }
            _ => Ok(self.pool.bool(false)),
        }
    }

    fn never_compared(&mut self, both: Term, what: &str) {
        let never = self.pool.not(both);
        let stop = crate::program::StopKind::Unsupported(what.into());
        self.check(never, stop);
    }

    /// Elements without a size all have one address, so that positions do not tell them apart.
    pub fn address_tells(&mut self, t: TargetId) -> Lowered<()> {
        let Target::Place(object, path) = self.targets[t.0 as usize].clone() else {
            return Ok(());
        };
        if !path.contains(&Step::Elem) {
            return Ok(());
        }
        let spot = super::memory::Spot {
            object,
            path,
            indices: vec![],
        };
        let elem = self.spot_type(&spot)?;
        if self.is_zero_sized(&elem)? {
            return gap("comparison of pointers to values that may have no size");
        }
        Ok(())
    }
}
