//! The `Drop` of `Rc` counts down.
//@ profile: release
//@ truth: never panics
use optverify::verify;
#[verify]
pub fn rc_unwrap(n: u8) {
    let a = std::rc::Rc::new(n);
    let b = a.clone();
    drop(b);
    assert!(std::rc::Rc::try_unwrap(a).is_ok());
}
