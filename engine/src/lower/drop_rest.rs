//! Drops of values that iterators and cells of std still hold. Their fields are taken as std of the tested compilers has
//! them, and a type with other fields has no model.

use super::guard::named;
use super::place::Located;
use super::types::{self, erase};
use super::value::PointerValue;
use super::{Lowered, Lowerer, gap};
use crate::mir::{Elem, GenericArg, IntTy, Ty, TyKind};

impl Lowerer<'_> {
    /// `array::IntoIter`: the elements that are still alive. The array and the range of those may stand in wrappers.
    pub fn drop_rest_of_array(
        &mut self,
        at: &Located,
        block: u32,
        n_dropped: &mut u32,
    ) -> Lowered<()> {
        let usize_ty = Ty::new(TyKind::Int(IntTy::Usize));
        let is_range = |ty: &Ty| {
            matches!(ty.kind(), TyKind::Adt { path, .. }
            if types::in_std(path) == Some("ops::index_range::IndexRange"))
        };
        let is_array = |ty: &Ty| types::array_len(ty).is_some();
        let mut inner = at.clone();
        // `ManuallyDrop` and its like, and a struct of one field
        for _ in 0..8 {
            if let Some(content) = types::transparent(&inner.ty).map(erase) {
                inner = self.project(inner, &Elem::Field(0, content))?;
                continue;
            }
            let fields = self.shapes.fields(&inner.ty);
            match fields.as_slice() {
                [((None, 0), only)] if !is_array(only) => {
                    inner = self.project(inner, &Elem::Field(0, only.clone()))?;
                }
                [((None, a), x), ((None, b), y)] => {
                    let (range, array) =
                        match (is_range(x) && is_array(y), is_range(y) && is_array(x)) {
                            (true, false) => ((*a, x), (*b, y)),
                            (false, true) => ((*b, y), (*a, x)),
                            _ => return gap(format!("`Drop` of `{}`", at.ty)),
                        };
                    let part = |(i, ty): (u32, &Ty)| Elem::Field(i, ty.clone());
                    let alive = self.project(inner.clone(), &part(range))?;
                    let from = self.field_bits(&alive, 0, &usize_ty)?;
                    let to = self.field_bits(&alive, 1, &usize_ty)?;
                    let mut elements = self.project(inner, &part(array))?;
                    // `[MaybeUninit<T>; N]`: what is alive is a `T`
                    elements.ty = types::unwrapped(&elements.ty);
                    return self.drop_elements(&elements, (from, to), block, n_dropped);
                }
                _ => break,
            }
        }
        gap(format!("`Drop` of `{}`", at.ty))
    }

    /// `vec::IntoIter { buf, phantom, cap, alloc, ptr, end }`: the elements from `ptr` to `end`.
    pub fn drop_rest_of_vector(
        &mut self,
        at: &Located,
        block: u32,
        n_dropped: &mut u32,
    ) -> Lowered<()> {
        let content = match at.ty.kind() {
            TyKind::Adt { args, .. } => match args.as_slice() {
                [GenericArg::Type(t)] => erase(t),
                _ => return gap(format!("`Drop` of `{}`", at.ty)),
            },
            _ => return gap(format!("`Drop` of `{}`", at.ty)),
        };
        // without a size they are counted by the pointers' addresses, and arrays perhaps by their elements
        if self.is_zero_sized(&content)? || types::array_len(&types::unwrapped(&content)).is_some()
        {
            return gap(format!("`Drop` of `{}`", at.ty));
        }
        let fields = self.shapes.fields(&at.ty);
        let pointer = |this: &mut Self, number: u32| {
            let field = fields.iter().find(|(k, _)| *k == (None, number));
            let Some((_, ty)) = field else {
                return gap(format!("`Drop` of `{}`", at.ty));
            };
            let field = this.project(at.clone(), &Elem::Field(number, ty.clone()))?;
            let value = this.load_located(&field)?;
            let p = this.pointer_of(&value)?;
            this.retarget(&p, &content)
        };
        let (from, to) = (pointer(self, 4)?, pointer(self, 5)?);
        let iterating = std::mem::replace(&mut self.iterating, true);
        let positions = self.same_array(&from, &to);
        self.iterating = iterating;
        let (first, end) = positions?;
        let n = self.pool.sub(end, first);
        let slice = Ty::new(TyKind::Slice(content));
        let rest = PointerValue {
            meta: Some(n),
            ..from
        };
        let to = Ty::new(TyKind::RawPtr {
            mutable: true,
            ty: slice,
        });
        let elements = self.deref(&rest, &to)?;
        let zero = self.bv64(0);
        self.drop_elements(&elements, (zero, n), block, n_dropped)
    }

    /// `RefCell`: whether it is borrowed does not matter.
    pub fn drop_in_ref_cell(
        &mut self,
        at: &Located,
        content: &Ty,
        block: u32,
        n_dropped: &mut u32,
    ) -> Lowered<()> {
        let cell = named("std::cell::UnsafeCell", vec![content.clone()]);
        let fields = self.shapes.fields(&at.ty);
        let mut values = fields
            .iter()
            .filter(|(_, t)| types::unwrapped(t) == types::unwrapped(&cell));
        let (Some(((None, i), ty)), None) = (values.next(), values.next()) else {
            return gap(format!("`Drop` of `{}`", at.ty));
        };
        let value = self.project(at.clone(), &Elem::Field(*i, ty.clone()))?;
        let inside = self.project(value, &Elem::Field(0, content.clone()))?;
        self.drop_at(&inside, block, n_dropped)
    }
}
