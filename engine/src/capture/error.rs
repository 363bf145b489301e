//! What can be wrong with a capture folder.

use std::path::PathBuf;

/// Why a capture could not be read.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    #[error("no capture in {}: {source}", dir.display())]
    Missing {
        dir: PathBuf,
        source: std::io::Error,
    },
    #[error("the capture's file {} could not be read: {source}", path.display())]
    Unreadable {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("the capture's file {} is damaged: {source}", path.display())]
    Damaged {
        path: PathBuf,
        source: serde_json::Error,
    },
    #[error(
        "the capture in {} has format {found}, this tool reads format {expected}: capture again",
        dir.display()
    )]
    OtherFormat {
        dir: PathBuf,
        found: u32,
        expected: u32,
    },
    #[error("the capture in {} is inconsistent: {what}", dir.display())]
    Inconsistent { dir: PathBuf, what: String },
    #[error("the capture in {} was changed while it was verified: {file} is new; verify again", dir.display())]
    Changed { dir: PathBuf, file: String },
}
