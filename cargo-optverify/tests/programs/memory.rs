//! Box, Vec, String.
use optverify::verify;

//@ expect: safe
#[verify]
fn boxed(x: u32) { let mut b = Box::new(x); *b = b.wrapping_add(1); assert!(*b != x); }

//@ expect: unsafe
#[verify]
fn boxed_wrong(x: u32) { let b = Box::new(x); assert!(*b != 77); }

//@ expect: safe
#[verify]
fn boxed_struct(x: u8, y: u8) { struct P { x: u8, y: u8 } let b = Box::new(P { x, y }); let s = b.x as u16 + b.y as u16; assert!(s <= 510); let P { x: a, y: c } = *b; assert!(a == x && c == y); }

//@ expect: unsafe
#[verify]
fn boxed_struct_wrong(x: u8, y: u8) { struct P { x: u8, y: u8 } let b = Box::new(P { x, y }); assert!((b.x as u16 + b.y as u16) < 510); }

//@ expect: safe
#[verify]
fn push_and_index(a: u8, b: u8) { let mut v = Vec::new(); v.push(a); v.push(b); assert!(v.len() == 2 && v[0] == a && v[1] == b); }

//@ expect: unsafe
#[verify]
fn push_and_index_wrong(a: u8, i: usize) { let mut v = Vec::new(); v.push(a); v.push(1); assert!(v[i] <= 255); }

//@ expect: safe
#[verify]
fn push_pop(a: u32) { let mut v: Vec<u32> = Vec::with_capacity(4); assert!(v.is_empty()); v.push(a); assert!(v.pop() == Some(a)); assert!(v.pop().is_none()); }

//@ expect: unsafe
#[verify]
fn push_pop_wrong(a: u32) { let mut v = vec![a]; v.pop(); v.pop().unwrap(); }

//@ expect: safe
//@ known: unknown because the engines are slow here
#[verify(timeout = "3s")]
fn push_loop(n: u8) { let mut v = Vec::new(); for i in 0..n { v.push(i); } assert!(v.len() == n as usize); if n > 3 { assert!(v[3] == 3); } }

//@ expect: unsafe
#[verify]
fn push_loop_wrong(n: u8) { let mut v = Vec::new(); for i in 0..n { if i != 5 { v.push(i); } } assert!(v.len() == n as usize); }

//@ expect: safe
#[verify]
fn vec_macro(i: usize) { let v = vec![3u8; 10]; if i < v.len() { assert!(v[i] == 3); } }

//@ expect: unsafe
#[verify]
fn vec_macro_wrong(i: usize) { let v = vec![1u8, 2, 3]; if i <= v.len() { assert!(v[i] > 0); } }

//@ expect: safe
#[verify]
fn vec_iterate(a: u8, b: u8) { let v = vec![a, b]; let mut s = 0u32; for x in &v { s += *x as u32; } assert!(s == a as u32 + b as u32); for x in v { assert!(x == a || x == b); } }

//@ expect: unsafe
#[verify]
fn vec_iterate_wrong(a: u8, b: u8) { let v = vec![a, b]; for x in &v { assert!(*x != 5); } }

//@ expect: safe
#[verify]
fn vec_clear_truncate(n: u8) { let mut v = vec![0u8; 8]; v.truncate((n % 16) as usize); assert!(v.len() <= 8); v.clear(); assert!(v.is_empty()); }

//@ expect: unsafe
#[verify]
fn vec_clear_truncate_wrong(n: u8) { let mut v = vec![0u8; 8]; v.truncate((n % 16) as usize); let _ = v[7]; }

//@ expect: safe
#[verify]
fn vec_as_slice(a: u8) { let v = vec![a, 2, 3]; let s: &[u8] = &v; assert!(s.len() == 3 && s[0] == a); assert!(v.iter().any(|x| *x == 3)); assert!(v.first() == Some(&a)); }

//@ expect: unsafe
#[verify]
fn vec_as_slice_wrong(a: u8) { let v = vec![a, 2, 3]; assert!(v.iter().all(|x| *x > 0)); }

//@ expect: safe
//@ known: unknown because the engines are slow here
#[verify(timeout = "3s")]
fn stack_machine(ops: &[u8]) {
    let mut stack: Vec<u32> = Vec::new();
    for op in ops {
        match op { 0 => stack.push(1), 1 => { if stack.len() >= 2 { let a = stack.pop().unwrap(); let b = stack.pop().unwrap(); stack.push(a.wrapping_add(b)); } } _ => { stack.pop(); } }
    }
}

//@ expect: unsafe
#[verify]
fn stack_machine_wrong(ops: &[u8]) {
    let mut stack: Vec<u32> = Vec::new();
    for op in ops {
        match op { 0 => stack.push(1), 1 => { if !stack.is_empty() { let a = stack.pop().unwrap(); let b = stack.pop().unwrap(); stack.push(a.wrapping_add(b)); } } _ => { stack.pop(); } }
    }
}

//@ expect: safe
#[verify]
fn string_push(c: u8) { let mut s = String::new(); s.push('a'); s.push_str("bc"); assert!(s.len() == 3); let _ = c; }

//@ expect: unsafe
#[verify]
fn string_push_wrong(c: u8) { let mut s = String::from("ab"); if c > 9 { s.push('x'); } assert!(s.len() == 2); }

//@ expect: safe
//@ known: unknown because the engines are slow here
#[verify(timeout = "3s")]
fn vec_parameter(v: &Vec<u8>) { let mut n = 0usize; for x in v { if *x > 0 { n += 1; } } assert!(n <= v.len()); }

//@ expect: unsafe
#[verify]
fn vec_parameter_wrong(v: Vec<u8>) { assert!(v[0] <= 255); }

//@ expect: safe
#[verify]
fn boxed_list(a: u8, b: u8) { enum List { Nil, Cons(u8, Box<List>) } let l = List::Cons(a, Box::new(List::Cons(b, Box::new(List::Nil)))); fn sum(l: &List) -> u32 { match l { List::Nil => 0, List::Cons(v, t) => *v as u32 + sum(t) } } assert!(sum(&l) <= 510); }

//@ expect: safe
#[verify]
fn maybe_uninit(x: u32) { let mut m = std::mem::MaybeUninit::<u32>::uninit(); m.write(x); assert!(unsafe { m.assume_init() } == x); }

//@ expect: unsafe
#[verify]
fn maybe_uninit_wrong(x: u32) { let mut m = std::mem::MaybeUninit::<u32>::uninit(); if x > 3 { m.write(x); } assert!(unsafe { m.assume_init() } == x); }

// A value without contents may be copied; it may not be read.
//@ expect: safe
#[verify]
fn uninit_is_copied() { let b = std::mem::MaybeUninit::<u8>::uninit(); let c = b; let mut d = [c; 4]; d[0].write(1); assert!(d.len() == 4); }

//@ expect: safe
#[verify]
fn uninit_written_then_read(a: u8) { let mut b = [std::mem::MaybeUninit::<u8>::uninit(); 3]; for s in b.iter_mut() { s.write(a); } assert!(unsafe { b[2].assume_init() } == a); }

//@ expect: unsafe
#[verify]
fn uninit_written_then_read_wrong(a: u8) { let mut b = [std::mem::MaybeUninit::<u8>::uninit(); 3]; for s in b.iter_mut() { s.write(a); } assert!(unsafe { b[2].assume_init() } != 7); }

//@ expect: safe
#[verify]
fn copy_apart(mut a: [u8; 4]) {
    let first = a[0];
    unsafe { let p = a.as_mut_ptr(); std::ptr::copy_nonoverlapping(p, p.add(2), 2); }
    assert!(a[2] == first);
}

//@ expect: unsafe
#[verify]
fn copy_apart_wrong(mut a: [u8; 4]) {
    unsafe { let p = a.as_mut_ptr(); std::ptr::copy_nonoverlapping(p, p.add(1), 3); }
}

//@ expect: safe
#[verify]
fn copy_within(mut a: [u8; 4]) { let first = a[0]; a.copy_within(0..3, 1); assert!(a[1] == first); }

//@ expect: safe
//@ known: unknown because memory of type `u32` counted in units of `u8`
#[verify]
fn offset_in_bytes(a: &[u32; 2]) {
    let p = unsafe { (a.as_ptr() as *const u8).add(4) as *const u32 };
    assert!(unsafe { *p } == a[1]);
}

//@ expect: unsafe
//@ known: unknown because memory of type `u32` counted in units of `u8`
#[verify]
fn offset_in_bytes_wrong(a: &[u32; 2]) {
    let p = unsafe { (a.as_ptr() as *const u8).add(4) as *const u32 };
    assert!(unsafe { *p } == a[0]);
}
