//! Checks stored proofs against captured MIR, for every snapshot of a root, without the engines that found them.
//!
//! Of the engine's crate only two rooms are used: the parser of MIR (tested by printing every text back) and the
//! reader of captures. Everything else is done here anew and plainly: MIR is executed symbolically between the
//! cut-points of the proof, the conditions are SMT-LIB text without any simplification, Z3 answers in a fresh context,
//! and a second solver is asked the same text where one is installed. Calls are inlined; values are trees of scalars
//! and arrays; references lead to places. What has no model here (the heap, raw pointers into arrays, floats as more
//! than bits, drop code) makes a snapshot not checkable if a run may get there, never valid.
//!
//! Order of reading: `proof_file` -> `check` -> `graph`, `walk` -> `machine`, `rvalue`, `operator`, `call`,
//! `constant` -> `value` -> `term` -> `solver`; `shape` is what is known at cut-points without being told.
//! `invariants` and `expression` only say the reference's lemmas in the source's words, for witnesses.

mod bodies;
mod call;
mod check;
mod constant;
mod expression;
mod fold;
mod graph;
mod invariants;
mod lemma;
mod machine;
mod name;
mod operator;
pub mod proof_file;
mod rvalue;
mod shape;
mod solver;
mod term;
mod types;
mod unroll;
mod value;
mod walk;

pub use invariants::{Invariant, invariants};
pub use solver::Second;

use bodies::{Bodies, Files};
use optverify_engine::capture::{Capture, Root, Snapshot};
use proof_file::{Claim, ProofFile};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How to check.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Of one question to one solver.
    pub timeout: Duration,
    /// Of walking all rounds of a claim without lemmas.
    pub unrolling: Duration,
    pub second: Option<Second>,
    /// A folder for the questions, as SMT-LIB files.
    pub queries: Option<PathBuf>,
}

impl Settings {
    fn keep(&self, query: &solver::Query) {
        if let Some(folder) = &self.queries {
            let name = format!(
                "{:016x}.smt2",
                proof_file::checksum(query.text().as_bytes())
            );
            // for people who want to look; nothing depends on it
            let _ = std::fs::write(
                folder.join(name),
                format!("(set-logic ALL)\n{}(check-sat)\n", query.text()),
            );
        }
    }
}

/// What became of one snapshot's proof.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Every condition holds. `second`: whether the second solver said so too; nothing without one.
    Valid { second: Option<bool> },
    /// A condition does not hold.
    Refuted(String),
    /// Something is outside the checker's model, or there is no proof.
    NotCheckable(String),
    /// The solver had no answer.
    GaveUp(String),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotCheck {
    /// `reference`, or the pass's number.
    pub number: String,
    pub name: String,
    pub verdict: Verdict,
    /// The same MIR as the snapshot before, and so the same verdict.
    pub same: bool,
    pub ms: u64,
}

/// Checks the proofs in a file for every snapshot of a root. The error is a reason why no snapshot has one.
pub fn check_root(
    capture: &Capture,
    root: &Root,
    file: &Path,
    settings: &Settings,
) -> Result<Vec<SnapshotCheck>, String> {
    let proof = proof_file::read(file)?;
    check_proof(capture, root, &proof, settings)
}

pub fn check_proof(
    capture: &Capture,
    root: &Root,
    proof: &ProofFile,
    settings: &Settings,
) -> Result<Vec<SnapshotCheck>, String> {
    if proof.root != root.name || proof.function != root.function {
        return Err(format!("the proof is of `{}`", proof.root));
    }
    let files = Files::default();
    let snapshots = capture.snapshots(&root.function);
    let snapshots = snapshots.map_err(|e| e.to_string())?;
    let stages = [None].into_iter().chain(snapshots.iter().map(Some));
    let mut out: Vec<SnapshotCheck> = vec![];
    for stage in stages {
        let start = std::time::Instant::now();
        let same = stage.is_some_and(|s| !s.changed);
        let verdict = match (same, out.last()) {
            // the capture compares the texts of the root and of all that it calls
            (true, Some(before)) => before.verdict.clone(),
            _ => check_snapshot(capture, root, proof, &files, stage, settings),
        };
        out.push(SnapshotCheck {
            number: stage.map_or("reference".into(), |s| s.number.clone()),
            name: stage.map_or("reference".into(), |s| s.name.clone()),
            verdict,
            same,
            ms: start.elapsed().as_millis() as u64,
        });
    }
    Ok(out)
}

fn check_snapshot(
    capture: &Capture,
    root: &Root,
    proof: &ProofFile,
    files: &Files,
    stage: Option<&Snapshot>,
    settings: &Settings,
) -> Verdict {
    let number = stage.map_or("reference", |s| &s.number);
    let mut claims = proof.snapshots.iter().filter(|s| s.number == number);
    let claim = match (claims.next(), claims.next()) {
        (Some(only), None) => &only.claim,
        (None, _) => return Verdict::NotCheckable("there is no proof of it".into()),
        _ => return Verdict::NotCheckable("there are two proofs of it".into()),
    };
    if capture.info.pointer_width != 64 {
        return Verdict::NotCheckable("a target that has not 64 bits".into());
    }
    let bodies = Bodies::new(capture, files, stage);
    let checked = match claim {
        Claim::None { why } => Err(why.clone()),
        Claim::Run {} => Err("it is not proven safe".into()),
        Claim::Inductive { cuts, places } => {
            check::inductive(&bodies, root, cuts, places, settings)
        }
        Claim::Unrolled { engine, cuts } => unroll::unrolled(&bodies, root, engine, cuts, settings),
    };
    checked.unwrap_or_else(Verdict::NotCheckable)
}
