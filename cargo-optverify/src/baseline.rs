//! A file of findings that are accepted for a time: a new project starts with what it has, and every entry
//! says why and until when.

use crate::report::RootResult;
use crate::report::reason::Code;
use anyhow::{Context, Result, bail};
use optverify_engine::capture::Root;
use optverify_engine::report::RootReport;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Of the file.
const FORMAT_VERSION: u32 = 1;
/// How long new entries hold.
const DAYS: u64 = 90;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format_version: u32,
    #[serde(default)]
    accepted: Vec<Accepted>,
}

/// One entry. It names what is accepted so narrowly that another finding in the same root is not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accepted {
    pub root: String,
    /// The finding's code.
    pub code: String,
    /// Its panic, for a violation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub panic: Option<String>,
    pub reason: String,
    /// The last day, `2026-12-31`. Without it the entry holds for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
}

/// What is accepted today.
#[derive(Debug, Default)]
pub struct Baseline {
    entries: Vec<Accepted>,
    today: String,
}

impl Baseline {
    pub fn load(file: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(file)
            .with_context(|| format!("could not read the baseline {}", file.display()))?;
        Self::parse(&text)
            .with_context(|| format!("the baseline {} is not understood", file.display()))
    }

    fn parse(text: &str) -> Result<Self> {
        let parsed: File = toml::from_str(text)?;
        if parsed.format_version != FORMAT_VERSION {
            bail!(
                "it has format_version {}, this tool reads {FORMAT_VERSION}",
                parsed.format_version
            );
        }
        for entry in &parsed.accepted {
            if let Some(day) = entry.expires.as_deref().filter(|day| !is_day(day)) {
                bail!("`{day}` in the baseline is not a day like 2026-12-31");
            }
        }
        Ok(Self {
            entries: parsed.accepted,
            today: day(SystemTime::now()),
        })
    }

    /// Days written this way compare like text.
    fn is_over(&self, entry: &Accepted) -> bool {
        entry.expires.as_ref().is_some_and(|day| *day < self.today)
    }

    /// The entry that accepts what was found.
    pub fn accepts(&self, root: &Root, report: &RootReport) -> Option<Accepted> {
        let found = describe(&root.name, report)?;
        self.entries
            .iter()
            .find(|e| same(e, &found) && !self.is_over(e))
            .cloned()
    }

    /// What people should know about entries: those that are over, and those that nothing needs any more.
    pub fn notes(&self, results: &[RootResult]) -> Vec<String> {
        let mut notes = Vec::new();
        for entry in &self.entries {
            let Some(result) = results.iter().find(|r| r.root.name == entry.root) else {
                continue;
            };
            let found = describe(&entry.root, &result.report);
            let (root, code) = (&entry.root, &entry.code);
            if found.is_none_or(|found| !same(entry, &found)) {
                notes.push(format!(
                    "the baseline's entry for `{root}` ({code}) is no longer needed"
                ));
            } else if self.is_over(entry) {
                let day = entry.expires.as_deref().unwrap_or_default();
                notes.push(format!(
                    "the baseline's entry for `{root}` ({code}) ended on {day}"
                ));
            }
        }
        notes
    }
}

fn same(entry: &Accepted, found: &Accepted) -> bool {
    entry.root == found.root && entry.code == found.code && entry.panic == found.panic
}

fn describe(root: &str, report: &RootReport) -> Option<Accepted> {
    Some(Accepted {
        root: root.to_owned(),
        code: Code::of_report(report)?.id.to_owned(),
        panic: report.counterexample.as_ref().map(|c| c.panic.clone()),
        reason: String::new(),
        expires: None,
    })
}

/// Writes an entry for everything that is not safe.
pub fn write(file: &Path, results: &[RootResult]) -> Result<usize> {
    let expires = day(SystemTime::now() + Duration::from_secs(DAYS * 24 * 3600));
    let found = results
        .iter()
        .filter_map(|r| describe(&r.root.name, &r.report));
    let accepted: Vec<Accepted> = found
        .map(|entry| Accepted {
            reason: "known when the baseline was written".to_owned(),
            expires: Some(expires.clone()),
            ..entry
        })
        .collect();
    let count = accepted.len();
    let text = toml::to_string_pretty(&File {
        format_version: FORMAT_VERSION,
        accepted,
    })?;
    let head = "# Findings of cargo optverify that are accepted for a time (--baseline).\n";
    std::fs::write(file, format!("{head}{text}"))
        .with_context(|| format!("could not write {}", file.display()))?;
    Ok(count)
}

fn is_day(text: &str) -> bool {
    let shape = |(i, b): (usize, u8)| match i {
        4 | 7 => b == b'-',
        _ => b.is_ascii_digit(),
    };
    text.len() == 10 && text.bytes().enumerate().all(shape)
}

/// The day in UTC.
fn day(time: SystemTime) -> String {
    chrono::DateTime::<chrono::Utc>::from(time)
        .format("%Y-%m-%d")
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutate::{Random, damaged, each, rounds};

    const SAMPLE: &str = "# accepted\nformat_version = 1\n\n[[accepted]]\nroot = \"p::f\"\ncode = \"OV0001\"\n\
        panic = \"attempt to divide by zero\"\nreason = \"known\"\nexpires = \"2026-12-31\"\n\n\
        [[accepted]]\nroot = \"p::g\"\ncode = \"OV0002\"\nreason = \"later\"\n";

    /// Damaged baselines are errors, or accept exactly what they then say: never a panic, never a finding of
    /// another root.
    #[test]
    fn damaged_baselines_accept_nothing_else() {
        assert_eq!(
            Baseline::parse(SAMPLE).expect("a baseline").entries.len(),
            2
        );
        let n = rounds(20_000);
        each(n, |seed| {
            let text = damaged(&mut Random(seed), SAMPLE);
            match Baseline::parse(&text) {
                Err(error) => assert!(!format!("{error:#}").is_empty()),
                Ok(baseline) => {
                    for entry in &baseline.entries {
                        let day = entry.expires.as_deref();
                        assert!(day.is_none_or(is_day), "seed {seed}: {text}");
                        assert!(text.contains(&entry.root) || text.contains('\\'));
                    }
                }
            }
        });
        println!("figure: damaged baselines | {n}, 0 panics");
        for deep in ["[", "{a=", "a.", "[["] {
            let text = format!("x = {}", deep.repeat(100_000));
            assert!(Baseline::parse(&text).is_err(), "{deep}");
            assert!(Baseline::parse(&deep.repeat(100_000)).is_err(), "{deep}");
        }
    }
}
