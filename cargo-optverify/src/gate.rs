//! The one place that decides whether a run passes.

use crate::baseline::{Accepted, Baseline};
use crate::exit_code::ExitCode;
use crate::report::RootResult;
use clap::{Args, ValueEnum};
use optverify_engine::capture::Root;
use optverify_engine::report::{RootReport, Verdict};
use std::path::PathBuf;

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "What fails the run")]
pub struct GateArgs {
    /// What must be safe: the program as written, also as shipped, or also after every pass between
    #[arg(long, value_enum, value_name = "LEVEL", default_value = "optimized")]
    pub gate: Gate,
    /// Roots that are unknown do not fail the run
    #[arg(long)]
    pub allow_unknown: bool,
    /// Roots whose proof says nothing (OV2001, OV2002) count as unknown
    #[arg(long)]
    pub deny_vacuous: bool,
    /// Findings that are accepted for a time (a TOML file)
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write what is found now as a baseline, accepted for 90 days
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,
    /// Only the roots of one part of a CI matrix: `hash:1/4` .. `hash:4/4`
    #[arg(long, value_name = "hash:I/N")]
    pub partition: Option<Partition>,
    /// Start no more roots after the first that fails the run
    #[arg(long)]
    pub fail_fast: bool,
    /// Memory limit of one root in MB
    #[arg(long, value_name = "MB")]
    pub memory: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Gate {
    Reference,
    Optimized,
    EveryPass,
}

/// What one root means for the run.
#[derive(Debug, Clone, PartialEq)]
pub enum Judgement {
    Passes,
    /// Not safe, and the baseline says that this is known.
    Accepted(Accepted),
    Violation,
    Unknown,
}

/// Judges roots one by one.
pub struct Judge {
    gate: Gate,
    allow_unknown: bool,
    deny_vacuous: bool,
    baseline: Baseline,
}

impl Judge {
    pub fn new(args: &GateArgs, baseline: Baseline) -> Self {
        Self {
            gate: args.gate,
            allow_unknown: args.allow_unknown,
            deny_vacuous: args.deny_vacuous,
            baseline,
        }
    }

    /// `#[verify(expect = "unsafe")]` turns a root into a test of the tool: it passes when the verdict is
    /// the expected one.
    pub fn judge(&self, root: &Root, report: &RootReport) -> Judgement {
        let expected = match root.options.get("expect").map(String::as_str) {
            Some("unsafe") => Verdict::Unsafe,
            _ => Verdict::Safe,
        };
        let mut verdict = match self.gate {
            Gate::Reference => report.reference.verdict,
            Gate::Optimized => report.verdict,
            Gate::EveryPass => {
                let passes = report.passes.iter().map(|p| p.verdict);
                passes.fold(report.verdict, Verdict::and)
            }
        };
        if verdict == Verdict::Safe && self.deny_vacuous && !report.vacuous.is_empty() {
            verdict = Verdict::Unknown;
        }
        if verdict == expected || (verdict == Verdict::Unknown && self.allow_unknown) {
            return Judgement::Passes;
        }
        match (self.baseline.accepts(root, report), verdict) {
            (Some(accepted), _) => Judgement::Accepted(accepted),
            (None, Verdict::Unknown) => Judgement::Unknown,
            (None, Verdict::Safe | Verdict::Unsafe) => Judgement::Violation,
        }
    }

    /// About the baseline.
    pub fn notes(&self, results: &[RootResult]) -> Vec<String> {
        self.baseline.notes(results)
    }
}

/// Of the whole run. `roots` counts also those that other parts of a matrix verify: a gate that checks
/// nothing must not pass, but a part of one may be empty.
pub fn decide(results: &[RootResult], roots: usize) -> ExitCode {
    let has = |judgement: Judgement| results.iter().any(|r| r.judgement == judgement);
    if has(Judgement::Violation) {
        ExitCode::Violation
    } else if has(Judgement::Unknown) || roots == 0 {
        ExitCode::Unknown
    } else {
        ExitCode::AllSafe
    }
}

/// One part of `of`, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Partition {
    part: u64,
    of: u64,
}

impl std::str::FromStr for Partition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.strip_prefix("hash:").and_then(|t| t.split_once('/'));
        let numbers = numbers.and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((part, of)) if 1 <= part && part <= of => Ok(Self { part, of }),
            _ => Err(format!("`{text}` is not like hash:1/4")),
        }
    }
}

impl Partition {
    /// By the root's name alone (FNV-1a), so that adding a root moves no other.
    pub fn contains(self, name: &str) -> bool {
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325, step);
        // the low bits of FNV depend on few bits of the text
        (hash ^ (hash >> 32)) % self.of == self.part - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_root_is_in_one_part() {
        let parts: Vec<Partition> = ["hash:1/3", "hash:2/3", "hash:3/3"]
            .iter()
            .map(|text| text.parse().expect("a partition"))
            .collect();
        let mut sizes = [0; 3];
        for number in 0..300 {
            let name = format!("crate::module::f{number}");
            let of: Vec<usize> = (0..3).filter(|i| parts[*i].contains(&name)).collect();
            assert_eq!(of.len(), 1, "{name}");
            sizes[of[0]] += 1;
        }
        assert!(sizes.iter().all(|size| *size > 60), "{sizes:?}");
        for wrong in ["hash:0/3", "hash:4/3", "1/3", "hash:1"] {
            assert!(wrong.parse::<Partition>().is_err(), "{wrong}");
        }
    }
}
