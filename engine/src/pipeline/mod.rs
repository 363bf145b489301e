//! The stages of a verification, in order; every stage has its room, this file only says when it runs.
//!
//! 1. read: the reference and each pass's snapshot, parsed and compared with their own print (`snapshot`):
//!    what does not round-trip is not understood, and gets no verdict.
//! 2. lower and simplify: a closed program per snapshot. Equal programs share one verdict: most passes change
//!    nothing that a run could see.
//! 3. prove the reference, from the proof of last time if there is one (`store`), then carry the proof to the snapshot after each pass (`chain`): lemmas travel as
//!    candidates and are trusted by nobody. A panic that a pass drops must have been unreachable (`conserve`);
//!    with `refine`, results are compared as well.
//! 4. report: counterexamples in source names (`witness`), differences of results (`difference`), proofs that say
//!    nothing (`vacuous`).

mod backwards;
mod chain;
mod conserve;
mod difference;
mod events;
mod export;
mod race;
mod reachable;
mod replay;
mod rerun;
mod side_by_side;
mod smt_lib;
mod snapshot;
mod store;
mod suited;
mod vacuous;
mod witness;

pub use backwards::BACKWARDS;
pub use export::proof_file;
pub use rerun::{NotRerun, RunValues, rerun};
pub use snapshot::{
    Model, Prepared, SnapshotError, lacks_bodies, missing_bodies, missing_in_reference,
    prepare_reference, prepare_snapshot,
};

use crate::assumption::Assumption;
use crate::capture::{Capture, Root};
use crate::lower::ByContract;
use crate::program::Texts;
use crate::report::{BrokenPass, Event, QueryReport, RootReport, Verdict};
use crate::vc::Generator;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How a root is to be verified.
#[derive(Debug, Clone)]
pub struct Options {
    /// Budget for one root, all its passes included.
    pub timeout: Duration,
    /// Also prove every pass from scratch, to compare.
    pub measure_scratch: bool,
    /// Also prove that every pass keeps the returned value and what is written through references.
    pub refine: bool,
    /// Only these engines, by name; all if empty.
    pub engines: Vec<String>,
    /// A folder with the proofs of last time: where to start from, never to be trusted.
    pub store: Option<PathBuf>,
    /// A file for the proofs of all snapshots, as claims for an independent checker.
    pub export: Option<PathBuf>,
    /// Makes the conditions by which proofs are certified.
    pub vcgen: Generator,
    /// May contracts of other roots stand for calls? What is proven then depends on them (`contracts` in the report).
    pub contracts: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(60),
            measure_scratch: false,
            refine: false,
            engines: vec![],
            store: None,
            export: None,
            vcgen: Generator::default(),
            contracts: false,
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
    crate::smt::take_stats();
    let mut report = first_report(capture, root, options, events);
    // Other models, which cost more: for a place that allocates again while what it made is in use, and for functions
    // whose calls of themselves are a tree.
    let mut model = Model::default();
    if is_left_where(&report, crate::lower::CROWDED) {
        model.rows_everywhere = true;
        let options = with_time_left(options, start);
        report = chain::run(capture, root, &options, model, events);
    }
    let even = Model {
        even_recursion: true,
        ..model
    };
    if is_left_where(&report, crate::lower::TOO_DEEP) && is_another(capture, root, model, even) {
        model = even;
        let options = with_time_left(options, start);
        report = chain::run(capture, root, &options, model, events);
    }
    // What holds for texts alone is proven with what they are.
    if is_left_by(&report, witness::NO_TEXT) {
        let options = with_time_left(options, start);
        model.texts = Texts::Utf8;
        report = chain::run(capture, root, &options, model, events);
    }
    if is_left_by(&report, witness::LONG_TEXT) {
        let options = with_time_left(options, start);
        model.texts = Texts::Short(SHORT);
        let short = chain::run(capture, root, &options, model, events);
        // That short texts are fine says nothing.
        if short.verdict == Verdict::Unsafe {
            report = short;
        }
    }
    // Not every call finds in a static what the first one does, but the first one is a run.
    if is_left_where(&report, EARLIER_CALLS) {
        let options = with_time_left(options, start);
        model.first_call = true;
        let first = chain::run(capture, root, &options, model, events);
        if first.verdict == Verdict::Unsafe {
            report = first;
        }
    }
    report.broken = broken_pass(capture, root, &report);
    for (name, q) in crate::smt::take_stats() {
        let query = QueryReport {
            sat: q.sat,
            unsat: q.unsat,
            unknown: q.unknown,
            failed: q.failed,
            ms: q.micros as f64 / 1e3,
            resources: q.resources,
        };
        report.queries.insert(name.to_string(), query);
    }
    report.ms = start.elapsed().as_millis() as u64;
    report
}

/// Functions with contracts that call themselves are first known by those (induction, where it is the root's own); what
/// that does not decide is unfolded, which may find a violation. Other functions are known by their bodies, and by their
/// contracts only where that does not decide.
fn first_report(
    capture: &Capture,
    root: &Root,
    options: &Options,
    events: &mut dyn FnMut(Event),
) -> RootReport {
    let start = Instant::now();
    let with_others = options.contracts && capture.roots().iter().any(|r| r.harness);
    let model = |by_contract| Model {
        by_contract,
        ..Model::default()
    };
    let uses_contracts = |by_contract| {
        prepare_reference(capture, root, model(by_contract))
            .is_ok_and(|(p, _)| p.ledger.used.contains(&Assumption::Contract))
    };
    let of_recursion = match with_others {
        true => ByContract::Recursive,
        false => ByContract::Itself,
    };
    let unfolded = model(ByContract::Nothing);
    if !(root.harness || with_others) || !uses_contracts(of_recursion) {
        let report = chain::run(capture, root, options, unfolded, events);
        let all = ByContract::All;
        if report.verdict != Verdict::Unknown || !with_others || !uses_contracts(all) {
            return report;
        }
        let options = with_time_left(options, start);
        let by_contract = chain::run(capture, root, &options, model(all), events);
        return match by_contract.verdict {
            Verdict::Unknown => report,
            Verdict::Safe | Verdict::Unsafe => by_contract,
        };
    }
    let half = Options {
        timeout: options.timeout / 2,
        ..options.clone()
    };
    let by_contract = chain::run(capture, root, &half, model(of_recursion), events);
    if by_contract.verdict != Verdict::Unknown {
        return by_contract;
    }
    let options = with_time_left(options, start);
    let report = chain::run(capture, root, &options, unfolded, events);
    match report.verdict {
        Verdict::Unknown => by_contract,
        Verdict::Safe | Verdict::Unsafe => report,
    }
}

/// The longest text that is looked for where a counterexample has one that nobody could read.
const SHORT: u32 = 32;

/// In reasons of violations that need a value of a static that the root did not write.
const EARLIER_CALLS: &str = "what earlier calls";

/// Is the verdict unknown because a snapshot's violation is none?
fn is_left_by(report: &RootReport, reason: &str) -> bool {
    let mut whys = (report.passes.iter().map(|p| &p.why)).chain([&report.reference.why]);
    report.verdict == Verdict::Unknown && whys.any(|w| w.as_deref() == Some(reason))
}

/// Is the verdict unknown because a snapshot leaves the model for this reason?
fn is_left_where(report: &RootReport, reason: &str) -> bool {
    let mut whys = (report.passes.iter().map(|p| &p.why)).chain([&report.reference.why]);
    let is_it = |why: &Option<String>| why.as_ref().is_some_and(|why| why.contains(reason));
    report.verdict == Verdict::Unknown && whys.any(is_it)
}

/// Does another model make another program of the root?
fn is_another(capture: &Capture, root: &Root, a: Model, b: Model) -> bool {
    let n_blocks = |model| {
        let prepared = prepare_reference(capture, root, model);
        prepared.map_or(0, |(p, _)| p.program.blocks.len())
    };
    n_blocks(a) != n_blocks(b)
}

fn with_time_left(options: &Options, start: Instant) -> Options {
    let left = options.timeout.saturating_sub(start.elapsed());
    Options {
        timeout: left.max(options.timeout / 2),
        ..options.clone()
    }
}

/// What the pass did that a violation is to be blamed on.
fn broken_pass(capture: &Capture, root: &Root, report: &RootReport) -> Option<BrokenPass> {
    let guilty = report.guilty_pass()?;
    let snapshots = capture.snapshots(&root.function).ok()?;
    let at = snapshots.iter().position(|s| s.index == guilty.index)?;
    let after = &snapshots[at];
    // The pass's own work, if it is on this function; else what inlining made of its callees.
    let before = snapshots[..at].last();
    let texts = match before {
        Some(b) if after.shipped_changed => (b.shipped_text().ok()?, after.shipped_text().ok()?),
        Some(b) => (b.text().ok()?, after.text().ok()?),
        None => return None,
    };
    Some(BrokenPass {
        index: guilty.index,
        name: guilty.name.clone(),
        mir: side_by_side::side_by_side(&texts.0, &texts.1),
    })
}
