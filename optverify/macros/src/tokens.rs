//! Small helpers over token trees.

use proc_macro::{Delimiter, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// A compile error at `span`.
#[derive(Debug)]
pub struct Error {
    pub span: Span,
    pub message: String,
}

impl Error {
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
        }
    }

    /// `::core::compile_error! { "message" }`, every token at the span, so that rustc underlines it.
    pub fn into_tokens(self) -> TokenStream {
        let mut message = Literal::string(&self.message);
        message.set_span(self.span);
        let text: TokenStream = TokenTree::from(message).into();
        let mut group = proc_macro::Group::new(Delimiter::Brace, text);
        group.set_span(self.span);
        let mut out: Vec<TokenTree> = Vec::new();
        for name in ["core", "compile_error"] {
            for spacing in [Spacing::Joint, Spacing::Alone] {
                let mut colon = Punct::new(':', spacing);
                colon.set_span(self.span);
                out.push(colon.into());
            }
            out.push(Ident::new(name, self.span).into());
        }
        let mut bang = Punct::new('!', Spacing::Alone);
        bang.set_span(self.span);
        out.push(bang.into());
        out.push(group.into());
        out.into_iter().collect()
    }
}

pub fn is_punct(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(p)) if p.as_char() == wanted)
}

pub fn is_ident(token: Option<&TokenTree>, wanted: &str) -> bool {
    matches!(token, Some(TokenTree::Ident(i)) if i.to_string() == wanted)
}

pub fn is_group(token: Option<&TokenTree>, wanted: Delimiter) -> bool {
    matches!(token, Some(TokenTree::Group(g)) if g.delimiter() == wanted)
}

/// Splits at commas that stand outside every group and outside `<..>`. A trailing comma adds nothing.
pub fn split_at_commas(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut parts = Vec::new();
    let mut part = Vec::new();
    let mut depth = 0usize;
    let mut after_dash = false;
    for token in tokens {
        if let TokenTree::Punct(p) = &token {
            match p.as_char() {
                '<' => depth += 1,
                // `->` is not a closing bracket
                '>' if !after_dash => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    parts.push(std::mem::take(&mut part));
                    after_dash = false;
                    continue;
                }
                _ => {}
            }
            after_dash = p.as_char() == '-' && p.spacing() == Spacing::Joint;
        } else {
            after_dash = false;
        }
        part.push(token);
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

/// The index just after the `<..>` that opens at `start`, or `start` where none opens.
pub fn skip_angles(tokens: &[TokenTree], start: usize) -> usize {
    if !is_punct(tokens.get(start), '<') {
        return start;
    }
    let mut depth = 0usize;
    let mut after_dash = false;
    for (offset, token) in tokens[start..].iter().enumerate() {
        if let TokenTree::Punct(p) = token {
            match p.as_char() {
                '<' => depth += 1,
                '>' if !after_dash => {
                    depth -= 1;
                    if depth == 0 {
                        return start + offset + 1;
                    }
                }
                _ => {}
            }
            after_dash = p.as_char() == '-' && p.spacing() == Spacing::Joint;
        } else {
            after_dash = false;
        }
    }
    tokens.len()
}

pub fn stream(tokens: &[TokenTree]) -> TokenStream {
    tokens.iter().cloned().collect()
}

/// The text between the quotes of a plain string literal.
pub fn string_literal(token: &TokenTree) -> Option<String> {
    let TokenTree::Literal(literal) = token else {
        return None;
    };
    let text = literal.to_string();
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    Some(inner.to_owned())
}
