//! `format!`, `println!` and their friends: what they make is any text, and they do nothing else; where functions of the
//! crate's own might, nobody knows.
#![allow(dead_code)]
use optverify::verify;
use std::fmt;

fn check(x: u8) -> Result<u8, String> { if x > 100 { Err(format!("{x} is too large")) } else { Ok(x) } }
//@ expect: safe
#[verify]
fn error_text(x: u8) { match check(x) { Ok(v) => assert!(v <= 100), Err(_) => assert!(x > 100) } }
//@ expect: unsafe
#[verify]
fn error_text_wrong(x: u8) { check(x).unwrap(); }
//@ expect: safe
#[verify]
fn error_text_handed_on(x: u8) -> Result<u8, String> { let a = check(x)?; let b = check(a / 2)?; assert!(b <= 50); Ok(b) }
//@ expect: unsafe
#[verify]
fn error_text_handed_on_wrong(x: u8) -> Result<u8, String> { let a = check(x)?; let b = check(a / 2)?; assert!(b < 50); Ok(b) }
//@ expect: safe
#[verify]
fn printed(x: u8) { println!("x = {}", x); if x > 3 { eprintln!("big {x:?}"); } assert!(u16::from(x) <= 255); }
//@ expect: unsafe
#[verify]
fn printed_wrong(x: u8) { println!("x = {}", x); assert!(x < 200); }
//@ expect: safe
#[verify]
fn literal() { let s = format!("abc"); assert!(s.len() == 3); }
//@ expect: unsafe
#[verify]
fn literal_wrong() { let s = format!("abc"); assert!(s.len() == 4); }
//@ expect: safe
#[verify]
fn logged(n: u8) { let mut log: Vec<String> = Vec::new(); if n > 3 { log.push(format!("n is {}", n)); } assert!(log.len() <= 1); }
//@ expect: unsafe
#[verify]
fn logged_wrong(n: u8) { let mut log: Vec<String> = Vec::new(); if n > 3 { log.push(format!("n is {}", n)); } assert!(log.is_empty()); }

// the text itself is not known: neither safe nor unsafe
//@ expect: safe
//@ known: unknown because the text may be any
#[verify]
fn text_of_number(x: u8) { let s = format!("{}", x); assert!(!s.is_empty()); }
//@ expect: unsafe
//@ known: unknown because the text may be any
#[verify]
fn text_of_number_wrong(x: u8) { let s = format!("{}", x); assert!(s.len() == 3); }
//@ expect: unsafe
//@ known: unknown because the text may be any
#[verify]
fn room_of_text(x: u8) { let s = format!("{}", x); assert!(s.capacity() > 100); }

#[derive(Debug, Clone, PartialEq)]
struct Point { x: i32, y: i32 }
impl fmt::Display for Point { fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { write!(f, "({}, {})", self.x, self.y) } }
//@ expect: safe
#[verify]
fn own_type(x: i32) { let p = Point { x, y: 1 }; println!("{} {:?}", p, p); assert!(p.y == 1); }
//@ expect: unsafe
#[verify]
fn own_type_wrong(x: i32) { let p = Point { x, y: 1 }; println!("{} {:?}", p, p); assert!(p.x != 7); }

struct Loud(u8);
impl fmt::Display for Loud { fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { assert!(self.0 < 9); write!(f, "{}", self.0) } }
//@ expect: unsafe
//@ known: unknown because a function that formats may panic itself
#[verify]
fn panics_inside(x: u8) { println!("{}", Loud(x)); }
struct Fails(u8);
impl fmt::Display for Fails { fn fmt(&self, _: &mut fmt::Formatter) -> fmt::Result { Err(fmt::Error) } }
//@ expect: unsafe
//@ known: unknown because a function that formats may fail
#[verify]
fn fails_inside(x: u8) { let s = format!("{}", Fails(x)); drop(s); }
struct Around(Loud);
impl fmt::Display for Around { fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { write!(f, "<{}>", self.0) } }
//@ expect: unsafe
//@ known: unknown because a function that formats may panic itself
#[verify]
fn panics_further_inside(x: u8) { println!("{}", Around(Loud(x))); }
struct Counts<'a>(&'a std::cell::Cell<u8>);
impl fmt::Debug for Counts<'_> { fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { self.0.set(self.0.get() + 1); f.write_str("counted") } }
//@ expect: unsafe
//@ known: unknown because a function that formats may write
#[verify]
fn writes_inside() { let c = std::cell::Cell::new(0); println!("{:?}", Counts(&c)); assert!(c.get() == 0); }
