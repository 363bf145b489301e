//! The functions of the crate that a run of the root can come to, as far as names tell: those whose name stands in the
//! code of one that it comes to. A function that takes a type of the crate needs a value of it, which has that type in
//! the code too, unless objects hide it.

use super::Lowerer;
use super::instance::last_segment;
use crate::mir::{Body, BodyKind};
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
    /// Bodies as the user wrote them; all of them if the root is not among them.
    pub fn called(&self) -> Vec<&'a Body> {
        let all: Vec<&'a Body> = self
            .source
            .as_written
            .iter()
            .flat_map(|f| &f.bodies)
            .collect();
        let root = &self.instances[0].body.body.path;
        let (mut called, mut others): (Vec<&Body>, Vec<&Body>) = all
            .iter()
            .partition(|b| b.path == *root || b.kind != BodyKind::Fn);
        if !called.iter().any(|b| b.path == *root) {
            return all;
        }
        let mut named: HashSet<String> = BY_STD.iter().map(|s| (*s).to_owned()).collect();
        // pointers to functions in statics
        let allocs = self.source.as_written.iter().flat_map(|f| &f.allocs);
        for alloc in allocs {
            named.extend(words(&alloc.to_string()));
        }
        let mut typed = HashSet::new();
        let (mut read, mut hidden) = (0, false);
        while read < called.len() {
            for body in &called[read..] {
                let blocks = body.blocks.iter().map(|b| b.to_string());
                for text in blocks.chain(body.value.iter().map(|v| v.to_string())) {
                    hidden |= hides(&text);
                    named.extend(words(&text));
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
                let takes = b.args().flat_map(|a| words(&a.ty.to_string()));
                called.iter().any(inside)
                    || named.contains(name)
                        && (hidden || takes.collect::<Vec<_>>().iter().all(known))
            });
            called.extend(more);
            others = left;
        }
        called
    }
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let words = words.filter(|w| !w.is_empty());
    words.map(str::to_owned).collect()
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
        let formatted = ["std::fmt::Debug", "std::fmt::Display", "std::fmt::Write"];
        !formatted.iter().any(|name| of.starts_with(name))
    })
}
