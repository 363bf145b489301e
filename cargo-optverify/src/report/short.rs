//! `--message-format short`: one line a root, one line a finding, as `cargo build --message-format short`.

use crate::gate::Judgement;
use crate::report::human::time;
use crate::report::reason::Code;
use crate::report::words::Place;
use crate::report::{Reporter, RootResult, Summary, words};
use anyhow::Result;

pub struct ShortReporter;

impl Reporter for ShortReporter {
    fn root(&mut self, result: &RootResult) {
        let verdict = result.report.verdict.as_str();
        anstream::println!(
            "{verdict:>9} {} ({})",
            result.root.name,
            time(result.report.ms)
        );
    }

    fn finished(&mut self, results: &[RootResult], summary: &Summary) -> Result<()> {
        for result in results {
            let Some(title) = words::title(result) else {
                continue;
            };
            let place = words::place(result);
            let Place { file, line, .. } = place;
            let column = if place.has_columns() { place.column } else { 1 };
            let level = match result.judgement {
                Judgement::Violation => "error",
                Judgement::Unknown => "warning",
                Judgement::Passes if words::is_vacuous(result) => "warning",
                Judgement::Passes | Judgement::Accepted(_) => "note",
            };
            let code = Code::of_report(&result.report).map_or("", |c| c.id);
            let input = result.report.counterexample.as_ref();
            let input = input.map(|c| format!(" (input: {})", words::inputs(c)));
            anstream::println!(
                "{file}:{line}:{column}: {level}[{code}]: {title}{}",
                input.unwrap_or_default()
            );
        }
        anstream::println!("{}", summary.sentence());
        Ok(())
    }
}
