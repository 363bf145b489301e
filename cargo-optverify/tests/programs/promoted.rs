//! Constants that rustc promotes in methods, where headers of impls do not tell whose they are: aliases, macros, derives.

use optverify::verify;

const KEYS: [u8; 4] = [1, 2, 3, 4];

struct Keyed<S> {
    seed: u64,
    secret: S,
}

type Owned = Keyed<Box<[u8]>>;
type Fixed = Keyed<&'static [u8; 4]>;

mod owned {
    use super::*;
    impl Owned {
        pub fn made() -> Self {
            Keyed {
                seed: 1,
                secret: KEYS.to_vec().into(),
            }
        }
    }
}

mod fixed {
    use super::*;
    impl Fixed {
        pub const fn made() -> Self {
            Keyed {
                seed: 2,
                secret: &KEYS,
            }
        }
    }
}

//@ expect: safe
#[verify]
fn of_an_alias(at: usize) {
    let keyed = Keyed::<Box<[u8]>>::made();
    if at < 4 {
        assert!(keyed.seed == 1 && keyed.secret[at] as usize == at + 1);
    }
}

//@ expect: unsafe
#[verify]
fn of_an_alias_fails(at: usize) {
    let keyed = Keyed::<Box<[u8]>>::made();
    if at < 4 {
        assert!(keyed.secret[at] < 4);
    }
}

//@ expect: safe
#[verify]
fn of_another_alias() {
    let keyed = Keyed::<&'static [u8; 4]>::made();
    assert!(keyed.seed == 2 && keyed.secret[3] == 4);
}

//@ expect: unsafe
#[verify]
fn of_another_alias_fails() {
    let keyed = Keyed::<&'static [u8; 4]>::made();
    assert!(keyed.secret[3] == 3);
}

#[derive(Default)]
struct Line<'a> {
    rest: &'a [u8],
}

//@ expect: safe
#[verify]
fn of_a_derive() {
    assert!(Line::default().rest.is_empty());
}

//@ expect: unsafe
#[verify]
fn of_a_derive_fails() {
    assert!(!Line::default().rest.is_empty());
}

trait Table {
    fn table(at: usize) -> u8;
    fn first() -> &'static [u8];
}

macro_rules! tables {
    ($($t:ty, $value:expr;)*) => {$(
        impl Table for $t {
            fn table(at: usize) -> u8 {
                let values: &'static [u8; 2] = &[$value, 9];
                values[at % 2]
            }
            fn first() -> &'static [u8] {
                &[$value]
            }
        }
    )*};
}
tables! { u8, 1; u16, 2; }

//@ expect: safe
//@ known: unknown because a macro's impls stand at one place, and so do their constants
#[verify]
fn of_a_macro(at: usize) {
    let (one, two) = (<u8 as Table>::table(at), <u16 as Table>::table(at));
    assert!(one == 9 && two == 9 || one + 1 == two);
}

//@ expect: unsafe
#[verify]
fn of_a_macro_fails() {
    assert!(<u16 as Table>::first()[0] == <u8 as Table>::first()[0]);
}
