//! The functions of the crate that a run of the root can come to, as far as names tell: those whose name stands in the
//! code of one that it comes to. A function that takes or gives a type of the crate needs a variable of it, which has that
//! type in the code too, unless objects hide it.

use super::Lowerer;
use super::instance::last_segment;
use crate::mir::Body;
use std::collections::HashSet;

/// Methods that code runs without naming them here: drops, and what std calls of the types that it is given.
const BY_STD: &[&str] = &[
    "as_mut",
    "as_ref",
    "borrow",
    "borrow_mut",
    "call",
    "call_mut",
    "call_once",
    "clone",
    "clone_from",
    "cmp",
    "default",
    "deref",
    "deref_mut",
    "drop",
    "eq",
    "extend",
    "fmt",
    "from",
    "from_iter",
    "from_str",
    "ge",
    "gt",
    "hash",
    "index",
    "index_mut",
    "into",
    "into_iter",
    "le",
    "lt",
    "ne",
    "next",
    "next_back",
    "partial_cmp",
    "size_hint",
    "to_owned",
    "to_string",
    "try_from",
    "write_char",
    "write_fmt",
    "write_str",
];

impl<'a> Lowerer<'a> {
    /// All bodies as the user wrote them.
    pub fn as_written(&self) -> Vec<&'a Body> {
        let files = self.source.as_written.iter();
        files.flat_map(|f| &f.bodies).collect()
    }

    /// Those of them that names tell of; all if the root is not among them. A body that is entered nevertheless, by
    /// the drop of a field, is noticed then (`wild.rs`).
    pub fn called(&self) -> Vec<&'a Body> {
        let all = self.as_written();
        let root = &self.instances[0].body.body.path;
        let (mut called, mut others): (Vec<&Body>, Vec<&Body>) =
            all.iter().partition(|b| b.path == *root);
        if called.is_empty() {
            return all;
        }
        let functions: HashSet<&str> = all.iter().map(|b| &*b.path).collect();
        let mut named: HashSet<String> = BY_STD.iter().map(|s| (*s).to_owned()).collect();
        let mut paths = HashSet::new();
        // pointers to functions in statics
        let allocs = self.source.as_written.iter().flat_map(|f| &f.allocs);
        for alloc in allocs {
            named.extend(names(&alloc.to_string()));
            paths.extend(self.paths(&alloc.to_string()));
        }
        let mut typed = HashSet::new();
        let (mut read, mut hidden) = (0, false);
        while read < called.len() {
            for body in &called[read..] {
                let blocks = body.blocks.iter().map(|b| b.to_string());
                for text in blocks.chain(body.value.iter().map(|v| v.to_string())) {
                    hidden |= hides(&text);
                    named.extend(names(&text));
                    paths.extend(self.paths(&text));
                    typed.extend(words_of_types(&text));
                }
                for local in &body.locals {
                    let text = local.ty.to_string();
                    // objects, opaque types, projections
                    hidden |= hides(&text) || text.contains("impl ") || text.contains(" as ");
                    typed.extend(words_of_types(&text));
                }
            }
            read = called.len();
            let (more, left): (Vec<&Body>, Vec<&Body>) = others.into_iter().partition(|b| {
                let inside = |outer: &&Body| {
                    let rest = b.path.strip_prefix(&*outer.path);
                    rest.is_some_and(|rest| rest.starts_with("::"))
                };
                let name = last_segment(&b.path).trim_start_matches("r#");
                let known = |word: &String| {
                    !self.source.facts.types.contains_key(word) || typed.contains(word)
                };
                // what it gives is the type of a variable, too
                let signature = b.locals.iter().take(1 + b.arg_count as usize);
                let takes = signature.flat_map(|l| words(&l.ty.to_string()));
                let is_named = match self.is_free(&b.path, &functions) {
                    true => paths.contains(&*b.path),
                    false => named.contains(name),
                };
                called.iter().any(inside)
                    || is_named && (hidden || takes.collect::<Vec<_>>().iter().all(known))
            });
            called.extend(more);
            others = left;
        }
        called
    }

    /// Is it certainly a function that stands in another function, or in no module? Code names it by its path, and other
    /// functions of its last name are not meant.
    fn is_free(&self, path: &str, functions: &HashSet<&str>) -> bool {
        let is_plain = path
            .chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == ':');
        let in_function = |outer: &str| {
            let name = outer.rsplit("::").next().unwrap_or(outer);
            functions.contains(outer) && !self.source.facts.traits.contains_key(name)
        };
        is_plain
            && path
                .rsplit_once("::")
                .is_none_or(|(outer, _)| in_function(outer))
    }

    /// The paths in a text, with and without the crate's name.
    fn paths(&self, text: &str) -> Vec<String> {
        let paths = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
        let paths = paths.map(|p| p.trim_matches(':')).filter(|p| !p.is_empty());
        let both = |p: &str| {
            let rest = p.strip_prefix(self.source.crate_name);
            let own = rest.and_then(|rest| rest.strip_prefix("::"));
            own.into_iter()
                .chain([p])
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        paths.flat_map(both).collect()
    }
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let words = words.filter(|w| !w.is_empty());
    words.map(str::to_owned).collect()
}

/// What paths end or go on with: code names a function that stands in something by `of::name`. Fields are no functions.
fn names(text: &str) -> Vec<String> {
    let behind = text.split("::").skip(1);
    let behind = behind.map(|rest| rest.strip_prefix("r#").unwrap_or(rest));
    let name = |rest: &str| {
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
        rest[..end.unwrap_or(rest.len())].to_owned()
    };
    behind.map(name).filter(|name| !name.is_empty()).collect()
}

/// Without paths of std, whose types have other names than the crate's.
fn words_of_types(text: &str) -> Vec<String> {
    let paths = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    let own = paths.filter(|p| super::types::in_std(p).is_none());
    own.flat_map(words).collect()
}

/// Is there an object whose type is not known? What is formatted by one was named where it became one.
fn hides(text: &str) -> bool {
    let mut objects = text.split("dyn ").skip(1);
    objects.any(|of| {
        let formatted = ["fmt::Debug", "fmt::Display", "fmt::Write"];
        let path = super::types::in_std(of);
        !path.is_some_and(|p| formatted.iter().any(|name| p.starts_with(name)))
    })
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn fields_and_variables_name_no_function() {
        let text = "_0 = m::Buffer::<u8> { secret: move _1 }; _2 = <m::S as m::Tr>::r#match::<u8>(move secret) -> bb1;";
        assert_eq!(names(text), ["Buffer", "S", "Tr", "match"]);
    }
}
