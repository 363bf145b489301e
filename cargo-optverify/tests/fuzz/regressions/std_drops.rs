//! What the `Drop` impls of std's own types do is part of what a program does: they write lengths, move elements back,
//! end borrows, count references.
//@ profile: release
use optverify::verify;

/// The `Drop` of `vec::Drain` moves the tail back.
//@ truth: panics
#[verify]
pub fn drain(n: u8) {
    let mut v = vec![n, 1, 2, 3];
    {
        let mut d = v.drain(..2);
        d.next();
    }
    assert!(v.is_empty());
}

/// The length is written by the `Drop` of `SetLenOnDrop`.
//@ truth: panics
#[verify]
pub fn extend(a: u8) {
    let mut v = vec![1u8];
    v.extend([a, 2]);
    assert!(v.len() == 1);
}

/// The `Drop` of `Rc` counts down.
//@ truth: panics
#[verify]
pub fn rc(n: u8) {
    let a = std::rc::Rc::new(n);
    {
        let _b = a.clone();
    }
    assert!(std::rc::Rc::strong_count(&a) == 2);
}

/// The `Drop` of `Rc` counts down.
//@ truth: never panics
#[verify]
pub fn rc_unwrap(n: u8) {
    let a = std::rc::Rc::new(n);
    let b = a.clone();
    drop(b);
    assert!(std::rc::Rc::try_unwrap(a).is_ok());
}

/// The `Drop` of `RefMut` ends the borrow.
//@ truth: panics
#[verify]
pub fn ref_cell(n: u8) {
    let c = std::cell::RefCell::new(n);
    {
        let _b = c.borrow_mut();
    }
    assert!(c.try_borrow().is_err());
}

/// The `Drop` of `RefMut` ends the borrow.
//@ truth: never panics
#[verify]
pub fn ref_cell_twice(n: u32) -> u32 {
    let c = std::cell::RefCell::new(n);
    *c.borrow_mut() = 3;
    let r = *c.borrow();
    r
}

/// The length is written by the `Drop` of `SetLenOnDrop`.
//@ truth: panics
#[verify]
pub fn resize(a: u8) {
    let mut v = vec![a];
    v.resize(3, 1);
    assert!(v.len() == 1);
}

/// The `Drop` of `CopyOnDrop` puts the last element into its place.
//@ truth: never panics
#[verify]
pub fn sort(a: u8, b: u8, c: u8) {
    let mut v = [a, b, c];
    v.sort();
    assert!(v[0] ^ v[1] ^ v[2] == a ^ b ^ c);
}

/// The `Drop` of `vec::Splice` does all the work.
//@ truth: panics
#[verify]
pub fn splice(n: u8) {
    let mut v = vec![n, 1, 2];
    v.splice(0..1, [7, 8]);
    assert!(v.is_empty());
}

/// The `Drop` of `string::Drain` removes the range.
//@ truth: panics
#[verify]
pub fn text(n: u8) {
    let mut s = String::from("abc");
    s.drain(..1);
    assert!(s.len() == 3 || n < 200);
}
