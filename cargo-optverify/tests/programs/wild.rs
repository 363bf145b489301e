//! Unsafe code that handles memory of the heap by itself: what is initialised and who owns it is not in the model.
#![allow(dead_code)]
use optverify::verify;
use std::mem::ManuallyDrop;
use std::ptr;
//@ expect: unsafe
//@ known: unknown because elements of the heap have no flag that says whether they are initialised
#[verify]
fn set_len_unsafe() -> u8 { let mut v: Vec<u8> = Vec::with_capacity(4); unsafe { v.set_len(2); } v[1] }
//@ expect: safe
//@ known: unknown because of the same flag
#[verify]
fn set_len_safe(n: u8) -> u8 { let mut v: Vec<u8> = Vec::with_capacity(4); v.push(n); v.push(n); unsafe { v.set_len(1); } assert!(v.len() == 1); v[0] }
//@ expect: safe
#[verify]
fn truncate_safe(n: u8) -> u8 { let mut v: Vec<u8> = Vec::with_capacity(4); v.push(n); v.push(n); v.truncate(1); assert!(v.len() == 1); v[0] }
//@ expect: unsafe
//@ known: unknown because of the same flag
#[verify]
fn capacity_unsafe(mut v: Vec<u8>) -> u8 { let c = v.capacity(); unsafe { v.set_len(c) }; v.last().copied().unwrap_or(0) }
//@ expect: unsafe
//@ known: unknown because of the same flag
#[verify]
fn beyond_unsafe(v: Vec<u8>) -> u8 { if v.capacity() > v.len() { unsafe { *v.as_ptr().add(v.len()) } } else { 0 } }
//@ expect: unsafe
//@ known: unknown because of the same flag
#[verify]
fn spare_unsafe() -> u8 { let mut v: Vec<u8> = Vec::with_capacity(4); let s = v.spare_capacity_mut(); unsafe { s[0].assume_init() } }
//@ expect: unsafe
//@ known: unknown because of the same flag
#[verify]
fn new_uninit_unsafe() -> u8 { let b = Box::<u8>::new_uninit(); let c = unsafe { b.assume_init() }; *c }
// without the heap there are flags
//@ expect: unsafe
#[verify]
fn array_unsafe() -> u8 { let x: [std::mem::MaybeUninit<u8>; 2] = [std::mem::MaybeUninit::uninit(); 2]; unsafe { x[1].assume_init() } }
//@ expect: unsafe
//@ known: unknown because nobody counts owners
#[verify]
fn twice_freed_unsafe(n: u8) -> u8 { let b = Box::new(n); let c: Box<u8> = unsafe { ptr::read(&b) }; *b ^ *c }
//@ expect: unsafe
//@ known: unknown because nobody counts owners
#[verify]
fn twice_taken_unsafe(n: u8) -> u8 { let mut m = ManuallyDrop::new(Box::new(n)); let a = unsafe { ManuallyDrop::take(&mut m) }; let b = unsafe { ManuallyDrop::take(&mut m) }; *a ^ *b }
//@ expect: unsafe
//@ known: unknown because nobody counts owners
#[verify]
fn twice_dropped_unsafe(n: u8) { let mut b = Box::new(n); unsafe { ptr::drop_in_place(&mut b) }; }
//@ expect: unsafe
//@ known: unknown because nobody counts owners
#[verify]
fn parameter_unsafe(b: Box<u8>) -> u8 { let c: Box<u8> = unsafe { ptr::read(&b) }; drop(c); *b }
//@ expect: unsafe
//@ known: unknown because nobody counts owners
#[verify]
fn parts_unsafe(mut v: Vec<u8>) -> usize { let w = unsafe { Vec::from_raw_parts(v.as_mut_ptr(), v.len(), v.capacity()) }; w.len() }
// a borrow that outlives what it borrows
//@ expect: unsafe
//@ known: unknown because borrows do not end in the model
#[verify]
fn outlived_unsafe(n: u8) -> u8 { let b = Box::new(n); let r: &'static u8 = unsafe { std::mem::transmute(&*b) }; drop(b); *r }
//@ expect: unsafe
//@ known: unknown because borrows do not end in the model
#[verify]
fn reborrowed_unsafe(n: u8) -> u8 { let b = Box::new(n); let r: &'static u8 = unsafe { &*(&*b as *const u8) }; drop(b); *r }
//@ expect: safe
#[verify]
fn taken_safe(n: u8) { let mut b = Box::new(n); let c = std::mem::replace(&mut b, Box::new(3)); assert!(*c == n && *b == 3); }
//@ expect: unsafe
#[verify]
fn taken_unsafe(n: u8) { let mut b = Box::new(n); let c = std::mem::replace(&mut b, Box::new(3)); assert!(*c != *b); }

struct Borrowed<'a>(&'a u8);
fn lasts<'a>(x: Borrowed<'a>) -> Borrowed<'static> { unsafe { std::mem::transmute(x) } }
fn dangling(x: u8) -> Borrowed<'static> { let v = vec![x]; lasts(Borrowed(&v[0])) }
//@ expect: unsafe
//@ known: unknown because a borrow that lasts longer is not told from others
#[verify]
fn borrow_in_a_struct_unsafe(x: u8) -> u8 { *dangling(x).0 }
//@ expect: unsafe
//@ known: unknown because a borrow that lasts longer is not told from others
#[verify]
fn borrow_of_std_unsafe() -> Option<char> { let mut s = String::from("abc"); let mut c: std::str::Chars<'static> = unsafe { std::mem::transmute(s.chars()) }; s.push('d'); c.next() }
//@ expect: safe
#[verify]
fn numbers_safe(x: u32) { let v = vec![x]; let b: [u8; 4] = unsafe { std::mem::transmute(v[0]) }; assert!(b[0] == x as u8); }
//@ expect: unsafe
#[verify]
fn numbers_unsafe(x: u32) { let v = vec![x]; let b: [u8; 4] = unsafe { std::mem::transmute(v[0]) }; assert!(b[0] != 7); }

// a function of the name that a root calls, of a type that it has not
struct Grown(Vec<u8>);
impl Grown { fn last(&self) -> usize { self.0.len() } }
struct Raw(Vec<u8>);
impl Raw { fn last(&mut self) -> usize { unsafe { self.0.set_len(9) }; self.0.len() } }
impl Drop for Raw { fn drop(&mut self) { self.last(); } }
//@ expect: safe
#[verify]
fn another_type_safe(x: u8) { let g = Grown(vec![x, x]); assert!(g.last() == 2); }
//@ expect: unsafe
//@ known: unknown because of the same flag
#[verify]
fn raw_type_unsafe(x: u8) { let mut g = Raw(vec![x, x]); assert!(g.last() == 2); }
struct Holds(Option<Raw>);
fn hidden() -> Holds { Holds(None) }
//@ expect: unsafe
//@ known: unknown because of the same flag
#[verify]
fn hidden_type_unsafe(x: u8) -> u8 { let mut h = hidden(); h.0 = Some(Raw(vec![x])); let r = h.0.as_mut().unwrap(); r.last(); r.0[5] }
struct Around(Raw);
//@ expect: unsafe
//@ known: unknown because of the same flag
#[verify]
fn dropped_inside_unsafe(x: u8) -> usize { around(x).len() }
fn around(x: u8) -> Vec<u8> { let mut v = vec![x]; { let a = Around(Raw(std::mem::take(&mut v))); v = kept(a); } v }
fn kept(mut a: Around) -> Vec<u8> { a.0.last(); std::mem::take(&mut a.0.0) }
//@ expect: unsafe
//@ known: unknown because of the same flag
#[verify]
fn transmuted_uninit_unsafe() -> u8 { let v = vec![std::mem::MaybeUninit::<u8>::uninit(); 2]; unsafe { std::mem::transmute(v[1]) } }
