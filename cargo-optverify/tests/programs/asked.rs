//! What the compiler can be asked: constants in the middle of an expression, and whether a type has anything to drop.
use optverify::verify;
use std::mem::{MaybeUninit, needs_drop};

//@ expect: safe
#[verify]
fn empty_vectors(n: u8) {
    let mut v: [Vec<u8>; 2] = [const { Vec::new() }; 2];
    v[0].push(n);
    assert!(v[0].len() == 1 && v[1].is_empty());
}

//@ expect: unsafe
#[verify]
fn empty_vectors_wrong(n: u8) {
    let mut v: [Vec<u8>; 2] = [const { Vec::new() }; 2];
    v[0].push(n);
    assert!(!v[1].is_empty());
}

//@ expect: safe
#[verify]
fn without_content(n: u8) {
    let mut a: [MaybeUninit<u8>; 3] = [const { MaybeUninit::uninit() }; 3];
    for e in &mut a { e.write(n); }
    let a: [u8; 3] = unsafe { std::mem::transmute(a) };
    assert!(a == [n; 3]);
}

//@ expect: unsafe
#[verify]
fn without_content_wrong(n: u8) {
    let mut a: [MaybeUninit<u8>; 3] = [const { MaybeUninit::uninit() }; 3];
    for e in &mut a { e.write(n); }
    let a: [u8; 3] = unsafe { std::mem::transmute(a) };
    assert!(a == [7; 3]);
}

const STEP: u32 = 3;

//@ expect: safe
#[verify]
fn computed(n: u32) { let k = const { STEP * 7 + 1 }; assert!(n % k < 22); }

//@ expect: unsafe
#[verify]
fn computed_wrong(n: u32) { let k = const { STEP * 7 + 1 }; assert!(n % k < 21); }

struct D(u8);
impl Drop for D { fn drop(&mut self) { self.0 = 0; } }
#[allow(dead_code)]
enum Either { A(u8, [u16; 2]), B(D), C }
#[allow(dead_code)]
struct Numbers { a: u8, b: (i64, [f32; 4]), c: Option<char> }

fn numbers(a: u8) -> Numbers { Numbers { a, b: (1, [0.0; 4]), c: None } }
fn either(n: u8) -> Either { match n { 0 => Either::A(n, [1, 2]), 1 => Either::B(D(n)), _ => Either::C } }

//@ expect: safe
#[verify]
fn to_drop() {
    assert!(needs_drop::<String>() && needs_drop::<Option<Box<u8>>>() && needs_drop::<(u8, D)>() && needs_drop::<[D; 1]>());
    assert!(!needs_drop::<u64>() && !needs_drop::<[D; 0]>() && !needs_drop::<&D>() && !needs_drop::<MaybeUninit<D>>());
}

//@ expect: unsafe
#[verify]
fn to_drop_wrong() { assert!(!needs_drop::<Result<u8, Vec<u8>>>()); }

//@ expect: safe
#[verify]
fn parts_to_drop(n: u8) {
    assert!(numbers(n).a == n && matches!(either(9), Either::C));
    assert!(needs_drop::<Either>() && !needs_drop::<Numbers>());
}

//@ expect: unsafe
#[verify]
fn parts_to_drop_wrong(n: u8) {
    assert!(numbers(n).a == n && matches!(either(9), Either::C));
    assert!(needs_drop::<Numbers>());
}
