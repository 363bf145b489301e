// Sums wrap in a release build; a root can ask for the checks of a debug build.
use optverify::verify;

#[verify]
fn wraps(n: u8) -> u8 {
    n + 1
}

#[verify(overflow = "check")]
fn overflows(n: u8) -> u8 {
    n + 1
}

#[verify(overflow = "wrap")]
fn wraps_on_purpose(n: u8) -> u8 {
    n + 1
}
