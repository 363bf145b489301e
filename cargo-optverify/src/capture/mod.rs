//! The writing side of a capture: runs the user's compiler again on the same command line, and keeps its
//! MIR as a folder of plain text (`optverify_engine::capture` reads it).
//!
//! The runs, in order:
//! 1. *closed*: nothing optimized, everything inlined: the reference, and the survey that finds the roots;
//! 2. *shipped* and *shipped-closed*, in parallel: the user's own pipeline, dumped after every pass, as
//!    it ships and with unlimited inlining;
//! 3. one *prefix* run for each pass before the inliner that changed something: std's generics cannot be
//!    inlined there by the shipped pipeline itself;
//! 4. where a root still has calls that nobody knows: instances of generic bodies (`instances`), and compiles with
//!    forwarders around it (`deeper`).

pub mod close;
pub mod command;
pub mod compiler;
pub mod deeper;
pub mod dumps;
pub mod facts;
pub mod folder;
pub mod instances;
pub mod mir_text;
pub mod passes;
pub mod reach;
pub mod roots;
pub mod runs;
pub mod shared;
pub mod single_file;
pub mod snapshots;
pub mod survey;
pub mod twins;

use anyhow::{Context, Result};
use command::RustcCommand;
use optverify_engine::capture::{FORMAT_VERSION, Facts, Function, Manifest, Root, files};
use reach::Reach;
use std::collections::BTreeSet;
use std::path::Path;

/// What a capture needs to know beside the compiler's command line.
pub struct Request<'a> {
    pub command: &'a RustcCommand,
    pub package: &'a str,
    pub profile: &'a str,
    /// Where answers of the compiler are kept from one capture to the next.
    pub cache: &'a Path,
    /// Every function is a root, not only those with `#[verify]`.
    pub all_functions: bool,
    /// The names of the roots that are asked for; all, if there are none.
    pub only: &'a [String],
}

pub enum Outcome {
    Captured,
    /// The crate does not compile; what rustc says about it.
    DoesNotCompile {
        stderr: Vec<u8>,
    },
}

/// What to do about errors that the attributes are to blame for: a macro cannot see that its function stands in an impl.
pub fn help(stderr: &[u8]) -> Option<&'static str> {
    let text = String::from_utf8_lossy(stderr);
    let by_macro = text.contains("E0425") && text.contains("attribute macro `verify`");
    by_macro.then_some(
        "help: an associated function with a contract that mentions neither `self` nor `Self` needs `#[verify(associated)]`\n",
    )
}

/// Captures one crate into `dir`, which appears complete or not at all.
pub fn capture(request: &Request<'_>, dir: &Path) -> Result<Outcome> {
    capture_roots(request, dir, None)
}

/// Does `#[verify(overflow = ..)]` ask for this setting?
fn asks_for_checks(root: &Root, checks: bool) -> bool {
    let word = root.options.get("overflow").map(String::as_str);
    word == Some(if checks { "check" } else { "wrap" })
}

/// `other_checks`: this is the capture for the roots that ask for another setting of overflow checks than
/// the profile's, and the compile has that setting.
fn capture_roots(request: &Request<'_>, dir: &Path, other_checks: Option<bool>) -> Result<Outcome> {
    let command = request.command;
    let folder = folder::Scratch::beside(dir)?;
    let runs_dir = folder.runs();
    let (closed, described) = std::thread::scope(|scope| {
        // who the compiler is has nothing to do with what it compiles
        let described = scope.spawn(|| describe(request));
        let closed = runs::closed(command, &runs_dir, runs::REFERENCE, &[]);
        (closed, joined(described))
    });
    let closed = closed?;
    if !closed.succeeded() {
        return Ok(Outcome::DoesNotCompile {
            stderr: closed.output.stderr,
        });
    }
    let mut manifest = described.context("could not ask the compiler for its version")?;

    let reference_file = closed.mir_file(command);
    let reference = crate::capture::mir_text::read(&reference_file)
        .with_context(|| format!("rustc wrote no {}", reference_file.display()))?;
    let reference = twins::told_apart(reference);
    folder.keep_whole(files::REFERENCE, &reference)?;
    folder.make_room(reference.len())?;
    let runs_dir = folder.runs();
    manifest.roots = roots::find(&reference, &command.current_dir);
    if let Some(checks) = other_checks {
        manifest.roots.retain(|root| asks_for_checks(root, checks));
    } else {
        let other = !manifest.profile.overflow_checks;
        if manifest
            .roots
            .iter()
            .any(|root| asks_for_checks(root, other))
        {
            let mut command = command.clone();
            let setting = if other { "on" } else { "off" };
            command.args.push(format!("-Coverflow-checks={setting}"));
            let request = Request {
                command: &command,
                ..*request
            };
            capture_roots(
                &request,
                &folder.content().join(files::OTHER_OVERFLOW),
                Some(other),
            )?;
            manifest.roots.retain(|root| !asks_for_checks(root, other));
        }
    }
    let marked: BTreeSet<String> = (manifest.roots.iter())
        .map(|r| r.function.clone())
        .collect();
    let bodies = mir_text::functions(&reference);
    if request.all_functions && other_checks.is_none() {
        let marked = std::mem::take(&mut manifest.roots);
        let name = &manifest.crate_name;
        let survey = survey::all_functions(&bodies, marked, name, &command.current_dir);
        (manifest.roots, manifest.left_out) = (survey.roots, survey.left_out);
    }
    // a contract may stand for a call in any other root
    let asked = |root: &Root| {
        request
            .only
            .iter()
            .any(|name| crate::source::matches(root, name))
    };
    if manifest.roots.iter().any(asked) && !manifest.roots.iter().any(|root| root.harness) {
        manifest.roots.retain(asked);
    }
    let reach = Reach::of(&bodies, &mir_text::constants(&reference));
    let wanted = reach.from(manifest.roots.iter().map(|root| root.function.as_str()));

    let enums_cache = request.cache.join(format!(
        "foreign-enums-2-{}-{}.json",
        manifest.compiler.commit_hash, manifest.target
    ));
    if !manifest.roots.is_empty() {
        let dumped = passes::Wanted {
            functions: &wanted,
            n_bodies: bodies.len(),
        };
        let (shipped, shipped_closed, facts) = std::thread::scope(|scope| {
            let dir = runs_dir.join("closed");
            let dumped = &dumped;
            let closed =
                scope.spawn(move || passes::dumped(command, &dir, dumped, runs::shipped_closed));
            let facts =
                scope.spawn(|| facts::collect(command, &runs_dir, &reference, &enums_cache));
            (
                passes::dumped(command, &runs_dir.join("shipped"), dumped, runs::shipped),
                joined(closed),
                joined(facts),
            )
        });
        folder.keep(files::FACTS, &serde_json::to_string_pretty(&facts?)?)?;
        snapshots::assemble(snapshots::Material {
            command,
            folder: &folder,
            reference: &reference,
            wanted: &wanted,
            called_as: called_as(&wanted, &bodies, &command.current_dir),
            shipped: shipped?,
            shipped_closed: shipped_closed?,
            manifest: &mut manifest,
        })?;
    } else {
        folder.keep(
            files::FACTS,
            &serde_json::to_string_pretty(&Facts::default())?,
        )?;
    }
    folder.keep_manifest(&manifest)?;
    if !manifest.roots.is_empty() {
        let added = instances::add(command, &folder, &enums_cache, &mut manifest)?;
        let marked = (&marked, added.as_str());
        deeper::deepen(command, &folder, &enums_cache, marked, &mut manifest)?;
        folder.keep_manifest(&manifest)?;
        if manifest.functions.iter().any(|f| f.reference.is_some()) {
            instances::add(command, &folder, &enums_cache, &mut manifest)?;
        }
    }
    folder.publish(dir)?;
    Ok(Outcome::Captured)
}

/// A thread's result; its panic is ours.
fn joined<T>(thread: std::thread::ScopedJoinHandle<'_, T>) -> T {
    thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// The manifest without what the runs will tell.
fn describe(request: &Request<'_>) -> Result<Manifest> {
    let command = request.command;
    let compiler = compiler::identify(&command.rustc)?;
    let configuration = compiler::configuration(command)?;
    Ok(Manifest {
        format_version: FORMAT_VERSION,
        tool: env!("CARGO_PKG_VERSION").to_owned(),
        target: command
            .value("--target")
            .unwrap_or(&compiler.host)
            .to_owned(),
        compiler,
        pointer_width: configuration.pointer_width,
        package: request.package.to_owned(),
        crate_name: command.crate_name().to_owned(),
        edition: command.value("--edition").unwrap_or("2015").to_owned(),
        source_root: command.current_dir.display().to_string(),
        source_file: command.source_file().unwrap_or_default().to_owned(),
        profile: compiler::profile(request.profile, command, &configuration),
        flags: command.args.clone(),
        passes: Vec::new(),
        functions: Vec::new(),
        roots: Vec::new(),
        whole: BTreeSet::new(),
        left_out: Vec::new(),
        notes: Vec::new(),
    })
}

/// `S` of `S<'a>`: the engine drops lifetimes.
fn plain_type(ty: &str) -> &str {
    let (name, list) = ty.split_once('<').unwrap_or((ty, ""));
    let lifetimes = list.trim_end_matches('>').split(',');
    match lifetimes.map(str::trim).all(|part| part.starts_with('\'')) {
        true => name,
        false => ty,
    }
}

/// How calls print the functions of impls: `Foo::get` for `<impl at src/lib.rs:3:1: 3:16>::get`.
fn called_as(
    wanted: &BTreeSet<String>,
    bodies: &[mir_text::BodyText<'_>],
    source_root: &Path,
) -> Vec<Function> {
    let mut generic = instances::Generic::new(bodies, source_root);
    wanted
        .iter()
        .map(|path| {
            let header =
                roots::impl_of(path).and_then(|span| roots::any_impl_header(span, source_root));
            let name = mir_text::last_segment(path);
            let module = path
                .rsplit_once("<impl at ")
                .map_or("", |(module, _)| module);
            // The header's names are those of its module; calls print whole paths. Of a trait's impl inside a
            // module nobody knows which trait and type of that name are meant.
            let called_as = header.as_ref().and_then(|header| match &header.trait_path {
                None => Some(format!("{module}{}::{name}", plain_type(&header.type_path))),
                Some(_) if module.is_empty() => Some(format!("{}::{name}", roots::owner(header))),
                Some(_) => None,
            });
            Function {
                path: path.clone(),
                called_as,
                of_impl: header.clone(),
                reference: None,
                is_instance: false,
                is_stand_in: false,
                may_be_generic: path.contains("::{closure")
                    && !generic.is_plain(path, header.as_ref()),
                snapshots: Vec::new(),
                line: None,
            }
        })
        .collect()
}
