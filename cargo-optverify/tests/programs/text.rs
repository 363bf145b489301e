//! `&str` as bytes, chars, strings.
use optverify::verify;

//@ expect: safe
#[verify(timeout = "3s")]
fn count_spaces(s: &str) { let mut n = 0usize; for b in s.bytes() { if b == b' ' { n += 1; } } assert!(n <= s.len()); }

//@ expect: unsafe
#[verify]
fn count_spaces_wrong(s: &str) { let mut n = 0usize; for b in s.bytes() { if b == b' ' { n += 1; } } assert!(n < s.len() || s.is_empty()); }

//@ expect: safe
#[verify]
fn first_byte(s: &str) { if !s.is_empty() { let b = s.as_bytes()[0]; assert!(b == b.to_ascii_lowercase() || b.is_ascii_uppercase()); } }

//@ expect: unsafe
#[verify]
fn first_byte_wrong(s: &str) { let b = s.as_bytes()[0]; assert!(b > 0 || b == 0); }

//@ expect: safe
#[verify]
fn char_classes(c: char) {
    if c.is_ascii_digit() { assert!(c.to_digit(10).unwrap() < 10); }
    if c.is_ascii_lowercase() { assert!(c.to_ascii_uppercase().is_ascii_uppercase()); }
    assert!(c.len_utf8() >= 1 && c.len_utf8() <= 4);
    assert!(char::from_u32(c as u32) == Some(c));
}

//@ expect: unsafe
#[verify]
fn char_classes_wrong(c: char) { assert!(c.to_digit(16).is_none() || c.to_digit(10).is_some()); }

//@ expect: safe
#[verify]
fn char_arith(b: u8) { let c = (b'a' + b % 26) as char; assert!(c.is_ascii_lowercase()); }

//@ expect: unsafe
#[verify]
fn char_arith_wrong(b: u8) { let c = (b'a' + b % 27) as char; assert!(c.is_ascii_lowercase()); }

//@ expect: safe
#[verify]
fn hex_digit(n: u8) { let c = char::from_digit((n & 15) as u32, 16).unwrap(); assert!(c.is_ascii_hexdigit()); }

//@ expect: unsafe
#[verify]
fn hex_digit_wrong(n: u8) { char::from_digit((n & 31) as u32, 16).unwrap(); }

//@ expect: safe
#[verify]
fn literal_bytes(i: usize) { let s = b"hello"; if i < s.len() { assert!(s[i] >= b'e'); } assert!("abc".len() == 3); }

//@ expect: unsafe
#[verify]
fn literal_bytes_wrong(i: usize) { let s = b"hello"; assert!(s[i] >= b'e'); }

//@ expect: safe
#[verify(timeout = "3s")]
fn parse_number(s: &[u8]) {
    let mut n: u32 = 0;
    for &b in s {
        if !b.is_ascii_digit() { return; }
        n = match n.checked_mul(10).and_then(|n| n.checked_add((b - b'0') as u32)) { Some(n) => n, None => return };
    }
    assert!(n <= u32::MAX);
}

//@ expect: unsafe
#[verify]
fn parse_number_wrong(s: &[u8]) {
    let mut n: u8 = 0;
    for &b in s {
        if !b.is_ascii_digit() { return; }
        n = n.checked_mul(10).and_then(|n| n.checked_add(b - b'0')).unwrap();
    }
}

//@ expect: safe
#[verify(timeout = "3s")]
fn to_upper(s: &mut [u8]) { s.make_ascii_uppercase(); if let Some(b) = s.first() { assert!(!b.is_ascii_lowercase()); } }

//@ expect: unsafe
#[verify]
fn to_upper_wrong(s: &mut [u8]) { s.make_ascii_uppercase(); if let Some(b) = s.first() { assert!(b.is_ascii_uppercase()); } }

//@ expect: safe
#[verify]
fn compare_text(k: u8) { let s = if k == 0 { "zero" } else { "more" }; assert!(s.len() == 4); assert!((s == "zero") == (k == 0)); }

//@ expect: unsafe
#[verify]
fn compare_text_wrong(k: u8) { let s = if k == 0 { "zero" } else { "one" }; assert!(s.len() == 4); }

//@ expect: safe
#[verify]
fn char_array(a: [char; 3]) { for c in a { assert!(c as u32 <= 0x10ffff && !(0xd800..0xe000).contains(&(c as u32))); } }

//@ expect: unsafe
#[verify]
fn char_array_wrong(a: [char; 3]) { for c in a { assert!(c as u32 <= 0x10fffe); } }

//@ expect: safe
#[verify(timeout = "3s")]
fn char_slice(s: &[char]) { for c in s { assert!(*c <= '\u{10ffff}'); } }

//@ expect: unsafe
#[verify]
fn char_slice_wrong(s: &[char]) { for c in s { assert!(c.is_ascii()); } }

//@ expect: safe
#[verify]
fn lines_without_their_ends() {
    let mut lines = "ab\r\nc".lines();
    assert!(lines.next() == Some("ab") && lines.next() == Some("c") && lines.next().is_none());
}

//@ expect: unsafe
#[verify]
fn lines_without_their_ends_fail() {
    let mut lines = "ab\r\nc".lines();
    assert!(lines.next() == Some("ab\r"));
}
