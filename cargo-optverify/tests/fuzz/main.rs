//! The whole tool against native execution: random functions with loops, arrays, enums and the heap, whose truth is
//! known from running them, in both profiles.
//!
//! A verdict is wrong if a function that is called safe panics on an input, or one that is called unsafe does not
//! panic on the reported input. Such a function is made small and written to `regressions/`, which are checked too.
//!
//! `OPTVERIFY_FUZZ=10000 OPTVERIFY_FUZZ_SEED=7 cargo test --test fuzz -- --nocapture random` runs for long: both
//! profiles of every function, mostly small ones (`size`), one thread (`OPTVERIFY_FUZZ_THREADS`), 400 ms a function
//! (`OPTVERIFY_FUZZ_MS`). With `OPTVERIFY_FUZZ_LOG=FILE` a killed run goes on where it was; files and native programs
//! stay in the folder `OPTVERIFY_FUZZ_KEEP`. `OPTVERIFY_TOOL` names another build of the tool.

mod calm;
mod cases;
mod check;
mod claims;
#[path = "../common/mod.rs"]
mod common;
mod confirm;
mod heap;
mod judge;
mod loops;
mod progress;
mod regressions;
mod shrink;
mod snippets;
mod steps;
mod tool;
mod truth;

// the generator of the differential test
#[path = "../differential/expressions.rs"]
mod expressions;
#[path = "../differential/functions.rs"]
mod functions;
#[path = "../differential/integers.rs"]
mod integers;
#[path = "../differential/native.rs"]
#[allow(dead_code, reason = "the fuzzer has its own runs")]
mod native;
#[path = "../differential/random.rs"]
mod random;
#[path = "../differential/scope.rs"]
mod scope;
#[path = "../differential/statements.rs"]
mod statements;
#[path = "../differential/types.rs"]
mod types;

use cases::Size;
use check::{Settings, check};
use functions::ALLOWED;
use progress::{Identity, Progress};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use tool::Profile;

/// The build that is the reference's truth: no optimization of rustc's or LLVM's.
const NATIVE_FLAGS: [&str; 4] = [
    "-Copt-level=0",
    "-Zmir-opt-level=0",
    "-Coverflow-checks=off",
    "-Cdebug-assertions=off",
];

/// Functions of one file: a compile costs as much again for each file, whatever is in it.
const FILE: u64 = 50;
const LONG_FILE: u64 = 200;

fn number(name: &str, otherwise: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.and_then(|t| t.parse().ok()).unwrap_or(otherwise)
}

/// Most functions are short, so that they are many; large ones cost ten times as much, and with the heap more than that.
fn size(n: u64, long: bool) -> Size {
    match n % 32 {
        // one of each profile
        _ if !long && n.is_multiple_of(3) => Size::Small,
        _ if !long => Size::Short,
        31 => Size::Large,
        15 => Size::Plain,
        7 | 23 => Size::Small,
        _ => Size::Short,
    }
}

#[test]
fn verdicts_on_random_functions_are_true() {
    let functions = number("OPTVERIFY_FUZZ", 300);
    let long = functions > 300;
    let milliseconds = number("OPTVERIFY_FUZZ_MS", if long { 400 } else { 500 });
    let seed = number("OPTVERIFY_FUZZ_SEED", 1) * 10_000;
    let started = Instant::now();
    let in_file = if long { LONG_FILE } else { FILE };
    let files = functions.div_ceil(in_file);
    let threads = number("OPTVERIFY_FUZZ_THREADS", if long { 1 } else { 2 });
    let progress = match std::env::var_os("OPTVERIFY_FUZZ_LOG") {
        Some(log) => {
            let identity = Identity {
                seed,
                functions,
                milliseconds,
                tool: tool::identity(),
            };
            Progress::open(Path::new(&log), &identity).unwrap_or_else(|e| panic!("{log:?}: {e}"))
        }
        None => Progress::unwritten(),
    };
    let (next, progress) = (AtomicU64::new(0), Mutex::new(progress));
    let lock = || progress.lock().expect("no thread has failed");
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= files {
                        return;
                    }
                    if lock().is_done(n) {
                        continue;
                    }
                    let count = (functions - n * in_file).min(in_file);
                    let settings = Settings {
                        // both profiles of everything take their time
                        profiles: match n % 2 {
                            _ if long => &[Profile::Release, Profile::Dev],
                            0 => &[Profile::Release],
                            _ => &[Profile::Dev],
                        },
                        milliseconds,
                        size: size(n, long),
                    };
                    let figures = check(seed + n, count as usize, &settings);
                    let mut progress = lock();
                    progress.add(n, figures).expect("the log is written");
                    if long {
                        progress.total().print(started.elapsed().as_secs());
                    }
                }
            });
        }
    });
    let total = lock().total();
    total.print(started.elapsed().as_secs());
    assert!(total.wrong.is_empty(), "{}", total.wrong.join("\n"));
    // who decides nothing is never wrong
    assert!(total.decided() * 4 > total.functions, "little was decided");
}
