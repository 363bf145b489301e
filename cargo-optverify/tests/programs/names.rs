//! Calls that are not inlined find their callee by its whole path: modules may use a name again.
use optverify::verify;

pub struct S(pub u8);
pub trait T { fn put(&self) -> u8; }
impl S { #[inline(never)] pub fn get(&self) -> u8 { 1 } }
impl T for S { #[inline(never)] fn put(&self) -> u8 { 3 } }
pub mod a {
    pub struct S(pub u8);
    pub trait T { fn put(&self) -> u8; }
    impl S { #[inline(never)] pub fn get(&self) -> u8 { 2 } }
    impl T for S { #[inline(never)] fn put(&self) -> u8 { 4 } }
}

//@ expect: safe
#[verify]
fn of_the_root(x: u8) { assert!(S(x).get() == 1); }

//@ expect: unsafe
#[verify]
fn of_the_root_wrong(x: u8) { assert!(S(x).get() == 2); }

//@ expect: safe
#[verify]
fn of_the_module(x: u8) { assert!(a::S(x).get() == 2 && S(x).get() == 1); }

//@ expect: unsafe
#[verify]
fn of_the_module_wrong(x: u8) { assert!(a::S(x).get() == 1 || S(x).get() == 2); }

//@ expect: safe
#[verify]
fn of_traits(x: u8) { assert!(T::put(&S(x)) == 3 && a::T::put(&a::S(x)) == 4); }

//@ expect: unsafe
#[verify]
fn of_traits_wrong(x: u8) { assert!(T::put(&S(x)) == 4 || a::T::put(&a::S(x)) == 3); }

const N: usize = 5;
fn pick<const N: usize>() -> &'static usize { &N }

//@ expect: unsafe
#[verify]
fn of_constants_wrong() { assert!(*pick::<7>() == N); }
