//! Modules of the crate that are named like a crate of std: MIR prints what is in them as if it were std's.

use crate::capture::command::RustcCommand;
use proc_macro2::{TokenStream, TokenTree};

const CRATES: [&str; 3] = ["std", "core", "alloc"];

/// May the crate have such a module? Only its first file declares modules at the top.
pub fn may_define(command: &RustcCommand) -> bool {
    let file = command.source_file().map(|f| command.current_dir.join(f));
    let Some(text) = file.and_then(|f| std::fs::read_to_string(f).ok()) else {
        return true;
    };
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric() && c != '_' && c != '#')
        .filter(|w| !w.is_empty())
        .collect();
    words.windows(2).any(|pair| {
        let name = pair[1].trim_start_matches("r#");
        ["mod", "fn"].contains(&pair[0]) && CRATES.contains(&name)
    })
}

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
                (kind == "mod" || kind == "fn") && CRATES.contains(&name.trim_start_matches("r#"))
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
    }
}
