//! Strides: positions count the elements of the memory. A pointer to arrays over memory of their elements (`as_chunks`)
//! moves by several of them at once; under any other type it counts in units that no position tells.

use super::memory::Spot;
use super::pointer::Target;
use super::shape::Step;
use super::types::{self, erase};
use super::value::PointerValue;
use super::{Lowered, Lowerer, gap};
use crate::mir::Ty;
use crate::program::StopKind;
use crate::term::{BinOp, Term};

impl Lowerer<'_> {
    /// How many elements at a spot one `unit` takes.
    fn elements_of(&mut self, elem: &Ty, unit: &Ty) -> Option<u64> {
        let (elem, unit) = (types::unwrapped(elem), types::unwrapped(unit));
        if elem == unit
            || matches!((self.size_of(&elem), self.size_of(&unit)), (Ok(a), Ok(b)) if a == b)
        {
            return Some(1);
        }
        let (n, inner) = (types::array_len(&unit)?, types::element(&unit)?);
        // Arrays without elements take no room: every position is theirs.
        let n = Some(n).filter(|n| *n > 0)?;
        self.elements_of(&elem, &erase(&inner))?.checked_mul(n)
    }

    /// Are these arrays over memory of their own elements, however deep? Elements of another type of the same size are others:
    /// not all bits are values of them.
    pub fn strides_over(&mut self, elem: &Ty, arrays: &Ty) -> bool {
        let mut inner = types::unwrapped(arrays);
        while types::array_len(&inner).is_some()
            && let Some(of) = types::element(&inner)
        {
            inner = types::unwrapped(&of);
        }
        types::array_len(&types::unwrapped(arrays)).is_some()
            && inner == types::unwrapped(elem)
            && self.elements_of(elem, arrays).is_some()
    }

    /// The stride of a pointer to `unit` at a spot; what has none leaves the model.
    pub fn stride(&mut self, here: Term, spot: &Spot, unit: &Ty) -> Lowered<u64> {
        let elem = self.spot_type(spot)?;
        if let Some(n) = self.elements_of(&elem, unit) {
            return Ok(n);
        }
        let elsewhere = self.pool.not(here);
        let what = format!("memory of type `{elem}` counted in units of `{unit}`");
        self.check(elsewhere, StopKind::Unsupported(what));
        Ok(1)
    }

    /// The stride of a place's elements, which is the same wherever the place may be.
    pub fn element_stride(&mut self, spots: &[(Term, Spot)], elem: &Ty) -> Lowered<u64> {
        if types::array_len(&types::unwrapped(elem)).is_none() {
            return Ok(1);
        }
        let mut found = None;
        for (_, spot) in spots {
            let ty = self.spot_type(spot)?;
            let Some(n) = self.elements_of(&ty, elem) else {
                return gap(format!(
                    "memory of type `{ty}` counted in units of `{elem}`"
                ));
            };
            if found.is_some_and(|m| m != n) {
                return gap("arrays over memory of arrays or of their elements");
            }
            found = Some(n);
        }
        Ok(found.unwrap_or(1))
    }

    /// So many units, counted in elements of the memory.
    pub fn in_elements(&mut self, units: Term, stride: u64) -> Term {
        if stride == 1 {
            return units;
        }
        let n = self.bv64(stride);
        self.pool.mul(units, n)
    }

    /// So many elements of the memory, counted in units: a rest is dropped.
    pub fn units_of(&mut self, elements: Term, stride: u64) -> Term {
        if stride == 1 {
            return elements;
        }
        let n = self.bv64(stride);
        self.pool.binary(BinOp::Udiv, elements, n)
    }

    /// A pointer that moves, or whose distance from another is taken, counts what it points to: the stride of each target.
    pub fn strides(&mut self, p: &PointerValue, pointer_ty: &Ty) -> Lowered<Vec<u64>> {
        let Some(unit) = types::pointee(pointer_ty).map(types::erase) else {
            return gap(format!("arithmetic on `{pointer_ty}`"));
        };
        let mut out = vec![];
        for &t in &p.targets {
            out.push(match self.targets[t.0 as usize].clone() {
                Target::Place(object, path) if path.last() == Some(&Step::Elem) => {
                    let here = self.tag_is(p, t);
                    let indices = vec![];
                    let spot = Spot {
                        object,
                        path,
                        indices,
                    };
                    self.stride(here, &spot, &unit)?
                }
                _ => 1,
            });
        }
        Ok(out)
    }

    /// A distance of positions, counted in units of the pointers' type.
    pub fn distance(&mut self, p: &PointerValue, pointer_ty: &Ty, elements: Term) -> Lowered<Term> {
        let strides = self.strides(p, pointer_ty)?;
        let stride = match strides.split_first() {
            None => 1,
            Some((first, others)) if others.iter().all(|n| n == first) => *first,
            Some(_) => return gap("a distance between pointers into memory of different types"),
        };
        if stride == 1 {
            return Ok(elements);
        }
        let (n, zero) = (self.bv64(stride), self.bv64(0));
        let rest = self.pool.binary(BinOp::Srem, elements, n);
        let exact = self.pool.eq(rest, zero);
        self.check_defined(exact, "a distance of pointers that is no number of units");
        Ok(self.pool.binary(BinOp::Sdiv, elements, n))
    }

    /// Moves a pointer by units of its type. The sum of bytes must not wrap where `is_checked`.
    pub fn move_pointer(
        &mut self,
        p: &PointerValue,
        by: Term,
        pointer_ty: &Ty,
        is_checked: bool,
    ) -> Lowered<PointerValue> {
        let strides = self.strides(p, pointer_ty)?;
        let most = strides.iter().copied().max().unwrap_or(1);
        if most > 1 && is_checked {
            // Sizes of allocations are below 2^63: no larger number of units stays inside of one.
            let limit = (1u64 << 62) / most;
            let (low, span) = (self.bv64(limit), self.bv64(2 * limit));
            let moved_up = self.pool.add(by, low);
            let fine = self.pool.ule(moved_up, span);
            self.check_defined(fine, "pointer moved out of its allocation");
        }
        self.offset_pointer(p, by, &strides)
    }
}
