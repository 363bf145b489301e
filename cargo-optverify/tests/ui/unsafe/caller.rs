// A caller is verified against the function as it ships: its precondition is not assumed there.
use optverify::{requires, verify};

#[verify]
#[requires(parts > 0)]
fn share(total: u32, parts: u32) -> u32 {
    total / parts
}

#[verify]
fn caller(parts: u32) -> u32 {
    share(1000, parts)
}
