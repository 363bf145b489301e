//! Drops: the user's `Drop` impls run; freeing memory only matters for allocations (`heap`).
//!
//! Drop code is not in the captured text, only the impls are. A type whose parts are not all known, in a crate that
//! implements `Drop` for anything, therefore leaves the model when it is dropped. So does a type of std, unless it is
//! known to free or to drop its content and nothing else: the guards of `RefCell` and `Drain` write when they go.

use super::inline::Call;
use super::types::{self, erase};
use super::{Lowered, Lowerer, gap};
use crate::mir::{Elem, GenericArg, Place, Ty, TyKind};

/// Types of std whose drop, beside that of their parameters, only frees memory. Everything under `iter` has no `Drop`
/// of its own, nor has anything under `num`.
const ONLY_FREE: &[&str] = &[
    "alloc::Global",
    "array::Guard",
    "array::IntoIter",
    "array::drain::Drain",
    "borrow::Cow",
    "boxed::Box",
    "cell::Cell",
    "cell::RefCell",
    "cell::UnsafeCell",
    "cmp::Reverse",
    "collections::TryReserveError",
    "mem::MaybeUninit",
    "ops::Bound",
    "ops::ControlFlow",
    "option::IntoIter",
    "option::Option",
    "ptr::NonNull",
    "ptr::Unique",
    "raw_vec::RawVec",
    "raw_vec::RawVecInner",
    "result::IntoIter",
    "result::Result",
    "string::FromUtf8Error",
    "string::String",
    "vec::IntoIter",
    "vec::Vec",
    "vec::in_place_drop::InPlaceDrop",
    "vec::in_place_drop::InPlaceDstDataSrcBufDrop",
    "vec::into_iter::IntoIter",
];

/// Private to std, and what `extend` ends with: `Drop` writes the length that it counted to the vector's.
const WRITES_LENGTH: &str = "set_len_on_drop::SetLenOnDrop";

fn only_frees(path: &str) -> bool {
    let Some(path) = types::in_std(path) else {
        return false;
    };
    let modules = [
        "iter::",
        "num::",
        "ops::Range",
        "ops::range::",
        "ops::try_trait::",
    ];
    modules.iter().any(|module| path.starts_with(module)) || ONLY_FREE.contains(&path)
}

impl Lowerer<'_> {
    /// Drops the value at a place: its own `Drop`, then its parts in order.
    pub fn lower_drop(&mut self, place: &Place, block: u32) -> Lowered<()> {
        let mut n_dropped = 0;
        self.drop_place(place, block, &mut n_dropped)?;
        let at = self.locate(place)?;
        self.free_owned(&at)
    }

    /// A drop that is known to run no code of the user's.
    pub fn drop_without_effect(&mut self, ty: &Ty) -> Lowered<()> {
        self.drop_type(ty, &mut vec![])
    }

    fn drop_place(&mut self, place: &Place, block: u32, n_dropped: &mut u32) -> Lowered<()> {
        let ty = self.place_type(place)?;
        if self.drop_type(&ty, &mut vec![]).is_ok() {
            return Ok(());
        }
        let fields = match ty.kind() {
            TyKind::Tuple(parts) => parts.iter().map(erase).collect(),
            TyKind::Closure(_) => self
                .shapes
                .fields(&ty)
                .into_iter()
                .map(|(_, t)| t)
                .collect(),
            TyKind::Adt { path, .. } if path.ends_with(WRITES_LENGTH) => {
                return self.write_length(place, &ty);
            }
            TyKind::Adt { path, .. } => {
                if self.source.drops.contains(&**path) {
                    self.run_drop(place, &ty, block, n_dropped)?;
                }
                match self.shapes.all_fields(&ty) {
                    Some(fields) if self.is_local_type(path) => fields,
                    _ => return self.drop_type(&ty, &mut vec![]),
                }
            }
            _ => return self.drop_type(&ty, &mut vec![]),
        };
        for (i, field) in fields.iter().enumerate() {
            let mut part = place.clone();
            part.projection.push(Elem::Field(i as u32, field.clone()));
            self.drop_place(&part, block, n_dropped)?;
        }
        Ok(())
    }

    /// `*self.len = self.local_len`.
    fn write_length(&mut self, place: &Place, ty: &Ty) -> Lowered<()> {
        let fields = self.shapes.fields(ty);
        let [(_, to), (_, counted)] = fields.as_slice() else {
            return gap(format!("`Drop` of `{ty}`"));
        };
        let is_length =
            matches!(to.kind(), TyKind::Ref { mutable: true, ty, .. } if erase(ty) == *counted);
        if !is_length {
            return gap(format!("`Drop` of `{ty}`"));
        }
        let part = |i: u32, ty: &Ty| {
            let mut part = place.clone();
            part.projection.push(Elem::Field(i, ty.clone()));
            part
        };
        let from = self.locate(&part(1, counted))?;
        let length = self.load_located(&from)?;
        let mut to = part(0, to);
        to.projection.push(Elem::Deref);
        let to = self.locate(&to)?;
        self.store_located(&to, &length)?;
        self.commit();
        Ok(())
    }

    /// Inlines `<T as Drop>::drop(&mut place)`.
    fn run_drop(&mut self, place: &Place, ty: &Ty, block: u32, n: &mut u32) -> Lowered<()> {
        let receiver = Ty::new(TyKind::Ref {
            lifetime: None,
            mutable: true,
            ty: ty.clone(),
        });
        let found = self.bodies.by_signature("drop", &[Some(receiver)]);
        let [body] = found.as_slice() else {
            return gap(format!("`Drop` of `{ty}`"));
        };
        let at = self.locate(place)?;
        let p = self.address_of(&at)?;
        let argument = self.pointer(p);
        let next = self.new_block();
        let call = Call {
            args: &[],
            destination: place,
            next: Some(next),
            block,
        };
        // Several values may be dropped by one terminator.
        self.inline_values(*body, &call, &[argument], 1000 + *n)?;
        *n += 1;
        self.current = next;
        Ok(())
    }

    fn drop_type(&mut self, ty: &Ty, seen: &mut Vec<Ty>) -> Lowered<()> {
        if seen.contains(ty) {
            return Ok(());
        }
        seen.push(ty.clone());
        match ty.kind() {
            TyKind::Adt { path, args } => {
                if self.source.drops.contains(&**path) {
                    return gap(format!("`Drop` of `{path}`"));
                }
                if path.ends_with("mem::ManuallyDrop") {
                    return Ok(());
                }
                let is_std = types::in_std(path).is_some();
                // The drop code of other crates is not captured; a path of this crate has no crate name.
                if !is_std && !self.is_local_type(path) {
                    return gap(format!("`Drop` of `{path}`, a type of another crate"));
                }
                if is_std && !only_frees(path) {
                    return gap(format!("`Drop` of `{path}`"));
                }
                if is_std {
                    self.used.insert(crate::assumption::Assumption::StdDrops);
                }
                // Fields that no body mentions are not known, but dropped all the same.
                if !is_std && !self.source.drops.is_empty() {
                    let Some(fields) = self.shapes.all_fields(ty) else {
                        return gap(format!(
                            "drop of `{path}`, whose fields may have a `Drop` of this crate"
                        ));
                    };
                    for t in fields {
                        self.drop_type(&t, seen)?;
                    }
                }
                for a in args {
                    if let GenericArg::Type(t) = a {
                        self.drop_type(&erase(t), seen)?;
                    }
                }
                for (_, t) in self.shapes.fields(ty) {
                    if !matches!(t.kind(), TyKind::RawPtr { .. } | TyKind::Ref { .. }) {
                        self.drop_type(&t, seen)?;
                    }
                }
                Ok(())
            }
            TyKind::Tuple(parts) => {
                for t in parts {
                    self.drop_type(&erase(t), seen)?;
                }
                Ok(())
            }
            TyKind::Array(t, _) | TyKind::Slice(t) => self.drop_type(&erase(t), seen),
            TyKind::Closure(_) => {
                for (_, t) in self.shapes.fields(ty) {
                    self.drop_type(&t, seen)?;
                }
                Ok(())
            }
            TyKind::Dyn { .. } => gap("a trait object dropped"),
            TyKind::Alias(_) | TyKind::Other(_) | TyKind::Impl { .. } => {
                gap(format!("drop of `{ty}`"))
            }
            _ => Ok(()),
        }
    }
}
