//! Private generic functions of std that rustc leaves as calls (`#[inline(never)]`): no probe can name them, and nothing
//! prints them. What does the same at every call that std makes of them, by public functions, is compiled with a
//! parameter, and the parameter replaced.

use super::probe;
use crate::capture::command::RustcCommand;
use crate::capture::mir_text;
use anyhow::Result;
use optverify_engine::capture::Manifest;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path as File;

/// Nobody else's type has this name.
const PARAMETER: &str = "OptverifyParameter";
/// How deep rustc's inliner gets is counted anew for every function.
const FORWARDERS: usize = 4;

/// A method of a type with one parameter, which has one parameter itself and gives nothing.
struct Private {
    /// How its calls print, before and behind the type's argument.
    call: (&'static str, &'static str),
    /// What it takes, before and behind the argument.
    takes: (&'static str, &'static str),
    /// What does the same to `it`.
    same: &'static str,
}

const ALL: &[Private] = &[
    // Called where the queue is full. Room for one more is then what `grow_one` makes of its buffer.
    Private {
        call: ("std::collections::VecDeque::<", ">::grow"),
        takes: ("mut std::collections::VecDeque<", ">"),
        same: "it.reserve(1)",
    },
];

impl Private {
    /// The type that a call of it is for.
    fn argument<'c>(&self, call: &'c str) -> Option<&'c str> {
        call.strip_prefix(self.call.0)?.strip_suffix(self.call.1)
    }

    /// Is the function of this name one of this type? `texts`: where its calls stand.
    fn is_meant(&self, call: &str, argument: &str, texts: &str) -> bool {
        let end = format!(" {{{call}}}, val: Value({call}) }}");
        let types = texts.lines().filter_map(|line| {
            let (_, ty) = line.split_once("// + const_: Const { ty: ")?;
            ty.trim_end().strip_suffix(&end)
        });
        let types: BTreeSet<&str> = types.collect();
        let (before, behind) = self.takes;
        types
            .iter()
            .eq([&format!("for<'a> fn(&'a {before}{argument}{behind})")])
    }

    /// Functions that do the same, each calling the one before.
    fn source(&self, number: usize) -> String {
        let (before, behind) = self.takes;
        let mut text = String::new();
        for depth in 0..=FORWARDERS {
            let does = match depth {
                0 => self.same.to_owned(),
                _ => format!("private_{number}_{}(it)", depth - 1),
            };
            // writing to a text does not fail
            let _ = writeln!(
                text,
                "pub fn private_{number}_{depth}<{PARAMETER}>(it: &{before}{PARAMETER}{behind}) {{ {does} }}"
            );
        }
        text
    }
}

/// By the call: a function that does the same, under the call's name.
pub fn bodies(
    command: &RustcCommand,
    manifest: &Manifest,
    scratch: &File,
    calls: &BTreeSet<String>,
    texts: &str,
) -> Result<BTreeMap<String, String>> {
    let found = calls.iter().flat_map(|call| {
        let all = ALL.iter().enumerate();
        all.filter_map(move |(number, private)| {
            let argument = private.argument(call)?;
            let is_meant = private.is_meant(call, argument, texts);
            is_meant.then_some((call, number, argument))
        })
    });
    let found: Vec<(&String, usize, &str)> = found.collect();
    if found.is_empty() {
        return Ok(BTreeMap::new());
    }
    let dir = scratch.join("private");
    std::fs::create_dir_all(&dir)?;
    let sources = ALL.iter().enumerate().map(|(n, p)| p.source(n));
    let run = probe::compile(command, manifest, &dir, &sources.collect::<String>())?;
    if !run.status.success() {
        return Ok(BTreeMap::new());
    }
    let text = std::fs::read_to_string(dir.join("optverify_probe.mir"))?;
    let bodies = mir_text::functions(&text);
    let made = found.into_iter().filter_map(|(call, number, argument)| {
        let own = format!("private_{number}_{FORWARDERS}");
        let body = bodies.iter().find(|body| body.path == own)?;
        // the word is nobody else's, wherever it stands
        let text = body.text.replace(PARAMETER, argument);
        let text = text.replacen(&format!("fn {own}("), &format!("fn {call}("), 1);
        // what it has beside its body would not come with it
        let is_whole = !["= private_", "promoted["]
            .iter()
            .any(|left| text.contains(left));
        is_whole.then(|| (call.clone(), text))
    });
    Ok(made.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_type_and_name() {
        let [grow] = ALL else { panic!("one") };
        let call = "std::collections::VecDeque::<std::option::Option<m::S>>::grow";
        assert_eq!(grow.argument(call), Some("std::option::Option<m::S>"));
        assert_eq!(grow.argument("mine::VecDeque::<u8>::grow"), None);
        assert_eq!(
            grow.argument("std::collections::VecDeque::<u8>::grow_to"),
            None
        );
        let line = |ty: &str, call: &str| {
            format!("    // + const_: Const {{ ty: {ty} {{{call}}}, val: Value({call}) }}\n")
        };
        let call = "std::collections::VecDeque::<m::S>::grow";
        let right = line("for<'a> fn(&'a mut std::collections::VecDeque<m::S>)", call);
        let wrong = line("fn(std::collections::VecDeque<m::S>)", call);
        assert!(grow.is_meant(call, "m::S", &right));
        assert!(!grow.is_meant(call, "m::S", &wrong));
        assert!(!grow.is_meant(call, "m::S", &format!("{right}{wrong}")));
        assert!(!grow.is_meant(call, "m::S", ""));
        // a type that only looks like an argument
        let call = "std::collections::VecDeque::<u8>::f::<std::X<u8>>::grow";
        let argument = grow.argument(call).expect("the text between");
        let other = line("for<'a> fn(&'a mut std::X<u8>)", call);
        assert!(!grow.is_meant(call, argument, &other));
    }
}
