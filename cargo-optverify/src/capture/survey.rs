//! `--all-functions`: every function of the crate as a root, where one value can stand for each parameter. What is
//! left out is kept with its reason: a team wants to know what it does not see.

use crate::capture::mir_text::{self, BodyText};
use crate::capture::{roots, twins};
use optverify_engine::capture::{ImplHeader, LeftOut, Root};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// Roots and the functions that are none.
#[derive(Default)]
pub struct Survey {
    pub roots: Vec<Root>,
    pub left_out: Vec<LeftOut>,
}

/// `marked`: the roots with `#[verify]`, which stay as they are.
pub fn all_functions(
    bodies: &[BodyText<'_>],
    marked: Vec<Root>,
    crate_name: &str,
    source_root: &Path,
) -> Survey {
    let mut sources = Sources::new(source_root);
    let mut survey = Survey::default();
    for body in bodies {
        let is_marked = marked.iter().any(|root| root.function == body.path);
        if is_marked || is_part_of_another(body.path) || is_constructor(body) {
            continue;
        }
        match sources.root(body, crate_name) {
            Ok(root) => survey.roots.push(root),
            Err(why) => survey.left_out.push(LeftOut {
                function: body.path.to_owned(),
                why: why.to_owned(),
            }),
        }
    }
    survey.roots.extend(marked);
    let place = |root: &Root| (root.file.clone(), root.line, root.name.clone());
    survey.roots.sort_by_key(place);
    survey
}

/// Closures and constants are verified where they are used; what `#[verify]` made is ours.
fn is_part_of_another(path: &str) -> bool {
    path.contains("::{") || path.contains("__optverify")
}

/// `Foo` of `struct Foo(u8)` is a function, but nobody wrote it.
fn is_constructor(body: &BodyText<'_>) -> bool {
    let mut lines = body.text.lines();
    let signature = lines.next().and_then(|line| line.rsplit_once(" -> "));
    let name = mir_text::last_segment(body.path);
    name.starts_with(char::is_uppercase)
        && signature.is_some_and(|(_, ty)| {
            let ty = ty.trim_end_matches(" {");
            let owner = body.path.rsplit_once("::").map_or("", |(owner, _)| owner);
            ty.starts_with(body.path) || !owner.is_empty() && ty.starts_with(owner)
        })
}

struct Sources<'a> {
    root: &'a Path,
    texts: HashMap<String, String>,
}

impl<'a> Sources<'a> {
    fn new(root: &'a Path) -> Self {
        let texts = HashMap::new();
        Sources { root, texts }
    }

    fn root(&mut self, body: &BodyText<'_>, crate_name: &str) -> Result<Root, &'static str> {
        let (file, line, column) = return_place(body.text).ok_or("code from nowhere")?;
        if file.starts_with("/rustc/") {
            return Err("its code is a macro's of std");
        }
        let header = roots::impl_of(body.path)
            .map(|span| roots::impl_header(span, self.root).ok_or("derived"))
            .transpose()?;
        if header.as_ref().is_some_and(|h| h.is_generic) {
            return Err("generic: no instance to verify");
        }
        let name = mir_text::last_segment(body.path);
        let text = self.text(file);
        let before = offset(text, line, column).map(|end| &text[..end]);
        let function = before.and_then(|text| FnHeader::last_named(text, &name));
        let mut at = line;
        match (function, before) {
            (Some(function), Some(text)) => {
                at = text[..function.start].lines().count().max(1) as u32;
                if function.is_unsafe {
                    return Err("unsafe fn: what its callers promise is not written down");
                }
                if function.is_async {
                    return Err("async: run by an executor");
                }
                if function.is_generic {
                    return Err("generic: no instance to verify");
                }
            }
            // A macro made its name: what the body mentions tells whether it is generic.
            _ if code(body.text).any(mentions_a_parameter) => {
                return Err("generic: no instance to verify");
            }
            _ if header.is_none() && body.path.contains("<impl") => return Err("derived"),
            _ => {}
        }
        let signature = signature(body.text).unwrap_or_default();
        if mentions_a_parameter(signature) || is_default_of_trait(body.path) {
            return Err("generic: no instance to verify");
        }
        if !first_order(signature) {
            return Err(
                "no value can stand for a parameter: pointers, functions, types of std with secrets",
            );
        }
        Ok(Root {
            name: format!("{crate_name}::{}", readable(body.path, header.as_ref())),
            function: body.path.to_owned(),
            file: file.to_owned(),
            line: at,
            harness: false,
            options: BTreeMap::new(),
        })
    }

    fn text(&mut self, file: &str) -> &str {
        let root = self.root;
        self.texts
            .entry(file.to_owned())
            .or_insert_with(|| std::fs::read_to_string(root.join(file)).unwrap_or_default())
    }
}

/// `m::Foo::get` of `m::<impl at src/lib.rs:3:1: 3:16>::get`.
fn readable(path: &str, header: Option<&ImplHeader>) -> String {
    let Some(header) = header else {
        return path.to_owned();
    };
    let Some((module, rest)) = path.split_once("<impl at ") else {
        return path.to_owned();
    };
    let rest = rest.split_once('>').map_or("", |(_, rest)| rest);
    let number = twins::number(path);
    format!("{module}{}{rest}{number}", roots::owner(header))
}

/// File, line and column where the return type stands, or would.
pub fn return_place(body: &str) -> Option<(&str, u32, u32)> {
    let line = body.lines().find(|line| line.contains("// return place"))?;
    let span = line.rsplit_once(" at ")?.1.trim();
    let start = span.rsplit_once(": ").map_or(span, |(start, _)| start);
    let (rest, column) = start.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    Some((file, line.parse().ok()?, column.parse().ok()?))
}

/// The byte at a line and column, both counted from one.
pub fn offset(text: &str, line: u32, column: u32) -> Option<usize> {
    let mut at = 0;
    for (number, content) in (1u32..).zip(text.split_inclusive('\n')) {
        if number == line {
            let within = content
                .char_indices()
                .nth(column.saturating_sub(1) as usize);
            return Some(at + within.map_or(content.len(), |(i, _)| i));
        }
        at += content.len();
    }
    None
}

struct FnHeader {
    start: usize,
    is_unsafe: bool,
    is_async: bool,
    is_generic: bool,
}

impl FnHeader {
    /// The last `fn name` of the text.
    fn last_named(text: &str, name: &str) -> Option<FnHeader> {
        let wanted = format!("fn {name}");
        let ends = |at: &usize| {
            let after = text[at + wanted.len()..].chars().next();
            after.is_none_or(|c| !c.is_alphanumeric() && c != '_')
        };
        let start = text.rmatch_indices(&wanted).map(|(at, _)| at).find(ends)?;
        let rest = text[start + wanted.len()..].trim_start();
        let line = text[..start]
            .rfind(['\n', '{', '}', ';'])
            .map_or(0, |at| at + 1);
        let words: Vec<&str> = text[line..start].split_whitespace().collect();
        Some(FnHeader {
            start,
            is_unsafe: words.contains(&"unsafe"),
            is_async: words.contains(&"async"),
            is_generic: roots::generics(rest).is_some_and(|(list, _)| has_types(list)),
        })
    }
}

/// `'a, T: Copy` has more than lifetimes.
pub fn has_types(generics: &str) -> bool {
    let mut depth = 0i32;
    let parts = generics.split(|c| {
        depth += match c {
            '<' | '(' | '[' => 1,
            '>' | ')' | ']' => -1,
            _ => 0,
        };
        c == ',' && depth == 0
    });
    let mut parts = parts.map(str::trim).filter(|part| !part.is_empty());
    parts.any(|part| !part.starts_with('\''))
}

/// The lines without their comments.
fn code(body: &str) -> impl Iterator<Item = &str> {
    let lines = body.lines();
    lines.map(|line| line.split("//").next().unwrap_or(line))
}

/// `(_1: u32, _2: &[u8]) -> T` of the first line.
fn signature(body: &str) -> Option<&str> {
    let line = body.lines().next()?;
    line.find("(_1:").map(|at| &line[at..])
}

/// Does a type stand for others: `Self`, `impl Fn()`, a lone capital letter?
fn mentions_a_parameter(signature: &str) -> bool {
    let words = signature.split(|c: char| !c.is_alphanumeric() && c != '_');
    let mut lone = words.filter(|w| *w == "Self" || *w == "impl" || is_lone_capital(w));
    lone.next().is_some()
}

/// `Trait::method` of `m::Trait::method`: modules have no capital letters, and types have impls.
fn is_default_of_trait(path: &str) -> bool {
    let owner = path.rsplit("::").nth(1);
    !path.contains('<') && owner.is_some_and(|owner| owner.starts_with(char::is_uppercase))
}

/// Are the parameters numbers, text and what is built of them?
fn first_order(signature: &str) -> bool {
    let parameters = signature
        .rsplit_once(" -> ")
        .map_or(signature, |(parameters, _)| parameters);
    let words = ["dyn ", "fn(", "*const ", "*mut "];
    if words.iter().any(|word| parameters.contains(word)) {
        return false;
    }
    let separators = |c: char| !c.is_alphanumeric() && c != '_' && c != ':';
    let paths = parameters
        .split(separators)
        .map(|path| path.trim_matches(':'));
    let of_std = paths.filter_map(|path| {
        let (of, rest) = path.split_once("::")?;
        ["std", "core", "alloc"].contains(&of).then_some(rest)
    });
    let mut secret = of_std.filter(|path| !PLAIN.iter().any(|plain| path.starts_with(plain)));
    secret.next().is_none()
}

/// Types of std any of whose fields may have any value, and those that the engine knows (`lower/container.rs`).
const PLAIN: &[&str] = &[
    "borrow::Cow",
    "boxed::Box",
    "cmp::Ordering",
    "cmp::Reverse",
    "marker::PhantomData",
    "num::NonZero",
    "num::Saturating",
    "num::Wrapping",
    "ops::Bound",
    "ops::ControlFlow",
    "ops::Range",
    "option::Option",
    "result::Result",
    "slice::Iter",
    "str::Chars",
    "string::String",
    "time::Duration",
    "vec::Vec",
];

fn is_lone_capital(word: &str) -> bool {
    word.len() == 1 && word.starts_with(|c: char| c.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generics_are_more_than_lifetimes() {
        assert!(!has_types("'a, 'b: 'a"));
        assert!(has_types("'a, T: Into<Vec<u8>>"));
        assert!(has_types("const N: usize"));
        assert!(!has_types(""));
    }

    #[test]
    fn headers_are_found_before_the_return_type() {
        let text = "fn get(x: u8) {}\npub unsafe fn get_all<T>(x: T)";
        let all = FnHeader::last_named(text, "get_all").expect("a header");
        assert!(all.is_unsafe && all.is_generic);
        let get = FnHeader::last_named(text, "get").expect("a header");
        assert!(!get.is_unsafe && !get.is_generic && get.start == 0);
    }

    #[test]
    fn return_places() {
        let body = "fn f(_1: u8) -> u8 {\n    let mut _0: u8;                      // return place in scope 0 at src/a.rs:3:17: 3:19\n";
        assert_eq!(return_place(body), Some(("src/a.rs", 3, 17)));
        assert!(first_order(
            "(_1: &[u8], _2: std::option::Option<u8>) -> std::string::String {"
        ));
        assert!(!first_order("(_1: &mut core::fmt::Formatter<'_>) -> u8 {"));
        assert!(!first_order("(_1: *const u8) -> u8 {"));
        assert!(mentions_a_parameter("(_1: T) -> u8"));
        assert!(!mentions_a_parameter(
            "(_1: &Table) -> std::option::Option<u8>"
        ));
    }
}
