//! The sentences about a result that several formats share.

use crate::gate::Judgement;
use crate::report::RootResult;
use optverify_engine::report::{
    Counterexample, How, PassReport, RootReport, Vacuous, VacuousReport, Verdict,
};
use std::path::Path;

/// What is to be said about a root, in one line; nothing if it is safe after every pass.
pub fn title(result: &RootResult) -> Option<String> {
    let (name, report) = (&result.root.name, &result.report);
    let after = |pass: &PassReport| format!("the pass {} (number {})", pass.name, pass.index);
    Some(match (report.verdict, &report.counterexample) {
        (Verdict::Unsafe, counterexample) => match (report.guilty_pass(), counterexample) {
            (Some(pass), Some(c)) if c.results.is_some() => format!(
                "rustc's optimizer breaks `{name}`: its result is not the same after {}",
                after(pass)
            ),
            (Some(pass), _) => format!(
                "rustc's optimizer breaks `{name}`: safe as written, but not after {}",
                after(pass)
            ),
            (None, Some(c)) => format!("`{name}` can fail: {}", c.panic),
            (None, None) => format!("`{name}` can fail"),
        },
        (Verdict::Unknown, _) => {
            format!("`{name}` is unknown: {}", why(report))
        }
        (Verdict::Safe, _) => {
            let Some(pass) = report.passes.iter().find(|p| p.verdict != Verdict::Safe) else {
                return vacuous(result);
            };
            format!(
                "`{name}` is safe as written and as shipped, but {} after {}",
                pass.verdict.as_str(),
                after(pass)
            )
        }
    })
}

/// That a proof says nothing, or less than it seems to.
fn vacuous(result: &RootResult) -> Option<String> {
    let (name, first) = (&result.root.name, result.report.vacuous.first()?);
    Some(match first.kind {
        Vacuous::Excluded => {
            format!("the assumptions of `{name}` exclude every execution: nothing was proven")
        }
        Vacuous::ExcludedHere => {
            format!("this assumption in `{name}` excludes every execution that gets here")
        }
        Vacuous::Unreached => format!("this assertion in `{name}` is never reached"),
    })
}

/// The other places of the same kind, below the first.
pub fn also_vacuous(report: &RootReport) -> Vec<String> {
    let rest = report.vacuous.iter().skip(1);
    let line = |v: &VacuousReport| match v.kind {
        Vacuous::Unreached => format!("{}:{}: this assertion is never reached", v.file, v.line),
        _ => format!(
            "{}:{}: this assumption excludes every execution",
            v.file, v.line
        ),
    };
    rest.map(line).collect()
}

/// Is there something to warn of that the gate lets pass?
pub fn is_vacuous(result: &RootResult) -> bool {
    result.report.verdict == Verdict::Safe && !result.report.vacuous.is_empty()
}

/// A place in the source: the file relative to the folder that the compiler was started in, columns in characters from
/// one, the end behind the last one. 0 is not known; without an end the column is only where something on the line begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Place<'a> {
    pub file: &'a str,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

impl<'a> Place<'a> {
    pub fn line(file: &'a str, line: u32) -> Self {
        let (column, end_line, end_column) = (0, 0, 0);
        Self {
            file,
            line,
            column,
            end_line,
            end_column,
        }
    }

    /// Are its columns known, the end behind the start?
    pub fn has_columns(&self) -> bool {
        self.column > 0 && (self.line, self.column) < (self.end_line, self.end_column)
    }

    /// The bytes of its first line that it covers: its own columns where they are known, else all of the text.
    pub fn on_line(&self, text: &str) -> (usize, usize) {
        let byte = |column: u32| {
            let at = text.char_indices().nth(column.saturating_sub(1) as usize);
            at.map_or(text.len(), |(at, _)| at)
        };
        let indent = text.len() - text.trim_start().len();
        let last = text.trim_end().len().max(indent);
        let (start, end) = match (self.has_columns(), self.end_line == self.line) {
            (false, _) => (indent, last),
            (true, true) => (byte(self.column), byte(self.end_column).min(last)),
            // a place of several lines begins on this one
            (true, false) => (byte(self.column), last),
        };
        if start < end {
            (start, end)
        } else {
            (indent, last)
        }
    }
}

/// Where to look: the violation's own place if it is in the user's source, else the last step that is, else the root.
pub fn place(result: &RootResult) -> Place<'_> {
    let root = Place::line(&result.root.file, result.root.line);
    let is_users =
        |file: &str| !file.is_empty() && (Path::new(file).is_relative() || file == root.file);
    let first = result.report.vacuous.first();
    if let Some(v) = first.filter(|v| is_users(&v.file)) {
        return Place {
            file: &v.file,
            line: v.line,
            column: v.column,
            end_line: v.end_line,
            end_column: v.end_column,
        };
    }
    let Some(counterexample) = &result.report.counterexample else {
        let why = result.report.why.as_deref().unwrap_or_default();
        return located(why)
            .1
            .filter(|(file, _)| is_users(file))
            .map_or(root, |(file, line)| Place::line(file, line));
    };
    if is_users(&counterexample.file) {
        return Place {
            file: &counterexample.file,
            line: counterexample.line,
            column: counterexample.column,
            end_line: counterexample.end_line,
            end_column: counterexample.end_column,
        };
    }
    let last = counterexample
        .steps
        .iter()
        .rev()
        .find(|s| is_users(&s.file));
    last.map_or(root, |step| Place::line(&step.file, step.line))
}

/// What stands at the line of [`place`].
pub fn label(result: &RootResult) -> String {
    let report = &result.report;
    match (&report.counterexample, report.verdict) {
        (Some(c), _) => c.panic.clone(),
        (None, Verdict::Unknown) if place(result).line != result.root.line => "here".to_owned(),
        (None, Verdict::Unknown) => "neither proven nor refuted".to_owned(),
        (None, _) if !report.vacuous.is_empty() => match report.vacuous[0].kind {
            Vacuous::Unreached => "no execution gets here".to_owned(),
            _ => "no execution gets past this".to_owned(),
        },
        (None, _) => "this root".to_owned(),
    }
}

/// The reason of unknown, without its place.
pub fn why(report: &RootReport) -> String {
    let why = report.why.as_deref().unwrap_or("no reason was given");
    located(why).0.to_owned()
}

/// A reason and the place in the source that it ends with: `.., at src/lib.rs:7`.
fn located(why: &str) -> (&str, Option<(&str, u32)>) {
    let parse = || {
        let (reason, at) = why.rsplit_once(", at ")?;
        let (file, line) = at.rsplit_once(':')?;
        Some((reason, (file, line.parse().ok()?)))
    };
    match parse() {
        Some((reason, place)) => (reason, Some(place)),
        None => (why, None),
    }
}

/// `adapted`, `strengthened`, ..
pub fn how(how: Option<How>) -> &'static str {
    match how {
        Some(How::Unchanged) => "unchanged",
        Some(How::Adapted) => "adapted",
        Some(How::Strengthened) => "strengthened",
        Some(How::Reverified) => "reverified",
        None => "",
    }
}

/// `low = 1, high = 4294967295, any() = 3`.
pub fn inputs(counterexample: &Counterexample) -> String {
    let value = |value: &serde_json::Value| match value {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut parts: Vec<String> = counterexample
        .inputs
        .iter()
        .map(|(name, v)| format!("{name} = {}", value(v)))
        .collect();
    if !counterexample.any.is_empty() {
        parts.push(format!("any() = {}", counterexample.any.join(", ")));
    }
    if parts.is_empty() {
        "none is needed".to_owned()
    } else {
        parts.join(", ")
    }
}

/// Title, input, builds side by side: what fits where no source can be shown.
pub fn paragraph(result: &RootResult) -> String {
    let mut lines: Vec<String> = title(result).into_iter().collect();
    if let Some(counterexample) = &result.report.counterexample {
        lines.push(format!("input: {}", inputs(counterexample)));
    }
    if let Some(native) = &result.native {
        lines.push(native.to_string());
    }
    lines.extend(also_vacuous(&result.report));
    if let Some(note) = excuse(result) {
        lines.push(note);
    }
    lines.join("\n")
}

/// Why something that is not safe does not fail the run.
pub fn excuse(result: &RootResult) -> Option<String> {
    match &result.judgement {
        Judgement::Accepted(entry) => {
            let until = entry.expires.as_deref().unwrap_or("ever");
            Some(format!(
                "accepted by the baseline until {until}: {}",
                entry.reason
            ))
        }
        Judgement::Passes if result.report.verdict != Verdict::Safe => {
            Some("this does not fail the run: the gate and the root's options allow it".to_owned())
        }
        _ => None,
    }
}

/// What the user vouched for and this verdict rests on.
pub fn vouched(report: &RootReport) -> Option<String> {
    let found = report
        .assumptions
        .iter()
        .find(|a| a.code == "assumed-total")?;
    let names: Vec<String> = found.names.iter().map(|n| format!("`{n}`")).collect();
    let verb = if names.len() == 1 {
        "returns"
    } else {
        "return"
    };
    Some(format!("assuming that {} {verb}", names.join(", ")))
}

/// How many passes changed the program.
pub fn changed(report: &RootReport) -> usize {
    let passes = report.passes.iter();
    passes.filter(|p| p.how != Some(How::Unchanged)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(column: u32, end_line: u32, end_column: u32) -> Place<'static> {
        Place {
            column,
            end_line,
            end_column,
            ..Place::line("a.rs", 7)
        }
    }

    #[test]
    fn columns_of_a_line() {
        let text = "    let ä = a[i] + 1; ";
        let of = |place: Place<'_>| {
            let (start, end) = place.on_line(text);
            &text[start..end]
        };
        assert_eq!(of(place(13, 7, 17)), "a[i]");
        assert_eq!(of(place(9, 7, 10)), "ä");
        assert_eq!(of(place(13, 9, 2)), "a[i] + 1;");
        // no columns, columns of another text, no end
        let all = "let ä = a[i] + 1;";
        for wrong in [
            place(0, 0, 0),
            place(90, 7, 95),
            place(17, 7, 13),
            place(17, 0, 0),
        ] {
            assert_eq!(of(wrong), all, "{wrong:?}");
        }
    }
}
