//! `cargo optverify capture FILE.rs -o DIR`: a folder for `--from-capture` and for tests.

use crate::cli::CaptureArgs;
use crate::exit_code::ExitCode;
use crate::source;
use anyhow::Result;

pub fn run(args: &CaptureArgs) -> Result<ExitCode> {
    source::of_file(&args.file, &args.build, &[], &args.output)?;
    Ok(ExitCode::AllSafe)
}
