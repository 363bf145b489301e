//! The `Drop` of `string::Drain` removes the range.
//@ profile: release
//@ truth: panics
use optverify::verify;
#[verify]
pub fn text(n: u8) {
    let mut s = String::from("abc");
    s.drain(..1);
    assert!(s.len() == 3 || n < 200);
}
