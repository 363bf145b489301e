//! Functions with a contract that call themselves: proven by induction, if the contract follows from itself.
#![allow(dead_code)]
use optverify::{ensures, requires, verify};

//@ expect: safe
#[verify]
#[requires(n <= 40)]
#[ensures(|r| *r < 1 << n || n == 0 && *r == 0)]
fn fib(n: u64) -> u64 { if n < 2 { n } else { let (a, b) = (fib(n - 1), fib(n - 2)); assert!(a < 1 << 40 && b < 1 << 40); a + b } }

// the postcondition does not hold at n = 1
//@ expect: unsafe
#[verify(timeout = "4s")]
#[requires(n <= 40)]
#[ensures(|r| *r < 1 << (n / 2))]
fn fib_wrong(n: u64) -> u64 { if n < 2 { n } else { fib_wrong(n - 1) + fib_wrong(n - 2) } }

//@ expect: safe
#[verify]
#[ensures(|r| *r >= 1)]
fn ackermann(m: u32, n: u32) -> u32 {
    if m == 0 { n.saturating_add(1) }
    else if n == 0 { ackermann(m - 1, 1) }
    else { let inner = ackermann(m, n - 1); assert!(inner > 0); ackermann(m - 1, inner) }
}

//@ expect: unsafe
#[verify(timeout = "4s")]
#[ensures(|r| *r >= 2)]
fn ackermann_wrong(m: u32, n: u32) -> u32 {
    if m == 0 { n.wrapping_add(1) }
    else if n == 0 { ackermann_wrong(m - 1, 1) }
    else { ackermann_wrong(m - 1, ackermann_wrong(m, n - 1)) }
}

//@ expect: safe
#[verify]
#[requires(a > 0 || b > 0)]
#[ensures(|r| *r > 0 && *r <= a.max(b))]
fn gcd(a: u32, b: u32) -> u32 { if b == 0 { a } else { let g = gcd(b, a % b); assert!(g > 0); g } }

// the precondition of the inner call does not hold
//@ expect: safe
//@ known: unknown because a precondition that does not hold is no panic
#[verify(timeout = "4s")]
#[requires(a > 0 && b > 0)]
#[ensures(|r| *r > 0)]
fn gcd_wrong(a: u32, b: u32) -> u32 { if b == 0 { a } else { let g = gcd_wrong(b, a % b); assert!(g > 0 || a > 7); g } }

// what the inner call returns is not known but for the contract
//@ expect: safe
//@ known: unknown because the contract is too weak
#[verify(timeout = "4s")]
#[ensures(|r| *r <= n)]
fn weak(n: u32) -> u32 { if n == 0 { 0 } else { let r = weak(n - 1); assert!(r == 0); r } }

// a violation before any inner call is found as ever
//@ expect: unsafe
#[verify]
#[ensures(|r| *r <= n)]
fn early_wrong(n: u32) -> u32 { assert!(n != 77); if n == 0 { 0 } else { early_wrong(n - 1) + (n & 1) } }

// and one behind some
//@ expect: unsafe
#[verify]
#[ensures(|r| *r <= n)]
fn late_wrong(n: u32) -> u32 { if n == 0 { 0 } else { let r = late_wrong(n - 1) + 1; assert!(r != 3); r } }

//@ expect: safe
#[verify]
#[requires(lo <= hi && hi <= v.len())]
#[ensures(|r| *r <= v.len())]
fn search(v: &[u32], x: u32, lo: usize, hi: usize) -> usize {
    if lo == hi { return lo; }
    let mid = lo + (hi - lo) / 2;
    if v[mid] < x { search(v, x, mid + 1, hi) + 0 } else { search(v, x, lo, mid) + 0 }
}

//@ expect: unsafe
#[verify(timeout = "4s")]
#[requires(lo <= hi)]
#[ensures(|r| *r <= hi)]
fn search_wrong(v: &[u32], x: u32, lo: usize, hi: usize) -> usize {
    if lo == hi { return lo; }
    let mid = lo + (hi - lo) / 2;
    if v[mid] < x { search_wrong(v, x, mid + 1, hi) + 0 } else { search_wrong(v, x, lo, mid) + 0 }
}

// memory behind `&mut` holds anything that the postcondition allows
//@ expect: safe
#[verify]
#[requires(*count <= 100)]
#[ensures(|_| *count <= 100)]
fn visits(depth: u32, count: &mut u32) { if depth > 0 && *count < 100 { *count += 1; visits(depth - 1, count); if *count < 100 { visits(depth - 1, count); } assert!(*count <= 100); } }

//@ expect: unsafe
#[verify(timeout = "4s")]
#[requires(*count <= 100)]
#[ensures(|_| *count <= 100)]
fn visits_wrong(depth: u32, count: &mut u32) { if depth > 0 && *count < 100 { *count += 1; let old = *count; visits_wrong(depth - 1, count); visits_wrong(depth / 2, count); assert!(*count == old); } }

// each by way of the other
//@ expect: safe
#[verify]
#[ensures(|r| *r == (n % 2 == 0))]
fn even(n: u32) -> bool { if n == 0 { true } else { odd(n - 1) } }
fn odd(n: u32) -> bool { if n == 0 { false } else { let e = even(n - 1); e } }

// a call that never comes back proves nothing about what follows it, and refutes nothing
//@ expect: safe
#[verify(timeout = "4s")]
#[ensures(|_| false)]
fn never(n: u32) -> u32 { let r = never(n / 2); assert!(r == 3); r.wrapping_add(1) }

// a contract that speaks of its own function
//@ expect: safe
//@ known: unknown because the contract calls the function
#[verify(timeout = "4s")]
#[ensures(|r| n == 0 || *r == half(n - 1) + (n % 2 == 0) as u32)]
fn half(n: u32) -> u32 { if n < 2 { 0 } else { half(n - 2) + 1 } }
