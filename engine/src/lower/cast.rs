//! Casts: between numbers, between pointers, and transmutes where the bytes are known.

use super::shape::{LeafKind, Step};
use super::types::{self, erase};
use super::value::{Leaf, Value};
use super::{Lowered, Lowerer, gap};
use crate::mir::{CastKind, Operand, PointerCoercion, Ty, TyKind};
use crate::program::ScalarKind;
use crate::term::{FloatOp, Sort, Term};

impl Lowerer<'_> {
    pub fn cast(&mut self, operand: &Operand, to: &Ty, kind: &CastKind) -> Lowered<Value> {
        let from = self.operand_type(operand)?;
        if let (CastKind::Transmute | CastKind::PtrToPtr, Some(from)) = (kind, &from) {
            self.sees_bits_of(from, to);
        }
        match kind {
            CastKind::IntToInt
            | CastKind::IntToFloat
            | CastKind::FloatToInt
            | CastKind::FloatToFloat => {
                let from = match from {
                    Some(t) => t,
                    None => return gap("a cast of a constant of unknown type"),
                };
                let t = self.cast_source(operand, &from)?;
                self.numeric_cast(t, &from, to)
            }
            CastKind::PtrToPtr => {
                let v = self.operand(operand)?;
                let mut p = self.pointer_of(&v)?;
                let Some(target) = types::pointee(to) else {
                    return gap(format!("a pointer cast to `{to}`"));
                };
                if !types::is_fat(target) {
                    let from = from.as_ref().and_then(types::pointee).map(erase);
                    if p.meta.is_some() && !from.is_some_and(|from| is_sized(target, &from)) {
                        return gap(format!("a pointer with a length cast to `{to}`"));
                    }
                    p.meta = None;
                }
                let p = self.retarget(&p, target)?;
                Ok(self.pointer(p))
            }
            CastKind::PointerCoercion(PointerCoercion::Unsize, _) => self.unsize(operand, to),
            CastKind::PointerCoercion(PointerCoercion::MutToConstPointer, _) => {
                self.operand(operand)
            }
            CastKind::PointerCoercion(PointerCoercion::ArrayToPointer, _) => {
                let from_ty = match &from {
                    Some(t) => t.clone(),
                    None => return gap("a pointer to an array of unknown type"),
                };
                let v = self.operand(operand)?;
                let p = self.pointer_of(&v)?;
                let at = self.deref(&p, &from_ty)?;
                let at = self.open(at)?;
                let mut q = self.address_of(&at)?;
                q.meta = None;
                Ok(self.pointer(q))
            }
            CastKind::PointerCoercion(
                PointerCoercion::ReifyFnPointer
                | PointerCoercion::ReifyFnPointerSafe
                | PointerCoercion::ReifyFnPointerUnsafe
                | PointerCoercion::UnsafeFnPointer,
                _,
            ) => match (operand, from.as_ref().map(|t| t.kind())) {
                (Operand::Const(crate::mir::Const::FnItem(path)), _) => {
                    let target = super::pointer::Target::Function(path.to_string());
                    let p = self.pointer_to(target, vec![], None);
                    Ok(self.pointer(p))
                }
                (_, Some(TyKind::FnDef { path, .. })) => {
                    let target = super::pointer::Target::Function(path.to_string());
                    let p = self.pointer_to(target, vec![], None);
                    Ok(self.pointer(p))
                }
                (_, Some(TyKind::FnPtr(_))) => self.operand(operand),
                _ => gap("a function pointer"),
            },
            CastKind::PointerCoercion(
                PointerCoercion::ClosureFnPointerSafe | PointerCoercion::ClosureFnPointerUnsafe,
                _,
            ) => match from.as_ref().map(|t| t.kind()) {
                Some(TyKind::Closure(name)) => {
                    let target = super::pointer::Target::Function(name.to_string());
                    let p = self.pointer_to(target, vec![], None);
                    Ok(self.pointer(p))
                }
                _ => gap("a function pointer"),
            },
            CastKind::Transmute => {
                let Some(from) = from else {
                    return gap("a transmute of a constant of unknown type");
                };
                let v = self.operand_as(operand, Some(&from))?;
                self.transmute(v, &from, to)
            }
            CastKind::Subtype => self.operand(operand),
            CastKind::PointerWithExposedProvenance => {
                let t = self.operand_bits(operand, from.as_ref())?;
                let t = self.pool.resize(t, 64, false);
                let fat = types::pointee(to).is_some_and(types::is_fat);
                Ok(self.address_pointer(t, fat))
            }
            CastKind::PointerExposeProvenance | CastKind::FnPtrToPtr | CastKind::Other(_) => {
                gap(format!("cast `{kind:?}`"))
            }
        }
    }

    /// The bits of a number, a bool, a char or the discriminant of a fieldless enum.
    fn cast_source(&mut self, operand: &Operand, from: &Ty) -> Lowered<Term> {
        let v = self.operand_as(operand, Some(from))?;
        if types::scalar_kind(from).is_none()
            && let Some(d) = v.get(&super::rvalue::DISCRIMINANT)
        {
            let v = Value {
                leaves: vec![(vec![], d.clone())],
            };
            return self.bits(&v);
        }
        self.bits(&v)
    }

    fn numeric_cast(&mut self, t: Term, from: &Ty, to: &Ty) -> Lowered<Value> {
        let facts = self.source.facts;
        let from_kind = types::scalar_kind(from)
            .unwrap_or_else(|| types::int_kind(self.shapes.discriminant_int(from, facts)));
        let Some(to_kind) = types::scalar_kind(to) else {
            return gap(format!("a cast to `{to}`"));
        };
        let out = match (from_kind, to_kind) {
            (ScalarKind::Bool, ScalarKind::Float(w)) => {
                let b = self.pool.bool_to_bv(t, 8);
                self.pool.float(FloatOp::FromUnsigned, &[b], w)
            }
            (ScalarKind::Bool, ScalarKind::Bool) => t,
            (ScalarKind::Bool, k) => self.pool.bool_to_bv(t, types::bits(k)),
            (ScalarKind::Float(_), ScalarKind::Float(w)) => {
                self.float(FloatOp::Convert, &[t], w)?
            }
            (ScalarKind::Float(_), ScalarKind::Signed(w)) => {
                self.pool.float(FloatOp::ToSigned, &[t], w)
            }
            (ScalarKind::Float(_), k) => self.pool.float(FloatOp::ToUnsigned, &[t], types::bits(k)),
            (ScalarKind::Signed(_), ScalarKind::Float(w)) => {
                self.pool.float(FloatOp::FromSigned, &[t], w)
            }
            (_, ScalarKind::Float(w)) => self.pool.float(FloatOp::FromUnsigned, &[t], w),
            (k, to) => {
                let signed = matches!(k, ScalarKind::Signed(_));
                self.pool.resize(t, types::bits(to), signed)
            }
        };
        if matches!(from_kind, ScalarKind::Float(w) if w != 32 && w != 64)
            || matches!(to_kind, ScalarKind::Float(w) if w != 32 && w != 64)
        {
            return gap("f16 and f128");
        }
        Ok(self.scalar(out))
    }

    /// `&[T; N]` to `&[T]`, also inside wrappers of one pointer.
    fn unsize(&mut self, operand: &Operand, to: &Ty) -> Lowered<Value> {
        let Some(from) = self.operand_type(operand)? else {
            return gap("an unsizing of a constant of unknown type");
        };
        let v = self.operand_as(operand, Some(&from))?;
        let p = self.pointer_of(&v)?;
        let (Some(array), Some(slice)) = (types::smart_pointee(&from), types::smart_pointee(to))
        else {
            return gap(format!("unsizing of `{from}` to `{to}`"));
        };
        let path = match self.leaves(to)?.as_slice() {
            [only] => only.path.clone(),
            _ => return gap(format!("unsizing of `{from}` to `{to}`")),
        };
        let mut out = if types::is_trait_object(array) {
            // To another trait of the same object (or to fewer bounds): the type stays what it is.
            self.pointer(p)
        } else if types::is_trait_object(slice) {
            let p = self.make_trait_object(p, &erase(array));
            self.pointer(p)
        } else if types::is_unsized_struct(slice) {
            let Some(n) = types::tail_len(array) else {
                return gap(format!("unsizing of `{from}` to `{to}`"));
            };
            let mut p = p;
            p.meta = Some(self.bv64(n));
            self.pointer(p)
        } else {
            let Some(n) = types::array_len(array).filter(|_| types::is_unsized_sequence(slice))
            else {
                return gap(format!("unsizing of `{from}` to `{to}`"));
            };
            let reference = Ty::new(TyKind::Ref {
                lifetime: None,
                mutable: true,
                ty: erase(array),
            });
            let at = self.deref(&p, &reference)?;
            let mut at = self.open(at)?;
            at.ty = erase(slice);
            at.window = Some(self.bv64(n));
            let q = self.address_of(&at)?;
            self.pointer(q)
        };
        out.leaves[0].0 = path;
        Ok(out)
    }

    fn transmute(&mut self, v: Value, from: &Ty, to: &Ty) -> Lowered<Value> {
        let target = self.leaves(to)?;
        if target.is_empty() {
            // Nobody looks into it.
            return Ok(Value::default());
        }
        // Wrappers around one pointer (NonNull, Unique, references, raw pointers).
        if let [shape] = target.as_slice()
            && let LeafKind::Pointer(pointee) = &shape.kind
            && shape.dims.is_empty()
        {
            let fat = types::is_fat(pointee);
            let path = shape.path.clone();
            let mut out = match v.leaves.as_slice() {
                [(_, l)] => match &l.leaf {
                    Leaf::Pointer(_) => {
                        let p = self.pointer_of(&v)?;
                        if p.meta.is_some() != fat && !p.targets.is_empty() {
                            return gap(format!("transmute of `{from}` to `{to}`"));
                        }
                        let p = self.retarget(&p, pointee)?;
                        self.pointer(p)
                    }
                    Leaf::Bits(_) => {
                        let t = self.bits(&v)?;
                        if self.pool.sort(t) != Sort::Bv(64) {
                            return gap(format!("transmute of `{from}` to `{to}`"));
                        }
                        self.address_pointer(t, false)
                    }
                },
                _ => return gap(format!("transmute of `{from}` to `{to}`")),
            };
            out.leaves[0].0 = path;
            return Ok(out);
        }
        if types::smart_pointee(from).is_some_and(super::format::holds_argument)
            && let Some(out) = self.argument_address(&v, to)?
        {
            return Ok(out);
        }
        if self.same_layout(from, to)? {
            let leaves = target
                .iter()
                .zip(v.leaves)
                .map(|(shape, (_, l))| (shape.path.clone(), l))
                .collect();
            return Ok(Value { leaves });
        }
        if let Some(out) = self.nonzero_option(&v, from, to)? {
            return Ok(out);
        }
        if let Some(out) = self.tag_only(&v, from, to)? {
            return Ok(out);
        }
        if let Some(out) = self.beside_bool(&v, from, to)? {
            return Ok(out);
        }
        if let Some(number) = self.number_of_address(&v, from) {
            return self.value_of_bits(number, to);
        }
        let Some(bytes) = self.bits_of(&v, from)? else {
            return gap(format!("transmute of `{from}` to `{to}`"));
        };
        self.value_of_bits(bytes, to)
    }

    /// All bits of a value whose layout the language fixes (little-endian targets).
    pub fn bits_of(&mut self, v: &Value, ty: &Ty) -> Lowered<Option<Term>> {
        match types::scalar_kind(ty) {
            Some(ScalarKind::Bool) => {
                let b = self.bits(v)?;
                return Ok(Some(self.pool.bool_to_bv(b, 8)));
            }
            Some(_) => return self.bits(v).map(Some),
            None => {}
        }
        let (Some(n), Some(elem)) = (types::array_len(ty), types::element(ty)) else {
            return Ok(None);
        };
        let Some(kind) = types::scalar_kind(&elem) else {
            return Ok(None);
        };
        if kind == ScalarKind::Bool || u64::from(types::bits(kind)) * n > 128 || n == 0 {
            return Ok(None);
        }
        let [(_, l)] = v.leaves.as_slice() else {
            return Ok(None);
        };
        let (leaf, init) = (l.leaf.clone(), l.init);
        let Leaf::Bits(array) = leaf else {
            return Ok(None);
        };
        let mut out: Option<Term> = None;
        for k in 0..n {
            let i = self.bv64(k);
            let ok = self.pool.select(init, i);
            let what = "an array element that may not be initialised".to_string();
            self.check(ok, crate::program::StopKind::Unsupported(what));
            let e = self.pool.select(array, i);
            out = Some(match out {
                None => e,
                Some(low) => self.pool.concat(e, low),
            });
        }
        Ok(out)
    }

    fn value_of_bits(&mut self, bits: Term, to: &Ty) -> Lowered<Value> {
        let w = self.pool.width(bits);
        match types::scalar_kind(to) {
            Some(ScalarKind::Bool) if w == 8 => {
                let (zero, one) = (self.pool.bv(0, 8), self.pool.bv(1, 8));
                let is_one = self.pool.eq(bits, one);
                let is_zero = self.pool.eq(bits, zero);
                let valid = self.pool.or(is_one, is_zero);
                self.check_defined(valid, "a bool that is neither true nor false");
                return Ok(self.scalar(is_one));
            }
            Some(ScalarKind::Char) if w == 32 => {
                let valid = self.valid_char(bits);
                self.check_defined(valid, "a char out of range");
                return Ok(self.scalar(bits));
            }
            Some(k) if types::bits(k) == w => return Ok(self.scalar(bits)),
            Some(_) => return gap(format!("a transmute to `{to}` of another size")),
            None => {}
        }
        let (Some(n), Some(elem)) = (types::array_len(to), types::element(to)) else {
            // A wrapper of one scalar.
            let leaves = self.leaves(to)?;
            if let [shape] = leaves.as_slice()
                && let LeafKind::Scalar(k) = shape.kind
                && shape.dims.is_empty()
                && !shape.path.contains(&Step::Discriminant)
                && types::bits(k) == w
                && !matches!(k, ScalarKind::Bool | ScalarKind::Char)
            {
                let mut v = self.scalar(bits);
                v.leaves[0].0 = shape.path.clone();
                return Ok(v);
            }
            return gap(format!("a transmute to `{to}`"));
        };
        // `[MaybeUninit<u8>; 4]`, of which arrays are iterated by value
        let Some(kind) = types::scalar_kind(&types::unwrapped(&elem)) else {
            return gap(format!("a transmute to `{to}`"));
        };
        let ew = types::bits(kind);
        if kind == ScalarKind::Bool || kind == ScalarKind::Char || u64::from(ew) * n != u64::from(w)
        {
            return gap(format!("a transmute to `{to}`"));
        }
        let mut out = self.undefined(to)?;
        for k in 0..n {
            let e = self.pool.extract(bits, k as u32 * ew, ew);
            let e = self.scalar(e);
            let i = self.bv64(k);
            self.set_element(&mut out, i, &e)?;
        }
        Ok(out)
    }

    pub fn valid_char(&mut self, bits: Term) -> Term {
        let top = self.pool.bv(0x11_0000, 32);
        let low = self.pool.bv(0xd800, 32);
        let high = self.pool.bv(0xe000, 32);
        let in_range = self.pool.ult(bits, top);
        let below = self.pool.ult(bits, low);
        let above = self.pool.ule(high, bits);
        let no_surrogate = self.pool.or(below, above);
        self.pool.and(in_range, no_surrogate)
    }
}

/// Has this type a size, so that pointers to it have no length? Elements of slices have; of other structs nobody knows
/// what their last field is.
fn is_sized(ty: &Ty, behind: &Ty) -> bool {
    match ty.kind() {
        // its content must have a size
        TyKind::Adt { .. } if types::is_maybe_uninit(ty) => true,
        TyKind::Adt { .. } => types::element(behind)
            .is_some_and(|elem| types::unwrapped(&elem) == types::unwrapped(ty)),
        _ => true,
    }
}
