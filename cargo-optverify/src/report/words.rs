//! The sentences about a result that several formats share.

use crate::gate::Judgement;
use crate::report::RootResult;
use optverify_engine::report::{Counterexample, How, PassReport, RootReport, Verdict};
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
            let pass = report.passes.iter().find(|p| p.verdict != Verdict::Safe)?;
            format!(
                "`{name}` is safe as written and as shipped, but {} after {}",
                pass.verdict.as_str(),
                after(pass)
            )
        }
    })
}

/// Where to look: the violation's own line if it is in the user's source, else the last step that is, else
/// the root. Relative to the folder that the compiler was started in.
pub fn place(result: &RootResult) -> (&str, u32) {
    let root = (result.root.file.as_str(), result.root.line);
    let is_users =
        |file: &str| !file.is_empty() && (Path::new(file).is_relative() || file == root.0);
    let Some(counterexample) = &result.report.counterexample else {
        let why = result.report.why.as_deref().unwrap_or_default();
        return located(why)
            .1
            .filter(|(file, _)| is_users(file))
            .unwrap_or(root);
    };
    if is_users(&counterexample.file) {
        return (&counterexample.file, counterexample.line);
    }
    let last = counterexample
        .steps
        .iter()
        .rev()
        .find(|s| is_users(&s.file));
    last.map_or(root, |step| (&step.file, step.line))
}

/// What stands at the line of [`place`].
pub fn label(result: &RootResult) -> String {
    let report = &result.report;
    match (&report.counterexample, report.verdict) {
        (Some(c), _) => c.panic.clone(),
        (None, Verdict::Unknown) if place(result).1 != result.root.line => "here".to_owned(),
        (None, Verdict::Unknown) => "neither proven nor refuted".to_owned(),
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

/// How many passes changed the program.
pub fn changed(report: &RootReport) -> usize {
    let passes = report.passes.iter();
    passes.filter(|p| p.how != Some(How::Unchanged)).count()
}
