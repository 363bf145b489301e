//! What was found about one root, as rustc would show it: the line, the input, the way there, whose fault
//! it is, what to do next.

use crate::report::RootResult;
use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};
use optverify_engine::report::{Counterexample, Step, Verdict};
use std::path::Path;

/// More steps than this hide the story.
const MOST_STEPS: usize = 16;

/// Nothing for a safe root.
pub fn render(result: &RootResult) -> Option<String> {
    let group = match (result.report.verdict, &result.report.counterexample) {
        (Verdict::Safe, _) => return None,
        (Verdict::Unsafe, Some(counterexample)) => violation(result, counterexample),
        (Verdict::Unsafe, None) => Level::ERROR
            .primary_title(format!("`{}` can fail", result.root.name))
            .element(location(
                result,
                &result.root.file,
                result.root.line,
                "this root",
            )),
        (Verdict::Unknown, _) => unknown(result),
    };
    Some(Renderer::styled().render(&[group]).to_string())
}

fn violation<'a>(result: &'a RootResult, counterexample: &'a Counterexample) -> Group<'a> {
    let name = &result.root.name;
    let guilty = result.report.guilty_pass();
    let title = match guilty {
        None => format!("`{name}` can fail: {}", counterexample.panic),
        Some(pass) => format!(
            "rustc's optimizer breaks `{name}`: safe as written, but not after the pass {} (number {})",
            pass.name, pass.index
        ),
    };
    let mut group = Level::ERROR.primary_title(title).element(location(
        result,
        &counterexample.file,
        counterexample.line,
        &counterexample.panic,
    ));
    group = group.element(
        Level::NOTE
            .with_name("input")
            .message(inputs(counterexample)),
    );
    if !counterexample.steps.is_empty() {
        group = group.element(
            Level::NOTE
                .with_name("steps")
                .message(steps(counterexample, &result.root.file)),
        );
    }
    if !counterexample.replayed {
        group = group.element(Level::WARNING.message("the counterexample was not replayed"));
    }
    if let Some(native) = &result.native {
        group = group.element(Level::NOTE.with_name("native").message(native.to_string()));
    }
    let next = match guilty {
        Some(_) => format!(
            "this is a bug of the compiler, not of your code: `cargo optverify passes {name}` shows every pass"
        ),
        None => format!(
            "`#[requires(..)]` or `assume` excludes inputs that cannot occur; `cargo optverify passes {name}` shows every pass"
        ),
    };
    group.element(Level::HELP.message(next))
}

fn unknown(result: &RootResult) -> Group<'_> {
    let report = &result.report;
    let why = report.why.as_deref().unwrap_or("no reason was given");
    let mut group = Level::WARNING
        .primary_title(format!("`{}` is unknown: {why}", result.root.name))
        .element(location(
            result,
            &result.root.file,
            result.root.line,
            "neither proven nor refuted",
        ));
    if report.reference.verdict == Verdict::Safe {
        let pass = report.passes.iter().find(|p| p.verdict == Verdict::Unknown);
        if let Some(pass) = pass {
            group = group.element(Level::NOTE.message(format!(
                "safe as written; the proof is lost at the pass {} (number {})",
                pass.name, pass.index
            )));
        }
    }
    let help = if why.contains("time") || why.contains("budget") {
        "a larger --timeout, an `assume` about the input, or a smaller root may help"
    } else {
        "an unknown root fails the run: verify the parts that are understood as roots of their own"
    };
    group.element(Level::HELP.message(help))
}

fn inputs(counterexample: &Counterexample) -> String {
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

fn steps(counterexample: &Counterexample, root_file: &str) -> String {
    // what happens inside std or this tool's own library has no line to look at
    let is_users = |step: &&Step| step.file == root_file || !step.file.starts_with('/');
    let all: Vec<&Step> = counterexample.steps.iter().filter(is_users).collect();
    let skipped = all.len().saturating_sub(MOST_STEPS);
    let mut lines = Vec::new();
    for (index, step) in all.iter().enumerate() {
        // the beginning and the end tell the story
        if skipped > 0 && index == MOST_STEPS / 2 {
            lines.push(format!("   .. {skipped} more .."));
        }
        if skipped > 0 && (MOST_STEPS / 2..MOST_STEPS / 2 + skipped).contains(&index) {
            continue;
        }
        let values: Vec<String> = step
            .values
            .iter()
            .map(|(name, v)| format!("{name} = {v}"))
            .collect();
        // what happens, and the values that it does not name itself
        let more = match values.join(", ") {
            values if values.is_empty() || step.what.contains(&values) => String::new(),
            values if step.what.is_empty() => values,
            values => format!(" ({values})"),
        };
        let (number, line) = (index + 1, step.line);
        lines.push(format!("{number}. line {line}: {}{more}", step.what));
    }
    lines.join("\n")
}

/// The source line, or only its place where the file is not at hand (std's).
fn location<'a>(result: &RootResult, file: &str, line: u32, label: &str) -> Element<'a> {
    let path = Path::new(&result.capture.source_root).join(file);
    let Ok(source) = std::fs::read_to_string(path) else {
        return Origin::path(file.to_owned()).line(line as usize).into();
    };
    let Some(text) = source.lines().nth((line as usize).saturating_sub(1)) else {
        return Origin::path(file.to_owned()).line(line as usize).into();
    };
    let start = text.len() - text.trim_start().len();
    let end = text.trim_end().len().max(start);
    Snippet::source(text.to_owned())
        .line_start(line as usize)
        .path(file.to_owned())
        .annotation(
            AnnotationKind::Primary
                .span(start..end)
                .label(label.to_owned()),
        )
        .into()
}
