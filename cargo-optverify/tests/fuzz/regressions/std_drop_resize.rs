//! The length is written by the `Drop` of `SetLenOnDrop`.
//@ profile: release
//@ truth: panics
use optverify::verify;
#[verify]
pub fn resize(a: u8) {
    let mut v = vec![a];
    v.resize(3, 1);
    assert!(v.len() == 1);
}
