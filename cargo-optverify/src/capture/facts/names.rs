//! First names of paths that may mean two things. MIR prints an item of the crate without the crate's name, and one of another
//! crate with it: `util::half` is of the module `util` or of the crate `util`, `dep::LIMIT` of either of two crates `dep`.
//! Which crates are linked, also by others, the compiler says (`-Zbinary-dep-depinfo`).
//!
//! And functions without a body of their own: what is declared in an `extern` block prints like a function of the crate.

use super::modules;
use crate::capture::command::RustcCommand;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Crates that std is made of and whose items never come into other crates' MIR.
const HIDDEN: [&str; 10] = [
    "addr2line",
    "adler2",
    "cfg_if",
    "gimli",
    "memchr",
    "miniz_oxide",
    "object",
    "panic_unwind",
    "rustc_demangle",
    "unwind",
];

/// Crates of std itself: modules that are named like them are `shadows`' business.
const OF_STD: [&str; 3] = ["alloc", "core", "std"];

#[derive(Debug, Default, PartialEq)]
pub struct Names {
    /// What a path may begin with that has two meanings.
    pub shared: BTreeSet<String>,
    /// All crates that are linked.
    pub linked: BTreeSet<String>,
    /// Is one of them neither std's nor this tool's?
    pub links_others: bool,
    /// The last names of functions that are declared in `extern` blocks.
    pub declared: BTreeSet<String>,
}

pub fn collect(expanded: &str, command: &RustcCommand, dep_info: &Path) -> Names {
    let dep_info = std::fs::read_to_string(dep_info).ok();
    let links_others = dep_info.as_deref().is_none_or(links_others);
    let linked = dep_info.and_then(|text| linked(&text));
    // not known exactly: whatever is there to be linked
    let linked = linked.unwrap_or_else(|| {
        let all = modules::crates(command).into_iter();
        all.map(|name| (name, 1)).collect()
    });
    let mut names = Names {
        linked: linked.keys().cloned().collect(),
        links_others,
        ..Names::default()
    };
    let several = linked.iter().filter(|(_, n)| **n > 1);
    names.shared = several.map(|(name, _)| name.clone()).collect();
    let Ok(tokens) = expanded.parse::<TokenStream>() else {
        // what the crate has is not known: every name may be shared
        let others = linked.into_keys().filter(|name| !OF_STD.contains(&&**name));
        names.shared.extend(others);
        return names;
    };
    let top = items_at_the_top(&tokens);
    let both = top.into_iter().filter(|name| linked.contains_key(name));
    names.shared.extend(both);
    declared(tokens, &mut names.declared);
    names
}

/// A library in the file of dependencies.
struct Library<'t> {
    stem: &'t str,
    of_std: bool,
}

impl<'t> Library<'t> {
    fn crate_name(&self) -> &'t str {
        self.stem.split('-').next().unwrap_or(self.stem)
    }
}

/// The files that the file of dependencies lists, a blank inside of a path written as a zero.
fn files(dep_info: &str) -> Option<String> {
    let (_, files) = dep_info.lines().next()?.split_once(": ")?;
    Some(files.replace("\\ ", "\u{0}"))
}

fn library(file: &str) -> Option<Library<'_>> {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = name
        .strip_suffix(".rlib")
        .or_else(|| name.strip_suffix(".rmeta"))?;
    Some(Library {
        stem: stem.strip_prefix("lib")?,
        of_std: file.contains("/rustlib/") || file.contains("\\rustlib\\"),
    })
}

/// Where nothing is known, there may be others.
fn links_others(dep_info: &str) -> bool {
    let Some(files) = files(dep_info) else {
        return true;
    };
    let is_other = |l: &Library| !l.of_std && l.crate_name() != "optverify";
    files.split(' ').filter_map(library).any(|l| is_other(&l))
}

/// How many crates of each name are linked, as the file of dependencies lists them; nothing if it lists none.
fn linked(dep_info: &str) -> Option<BTreeMap<String, usize>> {
    let files = files(dep_info)?;
    let mut found: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for library in files.split(' ').filter_map(library) {
        let of = library.crate_name();
        if !(library.of_std && (HIDDEN.contains(&of) || of.starts_with("rustc_"))) {
            found.entry(of.to_owned()).or_default().insert(library.stem);
        }
    }
    let counts = found.into_iter().map(|(name, stems)| (name, stems.len()));
    Some(counts.collect()).filter(|c: &BTreeMap<_, _>| c.contains_key("core"))
}

/// Names of whatever may be the first of a path: modules, functions with items inside, types.
fn items_at_the_top(tokens: &TokenStream) -> BTreeSet<String> {
    const KINDS: [&str; 9] = [
        "mod", "fn", "struct", "enum", "union", "trait", "type", "static", "const",
    ];
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let named = tokens.windows(2).filter_map(|pair| match pair {
        [TokenTree::Ident(kind), TokenTree::Ident(name)]
            if KINDS.contains(&kind.to_string().as_str()) =>
        {
            Some(name.to_string().trim_start_matches("r#").to_owned())
        }
        _ => None,
    });
    named.collect()
}

/// Functions in `extern "C" { .. }`, wherever the block stands.
fn declared(tokens: TokenStream, names: &mut BTreeSet<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else {
            continue;
        };
        let before = |n: usize| at.checked_sub(n).and_then(|i| tokens.get(i));
        let is_extern =
            |t: Option<&TokenTree>| matches!(t, Some(TokenTree::Ident(w)) if w == "extern");
        let abi = matches!(before(1), Some(TokenTree::Literal(_)));
        let block = group.delimiter() == Delimiter::Brace
            && (is_extern(before(1)) || abi && is_extern(before(2)));
        if block {
            let inside: Vec<TokenTree> = group.stream().into_iter().collect();
            names.extend(inside.windows(2).filter_map(|pair| match pair {
                [TokenTree::Ident(kind), TokenTree::Ident(name)] if kind == "fn" => {
                    Some(name.to_string())
                }
                _ => None,
            }));
        } else {
            declared(group.stream(), names);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_that_are_linked() {
        let text = "app.mir: src/lib.rs /t/deps/libdep-01.rmeta /t/deps/libdep-02.rmeta /t\\ x/libutil-3.rlib /t\\ x/libutil-3.rmeta \
                    /r/lib/rustlib/x/lib/libcore-9.rlib /r/lib/rustlib/x/lib/libmemchr-9.rlib /t/libderive-1.so\n\nsrc/lib.rs:\n";
        let found = linked(text).expect("a list");
        let found: Vec<(&str, usize)> = found.iter().map(|(name, n)| (&**name, *n)).collect();
        assert_eq!(found, [("core", 1), ("dep", 2), ("util", 1)]);
        assert_eq!(linked("app.mir: src/lib.rs\n"), None);
        assert_eq!(linked(""), None);
    }

    #[test]
    fn first_names_and_declared_functions() {
        let source = "mod util { mod inner {} } fn dep() {} pub struct S; const r#type: u8 = 1; mod h { extern \"C\" { pub fn labs(x: i64) -> i64; } } \
                      extern { fn g(); } extern \"C\" fn own() {}";
        let tokens: TokenStream = source.parse().expect("tokens");
        let top: Vec<String> = items_at_the_top(&tokens).into_iter().collect();
        assert_eq!(top, ["S", "dep", "h", "own", "type", "util"]);
        let mut names = BTreeSet::new();
        declared(tokens, &mut names);
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["g", "labs"]);
    }
}
