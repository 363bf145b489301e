//! Drops of the crate's own enums: the parts of the variant that the value is, in order.
//!
//! What a variant holds is known where some body builds it. A variant that none builds may still be what the root was
//! given, so that a run which drops one leaves the model.

use super::place::Located;
use super::rvalue::DISCRIMINANT;
use super::types::erase;
use super::{Lowered, Lowerer, gap};
use crate::mir::{Elem, GenericArg, Ty, TyKind};
use crate::program::{StopKind, Terminator as End};

impl Lowerer<'_> {
    /// The types of all parts of a type of this crate, whichever variant a value is.
    pub fn all_parts(&self, ty: &Ty) -> Option<Vec<Ty>> {
        let Some(variants) = self.variants(ty) else {
            return self.shapes.all_fields(ty);
        };
        let known: Option<Vec<Vec<Ty>>> = variants
            .iter()
            .map(|name| self.shapes.variant_fields(ty, name))
            .collect();
        Some(known?.concat())
    }

    /// The names of all variants, if the type is an enum of which the compiler told them.
    pub fn variants(&self, ty: &Ty) -> Option<Vec<String>> {
        let TyKind::Adt { path, .. } = ty.kind() else {
            return None;
        };
        let fact = self.source.facts.enum_fact(path)?;
        let names = fact.variants.iter().map(|v| v.name.clone());
        fact.complete.then(|| names.collect())
    }

    /// Drops what the variant holds that the value at this place is.
    pub fn drop_variant(
        &mut self,
        at: &Located,
        variants: &[String],
        block: u32,
        n_dropped: &mut u32,
    ) -> Lowered<()> {
        let ty = at.ty.clone();
        let int = Ty::new(TyKind::Int(
            self.shapes.discriminant_int(&ty, self.source.facts),
        ));
        // passes need not write the tag of an enum of which only one variant can be
        let whole = self.load_located(at)?;
        if let Some(tag) = whole.get(&DISCRIMINANT) {
            let what = format!("a value of type `{ty}` that may not be initialised");
            self.check(tag.init, StopKind::Unsupported(what));
        }
        let found = self.discriminant(at, &int)?;
        let found = self.bits(&found)?;
        let TyKind::Adt { path, args } = ty.kind() else {
            return gap(format!("`Drop` of `{ty}`"));
        };
        let arguments: Vec<Ty> = args
            .iter()
            .filter_map(|a| match a {
                GenericArg::Type(t) => Some(erase(t)),
                _ => None,
            })
            .collect();
        let plain_arguments = !arguments
            .iter()
            .any(|t| self.drop_without_effect(t).is_err());
        for name in variants {
            if plain_arguments && self.source.facts.is_without_drop(path, Some(name)) {
                continue;
            }
            let fields = self.shapes.variant_fields(&ty, name);
            let has_effect = |t: &Ty| self.drop_without_effect(t).is_err();
            if let Some(fields) = &fields
                && !fields.iter().any(has_effect)
            {
                continue;
            }
            if self.source.facts.discriminant(path, name).is_none() {
                return gap(format!("`Drop` of `{ty}`"));
            }
            let number = self.variant_bits(&ty, name)?;
            let is_it = self.pool.eq(found, number);
            let (here, next) = (self.new_block(), self.new_block());
            self.end(End::Branch {
                cond: is_it,
                then: here,
                otherwise: next,
            });
            self.current = here;
            let mark = self.blocks.len();
            let dropped = match fields {
                Some(fields) => self.drop_payload(at, name, &fields, block, n_dropped),
                None => gap(format!(
                    "drop of `{path}::{name}`, whose fields may have a `Drop` of this crate"
                )),
            };
            match dropped {
                Ok(()) => self.goto(next),
                // only a run that gets here leaves the model
                Err(g) => {
                    self.pending.clear();
                    self.leave_model(g, mark);
                }
            }
            self.current = next;
        }
        Ok(())
    }

    fn drop_payload(
        &mut self,
        at: &Located,
        name: &str,
        fields: &[Ty],
        block: u32,
        n_dropped: &mut u32,
    ) -> Lowered<()> {
        for (i, field) in fields.iter().enumerate() {
            let part = self.project(at.clone(), &Elem::Downcast(name.into()))?;
            let part = self.project(part, &Elem::Field(i as u32, field.clone()))?;
            self.drop_at(&part, block, n_dropped)?;
        }
        Ok(())
    }
}
