//! A capture's folder in the making: under a temporary name, renamed when complete, so that a killed run
//! leaves nothing that looks like a capture. The compiler's own files are hundreds and short-lived: they
//! go to memory where there is a file system for that, unless they are large.

use anyhow::{Context, Result};
use optverify_engine::capture::{Manifest, files, laid_out, list_of, listed};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

pub struct Scratch {
    dir: tempfile::TempDir,
    runs: tempfile::TempDir,
    /// On the disk, for what memory is too small for.
    large_runs: OnceLock<tempfile::TempDir>,
    /// Texts of the whole crate.
    whole: Mutex<BTreeSet<String>>,
}

/// Where Linux has files in memory.
const MEMORY: &str = "/dev/shm";
const RUNS_PREFIX: &str = "optverify-runs-";
const CAPTURE_PREFIX: &str = ".optverify-capture-";

/// Dumps of all passes, before and after each and as shipped and closed, are some 200 times the text of a crate: beyond
/// this they would take gigabytes of memory.
const MOST_IN_MEMORY: usize = 10 << 20;

impl Scratch {
    /// Beside `target`: a rename must not cross file systems.
    pub fn beside(target: &Path) -> Result<Self> {
        let parent = target
            .parent()
            .filter(|p| !p.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        std::fs::create_dir_all(parent)
            .with_context(|| format!("could not create {}", parent.display()))?;
        let parent = parent
            .canonicalize()
            .unwrap_or_else(|_| parent.to_path_buf());
        remove_left_behind(&parent, CAPTURE_PREFIX);
        let dir = tempfile::Builder::new()
            .prefix(&format!("{CAPTURE_PREFIX}{}-", std::process::id()))
            .tempdir_in(&parent)
            .with_context(|| format!("could not create a folder in {}", parent.display()))?;
        std::fs::create_dir(dir.path().join("capture"))?;
        let runs = memory_folder(RUNS_PREFIX)?;
        Ok(Self {
            dir,
            runs,
            large_runs: OnceLock::new(),
            whole: Mutex::default(),
        })
    }

    /// From now on the compiler writes what belongs to a crate with so much MIR.
    pub fn make_room(&self, bytes: usize) -> Result<()> {
        if bytes > MOST_IN_MEMORY {
            let _ = self.large_runs.set(disk_folder(RUNS_PREFIX)?);
        }
        Ok(())
    }

    /// Where the compiler's runs write; thrown away.
    pub fn runs(&self) -> PathBuf {
        let runs = self.large_runs.get().unwrap_or(&self.runs);
        runs.path().to_path_buf()
    }

    /// What will be published.
    pub fn content(&self) -> PathBuf {
        self.dir.path().join("capture")
    }

    /// Writes a file of the capture.
    pub fn keep(&self, name: &str, text: &str) -> Result<()> {
        let path = self.content().join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(&path, text).with_context(|| format!("could not write {}", path.display()))
    }

    /// Writes a text of the whole crate, and the list of its items.
    pub fn keep_whole(&self, name: &str, text: &str) -> Result<()> {
        self.keep(name, text)?;
        self.keep(&list_of(name), &listed(text)?)?;
        let mut whole = self.whole.lock().unwrap_or_else(PoisonError::into_inner);
        whole.insert(name.to_owned());
        Ok(())
    }

    /// Writes the manifest, and what every pass made of its functions.
    pub fn keep_manifest(&self, manifest: &Manifest) -> Result<()> {
        let (functions, lines) = laid_out(&manifest.functions)?;
        let whole = self.whole.lock().unwrap_or_else(PoisonError::into_inner);
        let manifest = Manifest {
            functions,
            whole: whole.clone(),
            ..manifest.clone()
        };
        self.keep(files::SNAPSHOTS, &lines)?;
        self.keep(files::MANIFEST, &serde_json::to_string(&manifest)?)
    }

    /// The capture takes its place; an older one goes.
    pub fn publish(self, target: &Path) -> Result<()> {
        let complete = self.content();
        if target.exists() {
            let old = self.dir.path().join("old");
            std::fs::rename(target, &old)
                .with_context(|| format!("could not replace {}", target.display()))?;
        }
        std::fs::rename(&complete, target)
            .with_context(|| format!("could not move the capture to {}", target.display()))
    }
}

/// A folder where temporary files go: in memory only where the user has decided so.
pub fn disk_folder(prefix: &str) -> Result<tempfile::TempDir> {
    remove_left_behind(&std::env::temp_dir(), prefix);
    let name = format!("{prefix}{}-", std::process::id());
    let folder = tempfile::Builder::new().prefix(&name).tempdir();
    folder.context("could not create a temporary folder")
}

/// A folder in memory, or where temporary files go otherwise.
pub fn memory_folder(prefix: &str) -> Result<tempfile::TempDir> {
    let memory = Path::new(MEMORY);
    remove_left_behind(memory, prefix);
    let name = format!("{prefix}{}-", std::process::id());
    let mut builder = tempfile::Builder::new();
    builder.prefix(&name);
    builder.tempdir_in(memory).or_else(|_| disk_folder(prefix))
}

/// Folders of runs that were killed: their process is gone.
fn remove_left_behind(place: &Path, prefix: &str) {
    for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let process = name
            .strip_prefix(prefix)
            .and_then(|rest| rest.split('-').next());
        if let Some(process) = process
            && Path::new("/proc/self").exists()
            && !Path::new("/proc").join(process).exists()
        {
            // another user's folder is not ours to remove, and that is fine
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_large_goes_to_the_disk_and_is_gone_afterwards() {
        let place = tempfile::tempdir().expect("a folder");
        let here = place.path().canonicalize().expect("a path");
        let scratch = Scratch::beside(&here.join("capture")).expect("a folder");
        let small = scratch.runs();
        scratch.make_room(MOST_IN_MEMORY).expect("room");
        assert_eq!(scratch.runs(), small);
        scratch.make_room(MOST_IN_MEMORY + 1).expect("room");
        let large = scratch.runs();
        assert!(large.is_dir() && large != small, "{large:?}");
        assert!(large.starts_with(std::env::temp_dir()), "{large:?}");
        std::fs::write(large.join("dump"), "text").expect("a file");
        scratch.publish(&here.join("capture")).expect("published");
        assert!(!large.exists() && !small.exists());
        let left = std::fs::read_dir(&here).expect("a folder").flatten();
        let left: Vec<_> = left.map(|e| e.file_name()).collect();
        assert_eq!(left, ["capture"], "dumps are no part of a capture");
    }
}
