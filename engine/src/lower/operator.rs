//! Operators: bit-precise, with everything undefined or panicking made explicit.

use super::shape::Step;
use super::types;
use super::value::Value;
use super::{Lowered, Lowerer, gap};
use crate::mir::{BinOp, Operand, Ty, TyKind, UnOp};
use crate::program::ScalarKind;
use crate::term::{self, FloatOp, Sort, Term};

impl Lowerer<'_> {
    pub fn unary(&mut self, op: UnOp, a: &Operand) -> Lowered<Value> {
        let ty = self.operand_type(a)?;
        let t = self.operand_bits(a, None)?;
        let out = match op {
            UnOp::Not if self.pool.sort(t) == Sort::Bool => self.pool.not(t),
            UnOp::Not => self.pool.bv_not(t),
            UnOp::Neg => match ty.as_ref().and_then(types::scalar_kind) {
                Some(ScalarKind::Float(w)) => self.pool.float(FloatOp::Neg, &[t], w),
                _ => self.pool.neg(t),
            },
            UnOp::PtrMetadata => return gap("pointer metadata"),
        };
        Ok(self.scalar(out))
    }

    pub fn binary(&mut self, op: BinOp, a: &Operand, b: &Operand, into: &Ty) -> Lowered<Value> {
        let mut ty = self.operand_type(a)?;
        if ty.is_none() && !matches!(op, BinOp::Shl | BinOp::Shr) {
            ty = self.operand_type(b)?;
        }
        let Some(ty) = ty else {
            return gap("an operation on constants of unknown type");
        };
        if matches!(
            ty.kind(),
            TyKind::Ref { .. } | TyKind::RawPtr { .. } | TyKind::FnPtr(_)
        ) {
            return self.pointer_binary(op, a, b, &ty);
        }
        if let Some(v) = self.null_test(op, a, b) {
            return Ok(v);
        }
        if op == BinOp::Offset {
            return gap("an offset of something that is no pointer");
        }
        let x = self.operand_bits(a, Some(&ty))?;
        let y = match op {
            BinOp::Shl | BinOp::Shr | BinOp::ShlUnchecked | BinOp::ShrUnchecked => {
                let amount_ty = self.operand_type(b)?;
                let y = self.operand_bits(b, amount_ty.as_ref())?;
                let signed = amount_ty.as_ref().is_some_and(types::is_signed);
                return self.shift(op, x, y, signed, &ty);
            }
            _ => self.operand_bits(b, Some(&ty))?,
        };
        self.scalar_binary(op, x, y, &ty, into)
    }

    /// An operator, shifts aside, on two scalars of this type.
    pub fn scalar_binary(
        &mut self,
        op: BinOp,
        x: Term,
        y: Term,
        ty: &Ty,
        into: &Ty,
    ) -> Lowered<Value> {
        match types::scalar_kind(ty) {
            Some(ScalarKind::Float(w)) => self.float_binary(op, x, y, w),
            Some(ScalarKind::Bool) => self.bool_binary(op, x, y, into),
            Some(kind) => self.int_binary(op, x, y, kind, into),
            None => gap(format!("`{op:?}` on `{ty}`")),
        }
    }

    fn int_binary(
        &mut self,
        op: BinOp,
        x: Term,
        y: Term,
        kind: ScalarKind,
        into: &Ty,
    ) -> Lowered<Value> {
        let signed = matches!(kind, ScalarKind::Signed(_));
        let w = types::bits(kind);
        use term::BinOp as T;
        let out = match op {
            BinOp::Add => self.pool.add(x, y),
            BinOp::Sub => self.pool.sub(x, y),
            BinOp::Mul => self.pool.mul(x, y),
            BinOp::AddUnchecked | BinOp::SubUnchecked | BinOp::MulUnchecked => {
                let overflow = self.overflows(op, x, y, signed);
                let fine = self.pool.not(overflow);
                self.check_defined(fine, "unchecked arithmetic overflows");
                self.wrapping(op, x, y)
            }
            BinOp::AddWithOverflow | BinOp::SubWithOverflow | BinOp::MulWithOverflow => {
                let overflow = self.overflows(op, x, y, signed);
                let value = self.wrapping(op, x, y);
                let parts = vec![
                    (Step::Field(0), self.scalar(value)),
                    (Step::Field(1), self.scalar(overflow)),
                ];
                return self.assemble(into, None, parts);
            }
            BinOp::Div | BinOp::Rem => {
                let zero = self.pool.bv(0, w);
                let is_zero = self.pool.eq(y, zero);
                let fine = self.pool.not(is_zero);
                self.check_defined(fine, "division by zero");
                if signed {
                    let min = self.pool.bv(1 << (w - 1), w);
                    let minus_one = self.pool.bv(u128::MAX, w);
                    let a = self.pool.eq(x, min);
                    let b = self.pool.eq(y, minus_one);
                    let both = self.pool.and(a, b);
                    let fine = self.pool.not(both);
                    self.check_defined(fine, "division overflows");
                }
                let op = match (op, signed) {
                    (BinOp::Div, false) => T::Udiv,
                    (BinOp::Div, true) => T::Sdiv,
                    (_, false) => T::Urem,
                    (_, true) => T::Srem,
                };
                self.pool.binary(op, x, y)
            }
            BinOp::BitXor => self.pool.binary(T::BvXor, x, y),
            BinOp::BitAnd => self.pool.binary(T::BvAnd, x, y),
            BinOp::BitOr => self.pool.binary(T::BvOr, x, y),
            BinOp::Eq => self.pool.eq(x, y),
            BinOp::Ne => {
                let e = self.pool.eq(x, y);
                self.pool.not(e)
            }
            BinOp::Lt => self.less(x, y, signed),
            BinOp::Gt => self.less(y, x, signed),
            BinOp::Le => {
                let g = self.less(y, x, signed);
                self.pool.not(g)
            }
            BinOp::Ge => {
                let l = self.less(x, y, signed);
                self.pool.not(l)
            }
            BinOp::Cmp => return self.three_way(x, y, signed, into),
            _ => return gap(format!("`{op:?}` on integers")),
        };
        Ok(self.scalar(out))
    }

    fn less(&mut self, x: Term, y: Term, signed: bool) -> Term {
        if signed {
            self.pool.slt(x, y)
        } else {
            self.pool.ult(x, y)
        }
    }

    /// `Ordering` of two integers.
    pub fn three_way(&mut self, x: Term, y: Term, signed: bool, into: &Ty) -> Lowered<Value> {
        let less = self.less(x, y, signed);
        let equal = self.pool.eq(x, y);
        let (l, e, g) = (
            self.variant_bits(into, "Less")?,
            self.variant_bits(into, "Equal")?,
            self.variant_bits(into, "Greater")?,
        );
        let rest = self.pool.ite(equal, e, g);
        let d = self.pool.ite(less, l, rest);
        let mut out = self.undefined(into)?;
        let v = self.scalar(d);
        if let Some((_, slot)) = out
            .leaves
            .iter_mut()
            .find(|(p, _)| *p == super::rvalue::DISCRIMINANT)
        {
            *slot = v.leaves[0].1.clone();
        }
        Ok(out)
    }

    fn wrapping(&mut self, op: BinOp, x: Term, y: Term) -> Term {
        match op {
            BinOp::Add | BinOp::AddUnchecked | BinOp::AddWithOverflow => self.pool.add(x, y),
            BinOp::Sub | BinOp::SubUnchecked | BinOp::SubWithOverflow => self.pool.sub(x, y),
            _ => self.pool.mul(x, y),
        }
    }

    /// Does the exact result leave the type?
    pub fn overflows(&mut self, op: BinOp, x: Term, y: Term, signed: bool) -> Term {
        let w = self.pool.width(x);
        match op {
            BinOp::Add | BinOp::AddUnchecked | BinOp::AddWithOverflow => {
                if !signed {
                    // x + c > MAX  <=>  x > MAX - c, which folds into plain bounds for constants.
                    let room = self.pool.bv_not(y);
                    return self.pool.ult(room, x);
                }
                let s = self.pool.add(x, y);
                self.signed_overflow(x, y, s, w, false)
            }
            BinOp::Sub | BinOp::SubUnchecked | BinOp::SubWithOverflow => {
                if !signed {
                    return self.pool.ult(x, y);
                }
                let d = self.pool.sub(x, y);
                self.signed_overflow(x, y, d, w, true)
            }
            _ => {
                let op = if signed {
                    term::BinOp::SmulOverflows
                } else {
                    term::BinOp::UmulOverflows
                };
                self.pool.binary(op, x, y)
            }
        }
    }

    fn signed_overflow(&mut self, x: Term, y: Term, out: Term, w: u32, minus: bool) -> Term {
        // With a constant on the right this is one comparison with a constant.
        if let Some(c) = self.pool.as_const(y) {
            let c = term::to_signed(c, w);
            let c = if minus { c.wrapping_neg() } else { c };
            let max = (term::mask(w) >> 1) as i128;
            let min = -max - 1;
            if c == 0 {
                return self.pool.bool(false);
            }
            // -MIN does not fit: fall through to the general form.
            if c > min && c <= max {
                if c > 0 {
                    let limit = self.pool.bv((max - c) as u128, w);
                    return self.pool.slt(limit, x);
                }
                let limit = self.pool.bv((min - c) as u128, w);
                return self.pool.slt(x, limit);
            }
        }
        let zero = self.pool.bv(0, w);
        let sx = self.pool.slt(x, zero);
        let sy = self.pool.slt(y, zero);
        let so = self.pool.slt(out, zero);
        let same = self.pool.eq(sx, sy);
        let operands = if minus { self.pool.not(same) } else { same };
        let flipped = self.pool.xor_bool(sx, so);
        self.pool.and(operands, flipped)
    }

    fn shift(
        &mut self,
        op: BinOp,
        x: Term,
        amount: Term,
        amount_signed: bool,
        ty: &Ty,
    ) -> Lowered<Value> {
        let w = self.pool.width(x);
        let signed = types::is_signed(ty);
        if matches!(op, BinOp::ShlUnchecked | BinOp::ShrUnchecked) {
            let aw = self.pool.width(amount);
            let limit = self.pool.bv(u128::from(w), aw.max(8));
            let wide = self.pool.resize(amount, aw.max(8), amount_signed);
            let fine = self.pool.ult(wide, limit);
            self.check_defined(fine, "unchecked shift by too much");
        }
        let amount = self.pool.resize(amount, w, amount_signed);
        let m = self.pool.bv(u128::from(w - 1), w);
        let masked = self.pool.binary(term::BinOp::BvAnd, amount, m);
        let op = match (op, signed) {
            (BinOp::Shl | BinOp::ShlUnchecked, _) => term::BinOp::Shl,
            (_, false) => term::BinOp::Lshr,
            (_, true) => term::BinOp::Ashr,
        };
        let out = self.pool.binary(op, x, masked);
        Ok(self.scalar(out))
    }

    fn bool_binary(&mut self, op: BinOp, x: Term, y: Term, into: &Ty) -> Lowered<Value> {
        let out = match op {
            BinOp::BitAnd => self.pool.and(x, y),
            BinOp::BitOr => self.pool.or(x, y),
            BinOp::BitXor | BinOp::Ne => self.pool.xor_bool(x, y),
            BinOp::Eq => self.pool.eq(x, y),
            BinOp::Lt => {
                let n = self.pool.not(x);
                self.pool.and(n, y)
            }
            BinOp::Gt => {
                let n = self.pool.not(y);
                self.pool.and(x, n)
            }
            BinOp::Le => {
                let n = self.pool.not(x);
                self.pool.or(n, y)
            }
            BinOp::Ge => {
                let n = self.pool.not(y);
                self.pool.or(x, n)
            }
            BinOp::Cmp => {
                let (a, b) = (self.pool.bool_to_bv(x, 8), self.pool.bool_to_bv(y, 8));
                return self.three_way(a, b, false, into);
            }
            _ => return gap(format!("`{op:?}` on booleans")),
        };
        Ok(self.scalar(out))
    }

    fn float_binary(&mut self, op: BinOp, x: Term, y: Term, w: u32) -> Lowered<Value> {
        if w != 32 && w != 64 {
            return gap(format!("f{w}"));
        }
        let f = |l: &mut Self, op| l.float(op, &[x, y], w);
        let out = match op {
            BinOp::Add => f(self, FloatOp::Add)?,
            BinOp::Sub => f(self, FloatOp::Sub)?,
            BinOp::Mul => f(self, FloatOp::Mul)?,
            BinOp::Div => f(self, FloatOp::Div)?,
            BinOp::Rem => f(self, FloatOp::Rem)?,
            BinOp::Eq => f(self, FloatOp::Eq)?,
            BinOp::Ne => {
                let e = f(self, FloatOp::Eq)?;
                self.pool.not(e)
            }
            BinOp::Lt => f(self, FloatOp::Lt)?,
            BinOp::Le => f(self, FloatOp::Le)?,
            BinOp::Gt => self.pool.float(FloatOp::Lt, &[y, x], w),
            BinOp::Ge => self.pool.float(FloatOp::Le, &[y, x], w),
            _ => return gap(format!("`{op:?}` on floats")),
        };
        Ok(self.scalar(out))
    }

    fn pointer_binary(&mut self, op: BinOp, a: &Operand, b: &Operand, ty: &Ty) -> Lowered<Value> {
        let va = self.operand_as(a, Some(ty))?;
        let p = self.pointer_of(&va)?;
        if op == BinOp::Offset {
            let by_ty = self.operand_type(b)?;
            let by = self.operand_bits(b, by_ty.as_ref())?;
            let signed = by_ty.as_ref().is_some_and(types::is_signed);
            let by = self.pool.resize(by, 64, signed);
            let out = self.move_pointer(&p, by, ty, true)?;
            self.check_offset(&out)?;
            return Ok(self.pointer(out));
        }
        let vb = self.operand_as(b, Some(ty))?;
        let q = self.pointer_of(&vb)?;
        let out = match op {
            BinOp::Eq | BinOp::Ne => {
                let mut e = self.pointers_equal(&p, &q)?;
                if let (Some(m), Some(n)) = (p.meta, q.meta) {
                    let same = self.pool.eq(m, n);
                    e = self.pool.and(e, same);
                }
                if op == BinOp::Ne { self.pool.not(e) } else { e }
            }
            BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => {
                let (i, j) = self.same_array(&p, &q)?;
                match op {
                    BinOp::Lt => self.pool.ult(i, j),
                    BinOp::Gt => self.pool.ult(j, i),
                    BinOp::Le => self.pool.ule(i, j),
                    _ => self.pool.ule(j, i),
                }
            }
            _ => return gap(format!("`{op:?}` on pointers")),
        };
        Ok(self.scalar(out))
    }

    /// A moved pointer must stay inside its allocation or point one past it.
    pub fn check_offset(&mut self, p: &super::value::PointerValue) -> Lowered<()> {
        for &t in &p.targets {
            if let super::pointer::Target::Place(object, path) = self.targets[t.0 as usize].clone()
                && path.last() == Some(&Step::Elem)
            {
                let n = path.iter().filter(|s| **s == Step::Elem).count();
                let spot = super::memory::Spot {
                    object,
                    path,
                    indices: p.indices[..n].to_vec(),
                };
                if self.has_no_size(&spot) {
                    continue;
                }
                let extent = self.extent(&spot)?;
                let inside = self.pool.ule(p.indices[n - 1], extent);
                let here = self.tag_is(p, t);
                let fine = self.pool.implies(here, inside);
                self.check_within(fine, &spot, "pointer moved out of its allocation");
            }
        }
        Ok(())
    }

    /// The positions of two pointers into one array.
    pub fn same_array(
        &mut self,
        p: &super::value::PointerValue,
        q: &super::value::PointerValue,
    ) -> Lowered<(Term, Term)> {
        let mut places = vec![];
        for (pointer, t) in [(p, &p.targets), (q, &q.targets)]
            .into_iter()
            .flat_map(|(pointer, ts)| ts.iter().map(move |t| (pointer, *t)))
        {
            if matches!(
                self.targets[t.0 as usize],
                super::pointer::Target::Place(..)
            ) {
                places.push(t);
                continue;
            }
            let here = self.tag_is(pointer, t);
            let never = self.pool.not(here);
            self.check(
                never,
                crate::program::StopKind::Unsupported(
                    "an address without an object compared or subtracted".into(),
                ),
            );
        }
        places.sort();
        places.dedup();
        places.retain(|t| p.targets.contains(t) && q.targets.contains(t));
        let what = "pointers into different objects compared or subtracted";
        let mut positions: Option<(Term, Term)> = None;
        let mut same = self.pool.bool(false);
        for t in places {
            let super::pointer::Target::Place(_, path) = &self.targets[t.0 as usize] else {
                continue;
            };
            if path.last() != Some(&Step::Elem) {
                return gap("pointers that are no elements compared or subtracted");
            }
            self.address_is_kept(t)?;
            self.address_tells(t)?;
            let n = self.targets[t.0 as usize].n_indices();
            let (Some(rows), Some(others)) = (p.indices.get(..n), q.indices.get(..n)) else {
                return gap("pointers without a target compared or subtracted");
            };
            let (i, j) = (rows[n - 1], others[n - 1]);
            let (mut both, here) = (self.tag_is(q, t), self.tag_is(p, t));
            both = self.pool.and(both, here);
            // In one row: where others are from there, is not told by their positions.
            for (row, other) in rows.iter().zip(others).take(n - 1) {
                let e = self.pool.eq(*row, *other);
                both = self.pool.and(both, e);
            }
            same = self.pool.or(same, both);
            positions = Some(match positions {
                None => (i, j),
                Some((k, l)) => (self.pool.ite(here, i, k), self.pool.ite(here, j, l)),
            });
        }
        let Some(positions) = positions else {
            return gap(what);
        };
        self.check(same, crate::program::StopKind::Unsupported(what.into()));
        Ok(positions)
    }
}
