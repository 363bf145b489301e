//! The `Drop` of `Rc` counts down.
//@ profile: release
//@ truth: panics
use optverify::verify;
#[verify]
pub fn rc(n: u8) {
    let a = std::rc::Rc::new(n);
    {
        let _b = a.clone();
    }
    assert!(std::rc::Rc::strong_count(&a) == 2);
}
