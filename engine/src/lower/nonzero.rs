//! `Option<NonZero<int>>` and the integer itself: zero is `None`.

use super::rvalue::DISCRIMINANT;
use super::shape::{LeafShape, Step};
use super::types;
use super::value::{Leaf, LeafValue, Value};
use super::{Lowered, Lowerer, gap};
use crate::mir::{GenericArg, Ty, TyKind};

impl Lowerer<'_> {
    /// A transmute between an integer and an option of a `NonZero`, in either direction.
    pub fn nonzero_option(&mut self, v: &Value, from: &Ty, to: &Ty) -> Lowered<Option<Value>> {
        let is_int = |t: &Ty| matches!(t.kind(), TyKind::Int(_));
        match (is_nonzero_option(from), is_nonzero_option(to)) {
            (false, true) if is_int(from) => {
                let bits = self.bits(v)?;
                let w = self.pool.width(bits);
                let payload = self.payload(to, w)?;
                let zero = self.pool.bv(0, w);
                let is_none = self.pool.eq(bits, zero);
                let (none, some) = (
                    self.variant_bits(to, "None")?,
                    self.variant_bits(to, "Some")?,
                );
                let tag = self.pool.ite(is_none, none, some);
                let mut out = self.undefined(to)?;
                let init = self.pool.bool(true);
                for (path, slot) in &mut out.leaves {
                    if *path == DISCRIMINANT {
                        *slot = LeafValue {
                            leaf: Leaf::Bits(tag),
                            init,
                        };
                    } else if *path == payload.path {
                        *slot = LeafValue {
                            leaf: Leaf::Bits(bits),
                            init: self.pool.not(is_none),
                        };
                    }
                }
                Ok(Some(out))
            }
            (true, false) if is_int(to) => {
                let w = types::scalar_kind(to).map_or(0, types::bits);
                let payload = self.payload(from, w)?;
                let (Some(tag), Some(inner)) = (v.get(&DISCRIMINANT), v.get(&payload.path)) else {
                    return gap(format!("transmute of `{from}`"));
                };
                let (tag, inner) = (tag.clone(), inner.clone());
                let (Leaf::Bits(t), Leaf::Bits(x)) = (tag.leaf, inner.leaf) else {
                    return gap(format!("transmute of `{from}`"));
                };
                self.check_defined(tag.init, "read of an uninitialised value");
                let none = self.variant_bits(from, "None")?;
                let is_none = self.pool.eq(t, none);
                let zero = self.pool.bv(0, w);
                let bits = self.pool.ite(is_none, zero, x);
                Ok(Some(self.scalar(bits)))
            }
            _ => Ok(None),
        }
    }

    /// The leaf of the number in an option of this type.
    fn payload(&mut self, option: &Ty, width: u32) -> Lowered<LeafShape> {
        let some = self.shapes.variant_id("Some");
        let leaves = self.leaves(option)?;
        let mut numbers = leaves
            .iter()
            .filter(|l| l.path.first() == Some(&Step::Variant(some, 0)));
        match (numbers.next(), numbers.next()) {
            (Some(l), None) if matches!(&l.kind, super::shape::LeafKind::Scalar(k) if types::bits(*k) == width) => {
                Ok(l.clone())
            }
            _ => gap(format!("the content of `{option}`")),
        }
    }
}

fn is_nonzero_option(ty: &Ty) -> bool {
    inside_option(ty).is_some()
}

/// Of `Option<NonZero<int>>`: the `NonZero`, and the number.
pub fn inside_option(ty: &Ty) -> Option<(Ty, Ty)> {
    let content = |ty: &Ty, of: &str| match ty.kind() {
        TyKind::Adt { path, args } if types::in_std(path) == Some(of) => match args.as_slice() {
            [GenericArg::Type(inner)] => Some(inner.clone()),
            _ => None,
        },
        _ => None,
    };
    let nonzero = content(ty, "option::Option")?;
    let number = content(&nonzero, "num::NonZero")?;
    matches!(number.kind(), TyKind::Int(_)).then_some((nonzero, number))
}
