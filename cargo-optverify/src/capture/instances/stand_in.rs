//! Bodies for functions of std that have none in any MIR: not generic, not inlined, so that rustc knows only their machine
//! code (`memchr` behind `str::find` and `split`, `from_utf8`, counting). What does the same is in `stand_ins`, and stands in
//! the capture under the function's name, the same after every pass: std is compiled already.

use super::probe;
use crate::capture::command::RustcCommand;
use crate::capture::mir_text;
use anyhow::Result;
use optverify_engine::capture::Manifest;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path as File;

/// The file that is compiled.
const SOURCE: &str = include_str!("stand_ins.rs");
/// The module that it is put into: names of its types are found by that.
const MODULE: &str = "optverify_stand_ins";

struct StandIn {
    /// Without the crate: `std` and `core` have the same.
    path: &'static str,
    /// In `SOURCE`.
    function: &'static str,
    /// As MIR prints it at calls. Another compiler may have another function of the name.
    signature: &'static str,
}

const ALL: &[StandIn] = &[
    StandIn {
        path: "slice::memchr::memchr_aligned",
        function: "memchr_aligned",
        signature: "for<'a> fn(u8, &'a [u8]) -> std::option::Option<usize>",
    },
    StandIn {
        path: "slice::memchr::memrchr",
        function: "memrchr",
        signature: "for<'a> fn(u8, &'a [u8]) -> std::option::Option<usize>",
    },
    StandIn {
        path: "str::count::do_count_chars",
        function: "do_count_chars",
        signature: "for<'a> fn(&'a str) -> usize",
    },
    StandIn {
        path: "str::count::char_count_general_case",
        function: "char_count_general_case",
        signature: "for<'a> fn(&'a [u8]) -> usize",
    },
    StandIn {
        path: "str::from_utf8",
        function: "from_utf8",
        signature: "for<'a> fn(&'a [u8]) -> std::result::Result<&'a str, std::str::Utf8Error>",
    },
    StandIn {
        path: "fmt::num::imp::<impl u8>::_fmt",
        function: "decimal_u8",
        signature: "for<'a> unsafe fn(u8, &'a mut [std::mem::MaybeUninit<u8>]) -> &'a str",
    },
    StandIn {
        path: "fmt::num::imp::<impl u16>::_fmt",
        function: "decimal_u16",
        signature: "for<'a> unsafe fn(u16, &'a mut [std::mem::MaybeUninit<u8>]) -> &'a str",
    },
    StandIn {
        path: "fmt::num::imp::<impl u32>::_fmt",
        function: "decimal_u32",
        signature: "for<'a> unsafe fn(u32, &'a mut [std::mem::MaybeUninit<u8>]) -> &'a str",
    },
    StandIn {
        path: "fmt::num::imp::<impl u64>::_fmt",
        function: "decimal_u64",
        signature: "for<'a> unsafe fn(u64, &'a mut [std::mem::MaybeUninit<u8>]) -> &'a str",
    },
    StandIn {
        path: "fmt::num::imp::<impl usize>::_fmt",
        function: "decimal_usize",
        signature: "for<'a> unsafe fn(usize, &'a mut [std::mem::MaybeUninit<u8>]) -> &'a str",
    },
    StandIn {
        path: "char::encode_utf8_raw",
        function: "encode_utf8_raw",
        signature: "for<'a> fn(u32, &'a mut [u8]) -> &'a mut [u8]",
    },
    StandIn {
        path: "<std::string::String as std::clone::Clone>::clone",
        function: "string_clone",
        signature: "for<'a> fn(&'a std::string::String) -> std::string::String",
    },
    StandIn {
        path: "<std::boxed::Box<dyn std::error::Error> as std::convert::From<std::string::String>>::from",
        function: "error_of_string",
        signature: "fn(std::string::String) -> std::boxed::Box<dyn std::error::Error>",
    },
    StandIn {
        path: "<std::boxed::Box<dyn std::error::Error> as std::convert::From<&str>>::from",
        function: "error_of_str",
        signature: "fn(&str) -> std::boxed::Box<dyn std::error::Error>",
    },
    StandIn {
        path: "str::pattern::StrSearcher::<'_, '_>::new",
        function: "searcher",
        signature: "fn(&str, &str) -> std::str::pattern::StrSearcher<'_, '_>",
    },
    StandIn {
        path: "str::pattern::TwoWaySearcher::next::<std::str::pattern::MatchOnly>",
        function: "next_match",
        signature: "for<'a, 'b, 'c> fn(&'a mut std::str::pattern::TwoWaySearcher, &'b [u8], &'c [u8], bool) -> <std::str::pattern::MatchOnly as std::str::pattern::TwoWayStrategy>::Output",
    },
    StandIn {
        path: "str::pattern::TwoWaySearcher::next_back::<std::str::pattern::MatchOnly>",
        function: "next_match_back",
        signature: "for<'a, 'b, 'c> fn(&'a mut std::str::pattern::TwoWaySearcher, &'b [u8], &'c [u8], bool) -> <std::str::pattern::MatchOnly as std::str::pattern::TwoWayStrategy>::Output",
    },
    StandIn {
        path: "<std::str::LinesMap as std::ops::FnMut<(&str,)>>::call_mut",
        function: "without_line_end",
        signature: "for<'a> extern \"rust-call\" fn(&'a mut std::str::LinesMap, (&str,)) -> <std::str::LinesMap as std::ops::FnOnce<(&str,)>>::Output",
    },
];

/// Types of std that nobody else can make, and that the stand-ins have under their own names: the longer ones first.
const TYPES: &[(&str, &str)] = &[
    ("Utf8Error", "std::str::Utf8Error"),
    ("LinesMap", "core::str::LinesMap"),
    ("StrSearcherImpl", "std::str::pattern::StrSearcherImpl"),
    ("StrSearcher", "std::str::pattern::StrSearcher"),
    ("EmptyNeedle", "std::str::pattern::EmptyNeedle"),
    ("TwoWaySearcher", "std::str::pattern::TwoWaySearcher"),
];

/// By the call: a function that does the same, under the call's name. `texts`: where the calls stand, which tell the
/// functions' types.
pub fn bodies(
    command: &RustcCommand,
    manifest: &Manifest,
    scratch: &File,
    calls: &BTreeSet<String>,
    texts: &str,
) -> Result<BTreeMap<String, String>> {
    let known = calls.iter().filter_map(|call| {
        let path = match call.strip_prefix("core::").or(call.strip_prefix("std::")) {
            Some(path) => path,
            None => &of_any_crate(call),
        };
        let stand_in = ALL.iter().find(|s| s.path == path)?;
        is_meant(stand_in, call, texts).then_some((call, stand_in))
    });
    let known: Vec<(&String, &StandIn)> = known.collect();
    if known.is_empty() {
        return Ok(BTreeMap::new());
    }
    let dir = scratch.join("stand_ins");
    std::fs::create_dir_all(&dir)?;
    let source = format!("pub mod {MODULE} {{\n{SOURCE}\n}}\n");
    let run = probe::compile(command, manifest, &dir, &source)?;
    if !run.status.success() {
        return Ok(BTreeMap::new());
    }
    let text = std::fs::read_to_string(dir.join("optverify_probe.mir"))?;
    let bodies = mir_text::functions(&text);
    let found = known.into_iter().filter_map(|(call, stand_in)| {
        let own = format!("{MODULE}::{}", stand_in.function);
        let body = bodies.iter().find(|body| body.path == own)?;
        let header = format!("fn {own}(");
        let mut renamed = body.text.replacen(&header, &format!("fn {call}("), 1);
        for (own, of_std) in TYPES {
            renamed = renamed.replace(&format!("{MODULE}::{own}"), of_std);
        }
        for other in ALL {
            let own = format!("{MODULE}::{}", other.function);
            renamed = renamed.replace(&own, &format!("core::{}", other.path));
        }
        // what it has beside its body would not come with it
        let is_whole = !renamed.contains("promoted[") && !renamed.contains(MODULE);
        is_whole.then(|| (call.clone(), renamed))
    });
    Ok(found.collect())
}

/// What is the same function, whichever of std's crates a crate knows it by.
fn of_any_crate(text: &str) -> String {
    text.replace("core::", "std::").replace("alloc::", "std::")
}

/// Is the function of this name the one that the stand-in is for?
fn is_meant(stand_in: &StandIn, call: &str, texts: &str) -> bool {
    let end = format!(" {{{call}}}, val: Value({call}) }}");
    let types = texts.lines().filter_map(|line| {
        let (_, ty) = line.split_once("// + const_: Const { ty: ")?;
        Some(of_any_crate(ty.trim_end().strip_suffix(&end)?))
    });
    let types: BTreeSet<String> = types.collect();
    types.iter().eq([stand_in.signature])
}

#[cfg(test)]
#[path = "stand_ins.rs"]
mod stand_ins;

#[cfg(test)]
mod tests {
    use super::stand_ins::StrSearcherImpl as Searcher;
    use super::{ALL, is_meant, stand_ins};

    /// All texts over the alphabet up to a length.
    fn texts(alphabet: &[u8], most: usize) -> Vec<Vec<u8>> {
        let mut all = vec![vec![]];
        let mut start = 0;
        for _ in 0..most {
            let end = all.len();
            for i in start..end {
                for &byte in alphabet {
                    let longer = [&all[i][..], &[byte]].concat();
                    all.push(longer);
                }
            }
            start = end;
        }
        all
    }

    #[test]
    fn lines_end_as_in_std() {
        for bytes in texts(b"a\r\n", 5) {
            let text = std::str::from_utf8(&bytes).expect("a text");
            let own = text.split_inclusive('\n');
            let own = own.map(|l| stand_ins::without_line_end(&mut stand_ins::LinesMap, (l,)));
            assert!(own.eq(text.lines()), "{text:?}");
        }
    }

    #[test]
    fn bytes_are_found_where_std_finds_them() {
        for mut text in texts(b"ab\n", 6) {
            // both of std's ways: short texts and long ones
            for _ in 0..2 {
                let s = std::str::from_utf8(&text).expect("ascii");
                for x in *b"ab\nx" {
                    let c = x as char;
                    assert_eq!(stand_ins::memchr_aligned(x, &text), s.find(c), "{text:?}");
                    assert_eq!(stand_ins::memrchr(x, &text), s.rfind(c), "{text:?}");
                    let found = stand_ins::memchr_aligned(x, &text).is_some();
                    assert_eq!(found, text.contains(&x), "{text:?}");
                }
                text.splice(3.min(text.len())..3.min(text.len()), [b'-'; 61]);
            }
        }
    }

    #[test]
    fn characters_are_counted_as_std_counts_them() {
        let parts = [
            "",
            "a",
            "\u{7f}",
            "\u{80}",
            "\u{7ff}",
            "\u{800}",
            "\u{ffff}",
            "\u{10ffff}",
        ];
        for a in parts {
            for b in parts {
                for n in [1, 7, 40, 300] {
                    let text = format!("{a}{b}").repeat(n);
                    let count = text.chars().count();
                    assert_eq!(stand_ins::do_count_chars(&text), count);
                    assert_eq!(stand_ins::char_count_general_case(text.as_bytes()), count);
                }
            }
        }
    }

    #[test]
    fn texts_are_those_of_std() {
        let all: Vec<u8> = (0..=255).collect();
        let edges = [
            0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0,
            0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff,
        ];
        let few = [0x41, 0x80, 0x90, 0xa0, 0xc3, 0xe0, 0xed, 0xf0, 0xf4];
        for bytes in [texts(&all, 2), texts(&edges, 3), texts(&few, 5)].concat() {
            for offset in [0, 17] {
                let mut text = vec![b'.'; offset];
                text.extend(&bytes);
                let own = format!("{:?}", stand_ins::from_utf8(&text));
                assert_eq!(own, format!("{:?}", std::str::from_utf8(&text)), "{text:?}");
            }
        }
    }

    #[test]
    fn clones_are_equal() {
        for text in ["", "a", "\u{10ffff} and more than fits into a small room"] {
            assert_eq!(stand_ins::string_clone(&text.to_owned()), text);
        }
    }

    #[test]
    fn errors_are_their_texts() {
        use std::error::Error;
        for text in ["", "a", "\u{10ffff} \n\""] {
            let of_std: [Box<dyn Error>; 2] = [text.into(), text.to_owned().into()];
            let own = [
                stand_ins::error_of_str(text),
                stand_ins::error_of_string(text.to_owned()),
            ];
            for (own, std) in own.iter().zip(&of_std) {
                assert_eq!(own.to_string(), std.to_string());
                assert_eq!(format!("{own:?}"), format!("{std:?}"));
                assert!(own.source().is_none() && std.source().is_none());
            }
        }
    }

    #[test]
    fn characters_are_encoded_as_std_encodes_them() {
        for c in ('\0'..='\u{10ffff}').step_by(7).chain([
            '\u{7f}',
            '\u{80}',
            '\u{7ff}',
            '\u{800}',
            '\u{ffff}',
            '\u{10000}',
            '\u{10ffff}',
        ]) {
            let (mut room, mut of_std) = ([1; 5], [1; 5]);
            let own = stand_ins::encode_utf8_raw(c as u32, &mut room).to_vec();
            assert_eq!(own, c.encode_utf8(&mut of_std).as_bytes(), "{c:?}");
            assert_eq!(room, of_std, "{c:?}");
        }
    }

    #[test]
    fn needles_are_prepared_as_std_prepares_them() {
        let needles = [texts(b"ab", 9), texts(b"abc", 6), texts(b"a\x7f", 3)].concat();
        for needle in needles {
            let needle = std::str::from_utf8(&needle).expect("ascii");
            for haystack in ["", "abcabc"] {
                // a splitter shows its searcher, and nothing else on stable Rust does
                let shown = format!("{:?}", haystack.split(needle));
                let own = format!("{:?}", stand_ins::searcher(haystack, needle));
                assert!(shown.contains(&format!("matcher: {own}")), "{shown}\n{own}");
            }
        }
    }

    #[test]
    fn texts_are_found_where_std_finds_them() {
        let haystacks = [texts(b"ab", 8), texts(b"abc", 5)].concat();
        for needle in [texts(b"ab", 4), texts(b"abc", 3)].concat() {
            let needle = std::str::from_utf8(&needle).expect("ascii");
            for haystack in &haystacks {
                let haystack = std::str::from_utf8(haystack).expect("ascii");
                let Searcher::TwoWay(mut forward) = stand_ins::searcher(haystack, needle).searcher
                else {
                    continue;
                };
                let Searcher::TwoWay(mut back) = stand_ins::searcher(haystack, needle).searcher
                else {
                    continue;
                };
                let (h, n) = (haystack.as_bytes(), needle.as_bytes());
                let mut found = vec![];
                while let Some((at, end)) = stand_ins::next_match(&mut forward, h, n, false) {
                    assert_eq!(end, at + needle.len());
                    found.push(at);
                }
                let of_std: Vec<usize> = haystack.match_indices(needle).map(|m| m.0).collect();
                assert_eq!(found, of_std, "{needle} in {haystack}");
                let mut found = vec![];
                while let Some((at, end)) = stand_ins::next_match_back(&mut back, h, n, true) {
                    assert_eq!(end, at + needle.len());
                    found.push(at);
                }
                let of_std: Vec<usize> = haystack.rmatch_indices(needle).map(|m| m.0).collect();
                assert_eq!(found, of_std, "{needle} in {haystack}, from the end");
            }
        }
    }

    #[test]
    fn numbers_are_written_as_std_writes_them() {
        use std::mem::MaybeUninit;
        let mut powers: Vec<u64> = vec![0, u64::MAX];
        for k in 0..20 {
            let p = 10u64.wrapping_pow(k);
            powers.extend([p - 1, p, p + 1, p.wrapping_mul(7), 1 << (3 * k)]);
        }
        for n in powers {
            let mut room = [MaybeUninit::uninit(); 20];
            let all = [
                (
                    stand_ins::decimal_u64(n, &mut room).to_owned(),
                    n.to_string(),
                ),
                (
                    stand_ins::decimal_usize(n as usize, &mut room).to_owned(),
                    (n as usize).to_string(),
                ),
                (
                    stand_ins::decimal_u32(n as u32, &mut room[10..]).to_owned(),
                    (n as u32).to_string(),
                ),
                (
                    stand_ins::decimal_u16(n as u16, &mut room[15..]).to_owned(),
                    (n as u16).to_string(),
                ),
                (
                    stand_ins::decimal_u8(n as u8, &mut room[17..]).to_owned(),
                    (n as u8).to_string(),
                ),
            ];
            for (own, std) in all {
                assert_eq!(own, std);
            }
        }
    }

    #[test]
    fn a_function_of_another_type_is_another() {
        let call = "core::slice::memchr::memrchr";
        let line = |ty: &str| {
            format!("    // + const_: Const {{ ty: {ty} {{{call}}}, val: Value({call}) }}\n")
        };
        let right = line("for<'a> fn(u8, &'a [u8]) -> core::option::Option<usize>");
        let wrong = line("for<'a> fn(&'a [u8], u8) -> std::option::Option<usize>");
        let stand_in = ALL.iter().find(|s| s.function == "memrchr").expect("one");
        assert!(is_meant(stand_in, call, &right));
        assert!(!is_meant(stand_in, call, &wrong));
        assert!(!is_meant(stand_in, call, &format!("{right}{wrong}")));
        assert!(!is_meant(stand_in, call, ""));
    }
}
