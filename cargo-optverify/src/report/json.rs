//! `--message-format json`: one object a line on standard output, as the design document fixes it. Fields
//! may be added.

use crate::gate::Judgement;
use crate::report::reason::Code;
use crate::report::{Reporter, RootResult, Summary};
use anyhow::Result;
use optverify_engine::report::RootReport;
use serde::Serialize;

/// Of the messages, not of the tool.
const FORMAT_VERSION: u32 = 1;

#[derive(Serialize)]
struct RootMessage<'a> {
    reason: &'static str,
    format_version: u32,
    package: &'a str,
    root: &'a str,
    file: &'a str,
    line: u32,
    rustc: &'a str,
    target: &'a str,
    profile: &'a str,
    opt_level: &'a str,
    overflow_checks: bool,
    debug_assertions: bool,
    panic_strategy: &'a str,
    #[serde(flatten)]
    report: &'a RootReport,
    native: Option<&'a crate::native::NativeRuns>,
    /// Of the finding: `cargo optverify explain-code`.
    code: Option<&'static str>,
    /// What the gate says: `passes`, `accepted`, `violation`, `unknown`.
    gate: &'static str,
}

#[derive(Serialize)]
struct FinishedMessage {
    reason: &'static str,
    format_version: u32,
    roots: usize,
    safe: usize,
    r#unsafe: usize,
    unknown: usize,
    ms: u64,
}

pub struct JsonReporter;

impl Reporter for JsonReporter {
    fn root(&mut self, result: &RootResult) {
        let capture = &result.capture;
        print(&RootMessage {
            reason: "optverify-root",
            format_version: FORMAT_VERSION,
            package: &capture.package,
            root: &result.root.name,
            file: &result.root.file,
            line: result.root.line,
            rustc: &capture.compiler.version,
            target: &capture.target,
            profile: &capture.profile.name,
            opt_level: &capture.profile.opt_level,
            overflow_checks: capture.profile.overflow_checks,
            debug_assertions: capture.profile.debug_assertions,
            panic_strategy: &capture.profile.panic,
            report: &result.report,
            native: result.native.as_ref(),
            code: Code::of_report(&result.report).map(|code| code.id),
            gate: match result.judgement {
                Judgement::Passes => "passes",
                Judgement::Accepted(_) => "accepted",
                Judgement::Violation => "violation",
                Judgement::Unknown => "unknown",
            },
        });
    }

    fn finished(&mut self, _results: &[RootResult], summary: &Summary) -> Result<()> {
        print(&FinishedMessage {
            reason: "optverify-finished",
            format_version: FORMAT_VERSION,
            roots: summary.roots(),
            safe: summary.safe,
            r#unsafe: summary.violated,
            unknown: summary.unknown,
            ms: summary.ms,
        });
        Ok(())
    }
}

fn print(message: &impl Serialize) {
    match serde_json::to_string(message) {
        // a closed pipe is the reader's decision
        Ok(line) => drop(std::io::Write::write_all(
            &mut std::io::stdout().lock(),
            format!("{line}\n").as_bytes(),
        )),
        Err(error) => eprintln!("error: a message could not be written: {error}"),
    }
}
