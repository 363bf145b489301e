//! Loops, labelled breaks, match guards, closures, recursion, ranges.
use optverify::{any, verify};

//@ expect: safe
#[verify(timeout = "3s")]
fn inclusive(n: u8) { let mut s = 0u32; for i in 0..=n { s += i as u32; } assert!(s == n as u32 * (n as u32 + 1) / 2); }

//@ expect: unsafe
#[verify]
fn inclusive_wrong(n: u8) { let mut s = 0u32; for i in 0..=n { s += i as u32; } assert!(s != 15); }

//@ expect: safe
//@ known: unknown because the engines are slow here
#[verify(timeout = "3s")]
fn stepped(n: u32) { if n > 1_000_000 { return; } for i in (0..n).step_by(3) { assert!(i % 3 == 0 && i < n); } }

//@ expect: unsafe
#[verify]
fn stepped_wrong(n: u32) { for i in (1..n).step_by(3) { assert!(i != 7); } }

//@ expect: safe
#[verify]
fn reversed_range(n: u32) { let mut last = n; for i in (0..n).rev() { assert!(i + 1 == last); last = i; } assert!(last == 0); }

//@ expect: unsafe
#[verify]
fn reversed_range_wrong(n: u32) { for i in (0..n).rev() { assert!(i > 0); } }

//@ expect: safe
#[verify]
fn labelled(a: [u8; 4], b: [u8; 4]) {
    let mut hit = None;
    'outer: for i in 0..4 { for j in 0..4 { if a[i] == b[j] { hit = Some((i, j)); break 'outer; } } }
    if let Some((i, j)) = hit { assert!(a[i] == b[j]); }
}

//@ expect: unsafe
#[verify]
fn labelled_wrong(a: [u8; 4], b: [u8; 4]) {
    let mut hit = (9, 9);
    'outer: for i in 0..4 { for j in 0..4 { if a[i] == b[j] { hit = (i, j); break 'outer; } } }
    assert!(a[hit.0] == b[hit.1]);
}

//@ expect: safe
#[verify]
fn loop_value(n: u32) { let mut i = 0u32; let r = loop { if i >= n { break i; } i += 1; }; assert!(r == n); }

//@ expect: unsafe
#[verify]
fn loop_value_wrong(n: u32) { let mut i = 0u32; let r = loop { if i >= n { break i; } i += 2; }; assert!(r == n || n > 100); }

//@ expect: safe
#[verify]
fn match_guards(x: i32) {
    let k = match x { i32::MIN..=-1 => 0, 0 => 1, n if n % 2 == 0 => 2, 1 | 3 | 5 => 3, n @ 7..=99 => { assert!(n >= 7); 4 } _ => 5 };
    assert!(k < 6); if x == 3 { assert!(k == 3); }
}

//@ expect: unsafe
#[verify]
fn match_guards_wrong(x: i32) { match x { 0 => {} n if n > 0 => {} i32::MIN..=-2 => {} _ => panic!("minus one") } }

//@ expect: safe
#[verify]
fn closures(a: u32, b: u32) {
    let add = |x: u32| x.wrapping_add(a);
    let mut calls = 0;
    let mut twice = |x| { calls += 1; add(add(x)) };
    let r = twice(b);
    assert!(r == b.wrapping_add(a).wrapping_add(a));
    twice(1);
    assert!(calls == 2);
}

//@ expect: unsafe
#[verify]
fn closures_wrong(a: u8) { let div = |x: u8| 100 / x; div(a); }

fn apply<F: Fn(i32) -> i32>(f: F, n: i32) -> i32 { f(f(n)) }

//@ expect: safe
#[verify]
fn higher_order(n: i32) { assert!(apply(|x| x ^ 0x55, n) == n); }

//@ expect: unsafe
#[verify]
fn higher_order_wrong(n: i32) { assert!(apply(|x| x.wrapping_add(1), n) > n); }

fn fact(n: u32) -> u32 { if n == 0 { 1 } else { n.wrapping_mul(fact(n - 1)) } }

//@ expect: safe
//@ known: unknown because the engines are slow here
#[verify(timeout = "3s")]
fn recursion(n: u32) { if n <= 5 { assert!(fact(n) <= 120); } }

//@ expect: unsafe
#[verify]
fn recursion_wrong(n: u32) { if n <= 5 { assert!(fact(n) < 120); } }

fn apply_fn(f: fn(u8) -> u8, x: u8) -> u8 { f(x) }
fn inc(x: u8) -> u8 { x.wrapping_add(1) }

//@ expect: safe
#[verify]
fn function_pointer(x: u8) { assert!(apply_fn(inc, x) != x); }

//@ expect: unsafe
#[verify]
fn function_pointer_wrong(x: u8) { assert!(apply_fn(inc, x) > x); }

//@ expect: safe
#[verify]
fn function_pointer_choice(x: u8, b: bool) {
    fn dec(x: u8) -> u8 { x.wrapping_sub(1) }
    let f: fn(u8) -> u8 = if b { inc } else { dec };
    assert!(f(x) != x);
}

//@ expect: unsafe
#[verify]
fn function_pointer_choice_wrong(x: u8, b: bool) {
    fn dec(x: u8) -> u8 { x.wrapping_sub(1) }
    let f: fn(u8) -> u8 = if b { inc } else { dec };
    assert!(f(x) == x.wrapping_add(1));
}

//@ expect: safe
//@ known: unknown because the engines are slow here
#[verify(timeout = "3s")]
fn nested_loops(n: u32, m: u32) {
    if n > 100 || m > 100 { return; }
    let mut c = 0u32;
    for _ in 0..n { for _ in 0..m { c += 1; } }
    assert!(c == n * m);
}

//@ expect: unsafe
#[verify]
fn nested_loops_wrong(n: u32, m: u32) {
    let mut c = 0u32;
    for _ in 0..n { for _ in 0..m { c += 1; } }
    assert!(c != 12);
}

//@ expect: safe
#[verify]
fn while_let_stack() {
    let mut stack = [0u8; 4]; let mut len = 0usize;
    let mut steps = any::<u8>();
    while steps > 0 {
        steps -= 1;
        if any::<bool>() && len < 4 { stack[len] = steps; len += 1; }
        else { while let Some(i) = len.checked_sub(1) { len = i; if stack[i] == 0 { break; } } }
    }
    assert!(len <= 4);
}

//@ expect: unsafe
#[verify]
fn while_let_stack_wrong() {
    let mut stack = [0u8; 4]; let mut len = 0usize;
    let mut steps = any::<u8>();
    while steps > 0 { steps -= 1; if any::<bool>() { stack[len] = steps; len += 1; } }
    assert!(stack[0] < 255);
}

//@ expect: safe
#[verify]
fn gcd(mut a: u32, mut b: u32) { while b != 0 { let t = a % b; a = b; b = t; } assert!(b == 0); }

//@ expect: unsafe
#[verify]
fn gcd_wrong(mut a: u32, mut b: u32) { while b != 0 { let t = a % b; a = b; b = t; } assert!(a != 6); }

//@ expect: safe
//@ known: unknown because the engines are slow here
#[verify(timeout = "3s")]
fn fibonacci(n: u32) { let (mut a, mut b) = (0u64, 1u64); for _ in 0..n { (a, b) = (b, a.wrapping_add(b)); } if n == 10 { assert!(a == 55); } }

//@ expect: unsafe
#[verify]
fn fibonacci_wrong(n: u32) { let (mut a, mut b) = (0u64, 1u64); for _ in 0..n { (a, b) = (b, a.wrapping_add(b)); } assert!(a != 55); }

//@ expect: safe
#[verify]
fn early_return(a: u8) -> u8 { if a == 0 { return 1; } for i in 1..=a { if a % i != 0 { return i; } } 100 / a }

//@ expect: unsafe
#[verify]
fn early_return_wrong(a: u8) -> u8 { for i in 0..=a { if a % i != 0 { return i; } } 100 }

//@ expect: safe
#[verify]
fn range_contains(x: u8) { if (10..20).contains(&x) { assert!(x / 10 == 1); } assert!((0..=255u8).contains(&x)); let r = 3..x; assert!(r.is_empty() || x > 3); assert!(r.len() <= 252); }

//@ expect: unsafe
#[verify]
fn range_contains_wrong(x: u8) { if (10..=20).contains(&x) { assert!(x / 10 == 1); } }

//@ expect: safe
#[verify]
fn range_fold(n: u8) { let s: u32 = (0..n as u32).map(|x| x & 1).sum(); assert!(s <= 255); }

//@ expect: unsafe
#[verify]
fn range_fold_wrong(n: u8) { let s: u32 = (0..n as u32).filter(|x| x % 3 == 0).sum(); assert!(s != 9); }

//@ expect: safe
#[verify]
fn collatz_bounded(n: u8) { let mut x = n as u32; let mut i = 0; while x > 1 && i < 10 { x = if x % 2 == 0 { x / 2 } else { 3 * x + 1 }; i += 1; } assert!(i <= 10); }

//@ expect: unsafe
#[verify]
fn collatz_bounded_wrong(n: u8) { let mut x = n as u32; let mut i = 0; while x > 1 && i < 10 { x = if x % 2 == 0 { x / 2 } else { 3 * x + 1 }; i += 1; } assert!(i < 10); }

//@ expect: safe
#[verify]
fn let_else(x: Option<u32>) -> u32 { let Some(v) = x else { return 0 }; let Ok(w) = u8::try_from(v) else { return 1 }; assert!(v == w as u32); v }

//@ expect: unsafe
#[verify]
fn let_else_wrong(x: Option<u32>) -> u32 { let Some(v) = x else { unreachable!("no value") }; v }

fn product_down_to_one(n: u64) -> u64 { if n == 0 { 1 } else { n * product_down_to_one(n - 1) } }

//@ expect: safe
#[verify]
fn few_values(n: u64) { optverify::assume(n <= 5); assert!(product_down_to_one(n) <= 120); }

//@ expect: unsafe
#[verify]
fn few_values_wrong(n: u64) { optverify::assume(n <= 5); assert!(product_down_to_one(n) < 120); }

//@ expect: safe
#[verify]
fn few_rounds(d: [u8; 6]) {
    let mut sum = 0u32;
    for (i, &x) in d.iter().rev().enumerate() {
        optverify::assume(x < 10);
        let mut v = x as u32;
        if i % 2 == 1 { v *= 2; if v > 9 { v -= 9; } }
        sum += v;
    }
    assert!(sum <= 54);
}

//@ expect: unsafe
#[verify]
fn few_rounds_wrong(d: [u8; 6]) {
    let mut sum = 0u32;
    for &x in &d { optverify::assume(x < 10); sum += x as u32; }
    assert!(sum < 54);
}

// relations whose coefficients have inverses that are huge: three times the rounds
//@ expect: safe
#[verify]
fn shares_of_three(n: i32) {
    optverify::assume(n >= 0 && n <= 1_000_000);
    let (mut i, mut a, mut b) = (0, 0, 0);
    while i < n {
        if optverify::any::<bool>() {
            a += 1;
            b += 2;
        } else {
            a += 2;
            b += 1;
        }
        i += 1;
    }
    assert_eq!(a + b, 3 * n);
}

//@ expect: unsafe
#[verify]
fn shares_of_three_or_four(n: i32) {
    optverify::assume(n >= 0 && n <= 1_000_000);
    let (mut i, mut a, mut b) = (0, 0, 0);
    while i < n {
        if optverify::any::<bool>() {
            a += 1;
            b += 2;
        } else {
            a += 2;
            b += 2;
        }
        i += 1;
    }
    assert_eq!(a + b, 3 * n);
}

// counted in eight bits, summed up in thirty-two
//@ expect: safe
#[verify]
fn narrow_counter(n: u8) {
    let mut s = 0u32;
    for _ in 0..n {
        s += 3;
    }
    assert!(s == 3 * n as u32);
}

//@ expect: unsafe
#[verify]
fn narrow_counter_too_small(n: u8) {
    let mut s = 0u32;
    for _ in 0..n {
        s += 3;
    }
    assert!(s < 700);
}

//@ expect: safe
#[verify]
fn ranges_in_a_row(n: u32) {
    let mut sum = 0;
    for x in (0..n % 4).flat_map(|i| 0..i) {
        sum += x;
    }
    assert!(sum <= 1);
}

//@ expect: unsafe
#[verify]
fn ranges_in_a_row_too_long(n: u32) {
    let mut sum = 0;
    for x in (0..n % 4).flat_map(|i| 0..i) {
        sum += x;
    }
    assert!(sum < 1);
}

fn greatest_divisor(a: u32, b: u32) -> u32 { if b == 0 { a } else { greatest_divisor(b, a % b) } }

//@ expect: safe
#[verify]
fn tail_recursion(a: u32, b: u32) { if a > 0 { assert!(greatest_divisor(a, b) > 0); } }

//@ expect: unsafe
#[verify]
fn tail_recursion_wrong(a: u32, b: u32) { assert!(greatest_divisor(a, b) > 0); }

fn up(n: u32, done: u32) -> u32 { if n == 0 { done } else { up(n - 1, done.wrapping_add(2)) } }

//@ expect: safe
#[verify]
fn tail_recursion_counts(n: u32) { assert!(up(n, 0) == n.wrapping_mul(2)); }

//@ expect: unsafe
#[verify]
fn tail_recursion_counts_wrong(n: u32) { assert!(up(n, 1) != 41); }

fn boxed_up(n: u8, b: Box<&u8>) -> u8 { if n == 0 { **b } else { let x = n; boxed_up(n - 1, Box::new(&x)) } }

//@ expect: safe
#[verify]
fn tail_recursion_with_a_boxed_local(n: u8) { if n > 0 && n < 4 { assert!(boxed_up(n, Box::new(&9)) == 1); } }

//@ expect: unsafe
#[verify]
fn tail_recursion_with_a_boxed_local_wrong(n: u8) { if n > 0 && n < 4 { assert!(boxed_up(n, Box::new(&9)) == n); } }

struct Few(u8);
impl Iterator for Few { type Item = u8; fn next(&mut self) -> Option<u8> { if self.0 == 0 { None } else { self.0 -= 1; Some(self.0) } } }

//@ expect: safe
#[verify]
fn all_of_an_iterator(n: u8) { if n < 4 { assert!(Few(n).all(|x| x < 3) && !Few(n).any(|x| x > 2)); } }

//@ expect: unsafe
#[verify]
fn all_of_an_iterator_wrong(n: u8) { if n < 4 { assert!(Few(n).all(|x| x < 2)); } }

struct Step { next: fn(u32) -> u32, most: u32 }

//@ expect: safe
#[verify]
fn closure_as_pointer(n: u32) { let s = Step { next: |x| x / 2, most: 3 }; assert!((s.next)(n) <= u32::MAX / 2 && s.most == 3); }

//@ expect: unsafe
#[verify]
fn closure_as_pointer_wrong(n: u32) { let s = Step { next: |x| x / 2, most: 3 }; assert!((s.next)(n) > s.most); }

//@ expect: safe
#[verify]
fn one_of_closures(n: u32, up: bool) { let f: fn(u32, u32) -> u32 = if up { |a, b| a.saturating_add(b) } else { |a, b| a.saturating_sub(b) }; let m = f(n, 1); assert!(if up { m >= n } else { m <= n }); }

//@ expect: unsafe
#[verify]
fn one_of_closures_wrong(n: u32, up: bool) { let f: fn(u32) -> u32 = if up { |a| a.saturating_add(1) } else { |a| a.saturating_sub(1) }; assert!(f(n) != n); }

const OPERATIONS: [fn(u32, u32) -> u32; 4] = [u32::wrapping_add, u32::wrapping_sub, u32::max, u32::saturating_mul];

//@ expect: safe
#[verify]
fn table_of_std(k: usize, a: u32, b: u32) {
    let r = OPERATIONS[k % 4](a, b);
    if k % 4 == 2 { assert!(r >= a && r >= b); }
    if k % 4 == 1 { assert!(r.wrapping_add(b) == a); }
}

//@ expect: unsafe
#[verify]
fn table_of_std_wrong(k: usize, a: u32, b: u32) {
    let r = OPERATIONS[k % 4](a, b);
    if k % 4 == 3 && a > 0 { assert!(r >= a); }
}

//@ expect: safe
#[verify]
fn own_or_of_std(k: bool, a: u32, b: u32) {
    fn own(a: u32, b: u32) -> u32 { if b == 0 { 0 } else { a / b } }
    let f: fn(u32, u32) -> u32 = if k { own } else { u32::min };
    assert!(f(a, b) <= a);
}

//@ expect: unsafe
#[verify]
fn own_or_of_std_wrong(k: bool, a: u32, b: u32) {
    fn own_wrong(a: u32, b: u32) -> u32 { if b == 0 { 0 } else { a / b } }
    let f: fn(u32, u32) -> u32 = if k { own_wrong } else { u32::wrapping_div };
    f(a, b);
}
