//! What a witness says about the source: invariants at loops, or the way to a violation. Made alike by the writer, from
//! what was found, and by the reader, from what it has checked itself; the two must agree.

use super::{Constraint, Input, Invariant, Item, Location, Step, Violation, Waypoint, shown_file};
use optverify_checker::proof_file::ProofFile;
use optverify_engine::capture::{Capture, Root};
use optverify_engine::report::Counterexample;

const RUST: &str = "rust_expression";

/// The invariants of the reference's loops.
pub fn correctness(
    capture: &Capture,
    root: &Root,
    proof: &ProofFile,
    is_single: bool,
) -> Result<Vec<Item>, String> {
    let found = optverify_checker::invariants(capture, root, proof)?;
    let item = |i: optverify_checker::Invariant| Item {
        invariant: Some(Invariant {
            kind: "loop_invariant".into(),
            location: Location {
                file_name: shown_file(&i.file, is_single),
                line: i.line,
                column: i.column,
                function: root.name.clone(),
            },
            value: i.value,
            format: if i.is_rust { RUST } else { "smt_lib" }.into(),
        }),
        segment: None,
    };
    Ok(found.into_iter().map(item).collect())
}

/// One segment for each event, the last one is the violation.
pub fn violation(root: &Root, run: &Counterexample, is_single: bool) -> Vec<Item> {
    let location = |file: &str, line, column: u32| Location {
        file_name: shown_file(file, is_single),
        line,
        column: column.max(1),
        function: root.name.clone(),
    };
    let segment = |waypoint: Waypoint| Item {
        invariant: None,
        segment: Some(vec![Step { waypoint }]),
    };
    let told = run.steps.iter().filter(|s| !s.values.is_empty());
    let assumptions = told.map(|step| {
        let parts = step.values.iter().map(|(n, v)| format!("{n} == {v}"));
        segment(Waypoint {
            kind: "assumption".into(),
            action: "follow".into(),
            constraint: Some(Constraint {
                value: parts.collect::<Vec<_>>().join(" && "),
                format: RUST.into(),
            }),
            location: location(&step.file, step.line, step.column),
        })
    });
    let target = segment(Waypoint {
        kind: "target".into(),
        action: "follow".into(),
        constraint: None,
        location: location(&run.file, run.line, run.column),
    });
    assumptions.chain([target]).collect()
}

pub fn values(run: &Counterexample) -> Violation {
    let text = |v: &serde_json::Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
    let input = |(name, value): (&String, &serde_json::Value)| Input {
        name: name.clone(),
        value: text(value),
    };
    Violation {
        pass: run.pass.clone().unwrap_or_default(),
        panic: run.panic.clone(),
        inputs: run.inputs.iter().map(input).collect(),
        any: run.any.clone(),
    }
}
