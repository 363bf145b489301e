//! The heap again: aliases, moves between vectors, drops, and addresses that growth and reuse do not keep.
use optverify::verify;
//@ expect: safe
#[verify]
pub fn clone_alias_safe(x: u8) { let mut v = vec![x, 1]; let w = v.clone(); v[0] = 7; assert!(w[0] == x); }
//@ expect: unsafe
#[verify]
pub fn clone_alias_unsafe(x: u8) { let mut v = vec![x, 1]; let w = v.clone(); v[0] = 7; assert!(w[0] == 7); }
//@ expect: safe
#[verify]
pub fn swap_safe(x: u8) { let mut a = vec![x]; let mut b = vec![x.wrapping_add(1)]; std::mem::swap(&mut a, &mut b); assert!(b[0] == x); }
//@ expect: unsafe
#[verify]
pub fn swap_unsafe(x: u8) { let mut a = vec![x]; let mut b = vec![x.wrapping_add(1)]; std::mem::swap(&mut a, &mut b); assert!(a[0] == x); }
fn mk(x: u8) -> Vec<u8> { let mut v = Vec::new(); v.push(x); v }
//@ expect: safe
#[verify]
pub fn twice_safe(x: u8, y: u8) { let a = mk(x); let b = mk(y); assert!(a[0] == x && b[0] == y); }
//@ expect: unsafe
#[verify]
pub fn twice_unsafe(x: u8, y: u8) { let a = mk(x); let b = mk(y); assert!(a[0] == b[0]); }
//@ expect: unsafe
#[verify]
pub fn loop_vecs_unsafe(x: u8) { let mut keep: Option<Vec<u8>> = None; let mut i = 0; while i < 2 { let v = vec![x.wrapping_add(i)]; if i == 0 { keep = Some(v); } i += 1; } if let Some(v) = keep { assert!(v[0] != x); } }
//@ expect: safe
#[verify]
pub fn loop_vecs_safe(x: u8) { let mut keep: Option<Vec<u8>> = None; let mut i = 0; while i < 2 { let v = vec![x.wrapping_add(i)]; if i == 0 { keep = Some(v); } i += 1; } if let Some(v) = keep { assert!(v[0] == x); } }
//@ expect: unsafe
#[verify]
pub fn zst_unsafe() { let mut v: Vec<()> = Vec::new(); v.push(()); assert!(v.capacity() == 4); }
//@ expect: safe
#[verify]
pub fn zst_safe() { let mut v: Vec<()> = Vec::new(); v.push(()); assert!(v.len() == 1); }
//@ expect: unsafe
#[verify]
pub fn pop_unsafe(x: u8) { let mut v = vec![x]; v.pop(); let y = v.pop(); assert!(y.is_some()); }
//@ expect: unsafe
#[verify]
pub fn truncate_unsafe(x: u8) { let mut v = vec![x, x]; v.truncate(1); let _ = v[1]; }
//@ expect: unsafe
#[verify]
pub fn insert_unsafe(x: u8) { let mut v = vec![x, 2]; v.insert(0, 9); assert!(v[0] == x || x == 9); }
//@ expect: safe
#[verify]
pub fn insert_safe(x: u8) { let mut v = vec![x, 2]; v.insert(0, 9); assert!(v[0] == 9 && v[1] == x && v[2] == 2); }
//@ expect: unsafe
#[verify]
pub fn box_mut_unsafe(x: u32) { let mut b = Box::new(x); *b = b.wrapping_add(1); assert!(*b != 0); }
//@ expect: safe
#[verify]
pub fn drop_twice_safe(x: u8) { let v = vec![x]; drop(v); let w = vec![x, x]; assert!(w.len() == 2); }
//@ expect: unsafe
#[verify]
pub fn param_unsafe(v: Vec<u8>) { assert!(v.len() < 1000); }
//@ expect: unsafe
#[verify]
pub fn param_push_unsafe(mut v: Vec<u8>) { let n = v.len(); v.push(1); assert!(v.len() == n || v[0] != 1 ); }
//@ expect: safe
#[verify]
pub fn param_push_safe(mut v: Vec<u8>) { let n = v.len(); v.push(1); assert!(v.len() == n + 1 && v[n] == 1); }
//@ expect: unsafe
#[verify]
pub fn string_unsafe(n: u8) { let mut s = String::new(); if n > 3 { s.push('a'); } assert!(s.len() == 1); }
struct D<'a>(&'a mut u32);
impl Drop for D<'_> { fn drop(&mut self) { *self.0 += 1; } }
//@ expect: safe
#[verify]
pub fn drop_count_safe() { let mut n = 0; { let _a = D(&mut n); } { let _b = D(&mut n); } assert!(n == 2); }
//@ expect: unsafe
#[verify]
pub fn drop_count_unsafe() { let mut n = 0; { let _a = D(&mut n); } { let b = D(&mut n); std::mem::forget(b); } assert!(n == 2); }
//@ expect: unsafe
#[verify]
pub fn drop_box_unsafe() { let mut n = 0; { let _a = Box::new(D(&mut n)); } assert!(n == 0); }
//@ expect: unsafe
#[verify]
pub fn drop_vec_unsafe() { let mut n = 0; { let _a = vec![D(&mut n)]; } assert!(n == 0); }
//@ expect: unsafe
#[verify]
pub fn drop_opt_unsafe() { let mut n = 0; { let _a = Some(D(&mut n)); } assert!(n == 0); }
trait T { fn f(&self) -> u32; }
struct A(u32); struct B(u32);
impl T for A { fn f(&self) -> u32 { self.0 } }
impl T for B { fn f(&self) -> u32 { self.0.wrapping_add(1) } }
//@ expect: unsafe
#[verify]
pub fn dyn_unsafe(x: u32, c: bool) { let a = A(x); let b = B(x); let t: &dyn T = if c { &a } else { &b }; assert!(t.f() == x); }
//@ expect: safe
#[verify]
pub fn dyn_safe(x: u32, c: bool) { let a = A(x); let b = B(x); let t: &dyn T = if c { &a } else { &b }; assert!(t.f() == x || !c); }
//@ expect: unsafe
//@ known: unknown because a buffer that grows does not keep its address
#[verify]
pub fn grow(x: u8) {
    let mut v: Vec<u8> = Vec::with_capacity(8);
    let p = v.as_ptr();
    let mut i = 0;
    while i < 12 {
        v.push(x);
        i += 1;
    }
    assert!(p == v.as_ptr());
}
//@ expect: unsafe
//@ known: unknown because a buffer that grows does not keep its address
#[verify]
pub fn grow2(x: u8) {
    let mut v: Vec<u8> = Vec::with_capacity(1);
    let p = v.as_ptr() as usize;
    v.push(x);
    v.push(x);
    assert!(p == v.as_ptr() as usize);
}
//@ expect: unsafe
//@ known: unknown because addresses of objects are not modelled
#[verify]
pub fn boxeq(x: u8) {
    let a = Box::new(x);
    let b = Box::new(x);
    let (p, q): (*const u8, *const u8) = (&*a, &*b);
    assert!(p == q);
}
//@ expect: unsafe
//@ known: unknown because whether an allocation gets a freed place is not known
#[verify]
pub fn reuse(x: u8) {
    let mut last: *const u8 = std::ptr::null();
    let mut i = 0;
    while i < 2 {
        let b = Box::new(x);
        let p: *const u8 = &*b;
        if i == 1 {
            assert!(std::ptr::eq(p, last));
        }
        last = p;
        i += 1;
    }
}
//@ expect: unsafe
//@ known: unknown because old pointers into the heap are not told from new ones
#[verify]
pub fn uaf(x: u8) {
    let p: *const u8;
    {
        let b = Box::new(x);
        p = &*b;
    }
    let y = unsafe { *p };
    assert!(y == x);
}
//@ expect: unsafe
//@ known: unknown because old pointers into the heap are not told from new ones
#[verify]
pub fn uaf2(x: u8) {
    let mut v = vec![x];
    let p = v.as_ptr();
    v.push(1);
    v.push(2);
    let y = unsafe { *p };
    assert!(y == x);
}
//@ expect: unsafe
//@ known: unknown because a variable of a loop may be elsewhere in every round
#[verify]
pub fn variable_of_a_loop(x: u8) {
    let mut last: *const u8 = std::ptr::null();
    for i in 0..2u8 {
        let y = x ^ i;
        let p: *const u8 = &y;
        if i == 1 {
            assert!(std::ptr::eq(p, last));
        }
        last = p;
    }
}
//@ expect: safe
#[verify]
pub fn variable_before_a_loop(x: u8) {
    let mut last: *const u8 = std::ptr::null();
    let y = x ^ 1;
    for i in 0..2u8 {
        let p: *const u8 = &y;
        if i == 1 {
            assert!(std::ptr::eq(p, last));
        }
        last = p;
    }
}
