//! Structs, tuples, methods, nested and generic data.
use optverify::verify;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Point { x: i32, y: i32 }

impl Point {
    fn swap(self) -> Point { Point { x: self.y, y: self.x } }
    fn shift(&mut self, d: i32) { self.x = self.x.wrapping_add(d); self.y = self.y.wrapping_sub(d); }
}

//@ expect: safe
#[verify]
fn swap_twice(x: i32, y: i32) {
    let p = Point { x, y };
    assert_eq!(p.swap().swap(), p);
}

//@ expect: unsafe
#[verify]
fn swap_once(x: i32, y: i32) {
    let p = Point { x, y };
    assert_eq!(p.swap(), p);
}

//@ expect: safe
#[verify]
fn shift_keeps_sum(mut p: (i32, i32), d: i32) {
    let mut q = Point { x: p.0, y: p.1 };
    q.shift(d);
    p.0 = q.x; p.1 = q.y;
    assert!(p.0.wrapping_add(p.1) == q.x.wrapping_add(q.y));
    assert!(q.x.wrapping_sub(d).wrapping_add(q.y).wrapping_add(d) == q.x.wrapping_add(q.y));
}

//@ expect: unsafe
#[verify]
fn shift_changes_sum(p: (i32, i32), d: i32) {
    let mut q = Point { x: p.0, y: p.1 };
    q.shift(d);
    assert!(q.x == p.0 || q.y == p.1);
}

#[derive(Clone, Copy)]
struct Rect { min: Point, max: Point }

impl Rect {
    fn new(a: Point, b: Point) -> Rect {
        Rect {
            min: Point { x: a.x.min(b.x), y: a.y.min(b.y) },
            max: Point { x: a.x.max(b.x), y: a.y.max(b.y) },
        }
    }
    fn contains(&self, p: &Point) -> bool {
        (self.min.x..=self.max.x).contains(&p.x) && (self.min.y..=self.max.y).contains(&p.y)
    }
}

//@ expect: safe
#[verify(timeout = "3s")]
fn rect_holds_its_corners(a: i32, b: i32, c: i32, d: i32) {
    let (p, q) = (Point { x: a, y: b }, Point { x: c, y: d });
    let r = Rect::new(p, q);
    assert!(r.contains(&p) && r.contains(&q));
}

//@ expect: unsafe
#[verify]
fn rect_holds_everything(a: i32, b: i32, c: i32) {
    let p = Point { x: a, y: b };
    let r = Rect::new(p, p);
    assert!(r.contains(&Point { x: c, y: b }));
}

struct Counter { limit: u8, at: u8 }

impl Counter {
    fn step(&mut self) -> Option<u8> {
        if self.at < self.limit { self.at += 1; Some(self.at) } else { None }
    }
}

//@ expect: safe
#[verify]
fn counter_stays_in_limit(limit: u8, steps: u8) {
    let mut c = Counter { limit, at: 0 };
    let mut i = 0u8;
    while i < steps {
        if let Some(v) = c.step() { assert!(v <= limit); }
        i += 1;
    }
    assert!(c.at <= limit);
}

//@ expect: unsafe
#[verify]
fn counter_reaches_less(limit: u8, steps: u8) {
    let mut c = Counter { limit, at: 0 };
    let mut i = 0u8;
    while i < steps { c.step(); i += 1; }
    assert!(c.at < 200);
}

struct Pair<T> { a: T, b: T }

impl<T: Ord + Copy> Pair<T> {
    fn largest(&self) -> T { if self.a > self.b { self.a } else { self.b } }
}

//@ expect: safe
#[verify]
fn generic_largest(a: i16, b: i16) {
    let p = Pair { a, b };
    assert!(p.largest() >= a && p.largest() >= b);
}

//@ expect: unsafe
#[verify]
fn generic_largest_strict(a: i16, b: i16) {
    let p = Pair { a, b };
    assert!(p.largest() > a);
}

#[derive(Clone, Copy, Default, PartialEq, PartialOrd, Eq, Ord)]
struct Version { major: u8, minor: u8, patch: u8 }

//@ expect: safe
#[verify]
fn derived_order(a: u8, b: u8, c: u8) {
    let v = Version { major: a, minor: b, patch: c };
    assert!(v >= Version::default());
    if a < 255 { assert!(Version { major: a + 1, ..v } > v); }
}

//@ expect: unsafe
#[verify]
fn derived_order_wrong(a: u8, b: u8, c: u8) {
    let v = Version { major: a, minor: b, patch: c };
    assert!(v > Version::default());
}

//@ expect: safe
#[verify]
fn struct_parameter(r: &Small) -> u8 {
    if r.n > 3 { return 0; }
    let t = [10u8, 20, 30, 40];
    t[r.n as usize]
}

//@ expect: unsafe
#[verify]
fn struct_parameter_unguarded(r: &Small) -> u8 {
    if r.n > 4 { return 0; }
    let t = [10u8, 20, 30, 40];
    t[r.n as usize]
}

struct Small { n: u8 }

pub struct Account { balance: u64, limit: u64 }

//@ expect: safe
#[verify]
fn closure_of_two_parts(a: Account) { let same = || a.balance <= a.limit || a.balance > a.limit; assert!(same()); }

//@ expect: unsafe
#[verify]
fn closure_of_two_parts_wrong(a: Account) { let less = || a.balance <= a.limit; assert!(less()); }
