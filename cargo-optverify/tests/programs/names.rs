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

// Items of one name in two blocks of a function print alike in MIR, and so do methods of impls that a macro made.

//@ expect: unsafe
//@ known: unknown because the two tables cannot be told apart
#[verify]
fn tables_of_two_blocks_wrong(x: usize) {
    if x > 9 { const T: [u8; 2] = [0, 0]; assert!(T[x & 1] == 0); }
    else { const T: [u8; 2] = [0, 1]; assert!(T[x & 1] == 0); }
}

fn of_two_blocks(b: bool) -> u32 {
    if b { fn q(n: u32) -> u32 { if n == 0 { 1 } else { q(n - 1) } } q(2) }
    else { fn q(n: u32) -> u32 { if n == 0 { 2 } else { q(n - 1) } } q(2) }
}

//@ expect: safe
//@ known: unknown because the two functions cannot be told apart
#[verify]
fn functions_of_two_blocks(b: bool) { assert_eq!(of_two_blocks(b), if b { 1 } else { 2 }); }

//@ expect: unsafe
//@ known: unknown because the two functions cannot be told apart
#[verify]
fn functions_of_two_blocks_wrong(b: bool) { assert_eq!(of_two_blocks(b), 1); }

fn enum_of_two_blocks(b: bool) -> u32 {
    if b { #[allow(dead_code)] enum E { A = 1, B = 2 } fn m(e: E) -> u32 { e as u32 } m(E::A) }
    else { #[allow(dead_code)] enum E { A = 7, B = 9 } fn m(e: E) -> u32 { e as u32 } m(E::A) }
}

//@ expect: safe
//@ known: unknown because the two enums cannot be told apart
#[verify]
fn enums_of_two_blocks(b: bool) { assert!(enum_of_two_blocks(b) == if b { 1 } else { 7 }); }

//@ expect: unsafe
#[verify]
fn enums_of_two_blocks_wrong(b: bool) { assert!(enum_of_two_blocks(b) == 7); }

fn method_of_two_blocks(b: bool) -> u32 {
    if b { struct W(u8); impl W { #[inline(never)] fn f(&self) -> u32 { self.0 as u32 } } W(1).f() }
    else { struct W(u8); impl W { #[inline(never)] fn f(&self) -> u32 { 99 + self.0 as u32 } } W(1).f() }
}

//@ expect: safe
//@ known: unknown because the two methods cannot be told apart
#[verify]
fn methods_of_two_blocks(b: bool) { assert!(method_of_two_blocks(b) == if b { 1 } else { 100 }); }

//@ expect: unsafe
//@ known: unknown because the two methods cannot be told apart
#[verify]
fn methods_of_two_blocks_wrong(b: bool) { assert!(method_of_two_blocks(b) == 1); }

pub trait Made { fn make() -> u32; fn rest(x: u8) -> u8; }
pub struct A;
pub struct B;
macro_rules! made { ($($t:ident $v:expr),*) => { $(impl Made for $t {
    #[inline(never)] fn make() -> u32 { $v }
    #[inline(never)] fn rest(x: u8) -> u8 { x % $v }
})* } }
made!(A 3, B 5);

//@ expect: safe
//@ known: unknown because the two methods cannot be told apart
#[verify]
fn of_a_macro(x: u8) { assert!(A::make() == 3 && B::make() == 5 && A::rest(x) < 3 && B::rest(x) < 5); }

//@ expect: unsafe
//@ known: unknown because the two methods cannot be told apart
#[verify]
fn of_a_macro_wrong(x: u8) { assert!(B::rest(x) < 3); }

// Types of one name in two modules, told by the receiver.
mod by_bytes {
    pub struct Words<'a>(pub &'a [u8]);
    impl Iterator for Words<'_> {
        type Item = u8;
        #[inline(never)]
        fn next(&mut self) -> Option<u8> { let (first, rest) = self.0.split_first()?; self.0 = rest; Some(*first | 1) }
    }
}
struct Words<'a>(by_bytes::Words<'a>);
impl Iterator for Words<'_> {
    type Item = u8;
    #[inline(never)]
    fn next(&mut self) -> Option<u8> { self.0.next().map(|b| b & 0x7f) }
}

//@ expect: safe
#[verify]
fn words_of_words(s: &[u8]) { let mut w = Words(by_bytes::Words(s)); if let Some(b) = w.next() { assert!(b % 2 == 1 && b < 128); } }

//@ expect: unsafe
#[verify]
fn words_of_words_wrong(s: &[u8]) { let mut w = by_bytes::Words(s); if let Some(b) = w.next() { assert!(b < 128); } }

// Methods of types that share a name, in impls that stand in other modules than the types and call them by an alias.
mod first {
    pub struct Meter<T>(pub T);
    mod inner {
        type Own = super::Meter<u8>;
        impl Own {
            #[inline(never)]
            pub fn limited(&self) -> u8 { self.0 & 7 }
        }
    }
}
mod second {
    pub struct Meter<T>(pub T);
    mod inner {
        type Own = super::Meter<u8>;
        impl Own {
            #[inline(never)]
            pub fn limited(&self) -> u8 { self.0 & 15 }
        }
    }
}

//@ expect: safe
#[verify]
fn limited_by_module(x: u8) { assert!(first::Meter(x).limited() < 8 && second::Meter(x).limited() < 16); }

//@ expect: unsafe
#[verify]
fn limited_by_module_wrong(x: u8) { assert!(second::Meter(x).limited() < 8); }

pub mod left {
    pub struct Rounds;
    pub trait Mix { fn mix(x: &mut u32); }
    impl Mix for Rounds { #[inline(never)] fn mix(x: &mut u32) { *x |= 1; } }
}
pub mod right {
    pub struct Rounds;
    pub trait Mix { fn mix(x: &mut u32); }
    impl Mix for Rounds { #[inline(never)] fn mix(x: &mut u32) { *x &= !1; } }
}

//@ expect: safe
#[verify]
fn without_receivers(x: u32) {
    use left::Mix as _;
    let mut x = x;
    left::Rounds::mix(&mut x);
    assert!(x % 2 == 1);
    <right::Rounds as right::Mix>::mix(&mut x);
    assert!(x % 2 == 0);
}

//@ expect: unsafe
#[verify]
fn without_receivers_wrong(x: u32) {
    let mut x = x;
    <right::Rounds as right::Mix>::mix(&mut x);
    assert!(x % 2 == 1);
}

pub mod crossed {
    pub struct Rounds;
    pub trait Mix { fn mix(x: &mut u32); }
    // the other module's trait, under another name
    use super::left::Mix as Other;
    impl Other for Rounds { #[inline(never)] fn mix(x: &mut u32) { *x = 5; } }
    impl Mix for Rounds { #[inline(never)] fn mix(x: &mut u32) { *x = 6; } }
}

//@ expect: safe
#[verify]
fn of_a_renamed_trait(x: u32) {
    let mut x = x;
    <crossed::Rounds as crossed::Mix>::mix(&mut x);
    assert!(x == 6);
}

//@ expect: safe
//@ known: unknown because the impl's header has another name than the trait
#[verify]
fn by_another_name(x: u32) {
    let mut x = x;
    <crossed::Rounds as left::Mix>::mix(&mut x);
    assert!(x == 5);
}
