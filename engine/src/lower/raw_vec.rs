//! Vectors that begin with room: `RawVecInner`'s own functions, where rustc leaves them as calls. They are private, so that
//! nothing can be compiled that shows them; what they do is written down here, as in std of the tested compilers.

use super::heap::{ADDRESS_SPACE, layout_of, layout_size};
use super::inline::Call;
use super::shape::Step;
use super::types::erase;
use super::value::{Leaf, LeafValue, Value};
use super::{Lowered, Lowerer, gap};
use crate::mir::{Const, GenericArg, Operand, Rvalue, StatementKind, Ty, TyKind};
use crate::program::StopKind;
use crate::term::Term;

pub fn is_inner(plain: &str) -> bool {
    let of = super::types::in_std(plain).and_then(|path| path.rsplit_once("::"));
    of.is_some_and(|(of, _)| of == "raw_vec::RawVecInner")
}

impl Lowerer<'_> {
    /// `with_capacity_in(capacity, allocator, layout)`, which panics, and `try_allocate_in(capacity, init, allocator,
    /// layout)`, which gives a `Result`, where so much memory cannot be.
    pub fn raw_vec_with_room(&mut self, name: &str, call: &Call<'_>) -> Lowered<Value> {
        let what = "a vector made in an unusual way";
        let into = erase(&self.place_type(call.destination)?);
        let (capacity, init, layout) = match (name, call.args) {
            ("with_capacity_in", [capacity, _, layout]) => (capacity, None, layout),
            ("try_allocate_in", [capacity, init, _, layout]) => (capacity, Some(init), layout),
            _ => return gap(what),
        };
        let inner = match (into.kind(), init) {
            (TyKind::Adt { args, .. }, Some(_)) => match args.first() {
                Some(GenericArg::Type(t)) => erase(t),
                _ => return gap(what),
            },
            _ => into.clone(),
        };
        let zeroed = match init {
            None => false,
            Some(init) => self.is_zeroed(init)?,
        };
        let Some(size) = self.size_in(layout)? else {
            return gap("an allocation of unknown layout");
        };
        let capacity = self.operand_bits(capacity, None)?;
        // Of elements without a size there is room for any number.
        let most = self.bv64((i64::MAX as u64).checked_div(size).unwrap_or(u64::MAX));
        let fits = self.pool.ule(capacity, most);
        self.check(
            fits,
            match init {
                None => StopKind::Panic("capacity overflow".into()),
                Some(_) => StopKind::Unsupported("a vector of more elements than memory".into()),
            },
        );
        let room = self.bv64(ADDRESS_SPACE.checked_div(size).unwrap_or(u64::MAX));
        let exists = self.pool.ule(capacity, room);
        self.assume(exists);
        // They have no buffer, and no capacity that is kept.
        let kept = match size {
            0 => self.bv64(0),
            _ => capacity,
        };
        let size = self.bv64(size);
        let bytes = self.pool.mul(capacity, size);
        let p = self.allocate_bytes(bytes, zeroed)?;
        let p = self.pointer(p);
        let value = self.filled(&inner, &p, kept)?;
        if init.is_none() {
            return Ok(value);
        }
        let ok = self.shapes.variant_id("Ok");
        self.assemble(&into, Some("Ok"), vec![(Step::Variant(ok, 0), value)])
    }

    /// The size in a `Layout` that is a constant.
    pub fn size_in(&mut self, layout: &Operand) -> Lowered<Option<u64>> {
        if let Some(ty) = layout_of(layout) {
            return self.size_of(&ty).map(Some);
        }
        if let Some(size) = layout_size(layout) {
            return Ok(Some(size));
        }
        let value = self.operand_as(layout, None)?;
        let Some(Leaf::Bits(size)) = value.get(&[Step::Field(0)]).map(|l| l.leaf.clone()) else {
            return Ok(None);
        };
        if let Some(size) = self.pool.as_const(size) {
            return Ok(u64::try_from(size).ok());
        }
        // Set in a block before this one: the constant that the variable is given is a guess, and is checked.
        let Some(constant) = self.constant_given_to(layout).cloned() else {
            return Ok(None);
        };
        let Some(guess) = self.size_in(&constant)? else {
            return Ok(None);
        };
        let guessed = self.bv64(guess);
        let right = self.pool.eq(size, guessed);
        let why = "an allocation of several layouts";
        self.check(right, StopKind::Unsupported(why.into()));
        Ok(Some(guess))
    }

    /// The constant that stands first among what the body assigns to a variable.
    fn constant_given_to(&self, variable: &Operand) -> Option<&Operand> {
        let (Operand::Copy(variable) | Operand::Move(variable)) = variable else {
            return None;
        };
        let statements = self.body().blocks.iter().flat_map(|b| &b.statements);
        let mut given = statements.filter_map(|s| match &s.kind {
            StatementKind::Assign(to, Rvalue::Use { operand, .. }) if to == variable => {
                Some(operand)
            }
            _ => None,
        });
        given.find(|value| matches!(value, Operand::Const(_)))
    }

    /// `AllocInit`: `Uninitialized` or `Zeroed`.
    fn is_zeroed(&mut self, init: &Operand) -> Lowered<bool> {
        if let Operand::Const(Const::Named(path)) = init {
            match super::types::in_std(&path.plain()) {
                Some("raw_vec::AllocInit::Uninitialized") => return Ok(false),
                Some("raw_vec::AllocInit::Zeroed") => return Ok(true),
                _ => {}
            }
        }
        let value = self.operand_as(init, None)?;
        let bits = match value.leaves.as_slice() {
            [(_, l)] => match l.leaf {
                Leaf::Bits(bits) => self.pool.as_const(bits),
                Leaf::Pointer(_) => None,
            },
            _ => None,
        };
        match bits {
            Some(0) => Ok(false),
            Some(1) => Ok(true),
            _ => gap("an allocation that may be zeroed or not"),
        }
    }

    /// A `RawVecInner` of this pointer and capacity, which are all that it has.
    fn filled(&mut self, ty: &Ty, pointer: &Value, capacity: Term) -> Lowered<Value> {
        let mut value = self.undefined(ty)?;
        let (mut pointers, mut numbers) = (0, 0);
        let init = self.pool.bool(true);
        let Some((_, pointer)) = pointer.leaves.first() else {
            return gap("a vector made in an unusual way");
        };
        for (_, l) in &mut value.leaves {
            let leaf = match l.leaf {
                Leaf::Pointer(_) => {
                    pointers += 1;
                    pointer.leaf.clone()
                }
                Leaf::Bits(_) => {
                    numbers += 1;
                    Leaf::Bits(capacity)
                }
            };
            *l = LeafValue { leaf, init };
        }
        match (pointers, numbers) {
            (0 | 1, 0 | 1) => Ok(value),
            _ => gap("a vector made in an unusual way"),
        }
    }
}
