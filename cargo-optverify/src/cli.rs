//! The command line, after cargo's conventions.

use crate::gate::GateArgs;
use crate::report::options::OutputArgs;
use clap::{Args, Parser, Subcommand, ValueEnum};
use optverify_engine::capture::Stamp;
use optverify_engine::pipeline;
use optverify_engine::prove::portfolio;
use optverify_engine::vc::Generator;
use std::path::PathBuf;
use std::time::Duration;

/// Proves that Rust functions marked `#[verify]` cannot panic, and that rustc's optimizations keep it so.
#[derive(Debug, Parser)]
#[command(
    name = "cargo optverify",
    bin_name = "cargo optverify",
    version,
    // settings stand before the command line, which wins
    args_override_self = true,
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
    Verify(Box<VerifyArgs>),
    /// List the roots
    List(ListArgs),
    /// Show which pass changed a root, and how the proof got through
    Passes(RootArgs),
    /// Show the proof of a root: what holds at each loop
    Explain(RootArgs),
    /// Run a folder of tasks under the rules of the verification competition
    Bench(BenchArgs),
    /// Check the proofs of every snapshot again, by a checker that shares nothing with the engines
    CheckProof(CheckProofArgs),
    /// Check one root's proof file against a captured folder; the answer goes to standard output
    #[command(hide = true)]
    CheckRoot(CheckRootArgs),
    /// Run the values of a witness on one snapshot of a captured folder; the answer goes to standard output
    #[command(hide = true)]
    RerunRoot(RerunRootArgs),
    /// Draw a root's cut-point graph as SVG
    Graph(GraphArgs),
    /// Verify one root of a captured folder; the report goes to standard output
    #[command(hide = true)]
    VerifyRoot(OneRootArgs),
    /// Set a package up: the dependency, settings, a workflow for CI
    Init(InitArgs),
    /// Make a unit test of a root's counterexample, and run it not optimized and as shipped
    Replay(ReplayArgs),
    /// Say what a code like OV0003 means and what helps; list them all without one
    ExplainCode(ExplainCodeArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Print the manual page
    Man,
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
    /// Also prove that every pass keeps the returned value and what is written through references
    #[arg(long)]
    pub refine: bool,
    /// Use only this engine; repeatable
    #[arg(long, value_name = "NAME", value_parser = engine_name)]
    pub engine: Vec<String>,
    /// Certify proofs by the verification conditions of this generator: one of sp, cnf, lean, ssa, and one of p,
    /// pa, g, ga
    #[arg(long, value_name = "ENCODING-CONTEXT", default_value_t)]
    pub vcgen: Generator,
    /// Keep proofs in this folder, and start from them after an edit [default for packages: `proofs` beside the captures]
    #[arg(long, value_name = "DIR", conflicts_with = "no_proof_store")]
    pub proof_store: Option<PathBuf>,
    /// Prove everything anew
    #[arg(long)]
    pub no_proof_store: bool,
    /// Also check the proof of every snapshot by the checker of `check-proof`: a safe verdict whose proof it refutes is
    /// unknown
    #[arg(long)]
    pub certify: bool,
    /// Write the text for a bug report here, if a pass of rustc breaks a root
    #[arg(long, value_name = "FILE")]
    pub bug_report: Option<PathBuf>,
    /// Do not run counterexamples of the optimized build natively
    #[arg(long)]
    pub no_native: bool,
    #[command(flatten)]
    pub gate: GateArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub build: BuildArgs,
}

#[derive(Debug, Args)]
pub struct ListArgs {
    /// A single Rust file, instead of a package
    #[arg(value_name = "FILE.rs")]
    pub file: Option<PathBuf>,
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "human")]
    pub message_format: ListFormat,
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
    /// Use only this engine; repeatable
    #[arg(long, value_name = "NAME", value_parser = engine_name)]
    pub engine: Vec<String>,
    /// Certify proofs by the conditions of this generator; `all` compares the sixteen instead, on the tasks with
    /// their loops expanded
    #[arg(long, value_name = "ENCODING-CONTEXT|all")]
    pub vcgen: Option<VcgenChoice>,
    /// With `--vcgen all`: iterations of each loop
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub unwind: usize,
    /// Compare bounded model checking alone, with acceleration, and with trace automata, instead: on each task's
    /// reference, each certified
    #[arg(long)]
    pub acceleration: bool,
    /// Also prove that every pass keeps the result
    #[arg(long)]
    pub refine: bool,
    /// Write the results to this file
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Compare with the results in this file, as ratios
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write a witness of each decided task below this folder, for `check-proof --witness`
    #[arg(long, value_name = "DIR")]
    pub witnesses: Option<PathBuf>,
    /// Write the score table and the quantile plot to this page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the quantile plot alone
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Results of another run (`--json`) to compare with, in the page and the plot; repeatable
    #[arg(long, value_name = "FILE")]
    pub compare: Vec<PathBuf>,
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
pub struct CheckProofArgs {
    /// Roots (`crate::module::f`, or its end; all without one), or a single Rust file
    #[arg(value_name = "ROOT|FILE.rs")]
    pub what: Vec<String>,
    /// Budget for finding the proofs of one root, all its passes included
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_duration)]
    pub timeout: Duration,
    /// Budget for one question to one solver
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = parse_duration)]
    pub solver_timeout: Duration,
    /// Where proof files are [default for packages: `proofs-full` beside the captures]
    #[arg(long, value_name = "DIR")]
    pub proofs: Option<PathBuf>,
    /// Find no proofs: check the files that are there
    #[arg(long, requires = "proofs")]
    pub stored: bool,
    /// Find no proofs: check the witnesses in this file (`--witness` of a run, `bench --witnesses`)
    #[arg(long, value_name = "FILE.yml", conflicts_with_all = ["stored", "proofs"])]
    pub witness: Option<PathBuf>,
    /// Keep every question in this folder, as SMT-LIB
    #[arg(long, value_name = "DIR")]
    pub queries: Option<PathBuf>,
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "human")]
    pub message_format: ListFormat,
    #[command(flatten)]
    pub build: BuildArgs,
}

/// What the process of a root is told by the one that starts it.
#[derive(Debug, Args)]
pub struct NamedRoot {
    pub capture: PathBuf,
    /// Among the roots of the capture
    pub index: usize,
    /// The state of the capture in which that is so
    pub stamp: Stamp,
}

#[derive(Debug, Args)]
pub struct CheckRootArgs {
    #[command(flatten)]
    pub root: NamedRoot,
    pub proof: PathBuf,
    #[arg(long, value_parser = parse_duration)]
    pub solver_timeout: Duration,
    #[arg(long)]
    pub queries: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct RerunRootArgs {
    #[command(flatten)]
    pub root: NamedRoot,
    pub snapshot: String,
    pub values: PathBuf,
}

#[derive(Debug, Args)]
pub struct OneRootArgs {
    #[command(flatten)]
    pub root: NamedRoot,
    #[arg(long, value_parser = parse_duration)]
    pub timeout: Duration,
    #[arg(long)]
    pub measure_scratch: bool,
    #[arg(long)]
    pub refine: bool,
    #[arg(long)]
    pub proof_store: Option<PathBuf>,
    #[arg(long)]
    pub export: Option<PathBuf>,
    #[arg(long)]
    pub engine: Vec<String>,
    #[arg(long, default_value_t)]
    pub vcgen: Generator,
    /// In MB, of the solver
    #[arg(long)]
    pub memory: Option<u32>,
    /// Contracts of other roots may stand for calls
    #[arg(long)]
    pub contracts: bool,
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
pub struct InitArgs {
    /// Where the crate `optverify` is, if not in the registry
    #[arg(long, value_name = "DIR", conflicts_with = "git")]
    pub path: Option<PathBuf>,
    /// Repository with the crates `optverify` and `cargo-optverify`
    #[arg(long, value_name = "URL")]
    pub git: Option<String>,
    /// Write no workflow
    #[arg(long)]
    pub no_ci: bool,
    #[arg(long, value_name = "PATH")]
    pub manifest_path: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// `crate::module::f`, or its end
    pub root: String,
    /// A single Rust file, instead of a package
    #[arg(value_name = "FILE.rs")]
    pub file: Option<PathBuf>,
    /// Write the test into the source, after the root, and run it there
    #[arg(long, conflicts_with = "output")]
    pub in_place: bool,
    /// Write the test to this file, instead of printing it
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_duration)]
    pub timeout: Duration,
    #[command(flatten)]
    pub build: BuildArgs,
}

#[derive(Debug, Args)]
pub struct ExplainCodeArgs {
    pub code: Option<String>,
}

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
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
    /// Every function of the crate as a root, where its parameters can stand for any value
    #[arg(long)]
    pub all_functions: bool,
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
    /// No output of cargo, only findings and the sum
    #[arg(short, long)]
    pub quiet: bool,
}

/// One generator of verification conditions, or all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VcgenChoice {
    All,
    One(Generator),
}

impl std::str::FromStr for VcgenChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "all" => Ok(Self::All),
            name => name.parse().map(Self::One),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
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

/// The name of an engine: a misspelled one would leave every root unknown.
fn engine_name(text: &str) -> Result<String, String> {
    let known = portfolio::ENGINES.iter().chain([&pipeline::BACKWARDS]);
    let mut names: Vec<&str> = known.copied().collect();
    if names.contains(&text) {
        return Ok(text.to_owned());
    }
    names.sort_unstable();
    Err(format!("there are {}", names.join(", ")))
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
        assert!(parse(&["x.rs", "--vcgen", "ssa-ga"]).is_ok());
        assert!(parse(&["x.rs", "--vcgen", "all"]).is_err());
        assert!(parse(&["bench", "dir", "--vcgen", "all"]).is_ok());
    }

    #[test]
    fn durations() {
        assert_eq!(parse_duration("1500ms"), Ok(Duration::from_millis(1500)));
        assert_eq!(parse_duration("2m"), Ok(Duration::from_secs(120)));
        assert!(parse_duration("soon").is_err());
    }
}
