//! The second role of this binary: cargo calls it instead of rustc (`RUSTC_WORKSPACE_WRAPPER`) for the
//! workspace's crates. It compiles as asked, and then captures.

use crate::capture::command::RustcCommand;
use crate::capture::{self, Outcome, compiler, shared};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Set by the first role, together with the wrapper itself; its value is the profile's name.
pub const PROFILE_VARIABLE: &str = "OPTVERIFY_PROFILE";
/// Where answers of the compiler are kept.
pub const CACHE_VARIABLE: &str = "OPTVERIFY_WRAPPER_CACHE";
/// Set where every function is a root.
pub const ALL_VARIABLE: &str = "OPTVERIFY_ALL_FUNCTIONS";
/// Set where crates of the workspace may depend on each other.
pub const SHARE_VARIABLE: &str = "OPTVERIFY_SHARE";

/// `args`: the compiler and its arguments.
pub fn run(args: &[String]) -> Result<ExitCode> {
    let (rustc, args) = args
        .split_first()
        .context("called as a rustc wrapper without a compiler")?;
    let mut command = RustcCommand {
        rustc: PathBuf::from(rustc),
        args: args.to_vec(),
        current_dir: std::env::current_dir().context("the current directory is gone")?,
        shared: None,
    };
    let mut compile = Command::new(rustc);
    compile.args(args);
    let is_crate = is_library_or_program(&command);
    let all_functions = std::env::var_os(ALL_VARIABLE).is_some();
    let captures = is_crate && (all_functions || command.sees_optverify());
    if is_crate {
        compile.args(["--cfg", "optverify", "--check-cfg", "cfg(optverify)"]);
        if std::env::var_os(SHARE_VARIABLE).is_some() {
            command.rustc = compiler::behind_proxy(&command.rustc);
            command.shared = shared_dir(&command);
        }
    }
    if let Some(shared) = &command.shared
        && command.crate_types().iter().any(|t| t.ends_with("lib"))
    {
        shared::publish(&command, shared)?;
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
        all_functions,
        only: &[],
    };
    match capture::capture(&request, &dir)? {
        Outcome::Captured => Ok(ExitCode::SUCCESS),
        Outcome::DoesNotCompile { stderr } => {
            eprint!("{}", String::from_utf8_lossy(&stderr));
            eprint!("{}", capture::help(&stderr).unwrap_or_default());
            eprintln!(
                "error: `{}` compiles, but not when its roots are captured",
                command.crate_name()
            );
            Ok(ExitCode::FAILURE)
        }
    }
}

/// Libraries and programs; no build scripts, procedural macros, test harnesses, and
/// no questions that cargo asks the compiler.
fn is_library_or_program(command: &RustcCommand) -> bool {
    let types = command.crate_types();
    command.source_file().is_some_and(|file| file != "-")
        && !command.crate_name().starts_with("build_script_")
        && !types.contains(&"proc-macro")
        && !types.is_empty()
        && !command.is_test_harness()
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

/// Where the workspace's libraries are with all their MIR.
fn shared_dir(command: &RustcCommand) -> Option<PathBuf> {
    let out_dir = command.current_dir.join(command.value("--out-dir")?);
    Some(captures_beside(&out_dir)?.join("shared"))
}

/// Where the captures of the units in `deps` are.
pub fn captures_beside(deps: &Path) -> Option<PathBuf> {
    Some(deps.parent()?.join("captures"))
}
