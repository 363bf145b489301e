//! Memory that constants point to: texts, statics, allocations of the dump. Each is an object with the compiler's bytes.

use super::constant::{foreign_static, static_name};
use super::pointer::Target;
use super::shape::Step;
use super::types::{self, erase};
use super::value::Value;
use super::{Lowered, Lowerer, ObjectKey, gap};
use crate::mir::{AllocKind, ArrayLen, GenericArg, IntTy, Ty, TyKind};
use crate::program::ScalarKind;

impl Lowerer<'_> {
    /// A pointer to literal bytes.
    pub fn text(&mut self, bytes: std::sync::Arc<[u8]>, is_str: bool) -> Lowered<Value> {
        let n = bytes.len() as u64;
        let ty = Ty::new(TyKind::Array(
            Ty::new(TyKind::Int(IntTy::U8)),
            ArrayLen::Known(n),
        ));
        let key = ObjectKey::Literal(bytes.clone());
        let object = self.object(key, &ty, vec![], "text".into());
        if self.prepared.insert(object) && n <= 4096 {
            let elems: Vec<u128> = bytes.iter().map(|b| u128::from(*b)).collect();
            self.prepare_array(
                object,
                &[elems.len() as u64],
                &elems,
                ScalarKind::Unsigned(8),
            )?;
        }
        let mut path = vec![];
        let mut indices = vec![];
        let mut meta = None;
        if is_str {
            path.push(Step::Elem);
            indices.push(self.bv64(0));
            meta = Some(self.bv64(n));
        }
        let p = self.pointer_to(Target::Place(object, path), indices, meta);
        Ok(self.pointer(p))
    }

    /// Gives an array of an immutable object its contents, at the program's entry.
    pub fn prepare_array(
        &mut self,
        object: super::ObjectId,
        lengths: &[u64],
        elems: &[u128],
        kind: ScalarKind,
    ) -> Lowered<()> {
        let path: Vec<Step> = lengths.iter().map(|_| Step::Elem).collect();
        // An index of nested arrays is their indices side by side, as `memory` joins them.
        let mut dims = vec![32; lengths.len()];
        dims[0] = 64;
        let index = dims.iter().sum();
        let scalar = super::value::scalar_sort(kind);
        let sort = super::value::in_array(scalar, &dims);
        self.part(object, &path, super::Part::Value, sort);
        let Some(&var) = self.vars.get(&(object, path, super::Part::Value)) else {
            return gap("a variable that was never made");
        };
        let fill = elems.last().copied().unwrap_or(0);
        let mut t = self.pool.constant(fill, sort);
        for (i, &e) in elems.iter().enumerate() {
            if e == fill {
                continue;
            }
            let i = self.pool.bv(joined_index(i as u64, lengths), index);
            let e = self.pool.constant(e, scalar);
            t = self.pool.store(t, i, e);
        }
        self.entry_setup.push(crate::program::Stmt::Assign(var, t));
        Ok(())
    }

    /// A reference to a static, printed with the compiler's internal name: `DefId(0:3 ~ krate[8244]::m::TABLE)`.
    pub fn static_pointer(&mut self, text: &str, ty: Option<&Ty>) -> Lowered<Value> {
        let foreign = foreign_static(text);
        let Some(name) = static_name(text).or(foreign.as_deref()) else {
            return gap(format!("static `{text}` of another crate"));
        };
        let Some(ty) = ty else {
            return gap(format!("static `{name}` of unknown type"));
        };
        // those of other crates have no body here, so that only numbers are known by their bytes
        let is_known = |to: &Ty| is_scalars(to) && !has_cell(to) && !types::is_raw(ty);
        if foreign.is_some() && !types::pointee(ty).is_some_and(is_known) {
            return gap(format!("static `{name}` of another crate"));
        }
        let file = self.instances[self.frame.0 as usize].body.file;
        let named = |kind: &AllocKind| matches!(kind, AllocKind::Static(n) if **n == *name);
        let allocs = self.bodies.file(file).allocs.iter();
        let mut found = allocs.filter(|a| named(&a.kind));
        let Some(first) = found.next() else {
            return gap(format!(
                "the contents of static `{name}` are not in the dump"
            ));
        };
        // printed once for each function that mentions it; crates of one name may have different ones
        if foreign.is_some() && found.any(|a| a.bytes != first.bytes) {
            return gap(format!("two statics of one name: `{name}`"));
        }
        self.alloc_pointer(first.id, 0, &erase(ty))
    }

    /// A pointer into an allocation of the compiler's tables.
    pub fn alloc_pointer(&mut self, id: u32, offset: u64, ty: &Ty) -> Lowered<Value> {
        let file = self.instances[self.frame.0 as usize].body.file;
        let Some(alloc) = self.bodies.file(file).alloc(id) else {
            return gap(format!("allocation {id} is not in the dump"));
        };
        let Some(to) = types::pointee(ty).map(erase) else {
            return gap(format!("a constant pointer of type `{ty}`"));
        };
        match &alloc.kind {
            AllocKind::Memory | AllocKind::Static(_) => {}
            AllocKind::Function(_) | AllocKind::VTable(_) => return gap("a constant function"),
            _ => return gap("a static without known contents"),
        }
        if let AllocKind::Static(name) = &alloc.kind {
            let name = name.clone();
            let first: Option<Vec<u8>> = alloc.bytes.iter().copied().collect();
            let first = first.filter(|_| alloc.relocations.is_empty());
            // one object, whichever file and table mentions it
            if self.source.first_call && offset == 0 && self.is_atomics(&to, 0) {
                return self.static_mut(&name, ty, first.as_deref());
            }
            if self.is_static_mut(&name, ty)? {
                return match offset {
                    0 => self.static_mut(&name, ty, first.as_deref()),
                    _ => gap(format!("a part of `static mut {name}`")),
                };
            }
        }
        if matches!(&alloc.kind, AllocKind::Static(_)) && offset == 0 && self.is_atomics(&to, 0) {
            let key = ObjectKey::Alloc(file, id);
            let object = self.object(key, &to, vec![], format!("alloc{id}"));
            self.shared.insert(object);
            let p = self.pointer_to(Target::Place(object, vec![]), vec![], None);
            return Ok(self.pointer(p));
        }
        // what holds pointers, or lies in memory as the compiler likes, is made by its own body
        let by_body = !alloc.relocations.is_empty() || !is_scalars(&to);
        if let (AllocKind::Static(name), 0, true) = (&alloc.kind, offset, by_body) {
            return self.static_by_body(&name.clone(), &to);
        }
        if offset != 0 || !alloc.relocations.is_empty() {
            return gap("a constant that contains pointers");
        }
        let bytes: Option<Vec<u8>> = alloc.bytes.iter().copied().collect();
        let Some(bytes) = bytes else {
            return gap("a constant with uninitialised bytes");
        };
        if matches!(&alloc.kind, AllocKind::Static(_)) && has_cell(&to) {
            return gap("a static with interior mutability");
        }
        let object = self.object(
            ObjectKey::Alloc(file, id),
            &to,
            vec![],
            format!("alloc{id}"),
        );
        if self.objects[object.0 as usize].ty != to {
            return gap("an allocation used as two types");
        }
        if self.prepared.insert(object) {
            self.fill_object(object, &to, &bytes)?;
        }
        let p = self.pointer_to(Target::Place(object, vec![]), vec![], None);
        Ok(self.pointer(p))
    }

    /// The contents of an object from its bytes: scalars and arrays of scalars, whose layout is fixed.
    pub fn fill_object(&mut self, object: super::ObjectId, ty: &Ty, bytes: &[u8]) -> Lowered<()> {
        let little = |chunk: &[u8]| {
            chunk
                .iter()
                .rev()
                .fold(0u128, |acc, b| (acc << 8) | u128::from(*b))
        };
        if let Some(kind) = types::scalar_kind(ty) {
            let sort = super::value::scalar_sort(kind);
            self.part(object, &[], super::Part::Value, sort);
            let Some(&var) = self.vars.get(&(object, vec![], super::Part::Value)) else {
                return gap("a variable that was never made");
            };
            let t = self.pool.constant(little(bytes), sort);
            self.entry_setup.push(crate::program::Stmt::Assign(var, t));
            return Ok(());
        }
        let (mut lengths, mut inner) = (vec![], ty.clone());
        while let (Some(n), Some(elem)) = (types::array_len(&inner), types::element(&inner)) {
            lengths.push(n);
            inner = erase(&elem);
        }
        let (Some(kind), 1..=3) = (types::scalar_kind(&inner), lengths.len()) else {
            return gap(format!("a constant of type `{ty}` given by its bytes"));
        };
        let size = (types::bits(kind).max(8) / 8) as usize;
        let n = lengths.iter().try_fold(1u64, |n, l| n.checked_mul(*l));
        let fits = n.is_some_and(|n| n <= 8192 && n * size as u64 == bytes.len() as u64);
        if !fits || kind == ScalarKind::Bool && bytes.iter().any(|b| *b > 1) {
            return gap(format!("a constant of type `{ty}` given by its bytes"));
        }
        let elems: Vec<u128> = bytes.chunks(size).map(little).collect();
        self.prepare_array(object, &lengths, &elems, kind)
    }
}

/// A scalar, or nested arrays of them.
fn is_scalars(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Array(elem, _) => is_scalars(elem),
        _ => types::scalar_kind(ty).is_some(),
    }
}

/// The index of an element by its number among all: of 64 bits, then 32 for each array inside.
fn joined_index(number: u64, lengths: &[u64]) -> u128 {
    let (mut rest, mut index, mut shift) = (number, 0u128, 0);
    for (depth, length) in lengths.iter().enumerate().rev() {
        let at = if depth == 0 { rest } else { rest % length };
        rest /= (*length).max(1);
        index |= u128::from(at) << shift;
        shift += 32;
    }
    index
}

fn has_cell(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Adt { path, args } => {
            path.contains("Cell")
                || path.contains("Atomic")
                || path.contains("Mutex")
                || path.contains("Lock")
                || args
                    .iter()
                    .any(|a| matches!(a, GenericArg::Type(t) if has_cell(t)))
        }
        TyKind::Array(t, _) | TyKind::Slice(t) => has_cell(t),
        TyKind::Tuple(parts) => parts.iter().any(has_cell),
        _ => false,
    }
}
