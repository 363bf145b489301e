//! The little that the capture reads from MIR's text: which bodies there are, and which names they call.
//! Understanding MIR is the engine's task.

use std::collections::BTreeSet;

/// One `fn` of a `.mir` file.
pub struct BodyText<'a> {
    pub path: &'a str,
    pub text: &'a str,
}

/// Modules of std, as a path has them behind the crate's name.
const OF_STD: [&str; 31] = [
    "alloc",
    "any",
    "array",
    "ascii",
    "borrow",
    "boxed",
    "cell",
    "char",
    "clone",
    "cmp",
    "collections",
    "convert",
    "default",
    "fmt",
    "hash",
    "intrinsics",
    "iter",
    "marker",
    "mem",
    "num",
    "ops",
    "option",
    "ptr",
    "raw_vec",
    "rc",
    "result",
    "slice",
    "str",
    "string",
    "sync",
    "vec",
];

/// A text of MIR that rustc wrote.
pub fn read(path: impl AsRef<std::path::Path>) -> std::io::Result<String> {
    std::fs::read_to_string(path).map(with_std_named)
}

/// In a crate with `extern crate std as _` rustc prints `_::vec::Vec`. A constant `_` of the crate's own has no such modules.
pub fn with_std_named(text: String) -> String {
    const NAMELESS: &str = "_::";
    let begins_path = |at: usize| {
        let before = text[..at].chars().next_back();
        let module = text[at + NAMELESS.len()..].split("::").next();
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '\''))
            && module.is_some_and(|module| OF_STD.contains(&module))
            && !ends_in_literal(&text[..at])
    };
    let mut named = String::new();
    let mut done = 0;
    for (at, _) in text.match_indices(NAMELESS) {
        if begins_path(at) {
            named += &text[done..at];
            named += "std::";
            done = at + NAMELESS.len();
        }
    }
    if done == 0 {
        return text;
    }
    named + &text[done..]
}

/// Is a text literal still open where this ends?
pub fn ends_in_literal(text: &str) -> bool {
    let line = &text[text.rfind('\n').map_or(0, |end| end + 1)..];
    let quotes = line.replace("\\\\", "").replace("\\\"", "");
    quotes.matches('"').count() % 2 == 1
}

/// The bodies of statics, constants and promoteds of a whole-crate `.mir` file.
pub fn constants(mir: &str) -> String {
    let mut inside = false;
    let mut text = String::new();
    for line in mir.split_inclusive('\n') {
        let starts = ["static ", "const ", "promoted["];
        inside |= starts.iter().any(|s| line.starts_with(s));
        if inside {
            text += line;
        }
        let is_one_line = line.ends_with(";\n") && !line.starts_with(' ');
        inside &= line.trim_end() != "}" && !is_one_line;
    }
    text
}

/// The functions of a whole-crate `.mir` file (not its constants and statics).
pub fn functions(mir: &str) -> Vec<BodyText<'_>> {
    let mut bodies: Vec<BodyText<'_>> = Vec::new();
    let mut offset = 0;
    let mut open: Option<(usize, &str)> = None;
    let mut ctfe = false;
    for line in mir.split_inclusive('\n') {
        if line.starts_with("// MIR FOR CTFE") {
            ctfe = true;
        } else if let Some(path) = function_path(line) {
            open = Some((offset, path));
        } else if line.trim_end() == "}"
            && let Some((start, path)) = open.take()
        {
            // a const fn is printed twice; the second is what the compiler itself evaluates
            if !std::mem::take(&mut ctfe) {
                bodies.push(BodyText {
                    path,
                    text: &mir[start..offset + line.len()],
                });
            }
        }
        offset += line.len();
    }
    bodies
}

/// `m::f` of `fn m::f(_1: u32) -> u32 {`.
pub fn function_path(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("fn ")?;
    let end = rest.find("(_1:").or_else(|| rest.find("()"))?;
    Some(&rest[..end])
}

/// Last segments of everything that a body calls, has inlined or mentions as a function.
pub fn names_used(body: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for line in body.lines() {
        let code = line.split("//").next().unwrap_or(line).trim();
        if let Some(inlined) = code.split_once("(inlined ").map(|(_, rest)| rest) {
            let path = inlined.trim_end_matches([' ', '{', ')']);
            names.insert(last_segment(path.trim_start_matches("#[track_caller] ")));
        }
        if let Some(callee) = callee(code) {
            names.insert(last_segment(callee));
            // std's `Into` is `From` turned round
            if callee.ends_with(">::into") {
                names.insert("from".to_owned());
            }
        }
        // a drop runs the `Drop` impls of what it drops
        if code.starts_with("drop(") {
            names.insert("drop".to_owned());
        }
        // functions and closures as values
        if code.contains("{closure") {
            names.insert(last_segment(code.trim_end_matches(';')));
        }
        if code.contains("ReifyFnPointer")
            && let Some((_, value)) = code.split_once(" = ")
        {
            names.insert(last_segment(reified(value.trim_start_matches("const "))));
        }
    }
    names
}

/// `<P as Tr>::f` of `<P as Tr>::f as fn(&P) (PointerCoercion(ReifyFnPointer, ..))`: up to the `as` outside of brackets.
fn reified(value: &str) -> &str {
    let (mut depth, mut previous) = (0i32, ' ');
    for (at, c) in value.char_indices() {
        match c {
            '<' | '[' | '{' | '(' => depth += 1,
            '>' if previous != '-' => depth -= 1,
            ']' | '}' | ')' => depth -= 1,
            ' ' if depth == 0 && value[at..].starts_with(" as ") => return &value[..at],
            _ => {}
        }
        previous = c;
    }
    value
}

/// `std::mem::swap::<u32>` of `_3 = std::mem::swap::<u32>(move _1, move _2) -> [return: bb1, ..];`.
pub fn callee(code: &str) -> Option<&str> {
    // most lines have none of them
    code.find(") -> ")?;
    let arrow = code
        .find(") -> [return")
        .or_else(|| code.find(") -> unwind"))
        .or_else(|| code.find(") -> bb"))?;
    let call = &code[..arrow];
    let start = call.find(" = ").map_or(0, |at| at + 3);
    let call = &call[start..];
    // a function pointer that a constant holds
    let call = call.strip_prefix("const ").unwrap_or(call);
    // the argument list opens at the first parenthesis outside every bracket
    let mut depth = 0i32;
    let mut previous = ' ';
    for (at, c) in call.char_indices() {
        match c {
            '<' | '[' | '{' => depth += 1,
            '>' if previous != '-' => depth -= 1,
            ']' | '}' => depth -= 1,
            '(' if depth == 0 => return Some(call[..at].trim()).filter(|name| is_path(name)),
            _ => {}
        }
        previous = c;
    }
    None
}

fn is_path(name: &str) -> bool {
    !name.is_empty()
        && !["assert", "drop", "switchInt", "copy", "move", "no_retag"].contains(&name)
        && !name.starts_with("move ")
        && !name.starts_with("copy ")
}

/// `get` of `m::Foo::get::<u32>`, `f::{closure#0}` of `m::f::{closure#0}`.
pub fn last_segment(path: &str) -> String {
    let mut segments = Vec::new();
    let (mut depth, mut start, mut previous) = (0i32, 0, ' ');
    for (at, c) in path.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if previous != '-' => depth -= 1,
            ':' if depth == 0 && previous == ':' => {
                segments.push(&path[start..at - 1]);
                start = at + 1;
                // rustc prints some paths with four colons
                previous = ' ';
                continue;
            }
            _ => {}
        }
        previous = c;
    }
    segments.push(&path[start..]);
    // `::<u32>` are arguments; `<S as Trait>` and `<impl at a.rs:3:1: 3:16>` are names
    let first = segments.first().copied();
    let is_name = |s: &&str| !s.starts_with('<') || s.starts_with("<impl ") || first == Some(*s);
    segments.retain(is_name);
    match segments.as_slice() {
        [.., parent, last] if last.starts_with("{closure") => {
            let closure = last.split_inclusive('}').next().unwrap_or(last);
            format!("{}::{closure}", last_segment(parent))
        }
        [.., last] => (*last).to_owned(),
        [] => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn std_without_a_name_gets_its_own() {
        let text = "    _1 = <_::vec::Vec<u8> as _::clone::Clone>::clone(copy _2, const \"a \\\" _::vec::x\", const m_::vec::N) -> bb1;\nfn _::f() -> _::string::String {\n";
        let named = "    _1 = <std::vec::Vec<u8> as std::clone::Clone>::clone(copy _2, const \"a \\\" _::vec::x\", const m_::vec::N) -> bb1;\nfn _::f() -> std::string::String {\n";
        assert_eq!(with_std_named(text.to_owned()), named);
        assert_eq!(with_std_named(named.to_owned()), named);
    }

    #[test]
    fn finds_bodies_and_callees() {
        let mir = "fn a::f(_1: u32) -> u32 {\n    bb0: {\n        _2 = a::g::<u8>(copy _1) -> [return: bb1, unwind continue];\n    }\n}\n\nfn g() -> () {\n}\n";
        let bodies = functions(mir);
        assert_eq!(
            bodies.iter().map(|b| b.path).collect::<Vec<_>>(),
            ["a::f", "g"]
        );
        assert!(names_used(bodies[0].text).contains("g"));
        assert_eq!(
            callee("_1 = <Foo as Bar<(u8, u8)>>::go::<{a}>(move _2) -> bb3;"),
            Some("<Foo as Bar<(u8, u8)>>::go::<{a}>")
        );
        assert_eq!(callee("_1 = copy _2;"), None);
    }

    #[test]
    fn last_segments() {
        assert_eq!(last_segment("m::Foo::get::<u32>"), "get");
        assert_eq!(last_segment("get::<std::option::Option<u32>>"), "get");
        assert_eq!(last_segment("<m::S as m::Tr<u8>>::get"), "get");
        assert_eq!(last_segment("<impl at a.rs:3:1: 3:16>::get"), "get");
        assert_eq!(last_segment("m::f::{closure#0}"), "f::{closure#0}");
        assert_eq!(last_segment("core::::num::{impl#9}::get"), "get");
    }
}
