//! From captured text to a simplified program: parse, round trip, lower, simplify.

use crate::capture::{Capture, CaptureError, Function, Root, Snapshot};
use crate::lower::{self, LowerError, Source, last_segment};
use crate::mir::{self, MirError, MirFile};
use crate::program::Program;
use crate::program::simplify::simplify;

/// Why a snapshot has no program: the verdict is unknown, with this text.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    #[error(transparent)]
    Capture(#[from] CaptureError),
    #[error("MIR not understood: {0}")]
    Parse(#[from] MirError),
    #[error("MIR not understood: {0}")]
    RoundTrip(#[from] mir::RoundTripError),
    #[error(transparent)]
    Lower(#[from] LowerError),
}

/// A program ready for the engines.
pub struct Prepared {
    pub program: Program,
}

/// Parses a text and makes sure that nothing in it was misread.
fn read(text: &str) -> Result<MirFile, SnapshotError> {
    let file = mir::parse_file(text)?;
    mir::same_code(text, &file.to_string())?;
    Ok(file)
}

/// Parses what can be parsed: other functions of the crate may be beyond us without harm to this root, because a
/// body that is missing makes its callers unknown.
fn read_crate(text: &str) -> MirFile {
    if let Ok(file) = read(text) {
        return file;
    }
    let lenient = mir::parse_bodies(text);
    let whole = mir::normalise(text);
    let bodies = lenient.bodies.into_iter().flatten();
    MirFile {
        bodies: bodies
            .filter(|b| whole.contains(&mir::normalise(&b.to_string())))
            .collect(),
        allocs: lenient.allocs,
        allocs_through_body: vec![],
    }
}

/// The reference program of a root, and the parsed crate that completes later snapshots.
pub fn prepare_reference(
    capture: &Capture,
    root: &Root,
) -> Result<(Prepared, MirFile), SnapshotError> {
    let text = capture.reference_text()?;
    let file = read_crate(&text);
    let source = Source::of(capture, vec![&file]);
    let program = lowered(&source, root)?;
    Ok((Prepared { program }, file))
}

/// The root's snapshot and those of the functions at the same stage that it may call, directly or not.
fn read_reachable(
    capture: &Capture,
    root: &Root,
    snapshot: &Snapshot,
) -> Result<Vec<MirFile>, SnapshotError> {
    let functions = capture.info.functions.iter();
    let mut others: Vec<&Function> = functions.filter(|f| f.path != root.function).collect();
    let mut texts = vec![snapshot.text()?];
    let mut files = vec![];
    while let Some(text) = texts.pop() {
        files.push(read(&text)?);
        let mut unreached = vec![];
        for function in others {
            if !mentions(&text, &function.path) {
                unreached.push(function);
            } else if let Some(s) = capture.snapshot_at(&function.path, &snapshot.number) {
                texts.push(s.text()?);
            }
        }
        others = unreached;
    }
    Ok(files)
}

/// May the text speak of the function? Calls print methods under other paths, but with the same last name;
/// closures by their place in the source.
fn mentions(text: &str, path: &str) -> bool {
    if path.contains("{closure") {
        return text.contains("{closure");
    }
    let name = last_segment(path);
    let is_word = |c: u8| c.is_ascii_alphanumeric() || c == b'_';
    text.match_indices(name).any(|(at, _)| {
        let before = at.checked_sub(1).map(|i| text.as_bytes()[i]);
        let after = text.as_bytes().get(at + name.len()).copied();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

/// The program of a root after a pass: its own snapshot, those of its callees at the same stage, and the
/// reference for constants and promoteds.
pub fn prepare_snapshot(
    capture: &Capture,
    root: &Root,
    snapshot: &Snapshot,
    reference: &MirFile,
) -> Result<Prepared, SnapshotError> {
    let files = read_reachable(capture, root, snapshot)?;
    // Functions of the crate must come from this stage; the reference only completes constants.
    let constants = MirFile {
        bodies: reference
            .bodies
            .iter()
            .filter(|b| b.kind != mir::BodyKind::Fn)
            .cloned()
            .collect(),
        allocs: reference.allocs.clone(),
        allocs_through_body: vec![],
    };
    let mut all: Vec<&MirFile> = files.iter().collect();
    all.push(&constants);
    let mut source = Source::of(capture, all);
    source.drops.extend(lower::drop_types(reference));
    let program = lowered(&source, root)?;
    Ok(Prepared { program })
}

fn lowered(source: &Source<'_>, root: &Root) -> Result<Program, SnapshotError> {
    let mut program = lower::lower(source, &root.function)?;
    simplify(&mut program);
    Ok(program)
}
