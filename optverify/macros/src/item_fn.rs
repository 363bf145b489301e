//! A function item, taken apart as far as the attributes need it.

use crate::tokens::{is_group, is_ident, is_punct, skip_angles, split_at_commas, stream, Error};
use proc_macro::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};

pub struct ItemFn {
    /// Outer attributes, each with its `#`.
    pub attributes: Vec<Attribute>,
    /// Visibility and qualifiers up to and including the body; the body is the last token.
    tokens: Vec<TokenTree>,
    pub name: Ident,
    pub is_unsafe: bool,
    pub generics: Vec<GenericParameter>,
    pub parameters: Vec<Parameter>,
    /// Everything between `->` and the body or `where`; empty for `()`.
    pub return_type: TokenStream,
    /// Is `self` among the parameters, or `Self` in the signature?
    pub mentions_self: bool,
}

pub struct Attribute {
    pub path: String,
    pub arguments: TokenStream,
    pub tokens: Vec<TokenTree>,
}

pub enum GenericParameter {
    Lifetime(TokenStream),
    Type(String),
    Const(String, TokenStream),
}

pub struct Parameter {
    pub is_self: bool,
    /// The parameter's name, where its pattern is a plain one.
    pub name: Option<Ident>,
    /// As written.
    pub tokens: TokenStream,
    pub span: Span,
}

impl ItemFn {
    pub fn parse(item: TokenStream) -> Result<Self, Error> {
        let all: Vec<TokenTree> = item.into_iter().collect();
        let (attributes, start) = parse_attributes(&all);
        let tokens = all[start..].to_vec();
        let not_a_function = |span| {
            Error::new(
                span,
                "#[verify] and its contracts go on a function with a body",
            )
        };
        let span = tokens.first().map_or_else(Span::call_site, TokenTree::span);
        let keyword = tokens
            .iter()
            .position(|t| is_ident(Some(t), "fn"))
            .ok_or_else(|| not_a_function(span))?;
        for token in &tokens[..keyword] {
            if is_ident(Some(token), "async") {
                return Err(Error::new(
                    token.span(),
                    "#[verify] does not support async functions: verify the functions that they call",
                ));
            }
            let is_item_keyword = [
                "struct", "enum", "mod", "impl", "trait", "use", "type", "static",
            ]
            .iter()
            .any(|word| is_ident(Some(token), word));
            if is_item_keyword {
                return Err(not_a_function(token.span()));
            }
        }
        let is_unsafe = tokens[..keyword]
            .iter()
            .any(|t| is_ident(Some(t), "unsafe"));
        let Some(TokenTree::Ident(name)) = tokens.get(keyword + 1) else {
            return Err(not_a_function(span));
        };
        let name = name.clone();
        let generics_end = skip_angles(&tokens, keyword + 2);
        let generics = parse_generics(&tokens[keyword + 2..generics_end]);
        let Some(TokenTree::Group(list)) = tokens.get(generics_end) else {
            return Err(not_a_function(name.span()));
        };
        let parameters: Vec<Parameter> = split_at_commas(list.stream())
            .into_iter()
            .map(parse_parameter)
            .collect();
        if !is_group(tokens.last(), Delimiter::Brace) || tokens.len() <= generics_end + 1 {
            return Err(not_a_function(name.span()));
        }
        let rest = &tokens[generics_end + 1..tokens.len() - 1];
        let where_at = rest
            .iter()
            .position(|t| is_ident(Some(t), "where"))
            .unwrap_or(rest.len());
        let has_arrow = is_punct(rest.first(), '-') && is_punct(rest.get(1), '>');
        let return_type = if has_arrow {
            stream(&rest[2..where_at])
        } else {
            TokenStream::new()
        };
        let signature = &tokens[..tokens.len() - 1];
        let mentions_self =
            parameters.iter().any(|p| p.is_self) || mentions(stream(signature), "Self");
        Ok(Self {
            attributes,
            tokens,
            name,
            is_unsafe,
            generics,
            parameters,
            return_type,
            mentions_self,
        })
    }

    /// The function with `items` at the head of its body.
    pub fn with_items_in_body(&self, items: TokenStream) -> TokenStream {
        let mut out: TokenStream = self
            .attributes
            .iter()
            .flat_map(|a| a.tokens.iter().cloned())
            .collect();
        let (head, body) = self.tokens.split_at(self.tokens.len() - 1);
        out.extend(stream(head));
        let TokenTree::Group(body) = &body[0] else {
            unreachable!("parse saw a body")
        };
        let mut content: Vec<TokenTree> = body.stream().into_iter().collect();
        // inner attributes have to stay first
        let mut at = 0;
        while is_punct(content.get(at), '#') && is_punct(content.get(at + 1), '!') {
            at += 3;
        }
        let rest = content.split_off(at.min(content.len()));
        let mut inner = stream(&content);
        inner.extend(items);
        inner.extend(rest);
        let mut group = Group::new(Delimiter::Brace, inner);
        group.set_span(body.span());
        out.extend([TokenTree::Group(group)]);
        out
    }

    /// The function unchanged, but for the attributes that were taken away.
    pub fn unchanged(&self) -> TokenStream {
        let mut out: TokenStream = self
            .attributes
            .iter()
            .flat_map(|a| a.tokens.iter().cloned())
            .collect();
        out.extend(stream(&self.tokens));
        out
    }
}

pub fn parse_attributes(tokens: &[TokenTree]) -> (Vec<Attribute>, usize) {
    let mut attributes = Vec::new();
    let mut at = 0;
    while is_punct(tokens.get(at), '#') && is_group(tokens.get(at + 1), Delimiter::Bracket) {
        let TokenTree::Group(group) = &tokens[at + 1] else {
            unreachable!("is_group saw it")
        };
        let inner: Vec<TokenTree> = group.stream().into_iter().collect();
        let path_end = inner
            .iter()
            .position(|t| !matches!(t, TokenTree::Ident(_)) && !is_punct(Some(t), ':'))
            .unwrap_or(inner.len());
        let arguments = match inner.get(path_end) {
            Some(TokenTree::Group(arguments)) => arguments.stream(),
            _ => TokenStream::new(),
        };
        attributes.push(Attribute {
            path: inner[..path_end].iter().map(ToString::to_string).collect(),
            arguments,
            tokens: tokens[at..at + 2].to_vec(),
        });
        at += 2;
    }
    (attributes, at)
}

pub fn parse_generics(angles: &[TokenTree]) -> Vec<GenericParameter> {
    if angles.len() < 2 {
        return Vec::new();
    }
    let inner = stream(&angles[1..angles.len() - 1]);
    split_at_commas(inner)
        .into_iter()
        .filter_map(|part| match (part.first()?, part.get(1)) {
            (TokenTree::Punct(p), _) if p.as_char() == '\'' => {
                Some(GenericParameter::Lifetime(stream(&part)))
            }
            (TokenTree::Ident(word), Some(TokenTree::Ident(name)))
                if word.to_string() == "const" =>
            {
                let end = part
                    .iter()
                    .position(|t| is_punct(Some(t), '='))
                    .unwrap_or(part.len());
                Some(GenericParameter::Const(
                    name.to_string(),
                    stream(part.get(3..end)?),
                ))
            }
            (TokenTree::Ident(name), _) => Some(GenericParameter::Type(name.to_string())),
            _ => None,
        })
        .collect()
}

fn parse_parameter(part: Vec<TokenTree>) -> Parameter {
    let (_, start) = parse_attributes(&part);
    let part = &part[start..];
    let colon = part
        .iter()
        .position(|t| is_punct(Some(t), ':'))
        .unwrap_or(part.len());
    let pattern = &part[..colon];
    let is_self = pattern.iter().any(|t| is_ident(Some(t), "self"));
    let name = match pattern {
        [TokenTree::Ident(name)] => Some(name.clone()),
        [TokenTree::Ident(word), TokenTree::Ident(name)] if word.to_string() == "mut" => {
            Some(name.clone())
        }
        _ => None,
    };
    let span = part.first().map_or_else(Span::call_site, TokenTree::span);
    Parameter {
        is_self,
        name,
        tokens: stream(part),
        span,
    }
}

pub fn mentions(tokens: TokenStream, word: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident.to_string() == word,
        TokenTree::Group(group) => mentions(group.stream(), word),
        _ => false,
    })
}
