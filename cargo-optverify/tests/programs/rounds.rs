//! Rounds that are left: a loop that counts one thing and moves another.
use optverify::verify;

//@ expect: safe
#[verify]
fn frames(s: &[u8]) -> u8 {
    let (mut at, mut sum) = (0, 0u8);
    while at < s.len() {
        let n = s[at] as usize;
        at += 1;
        if n > s.len() - at { return 0; }
        for _ in 0..n { sum = sum.wrapping_add(s[at]); at += 1; }
    }
    sum
}

//@ expect: unsafe
#[verify]
fn frames_wrong(s: &[u8]) -> u8 {
    let (mut at, mut sum) = (0, 0u8);
    while at < s.len() {
        let n = s[at] as usize;
        at += 1;
        if n > s.len() - at + 1 { return 0; }
        for _ in 0..n { sum = sum.wrapping_add(s[at]); at += 1; }
    }
    sum
}

//@ expect: safe
#[verify]
fn pairs(s: &[u8], from: usize, n: u8) -> u32 {
    let mut sum = 0;
    if from > s.len() || s.len() - from < 2 * n as usize { return 0; }
    let (mut i, mut at) = (0, from);
    while i < n { sum += s[at] as u32 * s[at + 1] as u32; at += 2; i += 1; }
    sum
}

//@ expect: unsafe
#[verify]
fn pairs_wrong(s: &[u8], from: usize, n: u8) -> u32 {
    let mut sum = 0;
    if from > s.len() || s.len() - from < n as usize { return 0; }
    let (mut i, mut at) = (0, from);
    while i < n { sum += s[at] as u32 * s[at + 1] as u32; at += 2; i += 1; }
    sum
}

//@ expect: safe
#[verify]
#[optverify::requires(n < 21)]
fn few_runs_by_a_precondition(n: u64) { let mut f = 1u64; for i in 1..=n { f = f.checked_mul(i).unwrap(); } assert!(f > 0); }

//@ expect: unsafe
#[verify]
#[optverify::requires(n < 22)]
fn few_runs_by_a_precondition_wrong(n: u64) { let mut f = 1u64; for i in 1..=n { f = f.checked_mul(i).unwrap(); } assert!(f > 0); }

//@ expect: safe
#[verify]
fn three_of_four(s: &[u8], out: &mut [u8]) {
    if s.len() % 4 != 0 || out.len() < s.len() / 4 * 3 { return; }
    let mut o = 0;
    for q in s.chunks_exact(4) { out[o] = q[0]; out[o + 1] = q[1]; out[o + 2] = q[3]; o += 3; }
}

//@ expect: unsafe
#[verify]
fn three_of_four_wrong(s: &[u8], out: &mut [u8]) {
    if out.len() < s.len() / 2 { return; }
    let mut o = 0;
    for q in s.chunks_exact(4) { out[o] = q[0]; out[o + 1] = q[1]; out[o + 2] = q[3]; o += 3; }
}

// What was asked of `len` is known of the range's end.
//@ expect: safe
#[verify]
fn copied_from_before(buf: &mut [u8], pos: usize, dist: usize, len: usize) {
    if dist == 0 || dist > pos || pos > buf.len() || len > buf.len() - pos { return; }
    for i in 0..len { buf[pos + i] = buf[pos + i - dist]; }
}

//@ expect: unsafe
#[verify]
fn copied_from_before_wrong(buf: &mut [u8], pos: usize, dist: usize, len: usize) {
    if dist > pos || pos > buf.len() || len > buf.len() - pos { return; }
    for i in 0..=len { buf[pos + i] = buf[pos + i - dist]; }
}

//@ expect: safe
#[verify]
fn five_at_least(n: u32, k: u8) {
    let mut t = 0u64;
    for i in 0..n { t += if i as u8 == k { 30 } else { 5 }; }
    assert!(t >= n as u64 * 5);
}

//@ expect: unsafe
#[verify]
fn five_at_least_wrong(n: u32, k: u8) {
    let mut t = 0u64;
    for i in 0..n { t += if i as u8 == k { 30 } else { 5 }; }
    assert!(t > n as u64 * 5 || n == 0);
}
