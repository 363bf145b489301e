//! Reads witnesses back. A witness is a claim that anybody may have written: what it says of the program is made again
//! from what was checked (a proof, by the checker; a run, by the interpreter) and must be the same.

use super::{
    Build, EXTENSION_VERSION, Entry, EntryType, FORMAT_VERSION, SPECIFICATION, content, hash,
    shown_file, source_path,
};
use crate::replay::fields;
use optverify_checker::proof_file;
use optverify_engine::capture::{Capture, Root};
use optverify_engine::pipeline::RunValues;
use optverify_engine::report::Counterexample;
use serde_json::Value;
use std::path::Path;

/// A larger one is not read.
const MOST_BYTES: u64 = 64 << 20;

/// Why a witness is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It speaks of something else, cannot be read, or has a run that cannot be run here: not checkable.
    #[error("{0}")]
    NotOfThis(String),
    /// It contradicts itself or the program.
    #[error("{0}")]
    Wrong(String),
}

pub fn read(file: &Path) -> Result<Vec<Entry>, String> {
    let shown = file.display();
    let size = std::fs::metadata(file).map_err(|e| format!("no witness in {shown}: {e}"))?;
    if size.len() > MOST_BYTES {
        return Err(format!("the witness in {shown} is too large"));
    }
    let text = std::fs::read_to_string(file).map_err(|e| format!("{shown}: {e}"))?;
    parse(&text).map_err(|e| format!("the witness in {shown} cannot be read: {e}"))
}

fn parse(text: &str) -> Result<Vec<Entry>, String> {
    let options = serde_saphyr::options! { with_snippet: false };
    let entries: Vec<Entry> =
        serde_saphyr::from_str_with_options(text, options).map_err(|e| e.to_string())?;
    match entries.is_empty() {
        true => Err("there is none in it".into()),
        false => Ok(entries),
    }
}

/// Is it of this format, this file and this build?
pub fn fits(entry: &Entry, capture: &Capture, root: &Root, is_single: bool) -> Result<(), Fault> {
    let other = |what: String| Err(Fault::NotOfThis(what));
    let (task, more) = (&entry.metadata.task, &entry.optverify);
    if entry.metadata.format_version != FORMAT_VERSION
        || more.extension_version != EXTENSION_VERSION
    {
        return other(format!(
            "the witness has format {}, extension {}: this tool reads {FORMAT_VERSION}, {EXTENSION_VERSION}",
            entry.metadata.format_version, more.extension_version
        ));
    }
    if task.language != "Rust" || task.specification != SPECIFICATION || task.data_model != "LP64" {
        return other("the witness is of another language or specification".into());
    }
    let file = shown_file(&root.file, is_single);
    if task.input_files != [file.clone()] || task.input_file_hashes.len() != 1 {
        return other(format!("the witness is of {}", task.input_files.join(", ")));
    }
    let source = source_path(&capture.info, &root.file);
    let bytes = std::fs::read(source);
    let bytes = bytes.map_err(|e| Fault::NotOfThis(format!("cannot read {file}: {e}")))?;
    if task.input_file_hashes.get(&file) != Some(&hash(&bytes)) {
        return other(format!("the witness is of another version of {file}"));
    }
    let here = Build::of(&capture.info);
    if more.build != here {
        let Build {
            rustc, opt_level, ..
        } = &more.build;
        return other(format!(
            "the witness is of another build: rustc {rustc}, opt-level {opt_level}, overflow checks {}, debug assertions {}, {}",
            more.build.overflow_checks, more.build.debug_assertions, more.build.target
        ));
    }
    Ok(())
}

/// Are the invariants those of the proof? The proof itself is the checker's business.
pub fn invariants(
    entry: &Entry,
    capture: &Capture,
    root: &Root,
    is_single: bool,
) -> Result<(), Fault> {
    let proof = proof_file::parse(&entry.optverify.proof);
    let proof =
        proof.map_err(|what| Fault::NotOfThis(format!("the proof in the witness {what}")))?;
    if entry.entry_type != EntryType::InvariantSet || entry.optverify.violation.is_some() {
        return Err(Fault::Wrong(
            "a correctness witness with a violation".into(),
        ));
    }
    let content = content::correctness(capture, root, &proof, is_single);
    match content {
        Ok(content) if content == entry.content => Ok(()),
        Ok(_) => Err(Fault::Wrong(
            "the invariants of the witness are not those of its proof".into(),
        )),
        Err(why) => Err(Fault::Wrong(format!("the proof in the witness: {why}"))),
    }
}

/// The runs that a violation witness claims, with the snapshots that they are of: the first violation, and where that is
/// a pass's fault also the program that ships.
pub fn runs(entry: &Entry) -> Result<Vec<(String, RunValues)>, Fault> {
    let unreadable = |e: String| Fault::NotOfThis(format!("the proof in the witness {e}"));
    let proof = proof_file::parse(&entry.optverify.proof).map_err(unreadable)?;
    let wrong = |what: &str| Fault::Wrong(what.to_string());
    if proof.root != entry.optverify.root {
        return Err(wrong("the witness has the run of another root"));
    }
    let envelope: Value = serde_json::from_str(&entry.optverify.proof).unwrap_or_default();
    let inside: Value = serde_json::from_str(envelope["proof"].as_str().unwrap_or_default())
        .map_err(|e| unreadable(e.to_string()))?;
    let snapshots = inside["snapshots"].as_array().cloned().unwrap_or_default();
    let run = |s: &Value| {
        let claim = s.get("claim").filter(|c| c["kind"] == "run")?;
        let values = serde_json::from_value(claim.clone()).ok()?;
        Some((s["number"].as_str()?.to_string(), values))
    };
    let first = snapshots.iter().find_map(run);
    let first = first.ok_or_else(|| wrong("the witness has no run to a violation"))?;
    if first.0 == "reference" {
        return Ok(vec![first]);
    }
    let last = snapshots.last().and_then(run);
    let last = last.ok_or_else(|| wrong("the program that ships is not said to be violated"))?;
    Ok(match last.0 == first.0 {
        true => vec![first],
        false => vec![first, last],
    })
}

/// Does the witness say what the run does?
pub fn story(
    entry: &Entry,
    capture: &Capture,
    root: &Root,
    mut run: Counterexample,
    is_single: bool,
) -> Result<(), Fault> {
    let folder = Path::new(&capture.info.source_root);
    let source = std::fs::read_to_string(folder.join(&root.file)).unwrap_or_default();
    fields::name_all(&source, &mut run);
    fields::only_named_here(folder, &mut run);
    if entry.optverify.violation.as_ref() != Some(&content::values(&run)) {
        return Err(Fault::Wrong(
            "the run of the witness has other inputs or ends otherwise than it says".into(),
        ));
    }
    match content::violation(root, &run, is_single) == entry.content {
        true => Ok(()),
        false => Err(Fault::Wrong(
            "the waypoints of the witness are not those of its run".into(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutate::{Random, damaged, each, rounds};
    use crate::witness::{
        Constraint, Extension, Input, Item, Location, Metadata, Producer, Step, Task, Violation,
        Waypoint,
    };
    use std::collections::BTreeMap;

    /// With texts that YAML likes to take for something else.
    fn sample() -> Entry {
        let inside = r#"{"root":"p::f","function":"f","snapshots":[{"number":"reference","name":"reference","claim":{"kind":"run","inputs":["7"],"draws":[]}}]}"#;
        let sum = proof_file::checksum(inside.as_bytes());
        let proof = serde_json::json!({"format_version": 1, "tool": "t", "checksum": format!("{sum:016x}"), "proof": inside});
        let location = Location {
            file_name: "n".into(),
            line: 3,
            column: 1,
            function: "p::f".into(),
        };
        Entry {
            entry_type: EntryType::ViolationSequence,
            metadata: Metadata {
                format_version: FORMAT_VERSION.into(),
                uuid: "1e5".into(),
                creation_time: "2026-11-16T21:49:50Z".into(),
                producer: Producer {
                    name: "yes".into(),
                    version: "0.10".into(),
                },
                task: Task {
                    input_files: vec!["a: b.rs".into()],
                    input_file_hashes: BTreeMap::from([("a: b.rs".into(), "0123".into())]),
                    specification: SPECIFICATION.into(),
                    data_model: "LP64".into(),
                    language: "Rust".into(),
                },
            },
            content: vec![Item {
                invariant: None,
                segment: Some(vec![Step {
                    waypoint: Waypoint {
                        kind: "target".into(),
                        action: "follow".into(),
                        constraint: Some(Constraint {
                            value: "!(a == '\\u{1f}') && b == \"ä\n# no\"".into(),
                            format: "~".into(),
                        }),
                        location,
                    },
                }]),
            }],
            optverify: Extension {
                extension_version: EXTENSION_VERSION,
                root: "p::f".into(),
                build: Build {
                    rustc: "1.95.0".into(),
                    target: "x".into(),
                    opt_level: "3".into(),
                    overflow_checks: true,
                    debug_assertions: false,
                },
                violation: Some(Violation {
                    pass: "null".into(),
                    panic: "  two lines\n\twith 'quotes' \"and\" more: - x  ".into(),
                    inputs: vec![Input {
                        name: "true".into(),
                        value: "[0; 4]".into(),
                    }],
                    any: vec!["0x10".into(), String::new(), "-1".into()],
                }),
                proof: proof.to_string(),
            },
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let entries = vec![sample(), sample()];
        let text = serde_saphyr::to_string(&entries).expect("YAML");
        assert_eq!(parse(&text).as_ref(), Ok(&entries), "{text}");
        assert_eq!(runs(&entries[0]).map(|r| r.len()), Ok(1));
        assert!(parse("[]").is_err());
        assert!(parse("- &a [*a, *a]").is_err());
    }

    /// Damaged witnesses are errors or other witnesses, never a panic.
    #[test]
    fn damaged_witnesses() {
        let text = serde_saphyr::to_string(&vec![sample()]).expect("YAML");
        each(rounds(2_000), move |seed| {
            let text = damaged(&mut Random(seed), &text);
            for entry in parse(&text).into_iter().flatten() {
                let _ = runs(&entry);
            }
        });
    }
}
