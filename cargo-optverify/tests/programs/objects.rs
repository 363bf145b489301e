//! Boxes of trait objects that are trait objects again, values that hold more of their kind, and options of numbers that
//! are not zero whose number nobody looks at.
use optverify::verify;
use std::num::NonZero;

fn call(f: Box<dyn FnOnce(i32, i32) -> i32>) -> i32 { f(1, 2) }

//@ expect: safe
#[verify]
fn a_box_as_an_object(z: i8) {
    let z = i32::from(z);
    let f = Box::new(move |x, y| x + y + z) as Box<dyn FnOnce(i32, i32) -> i32>;
    assert!(call(Box::new(f)) == 3 + z);
}

//@ expect: unsafe
#[verify]
fn a_box_as_an_object_wrong(z: i8) {
    let z = i32::from(z);
    let f = Box::new(move |x, y| x + y + z) as Box<dyn FnOnce(i32, i32) -> i32>;
    assert!(call(Box::new(f)) == 6);
}

//@ expect: safe
#[verify]
fn a_box_in_a_box(n: i32) { let f: Box<Box<dyn FnOnce(i32)>> = Box::new(Box::new(move |x| assert!(x == n))); f(n); }

//@ expect: unsafe
#[verify]
fn a_box_in_a_box_wrong(n: i32) { let f: Box<Box<dyn FnOnce(i32)>> = Box::new(Box::new(move |x| assert!(x == n))); f(1); }

struct D(i32);
impl Drop for D { fn drop(&mut self) { assert!(self.0 > 0); } }

//@ expect: safe
#[verify]
fn dropped_through_two_boxes(n: i32) {
    let x: Box<dyn Send> = Box::new(D(if n > 0 { n } else { 1 }));
    let _b: Box<dyn Send> = Box::new(x);
}

//@ expect: unsafe
#[verify]
fn dropped_through_two_boxes_wrong(n: i32) {
    let x: Box<dyn Send> = Box::new(D(n));
    let _b: Box<dyn Send> = Box::new(x);
}

struct Link { value: D, next: Option<Box<Link>> }

//@ expect: safe
#[verify]
fn a_short_list(n: i32) {
    if n > 0 { let _l = Link { value: D(n), next: Some(Box::new(Link { value: D(2), next: None })) }; }
}

//@ expect: unsafe
#[verify]
fn a_short_list_wrong(n: i32) {
    let _l = Link { value: D(1), next: Some(Box::new(Link { value: D(n), next: None })) };
}

//@ expect: safe
//@ known: unknown because a list is dropped three links deep
#[verify]
fn a_longer_list() {
    let mut l = Link { value: D(1), next: None };
    for _ in 0..5 { l = Link { value: D(2), next: Some(Box::new(l)) }; }
    assert!(l.value.0 == 2);
}

//@ expect: safe
#[verify]
fn not_zero(n: u128) { assert!(NonZero::new(n).is_some() == (n != 0)); }

//@ expect: unsafe
#[verify]
fn not_zero_wrong(n: u128) { assert!(NonZero::new(n).is_some()); }

//@ expect: safe
#[verify]
fn second_character() { assert!("foo".chars().nth(1) == Some('o')); }

//@ expect: unsafe
#[verify]
fn second_character_wrong() { assert!("foo".chars().nth(0) == Some('o')); }
