//! A crate without `std`: MIR names the types of `alloc` and `core` by these crates.
#![no_std]
#![allow(dead_code)]
extern crate alloc;
use alloc::borrow::Cow;
use core::cmp::Ordering;
use optverify::verify;

struct Table { bytes: Cow<'static, [u8]> }

impl Table {
    fn at(&self, i: usize) -> Option<u8> {
        match &self.bytes {
            Cow::Borrowed(b) => b.get(i).copied(),
            Cow::Owned(v) => v.get(i).copied(),
        }
    }
}

//@ expect: safe
#[verify]
fn text_that_may_be_owned(table: &Table, i: usize) {
    assert!(table.at(i).is_some() == (i < table.bytes.len()));
}

//@ expect: unsafe
#[verify]
fn text_that_may_be_owned_wrong(table: &Table, i: usize) {
    if let Cow::Owned(v) = &table.bytes { assert!(i >= v.len()); }
}

//@ expect: safe
#[verify]
fn ordered(a: u8, b: u8) {
    assert!(match a.cmp(&b) { Ordering::Less => a < b, Ordering::Equal => a == b, Ordering::Greater => a > b });
}

//@ expect: unsafe
#[verify]
fn ordered_wrong(a: u8, b: u8) {
    assert!(a.cmp(&b) != Ordering::Greater);
}
