//! The user's compiler: who it is, and what it makes of the given flags.

use crate::capture::command::RustcCommand;
use anyhow::{Context, Result, bail};
use optverify_engine::capture::{Compiler, Profile};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The compiler itself behind rustup's proxy: the proxy costs a noticeable part of a capture, per run.
pub fn behind_proxy(rustc: &Path) -> PathBuf {
    let output = Command::new(rustc).args(["--print", "sysroot"]).output();
    let Ok(output) = output else {
        return rustc.to_path_buf();
    };
    let sysroot = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let direct = Path::new(&sysroot)
        .join("bin")
        .join(format!("rustc{}", std::env::consts::EXE_SUFFIX));
    if output.status.success() && direct.is_file() {
        direct
    } else {
        rustc.to_path_buf()
    }
}

pub fn identify(rustc: &Path) -> Result<Compiler> {
    let output = Command::new(rustc)
        .arg("-vV")
        .output()
        .with_context(|| format!("could not run the compiler {}", rustc.display()))?;
    if !output.status.success() {
        bail!(
            "{} -vV failed: {}",
            rustc.display(),
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    let verbose = String::from_utf8_lossy(&output.stdout).into_owned();
    let field = |name: &str| {
        let line = verbose.lines().find_map(|line| line.strip_prefix(name));
        line.map(str::trim).unwrap_or_default().to_owned()
    };
    let first = verbose.lines().next().unwrap_or_default();
    Ok(Compiler {
        version: first.strip_prefix("rustc ").unwrap_or(first).to_owned(),
        commit_hash: field("commit-hash:"),
        host: field("host:"),
        verbose: verbose.clone(),
    })
}

/// What `rustc --print cfg` says under the compile's flags.
pub struct Configuration {
    pub pointer_width: u32,
    pub overflow_checks: bool,
    pub debug_assertions: bool,
    pub panic: String,
}

pub fn configuration(command: &RustcCommand) -> Result<Configuration> {
    let mut args = command.for_capture(Path::new("."));
    // `--print` needs no source, and a missing one must not stop it
    if let Some(source) = command.source_file() {
        args.retain(|a| a != source);
    }
    let output = Command::new(&command.rustc)
        .args(&args)
        .args(["--print", "cfg"])
        .current_dir(&command.current_dir)
        .env("RUSTC_BOOTSTRAP", "1")
        .output()
        .with_context(|| format!("could not run the compiler {}", command.rustc.display()))?;
    if !output.status.success() {
        bail!(
            "rustc does not accept its flags: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let has = |name: &str| text.lines().any(|line| line == name);
    let value = |name: &str| {
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        line.map(|v| v.trim_matches('"').to_owned())
    };
    Ok(Configuration {
        pointer_width: value("target_pointer_width")
            .and_then(|v| v.parse().ok())
            .unwrap_or(64),
        overflow_checks: has("overflow_checks"),
        debug_assertions: has("debug_assertions"),
        panic: value("panic").unwrap_or_else(|| "unwind".to_owned()),
    })
}

pub fn profile(name: &str, command: &RustcCommand, configuration: &Configuration) -> Profile {
    let opt_level = command.codegen("opt-level").unwrap_or({
        if command.args.iter().any(|a| a == "-O") {
            "3"
        } else {
            "0"
        }
    });
    Profile {
        name: name.to_owned(),
        opt_level: opt_level.to_owned(),
        overflow_checks: configuration.overflow_checks,
        debug_assertions: configuration.debug_assertions,
        panic: configuration.panic.clone(),
    }
}
