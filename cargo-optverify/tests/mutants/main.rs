//! Mutants: snapshots edited as a buggy optimizer would, each with a behaviour that differs in the interpreter.
//! Under `--refine` none may be called safe; the share that is found unsafe, rather than unknown, is printed.
//!
//! `OPTVERIFY_MUTANTS=500 cargo test --test mutants -- --nocapture` is the long run.

#[path = "../common/mod.rs"]
mod common;
mod mutate;
mod observe;

use mutate::Mutation;
use observe::Random;
use optverify_engine::capture::{Capture, Root, Snapshot};
use optverify_engine::mir::{self, MirFile};
use optverify_engine::pipeline::{self, Options, prepare_reference, prepare_snapshot};
use optverify_engine::program::Program;
use optverify_engine::program::Texts;
use optverify_engine::report::Verdict;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// A mutated snapshot that behaves differently.
struct Mutant {
    capture: Capture,
    root: Root,
    label: String,
    difference: String,
}

/// The capture with one snapshot only: the mutated text, right after the reference.
fn with_text(
    capture: &Capture,
    root: &Root,
    at: &Snapshot,
    text: &str,
    file: &Path,
) -> Option<Capture> {
    std::fs::write(file, text).expect("a file");
    let mut mutated = capture.clone();
    let functions = &mut mutated.info.functions;
    let function = functions.iter_mut().find(|f| f.path == root.function)?;
    function.snapshots.retain(|s| s.number == at.number);
    let entry = function.snapshots.first_mut()?;
    // An absolute path stands for itself.
    entry.closed = file.display().to_string();
    entry.closed_changed = true;
    Some(mutated)
}

/// Makes the mutant, if it can be lowered and a run shows a difference.
fn mutant(
    capture: &Capture,
    root: &Root,
    at: &Snapshot,
    mutation: &Mutation,
    reference: &(Program, MirFile),
    file: &Path,
) -> Option<Mutant> {
    let text = at.text().ok()?;
    let mut parsed = mir::parse_file(&text).ok()?;
    let mut bodies = parsed.bodies.iter_mut();
    let body = bodies.find(|b| *b.path == *root.function && b.kind == mir::BodyKind::Fn)?;
    if !mutation.apply(body) {
        return None;
    }
    let capture = with_text(capture, root, at, &parsed.to_string(), file)?;
    let snapshot = capture.snapshots(&root.function).ok()?.pop()?;
    let program =
        prepare_snapshot(&capture, root, &snapshot, &reference.1, Texts::AnyBytes).ok()?;
    let difference = observe::difference(&reference.0, &program.program, 7, 300)?;
    Some(Mutant {
        label: format!("{} after {}: {mutation:?}", root.name, at.name),
        capture,
        root: root.clone(),
        difference,
    })
}

#[derive(Default)]
struct Figures {
    found: usize,
    unknown: usize,
    called_safe: Vec<String>,
    reasons: BTreeMap<String, usize>,
    by_kind: BTreeMap<&'static str, (usize, usize)>,
}

fn judge(mutant: &Mutant, kind: &'static str, figures: &mut Figures) {
    let options = Options {
        timeout: Duration::from_secs(10),
        refine: true,
        ..Options::default()
    };
    let report = pipeline::verify_root(&mutant.capture, &mutant.root, &options, &mut |_| {});
    let counts = figures.by_kind.entry(kind).or_default();
    counts.0 += 1;
    match report.verdict {
        Verdict::Unsafe => {
            figures.found += 1;
            counts.1 += 1;
            assert_eq!(
                report.reference.verdict,
                Verdict::Safe,
                "{}: the reference is sound",
                mutant.label
            );
            assert!(report.counterexample.is_some(), "{}", mutant.label);
        }
        Verdict::Unknown => {
            figures.unknown += 1;
            let why = report.why.unwrap_or_default();
            println!("unknown: {}: {why}", mutant.label);
            *figures.reasons.entry(why).or_default() += 1;
        }
        Verdict::Safe => figures
            .called_safe
            .push(format!("{}: {}", mutant.label, mutant.difference)),
    }
}

#[test]
fn no_mutant_is_called_safe() {
    let wanted: usize = std::env::var("OPTVERIFY_MUTANTS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(40);
    let project = common::Project::empty();
    let subjects = project.file("subjects.rs", include_str!("data/subjects.rs"));
    let folder = project.path().join("capture");
    let ran = project.run(&[
        "capture",
        &subjects.display().to_string(),
        "-o",
        &folder.display().to_string(),
    ]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let capture = Capture::load(&folder).expect("the capture loads");

    // Everything that can be got wrong, in a random order that is always the same.
    let mut references = BTreeMap::new();
    let mut all: Vec<(usize, Snapshot, Mutation)> = vec![];
    for (r, root) in capture.roots().iter().enumerate() {
        let (prepared, file) =
            prepare_reference(&capture, root, Texts::AnyBytes).expect("a reference");
        references.insert(r, (prepared.program, file));
        for at in capture.snapshots(&root.function).expect("snapshots") {
            if !at.changed {
                continue;
            }
            let parsed = mir::parse_file(&at.text().expect("text")).expect("MIR");
            let mut bodies = parsed.bodies.iter();
            let body = bodies.find(|b| *b.path == *root.function && b.kind == mir::BodyKind::Fn);
            let body = body.expect("the root's body");
            let mutations = mutate::all(body);
            all.extend(mutations.into_iter().map(|m| (r, at.clone(), m)));
        }
    }
    let mut random = Random(2026);
    for i in (1..all.len()).rev() {
        all.swap(i, random.below(i + 1));
    }
    // Kinds take turns: there are many places for a wrong copy, and few for a wrong variant.
    let mut turns: BTreeMap<&str, usize> = BTreeMap::new();
    all.sort_by_cached_key(|(_, _, m)| {
        let turn = turns.entry(m.kind).or_default();
        *turn += 1;
        *turn
    });

    let mut figures = Figures::default();
    let (mut tried, mut judged) = (0, 0);
    for (r, at, mutation) in &all {
        if judged == wanted {
            break;
        }
        tried += 1;
        let root = &capture.roots()[*r];
        let file = folder.join(format!("mutant-{tried}.mir"));
        let made = mutant(&capture, root, at, mutation, &references[r], &file);
        if let Some(mutant) = made {
            judge(&mutant, mutation.kind, &mut figures);
            judged += 1;
        }
        let _ = std::fs::remove_file(&file);
    }
    let share = 100.0 * figures.found as f64 / judged.max(1) as f64;
    println!(
        "{judged} mutants that behave differently, of {tried} tried and {} possible: {} unsafe ({share:.1} %), \
         {} unknown, {} called safe",
        all.len(),
        figures.found,
        figures.unknown,
        figures.called_safe.len()
    );
    for (kind, (n, found)) in &figures.by_kind {
        println!("  {kind}: {found} of {n}");
    }
    for (why, n) in &figures.reasons {
        println!("  unknown, {n}: {why}");
    }
    assert!(figures.called_safe.is_empty(), "{:#?}", figures.called_safe);
    assert_eq!(judged, wanted, "too few mutants behave differently");
    assert!(share >= 90.0, "only {share:.1} % are found");
}
