//! The options of `#[verify(..)]`.

use crate::tokens::{is_punct, split_at_commas, stream, string_literal, Error};
use proc_macro::{TokenStream, TokenTree};

#[derive(Default)]
pub struct Options {
    /// `key=value` pairs in the order written, values checked.
    pub settings: Vec<(String, String)>,
    /// `T = u32`: what a generic parameter stands for in this root.
    pub instances: Vec<(String, TokenStream)>,
    /// The function stands in an `impl` block although nothing in its signature says so.
    pub associated: bool,
}

pub fn parse(tokens: TokenStream) -> Result<Options, Error> {
    let mut options = Options::default();
    for part in split_at_commas(tokens) {
        let Some(TokenTree::Ident(key)) = part.first() else {
            let span = part
                .first()
                .map_or_else(proc_macro::Span::call_site, TokenTree::span);
            return Err(Error::new(
                span,
                "expected an option of #[verify], like timeout = \"10s\"",
            ));
        };
        let name = key.to_string();
        if part.len() == 1 && name == "associated" {
            options.associated = true;
            continue;
        }
        if !is_punct(part.get(1), '=') || part.len() < 3 {
            return Err(Error::new(
                key.span(),
                format!("the option `{name}` needs a value: `{name} = ..`"),
            ));
        }
        let value = &part[2..];
        let Some(allowed) = allowed_values(&name) else {
            if name.starts_with(|c: char| c.is_ascii_uppercase()) {
                options.instances.push((name, stream(value)));
                continue;
            }
            return Err(Error::new(
                key.span(),
                format!(
                    "unknown option `{name}` of #[verify]: there are timeout, overflow, expect, \
                     assume_total, associated, and `T = u32` for a generic parameter"
                ),
            ));
        };
        let text = string_literal(&value[0]).filter(|_| value.len() == 1);
        let Some(text) = text.filter(|text| allowed.accepts(text)) else {
            return Err(Error::new(
                value[0].span(),
                format!("`{name}` is {}", allowed.description()),
            ));
        };
        if options.settings.iter().any(|(known, _)| *known == name) {
            return Err(Error::new(key.span(), format!("`{name}` is given twice")));
        }
        options.settings.push((name, text));
    }
    Ok(options)
}

enum Allowed {
    OneOf(&'static [&'static str]),
    Duration,
    Text,
}

fn allowed_values(name: &str) -> Option<Allowed> {
    Some(match name {
        "timeout" => Allowed::Duration,
        "overflow" => Allowed::OneOf(&["wrap", "check"]),
        "expect" => Allowed::OneOf(&["safe", "unsafe"]),
        "assume_total" => Allowed::Text,
        _ => return None,
    })
}

impl Allowed {
    fn accepts(&self, text: &str) -> bool {
        // the marker separates its fields by `|` and is printed in quotes
        let plain = !text.contains(['|', '"', '\\', '\n']);
        plain
            && match self {
                Self::OneOf(words) => words.contains(&text),
                Self::Duration => {
                    let digits = text
                        .trim_end_matches("ms")
                        .trim_end_matches(['s', 'm', 'h']);
                    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
                }
                Self::Text => true,
            }
    }

    fn description(&self) -> String {
        match self {
            Self::OneOf(words) => words
                .iter()
                .map(|w| format!("\"{w}\""))
                .collect::<Vec<_>>()
                .join(" or "),
            Self::Duration => "a duration like \"500ms\", \"10s\" or \"2m\"".to_owned(),
            Self::Text => "a plain string".to_owned(),
        }
    }
}
