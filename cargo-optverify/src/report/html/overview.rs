//! Roots times passes: what changed, and how the proof got through. Passes that changed no root are only counted.

use super::{escape, verdict};
use crate::report::human::time;
use crate::report::{RootResult, words};
use optverify_engine::report::{How, PassReport, Verdict};
use std::collections::BTreeSet;

pub fn table(results: &[RootResult]) -> String {
    let changes = |p: &&PassReport| p.how != Some(How::Unchanged);
    let columns: BTreeSet<(u32, &str)> = results
        .iter()
        .flat_map(|r| r.report.passes.iter().filter(changes))
        .map(|p| (p.index, p.name.as_str()))
        .collect();
    let all = results.iter().map(|r| r.report.passes.len()).max();
    let silent = all.unwrap_or(0).saturating_sub(columns.len());
    let heads: String = columns
        .iter()
        .map(|(index, name)| {
            format!(
                "<th scope=\"col\" class=\"pass\"><span>{index} {}</span></th>",
                escape(name)
            )
        })
        .collect();
    let rows: String = results
        .iter()
        .enumerate()
        .map(|(index, result)| row(index, result, &columns))
        .collect();
    format!(
        "<h2 id=\"overview\">Overview</h2>\n<p class=\"legend\">Each column is a pass that changed some root; {silent} more \
         changed none. <b>A</b> adapted: the proof, carried over, still holds. <b>S</b> strengthened: it needed more \
         lemmas. <b>R</b> reverified from scratch. <b>&middot;</b> same program. <b>&#10007;</b> violated. <b>?</b> \
         unknown.</p>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-labelledby=\"overview\">\n\
         <table class=\"matrix\">\n<thead><tr><th scope=\"col\">root</th>\
         <th scope=\"col\">verdict</th><th scope=\"col\" class=\"pass\"><span>reference</span></th>{heads}\
         <th scope=\"col\" class=\"pass\"><span>as shipped</span></th><th scope=\"col\">time</th></tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table>\n</div>\n"
    )
}

fn row(index: usize, result: &RootResult, columns: &BTreeSet<(u32, &str)>) -> String {
    let report = &result.report;
    let by = report.reference.engine.as_deref().unwrap_or("no engine");
    let reference = cell(
        report.reference.verdict,
        None,
        "",
        &format!("reference: by {by}"),
    );
    let passes: String = columns
        .iter()
        .map(|(number, name)| {
            let pass = report
                .passes
                .iter()
                .find(|p| p.index == *number && p.name == *name);
            match pass {
                Some(pass) => {
                    let target = format!("p{index}-{}", pass.index);
                    let text = format!("{name}: {}", words::how(pass.how));
                    cell(pass.verdict, pass.how, &target, &text)
                }
                None => "<td></td>".to_owned(),
            }
        })
        .collect();
    let shipped = cell(report.optimized.verdict, None, "", "as shipped");
    format!(
        "<tr data-root=\"{index}\"><th scope=\"row\"><a href=\"#r{index}\">{}</a></th><td>{}</td>{reference}{passes}\
         {shipped}<td class=\"number\">{}</td></tr>\n",
        escape(&result.root.name),
        verdict(report.verdict),
        time(report.ms)
    )
}

/// The sign says what the colour says, and the label says it in words.
fn cell(verdict: Verdict, how: Option<How>, target: &str, label: &str) -> String {
    let sign = match (verdict, how) {
        (Verdict::Unsafe, _) => "&#10007;",
        (Verdict::Unknown, _) => "?",
        (Verdict::Safe, None) => "&#10003;",
        (Verdict::Safe, Some(How::Unchanged)) => "&middot;",
        (Verdict::Safe, Some(How::Adapted)) => "A",
        (Verdict::Safe, Some(How::Strengthened)) => "S",
        (Verdict::Safe, Some(How::Reverified)) => "R",
    };
    let word = verdict.as_str();
    let label = escape(&format!("{label}, {word}"));
    let same = if how == Some(How::Unchanged) {
        " same"
    } else {
        ""
    };
    let inner = if target.is_empty() {
        format!("<span aria-label=\"{label}\" title=\"{label}\" role=\"img\">{sign}</span>")
    } else {
        format!("<a href=\"#{target}\" aria-label=\"{label}\" title=\"{label}\">{sign}</a>")
    };
    format!("<td class=\"cell {word}{same}\">{inner}</td>")
}
