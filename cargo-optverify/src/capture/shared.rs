//! Libraries of the workspace, with the MIR of all their functions: rustc normally hands only small and
//! generic ones to other crates, and a call of the rest could not be inlined in a closed capture.
//!
//! Made before the library's own compile, because cargo starts the crates that depend on it as soon as
//! that has written its metadata. Only captures use these files.

use crate::capture::command::{RustcCommand, without_mir_choices};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Which bodies are in the metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Not optimized: for the reference.
    Reference,
    /// After the user's own passes.
    Shipped,
}

impl Stage {
    fn folder(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Shipped => "shipped",
        }
    }
}

/// Compiles the library's metadata for both stages into `shared`. A failure is no error: the real compile
/// will say what is wrong, and without these files calls only stay open.
pub fn publish(command: &RustcCommand, shared: &Path) -> Result<()> {
    std::thread::scope(|scope| {
        let reference = scope.spawn(|| publish_stage(command, shared, Stage::Reference));
        let shipped = publish_stage(command, shared, Stage::Shipped);
        reference
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            .and(shipped)
    })
}

fn publish_stage(command: &RustcCommand, shared: &Path, stage: Stage) -> Result<()> {
    let folder = shared.join(stage.folder());
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("could not create {}", folder.display()))?;
    let scratch = tempfile::tempdir_in(shared).context("no temporary folder")?;
    let mut args = command.for_capture(scratch.path());
    if stage == Stage::Reference {
        args = without_mir_choices(&args);
        args.push("-Zmir-opt-level=0".to_owned());
    }
    args = with_shared(&args, shared, stage).unwrap_or(args);
    let hash = command.codegen("extra-filename").unwrap_or_default();
    let output = Command::new(&command.rustc)
        .args(args)
        .args(["--emit=metadata", "-Zalways-encode-mir"])
        .arg("-Zcross-crate-inline-threshold=yes")
        .args(["--cfg", "optverify", "--check-cfg", "cfg(optverify)"])
        .arg(format!("-Cextra-filename={hash}"))
        .current_dir(&command.current_dir)
        .env("RUSTC_BOOTSTRAP", "1")
        .output()
        .with_context(|| format!("could not run the compiler {}", command.rustc.display()))?;
    let name = format!("lib{}{hash}.rmeta", command.crate_name());
    if output.status.success() {
        std::fs::rename(scratch.path().join(&name), folder.join(&name))
            .with_context(|| format!("could not keep {name}"))?;
    }
    Ok(())
}

/// The arguments with the shared metadata in place of the workspace's libraries; nothing where there is
/// none of them.
pub fn with_shared(args: &[String], shared: &Path, stage: Stage) -> Option<Vec<String>> {
    let folder = shared.join(stage.folder());
    let mut found = false;
    let mut replaced: Vec<String> = args
        .iter()
        .map(|arg| match replacement(arg, &folder) {
            Some(arg) => {
                found = true;
                arg
            }
            None => arg.clone(),
        })
        .collect();
    // libraries behind those, in the same variant
    let first: [String; 2] = ["-L".to_owned(), format!("dependency={}", folder.display())];
    replaced.splice(0..0, first);
    found.then_some(replaced)
}

/// `name=..deps/libname-1f.rlib` -> `name=folder/libname-1f.rmeta`, where that exists.
fn replacement(arg: &str, folder: &Path) -> Option<String> {
    let (name, path) = arg.split_once('=')?;
    let path = Path::new(path);
    path.extension().filter(|e| *e == "rmeta" || *e == "rlib")?;
    let shared: PathBuf = folder.join(path.file_name()?).with_extension("rmeta");
    shared
        .is_file()
        .then(|| format!("{name}={}", shared.display()))
}
