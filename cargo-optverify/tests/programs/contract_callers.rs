//! Functions with contracts that call themselves, seen by their callers: by the contract, if its own root is proven.
#![allow(dead_code, unconditional_recursion)]
use optverify::{ensures, requires, verify};

//@ expect: safe
#[verify]
#[requires(n <= 100)]
#[ensures(|r| *r <= n)]
fn steps(n: u32) -> u32 { if n == 0 { 0 } else { let (a, b) = (steps(n - 1), steps(n / 2)); a.max(b) + 1 } }

//@ expect: safe
#[verify]
fn uses_steps(n: u32) { if n <= 100 { assert!(steps(n) <= 100); } }

// the contract does not say it
//@ expect: safe
//@ known: unknown because the contract is too weak
#[verify(timeout = "4s")]
fn uses_more(n: u32) { if n <= 100 { assert!(steps(n) == n); } }

//@ expect: unsafe
//@ known: unknown because only unfolding could find it
#[verify(timeout = "4s")]
fn uses_less(n: u32) { if n <= 100 { assert!(steps(n) < n || n < 90); } }

// the precondition does not hold
//@ expect: safe
//@ known: unknown because a precondition that does not hold is no panic
#[verify(timeout = "4s")]
fn uses_outside(n: u32) { if n <= 101 { assert!(steps(n) <= 101); } }

// what does not go through the call is found as ever
//@ expect: unsafe
#[verify(timeout = "4s")]
fn uses_not(n: u32) { assert!(n != 77); if n <= 100 { steps(n); } }

// a contract that does not hold proves nothing
//@ expect: unsafe
#[verify(timeout = "4s")]
#[ensures(|r| *r >= 10)]
fn liar(n: u32) -> u32 { if n == 0 { 3 } else { liar(n - 1) } }

//@ expect: unsafe
#[verify(timeout = "4s")]
fn uses_liar(n: u32) { assert!(liar(n) >= 10); }

// nor does one whose function may panic
//@ expect: unsafe
#[verify(timeout = "4s")]
#[ensures(|r| *r <= n)]
fn panics(n: u32) -> u32 { if n == 0 { 0 } else { assert!(n != 7); panics(n - 1) + (n & 1) } }

//@ expect: unsafe
#[verify(timeout = "4s")]
fn uses_panics(n: u32) { assert!(panics(n) <= n); }

// nor two that rest on each other, if one does not hold
//@ expect: unsafe
//@ known: unknown because unfolding may take longer than there is time
#[verify(timeout = "4s")]
#[ensures(|r| *r)]
fn left(n: u32) -> bool { if n == 0 { right(n) } else { left(n - 1) && right(n) } }

//@ expect: unsafe
#[verify(timeout = "4s")]
#[ensures(|r| *r)]
fn right(n: u32) -> bool { if n == 7 { false } else if n == 0 { true } else { left(n - 1) && right(n - 1) } }

//@ expect: unsafe
//@ known: unknown because unfolding may take longer than there is time
#[verify(timeout = "4s")]
fn uses_left(n: u32) { assert!(left(n)); }

// two that do hold
//@ expect: safe
#[verify]
#[ensures(|r| *r <= 10)]
fn up(n: u32) -> u32 { if n == 0 { 0 } else if n % 3 == 0 { up(n - 1) } else { down(n / 2).max(up(n - 1)) } }

//@ expect: safe
#[verify]
#[ensures(|r| *r <= 9)]
fn down(n: u32) -> u32 { if n == 0 { 3 } else if n % 5 == 0 { down(n - 1) } else { up(n / 2).min(down(n - 1)) } }

//@ expect: safe
#[verify]
fn uses_up(n: u32) { assert!(up(n) + down(n) < 20); }

// memory behind `&mut` holds anything that the postcondition allows, and the rest of it is as before
//@ expect: safe
#[verify]
#[requires(*count <= 100)]
#[ensures(|_| *count <= 100)]
fn visits(depth: u32, count: &mut u32) { if depth > 0 && *count < 100 { *count += 1; visits(depth - 1, count); if *count < 100 { visits(depth - 1, count); } } }

//@ expect: safe
#[verify]
fn uses_visits(depth: u32) { let (mut count, other) = (5, 7); visits(depth, &mut count); assert!(count <= 100 && other == 7); }

//@ expect: unsafe
#[verify(timeout = "4s")]
fn uses_old_count(depth: u32) { let mut count = 5; visits(depth, &mut count); assert!(count == 5); }

//@ expect: safe
#[verify]
#[ensures(|_| true)]
fn clear(v: &mut [u8]) { if let Some((a, rest)) = v.split_first_mut() { *a = 0; clear(rest); if *a == 0 { clear(rest); } } }

//@ expect: unsafe
//@ known: unknown because only unfolding could find it
#[verify(timeout = "4s")]
fn uses_cleared(v: &mut [u8]) { if v.len() > 1 { v[1] = 3; clear(v); assert!(v[1] == 3); } }

// another module's function of the same name is another
mod other { pub fn steps(n: u32) -> u32 { if n == 0 { 500 } else { steps(n - 1) / 2 + steps(n / 2) } } }

//@ expect: unsafe
#[verify(timeout = "4s")]
fn uses_other_steps(n: u32) { if n <= 100 { assert!(other::steps(n) <= 100); } }

// a contract on a function that is no root says nothing
#[ensures(|r| *r == 1)]
fn unmarked(n: u32) -> u32 { if n == 0 { 2 } else { (unmarked(n - 1) + unmarked(n / 2)) / 2 } }

//@ expect: unsafe
#[verify(timeout = "4s")]
fn uses_unmarked(n: u32) { assert!(unmarked(n) == 1); }

// what is proven of sums that wrap says nothing of sums that are checked
//@ expect: safe
#[verify(overflow = "wrap")]
#[ensures(|_| true)]
fn wraps(n: u8) -> u8 { if n < 2 { 255 } else { let r = wraps(n - 1) + 1; wraps(n / 2) + r } }

//@ expect: safe
#[verify(overflow = "wrap")]
fn uses_wraps(n: u8) { wraps(n); }

//@ expect: unsafe
#[verify(overflow = "check", timeout = "4s")]
fn uses_wraps_checked() { wraps(2); }

// known by its body, which says more, and by its contract only where that is needed
//@ expect: safe
#[inline(never)]
#[verify]
#[requires(d != 0)]
#[ensures(|r| *r <= n)]
fn quotient(n: u32, d: u32) -> u32 { n / d }

//@ expect: safe
#[verify]
fn uses_quotient(n: u32) { assert!(quotient(n, 2) == n >> 1); }

//@ expect: unsafe
#[verify]
fn divides_by_zero(n: u32, d: u32) { assert!(quotient(n, d) <= n); }

// what follows a call that never returns is not reached
//@ expect: safe
#[verify]
#[ensures(|_| false)]
fn never(n: u32) -> u32 { let r = never(n / 2); r.wrapping_add(1) }

//@ expect: safe
#[verify]
fn uses_never(n: u32) { never(n); assert!(n == 3); }

// cells that the callee changes
//@ expect: safe
//@ known: unknown because a parameter has interior mutability
#[verify(timeout = "4s")]
#[ensures(|_| true)]
fn sets(cell: &std::cell::Cell<u32>, n: u32) { cell.set(n); if n > 0 { sets(cell, n - 1); sets(cell, n / 2) } }

//@ expect: unsafe
#[verify(timeout = "4s")]
fn uses_set(n: u32) { let cell = std::cell::Cell::new(9); sets(&cell, n); assert!(cell.get() == 9); }
