//! The length is written by the `Drop` of `SetLenOnDrop`.
//@ profile: release
//@ truth: panics
use optverify::verify;
#[verify]
pub fn extend(a: u8) {
    let mut v = vec![1u8];
    v.extend([a, 2]);
    assert!(v.len() == 1);
}
