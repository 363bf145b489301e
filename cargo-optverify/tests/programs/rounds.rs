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
