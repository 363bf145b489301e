//! Writes a witness for every decided root, into one YAML file.

use super::{
    Build, EXTENSION_VERSION, Entry, EntryType, Extension, FORMAT_VERSION, Metadata, Producer,
    SPECIFICATION, Task, content, hash, shown_file, source_path,
};
use anyhow::{Context, Result, anyhow, bail};
use optverify_checker::proof_file;
use optverify_engine::capture::{Capture, Root};
use optverify_engine::report::{RootReport, Verdict};
use std::collections::BTreeMap;
use std::path::Path;

/// What `--refine` finds is not in any witness, and why.
pub const NO_REFINEMENT: &str = "a witness is of one program, that it cannot panic or that it does: whether a pass keeps the \
     result is about two, and the format has no words for that; `--message-format json` has what `--refine` found";

/// The witness of a root, with the proof file that its verification wrote; none of an unknown. It is an error to ask for
/// one of a result that a pass changes without a violation.
pub fn entry(
    capture: &Capture,
    root: &Root,
    report: &RootReport,
    proof: &Path,
    is_single: bool,
) -> Result<Option<Entry>> {
    if report.verdict == Verdict::Unknown {
        return Ok(None);
    }
    let run = report.counterexample.as_ref();
    if run.is_some_and(|c| c.results.is_some()) {
        bail!("a pass changes its result without a violation");
    }
    let text = std::fs::read_to_string(proof)
        .with_context(|| format!("{} has no proof file", root.name))?;
    let (entry_type, content, violation) = match &report.counterexample {
        Some(run) => (
            EntryType::ViolationSequence,
            content::violation(root, run, is_single),
            Some(content::values(run)),
        ),
        None => {
            let parsed = proof_file::parse(&text).map_err(|what| anyhow!("the proof {what}"))?;
            let content = content::correctness(capture, root, &parsed, is_single);
            (
                EntryType::InvariantSet,
                content.map_err(|e| anyhow!(e))?,
                None,
            )
        }
    };
    let source = source_path(&capture.info, &root.file);
    let bytes = std::fs::read(&source).with_context(|| format!("cannot read {}", root.file))?;
    let file = shown_file(&root.file, is_single);
    Ok(Some(Entry {
        entry_type,
        metadata: Metadata {
            format_version: FORMAT_VERSION.into(),
            uuid: uuid::Uuid::new_v4().to_string(),
            creation_time: now(),
            producer: Producer {
                name: "cargo-optverify".into(),
                version: env!("CARGO_PKG_VERSION").into(),
            },
            task: Task {
                input_file_hashes: BTreeMap::from([(file.clone(), hash(&bytes))]),
                input_files: vec![file],
                specification: SPECIFICATION.into(),
                data_model: "LP64".into(),
                language: "Rust".into(),
            },
        },
        content,
        optverify: Extension {
            extension_version: EXTENSION_VERSION,
            root: root.name.clone(),
            build: Build::of(&capture.info),
            violation,
            proof: text,
        },
    }))
}

/// Complete or not at all: written beside, then renamed. Without a decided root there is no file, nor one from before.
pub fn write(file: &Path, entries: &[Entry]) -> Result<()> {
    if entries.is_empty() {
        return match std::fs::remove_file(file) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                Err(e).with_context(|| format!("cannot remove {}", file.display()))
            }
            _ => Ok(()),
        };
    }
    let text = serde_saphyr::to_string(&entries).context("the witnesses as YAML")?;
    let shown = file.display();
    let folder = file.parent().filter(|f| !f.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let temporary = file.with_extension(format!("{}.tmp", std::process::id()));
    std::fs::write(&temporary, text).with_context(|| format!("cannot write {shown}"))?;
    std::fs::rename(&temporary, file)
        .inspect_err(|_| drop(std::fs::remove_file(&temporary)))
        .with_context(|| format!("cannot write {shown}"))
}

fn now() -> String {
    let now: chrono::DateTime<chrono::Utc> = std::time::SystemTime::now().into();
    now.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}
