// An unbounded loop over wrapping integers, no annotation.
use optverify::verify;

#[verify]
fn everything_arrives(amount: u32) {
    let (mut from, mut to) = (amount, 0u32);
    while from > 0 {
        from -= 1;
        to += 1;
    }
    assert!(to == amount);
}
