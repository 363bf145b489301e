//! References in locals and structs, reborrows, swaps.
use optverify::verify;

//@ expect: safe
#[verify]
fn choose_mut(b: bool, x: u32, y: u32) {
    let (mut p, mut q) = (x, y);
    { let r = if b { &mut p } else { &mut q }; *r = 7; }
    assert!(p == 7 || q == 7);
    if b { assert!(q == y); }
}

//@ expect: unsafe
#[verify]
fn choose_mut_wrong(b: bool, x: u32, y: u32) { let (mut p, mut q) = (x, y); let r = if b { &mut p } else { &mut q }; *r = 7; assert!(p == 7); }

//@ expect: safe
#[verify]
fn parameters_do_not_alias(a: &mut u32, b: &mut u32) { *a = 1; *b = 2; assert!(*a == 1); }

//@ expect: unsafe
#[verify]
fn shared_may_be_equal(a: &u32, b: &u32) { assert!(*a != *b); }

//@ expect: safe
#[verify]
fn mem_swap(mut a: u64, mut b: u64) { let (x, y) = (a, b); std::mem::swap(&mut a, &mut b); assert!(a == y && b == x); let o = std::mem::replace(&mut a, 3); assert!(o == y && a == 3); assert!(std::mem::take(&mut b) == x && b == 0); }

//@ expect: unsafe
#[verify]
fn mem_swap_wrong(mut a: u64, mut b: u64) { std::mem::swap(&mut a, &mut b); assert!(a != 9 || b != 10); }

struct View<'a> { data: &'a mut [u8; 4], at: usize }
impl View<'_> { fn put(&mut self, v: u8) { if self.at < 4 { self.data[self.at] = v; self.at += 1; } } }

//@ expect: safe
#[verify]
fn reference_in_struct(a: u8, b: u8) { let mut d = [0u8; 4]; { let mut v = View { data: &mut d, at: 0 }; v.put(a); v.put(b); } assert!(d[0] == a && d[1] == b && d[2] == 0); }

//@ expect: unsafe
#[verify]
fn reference_in_struct_wrong(a: u8, n: u8) { let mut d = [0u8; 4]; { let mut v = View { data: &mut d, at: 0 }; for _ in 0..n { v.put(a); } } assert!(d[3] == 0 || a != 5); }

struct Reader<'a> { buf: &'a [u8], pos: usize }
impl<'a> Reader<'a> {
    fn u8(&mut self) -> Option<u8> { let b = *self.buf.get(self.pos)?; self.pos += 1; Some(b) }
    fn take(&mut self, n: usize) -> Option<&'a [u8]> { let end = self.pos.checked_add(n)?; let s = self.buf.get(self.pos..end)?; self.pos = end; Some(s) }
}

//@ expect: safe
#[verify(timeout = "5s")]
fn reader(buf: &[u8]) { let mut r = Reader { buf, pos: 0 }; if let Some(n) = r.u8() { if let Some(s) = r.take(n as usize) { assert!(s.len() == n as usize && r.pos <= buf.len()); } } }

//@ expect: unsafe
#[verify]
fn reader_wrong(buf: &[u8]) { let mut r = Reader { buf, pos: 0 }; if let Some(n) = r.u8() { r.take(n as usize).unwrap(); } }

fn largest<'a>(a: &'a i32, b: &'a i32) -> &'a i32 { if a > b { a } else { b } }

//@ expect: safe
#[verify]
fn returned_reference(x: i32, y: i32) { assert!(*largest(&x, &y) >= x); }

//@ expect: unsafe
#[verify]
fn returned_reference_wrong(x: i32, y: i32) { assert!(*largest(&x, &y) > x); }

//@ expect: safe
#[verify]
fn split_at_mut(a: &mut [u8; 8]) { let (l, r) = a.split_at_mut(4); l[0] = 1; r[0] = 2; assert!(a[0] == 1 && a[4] == 2); }

//@ expect: unsafe
#[verify]
fn split_at_mut_wrong(a: &mut [u8; 8], k: usize) { let (l, r) = a.split_at_mut(k % 9); l[0] = r.len() as u8; }

//@ expect: safe
#[verify]
fn linked(a: u8, b: u8) { struct Node<'a> { v: u8, next: Option<&'a Node<'a>> } let n1 = Node { v: a, next: None }; let n2 = Node { v: b, next: Some(&n1) }; let mut s = 0u16; let mut at = Some(&n2); while let Some(n) = at { s += n.v as u16; at = n.next; } assert!(s == a as u16 + b as u16); }

//@ expect: unsafe
#[verify]
fn linked_wrong(a: u8, b: u8) { struct Node<'a> { v: u8, next: Option<&'a Node<'a>> } let n1 = Node { v: a, next: None }; let n2 = Node { v: b, next: Some(&n1) }; let mut s = 0u8; let mut at = Some(&n2); while let Some(n) = at { s = s.wrapping_add(n.v); at = n.next; } assert!(s >= a); }

//@ expect: safe
#[verify]
fn cell(x: u32) { let c = std::cell::Cell::new(x); c.set(c.get().wrapping_add(1)); assert!(c.get() != x); assert!(c.replace(5) == x.wrapping_add(1)); }

//@ expect: unsafe
#[verify]
fn cell_wrong(x: u32) { let c = std::cell::Cell::new(x); c.set(c.get().wrapping_add(1)); assert!(c.get() > x); }

//@ expect: safe
#[verify]
fn array_of_references(i: usize, a: u8, b: u8) { let r = [&a, &b]; let v = *r[i % 2]; assert!(v == a || v == b); }

//@ expect: unsafe
#[verify]
fn array_of_references_wrong(i: usize, a: u8, b: u8) { let r = [&a, &b]; assert!(*r[i % 2] == a); }

// A parameter that is a reference is the caller's until it is assigned.
//@ expect: unsafe
#[verify]
fn assigned_parameter_wrong<'a>(b: &'a u8, mut a: &'a u8, c: bool) { if c { a = b; } assert!(*a == *b); }

//@ expect: safe
#[verify]
fn swapped_parameters<'a>(p: &mut (&'a u8, &'a u8), c: bool) {
    let (x, y) = (*p.0, *p.1);
    if c { std::mem::swap(&mut p.0, &mut p.1); }
    assert!(if c { *p.0 == y && *p.1 == x } else { *p.0 == x });
}

//@ expect: unsafe
#[verify]
fn swapped_parameters_wrong<'a>(p: &mut (&'a u8, &'a u8), c: bool) { if c { std::mem::swap(&mut p.0, &mut p.1); } assert!(*p.0 == *p.1); }
