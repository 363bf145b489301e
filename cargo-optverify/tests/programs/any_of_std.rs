//! Arbitrary values of std's types.
use core::num::NonZero;
use optverify::{Any, any, verify};

#[derive(Any, Clone, Copy)]
struct Point {
    x: u8,
    y: u16,
}

#[derive(Any)]
struct Mixed {
    bytes: Vec<u8>,
    number: Box<u32>,
    order: core::cmp::Ordering,
}

//@ expect: unsafe
#[verify]
fn vector_index() -> u8 {
    let v: Vec<u8> = any();
    if v.len() >= 3 { v[3] } else { 0 }
}

//@ expect: safe
#[verify]
fn mixed() {
    let m: Mixed = any();
    if let Some(first) = m.bytes.first() {
        assert!(100 / (u32::from(*first) | 1) <= 100);
    }
}

//@ expect: unsafe
#[verify]
fn mixed_wrong() {
    let m: Mixed = any();
    if m.order == core::cmp::Ordering::Less {
        assert!(*m.number != 77);
    }
}

//@ expect: safe
#[verify]
fn points() {
    let all: [Point; 3] = any();
    assert!(u32::from(all[0].x) + u32::from(all[2].y) <= 255 + 65_535);
}

//@ expect: unsafe
#[verify]
fn points_wrong() {
    let all: [Point; 3] = any();
    assert!(all[1].x != 9 || all[2].y != 1000);
}

//@ expect: safe
#[verify]
fn not_zero() {
    let n: NonZero<u8> = any();
    assert!(100 / n.get() <= 100);
}

//@ expect: unsafe
#[verify]
fn not_zero_wrong() {
    let n: NonZero<u8> = any();
    assert!(100 / (n.get() - 1) <= 100);
}

//@ expect: safe
#[verify]
fn durations_and_ranges() {
    let d: core::time::Duration = any();
    assert!(d.subsec_nanos() < 1_000_000_000);
    let r: core::ops::Range<u8> = any();
    if r.contains(&5) {
        assert!(r.start <= 5);
    }
}

//@ expect: safe
#[verify]
fn boxed() {
    let b: Option<Box<i16>> = any();
    if let Some(b) = b {
        assert!(i32::from(*b) >= -32_768);
    }
}
