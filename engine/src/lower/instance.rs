//! Inlined instances of bodies: every call site of a function has its own copy of the callee's locals.

use super::types::erase;
use super::{Lowered, Lowerer, ObjectId, ObjectKey, Source, gap};
use crate::mir::{Body, BodyKind, DebugValue, Local, MirFile, Ty, TyKind};
use crate::program::SourceSpan;
use std::collections::{BTreeSet, HashMap, HashSet};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct InstanceId(pub u32);

/// A body and the file whose allocations it speaks of.
#[derive(Clone, Copy)]
pub struct BodyRef<'a> {
    pub body: &'a Body,
    pub file: usize,
}

#[derive(Clone)]
pub struct Instance<'a> {
    pub body: BodyRef<'a>,
    /// Where it was called, in the user's code.
    pub call_span: Option<SourceSpan>,
    pub parent: Option<InstanceId>,
    pub depth: u32,
    /// The blocks that end in the calls, from the root; `None` inside constants and where a call has several callees.
    pub calls: Option<std::sync::Arc<[u32]>>,
}

/// Finds bodies by path and by signature.
pub struct Bodies<'a> {
    files: Vec<&'a MirFile>,
    as_written: &'a [&'a MirFile],
    by_path: HashMap<&'a str, Vec<(usize, usize)>>,
    by_last: HashMap<String, Vec<(usize, usize)>>,
    /// Paths that several items have: MIR prints items of two blocks of one function alike, and methods of impls
    /// that one macro made.
    twice: HashSet<&'a str>,
    crate_name: Option<&'a str>,
    /// Functions without a body, by their last names.
    declared: &'a BTreeSet<String>,
    aliases: &'a HashMap<String, String>,
    ambiguous: &'a BTreeSet<String>,
    may_be_generic: &'a HashSet<&'a str>,
}

fn same_name<T>(name: &str) -> Lowered<T> {
    gap(format!("an item whose name another one has, too: `{name}`"))
}

/// Paths that several items of a file have. An item may be printed twice itself, once for the compiler's own use.
fn named_twice(file: &MirFile) -> impl Iterator<Item = &str> {
    let mut seen = HashSet::new();
    file.bodies.iter().filter_map(move |body| {
        let is_fn = body.kind == BodyKind::Fn;
        let first = seen.insert((&*body.path, is_fn, body.for_ctfe));
        (!first).then_some(&*body.path)
    })
}

impl<'a> Bodies<'a> {
    pub fn new(source: &'a Source<'a>) -> Bodies<'a> {
        let mut by_path: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
        let mut by_last: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
        for (f, file) in source.files.iter().enumerate() {
            for (b, body) in file.bodies.iter().enumerate() {
                by_path.entry(&body.path).or_default().push((f, b));
                let last = last_segment(&body.path);
                by_last.entry(last.to_string()).or_default().push((f, b));
            }
        }
        let all = source.files.iter().chain(&source.as_written);
        Bodies {
            files: source.files.clone(),
            as_written: &source.as_written,
            by_path,
            by_last,
            twice: all.flat_map(|f| named_twice(f)).collect(),
            declared: &source.facts.declared,
            // another crate's, if there is one of this name
            crate_name: match source.facts.linked.contains(source.crate_name) {
                true => None,
                false => Some(source.crate_name),
            },
            aliases: &source.aliases,
            ambiguous: &source.ambiguous,
            may_be_generic: &source.may_be_generic,
        }
    }

    fn get(&self, (f, b): (usize, usize)) -> BodyRef<'a> {
        let file: &'a MirFile = self.files[f];
        BodyRef {
            body: &file.bodies[b],
            file: f,
        }
    }

    /// The body of this kind with exactly this printed path; of constants the one that is compiled, if there
    /// are two. Names of the own crate may carry its name in front.
    pub fn by_path(&self, path: &str, kind: BodyKind) -> Lowered<Option<BodyRef<'a>>> {
        if let Some(alias) = self.alias(path)? {
            return self.by_path(&alias, kind);
        }
        // A function that is only declared prints like one of the crate.
        if kind == BodyKind::Fn && self.declared.contains(last_segment(path)) {
            return Ok(None);
        }
        // bodies have no arguments in their paths, and lifetimes are none: `S::<'_>::get::promoted[0]`
        if let Some(plain) = without_lifetimes(path)
            && !self.by_path.contains_key(path)
        {
            return self.by_path(&plain, kind);
        }
        let own = self.without_crate(path);
        for p in [Some(path), own].into_iter().flatten() {
            if self.twice.contains(p) {
                return same_name(p);
            }
            let all = self.by_path.get(p).into_iter().flatten();
            let mut fitting: Vec<BodyRef<'a>> = all
                .map(|&at| self.get(at))
                .filter(|b| b.body.kind == kind)
                .collect();
            fitting.sort_by_key(|b| (b.file, b.body.for_ctfe));
            if let Some(b) = fitting.first() {
                return Ok(Some(*b));
            }
        }
        Ok(None)
    }

    fn without_crate<'p>(&self, path: &'p str) -> Option<&'p str> {
        path.strip_prefix(self.crate_name?)?.strip_prefix("::")
    }

    /// All constants that have this path, if there are several.
    pub fn namesakes(&self, path: &str) -> Option<Vec<&'a Body>> {
        if let Some(alias) = self.alias(path).ok()? {
            return self.namesakes(&alias);
        }
        let own = self.without_crate(path);
        let path = [Some(path), own].into_iter().flatten();
        let path = path.into_iter().find(|p| self.twice.contains(p))?;
        let all = self.files.iter().chain(self.as_written).copied();
        let named = all.flat_map(|f| &f.bodies).filter(|b| *b.path == *path);
        let named: Vec<&Body> = named.collect();
        let are_constants = named.iter().all(|b| b.kind == BodyKind::Const);
        are_constants.then_some(named)
    }

    /// The body's name for a name that calls use: of a function, or of a constant inside one.
    fn alias(&self, path: &str) -> Lowered<Option<String>> {
        // An item inside a function, however deep: `Foo::get::LIMIT`, `Foo::get::promoted[0]`.
        let mut at = path.len();
        loop {
            let name = &path[..at];
            if self.ambiguous.contains(name) {
                return same_name(name);
            }
            if let Some(a) = self.aliases.get(name) {
                return Ok((a != name).then(|| format!("{a}{}", &path[at..])));
            }
            match name.rfind("::") {
                Some(end) => at = end,
                None => return Ok(None),
            }
        }
    }

    /// Functions by their last name and the types of their parameters: trait methods print as
    /// `<S as T>::m` at the call and as `<impl at ..>::m` at the definition.
    pub fn by_signature(&self, last: &str, args: &[Option<Ty>]) -> Vec<BodyRef<'a>> {
        let fits = |b: &Body| {
            b.kind == BodyKind::Fn
                && !b.for_ctfe
                && b.arg_count as usize == args.len()
                && b.args()
                    .zip(args)
                    .all(|(have, want)| want.as_ref().is_none_or(|w| erase(&have.ty) == *w))
        };
        let mut found: Vec<BodyRef<'a>> = vec![];
        for &at in self.by_last.get(last).into_iter().flatten() {
            let b = self.get(at);
            let path = &b.body.path;
            if !fits(b.body) || found.iter().any(|f| f.body.path == *path) {
                continue;
            }
            // Two of one name and signature: dumps of passes may have either of them.
            let fitting = |f: &&MirFile| {
                let same = f.bodies.iter().filter(|o| o.path == *path && fits(o));
                same.count()
            };
            let all = self.files.iter().chain(self.as_written);
            if self.twice.contains(&**path) && all.map(fitting).any(|n| n > 1) {
                return vec![];
            }
            found.push(b);
        }
        found
    }

    /// The functions of this name.
    pub fn named(&self, last: &str) -> impl Iterator<Item = &'a Body> {
        let all = self.by_last.get(last).into_iter().flatten();
        let bodies = all.map(|&at| self.get(at).body);
        bodies.filter(|body| body.kind == BodyKind::Fn)
    }

    /// The paths of the functions of this name that stand in impls.
    pub fn methods(&self, last: &str) -> impl Iterator<Item = &'a str> {
        let all = self.by_last.get(last).into_iter().flatten();
        let paths = all.map(|&at| &*self.get(at).body.path);
        paths.filter(|path| path.contains("<impl at "))
    }

    /// The paths of the constants of this name that stand in impls.
    pub fn constants(&self, last: &str) -> impl Iterator<Item = &'a str> {
        let all = self.by_last.get(last).into_iter().flatten();
        let bodies = all.map(|&at| self.get(at).body);
        let constants = bodies.filter(|body| body.kind == BodyKind::Const);
        let of_impls = constants.filter(|body| {
            let rest = body.path.rsplit_once("<impl at ").map(|(_, rest)| rest);
            let item = rest.and_then(|rest| rest.split_once(">::"));
            item.is_some_and(|(_, item)| !item.contains("::"))
        });
        of_impls.map(|body| &*body.path)
    }

    /// The same, of the program before optimization: a later snapshot need not have the bodies that are inlined.
    pub fn methods_as_written(&self, last: &str) -> impl Iterator<Item = &'a str> {
        let bodies = self.as_written.iter().flat_map(|file| &file.bodies);
        let named = bodies.filter(move |b| b.kind == BodyKind::Fn && last_segment(&b.path) == last);
        let paths = named.map(|body| &*body.path);
        paths.filter(|path| path.contains("<impl at "))
    }

    /// The body of a closure, by its type: its first parameter is the closure or a reference to it.
    pub fn closure(&self, text: &str) -> Option<BodyRef<'a>> {
        let mut found: Option<BodyRef<'a>> = None;
        for (f, file) in self.files.iter().enumerate() {
            for body in &file.bodies {
                if body.kind != BodyKind::Fn || !is_of_closure(&body.path) || body.for_ctfe {
                    continue;
                }
                let Some(first) = body.args().next() else {
                    continue;
                };
                let ty = super::types::pointee(&first.ty).unwrap_or(&first.ty);
                if !matches!(ty.kind(), TyKind::Closure(t) if **t == *text) {
                    continue;
                }
                // closures of the functions that one macro made have one type's name
                let another = found.is_some_and(|known| known.body.path != body.path);
                if another
                    || self.twice.contains(&*body.path)
                    || self.may_be_generic.contains(&*body.path)
                {
                    return None;
                }
                found = found.or(Some(BodyRef { body, file: f }));
            }
        }
        found
    }

    pub fn file(&self, index: usize) -> &'a MirFile {
        self.files[index]
    }
}

/// The path without those of its arguments that are lifetimes only; nothing if there are none.
fn without_lifetimes(path: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = path;
    while let Some(at) = rest.find("::<'") {
        let end = at + rest[at..].find('>')?;
        let list = &rest[at + 3..end];
        let lifetimes = list.split(',').all(|part| part.trim().starts_with('\''));
        if !lifetimes || list.contains('<') {
            return None;
        }
        out += &rest[..at];
        rest = &rest[end + 1..];
    }
    (!out.is_empty()).then(|| out + rest)
}

/// Is it the path of a closure's body? Instances of functions may have closures among their arguments.
pub fn is_of_closure(path: &str) -> bool {
    last_segment(path).starts_with("{closure#")
}

/// `a::b::<impl at x.rs:1:2: 3:4>::m` -> `m`; generic arguments do not count.
pub fn last_segment(path: &str) -> &str {
    let mut depth = 0i32;
    let mut end = path.len();
    let bytes = path.as_bytes();
    for i in (0..bytes.len()).rev() {
        match bytes[i] {
            b'>' if i == 0 || bytes[i - 1] != b'-' => depth += 1,
            b'<' => {
                depth -= 1;
                // `name::<T>`: the arguments belong to the segment before them.
                if depth == 0 && i >= 2 && &bytes[i - 2..i] == b"::" && end == path.len() {
                    end = i - 2;
                }
            }
            b':' if depth == 0 && i > 0 && bytes[i - 1] == b':' && i < end => {
                return &path[i + 1..end];
            }
            _ => {}
        }
    }
    &path[..end]
}

impl<'a> Lowerer<'a> {
    pub fn root_instance(&mut self, body: BodyRef<'a>) -> InstanceId {
        if self.instances.is_empty() {
            self.instances.push(Instance {
                body,
                call_span: None,
                parent: None,
                depth: 0,
                calls: Some(std::sync::Arc::from([])),
            });
        }
        InstanceId(0)
    }

    /// The instance for a call at this block (and this many-th constant) of the current frame.
    pub fn instance(&mut self, block: u32, site: u32, body: BodyRef<'a>) -> InstanceId {
        let key = (self.frame, block, site);
        if let Some(&id) = self.instance_index.get(&key) {
            self.instances[id.0 as usize].call_span = self.span.clone();
            return id;
        }
        let id = InstanceId(self.instances.len() as u32);
        let above = &self.instances[self.frame.0 as usize];
        let depth = above.depth + 1;
        let calls = above.calls.as_ref().filter(|_| site == 0);
        let calls = calls.map(|calls| calls.iter().copied().chain([block]).collect());
        self.instances.push(Instance {
            body,
            call_span: self.span.clone(),
            parent: Some(self.frame),
            depth,
            calls,
        });
        self.instance_index.insert(key, id);
        self.entered(&body.body.path);
        id
    }

    /// Types of the crate itself print without its name; those of other crates start with theirs.
    pub fn is_local_type(&self, path: &str) -> bool {
        let first = path.split("::").next().unwrap_or(path);
        (first == self.source.crate_name && !self.source.facts.linked.contains(first))
            || !path.contains("::")
            || self.source.modules.contains(first)
    }

    pub fn body(&self) -> &'a Body {
        self.instances[self.frame.0 as usize].body.body
    }

    pub fn object(&mut self, key: ObjectKey, ty: &Ty, outer: Vec<u32>, name: String) -> ObjectId {
        if let Some(&id) = self.object_index.get(&key) {
            return id;
        }
        let id = ObjectId(self.objects.len() as u32);
        self.objects.push(super::Object {
            key: key.clone(),
            ty: erase(ty),
            outer,
            name,
        });
        self.object_index.insert(key, id);
        id
    }

    /// The object of a local of the current frame.
    pub fn local_object(&mut self, local: Local) -> ObjectId {
        let frame = self.frame;
        self.local_of(frame, local)
    }

    pub fn local_of(&mut self, frame: InstanceId, local: Local) -> ObjectId {
        let key = ObjectKey::Local(frame, local);
        if let Some(&id) = self.object_index.get(&key) {
            return id;
        }
        let body = self.instances[frame.0 as usize].body.body;
        // One that is not declared has no type that anything could be read at.
        let none = || Ty::new(TyKind::Tuple(vec![]));
        let ty = body.local(local).map_or_else(none, |l| l.ty.clone());
        let ty = self.memory_type(body, local, &ty);
        let name = body
            .debug_infos
            .iter()
            .find_map(|d| match &d.value {
                DebugValue::Place(p) if p.as_local() == Some(local) && !d.name.starts_with('(') => {
                    Some(d.name.to_string())
                }
                _ => None,
            })
            .unwrap_or_else(|| {
                if local == Local::RETURN {
                    "_0".to_string()
                } else {
                    format!("_{}", local.0)
                }
            });
        let name = if frame.0 == 0 || name.starts_with('_') {
            name
        } else {
            format!("{}::{name}", last_segment(&body.path))
        };
        self.object(key, &ty, vec![], name)
    }
}
