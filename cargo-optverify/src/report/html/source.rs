//! The root's source: the function itself and the lines that the finding speaks about, lemmas below their loops.

use super::escape;
use crate::replay::function_lines;
use crate::report::RootResult;
use crate::report::words::{self, Place};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Lines shown around one that lies outside of the function.
const AROUND: usize = 2;
/// A longer function is cut around its marks.
const LONGEST: usize = 400;

pub fn listing(result: &RootResult) -> String {
    let file = result.root.file.as_str();
    let path = Path::new(&result.capture.source_root).join(file);
    let Ok(source) = std::fs::read_to_string(path) else {
        return String::new();
    };
    let marks = Marks::of(result, file);
    let lines: Vec<&str> = source.lines().collect();
    let mut shown: BTreeSet<usize> = BTreeSet::new();
    let root = result.root.line as usize;
    let (first, last) = function_lines(&source, &result.root).unwrap_or((root, root + AROUND));
    shown.extend(first..=last.min(first + LONGEST));
    for line in marks.lines() {
        shown.extend(line.saturating_sub(AROUND)..=line + AROUND);
    }
    let mut rows = String::new();
    let mut before = 0;
    for number in shown.into_iter().filter(|n| (1..=lines.len()).contains(n)) {
        if before > 0 && number > before + 1 {
            rows += "<tr class=\"gap\"><td></td><td>&#8943;</td></tr>\n";
        }
        before = number;
        rows += &marks.row(number, lines[number - 1]);
    }
    format!(
        "<h3>Source</h3>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Source of {}\">\n\
         <table class=\"source\"><tbody>\n{rows}</tbody></table>\n</div>\n",
        escape(&result.root.name)
    )
}

/// What is said at lines of the file.
#[derive(Default)]
struct Marks<'a> {
    lemmas: BTreeMap<usize, Vec<String>>,
    steps: BTreeMap<usize, Vec<String>>,
    panic: Option<(Place<'a>, String)>,
}

impl<'a> Marks<'a> {
    fn of(result: &'a RootResult, file: &str) -> Self {
        let mut marks = Self::default();
        for place in result.report.proof.iter().filter(|p| p.file == file) {
            let at = marks.lemmas.entry(place.line as usize).or_default();
            at.extend(place.lemmas.iter().cloned());
        }
        if let Some(counterexample) = &result.report.counterexample {
            for (index, step) in counterexample.steps.iter().enumerate() {
                if step.file == file {
                    let at = marks.steps.entry(step.line as usize).or_default();
                    at.push(format!("{}. {}", index + 1, step.what));
                }
            }
            let place = words::place(result);
            if place.file == file {
                marks.panic = Some((place, words::label(result)));
            }
        }
        marks
    }

    fn lines(&self) -> impl Iterator<Item = usize> {
        let marked = self.lemmas.keys().chain(self.steps.keys()).copied();
        marked.chain(self.panic.iter().map(|(place, _)| place.line as usize))
    }

    fn row(&self, number: usize, text: &str) -> String {
        let panic = self.panic.as_ref();
        let panic = panic.filter(|(place, _)| place.line as usize == number);
        let (class, text) = match panic {
            Some((place, _)) => {
                let (start, end) = place.on_line(text);
                let [before, here, after] =
                    [&text[..start], &text[start..end], &text[end..]].map(escape);
                let text = format!("{before}<em>{here}</em>{after}");
                (" class=\"panic\"", text)
            }
            None => ("", escape(text)),
        };
        let mut row = format!(
            "<tr{class}><td class=\"number\">{number}</td><td><code>{text}</code></td></tr>\n"
        );
        let mut below = |class: &str, texts: &[String]| {
            let texts: Vec<String> = texts.iter().map(|t| escape(t)).collect();
            row += &format!(
                "<tr class=\"{class}\"><td></td><td><code>{}</code></td></tr>\n",
                texts.join("<br>")
            );
        };
        if let Some(lemmas) = self.lemmas.get(&number).filter(|l| !l.is_empty()) {
            below("lemma", lemmas);
        }
        if let Some(steps) = self.steps.get(&number) {
            below("step", steps);
        }
        if let Some((_, label)) = panic {
            below("label", std::slice::from_ref(label));
        }
        row
    }
}
