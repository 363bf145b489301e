//! Arbitrary values: everything bottoms out in the functions of [`nondet`].

use crate::nondet;

/// Types with an arbitrary value. `#[derive(Any)]` for your own.
pub trait Any: Sized {
    /// Any value of the type: all of them, in a proof.
    fn any() -> Self;

    /// Is it made of numbers alone, one after the other? Arrays of such are one value to the verifier.
    #[doc(hidden)]
    #[inline(always)]
    fn is_numbers() -> bool {
        false
    }
}

/// An arbitrary value of `T`.
#[inline(always)]
pub fn any<T: Any>() -> T {
    T::any()
}

macro_rules! scalars {
    ($($ty:ty => $nondet:ident,)*) => {$(
        impl Any for $ty {
            #[inline(always)]
            fn any() -> Self {
                nondet::$nondet()
            }
            #[inline(always)]
            fn is_numbers() -> bool {
                true
            }
        }
    )*};
}

scalars! {
    u8 => any_u8, u16 => any_u16, u32 => any_u32, u64 => any_u64, u128 => any_u128, usize => any_usize,
    i8 => any_i8, i16 => any_i16, i32 => any_i32, i64 => any_i64, i128 => any_i128, isize => any_isize,
    bool => any_bool, char => any_char, f32 => any_f32, f64 => any_f64,
}

impl<T: Any, const N: usize> Any for [T; N] {
    #[inline(always)]
    fn any() -> Self {
        if T::is_numbers() {
            nondet::any_array::<T, N>()
        } else {
            core::array::from_fn(|_| T::any())
        }
    }
    #[inline(always)]
    fn is_numbers() -> bool {
        T::is_numbers()
    }
}

impl<T: Any> Any for Option<T> {
    #[inline(always)]
    fn any() -> Self {
        if bool::any() {
            Some(T::any())
        } else {
            None
        }
    }
}

impl<T: Any, E: Any> Any for Result<T, E> {
    #[inline(always)]
    fn any() -> Self {
        if bool::any() {
            Ok(T::any())
        } else {
            Err(E::any())
        }
    }
}

impl<T: ?Sized> Any for core::marker::PhantomData<T> {
    #[inline(always)]
    fn any() -> Self {
        Self
    }
}

impl Any for () {
    #[inline(always)]
    fn any() -> Self {}
}

macro_rules! tuples {
    ($(($($name:ident)+))*) => {$(
        impl<$($name: Any),+> Any for ($($name,)+) {
            #[inline(always)]
            fn any() -> Self {
                ($($name::any(),)+)
            }
            #[inline(always)]
            fn is_numbers() -> bool {
                true $(&& $name::is_numbers())+
            }
        }
    )*};
}

tuples! { (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) }
