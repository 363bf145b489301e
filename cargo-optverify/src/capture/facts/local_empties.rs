//! Types of the crate that may have no value, and variants that may have none, from the macro-expanded source. MIR says
//! nothing of a field that nobody reads, and a parameter with a variant that cannot exist would be none.
//!
//! By words alone, so that more is named than is empty: a type that mentions one of them anywhere, or what somebody else
//! chooses (`T::Error`, `<u8 as TryFrom<u8>>::Error`).

use super::local_enums::skip_item;
use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};

/// What a type or a variant (`Enum::Variant`) is made of: the words of its fields. Types by their last names.
#[derive(Default)]
struct Items {
    /// All of the fields must have a value.
    products: BTreeMap<String, BTreeSet<String>>,
    /// One of the variants must have one.
    sums: BTreeMap<String, Vec<String>>,
}

/// Also by the name that it has as the error of `String::from_str`.
const WITHOUT_VALUE: [&str; 3] = ["!", "Infallible", "ParseError"];

/// `expanded`: what `-Zunpretty=expanded` prints.
pub fn collect(expanded: &str) -> BTreeSet<String> {
    let mut items = Items::default();
    if let Ok(tokens) = expanded.parse::<TokenStream>() {
        walk(tokens, &mut items);
    }
    // a type of the crate with such a name is what it is
    let is_own = |name: &&str| items.products.contains_key(*name) || items.sums.contains_key(*name);
    let others = WITHOUT_VALUE.iter().filter(|name| !is_own(name));
    let others: BTreeSet<String> = others.map(|name| (*name).to_owned()).collect();
    let mut empty = others.clone();
    loop {
        let before = empty.len();
        for (name, words) in &items.products {
            if !words.is_disjoint(&empty) {
                empty.insert(name.clone());
            }
        }
        for (name, variants) in &items.sums {
            if variants.iter().all(|v| empty.contains(v)) {
                empty.insert(name.clone());
            }
        }
        if empty.len() == before {
            break;
        }
    }
    &empty - &others
}

fn walk(tokens: TokenStream, items: &mut Items) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        match (&tokens[at], tokens.get(at + 1)) {
            (TokenTree::Ident(word), Some(TokenTree::Ident(name))) => {
                let end = skip_item(&tokens, at + 2);
                let rest = &tokens[at + 2..end];
                match word.to_string().as_str() {
                    "enum" => add_enum(&name.to_string(), rest, items),
                    "struct" | "type" | "union" => {
                        let known = items.products.entry(name.to_string()).or_default();
                        known.extend(words(rest));
                    }
                    _ => {}
                }
            }
            (TokenTree::Group(group), _) => walk(group.stream(), items),
            _ => {}
        }
        at += 1;
    }
}

fn add_enum(name: &str, rest: &[TokenTree], items: &mut Items) {
    let Some(TokenTree::Group(body)) = rest.last() else {
        return;
    };
    let mut variants = vec![];
    let body: Vec<TokenTree> = body.stream().into_iter().collect();
    for variant in body.split(|t| matches!(t, TokenTree::Punct(p) if p.as_char() == ',')) {
        let is_name = |t: &&TokenTree| matches!(t, TokenTree::Ident(_));
        let Some(at) = variant.iter().position(|t| is_name(&t)) else {
            continue;
        };
        let path = format!("{name}::{}", variant[at]);
        let known = items.products.entry(path.clone()).or_default();
        // not the number behind a `=`
        let is_equals = |t: &TokenTree| matches!(t, TokenTree::Punct(p) if p.as_char() == '=');
        let payload = variant[at + 1..].split(is_equals).next();
        known.extend(words(payload.unwrap_or_default()));
        variants.push(path);
    }
    // Two enums of one name: the one with fewer values counts.
    let known = items
        .sums
        .entry(name.to_owned())
        .or_insert(variants.clone());
    if variants.is_empty() {
        known.clear();
    }
}

/// Does a path end here with what a trait's impl chooses: `T::` before a name, or `>::`? `Vec::<u8>` is written in no type.
fn is_chosen(tokens: &[TokenTree], at: usize) -> bool {
    let colon = |n: usize| matches!(tokens.get(n), Some(TokenTree::Punct(p)) if p.as_char() == ':');
    if at < 3 || !colon(at - 1) || !colon(at - 2) {
        return false;
    }
    // `[u8; Self::SIZE]` is a number
    let is_constant = |name: &str| name.len() > 1 && !name.contains(char::is_lowercase);
    if matches!(&tokens[at], TokenTree::Ident(name) if is_constant(&name.to_string())) {
        return false;
    }
    match &tokens[at - 3] {
        TokenTree::Ident(word) => word.to_string().starts_with(char::is_uppercase),
        TokenTree::Punct(p) => p.as_char() == '>',
        _ => false,
    }
}

/// All words of some tokens; `!` also for what may have no value.
fn words(tokens: &[TokenTree]) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(_) if is_chosen(tokens, at) => _ = out.insert("!".to_owned()),
            TokenTree::Ident(word) => _ = out.insert(word.to_string()),
            TokenTree::Punct(p) if p.as_char() == '!' => _ = out.insert("!".to_owned()),
            TokenTree::Group(group) => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                out.extend(words(&inner));
            }
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn types_and_variants() {
        let found = super::collect(
            "mod m { pub enum Void {} } struct In { a: u8, v: m::Void } struct Out(In, u8); struct Fine { a: u8 }
            enum Mixed { A(u8), #[x] B(Void), C { n: u8, i: std::convert::Infallible }, D } enum Never { X(!), Y(Void) }
            type Alias = Void; fn f() { struct Local(Alias); } enum Plain { A, B(Fine) }",
        );
        let found: Vec<&str> = found.iter().map(|s| &**s).collect();
        let chosen = super::collect(
            "enum E<T: Tr> { A(T::Error), B(<u8 as TryFrom<u8>>::Error), C(std::num::ParseIntError), D = Self::X as isize,
            F(std::string::ParseError), G { n: m::Plain }, H([u8; Self::SIZE], [u8; <u8 as Tr>::N_2]) }",
        );
        let chosen: Vec<&str> = chosen.iter().map(|s| &**s).collect();
        assert_eq!(chosen, ["E::A", "E::B", "E::F"]);
        let own = "enum ParseError { A, B } enum E { P(ParseError), Q } struct S { e: ParseError }";
        assert!(super::collect(own).is_empty());
        let expected = [
            "Alias", "In", "Local", "Mixed::B", "Mixed::C", "Never", "Never::X", "Never::Y", "Out",
            "Void",
        ];
        assert_eq!(found, expected);
    }
}
