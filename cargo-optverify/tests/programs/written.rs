//! Texts that are written into: `write!` into a `String`, `to_string` of a `Display` of the crate; functions of floats.

use optverify::verify;
use std::fmt::Write;

struct Code(u8);

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "code {}", self.0)
    }
}

struct Picky(u8);

impl std::fmt::Display for Picky {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0 == 7 {
            return Err(std::fmt::Error);
        }
        write!(f, "{}", self.0)
    }
}

//@ expect: safe
#[verify]
fn into_a_text(a: u32) {
    let mut s = String::new();
    write!(s, "{a}").unwrap();
    writeln!(s, " {}", a / 2).unwrap();
    assert!(s.len() <= s.capacity());
}

//@ expect: unsafe
#[verify]
fn into_a_text_wrong(a: u32) {
    let mut s = String::from("x");
    write!(s, "{a}").unwrap();
    assert!(a != 77);
}

//@ expect: safe
#[verify]
fn shown(a: u8) {
    let s = Code(a).to_string();
    let _ = s.len();
}

//@ expect: unsafe
//@ known: unknown because what is shown is any text
#[verify]
fn shown_wrong(a: u8) {
    let s = Code(a).to_string();
    let _ = s.len();
    assert!(a < 250);
}

// what it writes is any text, and that nothing fails is known of formatters that are looked into only
//@ expect: unsafe
//@ known: unknown because a formatter that fails is not looked into
#[verify]
fn fails(a: u8) {
    let mut s = String::new();
    write!(s, "{}", Picky(a)).unwrap();
}

//@ expect: unsafe
//@ known: unknown because what is written is any text
#[verify]
fn content(a: u8) {
    let s = Code(a).to_string();
    assert!(s.len() > 6);
}

//@ expect: safe
#[verify]
fn of_floats(x: f64, n: u8) -> u8 {
    let y = x.sin() + x.powi(3).exp();
    if y > 1.0 { n / 2 } else { n / 3 }
}

//@ expect: unsafe
//@ known: unknown because what `mul_add` gives is any number
#[verify]
fn of_floats_wrong(x: f32, n: u8) {
    let y = x.mul_add(2.0, 1.0);
    if y > 1.0 || y <= 1.0 {
        assert!(n != 3);
    }
    assert!(n != 3);
}
