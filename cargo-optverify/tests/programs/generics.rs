//! Generic functions that rustc does not inline: recursive ones, `#[inline(never)]`, methods that traits have by themselves,
//! and what they call of std. Each instance gets its body by substitution, before optimization and after every pass.
#![allow(dead_code)]
use optverify::verify;
use std::ops::Add;

#[inline(never)]
fn view<T>(v: &T) -> &T { v }

//@ expect: safe
#[verify]
fn of_any_type(v: u32, o: Option<(u8, i64)>) { assert!(*view(&v) == v && *view(&o) == o); }

//@ expect: unsafe
#[verify]
fn of_any_type_wrong(v: u32) { assert!(*view(&v) != 77); }

#[inline(never)]
fn pick<T: Copy, const N: usize>(a: [T; N], i: usize) -> Option<T> { if i < N { Some(a[i]) } else { None } }

//@ expect: safe
#[verify]
fn of_any_length(i: usize, b: bool) { assert!(pick([1u8, 2, 3], i).is_some() == (i < 3)); assert!(pick([b; 2], 1) == Some(b)); }

//@ expect: unsafe
#[verify]
fn of_any_length_wrong(i: usize) { assert!(pick([1u8, 2, 3], i) != Some(3)); }

fn has<T: Copy + PartialEq>(s: &[T], x: T) -> bool { if s.is_empty() { return false; } if s[0] == x { true } else { has(&s[1..], x) } }

//@ expect: safe
#[verify]
fn recursive(x: u8, y: i64) { assert!(has(&[1u8, 2, 3], x) == (1 <= x && x <= 3)); assert!(has(&[y, 0], y)); }

//@ expect: unsafe
#[verify]
fn recursive_wrong(x: u8) { assert!(!has(&[1u8, 2, 3], x)); }

#[inline(never)]
fn larger<T: PartialOrd>(a: T, b: T) -> T { if a > b { a } else { b } }

//@ expect: safe
#[verify]
fn comparison(x: i64, y: i64) { let m = larger(x, y); assert!(m >= x && m >= y); }

//@ expect: unsafe
#[verify]
fn comparison_wrong(x: u8, y: i8) { assert!(larger(x, 9) != 200 || larger(y, 9) != 100); }

#[inline(never)]
fn sum<T: Add<Output = T> + Default + Copy>(a: &[T]) -> T { let mut s = T::default(); for x in a { s = s + *x; } s }

//@ expect: safe
#[verify(overflow = "wrap")]
fn operators(x: u8, y: u8) { assert!(sum(&[x, y]) == x.wrapping_add(y)); }

//@ expect: unsafe
#[verify(overflow = "check")]
fn operators_overflow(x: u8, y: u8) { sum(&[x, y]); }

#[inline(never)]
fn added<T: Add>(a: T, b: T) -> T::Output { a + b }

//@ expect: safe
#[verify(overflow = "wrap")]
fn type_of_a_trait_of_std(x: u16) { assert!(added(x, 1) == x.wrapping_add(1)); }

//@ expect: unsafe
#[verify(overflow = "wrap")]
fn type_of_a_trait_of_std_wrong(x: u16) { assert!(added(x, 1) > x); }

trait Unit { const ONE: u32; const TWO: u32 = 2; type Out; fn make(x: u32) -> Self::Out; }
struct A;
struct B;
impl Unit for A { const ONE: u32 = 1; type Out = u8; fn make(x: u32) -> u8 { x as u8 } }
impl Unit for B { const ONE: u32 = 10; const TWO: u32 = 20; type Out = (u16, bool); fn make(x: u32) -> (u16, bool) { (x as u16, true) } }
#[inline(never)]
fn one<U: Unit>(x: u32) -> u32 { if x > U::ONE { U::ONE } else { x } }
#[inline(never)]
fn two<U: Unit>() -> u32 { U::TWO }
#[inline(never)]
fn out<U: Unit>(x: u32) -> U::Out { U::make(x) }

//@ expect: safe
#[verify]
fn constants_of_traits(x: u32) { assert!(one::<A>(x) <= 1 && one::<B>(x) <= 10); assert!(two::<A>() == 2 && two::<B>() == 20); }

//@ expect: unsafe
#[verify]
fn constants_of_traits_wrong(x: u32) { assert!(one::<B>(x) <= 1); }

//@ expect: safe
#[verify]
fn types_of_traits(x: u32) { assert!(u32::from(out::<A>(x)) == x % 256); assert!(out::<B>(x).1); }

//@ expect: unsafe
#[verify]
fn types_of_traits_wrong(x: u32) { assert!(u32::from(out::<B>(x).0) == x); }

trait Shape { fn area(&self) -> u32; fn double(&self) -> u32 { self.area().wrapping_mul(2) } }
struct Square(u32);
struct Odd(u32);
impl Shape for Square { #[inline(never)] fn area(&self) -> u32 { self.0.wrapping_mul(self.0) } }
impl Shape for Odd { #[inline(never)] fn area(&self) -> u32 { self.0 } #[inline(never)] fn double(&self) -> u32 { self.0 | 1 } }
#[inline(never)]
fn twice<S: Shape>(s: &S) -> u32 { s.double() }

//@ expect: safe
#[verify]
fn methods_of_traits_themselves(x: u32) { assert!(twice(&Square(x)) % 2 == 0); assert!(twice(&Odd(x)) % 2 == 1); }

//@ expect: unsafe
#[verify]
fn methods_of_traits_themselves_wrong(x: u32) { assert!(twice(&Odd(x)) % 2 == 0); }

//@ expect: safe
#[verify]
fn objects_of_traits(x: u32, b: bool) {
    let s: Box<dyn Shape> = if b { Box::new(Square(x)) } else { Box::new(Odd(x)) };
    assert!(s.double() % 2 == u32::from(!b));
}

//@ expect: unsafe
#[verify]
fn objects_of_traits_wrong(x: u32, b: bool) {
    let s: Box<dyn Shape> = if b { Box::new(Square(x)) } else { Box::new(Odd(x)) };
    assert!(s.double() != 18);
}

#[inline(never)]
fn contains<T: Copy + PartialEq>(x: T, s: &[T]) -> bool { s.iter().any(|y| *y == x) }

//@ expect: safe
#[verify]
fn closures_in_generic_functions(x: u8, y: u32) { assert!(contains(x, &[1, 2]) == (x == 1 || x == 2)); assert!(contains(y, &[7, y])); }

//@ expect: unsafe
#[verify]
fn closures_in_generic_functions_wrong(x: u8, y: u32) { assert!(!contains(x, &[1]) || !contains(y, &[300])); }

#[inline(never)]
fn apply(f: &dyn Fn(u32) -> u32, x: u32) -> u32 { f(x) }
#[inline(never)]
fn apply_twice(f: &mut dyn FnMut(u32), x: u32) { f(x); f(x); }

//@ expect: safe
#[verify]
fn closures_as_objects(x: u32, k: u32) {
    assert!(apply(&|v| v ^ k, x) == x ^ k);
    let mut s = 0u32;
    apply_twice(&mut |v| s = s.wrapping_add(v), x);
    assert!(s == x.wrapping_mul(2));
}

//@ expect: unsafe
#[verify]
fn closures_as_objects_wrong(x: u32, k: u32) { assert!(apply(&|v| v ^ k, x) != 5); }

struct Stack<T, const N: usize> { data: [Option<T>; N], len: usize }
impl<T: Copy, const N: usize> Stack<T, N> {
    #[inline(never)]
    fn new() -> Self { Stack { data: [None; N], len: 0 } }
    #[inline(never)]
    fn push(&mut self, x: T) -> bool { if self.len < N { self.data[self.len] = Some(x); self.len += 1; true } else { false } }
    #[inline(never)]
    fn pop(&mut self) -> Option<T> { if self.len == 0 { None } else { self.len -= 1; self.data[self.len].take() } }
}

//@ expect: safe
#[verify]
fn methods_of_generic_types(x: u8, y: u8) {
    let mut s: Stack<u8, 2> = Stack::new();
    assert!(s.push(x) && s.push(y) && !s.push(1));
    assert!(s.pop() == Some(y) && s.pop() == Some(x) && s.pop().is_none());
}

//@ expect: unsafe
#[verify]
fn methods_of_generic_types_wrong(x: u8, y: u8) {
    let mut s: Stack<u8, 2> = Stack::new();
    s.push(x);
    s.push(y);
    assert!(s.pop() == Some(x));
}

#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct Pair<T> { x: T, y: T }

//@ expect: safe
#[verify]
fn derived(x: u8, y: u8) { let p = Pair { x, y }; assert!(*view(&p) == p); assert!(has(&[p, p], p)); }

//@ expect: unsafe
#[verify]
fn derived_wrong(x: u8, y: u8) { assert!(!has(&[Pair { x: 1, y: 2 }], Pair { x, y })); }

struct Counts<'a, T>(&'a std::cell::Cell<u32>, T);
impl<T> Drop for Counts<'_, T> { #[inline(never)] fn drop(&mut self) { self.0.set(self.0.get() + 1); } }

//@ expect: safe
#[verify]
fn drops_of_generic_types(x: u16) { let n = std::cell::Cell::new(0); drop(Counts(&n, x)); { let _c = Counts(&n, [x; 2]); } assert!(n.get() == 2); }

//@ expect: unsafe
#[verify]
fn drops_of_generic_types_wrong(x: u16) { let n = std::cell::Cell::new(0); drop(Counts(&n, x)); assert!(n.get() == 0); }

mod elsewhere {
    impl crate::Sum { #[inline(never)] pub fn add(&mut self, b: &[u8]) { for x in b { self.0 = self.0.wrapping_add(*x); } } }
}
struct Sum(u8);

//@ expect: safe
#[verify]
fn impls_in_other_modules(b: [u8; 2]) { let mut s = Sum(0); s.add(&b); assert!(s.0 == b[0].wrapping_add(b[1])); }

//@ expect: unsafe
#[verify]
fn impls_in_other_modules_wrong(b: [u8; 2]) { let mut s = Sum(0); s.add(&b); assert!(s.0 != 7); }
