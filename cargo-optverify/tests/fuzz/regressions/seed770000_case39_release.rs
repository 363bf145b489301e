//! Found by the fuzzer: Reference safe (by slice), but it panics on Some(["(0i8)", "false"])
//@ profile: release
//@ truth: panics
#![allow(warnings, arithmetic_overflow, unconditional_panic, overflowing_literals, unconditional_recursion, const_item_mutation)]
use optverify::verify;
fn push_all(v: &mut Vec<u32>, n: u32) { let mut i = 0; while i < 0 { v.push(i); i += 1; } }
#[verify]
pub fn case39(a0: i8, a1: bool) -> Option<u8> {
{
let mut v = Vec::with_capacity(0);
push_all(&mut v, (100u32).wrapping_mul(0));
let w = v.clone();
assert!(v.starts_with(&w) || w.len() <= v.len());
}
let mut x3: u32 = 0;
assert!(x3 >= 2u32);
None
}
