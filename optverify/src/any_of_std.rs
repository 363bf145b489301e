//! Arbitrary values of std's own types: each is made the way safe code makes it.

use crate::{any, assume, Any};
use core::cell::{Cell, RefCell};
use core::cmp::{Ordering, Reverse};
use core::num::{NonZero, Saturating, Wrapping};
use core::ops::{Range, RangeFrom, RangeInclusive, RangeTo, RangeToInclusive};

macro_rules! nonzero {
    ($($ty:ty)*) => {$(
        impl Any for NonZero<$ty> {
            #[inline(always)]
            fn any() -> Self {
                let value = <$ty>::any();
                assume(value != 0);
                match NonZero::new(value) {
                    Some(value) => value,
                    None => crate::nondet::assume_failed(),
                }
            }
        }
    )*};
}

nonzero! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize }

macro_rules! made_of_one {
    ($($name:ident by $make:expr,)*) => {$(
        impl<T: Any> Any for $name<T> {
            #[inline(always)]
            fn any() -> Self {
                $make(T::any())
            }
        }
    )*};
}

made_of_one! {
    Cell by Cell::new, RefCell by RefCell::new, Wrapping by Wrapping, Saturating by Saturating, Reverse by Reverse,
}

impl Any for Ordering {
    #[inline(always)]
    fn any() -> Self {
        match (bool::any(), bool::any()) {
            (true, _) => Ordering::Less,
            (false, true) => Ordering::Equal,
            (false, false) => Ordering::Greater,
        }
    }
}

impl Any for core::time::Duration {
    #[inline(always)]
    fn any() -> Self {
        let (seconds, nanos) = (u64::any(), u32::any());
        assume(nanos < 1_000_000_000);
        core::time::Duration::new(seconds, nanos)
    }
}

impl<T: Any> Any for Range<T> {
    #[inline(always)]
    fn any() -> Self {
        any()..any()
    }
}

impl<T: Any> Any for RangeInclusive<T> {
    #[inline(always)]
    fn any() -> Self {
        RangeInclusive::new(any(), any())
    }
}

impl<T: Any> Any for RangeFrom<T> {
    #[inline(always)]
    fn any() -> Self {
        any()..
    }
}

impl<T: Any> Any for RangeTo<T> {
    #[inline(always)]
    fn any() -> Self {
        ..any()
    }
}

impl<T: Any> Any for RangeToInclusive<T> {
    #[inline(always)]
    fn any() -> Self {
        ..=any()
    }
}

#[cfg(feature = "std")]
mod owned {
    use crate::Any;
    use std::rc::Rc;
    use std::string::String;
    use std::sync::Arc;
    use std::vec::Vec;

    /// No allocation has more bytes: the verifier says so of slices, too (assumption `address-space`).
    const MOST_BYTES: usize = 1 << 47;

    macro_rules! made_of_one {
        ($($name:ident)*) => {$(
            impl<T: Any> Any for $name<T> {
                #[inline(always)]
                fn any() -> Self {
                    $name::new(T::any())
                }
            }
        )*};
    }

    made_of_one! { Box Rc Arc }

    /// A length is drawn, then so many elements.
    impl<T: Any> Any for Vec<T> {
        #[inline(always)]
        fn any() -> Self {
            let len = usize::any();
            // values without a size take no room, so that there may be any number of them
            let size = core::mem::size_of::<T>();
            crate::assume(size == 0 || len <= MOST_BYTES / size.max(1));
            let mut all = Vec::with_capacity(len);
            for _ in 0..len {
                all.push(T::any());
            }
            all
        }
    }

    /// A length is drawn, then so many characters.
    impl Any for String {
        #[inline(always)]
        fn any() -> Self {
            let len = usize::any();
            crate::assume(len <= MOST_BYTES);
            let mut all = String::new();
            for _ in 0..len {
                all.push(char::any());
            }
            all
        }
    }

    impl<T: Any> Any for Box<[T]> {
        #[inline(always)]
        fn any() -> Self {
            Vec::any().into_boxed_slice()
        }
    }
}
