//! Operands and rvalues.

use super::place::Located;
use super::pointer::Target;
use super::shape::Step;
use super::types::{self, erase};
use super::value::{Leaf, LeafValue, Value};
use super::{Lowered, Lowerer, gap};
use crate::mir::{
    ArrayLen, Elem, NullOp, Operand, Place, RawPtrKind, RuntimeChecks, Rvalue, Ty, TyKind, UnOp,
};

/// Elements of one repeated constant that own memory; each is an object.
const MOST_OWNERS: u64 = 16;

impl Lowerer<'_> {
    /// The type of a place, from its declaration and annotations alone.
    pub fn place_type(&mut self, place: &Place) -> Lowered<Ty> {
        let body = self.body();
        let Some(decl) = body.local(place.local) else {
            return gap(format!("an undeclared local _{}", place.local.0));
        };
        let mut ty = erase(&decl.ty);
        for e in &place.projection {
            ty = match e {
                Elem::Field(_, t) | Elem::OpaqueCast(t) | Elem::Subtype(t) => erase(t),
                Elem::Deref => match types::pointee(&ty) {
                    Some(t) => erase(t),
                    None => return gap(format!("dereference of `{ty}`")),
                },
                Elem::Index(_) | Elem::ConstantIndex { .. } => match types::element(&ty) {
                    Some(t) => erase(&t),
                    None => return gap(format!("an element of `{ty}`")),
                },
                _ => ty,
            };
        }
        Ok(ty)
    }

    pub fn operand_type(&mut self, op: &Operand) -> Lowered<Option<Ty>> {
        Ok(match op {
            Operand::Copy(p) | Operand::Move(p) => Some(self.place_type(p)?),
            Operand::Const(c) => self.const_type(c),
            Operand::RuntimeChecks(_) => Some(Ty::new(TyKind::Bool)),
        })
    }

    pub fn operand(&mut self, op: &Operand) -> Lowered<Value> {
        self.operand_as(op, None)
    }

    /// An operand where the type it is used at is known (constants need it).
    pub fn operand_as(&mut self, op: &Operand, ty: Option<&Ty>) -> Lowered<Value> {
        match op {
            Operand::Copy(p) => {
                let at = self.locate(p)?;
                self.read(&at)
            }
            Operand::Move(p) => {
                let at = self.locate(p)?;
                let v = self.read(&at)?;
                // An assignment leaves the value where it was, as in Miri. A call takes it: the callee may use
                // the place. What is behind a pointer belongs to somebody else.
                if self.in_call && !p.projection.contains(&Elem::Deref) {
                    self.moved.push(p.clone());
                }
                Ok(v)
            }
            Operand::Const(c) => self.constant(c, ty),
            Operand::RuntimeChecks(which) => {
                let on = match which {
                    RuntimeChecks::UbChecks => self.source.ub_checks,
                    RuntimeChecks::OverflowChecks => self.source.overflow_checks,
                    RuntimeChecks::ContractChecks => false,
                };
                let t = self.pool.bool(on);
                Ok(self.scalar(t))
            }
        }
    }

    /// The places that the statement moved out of lose their values, now that all operands are read.
    pub fn finish_moves(&mut self) -> Lowered<()> {
        for p in std::mem::take(&mut self.moved) {
            let at = self.locate(&p)?;
            self.deinit(&at)?;
        }
        Ok(())
    }

    /// Reads a place; a scalar that is not initialised is a violation here and now.
    fn read(&mut self, at: &Located) -> Lowered<Value> {
        let mut v = self.load_located(at)?;
        if let [(path, l)] = v.leaves.as_mut_slice()
            && path.is_empty()
            && !types::may_be_uninit(&at.ty)
        {
            let init = l.init;
            l.init = self.pool.bool(true);
            // Elements are initialised one by one through pointers (`MaybeUninit`), which flags of whole arrays
            // follow only in part: no verdict rests on them.
            if at.is_element() {
                let what = "an array element that may not be initialised".to_string();
                self.check(init, crate::program::StopKind::Unsupported(what));
            } else {
                self.check_defined(init, "read of an uninitialised value");
            }
        }
        Ok(v)
    }

    pub fn operand_bits(&mut self, op: &Operand, ty: Option<&Ty>) -> Lowered<crate::term::Term> {
        let v = self.operand_as(op, ty)?;
        self.bits(&v)
    }

    pub fn rvalue(&mut self, rvalue: &Rvalue, into: &Ty) -> Lowered<Value> {
        match rvalue {
            Rvalue::Use { operand, .. } => self.operand_as(operand, Some(into)),
            Rvalue::CopyForDeref(p) => {
                let at = self.locate(p)?;
                self.read(&at)
            }
            Rvalue::Repeat(op, len) => self.repeat(op, len, into),
            Rvalue::Ref { place, .. } => self.reference(place, into),
            Rvalue::RawPtr { kind, place } => {
                let raw = *kind == RawPtrKind::FakeForPtrMetadata || is_reborrow(place);
                if raw && is_reborrow(place) {
                    // A pointer kept as it is, also a dangling one: no access.
                    let (p, _) = self.reborrowed(place)?;
                    return Ok(self.pointer(p));
                }
                self.reference(place, into)
            }
            Rvalue::Len(place) => {
                let at = self.locate(place)?;
                let n = self.length(&at)?;
                Ok(self.scalar(n))
            }
            Rvalue::Cast { operand, ty, kind } => self.cast(operand, &erase(ty), kind),
            Rvalue::Binary(op, a, b) => self.binary(*op, a, b, into),
            Rvalue::Unary(UnOp::PtrMetadata, op) => {
                let ty = self.operand_type(op)?;
                if ty
                    .as_ref()
                    .and_then(types::pointee)
                    .is_none_or(types::is_trait_object)
                {
                    return gap("the metadata of a trait object");
                }
                let v = self.operand(op)?;
                let p = self.pointer_of(&v)?;
                match p.meta {
                    Some(m) => Ok(self.scalar(m)),
                    // The metadata of a thin pointer is `()`.
                    None if into.is_unit() => Ok(Value::default()),
                    None => gap("the metadata of a pointer that has none in the model"),
                }
            }
            Rvalue::Unary(op, a) => self.unary(*op, a),
            Rvalue::Discriminant(place) => {
                let at = self.locate(place)?;
                self.discriminant(&at, into)
            }
            Rvalue::Aggregate(a) => self.aggregate(a, into),
            Rvalue::Nullary(NullOp::RuntimeChecks(which)) => {
                self.operand(&Operand::RuntimeChecks(*which))
            }
            Rvalue::Nullary(NullOp::SizeOf(ty)) => {
                let n = self.size_of(&erase(ty))?;
                let t = self.bv64(n);
                Ok(self.scalar(t))
            }
            Rvalue::Nullary(_)
            | Rvalue::ShallowInitBox(..)
            | Rvalue::ThreadLocalRef { .. }
            | Rvalue::WrapUnsafeBinder(..)
            | Rvalue::Other(_) => gap("an rvalue without a model (box, thread local, nullary)"),
        }
    }

    /// The pointer `p` of a place `*p`, and its type.
    fn reborrowed(&mut self, place: &Place) -> Lowered<(super::value::PointerValue, Ty)> {
        let mut inner = place.clone();
        inner.projection.pop();
        let ty = self.place_type(&inner)?;
        let at = self.locate(&inner)?;
        let v = self.read(&at)?;
        Ok((self.pointer_of(&v)?, ty))
    }

    /// A reference made from a pointer must be valid: inside its object, or of size zero.
    fn check_reborrow(&mut self, p: &super::value::PointerValue, pointer_ty: &Ty) -> Lowered<()> {
        if !types::is_raw(pointer_ty) {
            return Ok(());
        }
        let Some(to) = types::pointee(pointer_ty).map(erase) else {
            return gap("a reborrow of something that is no pointer");
        };
        if types::is_trait_object(&to) || types::is_unsized_struct(&to) {
            return self.check_inside(p);
        }
        let element = types::element(&to).unwrap_or_else(|| to.clone());
        if self.is_zero_sized(&element)? {
            return Ok(());
        }
        let empty = match p.meta {
            Some(m) => {
                let zero = self.bv64(0);
                self.pool.eq(m, zero)
            }
            None => self.pool.bool(false),
        };
        let mut objects = p.clone();
        for &t in &p.targets {
            if matches!(self.targets[t.0 as usize], Target::Place(..)) {
                continue;
            }
            objects.targets.remove(&t);
            let here = self.tag_is(p, t);
            let not_here = self.pool.not(here);
            let fine = self.pool.or(not_here, empty);
            self.check_defined(fine, "reference made from a null or dangling pointer");
        }
        if objects.targets.is_empty() {
            return Ok(());
        }
        let mut at = self.deref(p, pointer_ty)?;
        self.check_raw(&mut at)
    }

    /// A pointer of which only the first byte is known: it is in its object.
    fn check_inside(&mut self, p: &super::value::PointerValue) -> Lowered<()> {
        for &t in &p.targets {
            let here = self.tag_is(p, t);
            let inside = match self.targets[t.0 as usize].clone() {
                Target::Place(object, path) if path.last() == Some(&Step::Elem) => {
                    let n = path.iter().filter(|s| **s == Step::Elem).count();
                    let spot = super::memory::Spot {
                        object,
                        path,
                        indices: p.indices[..n].to_vec(),
                    };
                    let extent = self.extent(&spot)?;
                    self.pool.ult(p.indices[n - 1], extent)
                }
                Target::Place(..) => self.pool.bool(true),
                Target::Address | Target::Function(_) => self.pool.bool(false),
            };
            let fine = self.pool.implies(here, inside);
            self.check_defined(fine, "reference made from a null or dangling pointer");
        }
        Ok(())
    }

    fn reference(&mut self, place: &Place, into: &Ty) -> Lowered<Value> {
        if is_reborrow(place) {
            let (p, ty) = self.reborrowed(place)?;
            self.check_reborrow(&p, &ty)?;
            return Ok(self.pointer(p));
        }
        let mut at = self.locate(place)?;
        self.check_raw(&mut at)?;
        if let Some(to) = types::pointee(into)
            && types::is_unsized_sequence(to)
            && at.window.is_none()
        {
            return gap("a slice reference without a length");
        }
        let p = self.address_of(&at)?;
        Ok(self.pointer(p))
    }

    fn repeat(&mut self, op: &Operand, len: &ArrayLen, into: &Ty) -> Lowered<Value> {
        let elem_ty = match types::element(into) {
            Some(t) => erase(&t),
            None => return gap("a repeated value that is no array"),
        };
        if !matches!(len, ArrayLen::Known(_)) {
            return gap(format!("an array of length `{len:?}`"));
        }
        let elem = self.operand_as(op, Some(&elem_ty))?;
        if let (Operand::Const(_), ArrayLen::Known(n)) = (op, len)
            && *n != 1
            && self.owns_memory(&elem)
        {
            return self.repeat_owner(op, *n, elem, into);
        }
        let leaves = self.leaves(into)?;
        let mut out = Value::default();
        for shape in leaves.iter() {
            let Some(l) = elem.get(&shape.path[1..]) else {
                return gap("a repeated value of another shape");
            };
            let l = l.clone();
            let spread = |this: &mut Self, t: crate::term::Term| {
                let inner = this.pool.sort(t);
                if inner.is_array() {
                    return this.spread_rows(t, shape);
                }
                let sort = super::value::in_array(inner, &shape.dims);
                Ok(this.pool.const_array(t, sort))
            };
            let init = spread(self, l.init)?;
            let leaf = match l.leaf {
                Leaf::Bits(t) => Leaf::Bits(spread(self, t)?),
                Leaf::Pointer(mut p) => {
                    p.tag = spread(self, p.tag)?;
                    for i in &mut p.indices {
                        *i = spread(self, *i)?;
                    }
                    if let Some(m) = p.meta {
                        p.meta = Some(spread(self, m)?);
                    }
                    Leaf::Pointer(p)
                }
            };
            out.leaves
                .push((shape.path.clone(), LeafValue { leaf, init }));
        }
        Ok(out)
    }

    /// Has a constant, which owns whatever it points to, memory of the heap?
    fn owns_memory(&self, constant: &Value) -> bool {
        constant.leaves.iter().any(|(_, l)| match &l.leaf {
            Leaf::Pointer(p) => !self.heap_targets(p).is_empty(),
            Leaf::Bits(_) => false,
        })
    }

    /// `[const { Vec::new() }; N]`: the constant is evaluated for each element, and every element has memory of its own.
    fn repeat_owner(&mut self, op: &Operand, n: u64, first: Value, into: &Ty) -> Lowered<Value> {
        if n > MOST_OWNERS {
            return gap(format!(
                "an array of more than {MOST_OWNERS} values that own memory"
            ));
        }
        let elem_ty = types::element(into).map(|t| erase(&t));
        let site = self.const_site;
        let mut value = self.undefined(into)?;
        let mut next = Some(first);
        for i in 0..n {
            let elem = match next.take() {
                Some(first) => first,
                None => {
                    // no block of a body has such a number
                    self.const_site = site + ((i as u32) << 24);
                    let elem = self.operand_as(op, elem_ty.as_ref());
                    self.const_site = site;
                    elem?
                }
            };
            let i = self.bv64(i);
            match elem.leaves.iter().any(|(p, _)| p.contains(&Step::Elem)) {
                true => self.set_row(&mut value, i, &elem, into)?,
                false => self.set_element(&mut value, i, &elem)?,
            }
        }
        Ok(value)
    }

    /// An array of equal rows: only rows that are constant everywhere stay small.
    fn spread_rows(
        &mut self,
        row: crate::term::Term,
        shape: &super::shape::LeafShape,
    ) -> Lowered<crate::term::Term> {
        let elem = self.pool.sort(row).element();
        let sort = super::value::in_array(elem, &shape.dims);
        if let crate::term::Node::ConstArray(v) = *self.pool.node(row) {
            return Ok(self.pool.const_array(v, sort));
        }
        let (Some(Some(n)), Some(Some(m))) = (shape.lens.first(), shape.lens.get(1)) else {
            return gap("a repeated slice");
        };
        if *n > 64 || shape.dims.len() > 2 {
            return gap("a large array of repeated rows");
        }
        let mut out = self.pool.constant(0, sort);
        let w: u32 = shape.dims.iter().sum();
        let from = self.pool.bv(0, 64);
        for i in 0..*n {
            let at = self.pool.bv(u128::from(i) << shape.dims[1], w);
            let len = self.pool.bv(u128::from(*m), w);
            out = self.pool.blit(out, at, row, from, len);
        }
        Ok(out)
    }

    /// A pointer that is only a number.
    pub fn address_pointer(&mut self, address: crate::term::Term, fat: bool) -> Value {
        let meta = fat.then(|| self.bv64(0));
        let p = self.pointer_to(Target::Address, vec![address], meta);
        self.pointer(p)
    }
}

fn is_reborrow(place: &Place) -> bool {
    place.projection.last() == Some(&Elem::Deref)
}

/// The discriminant's step.
pub const DISCRIMINANT: [Step; 1] = [Step::Discriminant];
