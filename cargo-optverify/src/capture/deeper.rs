//! Roots whose calls rustc's inliner leaves: it goes about five levels deep, and below the first it takes one call of
//! each body. But a function of the same crate is inlined with its own inlining done. So the crate is compiled again with
//! forwarders around such a root (`optverify_macros::root`), and the outermost one is the root with everything inlined.
//!
//! A forwarder sees the root only after the whole pipeline. What a root is after one pass comes from a compile in which
//! the later passes do not run: one compile for every pass that changed such a root.

use crate::capture::command::RustcCommand;
use crate::capture::dumps::function_of;
use crate::capture::facts::{self, Evaluated};
use crate::capture::folder::Scratch;
use crate::capture::instances;
use crate::capture::mir_text::{functions, last_segment};
use crate::capture::runs;
use crate::capture::twins;
use anyhow::{Context, Result};
use optverify_engine::capture::{Capture, ClosedHow, Facts, Manifest, Pass, Root, files};
use optverify_engine::pipeline::{lacks_bodies, missing_in_reference};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;

/// By the root's function: its text with everything inlined.
type Texts = BTreeMap<String, String>;

/// Of the roots with `#[verify]`, those with calls that nobody knows get their texts anew. The capture in `folder` is
/// complete without; `instances` was added to it.
pub fn deepen(
    command: &RustcCommand,
    folder: &Scratch,
    cache: &Path,
    (marked, instances): (&BTreeSet<String>, &str),
    manifest: &mut Manifest,
) -> Result<()> {
    let capture = Capture::load(folder.content())?;
    let marked = (capture.roots().iter()).filter(|root| marked.contains(&root.function));
    let roots: Vec<&Root> = marked
        .filter(|r| asked(|| lacks_bodies(&capture, r)).unwrap_or(false))
        .collect();
    if roots.is_empty() {
        return Ok(());
    }
    let mut deeper = Deeper {
        command,
        folder,
        locations: String::new(),
        roots: BTreeSet::new(),
    };
    deeper.ask_for(&roots);
    let mut found = deeper.reference()?;
    if found.is_none() {
        // the macro does not see that a function without `self` stands in an impl, and names it as if it did not
        let free: Vec<&Root> = (roots.iter().copied())
            .filter(|root| !root.function.contains("<impl at "))
            .collect();
        if !free.is_empty() {
            deeper.ask_for(&free);
            found = deeper.reference()?;
        }
    }
    let Some((whole, reference)) = found else {
        let note = "rustc failed on the forwarders around roots with calls that it did not inline";
        manifest.notes.push(note.to_owned());
        return Ok(());
    };
    let mut facts = capture.facts.clone();
    deeper.add_facts(&whole, cache, &mut facts)?;
    folder.keep(files::FACTS, &serde_json::to_string_pretty(&facts)?)?;
    folder.keep_whole(REFERENCE, &format!("{whole}\n{instances}"))?;
    // what the deeper text still calls may have an instance or a stand-in
    for function in &mut manifest.functions {
        if reference.contains_key(&function.path) {
            function.reference = Some(REFERENCE.to_owned());
        }
    }
    folder.keep_manifest(manifest)?;
    instances::add(command, folder, cache, manifest)?;
    let deep = Capture::load(folder.content())?;
    // the passes cost a compile each: only for roots that lack less now (of a lock the way that waits is left)
    let lacks_less = |root: &Root| {
        let lacking = |capture: &Capture| asked(|| missing_in_reference(capture, root)).flatten();
        match (lacking(&capture), lacking(&deep)) {
            (_, Some(0)) => true,
            (Some(before), Some(now)) => now < before,
            _ => false,
        }
    };
    let better: Vec<&Root> = (deep.roots().iter())
        .filter(|r| deeper.roots.contains(&r.function) && lacks_less(r))
        .collect();
    deeper.ask_for(&better);
    for function in &mut manifest.functions {
        if reference.contains_key(&function.path) {
            function.reference = None;
        }
    }
    let changed = changed_passes(manifest, &deeper.roots);
    let after = deeper.after_passes(&manifest.passes, &changed)?;
    for (ordinal, function) in manifest.functions.iter_mut().enumerate() {
        let reference = reference.get(&function.path).cloned();
        let Some(mut text) = reference.filter(|_| deeper.roots.contains(&function.path)) else {
            continue;
        };
        // all or nothing: a chain of snapshots of both kinds would differ by more than its passes
        let of_pass = |number: &String| after.get(number).and_then(|t| t.get(&function.path));
        let runs: Vec<&String> = (function.snapshots.iter().map(|s| &s.number))
            .filter(|n| changed.contains(*n))
            .collect();
        if runs.iter().any(|n| of_pass(n).is_none()) {
            continue;
        }
        function.reference = Some(REFERENCE.to_owned());
        let mut file = REFERENCE.to_owned();
        for snapshot in &mut function.snapshots {
            snapshot.closed_changed = false;
            if let Some(new) = of_pass(&snapshot.number).filter(|new| **new != text) {
                text = new.clone();
                file = format!(
                    "deeper/{ordinal:03}/{}.{}.mir",
                    snapshot.number, snapshot.name
                );
                folder.keep(&file, &text)?;
                snapshot.closed_changed = true;
            }
            snapshot.closed = file.clone();
            snapshot.closed_how = ClosedHow::InlinedDeeper;
        }
    }
    Ok(())
}

/// The crate before the first optimization, the roots' bodies replaced.
pub const REFERENCE: &str = "deeper/reference.mir";

/// What inlines, and what code generation cannot do without.
const ALWAYS_ON: &[&str] = &["Inline", "ForceInline", "AddCallGuards", "PreCodegen"];

/// The passes that changed one of the roots or a function that it may call.
fn changed_passes(manifest: &Manifest, roots: &BTreeSet<String>) -> BTreeSet<String> {
    let functions = manifest
        .functions
        .iter()
        .filter(|f| roots.contains(&f.path));
    let snapshots = functions.flat_map(|f| &f.snapshots);
    let changed = snapshots.filter(|s| s.changed || s.closed_changed);
    changed.map(|s| s.number.clone()).collect()
}

struct Deeper<'a> {
    command: &'a RustcCommand,
    folder: &'a Scratch,
    locations: String,
    roots: BTreeSet<String>,
}

impl Deeper<'_> {
    /// From now on only these roots get forwarders.
    fn ask_for(&mut self, roots: &[&Root]) {
        let locations: BTreeSet<String> = (roots.iter())
            .map(|root| format!("{}:{}", root.file, root.line))
            .collect();
        self.locations = locations.into_iter().collect::<Vec<_>>().join("|");
        self.roots = roots.iter().map(|r| r.function.clone()).collect();
    }

    /// The whole crate's text and the roots' own.
    fn reference(&self) -> Result<Option<(String, Texts)>> {
        let dir = self.folder.runs().join("deeper");
        let run = runs::deeper(self.command, dir, &self.locations, &runs::Deeper::Reference)?;
        if !run.succeeded() {
            return Ok(None);
        }
        let path = run.mir_file(self.command);
        let whole = crate::capture::mir_text::read(&path)
            .with_context(|| format!("rustc wrote no {}", path.display()))?;
        let whole = twins::told_apart(whole);
        let texts = self.texts(&run.dump_dir())?;
        let mut out = String::new();
        let mut rest = 0;
        for body in functions(&whole) {
            let at = body.text.as_ptr() as usize - whole.as_ptr() as usize;
            if texts.contains_key(body.path) || is_forwarder(body.path) {
                out.push_str(&whole[rest..at]);
                rest = at + body.text.len();
            }
        }
        out.push_str(&whole[rest..]);
        for text in texts.values() {
            out.push('\n');
            out.push_str(text);
        }
        Ok(Some((out, texts)))
    }

    /// By the pass's number.
    fn after_passes(
        &self,
        passes: &[Pass],
        changed: &BTreeSet<String>,
    ) -> Result<BTreeMap<String, Texts>> {
        let open = Mutex::new(changed.iter());
        let done = Mutex::new(BTreeMap::new());
        let work = || -> Result<()> {
            loop {
                let next = open.lock().ok().and_then(|mut open| open.next());
                let Some(number) = next else { return Ok(()) };
                let later = passes
                    .iter()
                    .filter(|p| p.number > *number && !ALWAYS_ON.contains(&p.name.as_str()))
                    .filter(|p| {
                        !passes
                            .iter()
                            .any(|q| q.number <= *number && q.name == p.name)
                    });
                let later: Vec<&str> = later.map(|p| p.name.as_str()).collect();
                let dir = self.folder.runs().join(format!("deeper-{number}"));
                let what = runs::Deeper::Without(&later);
                let run = runs::deeper(self.command, dir, &self.locations, &what)?;
                if run.succeeded() {
                    let texts = self.texts(&run.dump_dir())?;
                    if let Ok(mut done) = done.lock() {
                        done.insert(number.clone(), texts);
                    }
                }
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            workers.into_iter().try_for_each(super::joined)
        })?;
        Ok(done.into_inner().unwrap_or_default())
    }

    /// What the compiler knows of the types and constants that deeper inlining brought.
    fn add_facts(&self, whole: &str, cache: &Path, facts: &mut Facts) -> Result<()> {
        let dir = self.folder.runs().join("deeper-evaluated");
        let run = runs::deeper(self.command, dir, &self.locations, &runs::Deeper::Evaluated)?;
        let mut evaluated = Evaluated {
            sizes: String::from_utf8_lossy(&run.output.stdout).into_owned(),
            ..Evaluated::default()
        };
        for entry in std::fs::read_dir(run.dump_dir()).into_iter().flatten() {
            let path = entry?.path();
            let name = path.to_string_lossy();
            if name.ends_with(".Inline.after.mir") {
                evaluated.before += &crate::capture::mir_text::read(&path)?;
            } else if name.ends_with(".GVN.after.mir") {
                evaluated.after += &crate::capture::mir_text::read(&path)?;
            }
        }
        let runs = self.folder.runs();
        let more = facts::collect_from(self.command, &runs, whole, cache, &evaluated)?;
        for (name, value) in more.consts {
            facts.consts.entry(name).or_insert(value);
        }
        facts.enums.extend(more.enums);
        facts.unions.extend(more.unions);
        facts.type_sizes.extend(more.type_sizes);
        Ok(())
    }

    /// The outermost forwarders of a run, under the names of their roots.
    fn texts(&self, dumps: &Path) -> Result<Texts> {
        let mut texts = Texts::new();
        // a compile without any of the forwarders makes no folder
        for entry in std::fs::read_dir(dumps).into_iter().flatten() {
            let path = entry?.path();
            if !path.to_string_lossy().ends_with(".Inline.after.mir") {
                continue;
            }
            let text = crate::capture::mir_text::read(&path)
                .with_context(|| format!("could not read {}", path.display()))?;
            let Some(forwarder) = function_of(&text) else {
                continue;
            };
            let around = self.roots.iter().find(|root| is_around(forwarder, root));
            // one that only calls the root is not the root
            if let Some(root) = around.filter(|root| has_inlined(&text, root)) {
                let (_, body) = text.split_once('\n').unwrap_or_default();
                let own = format!("fn {forwarder}(");
                texts.insert(root.clone(), body.replacen(&own, &format!("fn {root}("), 1));
            }
        }
        Ok(texts)
    }
}

const OUTERMOST: &str = "__optverify_deepest_";

fn is_forwarder(path: &str) -> bool {
    let name = last_segment(path);
    name.starts_with(OUTERMOST) || name.starts_with("__optverify_deeper_")
}

/// Is the root's own code in this body?
fn has_inlined(text: &str, root: &str) -> bool {
    let scopes = text
        .lines()
        .filter_map(|line| line.split_once(" (inlined "));
    let mut inlined = scopes.filter_map(|(_, rest)| rest.split_once(") {"));
    inlined.any(|(path, _)| last_segment(path) == last_segment(root))
}

/// Is `forwarder` the outermost one of this root? It stands in the root's body or beside it.
fn is_around(forwarder: &str, root: &str) -> bool {
    let name = format!("{OUTERMOST}{}", last_segment(root));
    let Some(place) = forwarder.strip_suffix(&name) else {
        return false;
    };
    let beside = root.strip_suffix(&last_segment(root)).unwrap_or(root);
    place.strip_suffix("::") == Some(root) || place == beside
}

/// What breaks the lowering of one root here breaks it in the root's own process as well, which says so; it must not
/// end the others.
fn asked<T>(question: impl FnOnce() -> T) -> Option<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(question)).ok()
}
