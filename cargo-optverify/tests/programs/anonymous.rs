//! Functions whose parameters have types without a name (`impl Tr`), called too deep for rustc's inliner, or not inlined.

use optverify::verify;

trait Step {
    fn step(&mut self, x: u32) -> u32;
}

struct Add(u32);
struct Half;

impl Step for Add {
    fn step(&mut self, x: u32) -> u32 {
        self.0 = self.0.wrapping_add(1);
        x.wrapping_add(self.0)
    }
}

impl Step for Half {
    fn step(&mut self, x: u32) -> u32 {
        x / 2
    }
}

#[inline(never)]
fn twice(step: &mut impl Step, x: u32) -> u32 {
    let once = step.step(x);
    step.step(once)
}

#[inline(never)]
fn mapped<const N: usize>(values: [u32; N], mut f: impl FnMut(u32) -> u32) -> u32 {
    let mut sum = 0u32;
    for value in values {
        sum = sum.wrapping_add(f(value));
    }
    sum
}

#[inline(never)]
fn both(one: impl Step, two: impl Step, x: u32) -> u32 {
    let (mut one, mut two) = (one, two);
    twice(&mut two, twice(&mut one, x))
}

//@ expect: safe
#[verify]
fn of_one_type(x: u32) {
    assert!(twice(&mut Half, x) == x / 4);
}

//@ expect: unsafe
#[verify]
fn of_one_type_fails(x: u32) {
    assert!(twice(&mut Half, x) != x / 2);
}

//@ expect: safe
#[verify]
fn of_another_type(x: u32) {
    let mut add = Add(1);
    assert!(twice(&mut add, x) == x.wrapping_add(5) && add.0 == 3);
}

//@ expect: unsafe
#[verify]
fn of_another_type_fails(x: u32) {
    let mut add = Add(1);
    assert!(twice(&mut add, x) > x);
}

//@ expect: safe
#[verify]
fn of_a_closure(a: u32, b: u32) {
    let mut calls = 0;
    let sum = mapped([a, b], |value| {
        calls += 1;
        value & 0xff
    });
    assert!(calls == 2 && sum <= 0x1fe);
}

//@ expect: unsafe
#[verify]
fn of_a_closure_fails(a: u32, b: u32) {
    assert!(mapped([a, b], |value| value & 0xff) < 0x1fe);
}

//@ expect: safe
//@ known: unknown because two parameters of different types print alike
#[verify]
fn of_two_types(x: u32) {
    assert!(both(Add(0), Half, x) == x.wrapping_add(3) / 4);
}

//@ expect: unsafe
//@ known: unknown because two parameters of different types print alike
#[verify]
fn of_two_types_fails(x: u32) {
    assert!(both(Add(0), Half, x) == x.wrapping_add(3) / 2);
}

//@ expect: safe
#[verify]
fn of_one_type_twice(x: u32) {
    assert!(both(Half, Half, x) == x / 16);
}

//@ expect: unsafe
#[verify]
fn of_one_type_twice_fails(x: u32) {
    assert!(both(Half, Half, x) == x / 8);
}

#[inline(never)]
fn of_all<const N: usize>(steps: [impl Step; N], x: u32) -> u32 {
    let mut x = x;
    for mut step in steps {
        x = step.step(x);
    }
    x
}

//@ expect: safe
#[verify]
fn of_arrays(x: u32) {
    assert!(of_all([Half, Half], x) == x / 4 && of_all([Add(1)], x) == x.wrapping_add(2));
}

//@ expect: unsafe
#[verify]
fn of_arrays_fails(x: u32) {
    assert!(of_all([Half, Half], x) == x / 2);
}

#[inline(never)]
fn inside(f: impl Fn(u32) -> u32, y: u32) -> u32 {
    let both = |x: u32| f(x) ^ y;
    both(1) ^ both(2)
}

#[inline(never)]
fn inside_named<F: Fn(u32) -> u32>(f: F, y: u32) -> u32 {
    let both = |x: u32| f(x) ^ y;
    both(1) ^ both(2)
}

//@ expect: safe
#[verify]
fn called_by_a_closure(y: u32) {
    assert!(inside(|x| x, y) == 3 && inside_named(|x| x + 1, y) == 1);
}

//@ expect: unsafe
#[verify]
fn called_by_a_closure_fails(y: u32) {
    assert!(inside(|x| x, y) == 3 ^ y || inside_named(|x| x, y) != 3);
}

struct Meters(u32);

#[inline(never)]
fn converted(x: impl Into<Meters>) -> u32 {
    x.into().0
}

impl From<u32> for Meters {
    fn from(x: u32) -> Self {
        Meters(x ^ 1)
    }
}

//@ expect: safe
#[verify]
fn into_itself(x: u32) {
    assert!(converted(Meters(x)) == x && converted(x) == x ^ 1);
}

//@ expect: unsafe
#[verify]
fn into_itself_fails(x: u32) {
    assert!(converted(Meters(x)) == converted(x));
}

#[inline(never)]
fn size<T>(x: T) -> usize {
    std::mem::size_of_val(&x)
}

//@ expect: safe
#[verify]
fn sizes_of_references(x: u32, bytes: &[u8]) {
    assert!(size(&x) == 8 && size(bytes) == 16 && size(x) == 4);
}

//@ expect: unsafe
#[verify]
fn sizes_of_references_fail(x: u32, bytes: &[u8]) {
    assert!(size(&x) == size(bytes));
}
