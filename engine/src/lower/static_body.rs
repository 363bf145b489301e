//! Statics that hold pointers (texts, functions): their bytes do not tell what they point to, their own body does. It is
//! run where the static is mentioned, into memory that is the same for all of them.

use super::instance::InstanceId;
use super::types::{self, erase};
use super::value::Value;
use super::{Lowered, Lowerer, gap};
use crate::mir::{BodyKind, GenericArg, Ty, TyKind};

/// No call of the root stands in this block.
const NO_BLOCK: u32 = u32::MAX;

impl Lowerer<'_> {
    /// A reference to a static of this crate.
    pub fn static_by_body(&mut self, name: &str, to: &Ty) -> Lowered<Value> {
        let unknown = || gap("a constant that contains pointers");
        let Some(b) = self.bodies.by_path(name, BodyKind::Static)? else {
            return unknown();
        };
        if erase(b.body.ret()) != *to || b.body.value.is_some() || !self.is_frozen(to, 0) {
            return unknown();
        }
        let frame = std::mem::replace(&mut self.frame, InstanceId(0));
        let mut site = 0;
        while let Some(id) = self.instance_index.get(&(self.frame, NO_BLOCK, site))
            && *self.instances[id.0 as usize].body.body.path != *name
        {
            site += 1;
        }
        let instance = self.instance(NO_BLOCK, site, b);
        self.frame = frame;
        let pointer = self.run_constant(instance, |l, at| l.address_of(&at))?;
        Ok(self.pointer(pointer))
    }

    /// Does nothing in it change behind a shared reference?
    fn is_frozen(&self, ty: &Ty, depth: u32) -> bool {
        if depth > 6 {
            return false;
        }
        let inside = |t: &Ty| self.is_frozen(&erase(t), depth + 1);
        if types::scalar_kind(ty).is_some() {
            return true;
        }
        match ty.kind() {
            TyKind::Str | TyKind::FnPtr { .. } | TyKind::FnDef { .. } => true,
            TyKind::Ref { mutable, ty, .. } => !mutable && inside(ty),
            TyKind::Array(t, _) | TyKind::Slice(t) => inside(t),
            TyKind::Tuple(parts) => parts.iter().all(inside),
            TyKind::Adt { path, args } => match types::in_std(path) {
                Some("option::Option") => args
                    .iter()
                    .all(|a| matches!(a, GenericArg::Type(t) if inside(t))),
                Some(_) => false,
                // Of an enum only the fields of variants that somebody makes are known.
                None if self.shapes.is_enum(ty, self.source.facts) => false,
                None => {
                    let fields = self.shapes.all_fields(ty);
                    self.is_local_type(path) && fields.is_some_and(|f| f.iter().all(inside))
                }
            },
            _ => false,
        }
    }
}
