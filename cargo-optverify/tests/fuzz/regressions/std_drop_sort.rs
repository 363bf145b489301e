//! The `Drop` of `CopyOnDrop` puts the last element into its place.
//@ profile: release
//@ truth: never panics
use optverify::verify;
#[verify]
pub fn sort(a: u8, b: u8, c: u8) {
    let mut v = [a, b, c];
    v.sort();
    assert!(v[0] ^ v[1] ^ v[2] == a ^ b ^ c);
}
