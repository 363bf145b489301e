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

/// A type of the processor's vector registers, as which std reads bytes that are something else.
pub fn is_vector(ty: &Ty) -> bool {
    matches!(ty.kind(), TyKind::Adt { path, .. } if path.contains("::simd::") || path.contains("::core_arch::"))
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

/// The path inside std, whichever of its crates a program names it by: `vec::Vec` of `alloc::vec::Vec`.
pub fn in_std(path: &str) -> Option<&str> {
    let (of, rest) = path.split_once("::")?;
    ["std", "core", "alloc"].contains(&of).then_some(rest)
}

/// Is this the path of a wrapper of std that is nothing but its content?
pub fn is_wrapper(path: &str) -> bool {
    const WRAPPERS: [&str; 6] = [
        "mem::MaybeUninit",
        "mem::ManuallyDrop",
        "mem::maybe_dangling::MaybeDangling",
        "mem::MaybeDangling",
        "cell::UnsafeCell",
        "cell::Cell",
    ];
    in_std(path).is_some_and(|path| WRAPPERS.contains(&path))
}

pub fn is_maybe_uninit(ty: &Ty) -> bool {
    matches!(ty.kind(), TyKind::Adt { path, .. } if in_std(path).is_some_and(|p| p.ends_with("mem::MaybeUninit")))
}

/// Is a value without contents fine as it is, itself or inside wrappers?
pub fn may_be_uninit(ty: &Ty) -> bool {
    is_maybe_uninit(ty) || transparent(ty).is_some_and(may_be_uninit)
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

fn type_arg(ty: &Ty) -> Option<(&str, &Ty)> {
    let TyKind::Adt { path, args } = ty.kind() else {
        return None;
    };
    args.iter().find_map(|a| match a {
        GenericArg::Type(t) => Some((&**path, t)),
        _ => None,
    })
}

/// What std's owning pointers are made of.
pub fn owned_pointer(ty: &Ty) -> Option<Ty> {
    let (path, to) = type_arg(ty)?;
    let wrap = |path: &str| {
        Ty::new(TyKind::Adt {
            path: path.into(),
            args: vec![GenericArg::Type(to.clone())],
        })
    };
    match in_std(path)? {
        "boxed::Box" => Some(wrap("std::ptr::Unique")),
        "ptr::Unique" => Some(wrap("std::ptr::NonNull")),
        "ptr::NonNull" => Some(Ty::new(TyKind::RawPtr {
            mutable: false,
            ty: to.clone(),
        })),
        _ => None,
    }
}

/// What a pointer, or one of std's owning pointers, points to.
pub fn smart_pointee(ty: &Ty) -> Option<&Ty> {
    pointee(ty).or_else(|| {
        owned_pointer(ty)?;
        type_arg(ty).map(|(_, t)| t)
    })
}

/// What a box holds.
pub fn boxed(ty: &Ty) -> Option<&Ty> {
    let (path, held) = type_arg(ty)?;
    (in_std(path) == Some("boxed::Box")).then_some(held)
}

/// A struct of std whose last field is a slice, where its sized form has an array there.
pub fn is_unsized_struct(ty: &Ty) -> bool {
    matches!(type_arg(ty), Some((path, t))
        if in_std(path).is_some_and(|p| p.ends_with("::PolymorphicIter")) && matches!(t.kind(), TyKind::Slice(_)))
}

/// Is the type such a struct with an array in place of the slice?
pub fn sized_form_of(ty: &Ty, unsized_form: &Ty) -> bool {
    let (Some((p, array)), Some((q, slice))) = (type_arg(ty), type_arg(unsized_form)) else {
        return false;
    };
    p == q && array_len(array).is_some() && element(array) == element(slice)
}

/// The length of the array in the sized form of such a struct.
pub fn tail_len(ty: &Ty) -> Option<u64> {
    type_arg(ty).and_then(|(_, t)| array_len(t))
}

pub fn is_trait_object(ty: &Ty) -> bool {
    matches!(ty.kind(), TyKind::Dyn { .. })
}

/// Is a pointer to this type two words: a sequence with its length, or a trait object with its methods?
pub fn is_fat(ty: &Ty) -> bool {
    is_unsized_sequence(ty) || is_trait_object(ty) || is_unsized_struct(ty)
}

/// The type without the wrappers of std that are nothing but their content, also inside arrays.
pub fn unwrapped(ty: &Ty) -> Ty {
    if let Some(inner) = transparent(ty) {
        return unwrapped(inner);
    }
    match ty.kind() {
        TyKind::Array(elem, len) => Ty::new(TyKind::Array(unwrapped(elem), len.clone())),
        TyKind::Slice(elem) => Ty::new(TyKind::Slice(unwrapped(elem))),
        _ => erase(ty),
    }
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
