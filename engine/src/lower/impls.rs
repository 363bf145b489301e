//! Methods that calls name by type and trait and bodies by the place of their impl: which body is meant.
//!
//! MIR prints `<S as Tr>::m` at the call and `<impl at src/lib.rs:3:1: 3:9>::m` at the body; the impl's header is read
//! from the source, where names may be shorter. A body is taken only if it cannot be another one: the method must come
//! from an impl in this crate, no impl of that trait may be generic, the trait must have no default for it, and one body
//! alone may fit by name, types and header. All else has no callee here.

use super::instance::{BodyRef, last_segment};
use super::types::{self, erase};
use super::{Lowered, Lowerer};
use crate::mir::{BodyKind, Path, Ty, TyKind};

/// Traits of std that no impl of std implements for types of other crates.
const WITHOUT_BLANKET: &[&str] = &[
    "Add",
    "AddAssign",
    "AsMut",
    "AsRef",
    "BitAnd",
    "BitAndAssign",
    "BitOr",
    "BitOrAssign",
    "BitXor",
    "BitXorAssign",
    "Clone",
    "Default",
    "Deref",
    "DerefMut",
    "Div",
    "DivAssign",
    "DoubleEndedIterator",
    "Drop",
    "Eq",
    "ExactSizeIterator",
    "Extend",
    "From",
    "FromIterator",
    "FromStr",
    "Hash",
    "Index",
    "IndexMut",
    "Iterator",
    "Mul",
    "MulAssign",
    "Neg",
    "Not",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Rem",
    "RemAssign",
    "Shl",
    "ShlAssign",
    "Shr",
    "ShrAssign",
    "Sub",
    "SubAssign",
];

/// What a call names: a method of a trait for a type, or of a type.
struct Named {
    of_trait: Option<String>,
    of_type: String,
    method: String,
    /// Where the impl stands, if the call says so.
    module: Option<String>,
}

/// The last name with its arguments, without lifetimes and spaces: `m::G::<'_, u8>` is `G<u8>`.
fn bare(text: &str) -> String {
    let text = text.replace("::<", "<");
    let head = text.find('<').unwrap_or(text.len());
    let start = text[..head].rfind("::").map_or(0, |at| at + 2);
    let mut out: String = text[start..]
        .chars()
        .filter(|c| !c.is_whitespace())
        .collect();
    while let Some(at) = out.find('\'') {
        let name = out[at + 1..].find(|c: char| !c.is_alphanumeric() && c != '_');
        let mut end = name.map_or(out.len(), |n| at + 1 + n);
        if out[end..].starts_with(',') {
            end += 1;
        }
        out.replace_range(at..end, "");
    }
    out.replace("<>", "")
}

fn without_arguments(name: &str) -> &str {
    name.split('<').next().unwrap_or(name)
}

impl<'a> Lowerer<'a> {
    /// The body of a method that a call names by type or trait.
    pub fn method_body(
        &mut self,
        path: &Path,
        args: &[Option<Ty>],
    ) -> Lowered<Option<BodyRef<'a>>> {
        let Some(named) = self.named_method(path)? else {
            return Ok(None);
        };
        Ok(self.only_impl(&named, args))
    }

    /// The body of `<T as Drop>::drop`.
    pub fn drop_body(&self, ty: &Ty) -> Option<BodyRef<'a>> {
        if !self.source.facts.is_one_trait("std::ops::Drop", false) {
            return None;
        }
        let receiver = Ty::new(TyKind::Ref {
            lifetime: None,
            mutable: true,
            ty: ty.clone(),
        });
        let named = Named {
            of_trait: Some("Drop".into()),
            of_type: bare(&ty.to_string()),
            method: "drop".into(),
            module: None,
        };
        self.only_impl(&named, &[Some(receiver)])
    }

    /// Nothing if another crate may have the body, or a trait's default or a generic function may be it.
    fn named_method(&self, path: &Path) -> Lowered<Option<Named>> {
        let text = path.to_string();
        let method = last_segment(&text).to_string();
        if !path.last_args().is_empty() {
            return Ok(None);
        }
        let Some(qself) = &path.qself else {
            let Some(owner) = text
                .strip_suffix(&method)
                .and_then(|t| t.strip_suffix("::"))
            else {
                return Ok(None);
            };
            // an impl in another module than its type: `m::<impl Type>::method`
            let (module, owner) = match owner.split_once("<impl ") {
                Some((module, rest)) => (Some(module.to_owned()), rest.trim_end_matches('>')),
                None => (None, owner),
            };
            let local = self.is_local_type(without_arguments(owner)) && !owner.contains(" for ");
            return Ok(local.then(|| Named {
                of_trait: None,
                of_type: bare(owner),
                method,
                module,
            }));
        };
        let Some(of_trait) = &qself.trait_ref else {
            return Ok(None);
        };
        self.of_trait(&qself.ty, of_trait, method)
    }

    /// The body of a trait's method for the type of a trait object.
    pub fn object_method(
        &self,
        ty: &Ty,
        trait_ref: &Ty,
        method: &str,
        n_args: usize,
    ) -> Lowered<Option<BodyRef<'a>>> {
        let named = self.of_trait(ty, trait_ref, method.to_string())?;
        Ok(named.and_then(|named| self.only_impl(&named, &vec![None; n_args])))
    }

    fn of_trait(&self, ty: &Ty, of_trait: &Ty, method: String) -> Lowered<Option<Named>> {
        let TyKind::Adt {
            path: trait_path, ..
        } = of_trait.kind()
        else {
            return Ok(None);
        };
        let local_trait = self.is_local_type(trait_path);
        let local_type = matches!(ty.kind(), TyKind::Adt { path, .. } if self.is_local_type(path));
        let trait_name = last_segment(trait_path);
        let of_std = types::in_std(trait_path).is_some() && WITHOUT_BLANKET.contains(&trait_name);
        if !(local_trait || local_type && of_std)
            || !self.source.facts.is_one_trait(trait_path, local_trait)
        {
            return Ok(None);
        }
        let default = format!("{trait_path}::{method}");
        if local_trait && self.bodies.by_path(&default, BodyKind::Fn)?.is_some() {
            return Ok(None);
        }
        Ok(Some(Named {
            of_trait: Some(trait_name.to_string()),
            of_type: bare(&erase(ty).to_string()),
            method,
            module: None,
        }))
    }

    fn only_impl(&self, named: &Named, args: &[Option<Ty>]) -> Option<BodyRef<'a>> {
        let trait_of = |header: &crate::capture::ImplHeader| {
            let name = header.trait_path.as_deref().map(bare)?;
            Some(without_arguments(&name).to_string())
        };
        let facts = self.source.facts;
        if !facts.is_one_type(&named.of_type) {
            return None;
        }
        // a generic impl of the trait, or a method whose impl is not known, may be the one
        for path in self.bodies.methods(&named.method) {
            let header = self.source.impls.get(path);
            let unclear = |h: &crate::capture::ImplHeader| {
                let head = h.type_path.trim_start_matches(['&', ' ']);
                h.type_path.contains('$') || !facts.is_one_type(head)
            };
            if header.is_some_and(|h| unclear(h)) {
                return None;
            }
            match header {
                Some(h) if !h.is_generic || trait_of(h) != named.of_trait => {}
                Some(h) if named.of_trait.is_none() => {
                    let other = without_arguments(&bare(&h.type_path)).to_string();
                    if other == without_arguments(&named.of_type) {
                        return None;
                    }
                }
                _ => return None,
            }
        }
        let fits = |b: &BodyRef<'_>| {
            let header = self.source.impls.get(&*b.body.path);
            let stands_there = named.module.as_ref().is_none_or(|module| {
                let rest = b.body.path.strip_prefix(module.as_str());
                rest.is_some_and(|rest| rest.starts_with("<impl at "))
            });
            header.is_some_and(|h| {
                trait_of(h) == named.of_trait && bare(&h.type_path) == named.of_type
            }) && stands_there
        };
        let all = self.bodies.by_signature(&named.method, args);
        let fitting: Vec<BodyRef<'a>> = all.into_iter().filter(fits).collect();
        match fitting.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_without_paths_and_lifetimes() {
        let bare = super::bare;
        assert_eq!(bare("m::n::S"), "S");
        assert_eq!(bare("m::G::<'_, u8>"), "G<u8>");
        assert_eq!(bare("G<'_>"), "G");
        assert_eq!(bare("G<'a, m::T>"), "G<m::T>");
        assert_ne!(bare("G<u8>"), bare("G<T>"));
    }
}
