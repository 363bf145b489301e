//! Calls that rustc does not inline, and two bodies that a reader of names could take for the callee: only one is meant. A
//! verdict of the other one is wrong; where names do not tell, it is unknown.
#![allow(dead_code)]
use optverify::verify;

// One name for two types: one leaves the method to the trait, one does not.
trait Kept { #[inline(never)] fn kept(&self) -> u32 { 1 } }
mod keeps { pub struct Same(pub u8); impl super::Kept for Same {} }
mod overrides { pub struct Same(pub u8); impl super::Kept for Same { #[inline(never)] fn kept(&self) -> u32 { 9 } } }

//@ expect: safe
//@ known: unknown because two types have one name
#[verify]
fn type_of_another_module(x: u8) { assert!(keeps::Same(x).kept() == 1 && overrides::Same(x).kept() == 9); }

//@ expect: unsafe
//@ known: unknown because two types have one name
#[verify]
fn type_of_another_module_wrong(x: u8) { assert!(keeps::Same(x).kept() == 9); }

// One name for two traits.
mod first { pub trait Twin { #[inline(never)] fn twin(&self) -> u32 { 1 } } }
mod second { pub trait Twin { fn twin(&self) -> u32; } }
struct Both(u8);
impl first::Twin for Both {}
impl second::Twin for Both { #[inline(never)] fn twin(&self) -> u32 { 2 } }

//@ expect: safe
//@ known: unknown because two traits have one name
#[verify]
fn trait_of_another_module(x: u8) { assert!(first::Twin::twin(&Both(x)) == 1); }

//@ expect: unsafe
//@ known: unknown because two traits have one name
#[verify]
fn trait_of_another_module_wrong(x: u8) { assert!(first::Twin::twin(&Both(x)) == 2); }

// An alias in the header of the impl.
trait Aliased { #[inline(never)] fn aliased(&self) -> u32 { 1 } }
struct Wrap<T>(T);
type Byte = u8;
impl Aliased for Wrap<Byte> { #[inline(never)] fn aliased(&self) -> u32 { 2 } }
impl Aliased for Wrap<u16> {}

//@ expect: safe
//@ known: unknown because an impl's header has an alias
#[verify]
fn alias_in_a_header(x: u8) { assert!(Wrap(x).aliased() == 2 && Wrap(u16::from(x)).aliased() == 1); }

//@ expect: unsafe
//@ known: unknown because an impl's header has an alias
#[verify]
fn alias_in_a_header_wrong(x: u8) { assert!(Wrap(x).aliased() == 1); }

// A blanket impl whose bound the type does not have.
trait Bound {}
impl Bound for u8 {}
trait Blanket { #[inline(never)] fn blanket(&self) -> u32 { 1 } }
struct Unbound(u8);
impl<T: Bound> Blanket for T { #[inline(never)] fn blanket(&self) -> u32 { 2 } }
impl Blanket for Unbound {}

//@ expect: safe
//@ known: unknown because bounds are not looked at
#[verify]
fn blanket_impl(x: u8) { assert!(Unbound(x).blanket() == 1 && x.blanket() == 2); }

//@ expect: unsafe
//@ known: unknown because bounds are not looked at
#[verify]
fn blanket_impl_wrong(x: u8) { assert!(Unbound(x).blanket() == 2); }

// A helper inside of a method has the name of the trait's own.
trait Nested { #[inline(never)] fn inner(&self) -> u32 { 1 } fn outer(&self) -> u32; }
struct Nest(u8);
impl Nested for Nest { fn outer(&self) -> u32 { #[inline(never)] fn inner(_n: &Nest) -> u32 { 2 } inner(self) } }

//@ expect: safe
#[verify]
fn helper_in_a_method(x: u8) { assert!(Nest(x).inner() == 1 && Nest(x).outer() == 2); }

//@ expect: unsafe
#[verify]
fn helper_in_a_method_wrong(x: u8) { assert!(Nest(x).inner() == 2); }

// An impl inside of a method of another impl.
trait Deep { #[inline(never)] fn deep(&self) -> u32 { 1 } fn above(&self) -> u32 { 3 } }
struct Top(u8);
impl Deep for Top {
    fn above(&self) -> u32 {
        struct Inside(u8);
        impl Deep for Inside { #[inline(never)] fn deep(&self) -> u32 { 2 } }
        Inside(self.0).deep()
    }
}

//@ expect: safe
#[verify]
fn impl_in_a_method(x: u8) { assert!(Top(x).deep() == 1); }

//@ expect: unsafe
#[verify]
fn impl_in_a_method_wrong(x: u8) { assert!(Top(x).deep() == 2); }

// A type that a comment, and a build for others, says in another way.
trait Said { type Out; fn say() -> u8; }
struct Says;
impl Said for Says {
    // type Out = u64;
    #[cfg(any())]
    type Out = u32;
    #[cfg(all())]
    type Out = u8;
    fn say() -> u8 { 1 }
}
#[inline(never)]
fn size_of_said<S: Said>() -> usize { std::mem::size_of::<S::Out>() + usize::from(S::say()) }

//@ expect: safe
#[verify]
fn said_in_a_comment(x: u8) { assert!(size_of_said::<Says>() == 2 || x == 0); }

//@ expect: unsafe
#[verify]
fn said_in_a_comment_wrong(x: u8) { assert!(size_of_said::<Says>() != 2 || x == 0); }

// A constant and a closure's parameter of one name.
const SIZE: usize = 5;
#[inline(always)]
fn adds<const SIZE: usize>(x: usize, k: usize) -> usize { let f: &dyn Fn(usize) -> usize = &move |y| y + SIZE + k; f(x) }

//@ expect: safe
//@ known: unknown because closures of all instances print alike
#[verify]
fn closure_of_an_instance(x: u8) { assert!(adds::<7>(1, usize::from(x)) == usize::from(x) + 8 && SIZE == 5); }

//@ expect: unsafe
//@ known: unknown because closures of all instances print alike
#[verify]
fn closure_of_an_instance_wrong(x: u8) { assert!(adds::<7>(1, usize::from(x)) == usize::from(x) + 6); }

// An impl that a macro made for a type of a name that another has.
mod written { pub struct Made; impl Made { #[inline(never)] pub fn made() -> u32 { 1 } } }
macro_rules! made { ($t:ty) => { impl $t { #[inline(never)] pub fn made() -> u32 { 2 } } } }
mod generated { pub struct Made; made!(Made); }

//@ expect: safe
//@ known: unknown because a macro made the impl
#[verify]
fn impl_of_a_macro(x: u8) { assert!(generated::Made::made() == 2 || x == 0); }

//@ expect: unsafe
//@ known: unknown because a macro made the impl
#[verify]
fn impl_of_a_macro_wrong(x: u8) { assert!(generated::Made::made() == 1 || x == 0); }

// A method whose name is a keyword.
trait Raw { #[inline(never)] fn r#match(&self) -> u32 { 1 } }
struct Keyword(u8);
impl Raw for Keyword { #[inline(never)] fn r#match(&self) -> u32 { 2 } }

//@ expect: safe
//@ known: unknown because a keyword is no word of the source
#[verify]
fn named_like_a_keyword(x: u8) { assert!(Keyword(x).r#match() == 2); }

//@ expect: unsafe
#[verify]
fn named_like_a_keyword_wrong(x: u8) { assert!(Keyword(x).r#match() == 1); }

pub struct Part<'a> {
    bytes: &'a [u8],
}

// an impl for a type of std that no other crate can have
impl<'a> From<Part<'a>> for std::borrow::Cow<'a, [u8]> {
    #[inline(never)]
    fn from(part: Part<'a>) -> Self {
        match part.bytes.len() > 3 {
            true => std::borrow::Cow::Owned(vec![1]),
            false => std::borrow::Cow::Borrowed(part.bytes),
        }
    }
}

//@ expect: safe
#[verify]
fn into_a_type_of_std(bytes: &[u8]) {
    let part: std::borrow::Cow<'_, [u8]> = Part { bytes }.into();
    assert!(part.len() <= 3);
}

//@ expect: unsafe
#[verify]
fn into_a_type_of_std_fails(bytes: &[u8]) {
    let part: std::borrow::Cow<'_, [u8]> = Part { bytes }.into();
    assert!(part.len() <= 2);
}
