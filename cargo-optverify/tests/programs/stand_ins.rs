//! Functions of std that rustc has no MIR of, and intrinsics beside: text handling as people write it.
#![allow(dead_code)]
use optverify::verify;

//@ expect: safe
#[verify]
fn contains(a: &[u8]) { if a.contains(&b'x') { assert!(!a.is_empty()); } }
//@ expect: unsafe
#[verify]
fn contains_wrong(a: &[u8]) { if a.len() > 20 && a[3] == b'x' { assert!(!a.contains(&b'x')); } }
//@ expect: safe
#[verify]
fn contains_found(a: &[u8]) { if a.len() == 24 && a[20] == b'x' { assert!(a.contains(&b'x')); } }
//@ expect: unsafe
#[verify]
fn contains_not_found(a: &[u8]) { if a.len() == 24 && a[20] == b'x' { assert!(a.contains(&b'y')); } }

//@ expect: safe
#[verify]
fn text_of(b: &[u8]) -> usize {
    match std::str::from_utf8(b) {
        Ok(s) => { assert!(s.len() == b.len()); s.len() }
        Err(e) => { assert!(e.valid_up_to() < b.len()); e.valid_up_to() }
    }
}
//@ expect: unsafe
#[verify]
fn text_of_wrong(b: &[u8]) { assert!(std::str::from_utf8(b).is_ok()); }
//@ expect: safe
#[verify]
fn ascii_is_text(b: [u8; 3]) { if b[0] < 128 && b[1] < 128 && b[2] < 128 { assert!(std::str::from_utf8(&b).is_ok()); } }
//@ expect: unsafe
#[verify]
fn ascii_is_text_wrong(b: [u8; 3]) { if b[0] >= 128 { assert!(std::str::from_utf8(&b).is_err()); } }
//@ expect: safe
#[verify]
fn length_of_error(b: [u8; 2]) { if let Err(e) = std::str::from_utf8(&b) { if b[0] == 0xff { assert!(e.error_len() == Some(1) && e.valid_up_to() == 0); } } }
//@ expect: unsafe
#[verify]
fn length_of_error_wrong(b: [u8; 2]) { if let Err(e) = std::str::from_utf8(&b) { assert!(e.error_len().is_some()); } }

//@ expect: safe
//@ known: unknown because the proof may take longer than there is time
#[verify]
fn find(s: &str) { if let Some(i) = s.find(',') { assert!(i < s.len()); } }
//@ expect: unsafe
#[verify]
fn find_wrong(s: &str) { if let Some(i) = s.find(',') { assert!(i > 0); } }
//@ expect: safe
#[verify]
fn find_last(s: &str) { if let Some(i) = s.rfind('/') { assert!(i < s.len()); } }
//@ expect: unsafe
#[verify]
fn find_last_wrong(s: &str) { if let Some(i) = s.rfind('/') { assert!(i > 0); } }
//@ expect: safe
#[verify]
fn count(s: &str) { assert!(s.chars().count() <= s.len()); }
//@ expect: unsafe
#[verify]
fn count_wrong(s: &str) { assert!(s.chars().count() < 2); }

// memory that nobody else looks at
//@ expect: safe
#[verify]
fn volatile(x: u32) { let y = x; let z = unsafe { std::ptr::read_volatile(&y) }; assert!(z == x); }
//@ expect: unsafe
#[verify]
fn volatile_wrong(x: u32) { let y = x; let z = unsafe { std::ptr::read_volatile(&y) }; assert!(z != 77); }
//@ expect: safe
#[verify]
fn volatile_write(mut x: u32) { unsafe { std::ptr::write_volatile(&mut x, 3) }; assert!(x == 3); }
//@ expect: unsafe
#[verify]
fn volatile_write_wrong(mut x: u32, y: u32) { unsafe { std::ptr::write_volatile(&mut x, y) }; assert!(x == 3); }

// arrays of arrays
//@ expect: safe
#[verify]
fn equal(a: [[u8; 2]; 2], b: [[u8; 2]; 2]) { if a == b { assert!(a[1][1] == b[1][1] && a[0][1] == b[0][1]); } }
//@ expect: unsafe
#[verify]
fn equal_wrong(a: [[u8; 2]; 2], b: [[u8; 2]; 2]) { if a == b { assert!(a[1][1] == b[0][1]); } }
//@ expect: safe
#[verify]
fn different(a: [[u16; 3]; 2], b: [[u16; 3]; 2]) { if a[1][2] != b[1][2] { assert!(a != b); } }
//@ expect: unsafe
#[verify]
fn different_wrong(a: [[u16; 3]; 2], b: [[u16; 3]; 2]) { if a[1][2] == b[1][2] { assert!(a == b); } }

//@ expect: safe
#[verify]
fn digits(x: u8) { let s = x.to_string(); assert!(s.len() >= 1 && s.len() <= 3); if x < 10 { assert!(s.as_bytes()[0] == b'0' + x); } }
//@ expect: unsafe
#[verify]
fn digits_wrong(x: u8) { let s = x.to_string(); assert!(s.len() < 3); }
//@ expect: safe
#[verify]
fn more_digits(x: u32) { let s = x.to_string(); assert!(!s.is_empty()); }
//@ expect: unsafe
#[verify]
fn more_digits_wrong(x: u32) { let s = x.to_string(); assert!(s.len() < 10); }

//@ expect: safe
#[verify]
fn text_cloned(long: bool) { let mut s = String::new(); if long { s.push('a'); } let t = s.clone(); s.push('b'); assert!(t.len() == usize::from(long) && s.len() == t.len() + 1); }

//@ expect: unsafe
#[verify]
fn text_cloned_wrong(long: bool) { let mut s = String::new(); if long { s.push('a'); } let t = s.clone(); assert!(t.is_empty()); }

// Texts as errors.
fn first_digit(s: &[u8]) -> Result<u8, Box<dyn std::error::Error>> {
    let first = s.first().ok_or("empty")?;
    if *first > 9 { return Err(String::from("no digit").into()); }
    Ok(*first)
}

//@ expect: safe
#[verify]
fn text_as_error(s: &[u8]) {
    match first_digit(s) {
        Ok(x) => assert!(x <= 9 && s[0] == x),
        Err(_) => assert!(s.is_empty() || s[0] > 9),
    }
}

//@ expect: unsafe
#[verify]
fn text_as_error_wrong(s: &[u8]) { if let Ok(x) = first_digit(s) { assert!(x < 9); } }

//@ expect: safe
#[verify]
fn last_error(v: [u8; 3]) {
    let mut last: Option<Box<dyn std::error::Error>> = None;
    for x in v { if x > 3 { last = Some("big".into()); } }
    assert!(last.is_some() == (v[0] > 3 || v[1] > 3 || v[2] > 3));
}

//@ expect: unsafe
#[verify]
fn last_error_wrong(v: [u8; 3]) {
    let mut last: Option<Box<dyn std::error::Error>> = None;
    for x in v { if x > 3 { last = Some("big".into()); } }
    assert!(last.is_none());
}

mod own_error {
    use std::fmt;
    // Under the name that std's has.
    #[derive(Debug)]
    pub struct StringError(pub u8);
    impl fmt::Display for StringError { fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str("own") } }
    impl std::error::Error for StringError {}
    impl Drop for StringError { fn drop(&mut self) { assert!(self.0 < 5); } }
}

//@ expect: safe
#[verify]
fn own_error_dropped(n: u8) {
    let e: Box<dyn std::error::Error> = if n > 9 { "text".into() } else { Box::new(own_error::StringError(n % 5)) };
    drop(e);
}

//@ expect: unsafe
#[verify]
fn own_error_dropped_wrong(n: u8) {
    let e: Box<dyn std::error::Error> = if n > 9 { "text".into() } else { Box::new(own_error::StringError(n)) };
    drop(e);
}

//@ expect: unsafe
#[verify]
fn first_line_wrong(s: &str) { if let Some(l) = s.lines().next() { assert!(l.len() < s.len()); } }
