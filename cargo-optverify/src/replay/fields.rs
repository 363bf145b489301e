//! Names of the source in counterexamples. MIR counts the fields of a struct, people name them: `Gauge { 0: 7 }` becomes `Gauge { top: 7 }` where the struct
//! stands in the root's own file.

use optverify_engine::report::{Counterexample, Step};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::BTreeMap;
use std::path::Path;

/// In the values of a counterexample's inputs, and in the variables of its steps.
pub fn name_all(source: &str, counterexample: &mut Counterexample) {
    let variables = std::mem::take(&mut counterexample.structs);
    let has_numbers = |v: &serde_json::Value| v.as_str().is_some_and(|text| text.contains("{ 0: "));
    if variables.is_empty() && !counterexample.inputs.values().any(has_numbers) {
        return;
    }
    let structs = structs(source);
    for value in counterexample.inputs.values_mut() {
        if let Some(named) = value.as_str().map(|text| named(text, &structs)) {
            *value = named.into();
        }
    }
    let fields = |variable: &str| structs.get(variables.get(variable)?);
    for step in &mut counterexample.steps {
        let is_known = |name: &String| name.split_once('.').and_then(|(v, _)| fields(v)).is_some();
        if step.values.keys().any(is_known) {
            let values = std::mem::take(&mut step.values);
            let named = values.into_iter().map(|(name, value)| {
                let known = part_named(&name, fields).unwrap_or(name);
                (known, value)
            });
            step.values = named.collect();
            retell(step);
        }
    }
}

/// `ring.1` as `ring.head`; parts of a part keep their numbers.
fn part_named<'a>(name: &str, fields: impl Fn(&str) -> Option<&'a Vec<String>>) -> Option<String> {
    let (variable, rest) = name.split_once('.')?;
    let (number, more) = rest.split_once('.').unwrap_or((rest, ""));
    let field = fields(variable)?.get(number.parse::<usize>().ok()?)?;
    Some(match more {
        "" => format!("{variable}.{field}"),
        more => format!("{variable}.{field}.{more}"),
    })
}

/// The step's sentence, of the values that it has now.
fn retell(step: &mut Step) {
    let values = step.values.iter();
    let list: Vec<String> = values.map(|(n, v)| format!("{n} = {v}")).collect();
    // `after 200 iterations: ..`
    let head = step.what.split_once(": ").map_or("", |(head, _)| head);
    step.what = match head.is_empty() {
        true => list.join(", "),
        false => format!("{head}: {}", list.join(", ")),
    };
}

/// Leaves out of the steps what no source file of the user names: variables of std's functions, once inlined.
pub fn only_named_here(folder: &Path, counterexample: &mut Counterexample) {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    counterexample.steps.retain_mut(|step| {
        let text = files.entry(step.file.clone()).or_insert_with(|| {
            std::fs::read_to_string(folder.join(&step.file)).unwrap_or_default()
        });
        let before = step.values.len();
        step.values
            .retain(|name, _| text.is_empty() || has_word(text, name));
        if step.values.len() == before {
            return true;
        }
        retell(step);
        !step.values.is_empty()
    });
}

/// A path like `point.x` is there if its first word is.
fn has_word(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let word: String = name.chars().take_while(|c| is_part(*c)).collect();
    text.match_indices(&word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// Field names by the name of the struct.
type Structs = BTreeMap<String, Vec<String>>;

fn structs(source: &str) -> Structs {
    let mut found = Structs::new();
    if let Ok(tokens) = source.parse::<TokenStream>() {
        collect(tokens, &mut found);
    }
    found
}

fn collect(tokens: TokenStream, found: &mut Structs) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (index, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else {
            continue;
        };
        if group.delimiter() != Delimiter::Brace {
            continue;
        }
        // `struct Name<..> where .. {`: back to the keyword
        let head = tokens[..index]
            .iter()
            .rposition(|t| matches!(t, TokenTree::Ident(i) if i == "struct"));
        let is_whole = |at: usize| {
            tokens[at..index].iter().all(|t| match t {
                TokenTree::Group(g) => g.delimiter() != Delimiter::Brace,
                TokenTree::Punct(p) => p.as_char() != ';',
                _ => true,
            })
        };
        match head
            .filter(|at| is_whole(*at))
            .and_then(|at| tokens.get(at + 1))
        {
            Some(TokenTree::Ident(name)) => {
                // two structs of one name in two modules: neither is meant for sure
                let names = field_names(group.stream());
                let entry = found
                    .entry(name.to_string())
                    .or_insert_with(|| names.clone());
                if *entry != names {
                    entry.clear();
                }
            }
            _ => collect(group.stream(), found),
        }
    }
}

/// The word before each colon that is not part of a path, outside of `<..>`.
fn field_names(tokens: TokenStream) -> Vec<String> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |token: Option<&TokenTree>, c: char| matches!(token, Some(TokenTree::Punct(p)) if p.as_char() == c);
    let mut names = Vec::new();
    let mut depth = 0i32;
    let mut is_start = true;
    for (index, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Punct(p) if p.as_char() == '<' => depth += 1,
            TokenTree::Punct(p) if p.as_char() == '>' => depth -= 1,
            TokenTree::Punct(p) if p.as_char() == ',' && depth == 0 => is_start = true,
            TokenTree::Ident(name) if is_start && is(tokens.get(index + 1), ':') => {
                names.push(name.to_string());
                is_start = false;
            }
            _ => {}
        }
    }
    names
}

/// Replaces numbers of fields, in nested values as well. Text in quotes is left alone.
fn named(value: &str, structs: &Structs) -> String {
    let mut out = String::new();
    // the struct whose braces are open, innermost last
    let mut open: Vec<Option<&Vec<String>>> = Vec::new();
    let mut quote = None;
    let mut word = String::new();
    let mut last_word = String::new();
    let letters: Vec<char> = value.chars().collect();
    for (index, &letter) in letters.iter().enumerate() {
        if let Some(end) = quote {
            out.push(letter);
            if letter == end && letters[index - 1] != '\\' {
                quote = None;
            }
            continue;
        }
        if letter.is_alphanumeric() || letter == '_' {
            word.push(letter);
            continue;
        }
        if !word.is_empty() {
            let next = letters.get(index + 1);
            let is_field = letter == ':' && next == Some(&' ');
            let name = open.last().copied().flatten().filter(|_| is_field);
            let name = name.and_then(|names| names.get(word.parse::<usize>().ok()?));
            out += name.unwrap_or(&word);
            last_word = std::mem::take(&mut word);
        }
        match letter {
            '{' => open.push(structs.get(&last_word)),
            '}' => drop(open.pop()),
            '"' | '\'' => quote = Some(letter),
            _ => {}
        }
        out.push(letter);
    }
    out + &word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        let text = "let mut total = self.0 + n;";
        assert!(has_word(text, "total") && has_word(text, "self.0") && has_word(text, "n"));
        assert!(!has_word(text, "tot") && !has_word(text, "rhs") && !has_word(text, "e"));
    }

    #[test]
    fn steps_get_names_of_fields() {
        let structs = |of: &str| BTreeMap::from([("ring".to_owned(), of.to_owned())]);
        let step = Step {
            what: "after 9 iterations: ring.1 = 3, ring.2.0 = 4, x = 1".into(),
            values: ["ring.1", "ring.2.0", "x"]
                .map(|n| (n.into(), "1".into()))
                .into(),
            ..Step::default()
        };
        let source = "struct Ring { cells: [u8; 8], head: usize, pair: (u8, u8) }";
        for (of, expected) in [
            (
                "Ring",
                "after 9 iterations: ring.head = 1, ring.pair.0 = 1, x = 1",
            ),
            // two variables of one name, a struct of another file
            ("", step.what.as_str()),
            ("Other", step.what.as_str()),
        ] {
            let mut found = Counterexample {
                steps: vec![step.clone()],
                structs: structs(of),
                ..Counterexample::default()
            };
            name_all(source, &mut found);
            assert_eq!(found.steps[0].what, expected);
            assert!(found.structs.is_empty());
        }
    }

    #[test]
    fn fields_get_their_names() {
        let source = "mod m { pub struct Inner<T> where T: Copy { pub(crate) a: T, b: Vec<(u8, u8)> } }\n\
                      struct Outer { x: std::num::NonZeroU8, inner: m::Inner<u8> }\nstruct Pair(u8, u8);";
        let structs = structs(source);
        assert_eq!(structs["Inner"], ["a", "b"]);
        let value = "&[Outer { 0: 1, 1: Inner { 0: 2, 1: \"{ 0: \" } }, Pair { 0: 3, 1: '}' }]";
        assert_eq!(
            named(value, &structs),
            "&[Outer { x: 1, inner: Inner { a: 2, b: \"{ 0: \" } }, Pair { 0: 3, 1: '}' }]"
        );
    }
}
