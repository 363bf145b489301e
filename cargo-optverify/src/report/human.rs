//! For people: one line a root as it finishes, then what was found, then what the proof does not cover.

use crate::report::finding;
use crate::report::{Reporter, RootResult, Summary, survey, words, wrap};
use anstyle::{AnsiColor, Style};
use anyhow::Result;
use optverify_engine::capture::Manifest;
use optverify_engine::report::{How, RootReport, Verdict};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;

/// How it is shown.
#[derive(Debug, Clone)]
pub struct HumanReporter {
    /// Columns.
    pub width: usize,
    /// Only findings and the sum.
    pub quiet: bool,
    /// Also the passes of every root, and what the solver was asked.
    pub verbose: bool,
    /// Every function is a root: unknown ones are counted, not told one by one.
    pub survey: bool,
    /// The file of the command line, for the commands that are proposed.
    pub file: Option<PathBuf>,
}

const GREEN: Style = AnsiColor::Green.on_default().bold();
const RED: Style = AnsiColor::Red.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default().bold();
const DIM: Style = Style::new().dimmed();

/// Where no terminal says how wide it is.
const DEFAULT_WIDTH: usize = 120;
/// Narrower than this nothing can be shown well.
const LEAST_WIDTH: usize = 40;

/// The terminal's columns; `COLUMNS` overrides it.
pub fn width() -> usize {
    let variable = std::env::var("COLUMNS").ok();
    let asked = variable.and_then(|text| text.parse::<usize>().ok());
    let terminal = || {
        let (_, columns) = console::Term::stdout().size_checked()?;
        std::io::stdout()
            .is_terminal()
            .then_some(usize::from(columns))
    };
    asked
        .or_else(terminal)
        .unwrap_or(DEFAULT_WIDTH)
        .max(LEAST_WIDTH)
}

pub fn style(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Safe => GREEN,
        Verdict::Unsafe => RED,
        Verdict::Unknown => YELLOW,
    }
}

impl Reporter for HumanReporter {
    fn root(&mut self, result: &RootResult) {
        if self.quiet {
            return;
        }
        let report = &result.report;
        let (style, name) = (style(report.verdict), &result.root.name);
        let room = self
            .width
            .saturating_sub("  unknown  ()".len() + name.chars().count());
        anstream::println!(
            "{style}{:>9}{style:#} {name} {DIM}({}){DIM:#}",
            report.verdict.as_str(),
            details(result, room)
        );
        if let Some(text) = words::vouched(report) {
            for line in wrap::lines(&text, self.width.saturating_sub(10), "") {
                anstream::println!("{:>9} {DIM}{line}{DIM:#}", "");
            }
        }
        if self.verbose {
            passes(result);
            print_queries(report);
        }
    }

    fn finished(&mut self, results: &[RootResult], summary: &Summary) -> Result<()> {
        let mut any = false;
        let told =
            |r: &&RootResult| !self.survey || self.verbose || r.report.verdict != Verdict::Unknown;
        for result in results.iter().filter(told) {
            if let Some(text) = finding::render(result, self) {
                let gap = if self.quiet && !any { "" } else { "\n" };
                anstream::println!("{gap}{text}");
                any = true;
            }
        }
        if results.is_empty() {
            anstream::println!(
                "{YELLOW}nothing to verify{YELLOW:#}: mark a function with #[verify] (of the crate optverify)"
            );
            return Ok(());
        }
        if !self.quiet || any {
            anstream::println!();
        }
        if !self.quiet {
            for capture in configurations(results) {
                self.dimmed(&configuration(&capture));
            }
            self.dimmed(
                "Outside the proof: LLVM, the linker, the hardware; std's MIR as shipped with the toolchain; \
                 termination.",
            );
        }
        if self.survey {
            for line in survey::table(results, self.width) {
                anstream::println!("{line}");
            }
            if summary.unknown > 0 && !self.verbose {
                let next = "next: `--root NAME` for one function, `-v` for all of them, `explain-code OV0001` for a reason";
                for line in wrap::lines(next, self.width, "      ") {
                    anstream::println!("{line}");
                }
            }
        }
        anstream::println!("{}", summary.sentence());
        Ok(())
    }
}

impl HumanReporter {
    fn dimmed(&self, text: &str) {
        for line in wrap::lines(text, self.width, "") {
            anstream::println!("{DIM}{line}{DIM:#}");
        }
    }
}

/// `302 ms; broken by GVN; 34 passes, 14 changed it`: what fits, the first always.
fn details(result: &RootResult, room: usize) -> String {
    let report = &result.report;
    let mut text = time(report.ms);
    let checked = report.passes.len();
    let guilty = report
        .guilty_pass()
        .map(|p| format!("; broken by {}", p.name));
    let passes = format!("; {checked} passes, {} changed it", words::changed(report));
    let passes = (checked > 0).then_some(passes);
    for part in guilty.into_iter().chain(passes) {
        if text.chars().count() + part.chars().count() <= room {
            text += &part;
        }
    }
    text
}

/// With `--verbose`: who proved the reference, and what became of the proof.
fn passes(result: &RootResult) {
    let report = &result.report;
    let by = report.reference.engine.as_deref().unwrap_or("nobody");
    let verdict = report.reference.verdict.as_str();
    anstream::println!(
        "{DIM}{:>11} reference: {verdict} by {by}, {}{DIM:#}",
        "",
        time(report.reference.ms)
    );
    let changed = report
        .passes
        .iter()
        .filter(|p| p.how != Some(How::Unchanged));
    for pass in changed {
        let how = words::how(pass.how);
        anstream::println!(
            "{DIM}{:>11} {}: {} ({how}), {}{DIM:#}",
            "",
            pass.name,
            pass.verdict.as_str(),
            time(pass.ms)
        );
    }
}

/// What the solver was asked, the dearest first.
fn print_queries(report: &RootReport) {
    let mut all: Vec<_> = report.queries.iter().collect();
    if all.is_empty() {
        return;
    }
    all.sort_by_key(|(_, q)| std::cmp::Reverse(q.resources));
    anstream::println!(
        "{DIM}          {:<16} {:>7} {:>7} {:>7} {:>7} {:>9} {:>11}{DIM:#}",
        "query",
        "unsat",
        "sat",
        "unknown",
        "failed",
        "ms",
        "resources"
    );
    for (name, q) in all {
        anstream::println!(
            "{DIM}          {name:<16} {:>7} {:>7} {:>7} {:>7} {:>9.1} {:>11}{DIM:#}",
            q.unsat,
            q.sat,
            q.unknown,
            q.failed,
            q.ms,
            q.resources
        );
    }
}

pub fn time(ms: u64) -> String {
    if ms < 1000 {
        format!("{ms} ms")
    } else {
        format!("{:.2} s", ms as f64 / 1000.0)
    }
}

/// Every compiler and profile that results came from, once.
fn configurations(results: &[RootResult]) -> Vec<Arc<Manifest>> {
    let mut seen: Vec<Arc<Manifest>> = Vec::new();
    for result in results {
        if !seen
            .iter()
            .any(|s| configuration(s) == configuration(&result.capture))
        {
            seen.push(Arc::clone(&result.capture));
        }
    }
    seen
}

pub fn configuration(capture: &Manifest) -> String {
    let profile = &capture.profile;
    let on = |yes| if yes { "on" } else { "off" };
    format!(
        "rustc {}, {}, profile {}: opt-level {}, overflow checks {}, debug assertions {}, panic {}; {} passes",
        capture.compiler.version,
        capture.target,
        profile.name,
        profile.opt_level,
        on(profile.overflow_checks),
        on(profile.debug_assertions),
        profile.panic,
        capture.passes.len()
    )
}
