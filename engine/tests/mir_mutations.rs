//! Damaged MIR: truncated, flipped, spliced and absurdly nested texts are errors with a position,
//! never a panic, and never a stack overflow.
use optverify_engine::mir::{parse_bodies, parse_file, parse_path, parse_ty, round_trip};

const SAMPLES: [&str; 4] = [
    include_str!("mir_samples/odd-1.97.mir"),
    include_str!("mir_samples/loop-inlined-1.95.mir"),
    include_str!("mir_samples/statics-1.95.mir"),
    include_str!("mir_samples/coroutine-1.95.mir"),
];

/// Steele, Lea, Flood: SplitMix64. A failure repeats from its seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

fn check(text: &str, what: &str) {
    if let Err(error) = parse_file(text) {
        let n_lines = text.lines().count() as u32;
        assert!(
            error.line >= 1 && error.line <= n_lines + 1,
            "{what}: {error}"
        );
        let line = text.lines().nth(error.line as usize - 1).unwrap_or("");
        assert!(
            error.column >= 1 && error.column as usize <= line.chars().count() + 1,
            "{what}: {error}"
        );
        assert!(!error.what.is_empty());
    }
    let _ = parse_bodies(text);
    let _ = round_trip(text);
}

/// A piece of a sample, small enough that thousands of them stay quick.
fn piece(random: &mut Random) -> String {
    let text = SAMPLES[random.below(SAMPLES.len())];
    let starts: Vec<usize> = text
        .match_indices("\n\n")
        .map(|(at, _)| at + 2)
        .chain([0])
        .collect();
    let start = starts[random.below(starts.len())];
    let mut end = (start + 200 + random.below(4000)).min(text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    // A dump of one function reads only from its header on.
    let header = text.find("\nfn ").map_or("", |at| {
        &text[..at + 1 + text[at + 1..].find('\n').unwrap_or(0)]
    });
    format!(
        "{}\n{}",
        if random.below(2) == 0 { header } else { "" },
        &text[start..end]
    )
}

fn mutate(random: &mut Random, text: &mut Vec<u8>) {
    if text.is_empty() {
        return;
    }
    let at = random.below(text.len());
    let length = random.below(40).min(text.len() - at);
    match random.below(7) {
        0 => text.truncate(at),
        1 => text[at] ^= 1 << random.below(8),
        2 => {
            text.drain(at..at + length);
        }
        3 => {
            let copied = text[at..at + length].to_vec();
            let to = random.below(text.len());
            text.splice(to..to, copied);
        }
        4 => {
            const MARKS: &[u8] = b"(){}[]<>\"'\\:;,-_*&#0 \n\r\0/|";
            text[at] = MARKS[random.below(MARKS.len())];
        }
        5 => {
            let other = SAMPLES[random.below(SAMPLES.len())].as_bytes();
            let from = random.below(other.len() - 40);
            text.splice(at..at, other[from..from + length].iter().copied());
        }
        _ => text[at] = random.next() as u8,
    }
}

#[test]
fn mutated_samples_never_panic() {
    let rounds = 20_000;
    for seed in 0..rounds {
        let mut random = Random(seed);
        let mut bytes = piece(&mut random).into_bytes();
        for _ in 0..=random.below(4) {
            mutate(&mut random, &mut bytes);
        }
        check(&String::from_utf8_lossy(&bytes), &format!("seed {seed}"));
    }
    println!("{rounds} mutated texts, no panic");
}

#[test]
fn every_truncation_is_an_error_with_a_position() {
    for sample in &SAMPLES[1..] {
        let sample = &sample[..sample.find("\n}\n").expect("the end of a body")];
        for end in (0..sample.len()).filter(|end| sample.is_char_boundary(*end)) {
            check(&sample[..end], &format!("truncated to {end} bytes"));
        }
    }
}

#[test]
fn nesting_has_a_limit() {
    for open in [
        "(",
        "[",
        "&",
        "<",
        "*const ",
        "Vec<",
        "fn(",
        "<T as ",
        "(*",
        "{closure@",
        "fn() -> ",
        "for<",
    ] {
        let deep = open.repeat(100_000);
        assert!(parse_ty(&deep).is_err(), "{open}");
        assert!(parse_path(&deep).is_err(), "{open}");
        check(&format!("fn f(_1: {deep}) -> () {{\n"), open);
        check(&format!("const X: () = const {deep};\n"), open);
        check(
            &format!("fn f() -> () {{\n    let mut _0: ();\n\n    bb0: {{\n        _0 = {deep};\n"),
            open,
        );
    }
    let scopes = "    scope 1 {\n".repeat(100_000);
    check(
        &format!("fn f() -> () {{\n    let mut _0: ();\n{scopes}"),
        "scopes",
    );
}
