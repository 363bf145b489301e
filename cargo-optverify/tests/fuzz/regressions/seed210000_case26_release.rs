//! Found by the fuzzer: Reference unsafe (by concrete, `panic already mutably borrowed` after reference), but it returns on Some(["0", "0"])
//@ profile: release
//@ truth: never panics
#![allow(warnings, arithmetic_overflow, unconditional_panic, overflowing_literals, unconditional_recursion, const_item_mutation)]
use optverify::verify;
#[verify]
pub fn case26(a0: u8, a1: u8) -> isize {
let mut x1: isize = 0;
let mut x2: u32 = 0;
let cell = std::cell::RefCell::new(vec![0]);
cell.borrow_mut().push(0);
x2 = cell.borrow().iter().fold(0, |s: u32, e| s.wrapping_add(0));
(x1 as isize).wrapping_mul(0)
}
