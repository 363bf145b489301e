//! `cargo optverify completions SHELL` and `cargo optverify man`: made from the command line's definition.

use crate::cli::{Cli, CompletionsArgs};
use crate::exit_code::ExitCode;
use anyhow::{Context, Result};
use clap::CommandFactory;
use std::io::Write;

/// The program that cargo calls; shells complete it under this name.
const PROGRAM: &str = "cargo-optverify";

pub fn completions(args: &CompletionsArgs) -> Result<ExitCode> {
    let mut command = Cli::command().name(PROGRAM).bin_name(PROGRAM);
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, PROGRAM, &mut text);
    print(&text)
}

/// The page of the program; `--help` of each command has its own options.
pub fn man() -> Result<ExitCode> {
    let command = Cli::command().name(PROGRAM).bin_name("cargo optverify");
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone())
        .title("CARGO-OPTVERIFY")
        .render(&mut text)
        .context("the page could not be made")?;
    print(&text)
}

fn print(text: &[u8]) -> Result<ExitCode> {
    // a closed pipe is the reader's decision
    drop(std::io::stdout().lock().write_all(text));
    Ok(ExitCode::AllSafe)
}
