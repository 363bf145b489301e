//! Methods that calls name by type and trait and bodies by the place of their impl: which body is meant.
//!
//! MIR prints `<S as Tr>::m` at the call and `<impl at src/lib.rs:3:1: 3:9>::m` at the body; the impl's header is read
//! from the source, where names may be shorter. A body is taken only if it cannot be another one: the method must come
//! from an impl in this crate, no impl of that trait may be generic, the trait must have no default for it, and one body
//! alone may fit by name, types and header. All else has no callee here.

use super::instance::{BodyRef, last_segment};
use super::types::{self, erase};
use super::{Lowered, Lowerer};
use crate::capture::ImplHeader;
use crate::mir::{Body, BodyKind, GenericArg, Path, PathData, Ty, TyKind};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Traits of std that no impl of std implements for types of other crates.
const WITHOUT_BLANKET: &[&str] = &[
    "Add",
    "AddAssign",
    "AsMut",
    "AsRef",
    "Binary",
    "BitAnd",
    "BitAndAssign",
    "BitOr",
    "BitOrAssign",
    "BitXor",
    "BitXorAssign",
    "Clone",
    "Debug",
    "Default",
    "Deref",
    "DerefMut",
    "Display",
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
    "LowerHex",
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
    "UpperHex",
];

/// Those that have such an impl, with nothing in it but a call: a constant in a method is of an impl of the crate.
const BLANKET_WITHOUT_CONSTANTS: &[&str] = &["TryFrom"];

/// What a call names: a method of a trait for a type, or of a type.
struct Named {
    of_trait: Option<String>,
    of_type: String,
    method: String,
    /// Where the impl stands, if the call says so.
    module: Option<String>,
    /// The type with its whole path, for methods of traits.
    whole: Option<Ty>,
}

/// The last name with its arguments, without lifetimes and spaces: `m::G::<'_, u8>` is `G<u8>`.
pub fn bare(text: &str) -> String {
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

pub fn without_arguments(name: &str) -> &str {
    name.split('<').next().unwrap_or(name)
}

impl<'a> Lowerer<'a> {
    /// The body of a method that a call names by type or trait.
    pub fn method_body(
        &mut self,
        path: &Path,
        args: &[Option<Ty>],
        gives: &Ty,
    ) -> Lowered<Option<BodyRef<'a>>> {
        let Some(named) = self.named_method(path)? else {
            return self.method_in_module(path, args);
        };
        if let Some(body) = self.only_impl(&named, args) {
            return Ok(Some(body));
        }
        match self.only_by_types(&named, args, gives) {
            Some(body) => Ok(Some(body)),
            None => self.method_in_module(path, args),
        }
    }

    /// `m::<impl Type>::method` where several impls in `m` have such a method, and the types of one alone are those of the
    /// call: headers may be aliases, but signatures have whole paths.
    fn only_by_types(&self, named: &Named, args: &[Option<Ty>], gives: &Ty) -> Option<BodyRef<'a>> {
        let module = named.module.as_deref()?;
        if args.iter().any(Option::is_none) {
            return None;
        }
        let written = self.bodies.methods_as_written(&named.method);
        let there = |path: &&str| {
            let rest = path.strip_prefix(module);
            rest.is_some_and(|rest| rest.starts_with("<impl at ")) && is_method(path, &named.method)
        };
        let there: BTreeSet<&str> = written.filter(there).collect();
        let is_plain = |path: &&str| {
            let header = self.source.impls.get(*path);
            header.is_some_and(|h| !h.is_generic && !h.type_path.contains('$'))
        };
        let of_types: BTreeSet<&str> = there
            .iter()
            .copied()
            .filter(|p| {
                self.source
                    .impls
                    .get(*p)
                    .is_some_and(|h| h.trait_path.is_none())
            })
            .collect();
        // of each the types are known in full, and no other way to write them
        let bodies = self.as_written();
        let is_told = |path: &&str| {
            let mut here = bodies.iter().filter(|b| *b.path == **path && !b.for_ctfe);
            let told = |b: &Body| {
                let mut signature = b.locals.iter().take(1 + b.arg_count as usize);
                signature.all(|l| is_written_one_way(&l.ty))
            };
            here.next().is_some_and(|b| told(b)) && here.next().is_none()
        };
        if !there.iter().all(is_plain)
            || !of_types.iter().all(is_told)
            || !is_written_one_way(gives)
        {
            return None;
        }
        let all = self.bodies.by_signature(&named.method, args);
        let fits =
            |b: &BodyRef<'_>| of_types.contains(&*b.body.path) && erase(b.body.ret()) == *gives;
        let fitting: Vec<BodyRef<'a>> = all.into_iter().filter(fits).collect();
        match fitting.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// The body of a constant inside a method that is named by type or trait: `<m::S as Tr>::get::promoted[0]`. Whatever
    /// function it is inlined into, its name says whose it is; bodies name the impl by its place.
    pub fn constant_in_method(&self, path: &Path, kind: BodyKind) -> Lowered<Option<BodyRef<'a>>> {
        for n in (1..path.segments.len()).rev() {
            let method = Path(Arc::new(PathData {
                qself: path.qself.clone(),
                segments: path.segments[..n].to_vec(),
            }));
            let named = self.named_owner(&method, true)?;
            let Some(function) = named.and_then(|m| self.only_path(&m)) else {
                continue;
            };
            let inner = &path.segments[n..];
            // an instance of a generic helper inside
            if inner
                .iter()
                .any(|s| s.args.as_ref().is_some_and(|a| !a.is_empty()))
            {
                return Ok(None);
            }
            let inner: Vec<&str> = inner.iter().map(|segment| &*segment.name).collect();
            return self
                .bodies
                .by_path(&format!("{function}::{}", inner.join("::")), kind);
        }
        Ok(None)
    }

    /// The body of a constant of an impl: `S::LIMIT`, `<S as Tr>::LIMIT`. Those that a trait has by itself are none.
    pub fn constant_of_impl(&self, path: &Path) -> Lowered<Option<BodyRef<'a>>> {
        let Some(named) = self.named_owner(path, true)? else {
            return Ok(None);
        };
        let found = self.bodies.constants(&named.method).map(|path| {
            let of = path.rsplit_once("::").map_or(path, |(of, _)| of);
            (path, self.source.facts.impls.get(of))
        });
        let found: Vec<(&'a str, Option<&'a ImplHeader>)> = found.collect();
        if !self.may_be_resolved(&named, found.iter().map(|(_, header)| *header)) {
            return Ok(None);
        }
        let is_it = |(path, header): &(&'a str, Option<&'a ImplHeader>)| {
            header
                .filter(|header| self.is_of(&named, path, header))
                .map(|_| *path)
        };
        let fitting: BTreeSet<&str> = found.iter().filter_map(is_it).collect();
        match fitting.len() {
            1 => self
                .bodies
                .by_path(fitting.first().unwrap_or(&""), BodyKind::Const),
            _ => Ok(None),
        }
    }

    /// The one function of this name in an impl of this type and trait, whether its own body is at hand or not. The
    /// parameters are not known here, so no other impl of the trait for the type may be there, with whatever arguments.
    fn only_path(&self, named: &Named) -> Option<&'a str> {
        if let Some(only) = self.only_in_module(named) {
            return Some(only);
        }
        let written = self.bodies.methods_as_written(&named.method);
        if !self.may_be_resolved(named, self.headers(written)) {
            return None;
        }
        let fits = |(path, header): &(&&'a str, &&'a ImplHeader)| {
            is_method(path, &named.method) && self.is_of(named, path, header)
        };
        let mut fitting = self.source.impls.iter().filter(fits).map(|(path, _)| *path);
        let only = fitting.next()?;
        fitting.next().is_none().then_some(only)
    }

    /// A call `m::<impl Type>::method` says in which module the impl stands, and that it is of no trait. Where one method alone of
    /// that name stands in impls there, it is meant, whatever the header calls the type: an alias, or a name that others have.
    fn only_in_module(&self, named: &Named) -> Option<&'a str> {
        let module = named.module.as_deref()?;
        let written = self.bodies.methods_as_written(&named.method);
        let mut there = written.filter(|path| {
            let rest = path.strip_prefix(module);
            rest.is_some_and(|rest| rest.starts_with("<impl at ")) && is_method(path, &named.method)
        });
        let only = there.next()?;
        let header = self.source.impls.get(only)?;
        let is_plain =
            !header.is_generic && header.trait_path.is_none() && !header.type_path.contains('$');
        (is_plain && there.next().is_none()).then_some(only)
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
        // A type has one `Drop`. Where types of other functions have its name, its whole path tells it.
        let args = [Some(receiver.clone())];
        if self.is_told_by_path(ty) {
            return self.by_receiver("Drop", "drop", ty, &args);
        }
        let named = Named {
            of_trait: Some("Drop".into()),
            of_type: bare(&ty.to_string()),
            method: "drop".into(),
            module: None,
            whole: None,
        };
        self.only_impl(&named, &args)
    }

    /// Does the whole path of a type mean one type, and no instance of a generic one?
    pub fn is_told_by_path(&self, ty: &Ty) -> bool {
        let TyKind::Adt { path, args } = ty.kind() else {
            return false;
        };
        let twice = self.source.facts.twice.as_ref();
        self.is_local_type(path)
            && args.iter().all(|a| !matches!(a, GenericArg::Type(_)))
            && twice.is_some_and(|twice| !twice.contains(last_segment(path)))
    }

    /// The method of a trait whose receiver is a value of this type or a reference to one. Signatures have the type's whole
    /// path, so that others may share its name.
    fn by_receiver(
        &self,
        of_trait: &str,
        method: &str,
        ty: &Ty,
        args: &[Option<Ty>],
    ) -> Option<BodyRef<'a>> {
        let mut receiver = args.first()?.as_ref()?;
        while let TyKind::Ref { ty, .. } = receiver.kind() {
            receiver = ty;
        }
        if erase(receiver) != *ty || args.iter().any(Option::is_none) {
            return None;
        }
        let all = self.bodies.by_signature(method, args);
        let fits = |b: &BodyRef<'_>| {
            let header = self.source.impls.get(&*b.body.path);
            header.is_some_and(|h| trait_of(h).as_deref() == Some(of_trait))
        };
        let fitting: Vec<BodyRef<'a>> = all.into_iter().filter(fits).collect();
        match fitting.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// Nothing if another crate may have the body, or a trait's default or a generic function may be it.
    fn named_method(&self, path: &Path) -> Lowered<Option<Named>> {
        self.named_owner(path, false)
    }

    /// The same; of constants inside a method, std's blanket impls that have no constants do not count.
    fn named_owner(&self, path: &Path, of_constant: bool) -> Lowered<Option<Named>> {
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
                whole: None,
            }));
        };
        let Some(of_trait) = &qself.trait_ref else {
            return Ok(None);
        };
        self.of_trait(&qself.ty, of_trait, method, of_constant)
    }

    /// The body of a trait's method for the type of a trait object.
    pub fn object_method(
        &self,
        ty: &Ty,
        trait_ref: &Ty,
        method: &str,
        n_args: usize,
    ) -> Lowered<Option<BodyRef<'a>>> {
        let named = self.of_trait(ty, trait_ref, method.to_string(), false)?;
        Ok(named.and_then(|named| self.only_impl(&named, &vec![None; n_args])))
    }

    fn of_trait(
        &self,
        ty: &Ty,
        of_trait: &Ty,
        method: String,
        of_constant: bool,
    ) -> Lowered<Option<Named>> {
        let TyKind::Adt {
            path: trait_path,
            args,
        } = of_trait.kind()
        else {
            return Ok(None);
        };
        let local_trait = self.is_local_type(trait_path);
        let is_local =
            |ty: &Ty| matches!(ty.kind(), TyKind::Adt { path, .. } if self.is_local_type(path));
        // `impl From<Own> for Cow<'_, [u8]>`: no other crate may have it, and no blanket impl beside it. A type of the crate
        // with that name would have a header like it.
        let is_shadowed = || {
            let name = bare(&erase(ty).to_string());
            let types = &self.source.facts.types;
            types.contains_key(without_arguments(&name))
        };
        let for_own = (args.iter()).any(|a| matches!(a, GenericArg::Type(ty) if is_local(ty)));
        let local_type = is_local(ty) || for_own && !is_shadowed();
        let trait_name = last_segment(trait_path);
        let is_own = WITHOUT_BLANKET.contains(&trait_name)
            || of_constant && BLANKET_WITHOUT_CONSTANTS.contains(&trait_name);
        let of_std = types::in_std(trait_path).is_some() && is_own;
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
            whole: Some(erase(ty)),
        }))
    }

    fn only_impl(&self, named: &Named, args: &[Option<Ty>]) -> Option<BodyRef<'a>> {
        if let (Some(of_trait), Some(whole)) = (&named.of_trait, &named.whole)
            && !self.source.facts.is_one_type(&named.of_type)
            && self.is_told_by_path(whole)
        {
            // An impl of the trait with other arguments may be generic, and its body not at hand.
            let may_be_it = |h: Option<&ImplHeader>| {
                h.is_none_or(|h| h.is_generic && trait_of(h).as_deref() == Some(of_trait))
            };
            let mut others = self.headers(self.bodies.methods(&named.method));
            return match others.any(may_be_it) {
                true => None,
                false => self.by_receiver(of_trait, &named.method, whole, args),
            };
        }
        let there = self.only_in_module(named);
        let methods = self.bodies.methods(&named.method);
        if there.is_none() && !self.may_be_resolved(named, self.headers(methods)) {
            return None;
        }
        let fits = |b: &BodyRef<'_>| match there {
            Some(path) => *b.body.path == *path,
            None => {
                let header = self.source.impls.get(&*b.body.path);
                header.is_some_and(|h| self.is_of(named, &b.body.path, h))
            }
        };
        let all = self.bodies.by_signature(&named.method, args);
        let fitting: Vec<BodyRef<'a>> = all.into_iter().filter(fits).collect();
        match fitting.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    fn headers<'p>(
        &self,
        methods: impl Iterator<Item = &'p str>,
    ) -> impl Iterator<Item = Option<&'a ImplHeader>> {
        methods.map(|path| self.source.impls.get(path).copied())
    }

    /// No generic impl of the trait, and no item whose impl is not known, may be the one.
    fn may_be_resolved(
        &self,
        named: &Named,
        mut items: impl Iterator<Item = Option<&'a ImplHeader>>,
    ) -> bool {
        let facts = self.source.facts;
        if !facts.is_one_type(&named.of_type) {
            return false;
        }
        items.all(|header| {
            let Some(header) = header else {
                return false;
            };
            let head = header.type_path.trim_start_matches(['&', ' ']);
            if header.type_path.contains('$') || !facts.is_one_type(head) {
                return false;
            }
            let is_another_type = || {
                let other = bare(&header.type_path);
                without_arguments(&other) != without_arguments(&named.of_type)
            };
            !header.is_generic
                || trait_of(header) != named.of_trait
                || named.of_trait.is_none() && is_another_type()
        })
    }

    /// Does the impl at this function's path have this trait and type, and stand where the call says?
    fn is_of(&self, named: &Named, path: &str, header: &ImplHeader) -> bool {
        let stands_there = named.module.as_ref().is_none_or(|module| {
            let rest = path.strip_prefix(module.as_str());
            rest.is_some_and(|rest| rest.starts_with("<impl at "))
        });
        trait_of(header) == named.of_trait
            && bare(&header.type_path) == named.of_type
            && stands_there
    }
}

/// Has a type no projections, opaque types or objects in it, which may be printed in several ways?
fn is_written_one_way(ty: &Ty) -> bool {
    let text = ty.to_string();
    let other_ways = ["impl ", "dyn ", " as ", "{", "for<"];
    !other_ways.iter().any(|part| text.contains(part))
}

/// Does the method's name follow the impl? A helper inside of a method has the method's name between.
pub fn is_method(path: &str, method: &str) -> bool {
    let inner = path.rsplit_once("<impl at ");
    let follows = inner.and_then(|(_, rest)| rest.split_once(">::"));
    follows.is_some_and(|(_, name)| name == method)
}

/// The trait's last name, without arguments.
fn trait_of(header: &ImplHeader) -> Option<String> {
    let name = header.trait_path.as_deref().map(bare)?;
    Some(without_arguments(&name).to_string())
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
