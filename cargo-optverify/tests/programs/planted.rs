//! Places that a loop looks for, ranges that begin behind the first element, and runs of many rounds.

use optverify::{any, assume, verify};

const SIZE: usize = 1000;

fn position(a: &[i32; SIZE], q: i32) -> usize {
    let mut j = 0;
    while j < SIZE && a[j] != q {
        j += 1;
    }
    j
}

//@ expect: safe
#[verify]
fn planted(mut a: [i32; SIZE]) {
    a[SIZE / 2] = 3;
    assert!(position(&a, 3) <= SIZE / 2);
}

//@ expect: unsafe
#[verify]
fn planted_wrong(mut a: [i32; SIZE]) {
    a[SIZE / 2] = 3;
    assert!(position(&a, 3) < SIZE / 2);
}

//@ expect: safe
#[verify]
fn sentinel(a: &mut [u8], end: usize) {
    assume(end < a.len());
    a[end] = 0;
    let mut i = 0;
    while a[i] != 0 {
        i += 1;
    }
    assert!(i <= end);
}

//@ expect: unsafe
#[verify]
fn sentinel_wrong(a: &mut [u8], end: usize) {
    assume(end < a.len());
    let mut i = 0;
    while a[i] != 0 {
        i += 1;
    }
    assert!(i <= end);
}

//@ expect: safe
#[verify]
fn sorted_from_one(v: &mut [i32]) {
    let n = v.len();
    assume(n >= 1);
    let mut j = 1;
    while j < n {
        if v[j] < v[j - 1] {
            v[j] = v[j - 1];
        }
        j += 1;
    }
    for k in 1..n {
        assert!(v[k - 1] <= v[k]);
    }
}

//@ expect: unsafe
#[verify]
fn sorted_from_one_wrong(v: &mut [i32]) {
    let n = v.len();
    assume(n >= 1);
    let mut j = 2;
    while j < n {
        if v[j] < v[j - 1] {
            v[j] = v[j - 1];
        }
        j += 1;
    }
    for k in 1..n {
        assert!(v[k - 1] <= v[k]);
    }
}

// 200,000 rounds, and the assertion is behind them
//@ expect: unsafe
#[verify]
fn long_run() {
    let (mut x, mut y) = (0u32, 0u32);
    while x < 200_000 {
        if x < 100_000 {
            y = y.wrapping_mul(3).wrapping_add(x);
        } else {
            y ^= x;
        }
        x += 1;
    }
    assert!(y == 12);
}

//@ expect: unsafe
#[verify]
fn long_draws(limit: u8) {
    assume(limit == 9);
    let (mut n, mut sum) = (0u32, 0u32);
    while n < 102_400 {
        sum = sum.rotate_left(3) ^ u32::from(any::<u8>() & 3);
        n += 1;
    }
    assert!(sum & 1 == 2);
}

fn target(person: u32) -> u32 {
    match person {
        0 | 1 => 0,
        2 | 4 => 1,
        _ => 3,
    }
}

// the assertion stands behind the loop's body, and is inductive as a whole
//@ expect: safe
//@ known: unknown because it takes ten seconds
#[verify]
fn established() {
    let (mut inside, mut buttons, mut floor) = (0u32, 0u32, 0u32);
    loop {
        match any::<u8>() {
            0 => {
                let person: u32 = any();
                assume(person < 6);
                inside |= 1 << person;
                buttons |= 1 << target(person);
            }
            1 => {
                let leaving = match floor {
                    0 => 3,
                    1 => 20,
                    3 => 40,
                    _ => 0,
                };
                inside &= !leaving;
                buttons &= !(1 << floor);
            }
            _ => floor = (floor + 1) % 5,
        }
        let all = (inside & 3 == 0 || buttons & 1 != 0)
            && (inside & 20 == 0 || buttons & 2 != 0)
            && (inside & 40 == 0 || buttons & 8 != 0);
        assert!(all);
    }
}

//@ expect: unsafe
#[verify]
fn established_wrong() {
    let (mut inside, mut buttons, mut floor) = (0u32, 0u32, 0u32);
    loop {
        match any::<u8>() {
            0 => {
                let person: u32 = any();
                assume(person < 6);
                inside |= 1 << person;
                buttons |= 1 << target(person);
            }
            1 => {
                buttons &= !(1 << floor);
            }
            _ => floor = (floor + 1) % 5,
        }
        assert!(inside & 3 == 0 || buttons & 1 != 0);
    }
}
