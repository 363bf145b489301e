//! The `Drop` of `RefMut` ends the borrow.
//@ profile: release
//@ truth: panics
use optverify::verify;
#[verify]
pub fn ref_cell(n: u8) {
    let c = std::cell::RefCell::new(n);
    {
        let _b = c.borrow_mut();
    }
    assert!(c.try_borrow().is_err());
}
