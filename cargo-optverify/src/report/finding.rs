//! What was found about one root, as rustc would show it: the line, the input, the way there, whose fault
//! it is, what to do next.

use crate::gate::Judgement;
use crate::report::human::HumanReporter;
use crate::report::reason::Code;
use crate::report::words::Place;
use crate::report::{RootResult, words, wrap};
use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};
use optverify_engine::report::{Counterexample, MirRow, Step, Verdict};
use std::path::Path;

/// More steps than this hide the story.
const MOST_STEPS: usize = 16;

/// Columns for `here` and the dots behind a line that is cut.
const CUT: usize = 6;

/// Nothing for a root that is safe after every pass.
pub fn render(result: &RootResult, how: &HumanReporter) -> Option<String> {
    let code = Code::of_report(&result.report)?;
    let title = match result.report.verdict {
        // the whole reason is a note of its own
        Verdict::Unknown => format!(
            "`{}` is unknown: {}",
            result.root.name,
            in_sentence(code.title())
        ),
        _ => words::title(result)?,
    };
    let (level, word) = match result.judgement {
        Judgement::Violation => (Level::ERROR, "error"),
        Judgement::Unknown => (Level::WARNING, "warning"),
        Judgement::Passes if words::is_vacuous(result) => (Level::WARNING, "warning"),
        Judgement::Passes | Judgement::Accepted(_) => (Level::NOTE, "note"),
    };
    // below `error[OV1001]: `
    let room = how.width.saturating_sub(word.len() + code.id.len() + 4);
    let title = wrap::lines(&title, room.max(20), "").join("\n");
    let notes = Notes {
        width: how.width,
        gutter: words::place(result).line.to_string().len() + 1,
    };
    let mut group = level.primary_title(title).id(code.id).element(location(
        result,
        notes.width.saturating_sub(notes.gutter + 3),
    ));
    for (name, text) in notes_about(result, code, how) {
        let text = notes.fit(name, &text);
        group = group.element(Level::NOTE.with_name(name).message(text));
    }
    let groups: [Group<'_>; 1] = [group];
    let renderer = Renderer::styled().term_width(how.width);
    Some(renderer.render(&groups).to_string())
}

/// Name and text of what stands below the source line, in order.
fn notes_about(
    result: &RootResult,
    code: Code,
    how: &HumanReporter,
) -> Vec<(&'static str, String)> {
    let (report, name) = (&result.report, &result.root.name);
    let file = how.file.as_ref().map(|f| format!(" {}", f.display()));
    let command = |verb: &str| {
        format!(
            "`cargo optverify {verb} {name}{}`",
            file.as_deref().unwrap_or_default()
        )
    };
    let mut notes = Vec::new();
    if let Some(counterexample) = &report.counterexample {
        notes.push(("input", words::inputs(counterexample)));
        if !counterexample.steps.is_empty() {
            notes.push(("steps", steps(counterexample, &result.root.file)));
        }
        if !counterexample.replayed {
            notes.push((
                "note",
                "too long to be run step by step: it was not replayed".to_owned(),
            ));
        }
    }
    if let Some(broken) = report.broken.as_ref().filter(|b| !b.mir.is_empty()) {
        // two columns and what stands before and between them
        let column = (how.width.saturating_sub(24) / 2).max(24);
        let text = columns(&broken.mir, column);
        notes.push(("MIR", format!("before and after {}\n{text}", broken.name)));
    }
    if let Some(native) = &result.native {
        notes.push(("native", native.to_string()));
    }
    let lost = report.passes.iter().find(|p| p.verdict == Verdict::Unknown);
    if let (Verdict::Safe, Verdict::Unknown, Some(pass)) =
        (report.reference.verdict, report.verdict, lost)
    {
        let at = format!(
            "safe as written; the proof is lost at the pass {} (number {})",
            pass.name, pass.index
        );
        notes.push(("note", at));
    }
    notes.extend(words::excuse(result).map(|excuse| ("note", excuse)));
    match (report.verdict, report.guilty_pass()) {
        (Verdict::Unknown, _) => {
            notes.push(("why", words::why(report)));
            notes.push(("help", code.help()));
            notes.push((
                "next",
                format!("`cargo optverify explain-code {}`", code.id),
            ));
        }
        (_, Some(_)) => {
            notes.push((
                "help",
                "this is a bug of the compiler, not of your code".to_owned(),
            ));
            let next = format!(
                "{} shows every pass, `--bug-report FILE` writes the text for a report",
                command("passes")
            );
            notes.push(("next", next));
        }
        (Verdict::Unsafe, None) => {
            let help = "`#[requires(..)]` or `assume` excludes inputs that cannot occur";
            notes.push(("help", help.to_owned()));
            notes.push((
                "next",
                format!("{} makes a unit test of it", command("replay")),
            ));
        }
        (Verdict::Safe, None) if words::is_vacuous(result) => {
            let also = words::also_vacuous(report);
            notes.extend(also.into_iter().map(|text| ("also", text)));
            notes.push(("help", code.help()));
        }
        (Verdict::Safe, None) => {
            notes.push(("next", format!("{} shows every pass", command("passes"))));
        }
    }
    notes
}

/// Two columns of MIR; changed lines are marked.
pub fn columns(rows: &[MirRow], width: usize) -> String {
    let cut = |text: &str| -> String {
        let mut out: String = text.chars().take(width).collect();
        if text.chars().count() > width {
            out.pop();
            out.push('…');
        }
        out
    };
    let line = |row: &MirRow| {
        if *row == MirRow::default() {
            return "  ..".to_owned();
        }
        let mark = if row.changed { '!' } else { ' ' };
        format!("{mark} {:<width$} | {}", cut(&row.before), cut(&row.after))
            .trim_end()
            .to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A heading inside a sentence; names like `MIR` stay.
fn in_sentence(title: &str) -> String {
    let mut letters = title.chars();
    match (letters.next(), letters.as_str()) {
        (Some(first), rest) if rest.starts_with(|c: char| c.is_lowercase() || c == ' ') => {
            first.to_lowercase().chain(rest.chars()).collect()
        }
        _ => title.to_owned(),
    }
}

/// Wraps notes so that `  = name: text` fits.
struct Notes {
    width: usize,
    gutter: usize,
}

impl Notes {
    fn fit(&self, name: &str, text: &str) -> String {
        let room = self
            .width
            .saturating_sub(self.gutter + "= : ".len() + name.len())
            .max(20);
        let lines = text.lines().flat_map(|line| {
            // what belongs to a number or a word with a colon stays to the right of it
            let indent = match line.split_once(". ") {
                Some((number, _)) if number.bytes().all(|b| b.is_ascii_digit()) => number.len() + 2,
                _ => 0,
            };
            wrap::lines(line, room, &" ".repeat(indent))
        });
        lines.collect::<Vec<_>>().join("\n")
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
        let place = if step.file == root_file {
            format!("line {}", step.line)
        } else {
            format!("{}:{}", step.file, step.line)
        };
        lines.push(format!("{}. {place}: {}", index + 1, step.what));
    }
    lines.join("\n")
}

/// The bytes of a line to underline, no more than the terminal can show; a line whose place is far to the right is shown
/// from its middle.
fn underlined(text: &str, place: Place<'_>, room: usize) -> (usize, usize) {
    let (start, end) = place.on_line(text);
    let before = text[..start].chars().count();
    let most = match before > room / 2 {
        true => room / 2,
        false => room.saturating_sub(CUT + before).max(20),
    };
    let cut = text[start..].char_indices().nth(most);
    (start, cut.map_or(end, |(at, _)| end.min(start + at)))
}

/// The source line, or only its place where the file is not at hand. A label that does not fit is cut: the title has
/// said it.
fn location<'a>(result: &RootResult, room: usize) -> Element<'a> {
    let place = words::place(result);
    let (file, line) = (place.file.to_owned(), place.line as usize);
    let mut label = words::label(result);
    let path = Path::new(&result.capture.source_root).join(&file);
    let source = std::fs::read_to_string(path).unwrap_or_default();
    let Some(text) = source.lines().nth(line.saturating_sub(1)) else {
        return Origin::path(file).line(line).into();
    };
    let (start, end) = underlined(text, place, room);
    let (before, under) = (text[..start].chars(), text[start..end].chars());
    let (before, under) = (before.count(), under.count());
    let left = if before > room / 2 { room / 2 } else { before };
    if left + under + label.chars().count() + 1 > room {
        label = "here".into();
    }
    Snippet::source(text.to_owned())
        .line_start(line)
        .path(file)
        .annotation(AnnotationKind::Primary.span(start..end).label(label))
        .into()
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
    fn what_is_off_the_terminal_is_not_underlined() {
        let text = "x".repeat(100);
        assert_eq!(underlined(&text, place(0, 0, 0), 60), (0, 54));
        assert_eq!(underlined(&text, place(11, 7, 80), 60), (10, 54));
        assert_eq!(underlined(&text, place(50, 7, 95), 60), (49, 79));
    }
}
