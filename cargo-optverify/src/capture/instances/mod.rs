//! Bodies for calls of generic functions that rustc does not inline: recursive ones, `#[inline(never)]`, methods that
//! traits have by themselves. Code generation makes an instance of the optimized generic body for each call; here the same
//! is done with the text, before optimization and after every pass. An instance stands in the capture under the name
//! that its calls have, like any other function.
//!
//! `find` says which body is meant (`expanded` knows the crate's items), `parameters` reads its list from the source,
//! `substitute` replaces, and `probe` asks rustc for the functions of std that only instances call; `stand_in` has those
//! that rustc has no MIR of, `private` says what does the same as a function that nobody can name. `projection` says the types that an instance has by a trait.

mod body_text;
mod collect;
mod expanded;
mod find;
mod parameters;
mod private;
mod probe;
mod projection;
mod source_text;
mod stand_in;
mod substitute;
mod unify;

pub use expanded::{traits, types};
pub use parameters::{Generic, parameters};
pub use source_text::without_text;

use crate::capture::command::RustcCommand;
use crate::capture::facts::{self, Evaluated};
use crate::capture::folder::Scratch;
use crate::capture::{deeper, joined, runs};
use anyhow::Result;
use body_text::{Rule, allocations, calls_in, closure_type, constants_in, instance, promoted};
use expanded::Expanded;
use find::{CONST, Found, Items};
use optverify_engine::capture::{
    Capture, ClosedHow, Function, Manifest, Root, SnapshotEntry, files,
};
use optverify_engine::pipeline::missing_bodies;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use substitute::substitute;

/// Instances call others; the engine says in each round which bodies it still misses.
const ROUNDS: usize = 6;
/// Bodies may be nested deeply; only what is used is taken.
const STACK: usize = 256 << 20;
/// A function may call itself with ever larger types.
const MOST_INSTANCES: usize = 200;

/// Adds what is missing and can be made, and gives its text back. The capture in `folder` is complete without.
pub fn add(
    command: &RustcCommand,
    folder: &Scratch,
    cache: &Path,
    manifest: &mut Manifest,
) -> Result<String> {
    let mut tried = BTreeSet::new();
    let mut all = String::new();
    // a root that misses nothing is not looked at again
    let mut open: BTreeSet<String> = manifest.roots.iter().map(|r| r.function.clone()).collect();
    for _ in 0..ROUNDS {
        let capture = Capture::load(folder.content())?;
        let found = missing_of(&capture, &open)?;
        open = found.keys().cloned().collect();
        let missing = found.into_values().flatten();
        let missing: BTreeSet<String> = missing.filter(|m| tried.insert(m.clone())).collect();
        if missing.is_empty() {
            return Ok(all);
        }
        let mut work = Work {
            command,
            folder,
            manifest,
            added: String::new(),
        };
        let reference = work.read(files::REFERENCE)?;
        let calls = work.spelled_out(&missing, &reference)?;
        let left = match work.expanded()? {
            Some(mut expanded) => {
                expanded.linked.clone_from(&capture.facts.linked);
                let mut items = Items::new(&reference, expanded, &command.current_dir);
                work.add_instances(&mut items, calls)?
            }
            None => calls,
        };
        let texts = reference.clone() + &work.read_deeper() + &work.added;
        let runs = folder.runs();
        let mut stand_ins = stand_in::bodies(command, work.manifest, &runs, &left, &texts)?;
        let private = private::bodies(command, work.manifest, &runs, &left, &texts)?;
        stand_ins.extend(private);
        let collected = collect::bodies(command, work.manifest, &runs, &left, &texts)?;
        stand_ins.extend(collected);
        let left: BTreeSet<String> = left
            .difference(&stand_ins.keys().cloned().collect())
            .cloned()
            .collect();
        for (path, text) in probe::bodies(command, work.manifest, &runs, &left, &texts)? {
            work.add_probe(path, text, false)?;
        }
        for (path, text) in stand_ins {
            work.add_probe(path, text, true)?;
        }
        let added = work.added;
        if added.is_empty() {
            return Ok(all);
        }
        all += &added;
        let mut facts = capture.facts.clone();
        let more = facts::collect_from(command, &runs, &added, cache, &Evaluated::default())?;
        for (name, value) in more.consts {
            facts.consts.entry(name).or_insert(value);
        }
        facts.enums.extend(more.enums);
        facts.type_sizes.extend(more.type_sizes);
        folder.keep(files::FACTS, &serde_json::to_string_pretty(&facts)?)?;
        folder.keep_manifest(manifest)?;
    }
    Ok(all)
}

/// By the root's function: the bodies that it misses. Every root is lowered for that, so all cores do it.
fn missing_of(
    capture: &Capture,
    open: &BTreeSet<String>,
) -> Result<BTreeMap<String, BTreeSet<String>>> {
    let next = AtomicUsize::new(0);
    let all = capture.roots().iter();
    let roots: Vec<&Root> = all.filter(|r| open.contains(&r.function)).collect();
    let look = || {
        let mut found = Vec::new();
        while let Some(root) = roots.get(next.fetch_add(1, Ordering::Relaxed)) {
            // what the engine cannot take is told when the root is verified
            let missing = std::panic::catch_unwind(|| missing_bodies(capture, root));
            found.push((root.function.clone(), missing.unwrap_or_default()));
        }
        found
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let found: Vec<_> = std::thread::scope(|scope| {
        let start = |_| {
            let thread = std::thread::Builder::new().stack_size(STACK);
            thread.spawn_scoped(scope, look)
        };
        let threads: std::io::Result<Vec<_>> = (0..cores).map(start).collect();
        Ok::<_, std::io::Error>(threads?.into_iter().flat_map(joined).collect())
    })?;
    Ok((found.into_iter()).filter(|(_, m)| !m.is_empty()).collect())
}

struct Work<'a> {
    command: &'a RustcCommand,
    folder: &'a Scratch,
    manifest: &'a mut Manifest,
    /// What the reference got.
    added: String,
}

/// One body of an instance, before optimization and after every pass.
struct Made {
    name: String,
    reference: String,
    /// For each snapshot of the generic body: its text.
    after: Vec<(SnapshotEntry, String)>,
}

impl Work<'_> {
    fn read(&self, name: &str) -> Result<String> {
        Ok(std::fs::read_to_string(self.folder.content().join(name))?)
    }

    /// What rustc inlined deeper, if that was asked for already.
    fn read_deeper(&self) -> String {
        self.read(deeper::REFERENCE).unwrap_or_default()
    }

    /// The crate without macros; nothing where it is not understood.
    fn expanded(&self) -> Result<Option<Expanded>> {
        let run = runs::expanded(self.command, &self.folder.runs())?;
        if !run.succeeded() {
            return Ok(None);
        }
        Ok(Expanded::read(&String::from_utf8_lossy(&run.output.stdout)))
    }

    /// The engine cuts long names: the calls that begin so.
    fn spelled_out(&self, missing: &BTreeSet<String>, reference: &str) -> Result<BTreeSet<String>> {
        let (cut, whole): (Vec<&String>, Vec<&String>) =
            missing.iter().partition(|name| name.ends_with("..."));
        let mut found: BTreeSet<String> = whole.into_iter().cloned().collect();
        if !cut.is_empty() {
            let begins = |call: &&str| {
                let mut cut = cut.iter().map(|name| name.trim_end_matches("..."));
                cut.any(|name| call.starts_with(name))
            };
            let shipped = self.read(files::SHIPPED_CLOSED).unwrap_or_default();
            let deeper = self.read_deeper();
            let calls = calls_in(reference).chain(calls_in(&shipped));
            let calls = calls.chain(calls_in(&deeper));
            found.extend(calls.filter(begins).map(str::to_owned));
        }
        Ok(found)
    }

    /// Instances for these calls and those that the new bodies make. What is none is given back.
    fn add_instances(
        &mut self,
        items: &mut Items<'_>,
        calls: BTreeSet<String>,
    ) -> Result<BTreeSet<String>> {
        let mut left = BTreeSet::new();
        let mut open: Vec<String> = calls.into_iter().collect();
        let most = self.manifest.functions.len() + MOST_INSTANCES;
        while let Some(call) = open.pop() {
            if self.manifest.functions.len() > most || self.has(&call) {
                continue;
            }
            let found = items.find(&call);
            let texts = match found {
                Some(found) => self.add_instance(items, &call, found)?,
                None => None,
            };
            let Some(texts) = texts else {
                left.insert(call);
                continue;
            };
            open.extend(
                calls_in(&texts)
                    .filter(|c| c.contains('<'))
                    .map(str::to_owned),
            );
            for name in constants_in(&texts) {
                self.add_constant(items, &name)?;
            }
        }
        Ok(left)
    }

    fn has(&self, path: &str) -> bool {
        self.manifest.functions.iter().any(|f| f.path == path)
    }

    /// The instance's texts, before and after all passes; nothing where one of them cannot be made.
    fn add_instance(
        &mut self,
        items: &mut Items<'_>,
        call: &str,
        found: Found,
    ) -> Result<Option<String>> {
        let mut rule = Rule {
            names: vec![(found.path.clone(), call.to_owned())],
            closures: vec![],
            bindings: found.bindings,
            own_into: items.implements("Into"),
        };
        let number = self.manifest.functions.len();
        for closure in items.closures(&found.path) {
            let name = format!("{call}{}", &closure[found.path.len()..]);
            rule.names.push((closure.to_owned(), name));
            let ty = items.text(closure).and_then(closure_type);
            let Some(ty) = ty else { return Ok(None) };
            rule.closures
                .push((ty.to_owned(), format!("{ty}#{number}")));
        }
        let mut all = vec![];
        for (path, name) in &rule.names {
            match self.made(items, path, name, &rule)? {
                Some(made) => all.push(made),
                None => return Ok(None),
            }
        }
        if !self.without_projections(items, &mut all)? {
            return Ok(None);
        }
        let reference = self.read(files::REFERENCE)?;
        let mut texts = String::new();
        for made in all {
            let path = rule.names.iter().find(|(_, name)| *name == made.name);
            let promoted = path.map(|(path, name)| promoted(&reference, path, name, &rule));
            texts += &made.reference;
            made.after.iter().for_each(|(_, text)| texts += text);
            self.keep(made, &promoted.unwrap_or_default())?;
        }
        Ok(Some(texts))
    }

    fn made(&self, items: &Items<'_>, path: &str, name: &str, rule: &Rule) -> Result<Option<Made>> {
        let generic = self.manifest.functions.iter().find(|f| f.path == path);
        let reference = items
            .text(path)
            .and_then(|text| instance(text, path, name, rule));
        let (Some(generic), Some(reference)) = (generic, reference) else {
            return Ok(None);
        };
        let mut made = Made {
            name: name.to_owned(),
            reference,
            after: vec![],
        };
        let mut known: BTreeMap<&str, Option<String>> = BTreeMap::new();
        for snapshot in &generic.snapshots {
            if !known.contains_key(snapshot.closed.as_str()) {
                let source = self.read(&snapshot.closed)?;
                let text = instance(&source, path, name, rule);
                let text = text.map(|text| text + &allocations(&source));
                known.insert(&snapshot.closed, text);
            }
            match known.get(snapshot.closed.as_str()).cloned().flatten() {
                Some(text) => made.after.push((snapshot.clone(), text)),
                None => return Ok(None),
            }
        }
        Ok(Some(made))
    }

    /// Replaces the types that the bodies have by traits; false where one is not known.
    fn without_projections(&self, items: &Items<'_>, all: &mut [Made]) -> Result<bool> {
        // one may stand in another
        for _ in 0..3 {
            let texts = all.iter().flat_map(Made::texts);
            let found: BTreeSet<String> = texts.flat_map(|t| projection::projections(t)).collect();
            if found.is_empty() {
                return Ok(true);
            }
            let runs = self.folder.runs();
            let mut known = probe::normalised(self.command, self.manifest, &runs, &found)?;
            for text in &found {
                if let Some(ty) = projection::of_crate(items, text) {
                    known.insert(text.clone(), ty);
                }
            }
            if known.is_empty() {
                return Ok(false);
            }
            for made in all.iter_mut() {
                for text in made.texts_mut() {
                    for (projection, ty) in &known {
                        *text = projection::replaced(text, projection, ty);
                    }
                }
            }
        }
        Ok(false)
    }

    /// The constant of a trait under the name that the instance has for it.
    fn add_constant(&mut self, items: &mut Items<'_>, name: &str) -> Result<()> {
        let header = format!("\nconst {name}: ");
        let Some(found) = items.constant(name) else {
            return Ok(());
        };
        let rest = items
            .text(&found.path)
            .and_then(|t| t.strip_prefix(&found.path));
        if let Some(rest) = rest
            && !self.read(files::REFERENCE)?.contains(&header)
        {
            let rest = substitute(rest, &found.bindings);
            let promoted = Rule {
                names: vec![],
                closures: vec![],
                bindings: found.bindings,
                own_into: true,
            };
            let reference = self.read(files::REFERENCE)?;
            let path = found.path.trim_start_matches(CONST);
            let promoted = body_text::promoted(&reference, path, name, &promoted);
            self.publish(&format!("const {name}{rest}\n{promoted}"))?;
        }
        Ok(())
    }

    fn add_probe(&mut self, name: String, text: String, is_stand_in: bool) -> Result<()> {
        let passes = self.manifest.passes.iter();
        let after = passes.map(|pass| {
            let snapshot = SnapshotEntry {
                number: pass.number.clone(),
                index: pass.index,
                name: pass.name.clone(),
                shipped: files::SHIPPED.to_owned(),
                changed: false,
                closed: String::new(),
                closed_changed: false,
                closed_how: ClosedHow::Inlined,
            };
            (snapshot, text.clone())
        });
        let after = after.collect();
        let made = Made {
            name,
            reference: text,
            after,
        };
        self.keep(made, "")?;
        if let Some(function) = self.manifest.functions.last_mut() {
            function.is_stand_in = is_stand_in;
        }
        Ok(())
    }

    /// Each text once, and the function in the manifest.
    fn keep(&mut self, made: Made, promoted: &str) -> Result<()> {
        let folder = format!("instances/{:03}", self.manifest.functions.len());
        let mut file = format!("{folder}/reference.mir");
        let mut text = made.reference.clone();
        self.folder.keep(&file, &text)?;
        let mut snapshots = vec![];
        for (snapshot, new) in made.after {
            let closed_changed = new != text;
            if closed_changed {
                text = new;
                file = format!("{folder}/{}.{}.mir", snapshot.number, snapshot.name);
                self.folder.keep(&file, &text)?;
            }
            snapshots.push(SnapshotEntry {
                closed: file.clone(),
                closed_changed,
                ..snapshot
            });
        }
        self.manifest.functions.push(Function {
            path: made.name,
            called_as: None,
            of_impl: None,
            reference: None,
            is_instance: true,
            is_stand_in: false,
            may_be_generic: false,
            snapshots,
            line: None,
        });
        self.publish(&format!("{}{promoted}", made.reference))
    }

    /// In every text of the crate before optimization.
    fn publish(&mut self, text: &str) -> Result<()> {
        let functions = self.manifest.functions.iter();
        let mut references: BTreeSet<String> =
            functions.filter_map(|f| f.reference.clone()).collect();
        references.insert(files::REFERENCE.to_owned());
        for file in references {
            let whole = self.read(&file)?;
            self.folder.keep_whole(&file, &format!("{whole}\n{text}"))?;
        }
        self.added += text;
        Ok(())
    }
}

impl Made {
    fn texts(&self) -> impl Iterator<Item = &String> {
        let after = self.after.iter().map(|(_, text)| text);
        [&self.reference].into_iter().chain(after)
    }

    fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let after = self.after.iter_mut().map(|(_, text)| text);
        [&mut self.reference].into_iter().chain(after)
    }
}
