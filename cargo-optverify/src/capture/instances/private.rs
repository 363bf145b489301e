//! Private functions of std for one type that rustc leaves as calls (`#[inline(never)]`): no probe can name them, and nothing
//! prints them. What does the same at every call that std makes of them, by public functions, is compiled for the type, or with a
//! parameter, and the parameter replaced.

use super::probe;
use crate::capture::command::RustcCommand;
use crate::capture::mir_text::{self, BodyText};
use anyhow::Result;
use optverify_engine::capture::Manifest;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path as File;

/// Nobody else's type has this name.
pub const PARAMETER: &str = "OptverifyParameter";
/// How deep rustc's inliner gets is counted anew for every function.
pub const FORWARDERS: usize = 4;
/// Where the type stands that a function is for.
const TYPE: &str = "{T}";

pub const PRIMITIVES: [&str; 14] = [
    "bool", "char", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128",
    "isize",
];

/// Steps between these are always counted by a `usize`.
const NUMBERS: [&str; 10] = [
    "u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize",
];

/// What `sort` and `sort_unstable` compare numbers by, as calls print it.
const LESS: &str = "for<'a, 'b> fn(&'a {T}, &'b {T}) -> bool {<{T} as std::cmp::PartialOrd>::lt}";

/// A function that is for one type.
#[derive(Default)]
struct Private {
    /// How its calls print.
    call: String,
    /// Their arguments: name and type.
    takes: Vec<(&'static str, &'static str)>,
    /// What they give, as calls print it, and in words that a probe knows; nothing if there is nothing. Those that give
    /// something are `unsafe`.
    gives: Option<(&'static str, &'static str)>,
    /// The types that it is done here for; any if there are none.
    of: &'static [&'static str],
    /// What does the same.
    same: &'static str,
    /// The type of the function as calls print it, where `takes` does not tell.
    is: Option<String>,
    /// What the probe's parameter stands for, if it is not the type.
    parameter: Option<&'static str>,
}

/// Types of std that lists hold, and that are equal if their contents are.
const LISTED: [&str; 15] = [
    "std::string::String",
    "std::vec::Vec<bool>",
    "std::vec::Vec<char>",
    "std::vec::Vec<u8>",
    "std::vec::Vec<u16>",
    "std::vec::Vec<u32>",
    "std::vec::Vec<u64>",
    "std::vec::Vec<usize>",
    "std::vec::Vec<i8>",
    "std::vec::Vec<i16>",
    "std::vec::Vec<i32>",
    "std::vec::Vec<i64>",
    "std::vec::Vec<isize>",
    "std::vec::Vec<u128>",
    "std::vec::Vec<std::string::String>",
];

/// Any order of equal numbers is the same one.
const SORTED: &str = "let n = it.len(); let mut i = 1; while i < n { let mut j = i; \
    while j > 0 && it[j] < it[j - 1] { it.swap(j, j - 1); j -= 1; } i += 1; }";

/// Long slices of numbers sorted.
fn sorts(call: &str) -> Private {
    Private {
        call: call.replace("{F}", LESS),
        takes: vec![("it", "&mut [{T}]"), ("_less", "&mut OptverifyParameter")],
        of: &PRIMITIVES,
        same: SORTED,
        is: Some(format!("for<'a, 'b> fn(&'a mut [{TYPE}], &'b mut {LESS})")),
        parameter: Some(LESS),
        ..Private::default()
    }
}

/// What `zip` reads of a slice by.
const READ_AT: &str = "<std::slice::Iter<'_, {T}> as std::iter::adapters::zip::SpecTrustedRandomAccess>::try_get_unchecked";
const READ: (&str, &str) = (
    "<std::slice::Iter<'_, {T}> as std::iter::Iterator>::Item",
    "&'s {T}",
);

fn some() -> Vec<Private> {
    vec![
        // Called where the queue is full. Room for one more is then what `grow_one` makes of its buffer.
        Private {
            call: "std::collections::VecDeque::<{T}>::grow".to_owned(),
            takes: vec![("it", "&mut std::collections::VecDeque<{T}>")],
            gives: None,
            of: &[],
            same: "it.reserve(1)",
            ..Private::default()
        },
        Private {
            call: READ_AT.to_owned(),
            takes: vec![("it", "&mut std::slice::Iter<'_, {T}>"), ("at", "usize")],
            gives: Some(READ),
            of: &[],
            same: "unsafe { it.as_slice().get_unchecked(at) }",
            ..Private::default()
        },
        Private {
            call: "std::vec::Vec::<{T}>::extend_with".to_owned(),
            takes: vec![
                ("it", "&mut std::vec::Vec<{T}>"),
                ("n", "usize"),
                ("value", "{T}"),
            ],
            gives: None,
            of: &PRIMITIVES,
            same: "it.reserve(n); let mut i = 0; while i < n { it.push(value); i += 1; }",
            ..Private::default()
        },
        // Lists of texts and of lists, compared.
        Private {
            call: "<{T} as core::slice::cmp::SlicePartialEq<{T}>>::equal_same_length".to_owned(),
            takes: vec![("a", "*const {T}"), ("b", "*const {T}"), ("n", "usize")],
            gives: Some(("bool", "bool")),
            of: &LISTED,
            same: "let mut i = 0; while i < n { if unsafe { *a.add(i) != *b.add(i) } { return false; } i += 1; } true",
            is: Some("unsafe fn(*const {T}, *const {T}, usize) -> bool".to_owned()),
            ..Private::default()
        },
        sorts("core::slice::sort::stable::driftsort_main::<{T}, {F}, std::vec::Vec<{T}>>"),
        sorts("core::slice::sort::unstable::ipnsort::<{T}, {F}>"),
    ]
}

/// Iterators over numbers that know their length, and that vectors are extended by: as many are pushed.
const ITERATORS: &[&str] = &[
    "std::ops::Range<{T}>",
    "std::ops::RangeInclusive<{T}>",
    "std::iter::Rev<std::ops::Range<{T}>>",
    "std::iter::Take<std::ops::RangeFrom<{T}>>",
    "std::iter::Chain<std::ops::Range<{T}>, std::ops::Range<{T}>>",
    "std::iter::Chain<std::iter::Once<{T}>, std::ops::Range<{T}>>",
    "std::iter::Chain<std::ops::Range<{T}>, std::iter::Once<{T}>>",
];

fn all() -> Vec<Private> {
    let extended = ITERATORS.iter().map(|iterator| Private {
        call: format!(
            "<std::vec::Vec<{TYPE}> as std::vec::spec_extend::SpecExtend<{TYPE}, {iterator}>>::spec_extend"
        ),
        takes: vec![("it", "&mut std::vec::Vec<{T}>"), ("numbers", iterator)],
        gives: None,
        of: &NUMBERS,
        same: "it.reserve(numbers.size_hint().0); for number in numbers { it.push(number); }",
        ..Private::default()
    });
    some().into_iter().chain(extended).collect()
}

impl Private {
    /// The type that a call of it is for.
    fn argument<'c>(&self, call: &'c str) -> Option<&'c str> {
        if self.of.is_empty() {
            let (before, behind) = self.call.split_once(TYPE)?;
            return call.strip_prefix(before)?.strip_suffix(behind);
        }
        let mut of = self.of.iter().copied();
        of.find(|t| self.call.replace(TYPE, t) == call)
    }

    /// Is the function of this name one of this type? `texts`: where its calls stand.
    fn is_meant(&self, call: &str, argument: &str, texts: &str) -> bool {
        let end = format!(" {{{call}}}, val: Value({call}) }}");
        let types = texts.lines().filter_map(|line| {
            let (_, ty) = line.split_once("// + const_: Const { ty: ")?;
            ty.trim_end().strip_suffix(&end)
        });
        let types: BTreeSet<&str> = types.collect();
        if let Some(is) = &self.is {
            return types.iter().eq([&is.replace(TYPE, argument)]);
        }
        let takes: Vec<&str> = self.takes.iter().map(|(_, ty)| *ty).collect();
        let takes = takes.join(", ").replace(TYPE, argument);
        let takes = takes.replacen('&', "&'a ", 1);
        let meant = match self.gives {
            None => format!("for<'a> fn({takes})"),
            Some((gives, _)) => {
                let gives = gives.replace(TYPE, argument);
                format!("for<'a> unsafe fn({takes}) -> {gives}")
            }
        };
        types.iter().eq([&meant])
    }

    /// Functions that do the same, each calling the one before.
    fn source(&self, number: usize, argument: &str) -> String {
        let generics = match self.of.is_empty() || self.parameter.is_some() {
            true => format!("<'s, {PARAMETER}>"),
            false => String::new(),
        };
        let ty = if self.of.is_empty() {
            PARAMETER
        } else {
            argument
        };
        let takes = self.takes.iter().map(|(name, ty)| format!("{name}: {ty}"));
        let takes = takes.collect::<Vec<_>>().join(", ").replace(TYPE, ty);
        let takes = takes.replace("'_", "'s");
        let gives = self.gives.map_or("()", |(_, gives)| gives);
        let gives = gives.replace(TYPE, ty);
        let names: Vec<&str> = self.takes.iter().map(|(name, _)| *name).collect();
        let mut text = String::new();
        for depth in 0..=FORWARDERS {
            let does = match depth {
                0 => self.same.to_owned(),
                _ => format!("private_{number}_{}({})", depth - 1, names.join(", ")),
            };
            // writing to a text does not fail
            let _ = writeln!(
                text,
                "pub fn private_{number}_{depth}{generics}({takes}) -> {gives} {{ {does} }}"
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
    let all = all();
    let found = calls.iter().flat_map(|call| {
        all.iter().filter_map(move |private| {
            let argument = private.argument(call)?;
            let is_meant = private.is_meant(call, argument, texts);
            is_meant.then_some((call, private, argument))
        })
    });
    let found: Vec<(&String, &Private, &str)> = found.collect();
    if found.is_empty() {
        return Ok(BTreeMap::new());
    }
    let dir = scratch.join("private");
    std::fs::create_dir_all(&dir)?;
    let numbered = || found.iter().enumerate();
    let sources = numbered().map(|(n, (_, private, argument))| private.source(n, argument));
    let run = probe::compile(command, manifest, &dir, &sources.collect::<String>())?;
    if !run.status.success() {
        return Ok(BTreeMap::new());
    }
    let text = std::fs::read_to_string(dir.join("optverify_probe.mir"))?;
    let bodies = mir_text::functions(&text);
    let made = numbered().filter_map(|(n, (call, private, argument))| {
        let parameter = private.parameter.unwrap_or(TYPE).replace(TYPE, argument);
        let text = named(&bodies, &format!("private_{n}_"), call, &parameter)?;
        Some(((*call).clone(), text))
    });
    Ok(made.collect())
}

/// The outermost function that was compiled under this name, for the parameter's type, under the call's name; nothing if
/// it is not whole.
pub fn named(bodies: &[BodyText<'_>], own: &str, call: &str, ty: &str) -> Option<String> {
    let outermost = format!("{own}{FORWARDERS}");
    let body = bodies.iter().find(|body| body.path == outermost)?;
    // the word is nobody else's, wherever it stands
    let text = body.text.replace(PARAMETER, ty);
    let text = text.replacen(&format!("fn {outermost}("), &format!("fn {call}("), 1);
    // what it has beside its body would not come with it
    let is_whole = !text.contains(&format!("= {own}")) && !text.contains("promoted[");
    is_whole.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(ty: &str, call: &str) -> String {
        format!("    // + const_: Const {{ ty: {ty} {{{call}}}, val: Value({call}) }}\n")
    }

    #[test]
    fn by_type_and_name() {
        let grow = &all()[0];
        let call = "std::collections::VecDeque::<std::option::Option<m::S>>::grow";
        assert_eq!(grow.argument(call), Some("std::option::Option<m::S>"));
        assert_eq!(grow.argument("mine::VecDeque::<u8>::grow"), None);
        let other = "std::collections::VecDeque::<u8>::grow_to";
        assert_eq!(grow.argument(other), None);
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

    #[test]
    fn what_gives_something_is_told_by_it() {
        let get = &all()[1];
        let call = &READ_AT.replace(TYPE, "[u8; 8]");
        let argument = get.argument(call).expect("a type");
        assert_eq!(argument, "[u8; 8]");
        let takes = "for<'a> unsafe fn(&'a mut std::slice::Iter<'_, [u8; 8]>, usize)";
        let gives = "<std::slice::Iter<'_, [u8; 8]> as std::iter::Iterator>::Item";
        assert!(get.is_meant(call, argument, &line(&format!("{takes} -> {gives}"), call)));
        assert!(!get.is_meant(call, argument, &line(takes, call)));
        let source = get.source(0, argument);
        assert!(source.contains("it: &mut std::slice::Iter<'s, OptverifyParameter>, at: usize) -> &'s OptverifyParameter {"));
    }

    #[test]
    fn of_some_types_only() {
        let all = all();
        let named = |name: &str| {
            let found = all.iter().find(|p| p.call.contains(name));
            found.unwrap_or_else(|| panic!("no {name}"))
        };
        let (with, by_range) = (named("extend_with"), named("std::ops::Range<"));
        let call = "std::vec::Vec::<bool>::extend_with";
        assert_eq!(with.argument(call), Some("bool"));
        // whose `clone` may be anything
        assert_eq!(with.argument("std::vec::Vec::<m::S>::extend_with"), None);
        let right = line("for<'a> fn(&'a mut std::vec::Vec<bool>, usize, bool)", call);
        assert!(with.is_meant(call, "bool", &right));
        let of = |t: &str, u: &str| {
            by_range.argument(&format!(
                "<std::vec::Vec<{t}> as std::vec::spec_extend::SpecExtend<{t}, std::ops::Range<{u}>>>::spec_extend"
            ))
            .map(str::to_owned)
        };
        assert_eq!(of("i64", "i64").as_deref(), Some("i64"));
        assert_eq!(of("i64", "u8"), None);
        assert_eq!(of("u128", "u128"), None);
        // numbers are sorted by their own order only
        let sorted = |t: &str, by: &str| {
            let call = format!(
                "core::slice::sort::unstable::ipnsort::<{t}, for<'a, 'b> fn(&'a {t}, &'b {t}) -> bool {{<{t} as std::cmp::PartialOrd>::{by}}}>"
            );
            named("ipnsort").argument(&call).map(str::to_owned)
        };
        assert_eq!(sorted("u32", "lt").as_deref(), Some("u32"));
        assert_eq!(sorted("u32", "gt"), None);
        assert_eq!(sorted("f64", "lt"), None);
    }
}
