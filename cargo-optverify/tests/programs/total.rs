//! Functions that nobody has the body of, assumed to return (`assume_total`): what they return and what they can write
//! is anything, and nothing else changes.
#![allow(dead_code, unused_variables, unused_mut)]
use optverify::{assume, verify};
use std::cell::Cell;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Pair { a: u32, b: u32 }
#[repr(u8)]
#[derive(Clone, Copy, PartialEq)]
pub enum Light { Red = 1, Green = 4 }
pub struct Handle<'a> { _of: &'a mut u32 }

unsafe extern "C" {
    safe fn measure(channel: u32) -> u32;
    safe fn letter() -> char;
    safe fn light() -> Light;
    safe fn pair() -> Pair;
    safe fn bytes() -> [u8; 4];
    safe fn log(level: u32);
    safe fn adjust(x: &mut u32);
    safe fn look(x: &u32) -> bool;
    safe fn bump(x: &Cell<u32>);
    safe fn fill(x: &mut [u32; 4]);
    safe fn set(p: &mut Pair);
    safe fn write_raw(p: *mut u32);
    safe fn keep(p: *const u32);
    safe fn tick();
    safe fn both(x: [&mut u32; 2]);
    safe fn either(x: &mut [u32], y: Option<&mut Pair>);
    safe fn place() -> &'static u32;
    safe fn leave() -> !;
}

mod ffi {
    unsafe extern "C" { pub safe fn measure(channel: u32) -> u32; }
}

//@ expect: safe
#[verify(assume_total = "measure")]
fn any_value(x: u32) -> u32 { let m = measure(x) % 10; assert!(m < 10); m }

//@ expect: unsafe
//@ known: unknown because the value is an approximation
#[verify(assume_total = "measure")]
fn any_value_wrong(x: u32) { assert!(measure(x) < 10); }

// two calls need not give the same
//@ expect: unsafe
//@ known: unknown because the value is an approximation
#[verify(assume_total = "measure")]
fn twice_wrong(x: u32) { assert!(measure(x) == measure(x)); }

//@ expect: safe
#[verify(assume_total = "ffi::measure, log")]
fn names_of_modules(x: u32) { log(x); let m = ffi::measure(x) | 1; assert!(m != 0); }

// the name is that of another function
//@ expect: unsafe
//@ known: unknown because nothing is assumed of `measure`
#[verify(assume_total = "ffi::measure")]
fn names_of_modules_wrong(x: u32) { let m = measure(x) | 1; assert!(m != 0); }

//@ expect: safe
#[verify(assume_total = "letter")]
fn characters() { let c = letter() as u32; assert!(c < 0xd800 || (0xe000..0x11_0000).contains(&c)); }

//@ expect: unsafe
//@ known: unknown because the value is an approximation
#[verify(assume_total = "letter")]
fn characters_wrong() { assert!((letter() as u32) < 0xd800); }

//@ expect: safe
#[verify(assume_total = "light")]
fn enums() -> u8 { match light() { Light::Red => 1, Light::Green => 4 } }

//@ expect: unsafe
//@ known: unknown because the value is an approximation
#[verify(assume_total = "light")]
fn enums_wrong() { assert!(light() == Light::Red); }

//@ expect: safe
#[verify(assume_total = "pair, bytes")]
fn aggregates(i: usize) {
    let (p, b) = (pair(), bytes());
    assert!(p.a.wrapping_add(p.b).wrapping_sub(p.b) == p.a);
    if i < 4 { let x = b[i]; assert!(x / 2 < 128); }
}

//@ expect: unsafe
//@ known: unknown because the value is an approximation
#[verify(assume_total = "bytes")]
fn aggregates_wrong(i: usize) { let b = bytes(); if i < 4 { assert!(b[i] < 255); } }

// what does not depend on it is as certain as ever
//@ expect: unsafe
#[verify(assume_total = "log")]
fn beside_wrong(x: u32) { log(x); assert!(x < 10); }

//@ expect: safe
#[verify(assume_total = "adjust")]
fn writes(mut x: u32, y: u32) { let z = y; adjust(&mut x); assume(x < 3); assert!(x < 3 && z == y); }

//@ expect: unsafe
//@ known: unknown because what it writes is an approximation
#[verify(assume_total = "adjust")]
fn writes_wrong() { let mut x = 1; adjust(&mut x); assert!(x == 1); }

//@ expect: unsafe
//@ known: unknown because what it writes is an approximation
#[verify(assume_total = "adjust")]
fn writes_behind_parameter_wrong(x: &mut u32) { *x = 1; adjust(x); assert!(*x == 1); }

//@ expect: safe
#[verify(assume_total = "look")]
fn only_reads() { let x = 1; let seen = look(&x); assert!(x == 1); }

//@ expect: unsafe
//@ known: unknown because what it writes is an approximation
#[verify(assume_total = "bump")]
fn cells_wrong() { let x = Cell::new(1); bump(&x); assert!(x.get() == 1); }

// others may have kept the cell
//@ expect: unsafe
//@ known: unknown because what it writes is an approximation
#[verify(assume_total = "bump, tick")]
fn cells_kept_wrong() { let x = Cell::new(1); bump(&x); x.set(2); tick(); assert!(x.get() == 2); }

//@ expect: safe
#[verify(assume_total = "adjust, tick")]
fn borrows_end() { let mut x = 1; adjust(&mut x); x = 2; tick(); assert!(x == 2); }

//@ expect: unsafe
//@ known: unknown because what it writes is an approximation
#[verify(assume_total = "write_raw")]
fn raw_wrong() { let mut x = 1; write_raw(&mut x); assert!(x == 1); }

// a raw pointer leads to the whole array, and may be kept
//@ expect: unsafe
//@ known: unknown because what it writes is an approximation
#[verify(assume_total = "write_raw")]
fn raw_neighbours_wrong() { let mut x = [1, 2]; write_raw(x.as_mut_ptr()); assert!(x[1] == 2); }

//@ expect: unsafe
//@ known: unknown because what it writes is an approximation
#[verify(assume_total = "keep, tick")]
fn raw_kept_wrong() { let mut x = 1; keep(&raw mut x); x = 2; tick(); assert!(x == 2); }

// several pointers in one argument
//@ expect: unsafe
//@ known: unknown because what it writes is an approximation
#[verify(assume_total = "both")]
fn arrays_of_pointers_wrong(c: bool) { let (mut x, mut y) = (1, 2); both([&mut x, &mut y]); assert!(if c { x == 1 } else { y == 2 }); }

//@ expect: unsafe
//@ known: unknown because what it writes is an approximation
#[verify(assume_total = "either")]
fn parts_of_arguments_wrong(v: &mut [u32], p: &mut Pair) { if v.len() > 1 { (v[1], p.b) = (7, 8); either(&mut v[1..], Some(p)); assert!(v[1] == 7 || p.b == 8); } }

//@ expect: safe
#[verify(assume_total = "fill, set")]
fn parts(i: usize) {
    let (mut x, y) = ([7u32; 4], [7u32; 4]);
    let mut p = (Pair { a: 1, b: 2 }, 3u32);
    fill(&mut x);
    set(&mut p.0);
    assert!(p.1 == 3);
    if i < 4 { assert!(y[i] == 7 && x[i] / 2 <= u32::MAX / 2); }
}

//@ expect: unsafe
//@ known: unknown because what it writes is an approximation
#[verify(assume_total = "fill")]
fn parts_wrong(i: usize) { let mut x = [7u32; 4]; fill(&mut x); if i < 4 { assert!(x[i] == 7); } }

//@ expect: unsafe
//@ known: unknown because what it writes is an approximation
#[verify(assume_total = "set")]
fn fields_wrong() { let mut p = Pair { a: 1, b: 2 }; set(&mut p); assert!(p.b == 2); }

//@ expect: unsafe
//@ known: unknown because a pointer has no arbitrary value
#[verify(assume_total = "place")]
fn pointers_wrong() { assert!(*place() == 1); }

//@ expect: safe
//@ known: unknown because a function that does not return cannot be assumed to
#[verify(assume_total = "leave")]
fn never_returns(x: u32) { if x > 3 { leave(); } assert!(x <= 3); }

// in a loop, each time anew
//@ expect: safe
#[verify(assume_total = "measure")]
fn in_a_loop(n: u32) { let mut i = 0; while i < n { let m = measure(i) & 7; assert!(m < 8); i += 1; } assert!(i == n); }

//@ expect: unsafe
//@ known: unknown because the value is an approximation
#[verify(assume_total = "measure", timeout = "3s")]
fn in_a_loop_wrong(n: u32) { let mut i = 0; while i < n { assert!(measure(i) != 9); i += 1; } }

// what is shown is only read, but for cells
//@ expect: safe
#[verify(assume_total = "std::io::_print")]
fn prints(n: u32, p: &[u8]) { let k = n / 2; println!("{k} {p:?}"); assert!(k <= n && n / 2 == k); }

//@ expect: unsafe
#[verify(assume_total = "std::io::_print")]
fn prints_wrong(n: u32) { println!("{n}"); assert!(n < 7); }

struct Counts(Cell<u32>);
impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { self.0.set(self.0.get() + 1); f.write_str("x") }
}

//@ expect: unsafe
//@ known: unknown because what it writes is an approximation
#[verify(assume_total = "std::io::_print")]
fn prints_cells_wrong() { let c = Counts(Cell::new(1)); println!("{c}"); assert!(c.0.get() == 1); }
