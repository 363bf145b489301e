//! SARIF 2.1.0: one run, a rule per code that occurs, a result per finding, the steps as a code flow.
//! GitHub's code scanning takes every result as an alert, so roots that are safe are not in it.

use crate::gate::Judgement;
use crate::report::reason::Code;
use crate::report::words::Place;
use crate::report::{Reporter, RootResult, Summary, Target, words};
use anyhow::Result;
use optverify_engine::report::Step;
use serde_json::{Value, json};
use std::path::Path;

pub struct SarifReporter(pub Target);

impl Reporter for SarifReporter {
    fn root(&mut self, _result: &RootResult) {}

    fn finished(&mut self, results: &[RootResult], _summary: &Summary) -> Result<()> {
        let text = serde_json::to_string_pretty(&log(results))?;
        self.0.write(&format!("{text}\n"))
    }
}

fn log(results: &[RootResult]) -> Value {
    let found: Vec<(&RootResult, Code)> = results
        .iter()
        .filter(|r| is_alert(r))
        .filter_map(|r| Some((r, Code::of_report(&r.report)?)))
        .collect();
    let rules: Vec<Code> = Code::all()
        .filter(|code| found.iter().any(|(_, c)| c == code))
        .collect();
    let index = |code: &Code| rules.iter().position(|rule| rule == code);
    let mut run = json!({
        "tool": {"driver": {
            "name": "cargo-optverify",
            "version": env!("CARGO_PKG_VERSION"),
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "rules": rules.iter().map(|code| rule(*code)).collect::<Vec<_>>(),
        }},
        "invocations": [{"executionSuccessful": true}],
        "columnKind": "unicodeCodePoints",
        "results": found.iter().map(|(r, c)| entry(r, *c, index(c))).collect::<Vec<_>>(),
    });
    if let Some(first) = results.first() {
        let info = &first.capture;
        run["automationDetails"] =
            json!({"id": format!("optverify/{}/{}/", info.target, info.profile.name)});
        run["originalUriBaseIds"] = json!({"SRCROOT": {"uri": folder_uri(&info.source_root)}});
        run["properties"] = json!({"rustc": info.compiler.version, "passes": info.passes.len()});
    }
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    })
}

/// What the gate lets through is no alert, unless its proof is vacuous.
fn is_alert(result: &RootResult) -> bool {
    result.judgement != Judgement::Passes || words::is_vacuous(result)
}

fn rule(code: Code) -> Value {
    json!({
        "id": code.id,
        "name": code.id,
        "shortDescription": {"text": code.title()},
        "fullDescription": {"text": plain(code.text())},
        "help": {"text": plain(code.text()), "markdown": code.text()},
        "properties": {"tags": ["verification", "correctness"], "precision": "very-high"},
    })
}

fn plain(markdown: &str) -> String {
    markdown.replace("**", "").replace('`', "'")
}

fn entry(result: &RootResult, code: Code, rule_index: Option<usize>) -> Value {
    let place = words::place(result);
    let level = match result.judgement {
        Judgement::Violation | Judgement::Accepted(_) => "error",
        Judgement::Unknown => "warning",
        Judgement::Passes if words::is_vacuous(result) => "warning",
        Judgement::Passes => "note",
    };
    let mut entry = json!({
        "ruleId": code.id,
        "ruleIndex": rule_index,
        "level": level,
        "message": {"text": words::paragraph(result)},
        "locations": [location(place, None)],
        "partialFingerprints": {"optverifyFinding/v1": fingerprint(result, code)},
        "properties": {"root": result.root.name, "verdict": result.report.verdict.as_str()},
    });
    let root = Place::line(&result.root.file, result.root.line);
    if (place.file, place.line) != (root.file, root.line) {
        let root = location(root, Some("the root"));
        entry["relatedLocations"] = json!([root]);
    }
    if let Judgement::Accepted(accepted) = &result.judgement {
        entry["suppressions"] = json!([{"kind": "external", "justification": accepted.reason}]);
    }
    let steps = result.report.counterexample.iter().flat_map(|c| &c.steps);
    let steps: Vec<Value> = steps
        .filter(|step| Path::new(&step.file).is_relative() && step.line > 0)
        .map(|step: &Step| json!({"location": location(Place::line(&step.file, step.line), Some(&step.what))}))
        .collect();
    if !steps.is_empty() {
        entry["codeFlows"] = json!([{"threadFlows": [{"locations": steps}]}]);
    }
    entry
}

fn location(place: Place<'_>, message: Option<&str>) -> Value {
    let file = place.file;
    let artifact = if Path::new(file).is_relative() {
        json!({"uri": percent_encoded(file), "uriBaseId": "SRCROOT"})
    } else {
        json!({"uri": format!("file://{}", percent_encoded(file))})
    };
    let mut location = json!({
        "physicalLocation": {"artifactLocation": artifact, "region": region(place)},
    });
    if let Some(message) = message {
        location["message"] = json!({"text": message});
    }
    location
}

/// Columns count code points, and the end is behind the last one, in MIR as in SARIF.
fn region(place: Place<'_>) -> Value {
    let mut region = json!({"startLine": place.line.max(1)});
    if place.has_columns() {
        region["startColumn"] = place.column.into();
        region["endLine"] = place.end_line.into();
        region["endColumn"] = place.end_column.into();
    }
    region
}

/// The same finding after an edit elsewhere in the file is the same alert.
fn fingerprint(result: &RootResult, code: Code) -> String {
    let panic = result
        .report
        .counterexample
        .as_ref()
        .map_or("", |c| &c.panic);
    format!("{}|{}|{panic}", result.root.name, code.id)
}

fn folder_uri(folder: &str) -> String {
    let folder = folder.trim_end_matches('/');
    format!("file://{}/", percent_encoded(folder))
}

fn percent_encoded(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                out.push(char::from(byte));
            }
            b'\\' => out.push('/'),
            other => out += &format!("%{other:02X}"),
        }
    }
    out
}
