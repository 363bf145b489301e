//! A module of the crate that is named like one of std's crates: whose item is meant, MIR does not tell.
use optverify::verify;

pub mod core {
    pub mod time { pub struct Duration { pub secs: u64, pub nanos: u32 } }
    pub mod num { pub struct NonZero<T> { pub v: T } }
    pub mod u8 { pub const MAX: u8 = 3; }
    pub mod cmp { pub enum Ordering { Less, Greater, Equal } }
}

//@ expect: unsafe
//@ known: unknown because both print as `core::..`
#[verify]
fn own_duration(d: crate::core::time::Duration) { assert!(d.nanos < 1_000_000_000); }

//@ expect: unsafe
//@ known: unknown because both print as `core::..`
#[verify]
fn own_nonzero(d: crate::core::num::NonZero<u8>) -> u8 { 7 / d.v }

//@ expect: safe
//@ known: unknown because both print as `core::..`
#[verify]
fn own_constant(x: u8) { assert!(x <= 3 || x > crate::core::u8::MAX); }

//@ expect: unsafe
//@ known: unknown because both print as `core::..`
#[verify]
fn own_order(o: ::core::cmp::Ordering) { let a = crate::core::cmp::Ordering::Less; if o as i8 == -1 { assert!(a as i8 == -1); } }
