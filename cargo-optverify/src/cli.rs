//! The command line, after cargo's conventions.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// Proves that Rust functions marked `#[verify]` cannot panic, and that rustc's optimizations keep it so.
#[derive(Debug, Parser)]
#[command(
    name = "cargo optverify",
    bin_name = "cargo optverify",
    version,
    args_conflicts_with_subcommands = true,
    after_help = "Exit codes: 0 all roots safe, 1 a violation, 2 something unknown or no root at all, 101 the build \
                  or the set-up failed."
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub verify: VerifyArgs,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Verify every root (the default)
    Verify(VerifyArgs),
    /// List the roots
    List(ListArgs),
    /// Show which pass changed a root, and how the proof got through
    Passes(RootArgs),
    /// Show the proof of a root: what holds at each loop
    Explain(RootArgs),
    /// Run a folder of tasks under the rules of the verification competition
    Bench(BenchArgs),
    /// Draw a root's cut-point graph as SVG
    Graph(GraphArgs),
    /// Capture a crate's MIR into a folder, for `--from-capture`
    #[command(hide = true)]
    Capture(CaptureArgs),
}

#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// A single Rust file, instead of a package
    #[arg(value_name = "FILE.rs")]
    pub file: Option<PathBuf>,
    /// Verify only roots with this name (`crate::module::f`, or its end); repeatable
    #[arg(long = "root", value_name = "ROOT")]
    pub roots: Vec<String>,
    /// Budget for one root, all its passes included: `500ms`, `10s`, `2m`
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_duration)]
    pub timeout: Duration,
    /// Roots verified at the same time
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Also prove every pass from scratch, to compare
    #[arg(long)]
    pub measure_scratch: bool,
    /// Use only this engine; repeatable
    #[arg(long, value_name = "NAME")]
    pub engine: Vec<String>,
    /// Do not run counterexamples of the optimized build natively
    #[arg(long)]
    pub no_native: bool,
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "human")]
    pub message_format: MessageFormat,
    #[command(flatten)]
    pub build: BuildArgs,
}

#[derive(Debug, Args)]
pub struct ListArgs {
    /// A single Rust file, instead of a package
    #[arg(value_name = "FILE.rs")]
    pub file: Option<PathBuf>,
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "human")]
    pub message_format: MessageFormat,
    #[command(flatten)]
    pub build: BuildArgs,
}

#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Every .rs file below it with a line `//@ expect: safe|unsafe|miscompiled` is a task
    pub dir: PathBuf,
    /// Budget of one task
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = parse_duration)]
    pub timeout: Duration,
    /// Memory limit of one task, in MB
    #[arg(long, value_name = "MB", default_value_t = 8000)]
    pub memory: u64,
    /// Tasks at the same time
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Also prove every changed pass from scratch, and show how much adapting saved
    #[arg(long)]
    pub measure_scratch: bool,
    /// Write the results to this file
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct RootArgs {
    /// `crate::module::f`, or its end
    pub root: String,
    /// A single Rust file, instead of a package
    #[arg(value_name = "FILE.rs")]
    pub file: Option<PathBuf>,
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_duration)]
    pub timeout: Duration,
    #[command(flatten)]
    pub build: BuildArgs,
}

#[derive(Debug, Args)]
pub struct GraphArgs {
    /// `crate::module::f`, or its end
    pub root: String,
    /// A single Rust file, instead of a package
    #[arg(value_name = "FILE.rs")]
    pub file: Option<PathBuf>,
    /// After this pass (name or number), instead of the reference
    #[arg(long, value_name = "PASS")]
    pub pass: Option<String>,
    /// Where the SVG goes; standard output without it
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub build: BuildArgs,
}

#[derive(Debug, Args)]
pub struct CaptureArgs {
    /// A single Rust file
    #[arg(value_name = "FILE.rs")]
    pub file: PathBuf,
    /// The folder to make
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    #[command(flatten)]
    pub build: BuildArgs,
}

/// What is built, and how: cargo's own flags.
#[derive(Debug, Args)]
#[command(next_help_heading = "Build options (as cargo's)")]
pub struct BuildArgs {
    /// Package to verify
    #[arg(short, long, value_name = "SPEC")]
    pub package: Vec<String>,
    /// Verify all packages of the workspace
    #[arg(long, alias = "all")]
    pub workspace: bool,
    /// Exclude packages
    #[arg(long, value_name = "SPEC", requires = "workspace")]
    pub exclude: Vec<String>,
    /// Only the library
    #[arg(long)]
    pub lib: bool,
    /// Only the named binary
    #[arg(long, value_name = "NAME")]
    pub bin: Vec<String>,
    /// All binaries
    #[arg(long)]
    pub bins: bool,
    /// Only the named example
    #[arg(long, value_name = "NAME")]
    pub example: Vec<String>,
    /// Features to activate
    #[arg(short = 'F', long, value_name = "FEATURES")]
    pub features: Vec<String>,
    #[arg(long)]
    pub all_features: bool,
    #[arg(long)]
    pub no_default_features: bool,
    /// The profile that ships
    #[arg(long, value_name = "NAME", default_value = "release")]
    pub profile: String,
    /// Same as `--profile release`, which is the default
    #[arg(short, long, conflicts_with = "profile")]
    pub release: bool,
    /// Target triple
    #[arg(long, value_name = "TRIPLE")]
    pub target: Option<String>,
    /// Edition of a single file
    #[arg(long, value_name = "YEAR", default_value = "2021")]
    pub edition: String,
    #[arg(long, value_name = "PATH")]
    pub manifest_path: Option<PathBuf>,
    /// Target directory; captures go to `optverify` in it
    #[arg(long, value_name = "DIR")]
    pub target_dir: Option<PathBuf>,
    /// Override a cargo configuration value
    #[arg(long, value_name = "KEY=VALUE")]
    pub config: Vec<String>,
    #[arg(long)]
    pub locked: bool,
    #[arg(long)]
    pub offline: bool,
    #[arg(long)]
    pub frozen: bool,
    /// Build nothing: verify a captured folder
    #[arg(long, value_name = "DIR")]
    pub from_capture: Vec<PathBuf>,
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
    /// No output of cargo
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    Human,
    /// One object a line
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

/// `500ms`, `10s`, `2m`, `1h`; a plain number is seconds.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: f64 = digits
        .trim()
        .parse()
        .map_err(|_| format!("`{text}` is not a time like 500ms, 10s or 2m"))?;
    let unit = match &text[digits.len()..] {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        other => return Err(format!("`{other}` is no unit of time: use ms, s, m or h")),
    };
    Duration::try_from_secs_f64(number * unit).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn subcommands_and_files() {
        let parse = |args: &[&str]| Cli::try_parse_from([&["optverify"], args].concat());
        assert!(
            parse(&["x.rs", "--timeout", "5s"])
                .expect("parses")
                .verify
                .file
                .is_some()
        );
        assert!(matches!(
            parse(&["list", "-p", "a"]).expect("parses").command,
            Some(Command::List(_))
        ));
        assert!(parse(&["--workspace", "--features", "a,b", "--locked"]).is_ok());
        assert!(parse(&["--no-such-flag"]).is_err());
    }

    #[test]
    fn durations() {
        assert_eq!(parse_duration("1500ms"), Ok(Duration::from_millis(1500)));
        assert_eq!(parse_duration("2m"), Ok(Duration::from_secs(120)));
        assert!(parse_duration("soon").is_err());
    }
}
