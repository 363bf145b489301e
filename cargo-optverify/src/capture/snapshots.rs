//! From the runs' dumps to the capture's snapshots: every pass of every function, each text once, and for
//! each the closed form that the engine verifies.

use crate::capture::close::is_closed;
use crate::capture::command::RustcCommand;
use crate::capture::dumps::{Dump, Dumps};
use crate::capture::folder::Scratch;
use crate::capture::mir_text::{callee, functions, last_segment};
use crate::capture::passes::Dumped;
use crate::capture::runs;
use crate::capture::twins;
use anyhow::{Context, Result, bail};
use optverify_engine::capture::{
    ClosedHow, Function, LeftOut, Manifest, Pass, SnapshotEntry, files,
};
use std::collections::{BTreeMap, BTreeSet};

pub struct Material<'a> {
    pub command: &'a RustcCommand,
    pub folder: &'a Scratch,
    pub reference: &'a str,
    pub wanted: &'a BTreeSet<String>,
    pub called_as: Vec<Function>,
    pub shipped: Dumped,
    pub shipped_closed: Dumped,
    pub manifest: &'a mut Manifest,
}

pub fn assemble(material: Material<'_>) -> Result<()> {
    let Material {
        command,
        folder,
        manifest,
        ..
    } = material;
    let Dumped {
        run,
        dumps: shipped,
    } = material.shipped;
    if !run.succeeded() {
        bail!(
            "rustc could not dump the shipped pipeline: {}",
            run.complaint()
        );
    }
    let whole = crate::capture::mir_text::read(run.mir_file(command))?;
    let whole = twins::told_apart(whole);
    folder.keep(files::SHIPPED, &whole)?;
    let mut mistaken = twins::mistaken(&whole, &shipped);
    let Dumped { run, dumps: closed } = material.shipped_closed;
    if run.succeeded() {
        let text = crate::capture::mir_text::read(run.mir_file(command))?;
        let text = twins::told_apart(text);
        folder.keep(files::SHIPPED_CLOSED, &text)?;
        mistaken.extend(twins::mistaken(&text, &closed));
    } else {
        let complaint = run.complaint();
        manifest.notes.push(format!(
            "rustc failed under unlimited inlining: {complaint}"
        ));
    }
    let is_mistaken = |function: &String| mistaken.contains(function);
    for root in manifest
        .roots
        .extract_if(.., |root| is_mistaken(&root.function))
    {
        manifest.left_out.push(LeftOut {
            function: root.function,
            why: "a macro made several functions of this path, and their dumps are not told apart"
                .to_owned(),
        });
    }
    manifest.passes = passes(&shipped);
    // without optimization the shipped pipeline may have no inliner, but the closed one has
    let inliner = manifest
        .passes
        .iter()
        .chain(&passes(&closed))
        .find(|p| p.name == "Inline")
        .cloned();
    let early: Vec<Pass> = match &inliner {
        Some(inliner) => manifest
            .passes
            .iter()
            .filter(|p| p.number < inliner.number)
            .cloned()
            .collect(),
        None => Vec::new(),
    };
    let changed = early.iter().map(|pass| pass.number.clone());
    let changed = changed.filter(|n| shipped.values().any(|list| changed_at(list, n)));
    let changed: BTreeSet<String> = changed.collect();
    let prefixes = Prefixes {
        files: prefix_runs(command, folder, &early, &changed, &mut manifest.notes)?,
        changed,
        reference: bodies(material.reference),
        inliner: inliner.map(|p| p.number),
    };
    let mut local: BTreeSet<String> = material.wanted.clone();
    local.extend(
        material
            .called_as
            .iter()
            .filter_map(|f| f.called_as.clone()),
    );
    let writer = Writer {
        folder,
        shipped: &shipped,
        closed: &closed,
        prefixes: &prefixes,
        local: &local,
    };
    manifest.functions = material.called_as;
    let mut calls = Calls::new();
    for (ordinal, function) in manifest.functions.iter_mut().enumerate() {
        function.snapshots = writer.function(ordinal, &function.path, &mut calls)?;
    }
    spread_changes(&mut manifest.functions, &calls);
    Ok(())
}

/// The passes that ran on any captured function, in order, without the MIR before the first.
fn passes(shipped: &Dumps) -> Vec<Pass> {
    let mut passes: BTreeMap<&str, &Pass> = BTreeMap::new();
    for dump in shipped.values().flat_map(|list| list.iter().skip(1)) {
        passes.insert(&dump.pass.number, &dump.pass);
    }
    passes.into_values().cloned().collect()
}

/// By pass and function: what the closed text calls, by last segments.
type Calls = BTreeMap<(String, String), BTreeSet<String>>;

/// A function's program changes when a function that it calls changes.
fn spread_changes(functions: &mut [Function], calls: &Calls) {
    loop {
        let mut changed: BTreeSet<(String, String)> = BTreeSet::new();
        for function in functions.iter() {
            let changes = function.snapshots.iter().filter(|s| s.closed_changed);
            changed.extend(changes.map(|s| (s.number.clone(), last_segment(&function.path))));
        }
        let mut spread = false;
        for function in functions.iter_mut() {
            for snapshot in function.snapshots.iter_mut().filter(|s| !s.closed_changed) {
                let key = (snapshot.number.clone(), function.path.clone());
                let mut callees = calls.get(&key).into_iter().flatten();
                if callees.any(|name| changed.contains(&(snapshot.number.clone(), name.clone()))) {
                    snapshot.closed_changed = true;
                    spread = true;
                }
            }
        }
        if !spread {
            return;
        }
    }
}

fn callees(body: &str) -> BTreeSet<String> {
    let code = body
        .lines()
        .map(|line| line.split("//").next().unwrap_or(line).trim());
    code.filter_map(callee).map(last_segment).collect()
}

/// By the pass's number: the file, and the bodies in it by path.
type PrefixFiles = BTreeMap<String, (String, BTreeMap<String, String>)>;

/// Whole-crate closed texts for the passes before the inliner.
struct Prefixes {
    /// Missing: nothing changed, or the run failed.
    files: PrefixFiles,
    /// By number: the passes before the inliner that changed something.
    changed: BTreeSet<String>,
    reference: BTreeMap<String, String>,
    inliner: Option<String>,
}

impl Prefixes {
    fn is_before_inliner(&self, number: &str) -> bool {
        self.inliner
            .as_deref()
            .is_some_and(|inliner| number < inliner)
    }
}

/// One closed run for every early pass that changed something, with the passes up to it.
fn prefix_runs(
    command: &RustcCommand,
    folder: &Scratch,
    early: &[Pass],
    changed: &BTreeSet<String>,
    notes: &mut Vec<String>,
) -> Result<PrefixFiles> {
    let mut files = BTreeMap::new();
    for (count, pass) in early.iter().enumerate() {
        if !changed.contains(&pass.number) {
            continue;
        }
        let names: Vec<&str> = early[..=count].iter().map(|p| p.name.as_str()).collect();
        let run = runs::closed(
            command,
            &folder.runs(),
            &format!("prefix-{}", pass.number),
            &names,
        )?;
        if !run.succeeded() {
            notes.push(format!(
                "rustc failed on the passes up to {}: {}",
                pass.name,
                run.complaint()
            ));
            continue;
        }
        let path = run.mir_file(command);
        let text = crate::capture::mir_text::read(&path)
            .with_context(|| format!("rustc wrote no {}", path.display()))?;
        let text = twins::told_apart(text);
        let name = format!("prefix/{}.{}.mir", pass.number, pass.name);
        folder.keep_whole(&name, &text)?;
        files.insert(pass.number.clone(), (name, bodies(&text)));
    }
    Ok(files)
}

fn bodies(mir: &str) -> BTreeMap<String, String> {
    functions(mir)
        .into_iter()
        .map(|body| (body.path.to_owned(), body.text.to_owned()))
        .collect()
}

fn changed_at(list: &[Dump], number: &str) -> bool {
    let at = list.iter().position(|d| d.pass.number == number);
    at.is_some_and(|at| at > 0 && list[at].body() != list[at - 1].body())
}

struct Writer<'a> {
    folder: &'a Scratch,
    shipped: &'a Dumps,
    closed: &'a Dumps,
    prefixes: &'a Prefixes,
    local: &'a BTreeSet<String>,
}

impl Writer<'_> {
    fn function(
        &self,
        ordinal: usize,
        path: &str,
        calls: &mut Calls,
    ) -> Result<Vec<SnapshotEntry>> {
        let Some(list) = self.shipped.get(path) else {
            return Ok(Vec::new());
        };
        let name: String = last_segment(path)
            .chars()
            .map(|c| {
                if c.is_alphanumeric() || c == '_' {
                    c
                } else {
                    '-'
                }
            })
            .take(60)
            .collect();
        let place = format!("{ordinal:03}-{name}");
        let mut entries = Vec::new();
        let mut shipped_file = self.keep("shipped", &place, &list[0])?;
        let mut closed_before = files::REFERENCE.to_owned();
        let mut closed_text = self
            .prefixes
            .reference
            .get(path)
            .cloned()
            .unwrap_or_default();
        let mut is_shipped_closed = is_closed(list[0].body(), self.local);
        let mut called = callees(&closed_text);
        for (before, dump) in list.iter().zip(&list[1..]) {
            let changed = before.body() != dump.body();
            if changed {
                shipped_file = self.keep("shipped", &place, dump)?;
                is_shipped_closed = is_closed(dump.body(), self.local);
            }
            let (closed_how, closed, text) = if self.prefixes.is_before_inliner(&dump.pass.number) {
                match self.prefixes.files.get(&dump.pass.number) {
                    Some((file, bodies)) => {
                        let text = bodies.get(path).cloned().unwrap_or_default();
                        (ClosedHow::PrefixInlined, file.clone(), text)
                    }
                    // no file although something changed: that run failed
                    None if self.prefixes.changed.contains(&dump.pass.number) => (
                        ClosedHow::NotClosed,
                        shipped_file.clone(),
                        dump.body().to_owned(),
                    ),
                    None => (
                        ClosedHow::PrefixInlined,
                        closed_before.clone(),
                        closed_text.clone(),
                    ),
                }
            } else if is_shipped_closed {
                (
                    ClosedHow::AsShipped,
                    shipped_file.clone(),
                    dump.body().to_owned(),
                )
            } else {
                match self.closed_dump(path, &dump.pass.number) {
                    Some(inlined) if inlined.body() == closed_text => (
                        ClosedHow::Inlined,
                        closed_before.clone(),
                        closed_text.clone(),
                    ),
                    Some(inlined) => {
                        let file = self.keep("closed", &place, inlined)?;
                        (ClosedHow::Inlined, file, inlined.body().to_owned())
                    }
                    None => (
                        ClosedHow::NotClosed,
                        shipped_file.clone(),
                        dump.body().to_owned(),
                    ),
                }
            };
            let closed_changed = text != closed_text;
            if closed_changed {
                called = callees(&text);
            }
            entries.push(SnapshotEntry {
                number: dump.pass.number.clone(),
                index: dump.pass.index,
                name: dump.pass.name.clone(),
                shipped: shipped_file.clone(),
                changed,
                closed_changed,
                closed: closed.clone(),
                closed_how,
            });
            calls.insert((dump.pass.number.clone(), path.to_owned()), called.clone());
            (closed_before, closed_text) = (closed, text);
        }
        Ok(entries)
    }

    fn closed_dump(&self, path: &str, number: &str) -> Option<&Dump> {
        self.closed
            .get(path)?
            .iter()
            .find(|d| d.pass.number == number)
    }

    fn keep(&self, kind: &str, place: &str, dump: &Dump) -> Result<String> {
        let name = format!("{kind}/{place}/{}.{}.mir", dump.pass.number, dump.pass.name);
        self.folder.keep(&name, &dump.text)?;
        Ok(name)
    }
}
