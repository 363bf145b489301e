//! Names of parts of places, as lemmas spell them: `bb4/_5.0`, `(*_1)[]`, `_3#variant`, `_2#len`.

use crate::value::{Object, Step};
use std::rc::Rc;

#[derive(Debug, Clone, PartialEq)]
pub struct Name {
    pub object: Object,
    /// Elements of arrays are meant all.
    pub path: Vec<Step>,
    pub part: Part,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Value,
    /// The length that a pointer has, or that of the memory behind a parameter.
    Length,
    /// Where a pointer stands in the arrays on its way.
    At(usize),
    /// Is there a value?
    Init,
}

/// What the text names, if it is one of these names.
pub fn parse(text: &str) -> Option<Name> {
    let (object, mut rest) = object(text)?;
    let mut path = vec![];
    loop {
        if let Some(r) = rest.strip_prefix("[]") {
            path.push(Step::Elements);
            rest = r;
        } else if let Some(r) = rest.strip_prefix("#variant") {
            path.push(Step::Discriminant);
            rest = r;
        } else if let Some(r) = rest.strip_prefix('.') {
            let (i, r) = number(r)?;
            path.push(Step::Field(i));
            rest = r;
        } else if let Some(r) = rest.strip_prefix('@') {
            let (variant, r) = r.split_once('.')?;
            let (i, r) = number(r)?;
            path.push(Step::Variant(variant.into(), i));
            rest = r;
        } else {
            break;
        }
    }
    let part = match rest {
        "" => Part::Value,
        "#len" => Part::Length,
        "#init" => Part::Init,
        other => match number(other.strip_prefix("#at")?)? {
            (k, "") => Part::At(k as usize),
            _ => return None,
        },
    };
    Some(Name { object, path, part })
}

fn object(text: &str) -> Option<(Object, &str)> {
    if let Some(inside) = text.strip_prefix("(*") {
        let mut depth = 1usize;
        for (at, c) in inside.char_indices() {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some((Object::Pointee(inside[..at].into()), &inside[at + 1..]));
            }
        }
        return None;
    }
    let mut chain = 0;
    while text[chain..].starts_with("bb") {
        chain += text[chain..].find('/')? + 1;
    }
    let (local, rest) = number(text[chain..].strip_prefix('_')?)?;
    let calls: Rc<str> = text[..chain].into();
    Some((Object::Local(calls, local), rest))
}

fn number(text: &str) -> Option<(u32, &str)> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_parts() {
        let n = parse("bb4/bb12/_5.0@Some.1[]").expect("a name");
        assert_eq!(n.object, Object::Local("bb4/bb12/".into(), 5));
        let path = [
            Step::Field(0),
            Step::Variant("Some".into(), 1),
            Step::Elements,
        ];
        assert_eq!(n.path, path);
        assert_eq!(parse("(*_1)#len").expect("a name").part, Part::Length);
        assert_eq!(
            parse("(*(*_1).0)#variant").expect("a name").object,
            Object::Pointee("(*_1).0".into())
        );
        for wrong in ["", "_", "5", "_1#", "_1.x", "(*_1", "bb4_5", "_1|"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
