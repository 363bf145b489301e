//! Functions of a crate, called natively. Safe ones get random and boundary inputs, and a panic contradicts the verdict;
//! unsafe ones get the counterexample, and a return contradicts it.
//!
//! Calls and makers of values are written into a copy of the crate, beside what they are for, so that private functions
//! and fields are there. Which types have values is not decided here: what does not compile is taken out again, and the
//! functions that are left over are counted. A program runs every function in a process of its own, as the profile
//! ships it and not optimized.

use super::prepared::{MARK, Prepared};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What the tool says about a function, and how its report names its place.
pub struct Claim {
    pub root: String,
    pub file: String,
    pub line: usize,
    /// By the parameters' names: with these it panics. Nothing: it is safe.
    pub inputs: Option<BTreeMap<String, String>>,
}

#[derive(Default)]
pub struct Fuzzed {
    /// Safe functions that ran, and how often they were called in all.
    pub functions: usize,
    pub runs: u64,
    /// Unsafe ones that panicked with their counterexamples in both builds.
    pub confirmed: usize,
    /// Neither panicked nor came to an end of their runs: too slow, or out of memory.
    pub stopped: Vec<String>,
    pub not_made: Vec<String>,
    /// Safe functions that panicked, and counterexamples that did not: wrong verdicts.
    pub wrong: Vec<String>,
}

impl Fuzzed {
    pub fn add(&mut self, other: Fuzzed) {
        self.functions += other.functions;
        self.runs += other.runs;
        self.confirmed += other.confirmed;
        self.stopped.extend(other.stopped);
        self.not_made.extend(other.not_made);
        self.wrong.extend(other.wrong);
    }

    pub fn print(&self) {
        println!(
            "run natively: {} safe functions, {} calls; {} counterexamples",
            self.functions, self.runs, self.confirmed
        );
        for (what, list) in [
            ("stopped", &self.stopped),
            ("not made", &self.not_made),
            ("WRONG", &self.wrong),
        ] {
            for line in list {
                println!("{what}: {line}");
            }
        }
    }
}

/// Types need others: as many compiles as they are deep.
const ROUNDS: usize = 12;
const PATIENCE: Duration = Duration::from_secs(20);

pub fn fuzz(sources: &Path, claims: &[Claim]) -> Fuzzed {
    let mut fuzzed = Fuzzed::default();
    let prepared = Prepared::of(sources, claims, &mut fuzzed);
    if prepared.calls.is_empty() {
        return fuzzed;
    }
    let mut out: BTreeSet<usize> = BTreeSet::new();
    for _ in 0..ROUNDS {
        prepared.write(&out);
        let checked = prepared.cargo(&["check", "--release", "--message-format", "json"]);
        if checked.status.success() {
            run_all(&prepared, &out, &mut fuzzed);
            return fuzzed;
        }
        let found = pieces(&String::from_utf8_lossy(&checked.stdout));
        if found.is_subset(&out) {
            let text = String::from_utf8_lossy(&checked.stderr);
            let last = text.lines().last().unwrap_or_default();
            fuzzed.not_made.push(format!("the whole crate: {last}"));
            break;
        }
        out.extend(found);
    }
    let calls = prepared.calls.iter();
    fuzzed.not_made.extend(calls.map(|call| call.root.clone()));
    fuzzed
}

/// The numbers in the lines that the compiler complains about.
fn pieces(messages: &str) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let messages = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    for message in messages.filter(|m| m["message"]["level"] == "error") {
        for span in message["message"]["spans"].as_array().into_iter().flatten() {
            for line in span["text"].as_array().into_iter().flatten() {
                let text = line["text"].as_str().unwrap_or_default();
                let number = text.rsplit_once(MARK).map(|(_, rest)| rest);
                let number = number.and_then(|n| n.split('*').next()?.parse().ok());
                found.extend(number.filter(|_: &usize| span["is_primary"] == true));
            }
        }
    }
    found
}

fn run_all(prepared: &Prepared, out: &BTreeSet<usize>, fuzzed: &mut Fuzzed) {
    let kept = || (prepared.calls.iter().enumerate()).filter(|(n, _)| !out.contains(n));
    let mut wrong: BTreeMap<usize, String> = BTreeMap::new();
    let mut stopped = BTreeSet::new();
    for (build, profile) in [("release", "release"), ("debug", "dev")] {
        let built = prepared.cargo(&["build", "--profile", profile]);
        let text = String::from_utf8_lossy(&built.stderr);
        assert!(built.status.success(), "it was checked before: {text}");
        let program = prepared.project.path().join("target").join(build);
        let program = program.join("optverify_fuzz");
        for (n, call) in kept() {
            match (run(&program, n), call.is_safe) {
                (Ended::Returned(runs), true) => fuzzed.runs += runs,
                (Ended::Panicked(_), false) => {}
                (Ended::Stopped, _) => drop(stopped.insert(n)),
                (Ended::Panicked(how), true) => {
                    wrong.insert(n, format!("{} ({build}): {how}", call.root));
                }
                (Ended::Returned(_), false) => {
                    let line = format!("{} ({build}): returns, said to panic", call.root);
                    wrong.insert(n, line);
                }
            }
        }
    }
    for (n, call) in kept() {
        match call.is_safe {
            true => fuzzed.functions += 1,
            false if wrong.contains_key(&n) || stopped.contains(&n) => {}
            false => fuzzed.confirmed += 1,
        }
    }
    let root = |n: &usize| prepared.calls[*n].root.clone();
    fuzzed
        .not_made
        .extend(out.iter().filter(|n| **n < prepared.calls.len()).map(root));
    fuzzed.stopped.extend(stopped.iter().map(root));
    fuzzed.wrong.extend(wrong.into_values());
}

enum Ended {
    Returned(u64),
    Stopped,
    Panicked(String),
}

fn run(program: &Path, n: usize) -> Ended {
    let mut command = Command::new(program);
    command.arg(n.to_string()).stdin(Stdio::null());
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.expect("the program starts");
    let start = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if start.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return Ended::Stopped;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().expect("its output");
    let said = String::from_utf8_lossy(&output.stdout);
    let runs = said.lines().find_map(|line| line.strip_prefix("runs: "));
    if let Some(runs) = runs.and_then(|n| n.parse().ok()) {
        return Ended::Returned(runs);
    }
    let told = String::from_utf8_lossy(&output.stderr);
    // by the system, for its memory
    let killed = std::os::unix::process::ExitStatusExt::signal(&output.status) == Some(9);
    if killed || told.contains("memory allocation of") || told.contains("has overflowed its stack")
    {
        return Ended::Stopped;
    }
    Ended::Panicked(format!("{}: {}", output.status, told.trim()))
}
