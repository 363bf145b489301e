//! The roots of a crate, read from the markers that `#[verify]` left in its MIR.

use crate::capture::{instances, survey, twins};
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
    // a macro's functions stand at one place, and so do their markers
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for root in &mut roots {
        let n = seen.entry(root.function.clone()).or_default();
        *n += 1;
        root.function = twins::name(&root.function, *n).into_owned();
        root.name += twins::number(&root.function);
    }
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

/// `src/lib.rs:3:1: 3:16` of `m::<impl at src/lib.rs:3:1: 3:16>::get`, also of its closures. What stands inside of a method
/// is of no impl.
pub fn impl_of(path: &str) -> Option<&str> {
    let (_, rest) = path.rsplit_once("<impl at ")?;
    let (span, item) = rest.split_once('>')?;
    let mut inner = item.strip_prefix("::")?.split("::").skip(1);
    inner.all(|part| part.starts_with('{')).then_some(span)
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
    parse_header(&Span::read(span)?.text(source_root)?.0)
}

/// The same, also of an impl that a `derive` stands for.
pub fn any_impl_header(span: &str, source_root: &Path) -> Option<ImplHeader> {
    let (text, after) = Span::read(span)?.text(source_root)?;
    parse_header(&text).or_else(|| derived_header(&text, &after))
}

/// `src/lib.rs:3:1: 3:16`
struct Span<'a> {
    file: &'a str,
    start: (u32, u32),
    end: (u32, u32),
}

impl<'a> Span<'a> {
    fn read(span: &'a str) -> Option<Self> {
        let span = twins::without_number(span);
        let (rest, end_column) = span.rsplit_once(':')?;
        let (rest, end_line) = rest.rsplit_once(": ")?;
        let (rest, column) = rest.rsplit_once(':')?;
        let (file, line) = rest.rsplit_once(':')?;
        let number = |text: &str| text.trim().parse::<u32>().ok();
        Some(Span {
            file,
            start: (number(line)?, number(column)?),
            end: (number(end_line)?, number(end_column)?),
        })
    }

    /// The text itself on one line, and what follows it.
    fn text(&self, source_root: &Path) -> Option<(String, String)> {
        let source = std::fs::read_to_string(source_root.join(self.file)).ok()?;
        let start = survey::offset(&source, self.start.0, self.start.1)?;
        let end = survey::offset(&source, self.end.0, self.end.1)?;
        let text = source.get(start..end)?.replace('\n', " ");
        Some((text, source[end..].to_owned()))
    }
}

/// What stands after `struct`, `enum` or `union`, if nothing but attributes and a visibility comes before: a macro may
/// have put the attribute to an item from elsewhere.
fn item_after(attribute: &str) -> Option<&str> {
    let mut rest = attribute[attribute.find(']')? + 1..].trim_start();
    loop {
        if rest.starts_with("#[") {
            rest = rest[rest.find(']')? + 1..].trim_start();
        } else if let Some(after) = rest.strip_prefix("pub") {
            let after = after.trim_start();
            rest = match after.strip_prefix('(') {
                Some(inside) => inside[inside.find(')')? + 1..].trim_start(),
                None => after,
            };
        } else {
            let words = ["struct ", "enum ", "union "];
            return words
                .iter()
                .find_map(|word| rest.strip_prefix(word))
                .map(str::trim_start);
        }
    }
}

/// What std derives is an impl of the trait of that name; other macros may make any.
const DERIVED: &[&str] = &[
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Eq",
    "Hash",
    "Ord",
    "PartialEq",
    "PartialOrd",
];

/// `Clone` of `#[derive(Clone, Copy)] struct Foo<T>`: the type is the next one after it.
fn derived_header(text: &str, after: &str) -> Option<ImplHeader> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    if !DERIVED.contains(&text) {
        return None;
    }
    let near = after
        .char_indices()
        .nth(4000)
        .map_or(after.len(), |(at, _)| at);
    let after = instances::without_text(&after[..near]);
    let item = item_after(&after)?;
    let end = item.find(|c| !is_name(c))?;
    let (name, rest) = item.split_at(end);
    let list = match generics(rest.trim_start()) {
        Some((list, _)) => list,
        None => "",
    };
    let parameters = instances::parameters(list)?;
    let names: Vec<String> = parameters.into_iter().map(|p| p.name).collect();
    Some(ImplHeader {
        trait_path: Some(text.to_owned()),
        type_path: match names.is_empty() {
            true => name.to_owned(),
            false => format!("{name}<{}>", names.join(", ")),
        },
        is_generic: !names.is_empty(),
        generics: list.to_owned(),
    })
}

pub fn parse_header(header: &str) -> Option<ImplHeader> {
    let rest = header
        .trim()
        .trim_start_matches("unsafe ")
        .strip_prefix("impl")?;
    let (list, rest) = match generics(rest) {
        None if rest.starts_with('<') => return None,
        found => found.unwrap_or(("", rest)),
    };
    let is_generic = survey::has_types(list);
    let generics = list.to_owned();
    let rest = rest.split(" where ").next()?.trim();
    let mut depth = 0i32;
    let mut split = None;
    // the place of a macro's impl may be all of it
    let mut end = rest.len();
    for (at, c) in rest.char_indices() {
        match c {
            '{' if depth == 0 => {
                end = at;
                break;
            }
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth -= 1,
            ' ' if depth == 0 && rest[at..].starts_with(" for ") => split = Some(at),
            _ => {}
        }
    }
    Some(match split {
        Some(at) => ImplHeader {
            trait_path: Some(rest[..at].trim().to_owned()),
            type_path: rest[at + 5..end].trim().to_owned(),
            is_generic,
            generics,
        },
        None => ImplHeader {
            trait_path: None,
            type_path: rest[..end].trim().to_owned(),
            is_generic,
            generics,
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
    fn derived_headers() {
        let header = |text, after| derived_header(text, after).map(|h| owner(&h));
        let after = ", Copy)]\n#[repr(u8)] // an enum or so\npub struct Foo<'a, T: Copy, const N: usize>([T; N]);";
        assert_eq!(
            header("Clone", after).as_deref(),
            Some("<Foo<T, N> as Clone>")
        );
        assert_eq!(
            header("Eq", ")] enum E { A }").as_deref(),
            Some("<E as Eq>")
        );
        assert_eq!(header("Parser", ")] struct S;"), None);
        assert_eq!(header("Clone", ")] $item } } struct S;"), None);
        assert_eq!(
            header("Clone", ")] #[doc = \"struct T;\"] struct S;").as_deref(),
            Some("<S as Clone>")
        );
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
        let whole = parse_header("impl Tr<{ N }> for $t {\n fn f() { for x in 0..1 {} }\n}");
        assert_eq!(owner(&whole.expect("header")), "<$t as Tr<{ N }>>");
    }
}
