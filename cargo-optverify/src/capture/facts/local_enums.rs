//! Enums of the crate itself, private ones included: the order of variants from the macro-expanded source,
//! the values of explicit discriminants from the constants that rustc evaluated for them.

use super::const_value::Constants;
use optverify_engine::capture::{EnumFacts, VariantFacts};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::BTreeMap;

/// `expanded`: what `-Zunpretty=expanded` prints. `mir`: the crate's `--emit=mir`.
pub fn collect(expanded: &str, mir: &str) -> BTreeMap<String, EnumFacts> {
    let mut enums = BTreeMap::new();
    if let Ok(tokens) = expanded.parse::<TokenStream>() {
        // most crates have no discriminants of their own making
        let constants = Constants::new(if expanded.contains("enum") { mir } else { "" });
        walk(tokens, "", &constants, &mut enums);
    }
    // Enums of one name in two blocks of a function cannot be told apart in MIR.
    let alone = |(path, mut facts): (String, Vec<Option<EnumFacts>>)| {
        let only = facts.pop().flatten()?;
        facts.is_empty().then_some((path, only))
    };
    enums.into_iter().filter_map(alone).collect()
}

fn walk(
    tokens: TokenStream,
    path: &str,
    constants: &Constants,
    enums: &mut BTreeMap<String, Vec<Option<EnumFacts>>>,
) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut repr = None;
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Ident(word) => {
                let name = match tokens.get(at + 1) {
                    Some(TokenTree::Ident(name)) => Some(name.to_string()),
                    _ => None,
                };
                match (word.to_string().as_str(), name) {
                    ("enum", Some(name)) => {
                        let path = join(path, &name);
                        if let Some(body) = next_braces(&tokens, at + 2) {
                            let repr: String = repr.take().unwrap_or_else(|| "isize".to_owned());
                            let facts = variants(body, &path, repr, constants);
                            enums.entry(path).or_default().push(facts);
                        }
                        at = skip_item(&tokens, at + 2);
                        continue;
                    }
                    // a `fn` type has no name; a nested item's path goes through module and function
                    ("mod" | "fn" | "trait", Some(name)) => {
                        if let Some(body) = next_braces(&tokens, at + 2) {
                            walk(body, &join(path, &name), constants, enums);
                        }
                        repr = None;
                        at = skip_item(&tokens, at + 2);
                        continue;
                    }
                    _ => {}
                }
            }
            TokenTree::Group(group) => {
                let attribute = group.delimiter() == Delimiter::Bracket;
                match repr_of(group.stream()).filter(|_| attribute) {
                    Some(found) => repr = Some(found),
                    None if !attribute => walk(group.stream(), path, constants, enums),
                    None => {}
                }
            }
            _ => {}
        }
        at += 1;
    }
}

pub fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}::{name}")
    }
}

/// The body of the item whose head starts at `start`; none where a `;` ends it.
pub fn next_braces(tokens: &[TokenTree], start: usize) -> Option<TokenStream> {
    match tokens.get(skip_item(tokens, start).checked_sub(1)?)? {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group.stream()),
        _ => None,
    }
}

/// The index after the `{..}` or `;` that ends the item.
pub fn skip_item(tokens: &[TokenTree], start: usize) -> usize {
    let ends = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(punct) => punct.as_char() == ';',
        _ => false,
    };
    let rest = tokens.get(start..).unwrap_or_default();
    rest.iter()
        .position(ends)
        .map_or(tokens.len(), |offset| start + offset + 1)
}

/// `u8` of `repr(u8)`; `C` alone leaves the discriminant an `isize`.
fn repr_of(attribute: TokenStream) -> Option<String> {
    let tokens: Vec<TokenTree> = attribute.into_iter().collect();
    let [TokenTree::Ident(name), TokenTree::Group(arguments)] = tokens.as_slice() else {
        return None;
    };
    if name != "repr" {
        return None;
    }
    let is_integer = |word: &String| {
        let digits = word.trim_start_matches(['u', 'i']);
        word.len() == digits.len() + 1 && (digits == "size" || digits.parse::<u8>().is_ok())
    };
    let words = arguments.stream().into_iter().map(|t| t.to_string());
    Some(
        words
            .into_iter()
            .find(is_integer)
            .unwrap_or_else(|| "isize".to_owned()),
    )
}

fn variants(
    body: TokenStream,
    path: &str,
    repr: String,
    constants: &Constants,
) -> Option<EnumFacts> {
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    let mut variants = Vec::new();
    let mut next: i128 = 0;
    for part in tokens.split(|t| matches!(t, TokenTree::Punct(p) if p.as_char() == ',')) {
        // attributes, then the name, then fields, then `= value`
        let Some(TokenTree::Ident(name)) = part.iter().find(|t| matches!(t, TokenTree::Ident(_)))
        else {
            continue;
        };
        let explicit = part
            .iter()
            .any(|t| matches!(t, TokenTree::Punct(p) if p.as_char() == '='));
        let name = name.to_string();
        if explicit {
            // a value that rustc did not print is not guessed: the whole enum stays unknown
            next = constants.number(&format!("{path}::{name}::{{constant#0}}"))?;
        }
        variants.push(VariantFacts {
            name,
            discr: next.to_string(),
        });
        next += 1;
    }
    Some(EnumFacts {
        repr,
        complete: true,
        variants,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_private_and_explicit() {
        let expanded = "mod m { #[repr(u8)] enum E { A = 5, B(u8), #[doc = \"x, y\"] C { x: u8 } = X } } \
                        fn f() { enum Inner { One, Two } let x: fn(u8) -> u8; } enum Gone { A = Z } \
                        fn g() { if a { enum Twice { A, B } } else { enum Twice { B, A } } }";
        let mir = "const m::E::A::{constant#0}: u8 = const 5_u8;\nconst m::E::C::{constant#0}: u8 = const 9_u8;\n";
        let enums = collect(expanded, mir);
        let discrs = |path: &str| -> Vec<(String, String)> {
            let variants = enums[path].variants.iter();
            variants
                .map(|v| (v.name.clone(), v.discr.clone()))
                .collect()
        };
        let pairs = |list: &[(&str, &str)]| -> Vec<(String, String)> {
            list.iter()
                .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
                .collect()
        };
        assert_eq!(enums["m::E"].repr, "u8");
        assert_eq!(discrs("m::E"), pairs(&[("A", "5"), ("B", "6"), ("C", "9")]));
        assert_eq!(discrs("f::Inner"), pairs(&[("One", "0"), ("Two", "1")]));
        assert!(!enums.contains_key("Gone"));
        assert!(!enums.contains_key("g::Twice"));
    }
}
