//! Enums that are nothing but their tag: with an explicit `repr` and its size, a value is its discriminant's bytes. And
//! enums of one `bool` beside nothing, whose byte is the bool's or another.

use super::rvalue::DISCRIMINANT;
use super::shape::Step;
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

    /// `ControlFlow<bool>` and `Option<bool>` as a byte, which std compares slices by. The byte of the variant with the
    /// bool is the bool's, because references may be made to it; the other variant has the next one.
    pub fn beside_bool(&mut self, v: &Value, from: &Ty, to: &Ty) -> Lowered<Option<Value>> {
        let TyKind::Adt { path, args } = from.kind() else {
            return Ok(None);
        };
        let nothing = |ty: &Ty| matches!(ty.kind(), TyKind::Tuple(parts) if parts.is_empty());
        let (full, empty) = match (types::in_std(path), args.as_slice()) {
            (Some("ops::ControlFlow"), [GenericArg::Type(of)]) if is_bool(of) => {
                ("Break", "Continue")
            }
            (Some("ops::ControlFlow"), [GenericArg::Type(of), GenericArg::Type(other)])
                if is_bool(of) && nothing(other) =>
            {
                ("Break", "Continue")
            }
            (Some("option::Option"), [GenericArg::Type(of)]) if is_bool(of) => ("Some", "None"),
            _ => return Ok(None),
        };
        if !matches!(to.kind(), TyKind::Int(int) if int.bits() == 8) {
            return Ok(None);
        }
        let payload = [Step::Variant(self.shapes.variant_id(full), 0)];
        let (Some(tag), Some(inner)) = (v.get(&DISCRIMINANT), v.get(&payload)) else {
            return Ok(None);
        };
        let (tag, inner) = (tag.clone(), inner.clone());
        let (Leaf::Bits(t), Leaf::Bits(b)) = (tag.leaf, inner.leaf) else {
            return Ok(None);
        };
        self.check_defined(tag.init, "read of an uninitialised value");
        let none = self.variant_bits(from, empty)?;
        let is_none = self.pool.eq(t, none);
        let written = self.pool.or(is_none, inner.init);
        self.check_defined(written, "read of an uninitialised value");
        let (bool, other) = (self.pool.bool_to_bv(b, 8), self.pool.bv(2, 8));
        let byte = self.pool.ite(is_none, other, bool);
        Ok(Some(self.scalar(byte)))
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

fn is_bool(ty: &Ty) -> bool {
    matches!(ty.kind(), TyKind::Bool)
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    /// What `beside_bool` says of the compiler's layout.
    #[test]
    fn the_variant_beside_a_bool_is_two() {
        #[allow(unsafe_code)]
        // Safety: all of them are one initialised byte, which the sizes say.
        let (flow, option) = unsafe {
            let flow: ControlFlow<bool> = ControlFlow::Continue(());
            (
                std::mem::transmute::<ControlFlow<bool>, u8>(flow),
                std::mem::transmute::<Option<bool>, u8>(None),
            )
        };
        assert_eq!((flow, option), (2, 2));
    }
}
