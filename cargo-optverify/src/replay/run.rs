//! Runs a test that was written into the source, not optimized and as shipped.

use crate::capture::single_file;
use crate::cli::BuildArgs;
use crate::source::file_options;
use crate::{cargo_build, native};
use anyhow::{Context, Result, bail};
use optverify_engine::capture::Manifest;
use std::path::Path;
use std::process::{Command, Output};

/// What the test does in both builds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcomes {
    pub unoptimized: String,
    pub optimized: String,
}

/// `cargo test` twice, in a target directory of our own. The first run has the profile's own checks, only
/// without the optimizer.
pub fn in_package(build: &BuildArgs, info: &Manifest, test: &str) -> Result<Outcomes> {
    let run = |profile: &str, unoptimized: bool| -> Result<String> {
        let mut command = cargo_build::cargo();
        command.args(["test", "--quiet", "--package", &info.package]);
        command.args(["--profile", profile]);
        command.args(cargo_build::place_flags(build)?);
        if unoptimized {
            for (name, value) in [
                ("OPT_LEVEL", "0".to_owned()),
                ("OVERFLOW_CHECKS", info.profile.overflow_checks.to_string()),
                (
                    "DEBUG_ASSERTIONS",
                    info.profile.debug_assertions.to_string(),
                ),
            ] {
                command.env(format!("CARGO_PROFILE_DEV_{name}"), &value);
                command.env(format!("CARGO_PROFILE_TEST_{name}"), &value);
            }
        }
        command.args(["--no-fail-fast", "--", test]);
        let output = command.output().context("could not run cargo test")?;
        outcome(&output, test)
    };
    Ok(Outcomes {
        unoptimized: run("dev", true)?,
        optimized: run(&build.profile, false)?,
    })
}

/// The file as a test program, compiled with the flags of its capture.
pub fn single(file: &Path, build: &BuildArgs, info: &Manifest, test: &str) -> Result<Outcomes> {
    let command = single_file::command(file, &file_options(build))?;
    let folder = tempfile::tempdir().context("no temporary folder")?;
    let mut args = command.args.clone();
    if let Some(at) = args.iter().position(|arg| arg == "--crate-type") {
        args.drain(at..at + 2);
    }
    let run = |name: &str, more: &[String]| -> Result<String> {
        let program = folder.path().join(name);
        let out = Command::new(&command.rustc)
            .args(&args)
            .args(more)
            .args(["--test", "-Awarnings", "-o"])
            .arg(&program)
            .current_dir(&command.current_dir)
            .output()
            .context("could not run rustc")?;
        if !out.status.success() {
            bail!(
                "the test does not compile:\n{}",
                String::from_utf8_lossy(&out.stderr)
            );
        }
        let out = Command::new(&program).arg(test).output();
        outcome(&out.context("the test did not start")?, test)
    };
    let on = |yes: bool| if yes { "on" } else { "off" };
    Ok(Outcomes {
        unoptimized: run(
            "unoptimized",
            &[
                "-Copt-level=0".to_owned(),
                format!("-Coverflow-checks={}", on(info.profile.overflow_checks)),
                format!("-Cdebug-assertions={}", on(info.profile.debug_assertions)),
            ],
        )?,
        optimized: run("optimized", &[])?,
    })
}

fn outcome(output: &Output, test: &str) -> Result<String> {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    let text = String::from_utf8_lossy(&text);
    let ran = |word: &str| {
        text.lines()
            .filter_map(|l| l.strip_prefix("test result: "))
            .any(|l| {
                l.split("; ").any(|part| {
                    part.ends_with(word)
                        && !part.ends_with(&format!(" 0 {word}"))
                        && !part.starts_with("0 ")
                })
            })
    };
    if ran("failed") {
        let panic = native::panic_in(&text).unwrap_or_else(|| "fails".to_owned());
        return Ok(format!("fails: {panic}"));
    }
    if ran("passed") {
        return Ok("passes".to_owned());
    }
    if output.status.success() {
        bail!("the test `{test}` was not run");
    }
    match native::panic_in(&text) {
        Some(panic) => Ok(format!("fails: {panic}")),
        None if text.contains("error") => bail!("the test does not compile:\n{text}"),
        None => Ok(format!("ends with {}", output.status)),
    }
}
