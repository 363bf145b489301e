//! Types of the crate that hold nothing with a `Drop` of the crate, and variants that hold none (`E::V`), from the
//! macro-expanded source. MIR says nothing of a field that no captured body gives a value.
//!
//! By words alone, so that fewer are named than are free of it: every word of a type's fields must be a primitive type, a
//! type of std that drops its content and nothing else, a parameter of the type's own (whose argument MIR prints), or
//! another such type. A name that anything else may have, by a second definition or a `use`, is none of them.

use super::local_enums::skip_item;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};

/// Words of types that own nothing, or what is written beside them.
const HARMLESS: &[&str] = &[
    "bool",
    "char",
    "str",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "f32",
    "f64",
    "const",
    "mut",
    "fn",
    "AtomicBool",
    "AtomicU8",
    "AtomicU16",
    "AtomicU32",
    "AtomicU64",
    "AtomicUsize",
    "AtomicI8",
    "AtomicI16",
    "AtomicI32",
    "AtomicI64",
    "AtomicIsize",
    "BTreeMap",
    "BTreeSet",
    "BinaryHeap",
    "Box",
    "Cell",
    "Cow",
    "Duration",
    "HashMap",
    "HashSet",
    "Instant",
    "NonZero",
    "NonZeroU8",
    "NonZeroU16",
    "NonZeroU32",
    "NonZeroU64",
    "NonZeroUsize",
    "NonZeroI32",
    "NonZeroI64",
    "Option",
    "Ordering",
    "PathBuf",
    "PhantomData",
    "Range",
    "RangeInclusive",
    "RefCell",
    "Self",
    "Result",
    "String",
    "SystemTime",
    "Vec",
    "VecDeque",
    "Wrapping",
];

/// What a definition mentions, by the name of the type or of a variant of it.
#[derive(Default)]
struct Items {
    words: BTreeMap<String, BTreeSet<String>>,
    /// How many items have this name.
    defined: BTreeMap<String, usize>,
    /// Names that may mean something else: imported ones, and those of types with a `Drop`.
    suspect: BTreeSet<String>,
    /// Does anything unknown come with a `*`?
    glob: bool,
}

/// `expanded`: what `-Zunpretty=expanded` prints.
pub fn collect(expanded: &str) -> BTreeSet<String> {
    let mut items = Items::default();
    match expanded.parse::<TokenStream>() {
        Ok(tokens) => walk(tokens, &mut items),
        Err(_) => return BTreeSet::new(),
    }
    if items.glob {
        return BTreeSet::new();
    }
    let is_std = |w: &String| {
        HARMLESS.contains(&w.as_str())
            && !items.suspect.contains(w)
            && !items.defined.contains_key(w)
    };
    let is_own = |name: &String| {
        let of = name.split("::").next().unwrap_or(name);
        items.defined.get(of) == Some(&1) && !items.suspect.contains(of)
    };
    // the largest set whose members mention only each other: a type may hold more of its kind
    let mut free: BTreeSet<String> = items.words.keys().filter(|n| is_own(n)).cloned().collect();
    loop {
        let stays = |name: &&String| {
            let words = &items.words[*name];
            words.iter().all(|w| is_std(w) || free.contains(w))
        };
        let kept: BTreeSet<String> = free.iter().filter(stays).cloned().collect();
        if kept.len() == free.len() {
            return kept;
        }
        free = kept;
    }
}

fn walk(tokens: TokenStream, items: &mut Items) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        match (&tokens[at], tokens.get(at + 1)) {
            (TokenTree::Ident(word), _) if word == "use" => {
                let end = skip_item_of_use(&tokens, at + 1);
                import(&tokens[at + 1..end], items);
                at = end;
                continue;
            }
            (TokenTree::Ident(word), Some(TokenTree::Ident(name))) => {
                let end = skip_item(&tokens, at + 2);
                let rest = &tokens[at + 2..end];
                let name = text(name);
                match text(word).as_str() {
                    "struct" | "enum" | "union" | "type" | "trait" | "mod" => {
                        *items.defined.entry(name.clone()).or_default() += 1;
                        match word.to_string().as_str() {
                            "struct" if ends_with_item(rest) => add_struct(&name, rest, items),
                            "enum" if ends_with_item(rest) => add_enum(&name, rest, items),
                            _ => {}
                        }
                    }
                    "extern" if name == "crate" => items.suspect.extend(all_words(rest)),
                    _ => {}
                }
            }
            (TokenTree::Group(group), _) => {
                // whatever the trait is called here: another crate may have given `Drop` another name
                if has_function_drop(group.stream()) {
                    items.suspect.extend(header_before(&tokens[..at]));
                }
                walk(group.stream(), items);
            }
            _ => {}
        }
        at += 1;
    }
}

/// Do these tokens themselves, without their braces, have a function `drop`?
pub fn has_function_drop(tokens: TokenStream) -> bool {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    tokens.windows(2).any(|pair| match pair {
        [TokenTree::Ident(word), TokenTree::Ident(name)] => word == "fn" && text(name) == "drop",
        _ => false,
    })
}

/// The words of the item whose body comes next, if it is an impl: back to the end of the item before it.
pub fn header_before(tokens: &[TokenTree]) -> BTreeSet<String> {
    let is_impl = |t: &TokenTree| matches!(t, TokenTree::Ident(word) if word == "impl");
    let start = tokens.iter().rposition(is_impl).unwrap_or(0);
    all_words(&tokens[start..])
}

/// Is the last of these tokens the item's end? The `{3}` of `where T: Tr<{3}>` looks like one.
fn ends_with_item(rest: &[TokenTree]) -> bool {
    let before = rest.len().checked_sub(2).and_then(|at| rest.get(at));
    !is(before, '<') && !is(before, ',')
}

/// A `use` ends with its `;`: braces are part of it.
fn skip_item_of_use(tokens: &[TokenTree], start: usize) -> usize {
    let rest = tokens.get(start..).unwrap_or_default();
    let end = rest
        .iter()
        .position(|t| matches!(t, TokenTree::Punct(p) if p.as_char() == ';'));
    end.map_or(tokens.len(), |n| start + n + 1)
}

/// What a `use` brings in. Names of std keep their meaning, unless they are renamed.
fn import(tree: &[TokenTree], items: &mut Items) {
    let first = tree.iter().find_map(|t| match t {
        TokenTree::Ident(word) => Some(text(word)),
        _ => None,
    });
    let first = first.unwrap_or_default();
    let words = all_words(tree);
    let of_std = ["std", "core", "alloc"].contains(&first.as_str());
    let own = ["crate", "self", "super"].contains(&first.as_str());
    let renames = words.contains("as");
    // what a module of std has besides is called `Result`, too
    let told = own || (of_std && words.contains("prelude"));
    items.glob |= (has_glob(tree) && !told) || (renames && words.contains("Drop"));
    let harmless = |w: &String| {
        let several = ["Result", "Range"].contains(&w.as_str());
        own || (of_std && HARMLESS.contains(&w.as_str()) && !several)
    };
    let suspect = words.into_iter().filter(|w| renames || !harmless(w));
    items.suspect.extend(suspect);
}

fn has_glob(tree: &[TokenTree]) -> bool {
    tree.iter().any(|t| match t {
        TokenTree::Punct(p) => p.as_char() == '*',
        TokenTree::Group(g) => has_glob(&g.stream().into_iter().collect::<Vec<_>>()),
        _ => false,
    })
}

fn all_words(tokens: &[TokenTree]) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for token in tokens {
        match token {
            TokenTree::Ident(word) => {
                words.insert(text(word));
            }
            TokenTree::Group(g) => {
                words.extend(all_words(&g.stream().into_iter().collect::<Vec<_>>()))
            }
            _ => {}
        }
    }
    words
}

/// The parameters of `<'a, T: Tr<U>, const N: usize>`, and what stands behind them. MIR does not print an argument that is
/// the parameter's default: nothing is told of types with one.
fn parameters(rest: &[TokenTree]) -> Option<(BTreeSet<String>, &[TokenTree])> {
    let mut own = BTreeSet::new();
    if !is(rest.first(), '<') {
        return Some((own, rest));
    }
    let (mut depth, mut begins, mut at) = (0i32, false, 0);
    while at < rest.len() {
        match &rest[at] {
            TokenTree::Punct(p) if p.as_char() == '<' => {
                depth += 1;
                begins = depth == 1;
            }
            TokenTree::Punct(p)
                if p.as_char() == '>' && !is(at.checked_sub(1).and_then(|b| rest.get(b)), '-') =>
            {
                depth -= 1;
                if depth == 0 {
                    return Some((own, &rest[at + 1..]));
                }
            }
            TokenTree::Punct(p) if p.as_char() == ',' => begins = depth == 1,
            TokenTree::Punct(p) if p.as_char() == '=' && depth == 1 => return None,
            TokenTree::Punct(p) if p.as_char() == '\'' => begins = false,
            TokenTree::Ident(word) if begins => {
                // of `const N` the name comes next
                begins = word == "const";
                if !begins {
                    own.insert(text(word));
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// `r#Drop` is `Drop`.
fn text(word: &proc_macro2::Ident) -> String {
    word.to_string().trim_start_matches("r#").to_owned()
}

fn is(token: Option<&TokenTree>, text: char) -> bool {
    matches!(token, Some(TokenTree::Punct(p)) if p.as_char() == text)
}

fn add_struct(name: &str, rest: &[TokenTree], items: &mut Items) {
    let Some((own, rest)) = parameters(rest) else {
        return;
    };
    // `struct S(..) where ..;` and `struct S where .. {..}`
    let mut words = BTreeSet::new();
    for token in rest {
        if let TokenTree::Group(group) = token
            && group.delimiter() != Delimiter::Bracket
        {
            words.extend(fields(group.stream()));
        }
    }
    let words = words.difference(&own).cloned().collect();
    items.words.insert(name.to_owned(), words);
}

fn add_enum(name: &str, rest: &[TokenTree], items: &mut Items) {
    let Some((own, rest)) = parameters(rest) else {
        return;
    };
    let Some(TokenTree::Group(body)) = rest.last() else {
        return;
    };
    let body: Vec<TokenTree> = body.stream().into_iter().collect();
    let mut all = BTreeSet::new();
    for variant in body.split(|t| is(Some(t), ',')) {
        let mut parts = variant.iter().enumerate();
        let name_of = |(at, t): (usize, &TokenTree)| match t {
            TokenTree::Ident(word) => Some((at, text(word))),
            _ => None,
        };
        let Some((at, variant_name)) = parts.find_map(name_of) else {
            continue;
        };
        let mut words = BTreeSet::new();
        if let Some(TokenTree::Group(group)) = variant.get(at + 1) {
            words.extend(fields(group.stream()));
        }
        let words: BTreeSet<String> = words.difference(&own).cloned().collect();
        all.extend(words.clone());
        items.words.insert(format!("{name}::{variant_name}"), words);
    }
    items.words.insert(name.to_owned(), all);
}

/// The words of the types of fields: not their names, attributes and visibility, lifetimes, and lengths of arrays.
fn fields(tokens: TokenStream) -> BTreeSet<String> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut words = BTreeSet::new();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Punct(p)
                if p.as_char() == '#'
                    && matches!(tokens.get(at + 1), Some(TokenTree::Group(_))) =>
            {
                at += 1
            }
            TokenTree::Punct(p) if p.as_char() == '\'' => at += 1,
            // `[u8; N]`: fields have no other `;`
            TokenTree::Punct(p) if p.as_char() == ';' => break,
            TokenTree::Ident(word) if word == "pub" => {
                let restricted = matches!(tokens.get(at + 1), Some(TokenTree::Group(g))
                    if g.delimiter() == Delimiter::Parenthesis && is_scope(&g.stream()));
                at += usize::from(restricted);
            }
            // a field's name; a path has two colons, and what stands at its end may be anything (`T::Box`)
            TokenTree::Ident(_) if is(tokens.get(at + 1), ':') && !is(tokens.get(at + 2), ':') => {
                at += 1
            }
            TokenTree::Punct(p) if p.as_char() == ':' => {
                words.insert("::".to_owned());
            }
            TokenTree::Ident(word) => {
                words.insert(text(word));
            }
            TokenTree::Group(group) => words.extend(fields(group.stream())),
            _ => {}
        }
        at += 1;
    }
    words
}

/// `(crate)`, `(super)`, `(in a::b)` behind `pub`.
fn is_scope(inside: &TokenStream) -> bool {
    let first = inside.clone().into_iter().next();
    matches!(first, Some(TokenTree::Ident(word)) if ["crate", "super", "self", "in"].contains(&word.to_string().as_str()))
}

#[cfg(test)]
mod tests {
    use super::collect;

    fn found(source: &str) -> Vec<String> {
        collect(source).into_iter().collect()
    }

    #[test]
    fn what_holds_nothing_with_a_drop() {
        let source = "#[prelude_import] use ::std::prelude::rust_2021::*; extern crate std; \
            enum List { Cons(u32, Box<List>), Nil } struct P { pub(crate) a: [u8; N], #[x(Y)] b: &'a str } \
            struct W<'a, T: Tr<U>, const N: usize>(pub Vec<T>, [T; N]); struct D(u8); \
            impl Drop for D { fn drop(&mut self) {} } struct H(D); enum E { A(H), B = 3, C { d: u8 } } \
            struct O(Box<dyn Tr>); struct X<T: Tr>(T::Out); struct U;";
        let expected = [
            "E::B",
            "E::C",
            "List",
            "List::Cons",
            "List::Nil",
            "P",
            "U",
            "W",
        ];
        assert_eq!(found(source), expected);
    }

    #[test]
    fn names_that_may_mean_something_else() {
        assert_eq!(
            found("use dep::Vec; struct A(Vec<u8>); struct B(u8);"),
            ["B"]
        );
        assert_eq!(found("use std::rc::Rc as Vec; struct A(Vec<u8>);"), [""; 0]);
        assert_eq!(found("use dep::*; struct A(Vec<u8>);"), [""; 0]);
        assert_eq!(found("use dep::S; struct S(u8); struct A(S);"), [""; 0]);
        assert_eq!(
            found("mod m { struct S(u8); } mod n { struct S(D); } struct A(S);"),
            [""; 0]
        );
        assert_eq!(
            found("type S = D; struct A(S); struct B(dep::Vec<u8>);"),
            [""; 0]
        );
        assert_eq!(found("struct Vec(D); struct A(Vec);"), [""; 0]);
        let renamed =
            "struct D; impl dep::Finish for D { fn drop(&mut self) {} } struct A(D); struct B;";
        assert_eq!(found(renamed), ["B"]);
        assert_eq!(
            found("struct A<T: Tr>(T::Box); struct B { b: Box<u8> }"),
            ["B"]
        );
        assert_eq!(found("struct A<T> where T: Tr<{ 3 }> { d: D }"), [""; 0]);
        assert_eq!(
            found("use std::ops::Drop as D; struct A; impl D for A {}"),
            [""; 0]
        );
        assert_eq!(
            found("use std::io::Result; struct A(Result<u8, u8>);"),
            [""; 0]
        );
        assert_eq!(
            found(
                "struct A<T = D>(T); struct B(A); impl r#Drop for E { fn drop(&mut self) {} } struct E;"
            ),
            [""; 0]
        );
        assert_eq!(
            found("mod m { type Assoc = D; } struct A(<u8 as m::Tr>::Assoc);"),
            [""; 0]
        );
    }
}
