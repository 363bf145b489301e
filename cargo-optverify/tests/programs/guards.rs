//! Cells, counted references, boxed trait objects, sorts: types of std that do something when they are dropped.
use optverify::verify;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

//@ expect: safe
#[verify]
fn borrow_ends(x: u32) { let c = RefCell::new(x); *c.borrow_mut() /= 2; assert!(*c.borrow() <= x); *c.borrow_mut() = 1; assert!(c.into_inner() == 1); }

//@ expect: unsafe
#[verify]
fn borrow_ends_wrong(x: u32) { let c = RefCell::new(x); let a = c.borrow_mut(); let b = c.borrow(); assert!(*a == *b); }

//@ expect: safe
#[verify]
fn readers(x: u32) { let c = RefCell::new(x); { let a = c.borrow(); let b = c.borrow(); assert!(*a == *b); } assert!(c.try_borrow_mut().is_ok()); }

//@ expect: unsafe
#[verify]
fn readers_wrong(x: u32) { let c = RefCell::new(x); let a = c.borrow(); { let b = c.borrow(); assert!(*a == *b); } assert!(c.try_borrow_mut().is_ok()); }

//@ expect: safe
#[verify]
fn counted(x: u32) {
    let a = Rc::new(x);
    let b = Rc::clone(&a);
    assert!(*b == x && Rc::strong_count(&a) == 2);
    drop(b);
    assert!(Rc::strong_count(&a) == 1);
}

//@ expect: unsafe
#[verify]
fn counted_wrong(x: u32) { let a = Rc::new(x); let b = Rc::clone(&a); drop(a); assert!(Rc::strong_count(&b) == 2); }

struct Tells<'a>(&'a Cell<u32>);
impl Drop for Tells<'_> {
    fn drop(&mut self) { self.0.set(self.0.get() + 1); }
}

//@ expect: safe
#[verify]
fn last_owner_drops() {
    let told = Cell::new(0);
    let a = Rc::new(Tells(&told));
    let b = a.clone();
    drop(a);
    assert!(told.get() == 0);
    drop(b);
    assert!(told.get() == 1);
}

//@ expect: unsafe
#[verify]
fn last_owner_drops_wrong() { let told = Cell::new(0); let a = Rc::new(Tells(&told)); let b = a.clone(); drop(a); assert!(told.get() == 1); drop(b); }

//@ expect: safe
#[verify]
fn shared_cell(x: u32) { let a = Rc::new(RefCell::new(x)); let b = a.clone(); *b.borrow_mut() = 7; assert!(*a.borrow() == 7); }

//@ expect: unsafe
#[verify]
fn shared_cell_wrong(x: u32) { let a = Rc::new(RefCell::new(x)); let b = a.clone(); *b.borrow_mut() = 7; assert!(*a.borrow() == x); }

trait Shape { fn area(&self) -> u32; }
struct Square(u8);
struct Rectangle(u8, u8);
impl Shape for Square { fn area(&self) -> u32 { self.0 as u32 * self.0 as u32 } }
impl Shape for Rectangle { fn area(&self) -> u32 { self.0 as u32 * self.1 as u32 } }

//@ expect: safe
#[verify]
fn boxed_object(a: u8, b: u8, square: bool) {
    let s: Box<dyn Shape> = if square { Box::new(Square(a)) } else { Box::new(Rectangle(a, b)) };
    assert!(s.area() <= 255 * 255);
}

//@ expect: unsafe
#[verify]
fn boxed_object_wrong(a: u8, b: u8, square: bool) {
    let s: Box<dyn Shape> = if square { Box::new(Square(a)) } else { Box::new(Rectangle(a, b)) };
    assert!(s.area() != 254 * 253);
}

trait Speaks { fn word(&self) -> u32; }
impl Speaks for Tells<'_> { fn word(&self) -> u32 { 3 } }

//@ expect: safe
#[verify]
fn boxed_object_drops() {
    let told = Cell::new(0);
    { let b: Box<dyn Speaks + '_> = Box::new(Tells(&told)); assert!(b.word() == 3); }
    assert!(told.get() == 1);
}

//@ expect: unsafe
#[verify]
fn boxed_object_drops_wrong() {
    let told = Cell::new(0);
    { let b: Box<dyn Speaks + '_> = Box::new(Tells(&told)); assert!(b.word() == 3); }
    assert!(told.get() == 0);
}

//@ expect: safe
#[verify]
fn sorted(mut a: [u8; 3]) { a.sort(); assert!(a[0] <= a[1] && a[1] <= a[2]); }

//@ expect: unsafe
#[verify]
fn sorted_wrong(mut a: [u8; 3]) { a.sort_unstable(); assert!(a[0] < a[2]); }
