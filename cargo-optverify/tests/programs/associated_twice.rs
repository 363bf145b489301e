//! Two types of one name, each with a constant of one name: whose is meant is not known, and nothing is mixed up.
#![allow(dead_code)]
use optverify::verify;

struct Table;
impl Table { const ALL: [u8; 4] = [1, 2, 3, 4]; }
mod inner {
    pub struct Table;
    impl Table { pub const ALL: [u8; 4] = [9, 9, 9, 9]; }
}
//@ expect: safe
//@ known: unknown because two types have one name
#[verify]
fn of_inner(i: usize) { if i < 4 { assert!(inner::Table::ALL[i] == 9); } }
//@ expect: unsafe
//@ known: unknown because two types have one name
#[verify]
fn of_inner_wrong(i: usize) { if i < 4 { assert!(inner::Table::ALL[i] < 5); } }
//@ expect: safe
//@ known: unknown because two types have one name
#[verify]
fn of_outer(i: usize) { if i < 4 { assert!(Table::ALL[i] < 5); } }
//@ expect: unsafe
//@ known: unknown because two types have one name
#[verify]
fn of_outer_wrong(i: usize) { if i < 4 { assert!(Table::ALL[i] == 9); } }
fn one() -> usize {
    struct Local;
    impl Local { const BASE: [usize; 2] = [1, 1]; }
    Local::BASE[0]
}
fn two() -> usize {
    struct Local;
    impl Local { const BASE: [usize; 2] = [2, 2]; }
    Local::BASE[0]
}
//@ expect: safe
//@ known: unknown because two types have one name
#[verify]
fn of_functions() { assert!(one() == 1 && two() == 2); }
//@ expect: unsafe
#[verify]
fn of_functions_wrong() { assert!(one() == two()); }
