//! The compiler runs of a capture: the same compile, each time asked for other MIR.

use crate::capture::command::{RustcCommand, without_mir_choices};
use crate::capture::shared::{self, Stage};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Inlines whatever rustc can: std, traits, generics, closures.
pub const UNLIMITED_INLINING: &[&str] = &[
    "-Zinline-mir=yes",
    "-Zinline-mir-threshold=100000000",
    "-Zinline-mir-hint-threshold=100000000",
    "-Zinline-mir-forwarder-threshold=100000000",
    "-Zinline-mir-preserve-debug=yes",
];

/// How every captured text is printed.
pub const PRINTING: &[&str] = &["-Zmir-include-spans=on", "-Ztrim-diagnostic-paths=no"];

/// One run; its outputs are in `dir`.
pub struct Run {
    pub dir: PathBuf,
    pub output: Output,
}

impl Run {
    pub fn succeeded(&self) -> bool {
        self.output.status.success()
    }

    /// The whole crate's MIR, as `--emit=mir` wrote it.
    pub fn mir_file(&self, command: &RustcCommand) -> PathBuf {
        self.dir.join(format!("{}.mir", command.crate_name()))
    }

    pub fn dump_dir(&self) -> PathBuf {
        self.dir.join("dumps")
    }

    /// The last line that says what went wrong.
    pub fn complaint(&self) -> String {
        let text = String::from_utf8_lossy(&self.output.stderr);
        let line = text
            .lines()
            .find(|line| line.starts_with("error"))
            .or_else(|| text.lines().last());
        line.unwrap_or("no message").to_owned()
    }
}

/// The name of the run that the reference is of.
pub const REFERENCE: &str = "reference";

/// The reference: no optimization, everything inlined. `prefix`: passes that run nevertheless.
pub fn closed(command: &RustcCommand, scratch: &Path, name: &str, prefix: &[&str]) -> Result<Run> {
    reference(command, scratch.join(name), prefix, &[])
}

/// The reference with its constants evaluated; the sizes of types on standard output.
pub fn evaluated(command: &RustcCommand, scratch: &Path) -> Result<Run> {
    let dir = scratch.join("evaluated");
    reference(command, dir, &["GVN"], &["-Zprint-type-sizes"])
}

fn reference(command: &RustcCommand, dir: PathBuf, prefix: &[&str], more: &[&str]) -> Result<Run> {
    let args = reference_args(command, &dir, prefix, more);
    start_shared(command, dir, args, Stage::Reference)
}

fn reference_args(
    command: &RustcCommand,
    dir: &Path,
    prefix: &[&str],
    more: &[&str],
) -> Vec<String> {
    let mut args = without_mir_choices(&command.for_capture(dir));
    args.extend(more.iter().map(|a| (*a).to_owned()));
    let mut passes: Vec<String> = prefix.iter().map(|pass| format!("+{pass}")).collect();
    passes.push("+Inline".to_owned());
    args.extend([
        "-Zmir-opt-level=0".to_owned(),
        format!("-Zmir-enable-passes={}", passes.join(",")),
    ]);
    args.extend(UNLIMITED_INLINING.iter().map(|a| (*a).to_owned()));
    args.extend(["--emit=dep-info", "-Zbinary-dep-depinfo"].map(str::to_owned));
    args
}

/// Where the reference's run lists the crates that are linked.
pub fn dep_info(command: &RustcCommand, scratch: &Path) -> PathBuf {
    let dir = scratch.join(REFERENCE);
    dir.join(format!("{}.d", command.crate_name()))
}

/// The shipped pipeline, with what `filter` asks for dumped.
pub fn shipped(command: &RustcCommand, dir: &Path, filter: &str) -> Result<Run> {
    let dir = dir.to_path_buf();
    let mut args = command.for_capture(&dir);
    args.extend(dumps(&dir, filter));
    start(command, dir, args)
}

/// The shipped pipeline with unlimited inlining.
pub fn shipped_closed(command: &RustcCommand, dir: &Path, filter: &str) -> Result<Run> {
    let dir = dir.to_path_buf();
    let mut args = command.for_capture(&dir);
    args.extend(dumps(&dir, filter));
    args.extend(UNLIMITED_INLINING.iter().map(|a| (*a).to_owned()));
    start_shared(command, dir, args, Stage::Shipped)
}

/// Functions of the crate are inlined like those of other crates.
pub const OWN_FUNCTIONS: &str = "-Zcross-crate-inline-threshold=always";

/// What a compile with forwarders around roots is for.
pub enum Deeper<'a> {
    Reference,
    /// The reference with its constants evaluated; the sizes of types on standard output.
    Evaluated,
    /// The user's own pipeline without these passes.
    Without(&'a [&'a str]),
}

/// With forwarders around the roots of `locations`, which are dumped after inlining.
pub fn deeper(
    command: &RustcCommand,
    dir: PathBuf,
    locations: &str,
    what: &Deeper<'_>,
) -> Result<Run> {
    let mut args = match what {
        Deeper::Reference => reference_args(command, &dir, &[], &[]),
        Deeper::Evaluated => reference_args(command, &dir, &["GVN"], &["-Zprint-type-sizes"]),
        Deeper::Without(passes) => {
            let mut args = command.for_capture(&dir);
            args.extend(UNLIMITED_INLINING.iter().map(|a| (*a).to_owned()));
            let passes: Vec<String> = passes.iter().map(|pass| format!("-{pass}")).collect();
            if !passes.is_empty() {
                args.push(format!("-Zmir-enable-passes={}", passes.join(",")));
            }
            args
        }
    };
    args.push(OWN_FUNCTIONS.to_owned());
    let filter = match what {
        Deeper::Evaluated => "__optverify_deep & Inline | __optverify_deep & GVN",
        _ => "__optverify_deepest_ & Inline",
    };
    args.extend(dumps(&dir, filter));
    start_asking(command, dir, args, &[("OPTVERIFY_DEEPER", locations)])
}

/// The source after macro expansion, on standard output.
pub fn expanded(command: &RustcCommand, scratch: &Path) -> Result<Run> {
    let dir = scratch.join("expanded");
    let mut args = command.for_capture(&dir);
    args.push("-Zunpretty=expanded".to_owned());
    start(command, dir, args)
}

fn dumps(dir: &Path, filter: &str) -> [String; 2] {
    [
        format!("-Zdump-mir={filter}"),
        format!("-Zdump-mir-dir={}", dir.join("dumps").display()),
    ]
}

/// With all the MIR of the workspace's other libraries, and without it where that does not work.
fn start_shared(
    command: &RustcCommand,
    dir: PathBuf,
    args: Vec<String>,
    stage: Stage,
) -> Result<Run> {
    if let Some(shared) = &command.shared
        && let Some(with_shared) = shared::with_shared(&args, shared, stage)
    {
        let run = start(command, dir.clone(), with_shared)?;
        if run.succeeded() {
            return Ok(run);
        }
    }
    start(command, dir, args)
}

fn start(command: &RustcCommand, dir: PathBuf, args: Vec<String>) -> Result<Run> {
    start_asking(command, dir, args, &[])
}

/// `asked`: what the crate's macros are told beside that this is a capture.
fn start_asking(
    command: &RustcCommand,
    dir: PathBuf,
    args: Vec<String>,
    asked: &[(&str, &str)],
) -> Result<Run> {
    std::fs::create_dir_all(&dir).with_context(|| format!("could not create {}", dir.display()))?;
    let output = Command::new(&command.rustc)
        .args(args)
        .args(PRINTING)
        .args([
            "--emit=mir",
            "--cfg",
            "optverify",
            "--check-cfg",
            "cfg(optverify)",
        ])
        .current_dir(&command.current_dir)
        // nightly's options on the user's own compiler, for this child only
        .env("RUSTC_BOOTSTRAP", "1")
        .env("OPTVERIFY_CAPTURE", "1")
        .envs(asked.iter().copied())
        // a crash of the compiler under unusual options leaves no files in the user's folder
        .env("RUSTC_ICE", "0")
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .env_remove("RUSTC_WRAPPER")
        .output()
        .with_context(|| format!("could not run the compiler {}", command.rustc.display()))?;
    Ok(Run { dir, output })
}
