//! Damaged MIR: truncated, flipped, spliced and absurdly nested texts are errors with a position,
//! never a panic, and never a stack overflow.
mod mutate;

use mutate::{Random, each, mutate, rounds};
use optverify_engine::mir::{parse_bodies, parse_file, parse_path, parse_ty, round_trip};

const SAMPLES: [&str; 4] = [
    include_str!("mir_samples/odd-1.97.mir"),
    include_str!("mir_samples/loop-inlined-1.95.mir"),
    include_str!("mir_samples/statics-1.95.mir"),
    include_str!("mir_samples/coroutine-1.95.mir"),
];

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

#[test]
fn mutated_samples_never_panic() {
    let n = rounds(20_000);
    each(n, |seed| {
        let mut random = Random(seed);
        let mut bytes = piece(&mut random).into_bytes();
        for _ in 0..=random.below(4) {
            match random.below(6) {
                0 => splice(&mut random, &mut bytes),
                _ => mutate(&mut random, &mut bytes),
            }
        }
        check(&String::from_utf8_lossy(&bytes), &format!("seed {seed}"));
    });
    println!("figure: damaged MIR texts | {n}, 0 panics");
}

/// A piece of another sample in the midst of this one.
fn splice(random: &mut Random, text: &mut Vec<u8>) {
    let other = SAMPLES[random.below(SAMPLES.len())].as_bytes();
    let from = random.below(other.len() - 40);
    let (at, length) = (random.below(text.len()), random.below(40));
    text.splice(at..at, other[from..from + length].iter().copied());
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

/// Sizes that no compiler prints: what grows is time in proportion, not the stack and not more.
#[test]
fn length_has_no_limit_but_time() {
    let head = "fn f() -> () {\n    let mut _0: ();\n\n    bb0: {\n";
    let many = 200_000;
    let long = [
        format!("{head}{}", "        _0 = const ();\n".repeat(many)),
        format!("{head}        _0 = {};\n", "x".repeat(4_000_000)),
        format!("{head}        _0 = f({});\n", "const 1_u8, ".repeat(many)),
        format!(
            "{head}        switchInt(_1) -> [{}];\n",
            "0: bb1, ".repeat(many)
        ),
        format!("fn f({}) -> () {{\n", "_1: u8, ".repeat(many)),
        format!("// {}\n{head}", " x".repeat(1_000_000)),
        format!(
            "{head}        _0 = const \"{}\";\n",
            "\\u{1F600}".repeat(many)
        ),
    ];
    each(long.len() as u64, move |n| {
        check(&long[n as usize], &format!("long text {n}"))
    });
    for number in [
        "99999999999999999999999999999999999999999999_u8",
        "-99999999999999999999999999999999999999999999_i128",
        "1e999999f64",
        "18446744073709551616_usize",
    ] {
        check(&format!("{head}        _0 = const {number};\n"), number);
    }
    for place in [
        "_99999999999999999999",
        "(_1.99999999999999999999: u8)",
        "_1[99999999999999999999 of 1]",
        "_1[18446744073709551615:-18446744073709551615]",
    ] {
        check(&format!("{head}        _0 = copy {place};\n"), place);
        check(&format!("{head}        {place} = const ();\n"), place);
    }
    check(
        "fn f() -> [u8; 99999999999999999999999999999] {\n",
        "an array",
    );
    check(
        &format!("{head}        goto -> bb99999999999999999999;\n"),
        "a block",
    );
}
