//! Where a root stands in its source: found among the tokens, so that neither comments nor formatting matter.

use anyhow::{Context, Result};
use optverify_engine::capture::Root;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// What a test needs to know about a function.
#[derive(Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    /// Is it a method or an associated function?
    pub in_impl: bool,
    /// Bytes of the source up to the end of the item that a test can follow.
    pub end: usize,
    /// Spaces before that item.
    pub indent: usize,
    /// Of the function, from its first attribute.
    pub lines: (usize, usize),
    /// Per parameter: is it a `&mut`?
    pub takes_mut: Vec<bool>,
    /// The conditions of `#[ensures]`, as written.
    pub ensures: Vec<String>,
}

pub fn find(source: &str, root: &Root) -> Result<Function> {
    let tokens: TokenStream = source
        .parse()
        .map_err(|error| anyhow::anyhow!("{} is not understood: {error}", root.file))?;
    let path = root.name.split("::<").next().unwrap_or(&root.name);
    let name = path.rsplit("::").next().unwrap_or(path);
    in_module(source, tokens, name, root.line as usize)
        .with_context(|| format!("`fn {name}` was not found at {}:{}", root.file, root.line))
}

/// In the items of a module, or of the file.
fn in_module(source: &str, tokens: TokenStream, name: &str, line: usize) -> Option<Function> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (index, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else {
            if let Some(found) = function_at(source, &tokens, index, name, line) {
                return Some(found);
            }
            continue;
        };
        if group.delimiter() != Delimiter::Brace || !covers(group, line) {
            continue;
        }
        let is_module = index >= 2 && is_word(&tokens[index - 2], "mod");
        if is_module {
            return in_module(source, group.stream(), name, line);
        }
        if let Some(found) = in_item(source, group.stream(), name, line) {
            // the item around it: a test cannot stand inside an impl
            let start = tokens[..index]
                .iter()
                .rev()
                .take_while(|t| !ends_item(t))
                .last();
            let start = start.unwrap_or(token).span().start();
            return Some(Function {
                in_impl: true,
                end: group.span_close().byte_range().end,
                indent: start.column,
                ..found
            });
        }
    }
    None
}

/// In an impl or a trait.
fn in_item(source: &str, tokens: TokenStream, name: &str, line: usize) -> Option<Function> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    (0..tokens.len()).find_map(|index| function_at(source, &tokens, index, name, line))
}

/// `fn name` at this token, whose item is at the line: from its first attribute to its end.
fn function_at(
    source: &str,
    tokens: &[TokenTree],
    index: usize,
    name: &str,
    line: usize,
) -> Option<Function> {
    if !is_word(&tokens[index], "fn") || !is_word(tokens.get(index + 1)?, name) {
        return None;
    }
    let is_body =
        |t: &&TokenTree| matches!(t, TokenTree::Group(g) if g.delimiter() == Delimiter::Brace);
    let TokenTree::Group(body) = tokens[index..].iter().find(is_body)? else {
        return None;
    };
    let before: Vec<&TokenTree> = tokens[..index]
        .iter()
        .rev()
        .take_while(|t| !ends_item(t))
        .collect();
    let first = before.last().copied().unwrap_or(&tokens[index]);
    let lines = first.span().start().line..=body.span_close().end().line;
    if !lines.contains(&line) {
        return None;
    }
    let is_list = |t: &&TokenTree| matches!(t, TokenTree::Group(g) if g.delimiter() == Delimiter::Parenthesis);
    let TokenTree::Group(parameters) = tokens[index..].iter().find(is_list)? else {
        return None;
    };
    Some(Function {
        name: name.to_owned(),
        in_impl: false,
        lines: (*lines.start(), *lines.end()),
        end: body.span_close().byte_range().end,
        indent: first.span().start().column,
        takes_mut: parameter_types(parameters),
        ensures: before
            .iter()
            .rev()
            .filter_map(|t| ensures(source, t))
            .collect(),
    })
}

/// The end of the item before: its body, or its semicolon.
fn ends_item(token: &TokenTree) -> bool {
    match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(punct) => punct.as_char() == ';',
        _ => false,
    }
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}

fn covers(group: &Group, line: usize) -> bool {
    (group.span_open().start().line..=group.span_close().end().line).contains(&line)
}

/// `#[ensures(condition)]`: the bracket's tokens are the path and one group.
fn ensures(source: &str, token: &TokenTree) -> Option<String> {
    let TokenTree::Group(attribute) = token else {
        return None;
    };
    let inner: Vec<TokenTree> = attribute.stream().into_iter().collect();
    let [.., name, TokenTree::Group(condition)] = inner.as_slice() else {
        return None;
    };
    if attribute.delimiter() != Delimiter::Bracket || !is_word(name, "ensures") {
        return None;
    }
    let range = condition.span_open().byte_range().end..condition.span_close().byte_range().start;
    source.get(range).map(|text| text.trim().to_owned())
}

/// `self`, `a: &'a mut T`, ..: which are exclusive references?
fn parameter_types(list: &Group) -> Vec<bool> {
    let mut all = Vec::new();
    let mut current: Vec<TokenTree> = Vec::new();
    let mut depth = 0i32;
    let mut finish = |tokens: &mut Vec<TokenTree>| {
        let is_colon = |t: &TokenTree| matches!(t, TokenTree::Punct(p) if p.as_char() == ':');
        let ty = tokens.iter().position(is_colon).map_or(0, |at| at + 1);
        let is_reference =
            matches!(tokens.get(ty), Some(TokenTree::Punct(p)) if p.as_char() == '&');
        // a lifetime is an apostrophe and a word
        let mut words = tokens[ty.min(tokens.len())..].iter().skip(1);
        let mut word = words.next();
        if matches!(word, Some(TokenTree::Punct(p)) if p.as_char() == '\'') {
            word = words.nth(1);
        }
        all.push(is_reference && word.is_some_and(|t| is_word(t, "mut")));
        tokens.clear();
    };
    for token in list.stream() {
        if let TokenTree::Punct(punct) = &token {
            match punct.as_char() {
                '<' => depth += 1,
                '>' => depth -= 1,
                ',' if depth == 0 => {
                    finish(&mut current);
                    continue;
                }
                _ => {}
            }
        }
        current.push(token);
    }
    if !current.is_empty() {
        finish(&mut current);
    }
    all
}
