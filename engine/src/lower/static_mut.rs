//! `static mut`: memory that calls leave to each other. It has one object, whichever file of the capture mentions it, and
//! holds anything when the root is called: what earlier calls wrote is not known. From then on it is the root's alone,
//! for a race with another thread would be undefined. Functions that are not entered (by contract, without a body) may
//! write it behind the root's back, so that there it has no model.
//!
//! With the values that statics have when the program starts (`Source::first_call`) only violations are looked for: the first call
//! is a run, but not the only one.

use super::shape::LeafKind;
use super::types::{self, erase};
use super::value::{Leaf, Value};
use super::{Lowered, Lowerer, ObjectKey, Part, gap};
use crate::assumption::Assumption;
use crate::mir::{AllocKind, BodyKind, Ty};
use crate::program::{Draw, Stmt};
use crate::term::Sort;

impl Lowerer<'_> {
    /// Is a static that is mentioned with this type one that may be written? Those of the crate say so themselves; of
    /// others the type tells: a reference is to one that may not. One that is mentioned in both ways has no model, for
    /// it would be two objects.
    pub fn is_static_mut(&mut self, name: &str, ty: &Ty) -> Lowered<bool> {
        if self.bodies.by_path(name, BodyKind::Static)?.is_some() {
            return Ok(false);
        }
        let own = self.bodies.by_path(name, BodyKind::StaticMut)?.is_some();
        let is_mut = own || types::is_raw(ty);
        let other_way = |key: &ObjectKey| match key {
            ObjectKey::Static(n) => !is_mut && **n == *name,
            ObjectKey::Alloc(file, id) => {
                let alloc = self.bodies.file(*file).alloc(*id);
                let is_it = |k: &AllocKind| matches!(k, AllocKind::Static(n) if **n == *name);
                is_mut && alloc.is_some_and(|a| is_it(&a.kind))
            }
            _ => false,
        };
        if self.objects.iter().any(|o| other_way(&o.key)) {
            return gap(format!("static `{name}` as a reference and as a pointer"));
        }
        Ok(is_mut)
    }

    /// The address of a `static mut`, which holds these bytes when the program starts.
    pub fn static_mut(&mut self, name: &str, ty: &Ty, first: Option<&[u8]>) -> Lowered<Value> {
        let Some(to) = types::pointee(ty).map(erase) else {
            return gap(format!("`static mut {name}` of unknown type"));
        };
        let last = |n: &str| n.rsplit("::").next().unwrap_or(n).to_owned();
        // Two spellings of one path would be two objects.
        let another = |key: &ObjectKey| matches!(key, ObjectKey::Static(n) if **n != *name && last(n) == last(name));
        if self.objects.iter().any(|o| another(&o.key)) {
            return gap(format!("two statics named `{}`", last(name)));
        }
        let key = ObjectKey::Static(name.into());
        let object = self.object(key, &to, vec![], last(name));
        if self.objects[object.0 as usize].ty != to {
            return gap(format!("`static mut {name}` used as two types"));
        }
        if self.source.first_call {
            self.fill_first(object, &to, first)?;
        } else if self.prepared.insert(object) {
            self.fill_with_anything(object, &format!("`static mut {name}`"), &to)?;
        }
        let p = self.pointer_to(super::pointer::Target::Place(object, vec![]), vec![], None);
        Ok(self.pointer(p))
    }

    /// What a static holds when the root is the first function that is called.
    pub fn fill_first(
        &mut self,
        object: super::ObjectId,
        ty: &Ty,
        bytes: Option<&[u8]>,
    ) -> Lowered<()> {
        let Some(bytes) = bytes else {
            return gap("the first value of a static, which is no number");
        };
        if !self.prepared.insert(object) {
            return Ok(());
        }
        let leaves = self.leaves(ty)?;
        let only = match leaves.as_slice() {
            [only] if only.dims.is_empty() && bytes.len() <= 16 => match only.kind {
                LeafKind::Scalar(kind) => Some((only.path.clone(), kind)),
                _ => None,
            },
            _ => None,
        };
        // an atomic is a struct around its number
        let Some((path, kind)) = only else {
            return self.fill_object(object, ty, bytes);
        };
        if types::bits(kind).div_ceil(8) as usize != bytes.len() {
            return gap("the first value of a static of another size");
        }
        let value = bytes.iter().rev();
        let value = value.fold(0u128, |all, byte| (all << 8) | u128::from(*byte));
        let sort = super::value::scalar_sort(kind);
        self.part(object, &path, Part::Value, sort);
        let Some(&var) = self.vars.get(&(object, path, Part::Value)) else {
            return gap("a variable that was never made");
        };
        let value = self.pool.constant(value, sort);
        self.entry_setup.push(Stmt::Assign(var, value));
        Ok(())
    }

    pub fn fill_with_anything(
        &mut self,
        object: super::ObjectId,
        name: &str,
        ty: &Ty,
    ) -> Lowered<()> {
        let parts: Vec<(Vec<super::shape::Step>, Option<Sort>)> = self
            .undefined(ty)?
            .leaves
            .iter()
            .map(|(path, l)| match l.leaf {
                Leaf::Bits(bits) => (path.clone(), Some(self.pool.sort(bits))),
                Leaf::Pointer(_) => (path.clone(), None),
            })
            .collect();
        for (path, sort) in parts {
            let Some(sort) = sort else {
                return gap(format!("{name}, which holds pointers"));
            };
            self.part(object, &path, Part::Value, sort);
            let Some(&var) = self.vars.get(&(object, path, Part::Value)) else {
                return gap("a variable that was never made");
            };
            let why = format!("what earlier calls left in {name}");
            self.entry_setup
                .push(Stmt::Havoc(var, Draw::Approximate(why)));
        }
        Ok(())
    }

    /// What was entered of a root and what was not: a function that is not may write any static.
    pub fn statics_are_its_own(&self) -> Result<(), String> {
        let skips = [Assumption::Contract, Assumption::AssumedTotal];
        let statics = |key: &ObjectKey| match key {
            ObjectKey::Static(name) => Some(name.clone()),
            _ => None,
        };
        match self.objects.iter().find_map(|o| statics(&o.key)) {
            Some(name) if skips.iter().any(|s| self.used.contains(s)) => Err(format!(
                "static `{name}` beside calls that are not entered, which may write it"
            )),
            _ => Ok(()),
        }
    }
}
