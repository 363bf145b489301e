//! The exit codes of `cargo optverify`: scripts and CI rely on them.
//!
//! `check-proof` uses the same ones for proofs: all valid, something refuted, something not checkable.

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitCode {
    /// Every root is safe, in the reference and in the optimized build.
    AllSafe,
    /// A violation was found.
    Violation,
    /// Something is unknown and no violation was found, or there was no root at all: a gate that
    /// checks nothing must not pass.
    Unknown,
    /// The build or the set-up failed.
    Failed,
}

impl ExitCode {
    pub fn code(self) -> u8 {
        match self {
            Self::AllSafe => 0,
            Self::Violation => 1,
            Self::Unknown => 2,
            Self::Failed => 101,
        }
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code.code())
    }
}
