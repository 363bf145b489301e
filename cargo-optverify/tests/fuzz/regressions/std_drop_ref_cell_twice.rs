//! The `Drop` of `RefMut` ends the borrow.
//@ profile: release
//@ truth: never panics
use optverify::verify;
#[verify]
pub fn ref_cell_twice(n: u32) -> u32 {
    let c = std::cell::RefCell::new(n);
    *c.borrow_mut() = 3;
    let r = *c.borrow();
    r
}
