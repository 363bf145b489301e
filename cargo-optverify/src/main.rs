//! `cargo optverify`: proves that Rust functions cannot panic, and that rustc's optimizations keep it so.
//!
//! Who calls whom: the user calls `cargo optverify`, cargo calls this binary, which calls `cargo build`
//! with itself as `RUSTC_WORKSPACE_WRAPPER`; cargo calls this binary again in place of rustc, and that
//! call compiles and captures ([`wrapper`]). Back in the first process the captures are verified.

mod capture;
mod cargo_build;
mod cli;
mod commands;
mod exit_code;
mod gate;
mod native;
mod report;
mod rustflags;
mod source;
mod wrapper;

use clap::Parser;
use cli::{Cli, Color, Command};
use exit_code::ExitCode;
use std::process::ExitCode as ProcessExitCode;

fn main() -> ProcessExitCode {
    let args: Vec<String> = std::env::args().collect();
    // cargo's first argument to a wrapper is the compiler
    if std::env::var_os(wrapper::PROFILE_VARIABLE).is_some() && args.len() > 1 {
        return wrapper::run(&args[1..]).unwrap_or_else(|error| {
            eprintln!("error: {error:#}");
            ExitCode::Failed.into()
        });
    }
    // `cargo optverify ..` passes the subcommand's own name first
    let own_name = usize::from(args.get(1).is_some_and(|a| a == "optverify"));
    let cli = match Cli::try_parse_from(args.iter().skip(own_name)) {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() {
                ExitCode::Failed.into()
            } else {
                ProcessExitCode::SUCCESS
            };
        }
    };
    match run(&cli) {
        Ok(code) => code.into(),
        Err(error) => {
            // cargo and rustc have said themselves what is wrong
            if error.downcast_ref::<cargo_build::BuildFailed>().is_none() {
                anstream::eprintln!("error: {error:#}");
            }
            ExitCode::Failed.into()
        }
    }
}

fn run(cli: &Cli) -> anyhow::Result<ExitCode> {
    let command = cli.command.as_ref();
    let build = match command {
        None => &cli.verify.build,
        Some(Command::Verify(args)) => &args.build,
        Some(Command::List(args)) => &args.build,
        Some(Command::Passes(args) | Command::Explain(args)) => &args.build,
        Some(Command::Bench(args)) => return commands::bench::run(args),
        Some(Command::Graph(args)) => &args.build,
        Some(Command::Capture(args)) => &args.build,
    };
    match build.color {
        Color::Auto => {}
        Color::Always => anstream::ColorChoice::Always.write_global(),
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
    match command {
        None => commands::verify::run(&cli.verify),
        Some(Command::Verify(args)) => commands::verify::run(args),
        Some(Command::List(args)) => commands::list::run(args),
        Some(Command::Passes(args)) => commands::passes::run(args),
        Some(Command::Explain(args)) => commands::explain::run(args),
        Some(Command::Bench(args)) => commands::bench::run(args),
        Some(Command::Graph(args)) => commands::graph::run(args),
        Some(Command::Capture(args)) => commands::capture::run(args),
    }
}
