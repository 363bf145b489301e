//! GitHub Actions: a line per root, an annotation per finding, and a table as the step's summary.

use crate::gate::Judgement;
use crate::report::human::time;
use crate::report::reason::Code;
use crate::report::words::Place;
use crate::report::{Reporter, RootResult, Summary, words};
use anyhow::{Context, Result};
use std::io::Write;

/// GitHub sets it to the file that the summary is to be appended to.
const SUMMARY_VARIABLE: &str = "GITHUB_STEP_SUMMARY";

pub struct GithubReporter;

impl Reporter for GithubReporter {
    fn root(&mut self, result: &RootResult) {
        let verdict = result.report.verdict.as_str();
        println!(
            "{verdict:>9} {} ({})",
            result.root.name,
            time(result.report.ms)
        );
    }

    fn finished(&mut self, results: &[RootResult], summary: &Summary) -> Result<()> {
        for result in results {
            if let Some(line) = annotation(result) {
                println!("{line}");
            }
        }
        println!("{}", summary.sentence());
        let Some(file) = std::env::var_os(SUMMARY_VARIABLE) else {
            return Ok(());
        };
        let append = || {
            let mut file = std::fs::OpenOptions::new()
                .append(true)
                .create(true)
                .open(&file)?;
            file.write_all(table(results, summary).as_bytes())
        };
        append().with_context(|| format!("could not append to {}", file.to_string_lossy()))
    }
}

/// `::error file=src/lib.rs,line=3,col=5,endColumn=10,title=..::..`
fn annotation(result: &RootResult) -> Option<String> {
    let level = match result.judgement {
        Judgement::Violation => "error",
        Judgement::Unknown => "warning",
        Judgement::Accepted(_) => "notice",
        Judgement::Passes if words::is_vacuous(result) => "warning",
        Judgement::Passes => return None,
    };
    let place = words::place(result);
    let mut columns = String::new();
    // GitHub takes columns only of one line
    if place.has_columns() && place.end_line == place.line {
        columns = format!(",col={},endColumn={}", place.column, place.end_column);
    }
    let code = Code::of_report(&result.report).map_or("", |c| c.id);
    Some(format!(
        "::{level} file={},line={}{columns},title={}::{}",
        property(place.file),
        place.line,
        property(&format!("{code} {}", result.root.name)),
        data(&words::paragraph(result))
    ))
}

/// What a workflow command's message must not contain.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

fn table(results: &[RootResult], summary: &Summary) -> String {
    let mut text = format!("### cargo optverify: {}\n\n", summary.sentence());
    text += "| root | verdict | reference | as shipped | changed by | time |\n|---|---|---|---|---|---|\n";
    for result in results {
        let report = &result.report;
        let mark = match result.judgement {
            Judgement::Passes => ":white_check_mark:",
            Judgement::Accepted(_) => ":ballot_box_with_check:",
            Judgement::Violation => ":x:",
            Judgement::Unknown => ":grey_question:",
        };
        let changed = words::changed(report);
        text += &format!(
            "| `{}` | {mark} {} | {} | {} | {changed} of {} passes | {} |\n",
            cell(&result.root.name),
            report.verdict.as_str(),
            report.reference.verdict.as_str(),
            report.optimized.verdict.as_str(),
            report.passes.len(),
            time(report.ms)
        );
    }
    for result in results.iter().filter(|r| r.judgement != Judgement::Passes) {
        let Place { file, line, .. } = words::place(result);
        text += &format!(
            "\n**{file}:{line}**\n\n```text\n{}\n```\n",
            words::paragraph(result)
        );
    }
    text +=
        "\nOutside the proof: LLVM, the linker, the hardware; std's MIR as shipped; termination.\n";
    text
}

/// Names of generic roots may contain what ends a cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_command_is_escaped() {
        assert_eq!(data("100%\nof it: all"), "100%25%0Aof it: all");
        assert_eq!(property("a::b, c"), "a%3A%3Ab%2C c");
    }
}
