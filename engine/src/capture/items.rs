//! Texts of a whole crate, item by item. The process of a root needs a few items of thousands, so a list beside the text
//! says how long each item is and what it is called. What is read by it is looked at again: a list of another text is an
//! error.

use super::lines::Place;
use super::{CaptureError, Stamp, inside};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// A text, to be read as a whole or by its items.
pub struct Items {
    list: Vec<Item>,
    source: Source,
}

/// The second name of a closure, whose first one is that of the function around it.
const CLOSURE: &str = "{closure";

struct Item {
    start: u64,
    length: u64,
    /// By which other items speak of this one, and `CLOSURE` for closures; `None` where the header is not understood.
    names: Option<Vec<String>>,
}

enum Source {
    Text(String),
    File {
        dir: PathBuf,
        file: String,
        limit: Option<Stamp>,
    },
}

/// The list's name beside the text's.
pub fn list_of(file: &str) -> String {
    format!("{file}.items")
}

/// The list of a text's items: length and names of each.
pub fn listed(text: &str) -> serde_json::Result<String> {
    let items = items(text);
    let list: Vec<_> = items.iter().map(|i| (i.len(), names(i))).collect();
    serde_json::to_string(&list)
}

impl Items {
    pub fn of(text: String) -> Items {
        let mut start = 0;
        let item = |item: &str| {
            let length = item.len() as u64;
            let names = names(item).map(|all| all.into_iter().map(str::to_owned).collect());
            start += length;
            Item {
                start: start - length,
                length,
                names,
            }
        };
        Items {
            list: items(&text).into_iter().map(item).collect(),
            source: Source::Text(text),
        }
    }

    /// By the list that is beside the text.
    pub(super) fn in_file(
        dir: &Path,
        limit: Option<Stamp>,
        file: &str,
    ) -> Result<Items, CaptureError> {
        let name = list_of(file);
        let text = inside::read(dir, limit, &name)?;
        let list: Vec<(u64, Option<Vec<String>>)> =
            serde_json::from_str(&text).map_err(|source| CaptureError::Damaged {
                path: dir.join(name),
                source,
            })?;
        let mut start = 0_u64;
        let item = |(length, names)| {
            let item = Item {
                start,
                length,
                names,
            };
            start = start.saturating_add(length);
            item
        };
        let list: Vec<Item> = list.into_iter().map(item).collect();
        // comments alone are no item
        if start != inside::length(dir, file)? && start > 0 {
            return Err(of_another_text(dir, file));
        }
        let (dir, file) = (dir.to_path_buf(), file.to_owned());
        let source = Source::File { dir, file, limit };
        Ok(Items { list, source })
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// By which other items speak of this one; `None` where that is not understood.
    pub fn names(&self, item: usize) -> Option<&[String]> {
        let names = self.list[item].names.as_deref();
        names.map(|names| names.strip_suffix(&[CLOSURE.to_owned()]).unwrap_or(names))
    }

    pub fn is_closure(&self, item: usize) -> bool {
        let names = self.list[item].names.as_deref();
        names.is_some_and(|names| names.iter().any(|name| name == CLOSURE))
    }

    /// The text of an item.
    pub fn text(&self, item: usize) -> Result<Cow<'_, str>, CaptureError> {
        let Item {
            start,
            length,
            names: listed,
        } = &self.list[item];
        match &self.source {
            Source::Text(text) => {
                let start = *start as usize;
                Ok(Cow::Borrowed(&text[start..start + *length as usize]))
            }
            Source::File { dir, file, limit } => {
                let place = Place {
                    start: *start,
                    length: *length,
                };
                let text = inside::read_part(dir, *limit, file, place)?;
                let first = text.split_inclusive('\n').next().unwrap_or_default();
                let begins = item == 0 || !is_quiet(first) || is_mark(first);
                let is_one = begins && items(&text).len() == 1;
                let is_named = match (names(&text), listed) {
                    (Some(names), Some(listed)) => listed.iter().eq(names),
                    (names, listed) => names.is_none() && listed.is_none(),
                };
                match is_one && is_named {
                    true => Ok(Cow::Owned(text)),
                    false => Err(of_another_text(dir, file)),
                }
            }
        }
    }

    /// Everything.
    pub fn whole(&self) -> Result<Cow<'_, str>, CaptureError> {
        match &self.source {
            Source::Text(text) => Ok(Cow::Borrowed(text)),
            Source::File { dir, file, limit } => inside::read(dir, *limit, file).map(Cow::Owned),
        }
    }
}

fn of_another_text(dir: &Path, file: &str) -> CaptureError {
    CaptureError::Inconsistent {
        dir: dir.to_path_buf(),
        what: format!("the list of the items of {file} is of another text"),
    }
}

/// Cuts a text at the lines that begin an item: those that begin with neither a blank, a comment nor the brace that
/// ends the item before. What stands between items goes with the one before, but for the mark of bodies that only the
/// compiler runs: without it a `const fn` would be there twice.
fn items(text: &str) -> Vec<&str> {
    let mut starts = vec![];
    let mut at = 0;
    let mut marked = false;
    for line in text.split_inclusive('\n') {
        let is_mark = is_mark(line);
        if is_mark || !is_quiet(line) && !std::mem::take(&mut marked) {
            starts.push(at);
        }
        marked |= is_mark;
        at += line.len();
    }
    if let Some(first) = starts.first_mut() {
        *first = 0;
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(s, e)| &text[*s..e]).collect()
}

fn is_mark(line: &str) -> bool {
    line.starts_with("// MIR FOR CTFE")
}

fn is_quiet(line: &str) -> bool {
    line.starts_with([' ', '\t', '\r', '\n', '}']) || line.starts_with("//")
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
    let closure = segments(path).iter().any(|s| s.starts_with(CLOSURE));
    Some(
        [last_name(path)?]
            .into_iter()
            .chain(closure.then_some(CLOSURE))
            .collect(),
    )
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

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "// WARNING: a comment\n\nfn root(_1: u32) -> u32 {\n    bb0: {\n        _0 = helper(move _1) -> bb1;\n    }\n}\n\n\
        fn inner::helper(_1: u32) -> u32 {\n}\n\nalloc7 (size: 1, align: 1) {\n    00 │ .\n}\n\n\
        const <impl at a.rs:1:1: 2:2>::LIMIT: u32 = const 3_u32;\n\npromoted[0] in root: &u32 = {\n}\n\n\
        fn <impl at a.rs:3:1: 4:2>::drop(_1: &mut S) -> () {\n}\n\
        fn other::{closure#0}(_1: u32) -> u32 {\n}\nfn <(u8, u16) as Tr>::both(_1: u32) -> u32 {\n}\ngarbage\n";

    #[test]
    fn items_are_named_by_the_last_segment_of_their_path() {
        let all = [
            "root", "helper", "alloc7", "LIMIT", "root", "drop", "other", "both", "?",
        ];
        let first = |item: &str| names(item).map_or("?".to_owned(), |n| n[0].to_owned());
        let named: Vec<String> = items(TEXT).into_iter().map(first).collect();
        assert_eq!(named, all);
        assert_eq!(items(TEXT).concat(), TEXT);
    }

    /// In a folder, by its list; the list may be of another text.
    fn read(text: &str, list: &str) -> Result<String, CaptureError> {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::write(dir.path().join("all.mir"), text).expect("a file");
        std::fs::write(dir.path().join(list_of("all.mir")), list).expect("a file");
        let items = Items::in_file(dir.path(), None, "all.mir")?;
        let texts: Result<Vec<_>, _> = (0..items.len()).map(|i| items.text(i)).collect();
        Ok(texts?.concat())
    }

    #[test]
    fn by_their_list_items_are_what_they_are_in_the_text() {
        let list = listed(TEXT).expect("a list");
        assert_eq!(read(TEXT, &list).expect("a text"), TEXT);
        for comments in ["", "// no item\n"] {
            let list = listed(comments).expect("a list");
            assert_eq!(read(comments, &list).expect("a text"), "");
        }
    }

    #[test]
    fn a_list_of_another_text_is_an_error() {
        let list = listed(TEXT).expect("a list");
        type List = Vec<(u64, Option<Vec<String>>)>;
        let other = |change: fn(&mut List)| {
            let mut items = serde_json::from_str(&list).expect("a list");
            change(&mut items);
            serde_json::to_string(&items).expect("JSON")
        };
        for other in [
            // one byte, one line, one item to the neighbour; names that are others'
            other(|l| (l[0].0, l[1].0) = (l[0].0 - 1, l[1].0 + 1)),
            other(|l| (l[0].0, l[1].0) = (l[0].0 - 2, l[1].0 + 2)),
            other(|l| l[1].0 += l.remove(2).0),
            other(|l| l[0].1 = None),
            other(|l| l[8].1 = Some(vec!["root".into()])),
            other(|l| l[0].1 = l[1].1.clone()),
            other(|l| l.truncate(3)),
            other(|l| l.push((u64::MAX, None))),
        ] {
            let read = read(TEXT, &other);
            assert!(
                matches!(read, Err(CaptureError::Inconsistent { .. })),
                "{read:?}"
            );
        }
        assert!(matches!(
            read(TEXT, "[[1"),
            Err(CaptureError::Damaged { .. })
        ));
        assert!(read(&TEXT.replace("helper", "helped"), &list).is_err());
    }
}
