//! `thread_local!` of numbers: what a call leaves is there for the next one, and what earlier calls left is anything.

use optverify::verify;
use std::cell::Cell;

thread_local! {
    static COUNT: Cell<u32> = const { Cell::new(3) };
    static LAZY: Cell<u64> = Cell::new(start(4));
    static PAIR: [Cell<u8>; 2] = const { [Cell::new(0), Cell::new(1)] };
}

fn start(n: u64) -> u64 {
    n * 10
}

//@ expect: safe
#[verify]
fn what_is_set_is_there(n: u32) {
    COUNT.set(n);
    COUNT.with(|c| c.set(c.get().wrapping_add(1)));
    assert!(COUNT.get() == n.wrapping_add(1));
}

//@ expect: unsafe
#[verify]
fn what_is_set_is_changed(n: u32) {
    COUNT.set(n);
    COUNT.with(|c| c.set(c.get().wrapping_add(1)));
    assert!(COUNT.get() == n);
}

//@ expect: unsafe
#[verify]
fn the_first_call_finds_the_first_value() {
    assert!(COUNT.get() != 3);
}

//@ expect: safe
#[verify]
fn two_keys_are_two(n: u32, m: u64) {
    COUNT.set(n);
    LAZY.set(m);
    assert!(COUNT.get() == n && LAZY.replace(1) == m && LAZY.get() == 1);
}

//@ expect: unsafe
#[verify]
fn a_lazy_one_begins_with_its_value() {
    assert!(LAZY.get() != 40);
}

//@ expect: safe
#[verify]
fn parts_of_a_key(n: u8) {
    PAIR.with(|p| {
        p[0].set(n);
        p[1].set(n / 2);
    });
    PAIR.with(|p| assert!(p[0].get() / 2 == p[1].get()));
}

//@ expect: unsafe
#[verify]
fn parts_of_a_key_differ(n: u8) {
    PAIR.with(|p| {
        p[0].set(n);
        p[1].set(n / 2);
    });
    PAIR.with(|p| assert!(p[0].get() == p[1].get()));
}

mod one {
    std::thread_local! { pub static KEY: std::cell::Cell<i16> = std::cell::Cell::new(1); }
}
mod two {
    std::thread_local! { pub static KEY: std::cell::Cell<i16> = std::cell::Cell::new(2); }
}

//@ expect: safe
#[verify]
fn keys_of_one_name(n: i16) {
    one::KEY.set(n);
    two::KEY.set(n.wrapping_add(1));
    assert!(one::KEY.get() == n);
}

//@ expect: unsafe
#[verify]
fn keys_of_one_name_mixed_up(n: i16) {
    one::KEY.set(n);
    two::KEY.set(n.wrapping_add(1));
    assert!(two::KEY.get() == n);
}
