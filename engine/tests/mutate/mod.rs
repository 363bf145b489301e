//! What the tests of readers share: inputs damaged in ways that repeat from their seed, and a clock that ends a test
//! which hangs.
#![allow(dead_code, reason = "every test file uses a part of it")]

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Steele, Lea, Flood: SplitMix64. A failure repeats from its seed.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    pub fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

/// What stands in the place of a number: ends of ranges, beyond them, and what is none.
const NUMBERS: [&str; 14] = [
    "0",
    "-1",
    "1",
    "255",
    "2147483648",
    "4294967295",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "340282366920938463463374607431768211455",
    "999999999999999999999999999999999999999999999999999",
    "1e308",
    "NaN",
    "0x",
];

/// What stands in the place of a text.
const TEXTS: [&str; 10] = [
    "",
    "../../../etc/passwd",
    "/etc/passwd",
    "..",
    "\\u0000",
    "\\ud800",
    "é",
    "reference.mir",
    "bb99999999999999999999",
    "{closure#0}",
];

/// Damages a text once: bytes, lines, numbers, quoted texts, cuts, copies.
pub fn mutate(random: &mut Random, text: &mut Vec<u8>) {
    if text.is_empty() {
        return;
    }
    let at = random.below(text.len());
    let length = random.below(40).min(text.len() - at);
    match random.below(11) {
        0 => text.truncate(at),
        1 => text[at] ^= 1 << random.below(8),
        2 => drop(text.drain(at..at + length)),
        3 => {
            let copied = text[at..at + length].to_vec();
            let to = random.below(text.len());
            text.splice(to..to, copied);
        }
        4 => {
            const MARKS: &[u8] = b"(){}[]<>\"'\\:;,-_*&#0 \n\r\0/|.=";
            text[at] = MARKS[random.below(MARKS.len())];
        }
        5 => text[at] = random.next() as u8,
        6 => lines(random, text),
        7 => {
            // absurdly deep
            let open = random.pick(&["[", "{\"a\":", "(", "<", "a.", "&"]);
            let n = 1 << random.below(14);
            text.splice(at..at, open.repeat(n).into_bytes());
        }
        8 | 9 => replace(random, text, u8::is_ascii_digit, &NUMBERS),
        _ => replace(
            random,
            text,
            |b| b.is_ascii_alphanumeric() || b"_:./".contains(b),
            &TEXTS,
        ),
    }
}

/// Drops, doubles or swaps lines.
fn lines(random: &mut Random, text: &mut Vec<u8>) {
    let mut all: Vec<Vec<u8>> = text.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
    let (a, b) = (random.below(all.len()), random.below(all.len()));
    match random.below(3) {
        0 => drop(all.remove(a)),
        1 => all.insert(b, all[a].clone()),
        _ => all.swap(a, b),
    }
    *text = all.join(&b'\n');
}

/// Puts one of these in the place of a run of such bytes.
fn replace(random: &mut Random, text: &mut Vec<u8>, is: impl Fn(&u8) -> bool, by: &[&str]) {
    let from = random.below(text.len());
    let Some(start) = text[from..].iter().position(&is).map(|n| from + n) else {
        return;
    };
    let end = text[start..].iter().position(|b| !is(b));
    let end = end.map_or(text.len(), |n| start + n);
    text.splice(start..end, random.pick(by).bytes());
}

/// A text damaged one to four times.
pub fn damaged(random: &mut Random, text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(4) {
        mutate(random, &mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// How many inputs: more in a long run.
pub fn rounds(usual: u64) -> u64 {
    let times = std::env::var("OPTVERIFY_MUTATIONS").ok();
    usual * times.and_then(|n| n.parse().ok()).unwrap_or(1)
}

/// Does the work for every seed, in a thread with a usual stack. A seed that panics or takes too long is named.
pub fn each(rounds: u64, work: impl Fn(u64) + Send + 'static) {
    let (begins, begun) = channel();
    let thread = std::thread::spawn(move || {
        for seed in 0..rounds {
            let _ = begins.send(seed);
            work(seed);
        }
    });
    let mut last = 0;
    loop {
        match begun.recv_timeout(Duration::from_secs(60)) {
            Ok(seed) => last = seed,
            Err(RecvTimeoutError::Timeout) => panic!("seed {last} does not end"),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    assert!(thread.join().is_ok(), "seed {last} panics");
}
