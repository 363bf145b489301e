//! The texts of an instance: bodies, promoted constants and tables, cut out of the crate's and written anew.

use super::find::CONST;
use super::substitute::{Bindings, substitute};
use crate::capture::mir_text::{callee, ends_in_literal, functions};
use std::collections::BTreeSet;

/// How the bodies of one instance come from generic ones.
pub struct Rule {
    /// From a body's path to the instance's: the function and its closures.
    pub names: Vec<(String, String)>,
    /// From a closure's type to one of its own: rustc prints that of all instances alike.
    pub closures: Vec<(String, String)>,
    pub bindings: Bindings,
    /// Has the crate impls of `Into` of its own?
    pub own_into: bool,
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
    let text = substitute(&text, &rule.bindings);
    match rule.own_into {
        true => text,
        false => by_from(&text),
    }
}

/// `<A as Into<B>>::into` is `<B as From<A>>::from`, wherever nobody implements `Into` itself: std's only impl of it says so.
fn by_from(text: &str) -> String {
    let mut out = String::new();
    let mut done = 0;
    for (at, _) in text.match_indices(INTO) {
        let krate = ["std", "core"]
            .into_iter()
            .find(|k| text[..at].ends_with(k));
        let before = krate.and_then(|k| text[..at - k.len()].strip_suffix(" as "));
        let Some((krate, before)) = krate.zip(before) else {
            continue;
        };
        let rest = &text[at + INTO.len()..];
        let (Some(start), Some(end)) = (opening(before), unmatched(rest)) else {
            continue;
        };
        let in_literal = ends_in_literal(&text[..start]);
        if start < done || in_literal || !rest[end..].starts_with(BY_INTO) {
            continue;
        }
        let (from, into) = (&before[start + 1..], &rest[..end]);
        out += &text[done..start];
        out += &format!("<{into} as {krate}::convert::From<{from}>>::from");
        done = at + INTO.len() + end + BY_INTO.len();
    }
    out + &text[done..]
}

const INTO: &str = "::convert::Into<";
const BY_INTO: &str = ">>::into";

/// Where the angle bracket is that is still open at the end.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 0i32;
    for (at, c) in text.char_indices().rev() {
        match c {
            '>' if !text[..at].ends_with('-') => depth += 1,
            '<' if depth == 0 => return Some(at),
            '<' => depth -= 1,
            '\n' => return None,
            _ => {}
        }
    }
    None
}

/// Where an angle bracket is closed that was not opened here.
fn unmatched(text: &str) -> Option<usize> {
    let mut depth = 0i32;
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if text[..at].ends_with('-') => {}
            '>' if depth == 0 => return Some(at),
            '>' => depth -= 1,
            '\n' => return None,
            _ => {}
        }
    }
    None
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

#[cfg(test)]
mod tests {
    use super::by_from;

    #[test]
    fn into_is_from_turned_round() {
        let same = |from: &str, to: &str| assert_eq!(by_from(from), to);
        same(
            "_2 = <u32 as std::convert::Into<m::Meters>>::into(move _1) -> bb1; // Into",
            "_2 = <m::Meters as std::convert::From<u32>>::from(move _1) -> bb1; // Into",
        );
        same(
            "fn(&[G<u8>; 2]) {<&[G<u8>; 2] as core::convert::Into<fn() -> V<V<u8>>>>::into}, <u8 as core::convert::Into<X>>::into",
            "fn(&[G<u8>; 2]) {<fn() -> V<V<u8>> as core::convert::From<&[G<u8>; 2]>>::from}, <X as core::convert::From<u8>>::from",
        );
        for text in [
            "<u32 as mine::convert::Into<X>>::into(move _1)",
            "<u32 as std::convert::Into<X>>::other(move _1)",
            "_1 = const \"<u32 as std::convert::Into<X>>::into\";",
            "_1 = const \"\\\"<u32 as std::convert::Into<X>>::into\";",
            "_1 = copy _2 as std::convert::Into<X>",
        ] {
            same(text, text);
        }
    }
}
