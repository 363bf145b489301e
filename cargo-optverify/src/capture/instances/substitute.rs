//! A generic body's text with its parameters replaced: what code generation does, once more, because no option of rustc
//! prints it. Words are replaced where MIR prints a type or a constant, and nowhere else.

use crate::capture::mir_text::ends_in_literal;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What a parameter stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// As arguments print it: `u8`, `3`.
    pub text: String,
    /// Of a constant: its type, which operands print, too.
    pub constant_of: Option<String>,
}

pub type Bindings = BTreeMap<String, Bound>;

/// Words that MIR prints for itself where a type could stand.
const OWN_WORDS: &[&str] = &[
    "AsCast",
    "FloatToFloat",
    "FloatToInt",
    "FnPtrToPtr",
    "Implicit",
    "IntToFloat",
    "IntToInt",
    "PointerCoercion",
    "PointerExposeProvenance",
    "PointerWithExposedProvenance",
    "PtrToPtr",
    "Subtype",
    "Transmute",
    "Unsize",
];

/// How the types of parameters without a name begin: `impl Tr`.
pub const ANONYMOUS: &str = "impl ";

pub fn is_anonymous(name: &str) -> bool {
    name.starts_with(ANONYMOUS)
}

/// Can a parameter of this name be told from everything else that MIR prints? Keywords and primitive types are small.
pub fn can_be_replaced(name: &str) -> bool {
    is_anonymous(name)
        || name.starts_with(|c: char| c.is_ascii_uppercase()) && !OWN_WORDS.contains(&name)
}

pub fn substitute(text: &str, bindings: &Bindings) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for line in text.split_inclusive('\n') {
        let line = without_anonymous(line, bindings);
        let (code, comment) = line.split_at(comment_start(&line));
        replace(code, bindings, &mut out);
        // the types of constants are told in comments; other comments have spans
        if comment.starts_with("// + const_:") {
            replace(comment, bindings, &mut out);
        } else {
            out.push_str(comment);
        }
    }
    out
}

/// Types of several words are no token. What follows one must not belong to it.
fn without_anonymous<'l>(line: &'l str, bindings: &Bindings) -> Cow<'l, str> {
    let mut line = Cow::Borrowed(line);
    for (name, bound) in bindings.iter().filter(|(name, _)| is_anonymous(name)) {
        let mut out = String::new();
        let mut done = 0;
        for (at, _) in line.match_indices(name.as_str()) {
            let end = at + name.len();
            let in_word = |c: char| c.is_alphanumeric() || c == '_';
            let (before, after) = (&line[done..at], &line[end..]);
            let mut longer = [":", "<", "(", " ->", " +"].iter();
            let goes_on = after.starts_with(in_word) || longer.any(|s| after.starts_with(s));
            if !before.ends_with(in_word) && !goes_on && !ends_in_literal(&line[..at]) {
                out += before;
                out += &bound.text;
                done = end;
            }
        }
        if done > 0 {
            out += &line[done..];
            line = Cow::Owned(out);
        }
    }
    line
}

/// Where a line's comment begins: two slashes outside of text.
fn comment_start(line: &str) -> usize {
    let mut at = 0;
    while at < line.len() {
        if line[at..].starts_with("//") {
            return at;
        }
        at += token(&line[at..]);
    }
    line.len()
}

fn replace(code: &str, bindings: &Bindings, out: &mut String) {
    let mut at = 0;
    // the last word, if only blanks came after it
    let mut word_before = "";
    while at < code.len() {
        let rest = &code[at..];
        let length = token(rest);
        let (token, after) = rest.split_at(length);
        let bound = bindings
            .get(token)
            .filter(|_| is_parameter(&code[..at], word_before, after));
        match bound {
            Some(bound) => {
                out.push_str(&bound.text);
                if let Some(ty) = bound
                    .constant_of
                    .as_ref()
                    .filter(|_| word_before == "const")
                    && !["bool", "char"].contains(&ty.as_str())
                {
                    out.push('_');
                    out.push_str(ty);
                }
            }
            None => out.push_str(token),
        }
        if is_word(token) {
            word_before = token;
        } else if !token.trim().is_empty() {
            word_before = "";
        }
        at += length;
    }
}

/// Does a word with the name of a parameter stand for it here? Variants, fields, traits, operators and variables may have
/// the same name.
fn is_parameter(before: &str, word_before: &str, after: &str) -> bool {
    let in_path = before.ends_with("::") || after.starts_with("::");
    let variable = word_before == "debug";
    let operator = after.starts_with('(');
    let field = after.starts_with(':');
    // `(_1 as Variant)` and `<T as Trait>` against `_1 as T (Transmute)`
    let named_as = word_before == "as" && !after.starts_with(" (");
    !(in_path || variable || operator || field || named_as)
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// The bytes of the first token: a word, a text, a character, a lifetime, a place in the source, or one character.
pub fn token(text: &str) -> usize {
    let first = text.chars().next().unwrap_or(' ');
    if first.is_alphanumeric() || first == '_' {
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
        return end.unwrap_or(text.len());
    }
    if first == '"' {
        return quoted(text, '"');
    }
    if first == '\'' {
        let mut chars = text.chars().skip(1);
        let (second, third) = (chars.next(), chars.next());
        if second == Some('\\') || third == Some('\'') {
            return quoted(text, '\'');
        }
        // a lifetime
        let end = text[1..].find(|c: char| !c.is_alphanumeric() && c != '_');
        return end.map_or(text.len(), |end| end + 1);
    }
    if text.starts_with("<impl at ") {
        return text.find('>').map_or(text.len(), |at| at + 1);
    }
    if first == '{'
        && let Some(end) = text.find('}')
        && text[..end].contains('@')
    {
        return end + 1;
    }
    first.len_utf8()
}

fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bindings() -> Bindings {
        let ty = |text: &str| Bound {
            text: text.to_owned(),
            constant_of: None,
        };
        let n = Bound {
            text: "3".to_owned(),
            constant_of: Some("usize".to_owned()),
        };
        BTreeMap::from([
            ("T".to_owned(), ty("(u8, m::T)")),
            ("Self".to_owned(), ty("S")),
            ("Lt".to_owned(), ty("u8")),
            ("N".to_owned(), n),
        ])
    }

    #[test]
    fn types_and_constants_are_replaced() {
        let same = |from: &str, to: &str| assert_eq!(substitute(from, &bindings()), to);
        same(
            "fn f(_1: &[T; N]) -> T {",
            "fn f(_1: &[(u8, m::T); 3]) -> (u8, m::T) {",
        );
        same(
            "_2 = Lt(copy _1, const N);",
            "_2 = Lt(copy _1, const 3_usize);",
        );
        same(
            "_0 = g::<T, N>(move _1)",
            "_0 = g::<(u8, m::T), 3>(move _1)",
        );
        same("<Self as Tr<T>>::N", "<S as Tr<(u8, m::T)>>::N");
        same(
            "_1 = move _2 as Lt (Transmute);",
            "_1 = move _2 as u8 (Transmute);",
        );
        let comment = "    // + const_: Const { ty: fn(T) -> Lt {f::<T>}, val: X }";
        assert!(
            substitute(comment, &bindings()).contains("fn((u8, m::T)) -> u8 {f::<(u8, m::T)>}")
        );
    }

    #[test]
    fn parameters_without_a_name_are_replaced() {
        let name = "impl FnMut(u8) -> u8".to_owned();
        let bound = Bound {
            text: "m::S<T>".to_owned(),
            constant_of: None,
        };
        let bindings = BTreeMap::from([(name, bound)]);
        let same = |from: &str, to: &str| assert_eq!(substitute(from, &bindings), to);
        same(
            "fn f(_1: &mut impl FnMut(u8) -> u8, _2: u8) -> u8 {",
            "fn f(_1: &mut m::S<T>, _2: u8) -> u8 {",
        );
        same(
            "_3 = <impl FnMut(u8) -> u8 as FnMut<(u8,)>>::call_mut(move _1, move _2) -> bb1;",
            "_3 = <m::S<T> as FnMut<(u8,)>>::call_mut(move _1, move _2) -> bb1;",
        );
        for text in [
            "let _1: impl FnMut(u8) -> u8::T;",
            "let _1: impl FnMut(u8) -> u8 + Copy;",
            "_1 = const \"\\\"impl FnMut(u8) -> u8\";",
        ] {
            same(text, text);
        }
    }

    #[test]
    fn other_things_of_the_same_name_stay() {
        for text in [
            "debug T => _1;",
            "_3 = copy ((_1 as T).0: u8);",
            "_3 = m::T::N { T: const 1_u8 };",
            "<u8 as T>::f(const \"T // N\", const 'N')",
            "let _1: {closure@/src/T/N.rs:1:2: 3:4}; // in scope 0 at /src/T/N.rs:1:2: 3:4",
            "<impl at /T/N.rs:1:2: 3:4>::f",
            "let _1: &'T u8;",
            "let _1: &'static str = const \"\\\"N\";",
        ] {
            assert_eq!(substitute(text, &bindings()), text);
        }
    }
}
