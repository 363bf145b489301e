//! Closures that capture several parts of one variable: MIR prints one operand for all of them.
use optverify::verify;
use std::cell::Cell;

pub struct Account { balance: u64, limit: u64, open: (bool, u8) }

impl Account {
    fn spend(&mut self, amount: Option<u64>) {
        amount.map(|n| { self.balance -= n; self.limit += n; });
    }
}

//@ expect: safe
#[verify]
fn two_by_reference(n: u64) {
    let mut a = Account { balance: u64::MAX, limit: 0, open: (true, 0) };
    a.spend(Some(n));
    assert!(a.balance == u64::MAX - n && a.limit == n);
}

//@ expect: unsafe
#[verify]
fn two_by_reference_wrong(n: u64) {
    let mut a = Account { balance: u64::MAX, limit: 0, open: (true, 0) };
    a.spend(Some(n));
    assert!(a.balance == n);
}

//@ expect: safe
#[verify]
fn parts_of_parts_between_others(a: Account, b: u8) {
    let mut a = a;
    let mut c = b;
    let limit = a.limit;
    let mut change = || { a.balance = 7; c = 3; a.open.1 = a.limit as u8; };
    change();
    assert!(a.balance == 7 && c == 3 && a.open.1 == limit as u8);
}

//@ expect: unsafe
#[verify]
fn parts_of_parts_between_others_wrong(a: Account, b: u8) {
    let mut a = a;
    let mut c = b;
    let mut change = || { a.balance = 7; c = 3; a.open.1 = a.limit as u8; };
    change();
    assert!(a.open.1 == c);
}

fn applied(n: u32, f: &mut dyn FnMut(u32)) { for i in 0..n { f(i); } }

//@ expect: safe
#[verify]
fn through_an_object(a: Account) {
    let mut a = a;
    a.balance = 0;
    a.limit = 9;
    applied(3, &mut |i| { a.balance += u64::from(i); a.limit -= u64::from(i); });
    assert!(a.balance == 3 && a.limit == 6);
}

//@ expect: unsafe
#[verify]
fn through_an_object_wrong(a: Account) {
    let mut a = a;
    a.balance = 0;
    a.limit = 9;
    applied(3, &mut |i| { a.balance += u64::from(i); a.limit -= u64::from(i); });
    assert!(a.balance == 6 && a.limit == 3);
}

fn twice(f: &dyn Fn() -> u64) -> u64 { f().wrapping_add(f()) }

//@ expect: safe
#[verify]
fn as_an_object(a: Account) {
    assert!(twice(&|| a.balance ^ a.limit) == (a.balance ^ a.limit).wrapping_mul(2));
}

//@ expect: unsafe
#[verify]
fn as_an_object_wrong(a: Account) {
    assert!(twice(&|| a.balance ^ a.limit) == a.balance.wrapping_mul(2));
}

/// A shared borrow of what another variable borrows already: value numbering knows both to be one.
//@ expect: safe
#[verify]
fn borrowed_before(a: Account) {
    let first = &a.limit;
    let f = || a.balance.wrapping_add(a.limit);
    assert!(twice(&f) == a.balance.wrapping_add(*first).wrapping_mul(2));
}

//@ expect: unsafe
#[verify]
fn borrowed_before_wrong(a: Account) {
    let first = &a.limit;
    let f = || a.balance.wrapping_add(a.limit);
    assert!(twice(&f) == a.balance.wrapping_add(*first));
}

// What is captured by value is not printed, and leaves no trace.
//@ expect: safe
//@ known: unknown because MIR does not print parts that are captured by value
#[verify]
fn two_by_value(a: Account) {
    let sum = move || a.balance.wrapping_add(a.limit);
    assert!(twice(&sum) == a.balance.wrapping_add(a.limit).wrapping_mul(2));
}

//@ expect: unsafe
//@ known: unknown because MIR does not print parts that are captured by value
#[verify]
fn two_by_value_wrong(a: Account) {
    let sum = move || a.balance.wrapping_add(a.limit);
    assert!(twice(&sum) == a.limit);
}

struct Noted<'a>(&'a Cell<u32>, u32);

impl Drop for Noted<'_> {
    fn drop(&mut self) { self.0.set(self.0.get() + self.1); }
}

//@ expect: unsafe
//@ known: unknown because MIR does not print parts that are captured by value
#[verify]
fn two_by_value_are_dropped() {
    let c = Cell::new(0);
    let pair = (Noted(&c, 1), Noted(&c, 2));
    { let _f = move || { let _x = &pair.0; let _y = &pair.1; }; }
    assert!(c.get() == 1);
}
