//! Types of std whose `Drop` does more than free: guards that write when they go, and counted references.
//!
//! Drop code of std is not in MIR, and most of these types are private, so nothing can be compiled that shows it. What
//! each of them does is written down here, as in std of the tested compilers; fields are taken as the inlined code
//! names them, and a type with other fields has no model.

use super::place::Located;
use super::types::{self, erase};
use super::{Lowered, Lowerer, gap};
use crate::mir::{Elem, GenericArg, IntTy, Ty, TyKind};
use crate::program::Terminator as End;
use crate::term::Term;

pub fn named(path: &str, args: Vec<Ty>) -> Ty {
    Ty::new(TyKind::Adt {
        path: path.into(),
        args: args.into_iter().map(GenericArg::Type).collect(),
    })
}

impl Lowerer<'_> {
    /// Drops a value of std that has a model here; `false` if there is none.
    pub fn drop_guard(
        &mut self,
        at: &Located,
        path: &str,
        block: u32,
        n_dropped: &mut u32,
    ) -> Lowered<bool> {
        let Some(in_std) = types::in_std(path) else {
            return Ok(false);
        };
        let ty = at.ty.clone();
        match in_std {
            // what `extend` ends with
            "vec::set_len_on_drop::SetLenOnDrop" => self.write_length(at, &ty)?,
            // `drop_in_place` of a slice
            "collections::VecDeque<T, A>::truncate::Dropper" => {
                let [slice] = self.fields_of(&ty)?;
                let slice = self.project(at.clone(), &Elem::Field(0, slice))?;
                let slice = self.project(slice, &Elem::Deref)?;
                self.drop_at(&slice, block, n_dropped)?;
            }
            "collections::binary_heap::Hole" => self.fill_hole(at, &ty)?,
            "vec::Drain" => self.close_gap(at, &ty)?,
            "slice::sort::shared::smallsort::CopyOnDrop" => self.copy_on_drop(at, &ty)?,
            "cell::Ref" | "cell::RefMut" => {
                let fields = self.shapes.fields(&ty);
                let Some((_, guard)) = fields.iter().find(|(at, _)| *at == (None, 1)) else {
                    return gap(format!("`Drop` of `{ty}`"));
                };
                let guard = self.project(at.clone(), &Elem::Field(1, guard.clone()))?;
                self.drop_at(&guard, block, n_dropped)?;
            }
            "cell::BorrowRef" => self.count_borrow(at, &ty, false)?,
            "cell::BorrowRefMut" => self.count_borrow(at, &ty, true)?,
            "array::IntoIter" => self.drop_rest_of_array(at, block, n_dropped)?,
            "vec::IntoIter" | "vec::into_iter::IntoIter" => {
                self.drop_rest_of_vector(at, block, n_dropped)?
            }
            "rc::Rc" | "sync::Arc" => self.drop_counted(at, path, block, n_dropped)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The only values of a type, by its fields' numbers; anything else is not the type that is written down here.
    fn fields_of<const N: usize>(&self, ty: &Ty) -> Lowered<[Ty; N]> {
        let fields = self.shapes.fields(ty);
        let in_order = fields
            .iter()
            .enumerate()
            .all(|(i, (at, _))| *at == (None, i as u32));
        let types: Vec<Ty> = fields.into_iter().map(|(_, t)| t).collect();
        match types.try_into() {
            Ok(types) if in_order => Ok(types),
            _ => gap(format!("`Drop` of `{ty}`")),
        }
    }

    pub fn field_bits(&mut self, at: &Located, number: u32, ty: &Ty) -> Lowered<Term> {
        let field = self.project(at.clone(), &Elem::Field(number, ty.clone()))?;
        let value = self.load_located(&field)?;
        self.bits(&value)
    }

    /// `*self.len = self.local_len`.
    fn write_length(&mut self, at: &Located, ty: &Ty) -> Lowered<()> {
        let fields = self.shapes.fields(ty);
        let [(_, to), (_, counted)] = fields.as_slice() else {
            return gap(format!("`Drop` of `{ty}`"));
        };
        let is_length =
            matches!(to.kind(), TyKind::Ref { mutable: true, ty, .. } if erase(ty) == *counted);
        if !is_length {
            return gap(format!("`Drop` of `{ty}`"));
        }
        let from = self.project(at.clone(), &Elem::Field(1, counted.clone()))?;
        let length = self.load_located(&from)?;
        let to = self.project(at.clone(), &Elem::Field(0, to.clone()))?;
        let to = self.project(to, &Elem::Deref)?;
        self.store_located(&to, &length)?;
        self.commit();
        Ok(())
    }

    /// The element in hand goes to where the hole is.
    fn fill_hole(&mut self, at: &Located, ty: &Ty) -> Lowered<()> {
        let [data, in_hand, pos] = self.fields_of(ty)?;
        let content = match data.kind() {
            TyKind::Ref { ty, .. } => types::element(&erase(ty)).map(|t| erase(&t)),
            _ => None,
        };
        let Some(content) = content else {
            return gap(format!("`Drop` of `{ty}`"));
        };
        if types::unwrapped(&in_hand) != types::unwrapped(&content) {
            return gap(format!("`Drop` of `{ty}`"));
        }
        let position = self.field_bits(at, 2, &pos)?;
        let mut in_hand = self.project(at.clone(), &Elem::Field(1, in_hand))?;
        in_hand.ty = content;
        let value = self.load_located(&in_hand)?;
        let data = self.project(at.clone(), &Elem::Field(0, data))?;
        let data = self.project(data, &Elem::Deref)?;
        let hole = self.element(data, position)?;
        self.store_located(&hole, &value)
    }

    /// `vec::Drain`: what stood behind the range moves to where the range began, and counts again. What of the range was
    /// not taken is dropped, which must be nothing.
    fn close_gap(&mut self, at: &Located, ty: &Ty) -> Lowered<()> {
        let [tail_start, tail_len, _, vec] = self.fields_of(ty)?;
        let usize_ty = Ty::new(TyKind::Int(IntTy::Usize));
        let content = match ty.kind() {
            // of the global allocator, which is not printed
            TyKind::Adt { args, .. } => match args.as_slice() {
                [GenericArg::Type(t)] | [GenericArg::Lifetime(_), GenericArg::Type(t)] => {
                    Some(erase(t))
                }
                _ => None,
            },
            _ => None,
        };
        let (Some(content), true) = (content, tail_start == usize_ty && tail_len == usize_ty)
        else {
            return gap(format!("`Drop` of `{ty}`"));
        };
        if self.is_zero_sized(&content)? || self.drop_without_effect(&content).is_err() {
            return gap(format!("`Drop` of `{ty}`"));
        }
        let (from, n) = (
            self.field_bits(at, 0, &usize_ty)?,
            self.field_bits(at, 1, &usize_ty)?,
        );
        let pointer = self.project(at.clone(), &Elem::Field(3, vec))?;
        let pointer = self.load_located(&pointer)?;
        let pointer = self.pointer_of(&pointer)?;
        let of_content = named("std::vec::Vec", vec![content.clone()]);
        let to = |ty: &Ty| {
            Ty::new(TyKind::RawPtr {
                mutable: true,
                ty: ty.clone(),
            })
        };
        let vec = self.deref(&pointer, &to(&of_content))?;
        let length = self.project(vec.clone(), &Elem::Field(1, usize_ty.clone()))?;
        let start = self.load_located(&length)?;
        let start = self.bits(&start)?;
        let zero = self.bv64(0);
        let none = self.pool.eq(n, zero);
        let (some, done) = (self.new_block(), self.new_block());
        self.end(End::Branch {
            cond: none,
            then: done,
            otherwise: some,
        });
        self.current = some;
        let buffer = self.only_pointer(&vec)?;
        let buffer = self.retarget(&buffer, &content)?;
        let (d, s) = (
            self.offset_pointer(&buffer, start, &[])?,
            self.offset_pointer(&buffer, from, &[])?,
        );
        self.copy_between(&d, &s, n, &to(&content), false)?;
        self.commit();
        let all = self.pool.add(start, n);
        let all = self.scalar(all);
        self.store_located(&length, &all)?;
        self.goto(done);
        self.current = done;
        Ok(())
    }

    /// `ptr::copy_nonoverlapping(self.src, self.dst, self.len)`.
    fn copy_on_drop(&mut self, at: &Located, ty: &Ty) -> Lowered<()> {
        let [src, dst, len] = self.fields_of(ty)?;
        let pointer = |l: &mut Self, number, ty: &Ty| {
            let field = l.project(at.clone(), &Elem::Field(number, ty.clone()))?;
            let value = l.load_located(&field)?;
            l.pointer_of(&value)
        };
        let (s, d) = (pointer(self, 0, &src)?, pointer(self, 1, &dst)?);
        let n = self.field_bits(at, 2, &len)?;
        let one = self.bv64(1);
        let is_one = self.pool.eq(n, one);
        let (single, several, done) = (self.new_block(), self.new_block(), self.new_block());
        self.end(End::Branch {
            cond: is_one,
            then: single,
            otherwise: several,
        });
        // what a sort holds in its hand is no part of an array
        for (block, n) in [(single, one), (several, n)] {
            self.current = block;
            let mark = self.blocks.len();
            match self.copy_between(&d, &s, n, &dst, true) {
                Ok(()) => {
                    self.commit();
                    self.goto(done);
                }
                Err(g) => self.leave_model(g, mark),
            }
        }
        self.current = done;
        Ok(())
    }

    /// The flag of a `RefCell`: one reader less, or the writer gone.
    fn count_borrow(&mut self, at: &Located, ty: &Ty, writer: bool) -> Lowered<()> {
        let [flag] = self.fields_of(ty)?;
        let int = Ty::new(TyKind::Int(IntTy::Isize));
        let cell = match flag.kind() {
            TyKind::Ref { ty, .. } => erase(ty),
            _ => return gap(format!("`Drop` of `{ty}`")),
        };
        let is_cell = matches!(cell.kind(), TyKind::Adt { path, args }
            if types::in_std(path) == Some("cell::Cell") && args.as_slice() == [GenericArg::Type(int.clone())]);
        if !is_cell {
            return gap(format!("`Drop` of `{ty}`"));
        }
        let flag = self.project(at.clone(), &Elem::Field(0, flag))?;
        let cell = self.project(flag, &Elem::Deref)?;
        let counter = self.inside_cell(cell, &int)?;
        let one = self.bv64(1);
        self.count(&counter, |l, n| match writer {
            true => l.pool.add(n, one),
            false => l.pool.sub(n, one),
        })?;
        Ok(())
    }

    /// The value in a `Cell`.
    fn inside_cell(&mut self, cell: Located, content: &Ty) -> Lowered<Located> {
        let unsafe_cell = named("std::cell::UnsafeCell", vec![content.clone()]);
        let inner = self.project(cell, &Elem::Field(0, unsafe_cell))?;
        self.project(inner, &Elem::Field(0, content.clone()))
    }

    /// Changes a counter; its new value.
    fn count(
        &mut self,
        counter: &Located,
        change: impl FnOnce(&mut Self, Term) -> Term,
    ) -> Lowered<Term> {
        let old = self.load_located(counter)?;
        let old = self.bits(&old)?;
        let new = change(self, old);
        let value = self.scalar(new);
        self.store_located(counter, &value)?;
        // `new` speaks of the counter as it was
        let value = self.load_located(counter)?;
        self.bits(&value)
    }

    /// `Rc` and `Arc`: one owner less; the last one drops the content, and frees it unless a `Weak` is left.
    fn drop_counted(
        &mut self,
        at: &Located,
        path: &str,
        block: u32,
        n_dropped: &mut u32,
    ) -> Lowered<()> {
        let content = match at.ty.kind() {
            TyKind::Adt { args, .. } => match args.first() {
                Some(GenericArg::Type(t)) if !types::is_fat(t) => erase(t),
                _ => return gap(format!("`Drop` of `{}`", at.ty)),
            },
            _ => return gap(format!("`Drop` of `{}`", at.ty)),
        };
        let usize_ty = Ty::new(TyKind::Int(IntTy::Usize));
        // one thread's atomics are cells (`atomic`)
        let (inner, cell) = match types::in_std(path) {
            Some("sync::Arc") => (
                "alloc::sync::ArcInner".to_owned(),
                named("std::sync::atomic::AtomicUsize", vec![]),
            ),
            _ => (
                path.replacen("::Rc", "::RcInner", 1),
                named("std::cell::Cell", vec![usize_ty.clone()]),
            ),
        };
        let inner = named(&inner, vec![content.clone()]);
        // code without any `Weak` never looks at their number, which is then one
        let fields = self.shapes.fields(&inner);
        let counts_weak = fields.iter().any(|(at, _)| *at == (None, 1));
        let pointer = self.only_pointer(at)?;
        let inner = self.owned(at, &inner, None)?;
        let (last, done) = (self.new_block(), self.new_block());
        for (number, is_last) in [(0, false), (1, true)] {
            if is_last && !counts_weak {
                let yes = self.pool.bool(true);
                self.free(&pointer, yes);
                break;
            }
            let counter = self.project(inner.clone(), &Elem::Field(number, cell.clone()))?;
            let counter = self.inside_cell(counter, &usize_ty)?;
            let one = self.bv64(1);
            let left = self.count(&counter, |l, n| l.pool.sub(n, one))?;
            let zero = self.bv64(0);
            let none = self.pool.eq(left, zero);
            let next = if is_last { self.new_block() } else { last };
            self.end(End::Branch {
                cond: none,
                then: next,
                otherwise: done,
            });
            self.current = next;
            if is_last {
                let yes = self.pool.bool(true);
                self.free(&pointer, yes);
            } else {
                let value = self.project(inner.clone(), &Elem::Field(2, content.clone()))?;
                self.drop_at(&value, block, n_dropped)?;
            }
        }
        self.goto(done);
        self.current = done;
        Ok(())
    }
}
