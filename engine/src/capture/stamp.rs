//! Which state of a folder was read. The process of a root reads the capture again, after the one that looked at every
//! file of it: whoever changes something in between, an enemy or a second run that captures anew, must not have the
//! verdict of one program told of another.
//!
//! The manifest and the facts are compared by which files they are, their sizes and their last change; the others by their
//! last change alone, whose time the system keeps and nobody can set back. Nothing is read for it: a manifest of
//! thousands of functions is as long as all the rest that a root needs.

use super::CaptureError;
use std::fs::Metadata;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::str::FromStr;

/// Nanoseconds of the system that keeps the file.
type Changed = i128;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Of the manifest and the facts.
    files: u64,
    /// The last change of any file of the capture.
    newest: Changed,
}

impl Stamp {
    /// Of a manifest and the facts beside it.
    pub(super) fn of(files: [&Path; 2]) -> Result<Stamp, CaptureError> {
        let mut hasher = DefaultHasher::new();
        let mut newest = Changed::MIN;
        for path in files {
            let file = metadata(path)?;
            (identity(&file), file.len(), changed(&file)).hash(&mut hasher);
            newest = newest.max(changed(&file));
        }
        let files = hasher.finish();
        Ok(Stamp { files, newest })
    }

    /// One more file of the capture.
    pub(super) fn with(&mut self, file: &Metadata) {
        self.newest = self.newest.max(changed(file));
    }

    /// Is it the same manifest, and are they the same facts?
    pub(super) fn is_of(self, other: Stamp) -> bool {
        self.files == other.files
    }

    /// Is the file as it was when this was made?
    pub(super) fn covers(self, path: &Path) -> Result<bool, CaptureError> {
        Ok(changed(&metadata(path)?) <= self.newest)
    }
}

impl std::fmt::Display for Stamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}@{}", self.files, self.newest)
    }
}

impl FromStr for Stamp {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse = || {
            let (files, newest) = text.split_once('@')?;
            let files = u64::from_str_radix(files, 16).ok()?;
            let newest = newest.parse().ok()?;
            Some(Stamp { files, newest })
        };
        parse().ok_or_else(|| format!("`{text}` is no stamp of a capture"))
    }
}

fn metadata(path: &Path) -> Result<Metadata, CaptureError> {
    std::fs::metadata(path).map_err(|source| CaptureError::Unreadable {
        path: path.to_path_buf(),
        source,
    })
}

#[cfg(unix)]
fn identity(file: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (file.dev(), file.ino())
}

#[cfg(unix)]
fn changed(file: &Metadata) -> Changed {
    use std::os::unix::fs::MetadataExt;
    Changed::from(file.ctime()) * 1_000_000_000 + Changed::from(file.ctime_nsec())
}

/// Elsewhere there is only what the writer of the file says.
#[cfg(not(unix))]
fn identity(file: &Metadata) -> Option<std::time::SystemTime> {
    file.created().ok()
}

#[cfg(not(unix))]
fn changed(file: &Metadata) -> Changed {
    let since = |t: std::time::SystemTime| t.duration_since(std::time::UNIX_EPOCH).ok();
    let since = file.modified().ok().and_then(since);
    since.map_or(0, |d| d.as_nanos() as Changed)
}
