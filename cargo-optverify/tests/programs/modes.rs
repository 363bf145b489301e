//! State machines whose states have fields: what holds of a field holds in one state only.
use optverify::verify;

#[derive(Clone, Copy)]
enum State { Sync, Data { at: u8, len: u8 } }

fn step(s: State, b: u8) -> State {
    match s {
        State::Sync if b > 0 && b <= 32 => State::Data { at: 0, len: b },
        State::Sync => State::Sync,
        State::Data { at, len } if at + 1 == len => State::Sync,
        State::Data { at, len } => State::Data { at: at + 1, len },
    }
}

//@ expect: safe
#[verify]
fn received(bytes: &[u8]) {
    let (mut s, mut buf) = (State::Sync, [0u8; 32]);
    for &b in bytes {
        if let State::Data { at, .. } = s { buf[at as usize] = b; }
        s = step(s, b);
    }
}

//@ expect: unsafe
#[verify]
fn received_wrong(bytes: &[u8]) {
    let (mut s, mut buf) = (State::Sync, [0u8; 31]);
    for &b in bytes {
        if let State::Data { at, .. } = s { buf[at as usize] = b; }
        s = step(s, b);
    }
}
