//! `cargo optverify`: captures, verifies every root, reports, decides.

use crate::cli::{MessageFormat, VerifyArgs, parse_duration};
use crate::exit_code::ExitCode;
use crate::report::human::HumanReporter;
use crate::report::json::JsonReporter;
use crate::report::{Reporter, RootResult, Summary};
use crate::{gate, native, source};
use anyhow::Result;
use optverify_engine::capture::{Capture, Manifest, Root};
use optverify_engine::pipeline::{self, Options};
use optverify_engine::report::RootReport;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub fn run(args: &VerifyArgs) -> Result<ExitCode> {
    let start = Instant::now();
    let captures = source::captures(args.file.as_deref(), &args.build)?;
    for note in captures.list.iter().flat_map(|c| &c.info.notes) {
        anstream::eprintln!("note: {note}");
    }
    let mut reporter: Box<dyn Reporter> = match args.message_format {
        MessageFormat::Human => Box::new(HumanReporter),
        MessageFormat::Json => Box::new(JsonReporter),
    };
    let work = work(&captures.list, &args.roots);
    let results = verify_all(&work, args, reporter.as_mut());
    let summary = Summary::of(&results, start.elapsed().as_millis() as u64);
    reporter.finished(&results, &summary);
    Ok(gate::decide(&results))
}

/// Terms and parsers recurse; a deep one is no reason to die.
const STACK: usize = 256 << 20;

struct Task<'a> {
    capture: &'a Capture,
    info: Arc<Manifest>,
    root: &'a Root,
}

fn work<'a>(captures: &'a [Capture], only: &[String]) -> Vec<Task<'a>> {
    let mut work = Vec::new();
    for capture in captures {
        let info = Arc::new(capture.info.clone());
        let wanted =
            |root: &&Root| only.is_empty() || only.iter().any(|name| source::matches(root, name));
        work.extend(capture.roots().iter().filter(wanted).map(|root| Task {
            capture,
            info: Arc::clone(&info),
            root,
        }));
    }
    work
}

/// What the threads share.
struct Done<'a> {
    results: Vec<(usize, RootResult)>,
    reporter: &'a mut dyn Reporter,
}

/// Roots in parallel; each reported as it finishes, all returned in the order of the source.
fn verify_all(
    work: &[Task<'_>],
    args: &VerifyArgs,
    reporter: &mut dyn Reporter,
) -> Vec<RootResult> {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = args.jobs.unwrap_or_else(cores).clamp(1, work.len().max(1));
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Done {
        results: Vec::new(),
        reporter,
    });
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            let worker = || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(task) = work.get(index) else { break };
                    let result = verify_one(task, args);
                    let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                    done.reporter.root(&result);
                    done.results.push((index, result));
                }
            };
            let thread = std::thread::Builder::new().stack_size(STACK);
            if thread.spawn_scoped(scope, worker).is_err() {
                // no more threads to be had: the ones that run do the work
                break;
            }
        }
    });
    let mut results = done
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
        .results;
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

fn verify_one(task: &Task<'_>, args: &VerifyArgs) -> RootResult {
    let options = Options {
        timeout: timeout(task.root, args.timeout),
        measure_scratch: args.measure_scratch,
        engines: args.engine.clone(),
    };
    let report = verify_root(task.capture, task.root, &options);
    // where the optimizer is to blame, the machine itself is the best witness
    let native = match &report.counterexample {
        Some(counterexample) if report.guilty_pass().is_some() && !args.no_native => {
            match native::run(task.capture, task.root, counterexample) {
                Ok(runs) => Some(runs),
                Err(error) => {
                    anstream::eprintln!("note: {} was not run natively: {error:#}", task.root.name);
                    None
                }
            }
        }
        _ => None,
    };
    RootResult {
        capture: Arc::clone(&task.info),
        root: task.root.clone(),
        report,
        native,
    }
}

/// What stands at the root itself is meant for it; the command line is for the others.
pub fn timeout(root: &Root, otherwise: Duration) -> Duration {
    root.options
        .get("timeout")
        .and_then(|text| parse_duration(text).ok())
        .unwrap_or(otherwise)
}

/// A bug of this tool in one root must not take the verdicts of the others with it.
pub fn verify_root(capture: &Capture, root: &Root, options: &Options) -> RootReport {
    let run = AssertUnwindSafe(|| pipeline::verify_root(capture, root, options, &mut |_| {}));
    std::panic::catch_unwind(run).unwrap_or_else(|panic| {
        let message = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        RootReport::unknown(format!("internal error of cargo-optverify: {message}"))
    })
}
