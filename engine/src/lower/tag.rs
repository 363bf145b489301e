//! Enums that are nothing but their tag: with an explicit `repr` and its size, a value is its discriminant's bytes.

use super::rvalue::DISCRIMINANT;
use super::types;
use super::value::{Leaf, LeafValue, Value};
use super::{Lowered, Lowerer};
use crate::mir::{GenericArg, Ty, TyKind};

impl Lowerer<'_> {
    /// A transmute between an integer and such an enum, in either direction.
    pub fn tag_only(&mut self, v: &Value, from: &Ty, to: &Ty) -> Lowered<Option<Value>> {
        let width = |ty: &Ty| match ty.kind() {
            TyKind::Int(int) => Some(int.bits()),
            _ => None,
        };
        match (width(from), width(to)) {
            (Some(w), None) if self.tag_width(to) == Some(w) => {
                let bits = self.bits(v)?;
                let mut valid = self.pool.bool(false);
                for tag in self.tags(to).unwrap_or_default() {
                    let tag = self.pool.bv(tag, w);
                    let is_it = self.pool.eq(bits, tag);
                    valid = self.pool.or(valid, is_it);
                }
                self.check_defined(valid, "an enum of a value that no variant has");
                let mut out = self.undefined(to)?;
                let init = self.pool.bool(true);
                for (path, slot) in &mut out.leaves {
                    if *path == DISCRIMINANT {
                        let leaf = Leaf::Bits(bits);
                        *slot = LeafValue { leaf, init };
                    }
                }
                Ok(Some(out))
            }
            (None, Some(w)) if self.tag_width(from) == Some(w) => {
                let Some((Leaf::Bits(tag), init)) =
                    v.get(&DISCRIMINANT).map(|l| (l.leaf.clone(), l.init))
                else {
                    return Ok(None);
                };
                self.check_defined(init, "read of an uninitialised value");
                Ok(Some(self.scalar(tag)))
            }
            _ => Ok(None),
        }
    }

    /// Of an enum without anything beside its tag.
    fn tag_width(&mut self, ty: &Ty) -> Option<u32> {
        let TyKind::Adt { path, .. } = ty.kind() else {
            return None;
        };
        let known = self.source.facts.enum_fact(path)?;
        // without a `repr` the tag may hide in a field
        if known.repr == "isize" || !known.complete {
            return None;
        }
        let int = crate::mir::IntTy::from_name(&known.repr)?;
        let same = self.shapes.discriminant_int(ty, self.source.facts) == int;
        let size = self.size_of(ty).ok()?;
        (same && size * 8 == u64::from(int.bits())).then(|| int.bits())
    }

    fn tags(&self, ty: &Ty) -> Option<Vec<u128>> {
        let TyKind::Adt { path, .. } = ty.kind() else {
            return None;
        };
        let known = self.source.facts.enum_fact(path)?;
        known.variants.iter().map(|v| v.bits()).collect()
    }

    /// `None` of a type whose values are never zero, given by its bytes.
    pub fn none_of_bytes(&mut self, ty: &Ty, bytes: u128) -> Lowered<Option<Value>> {
        let TyKind::Adt { path, args } = ty.kind() else {
            return Ok(None);
        };
        let (Some("option::Option"), [GenericArg::Type(of)]) =
            (types::in_std(path), args.as_slice())
        else {
            return Ok(None);
        };
        let never_zero = match of.kind() {
            TyKind::Ref { .. } | TyKind::FnPtr(_) => true,
            TyKind::Adt { path, .. } => matches!(
                types::in_std(path),
                Some("boxed::Box" | "ptr::NonNull" | "rc::Rc" | "sync::Arc")
            ),
            _ => false,
        };
        if bytes != 0 || !never_zero {
            return Ok(None);
        }
        self.assemble(ty, Some("None"), vec![]).map(Some)
    }
}
