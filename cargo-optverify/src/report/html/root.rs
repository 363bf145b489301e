//! One root: what was found, its source, its graph, its passes.

use super::{escape, sentence, source, verdict};
use crate::gate::Judgement;
use crate::report::human::time;
use crate::report::reason::Code;
use crate::report::{RootResult, words};
use optverify_engine::report::{BrokenPass, How, Verdict};

pub fn section(index: usize, result: &RootResult) -> String {
    let report = &result.report;
    let open = if result.judgement == Judgement::Passes {
        ""
    } else {
        " open"
    };
    let passes: Vec<&str> = report.passes.iter().map(|p| p.name.as_str()).collect();
    let panic = report.counterexample.as_ref().map_or("", |c| &c.panic);
    let why = report.why.as_deref().unwrap_or_default();
    let words = format!(
        "{} {} {panic} {why} {}",
        result.root.name,
        result.root.file,
        passes.join(" ")
    );
    format!(
        "<details class=\"root\" id=\"r{index}\" data-root=\"{index}\" data-verdict=\"{}\" data-words=\"{}\"{open}>\n\
         <summary>{} <span class=\"name\">{}</span> <span class=\"place\">{}:{}</span> \
         <span class=\"number\">{}</span></summary>\n{}{}{}{}{}</details>\n",
        report.verdict.as_str(),
        escape(&words.to_lowercase()),
        verdict(report.verdict),
        escape(&result.root.name),
        escape(&result.root.file),
        result.root.line,
        time(report.ms),
        finding(result),
        source::listing(result),
        proof(result),
        graphs(result),
        pass_table(index, result)
    )
}

fn finding(result: &RootResult) -> String {
    let Some(title) = words::title(result) else {
        return String::new();
    };
    let report = &result.report;
    let mut text = format!(
        "<div class=\"finding {}\">\n<p><b>{}</b></p>\n",
        report.verdict.as_str(),
        sentence(&title)
    );
    if let Some(counterexample) = &report.counterexample {
        text += &format!(
            "<p>Input: <code>{}</code></p>\n",
            escape(&words::inputs(counterexample))
        );
        if !counterexample.steps.is_empty() {
            text += "<ol class=\"steps\">\n";
            for step in &counterexample.steps {
                text += &format!(
                    "<li><span class=\"place\">{}:{}</span> <code>{}</code></li>\n",
                    escape(&step.file),
                    step.line,
                    escape(&step.what)
                );
            }
            text += "</ol>\n";
        }
        if !counterexample.replayed {
            text += "<p>Too long to be run step by step: it was not replayed.</p>\n";
        }
    }
    if let Some(broken) = &report.broken {
        text += &mir(broken);
    }
    if let Some(native) = &result.native {
        text += &format!(
            "<pre class=\"native\">{}</pre>\n",
            escape(&native.to_string())
        );
    }
    if let Some(excuse) = words::excuse(result) {
        text += &format!("<p>{}</p>\n", sentence(&excuse));
    }
    if let Some(code) = Code::of_report(report) {
        text += &format!(
            "<p class=\"help\">{}: {}</p>\n",
            code.id,
            sentence(&code.help())
        );
    }
    text + "</div>\n"
}

/// What the pass did, side by side.
fn mir(broken: &BrokenPass) -> String {
    let rows: String = broken
        .mir
        .iter()
        .map(|row| {
            let class = if row.changed {
                " class=\"changed\""
            } else {
                ""
            };
            let (before, after) = (escape(&row.before), escape(&row.after));
            format!("<tr{class}><td><code>{before}</code></td><td><code>{after}</code></td></tr>\n")
        })
        .collect();
    if rows.is_empty() {
        return rows;
    }
    let name = escape(&broken.name);
    format!(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"MIR before and after {name}\">\n\
         <table class=\"source mir\"><thead><tr><th scope=\"col\">MIR before {name}</th><th scope=\"col\">after</th></tr>\
         </thead><tbody>\n{rows}</tbody></table>\n</div>\n"
    )
}

/// The proof as a list; the same lemmas stand in the source at their loops.
fn proof(result: &RootResult) -> String {
    let report = &result.report;
    if report.reference.verdict != Verdict::Safe {
        return String::new();
    }
    let by = escape(report.reference.engine.as_deref().unwrap_or("no engine"));
    let mut text = format!(
        "<h3>Proof</h3>\n<p>Of the program as written, by <b>{by}</b> in {}.",
        time(report.reference.ms)
    );
    if report.proof.is_empty() {
        return text + " No loop needed a lemma.</p>\n";
    }
    text += " Every step was checked again in a fresh solver.</p>\n<dl class=\"proof\">\n";
    for place in &report.proof {
        let lemmas: String = place
            .lemmas
            .iter()
            .map(|l| format!("<dd><code>{}</code></dd>", escape(l)))
            .collect();
        let lemmas = if lemmas.is_empty() {
            "<dd>nothing needs to be known</dd>".to_owned()
        } else {
            lemmas
        };
        text += &format!(
            "<dt>at the loop of {}:{}</dt>{lemmas}\n",
            escape(&place.file),
            place.line
        );
    }
    text + "</dl>\n"
}

fn graphs(result: &RootResult) -> String {
    result
        .graphs
        .iter()
        .map(|graph| {
            format!(
                "<h3>{}</h3>\n<div class=\"wide graph\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n{}</div>\n",
                escape(&graph.title),
                escape(&graph.title),
                graph.svg
            )
        })
        .collect()
}

fn pass_table(index: usize, result: &RootResult) -> String {
    let report = &result.report;
    if report.passes.is_empty() {
        return String::new();
    }
    let longest = report.passes.iter().map(|p| p.ms).max().unwrap_or(0).max(1);
    let rows: String = report
        .passes
        .iter()
        .map(|pass| {
            let same = if pass.how == Some(How::Unchanged) { " class=\"same\"" } else { "" };
            format!(
                "<tr id=\"p{index}-{}\"{same}><td class=\"number\">{}</td><th scope=\"row\">{}</th><td>{}</td><td>{}</td>\
                 <td class=\"number\">{}</td><td><meter min=\"0\" max=\"{longest}\" value=\"{}\" \
                 aria-label=\"{} milliseconds\"></meter></td><td>{}</td></tr>\n",
                pass.index,
                pass.index,
                escape(&pass.name),
                verdict(pass.verdict),
                words::how(pass.how),
                time(pass.ms),
                pass.ms,
                pass.ms,
                escape(pass.why.as_deref().unwrap_or_default())
            )
        })
        .collect();
    format!(
        "<h3>Passes</h3>\n<p>{} of {} passes changed the program.</p>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" \
         aria-label=\"Passes of {}\">\n<table class=\"passes\">\n<thead><tr><th scope=\"col\">#</th>\
         <th scope=\"col\">pass</th><th scope=\"col\">verdict</th><th scope=\"col\">how</th><th scope=\"col\" colspan=\"2\">time</th>\
         <th scope=\"col\">why</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</div>\n",
        words::changed(report),
        report.passes.len(),
        escape(&result.root.name)
    )
}
