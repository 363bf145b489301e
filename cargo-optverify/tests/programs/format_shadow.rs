//! A type of the crate that is called like a number is formatted by the crate.
#![allow(dead_code, non_camel_case_types)]
use optverify::verify;

struct u16;
impl std::fmt::Display for u16 { fn fmt(&self, _: &mut std::fmt::Formatter) -> std::fmt::Result { panic!("here") } }
//@ expect: unsafe
//@ known: unknown because a type of the crate has a number's name
#[verify]
fn named_like_a_number(x: u8) { if x > 3 { println!("{}", u16); } }
//@ expect: safe
//@ known: unknown because constants of the type print like the number's, so that such a crate has no verdicts
#[verify]
fn a_number(x: u8) { println!("{}", x); assert!(x as u32 <= 255); }
//@ expect: unsafe
//@ known: unknown because constants of the type print like the number's, so that such a crate has no verdicts
#[verify]
fn a_number_wrong(x: u8) { println!("{}", x); assert!(x < 255); }
