//! Products of two unknowns: bounds, rows of a table, shares of an amount.
use optverify::verify;

//@ expect: safe
#[verify]
fn percent(amount: u32, rate: u16) {
    if rate <= 10_000 {
        let share = amount as u64 * rate as u64 / 10_000;
        assert!(share <= amount as u64);
    }
}

//@ expect: unsafe
#[verify]
fn percent_wrong(amount: u32, rate: u16) {
    if rate <= 10_001 {
        let share = amount as u64 * rate as u64 / 10_000;
        assert!(share <= amount as u64);
    }
}

//@ expect: safe
#[verify]
fn percent_of_cents(cents: i64, rate: u16) {
    if cents >= 0 && rate <= 10_000 {
        let share = cents as i128 * rate as i128 / 10_000;
        assert!(share >= 0 && share <= cents as i128);
    }
}

//@ expect: unsafe
#[verify]
fn percent_of_cents_wrong(cents: i64, rate: u16) {
    if rate <= 10_000 {
        let share = cents as i128 * rate as i128 / 10_000;
        assert!(share >= 0);
    }
}

//@ expect: safe
#[verify]
fn cell(i: usize, j: usize, rows: usize, columns: usize, d: &[u8]) -> u8 {
    if rows > 1000 || columns > 1000 || d.len() != rows * columns || i >= rows || j >= columns { return 0; }
    d[i * columns + j]
}

//@ expect: unsafe
#[verify]
fn cell_wrong(i: usize, j: usize, rows: usize, columns: usize, d: &[u8]) -> u8 {
    if rows > 1000 || columns > 1000 || d.len() != rows * columns || i >= rows || j > columns { return 0; }
    d[i * columns + j]
}

// Without a limit the product of the sides wraps, and is no size of anything.
//@ expect: unsafe
#[verify]
fn cell_of_any_table(i: usize, j: usize, rows: usize, columns: usize, d: &[u8]) -> u8 {
    if d.len() != rows.wrapping_mul(columns) || i >= rows || j >= columns { return 0; }
    d[i.wrapping_mul(columns).wrapping_add(j)]
}

//@ expect: safe
#[verify(overflow = "check")]
fn average(sum: u64, n: u32) -> u64 {
    if n == 0 || sum > 100 * n as u64 { return 0; }
    let mean = sum / n as u64;
    assert!(mean <= 100);
    mean
}

//@ expect: unsafe
#[verify(overflow = "check")]
fn average_wrong(sum: u64, n: u32) -> u64 {
    if n == 0 || sum > 101 * n as u64 { return 0; }
    let mean = sum / n as u64;
    assert!(mean <= 100);
    mean
}
