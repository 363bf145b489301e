//! Verdicts beside the truth: what is wrong, what could not be confirmed, and the figures of a run.

use crate::confirm::Ended;
use crate::tool::{Profile, Verdict};
use crate::truth::{Build, Truth};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// Which program a verdict speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    Reference,
    Optimized,
}

pub const STAGES: [Stage; 2] = [Stage::Reference, Stage::Optimized];

impl Stage {
    pub fn verdict(self, of: &Verdict) -> &str {
        match self {
            Stage::Reference => &of.reference,
            Stage::Optimized => &of.optimized,
        }
    }

    /// The native build that behaves as this stage of a profile.
    pub fn build(self, profile: Profile) -> Build {
        match (profile, self) {
            (Profile::Dev, _) => Build::Dev,
            (Profile::Release, Stage::Reference) => Build::Reference,
            (Profile::Release, Stage::Optimized) => Build::Release,
        }
    }
}

/// What is wrong with a verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrong {
    /// Called safe, and an input panics.
    Safe(Stage),
    /// Called unsafe, and the reported input returns.
    Unsafe(Stage),
    /// Internal errors and crashes.
    Broken,
}

/// The stage that a counterexample is about.
pub fn accused(verdict: &Verdict) -> Option<Stage> {
    verdict.inputs.as_ref()?;
    Some(match verdict.pass.as_str() {
        "reference" => Stage::Reference,
        _ => Stage::Optimized,
    })
}

/// Judges one verdict. `truth` is what all runs of a build say, `confirmed` how the reported input ended in the
/// accused stage's build.
pub fn judge<'a>(
    profile: Profile,
    verdict: &Verdict,
    truth: impl Fn(Build) -> &'a Truth,
    confirmed: Option<&Ended>,
) -> Option<Wrong> {
    if verdict.is_broken() {
        return Some(Wrong::Broken);
    }
    for stage in STAGES {
        let truth = truth(stage.build(profile));
        if stage.verdict(verdict) == "safe" && truth.panicked > 0 {
            return Some(Wrong::Safe(stage));
        }
        let refuted = accused(verdict) == Some(stage) && confirmed == Some(&Ended::Returned);
        let never = truth.complete && truth.panicked == 0;
        if stage.verdict(verdict) == "unsafe" && (refuted || never) {
            return Some(Wrong::Unsafe(stage));
        }
    }
    None
}

/// What a run came to.
#[derive(Default, Serialize, Deserialize)]
pub struct Figures {
    pub functions: usize,
    /// Functions of which every input was run, and those that panic on some input.
    pub exhaustive: usize,
    pub panicking: usize,
    /// By profile and verdict: `dev safe`.
    verdicts: BTreeMap<String, usize>,
    /// Codes of reasons for unknown, with an example.
    unknown: BTreeMap<String, (usize, String)>,
    /// Counterexamples that panic natively, and those that were not run to an end.
    pub confirmed: usize,
    pub unconfirmed: usize,
    /// Confirmed, with another message than the tool's.
    pub other_panics: Vec<String>,
    pub miscompiled: usize,
    /// Answers that the tool itself did not confirm: unknown, so not wrong, but bugs.
    pub broken: Vec<String>,
    pub wrong: Vec<String>,
    /// Where the time goes.
    spent: BTreeMap<String, Duration>,
}

impl Figures {
    pub fn count(&mut self, profile: Profile, verdict: &Verdict) {
        let key = format!("{} {}", profile.name(), verdict.overall);
        *self.verdicts.entry(key).or_insert(0) += 1;
        if verdict.overall == "unknown" {
            let why: String = verdict.why.chars().take(150).collect();
            let entry = self.unknown.entry(verdict.code.clone());
            entry.or_insert((0, why)).0 += 1;
        }
    }

    pub fn spent(&mut self, on: &str, time: Duration) {
        *self.spent.entry(on.to_owned()).or_default() += time;
    }

    pub fn add(&mut self, other: &Figures) {
        self.functions += other.functions;
        self.exhaustive += other.exhaustive;
        self.panicking += other.panicking;
        self.confirmed += other.confirmed;
        self.unconfirmed += other.unconfirmed;
        self.miscompiled += other.miscompiled;
        self.broken.extend_from_slice(&other.broken);
        self.wrong.extend_from_slice(&other.wrong);
        self.other_panics.extend_from_slice(&other.other_panics);
        for (on, time) in &other.spent {
            self.spent(on, *time);
        }
        for (key, n) in &other.verdicts {
            *self.verdicts.entry(key.clone()).or_insert(0) += n;
        }
        for (code, (n, why)) in &other.unknown {
            let entry = self.unknown.entry(code.clone());
            entry.or_insert_with(|| (0, why.clone())).0 += n;
        }
    }

    /// Verdicts that are not unknown.
    pub fn decided(&self) -> usize {
        let known = self
            .verdicts
            .iter()
            .filter(|(v, _)| !v.ends_with(" unknown"));
        known.map(|(_, n)| n).sum()
    }

    pub fn print(&self, seconds: u64) {
        println!(
            "fuzz: {} functions ({} exhaustive, {} panic on some input), {seconds} s; {} counterexamples confirmed, \
             {} not, {} with another panic, {} miscompilations, {} answers not confirmed, {} wrong",
            self.functions,
            self.exhaustive,
            self.panicking,
            self.confirmed,
            self.unconfirmed,
            self.other_panics.len(),
            self.miscompiled,
            self.broken.len(),
            self.wrong.len()
        );
        for profile in ["dev", "release"] {
            let of = |verdict: &str| {
                let key = format!("{profile} {verdict}");
                self.verdicts.get(&key).copied().unwrap_or(0)
            };
            let [safe, bad, unknown] = ["safe", "unsafe", "unknown"].map(of);
            println!("  {profile}: {safe} safe, {bad} unsafe, {unknown} unknown");
        }
        let spent = self
            .spent
            .iter()
            .map(|(on, t)| format!("{on} {} s", t.as_secs()));
        println!("  time: {}", spent.collect::<Vec<_>>().join(", "));
        let mut reasons: Vec<_> = self.unknown.iter().collect();
        reasons.sort_by_key(|(_, (n, _))| std::cmp::Reverse(*n));
        for (code, (n, why)) in reasons {
            println!("  {n:6} {code} ({why})");
        }
        let others = self.other_panics.iter().take(5);
        others.for_each(|other| println!("  another panic: {other}"));
        self.broken.iter().for_each(|b| println!("BROKEN {b}"));
        self.wrong.iter().for_each(|w| println!("WRONG {w}"));
    }
}
