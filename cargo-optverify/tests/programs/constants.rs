//! Constants inside functions: whose they are is told by names that bodies and uses spell in different ways. Twins have
//! the wrong value of each, so that a mix-up is seen.
#![allow(dead_code)]
use optverify::verify;

mod shapes {
    pub trait Sides {
        fn sides(&self) -> &'static [u8; 3];
        fn named(&self, at: usize) -> u8;
    }
    pub struct Line<'a>(pub &'a u8);
    pub struct Square(pub u8);
    impl Sides for Line<'_> {
        fn sides(&self) -> &'static [u8; 3] { &[1, 2, 3] }
        fn named(&self, at: usize) -> u8 { const NAMES: [u8; 2] = [10, 11]; NAMES[at % 2] }
    }
    impl Sides for Square {
        fn sides(&self) -> &'static [u8; 3] { &[4, 5, 6] }
        fn named(&self, at: usize) -> u8 { const NAMES: [u8; 2] = [20, 21]; NAMES[at % 2] }
    }
    impl From<u8> for Square { fn from(n: u8) -> Self { let t: &'static [u8; 2] = &[7, 8]; Square(t[n as usize % 2]) } }
    impl From<bool> for Square { fn from(b: bool) -> Self { let t: &'static [u8; 2] = &[9, 10]; Square(t[b as usize]) } }
    impl Default for Square {
        fn default() -> Self {
            fn part<const N: usize>() -> &'static [usize; 2] { &[N, 1] }
            Square((part::<3>()[0] * part::<4>()[0]) as u8)
        }
    }
    pub trait Helped { fn helped(&self) -> &'static (u8, bool); }
    impl Helped for Square {
        fn helped(&self) -> &'static (u8, bool) {
            fn helped() -> &'static (u8, bool) { &(33, true) }
            if self.0 > 9 { helped() } else { &(34, false) }
        }
    }
}
use shapes::{Helped, Line, Sides, Square};

//@ expect: safe
#[verify]
fn promoted_in_a_trait_impl(x: u8, i: usize) {
    let (line, square) = (Line(&x), Square(x));
    assert!(line.sides()[i % 3] < 4 && square.sides()[i % 3] > 3);
}

//@ expect: unsafe
#[verify]
fn promoted_in_a_trait_impl_wrong(x: u8, i: usize) {
    assert!(Line(&x).sides()[i % 3] != 3);
}

//@ expect: safe
#[verify]
fn constant_in_a_trait_impl(x: u8, i: usize) {
    assert!(Line(&x).named(i) < 12 && Square(x).named(i) > 19);
}

//@ expect: unsafe
#[verify]
fn constant_in_a_trait_impl_wrong(x: u8, i: usize) {
    assert!(Square(x).named(i) != 21);
}

//@ expect: safe
#[verify]
fn two_impls_of_a_trait(n: u8, b: bool) {
    let (n, b) = (Square::from(n).0, Square::from(b).0);
    assert!(n == 7 || n == 8);
    assert!(b == 9 || b == 10);
}

//@ expect: unsafe
#[verify]
fn two_impls_of_a_trait_wrong(b: bool) {
    assert!(Square::from(b).0 < 10);
}

//@ expect: safe
#[verify]
fn helper_of_the_same_name(x: u8) {
    let &(n, big) = Square(x).helped();
    assert!(big == (x > 9) && n == 34 - big as u8);
}

//@ expect: unsafe
#[verify]
fn helper_of_the_same_name_wrong(x: u8) { assert!(Square(x).helped().0 == 34); }

//@ expect: safe
//@ known: unknown because the constant is another one in each instance of the helper
#[verify]
fn generic_helper_in_a_trait_impl() { assert!(Square::default().0 == 12); }

//@ expect: unsafe
#[verify]
fn generic_helper_in_a_trait_impl_wrong() { assert!(Square::default().0 == 9 || Square::default().0 == 16); }

// Two types of one name: the trait does not tell them apart.
trait First { fn first(&self) -> &'static [u8; 1]; }
mod left { pub struct Same(pub u8); impl super::First for Same { fn first(&self) -> &'static [u8; 1] { &[51] } } }
mod right { pub struct Same(pub u8); impl super::First for Same { fn first(&self) -> &'static [u8; 1] { &[61] } } }

//@ expect: safe
#[verify]
fn types_of_one_name(x: u8) {
    assert!(left::Same(x).first()[0] == 51 && right::Same(x).first()[0] == 61);
}

//@ expect: unsafe
#[verify]
fn types_of_one_name_wrong(x: u8) {
    assert!(right::Same(x).first()[0] == 51);
}

// Promoted in generic functions: one body for all instances.
fn digits<T: Into<u32>>(n: T) -> u8 {
    let table: &[u8; 16] = &[b'0', b'1', b'2', b'3', b'4', b'5', b'6', b'7', b'8', b'9', b'a', b'b', b'c', b'd', b'e', b'f'];
    table[(n.into() % 16) as usize]
}
fn sized<T, const N: usize>(_: T) -> (&'static usize, &'static Option<[T; 2]>) { (&N, &None) }

//@ expect: safe
#[verify]
fn promoted_in_a_generic_function(n: u8, m: u16) {
    assert!(digits(n) >= b'0' && digits(m) <= b'f');
}

//@ expect: unsafe
#[verify]
fn promoted_in_a_generic_function_wrong(n: u8, m: u16) {
    assert!(digits(n) == digits(m) || digits(n) != b'c');
}

//@ expect: safe
#[verify]
fn promoted_that_depends_on_a_parameter(n: u8) {
    assert!(*sized::<u8, 3>(n).0 == 3 && *sized::<u8, 4>(n).0 == 4 && sized::<u16, 1>(7).1.is_none());
}

//@ expect: unsafe
#[verify]
fn promoted_that_depends_on_a_parameter_wrong(n: u8) {
    assert!(*sized::<u8, 3>(n).0 == *sized::<u8, 4>(n).0);
}

// A `const fn` is printed twice, and what a promoted holds may stand between.
const fn first_word(text: &str) -> Option<u8> {
    let bytes = text.as_bytes();
    match bytes.len().checked_mul(2) {
        Some(n) if n > 4 => Some(bytes[2]),
        Some(_) => None,
        None => panic!("as long as the address space"),
    }
}
const FIRST: Option<u8> = first_word("abc");

//@ expect: safe
#[verify]
fn const_fn_at_run_time(text: &str) {
    if let Some(byte) = first_word(text) { assert!(FIRST == Some(b'c') && text.as_bytes()[2] == byte); }
}

//@ expect: unsafe
#[verify]
fn const_fn_at_run_time_wrong(text: &str) {
    assert!(first_word(text) != FIRST);
}

//@ expect: safe
#[verify]
const fn const_fn_as_root(a: usize, padded: bool) -> Option<usize> {
    match a.checked_mul(4) {
        Some(q) if padded => match (q / 3).checked_add(3) { Some(r) => Some(r & !3), None => None },
        Some(q) => Some(q / 3),
        None => None,
    }
}

//@ expect: unsafe
#[verify]
const fn const_fn_as_root_wrong(a: usize) -> usize {
    match a.checked_mul(4) { Some(q) => 100 / (q & 8), None => 0 }
}
// Every codegen unit may have its own copy of a literal, or share it.
mod near_text { #[inline(never)] pub fn name() -> &'static str { "a name of both" } }
mod far_text { #[inline(never)] pub fn name() -> &'static str { "a name of both" } }
//@ expect: unsafe
//@ known: unknown because nobody counts the copies of a constant
#[verify]
fn literals_have_one_address_unsafe() { assert!(near_text::name().as_ptr() == far_text::name().as_ptr()); }
//@ expect: unsafe
//@ known: unknown because nobody counts the copies of a constant
#[verify]
fn literals_have_two_addresses_unsafe() { assert!(!std::ptr::eq(near_text::name(), far_text::name())); }
//@ expect: safe
#[verify]
fn literals_are_equal_safe() { let mut n = 0; for c in near_text::name().chars() { assert!(c.is_ascii()); n += 1; } assert!(n == 14 && near_text::name() == far_text::name()); }

// Named constants of types that no parameter can be.
mod flags {
    #[derive(Clone, Copy, PartialEq)]
    pub struct Flags(pub u16);
    impl Flags { pub const NONE: Flags = Flags(0); pub const ALL: Flags = Flags(0x1ff); }
    pub const LIMIT: u16 = 0x100;
    #[inline(never)]
    pub fn merged<const STRICT: bool>(f: Flags, g: &Flags) -> Flags { if *g == Flags::NONE { return f; } if STRICT && f.0 > *of(&LIMIT) { return Flags::ALL; } Flags(f.0 | g.0) }
    fn of(n: &u16) -> &u16 { n }
}

//@ expect: safe
#[verify]
fn promoted_by_name(f: u16, g: u16) {
    use flags::{Flags, merged};
    let m = merged::<true>(Flags(f), &Flags(g));
    assert!(g != 0 || m.0 == f);
    assert!(g == 0 || f <= 0x100 || m.0 == 0x1ff);
}

//@ expect: unsafe
#[verify]
fn promoted_by_name_wrong(f: u16, g: u16) {
    use flags::{Flags, merged};
    let m = merged::<true>(Flags(f), &Flags(g));
    assert!(f <= 0x101 || m.0 != 0x1ff || g == 0);
}

const SMALL: [u8; 5] = [1, 2, 3, 4, 5];
const HOW_MANY: usize = SMALL.len();
const TWICE_AS_MANY: usize = SMALL.len() * 2;

//@ expect: safe
#[verify]
fn by_a_call(i: usize) { if i < HOW_MANY { assert!(SMALL[i] < 6); } assert!(TWICE_AS_MANY == 10); }

//@ expect: unsafe
#[verify]
fn by_a_call_wrong(i: usize) -> u8 { if i <= HOW_MANY { SMALL[i] } else { 0 } }

// A table that is made with functions of std, of which only a probe has the bodies.
const SEVENS: [u8; 4] = { let mut t = [0u8; 4]; let mut i = 0; while i < 4 { t[i] = (i as u8).wrapping_mul(7); i += 1; } t };

//@ expect: safe
#[verify]
fn sevens(i: usize) { if i < 4 { assert!(SEVENS[i] as usize == 7 * i); } }

//@ expect: unsafe
#[verify]
fn sevens_wrong(i: usize) { if i < 4 { assert!(SEVENS[i] < 21); } }

//@ expect: safe
#[verify]
fn in_two_blocks(i: usize, first: bool) -> u32 {
    if first { const N: usize = 3; [1, 2, 3, 4][i % N] } else { const N: usize = 4; [1, 2, 3, 4][i % N] }
}

//@ expect: unsafe
#[verify]
fn in_two_blocks_wrong(i: usize, first: bool) -> u32 {
    if first { const N: usize = 5; [1, 2, 3, 4][i % N] } else { const N: usize = 6; [1, 2, 3, 4][i % N] }
}

trait WithDefault { const N: usize; const M: u8 = 3; fn product() -> u8 { Self::M * (Self::N as u8) } }
struct Silent;
struct Says;
impl WithDefault for Silent { const N: usize = 2; }
impl WithDefault for Says { const N: usize = 2; const M: u8 = 100; }
fn product_of<T: WithDefault>() -> u8 { T::product() }

//@ expect: safe
#[verify]
fn default_of_a_trait(x: u8) { assert!(product_of::<Silent>() == 6 && product_of::<Says>() == 200 && x / 2 < 128); }

//@ expect: unsafe
#[verify]
fn default_of_a_trait_wrong(x: u8) { assert!(product_of::<Says>() == 6 || x != 9); }

//@ expect: safe
#[verify]
fn table_of_roots(x: u8) { let r = x.isqrt(); assert!(r <= 15 && r * r <= x); }

//@ expect: unsafe
#[verify]
fn table_of_roots_wrong(x: u8) { assert!(x.isqrt() < 15); }
