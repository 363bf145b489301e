// A precondition holds for the root that carries it; without it `half` divides by zero.
use optverify::{ensures, requires, verify};

#[verify]
#[requires(parts > 0)]
#[ensures(|share| *share <= total)]
fn share(total: u32, parts: u32) -> u32 {
    total / parts
}

#[verify(T = u16)]
#[verify(T = i64)]
fn same<T: Copy + PartialEq>(x: T) {
    assert!(x == x);
}
