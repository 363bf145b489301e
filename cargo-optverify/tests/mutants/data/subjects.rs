use optverify::{any, verify};

#[verify]
pub fn sum_to(n: u8) -> u32 {
    let (mut s, mut i) = (0u32, 0u32);
    while i < n as u32 {
        s += i * 3 + 1;
        i += 1;
    }
    s
}

#[verify]
pub fn collatz(mut x: u16, limit: u8) -> (u16, u8) {
    let mut steps = 0u8;
    while x != 1 && steps < limit {
        x = if x % 2 == 0 { x / 2 } else { x.wrapping_mul(3).wrapping_add(1) };
        steps += 1;
    }
    (x, steps)
}

#[verify]
pub fn clamp(x: i32, low: i32, high: i32) -> i32 {
    if x < low {
        low
    } else if x > high {
        high
    } else {
        x
    }
}

#[verify]
pub fn bits(x: u32) -> u32 {
    let a = (x & 0x0f0f_0f0f) << 4 | (x >> 4) & 0x0f0f_0f0f;
    a.rotate_left(7) ^ 0x5555
}

#[verify]
pub fn checked(a: u8, b: u8) -> Option<u8> {
    match a.checked_add(b) {
        Some(s) if s % 2 == 0 => Some(s / 2),
        Some(_) => None,
        None => Some(255),
    }
}

#[derive(Clone, Copy, PartialEq)]
pub enum Light {
    Red,
    Green,
    Yellow,
}

#[verify]
pub fn next_light(light: Light, twice: bool) -> Light {
    let step = |l| match l {
        Light::Red => Light::Green,
        Light::Green => Light::Yellow,
        Light::Yellow => Light::Red,
    };
    let one = step(light);
    if twice { step(one) } else { one }
}

#[verify]
pub fn swap(a: &mut i16, b: &mut i16) -> bool {
    if *a > *b {
        let t = *a;
        *a = *b;
        *b = t;
        true
    } else {
        false
    }
}

#[verify]
pub fn histogram(data: [u8; 6]) -> [u8; 4] {
    let mut out = [0u8; 4];
    let mut i = 0;
    while i < 6 {
        out[(data[i] % 4) as usize] += 1;
        i += 1;
    }
    out
}

#[verify]
pub fn first_big(n: u8) -> Option<u8> {
    for _ in 0..n {
        let x: u8 = any();
        if x > 200 {
            return Some(x);
        }
    }
    None
}

#[verify]
pub fn count_matching(bytes: &[u8], wanted: u8) -> usize {
    let mut found = 0;
    for b in bytes {
        if *b == wanted {
            found += 1;
        }
    }
    found
}

#[verify]
pub fn shift_in(register: &mut [u8; 4], value: u8) -> u8 {
    let out = register[3];
    register[3] = register[2];
    register[2] = register[1];
    register[1] = register[0];
    register[0] = value;
    out
}

pub struct Account {
    pub balance: u32,
    pub fee: u8,
    pub open: bool,
}

#[verify]
pub fn withdraw(account: &mut Account, amount: u32) -> Result<u32, u8> {
    if !account.open {
        return Err(1);
    }
    let total = amount.saturating_add(account.fee as u32);
    if total > account.balance {
        return Err(2);
    }
    account.balance -= total;
    assert!(account.balance <= u32::MAX - total);
    Ok(account.balance)
}

#[verify]
pub fn gcd(mut a: u8, mut b: u8) -> u8 {
    while b != 0 {
        let r = a % b;
        a = b;
        b = r;
    }
    a
}

#[verify]
pub fn parity(x: u16) -> bool {
    let mut rest = x;
    let mut odd = false;
    while rest != 0 {
        odd ^= rest & 1 == 1;
        rest >>= 1;
    }
    odd
}

#[verify]
pub fn triangle(n: u8) -> u16 {
    let mut total = 0u16;
    for i in 0..n {
        for j in 0..i {
            if (i ^ j) & 1 == 0 {
                total = total.wrapping_add(1);
            }
        }
    }
    total
}

#[verify]
pub fn absolute(x: i8) -> u8 {
    if x < 0 { (x as i16).unsigned_abs() as u8 } else { x as u8 }
}

#[verify]
pub fn weekday(d: u8) -> (char, bool) {
    let letter = match d % 7 {
        0 => 'm',
        1 | 3 => 't',
        2 => 'w',
        4 => 'f',
        _ => 's',
    };
    (letter, letter == 's')
}

fn main() {}
