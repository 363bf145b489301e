//! Functions whose calls of themselves are a tree: unfolded equally deep at every call.
#![allow(dead_code, unused)]
use optverify::{assume, verify};
fn quicksort(v: &mut [u8]) { if v.len() <= 1 { return; } let p = v[v.len() - 1]; let mut i = 0; for j in 0..v.len() - 1 { if v[j] < p { v.swap(i, j); i += 1; } } let n = v.len() - 1; v.swap(i, n); let (l, r) = v.split_at_mut(i); quicksort(l); quicksort(&mut r[1..]); }
//@ expect: unsafe
#[verify]
fn qsort_u(a: u8, b: u8) { let mut v = [a, b]; quicksort(&mut v); assert!(v[0] < v[1]); }
fn fib(n: u32) -> u64 { if n < 2 { n as u64 } else { fib(n - 1) + fib(n - 2) } }
//@ expect: safe
#[verify]
fn fib_s(n: u32) { assume(n < 7); assert!(fib(n) <= 8); }
//@ expect: unsafe
#[verify]
fn fib_u(n: u32) { assume(n < 7); assert!(fib(n) < 8); }
fn fact(n: u32) -> u32 { if n == 0 { 1 } else { n * fact(n - 1) } }
//@ expect: safe
#[verify]
fn fact_s(n: u32) { assume(n <= 12); assert!(fact(n) >= 1); }
fn gcd(a: u32, b: u32) -> u32 { if b == 0 { a } else { gcd(b, a % b) } }
//@ expect: safe
#[verify]
fn gcd_s(a: u8) { assert!(gcd(a as u32, 0) == a as u32); }
enum Expr { Num(i32), Add(Box<Expr>, Box<Expr>), Neg(Box<Expr>) }
fn eval(e: &Expr) -> i32 { match e { Expr::Num(n) => *n, Expr::Add(a, b) => eval(a).wrapping_add(eval(b)), Expr::Neg(a) => eval(a).wrapping_neg() } }
//@ expect: safe
#[verify]
fn expr_s(a: i32, b: i32) { let e = Expr::Add(Box::new(Expr::Num(a)), Box::new(Expr::Neg(Box::new(Expr::Num(b))))); assert!(eval(&e) == a.wrapping_sub(b)); }
//@ expect: unsafe
#[verify]
fn expr_u(a: i32, b: i32) { let e = Expr::Add(Box::new(Expr::Num(a)), Box::new(Expr::Neg(Box::new(Expr::Num(b))))); assert!(eval(&e) != 5); }
fn ack(m: u32, n: u32) -> u32 { if m == 0 { n + 1 } else if n == 0 { ack(m - 1, 1) } else { ack(m - 1, ack(m, n - 1)) } }
//@ expect: safe
#[verify]
fn ack_s() { assert!(ack(2, 2) == 7); }
fn hanoi(n: u32) -> u32 { if n == 0 { 0 } else { 2 * hanoi(n - 1) + 1 } }
//@ expect: safe
#[verify]
fn hanoi_s(n: u32) { assume(n < 10); assert!(hanoi(n) < 1024); }
struct Node { v: u32, l: Option<Box<Node>>, r: Option<Box<Node>> }
fn depth(n: &Option<Box<Node>>) -> u32 { match n { None => 0, Some(b) => 1 + depth(&b.l).max(depth(&b.r)) } }
//@ expect: safe
#[verify]
fn depth_s(v: u32) { let t = Some(Box::new(Node { v, l: None, r: Some(Box::new(Node { v, l: None, r: None })) })); assert!(depth(&t) == 2); }
//@ expect: unsafe
#[verify]
fn depth_u(v: u32) { let t = Some(Box::new(Node { v, l: None, r: Some(Box::new(Node { v, l: None, r: None })) })); assert!(depth(&t) == 1); }
//@ expect: unsafe
#[verify]
fn hanoi_u(n: u32) { assume(n < 5); assert!(hanoi(n) < 15); }
