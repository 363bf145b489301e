//! Values of named constants: rustc's value numbering replaces `const LIMIT` by `const 10_u32` and leaves
//! every statement in its place, so the same crate with and without that one pass shows them side by side.
//! Simple constants of the crate itself are printed with their values anyway.

use crate::capture::mir_text::functions;
use std::collections::{BTreeMap, HashMap};

/// Are there names whose values are asked for?
pub fn are_named(mir: &str) -> bool {
    mir.lines()
        .any(|line| line.starts_with("    ") && named_constants(line).next().is_some())
}

/// `reference` without, `evaluated` with the pass.
pub fn evaluated(reference: &str, evaluated: &str) -> BTreeMap<String, String> {
    // two items of one name may have two values: then nobody knows which is meant
    let printed = printed_with_value(reference).into_iter();
    let mut values: BTreeMap<String, Option<String>> =
        printed.map(|(name, value)| (name, Some(value))).collect();
    let after: HashMap<&str, &str> = functions(evaluated)
        .into_iter()
        .map(|b| (b.path, b.text))
        .collect();
    for body in functions(reference) {
        let Some(after) = after.get(body.path) else {
            continue;
        };
        let (before, after) = (statements(body.text), statements(after));
        for (block, lines) in &before {
            let Some(after) = after.get(block).filter(|after| after.len() == lines.len()) else {
                continue;
            };
            for (line, evaluated) in lines.iter().zip(after) {
                for (name, value) in compare(line, evaluated) {
                    let same = |known: &mut Option<String>| {
                        if known.as_deref() != Some(value) {
                            *known = None;
                        }
                    };
                    let entry = values.entry(name.to_owned()).and_modify(same);
                    entry.or_insert_with(|| Some(value.to_owned()));
                }
            }
        }
    }
    let known = |(name, value): (String, Option<String>)| Some((name, value?));
    values.into_iter().filter_map(known).collect()
}

/// `const LIMIT: u32 = const 10_u32;`: constants whose body is a value.
fn printed_with_value(mir: &str) -> BTreeMap<String, String> {
    mir.lines()
        .filter_map(|line| {
            let (head, value) = line.strip_prefix("const ")?.split_once(" = const ")?;
            let (name, _) = head.split_once(": ")?;
            let value = value.strip_suffix(';')?;
            is_literal(value).then(|| (name.to_owned(), value.to_owned()))
        })
        .collect()
}

/// Block by block: the statements that value numbering keeps.
fn statements(body: &str) -> HashMap<&str, Vec<&str>> {
    let mut blocks: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut block = None;
    for line in body.lines() {
        let code = line.split("//").next().unwrap_or(line).trim();
        if code.starts_with("bb") && code.ends_with('{') {
            block = Some(code.split([':', ' ']).next().unwrap_or(code));
        } else if code == "}" {
            block = None;
        } else if let Some(block) = block
            && !code.is_empty()
            && !code.starts_with("Storage")
            && code != "nop;"
        {
            blocks.entry(block).or_default().push(code);
        }
    }
    blocks
}

/// The names of one statement and what they became, where the rest tells that they correspond.
fn compare<'a>(before: &'a str, after: &'a str) -> Vec<(&'a str, &'a str)> {
    let names: Vec<(usize, &str)> = named_constants(before).collect();
    let mut found = Vec::new();
    for (at, name) in names {
        let (head, tail) = (&before[..at], &before[at + name.len()..]);
        // the same operand of the same statement: by the text around it, or by its number
        let direct = after
            .strip_prefix(head)
            .and_then(|rest| rest.strip_suffix(tail));
        let operand = || {
            let index = head.matches("const ").count()
                + head.matches("copy ").count()
                + head.matches("move ").count();
            let same_shape = before.split('(').next() == after.split('(').next();
            operands(after)
                .into_iter()
                .nth(index - 1)
                .filter(|_| same_shape)
        };
        if let Some(value) = direct.or_else(operand).filter(|value| is_literal(value)) {
            found.push((name, value));
        }
    }
    found
}

/// The operands of a statement in order; for constants only the value.
fn operands(code: &str) -> Vec<&str> {
    let mut starts: Vec<(usize, &str)> = Vec::new();
    for word in ["const ", "copy ", "move "] {
        starts.extend(code.match_indices(word));
    }
    starts.sort();
    starts
        .into_iter()
        .map(|(at, word)| {
            let rest = &code[at + word.len()..];
            if word == "const " {
                &rest[..constant_end(rest)]
            } else {
                ""
            }
        })
        .collect()
}

/// Named constants of a statement, with their places.
fn named_constants(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let code = line.split("//").next().unwrap_or(line);
    code.match_indices("const ").filter_map(move |(at, word)| {
        let at = at + word.len();
        let rest = &code[at..];
        // only where an operand starts, not in `*const T` or `&const`
        let before = code[..at - word.len()].chars().next_back().unwrap_or(' ');
        let name = &rest[..constant_end(rest)];
        let starts_name = name.starts_with(|c: char| c.is_alphabetic() || c == '<' || c == '_');
        let is_name = starts_name
            && !is_literal(name)
            && !name.contains("promoted[")
            && !name.starts_with("u8 ")
            && !name.contains('"')
            && !name.contains('{');
        (matches!(before, ' ' | '(' | '[') && is_name).then_some((at, name))
    })
}

/// Where the constant that `text` starts with ends: at a delimiter outside its own brackets.
fn constant_end(text: &str) -> usize {
    if text.starts_with('"') || text.starts_with("b\"") || text.starts_with('\'') {
        return text.len();
    }
    let (mut depth, mut previous) = (0i32, ' ');
    for (at, c) in text.char_indices() {
        match c {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' if previous == '-' => {}
            '>' | ')' | ']' | '}' if depth > 0 => depth -= 1,
            ',' | ';' | ')' | ']' | '}' | ' ' if depth == 0 => return at,
            _ => {}
        }
        previous = c;
    }
    text.len()
}

/// `10_u32`, `-3_i8`, `true`, `'x'`, `u32::MAX`: what the parser of MIR reads as a value.
fn is_literal(value: &str) -> bool {
    let primitive_limit = value.split_once("::").is_some_and(|(ty, limit)| {
        ["MAX", "MIN"].contains(&limit) && ty.starts_with(['u', 'i']) && ty.len() <= 5
    });
    primitive_limit
        || matches!(value, "true" | "false" | "()")
        || value.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '\''))
        || value.starts_with("b'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_beside_names() {
        let before = "const LIMIT: u32 = const 10_u32;\n\nfn f(_1: u32) -> u32 {\n    bb0: {\n        StorageLive(_2);\n        _2 = Lt(copy _1, const m::OTHER); // x\n        _3 = const <u8 as Tr<u8>>::N;\n    }\n}\n";
        let after = "fn f(_1: u32) -> u32 {\n    bb0: {\n        _2 = Lt(copy _9, const 7_u32);\n        _3 = const 4_usize;\n    }\n}\n";
        assert!(are_named(before));
        let values = evaluated(before, after);
        let expected = [
            ("<u8 as Tr<u8>>::N", "4_usize"),
            ("LIMIT", "10_u32"),
            ("m::OTHER", "7_u32"),
        ];
        assert_eq!(
            values,
            expected.map(|(a, b)| (a.to_owned(), b.to_owned())).into()
        );
    }
}
