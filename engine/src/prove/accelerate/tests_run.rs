//! The engine on whole programs: verdicts, depths, replays; each safe program with its unsafe twin.

use super::*;
use crate::program::Program;
use crate::prove::slice::slice;

fn decide(program: Program, options: Options) -> Outcome {
    let mut task = slice(program);
    run(&mut task, options, &Deadline::after_millis(20_000))
}

fn word(o: &Outcome) -> &'static str {
    match o.decision {
        Decision::Safe { .. } => "safe",
        Decision::Unsafe(_) => "unsafe",
        Decision::Unknown(_) => "unknown",
    }
}

#[test]
fn counting_up_and_down() {
    for w in [8, 16, 32, 64, 128] {
        let safe = decide(examples::count_up_down(w, 1, true), Options::default());
        assert_eq!(word(&safe), "safe", "{w}: {safe:?}");
        assert!(safe.depth <= 4);
        let bad = decide(examples::count_up_down(w, 1, false), Options::default());
        assert_eq!(word(&bad), "unsafe", "{w}: {bad:?}");
    }
}

/// The paper's point: acceleration alone does not prove, trace automata do.
#[test]
fn automata_make_the_proof() {
    let options = Options {
        trace_automata: false,
        max_depth: 4,
        ..Options::default()
    };
    let without = decide(examples::count_up_down(32, 1, true), options);
    assert_eq!(word(&without), "unknown");
    let nothing = decide(
        examples::count_up_down(32, 1, true),
        Options {
            acceleration: false,
            ..options
        },
    );
    assert_eq!(word(&nothing), "unknown");
}

#[test]
fn array_fill() {
    for len in [10, 1024, 1 << 40] {
        let safe = decide(examples::fill(len, true), Options::default());
        assert_eq!(word(&safe), "safe", "{len}: {safe:?}");
        let bad = decide(examples::fill(len, false), Options::default());
        assert_eq!(word(&bad), "unsafe", "{len}: {bad:?}");
    }
}

#[test]
fn nested_loops_of_2_to_the_60_steps() {
    let bad = decide(examples::heavy(1 << 20), Options::default());
    assert_eq!(word(&bad), "unsafe", "{bad:?}");
    let small = decide(examples::heavy(3), Options::default());
    assert_eq!(word(&small), "unsafe", "{small:?}");
}
