//! Parameters that iterate over the characters of a text: any rest of any text.
#![allow(dead_code)]
use optverify::verify;
use std::str::Chars;

struct Parser<'a> { rest: Chars<'a>, line: u32 }

impl Parser<'_> {
    fn digit(&mut self) -> Option<u32> {
        let digit = self.rest.next()?.to_digit(10);
        self.line = self.line.wrapping_add(1);
        digit
    }
}

//@ expect: safe
#[verify]
fn one_digit(parser: &mut Parser<'_>) {
    if let Some(digit) = parser.digit() { assert!(digit < 10); }
}

//@ expect: unsafe
#[verify]
fn one_digit_wrong(parser: &mut Parser<'_>) {
    parser.digit().unwrap();
}

//@ expect: unsafe
#[verify]
fn any_character_wrong(mut rest: Chars<'_>) {
    if let Some(c) = rest.next() { assert!(c.is_ascii()); }
}

//@ expect: safe
#[verify]
fn nothing_left(mut rest: Chars<'_>) {
    if rest.as_str().is_empty() { assert!(rest.next().is_none()); }
}

//@ expect: unsafe
#[verify]
fn nothing_left_wrong(mut rest: Chars<'_>) {
    rest.next().unwrap();
}

//@ expect: safe
#[verify]
fn blanks(c: char) { assert!(!c.is_whitespace() || c as u32 <= 0x3000); }

//@ expect: unsafe
#[verify]
fn blanks_wrong(c: char) { assert!(!c.is_whitespace() || c as u32 <= 0x2028); }

//@ expect: unsafe
#[verify]
fn radix_wrong(radix: u32) -> Option<u8> { u8::from_str_radix("7", radix).ok() }

//@ expect: safe
#[verify]
fn letters_of_ascii(c: char) {
    if c.is_ascii() {
        assert!(c.is_alphabetic() == c.is_ascii_alphabetic() && c.is_numeric() == c.is_ascii_digit());
    }
}

//@ expect: unsafe
#[verify]
fn letters_of_ascii_wrong(c: char) {
    if c.is_ascii() {
        assert!(c.is_alphabetic() == c.is_ascii_uppercase());
    }
}

//@ expect: safe
#[verify]
fn every_character_has_a_class(c: char) {
    let class = match c {
        c if c.is_alphabetic() => 1,
        c if c.is_numeric() => 2,
        c if c.is_whitespace() => 3,
        _ => 4,
    };
    assert!(class < 5);
}

//@ expect: unsafe
//@ known: unknown because what a character beyond ASCII is to Unicode is in tables without MIR
#[verify]
fn letters_beyond_ascii(c: char) {
    assert!(c.is_alphabetic() == c.is_ascii_alphabetic());
}
