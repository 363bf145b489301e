//! Which generic body of the crate a call means, and what its parameters stand for there.
//!
//! MIR prints calls by type and trait and bodies by the place of their impl; headers stand in the source, where names may
//! mean anything. So a header is only believed where the whole crate, macros expanded, has one type, trait or impl that it
//! can be. Nothing is found where two could be meant.

use super::expanded::{self, Expanded, Impl};
use super::parameters::{Parameter, Sources, anonymous, parameters};
use super::substitute::{Bindings, can_be_replaced, is_anonymous};
use super::unify::{argument, bind, given_text, unify, without_lifetimes};
use crate::capture::mir_text::{self, last_segment};
use crate::capture::roots;
use optverify_engine::capture::ImplHeader;
use optverify_engine::lower::erase;
use optverify_engine::mir::{GenericArg, Path, Ty, TyKind, parse_path, parse_ty};
use std::collections::{BTreeMap, HashMap};

/// A body with the path that its own line has, and its parameters' values.
pub struct Found {
    pub path: String,
    pub bindings: Bindings,
}

/// The functions of a crate before optimization, and its source.
pub struct Items<'a> {
    reference: &'a str,
    bodies: BTreeMap<&'a str, &'a str>,
    by_name: BTreeMap<String, Vec<&'a str>>,
    headers: HashMap<&'a str, Option<ImplHeader>>,
    sources: Sources,
    expanded: Expanded,
}

/// What the paths of constants have in front here.
pub const CONST: &str = "const ";

impl<'a> Items<'a> {
    pub fn new(reference: &'a str, expanded: Expanded, source_root: &std::path::Path) -> Self {
        let mut items = Self {
            reference,
            bodies: BTreeMap::new(),
            by_name: BTreeMap::new(),
            headers: HashMap::new(),
            sources: Sources::new(source_root),
            expanded,
        };
        let functions = mir_text::functions(reference).into_iter();
        let functions = functions.map(|body| (body.path, body.text));
        for (path, text) in functions.chain(constants(reference)) {
            let name = last_segment(path);
            items.by_name.entry(name).or_default().push(path);
            if let Some(span) = roots::impl_of(path) {
                let header = roots::any_impl_header(span, source_root);
                items.headers.insert(path, header);
            }
            items.bodies.insert(path, text);
        }
        let (by_name, bodies) = (&items.by_name, &mut items.bodies);
        let twice = |paths: &Vec<&str>, path: &str| paths.iter().filter(|p| **p == path).count();
        bodies.retain(|path, _| twice(&by_name[&last_segment(path)], path) == 1);
        items
    }

    /// The text of a body or a constant.
    pub fn text(&self, path: &str) -> Option<&'a str> {
        self.bodies.get(path).copied()
    }

    /// Has the crate impls of a trait of this name?
    pub fn implements(&self, of_trait: &str) -> bool {
        let mut traits = self
            .expanded
            .impls
            .iter()
            .filter_map(|i| i.header.trait_path.as_deref());
        traits.any(|path| expanded::ty(path).is_none_or(|ty| name_of(&ty) == Some(of_trait)))
    }

    /// The closures of a function, and those in them.
    pub fn closures(&self, path: &str) -> Vec<&'a str> {
        let prefix = format!("{path}::{{closure#");
        let all = self.bodies.keys().copied();
        all.filter(|p| p.starts_with(&prefix)).collect()
    }

    pub fn find(&mut self, call: &str) -> Option<Found> {
        let path = parse_path(call).ok()?;
        let found = match &path.qself {
            Some(qself) => self.of_trait(&qself.ty, qself.trait_ref.as_ref()?, &path, "fn")?,
            None => match self.bodies.get(path.plain().as_str()) {
                Some(_) => self.free(&path)?,
                None => self.inherent(&path)?,
            },
        };
        let body = self.text(&found.path)?;
        let asynchronous = body.contains("{async") || body.contains("{coroutine");
        (!asynchronous && !self.is_ambiguous(&found)).then_some(found)
    }

    /// The constant of a trait that `<A as Trait>::NAME` names: the path has `const ` in front.
    pub fn constant(&mut self, name: &str) -> Option<Found> {
        let path = parse_path(name).ok()?;
        let qself = path.qself.as_ref()?;
        let found = self.of_trait(&qself.ty, qself.trait_ref.as_ref()?, &path, "const")?;
        (!self.is_ambiguous(&found)).then_some(found)
    }

    /// What an impl says for a type of its trait, as the source has it, and what its parameters stand for.
    pub fn associated_type(&self, ty: &Ty, of: &Ty, name: &str) -> Option<(String, Bindings)> {
        let (found, bindings) = self.impl_for(ty, of)?;
        let said = found.associated_type(name)?;
        let mut names: Vec<String> = bindings.keys().cloned().collect();
        names.push("Self".to_owned());
        self.expanded
            .is_plain(&expanded::ty(said)?, &names)
            .then(|| (said.to_owned(), bindings))
    }

    /// The path under which MIR prints the type of the crate or the prelude that has this name.
    pub fn printed_type(&self, name: &str) -> Option<String> {
        if !self.expanded.is_taken(name) {
            let of_std = [
                "option::Option",
                "result::Result",
                "vec::Vec",
                "string::String",
                "boxed::Box",
            ];
            let path = of_std
                .iter()
                .find(|p| p.rsplit("::").next() == Some(name))?;
            return Some(format!("std::{path}"));
        }
        let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        let words = self.reference.split(|c: char| !is_path(c));
        let words = words.map(|word| word.trim_matches(':'));
        let paths = words.filter(|w| w.rsplit("::").next() == Some(name));
        let paths: std::collections::BTreeSet<&str> = paths.collect();
        match paths.into_iter().collect::<Vec<_>>().as_slice() {
            [only] => Some((*only).to_owned()),
            _ => None,
        }
    }

    fn free(&mut self, path: &Path) -> Option<Found> {
        let (last, outer) = path.segments.split_last()?;
        if outer.iter().any(|segment| segment.args.is_some()) {
            return None;
        }
        let found = Found {
            path: path.plain(),
            bindings: Bindings::new(),
        };
        last.args.as_ref()?;
        self.with_own_arguments(found, path.last_args())
    }

    /// `Stack::<u8, 2>::push`.
    fn inherent(&mut self, path: &Path) -> Option<Found> {
        let (method, owner) = path.segments.split_last()?;
        let (of, modules) = owner.split_last()?;
        if modules.iter().any(|segment| segment.args.is_some()) {
            return None;
        }
        let names: Vec<&str> = owner.iter().map(|segment| &*segment.name).collect();
        let ty = Ty::new(TyKind::Adt {
            path: names.join("::").into(),
            args: of.args.clone().unwrap_or_default(),
        });
        if !self.expanded.is_known(&ty) {
            return None;
        }
        let all = self.expanded.impls.iter();
        let mut fitting = 0;
        for other in all.filter(|i| i.header.trait_path.is_none() && i.has("fn", &method.name)) {
            fitting += usize::from(self.of_header(&other.header, &ty, None)?.is_some());
        }
        let mut found = vec![];
        for candidate in self.methods(&method.name, "fn") {
            let header = self.headers.get(candidate)?.as_ref()?;
            if header.trait_path.is_none()
                && let Some(bindings) = self.of_header(header, &ty, None)?
            {
                found.push((candidate, bindings));
            }
        }
        if fitting != 1 {
            return None;
        }
        self.only(found, path.last_args())
    }

    /// `<Square as Shape>::area`: the impl's method or constant, or the trait's own.
    fn of_trait(&mut self, ty: &Ty, of: &Ty, path: &Path, keyword: &str) -> Option<Found> {
        let [item] = path.segments.as_slice() else {
            return None;
        };
        // `r#match` is no word of the expanded source: that an impl lacks it would not be seen
        let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        item.name.bytes().all(is_word).then_some(())?;
        let (found, _) = self.impl_for(ty, of)?;
        if !found.has(keyword, &item.name) {
            return self.default_of(ty, of, path, keyword);
        }
        let mut found = vec![];
        for candidate in self.methods(&item.name, keyword) {
            let header = self.headers.get(candidate)?.as_ref()?;
            if let Some(header_trait) = &header.trait_path
                && let header_trait = expanded::ty(header_trait)?
                && name_of(&header_trait) == name_of(of)
                && let Some(bindings) = self.of_header(header, ty, Some((&header_trait, of)))?
            {
                found.push((candidate, bindings));
            }
        }
        self.only(found, path.last_args())
    }

    /// What the trait itself has, where its impl has nothing.
    fn default_of(&mut self, ty: &Ty, of: &Ty, path: &Path, keyword: &str) -> Option<Found> {
        let TyKind::Adt {
            path: trait_path,
            args,
        } = of.kind()
        else {
            return None;
        };
        let kind = if keyword == "const" { CONST } else { "" };
        let list = self.expanded.trait_generics(name_of(of)?)?;
        let mut known = parameters(list)?;
        let given = without_lifetimes(args);
        if known.len() != given.len() {
            return None;
        }
        let mut bindings = Bindings::new();
        for (parameter, arg) in known.clone().iter().zip(given) {
            bind(&parameter.name, given_text(arg), &known, &mut bindings).then_some(())?;
        }
        known.push(Parameter {
            name: "Self".to_owned(),
            constant_of: None,
        });
        bind("Self", erase(ty).to_string(), &known, &mut bindings).then_some(())?;
        let found = Found {
            path: format!("{kind}{trait_path}::{}", path.last_name()),
            bindings,
        };
        self.text(&found.path)?;
        self.with_own_arguments(found, path.last_args())
    }

    /// The one impl of a trait for a type. Every impl of the trait must be understood.
    fn impl_for(&self, ty: &Ty, of: &Ty) -> Option<(&Impl, Bindings)> {
        let TyKind::Adt { path, args } = of.kind() else {
            return None;
        };
        let known = args.iter().all(|arg| match arg {
            GenericArg::Type(ty) => self.expanded.is_known(ty),
            _ => true,
        });
        if !known || !self.expanded.is_known(ty) || !self.expanded.is_one_trait(path) {
            return None;
        }
        let mut found = None;
        for other in &self.expanded.impls {
            let Some(header_trait) = &other.header.trait_path else {
                continue;
            };
            let header_trait = expanded::ty(header_trait)?;
            if name_of(&header_trait) != name_of(of) {
                continue;
            }
            let bindings = self.of_header(&other.header, ty, Some((&header_trait, of)))?;
            if let Some(bindings) = bindings
                && found.replace((other, bindings)).is_some()
            {
                return None;
            }
        }
        found
    }

    fn methods(&self, name: &str, keyword: &str) -> Vec<&'a str> {
        let all = self.by_name.get(name).into_iter().flatten().copied();
        let in_impls = all.filter(|p| roots::impl_of(p).is_some());
        let of_kind = in_impls.filter(|p| p.starts_with(CONST) == (keyword == "const"));
        of_kind.collect()
    }

    /// What a header's parameters stand for; the outer nothing where one of its names may be another's.
    fn of_header(
        &self,
        header: &ImplHeader,
        ty: &Ty,
        of_trait: Option<(&Ty, &Ty)>,
    ) -> Option<Option<Bindings>> {
        let known = parameters(&header.generics)?;
        let names: Vec<String> = known.iter().map(|p| p.name.clone()).collect();
        let pattern = expanded::ty(&header.type_path)?;
        let plain = |ty: &Ty| self.expanded.is_plain(ty, &names);
        if !plain(&pattern) {
            return None;
        }
        if let Some((TyKind::Adt { args, .. }, _)) = of_trait.map(|(p, of)| (p.kind(), of)) {
            let mut types = args.iter().filter_map(|arg| match arg {
                GenericArg::Type(ty) => Some(ty),
                _ => None,
            });
            types.all(plain).then_some(())?;
        }
        let mut bindings = Bindings::new();
        let fits = unify(&pattern, ty, &known, &mut bindings)
            && of_trait.is_none_or(|(pattern, of)| unify(pattern, of, &known, &mut bindings));
        Some(fits.then_some(bindings))
    }

    fn only(&mut self, found: Vec<(&'a str, Bindings)>, args: &[GenericArg]) -> Option<Found> {
        let [(path, bindings)] = found.as_slice() else {
            return None;
        };
        let found = Found {
            path: (*path).to_owned(),
            bindings: bindings.clone(),
        };
        self.with_own_arguments(found, args)
    }

    /// With the parameters of the function itself.
    fn with_own_arguments(&mut self, mut found: Found, args: &[GenericArg]) -> Option<Found> {
        if found.path.starts_with(CONST) {
            return args.is_empty().then_some(found);
        }
        let body = self.text(&found.path)?;
        let own = self.sources.of_function(body, &last_segment(&found.path));
        let args = without_lifetimes(args);
        // a derived method has no header to read, and no parameters
        let own = match own {
            None if args.is_empty() && found.path.contains("<impl at ") => vec![],
            own => own?,
        };
        let own = [own, anonymous(body)?].concat();
        if own.len() != args.len() {
            return None;
        }
        for (parameter, arg) in own.iter().zip(args) {
            if is_anonymous(&parameter.name) {
                // two that print alike may stand for one type only
                let given = given_text(arg);
                bind(&parameter.name, given, &own, &mut found.bindings).then_some(())?;
                continue;
            }
            if found.bindings.contains_key(&parameter.name) {
                return None;
            }
            let pattern = GenericArg::Type(parse_ty(&parameter.name).ok()?);
            argument(&pattern, arg, &own, &mut found.bindings).then_some(())?;
        }
        Some(found)
    }

    /// Does another item have the name of a parameter, or MIR's own words?
    fn is_ambiguous(&self, found: &Found) -> bool {
        let mut names = found.bindings.keys().filter(|n| *n != "Self");
        names.any(|name| {
            self.reference.contains(&format!("\nconst {name}: "))
                || self.expanded.is_taken(name)
                || !can_be_replaced(name)
        })
    }
}

fn name_of(of_trait: &Ty) -> Option<&str> {
    match of_trait.kind() {
        TyKind::Adt { path, .. } => path.rsplit("::").next(),
        _ => None,
    }
}

/// The constants of impls and traits, with their texts.
fn constants(reference: &str) -> Vec<(&str, &str)> {
    let mut found = vec![];
    let mut at = 0;
    for line in reference.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if !line.starts_with(CONST) || line.contains("::promoted[") || line.contains("::{") {
            continue;
        }
        let header = line.find(" = ").map(|end| &line[..end]);
        let path = header.and_then(|h| h.rfind(": ").map(|end| &h[..end]));
        // `<impl at a.rs:1:2: 3:4>` has such a colon, too
        let Some(path) = path.filter(|p| p.matches('<').count() == p.matches('>').count()) else {
            continue;
        };
        let item = &reference[start..];
        let end = match line.trim_end().ends_with('{') {
            true => item.find("\n}").map(|end| end + 2),
            false => Some(line.len()),
        };
        found.push((path, &item[..end.unwrap_or(item.len())]));
    }
    found
}
