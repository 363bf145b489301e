//! The second role of this binary: cargo calls it instead of rustc (`RUSTC_WORKSPACE_WRAPPER`) for the
//! workspace's crates. It compiles as asked, and then captures.

use crate::capture::command::RustcCommand;
use crate::capture::{self, Outcome, compiler};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Set by the first role, together with the wrapper itself; its value is the profile's name.
pub const PROFILE_VARIABLE: &str = "OPTVERIFY_PROFILE";
/// Where answers of the compiler are kept.
pub const CACHE_VARIABLE: &str = "OPTVERIFY_WRAPPER_CACHE";

/// `args`: the compiler and its arguments.
pub fn run(args: &[String]) -> Result<ExitCode> {
    let (rustc, args) = args
        .split_first()
        .context("called as a rustc wrapper without a compiler")?;
    let mut compile = Command::new(rustc);
    compile.args(args);
    let command = RustcCommand {
        rustc: PathBuf::from(rustc),
        args: args.to_vec(),
        current_dir: std::env::current_dir().context("the current directory is gone")?,
    };
    let captures = is_captured(&command);
    if captures {
        compile.args(["--cfg", "optverify", "--check-cfg", "cfg(optverify)"]);
    }
    let status = compile
        .status()
        .with_context(|| format!("could not run the compiler {rustc}"))?;
    if !status.success() || !captures {
        return Ok(status
            .code()
            .map_or(ExitCode::FAILURE, |code| ExitCode::from(code as u8)));
    }
    let Some(dir) = capture_dir(&command) else {
        return Ok(ExitCode::SUCCESS);
    };
    let command = RustcCommand {
        rustc: compiler::behind_proxy(&command.rustc),
        ..command
    };
    let package =
        std::env::var("CARGO_PKG_NAME").unwrap_or_else(|_| command.crate_name().to_owned());
    let profile = std::env::var(PROFILE_VARIABLE).unwrap_or_else(|_| "release".to_owned());
    let cache = std::env::var_os(CACHE_VARIABLE).map_or_else(std::env::temp_dir, PathBuf::from);
    let request = capture::Request {
        command: &command,
        package: &package,
        profile: &profile,
        cache: &cache,
    };
    match capture::capture(&request, &dir)? {
        Outcome::Captured => Ok(ExitCode::SUCCESS),
        Outcome::DoesNotCompile { stderr } => {
            eprint!("{}", String::from_utf8_lossy(&stderr));
            eprintln!(
                "error: `{}` compiles, but not when its roots are captured",
                command.crate_name()
            );
            Ok(ExitCode::FAILURE)
        }
    }
}

/// Libraries and programs that can have roots; no build scripts, procedural macros, test harnesses, and
/// no questions that cargo asks the compiler.
fn is_captured(command: &RustcCommand) -> bool {
    let types = command.crate_types();
    command.source_file().is_some_and(|file| file != "-")
        && !command.crate_name().starts_with("build_script_")
        && !types.contains(&"proc-macro")
        && !types.is_empty()
        && !command.is_test_harness()
        && command.sees_optverify()
}

/// Beside the unit's artifact and named like it: `release/deps/libp-1f.rlib` -> `release/captures/p-1f`.
fn capture_dir(command: &RustcCommand) -> Option<PathBuf> {
    let out_dir = command.current_dir.join(command.value("--out-dir")?);
    let name = format!(
        "{}{}",
        command.crate_name(),
        command.codegen("extra-filename").unwrap_or_default()
    );
    // examples have their own folder beside `deps`
    Some(captures_beside(&out_dir)?.join(name))
}

/// Where the captures of the units in `deps` are.
pub fn captures_beside(deps: &Path) -> Option<PathBuf> {
    Some(deps.parent()?.join("captures"))
}
