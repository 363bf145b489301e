//! For people: one line a root as it finishes, then what was found, then what the proof does not cover.

use crate::report::finding;
use crate::report::{Reporter, RootResult, Summary};
use anstyle::{AnsiColor, Style};
use optverify_engine::capture::Manifest;
use optverify_engine::report::{How, Verdict};
use std::sync::Arc;

pub struct HumanReporter;

const GREEN: Style = AnsiColor::Green.on_default().bold();
const RED: Style = AnsiColor::Red.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default().bold();
const DIM: Style = Style::new().dimmed();

pub fn style(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Safe => GREEN,
        Verdict::Unsafe => RED,
        Verdict::Unknown => YELLOW,
    }
}

impl Reporter for HumanReporter {
    fn root(&mut self, result: &RootResult) {
        let report = &result.report;
        let style = style(report.verdict);
        anstream::println!(
            "{style}{:>9}{style:#} {} {DIM}({}){DIM:#}",
            report.verdict.as_str(),
            result.root.name,
            headline(result)
        );
    }

    fn finished(&mut self, results: &[RootResult], summary: &Summary) {
        for result in results {
            if let Some(text) = finding::render(result) {
                anstream::println!("\n{text}");
            }
        }
        if results.is_empty() {
            anstream::println!(
                "{YELLOW}nothing to verify{YELLOW:#}: mark a function with #[verify] (of the crate optverify)"
            );
            return;
        }
        anstream::println!();
        for capture in configurations(results) {
            anstream::println!("{DIM}{}{DIM:#}", configuration(&capture));
        }
        anstream::println!(
            "{DIM}Outside the proof: LLVM, the linker, the hardware; std's MIR as shipped with the toolchain; \
             termination.{DIM:#}"
        );
        let mut parts = vec![format!("{} safe", summary.safe)];
        if summary.violated > 0 {
            parts.push(format!("{} unsafe", summary.violated));
        }
        if summary.unknown > 0 {
            parts.push(format!("{} unknown", summary.unknown));
        }
        let roots = if summary.roots() == 1 {
            "root"
        } else {
            "roots"
        };
        anstream::println!(
            "{} {roots}: {} in {}",
            summary.roots(),
            parts.join(", "),
            time(summary.ms)
        );
    }
}

/// `31 ms; 34 passes, 14 changed the program`.
fn headline(result: &RootResult) -> String {
    let report = &result.report;
    let mut parts = vec![time(report.ms)];
    let checked = report.passes.len();
    if checked > 0 {
        let changed = report
            .passes
            .iter()
            .filter(|p| p.how != Some(How::Unchanged))
            .count();
        parts.push(format!("{checked} passes, {changed} changed it"));
    }
    if let Some(pass) = report.guilty_pass() {
        parts.push(format!("broken by {}", pass.name));
    }
    parts.join("; ")
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

fn configuration(capture: &Manifest) -> String {
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
