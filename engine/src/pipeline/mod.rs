//! The stages of a verification, in order; every stage has its room, this file only says when it runs.
//!
//! 1. read: the reference and each pass's snapshot, parsed and compared with their own print (`snapshot`):
//!    what does not round-trip is not understood, and gets no verdict.
//! 2. lower and simplify: a closed program per snapshot. Equal programs share one verdict: most passes change
//!    nothing that a run could see.
//! 3. prove the reference, then carry the proof to the snapshot after each pass (`chain`): lemmas travel as
//!    candidates and are trusted by nobody.
//! 4. report: counterexamples in source names (`witness`).

mod chain;
mod replay;
mod snapshot;
mod witness;

pub use snapshot::{Prepared, SnapshotError, prepare_reference, prepare_snapshot};

use crate::capture::{Capture, Root};
use crate::report::{Event, RootReport};
use std::time::{Duration, Instant};

/// How a root is to be verified.
#[derive(Debug, Clone)]
pub struct Options {
    /// Budget for one root, all its passes included.
    pub timeout: Duration,
    /// Also prove every pass from scratch, to compare.
    pub measure_scratch: bool,
    /// Only these engines, by name; all if empty.
    pub engines: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(60),
            measure_scratch: false,
            engines: vec![],
        }
    }
}

/// The model has 64-bit addresses and little-endian bytes.
fn foreign_target(target: &str, pointer_width: u32) -> Option<String> {
    const BIG_ENDIAN: [&str; 6] = [
        "aarch64_be",
        "mips64-",
        "powerpc64-",
        "s390x",
        "sparc64",
        "sparcv9",
    ];
    let big = BIG_ENDIAN.iter().any(|b| target.starts_with(b));
    (pointer_width != 64 || big).then(|| {
        format!(
            "the target {target} is not supported: only 64-bit little-endian targets are modelled"
        )
    })
}

/// Verifies one root: the reference, then every pass.
pub fn verify_root(
    capture: &Capture,
    root: &Root,
    options: &Options,
    events: &mut dyn FnMut(Event),
) -> RootReport {
    let start = Instant::now();
    if let Some(why) = foreign_target(&capture.info.target, capture.info.pointer_width) {
        return RootReport::unknown(why);
    }
    let mut report = chain::run(capture, root, options, events);
    report.ms = start.elapsed().as_millis() as u64;
    report
}
