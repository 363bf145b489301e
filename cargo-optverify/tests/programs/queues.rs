//! Queues, heaps and drained vectors of std, and what could go wrong in their models.
#![allow(dead_code, unused)]
use optverify::{assume, verify};
use std::collections::{BinaryHeap, VecDeque};
//@ expect: safe
#[verify]
fn new_s(a: u8) { let mut q = VecDeque::new(); q.push_back(a); assert!(q.len() == 1); assert!(q.pop_front() == Some(a)); assert!(q.pop_front().is_none()); }
//@ expect: unsafe
#[verify]
fn new_u(a: u8) { let mut q = VecDeque::new(); q.push_back(a); q.pop_front(); q.pop_front().unwrap(); }
//@ expect: safe
#[verify]
fn front_s(a: u8, b: u8) { let mut q = VecDeque::new(); q.push_front(a); q.push_front(b); assert!(q[0] == b && q[1] == a); }
//@ expect: unsafe
#[verify]
fn front_u(a: u8, b: u8) { let mut q = VecDeque::new(); q.push_front(a); q.push_front(b); assert!(q[1] == b); }
//@ expect: safe
#[verify]
fn cap_s(a: u8, b: u8) { let mut q: VecDeque<u8> = VecDeque::with_capacity(4); q.push_back(a); q.push_back(b); assert!(q.front() == Some(&a) && q.back() == Some(&b)); }
//@ expect: unsafe
#[verify]
fn cap_u(a: u8, b: u8) { let mut q: VecDeque<u8> = VecDeque::with_capacity(4); q.push_back(a); q.push_back(b); assert!(q.back() == Some(&a)); }
//@ expect: safe
#[verify]
fn iter_s(a: u8, b: u8) { let mut q = VecDeque::new(); q.push_back(a); q.push_back(b); let s: u32 = q.iter().map(|x| *x as u32).sum(); assert!(s == a as u32 + b as u32); }
//@ expect: unsafe
#[verify]
fn iter_u(a: u8, b: u8) { let mut q = VecDeque::new(); q.push_back(a); q.push_back(b); let s: u32 = q.iter().map(|x| *x as u32).sum(); assert!(s < 500); }
//@ expect: safe
#[verify]
fn from_s(a: u8, b: u8) { let q: VecDeque<u8> = VecDeque::from(vec![a, b]); assert!(q[1] == b); }
//@ expect: unsafe
#[verify]
fn from_u(a: u8, b: u8) { let q: VecDeque<u8> = VecDeque::from(vec![a, b]); assert!(q[2] == b); }
//@ expect: safe
#[verify]
fn clear_s(a: u8) { let mut q = VecDeque::new(); q.push_back(a); q.clear(); assert!(q.is_empty()); }
//@ expect: safe
#[verify]
fn wrap_s(a: u8) { let mut q = VecDeque::with_capacity(2); q.push_back(a); q.push_back(1); q.pop_front(); q.push_back(2); q.push_back(3); assert!(q[0] == 1 && q[1] == 2 && q[2] == 3); }
//@ expect: unsafe
#[verify]
fn wrap_u(a: u8) { let mut q = VecDeque::with_capacity(2); q.push_back(a); q.push_back(1); q.pop_front(); q.push_back(2); q.push_back(3); assert!(q[0] == 1 && q[1] == 3); }
#[derive(Clone, Copy, PartialEq)] struct P { x: u8, y: u16 }
//@ expect: safe
#[verify]
fn dq_user_s(a: u8) { let mut q = VecDeque::new(); q.push_back(P { x: a, y: 1 }); q.push_back(P { x: 0, y: 2 }); assert!(q.pop_front().unwrap().x == a); assert!(q[0].y == 2); }
//@ expect: unsafe
#[verify]
fn dq_user_u(a: u8) { let mut q = VecDeque::new(); q.push_back(P { x: a, y: 1 }); q.push_back(P { x: 0, y: 2 }); assert!(q.pop_back().unwrap().x == a); }
//@ expect: safe
#[verify]
fn dq_tuple_s(a: usize) { let mut q = VecDeque::new(); q.push_back((a, 0usize)); while let Some((n, d)) = q.pop_front() { assert!(d <= 2); if d < 2 { q.push_back((n, d + 1)); } } }
//@ expect: unsafe
#[verify]
fn dq_tuple_u(a: usize) { let mut q = VecDeque::new(); q.push_back((a, 0usize)); while let Some((n, d)) = q.pop_front() { assert!(d < 2); if d < 2 { q.push_back((n, d + 1)); } } }
// growth while wrapped around
//@ expect: safe
#[verify]
fn dq_grow_s(a: u8) { let mut q = VecDeque::new(); for i in 0..4u8 { q.push_back(i); } q.pop_front(); q.pop_front(); q.push_back(4); q.push_back(5); q.push_back(a); assert!(q.len() == 5); assert!(q[0] == 2 && q[1] == 3 && q[2] == 4 && q[3] == 5 && q[4] == a); }
//@ expect: unsafe
#[verify]
fn dq_grow_u(a: u8) { let mut q = VecDeque::new(); for i in 0..4u8 { q.push_back(i); } q.pop_front(); q.pop_front(); q.push_back(4); q.push_back(5); q.push_back(a); assert!(q[3] == 4); }
//@ expect: safe
#[verify]
fn dq_front_grow_s(a: u8) { let mut q = VecDeque::new(); for i in 0..5u8 { q.push_front(i); } assert!(q[0] == 4 && q[4] == 0 && q.len() == 5); }
//@ expect: unsafe
#[verify]
fn dq_front_grow_u(a: u8) { let mut q = VecDeque::new(); for i in 0..5u8 { q.push_front(i); } assert!(q[0] == 0); }
//@ expect: unsafe
#[verify]
fn dq_idx_u(i: usize) { let mut q = VecDeque::new(); q.push_back(1u8); q.push_back(2); let _ = q[i]; }
//@ expect: safe
#[verify]
fn dq_idx_s(i: usize) { let mut q = VecDeque::new(); q.push_back(1u8); q.push_back(2); if i < q.len() { assert!(q[i] as usize == i + 1); } assert!(q.get(5).is_none()); }
//@ expect: safe
#[verify]
fn dq_clear_s(a: u8) { let mut q = VecDeque::new(); q.push_back(a); q.clear(); assert!(q.is_empty()); q.push_back(1); assert!(q[0] == 1); }
//@ expect: unsafe
#[verify]
fn dq_clear_u(a: u8) { let mut q = VecDeque::new(); q.push_back(a); q.clear(); q.front().unwrap(); }
//@ expect: safe
#[verify]
fn dq_iter_mut_s(a: u8) { let mut q = VecDeque::from([1u8, 2, 3]); for x in q.iter_mut() { *x += 1; } assert!(q[0] == 2 && q[2] == 4); }
//@ expect: unsafe
#[verify]
fn dq_iter_mut_u(a: u8) { let mut q = VecDeque::from([1u8, 2, a]); for x in q.iter_mut() { *x += 1; } assert!(q[2] == 4); }
//@ expect: safe
//@ known: unknown because `try_fold` of its iterator has a guard without a model
#[verify]
fn dq_into_s(a: u8) { let q = VecDeque::from([1u8, a]); let v: Vec<u8> = q.into_iter().collect(); assert!(v.len() == 2 && v[1] == a); }
//@ expect: unsafe
//@ known: unknown because `try_fold` of its iterator has a guard without a model
#[verify]
fn dq_into_u(a: u8) { let q = VecDeque::from([1u8, a]); let v: Vec<u8> = q.into_iter().collect(); assert!(v[0] == a); }
//@ expect: safe
#[verify]
fn dq_contains_s(a: u8) { let q = VecDeque::from([1u8, a]); assert!(q.contains(&a)); }
struct Bomb(u8); impl Drop for Bomb { fn drop(&mut self) { assert!(self.0 != 7); } }
//@ expect: unsafe
//@ known: unknown because a queue of values with a `Drop` is not dropped here
#[verify]
fn dq_bomb_u(a: u8) { let mut q = VecDeque::new(); q.push_back(Bomb(a)); }
//@ expect: safe
//@ known: unknown because a queue of values with a `Drop` is not dropped here
#[verify]
fn dq_bomb_s(a: u8) { let mut q = VecDeque::new(); q.push_back(Bomb(a / 64)); }
//@ expect: unsafe
#[verify]
fn dq_bomb_clear_u(a: u8) { let mut q = VecDeque::new(); q.push_back(Bomb(a)); q.clear(); std::mem::forget(q); }
//@ expect: safe
#[verify]
fn dq_bomb_forget_s(a: u8) { let mut q = VecDeque::new(); q.push_back(Bomb(a)); std::mem::forget(q); }
#[derive(Clone)] struct Unit;
//@ expect: safe
#[verify]
fn dq_unit_s(a: u8) { let mut q = VecDeque::new(); q.push_back(Unit); q.push_front(Unit); assert!(q.len() == 2); }
//@ expect: unsafe
#[verify]
fn dq_unit_u(a: u8) { let mut q = VecDeque::new(); q.push_back(Unit); q.push_front(Unit); assert!(q.len() == 1); }
//@ expect: safe
#[verify]
fn dq_strings_s(a: u8) { let mut q = VecDeque::new(); q.push_back(String::from("ab")); q.push_back(String::from("c")); assert!(q.pop_front().unwrap().len() == 2); assert!(q[0].len() == 1); }
//@ expect: unsafe
#[verify]
fn dq_strings_u(a: u8) { let mut q = VecDeque::new(); q.push_back(String::from("ab")); q.push_back(String::from("c")); assert!(q.pop_back().unwrap().len() == 2); }
mod mine { pub struct VecDeque<T>(pub Vec<T>); impl<T> VecDeque<T> { pub fn grow(&mut self) { panic!("grow") } } }
//@ expect: unsafe
#[verify]
fn mine_u(a: u8) { let mut q = mine::VecDeque(vec![a]); q.grow(); }
//@ expect: safe
#[verify]
fn heap_s(a: u8, b: u8) { let mut h = BinaryHeap::new(); h.push(a); h.push(b); assert!(h.len() == 2); assert!(h.pop() == Some(a.max(b))); assert!(h.pop() == Some(a.min(b))); assert!(h.pop().is_none()); }
//@ expect: unsafe
#[verify]
fn heap_u(a: u8, b: u8) { let mut h = BinaryHeap::new(); h.push(a); h.push(b); assert!(h.pop() == Some(a)); }
//@ expect: safe
#[verify]
fn heap_rev_s(a: u8, b: u8) { use std::cmp::Reverse; let mut h = BinaryHeap::new(); h.push(Reverse(a)); h.push(Reverse(b)); assert!(h.pop().unwrap().0 == a.min(b)); }
//@ expect: safe
#[verify]
fn heap_pair_s(a: u8) { let mut h = BinaryHeap::new(); h.push((a, 1usize)); h.push((3, 2)); let (d, n) = h.pop().unwrap(); assert!(d >= 3 && (n == 1 || n == 2)); }
//@ expect: unsafe
#[verify]
fn heap_pair_u(a: u8) { let mut h = BinaryHeap::new(); h.push((a, 1usize)); h.push((3, 2)); let (d, n) = h.pop().unwrap(); assert!(n == 1); }
//@ expect: safe
#[verify]
fn heap_peek_s(a: u8, b: u8) { let mut h = BinaryHeap::new(); h.push(a); h.push(b); assert!(*h.peek().unwrap() >= a); }
#[derive(Clone)]
struct Nothing;
//@ expect: safe
#[verify]
fn drain_mid_s(a: u8) { let mut v = vec![1, 2, 3, a, 5]; { let mut d = v.drain(1..3); assert!(d.next() == Some(2)); } assert!(v.len() == 3 && v[0] == 1 && v[1] == a && v[2] == 5); }
//@ expect: unsafe
#[verify]
fn drain_mid_u(a: u8) { let mut v = vec![1, 2, 3, a, 5]; { let mut d = v.drain(1..3); assert!(d.next() == Some(2)); } assert!(v[1] == 3); }
//@ expect: safe
#[verify]
fn drain_back_s(a: u8) { let mut v = vec![1, 2, a]; assert!(v.drain(..2).rev().next() == Some(2)); assert!(v.len() == 1 && v[0] == a); }
//@ expect: unsafe
//@ known: unknown because what is left of a drained range has a `Drop`
#[verify]
fn drain_bomb_u(a: u8) { let mut v = vec![Bomb(1), Bomb(a), Bomb(2)]; v.drain(1..2); std::mem::forget(v); }
//@ expect: safe
//@ known: unknown because elements without a size
#[verify]
fn drain_unit_s(n: usize) { let mut v = vec![Nothing, Nothing, Nothing]; v.drain(1..2); assert!(v.len() == 2); }
//@ expect: unsafe
//@ known: unknown because elements without a size
#[verify]
fn drain_unit_u(n: usize) { let mut v = vec![Nothing, Nothing, Nothing]; v.drain(1..2); assert!(v.len() == 3); }
//@ expect: safe
#[verify]
fn drain_forget_s(a: u8) { let mut v = vec![1, 2, 3]; std::mem::forget(v.drain(1..2)); assert!(v.len() == 1); }
//@ expect: unsafe
#[verify]
fn drain_forget_u(a: u8) { let mut v = vec![1, 2, 3]; std::mem::forget(v.drain(1..2)); assert!(v.len() == 2); }
//@ expect: safe
#[verify]
fn drain_vecs_s(a: u8) { let mut v = vec![vec![1u8], vec![2], vec![3]]; v.drain(..1); assert!(v[0][0] == 2 && v.len() == 2); }
//@ expect: unsafe
#[verify]
fn drain_vecs_u(a: u8) { let mut v = vec![vec![1u8], vec![2], vec![3]]; v.drain(..1); assert!(v[0][0] == 1); }
