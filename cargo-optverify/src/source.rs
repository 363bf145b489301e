//! Where captures come from: a package or workspace, a single file, or folders made earlier.

use crate::capture::folder::{disk_folder, memory_folder};
use crate::capture::single_file::{self, FileOptions};
use crate::capture::{self, Outcome};
use crate::cargo_build::{self, BuildFailed};
use crate::cli::BuildArgs;
use anyhow::{Result, bail};
use optverify_engine::capture::{Capture, Root};
use std::path::Path;

/// Of a source file, in bytes: the capture of a larger one is too much for memory.
const LARGE: u64 = 64 << 10;

/// Captures, and what keeps their folders alive.
pub struct Captures {
    pub list: Vec<Capture>,
    _folder: Option<tempfile::TempDir>,
}

/// `only`: what a single file's roots are called that matter, if not all do.
pub fn captures(file: Option<&Path>, build: &BuildArgs, only: &[String]) -> Result<Captures> {
    if !build.from_capture.is_empty() {
        let mut list = Vec::new();
        for dir in &build.from_capture {
            list.extend(Capture::load_all(dir)?);
        }
        return Ok(Captures {
            list,
            _folder: None,
        });
    }
    let Some(file) = file else {
        return Ok(Captures {
            list: cargo_build::captures(build)?,
            _folder: None,
        });
    };
    let size = std::fs::metadata(file).map_or(0, |m| m.len());
    let folder = match size > LARGE {
        true => disk_folder("optverify-file-")?,
        false => memory_folder("optverify-file-")?,
    };
    let dir = folder.path().join("capture");
    of_file(file, build, only, &dir)?;
    Ok(Captures {
        list: Capture::load_all(&dir)?,
        _folder: Some(folder),
    })
}

/// Captures a single file into `dir`. A compile error is shown as rustc shows it.
pub fn of_file(file: &Path, build: &BuildArgs, only: &[String], dir: &Path) -> Result<()> {
    if file.extension().is_none_or(|e| e != "rs") {
        bail!(
            "`{}` is neither a command nor a .rs file (see --help)",
            file.display()
        );
    }
    let command = single_file::command(file, &file_options(build))?;
    let package = command.crate_name().to_owned();
    let request = capture::Request {
        command: &command,
        package: &package,
        profile: &build.profile,
        cache: &single_file::cache_dir(),
        all_functions: build.all_functions,
        only,
    };
    match capture::capture(&request, dir)? {
        Outcome::Captured => Ok(()),
        Outcome::DoesNotCompile { stderr } => {
            anstream::eprint!("{}", String::from_utf8_lossy(&stderr));
            anstream::eprint!("{}", capture::help(&stderr).unwrap_or_default());
            Err(BuildFailed.into())
        }
    }
}

pub fn file_options(build: &BuildArgs) -> FileOptions {
    FileOptions {
        profile: build.profile.clone(),
        target: build.target.clone(),
        edition: build.edition.clone(),
    }
}

impl Captures {
    /// The one root that `name` means: its name, or the end of it after `::`.
    pub fn root(&self, name: &str) -> Result<(&Capture, &Root)> {
        let all = self
            .list
            .iter()
            .flat_map(|c| c.roots().iter().map(move |r| (c, r)));
        let mut found: Vec<_> = all.filter(|(_, root)| matches(root, name)).collect();
        if let Some(at) = found.iter().position(|(_, root)| root.name == name) {
            return Ok(found.swap_remove(at));
        }
        match found.as_slice() {
            [one] => Ok(*one),
            [] => {
                let names: Vec<&str> = self
                    .list
                    .iter()
                    .flat_map(|c| c.roots())
                    .map(|r| r.name.as_str())
                    .collect();
                bail!(
                    "there is no root `{name}`; the roots are: {}",
                    names.join(", ")
                )
            }
            several => {
                let names: Vec<&str> = several.iter().map(|(_, r)| r.name.as_str()).collect();
                bail!("`{name}` can mean several roots: {}", names.join(", "))
            }
        }
    }
}

pub fn matches(root: &Root, name: &str) -> bool {
    root.name == name || root.name.ends_with(&format!("::{name}"))
}
