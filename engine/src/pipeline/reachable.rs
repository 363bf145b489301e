//! The part of a crate's text that one root can speak of: a crate of many functions is not parsed for each of them.
//!
//! Items are told apart by their first column and kept by name: an item stays if some kept text has its last name
//! as a word. That keeps too much (names are not resolved here) and never matters when it keeps too little: a body
//! that is missing makes its callers unknown.

use std::collections::HashMap;

/// Names that no text spells where it uses them: values are dropped by their type.
const ALWAYS: [&str; 1] = ["drop"];

/// The items of `text` that `function` may reach, in their order.
pub fn reachable(text: &str, function: &str) -> String {
    let items = items(text);
    let mut words: Vec<&str> = words_of(function).chain(ALWAYS).collect();
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut kept = vec![false; items.len()];
    for (i, item) in items.iter().enumerate() {
        match names(item) {
            Some(names) => {
                for name in names {
                    by_name.entry(name).or_default().push(i);
                }
            }
            None => {
                kept[i] = true;
                words.extend(words_of(item));
            }
        }
    }
    while let Some(word) = words.pop() {
        for i in by_name.remove(word).unwrap_or_default() {
            kept[i] = true;
            words.extend(words_of(items[i]));
        }
    }
    let kept = items.iter().zip(kept).filter(|(_, kept)| *kept);
    let mut kept: Vec<&str> = kept.map(|(item, _)| *item).collect();
    // A text begins with a body: what is left of the allocations of a body that went comes after the first.
    let first = kept.iter().position(|item| !item.starts_with("alloc"));
    if let Some(at) = first {
        kept[..=at].rotate_right(1);
    }
    kept.concat()
}

/// Cuts a text at the lines that begin an item: those that begin with neither a blank, a comment nor the brace that
/// ends the item before. What stands between items goes with the one before.
fn items(text: &str) -> Vec<&str> {
    let mut starts = vec![];
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let quiet = line.starts_with([' ', '\t', '\r', '\n', '}']) || line.starts_with("//");
        if !quiet {
            starts.push(at);
        }
        at += line.len();
    }
    if let Some(first) = starts.first_mut() {
        *first = 0;
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(s, e)| &text[*s..e]).collect()
}

/// The names by which other items speak of this one; `None` where the header is not understood.
fn names(item: &str) -> Option<Vec<&str>> {
    let mut lines = item.lines();
    let header = lines.find(|l| !l.is_empty() && !l.starts_with("//"))?;
    if header.starts_with("alloc") {
        let (id, rest) = header.split_once(' ')?;
        let of_static = rest.strip_prefix("(static: ");
        let of_static = of_static.and_then(|r| last_name(r.split(',').next()?));
        return Some([id].into_iter().chain(of_static).collect());
    }
    let kinds = ["fn ", "const ", "static mut ", "static "];
    let path = match header.strip_prefix("promoted[") {
        Some(rest) => rest.split_once("] in ")?.1,
        None => kinds.iter().find_map(|k| header.strip_prefix(k))?,
    };
    Some(vec![last_name(path)?])
}

/// The last segment that is an identifier; `None` where it is spelled in another way.
fn last_name(path: &str) -> Option<&str> {
    let segments = segments(path);
    let named = |s: &&&str| !s.starts_with("promoted[") && !s.starts_with('{');
    let last = segments.iter().rev().find(named)?;
    let identifier = last.bytes().all(is_word) && !last.is_empty();
    identifier.then_some(*last)
}

/// The segments of the path that begins a header, up to its parameters or its type.
fn segments(header: &str) -> Vec<&str> {
    let bytes = header.as_bytes();
    let (mut depth, mut start, mut at) = (0_usize, 0, 0);
    let mut segments = vec![];
    while at < bytes.len() {
        match bytes[at] {
            b'-' if bytes.get(at + 1) == Some(&b'>') => at += 1,
            b'(' if depth == 0 => break,
            b':' if depth == 0 && bytes.get(at + 1) == Some(&b':') => {
                segments.push(&header[start..at]);
                at += 1;
                start = at + 1;
            }
            b':' if depth == 0 => break,
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            b'>' | b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    segments.push(&header[start..at.min(header.len())]);
    // Generic arguments are no name.
    let generic = |(i, s): &(usize, &str)| *i > 0 && s.starts_with('<');
    let named = segments.iter().copied().enumerate();
    named.filter(|s| !generic(s)).map(|(_, s)| s).collect()
}

fn is_word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'_' || c >= 128
}

/// The words of a text, repeated as they stand.
pub fn words_of(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.filter(|w| !w.is_empty())
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

    fn named(text: &str) -> Vec<&str> {
        let first = |i| names(i).map_or("?", |n| n[0]);
        items(text).into_iter().map(first).collect()
    }

    #[test]
    fn items_are_named_by_the_last_segment_of_their_path() {
        let all = [
            "root", "helper", "alloc7", "LIMIT", "other", "root", "drop", "other", "both",
        ];
        assert_eq!(named(TEXT), all);
        assert_eq!(items(TEXT).concat(), TEXT);
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
