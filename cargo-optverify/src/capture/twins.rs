//! Functions that MIR prints under one path: a macro's impls stand at one place. The first keeps the path, the others get
//! a number in it: `<impl at src/lib.rs:3:1: 3:9 #2>::get`. Every text of the whole crate has them in the order of their
//! definition, and so have the numbers in the names of dump files; that both mean the same is looked at.

use crate::capture::dumps::Dumps;
use crate::capture::mir_text::{function_path, functions};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The path of the `n`-th function of one path, counted from one.
pub fn name(path: &str, n: usize) -> Cow<'_, str> {
    match path.split_once("<impl at ").and_then(|(module, rest)| {
        let (span, rest) = rest.split_once('>')?;
        Some(format!("{module}<impl at {span} #{n}>{rest}"))
    }) {
        Some(numbered) if n > 1 => Cow::Owned(numbered),
        _ => Cow::Borrowed(path),
    }
}

/// `src/lib.rs:3:1: 3:9` of `src/lib.rs:3:1: 3:9 #2`.
pub fn without_number(span: &str) -> &str {
    span.split_once(" #").map_or(span, |(span, _)| span)
}

/// ` #2` of `m::<impl at src/lib.rs:3:1: 3:9 #2>::get`.
pub fn number(path: &str) -> &str {
    let inside = path
        .split_once("<impl at ")
        .and_then(|(_, rest)| rest.split_once('>'));
    let number = inside.and_then(|(span, _)| span.find(" #").map(|at| &span[at..]));
    number.unwrap_or("")
}

/// Can this function be told from others of its path? Closures are known by their place in the source.
fn can_be_numbered(path: &str) -> bool {
    path.contains("<impl at ") && !path.contains("::{")
}

/// A crate's text with every path once.
pub fn told_apart(mir: String) -> String {
    let mut seen: HashMap<(String, bool), usize> = HashMap::new();
    let mut ctfe = false;
    let mut out = String::with_capacity(mir.len());
    for line in mir.split_inclusive('\n') {
        if line.starts_with("// MIR FOR CTFE") {
            ctfe = true;
        }
        let path = function_path(line).filter(|path| can_be_numbered(path));
        let Some(path) = path else {
            if line.starts_with('}') {
                ctfe = false;
            }
            out.push_str(line);
            continue;
        };
        // a const fn is printed twice
        let n = seen.entry((path.to_owned(), ctfe)).or_default();
        *n += 1;
        out.push_str("fn ");
        out.push_str(&name(path, *n));
        out.push_str(&line["fn ".len() + path.len()..]);
    }
    out
}

/// From the dump files' stems to the paths of their functions. `stems`: the path that each file says.
pub fn of_stems(stems: &BTreeMap<String, String>) -> HashMap<String, String> {
    let mut by_path: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
    for (stem, path) in stems {
        by_path.entry(path).or_default().push(stem);
    }
    let mut names = HashMap::new();
    for (path, mut stems) in by_path {
        stems.sort_by_key(|stem| impl_number(stem));
        for (at, stem) in stems.into_iter().enumerate() {
            let n = if can_be_numbered(path) { at + 1 } else { 1 };
            names.insert(stem.clone(), name(path, n).into_owned());
        }
    }
    names
}

/// The numbers in `crate.m-{impl#12}-get`.
fn impl_number(stem: &str) -> Vec<u32> {
    let parts = stem.split("{impl").skip(1);
    let numbers = parts.map(|part| part.trim_start_matches('#').split('}').next());
    numbers
        .map(|n| n.and_then(|n| n.parse().ok()).unwrap_or(0))
        .collect()
}

/// The functions with twins whose last dump is not what the crate's text has under the same path.
pub fn mistaken(shipped: &str, dumps: &Dumps) -> BTreeSet<String> {
    let bodies = functions(shipped);
    let text: HashMap<&str, &str> = bodies.iter().map(|b| (b.path, b.text)).collect();
    let twins: BTreeSet<String> = (bodies.iter())
        .filter(|b| !number(b.path).is_empty())
        .map(|b| b.path.replacen(number(b.path), "", 1))
        .collect();
    let is_twin = |path: &str| twins.contains(&path.replacen(number(path), "", 1));
    let all = dumps.iter().filter(|(path, _)| is_twin(path));
    let wrong = all.filter(|(path, list)| {
        let last = list.last().and_then(|dump| functions(dump.body()).pop());
        let same = last.is_some_and(|last| text.get(path.as_str()) == Some(&last.text));
        !same
    });
    wrong.map(|(path, _)| path.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_keeps_its_path() {
        let text = "fn <impl at a.rs:1:2: 3:4>::f() -> u8 {\n}\n\n// MIR FOR CTFE\nfn <impl at a.rs:1:2: 3:4>::f() -> u8 {\n}\n\n\
                    fn <impl at a.rs:1:2: 3:4>::f() -> u16 {\n}\n\nfn g() -> u8 {\n}\n";
        let told = told_apart(text.to_owned());
        assert_eq!(told.matches("3:4>::f()").count(), 2);
        assert_eq!(told.matches("3:4 #2>::f() -> u16").count(), 1);
        assert!(told.contains("fn g() -> u8"));
    }

    #[test]
    fn files_are_numbered_as_numbers() {
        let path = "<impl at a.rs:1:2: 3:4>::f";
        let stems = ["c.{impl#9}-f", "c.{impl#10}-f"].map(|s| (s.to_owned(), path.to_owned()));
        let names = of_stems(&BTreeMap::from(stems));
        assert_eq!(names["c.{impl#9}-f"], path);
        assert_eq!(names["c.{impl#10}-f"], "<impl at a.rs:1:2: 3:4 #2>::f");
        assert_eq!(number(&names["c.{impl#10}-f"]), " #2");
    }
}
