//! Results as people and programs see them. Reporters render; they decide nothing.

pub mod bench_html;
pub mod bench_plot;
pub mod bug_report;
mod finding;
mod github;
pub mod graph_svg;
mod html;
pub mod human;
mod json;
mod junit;
pub mod options;
pub mod progress;
pub mod reason;
mod sarif;
mod short;
mod survey;
pub mod words;
pub mod wrap;

use crate::gate::Judgement;
use crate::native::NativeRuns;
use anyhow::{Context, Result};
use optverify_engine::capture::{Manifest, Root};
use optverify_engine::report::{RootReport, Verdict};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// One root, verified.
#[derive(Debug, Clone)]
pub struct RootResult {
    /// The capture it came from.
    pub capture: Arc<Manifest>,
    pub root: Root,
    pub report: RootReport,
    /// Both builds run on the counterexample.
    pub native: Option<NativeRuns>,
    /// What the gate says about it.
    pub judgement: Judgement,
    /// Its cut-point graphs, where a report wants pictures.
    pub graphs: Vec<Picture>,
}

/// A cut-point graph.
#[derive(Debug, Clone)]
pub struct Picture {
    pub title: String,
    pub svg: String,
}

/// Counts of a whole run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Summary {
    pub safe: usize,
    pub violated: usize,
    pub unknown: usize,
    pub ms: u64,
}

impl Summary {
    pub fn of(results: &[RootResult], ms: u64) -> Self {
        let count = |verdict| {
            results
                .iter()
                .filter(|r| r.report.verdict == verdict)
                .count()
        };
        Self {
            safe: count(Verdict::Safe),
            violated: count(Verdict::Unsafe),
            unknown: count(Verdict::Unknown),
            ms,
        }
    }

    pub fn roots(&self) -> usize {
        self.safe + self.violated + self.unknown
    }

    /// `3 roots: 1 safe, 2 unsafe in 2.38 s`.
    pub fn sentence(&self) -> String {
        let mut parts = vec![format!("{} safe", self.safe)];
        if self.violated > 0 {
            parts.push(format!("{} unsafe", self.violated));
        }
        if self.unknown > 0 {
            parts.push(format!("{} unknown", self.unknown));
        }
        let roots = if self.roots() == 1 { "root" } else { "roots" };
        let time = human::time(self.ms);
        format!("{} {roots}: {} in {time}", self.roots(), parts.join(", "))
    }
}

/// Renders a run as it goes.
pub trait Reporter: Send {
    /// A root is done.
    fn root(&mut self, result: &RootResult);
    /// Everything is done.
    fn finished(&mut self, results: &[RootResult], summary: &Summary) -> Result<()>;
}

/// Where a format that is one document goes.
#[derive(Debug, Clone)]
pub enum Target {
    Stdout,
    File(PathBuf),
}

impl Target {
    fn write(&self, text: &str) -> Result<()> {
        match self {
            // a closed pipe is the reader's decision
            Self::Stdout => drop(std::io::stdout().lock().write_all(text.as_bytes())),
            Self::File(path) => {
                if let Some(folder) = path.parent() {
                    std::fs::create_dir_all(folder)
                        .with_context(|| format!("could not make {}", folder.display()))?;
                }
                std::fs::write(path, text)
                    .with_context(|| format!("could not write {}", path.display()))?;
            }
        }
        Ok(())
    }
}
