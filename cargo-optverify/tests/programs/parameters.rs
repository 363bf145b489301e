//! Parameters of std's own types: boxes, strings, durations, numbers that are not zero.
use optverify::verify;
use std::num::*;
use std::time::Duration;

struct Policy { attempts: NonZeroU32, pause: Duration, offset: Box<i8> }

//@ expect: safe
#[verify]
fn share(of: NonZeroU8) -> u8 { 100 / of.get() }

//@ expect: unsafe
#[verify]
fn share_wrong(of: NonZeroU8) -> u8 { 100 / (of.get() - 1) }

//@ expect: safe
#[verify]
fn signed_share(of: NonZero<i32>, all: i32) -> i32 { all.wrapping_div(of.get()) }

//@ expect: unsafe
#[verify]
fn signed_share_wrong(of: NonZero<i32>, all: i32) -> i32 { all / of.get() }

//@ expect: safe
#[verify]
fn maybe(n: Option<NonZeroU16>) -> u16 { match n { Some(x) => 1000 / x.get(), None => 0 } }

//@ expect: unsafe
#[verify]
fn maybe_wrong(n: Option<NonZeroU16>) -> u16 { n.unwrap().get() }

//@ expect: safe
#[verify]
fn nanoseconds(d: Duration) -> u32 { assert!(d.subsec_nanos() < 1_000_000_000); d.subsec_millis() }

//@ expect: unsafe
#[verify]
fn nanoseconds_wrong(d: Duration) { assert!(d.subsec_nanos() < 999_999_999); }

//@ expect: safe
#[verify]
fn later(d: Duration) -> Option<Duration> { d.checked_add(Duration::from_secs(1)) }

//@ expect: unsafe
#[verify]
fn later_wrong(d: Duration) -> Duration { d + Duration::from_secs(1) }

//@ expect: safe
#[verify]
fn boxed(b: Box<u32>) { let n = *b; if n < 10 { assert!(n + 1 > n); } }

//@ expect: unsafe
#[verify]
fn boxed_wrong(b: Box<u32>) { assert!(*b != 17); }

//@ expect: safe
#[verify]
fn written(mut b: Box<(u8, u8)>) { b.0 = 3; assert!(b.0 as u16 + b.1 as u16 <= 258); }

//@ expect: unsafe
#[verify]
fn written_wrong(mut b: Box<(u8, u8)>) { b.0 = 3; assert!(b.1 != b.0); }

//@ expect: safe
#[verify]
fn boxed_slice(b: Box<[u8]>) -> u8 { if b.len() > 2 { b[2] } else { 0 } }

//@ expect: unsafe
#[verify]
fn boxed_slice_wrong(b: Box<[u8]>) -> u8 { if b.len() > 1 { b[2] } else { 0 } }

//@ expect: safe
#[verify]
fn maybe_boxed(o: Option<Box<u32>>) { if let Some(b) = o { assert!(*b / 2 <= u32::MAX / 2); } }

//@ expect: unsafe
#[verify]
fn maybe_boxed_wrong(o: Option<Box<u32>>) { if let Some(b) = o { assert!(*b < 1000); } }

//@ expect: safe
#[verify]
fn room(s: String) -> usize { if s.len() > 2 { assert!(!s.is_empty()); } assert!(s.capacity() >= s.len()); s.len() }

//@ expect: unsafe
#[verify]
fn room_wrong(s: String) -> u8 { s.as_bytes()[0] }

//@ expect: safe
#[verify]
fn longer(mut s: String) { s.push('a'); assert!(!s.is_empty()); }

//@ expect: unsafe
#[verify]
fn longer_wrong(mut s: String) { s.push('a'); assert!(s.len() > 1); }

//@ expect: unsafe
#[verify]
fn last_wrong(s: &mut String) -> char { s.pop().unwrap() }

//@ expect: safe
#[verify]
fn fields(p: Policy) -> u32 { p.pause.subsec_nanos() / p.attempts.get() }

//@ expect: unsafe
#[verify]
fn fields_wrong(p: &Policy) { assert!(*p.offset != -128); }
