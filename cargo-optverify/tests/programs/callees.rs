//! Functions, methods and `Drop` impls that share their last name and the types of their parameters: none may be taken for
//! another one. Where MIR does not tell which is meant, the verdict is unknown.
#![allow(dead_code, unused_variables)]
use optverify::verify;
use std::cell::Cell;

struct G<T>(T);
impl<T> G<T> { #[inline(never)] fn get(&self) -> u8 { 1 } }
trait Get { fn get(&self) -> u8; }
impl Get for G<u8> { #[inline(never)] fn get(&self) -> u8 { 2 } }

//@ expect: safe
#[verify]
fn inherent_not_trait(x: u8) { assert!(G(x).get() == 1); }

//@ expect: unsafe
#[verify]
fn inherent_not_trait_wrong(x: u8) { assert!(G(x).get() == 2); }

trait T1 { fn m(&self) -> u8; }
impl<X> T1 for G<X> { #[inline(never)] fn m(&self) -> u8 { 1 } }
trait T2 { fn m(&self) -> u8; }
impl T2 for G<u16> { #[inline(never)] fn m(&self) -> u8 { 2 } }

//@ expect: safe
#[verify]
fn trait_not_trait(x: u16) { assert!(T1::m(&G(x)) == 1); }

//@ expect: unsafe
#[verify]
fn trait_not_trait_wrong(x: u16) { assert!(T1::m(&G(x)) == 2); }

#[inline(never)]
fn f<T: Copy>(x: T) -> u8 { 1 }
mod md { #[inline(never)] pub fn f(x: u8) -> u8 { x | 2 } }

//@ expect: unsafe
#[verify]
fn function_not_another_modules_wrong(x: u8) { assert!(f(x) & 2 == 2); let _ = md::f(x); }

trait Named { #[inline(never)] fn name(&self) -> u8 { 1 } }
struct A(u8);
impl Named for A {}
impl A { #[inline(never)] fn name(&self) -> u8 { 2 } }

//@ expect: unsafe
#[verify]
fn default_not_inherent_wrong(x: u8) { assert!(Named::name(&A(x)) == 2); }

unsafe extern "C" { fn abs(x: i32) -> i32; }
mod mock { #[inline(never)] pub fn abs(x: i32) -> i32 { 0 } }

//@ expect: unsafe
//@ known: unknown because functions of C have no MIR
#[verify]
fn extern_not_mock_wrong(x: i32) { assert!(unsafe { abs(x) } == 0); let _ = mock::abs(x); }

fn walk<T: Copy>(x: T, n: u8) -> u8 { if n == 0 { 0 } else { walk(x, n - 1) } }
mod other { pub fn walk(x: u16, n: u8) -> u8 { 9 } }

//@ expect: safe
#[verify]
fn recursive_not_another_modules(x: u16) { assert!(walk(x, 2) == 0); let _ = other::walk(x, 1); }

//@ expect: unsafe
#[verify]
fn recursive_not_another_modules_wrong(x: u16) { assert!(walk(x, 2) == 9); }

struct Counts<'a, T>(&'a Cell<u32>, T);
impl<T> Drop for Counts<'_, T> { fn drop(&mut self) { self.0.set(self.0.get() + 1); } }
trait Releases { fn drop(&mut self); }
impl Releases for Counts<'_, u16> { fn drop(&mut self) { self.1 = 1; } }

//@ expect: unsafe
#[verify]
fn drop_not_another_traits_wrong(x: u16) { let c = Cell::new(0); { let g = Counts(&c, x); let _ = &g; } assert!(c.get() == 0); }

trait Checks { #[inline(never)] fn precondition_check(&self, x: u8) { assert!(x < 200, "precondition"); } }
impl Checks for A {}

//@ expect: unsafe
#[verify]
fn own_precondition_check_wrong(x: u8) { A(1).precondition_check(x); }

mod process { pub struct P; }
trait Exits { #[cold] #[inline(never)] fn exit(&self) -> ! { panic!("bye") } }
impl Exits for process::P {}

//@ expect: unsafe
#[verify]
fn own_exit_wrong(x: u8) { if x == 3 { process::P.exit(); } }

fn size_of_two(b: bool) -> usize { if b { struct S(u8); std::mem::size_of::<S>() } else { struct S(u32); std::mem::size_of::<S>() } }

//@ expect: safe
//@ known: unknown because both types print alike
#[verify]
fn sizes_of_two_blocks(b: bool) { assert!(size_of_two(b) == if b { 1 } else { 4 }); }

//@ expect: unsafe
#[verify]
fn sizes_of_two_blocks_wrong(b: bool) { assert!(size_of_two(b) == 4); }

#[repr(transparent)]
struct W([u8]);
impl W {
    fn new(s: &[u8]) -> &W { unsafe { &*(s as *const [u8] as *const W) } }
    fn len(&self) -> usize { self.0.len() }
}

//@ expect: safe
#[verify]
fn unsized_struct(s: &[u8]) { let w = W::new(s); assert!(w.len() == s.len()); }

//@ expect: unsafe
#[verify]
fn unsized_struct_wrong(s: &[u8]) { let w = W::new(s); assert!(w.len() < 3); }

struct Plain(u8);
trait Doubles { fn twice(&self) -> u16; }
impl Doubles for Plain { #[inline(never)] fn twice(&self) -> u16 { self.0 as u16 * 2 } }
impl std::ops::Add for Plain { type Output = u16; #[inline(never)] fn add(self, other: Plain) -> u16 { self.0 as u16 + other.0 as u16 } }

//@ expect: safe
#[verify]
fn plain_impls(x: u8, y: u8) { assert!(Plain(x).twice() <= 510 && Plain(x) + Plain(y) <= 510); }

//@ expect: unsafe
#[verify]
fn plain_impls_wrong(x: u8, y: u8) { assert!(Plain(x).twice() <= 509 || Plain(x) + Plain(y) <= 509); }

mod one { pub trait Says { fn word(&self) -> u8; } impl<T> Says for T { #[inline(never)] fn word(&self) -> u8 { 1 } } }
mod two { pub trait Says { fn word(&self) -> u8; } }
struct Speaker(u8);
use two::Says;
impl Says for Speaker { #[inline(never)] fn word(&self) -> u8 { 2 } }

//@ expect: unsafe
//@ known: unknown because the method of a trait object is one of a generic impl
#[verify]
fn object_not_another_traits_wrong(x: u8) { let s = Speaker(x); let o: &dyn one::Says = &s; assert!(o.word() == 2); let _ = two::Says::word(&s); }
