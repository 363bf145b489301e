//! Types that an instance has by a trait: `<u8 as Add>::Output`, `<Square as Shape>::Size`. Those of the crate's impls are read
//! from the source, those of std asked from rustc; an instance with any other is none.

use super::expanded::is_primitive;
use super::find::Items;
use super::substitute::{Bound, substitute};
use crate::capture::roots;
use optverify_engine::lower::erase;
use optverify_engine::mir::{TyKind, parse_ty};
use std::collections::BTreeSet;

/// The projections in a text's types, the inner ones only where they stand alone.
pub fn projections(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in text.lines() {
        let code = line.split("//").next().unwrap_or(line);
        if code.contains(" (inlined ") {
            continue;
        }
        // the header's own name is no type
        let from = if code.starts_with("fn ") {
            code.find("(_1:").unwrap_or(code.len())
        } else {
            0
        };
        for (at, _) in code[from..]
            .match_indices('<')
            .map(|(at, c)| (at + from, c))
        {
            if code[..at].ends_with("const ") {
                continue;
            }
            let Some(length) = projection(&code[at..]) else {
                continue;
            };
            found.insert(code[at..at + length].to_owned());
        }
    }
    found
}

/// How long the projection is that the text begins with: `<T as Trait>::Name` and no call behind.
fn projection(text: &str) -> Option<usize> {
    let (inside, rest) = roots::generics(text)?;
    let mut depth = 0i32;
    let top = |(at, c): (usize, char)| {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth -= 1,
            _ => {}
        }
        depth == 0 && inside[at..].starts_with(" as ")
    };
    inside.char_indices().any(top).then_some(())?;
    let name = rest.strip_prefix("::")?;
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_');
    let end = end.unwrap_or(name.len());
    let after = &name[end..];
    let is_type = end > 0 && !after.starts_with(['(', '<']) && !after.starts_with("::");
    is_type.then(|| inside.len() + 4 + end)
}

/// With a type in place of a projection, and not of one whose name only begins so.
pub fn replaced(text: &str, projection: &str, ty: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(projection) {
        let (before, found) = rest.split_at(at);
        let after = &found[projection.len()..];
        let longer = after.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        out.push_str(before);
        out.push_str(if longer { projection } else { ty });
        rest = after;
    }
    out + rest
}

/// The type that an impl of this crate says.
pub fn of_crate(items: &Items<'_>, projection: &str) -> Option<String> {
    let ty = parse_ty(projection).ok()?;
    let TyKind::Alias(path) = ty.kind() else {
        return None;
    };
    let qself = path.qself.as_ref()?;
    let of = qself.trait_ref.as_ref()?;
    let (said, mut bindings) = items.associated_type(&qself.ty, of, path.last_name())?;
    let bound = Bound {
        text: erase(&qself.ty).to_string(),
        constant_of: None,
    };
    bindings.insert("Self".to_owned(), bound);
    let printed = substitute(&spelled_out(&said, items, &bindings)?, &bindings);
    parse_ty(&printed).ok()?;
    Some(printed)
}

/// A type of the source as MIR prints it; nothing if one of its names may be another's.
fn spelled_out(
    said: &str,
    items: &Items<'_>,
    bindings: &super::substitute::Bindings,
) -> Option<String> {
    let mut out = String::new();
    let mut rest = said.trim();
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        if end == 0 {
            if rest.starts_with("::") || first == '\'' {
                return None;
            }
            out.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (word, after) = rest.split_at(end);
        rest = after;
        let number = word.starts_with(|c: char| c.is_ascii_digit());
        if number
            || is_primitive(word)
            || ["mut", "const"].contains(&word)
            || bindings.contains_key(word)
        {
            out += word;
        } else {
            out += &items.printed_type(word)?;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_names_are_replaced() {
        let text = "let _1: <A as Tr>::Out; let _2: <A as Tr>::Output;";
        let want = "let _1: u8; let _2: <A as Tr>::Output;";
        assert_eq!(replaced(text, "<A as Tr>::Out", "u8"), want);
    }

    #[test]
    fn types_and_no_calls() {
        let text = "fn <A as Tr>::f(_1: <A as Tr>::Out) -> u8 {\n    let _2: std::option::Option<<u8 as std::ops::Add>::Output>;\n\
                    _3 = <u8 as Add>::add(copy _1, const <A as Tr>::ONE) -> bb1;\n    _4 = <A as Tr>::g::<u8>(move _3) -> bb2;";
        let found: Vec<String> = projections(text).into_iter().collect();
        assert_eq!(found, ["<A as Tr>::Out", "<u8 as std::ops::Add>::Output"]);
    }
}
