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
