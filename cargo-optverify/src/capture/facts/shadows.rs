//! Modules of the crate that are named like a crate of std, and items named like a type of the language: MIR prints what is in
//! them as if it were std's.

use proc_macro2::{TokenStream, TokenTree};

const CRATES: [&str; 3] = ["std", "core", "alloc"];

/// Does the expanded crate define anything in such a module, or in such a function? One that only passes on what std has
/// does no harm.
pub fn defines(expanded: &str) -> bool {
    let Ok(tokens) = expanded.parse::<TokenStream>() else {
        return CRATES
            .iter()
            .any(|c| expanded.contains(&format!("mod {c}")));
    };
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while at + 1 < tokens.len() {
        let named = match (&tokens[at], &tokens[at + 1]) {
            (TokenTree::Ident(kind), TokenTree::Ident(name)) => {
                let name = name.to_string();
                let name = name.trim_start_matches("r#");
                let is_type = ["struct", "enum", "union", "trait", "type"]
                    .iter()
                    .any(|k| kind == k);
                if is_type && is_primitive(name) {
                    return true;
                }
                (kind == "mod" || kind == "fn") && (CRATES.contains(&name) || is_primitive(name))
            }
            _ => false,
        };
        if named {
            let body = tokens[at..].iter().find_map(|t| match t {
                TokenTree::Group(g) if g.delimiter() == proc_macro2::Delimiter::Brace => Some(g),
                _ => None,
            });
            if body.is_none_or(|body| has_items(body.stream())) {
                return true;
            }
        }
        at += 1;
    }
    false
}

/// Has a type of the language this name? Its constants print like those of an item of the crate.
fn is_primitive(name: &str) -> bool {
    const OTHERS: [&str; 6] = ["bool", "char", "str", "f32", "f64", "isize"];
    let digits = name.trim_start_matches(['u', 'i']);
    let is_integer =
        name.len() == digits.len() + 1 && (digits == "size" || digits.parse::<u8>().is_ok());
    is_integer || OTHERS.contains(&name)
}

fn has_items(tokens: TokenStream) -> bool {
    const ITEMS: [&str; 9] = [
        "fn", "struct", "enum", "union", "const", "static", "trait", "impl", "type",
    ];
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(word) => ITEMS.contains(&word.to_string().as_str()),
        TokenTree::Group(group) => has_items(group.stream()),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::defines;

    #[test]
    fn only_what_is_defined_at_the_top_prints_like_std() {
        assert!(defines(
            "pub mod core { pub mod time { pub struct Duration { n: u32 } } }"
        ));
        assert!(defines("mod r#std { pub const MAX: u8 = 3; }"));
        assert!(defines("fn alloc() { struct S; }"));
        assert!(!defines(
            "mod core { pub use ::core::*; } fn f() { let core = 3; }"
        ));
        assert!(!defines("mod lib { mod core { struct S; } }"));
        assert!(!defines("use std::mem; extern crate alloc;"));
        assert!(defines(
            "pub struct i8; impl i8 { pub const MIN: isize = 3; }"
        ));
        assert!(defines("mod u16 { pub const MAX: u32 = 5; }"));
        assert!(!defines("mod m { pub struct i8; } struct u; fn u8() {}"));
    }
}
