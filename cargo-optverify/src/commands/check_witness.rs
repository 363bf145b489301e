//! `cargo optverify check-proof --witness FILE`: a witness against this program. The proof of a correctness witness goes to
//! the checker, the run of a violation witness to the interpreter; what the witness says besides must follow from that.

use super::check_proof::{self, Sum};
use crate::cli::{CheckProofArgs, RerunRootArgs};
use crate::exit_code::ExitCode;
use crate::isolate;
use crate::source::{self, Captures};
use crate::witness::check::{self, Fault};
use crate::witness::{Entry, EntryType};
use anyhow::{Result, anyhow, bail};
use optverify_checker::{SnapshotCheck, Verdict};
use optverify_engine::capture::{Capture, Root};
use optverify_engine::pipeline::{self, NotRerun, RunValues};
use optverify_engine::report::Counterexample;
use std::path::Path;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(600);
/// As deep as the engines' own.
const STACK: usize = 256 << 20;

pub fn run(
    args: &CheckProofArgs,
    captures: &Captures,
    file: &Path,
    only: &[&String],
) -> Result<ExitCode> {
    let entries = match check::read(file) {
        Ok(entries) => entries,
        Err(why) => {
            anstream::eprintln!("error: {why}");
            return Ok(ExitCode::Unknown);
        }
    };
    let is_single = args.what.iter().any(|w| w.ends_with(".rs"));
    let mut sum = Sum::default();
    for entry in &entries {
        let name = &entry.optverify.root;
        let roots = captures.list.iter();
        let mut roots = roots.flat_map(|c| c.roots().iter().map(move |r| (c, r)));
        let Some((capture, root)) = roots.find(|(_, r)| r.name == *name) else {
            sum.reject(name, "this program has no such root", args);
            continue;
        };
        if !only.is_empty() && !only.iter().any(|o| source::matches(root, o)) {
            continue;
        }
        match of_entry(entry, capture, root, is_single, args) {
            Ok(checked) => sum.add(root, Ok(checked), args),
            Err(fault) => sum.add(root, refuted(fault), args),
        }
    }
    Ok(sum.finish(args))
}

/// A witness that contradicts itself is refuted as a whole.
fn refuted(fault: Fault) -> Result<Vec<SnapshotCheck>> {
    match fault {
        Fault::NotOfThis(why) => bail!(why),
        Fault::Wrong(why) => Ok(vec![SnapshotCheck {
            number: "witness".into(),
            name: String::new(),
            verdict: Verdict::Refuted(why),
            same: false,
            ms: 0,
        }]),
    }
}

fn of_entry(
    entry: &Entry,
    capture: &Capture,
    root: &Root,
    is_single: bool,
    args: &CheckProofArgs,
) -> Result<Vec<SnapshotCheck>, Fault> {
    check::fits(entry, capture, root, is_single)?;
    let failed = |e: anyhow::Error| Fault::NotOfThis(format!("{e:#}"));
    match entry.entry_type {
        EntryType::InvariantSet => {
            check::invariants(entry, capture, root, is_single)?;
            let folder = tempfile::tempdir().map_err(|e| failed(e.into()))?;
            let proof = folder.path().join("proof.json");
            std::fs::write(&proof, &entry.optverify.proof).map_err(|e| failed(e.into()))?;
            let queries = args.queries.as_deref();
            check_proof::isolated(capture, root, &proof, args.solver_timeout, queries)
                .map_err(failed)
        }
        EntryType::ViolationSequence => {
            let mut out = vec![];
            for (number, values) in check::runs(entry)? {
                let start = Instant::now();
                let ran = isolated(capture, root, &number, &values).map_err(failed)?;
                let ran = ran.map_err(|why| fault_of_run(why, &root.name))?;
                let name = ran.pass.clone().unwrap_or_default();
                if out.is_empty() {
                    check::story(entry, capture, root, ran, is_single)?;
                }
                out.push(SnapshotCheck {
                    number,
                    name,
                    verdict: Verdict::Valid { second: None },
                    same: false,
                    ms: start.elapsed().as_millis() as u64,
                });
            }
            Ok(out)
        }
    }
}

/// Only a run that ends otherwise than it is said to is refuted; of one that nobody can run here nothing is known.
fn fault_of_run(why: NotRerun, root: &str) -> Fault {
    match why {
        NotRerun::Refuted(why) => Fault::Wrong(why),
        NotRerun::NotCheckable(why) => Fault::NotOfThis(format!(
            "{why}; `cargo optverify replay {root}` makes a unit test that runs natively"
        )),
    }
}

/// Runs in a child: whatever the values do there ends one witness.
fn isolated(
    capture: &Capture,
    root: &Root,
    number: &str,
    values: &RunValues,
) -> Result<Result<Counterexample, NotRerun>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("run.json");
    std::fs::write(&file, serde_json::to_string(values)?)?;
    let mut command = isolate::limited(None)?;
    command.args(["optverify", "rerun-root"]);
    command.args(isolate::named(capture, root)?);
    command.arg(number).arg(file);
    let text = isolate::output_of(command, PATIENCE).map_err(|e| anyhow!(e))?;
    Ok(serde_json::from_str(&text)?)
}

/// The child's side: `rerun-root CAPTURE INDEX SNAPSHOT VALUES`, the answer as JSON on standard output.
pub fn run_one(args: &RerunRootArgs) -> Result<ExitCode> {
    let (capture, root) = isolate::meant(&args.root)?;
    let values: RunValues = serde_json::from_str(&std::fs::read_to_string(&args.values)?)?;
    let number = args.snapshot.clone();
    let work = move || pipeline::rerun(&capture, &root, &number, &values);
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work)?;
    let ran = thread.join();
    let broken = || NotRerun::NotCheckable("the run broke off".into());
    let ran = ran.unwrap_or_else(|_| Err(broken()));
    println!("{}", serde_json::to_string(&ran)?);
    Ok(ExitCode::AllSafe)
}
