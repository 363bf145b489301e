//! Questions about MIR types that the text alone answers.

use crate::mir::{ArrayLen, GenericArg, IntTy, Ty, TyKind};
use crate::program::ScalarKind;

/// The type without lifetimes: two places of the same type must have the same leaves.
pub fn erase(ty: &Ty) -> Ty {
    match ty.kind() {
        TyKind::Tuple(parts) => Ty::new(TyKind::Tuple(parts.iter().map(erase).collect())),
        TyKind::Array(elem, len) => Ty::new(TyKind::Array(erase(elem), len.clone())),
        TyKind::Slice(elem) => Ty::new(TyKind::Slice(erase(elem))),
        TyKind::Ref { mutable, ty, .. } => Ty::new(TyKind::Ref {
            lifetime: None,
            mutable: *mutable,
            ty: erase(ty),
        }),
        TyKind::RawPtr { mutable, ty } => Ty::new(TyKind::RawPtr {
            mutable: *mutable,
            ty: erase(ty),
        }),
        TyKind::Adt { path, args } => Ty::new(TyKind::Adt {
            path: path.clone(),
            args: args
                .iter()
                .filter_map(|a| match a {
                    GenericArg::Lifetime(_) => None,
                    GenericArg::Type(t) => Some(GenericArg::Type(erase(t))),
                    GenericArg::Const(c) => Some(GenericArg::Const(c.clone())),
                })
                .collect(),
        }),
        _ => ty.clone(),
    }
}

pub fn scalar_kind(ty: &Ty) -> Option<ScalarKind> {
    Some(match ty.kind() {
        TyKind::Bool => ScalarKind::Bool,
        TyKind::Char => ScalarKind::Char,
        TyKind::Int(i) => int_kind(*i),
        TyKind::Float(bits) => ScalarKind::Float(u32::from(*bits)),
        TyKind::Pattern { base, .. } => return scalar_kind(base),
        _ => return None,
    })
}

pub fn int_kind(i: IntTy) -> ScalarKind {
    if i.signed() {
        ScalarKind::Signed(i.bits())
    } else {
        ScalarKind::Unsigned(i.bits())
    }
}

pub fn is_signed(ty: &Ty) -> bool {
    matches!(ty.kind(), TyKind::Int(i) if i.signed())
}

/// Is this the path of a wrapper of std that is nothing but its content?
pub fn is_wrapper(path: &str) -> bool {
    const WRAPPERS: [&str; 6] = [
        "std::mem::MaybeUninit",
        "std::mem::ManuallyDrop",
        "core::mem::maybe_dangling::MaybeDangling",
        "std::mem::MaybeDangling",
        "std::cell::UnsafeCell",
        "std::cell::Cell",
    ];
    WRAPPERS.contains(&path)
}

/// What a wrapper of std that is nothing but its content wraps. Such a type has the leaves of its content, and
/// its field is the wrapper itself: pointers to the one are pointers to the other.
pub fn transparent(ty: &Ty) -> Option<&Ty> {
    let TyKind::Adt { path, args } = ty.kind() else {
        return None;
    };
    if !is_wrapper(path) {
        return None;
    }
    args.iter().find_map(|a| match a {
        GenericArg::Type(t) => Some(t),
        _ => None,
    })
}

/// The pointee of a reference or raw pointer.
pub fn pointee(ty: &Ty) -> Option<&Ty> {
    match ty.kind() {
        TyKind::Ref { ty, .. } | TyKind::RawPtr { ty, .. } => Some(ty),
        _ => None,
    }
}

pub fn is_raw(ty: &Ty) -> bool {
    matches!(ty.kind(), TyKind::RawPtr { .. })
}

/// Does a pointer to this type carry a length?
pub fn is_unsized_sequence(ty: &Ty) -> bool {
    matches!(ty.kind(), TyKind::Slice(_) | TyKind::Str)
}

/// The element type of an array, slice or str.
pub fn element(ty: &Ty) -> Option<Ty> {
    match ty.kind() {
        TyKind::Array(t, _) | TyKind::Slice(t) => Some(t.clone()),
        TyKind::Str => Some(Ty::new(TyKind::Int(IntTy::U8))),
        _ => None,
    }
}

pub fn array_len(ty: &Ty) -> Option<u64> {
    match ty.kind() {
        TyKind::Array(_, ArrayLen::Known(n)) => Some(*n),
        _ => None,
    }
}

/// The width in bits of a scalar kind.
pub fn bits(kind: ScalarKind) -> u32 {
    match kind {
        ScalarKind::Bool => 1,
        ScalarKind::Char => 32,
        ScalarKind::Unsigned(w) | ScalarKind::Signed(w) | ScalarKind::Float(w) => w,
    }
}

/// The size in bytes, where the language fixes it.
pub fn fixed_size(ty: &Ty) -> Option<u64> {
    match ty.kind() {
        TyKind::Bool => Some(1),
        TyKind::Char => Some(4),
        TyKind::Int(i) => Some(u64::from(i.bits() / 8)),
        TyKind::Float(b) => Some(u64::from(b / 8)),
        TyKind::Tuple(parts) if parts.is_empty() => Some(0),
        TyKind::Never | TyKind::FnDef { .. } => Some(0),
        TyKind::Array(t, ArrayLen::Known(n)) => Some(fixed_size(t)? * n),
        TyKind::Ref { ty, .. } | TyKind::RawPtr { ty, .. } => match ty.kind() {
            TyKind::Slice(_) | TyKind::Str | TyKind::Dyn { .. } => Some(16),
            TyKind::Adt { .. } | TyKind::Alias(_) | TyKind::Other(_) => None,
            _ => Some(8),
        },
        TyKind::FnPtr(_) => Some(8),
        _ => None,
    }
}
