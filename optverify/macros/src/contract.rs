//! `#[requires]` and `#[ensures]`. `#[verify]` does the work: it takes the contracts that stand below
//! it; a contract above it moves itself below. Without `#[verify]` a contract is documentation.

use crate::item_fn::parse_attributes;
use proc_macro::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};

/// Is `path`, as an attribute's path is written, the attribute `name` of this crate?
pub fn is_named(path: &str, name: &str) -> bool {
    path == name
        || path
            .strip_suffix(name)
            .is_some_and(|head| head.ends_with("optverify::"))
}

pub fn expand(kind: &str, condition: TokenStream, item: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = item.into_iter().collect();
    let (attributes, end) = parse_attributes(&tokens);
    if !attributes.iter().any(|a| is_named(&a.path, "verify")) {
        return tokens.into_iter().collect();
    }
    let mut out: TokenStream = tokens[..end].iter().cloned().collect();
    out.extend(attribute(kind, condition));
    out.extend(tokens[end..].iter().cloned());
    out
}

fn attribute(kind: &str, condition: TokenStream) -> TokenStream {
    let mut inner: Vec<TokenTree> = Vec::new();
    for name in ["optverify", kind] {
        inner.push(Punct::new(':', Spacing::Joint).into());
        inner.push(Punct::new(':', Spacing::Alone).into());
        inner.push(Ident::new(name, Span::call_site()).into());
    }
    inner.push(Group::new(Delimiter::Parenthesis, condition).into());
    let group = Group::new(Delimiter::Bracket, inner.into_iter().collect());
    [
        TokenTree::from(Punct::new('#', Spacing::Alone)),
        group.into(),
    ]
    .into_iter()
    .collect()
}
