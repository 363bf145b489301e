//! Traits, generics, trait objects, operators, Drop, iterators of our own.
use optverify::verify;
use std::ops::{Add, Index, IndexMut, Mul, Neg, AddAssign};

trait Area { fn area(&self) -> u32; fn double(&self) -> u32 { self.area() * 2 } }
struct Sq(u8);
struct Re(u8, u8);
impl Area for Sq { fn area(&self) -> u32 { self.0 as u32 * self.0 as u32 } }
impl Area for Re { fn area(&self) -> u32 { self.0 as u32 * self.1 as u32 } fn double(&self) -> u32 { self.area() + self.area() } }

fn total<A: Area, B: Area>(a: &A, b: &B) -> u32 { a.double() + b.double() }

//@ expect: safe
#[verify]
fn static_dispatch(x: u8, y: u8) { assert!(total(&Sq(x), &Re(x, y)) <= 4 * 255 * 255); }

//@ expect: unsafe
#[verify]
fn static_dispatch_wrong(x: u8, y: u8) { assert!(total(&Sq(x), &Re(x, y)) < 4 * 255 * 255); }

//@ expect: safe
#[verify]
fn dynamic_dispatch_one(x: u8) { let s = Sq(x); let d: &dyn Area = &s; assert!(d.area() <= 65025); }

//@ expect: unsafe
#[verify]
fn dynamic_dispatch_one_wrong(x: u8) { let s = Sq(x); let d: &dyn Area = &s; assert!(d.double() < 2 * 65025); }

//@ expect: safe
#[verify]
fn dynamic_dispatch_two(x: u8, b: bool) { let s = Sq(x); let r = Re(x, 2); let d: &dyn Area = if b { &s } else { &r }; assert!(d.area() <= 65025); }

//@ expect: unsafe
#[verify]
fn dynamic_dispatch_two_wrong(x: u8, b: bool) { let s = Sq(x); let r = Re(x, 2); let d: &dyn Area = if b { &s } else { &r }; assert!(d.area() >= 2 * x as u32); }

#[derive(Clone, Copy, PartialEq, Debug)]
struct V2 { x: i16, y: i16 }
impl Add for V2 { type Output = V2; fn add(self, o: V2) -> V2 { V2 { x: self.x.wrapping_add(o.x), y: self.y.wrapping_add(o.y) } } }
impl Neg for V2 { type Output = V2; fn neg(self) -> V2 { V2 { x: self.x.wrapping_neg(), y: self.y.wrapping_neg() } } }
impl Mul<i16> for V2 { type Output = V2; fn mul(self, k: i16) -> V2 { V2 { x: self.x.wrapping_mul(k), y: self.y.wrapping_mul(k) } } }
impl AddAssign for V2 { fn add_assign(&mut self, o: V2) { *self = *self + o; } }

//@ expect: safe
#[verify]
fn operators(a: (i16, i16), b: (i16, i16)) { let (p, q) = (V2 { x: a.0, y: a.1 }, V2 { x: b.0, y: b.1 }); let mut s = p + q; s += -q; assert!(s == p); assert!(p * 2 == p + p); }

//@ expect: unsafe
#[verify]
fn operators_wrong(a: (i16, i16)) { let p = V2 { x: a.0, y: a.1 }; assert!(-p != p || a.0 == 0); }

struct Grid { cells: [u8; 12] }
impl Index<(usize, usize)> for Grid { type Output = u8; fn index(&self, (r, c): (usize, usize)) -> &u8 { &self.cells[r * 4 + c] } }
impl IndexMut<(usize, usize)> for Grid { fn index_mut(&mut self, (r, c): (usize, usize)) -> &mut u8 { &mut self.cells[r * 4 + c] } }

//@ expect: safe
#[verify]
fn custom_index(r: usize, c: usize, v: u8) { let mut g = Grid { cells: [0; 12] }; if r < 3 && c < 4 { g[(r, c)] = v; assert!(g[(r, c)] == v); } }

//@ expect: unsafe
#[verify]
fn custom_index_wrong(r: usize, c: usize) { let g = Grid { cells: [0; 12] }; if r < 3 && c <= 4 { assert!(g[(r, c)] == 0); } }

struct Countdown(u8);
impl Iterator for Countdown { type Item = u8; fn next(&mut self) -> Option<u8> { if self.0 == 0 { None } else { self.0 -= 1; Some(self.0) } } }

//@ expect: safe
#[verify(timeout = "3s")]
fn own_iterator(n: u8) { let mut k = 0u32; for x in Countdown(n) { assert!(x < n); k += 1; } assert!(k == n as u32); }

//@ expect: unsafe
#[verify]
fn own_iterator_wrong(n: u8) { for x in Countdown(n) { assert!(x > 0); } }

//@ expect: safe
#[verify]
fn own_iterator_adapted(n: u8) { let m = Countdown(n).filter(|x| x % 2 == 0).map(|x| x / 2).max(); assert!(m.unwrap_or(0) <= 127); }

//@ expect: unsafe
#[verify]
fn own_iterator_adapted_wrong(n: u8) { assert!(Countdown(n).filter(|x| x % 2 == 1).count() < 127); }

struct Guard<'a> { log: &'a mut u32, by: u32 }
impl Drop for Guard<'_> { fn drop(&mut self) { *self.log = self.log.wrapping_add(self.by); } }

//@ expect: safe
#[verify]
fn drop_runs(n: u32) { let mut log = n; { let _g = Guard { log: &mut log, by: 5 }; } assert!(log == n.wrapping_add(5)); }

//@ expect: unsafe
#[verify]
fn drop_runs_wrong(n: u32) { let mut log = n; { let _g = Guard { log: &mut log, by: 5 }; } assert!(log == n); }

struct Bomb(u8);
impl Drop for Bomb { fn drop(&mut self) { assert!(self.0 < 200); } }

//@ expect: safe
#[verify]
fn drop_conditional(n: u8) { let b = Bomb(n); if n >= 200 { std::mem::forget(b); } }

//@ expect: unsafe
#[verify]
fn drop_conditional_wrong(n: u8) { let b = Bomb(n); if n > 200 { std::mem::forget(b); } }

trait Zero { const ZERO: Self; fn is_zero(&self) -> bool; }
impl Zero for u8 { const ZERO: u8 = 0; fn is_zero(&self) -> bool { *self == 0 } }
impl Zero for i64 { const ZERO: i64 = 0; fn is_zero(&self) -> bool { *self == 0 } }
fn safe_div<T: Zero + std::ops::Div<Output = T> + Copy>(a: T, b: T) -> T { if b.is_zero() { T::ZERO } else { a / b } }

//@ expect: safe
#[verify]
fn generic_div(a: u8, b: u8) { assert!(safe_div(a, b) <= a); }

//@ expect: unsafe
#[verify]
fn generic_div_wrong(a: i64, b: i64) { safe_div(a, b); }

fn const_generic<const N: usize>(a: [u8; N]) -> usize { let mut n = 0; for x in a { if x > 0 { n += 1; } } n }

//@ expect: safe
#[verify]
fn const_generics(a: [u8; 5]) { assert!(const_generic(a) <= 5); }

//@ expect: unsafe
#[verify]
fn const_generics_wrong(a: [u8; 5]) { assert!(const_generic(a) < 5); }

struct Stack<T, const N: usize> { data: [Option<T>; N], len: usize }
impl<T: Copy, const N: usize> Stack<T, N> {
    fn new() -> Self { Stack { data: [None; N], len: 0 } }
    fn push(&mut self, t: T) -> Result<(), T> { if self.len == N { return Err(t); } self.data[self.len] = Some(t); self.len += 1; Ok(()) }
    fn pop(&mut self) -> Option<T> { if self.len == 0 { None } else { self.len -= 1; self.data[self.len].take() } }
}

//@ expect: safe
#[verify]
fn generic_stack(a: u16, b: u16) { let mut s: Stack<u16, 4> = Stack::new(); s.push(a).unwrap(); s.push(b).unwrap(); assert!(s.pop() == Some(b) && s.pop() == Some(a) && s.pop() == None); }

//@ expect: unsafe
#[verify]
fn generic_stack_wrong(a: u16, n: u8) { let mut s: Stack<u16, 4> = Stack::new(); for _ in 0..n { s.push(a).unwrap(); } }

//@ expect: safe
#[verify(T = u32, T = i8)]
fn generic_root<T: PartialOrd + Copy>(a: T, b: T) { let m = if a < b { a } else { b }; assert!(m <= a && m <= b); }

impl From<Sq> for u32 { fn from(s: Sq) -> u32 { s.area() } }

//@ expect: safe
#[verify]
fn from_into(x: u8) { let n: u32 = Sq(x).into(); assert!(n <= 65025); assert!(u64::from(x) == x as u64); }

//@ expect: unsafe
#[verify]
fn from_into_wrong(x: u8) { let n: u32 = Sq(x).into(); assert!(n != 49); }

// Trait objects of numbers: the memory behind one is of the type that its number says.
trait Width { fn width(&self) -> u32; fn widen(&mut self) {} }
impl Width for u8 { fn width(&self) -> u32 { u32::from(*self) } fn widen(&mut self) { *self |= 1; } }
impl Width for u16 { fn width(&self) -> u32 { u32::from(*self) } }
impl Width for bool { fn width(&self) -> u32 { u32::from(*self) } }

//@ expect: safe
#[verify]
fn objects_of_numbers(x: u8, y: u16, c: bool) { let d: &dyn Width = if c { &x } else { &y }; assert!(d.width() == if c { u32::from(x) } else { u32::from(y) }); }

//@ expect: unsafe
#[verify]
fn objects_of_numbers_wrong(x: u8, y: u16, c: bool) { let d: &dyn Width = if c { &x } else { &y }; assert!(d.width() <= 255); }

//@ expect: safe
#[verify]
fn array_of_objects(x: u8, y: u16) { let all: [&dyn Width; 3] = [&x, &y, &true]; let mut sum = 0; for d in all { sum += d.width(); } assert!(sum <= 65535 + 256); }

//@ expect: safe
#[verify]
fn written_objects(mut x: u8, mut y: u16, c: bool) { let old = y; { let d: &mut dyn Width = if c { &mut x } else { &mut y }; d.widen(); } assert!(y == old && (!c || x % 2 == 1)); }

//@ expect: unsafe
#[verify]
fn written_objects_wrong(mut x: u8, mut y: u16, c: bool) { { let d: &mut dyn Width = if c { &mut x } else { &mut y }; d.widen(); } assert!(x % 2 == 1); }

//@ expect: safe
#[verify]
fn boxes_of_numbers(x: u8, y: u16, c: bool) { let d: Box<dyn Width> = if c { Box::new(x) } else { Box::new(y) }; assert!(d.width() == if c { u32::from(x) } else { u32::from(y) }); }

//@ expect: unsafe
#[verify]
fn boxes_of_numbers_wrong(x: u8, y: u16, c: bool) { let d: Box<dyn Width> = if c { Box::new(x) } else { Box::new(y) }; assert!(d.width() == u32::from(x)); }

// Methods that take the box itself.
trait State {
    fn next(self: Box<Self>, b: u8) -> Box<dyn State>;
    fn code(&self) -> u8;
}
struct Idle;
struct Running { n: u8, steps: u16 }
struct Done(u8);
impl State for Idle {
    fn next(self: Box<Self>, b: u8) -> Box<dyn State> {
        if b > 9 { Box::new(Running { n: b, steps: 300 }) } else { self }
    }
    fn code(&self) -> u8 { 0 }
}
impl State for Running {
    fn next(mut self: Box<Self>, b: u8) -> Box<dyn State> {
        self.n = self.n.wrapping_add(b);
        self.steps += 1;
        if b == 0 { Box::new(Done(self.n)) } else { self }
    }
    fn code(&self) -> u8 { self.n }
}
impl State for Done {
    fn next(self: Box<Self>, _: u8) -> Box<dyn State> { self }
    fn code(&self) -> u8 { self.0 }
}

//@ expect: safe
#[verify]
fn states(b: u8, c: u8) {
    let s: Box<dyn State> = Box::new(Idle);
    let s = s.next(b).next(c);
    if b > 9 { assert!(s.code() == b.wrapping_add(c)); }
}

//@ expect: unsafe
#[verify]
fn states_wrong(b: u8, c: u8) {
    let s: Box<dyn State> = Box::new(Idle);
    let s = s.next(b).next(c);
    assert!(s.code() == 0 || s.code() == b);
}

//@ expect: safe
#[verify]
fn states_in_a_loop(v: [u8; 3]) {
    let mut s: Box<dyn State> = Box::new(Idle);
    for b in v { s = s.next(b); }
    assert!(v[0] > 9 || v[1] > 9 || v[2] > 9 || s.code() == 0);
}

//@ expect: unsafe
#[verify]
fn states_in_a_loop_wrong(v: [u8; 3]) {
    let mut s: Box<dyn State> = Box::new(Idle);
    for b in v { s = s.next(b); }
    assert!(s.code() != 77);
}

trait End { fn end(self: Box<Self>) -> u8; }
struct Counted<'a>(&'a std::cell::Cell<u32>, u8);
impl Drop for Counted<'_> { fn drop(&mut self) { self.0.set(self.0.get() + 1); } }
impl End for Counted<'_> { fn end(self: Box<Self>) -> u8 { self.1 } }
impl End for Done { fn end(self: Box<Self>) -> u8 { self.0 } }

//@ expect: safe
#[verify]
fn box_dropped_by_its_method(k: bool) {
    let c = std::cell::Cell::new(0);
    let e: Box<dyn End + '_> = if k { Box::new(Counted(&c, 4)) } else { Box::new(Done(4)) };
    assert!(e.end() == 4);
    assert!(c.get() == k as u32);
}

//@ expect: unsafe
#[verify]
fn box_dropped_by_its_method_wrong(k: bool) {
    let c = std::cell::Cell::new(0);
    let e: Box<dyn End + '_> = if k { Box::new(Counted(&c, 4)) } else { Box::new(Done(4)) };
    assert!(e.end() == 4);
    assert!(c.get() == 0);
}
