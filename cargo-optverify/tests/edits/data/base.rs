use optverify::{any, verify};

#[verify]
pub fn count_up_down(n: u32) {
    let mut x = n;
    let mut y = 0u32;
    while x > 0 {
        x -= 1;
        y += 1;
    }
    assert!(y == n);
}

#[verify]
pub fn tickets(rounds: u32) -> u32 {
    let mut sold = 0u32;
    let mut left = 1000u32;
    let mut i = 0;
    while i < rounds && left > 0 {
        let wanted: u32 = any();
        let take = if wanted < left { wanted } else { left };
        sold += take;
        left -= take;
        i += 1;
    }
    assert!(sold + left == 1000);
    sold
}

#[verify]
pub fn lock(steps: u32) {
    let mut locked = false;
    let mut holders = 0u8;
    for _ in 0..steps {
        let wants: bool = any();
        if wants && !locked {
            locked = true;
            holders += 1;
        } else if locked {
            locked = false;
            holders -= 1;
        }
        assert!(holders <= 1);
    }
}

#[verify]
pub fn ring(pushes: u32) -> u8 {
    let mut buffer = [0u8; 8];
    let mut at = 0usize;
    let mut n = 0;
    while n < pushes {
        buffer[at] = at as u8;
        at += 1;
        if at == 8 {
            at = 0;
        }
        n += 1;
    }
    buffer[at]
}

#[verify]
pub fn even(n: u32) {
    let mut a = 0u32;
    let mut i = 0u32;
    while i < n {
        a = a.wrapping_add(2);
        i += 1;
    }
    assert!(a % 2 == 0);
}

fn main() {}
