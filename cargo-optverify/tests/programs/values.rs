//! Closures of generic functions, boxed closures, numbers as arrays, arrays in order.
#![allow(dead_code)]
use optverify::verify;

fn compose(f: impl Fn(i32) -> i32, g: impl Fn(i32) -> i32) -> impl Fn(i32) -> i32 { move |x| g(f(x)) }
//@ expect: safe
#[verify]
fn composed(x: i32) { let h = compose(|a| a & 0xff, |b| b + 1); assert!(h(x) >= 1 && h(x) <= 256); }
//@ expect: unsafe
#[verify]
fn composed_wrong(x: i32) { let h = compose(|a| a & 0xff, |b| b + 1); assert!(h(x) <= 255); }
fn at_most<T: PartialOrd + Copy>(limit: T) -> impl Fn(T) -> T { move |x| if x > limit { limit } else { x } }
//@ expect: safe
#[verify]
fn of_one_instance(x: u8) { let f = at_most(9u8); assert!(f(x) <= 9); }
//@ expect: unsafe
#[verify]
fn of_one_instance_wrong(x: u8) { let f = at_most(9u8); assert!(f(x) < 9); }
//@ expect: safe
//@ known: unknown because closures of two instances have one name
#[verify]
fn of_two_instances(x: u8, y: u32) { let (f, g) = (at_most(9u8), at_most(700u32)); assert!(f(x) <= 9 && g(y) <= 700); }
//@ expect: unsafe
#[verify]
fn of_two_instances_wrong(x: u8, y: u32) { let (f, g) = (at_most(9u8), at_most(700u32)); assert!(f(x) <= 9 && g(y) < 700); }
struct Ring<T, const N: usize> { buffer: [T; N], head: usize, len: usize }
impl<T: Copy, const N: usize> Ring<T, N> {
    fn iter(&self) -> impl Iterator<Item = T> + '_ { (0..self.len).map(move |i| self.buffer[(self.head + i) % N]) }
}
//@ expect: safe
#[verify]
fn ring(a: u8, b: u8) { let r = Ring { buffer: [b, 0, 0, a], head: 3, len: 2 }; let s: u32 = r.iter().map(u32::from).sum(); assert!(s == u32::from(a) + u32::from(b)); }
//@ expect: unsafe
#[verify]
fn ring_wrong(a: u8, b: u8) { let r = Ring { buffer: [b, 0, 0, a], head: 3, len: 2 }; let s: u32 = r.iter().map(u32::from).sum(); assert!(s < 510); }

//@ expect: safe
#[verify]
fn boxed(k: bool, x: u8) { let f: Box<dyn Fn(u8) -> u16> = if k { Box::new(|v| u16::from(v)) } else { Box::new(move |v| u16::from(v) + u16::from(x)) }; assert!(f(255) <= 510); }
//@ expect: unsafe
#[verify]
fn boxed_wrong(k: bool, x: u8) { let f: Box<dyn Fn(u8) -> u16> = if k { Box::new(|v| u16::from(v)) } else { Box::new(move |v| u16::from(v) + u16::from(x)) }; assert!(f(255) < 510); }

//@ expect: safe
#[verify]
fn bytes_by_value(a: u32) { let mut n = 0u32; for b in a.to_be_bytes() { n = n << 8 | u32::from(b); } assert!(n == a); }
//@ expect: unsafe
#[verify]
fn bytes_by_value_wrong(a: u32) { let mut n = 0u32; for b in a.to_le_bytes() { n = n << 8 | u32::from(b); } assert!(n == a); }

//@ expect: safe
#[verify]
fn arrays_in_order(a: [u8; 3], b: [u8; 3]) { if a < b { assert!(a[0] <= b[0] && a != b); } else { assert!(a >= b); } }
//@ expect: unsafe
#[verify]
fn arrays_in_order_wrong(a: [u8; 3], b: [u8; 3]) { if a < b { assert!(a[1] <= b[1]); } }
//@ expect: safe
#[verify]
fn signed_arrays_in_order(a: [i32; 2], b: [i32; 2]) { if a <= b { assert!(a[0] < b[0] || a[0] == b[0] && a[1] <= b[1]); } }
//@ expect: unsafe
#[verify]
fn signed_arrays_in_order_wrong(a: [i32; 2], b: [i32; 2]) { if a <= b { assert!(a[0] < b[0] || a[1] < b[1]); } }

// GVN makes one constant of each element, wrapped in what may be uninitialised.
#[derive(Clone, Copy)]
struct Slot { key: u32, age: u8 }
//@ expect: safe
#[verify]
fn slots(k: u8) {
    let mut a: [Slot; 4] = std::array::from_fn(|_| Slot { key: 3, age: 9 });
    a[1].age = k;
    assert!(a[0].age == 9 && a[1].key == 3 && a[1].age == k);
}
//@ expect: unsafe
#[verify]
fn slots_wrong(k: u8) {
    let mut a: [Slot; 4] = std::array::from_fn(|_| Slot { key: 3, age: 9 });
    a[1].age = k;
    assert!(a[1].key == 9 || a[0].age == 3);
}
//@ expect: unsafe
#[verify]
fn slot_not_made() -> u32 {
    use std::mem::MaybeUninit;
    let a: [MaybeUninit<Slot>; 2] = [MaybeUninit::uninit(), MaybeUninit::new(Slot { key: 1, age: 2 })];
    unsafe { a[0].assume_init().key }
}
//@ expect: safe
#[verify]
fn oldest_slot(k: u32) {
    let mut a: [Slot; 4] = std::array::from_fn(|_| Slot { key: 0, age: 0 });
    let (i, s) = a.iter_mut().enumerate().min_by_key(|(_, s)| s.age).unwrap();
    s.key = k;
    assert!(a[i].key == k);
}

// Closures that are moved out of their boxes.
//@ expect: safe
#[verify]
fn called_once(k: bool, x: u8) {
    let f: Box<dyn FnOnce(u8) -> u8> = if k { Box::new(move |y| x ^ y) } else { Box::new(|y| y.wrapping_add(1)) };
    assert!(f(3) == if k { x ^ 3 } else { 4 });
}
//@ expect: unsafe
#[verify]
fn called_once_wrong(k: bool, x: u8) {
    let f: Box<dyn FnOnce(u8) -> u8> = if k { Box::new(move |y| x ^ y) } else { Box::new(|y| y.wrapping_add(1)) };
    assert!(f(3) == 4);
}
struct Noted<'a>(&'a std::cell::Cell<u32>);
impl Drop for Noted<'_> { fn drop(&mut self) { self.0.set(self.0.get() + 1); } }
//@ expect: safe
#[verify]
fn dropped_by_its_closure() {
    let c = std::cell::Cell::new(0);
    let n = Noted(&c);
    let f: Box<dyn FnOnce() + '_> = Box::new(move || { let _n = n; });
    assert!(c.get() == 0);
    f();
    assert!(c.get() == 1);
}
//@ expect: unsafe
#[verify]
fn dropped_by_its_closure_wrong() {
    let c = std::cell::Cell::new(0);
    let n = Noted(&c);
    let f: Box<dyn FnOnce() + '_> = Box::new(move || { let _n = n; });
    f();
    assert!(c.get() != 1);
}
//@ expect: safe
//@ known: unknown because what such a closure holds is dropped after the call
#[verify]
fn dropped_after_its_closure() {
    let c = std::cell::Cell::new(0);
    let n = Noted(&c);
    let by_reference = move || { let r = &n; r.0.get() };
    assert!(by_reference() == 0);
    let f: Box<dyn FnOnce() -> u32 + '_> = Box::new(by_reference);
    assert!(f() == 0);
    assert!(c.get() == 1);
}
trait Measured { fn f(&self) -> u8; }
impl Measured for u16 { fn f(&self) -> u8 { 1 } }
struct Pair(u8, u32);
impl Measured for Pair { fn f(&self) -> u8 { self.0 } }
//@ expect: safe
#[verify]
fn size_of_object(k: bool) {
    let a: &dyn Measured = if k { &5u16 } else { &Pair(1, 2) };
    assert!(std::mem::size_of_val(a) == if k { 2 } else { 8 });
    assert!(std::mem::align_of_val(a) == if k { 2 } else { 4 });
}
//@ expect: unsafe
#[verify]
fn size_of_object_wrong(k: bool) {
    let a: &dyn Measured = if k { &5u16 } else { &Pair(1, 2) };
    assert!(std::mem::size_of_val(a) == 2);
}
