//! `cargo optverify`: proves that Rust functions cannot panic, and that rustc's optimizations keep it so.
//!
//! Who calls whom: the user calls `cargo optverify`, cargo calls this binary, which calls `cargo build`
//! with itself as `RUSTC_WORKSPACE_WRAPPER`; cargo calls this binary again in place of rustc, and that
//! call compiles and captures ([`wrapper`]). Back in the first process the captures are verified.

mod baseline;
mod capture;
mod cargo_build;
mod cli;
mod commands;
mod config;
mod contracts;
mod exit_code;
mod gate;
mod isolate;
#[cfg(test)]
#[path = "../../engine/tests/mutate/mod.rs"]
mod mutate;
mod native;
mod replay;
mod report;
mod rustflags;
mod source;
mod witness;
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
    let args: Vec<String> = args.into_iter().skip(own_name).collect();
    let code = parse(&args).and_then(|cli| run(&cli));
    code.map_or_else(|error| failed(&error), ProcessExitCode::from)
}

/// Says what went wrong, once.
fn failed(error: &anyhow::Error) -> ProcessExitCode {
    if let Some(usage) = error.downcast_ref::<clap::Error>() {
        let _ = usage.print();
        // `--help` and `--version` come this way, too
        if !usage.use_stderr() {
            return ProcessExitCode::SUCCESS;
        }
    } else if error.downcast_ref::<cargo_build::BuildFailed>().is_none() {
        // otherwise cargo and rustc have said themselves what is wrong
        anstream::eprintln!("error: {error:#}");
    }
    ExitCode::Failed.into()
}

/// The command line, with the settings of the manifest before it.
fn parse(args: &[String]) -> anyhow::Result<Cli> {
    let cli = Cli::try_parse_from(args)?;
    let (verify, at) = match &cli.command {
        None => (&cli.verify, 1),
        Some(Command::Verify(verify)) => (verify.as_ref(), 2),
        Some(_) => return Ok(cli),
    };
    if verify.file.is_some() || !verify.build.from_capture.is_empty() {
        return Ok(cli);
    }
    let flags = config::flags(&verify.build)?;
    let (head, tail) = args.split_at(at.min(args.len()));
    Ok(Cli::try_parse_from(head.iter().chain(&flags).chain(tail))?)
}

fn run(cli: &Cli) -> anyhow::Result<ExitCode> {
    let command = cli.command.as_ref();
    let build = match command {
        None => &cli.verify.build,
        Some(Command::Verify(args)) => &args.build,
        Some(Command::List(args)) => &args.build,
        Some(Command::Passes(args) | Command::Explain(args)) => &args.build,
        Some(Command::Bench(args)) => return commands::bench::run(args),
        Some(Command::VerifyRoot(args)) => return isolate::run(args),
        Some(Command::CheckRoot(args)) => return commands::check_proof::run_one(args),
        Some(Command::RerunRoot(args)) => return commands::check_witness::run_one(args),
        Some(Command::CheckProof(args)) => &args.build,
        Some(Command::ExplainCode(args)) => return commands::explain_code::run(args),
        Some(Command::Completions(args)) => return commands::generate::completions(args),
        Some(Command::Man) => return commands::generate::man(),
        Some(Command::Init(args)) => return commands::init::run(args),
        Some(Command::Replay(args)) => &args.build,
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
        Some(Command::VerifyRoot(args)) => isolate::run(args),
        Some(Command::CheckRoot(args)) => commands::check_proof::run_one(args),
        Some(Command::RerunRoot(args)) => commands::check_witness::run_one(args),
        Some(Command::CheckProof(args)) => commands::check_proof::run(args),
        Some(Command::ExplainCode(args)) => commands::explain_code::run(args),
        Some(Command::Completions(args)) => commands::generate::completions(args),
        Some(Command::Man) => commands::generate::man(),
        Some(Command::Init(args)) => commands::init::run(args),
        Some(Command::Replay(args)) => commands::replay::run(args),
        Some(Command::Graph(args)) => commands::graph::run(args),
        Some(Command::Capture(args)) => commands::capture::run(args),
    }
}
