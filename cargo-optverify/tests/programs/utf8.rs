//! Texts that are parameters are valid UTF-8: what only other bytes would break is safe.
use optverify::verify;

//@ expect: safe
#[verify]
fn count(s: &str) -> u32 { let mut n = 0u32; for c in s.chars() { if c == 'x' { n = n.wrapping_add(1); } } n }

//@ expect: unsafe
#[verify]
fn count_wrong(s: &str) { for c in s.chars() { assert!(c != 'ß'); } }

//@ expect: safe
#[verify]
fn first(s: &str) -> bool { match s.chars().next() { Some(c) => c.is_ascii_digit(), None => false } }

//@ expect: unsafe
#[verify]
fn first_wrong(s: &str) { if let Some(c) = s.chars().next() { assert!((c as u32) < 0x1_0000); } }

//@ expect: safe
#[verify]
fn last(s: &str) -> Option<char> { s.chars().next_back() }

//@ expect: unsafe
#[verify]
fn last_wrong(s: &str) -> char { s.chars().next_back().unwrap() }

//@ expect: safe
//@ known: unknown because it takes twenty seconds
#[verify(timeout = "3s")]
fn places(s: &str) { for (i, _) in s.char_indices() { assert!(i < s.len()); } }

//@ expect: unsafe
#[verify]
fn places_wrong(s: &str) { for (i, _) in s.char_indices() { assert!(i != 3); } }

//@ expect: safe
#[verify]
fn without_prefix(s: &str) -> &str { if s.starts_with('a') { &s[1..] } else { s } }

//@ expect: unsafe
#[verify]
fn without_prefix_wrong(s: &str) -> &str { if s.len() > 1 { &s[1..] } else { s } }

//@ expect: safe
#[verify]
fn surrogate(s: &str) { if let Some(c) = s.chars().next() { assert!(!(0xd800..0xe000).contains(&(c as u32))); } }

//@ expect: unsafe
#[verify]
fn surrogate_wrong(s: &str) { if let Some(c) = s.chars().next() { assert!(!(0xd7ff..0xe000).contains(&(c as u32))); } }

//@ expect: safe
//@ known: unknown because texts in slices are any bytes
#[verify]
fn among_texts(v: &[&str]) { for s in v { if s.len() > 0 { assert!(s.as_bytes()[0] & 0xc0 != 0x80); } } }

//@ expect: safe
//@ known: unknown because texts in arrays are any bytes
#[verify]
fn second_text(v: [&str; 2]) { if v[1].len() > 0 { assert!(v[1].as_bytes()[0] & 0xc0 != 0x80); } }

//@ expect: unsafe
#[verify]
fn second_text_wrong(v: [&str; 2]) { assert!(v[1].len() != 1 || v[1].as_bytes()[0] != b'a'); }

//@ expect: unsafe
#[verify]
fn swapped_wrong(s: &mut String, t: &mut String) { let n = s.len(); std::mem::swap(s, t); assert!(s.len() == n); }
