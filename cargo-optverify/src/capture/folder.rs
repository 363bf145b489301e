//! A capture's folder in the making: under a temporary name, renamed when complete, so that a killed run
//! leaves nothing that looks like a capture.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

pub struct Scratch {
    dir: tempfile::TempDir,
}

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
        let dir = tempfile::Builder::new()
            .prefix(".optverify-capture-")
            .tempdir_in(&parent)
            .with_context(|| format!("could not create a folder in {}", parent.display()))?;
        std::fs::create_dir(dir.path().join("capture"))?;
        Ok(Self { dir })
    }

    /// Where the compiler's runs write; thrown away.
    pub fn runs(&self) -> PathBuf {
        self.dir.path().join("runs")
    }

    /// Writes a file of the capture.
    pub fn keep(&self, name: &str, text: &str) -> Result<()> {
        let path = self.dir.path().join("capture").join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(&path, text).with_context(|| format!("could not write {}", path.display()))
    }

    /// The capture takes its place; an older one goes.
    pub fn publish(self, target: &Path) -> Result<()> {
        let complete = self.dir.path().join("capture");
        if target.exists() {
            let old = self.dir.path().join("old");
            std::fs::rename(target, &old)
                .with_context(|| format!("could not replace {}", target.display()))?;
        }
        std::fs::rename(&complete, target)
            .with_context(|| format!("could not move the capture to {}", target.display()))
    }
}
