//! Found by the fuzzer: arithmetic on floats was an internal error; it is an approximation.
//@ profile: dev
//@ truth: breaks the tool
#![allow(warnings, arithmetic_overflow, unconditional_panic, overflowing_literals, unconditional_recursion, const_item_mutation)]
use optverify::verify;
#[verify]
pub fn float_arithmetic(a0: i8, a1: bool, a2: bool) -> isize {
let mut x1: i8 = (((50i8).saturating_mul(a0)).count_ones() as i8);
let mut x2: u32 = 0;
let f = ((x1 as u16).wrapping_add(0) as f32) / 4.0;
x2 = (f * 2.5) as u32;
assert!(x2 <= 83u32);
0
}
