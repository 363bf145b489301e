//! Unions of the crate itself, from the macro-expanded source: MIR prints them like structs, but their fields
//! share bytes.

use super::local_enums::{join, next_braces, skip_item};
use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeMap;

/// Fields in order, by the union's path. `expanded`: what `-Zunpretty=expanded` prints.
pub fn collect(expanded: &str) -> BTreeMap<String, Vec<String>> {
    let mut unions = BTreeMap::new();
    if let Ok(tokens) = expanded.parse::<TokenStream>() {
        walk(tokens, "", &mut unions);
    }
    unions
}

fn walk(tokens: TokenStream, path: &str, unions: &mut BTreeMap<String, Vec<String>>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        let next = tokens.get(at + 1);
        match (&tokens[at], next) {
            (TokenTree::Ident(word), Some(TokenTree::Ident(name))) => {
                let inner = join(path, &name.to_string());
                let body = next_braces(&tokens, at + 2);
                match (word.to_string().as_str(), body) {
                    ("union", Some(body)) => {
                        let fields = fields(body);
                        // in two blocks of one function: MIR prints both under one name, so that no field is known
                        let once = |known: &mut Vec<String>| known.clear();
                        unions.entry(inner).and_modify(once).or_insert(fields);
                        at = skip_item(&tokens, at + 2);
                        continue;
                    }
                    ("mod" | "fn" | "trait", Some(body)) => {
                        walk(body, &inner, unions);
                        at = skip_item(&tokens, at + 2);
                        continue;
                    }
                    _ => {}
                }
            }
            (TokenTree::Group(group), _) => walk(group.stream(), path, unions),
            _ => {}
        }
        at += 1;
    }
}

/// `a` and `b` of `pub a: u8, b: [u8; 4]`: the names in front of single colons.
fn fields(body: TokenStream) -> Vec<String> {
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    let mut names = vec![];
    let mut expects_name = true;
    for pair in tokens.windows(2) {
        match (&pair[0], &pair[1]) {
            (TokenTree::Ident(name), TokenTree::Punct(colon))
                if expects_name && colon.as_char() == ':' =>
            {
                names.push(name.to_string());
                expects_name = false;
            }
            (TokenTree::Punct(comma), _) if comma.as_char() == ',' => expects_name = true,
            _ => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    #[test]
    fn nested_and_generic() {
        let found = super::collect(
            "mod m { pub union Word<T> where T: Copy { pub(crate) raw: u8, #[x] tag: T, } } struct S { a: u8 }",
        );
        assert_eq!(found.len(), 1);
        assert_eq!(found["m::Word"], ["raw", "tag"]);
        let twice =
            super::collect("fn f() { if a { union U { a: u8 } } else { union U { b: u8 } } }");
        assert!(twice["f::U"].is_empty());
    }
}
