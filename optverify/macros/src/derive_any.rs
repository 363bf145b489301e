//! `#[derive(Any)]`: every field arbitrary, every variant possible.

use crate::item_fn::{parse_attributes, parse_generics, GenericParameter};
use crate::tokens::{is_group, is_ident, is_punct, skip_angles, split_at_commas, stream, Error};
use proc_macro::{Delimiter, Span, TokenStream, TokenTree};

pub fn expand(item: TokenStream) -> TokenStream {
    try_expand(item).unwrap_or_else(Error::into_tokens)
}

fn try_expand(item: TokenStream) -> Result<TokenStream, Error> {
    let tokens: Vec<TokenTree> = item.into_iter().collect();
    let is_kind = |t: &TokenTree| {
        ["struct", "enum"]
            .iter()
            .any(|word| is_ident(Some(t), word))
    };
    let unsupported = |span| {
        Error::new(
            span,
            "#[derive(Any)] is for structs and enums; implement `Any` by hand",
        )
    };
    let keyword = tokens
        .iter()
        .position(is_kind)
        .ok_or_else(|| unsupported(tokens.first().map_or_else(Span::call_site, TokenTree::span)))?;
    let Some(TokenTree::Ident(name)) = tokens.get(keyword + 1) else {
        return Err(unsupported(tokens[keyword].span()));
    };
    let generics_end = skip_angles(&tokens, keyword + 2);
    let angles = &tokens[keyword + 2..generics_end];
    let body_at = tokens[generics_end..]
        .iter()
        .position(|t| is_group(Some(t), Delimiter::Brace))
        .map(|offset| generics_end + offset);
    let where_at = tokens[generics_end..]
        .iter()
        .position(|t| is_ident(Some(t), "where"))
        .map(|offset| generics_end + offset);
    let value = if is_ident(Some(&tokens[keyword]), "struct") {
        let fields = body_at.unwrap_or(generics_end);
        construct("Self", tokens.get(fields))
    } else {
        let Some(TokenTree::Group(body)) = body_at.and_then(|at| tokens.get(at)) else {
            return Err(unsupported(name.span()));
        };
        choose_variant(name.span(), body.stream())?
    };
    let (declared, used) = generics(angles);
    let bounds = match where_at {
        Some(at) => {
            let end = body_at.filter(|b| *b > at).unwrap_or(tokens.len());
            let clause = stream(&tokens[at..end]).to_string();
            clause.trim_end().trim_end_matches(';').to_owned()
        }
        None => String::new(),
    };
    format!(
        "#[automatically_derived] impl<{declared}> ::optverify::Any for {name}<{used}> {bounds} {{ \
         #[inline(always)] fn any() -> Self {{ {value} }} }}"
    )
    .parse()
    .map_err(|error| {
        Error::new(
            name.span(),
            format!("optverify could not generate code: {error}"),
        )
    })
}

const ANY: &str = "::optverify::Any::any()";

/// `Path { a: any(), .. }`, `Path(any(), ..)` or `Path`, after the shape of `fields`.
fn construct(path: &str, fields: Option<&TokenTree>) -> String {
    match fields {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => {
            let count = split_at_commas(group.stream()).len();
            format!("{path}({})", vec![ANY; count].join(", "))
        }
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
            let fields: Vec<String> = split_at_commas(group.stream())
                .iter()
                .filter_map(|part| {
                    let colon = part.iter().position(|t| is_punct(Some(t), ':'))?;
                    Some(format!("{}: {ANY}", part.get(colon.checked_sub(1)?)?))
                })
                .collect();
            format!("{path} {{ {} }}", fields.join(", "))
        }
        _ => path.to_owned(),
    }
}

fn choose_variant(span: Span, body: TokenStream) -> Result<String, Error> {
    let variants: Vec<String> = split_at_commas(body)
        .iter()
        .filter_map(|part| {
            let (_, start) = parse_attributes(part);
            let name = part.get(start)?;
            Some(construct(&format!("Self::{name}"), part.get(start + 1)))
        })
        .collect();
    let Some((last, others)) = variants.split_last() else {
        return Err(Error::new(
            span,
            "an enum without variants has no arbitrary value",
        ));
    };
    if others.is_empty() {
        return Ok(last.clone());
    }
    let arms: String = others
        .iter()
        .enumerate()
        .map(|(index, value)| format!("{index} => {value}, "))
        .collect();
    let count = variants.len();
    Ok(format!(
        "let variant = <u32 as ::optverify::Any>::any(); ::optverify::assume(variant < {count}); \
         match variant {{ {arms} _ => {last} }}"
    ))
}

/// What stands between the angle brackets of `impl<..>` and of the type.
fn generics(angles: &[TokenTree]) -> (String, String) {
    if angles.len() < 2 {
        return (String::new(), String::new());
    }
    let parts = split_at_commas(stream(&angles[1..angles.len() - 1]));
    let mut declared = Vec::new();
    let mut used = Vec::new();
    for (part, kind) in parts.iter().zip(parse_generics(angles)) {
        // a default is not allowed in an impl
        let end = part
            .iter()
            .position(|t| is_punct(Some(t), '='))
            .unwrap_or(part.len());
        let text = stream(&part[..end]).to_string();
        match kind {
            GenericParameter::Lifetime(_) => {
                let colon = part
                    .iter()
                    .position(|t| is_punct(Some(t), ':'))
                    .unwrap_or(part.len());
                used.push(stream(&part[..colon]).to_string());
                declared.push(text);
            }
            GenericParameter::Type(name) => {
                let has_bounds = part[..end].iter().any(|t| is_punct(Some(t), ':'));
                let glue = if has_bounds { " +" } else { ":" };
                declared.push(format!("{text}{glue} ::optverify::Any"));
                used.push(name);
            }
            GenericParameter::Const(name, _) => {
                declared.push(text);
                used.push(name);
            }
        }
    }
    (declared.join(", "), used.join(", "))
}
