//! `Drop` of the crate's own types inside options, arrays, boxes and vectors: it runs, in order, once.
use optverify::verify;
use std::cell::Cell;

struct D<'a>(&'a Cell<u32>, u32);

impl Drop for D<'_> {
    fn drop(&mut self) { self.0.set(self.0.get() + self.1); }
}

//@ expect: safe
#[verify]
fn in_option(b: bool) {
    let c = Cell::new(0);
    { let _o = if b { Some(D(&c, 3)) } else { None }; }
    assert!(c.get() == if b { 3 } else { 0 });
}

//@ expect: unsafe
#[verify]
fn in_option_otherwise(b: bool) {
    let c = Cell::new(0);
    { let _o = if b { Some(D(&c, 3)) } else { None }; }
    assert!(c.get() == 0);
}

//@ expect: safe
#[verify]
fn in_array() {
    let c = Cell::new(0);
    { let _o = [D(&c, 1), D(&c, 2), D(&c, 3)]; }
    assert!(c.get() == 6);
}

//@ expect: unsafe
#[verify]
fn in_array_otherwise() {
    let c = Cell::new(0);
    { let _o = [D(&c, 1), D(&c, 2), D(&c, 3)]; }
    assert!(c.get() == 5);
}

//@ expect: safe
#[verify]
fn in_box() {
    let c = Cell::new(0);
    { let _o = Box::new(D(&c, 1)); }
    assert!(c.get() == 1);
}

//@ expect: unsafe
#[verify]
fn in_box_otherwise() {
    let c = Cell::new(0);
    { let _o = Box::new(D(&c, 1)); }
    assert!(c.get() == 0);
}

//@ expect: safe
#[verify]
fn in_vec() {
    let c = Cell::new(0);
    { let _o = vec![D(&c, 1), D(&c, 4)]; }
    assert!(c.get() == 5);
}

//@ expect: unsafe
#[verify]
fn in_vec_otherwise() {
    let c = Cell::new(0);
    { let _o = vec![D(&c, 1), D(&c, 4)]; }
    assert!(c.get() == 1);
}

//@ expect: safe
#[verify]
fn pushed(x: u32) {
    let c = Cell::new(0);
    { let mut v = Vec::new(); v.push(D(&c, 1)); if x > 3 { v.push(D(&c, 4)); } }
    assert!(c.get() == 1 || c.get() == 5);
}

//@ expect: unsafe
#[verify]
fn pushed_otherwise(x: u32) {
    let c = Cell::new(0);
    { let mut v = Vec::new(); v.push(D(&c, 1)); if x > 3 { v.push(D(&c, 4)); } }
    assert!(c.get() == 1);
}

//@ expect: safe
#[verify]
fn in_result(b: bool) {
    let c = Cell::new(0);
    { let _o: Result<D, (D, D)> = if b { Ok(D(&c, 3)) } else { Err((D(&c, 1), D(&c, 1))) }; }
    assert!(c.get() == if b { 3 } else { 2 });
}

//@ expect: unsafe
#[verify]
fn in_result_otherwise(b: bool) {
    let c = Cell::new(0);
    { let _o: Result<D, (D, D)> = if b { Ok(D(&c, 3)) } else { Err((D(&c, 1), D(&c, 1))) }; }
    assert!(c.get() == 3);
}

//@ expect: safe
#[verify]
fn taken() {
    let c = Cell::new(0);
    let mut o = Some(D(&c, 3));
    o.take();
    assert!(c.get() == 3);
    assert!(o.is_none());
}

//@ expect: unsafe
#[verify]
fn taken_otherwise() {
    let c = Cell::new(0);
    let mut o = Some(D(&c, 3));
    o.take();
    assert!(c.get() == 0);
}

//@ expect: safe
#[verify]
fn replaced() {
    let c = Cell::new(0);
    let mut o = Some(D(&c, 3));
    o = None;
    assert!(c.get() == 3);
    assert!(o.is_none());
}

//@ expect: safe
#[verify]
fn popped() {
    let c = Cell::new(0);
    let mut v = vec![D(&c, 3), D(&c, 4)];
    v.pop();
    assert!(c.get() == 4);
}

//@ expect: unsafe
#[verify]
fn popped_otherwise() {
    let c = Cell::new(0);
    let mut v = vec![D(&c, 3), D(&c, 4)];
    v.pop();
    assert!(c.get() == 3);
}

//@ expect: safe
#[verify]
fn truncated() {
    let c = Cell::new(0);
    let mut v = vec![D(&c, 3), D(&c, 4)];
    v.truncate(1);
    assert!(c.get() == 4);
}

//@ expect: unsafe
#[verify]
fn truncated_otherwise() {
    let c = Cell::new(0);
    let mut v = vec![D(&c, 3), D(&c, 4)];
    v.clear();
    assert!(c.get() == 4);
}

//@ expect: safe
#[verify]
fn forgotten() {
    let c = Cell::new(0);
    let b = Box::new(D(&c, 3));
    std::mem::forget(b);
    assert!(c.get() == 0);
}

trait Animal { fn legs(&self) -> u32; }
struct Dog { legs: u32 }
struct Bird;
impl Animal for Dog { fn legs(&self) -> u32 { self.legs } }
impl Animal for Bird { fn legs(&self) -> u32 { 2 } }
fn some_animal(dog: bool) -> Box<dyn Animal> { if dog { Box::new(Dog { legs: 4 }) } else { Box::new(Bird) } }

//@ expect: safe
#[verify]
fn object_beside_drops(dog: bool) { let a = some_animal(dog); assert!(a.legs() == if dog { 4 } else { 2 }); }

//@ expect: unsafe
#[verify]
fn object_beside_drops_wrong(dog: bool) { let a = some_animal(dog); assert!(a.legs() == 4); }

//@ expect: safe
#[verify]
fn of_a_function(x: u32) { struct L<'a>(&'a mut u32); impl Drop for L<'_> { fn drop(&mut self) { *self.0 = 5; } } let mut y = x; { let _l = L(&mut y); } assert!(y == 5); }

//@ expect: unsafe
#[verify]
fn of_another_function(x: u32) { struct L(u32); impl Drop for L { fn drop(&mut self) { assert!(self.0 != 77); } } let _l = L(x); }

//@ expect: safe
#[verify]
fn of_a_third(x: u32) { #[allow(dead_code)] struct L(u32); let _l = L(x); }

//@ expect: safe
//@ known: unknown because two types have one path
#[verify]
fn two_of_one_path(x: u32) { { struct M(u32); impl Drop for M { fn drop(&mut self) { assert!(self.0 != 77); } } let _l = M(1); } { #[allow(dead_code)] struct M(u32); let _l = M(x); } }

// A generic `Drop` beside a plain one: a type has one, whatever others have.
struct Plain<'a>(&'a std::cell::Cell<u8>);
impl Drop for Plain<'_> { fn drop(&mut self) { self.0.set(self.0.get() | 1); } }
struct Wrapped<'a, T>(&'a std::cell::Cell<u8>, T);
impl<T> Drop for Wrapped<'_, T> { fn drop(&mut self) { self.0.set(self.0.get() | 2); } }

//@ expect: safe
#[verify]
fn plain_beside_generic(n: u8) { let c = std::cell::Cell::new(n); drop(Plain(&c)); assert!(c.get() == n | 1); }

//@ expect: unsafe
#[verify]
fn plain_beside_generic_wrong(n: u8) { let c = std::cell::Cell::new(n); drop(Plain(&c)); assert!(c.get() == n); }

//@ expect: unsafe
//@ known: unknown because instances of a `Drop` with lifetimes are not made
#[verify]
fn generic_beside_plain(n: u8) { let c = std::cell::Cell::new(n); drop(Wrapped(&c, 1u8)); assert!(c.get() == n); }
