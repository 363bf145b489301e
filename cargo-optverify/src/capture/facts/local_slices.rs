//! Structs of the crate that are nothing but a slice or a text (`struct Secret([u8])`), from the macro-expanded source.
//! Pointers to them carry a length, which no other text of a pointer's type tells.
//!
//! Not told: generic ones, ones with other fields or an alignment of their own, with elements that are no numbers, with a
//! `Drop` of their own, and what has two definitions under one path.

use super::local_drops::{has_function_drop, header_before};
use super::local_enums::{join, next_braces, skip_item};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default)]
struct Found {
    /// What the structs hold; nothing where there are two of the path.
    slices: BTreeMap<String, Option<String>>,
    /// The names in headers of impls with a function `drop`.
    dropped: BTreeSet<String>,
}

/// The content (`[u8]`, `str`) by the struct's path. `expanded`: what `-Zunpretty=expanded` prints.
pub fn collect(expanded: &str) -> BTreeMap<String, String> {
    let mut found = Found::default();
    if let Ok(tokens) = expanded.parse::<TokenStream>() {
        walk(tokens, "", &mut found);
    }
    let last = |path: &str| path.rsplit("::").next().unwrap_or(path).to_owned();
    let kept = found.slices.into_iter();
    let kept = kept.filter(|(path, _)| !found.dropped.contains(&last(path)));
    kept.filter_map(|(path, held)| Some((path, held?)))
        .collect()
}

fn walk(tokens: TokenStream, path: &str, found: &mut Found) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        match (&tokens[at], tokens.get(at + 1)) {
            (TokenTree::Ident(word), Some(TokenTree::Ident(name))) => {
                let inner = join(path, &name.to_string());
                let end = skip_item(&tokens, at + 2);
                match word.to_string().as_str() {
                    "struct" => {
                        let held = held(&tokens[at + 2..end]);
                        let held = held.filter(|_| !has_own_alignment(&tokens[..at]));
                        let twice = found.slices.contains_key(&inner);
                        found.slices.insert(inner, held.filter(|_| !twice));
                        at = end;
                        continue;
                    }
                    "mod" | "fn" | "trait" => {
                        if let Some(body) = next_braces(&tokens, at + 2) {
                            walk(body, &inner, found);
                        }
                        at = end;
                        continue;
                    }
                    _ => {}
                }
            }
            (TokenTree::Group(group), _) => {
                // whatever the trait is called here
                if has_function_drop(group.stream()) {
                    found.dropped.extend(header_before(&tokens[..at]));
                }
                walk(group.stream(), path, found);
            }
            _ => {}
        }
        at += 1;
    }
}

/// Do the attributes in front of an item ask for an alignment? Then it may be larger than what it holds.
fn has_own_alignment(before: &[TokenTree]) -> bool {
    let of_item = before.iter().rev().take_while(|token| match token {
        TokenTree::Ident(word) => word == "pub",
        TokenTree::Punct(p) => p.as_char() == '#',
        TokenTree::Group(g) => g.delimiter() != Delimiter::Brace,
        TokenTree::Literal(_) => false,
    });
    let mut of_item = of_item.map(ToString::to_string);
    of_item.any(|text| text.contains("align"))
}

/// What a struct holds, from what stands behind its name: `([u8]);` or `{ pub bytes: [u8] }`.
fn held(rest: &[TokenTree]) -> Option<String> {
    let Some(TokenTree::Group(fields)) = rest.first() else {
        return None;
    };
    let fields: Vec<TokenTree> = fields.stream().into_iter().collect();
    let mut at = 0;
    let is = |token: Option<&TokenTree>, text: char| matches!(token, Some(TokenTree::Punct(p)) if p.as_char() == text);
    while is(fields.get(at), '#') {
        at += 2;
    }
    if matches!(fields.get(at), Some(TokenTree::Ident(word)) if word == "pub") {
        at += 1;
        if matches!(fields.get(at), Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Parenthesis)
        {
            at += 1;
        }
    }
    if is(fields.get(at + 1), ':') {
        at += 2;
    }
    let comma = is(fields.get(at + 1), ',') && fields.len() == at + 2;
    if fields.len() != at + 1 && !comma {
        return None;
    }
    match &fields[at] {
        TokenTree::Ident(word) if word == "str" => Some("str".to_owned()),
        TokenTree::Group(list) if list.delimiter() == Delimiter::Bracket => {
            let parts: Vec<TokenTree> = list.stream().into_iter().collect();
            let [TokenTree::Ident(element)] = parts.as_slice() else {
                return None;
            };
            let element = element.to_string();
            let digits = element.trim_start_matches(['u', 'i']);
            let is_integer = element.len() == digits.len() + 1
                && (digits == "size" || digits.parse::<u8>().is_ok());
            is_integer.then(|| format!("[{element}]"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::collect;

    #[test]
    fn structs_that_are_slices() {
        let found = collect(
            "mod m { #[repr(transparent)] pub struct Secret(pub(crate) [u8]); struct Name { #[x] text: str, } }
             pub struct Words([u64]); struct Other(u8, [u8]); struct G<T>([T]); struct Sized_([u8; 4]); struct Unit;
             #[derive(Debug)] #[repr(align(16))] pub(crate) struct Aligned([u8]);",
        );
        let found: Vec<(&str, &str)> = found.iter().map(|(a, b)| (&**a, &**b)).collect();
        assert_eq!(
            found,
            [
                ("Words", "[u64]"),
                ("m::Name", "str"),
                ("m::Secret", "[u8]")
            ]
        );
    }

    #[test]
    fn two_of_one_path_and_those_that_are_dropped_are_not_told() {
        let found = collect(
            "fn f() { if a { struct S([u8]); } else { struct S([u16]); } } struct D([u8]); impl Drop for D { fn drop(&mut self) {} }",
        );
        assert!(found.is_empty(), "{found:?}");
    }
}
