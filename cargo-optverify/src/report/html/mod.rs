//! `--html FILE`: one file that holds everything and needs no network: an overview of roots and passes, and per root
//! the source with what was proven or found at its lines, the cut-point graph, and the way through the passes.

mod overview;
mod root;
mod source;

use crate::report::human::configuration;
use crate::report::{Reporter, RootResult, Summary, Target};
use anyhow::Result;

pub(super) const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

pub struct HtmlReporter(pub Target);

impl Reporter for HtmlReporter {
    fn root(&mut self, _result: &RootResult) {}

    fn finished(&mut self, results: &[RootResult], summary: &Summary) -> Result<()> {
        self.0.write(&page(results, summary))
    }
}

fn page(results: &[RootResult], summary: &Summary) -> String {
    let mut settings: Vec<String> = results.iter().map(|r| configuration(&r.capture)).collect();
    settings.dedup();
    let settings: String = settings
        .iter()
        .map(|text| format!("<p class=\"settings\">{}</p>\n", escape(text)))
        .collect();
    let sections: String = results
        .iter()
        .enumerate()
        .map(|(index, result)| root::section(index, result))
        .collect();
    let filter = |verdict: &str, count: usize| {
        format!(
            "<button type=\"button\" class=\"filter\" data-verdict=\"{verdict}\" aria-pressed=\"true\">\
             <span class=\"verdict {verdict}\">{verdict}</span> {count}</button>\n"
        )
    };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>cargo optverify: {sentence}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#roots\">Skip to the roots</a>\n\
         <header>\n<h1>cargo optverify</h1>\n<p class=\"sum\">{sentence}</p>\n{settings}\
         <p class=\"settings\">Outside the proof: LLVM, the linker, the hardware; std's MIR as shipped with the \
         toolchain; termination.</p>\n\
         <div class=\"tools\" role=\"search\">\n<label for=\"search\">Search</label>\n\
         <input id=\"search\" type=\"search\" placeholder=\"name, file, panic, pass\" autocomplete=\"off\">\n\
         {}{}{}<button type=\"button\" id=\"every\" aria-pressed=\"true\">Passes without a change</button>\n\
         <button type=\"button\" id=\"all\">Open all</button>\n\
         <button type=\"button\" id=\"theme\" aria-label=\"Switch between light and dark\">Light / dark</button>\n\
         <span id=\"shown\" role=\"status\" aria-live=\"polite\"></span>\n</div>\n</header>\n<main>\n{}\
         <h2 id=\"roots\">Roots</h2>\n{sections}</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        filter("safe", summary.safe),
        filter("unsafe", summary.violated),
        filter("unknown", summary.unknown),
        overview::table(results),
        sentence = escape(&summary.sentence()),
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

/// A sentence of ours, where what stands between backticks is code.
fn sentence(text: &str) -> String {
    let mut parts = text.split('`').map(escape);
    let mut out = parts.next().unwrap_or_default();
    let mut is_code = false;
    for part in parts {
        is_code = !is_code;
        out += if is_code { "<code>" } else { "</code>" };
        out += &part;
    }
    // a lone backtick is one
    match is_code {
        true => escape(text),
        false => out,
    }
}

/// `<span class="verdict safe">safe</span>`.
fn verdict(verdict: optverify_engine::report::Verdict) -> String {
    let word = verdict.as_str();
    format!("<span class=\"verdict {word}\">{word}</span>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_in_sentences() {
        assert_eq!(sentence("`a<b` fails"), "<code>a&lt;b</code> fails");
        assert_eq!(sentence("a lone ` and <b>"), "a lone ` and &lt;b&gt;");
    }
}
