//! The part of a crate's text that one root can speak of: a crate of many functions is not parsed for each of them.
//!
//! Items are told apart by their first column and kept by name: an item stays if some kept text has its last name
//! at the end of a path. That keeps too much (names are not resolved here) and never matters when it keeps too little: a
//! body that is missing makes its callers unknown.

use crate::capture::{CaptureError, Items};
use crate::lower::last_segment;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// By the last name of a function: the paths of functions that no text speaks of, but are needed where that one is.
pub type Beside<'a> = HashMap<&'a str, Vec<&'a str>>;

/// The function that makes the first value of a `thread_local!`, for whoever reads it first.
pub const THREAD_LOCAL: &str = "__rust_std_internal_init_fn";

/// Names that no text spells where it uses them: values are dropped by their type.
const ALWAYS: [&str; 2] = ["drop", THREAD_LOCAL];

/// The items of a text that `function` may reach, in their order.
pub fn reachable(
    items: &Items,
    function: &str,
    beside: &Beside<'_>,
) -> Result<String, CaptureError> {
    let mut named = Named::default();
    // to be read, and read
    let mut open = vec![];
    let mut beside = beside.clone();
    let mut heads: HashMap<usize, Range<usize>> = HashMap::new();
    let mut kept: Vec<Option<Cow<'_, str>>> = vec![None; items.len()];
    for i in 0..items.len() {
        match items.names(i) {
            Some(names) => {
                for name in names {
                    named.add(name, items.is_closure(i), i);
                }
            }
            None => open.push(i),
        }
    }
    for word in words_of(function).chain(ALWAYS) {
        open.extend(named.take(Mention::Code(word)));
    }
    while let Some(i) = open.pop() {
        // two names of one item
        if kept[i].is_some() {
            continue;
        }
        let text = items.text(i)?;
        // All functions beside others have one name; that it has it itself does not make this one speak of it.
        let name = match heads.get(&i) {
            Some(name) => name.clone(),
            None => own_name(&text, items.names(i)),
        };
        for mention in mentions(&text[..name.start]).chain(mentions(&text[name.end..])) {
            open.extend(named.take(mention));
            for path in beside.remove(mention.word()).unwrap_or_default() {
                for i in named.all(last_segment(path)) {
                    let head = format!("fn {path}(");
                    if let Some(at) = items.text(i)?.find(&head) {
                        heads.insert(i, at..at + head.len());
                        open.push(i);
                    }
                }
            }
        }
        kept[i] = Some(text);
    }
    let mut kept: Vec<Cow<'_, str>> = kept.into_iter().flatten().collect();
    // A text begins with a body: what is left of the allocations of a body that went comes after the first.
    let first = kept.iter().position(|item| !item.starts_with("alloc"));
    if let Some(at) = first {
        kept[..=at].rotate_right(1);
    }
    Ok(kept.concat())
}

/// Where an item's header says its own name.
fn own_name(text: &str, names: Option<&[String]>) -> Range<usize> {
    let is_header = |line: &&str| !line.trim().is_empty() && !line.starts_with("//");
    let header = text
        .split_inclusive('\n')
        .find(is_header)
        .unwrap_or_default();
    // where no parameter and no type is yet
    let path = header.find("(_1").or_else(|| header.find("()"));
    let path = &header[..path.or_else(|| header.find(": ")).unwrap_or(header.len())];
    let name = names.and_then(|names| names.first());
    let at = name.and_then(|name| Some((path.rfind(name.as_str())?, name.len())));
    let Some((at, length)) = at else {
        return 0..0;
    };
    let start = header.as_ptr() as usize - text.as_ptr() as usize + at;
    start..start + length
}

/// How a text speaks of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mention<'a> {
    Code(&'a str),
    /// As the name of a function that was inlined. Its closures have types that say only where they stand.
    Inlined(&'a str),
}

impl<'a> Mention<'a> {
    pub fn word(self) -> &'a str {
        match self {
            Mention::Code(word) | Mention::Inlined(word) => word,
        }
    }
}

/// What is to be found by name, closures by that of the function around them.
pub struct Named<'a, T> {
    closures: HashMap<&'a str, Vec<T>>,
    others: HashMap<&'a str, Vec<T>>,
}

impl<T> Default for Named<'_, T> {
    fn default() -> Self {
        let (closures, others) = (HashMap::new(), HashMap::new());
        Named { closures, others }
    }
}

impl<'a, T: Copy> Named<'a, T> {
    pub fn add(&mut self, name: &'a str, is_closure: bool, what: T) {
        let kind = match is_closure {
            true => &mut self.closures,
            false => &mut self.others,
        };
        kind.entry(name).or_default().push(what);
    }

    /// What is spoken of here and was not before.
    pub fn take(&mut self, mention: Mention<'_>) -> Vec<T> {
        let mut found = self.closures.remove(mention.word()).unwrap_or_default();
        if let Mention::Code(word) = mention {
            found.extend(self.others.remove(word).unwrap_or_default());
        }
        found
    }

    fn all(&self, name: &str) -> Vec<T> {
        let found = [self.closures.get(name), self.others.get(name)];
        found.into_iter().flatten().flatten().copied().collect()
    }
}

/// The words of a text, repeated as they stand.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.filter(|w| !w.is_empty())
}

/// The names that MIR speaks of: the last ones of paths, and those before closures, promoted constants and arguments.
/// Neither comments count nor the names of variables.
pub fn mentions(text: &str) -> impl Iterator<Item = Mention<'_>> {
    text.lines().flat_map(|line| {
        let begin = line.trim_start();
        let inlined = begin.starts_with("scope ");
        let code = match begin.starts_with("//") || begin.starts_with("debug ") {
            true => "",
            false => line.rsplit_once(" // ").map_or(line, |(code, _)| code),
        };
        let last = |word: &&str| {
            let end = word.as_ptr() as usize - code.as_ptr() as usize + word.len();
            let inside = code[end..].strip_prefix("::").is_some_and(|rest| {
                !rest.starts_with("promoted[")
                    && rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
            });
            !inside
        };
        words_of(code).filter(last).map(move |word| match inlined {
            true => Mention::Inlined(word),
            false => Mention::Code(word),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "// WARNING: a comment\n\nfn root(_1: u32) -> u32 {\n    bb0: {\n        _0 = helper(move _1) -> bb1;\n    }\n}\n\n\
        fn inner::helper(_1: u32) -> u32 {\n    bb0: {\n        _2 = const root::promoted[0];\n        _3 = const alloc7;\n    }\n}\n\n\
        alloc7 (size: 1, align: 1) {\n    00 │ .\n}\n\nconst <impl at a.rs:1:1: 2:2>::LIMIT: u32 = const 3_u32;\n\n\
        fn other(_1: u32) -> u32 {\n    bb0: {\n        _4 = const <T as L>::LIMIT;\n    }\n}\n\n\
        promoted[0] in root: &u32 = {\n    bb0: {\n    }\n}\n\nfn <impl at a.rs:3:1: 4:2>::drop(_1: &mut S) -> () {\n    bb0: {\n    }\n}\n\
        fn other::{closure#0}(_1: u32) -> u32 {\n}\nfn <(u8, u16) as Tr>::both(_1: u32) -> u32 {\n}\n";

    fn reachable(text: &str, function: &str) -> String {
        super::reachable(&Items::of(text.to_owned()), function, &Beside::new())
            .expect("a text in memory")
    }

    fn named(text: &str) -> Vec<String> {
        let items = Items::of(text.to_owned());
        let first = |i| items.names(i).map_or("?", |n| &n[0]).to_owned();
        (0..items.len()).map(first).collect()
    }

    #[test]
    fn the_mark_of_a_body_stays_with_it() {
        let text = "fn f() -> () {\n    bb0: {\n    }\n}\n\nalloc9 (size: 0, align: 1) {}\n\n// MIR FOR CTFE\n\
                    fn f() -> () {\n    bb0: {\n    }\n}\n\nfn g() -> () {\n    bb0: {\n    }\n}\n";
        let kept = reachable(text, "f");
        assert!(!kept.contains("alloc9") && !kept.contains("fn g"), "{kept}");
        assert_eq!(kept.matches("// MIR FOR CTFE\nfn f()").count(), 1, "{kept}");
        assert!(kept.starts_with("fn f()"), "{kept}");
        assert_eq!(named(text), ["f", "alloc9", "f", "g"]);
    }

    #[test]
    fn what_is_spoken_of_stays_and_the_rest_goes() {
        assert_eq!(
            named(&reachable(TEXT, "root")),
            ["root", "helper", "alloc7", "root", "drop"]
        );
        assert_eq!(
            named(&reachable(TEXT, "m::other")),
            ["LIMIT", "other", "drop", "other"]
        );
    }

    #[test]
    fn a_function_beside_another_comes_with_it() {
        let text = "fn f() -> () {\n    _0 = g() -> bb1;\n}\nfn g::_::h() -> () {\n}\nfn k::_::h() -> () {\n}\nfn g() -> () {\n}\n";
        let beside = Beside::from([("g", vec!["g::_::h"])]);
        let kept = super::reachable(&Items::of(text.to_owned()), "f", &beside).expect("a text");
        assert_eq!(named(&kept), ["f", "h", "g"]);
        assert!(kept.contains("g::_::h"), "{kept}");
    }

    #[test]
    fn only_the_ends_of_paths_count() {
        let text = "    scope 3 (inlined a::folded) { // at b.rs:1:1: 1:2\n        debug seen => _4; // in scope 3\n    }\n        \
            _3 = m::called::<u8>(const m::f::promoted[0], const \"x // y\", const m::g::{closure#0}) -> bb1; // scope 3 at c.rs:1:1\n        \
            // + const_: Const { val: Value(other) }\n";
        let said: Vec<Mention<'_>> = mentions(text).collect();
        for word in ["called", "f", "y", "g"] {
            assert!(said.contains(&Mention::Code(word)), "{word}: {said:?}");
        }
        assert!(said.contains(&Mention::Inlined("folded")), "{said:?}");
        for word in ["m", "a", "seen", "at", "c", "other"] {
            assert!(said.iter().all(|s| s.word() != word), "{word}: {said:?}");
        }
    }

    #[test]
    fn of_what_was_inlined_closures_stay() {
        let text = "fn f() -> () {\n    scope 1 (inlined g) { // at a.rs:1:1: 1:2\n    }\n}\nfn g() -> () {\n}\n\
                    fn g::{closure#0}() -> () {\n}\nfn h::f() -> () {\n}\nfn k() -> () {\n    f() -> bb1;\n}\n";
        let kept = reachable(text, "f");
        assert!(
            kept.contains("g::{closure#0}") && !kept.contains("fn g()"),
            "{kept}"
        );
        // its own name does not bring in its namesakes' callers, but every function of the name that a call has
        assert!(reachable(text, "k").contains("fn h::f"), "{kept}");
    }

    #[test]
    fn a_static_is_spoken_of_by_its_name() {
        let text = "fn f() -> u8 {\n    _1 = const <static(DefId(0:4 ~ a[1]::TABLE))>;\n}\nalloc1 (static: m::TABLE, size: 1, align: 1) {\n}\n";
        assert_eq!(named(&reachable(text, "f")), ["f", "alloc1"]);
    }

    #[test]
    fn allocations_never_come_first() {
        let text = "fn g() -> u8 {\n}\nalloc1 (size: 1, align: 1) {\n}\nalloc2 (size: 1, align: 1) {\n}\nfn f() -> u8 {\n    _1 = alloc1;\n    _2 = alloc2;\n}\n";
        assert_eq!(named(&reachable(text, "f")), ["f", "alloc1", "alloc2"]);
    }

    #[test]
    fn an_item_that_is_not_understood_stays() {
        let text = format!("{TEXT}garbage\n");
        assert!(reachable(&text, "other").ends_with("garbage\n"));
    }
}
