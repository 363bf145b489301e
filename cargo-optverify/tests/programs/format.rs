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
struct Held<'a>(&'a dyn fmt::Display);
impl fmt::Display for Held<'_> { fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { fmt::Display::fmt(self.0, f) } }
//@ expect: unsafe
//@ known: unknown because what an object formats by is not known
#[verify]
fn panics_in_an_object(x: u8) { println!("{}", Held(&Loud(x))); }
struct Message<'a>(fmt::Arguments<'a>);
impl fmt::Display for Message<'_> { fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { f.write_fmt(self.0) } }
//@ expect: unsafe
//@ known: unknown because arguments made elsewhere are not known
#[verify]
fn panics_in_arguments(x: u8) { println!("{}", Message(format_args!("{}", Loud(x)))); }
struct Kept(fmt::Result);
impl fmt::Display for Kept { fn fmt(&self, _: &mut fmt::Formatter) -> fmt::Result { self.0 } }
//@ expect: unsafe
//@ known: unknown because the outcome is made elsewhere
#[verify]
fn fails_as_told() { let s = format!("{}", Kept(Err(fmt::Error))); drop(s); }
const FAILED: fmt::Result = Err(fmt::Error);
struct Failed;
impl fmt::Display for Failed { fn fmt(&self, _: &mut fmt::Formatter) -> fmt::Result { FAILED } }
//@ expect: unsafe
//@ known: unknown because the outcome is made elsewhere
#[verify]
fn fails_by_a_constant() { let s = format!("{}", Failed); drop(s); }
struct Keys;
impl fmt::Debug for Keys { fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { f.debug_map().key(&1).finish() } }
//@ expect: unsafe
//@ known: unknown because a map may be written in the wrong order
#[verify]
fn panics_in_a_map() { println!("{:?}", Keys); }
struct All<'a>(&'a [Loud]);
impl fmt::Debug for Loud { fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { fmt::Display::fmt(self, f) } }
impl fmt::Debug for All<'_> { fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { f.debug_list().entries(self.0).finish() } }
//@ expect: unsafe
//@ known: unknown because functions run over the parts are not looked into
#[verify]
fn panics_in_a_list(x: u8) { println!("{:?}", All(&[Loud(x)])); }
#[derive(Debug)]
enum Token<'a> { Number(i64), Word(&'a str), Pair { left: u8, right: Option<u8> }, End }
//@ expect: safe
#[verify]
fn derived(x: i64) { let t = if x > 3 { Token::Number(x) } else if x < 0 { Token::Pair { left: 1, right: None } } else { Token::End }; println!("{:?} {:?}", t, Token::Word("a")); if let Token::Number(n) = t { assert!(n > 3); } }
//@ expect: unsafe
#[verify]
fn derived_wrong(x: i64) { let t = if x > 3 { Token::Number(x) } else { Token::End }; println!("{:?}", t); if let Token::Number(n) = t { assert!(n > 4); } }
