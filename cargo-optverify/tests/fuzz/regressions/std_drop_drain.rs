//! The `Drop` of `vec::Drain` moves the tail back.
//@ profile: release
//@ truth: panics
use optverify::verify;
#[verify]
pub fn drain(n: u8) {
    let mut v = vec![n, 1, 2, 3];
    {
        let mut d = v.drain(..2);
        d.next();
    }
    assert!(v.is_empty());
}
