//! Results as people and programs see them. Reporters render; they decide nothing.

mod finding;
pub mod graph_svg;
pub mod human;
pub mod json;

use crate::native::NativeRuns;
use optverify_engine::capture::{Manifest, Root};
use optverify_engine::report::{RootReport, Verdict};
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
}

/// Renders a run as it goes.
pub trait Reporter: Send {
    /// A root is done.
    fn root(&mut self, result: &RootResult);
    /// Everything is done.
    fn finished(&mut self, results: &[RootResult], summary: &Summary);
}
