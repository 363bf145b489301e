//! `cargo optverify check-proof`: the proof of every snapshot, checked again by a checker of its own.

use crate::cli::{CheckProofArgs, CheckRootArgs, ListFormat};
use crate::commands::check_witness;
use crate::commands::verify::timeout;
use crate::exit_code::ExitCode;
use crate::{isolate, source};
use anyhow::{Result, anyhow, bail};
use optverify_checker::{Second, Settings, SnapshotCheck, Verdict};
use optverify_engine::capture::{Capture, Root};
use optverify_engine::pipeline::{self, Options};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// However many snapshots a root has.
const PATIENCE: Duration = Duration::from_secs(3600);
/// Values nest as deeply as fragments are long.
const STACK: usize = 512 << 20;

pub fn run(args: &CheckProofArgs) -> Result<ExitCode> {
    let is_file = |what: &&String| what.ends_with(".rs");
    let files: Vec<&String> = args.what.iter().filter(is_file).collect();
    let roots: Vec<&String> = args.what.iter().filter(|w| !is_file(w)).collect();
    let file = match files.as_slice() {
        [] => None,
        [one] => Some(Path::new(one.as_str())),
        _ => bail!("more than one file"),
    };
    let captures = source::captures(file, &args.build, &[])?;
    if let Some(witness) = &args.witness {
        return check_witness::run(args, &captures, witness, &roots);
    }
    let folder = tempfile::tempdir()?;
    let mut sum = Sum::default();
    for capture in &captures.list {
        let wanted =
            |root: &&Root| roots.is_empty() || roots.iter().any(|r| source::matches(root, r));
        let beside = proofs_beside(capture, args);
        let proofs = args.proofs.clone().or(beside);
        let proofs = proofs.unwrap_or_else(|| folder.path().to_path_buf());
        for root in capture.roots().iter().filter(wanted) {
            let proof = pipeline::proof_file(&proofs, capture, root);
            if !args.stored {
                find(capture, root, &proof, args.timeout);
            }
            let checked = isolated(
                capture,
                root,
                &proof,
                args.solver_timeout,
                args.queries.as_deref(),
            );
            sum.add(root, checked, args);
        }
    }
    Ok(sum.finish(args))
}

/// Beside the captures of a package, as proofs of last time are.
fn proofs_beside(capture: &Capture, args: &CheckProofArgs) -> Option<PathBuf> {
    if !args.build.from_capture.is_empty() || args.what.iter().any(|w| w.ends_with(".rs")) {
        return None;
    }
    let mut above = capture.dir().ancestors();
    let captures = above.find(|d| d.file_name().is_some_and(|n| n == "captures"))?;
    Some(captures.with_file_name("proofs-full"))
}

/// Verifies a root for the sake of its proofs. What is not proven has none, which the check then says.
fn find(capture: &Capture, root: &Root, proof: &Path, otherwise: Duration) {
    // a file from before must not stand for this program
    let _ = std::fs::remove_file(proof);
    let options = Options {
        timeout: timeout(root, otherwise),
        export: Some(proof.to_path_buf()),
        ..Options::default()
    };
    let report = isolate::verify_root(capture, root, &options);
    for note in &report.notes {
        anstream::eprintln!("note: {note}");
    }
}

/// Checks in a child: a solver that crashes ends one root.
pub fn isolated(
    capture: &Capture,
    root: &Root,
    proof: &Path,
    solver_timeout: Duration,
    queries: Option<&Path>,
) -> Result<Vec<SnapshotCheck>> {
    let mut command = isolate::limited(None)?;
    command.args(["optverify", "check-root"]);
    command.args(isolate::named(capture, root)?).arg(proof);
    command.arg(format!("--solver-timeout={}ms", solver_timeout.as_millis()));
    if let Some(folder) = queries {
        std::fs::create_dir_all(folder)?;
        command.arg("--queries").arg(folder);
    }
    let text = isolate::output_of(command, PATIENCE).map_err(|e| anyhow!(e))?;
    let checked: Result<Vec<SnapshotCheck>, String> = serde_json::from_str(&text)?;
    checked.map_err(|e| anyhow!(e))
}

/// The child's side: `check-root CAPTURE INDEX PROOF`, the answer as JSON on standard output.
pub fn run_one(args: &CheckRootArgs) -> Result<ExitCode> {
    let (capture, root) = isolate::meant(&args.root)?;
    let settings = Settings {
        timeout: args.solver_timeout,
        unrolling: args.solver_timeout,
        second: Second::find(),
        queries: args.queries.clone(),
    };
    let proof = args.proof.clone();
    let work = move || {
        let checked = optverify_checker::check_root(&capture, &root, &proof, &settings)?;
        capture.is_unchanged().map_err(|e| e.to_string())?;
        Ok(checked)
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work)?;
    let checked = thread.join();
    let checked = checked
        .unwrap_or_else(|_| Err::<Vec<SnapshotCheck>, _>("the checker broke off".to_string()));
    println!("{}", serde_json::to_string(&checked)?);
    Ok(ExitCode::AllSafe)
}

#[derive(Default)]
pub struct Sum {
    roots: usize,
    valid: usize,
    twice: usize,
    refuted: usize,
    not_checkable: usize,
    gave_up: usize,
}

impl Sum {
    /// A root of which nothing can be checked.
    pub fn reject(&mut self, root: &str, why: &str, args: &CheckProofArgs) {
        self.roots += 1;
        self.not_checkable += 1;
        if args.message_format == ListFormat::Human {
            anstream::println!("{root}\n  not checkable: {why}");
        } else {
            let line = serde_json::json!({"root": root, "error": why});
            anstream::println!("{line}");
        }
    }

    pub fn add(&mut self, root: &Root, checked: Result<Vec<SnapshotCheck>>, args: &CheckProofArgs) {
        let checked = match checked {
            Ok(checked) => checked,
            Err(e) => return self.reject(&root.name, &format!("{e:#}"), args),
        };
        self.roots += 1;
        let human = args.message_format == ListFormat::Human;
        for c in &checked {
            match &c.verdict {
                Verdict::Valid { second } => {
                    self.valid += 1;
                    self.twice += usize::from(*second == Some(true));
                }
                Verdict::Refuted(_) => self.refuted += 1,
                Verdict::NotCheckable(_) => self.not_checkable += 1,
                Verdict::GaveUp(_) => self.gave_up += 1,
            }
        }
        if !human {
            let line = serde_json::json!({"root": root.name, "snapshots": checked});
            anstream::println!("{line}");
            return;
        }
        anstream::println!("{}  ({}:{})", root.name, root.file, root.line);
        for c in checked.iter().filter(|c| !c.same) {
            anstream::println!(
                "  {:<9} {:<46} {} ({} ms)",
                c.number,
                c.name,
                words(&c.verdict),
                c.ms
            );
        }
        let same = checked.iter().filter(|c| c.same).count();
        if same > 0 {
            anstream::println!("  and {same} that are the same as the one before");
        }
    }

    pub fn finish(&self, args: &CheckProofArgs) -> ExitCode {
        if args.message_format == ListFormat::Human {
            let Sum {
                roots,
                valid,
                twice,
                refuted,
                not_checkable,
                gave_up,
            } = self;
            let word = if *roots == 1 { "root" } else { "roots" };
            anstream::println!(
                "{roots} {word}, snapshots: {valid} valid ({twice} by two solvers), {refuted} refuted, {not_checkable} not checkable, {gave_up} without an answer"
            );
        }
        if self.refuted > 0 {
            ExitCode::Violation
        } else if self.not_checkable + self.gave_up > 0 || self.valid == 0 {
            ExitCode::Unknown
        } else {
            ExitCode::AllSafe
        }
    }
}

fn words(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Valid { second: Some(true) } => "valid, by two solvers".into(),
        Verdict::Valid {
            second: Some(false),
        } => "valid, by Z3 alone".into(),
        Verdict::Valid { second: None } => "valid".into(),
        Verdict::Refuted(what) => format!("REFUTED: {what}"),
        Verdict::NotCheckable(what) => format!("not checkable: {what}"),
        Verdict::GaveUp(what) => format!("no answer: {what}"),
    }
}
