//! The modules at the top of the crate. MIR prints a type of the crate with its module first, and one of another crate
//! with the crate's name: a module that is named like a crate is left out.

use crate::capture::command::RustcCommand;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::BTreeSet;
use std::path::Path;

/// Crates that std is made of, whose types MIR may name.
const OF_STD: [&str; 9] = [
    "alloc",
    "compiler_builtins",
    "core",
    "hashbrown",
    "libc",
    "memchr",
    "proc_macro",
    "std",
    "std_detect",
];

pub fn collect(expanded: &str, command: &RustcCommand) -> BTreeSet<String> {
    let crates = crates(command);
    let own = declared(expanded);
    let is_crate = |m: &str| crates.contains(m) || OF_STD.contains(&m);
    own.into_iter().filter(|m| !is_crate(m)).collect()
}

fn declared(expanded: &str) -> BTreeSet<String> {
    let Ok(tokens) = expanded.parse::<TokenStream>() else {
        return BTreeSet::new();
    };
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let named = tokens.windows(3).filter_map(|three| match three {
        [
            TokenTree::Ident(word),
            TokenTree::Ident(name),
            TokenTree::Group(g),
        ] if word == "mod" && g.delimiter() == Delimiter::Brace => Some(name.to_string()),
        _ => None,
    });
    named.collect()
}

/// Names of all crates that this one may see types of: those that it is given, and those that these are made of.
pub fn crates(command: &RustcCommand) -> BTreeSet<String> {
    let given = command.values("--extern").into_iter();
    let given = given.map(|e| e.split('=').next().unwrap_or(e));
    let given = given.map(|e| e.rsplit(':').next().unwrap_or(e).to_owned());
    let folders = command.values("-L").into_iter();
    let folders = folders.map(|f| f.split_once('=').map_or(f, |(_, folder)| folder));
    let files = folders.filter_map(|f| std::fs::read_dir(command.current_dir.join(f)).ok());
    let files = files.flat_map(|entries| entries.flatten().map(|e| e.path()));
    given.chain(files.filter_map(|f| crate_of(&f))).collect()
}

/// `name` of `libname-0123abcd.rmeta`.
fn crate_of(file: &Path) -> Option<String> {
    let name = file.file_stem()?.to_str()?.strip_prefix("lib")?;
    let (name, _) = name.rsplit_once('-')?;
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_at_the_top() {
        let source =
            "mod a { pub struct S; mod b { } } pub mod c { } struct mode { } fn f() { mod d { } }";
        assert_eq!(declared(source).into_iter().collect::<Vec<_>>(), ["a", "c"]);
        assert_eq!(
            crate_of(Path::new("/t/libbit_set-0a1b.rmeta")).as_deref(),
            Some("bit_set")
        );
        assert_eq!(crate_of(Path::new("/t/notes.txt")), None);
    }
}
