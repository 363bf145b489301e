//! The heap and what could go wrong in its model: several allocations alive, growth, drops, trait objects.
use optverify::verify;
fn mk(x: u8) -> Box<u8> { Box::new(x) }
//@ expect: unsafe
#[verify]
fn two_boxes(x: u8, y: u8) { let a = mk(x); let b = mk(y); assert!(*a == *b); }
//@ expect: safe
#[verify]
fn two_boxes_s(x: u8, y: u8) { let a = mk(x); let mut b = mk(y); *b = 3; assert!(*a == x); }
//@ expect: unsafe
#[verify]
fn loop_boxes(n: u8) { let mut last: Option<Box<u8>> = None; let mut i = 0; while i < 3 { let b = Box::new(i); if let Some(l) = &last { assert!(**l == *b); } last = Some(b); i += 1; } let _ = n; }
//@ expect: safe
#[verify]
fn realloc_loop(n: u8) { let mut i = 0u8; let mut s = 0u32; while i < 4 { let mut v = Vec::new(); v.push(i); s += v[0] as u32; i += 1; } assert!(s == 6); let _ = n; }
//@ expect: unsafe
#[verify]
fn realloc_loop_u(n: u8) { let mut i = 0u8; let mut s = 0u32; while i < 4 { let mut v = vec![n]; v.push(i); s += v[0] as u32; i += 1; } assert!(s != 4); }
//@ expect: safe
#[verify]
fn swap_boxes(x: u8, y: u8) { let mut a = Box::new(x); let mut b = Box::new(y); std::mem::swap(&mut a, &mut b); assert!(*a == y && *b == x); *a = 9; assert!(*b == x); }
//@ expect: unsafe
#[verify]
fn swap_boxes_u(x: u8, y: u8) { let mut a = Box::new(x); let mut b = Box::new(y); std::mem::swap(&mut a, &mut b); assert!(*a == x); }
//@ expect: unsafe
//@ known: unknown because the size of a vector is not told
#[verify]
fn vec_of_vec(x: u8) { let mut v: Vec<Vec<u8>> = Vec::new(); let mut i = 0; while i < 2 { let mut w = Vec::new(); w.push(i); v.push(w); i += 1; } assert!(v[0][0] == v[1][0]); let _ = x; }
//@ expect: unsafe
#[verify]
fn clone_vec(x: u8) { let a = vec![x, 1]; let mut b = a.clone(); b[0] = 7; assert!(a[0] == 7); }
//@ expect: safe
#[verify]
fn clone_vec_s(x: u8) { let a = vec![x, 1]; let mut b = a.clone(); b[0] = 7; assert!(a[0] == x); }
//@ expect: unsafe
#[verify]
fn grow_moves(x: u8, n: u8) { let mut v = vec![x]; let mut i = 0; while i < n { v.push(i); i += 1; } assert!(v[0] != 5 || v.len() < 10); }
//@ expect: unsafe
#[verify]
fn cap_policy(x: u8) { let mut v: Vec<u8> = Vec::new(); v.push(x); assert!(v.capacity() == 1); }
//@ expect: safe
#[verify]
fn cap_policy_s(x: u8) { let mut v: Vec<u8> = Vec::new(); v.push(x); assert!(v.capacity() >= 1); let w: Vec<u32> = Vec::with_capacity(10); assert!(w.capacity() >= 10); }
//@ expect: unsafe
#[verify]
fn big_capacity(n: usize) { let v: Vec<u64> = Vec::with_capacity(n); assert!(v.is_empty()); }
//@ expect: unsafe
//@ known: unknown because uninitialised memory is only an arbitrary value
#[verify]
fn uninit_heap(x: u8) { let mut v: Vec<u8> = Vec::with_capacity(4); unsafe { v.set_len(2); } assert!(v[1] == 0); let _ = x; }
//@ expect: unsafe
#[verify]
fn get_unchecked(i: usize) { let v = vec![1u8, 2]; let x = unsafe { *v.get_unchecked(i) }; assert!(x < 3); }
//@ expect: unsafe
#[verify]
fn vec_param_mut(v: &mut Vec<u8>, x: u8) { let n = v.len(); v.push(x); assert!(v.len() == n + 1); assert!(v[n] != 3); }
//@ expect: safe
#[verify]
fn vec_param_mut_s(v: &mut Vec<u8>, x: u8) { let n = v.len(); v.push(x); assert!(v[n] == x); assert!(v.pop() == Some(x)); assert!(v.len() == n); }
trait T { fn f(&self) -> u8; }
struct A(u8); struct B(u8);
impl A { fn f(&self) -> u8 { 99 } }
impl T for A { fn f(&self) -> u8 { self.0 } }
impl T for B { fn f(&self) -> u8 { self.0.wrapping_add(1) } }
//@ expect: safe
#[verify]
fn dyn_inherent(x: u8) { let a = A(x); let d: &dyn T = &a; assert!(d.f() == x); assert!(a.f() == 99); }
//@ expect: unsafe
#[verify]
fn dyn_box(x: u8, c: bool) { let d: Box<dyn T> = if c { Box::new(A(x)) } else { Box::new(B(x)) }; assert!(d.f() == x); }
struct D<'a>(&'a mut u8, u8);
impl Drop for D<'_> { fn drop(&mut self) { *self.0 = self.0.wrapping_mul(10).wrapping_add(self.1); } }
//@ expect: safe
#[verify]
fn drop_order(x: u8) { let mut log = 0u8; { let p: *mut u8 = &mut log; let _a = D(unsafe { &mut *p }, 1); let _b = D(unsafe { &mut *p }, 2); } assert!(log == 21); let _ = x; }
struct Two<'a> { a: D<'a>, b: D<'a> }
//@ expect: safe
#[verify]
fn drop_fields(x: u8) { let mut log = 0u8; { let p: *mut u8 = &mut log; let _t = Two { b: D(unsafe { &mut *p }, 2), a: D(unsafe { &mut *p }, 1) }; } assert!(log == 12); let _ = x; }
//@ expect: unsafe
#[verify]
fn opt_drop(x: u8) { let mut log = 0u8; { let mut o = Some(D(&mut log, 1)); if x > 3 { o = None; } let _ = &o; } assert!(log == 0); }

//@ expect: safe
#[verify]
fn extend_counts(a: u8) { let mut v = vec![1u8]; v.extend([a, 2]); assert!(v.len() == 3); }

//@ expect: unsafe
#[verify]
fn extend_counts_wrong(a: u8) { let mut v = vec![1u8]; v.extend([a, 2]); assert!(v.len() == 1); }

//@ expect: safe
#[verify]
fn clone_is_equal(a: u32, b: u32) {
    let v = vec![a, b];
    let w = v.clone();
    assert!(v == w);
}

//@ expect: unsafe
#[verify]
fn swapped_is_equal(a: u32, b: u32) {
    let v = vec![a, b];
    let w = vec![b, a];
    assert!(v == w);
}

//@ expect: safe
#[verify]
fn sorted_vector(a: u8) { let mut v = vec![3, a, 1]; v.sort(); assert!(v[0] <= v[1] && v[1] <= v[2]); }

//@ expect: unsafe
#[verify]
fn sorted_vector_wrong(a: u8) { let mut v = vec![3, a, 1]; v.sort(); assert!(v[0] == 1); }

//@ expect: safe
#[verify]
fn vectors_in_vectors(n: u8) { let mut v: Vec<Vec<u8>> = Vec::new(); v.push(vec![n]); assert!(v[0][0] == n); }

#[derive(Clone)]
struct Chained { value: u32, rest: Option<Box<u32>> }

//@ expect: safe
#[verify]
fn boxes_cloned(n: u32) { let a = Chained { value: n, rest: Some(Box::new(n / 2)) }; let mut b = a.clone(); b.value = 0; assert!(a.value == n && b.rest.as_deref() == Some(&(n / 2))); }

//@ expect: unsafe
#[verify]
fn boxes_cloned_wrong(n: u32) { let a = Box::new(n); let mut b = a.clone(); *b /= 2; assert!(*a == *b); }

//@ expect: unsafe
//@ known: unknown because this crate asks vectors how much room they have
#[verify]
fn room_of_collected(a: u32, b: u32) { let mut s = Vec::with_capacity(10); s.push(a); s.push(b); let v: Vec<u32> = s.into_iter().map(|x| x / 2).collect(); assert!(v.capacity() < 10); }
