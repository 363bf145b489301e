//! The parameters of generic items, read from the source: MIR's text has a generic body's uses of them but no list.

use super::source_text::{closing, without_text};
use crate::capture::mir_text::{BodyText, last_segment};
use crate::capture::survey::return_place;
use optverify_engine::capture::ImplHeader;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A type parameter, or a constant with its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    pub name: String,
    pub constant_of: Option<String>,
}

/// `'a, T: Copy, const N: usize` without lifetimes. Nothing where a part is not understood.
pub fn parameters(list: &str) -> Option<Vec<Parameter>> {
    let parts = split(list).into_iter().map(str::trim);
    let parts = parts.filter(|part| !part.is_empty() && !part.starts_with('\''));
    parts.map(parameter).collect()
}

fn parameter(part: &str) -> Option<Parameter> {
    let (constant, part) = match part.strip_prefix("const ") {
        Some(rest) => (true, rest.trim_start()),
        None => (false, part),
    };
    let end = part.find(|c: char| !c.is_alphanumeric() && c != '_');
    let (name, rest) = part.split_at(end.unwrap_or(part.len()));
    let ty = || {
        let rest = rest.trim_start().strip_prefix(':')?;
        Some(rest.split('=').next()?.trim().to_owned())
    };
    if name.is_empty() {
        return None;
    }
    Some(Parameter {
        name: name.to_owned(),
        constant_of: if constant { Some(ty()?) } else { None },
    })
}

/// The parameters without a name, `impl Tr`, that a body's first line has: they come after those with one. Nothing where
/// something else may print like one.
pub fn anonymous(body: &str) -> Option<Vec<Parameter>> {
    let header = body.lines().next()?;
    let Some(start) = header.find("(_1: ") else {
        return Some(vec![]);
    };
    let list = &header[start..];
    let end = closing(list)?;
    let (list, result) = (&list[1..end - 1], &list[end..]);
    let mut found: Vec<Parameter> = vec![];
    let mut at = 0;
    while let Some(next) = list[at..].find(super::substitute::ANONYMOUS) {
        at += next;
        let name = first_type(&list[at..]);
        at += name.len();
        found.push(Parameter {
            name: name.to_owned(),
            constant_of: None,
        });
    }
    // the type of a result is hidden by the same words
    let alike = |(n, parameter): (usize, &Parameter)| {
        let mut others = found[..n].iter();
        others.any(|other| {
            let begins =
                |a: &Parameter, b: &Parameter| a.name != b.name && b.name.starts_with(&a.name);
            begins(other, parameter) || begins(parameter, other)
        })
    };
    let told = found.is_empty() || !result.contains(super::substitute::ANONYMOUS);
    (told && !found.iter().enumerate().any(alike)).then_some(found)
}

/// Up to the comma or bracket that ends it.
fn first_type(text: &str) -> &str {
    let (mut depth, mut previous) = (0i32, ' ');
    for (at, c) in text.char_indices() {
        match c {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' if previous == '-' => {}
            ',' | ';' | '>' | ')' | ']' | '}' if depth == 0 => return &text[..at],
            '>' | ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        previous = c;
    }
    text
}

/// Cuts at the commas outside of brackets.
pub fn split(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut previous) = (0i32, 0, ' ');
    let mut parts = vec![];
    for (at, c) in list.char_indices() {
        match c {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' if previous == '-' => {}
            '>' | ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        previous = c;
    }
    parts.push(&list[start..]);
    parts
}

/// The files that bodies come from.
pub struct Sources {
    root: PathBuf,
    texts: HashMap<String, String>,
}

impl Sources {
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            texts: HashMap::new(),
        }
    }

    pub fn text(&mut self, file: &str) -> &str {
        let root = &self.root;
        let read = || std::fs::read_to_string(root.join(file)).unwrap_or_default();
        self.texts.entry(file.to_owned()).or_insert_with(read)
    }

    /// The parameters of the function itself, from the header that ends where its return type begins.
    pub fn of_function(&mut self, body: &str, name: &str) -> Option<Vec<Parameter>> {
        let before = without_text(self.before_return_type(body)?);
        parameters(header(&before, name)?)
    }

    fn before_return_type(&mut self, body: &str) -> Option<&str> {
        let (file, line, column) = return_place(body)?;
        let text = self.text(file);
        let end = crate::capture::survey::offset(text, line, column)?;
        Some(&text[..end])
    }
}

/// Which functions have no parameters, surely.
pub struct Generic<'a> {
    bodies: HashMap<&'a str, &'a str>,
    sources: Sources,
}

impl<'a> Generic<'a> {
    pub fn new(bodies: &[BodyText<'a>], root: &Path) -> Self {
        Self {
            bodies: bodies.iter().map(|b| (b.path, b.text)).collect(),
            sources: Sources::new(root),
        }
    }

    /// Has the function around a closure no parameters, and neither its impl nor a trait?
    pub fn is_plain(&mut self, closure: &str, header: Option<&ImplHeader>) -> bool {
        let function = closure.split("::{closure").next().unwrap_or(closure);
        let owner = function.rsplit("::").nth(1);
        let in_impl = function.contains("<impl at ");
        let of_trait = !in_impl && owner.is_some_and(|o| o.starts_with(char::is_uppercase));
        let fixed = match in_impl {
            true => header.is_some_and(|h| !h.is_generic),
            false => !of_trait && !function.contains('<'),
        };
        let Some(body) = self.bodies.get(function).filter(|_| fixed) else {
            return false;
        };
        let own = self.sources.of_function(body, &last_segment(function));
        let signature = body.lines().next().and_then(|l| l.split_once("(_1:"));
        let of_any = signature.is_some_and(|(_, types)| types.contains("impl "));
        own.is_some_and(|own| own.is_empty()) && !of_any
    }
}

/// The list in the angle brackets of the header `fn name<..>(..) ->` that ends the text. A macro's function has none: what
/// stands before its return type is not its header.
fn header<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let start = last_item(text, "fn", name)?;
    let list = angle_brackets(&text[start..])?;
    let rest = text[start..].trim_start();
    let rest = match rest.starts_with('<') {
        true => &rest[list.len() + 2..],
        false => rest,
    };
    let rest = rest.trim_start();
    let end = rest.starts_with('(').then(|| closing(rest)).flatten()?;
    let after = rest[end..].trim();
    matches!(after, "" | "->").then_some(list)
}

/// The byte after the last `keyword name`.
fn last_item(text: &str, keyword: &str, name: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let ends = text.rmatch_indices(name).map(|(at, _)| at);
    let mut found = ends.filter(|&at| {
        let before = text[..at].trim_end();
        before.len() < at
            && before.ends_with(keyword)
            && !before[..before.len() - keyword.len()].ends_with(is_part)
            && !text[at + name.len()..].starts_with(is_part)
    });
    found.next().map(|at| at + name.len())
}

/// What stands in the angle brackets that the text begins with; empty where it begins with none.
fn angle_brackets(text: &str) -> Option<&str> {
    let text = text.trim_start();
    if !text.starts_with('<') {
        return Some("");
    }
    crate::capture::roots::generics(text).map(|(list, _)| list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        let list =
            parameters("'a, T: Into<Vec<(u8, u8)>> + 'a, const N: usize = 3, F: Fn(u8) -> u8");
        let names: Vec<String> = list.expect("a list").into_iter().map(|p| p.name).collect();
        assert_eq!(names, ["T", "N", "F"]);
        let constant = parameters("const N: usize").expect("a list");
        assert_eq!(constant[0].constant_of.as_deref(), Some("usize"));
        assert_eq!(parameters("").expect("a list"), []);
    }

    #[test]
    fn parameters_without_a_name() {
        let names = |line: &str| {
            let found = anonymous(line)?;
            Some(found.into_iter().map(|p| p.name).collect::<Vec<_>>())
        };
        let two = "fn f(_1: impl Vector, _2: &mut impl FnMut(u8, u8) -> u8, _3: u8) -> u64 {";
        let expected = ["impl Vector", "impl FnMut(u8, u8) -> u8"].map(str::to_owned);
        assert_eq!(names(two), Some(expected.to_vec()));
        assert_eq!(names("fn f(_1: u8) -> impl Vector {"), Some(vec![]));
        assert_eq!(names("fn f() -> u8 {"), Some(vec![]));
        let inside = "fn f(_1: [impl Tr<[u8; 2]>; N], _2: (impl Step, u8)) -> u8 {";
        let expected = ["impl Tr<[u8; 2]>", "impl Step"].map(str::to_owned);
        assert_eq!(names(inside), Some(expected.to_vec()));
        assert_eq!(
            names("fn f(_1: impl Vector, _2: impl Vector + Copy) {"),
            None
        );
        assert_eq!(names("fn f(_1: impl Vector) -> impl Vector {"), None);
    }

    #[test]
    fn headers_end_the_text() {
        let list = |text, name| header(text, name);
        assert_eq!(
            list("fn g() {} pub fn f<T, const N: usize>(x: [T; N]) -> ", "f"),
            Some("T, const N: usize")
        );
        assert_eq!(list("fn f(x: u8) ", "f"), Some(""));
        // a macro's function: another one of the name came before
        assert_eq!(
            list("fn f<T>(x: T) -> T { x }\nfn $name<A, B>(x: A) -> ", "f"),
            None
        );
        assert_eq!(list("fn ff<T>(x: T) -> ", "f"), None);
    }
}
