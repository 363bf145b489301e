//! State machines whose bugs lie behind many choices that must all be right.

use optverify::{any, verify};

/// Events that lead from state to state; the last one drops the acknowledgement.
fn handshake(state: u32, event: u8, acknowledged: &mut bool) -> u32 {
    match (state, event) {
        (0, 1) => 1,
        (1, 2) => 2,
        (2, 3) => {
            *acknowledged = true;
            3
        }
        (3, 4) => 4,
        (4, 5) if *acknowledged => 5,
        (5, 1) => 6,
        (6, 2) => 7,
        (7, 7) => {
            *acknowledged = false;
            8
        }
        (8, 3) => 9,
        (9, 1) => 10,
        (10, 4) => 11,
        (11, 9) => 12,
        (_, 200..) => 0,
        (state, _) => state,
    }
}

//@ expect: safe
#[verify]
fn states_are_known(n: u32) {
    let (mut state, mut acknowledged) = (0, false);
    for _ in 0..n {
        state = handshake(state, any(), &mut acknowledged);
        assert!(state <= 12);
    }
}

//@ expect: unsafe
#[verify]
fn last_state_is_acknowledged(n: u32) {
    let (mut state, mut acknowledged) = (0, false);
    for _ in 0..n {
        state = handshake(state, any(), &mut acknowledged);
        assert!(state != 12 || acknowledged);
    }
}

/// Numbers that have to be met at once, before a loop that only counts on.
fn opened(first: u32, second: u32, third: u64, rounds: u8, last: u8) {
    let mut stage = 0u8;
    for _ in 0..rounds {
        stage = match stage {
            0 if first ^ 0x5a5a == 0x0bad_cafe => 1,
            1 if second - 70_000 == 0x1234_5678 => 2,
            2 if third == 0xfeed_face_dead_beef => 3,
            3 => 4,
            other => other,
        };
        assert!(stage <= last);
    }
}

//@ expect: safe
#[verify]
fn magic_numbers(first: u32, second: u32, third: u64, rounds: u8) {
    opened(first, second, third, rounds, 4);
}

//@ expect: unsafe
#[verify]
fn magic_numbers_open(first: u32, second: u32, third: u64, rounds: u8) {
    opened(first, second, third, rounds, 3);
}
