//! Which generic body of the crate a call means, and what its parameters stand for there. Nothing where it might be another:
//! an impl whose header cannot be read, a name that two items have, a parameter named like a type.

use super::parameters::{Parameter, Sources, parameters};
use super::substitute::Bindings;
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

/// The functions of a crate before optimization.
pub struct Items<'a> {
    reference: &'a str,
    bodies: BTreeMap<&'a str, &'a str>,
    by_name: BTreeMap<String, Vec<&'a str>>,
    headers: HashMap<&'a str, Option<ImplHeader>>,
    sources: Sources,
}

impl<'a> Items<'a> {
    pub fn new(reference: &'a str, source_root: &std::path::Path) -> Self {
        let mut bodies = BTreeMap::new();
        let mut by_name: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        let mut headers = HashMap::new();
        let mut sources = Sources::new(source_root);
        for body in mir_text::functions(reference) {
            let (file, ..) = crate::capture::survey::return_place(body.text).unwrap_or_default();
            sources.text(file);
            let name = last_segment(body.path);
            by_name.entry(name).or_default().push(body.path);
            if let Some(span) = roots::impl_of(body.path) {
                let header = roots::any_impl_header(span, source_root);
                headers.insert(body.path, header);
            }
            bodies.insert(body.path, body.text);
        }
        for (path, text) in constants(reference) {
            by_name.entry(last_segment(path)).or_default().push(path);
            if let Some(span) = roots::impl_of(path) {
                let header = roots::any_impl_header(span, source_root);
                headers.insert(path, header);
            }
            bodies.insert(path, text);
        }
        // macros make impls of one place
        let twice = |paths: &Vec<&str>, path: &str| paths.iter().filter(|p| **p == path).count();
        bodies.retain(|path, _| twice(&by_name[&last_segment(path)], path) == 1);
        Self {
            reference,
            bodies,
            by_name,
            headers,
            sources,
        }
    }

    /// The constant of a trait that `<A as Trait>::NAME` names: the path has `const ` in front.
    pub fn constant(&mut self, name: &str) -> Option<Found> {
        let path = parse_path(name).ok()?;
        let qself = path.qself.as_ref()?;
        let found = self.of_trait(&qself.ty, qself.trait_ref.as_ref()?, &path, CONST)?;
        (!self.is_ambiguous(&found)).then_some(found)
    }

    /// The text of a body or a constant.
    pub fn text(&self, path: &str) -> Option<&'a str> {
        self.bodies.get(path).copied()
    }

    /// The closures of a function, and those in them.
    pub fn closures(&self, path: &str) -> Vec<&'a str> {
        let prefix = format!("{path}::{{closure#");
        let all = self.bodies.keys().copied();
        all.filter(|p| p.starts_with(&prefix)).collect()
    }

    /// The impl of a trait for a type: the place of its header, and what its parameters stand for.
    pub fn impl_of(&self, ty: &Ty, of: &Ty) -> Option<(&'a str, ImplHeader, Bindings)> {
        let mut found: Option<(&str, ImplHeader, Bindings)> = None;
        for (path, header) in &self.headers {
            let header = header.as_ref()?;
            let Some(header_trait) = &header.trait_path else {
                continue;
            };
            let header_trait = parse_ty(header_trait).ok()?;
            let Some(bindings) = self.of_header(header, ty, Some((&header_trait, of)))? else {
                continue;
            };
            let span = roots::impl_of(path)?;
            match &found {
                Some((known, ..)) if *known != span => return None,
                _ => found = Some((span, header.clone(), bindings)),
            }
        }
        found
    }

    /// The path under which MIR prints the type that the source calls by this one name.
    pub fn printed_type(&self, name: &str) -> Option<String> {
        if !self.defines(&["struct", "enum", "union", "type"], name) {
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

    pub fn find(&mut self, call: &str) -> Option<Found> {
        let path = parse_path(call).ok()?;
        let found = match &path.qself {
            Some(qself) => self.of_trait(&qself.ty, qself.trait_ref.as_ref()?, &path, "")?,
            None => match self.bodies.get(path.plain().as_str()) {
                Some(_) => self.free(&path)?,
                None => self.inherent(&path)?,
            },
        };
        let body = self.text(&found.path)?;
        let asynchronous = body.contains("{async") || body.contains("{coroutine");
        (!asynchronous && !self.is_ambiguous(&found)).then_some(found)
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
        let mut found = vec![];
        for candidate in self.methods(&method.name, "") {
            let header = self.headers.get(candidate)?.as_ref()?;
            if header.trait_path.is_none()
                && let Some(bindings) = self.of_header(header, &ty, None)?
            {
                found.push((candidate, bindings));
            }
        }
        self.only(found, path.last_args())
    }

    /// `<Square as Shape>::area`: the impl's method, or the trait's own. `kind`: nothing, or `const `.
    fn of_trait(&mut self, ty: &Ty, of: &Ty, path: &Path, kind: &str) -> Option<Found> {
        let [method] = path.segments.as_slice() else {
            return None;
        };
        let TyKind::Adt {
            path: trait_path,
            args,
        } = of.kind()
        else {
            return None;
        };
        let trait_name = trait_path.rsplit("::").next()?;
        let (mut found, mut others) = (vec![], false);
        for candidate in self.methods(&method.name, kind) {
            let header = self.headers.get(candidate)?.as_ref()?;
            let Some(header_trait) = &header.trait_path else {
                continue;
            };
            let header_trait = parse_ty(header_trait).ok()?;
            let is_named = matches!(header_trait.kind(), TyKind::Adt { path, .. }
                if path.rsplit("::").next() == Some(trait_name));
            match self.of_header(header, ty, Some((&header_trait, of)))? {
                Some(bindings) => found.push((candidate, bindings)),
                // the trait under another name, or the type: nobody knows
                None if is_named => {
                    let of_type = self.of_header(header, ty, None)?.is_some();
                    others |= of_type || self.is_renamed(header);
                }
                None => {
                    let of_type = self.of_header(header, ty, None)?.is_some();
                    others |= of_type && !self.is_a_trait_itself(&header_trait);
                }
            }
        }
        if !found.is_empty() || others {
            return self.only(found, path.last_args()).filter(|_| !others);
        }
        let default = format!("{kind}{trait_path}::{}", method.name);
        let body = self.text(&default)?;
        let mut known = match kind {
            "" => self.sources.of_trait(body, &method.name, trait_name)?,
            _ => vec![],
        };
        let mut bindings = Bindings::new();
        let given = without_lifetimes(args);
        if known.len() != given.len() {
            return None;
        }
        for (parameter, arg) in known.clone().iter().zip(given) {
            bind(&parameter.name, given_text(arg), &known, &mut bindings).then_some(())?;
        }
        known.push(Parameter {
            name: "Self".to_owned(),
            constant_of: None,
        });
        bind("Self", erase(ty).to_string(), &known, &mut bindings).then_some(())?;
        let found = Found {
            path: default,
            bindings,
        };
        self.with_own_arguments(found, path.last_args())
    }

    fn methods(&self, name: &str, kind: &str) -> Vec<&'a str> {
        let all = self.by_name.get(name).into_iter().flatten().copied();
        let in_impls = all.filter(|p| p.contains("<impl at "));
        let of_kind = in_impls.filter(|p| p.starts_with(CONST) == (kind == CONST));
        of_kind.collect()
    }

    /// What a header's parameters stand for; the outer nothing where the header is not understood.
    fn of_header(
        &self,
        header: &ImplHeader,
        ty: &Ty,
        of_trait: Option<(&Ty, &Ty)>,
    ) -> Option<Option<Bindings>> {
        let known = parameters(&header.generics)?;
        let pattern = parse_ty(&header.type_path).ok()?;
        let mut bindings = Bindings::new();
        let fits = unify(&pattern, ty, &known, &mut bindings)
            && of_trait.is_none_or(|(pattern, of)| unify(pattern, of, &known, &mut bindings));
        Some(fits.then_some(bindings))
    }

    /// Is the header's trait surely the one of that name, and no other under a new one?
    fn is_a_trait_itself(&self, header_trait: &Ty) -> bool {
        let TyKind::Adt { path, .. } = header_trait.kind() else {
            return false;
        };
        let name = path.rsplit("::").next().unwrap_or("");
        let known = self.defines(&["trait"], name) || roots::DERIVED.contains(&name);
        known && !self.defines(&["as"], name)
    }

    /// May the header's type be an alias of another?
    fn is_renamed(&self, header: &ImplHeader) -> bool {
        let head = header.type_path.split(['<', ' ']).next();
        let name = head.and_then(|path| path.rsplit("::").next()).unwrap_or("");
        self.defines(&["type", "as"], name)
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
        if own.len() != args.len() {
            return None;
        }
        for (parameter, arg) in own.iter().zip(args) {
            if found.bindings.contains_key(&parameter.name) {
                return None;
            }
            let pattern = parse_ty(&parameter.name).ok()?;
            let pattern = GenericArg::Type(pattern);
            argument(&pattern, arg, &own, &mut found.bindings).then_some(())?;
        }
        Some(found)
    }

    /// Does another item have the name of a parameter?
    fn is_ambiguous(&mut self, found: &Found) -> bool {
        let names: Vec<&String> = found.bindings.keys().filter(|n| *n != "Self").collect();
        names.into_iter().any(|name| {
            let constant = format!("\nconst {name}: ");
            self.reference.contains(&constant)
                || self.defines(&["struct", "enum", "union", "trait"], name)
        })
    }

    /// Does one of the sources that were read define this name?
    fn defines(&self, keywords: &[&str], name: &str) -> bool {
        self.sources.define(keywords, name)
    }
}

/// What the paths of constants have in front here.
pub const CONST: &str = "const ";

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
        let path = header.and_then(|h| h.rfind(": ").map(|end| (&h[..end], h)));
        // `<impl at a.rs:1:2: 3:4>` has such a colon, too
        let Some((path, _)) =
            path.filter(|(p, _)| p.matches('<').count() == p.matches('>').count())
        else {
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
