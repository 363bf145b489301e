//! `Weak`: references that own nothing, of one thread and of several.

use optverify::verify;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

//@ expect: safe
#[verify]
fn upgraded_while_owned(x: u32) {
    let owner = Rc::new(x);
    let weak = Rc::downgrade(&owner);
    assert!(weak.upgrade().map(|r| *r) == Some(x));
    assert!(Rc::weak_count(&owner) == 1 && Rc::strong_count(&owner) == 1);
}

//@ expect: unsafe
#[verify]
fn upgraded_while_owned_fails(x: u32) {
    let owner = Rc::new(x);
    let weak = Rc::downgrade(&owner);
    assert!(weak.upgrade().map(|r| *r) != Some(7));
}

//@ expect: safe
#[verify]
fn gone_with_its_owner(x: u32) {
    let owner = Rc::new(x);
    let weak = Rc::downgrade(&owner);
    let other = weak.clone();
    drop(owner);
    assert!(weak.upgrade().is_none() && other.upgrade().is_none());
}

//@ expect: unsafe
#[verify]
fn gone_with_its_owner_fails(x: u32, keep: bool) {
    let owner = Rc::new(x);
    let weak = Rc::downgrade(&owner);
    let kept = keep.then(|| owner.clone());
    drop(owner);
    assert!(weak.upgrade().is_none());
    drop(kept);
}

//@ expect: safe
#[verify]
fn to_nothing() {
    let weak: Weak<u8> = Weak::new();
    assert!(weak.upgrade().is_none() && weak.strong_count() == 0);
}

//@ expect: unsafe
#[verify]
fn to_nothing_fails(x: u8, set: bool) {
    let owner = Rc::new(x);
    let mut weak: Weak<u8> = Weak::new();
    if set {
        weak = Rc::downgrade(&owner);
    }
    assert!(weak.upgrade().is_none());
}

struct Counted<'a>(&'a Cell<u32>);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

//@ expect: safe
#[verify]
fn dropped_with_the_last_owner() {
    let drops = Cell::new(0);
    let owner = Rc::new(Counted(&drops));
    let weak = Rc::downgrade(&owner);
    drop(owner);
    assert!(drops.get() == 1);
    drop(weak);
    assert!(drops.get() == 1);
}

//@ expect: unsafe
#[verify]
fn dropped_with_the_last_owner_fails() {
    let drops = Cell::new(0);
    let owner = Rc::new(Counted(&drops));
    let weak = Rc::downgrade(&owner);
    drop(owner);
    drop(weak);
    assert!(drops.get() == 2);
}

struct Node {
    value: u32,
    parent: RefCell<Weak<Node>>,
}

//@ expect: safe
#[verify]
fn child_and_parent(a: u32, b: u32) {
    let parent = Rc::new(Node { value: a, parent: RefCell::new(Weak::new()) });
    let child = Rc::new(Node { value: b, parent: RefCell::new(Weak::new()) });
    *child.parent.borrow_mut() = Rc::downgrade(&parent);
    let found = child.parent.borrow().upgrade();
    assert!(found.map(|p| p.value) == Some(a) && child.value == b);
}

//@ expect: unsafe
#[verify]
fn child_and_parent_fails(a: u32, b: u32) {
    let parent = Rc::new(Node { value: a, parent: RefCell::new(Weak::new()) });
    let child = Rc::new(Node { value: b, parent: RefCell::new(Weak::new()) });
    *child.parent.borrow_mut() = Rc::downgrade(&parent);
    let found = child.parent.borrow().upgrade();
    assert!(found.map(|p| p.value) == Some(b));
}

//@ expect: safe
#[verify]
fn of_several_threads(x: u32) {
    let owner = std::sync::Arc::new(x);
    let weak = std::sync::Arc::downgrade(&owner);
    assert!(weak.upgrade().is_some());
    drop(owner);
    assert!(weak.upgrade().is_none());
}

//@ expect: unsafe
#[verify]
fn of_several_threads_fails(x: u32) {
    let owner = std::sync::Arc::new(x);
    let weak = std::sync::Arc::downgrade(&owner);
    assert!(weak.upgrade().is_none_or(|r| *r != 3));
}
