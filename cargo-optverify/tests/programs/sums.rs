//! Sums of bounded values: at most so much per round.
use optverify::verify;

//@ expect: safe
#[verify]
fn bytes(s: &[u8]) {
    let mut sum = 0u64;
    for &x in s { sum += x as u64; }
    assert!(sum <= 255 * s.len() as u64);
}

//@ expect: unsafe
#[verify]
fn bytes_wrong(s: &[u8]) {
    let mut sum = 0u64;
    for &x in s { sum += x as u64; }
    assert!(sum <= 254 * s.len() as u64);
}

//@ expect: safe
#[verify]
fn products(a: [u8; 8], b: [u8; 8]) {
    let sum: u32 = a.iter().zip(b.iter()).map(|(x, y)| *x as u32 * *y as u32).sum();
    assert!(sum <= 8 * 255 * 255);
}

//@ expect: unsafe
#[verify]
fn products_wrong(a: [u8; 3], b: [u8; 3]) {
    let sum: u32 = a.iter().zip(b.iter()).map(|(x, y)| *x as u32 * *y as u32).sum();
    assert!(sum < 3 * 255 * 255);
}

//@ expect: safe
#[verify]
fn some_of_them(s: &[u8]) {
    let mut sum = 0u64;
    for &x in s { if x > 9 { sum += (x % 10) as u64; } }
    assert!(sum <= 9 * s.len() as u64);
}

//@ expect: unsafe
#[verify]
fn some_of_them_wrong(s: &[u8]) {
    let mut sum = 0u64;
    for &x in s { if x > 9 { sum += (x % 10) as u64; } }
    assert!(sum <= 8 * s.len() as u64);
}

//@ expect: unsafe
#[verify(overflow = "check")]
fn narrow(s: &[u8]) -> u16 {
    let mut sum = 0u16;
    for &x in s { sum += x as u16; }
    sum
}

//@ expect: safe
#[verify(overflow = "check")]
fn narrow_enough(s: &[u8]) -> u16 {
    let mut sum = 0u16;
    for &x in s.iter().take(200) { sum += x as u16; }
    sum
}

//@ expect: safe
#[verify]
fn slice_added_to_a_vector(s: &[u8]) { let mut v = vec![9u8]; v.extend_from_slice(s); assert!(v.len() == s.len() + 1); }

//@ expect: unsafe
#[verify]
fn slice_added_to_a_vector_wrong(s: &[u8]) { let mut v = vec![9u8]; v.extend_from_slice(s); assert!(v.len() != 3); }
