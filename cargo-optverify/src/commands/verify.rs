//! `cargo optverify`: captures, verifies every root, reports, decides.

use crate::baseline::{self, Baseline};
use crate::cli::{VerifyArgs, parse_duration};
use crate::commands::{certify, graph};
use crate::contracts::Reports;
use crate::exit_code::ExitCode;
use crate::gate::{self, Judge, Judgement};
use crate::report::progress::Progress;
use crate::report::{Picture, Reporter, RootResult, Summary, bug_report};
use crate::witness::{self, Entry};
use crate::{isolate, native, source};
use anyhow::{Context, Result};
use optverify_engine::capture::{Capture, Manifest, Root};
use optverify_engine::pipeline::{Options, proof_file};
use optverify_engine::report::RootReport;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub fn run(args: &VerifyArgs) -> Result<ExitCode> {
    let start = Instant::now();
    let captures = source::captures(args.file.as_deref(), &args.build, &args.roots)?;
    for note in captures.list.iter().flat_map(|c| &c.info.notes) {
        anstream::eprintln!("note: {note}");
    }
    let baseline = match &args.gate.baseline {
        Some(file) => Baseline::load(file)?,
        None => Baseline::default(),
    };
    let run = Run {
        args,
        judge: Judge::new(&args.gate, baseline),
        proofs: (args.certify || args.output.witness.is_some())
            .then(tempfile::tempdir)
            .transpose()?,
        witnesses: Mutex::default(),
    };
    let mut reporters = args.output.reporters(
        args.file.as_deref(),
        args.build.quiet,
        args.build.all_functions,
    );
    let (work, roots) = work(&captures.list, args);
    let results = run.verify_all(&work, &mut reporters);
    let summary = Summary::of(&results, start.elapsed().as_millis() as u64);
    for reporter in &mut reporters {
        reporter.finished(&results, &summary)?;
    }
    if results.len() < work.len() {
        let left = work.len() - results.len();
        anstream::eprintln!("note: {left} roots were not verified (--fail-fast)");
    } else if work.len() < roots {
        anstream::eprintln!("note: {} of {roots} roots are in this part", work.len());
    }
    for note in run.judge.notes(&results) {
        anstream::eprintln!("note: {note}");
    }
    if let Some(file) = &args.gate.write_baseline {
        let count = baseline::write(file, &results)?;
        anstream::eprintln!("note: {count} findings are in {}", file.display());
    }
    if let Some(file) = &args.output.witness {
        witness::write::write(file, &run.witnesses())?;
        if args.refine && results.iter().any(was_compared) {
            anstream::eprintln!("note: {}", witness::write::NO_REFINEMENT);
        }
    }
    if let (Some(file), Some(text)) = (&args.bug_report, bug_report::text(&results)) {
        std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(gate::decide(&results, roots))
}

/// Was its result compared before and after some pass?
fn was_compared(result: &RootResult) -> bool {
    let mut passes = result.report.passes.iter();
    passes.any(|pass| pass.refines.is_some())
}

struct Task<'a> {
    capture: &'a Capture,
    info: Arc<Manifest>,
    root: &'a Root,
}

/// The roots of this run, and how many there are with those of other parts of a matrix.
fn work<'a>(captures: &'a [Capture], args: &VerifyArgs) -> (Vec<Task<'a>>, usize) {
    let only = &args.roots;
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
    let roots = work.len();
    if let Some(partition) = args.gate.partition {
        work.retain(|task| partition.contains(&task.root.name));
    }
    (work, roots)
}

/// What the threads share.
struct Done<'a> {
    results: Vec<(usize, RootResult)>,
    reporters: &'a mut [Box<dyn Reporter>],
}

struct Run<'a> {
    args: &'a VerifyArgs,
    judge: Judge,
    /// Where proofs are for the checker, with `--certify`, and for witnesses.
    proofs: Option<tempfile::TempDir>,
    /// By file and line.
    witnesses: Mutex<BTreeMap<(String, u32, String), Entry>>,
}

impl Run<'_> {
    fn witnesses(&self) -> Vec<Entry> {
        let all = self.witnesses.lock();
        let all = all.unwrap_or_else(PoisonError::into_inner);
        all.values().cloned().collect()
    }

    /// The root's witness, if one is wanted and it is decided.
    fn keep_witness(&self, task: &Task<'_>, report: &RootReport, proof: &Path) {
        let (root, is_single) = (task.root, self.args.file.is_some());
        match witness::write::entry(task.capture, root, report, proof, is_single) {
            Ok(Some(entry)) => {
                let all = self.witnesses.lock();
                let mut all = all.unwrap_or_else(PoisonError::into_inner);
                all.insert((root.file.clone(), root.line, root.name.clone()), entry);
            }
            Ok(None) => {}
            Err(e) => anstream::eprintln!("note: no witness of {}: {e:#}", root.name),
        }
    }

    /// Roots in parallel; each reported as it finishes, all returned in the order of the source.
    fn verify_all(
        &self,
        work: &[Task<'_>],
        reporters: &mut [Box<dyn Reporter>],
    ) -> Vec<RootResult> {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = self.args.jobs.unwrap_or_else(cores);
        let jobs = jobs.clamp(1, work.len().max(1));
        let next = AtomicUsize::new(0);
        let reports = Reports::new(|capture, root, contracts| self.raw(capture, root, contracts));
        let progress = Progress::new(work.len(), !self.args.build.quiet);
        let done = Mutex::new(Done {
            results: Vec::new(),
            reporters,
        });
        std::thread::scope(|scope| {
            for _ in 0..jobs {
                let worker = || {
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(task) = work.get(index) else { break };
                        progress.begins(&task.root.name);
                        let result = self.verify_one(task, &reports);
                        let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                        progress.ends(&task.root.name, || {
                            done.reporters.iter_mut().for_each(|r| r.root(&result));
                        });
                        let fails =
                            matches!(result.judgement, Judgement::Violation | Judgement::Unknown);
                        if fails && self.args.gate.fail_fast {
                            next.store(work.len(), Ordering::Relaxed);
                        }
                        done.results.push((index, result));
                    }
                };
                let thread = std::thread::Builder::new();
                if thread.spawn_scoped(scope, worker).is_err() {
                    // no more threads to be had: the ones that run do the work
                    break;
                }
            }
        });
        progress.finish();
        let mut results = done
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .results;
        results.sort_by_key(|(index, _)| *index);
        results.into_iter().map(|(_, result)| result).collect()
    }

    fn proof_file(&self, capture: &Capture, root: &Root) -> Option<PathBuf> {
        let folder = self.proofs.as_ref()?;
        Some(proof_file(folder.path(), capture, root))
    }

    /// What the root's own process says, and the checker of it.
    fn raw(&self, capture: &Capture, root: &Root, contracts: bool) -> RootReport {
        let args = self.args;
        let proof = self.proof_file(capture, root);
        let options = Options {
            timeout: timeout(root, args.timeout),
            measure_scratch: args.measure_scratch,
            refine: args.refine,
            store: store(capture, args),
            export: proof.clone(),
            engines: args.engine.clone(),
            vcgen: args.vcgen,
            contracts,
        };
        let mut report = isolate::verify_root_within(capture, root, &options, args.gate.memory);
        if let Some(proof) = proof.filter(|_| args.certify) {
            certify::certify(capture, root, &proof, &mut report);
        }
        report
    }

    fn verify_one(&self, task: &Task<'_>, reports: &Reports<'_>) -> RootResult {
        let args = self.args;
        let report = reports.of(task.capture, task.root);
        let proof = self.proof_file(task.capture, task.root);
        if let Some(proof) = proof.filter(|_| args.output.witness.is_some()) {
            self.keep_witness(task, &report, &proof);
        }
        for note in &report.notes {
            anstream::eprintln!("note: {note}");
        }
        // where the optimizer is to blame, the machine itself is the best witness
        let native = match &report.counterexample {
            Some(counterexample) if report.guilty_pass().is_some() && !args.no_native => {
                match native::run(task.capture, task.root, counterexample) {
                    Ok(runs) => Some(runs),
                    Err(error) => {
                        let name = &task.root.name;
                        anstream::eprintln!("note: {name} was not run natively: {error:#}");
                        None
                    }
                }
            }
            _ => None,
        };
        let graphs = match &args.output.html {
            Some(_) => pictures(task, &report),
            None => Vec::new(),
        };
        RootResult {
            graphs,
            capture: Arc::clone(&task.info),
            root: task.root.clone(),
            judgement: self.judge.judge(task.root, &report),
            report,
            native,
        }
    }
}

/// The graph as written, and the one that the counterexample goes through where that is another. A root that has
/// no program has no picture.
fn pictures(task: &Task<'_>, report: &RootReport) -> Vec<Picture> {
    let counterexample = report.counterexample.as_ref();
    let path = counterexample.map_or(&[][..], |c| &c.path);
    let pass = counterexample.and_then(|c| c.pass.as_deref());
    let pass = pass.filter(|pass| *pass != "reference");
    let on_reference = if pass.is_none() { path } else { &[] };
    let stages = [(None, on_reference)].into_iter();
    let stages = stages.chain(pass.map(|pass| (Some(pass), path)));
    let draw = |(pass, path): (Option<&str>, &[_])| {
        let stage = pass.map_or_else(|| "as written".to_owned(), |pass| format!("after {pass}"));
        let svg = AssertUnwindSafe(|| graph::picture(task.capture, task.root, pass, path));
        Some(Picture {
            title: format!("Cut-point graph {stage}"),
            svg: std::panic::catch_unwind(svg).ok()?.ok()?,
        })
    };
    stages.filter_map(draw).collect()
}

/// Where proofs are kept: beside the captures of a package, unless the user says otherwise. Folders that were captured
/// earlier and single files have no such place.
fn store(capture: &Capture, args: &VerifyArgs) -> Option<PathBuf> {
    if args.no_proof_store {
        return None;
    }
    let beside = || {
        let mut above = capture.dir().ancestors();
        let captures = above.find(|d| d.file_name().is_some_and(|n| n == "captures"))?;
        let is_package = args.file.is_none() && args.build.from_capture.is_empty();
        is_package.then(|| captures.with_file_name("proofs"))
    };
    args.proof_store.clone().or_else(beside)
}

/// What stands at the root itself is meant for it; the command line is for the others.
pub fn timeout(root: &Root, otherwise: Duration) -> Duration {
    root.options
        .get("timeout")
        .and_then(|text| parse_duration(text).ok())
        .unwrap_or(otherwise)
}
