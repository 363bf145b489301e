//! Sizes and alignments: what rustc prints with `-Zprint-type-sizes` of every struct, enum and union whose layout it
//! needed. Tuples are not printed, but the transparent wrappers around them are.

use super::local_enums::{join, next_braces, skip_item};
use optverify_engine::capture::TypeSize;
use optverify_engine::lower::erase;
use optverify_engine::mir::{self, GenericArg, TyKind};
use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};

/// Of the same layout as their one parameter.
const TRANSPARENT: &[&str] = &["mem::MaybeUninit", "mem::ManuallyDrop", "cell::UnsafeCell"];

/// `printed`: the compiler's output. `expanded`: the macro-expanded source, which tells what is defined twice.
pub fn collect(printed: &str, expanded: &str) -> BTreeMap<String, TypeSize> {
    let twice = defined_twice(expanded);
    let mut sizes: BTreeMap<String, Option<TypeSize>> = BTreeMap::new();
    let mut add = |ty: &mir::Ty, size: &TypeSize| {
        let same = |known: &mut Option<TypeSize>| {
            if known.as_ref() != Some(size) {
                *known = None;
            }
        };
        let entry = sizes.entry(ty.to_string());
        entry.and_modify(same).or_insert(Some(*size));
    };
    for (text, size) in printed.lines().filter_map(line) {
        let Ok(ty) = mir::parse_ty(text) else {
            continue;
        };
        // types of one name in two blocks of a function: MIR does not tell them apart
        if mentions(text, &twice) {
            continue;
        }
        let ty = erase(&ty);
        add(&ty, &size);
        if let TyKind::Adt { path, args } = ty.kind()
            && let [GenericArg::Type(inner)] = args.as_slice()
            && TRANSPARENT.iter().any(|t| {
                ["std", "core"]
                    .iter()
                    .any(|c| **path == format!("{c}::{t}"))
            })
        {
            add(inner, &size);
        }
    }
    let known = |(ty, size): (String, Option<TypeSize>)| Some((ty, size?));
    sizes.into_iter().filter_map(known).collect()
}

/// ``print-type-size type: `E`: 8 bytes, alignment: 4 bytes``
fn line(line: &str) -> Option<(&str, TypeSize)> {
    let rest = line.strip_prefix("print-type-size type: `")?;
    let (ty, rest) = rest.rsplit_once("`: ")?;
    let (size, align) = rest.split_once(" bytes, alignment: ")?;
    let size = TypeSize {
        size: size.parse().ok()?,
        align: align.strip_suffix(" bytes")?.parse().ok()?,
    };
    Some((ty, size))
}

/// Is one of these names in the text?
pub fn mentions(text: &str, names: &BTreeSet<String>) -> bool {
    words(text).any(|word| names.contains(word))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
}

/// Names of types that have two definitions under one path.
pub fn defined_twice(expanded: &str) -> BTreeSet<String> {
    let mut seen = BTreeMap::new();
    if let Ok(tokens) = expanded.parse::<TokenStream>() {
        walk(tokens, "", &mut seen);
    }
    let twice = |(path, n): (String, usize)| {
        let name = path.rsplit("::").next().unwrap_or(&path).to_owned();
        (n > 1).then_some(name)
    };
    seen.into_iter().filter_map(twice).collect()
}

fn walk(tokens: TokenStream, path: &str, seen: &mut BTreeMap<String, usize>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        match (&tokens[at], tokens.get(at + 1)) {
            (TokenTree::Ident(word), Some(TokenTree::Ident(name))) => {
                let inner = join(path, &name.to_string());
                match word.to_string().as_str() {
                    "struct" | "enum" | "union" => {
                        *seen.entry(inner).or_default() += 1;
                        at = skip_item(&tokens, at + 2);
                        continue;
                    }
                    "mod" | "fn" | "trait" => {
                        if let Some(body) = next_braces(&tokens, at + 2) {
                            walk(body, &inner, seen);
                        }
                        at = skip_item(&tokens, at + 2);
                        continue;
                    }
                    _ => {}
                }
            }
            (TokenTree::Group(group), _) => walk(group.stream(), path, seen),
            _ => {}
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_lines() {
        let printed = "print-type-size type: `m::D<'_>`: 16 bytes, alignment: 8 bytes\n\
                       print-type-size     field `.0`: 8 bytes\n\
                       print-type-size type: `std::mem::MaybeUninit<(u8, u16)>`: 4 bytes, alignment: 2 bytes\n\
                       print-type-size type: `f::S`: 1 bytes, alignment: 1 bytes\n\
                       print-type-size type: `g::T`: 1 bytes, alignment: 1 bytes\n\
                       print-type-size type: `g::T`: 2 bytes, alignment: 1 bytes\n";
        let source =
            "fn f() { if a { struct S(u8); } else { struct S(u16); } } mod m { struct D(u8); }";
        let found = collect(printed, source);
        let size = |ty: &str| found.get(ty).map(|s| (s.size, s.align));
        assert_eq!(size("m::D"), Some((16, 8)));
        assert_eq!(size("(u8, u16)"), Some((4, 2)));
        assert_eq!(size("f::S"), None, "two types of one name");
        assert_eq!(size("g::T"), None, "two layouts of one name");
    }
}
