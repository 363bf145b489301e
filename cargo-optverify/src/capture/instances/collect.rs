//! Vectors that are collected in the place of another one: `v.into_iter().map(f).collect()`. Rustc prints the call of a function
//! pointer that std chooses in a constant, and nothing of what it points to. What does the same by public functions is
//! compiled with a parameter for the closure, which the closure's type then replaces; and with parameters for the elements, where
//! they are no numbers.
//!
//! The same but for the room that the vector has to spare, so nothing is done where the crate asks a vector for that.

use super::private::{self, FORWARDERS, PARAMETER, PRIMITIVES};
use super::probe;
use crate::capture::command::RustcCommand;
use crate::capture::mir_text;
use anyhow::Result;
use optverify_engine::capture::Manifest;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path as File;

/// How the call prints, from its first letter to the type of the elements, and behind the iterator's type.
const BEGIN: &str = "std::vec::in_place_collect::<impl std::vec::spec_from_iter::SpecFromIter<";
const END: &str = ">>::from_iter::{constant#0}";

/// The iterators that it is done for, of elements `A`, and what their closure is.
const ITERATORS: [(&str, &str); 3] = [
    ("std::iter::Map<std::vec::IntoIter<", "FnMut({A}) -> {B}"),
    (
        "std::iter::FilterMap<std::vec::IntoIter<",
        "FnMut({A}) -> Option<{B}>",
    ),
    (
        "std::iter::Filter<std::vec::IntoIter<",
        "FnMut(&{A}) -> bool",
    ),
];

/// Types of elements that nobody else has.
const ELEMENT: &str = "OptverifyElement";
const COLLECTED: &str = "OptverifyCollected";

/// One call, taken apart.
#[derive(Debug, PartialEq)]
struct Collected<'c> {
    /// The iterator's type, up to that of its elements.
    iterator: &'static str,
    /// Of what the closure is.
    bound: &'static str,
    from: &'c str,
    to: &'c str,
    closure: &'c str,
}

impl<'c> Collected<'c> {
    fn of(call: &'c str) -> Option<Collected<'c>> {
        let inside = call.strip_prefix(BEGIN)?.strip_suffix(END)?;
        let (front, to) = inside.rsplit_once("> for std::vec::Vec<")?;
        let rest = front.strip_prefix(to)?.strip_prefix(", ")?;
        let mut iterators = ITERATORS.iter();
        let (iterator, bound, rest) =
            iterators.find_map(|(i, bound)| Some((*i, *bound, rest.strip_prefix(i)?)))?;
        let (from, closure) = rest.strip_suffix('>')?.rsplit_once(">, ")?;
        let inner = closure.strip_prefix("{closure@")?.strip_suffix('}')?;
        let is_plain = |text: &str| !text.contains(['{', '}']);
        (is_plain(inner) && !inner.contains(['<', '>']) && is_plain(from) && is_plain(to))
            .then_some(Collected {
                iterator,
                bound,
                from,
                to,
                closure,
            })
    }

    /// Can a probe name the elements?
    fn of_primitives(&self) -> bool {
        PRIMITIVES.contains(&self.from) && PRIMITIVES.contains(&self.to)
    }

    /// How the probe writes the elements' types.
    fn elements(&self) -> [&str; 2] {
        match self.of_primitives() {
            true => [self.from, self.to],
            false if self.from == self.to => [ELEMENT, ELEMENT],
            false => [ELEMENT, COLLECTED],
        }
    }

    /// Functions that do the same, each calling the one before.
    fn source(&self, number: usize) -> String {
        let [from, to] = self.elements();
        let bound = self.bound.replace("{A}", from).replace("{B}", to);
        let iterator = format!("{}{from}>, {PARAMETER}>", self.iterator);
        let generics = match self.of_primitives() {
            true => String::new(),
            false if from == to => format!("{ELEMENT}, "),
            false => format!("{ELEMENT}, {COLLECTED}, "),
        };
        let mut text = String::new();
        for depth in 0..=FORWARDERS {
            let does = match depth {
                0 => "let mut all = Vec::with_capacity(it.size_hint().1.unwrap_or(0)); for x in it { all.push(x); } all".to_owned(),
                _ => format!("collected_{number}_{}(it)", depth - 1),
            };
            // writing to a text does not fail
            let _ = writeln!(
                text,
                "pub fn collected_{number}_{depth}<{generics}{PARAMETER}: {bound}>(it: {iterator}) -> Vec<{to}> {{ {does} }}"
            );
        }
        text
    }
}

/// Does code that is not std's ask a vector how much room it has?
fn asks_for_room(texts: &str) -> bool {
    let asks = |line: &&str| {
        ["::capacity(", "::capacity)", "spare_capacity"]
            .iter()
            .any(|name| line.contains(name))
    };
    let of_std = |line: &str| {
        let place = line.rsplit(" at ").next().unwrap_or(line);
        place.starts_with("/rustc/") || place.contains("/rustlib/src/rust/library/")
    };
    let code = texts
        .lines()
        .filter(|line| !line.trim_start().starts_with("// +"));
    code.filter(asks).any(|line| !of_std(line))
}

/// By the call: a function that does the same, under the call's name.
pub fn bodies(
    command: &RustcCommand,
    manifest: &Manifest,
    scratch: &File,
    calls: &BTreeSet<String>,
    texts: &str,
) -> Result<BTreeMap<String, String>> {
    let found = calls
        .iter()
        .filter_map(|call| Some((call, Collected::of(call)?)));
    let found: Vec<(&String, Collected<'_>)> = found.collect();
    if found.is_empty() || asks_for_room(texts) {
        return Ok(BTreeMap::new());
    }
    let dir = scratch.join("collect");
    std::fs::create_dir_all(&dir)?;
    let sources = found.iter().enumerate().map(|(n, (_, c))| c.source(n));
    let run = probe::compile(command, manifest, &dir, &sources.collect::<String>())?;
    if !run.status.success() {
        return Ok(BTreeMap::new());
    }
    let text = std::fs::read_to_string(dir.join("optverify_probe.mir"))?;
    let bodies = mir_text::functions(&text);
    let made = found
        .iter()
        .enumerate()
        .filter_map(|(n, (call, collected))| {
            let own = format!("collected_{n}_");
            let text = private::named(&bodies, &own, call, collected.closure)?;
            // the call's own name has neither of these words
            let text = text.replace(ELEMENT, collected.from);
            Some(((*call).clone(), text.replace(COLLECTED, collected.to)))
        });
    Ok(made.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_taken_apart() {
        let call = |iterator: &str, to: &str| {
            format!("{BEGIN}{to}, {iterator}> for std::vec::Vec<{to}{END}")
        };
        let map = call(
            "std::iter::Map<std::vec::IntoIter<u8>, {closure@a.rs:1:2: 1:5}>",
            "u32",
        );
        let taken = Collected::of(&map).expect("one of ours");
        assert_eq!((taken.from, taken.to), ("u8", "u32"));
        assert_eq!(taken.closure, "{closure@a.rs:1:2: 1:5}");
        assert!(
            taken
                .source(0)
                .contains(": FnMut(u8) -> u32>(it: std::iter::Map<std::vec::IntoIter<u8>, ")
        );
        let of_structs = call(
            "std::iter::FilterMap<std::vec::IntoIter<(u8, m::S<u8>)>, {closure@a.rs:1:2: 1:5}>",
            "m::P<u8, u8>",
        );
        let taken = Collected::of(&of_structs).expect("one of ours");
        assert_eq!((taken.from, taken.to), ("(u8, m::S<u8>)", "m::P<u8, u8>"));
        assert!(taken.source(0).contains(
            "<OptverifyElement, OptverifyCollected, OptverifyParameter: FnMut(OptverifyElement) -> Option<OptverifyCollected>>("
        ));
        for other in [
            call(
                "std::iter::Map<std::vec::IntoIter<u8>, fn(u8) -> u32>",
                "u32",
            ),
            call("std::iter::Rev<std::vec::IntoIter<u8>>", "u8"),
            map.replace("Vec<u32", "Vec<u8"),
        ] {
            assert_eq!(Collected::of(&other), None, "{other}");
        }
    }

    #[test]
    fn who_asks_for_room_is_told() {
        let line = "        scope 3 (inlined Vec::<u8>::capacity) { // at";
        let of_std = format!("{line} /rustc/1/library/alloc/src/vec/mod.rs:3:1: 3:2\n");
        assert!(!asks_for_room(&of_std));
        assert!(asks_for_room(&format!(
            "{of_std}{line} src/lib.rs:3:1: 3:2\n"
        )));
        assert!(!asks_for_room(
            "    _1 = Vec::<u8>::with_capacity(const 3_usize) -> bb1; // scope 0 at src/lib.rs:1:1\n"
        ));
    }
}
