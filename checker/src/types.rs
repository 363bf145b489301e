//! What MIR's text says of types: which are scalars, what pointers lead to, how long arrays are.

use crate::term::Scalar;
use optverify_engine::mir::{ArrayLen, IntTy, Ty, TyKind};

pub fn scalar(ty: &Ty) -> Option<Scalar> {
    Some(match ty.kind() {
        TyKind::Bool => Scalar::Bool,
        TyKind::Char => Scalar::Bv(32),
        TyKind::Int(i) => Scalar::Bv(i.bits()),
        TyKind::Float(bits) => Scalar::Bv(u32::from(*bits)),
        TyKind::Pattern { base, .. } => return scalar(base),
        _ => return None,
    })
}

pub fn signed(ty: &Ty) -> bool {
    matches!(ty.kind(), TyKind::Int(i) if i.signed())
}

pub fn is_float(ty: &Ty) -> bool {
    matches!(ty.kind(), TyKind::Float(_))
}

/// What a reference or raw pointer leads to.
pub fn pointee(ty: &Ty) -> Option<&Ty> {
    match ty.kind() {
        TyKind::Ref { ty, .. } | TyKind::RawPtr { ty, .. } => Some(ty),
        _ => None,
    }
}

pub fn element(ty: &Ty) -> Option<Ty> {
    match ty.kind() {
        TyKind::Array(t, _) | TyKind::Slice(t) => Some(t.clone()),
        TyKind::Str => Some(Ty::new(TyKind::Int(IntTy::U8))),
        _ => None,
    }
}

pub fn is_slice(ty: &Ty) -> bool {
    matches!(ty.kind(), TyKind::Slice(_) | TyKind::Str)
}

pub fn array_len(ty: &Ty) -> Option<u64> {
    match ty.kind() {
        TyKind::Array(_, ArrayLen::Known(n)) => Some(*n),
        _ => None,
    }
}

/// The size in bytes of a scalar, or of an array of them.
pub fn size(ty: &Ty) -> Option<u64> {
    match ty.kind() {
        TyKind::Bool => Some(1),
        TyKind::Array(t, _) => size(t)?.checked_mul(array_len(ty)?),
        _ => scalar(ty).map(|s| u64::from(s.width()) / 8),
    }
}

/// Types that have no drop code for certain.
pub fn needs_no_drop(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Ref { .. } | TyKind::RawPtr { .. } | TyKind::FnPtr(_) | TyKind::FnDef { .. } => {
            true
        }
        TyKind::Tuple(parts) => parts.iter().all(needs_no_drop),
        TyKind::Array(t, _) => needs_no_drop(t),
        _ => scalar(ty).is_some(),
    }
}

/// Wrappers of std that lemmas name by their content.
pub fn is_wrapper(path: &str) -> bool {
    let Some((head, last)) = path.rsplit_once("::") else {
        return false;
    };
    let from_std = ["std::", "core::", "alloc::"]
        .iter()
        .any(|s| head.starts_with(s));
    from_std
        && [
            "ManuallyDrop",
            "MaybeDangling",
            "MaybeUninit",
            "Cell",
            "UnsafeCell",
        ]
        .contains(&last)
}
