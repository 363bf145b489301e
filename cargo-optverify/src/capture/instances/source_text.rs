//! Rust's source as words and brackets: what can be read of it without a parser.

use super::substitute::token;

pub fn depth(text: &str) -> i32 {
    let open = text.matches('{').count() as i32;
    open - text.matches('}').count() as i32
}

/// Words with the places where they begin.
pub fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(is_word)?;
        let end = text[start..].find(|c| !is_word(c));
        at = end.map_or(text.len(), |end| start + end);
        Some((start, &text[start..at]))
    })
}

/// Comments, texts and characters become blanks.
pub fn without_text(source: &str) -> String {
    let bytes = source.as_bytes();
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    while at < source.len() {
        let rest = &source[at..];
        let raw = rest.strip_prefix('r').map(|r| r.trim_start_matches('#'));
        let is_word = |at: usize| bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_';
        // `br"..."` and `cr"..."` are texts, too
        let prefix = at > 0 && matches!(bytes[at - 1], b'b' | b'c') && (at < 2 || !is_word(at - 2));
        let before_is_word = at > 0 && is_word(at - 1) && !prefix;
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if let Some(raw) = raw.filter(|r| r.starts_with('"') && !before_is_word) {
            let hashes = rest.len() - 1 - raw.len();
            let end = format!("\"{}", "#".repeat(hashes));
            let inside = &raw[1..];
            2 + hashes + inside.find(&end).map_or(inside.len(), |at| at + end.len())
        } else if rest.starts_with('"') || rest.starts_with('\'') {
            token(rest)
        } else {
            let first = rest.chars().next().unwrap_or(' ');
            out.push(first);
            at += first.len_utf8();
            continue;
        };
        // a lifetime is no text
        match rest.starts_with('\'') && !rest[1..length.max(1)].ends_with('\'') {
            true => out.push_str(&rest[..length]),
            false => out.push(' '),
        }
        at += length;
    }
    out
}

fn block_comment(text: &str) -> usize {
    let (mut at, mut depth) = (0, 0);
    while at < text.len() {
        match () {
            () if text[at..].starts_with("/*") => (at, depth) = (at + 2, depth + 1),
            () if text[at..].starts_with("*/") => (at, depth) = (at + 2, depth - 1),
            () => at += text[at..].chars().next().map_or(1, char::len_utf8),
        }
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// The definitions of macros define nothing else.
pub fn without_macros(code: &str) -> String {
    let mut out = String::new();
    let mut rest = code;
    while let Some(at) = rest.find("macro_rules!") {
        out.push_str(&rest[..at]);
        let body = &rest[at..];
        let open = body.find(['{', '(', '[']).unwrap_or(body.len());
        rest = &body[open + closing(&body[open..]).unwrap_or(body.len() - open)..];
    }
    out + rest
}

/// Where the bracket that the text begins with is closed, one after.
pub fn closing(text: &str) -> Option<usize> {
    let mut depth = 0i32;
    for (at, c) in text.char_indices() {
        match c {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + c.len_utf8());
        }
    }
    None
}

/// The brace that opens an impl: not one of a constant in a list of arguments.
pub fn header_end(text: &str) -> Option<usize> {
    let (mut depth, mut previous) = (0i32, ' ');
    for (at, c) in text.char_indices() {
        match c {
            '{' if depth == 0 => return Some(at),
            '<' | '(' | '[' | '{' => depth += 1,
            '>' if previous == '-' => {}
            '>' | ')' | ']' | '}' => depth -= 1,
            ';' if depth == 0 => return None,
            _ => {}
        }
        previous = c;
    }
    None
}
