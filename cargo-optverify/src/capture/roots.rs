//! The roots of a crate, read from the markers that `#[verify]` left in its MIR.

use crate::capture::survey;
use optverify_engine::capture::{ImplHeader, Root};
use std::collections::BTreeMap;
use std::path::Path;

const MARKER: &str = "::__OPTVERIFY_ROOT: &str = const \"optverify-root|";

/// The roots in the order of the source. `source_root`: where relative file names start.
pub fn find(mir: &str, source_root: &Path) -> Vec<Root> {
    let mut roots: Vec<Root> = mir
        .lines()
        .filter_map(|line| parse_marker(line, source_root))
        .collect();
    roots.sort_by(|a, b| (&a.file, a.line, &a.name).cmp(&(&b.file, b.line, &b.name)));
    roots
}

fn parse_marker(line: &str, source_root: &Path) -> Option<Root> {
    let (function, rest) = line.strip_prefix("const ")?.split_once(MARKER)?;
    let fields = rest
        .strip_suffix("\";")?
        .replace("\\\"", "\"")
        .replace("\\\\", "\\");
    let mut options: BTreeMap<String, String> = fields
        .split('|')
        .filter_map(|field| field.split_once('='))
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect();
    let module = options.remove("module")?;
    let name = options.remove("fn")?;
    let at = options.remove("at")?;
    let (file, line) = at.rsplit_once(':')?;
    let harness = options.remove("harness").is_some();
    let instance = options
        .remove("instance")
        .map(|i| format!("::<{i}>"))
        .unwrap_or_default();
    let owner = impl_of(function)
        .map(|span| {
            impl_header(span, source_root).map_or("<impl>".to_owned(), |header| owner(&header))
        })
        .map(|owner| format!("{owner}::"))
        .unwrap_or_default();
    Some(Root {
        name: format!("{module}::{owner}{name}{instance}"),
        function: function.to_owned(),
        file: file.to_owned(),
        line: line.parse().ok()?,
        harness,
        options,
    })
}

/// `src/lib.rs:3:1: 3:16` of `m::<impl at src/lib.rs:3:1: 3:16>::get`.
pub fn impl_of(path: &str) -> Option<&str> {
    let (_, rest) = path.split_once("<impl at ")?;
    rest.split_once('>').map(|(span, _)| span)
}

/// How a report names the impl's functions: `Foo`, `<Foo as Trait>`.
pub fn owner(header: &ImplHeader) -> String {
    match &header.trait_path {
        Some(trait_path) => format!("<{} as {trait_path}>", header.type_path),
        None => header.type_path.clone(),
    }
}

/// Reads the header of an `impl` from the source text at its span.
pub fn impl_header(span: &str, source_root: &Path) -> Option<ImplHeader> {
    // file:line:column: line:column
    let (rest, end_column) = span.rsplit_once(':')?;
    let (rest, end_line) = rest.rsplit_once(": ")?;
    let (rest, column) = rest.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    let [line, column, end_line, end_column] =
        [line, column, end_line, end_column].map(|n| n.trim().parse::<usize>().ok());
    let (line, column, end_line, end_column) = (line?, column?, end_line?, end_column?);
    let source = std::fs::read_to_string(source_root.join(file)).ok()?;
    let mut header = String::new();
    for (number, text) in source.lines().enumerate().map(|(n, text)| (n + 1, text)) {
        if number < line || number > end_line {
            continue;
        }
        let from = if number == line { column - 1 } else { 0 };
        let to = if number == end_line {
            end_column - 1
        } else {
            usize::MAX
        };
        header.extend(
            text.chars()
                .enumerate()
                .filter(|(i, _)| *i >= from && *i < to)
                .map(|(_, c)| c),
        );
        header.push(' ');
    }
    parse_header(&header)
}

fn parse_header(header: &str) -> Option<ImplHeader> {
    let rest = header
        .trim()
        .trim_start_matches("unsafe ")
        .strip_prefix("impl")?;
    let (is_generic, rest) = match generics(rest) {
        Some((list, rest)) => (survey::has_types(list), rest),
        None if rest.starts_with('<') => return None,
        None => (false, rest),
    };
    let rest = rest.split(" where ").next()?.trim();
    let mut depth = 0i32;
    let mut split = None;
    for (at, c) in rest.char_indices() {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth -= 1,
            ' ' if depth == 0 && rest[at..].starts_with(" for ") => split = Some(at),
            _ => {}
        }
    }
    Some(match split {
        Some(at) => ImplHeader {
            trait_path: Some(rest[..at].trim().to_owned()),
            type_path: rest[at + 5..].trim().to_owned(),
            is_generic,
        },
        None => ImplHeader {
            trait_path: None,
            type_path: rest.to_owned(),
            is_generic,
        },
    })
}

/// What stands in the angle brackets that the text begins with, and what follows them.
pub fn generics(text: &str) -> Option<(&str, &str)> {
    let end = text.starts_with('<').then(|| closing_angle(text))??;
    Some((&text[1..end], &text[end + 1..]))
}

fn closing_angle(text: &str) -> Option<usize> {
    let (mut depth, mut previous) = (0i32, ' ');
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if previous != '-' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
        previous = c;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_marker() {
        let line = "const m::f::__OPTVERIFY_ROOT: &str = const \"optverify-root|module=b::m|fn=f|at=src/b.rs:17|timeout=10s\";";
        let root = parse_marker(line, Path::new(".")).expect("a marker");
        assert_eq!(
            (root.name.as_str(), root.function.as_str(), root.line),
            ("b::m::f", "m::f", 17)
        );
        assert_eq!(root.options["timeout"], "10s");
    }

    #[test]
    fn impl_headers() {
        assert_eq!(owner(&parse_header("impl S").expect("header")), "S");
        assert_eq!(
            owner(
                &parse_header("impl<T: Fn() -> u8> Tr<T> for a::S<T> where T: Copy")
                    .expect("header")
            ),
            "<a::S<T> as Tr<T>>"
        );
    }
}
