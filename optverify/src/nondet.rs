//! The vocabulary between programs and the verifier: the engine knows these functions by their paths
//! (`optverify::nondet::any_u32`, ..). Never inlined, so that they stay visible in MIR. Run natively
//! they read the replay script.

use crate::Any;

macro_rules! scalars {
    ($($name:ident: $ty:ty,)*) => {$(
        #[doc = concat!("An arbitrary `", stringify!($ty), "`.")]
        #[inline(never)]
        pub fn $name() -> $ty {
            next(stringify!($ty))
        }
    )*};
}

scalars! {
    any_u8: u8, any_u16: u16, any_u32: u32, any_u64: u64, any_u128: u128, any_usize: usize,
    any_i8: i8, any_i16: i16, any_i32: i32, any_i64: i64, any_i128: i128, any_isize: isize,
    any_bool: bool, any_char: char, any_f32: f32, any_f64: f64,
}

/// An arbitrary array: the engine takes it as one value. Natively its elements are drawn in order.
#[inline(never)]
pub fn any_array<T: Any, const N: usize>() -> [T; N] {
    core::array::from_fn(|_| T::any())
}

/// Where an assumption does not hold: no execution goes on from here.
#[inline(never)]
#[track_caller]
pub fn assume_failed() -> ! {
    panic!("optverify: assumption violated (not a counterexample)")
}

#[cfg(feature = "std")]
fn next<T: core::str::FromStr>(type_name: &str) -> T {
    let value = crate::replay::next(type_name);
    match value.parse() {
        Ok(value) => value,
        Err(_) => panic!("optverify: the replay script has `{value}` where a {type_name} is drawn"),
    }
}

#[cfg(not(feature = "std"))]
fn next<T>(type_name: &str) -> T {
    panic!(
        "optverify: any::<{type_name}>() outside verification needs the feature `std` of optverify"
    )
}
