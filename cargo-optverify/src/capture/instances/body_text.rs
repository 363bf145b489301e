//! The texts of an instance: bodies, promoted constants and tables, cut out of the crate's and written anew.

use super::find::CONST;
use super::substitute::{Bindings, substitute};
use crate::capture::mir_text::{callee, functions};
use std::collections::BTreeSet;

/// How the bodies of one instance come from generic ones.
pub struct Rule {
    /// From a body's path to the instance's: the function and its closures.
    pub names: Vec<(String, String)>,
    /// From a closure's type to one of its own: rustc prints that of all instances alike.
    pub closures: Vec<(String, String)>,
    pub bindings: Bindings,
}

/// The function of a text under another name, its parameters replaced.
pub fn instance(text: &str, path: &str, name: &str, rule: &Rule) -> Option<String> {
    let body = functions(text).into_iter().find(|b| b.path == path)?;
    let rest = body.text.strip_prefix(&format!("fn {path}("))?;
    Some(format!("fn {name}({}", replaced(rest, rule)))
}

pub fn replaced(text: &str, rule: &Rule) -> String {
    let mut text = text.to_owned();
    for (closure, own) in &rule.closures {
        text = text.replace(&format!("{{{closure}}}"), &format!("{{{own}}}"));
    }
    substitute(&text, &rule.bindings)
}

/// The promoted constants of a generic function, for one instance.
pub fn promoted(whole: &str, path: &str, name: &str, rule: &Rule) -> String {
    let header = format!("const {path}::promoted[");
    let mut out = String::new();
    for (at, _) in whole.match_indices(&format!("\n{header}")) {
        let item = &whole[at + 1..];
        let end = item.find("\n}").map_or(item.len(), |end| end + 2);
        let rest = replaced(&item[header.len()..end], rule);
        out += &format!("\nconst {name}::promoted[{rest}\n");
    }
    out
}

/// `closure@src/lib.rs:1:2: 3:4`, the type of a closure's first parameter.
pub fn closure_type(body: &str) -> Option<&str> {
    let (_, rest) = body.lines().next()?.split_once("(_1: ")?;
    let rest = rest
        .trim_start_matches(['&', ' '])
        .trim_start_matches("mut ");
    rest.strip_prefix('{')?.split('}').next()
}

/// The tables of a text, which its bodies name.
pub fn allocations(text: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for line in text.split_inclusive('\n') {
        if line.starts_with("alloc") {
            inside = true;
            out.push('\n');
        }
        if inside {
            out += line;
        }
        if line.trim_end().ends_with('}') {
            inside = false;
        }
    }
    out
}

pub fn calls_in(text: &str) -> impl Iterator<Item = &str> {
    let code = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or(line));
    code.filter_map(|code| callee(code.trim()))
}

/// The constants of traits that a text names: `<A as Trait>::NAME`.
pub fn constants_in(text: &str) -> BTreeSet<String> {
    let start = format!("{CONST}<");
    let found = text.match_indices(&start).filter_map(|(at, _)| {
        let rest = &text[at + CONST.len()..];
        let line = rest.lines().next()?;
        let (inside, after) = crate::capture::roots::generics(line)?;
        let name = after.strip_prefix("::")?;
        let end = name.find(|c: char| !c.is_alphanumeric() && c != '_')?;
        inside
            .contains(" as ")
            .then(|| line[..inside.len() + 4 + end].to_owned())
    });
    found.collect()
}
