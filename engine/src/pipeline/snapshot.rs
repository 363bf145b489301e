//! From captured text to a simplified program: parse, round trip, lower, simplify.

use super::reachable::{Beside, Mention, Named, THREAD_LOCAL, mentions, reachable};
use super::vacuous::Probes;
use crate::assumption::Ledger;
use crate::capture::{Capture, CaptureError, Function, Items, Root, Snapshot};
use crate::lower::{self, ByContract, Contract, LowerError, Newtypes, Source, last_segment};
use crate::mir::{self, MirError, MirFile};
use crate::program::simplify::simplify;
use crate::program::{Program, StopKind, Texts};
use std::collections::{BTreeSet, HashMap};

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
    /// What it relies on.
    pub ledger: Ledger,
    /// Of the reference: the user's own assumptions and assertions in it.
    pub probes: Option<Box<Probes>>,
}

/// What no compiler prints (constants may have a value in place of blocks): locals and blocks out of order, jumps to nowhere.
fn malformed(body: &mir::Body) -> Option<MirError> {
    let n_blocks = body.blocks.len();
    let mut locals = body.locals.iter().enumerate();
    let mut blocks = body.blocks.iter().enumerate();
    let wrong = if body.locals.len() <= body.arg_count as usize {
        "a parameter is not declared"
    } else if locals.any(|(i, l)| l.local.0 as usize != i) {
        "its locals are out of order"
    } else if (n_blocks == 0 && body.kind == mir::BodyKind::Fn)
        || blocks.any(|(i, b)| b.id.0 as usize != i)
    {
        "its blocks are out of order"
    } else if (body.blocks.iter())
        .flat_map(|b| lower::normal_successors(&b.terminator.kind))
        .any(|to| to as usize >= n_blocks)
    {
        "it jumps to a block that is not there"
    } else {
        return None;
    };
    Some(MirError {
        line: body.line,
        column: 1,
        what: format!("`{}`: {wrong}", body.path),
    })
}

/// Parses a part of a text, and makes sure that nothing in it was misread.
fn read(part: &str, whole: &Items) -> Result<MirFile, SnapshotError> {
    let read = |text: &str| -> Result<MirFile, SnapshotError> {
        let file = mir::parse_file(text)?;
        mir::same_code(text, &file.to_string())?;
        match file.bodies.iter().find_map(malformed) {
            Some(error) => Err(error.into()),
            None => Ok(file),
        }
    };
    // An error is told by its line in the whole text.
    read(part).map_err(|e| match whole.whole() {
        Ok(text) => read(&text).err().unwrap_or(e),
        Err(unreadable) => unreadable.into(),
    })
}

/// No path of the text may begin with a name that means two things.
fn one_meaning(capture: &Capture, text: &str) -> Result<(), LowerError> {
    match capture.facts.shared_in(text) {
        Some(name) => Err(LowerError::Unsupported(format!(
            "`{name}::`, which may be of either of two crates or modules named like a crate"
        ))),
        None => Ok(()),
    }
}

/// Parses what can be parsed: other functions of the crate may be beyond us without harm to this root, because a
/// body that is missing makes its callers unknown.
fn read_crate(text: &str) -> MirFile {
    if let Ok(file) = mir::parse_file(text)
        && mir::same_code(text, &file.to_string()).is_ok()
        && file.bodies.iter().all(|b| malformed(b).is_none())
    {
        return file;
    }
    let lenient = mir::parse_bodies(text);
    let whole = mir::normalise(text);
    let bodies = lenient.bodies.into_iter().flatten();
    MirFile {
        bodies: bodies
            .filter(|b| malformed(b).is_none())
            .filter(|b| whole.contains(&mir::normalise(&b.to_string())))
            .collect(),
        allocs: lenient.allocs,
        allocs_through_body: vec![],
    }
}

/// How a root's program is made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Model {
    pub texts: Texts,
    pub by_contract: ByContract,
    /// `Source::rows_everywhere`.
    pub rows_everywhere: bool,
    /// `Source::even_recursion`.
    pub even_recursion: bool,
    /// `Source::first_call`.
    pub first_call: bool,
}

impl From<Texts> for Model {
    fn from(texts: Texts) -> Model {
        Model {
            texts,
            by_contract: ByContract::Nothing,
            rows_everywhere: false,
            even_recursion: false,
            first_call: false,
        }
    }
}

impl Model {
    fn apply(self, source: &mut Source<'_>, root: &Root, contracts: HashMap<String, Contract>) {
        source.texts = self.texts;
        source.rows_everywhere = self.rows_everywhere;
        source.even_recursion = self.even_recursion;
        source.first_call = self.first_call;
        source.by_contract = match self.by_contract {
            ByContract::Itself if !root.harness => ByContract::Nothing,
            by_contract => by_contract,
        };
        source.contracts = contracts;
        source.total = root.assumed_total();
    }

    /// The contracts that may stand for calls in this root: those of other roots of the same capture, each known by one
    /// name and of one function. One that rests on `assume_total` says nothing about what is kept from call to call.
    fn contracts(self, capture: &Capture, root: &Root) -> HashMap<String, Contract> {
        if matches!(self.by_contract, ByContract::Nothing | ByContract::Itself) {
            return HashMap::new();
        }
        let roots = capture.roots();
        let is_one = |r: &&Root| {
            let same = |o: &&Root| o.name == r.name || o.function == r.function;
            r.function != root.function && roots.iter().filter(same).count() == 1
        };
        let usable = roots
            .iter()
            .filter(|r| r.harness && r.assumed_total().is_empty());
        let mut contracts = HashMap::new();
        for r in usable.filter(is_one) {
            if let Some(function) = lower::function_of(&r.function) {
                let (harness, root) = (r.function.clone(), r.name.clone());
                contracts.insert(function, Contract { harness, root });
            }
        }
        contracts
    }
}

fn beside(contracts: &HashMap<String, Contract>) -> Beside<'_> {
    let mut beside = Beside::new();
    for (function, contract) in contracts {
        let named: &mut Vec<&str> = beside.entry(last_segment(function)).or_default();
        named.push(&contract.harness);
    }
    beside
}

/// The reference program of a root, and what it reaches of the crate, which completes later snapshots.
pub fn prepare_reference(
    capture: &Capture,
    root: &Root,
    model: impl Into<Model>,
) -> Result<(Prepared, MirFile), SnapshotError> {
    let model = model.into();
    let contracts = model.contracts(capture, root);
    let items = capture.reference_items(&root.function)?;
    let text = reachable(&items, &root.function, &beside(&contracts))?;
    one_meaning(capture, &text)?;
    let file = Newtypes::new(&capture.facts.slices).open(read_crate(&text));
    let mut source = Source::of(capture, vec![&file]);
    model.apply(&mut source, root, contracts);
    let prepared = lowered(&source, root, true)?;
    Ok((prepared, file))
}

/// The root's snapshot and those of the functions at the same stage that it may call, directly or not.
fn read_reachable(
    capture: &Capture,
    root: &Root,
    snapshot: &Snapshot,
    constants: &MirFile,
    mut beside: Beside<'_>,
) -> Result<Vec<MirFile>, SnapshotError> {
    let mut functions: Named<'_, &Function> = Named::default();
    for function in &capture.info.functions {
        // Calls print methods under other paths, but with the same last name. Of a closure, the function around it
        // is named: as the body itself or as a scope that was inlined.
        let outer = function.path.split("::{").next();
        let name = last_segment(outer.unwrap_or(&function.path));
        functions.add(name, function.path.contains("::{closure"), function);
    }
    let mut texts = vec![(snapshot.items()?, &root.function)];
    // Before the inliner one text holds the whole crate.
    let mut seen = BTreeSet::from([snapshot.path.clone()]);
    let newtypes = Newtypes::new(&capture.facts.slices);
    let mut files = vec![];
    // Statics and constants hold pointers to functions.
    let mut named: String = constants.bodies.iter().map(|b| b.to_string()).collect();
    let mut unspelt = vec![Mention::Code(THREAD_LOCAL)];
    while let Some((items, function)) = texts.pop() {
        let part = reachable(&items, function, &beside)?;
        one_meaning(capture, &part)?;
        files.push(newtypes.open(read(&part, &items)?));
        let of_statics = std::mem::take(&mut named);
        let unspelt = std::mem::take(&mut unspelt).into_iter();
        for mention in mentions(&part).chain(mentions(&of_statics)).chain(unspelt) {
            let of_contracts = beside.remove(mention.word()).unwrap_or_default();
            let of_contracts = of_contracts
                .iter()
                .filter_map(|path| capture.function(path));
            let of_contracts: Vec<&Function> = of_contracts.collect();
            for function in functions.take(mention).into_iter().chain(of_contracts) {
                if let Some(s) = capture.snapshot_at(&function.path, &snapshot.number)?
                    && seen.insert(s.path.clone())
                {
                    texts.push((s.items()?, &function.path));
                }
            }
        }
    }
    Ok(files)
}

/// The program of a root after a pass: its own snapshot, those of its callees at the same stage, and the
/// reference for constants and promoteds.
pub fn prepare_snapshot(
    capture: &Capture,
    root: &Root,
    snapshot: &Snapshot,
    reference: &MirFile,
    model: impl Into<Model>,
) -> Result<Prepared, SnapshotError> {
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
    let model = model.into();
    let contracts = model.contracts(capture, root);
    let files = read_reachable(capture, root, snapshot, &constants, beside(&contracts))?;
    let mut all: Vec<&MirFile> = files.iter().collect();
    all.push(&constants);
    let mut source = Source::of(capture, all);
    source.as_written = vec![reference];
    model.apply(&mut source, root, contracts);
    source.drops.extend(lower::drop_types(reference));
    lowered(&source, root, false)
}

/// The functions that the root calls, before or after the optimizations, and that the capture has no body of. Long names
/// are cut, and end in dots.
pub fn missing_bodies(capture: &Capture, root: &Root) -> BTreeSet<String> {
    let both = reference_and_optimized(capture, root);
    let missing = |p: &Prepared| [without_body(p), without_promoted(p)].concat();
    both.iter().flat_map(missing).collect()
}

fn reference_and_optimized(capture: &Capture, root: &Root) -> Vec<Prepared> {
    let Ok((reference, file)) = prepare_reference(capture, root, Texts::AnyBytes) else {
        return vec![];
    };
    let last = capture.snapshots(&root.function);
    let optimized = last
        .ok()
        .and_then(|mut all| all.pop())
        .and_then(|last| prepare_snapshot(capture, root, &last, &file, Texts::AnyBytes).ok());
    [Some(reference), optimized].into_iter().flatten().collect()
}

/// Does the root, before or after the optimizations, call functions that the capture has no body of?
pub fn lacks_bodies(capture: &Capture, root: &Root) -> bool {
    let both = reference_and_optimized(capture, root);
    both.iter().any(|p| !without_body(p).is_empty())
}

/// How many bodies are missing before the optimizations; nothing where the root is not understood.
pub fn missing_in_reference(capture: &Capture, root: &Root) -> Option<usize> {
    let (prepared, _) = prepare_reference(capture, root, Texts::AnyBytes).ok()?;
    let missing: BTreeSet<String> = without_body(&prepared).into_iter().collect();
    Some(missing.len())
}

fn without_body(prepared: &Prepared) -> Vec<String> {
    named_in_stops(prepared, lower::WITHOUT_BODY)
}

/// Instances of generic functions that were inlined, and whose promoted constants were not.
fn without_promoted(prepared: &Prepared) -> Vec<String> {
    let constants = named_in_stops(prepared, lower::WITHOUT_VALUE);
    let owners = constants.iter().filter_map(|name| {
        let (owner, _) = name.rsplit_once("::promoted[")?;
        owner.contains('<').then(|| owner.to_owned())
    });
    owners.collect()
}

/// What the reasons with these words name.
fn named_in_stops(prepared: &Prepared, words: &str) -> Vec<String> {
    let stops = prepared.program.stops.iter().map(|stop| &stop.kind);
    let reasons = stops.filter_map(|kind| match kind {
        StopKind::Unsupported(what) if what.contains(words) => Some(what),
        _ => None,
    });
    let named = reasons.filter_map(|what| what.split('`').nth(1));
    named.map(str::to_owned).collect()
}

fn lowered(
    source: &Source<'_>,
    root: &Root,
    is_reference: bool,
) -> Result<Prepared, SnapshotError> {
    let (mut program, mut relied) = lower::lower_with_assumptions(source, &root.function)?;
    let marks = std::mem::take(&mut relied.marks);
    let probes = (is_reference && !marks.is_empty()).then(|| {
        let program = program.clone();
        Box::new(Probes { program, marks })
    });
    simplify(&mut program);
    let mut ledger = Ledger::of(relied, &program);
    ledger.read_from(&source.files);
    Ok(Prepared {
        program,
        ledger,
        probes,
    })
}
