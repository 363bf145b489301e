//! Unsafe code of the user's own that the heap's model cannot follow.
//!
//! A buffer of the heap is initialised as far as its owner says, freed when its one owner goes, and moves when it grows.
//! Safe code cannot break any of this, so none of it is in the model (`heap`): no flag says which elements are
//! initialised, and nothing tells a second owner from the first one. Code that may break it has no heap: code that makes
//! or keeps raw pointers, or vouches for a length, for values or for owners itself.

use super::span::is_std;
use super::types::{erase, in_std, pointee};
use super::{Lowered, Lowerer, gap};
use crate::mir::{
    Body, CastKind, Const, DebugValue, Elem, GenericArg, Operand, RawPtrKind, Rvalue, Span,
    StatementKind, TerminatorKind, Ty, TyKind,
};
use std::collections::HashSet;

/// Functions of std that vouch for what the heap holds, or give a pointer away.
const VOUCH: &[&str] = &[
    "as_mut_ptr",
    "as_mut_ptr_range",
    "as_mut_vec",
    "as_ptr",
    "as_ptr_range",
    "assume_init",
    "assume_init_drop",
    "assume_init_mut",
    "assume_init_read",
    "assume_init_ref",
    "array_assume_init",
    "from_parts",
    "from_raw_parts",
    "from_raw_parts_in",
    "from_raw_parts_mut",
    "set_len",
    "transmute_copy",
];

/// What is harmless of `std::ptr`.
const HARMLESS: &[&str] = &[
    "addr_eq",
    "eq",
    "fn_addr_eq",
    "hash",
    "is_null",
    "null",
    "null_mut",
];

impl<'a> Lowerer<'a> {
    /// Code that uses the heap must not handle its memory by itself.
    pub fn check_tame(&mut self) -> Lowered<()> {
        let wild = match self.wild {
            Some(wild) => wild,
            None => {
                let bodies = self.called();
                let paths: HashSet<&str> = bodies.iter().map(|b| &*b.path).collect();
                let mut entered = self.instances.iter().map(|i| &*i.body.body.path);
                let told = entered.all(|path| paths.contains(path));
                let wild = self.any_is_wild(if told { bodies } else { self.as_written() });
                self.wild = Some(wild);
                self.called = told.then_some(paths);
                wild
            }
        };
        match wild {
            true => {
                gap("raw pointers, or functions that vouch for memory, in code that uses the heap")
            }
            false => Ok(()),
        }
    }

    /// A body is entered that no name told of: then all of them count.
    pub fn entered(&mut self, path: &str) {
        let Some(called) = self.called.take_if(|called| !called.contains(path)) else {
            return;
        };
        let others = self.as_written().into_iter();
        let others = others.filter(|b| !called.contains(&*b.path));
        if self.wild == Some(false) && self.any_is_wild(others.collect()) {
            self.wild = Some(true);
            self.grew = true;
        }
    }

    fn any_is_wild(&self, bodies: Vec<&Body>) -> bool {
        let mut bodies = bodies.into_iter();
        bodies.any(|body| self.keeps_raw_pointers(body) || self.is_wild(body))
    }

    /// Does a variable of the user's own code hold a raw pointer, itself or inside a type of this crate?
    fn keeps_raw_pointers(&self, body: &Body) -> bool {
        body.debug_infos.iter().any(|d| {
            let DebugValue::Place(place) = &d.value else {
                return false;
            };
            let local = body.local(place.local);
            is_own(d.source_info.span.as_ref())
                && local.is_some_and(|l| self.holds_raw_pointer(&erase(&l.ty), 0))
        })
    }

    fn holds_raw_pointer(&self, ty: &Ty, depth: u32) -> bool {
        let text = ty.to_string();
        if ["*const ", "*mut ", "NonNull<"]
            .iter()
            .any(|p| text.contains(p))
        {
            return true;
        }
        let TyKind::Adt { path, .. } = ty.kind() else {
            return false;
        };
        // Std's own types keep theirs to themselves.
        in_std(path).is_none()
            && depth < 8
            && self
                .shapes
                .fields(ty)
                .iter()
                .any(|(_, t)| self.holds_raw_pointer(t, depth + 1))
    }

    /// Does code that is not std's make raw pointers here, or call functions that vouch?
    fn is_wild(&self, body: &Body) -> bool {
        let called = body.scopes.iter().filter(|s| is_own(s.span.as_ref()));
        let mut called = called.filter_map(|s| s.inlined.as_ref());
        if called.any(|c| vouches(&c.callee)) {
            return true;
        }
        body.blocks.iter().any(|block| {
            let mut statements = block.statements.iter();
            let makes = statements.any(|s| match &s.kind {
                StatementKind::Assign(_, rvalue) => {
                    self.makes_pointer(body, rvalue) && is_own(s.source_info.span.as_ref())
                }
                _ => false,
            });
            let calls = match &block.terminator.kind {
                TerminatorKind::Call {
                    func: Operand::Const(Const::FnItem(p) | Const::Named(p)),
                    ..
                } => vouches(&p.plain()),
                _ => false,
            };
            makes || calls && is_own(block.terminator.source_info.span.as_ref())
        })
    }

    fn makes_pointer(&self, body: &Body, rvalue: &Rvalue) -> bool {
        match rvalue {
            Rvalue::RawPtr { kind, .. } => *kind != RawPtrKind::FakeForPtrMetadata,
            // A borrow that lasts longer, or an owner made of something else; only numbers are neither. (`*b` of a box
            // is a cast of its pointer.)
            Rvalue::Cast {
                operand,
                ty,
                kind: CastKind::Transmute,
            } => {
                let from = match operand {
                    Operand::Copy(p) | Operand::Move(p) => {
                        let local = body.local(p.local).map(|l| &l.ty);
                        match p.projection.as_slice() {
                            [] => local,
                            [Elem::Deref] => local.and_then(pointee),
                            [.., Elem::Field(_, ty)] => Some(ty),
                            _ => return true,
                        }
                    }
                    _ => None,
                };
                let of_box = |t: &Ty| matches!(t.kind(), TyKind::Adt { path, .. } if in_std(path) == Some("ptr::NonNull"));
                let unwrapped =
                    matches!(ty.kind(), TyKind::RawPtr { .. }) && from.is_some_and(of_box);
                let numbers = from.is_none_or(|t| self.is_number(t, 0)) && self.is_number(ty, 0);
                !unwrapped && !numbers
            }
            _ => false,
        }
    }

    /// Numbers, and what is made of nothing else: no borrow, no owner, nothing that may not be initialised.
    fn is_number(&self, ty: &Ty, depth: u32) -> bool {
        const OF_NUMBERS: [&str; 6] = [
            "cmp::Ordering",
            "mem::ManuallyDrop",
            "num::NonZero",
            "num::Saturating",
            "num::Wrapping",
            "option::Option",
        ];
        let inside = |t: &Ty| self.is_number(t, depth + 1);
        match ty.kind() {
            TyKind::Bool | TyKind::Char | TyKind::Int(_) | TyKind::Float(_) => true,
            TyKind::Tuple(parts) => parts.iter().all(inside),
            TyKind::Array(t, _) => inside(t),
            TyKind::Adt { path, args } => {
                let of_numbers = args.iter().all(|a| match a {
                    GenericArg::Type(t) => inside(t),
                    GenericArg::Const(_) => true,
                    GenericArg::Lifetime(_) => false,
                });
                let parts = || self.shapes.fields(&erase(ty));
                of_numbers
                    && depth < 8
                    && match in_std(path) {
                        Some(path) => OF_NUMBERS.contains(&path),
                        None => self.is_local_type(path) && parts().iter().all(|(_, t)| inside(t)),
                    }
            }
            _ => false,
        }
    }
}

fn is_own(span: Option<&Span>) -> bool {
    span.is_none_or(|s| !is_std(&s.file))
}

/// Is this function of std one that vouches? By its path as MIR prints it, with or without arguments.
fn vouches(callee: &str) -> bool {
    let of_std = [
        "std::", "core::", "alloc::", "<std::", "<core::", "<alloc::",
    ];
    if !of_std.iter().any(|p| callee.starts_with(p)) {
        return false;
    }
    let plain = callee.split(" - shim").next().unwrap_or(callee);
    let name = super::last_segment(plain);
    let of_pointers = ["std::ptr::", "core::ptr::"]
        .iter()
        .any(|p| callee.starts_with(p));
    // a borrow made of it may last longer than what it points to
    let of_cells = (callee.contains("UnsafeCell")
        && matches!(
            name,
            "get" | "raw_get" | "as_ref_unchecked" | "as_mut_unchecked"
        ))
        || name == "try_borrow_unguarded";
    let of_owners = callee.contains("ManuallyDrop") && matches!(name, "take" | "drop");
    VOUCH.contains(&name) || of_owners || of_cells || of_pointers && !HARMLESS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::vouches;

    #[test]
    fn by_the_names_of_functions() {
        for wild in [
            "std::vec::Vec::<u8>::set_len",
            "std::ptr::read::<std::boxed::Box<u8>>",
            "std::ptr::const_ptr::<impl *const u8>::add",
            "std::mem::ManuallyDrop::<std::boxed::Box<u8>>::take",
            "std::boxed::Box::<std::mem::MaybeUninit<u8>>::assume_init",
            "core::slice::<impl [u8]>::as_ptr",
            "std::cell::UnsafeCell::<std::string::String>::get",
            "std::cell::RefCell::<u8>::try_borrow_unguarded",
        ] {
            assert!(vouches(wild), "{wild}");
        }
        for tame in [
            "std::vec::Vec::<u8>::push",
            "std::ptr::eq::<u8>",
            "std::option::Option::<u8>::take",
            "mine::set_len",
            "std::mem::drop::<std::boxed::Box<u8>>",
        ] {
            assert!(!vouches(tame), "{tame}");
        }
    }
}
