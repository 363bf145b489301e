//! Ranges of memory: copies, fills, comparisons.

use super::pointer::{Target, TargetId};
use super::shape::{LeafShape, Step};
use super::types::{self, erase};
use super::value::{Leaf, PointerValue, Value};
use super::{Lowered, Lowerer, gap};
use crate::mir::{IntTy, Operand, Ty, TyKind};
use crate::program::{StopKind, Terminator as End};
use crate::term::{BinOp, Sort, Term};

/// Elements of an array, from an index on; `here` says when the pointer points to them.
pub struct ElementRange {
    pub here: Term,
    pub object: super::ObjectId,
    pub path: Vec<Step>,
    /// In the whole array, rows and all.
    pub index: Term,
    /// The widths of its parts.
    pub dims: Vec<u32>,
}

impl ElementRange {
    /// The whole array of a leaf of the elements.
    pub fn spot(&self, leaf: &[Step]) -> super::memory::Spot {
        super::memory::Spot {
            object: self.object,
            path: [&self.path[..], leaf].concat(),
            indices: vec![],
        }
    }

    /// The leaf of an element as the leaf of the whole array.
    pub fn whole(&self, shape: &LeafShape) -> LeafShape {
        let mut whole = shape.clone();
        let rows = self.dims.iter().map(|_| Step::Elem);
        whole.path.splice(0..0, rows);
        whole.dims = self.dims.clone();
        whole.lens = vec![None; self.dims.len()];
        whole
    }
}

impl Lowerer<'_> {
    /// `copy` and, if the ranges must be `apart`, `copy_nonoverlapping`: elements of arrays of the same shape, or one
    /// object.
    pub fn copy_memory(
        &mut self,
        dst: &Operand,
        src: &Operand,
        count: &Operand,
        apart: bool,
    ) -> Lowered<()> {
        let Some(ty) = self.operand_type(dst)? else {
            return gap("a copy through a pointer of unknown type");
        };
        let n = self.operand_bits(count, None)?;
        let d = self.operand(dst)?;
        let d = self.pointer_of(&d)?;
        let s = self.operand(src)?;
        let s = self.pointer_of(&s)?;
        self.copy_between(&d, &s, n, &ty, apart)
    }

    /// The same of pointers' values; `ty` is the type of the pointer to where it goes.
    pub fn copy_between(
        &mut self,
        d: &PointerValue,
        s: &PointerValue,
        n: Term,
        ty: &Ty,
        apart: bool,
    ) -> Lowered<()> {
        let Some(elem) = types::pointee(ty).map(erase) else {
            return gap("a copy through something that is no pointer");
        };
        if self.leaves(&elem)?.is_empty() {
            return Ok(());
        }
        if self.pool.as_const(n) == Some(1) {
            let from = self.deref(s, ty)?;
            let v = self.load_located(&from)?;
            let to = self.deref(d, ty)?;
            return self.store_located(&to, &v);
        }
        self.copy_range(d, s, n, &elem, apart)
    }

    /// `write_bytes`: every byte of the range becomes the same.
    pub fn fill_memory(&mut self, dst: &Operand, byte: &Operand, count: &Operand) -> Lowered<()> {
        let Some(elem) = self
            .operand_type(dst)?
            .as_ref()
            .and_then(types::pointee)
            .map(erase)
        else {
            return gap("a fill through something that is no pointer");
        };
        let Some(kind) = types::scalar_kind(&elem) else {
            return gap(format!("memory of type `{elem}` filled with bytes"));
        };
        let n = self.operand_bits(count, None)?;
        let b = self.operand_bits(byte, None)?;
        let d = self.operand(dst)?;
        let d = self.pointer_of(&d)?;
        self.check_has_target(&d);
        let ranges = self.element_ranges(&d, n, &elem)?;
        let value = match kind {
            crate::program::ScalarKind::Bool | crate::program::ScalarKind::Char => {
                return gap(format!("memory of type `{elem}` filled with bytes"));
            }
            k => {
                let mut v = b;
                for _ in 1..types::bits(k) / 8 {
                    v = self.pool.concat(v, b);
                }
                v
            }
        };
        let leaves = self.leaves(&elem)?;
        let [shape] = leaves.as_slice() else {
            return gap(format!("memory of type `{elem}` filled with bytes"));
        };
        for r in ranges {
            let whole = r.whole(shape);
            let width = self.pool.width(r.index);
            let zero = self.pool.bv(0, width);
            let n = self.pool.resize(n, width, false);
            let spot = r.spot(&shape.path);
            let old = self.load(&spot, &whole)?;
            let Leaf::Bits(array) = old.leaf else {
                return gap("pointers filled with bytes");
            };
            let (sort, flags) = (self.pool.sort(array), self.pool.sort(old.init));
            let yes = self.pool.bool(true);
            let (values, inits) = (
                self.pool.const_array(value, sort),
                self.pool.const_array(yes, flags),
            );
            let new = super::value::LeafValue {
                leaf: Leaf::Bits(self.pool.blit(array, r.index, values, zero, n)),
                init: self.pool.blit(old.init, r.index, inits, zero, n),
            };
            self.store(&spot, &whole, &new, r.here)?;
        }
        self.commit();
        Ok(())
    }

    /// The arrays that a pointer may point into, checked to have room for `n` elements of a type from there.
    fn element_ranges(
        &mut self,
        p: &PointerValue,
        n: Term,
        unit: &Ty,
    ) -> Lowered<Vec<ElementRange>> {
        let mut out = vec![];
        for &t in &p.targets {
            out.extend(self.element_range(p, t, n, unit)?);
        }
        Ok(out)
    }

    /// The same of one of its targets; nothing where there is no memory.
    pub fn element_range(
        &mut self,
        p: &PointerValue,
        target: TargetId,
        n: Term,
        unit: &Ty,
    ) -> Lowered<Option<ElementRange>> {
        let here = self.tag_is(p, target);
        let Target::Place(object, path) = self.targets[target.0 as usize].clone() else {
            let zero = self.bv64(0);
            let empty = self.pool.eq(n, zero);
            let fine = self.pool.implies(here, empty);
            self.check_defined(fine, "a range of memory at a dangling address");
            return Ok(None);
        };
        if path.last() != Some(&Step::Elem) {
            return gap("a range of memory that is no part of an array");
        }
        let depth = path.iter().filter(|s| **s == Step::Elem).count();
        let spot = super::memory::Spot {
            object,
            path: path.clone(),
            indices: p.indices[..depth].to_vec(),
        };
        let last = spot.indices[depth - 1];
        if self.stride(here, &spot, unit)? != 1 {
            return gap(format!(
                "a copy or fill of `{unit}` in memory of its elements"
            ));
        }
        if !self.has_no_size(&spot) {
            let extent = self.extent(&spot)?;
            let fits = self.pool.ule(n, extent);
            let room = self.pool.sub(extent, n);
            let starts = self.pool.ule(last, room);
            let fine = self.pool.and(fits, starts);
            let fine = self.pool.implies(here, fine);
            self.check_within(fine, &spot, "a range of memory outside of its allocation");
        }
        let elem = self.spot_type(&spot)?;
        let leaves = self.leaves(&elem)?;
        let Some(leaf) = leaves.first() else {
            return gap("an array without content");
        };
        let to_leaf = [&path[..], &leaf.path[..]].concat();
        let mut dims = self.dims_of(object, &to_leaf, &leaf.kind.clone())?;
        dims.truncate(depth);
        // Rows are apart in the whole array's index, and the range is inside of its row.
        let index = self.index(&dims, &spot.indices);
        Ok(Some(ElementRange {
            here,
            object,
            path,
            index,
            dims,
        }))
    }

    fn copy_range(
        &mut self,
        d: &PointerValue,
        s: &PointerValue,
        n: Term,
        elem: &Ty,
        apart: bool,
    ) -> Lowered<()> {
        self.check_has_target(d);
        self.check_has_target(s);
        if d.targets.is_empty() || s.targets.is_empty() {
            return Ok(());
        }
        if self.copy_numbers(d, s, n, elem, apart)? {
            return Ok(());
        }
        if self.holds_number(d, elem)? || self.holds_number(s, elem)? {
            return self.copy_number(d, s, n, apart);
        }
        let to = self.element_ranges(d, n, elem)?;
        let from = self.element_ranges(s, n, elem)?;
        for (d, s) in to.iter().flat_map(|d| from.iter().map(move |s| (d, s))) {
            if apart && (d.object, &d.path) == (s.object, &s.path) {
                // Both ranges are inside the array, so the sums do not wrap.
                let width = self.pool.width(d.index);
                let n = self.pool.resize(n, width, false);
                let (ends, starts) = (self.pool.add(s.index, n), self.pool.add(d.index, n));
                let (after, before) =
                    (self.pool.ule(ends, d.index), self.pool.ule(starts, s.index));
                let disjoint = self.pool.or(after, before);
                let both = self.pool.and(d.here, s.here);
                let fine = self.pool.implies(both, disjoint);
                self.check_defined(fine, "`copy_nonoverlapping` of ranges that overlap");
            }
        }
        let leaves = self.leaves(elem)?;
        // The whole arrays are values; the copy of each leaf is a blit.
        for shape in leaves.iter() {
            if !shape.dims.is_empty() {
                return gap("a copy of memory whose elements are arrays");
            }
            for d in &to {
                let (whole, width) = (d.whole(shape), self.pool.width(d.index));
                let n = self.pool.resize(n, width, false);
                for s in &from {
                    let source = self.load(&s.spot(&shape.path), &s.whole(shape))?;
                    let old = self.load(&d.spot(&shape.path), &whole)?;
                    let ranges = (d.index, s.index, n);
                    let leaf = match (&old.leaf, &source.leaf) {
                        (Leaf::Bits(a), Leaf::Bits(b)) => {
                            Leaf::Bits(self.pool.blit(*a, d.index, *b, s.index, n))
                        }
                        (Leaf::Pointer(a), Leaf::Pointer(b)) => {
                            Leaf::Pointer(self.copied_pointers(a, b, ranges)?)
                        }
                        _ => return gap("a copy between pointers and numbers"),
                    };
                    // Flags that are one term may still be those of one array, whose elements differ.
                    let init = match self.has_flag(d.object) || self.has_flag(s.object) {
                        true => self.pool.blit(old.init, d.index, source.init, s.index, n),
                        false => old.init,
                    };
                    let new = super::value::LeafValue { leaf, init };
                    let when = self.pool.and(d.here, s.here);
                    self.store(&d.spot(&shape.path), &whole, &new, when)?;
                }
            }
        }
        self.commit();
        Ok(())
    }

    /// An array of pointers after a range of another was copied over one of its own: from where, to where, how many.
    fn copied_pointers(
        &mut self,
        to: &PointerValue,
        from: &PointerValue,
        (at, start, n): (Term, Term, Term),
    ) -> Lowered<PointerValue> {
        let copy = |l: &mut Self, a: Term, b: Term| l.pool.blit(a, at, b, start, n);
        // What has no such index yet has no target that needs one.
        let none = |l: &mut Self, like: &PointerValue| {
            let Sort::Array { index, .. } = l.pool.sort(like.tag) else {
                return gap("a copy of pointers that are in no array");
            };
            Ok(l.pool.constant(0, Sort::Array { index, elem: 64 }))
        };
        let mut indices = vec![];
        for k in 0..to.indices.len().max(from.indices.len()) {
            let a = match to.indices.get(k) {
                Some(a) => *a,
                None => none(self, to)?,
            };
            let b = match from.indices.get(k) {
                Some(b) => *b,
                None => none(self, from)?,
            };
            indices.push(copy(self, a, b));
        }
        let meta = match (to.meta, from.meta) {
            (Some(a), Some(b)) => Some(copy(self, a, b)),
            (None, None) => None,
            _ => return gap("a copy between pointers with and without a length"),
        };
        Ok(PointerValue {
            tag: copy(self, to.tag, from.tag),
            indices,
            meta,
            targets: to.targets.union(&from.targets).copied().collect(),
        })
    }

    /// `memcmp`: a loop over the elements, until two differ; the first of their bytes that differs decides.
    pub fn compare_bytes(&mut self, args: &[Operand]) -> Lowered<Value> {
        let bytes = self.operand_bits(&args[2], None)?;
        let elem = self.compared_elements(&args[..2])?;
        let size = u64::from(types::scalar_kind(&elem).map_or(8, types::bits) / 8);
        let per_element = self.bv64(size);
        let (n, rest) = (
            self.pool.binary(BinOp::Udiv, bytes, per_element),
            self.pool.binary(BinOp::Urem, bytes, per_element),
        );
        let none = self.bv64(0);
        let whole = self.pool.eq(rest, none);
        self.check(
            whole,
            StopKind::Unsupported("a bitwise comparison that ends inside an element".into()),
        );
        let (index, result) = (
            self.pool.fresh("compared", Sort::Bv(64)),
            self.pool.fresh("order", Sort::Bv(32)),
        );
        self.draw_vars.extend([index, result]);
        let (zero, equal) = (self.bv64(0), self.pool.bv(0, 32));
        self.assign(index, zero);
        self.assign(result, equal);
        let (head, body, done) = (self.new_block(), self.new_block(), self.new_block());
        self.goto(head);
        self.current = head;
        let i = self.pool.var(index);
        let more = self.pool.ult(i, n);
        self.end(End::Branch {
            cond: more,
            then: body,
            otherwise: done,
        });
        self.current = body;
        let (a, b) = (
            self.element_at(&args[0], &elem, i)?,
            self.element_at(&args[1], &elem, i)?,
        );
        let (first, second) = (self.permute(a, 8), self.permute(b, 8));
        let less = self.pool.ult(first, second);
        let (minus, plus) = (self.pool.bv(u128::MAX, 32), self.pool.bv(1, 32));
        let order = self.pool.ite(less, minus, plus);
        let same = self.pool.eq(a, b);
        let (differ, next) = (self.new_block(), self.new_block());
        self.end(End::Branch {
            cond: same,
            then: next,
            otherwise: differ,
        });
        self.current = differ;
        self.assign(result, order);
        self.goto(done);
        self.current = next;
        let one = self.bv64(1);
        let after = self.pool.add(i, one);
        self.assign(index, after);
        self.goto(head);
        self.current = done;
        let r = self.pool.var(result);
        Ok(self.scalar(r))
    }

    /// The one type of integers that is behind pointers to bytes.
    fn compared_elements(&mut self, pointers: &[Operand]) -> Lowered<Ty> {
        let mut found: Option<Ty> = None;
        for pointer in pointers {
            let v = self.operand(pointer)?;
            let p = self.pointer_of(&v)?;
            for &t in &p.targets {
                let Target::Place(object, path) = self.targets[t.0 as usize].clone() else {
                    continue;
                };
                let spot = super::memory::Spot {
                    object,
                    path,
                    indices: p.indices.clone(),
                };
                let ty = self.spot_type(&spot)?;
                let is_integer = matches!(ty.kind(), TyKind::Int(_) | TyKind::Char);
                if !is_integer || found.as_ref().is_some_and(|f| *f != ty) {
                    return gap(format!("bitwise comparison of `{ty}`"));
                }
                found = Some(ty);
            }
        }
        Ok(found.unwrap_or_else(|| Ty::new(TyKind::Int(IntTy::U8))))
    }

    fn element_at(&mut self, pointer: &Operand, elem: &Ty, by: Term) -> Lowered<Term> {
        let v = self.operand(pointer)?;
        let p = self.pointer_of(&v)?;
        let p = self.offset_pointer(&p, by, &[])?;
        let ty = Ty::new(TyKind::RawPtr {
            mutable: false,
            ty: elem.clone(),
        });
        let at = self.deref(&p, &ty)?;
        let v = self.load_located(&at)?;
        self.bits(&v)
    }

    /// Bitwise equality of two values behind references, for arrays of integers.
    pub fn raw_eq(&mut self, args: &[Operand]) -> Lowered<Value> {
        let mut sides = vec![];
        for a in &args[..2] {
            let Some(ty) = self.operand_type(a)? else {
                return gap("bytes behind a pointer of unknown type");
            };
            let v = self.operand(a)?;
            let p = self.pointer_of(&v)?;
            let at = self.deref(&p, &ty)?;
            sides.push((self.load_located(&at)?, at.ty.clone()));
        }
        let (a, ty) = sides[0].clone();
        let (b, _) = sides[1].clone();
        let ([(_, la)], [(_, lb)]) = (a.leaves.as_slice(), b.leaves.as_slice()) else {
            return gap(format!("bitwise comparison of `{ty}`"));
        };
        let (Leaf::Bits(x), Leaf::Bits(y)) = (la.leaf.clone(), lb.leaf.clone()) else {
            return gap(format!("bitwise comparison of `{ty}`"));
        };
        let mut lens = vec![];
        let mut elem = erase(&ty);
        while let (Some(n), Some(inner)) = (types::array_len(&elem), types::element(&elem)) {
            lens.push(n);
            elem = erase(&inner);
        }
        let many = lens.iter().try_fold(1u64, |all, n| all.checked_mul(*n));
        let leaves = self.leaves(&ty)?;
        let dims = match leaves.as_slice() {
            [shape] if shape.dims.len() == lens.len() => shape.dims.clone(),
            _ => return gap(format!("bitwise comparison of `{ty}`")),
        };
        let Some(many) = many.filter(|n| *n <= 256 && !lens.is_empty()) else {
            return gap(format!("bitwise comparison of `{ty}`"));
        };
        if types::scalar_kind(&elem).is_none() {
            return gap(format!("bitwise comparison of `{ty}`"));
        }
        let mut same = self.pool.bool(true);
        for k in 0..many {
            let mut rest = k;
            let mut at: Vec<Term> = vec![];
            for n in lens.iter().rev() {
                at.push(self.bv64(rest % n));
                rest /= n;
            }
            at.reverse();
            let i = self.index(&dims, &at);
            let (p, q) = (self.pool.select(x, i), self.pool.select(y, i));
            let e = self.pool.eq(p, q);
            same = self.pool.and(same, e);
        }
        Ok(self.scalar(same))
    }
}
