//! Allocations of one place that are alive at once: vectors of vectors, lists, rows that are swapped.
#![allow(dead_code, unused)]
use optverify::{assume, verify};
//@ expect: safe
#[verify]
fn fixed_grid_s(i: usize, j: usize) { let mut g = vec![vec![0u8; 3]; 4]; if i < 4 && j < 3 { g[i][j] += 1; assert!(g[i][j] == 1); } }
//@ expect: unsafe
#[verify]
fn fixed_grid_u(i: usize, j: usize) { let mut g = vec![vec![0u8; 3]; 4]; if i < 4 && j < 4 { g[i][j] += 1; } }
// rows are apart
//@ expect: safe
#[verify]
fn alias_s(a: u8) { let mut v: Vec<Vec<u8>> = Vec::new(); for i in 0..3 { v.push(vec![i]); } v[0][0] = a; assert!(v[1][0] == 1 && v[2][0] == 2 && v[0][0] == a); }
//@ expect: unsafe
#[verify]
fn alias_u(a: u8) { let mut v: Vec<Vec<u8>> = Vec::new(); for i in 0..3 { v.push(vec![i]); } v[0][0] = a; assert!(v[1][0] == a); }
// own lengths
//@ expect: safe
#[verify]
fn len_s(a: u8) { let mut v = vec![Vec::new(); 3]; v[1].push(a); v[1].push(a); v[2].push(a); assert!(v[0].is_empty() && v[1].len() == 2 && v[2].len() == 1); }
//@ expect: unsafe
#[verify]
fn len_u(i: usize) { let mut v: Vec<Vec<u8>> = vec![Vec::new(); 3]; assume(i < 3); v[1].push(7); assert!(v[i].len() == 0); }
// removed rows: pointers are copied
//@ expect: safe
#[verify]
fn remove_s(k: usize) { let mut v = Vec::new(); for i in 0..4u8 { v.push(vec![i]); } assume(k < 4); let r = v.remove(k); assert!(r[0] as usize == k); assert!(v.len() == 3); assert!(v[0][0] == if k == 0 { 1 } else { 0 }); }
//@ expect: unsafe
#[verify]
fn remove_u(k: usize) { let mut v = Vec::new(); for i in 0..4u8 { v.push(vec![i]); } assume(k < 4); let r = v.remove(k); assert!(v[2][0] == 3); }
// two rows alive in locals only
//@ expect: safe
#[verify]
fn dp_s(n: u8) { let mut prev = vec![1u32; 3]; for _ in 0..3 { let mut cur = vec![0u32; 3]; for j in 0..3 { cur[j] = prev[j] + 1; } prev = cur; } assert!(prev[0] == 4); }
//@ expect: unsafe
#[verify]
fn dp_u(n: u8) { let mut prev = vec![1u32; 3]; for _ in 0..3 { let mut cur = vec![0u32; 3]; for j in 0..2 { cur[j] = prev[j] + 1; } prev = cur; } assert!(prev[2] == 4); }
// zeroed rows are zero, others keep what they have
//@ expect: safe
#[verify]
fn zero_s(a: u8) { let mut v: Vec<Vec<u8>> = Vec::new(); for i in 0..3usize { v.push(vec![0; 2]); v[i][0] = a; } assert!(v[0][0] == a && v[0][1] == 0 && v[2][1] == 0); }
//@ expect: unsafe
#[verify]
fn zero_u(a: u8) { let mut v: Vec<Vec<u8>> = Vec::new(); for i in 0..3usize { v.push(vec![0; 2]); v[i][0] = a; } assert!(v[0][0] == 0); }
// lists
struct Node { v: u8, next: Option<Box<Node>> }
//@ expect: safe
#[verify]
fn list_s(a: u8) { let mut head: Option<Box<Node>> = None; for i in 0..3u8 { head = Some(Box::new(Node { v: i, next: head.take() })); } let mut n = 0; let mut sum = 0; let mut at = &head; while let Some(b) = at { n += 1; sum += b.v; at = &b.next; } assert!(n == 3 && sum == 3); }
//@ expect: unsafe
#[verify]
fn list_u(a: u8) { let mut head: Option<Box<Node>> = None; for i in 0..3u8 { head = Some(Box::new(Node { v: i, next: head.take() })); } assert!(head.unwrap().v == 0); }
//@ expect: safe
#[verify]
fn boxes_s(a: u8) { let mut v: Vec<Box<u8>> = Vec::new(); for i in 0..3 { v.push(Box::new(i)); } *v[1] = a; assert!(*v[0] == 0 && *v[2] == 2 && *v[1] == a); }
//@ expect: unsafe
#[verify]
fn boxes_u(a: u8) { let mut v: Vec<Box<u8>> = Vec::new(); for i in 0..3 { v.push(Box::new(i)); } *v[1] = a; assert!(*v[2] == a); }
// strings
//@ expect: safe
#[verify]
fn strings_s(n: usize) { let mut v: Vec<String> = Vec::new(); for i in 0..3 { v.push("ab".repeat(i)); } assert!(v[0].is_empty() && v[2].len() == 4); }
//@ expect: unsafe
#[verify]
fn strings_u(n: usize) { let mut v: Vec<String> = Vec::new(); for i in 0..3 { v.push("ab".repeat(i)); } assert!(v[1].len() == 4); }
// a Drop that panics, in rows
struct Bomb(u8); impl Drop for Bomb { fn drop(&mut self) { assert!(self.0 != 7); } }
//@ expect: safe
#[verify]
fn bomb_s(a: u8) { let mut v: Vec<Vec<Bomb>> = Vec::new(); for i in 0..2 { v.push(vec![Bomb(i)]); } }
//@ expect: unsafe
#[verify]
fn bomb_u(a: u8) { let mut v: Vec<Vec<Bomb>> = Vec::new(); for i in 0..2 { v.push(vec![Bomb(a)]); } }
// elements with a `Clone` of their own
#[derive(Clone, PartialEq)]
struct Pair { a: u8, b: u16 }
//@ expect: safe
#[verify]
fn clone_s(a: u8) { let v = vec![Pair { a, b: 1 }, Pair { a: 2, b: 3 }]; let mut w = v.clone(); w[0].b = 9; assert!(v[0].b == 1 && w[0].a == a && w.len() == 2); }
//@ expect: unsafe
#[verify]
fn clone_u(a: u8) { let v = vec![Pair { a, b: 1 }, Pair { a: 2, b: 3 }]; let mut w = v.clone(); w[0].b = 9; assert!(v[0] == w[0]); }
struct Odd(u8);
impl Clone for Odd { fn clone(&self) -> Odd { assert!(self.0 != 5); Odd(self.0) } }
//@ expect: unsafe
#[verify]
fn clone_panics_u(a: u8) { let v = vec![Odd(1), Odd(a)]; let w = v.clone(); }
//@ expect: safe
#[verify]
fn clone_panics_s(a: u8) { let v = vec![Odd(1), Odd(a / 64)]; let w = v.clone(); assert!(w.len() == 2); }
