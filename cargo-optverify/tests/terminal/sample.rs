//! What a terminal shows: a loop condensed to a line, a panic in a callee, something unknown, a proof.
use optverify::verify;

#[verify]
fn drains(start: u8) {
    let mut left = 200u8;
    let mut taken = 0u8;
    while left > 0 {
        left -= 1;
        taken = taken.wrapping_add(3);
    }
    assert!(taken.wrapping_add(start) != 95, "the sum of everything that was taken must not be ninety-five");
}

fn element(table: &[u16; 4], index: usize) -> u16 {
    table[index]
}

#[verify]
fn looks_up(table: [u16; 4], index: usize) -> u16 {
    if index > 4 { 0 } else { element(&table, index) }
}

#[verify]
fn outside(n: usize) -> usize {
    std::env::args().count() / (n | 1)
}

#[verify]
fn half(n: u8) -> u8 {
    n / 2
}
