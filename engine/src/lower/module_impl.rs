//! Methods of a trait for a type where other modules have traits or types of the same names: `<m::S as m::Tr>::f`.
//!
//! An item of a module cannot share its name with what the module imports, so that `impl Tr for S` in `m` means `m::Tr` and
//! `m::S` if the module has both. There is one impl of a trait for a type without parameters, so no other one can be meant.
//! Items inside functions are left alone: their blocks may have several of one path.

use super::impls::is_method;
use super::instance::{BodyRef, last_segment};
use super::{Lowered, Lowerer};
use crate::mir::{BodyKind, Path, Ty, TyKind};
use std::collections::BTreeSet;

impl<'a> Lowerer<'a> {
    /// The body of such a method, where the impl stands in the module that defines both.
    pub fn method_in_module(
        &self,
        path: &Path,
        args: &[Option<Ty>],
    ) -> Lowered<Option<BodyRef<'a>>> {
        let Some((ty, of_trait)) = path
            .qself
            .as_ref()
            .and_then(|q| q.trait_ref.as_ref().map(|t| (&q.ty, t)))
        else {
            return Ok(None);
        };
        let (Some(of_type), Some(of_trait)) = (plain_path(ty), plain_path(of_trait)) else {
            return Ok(None);
        };
        let module = module_of(of_type);
        let told = module == module_of(of_trait)
            && self.is_told_by_path(ty)
            && self.is_local_type(of_trait)
            && path.last_args().is_empty()
            && self.is_module(module)?;
        if !told {
            return Ok(None);
        }
        let method = path.last_name();
        let is_it = |candidate: &&str| {
            let rest = candidate.strip_prefix(module);
            let header = self.source.impls.get(*candidate);
            rest.is_some_and(|rest| rest.starts_with("<impl at "))
                && is_method(candidate, method)
                && header.is_some_and(|h| {
                    !h.is_generic
                        && h.type_path == last_segment(of_type)
                        && h.trait_path.as_deref() == Some(last_segment(of_trait))
                })
        };
        let fitting: BTreeSet<&str> = self.bodies.methods(method).filter(is_it).collect();
        let (1, Some(only)) = (fitting.len(), fitting.first()) else {
            return Ok(None);
        };
        let mut all = self.bodies.by_signature(method, args).into_iter();
        Ok(all.find(|b| *b.body.path == **only))
    }

    /// Plain names only, and none of a function or of a constant.
    fn is_module(&self, module: &str) -> Lowered<bool> {
        let Some(path) = module.strip_suffix("::") else {
            return Ok(module.is_empty());
        };
        let is_name =
            |part: &str| part != "_" && part.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !path.split("::").all(is_name) {
            return Ok(false);
        }
        for kind in [BodyKind::Fn, BodyKind::Const, BodyKind::Static] {
            if self.bodies.by_path(path, kind)?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The path of a type or trait without arguments.
fn plain_path(ty: &Ty) -> Option<&str> {
    match ty.kind() {
        TyKind::Adt { path, args } if args.is_empty() => Some(path),
        _ => None,
    }
}

/// With the colons at its end; empty for the crate itself.
fn module_of(path: &str) -> &str {
    path.strip_suffix(last_segment(path)).unwrap_or_default()
}
