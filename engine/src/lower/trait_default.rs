//! Constants that a trait has by itself: `<S as Tr>::LIMIT` where the impl for `S` does not say.
//!
//! The value must be printed, since a body may depend on the type. No impl of whatever trait may give the type a constant of
//! that name: traits have other names where they are imported.

use super::impls::{bare, without_arguments};
use super::instance::BodyRef;
use super::{Lowered, Lowerer};
use crate::mir::{BodyKind, Path, Ty, TyKind};

impl<'a> Lowerer<'a> {
    pub fn constant_of_trait(&self, path: &Path) -> Lowered<Option<BodyRef<'a>>> {
        let facts = self.source.facts;
        let Some((ty, of_trait)) = path
            .qself
            .as_ref()
            .and_then(|q| q.trait_ref.as_ref().map(|t| (&q.ty, t)))
        else {
            return Ok(None);
        };
        let TyKind::Adt {
            path: of_trait,
            args,
        } = of_trait.kind()
        else {
            return Ok(None);
        };
        let is_own = args.is_empty()
            && path.segments.len() == 1
            && self.is_local_type(of_trait)
            && facts.is_one_trait(of_trait, true);
        let (true, Some(of_type)) = (is_own, self.plain_name(ty)) else {
            return Ok(None);
        };
        let name = path.last_name();
        let mut given = self.bodies.constants(name).map(|constant| {
            let of = constant.rsplit_once("::").map_or(constant, |(of, _)| of);
            facts.impls.get(of)
        });
        let is_of_another = given.all(|header| {
            header.is_some_and(|header| {
                let head = bare(&header.type_path);
                let head = without_arguments(&head);
                let is_name = head.chars().all(|c| c.is_alphanumeric() || c == '_');
                !header.is_generic && is_name && facts.is_one_type(head) && head != of_type
            })
        });
        if !is_of_another {
            return Ok(None);
        }
        let default = self
            .bodies
            .by_path(&format!("{of_trait}::{name}"), BodyKind::Const)?;
        Ok(default.filter(|b| b.body.value.is_some()))
    }

    /// The name of a number's type, or of a type of the crate that no other one has.
    fn plain_name(&self, ty: &Ty) -> Option<String> {
        match ty.kind() {
            TyKind::Adt { path, .. } if self.is_local_type(path) => {
                let name = bare(path);
                self.source.facts.is_one_type(&name).then_some(name)
            }
            TyKind::Int(_) | TyKind::Bool | TyKind::Char | TyKind::Float(_) => Some(ty.to_string()),
            _ => None,
        }
    }
}
