//! The `Drop` of `vec::Splice` does all the work.
//@ profile: release
//@ truth: panics
use optverify::verify;
#[verify]
pub fn splice(n: u8) {
    let mut v = vec![n, 1, 2];
    v.splice(0..1, [7, 8]);
    assert!(v.is_empty());
}
