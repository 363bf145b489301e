//! Drops: the user's `Drop` impls run; freeing memory only matters for allocations (`heap`).
//!
//! Drop code is not in the captured text, only the impls are. A type whose parts are not all known, in a crate that
//! implements `Drop` for anything, therefore leaves the model when it is dropped.

use super::inline::Call;
use super::types::erase;
use super::{Lowered, Lowerer, gap};
use crate::mir::{Elem, GenericArg, Place, Ty, TyKind};

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
                let is_std = ["std::", "core::", "alloc::"]
                    .iter()
                    .any(|p| path.starts_with(p));
                // The drop code of other crates is not captured; a path of this crate has no crate name.
                if !is_std && !self.is_local_type(path) {
                    return gap(format!("`Drop` of `{path}`, a type of another crate"));
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
