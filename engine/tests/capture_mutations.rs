//! Damaged and hostile capture folders: an error or an unknown, never a panic, never a file from elsewhere.

mod mutate;

use mutate::{Random, damaged, each, rounds};
use optverify_engine::capture::{self, Capture, CaptureError, Manifest, files, list_of, listed};
use optverify_engine::pipeline::{self, Options};
use optverify_engine::report::Verdict;
use serde_json::json;
use std::path::Path;
use std::time::Duration;

/// Counts down; the enum's number and the constant come from the facts.
const MIR: &str = r#"fn f(_1: u32, _2: E) -> u32 {
    let mut _0: u32;
    let mut _3: u32;
    let mut _4: bool;
    let mut _5: isize;

    bb0: {
        _3 = copy _1;
        _5 = discriminant(_2);
        switchInt(move _5) -> [0: bb1, 7: bb3, otherwise: bb4];
    }

    bb1: {
        _4 = Gt(copy _3, const 0_u32);
        switchInt(move _4) -> [0: bb3, otherwise: bb2];
    }

    bb2: {
        _3 = Sub(copy _3, const 1_u32);
        goto -> bb1;
    }

    bb3: {
        _0 = copy _3;
        return;
    }

    bb4: {
        unreachable;
    }
}
"#;

fn manifest() -> serde_json::Value {
    let pass = json!({"number": "3-2-001", "index": 1, "name": "P", "shipped": "shipped/f.mir", "changed": true,
        "closed": "shipped/f.mir", "closed_changed": true, "closed_how": "as shipped"});
    json!({
        "format_version": optverify_engine::capture::FORMAT_VERSION, "tool": "t",
        "compiler": {"version": "1.95.0", "commit_hash": "", "host": "", "verbose": ""},
        "target": "x86_64-unknown-linux-gnu", "pointer_width": 64, "package": "p", "crate_name": "p",
        "edition": "2021", "source_root": "", "source_file": "p.rs",
        "profile": {"name": "release", "opt_level": "3", "overflow_checks": false, "debug_assertions": false,
            "panic": "unwind"},
        "flags": [], "passes": [{"number": "3-2-001", "index": 1, "name": "P"}],
        "functions": [{"path": "f", "called_as": null, "snapshots": [pass]}], "notes": [],
        "roots": [{"name": "p::f", "function": "f", "file": "p.rs", "line": 1, "harness": false, "options": {}}],
    })
}

fn facts() -> serde_json::Value {
    json!({
        "enums": {"E": {"repr": "isize", "complete": true,
            "variants": [{"name": "A", "discr": "0"}, {"name": "B", "discr": "7"}]}},
        "consts": {"LIMIT": "8_usize"}, "type_sizes": {"E": {"size": 1, "align": 1}},
    })
}

/// The manifest as the tool writes it, and the file of its functions' snapshots.
fn laid_out(manifest: &serde_json::Value) -> (String, String) {
    let mut manifest: Manifest = serde_json::from_value(manifest.clone()).expect("a manifest");
    let (functions, lines) = capture::laid_out(&manifest.functions).expect("JSON");
    manifest.functions = functions;
    manifest.whole = [files::REFERENCE.to_owned()].into();
    (serde_json::to_string(&manifest).expect("JSON"), lines)
}

fn write(folder: &Path, manifest: &str, facts: &str, mir: &str) {
    let (lines, list) = (laid_out(&self::manifest()).1, listed(mir).expect("JSON"));
    write_all(folder, manifest, facts, mir, [&lines, &list]);
}

fn write_all(folder: &Path, manifest: &str, facts: &str, mir: &str, beside: [&str; 2]) {
    std::fs::create_dir_all(folder.join("shipped")).expect("a folder");
    for (name, text) in [
        (files::MANIFEST, manifest),
        (files::FACTS, facts),
        (files::SNAPSHOTS, beside[0]),
        (files::REFERENCE, mir),
        (&list_of(files::REFERENCE), beside[1]),
        ("shipped/f.mir", mir),
    ] {
        std::fs::write(folder.join(name), text).expect("a file");
    }
}

fn verified(capture: &Capture) -> Vec<Verdict> {
    let options = Options {
        timeout: Duration::from_secs(5),
        ..Options::default()
    };
    let roots = capture.roots().iter();
    roots
        .map(|root| pipeline::verify_root(capture, root, &options, &mut |_| {}).verdict)
        .collect()
}

#[test]
fn damaged_manifests_and_facts_never_panic() {
    let folder = tempfile::tempdir().expect("a folder");
    let ((manifest, lines), facts) = (laid_out(&manifest()), facts().to_string());
    let list = listed(MIR).expect("JSON");
    write(folder.path(), &manifest, &facts, MIR);
    let whole = Capture::load(folder.path()).expect("a capture");
    assert_eq!(verified(&whole), [Verdict::Safe]);
    let again = Capture::load_again(folder.path(), whole.stamp()).expect("a capture");
    assert_eq!(verified(&again), [Verdict::Safe]);
    let n = rounds(1500);
    each(n, move |seed| {
        let mut random = Random(seed);
        match random.below(4) {
            0 => write(folder.path(), &damaged(&mut random, &manifest), &facts, MIR),
            1 => write(folder.path(), &manifest, &damaged(&mut random, &facts), MIR),
            2 => {
                let (mut lines, mut list) = (lines.clone(), list.clone());
                match random.below(2) {
                    0 => lines = damaged(&mut random, &lines),
                    _ => list = damaged(&mut random, &list),
                }
                write_all(folder.path(), &manifest, &facts, MIR, [&lines, &list]);
            }
            // read as the MIR of another program, if it can be read at all
            _ => write(folder.path(), &manifest, &facts, &damaged(&mut random, MIR)),
        }
        match Capture::load(folder.path()) {
            Err(error) => assert!(!error.to_string().is_empty()),
            // as the process of a root does it, which has not looked at everything
            Ok(capture) => match Capture::load_again(folder.path(), capture.stamp()) {
                Err(error) => assert!(!error.to_string().is_empty()),
                Ok(again) => {
                    // a busy machine may be late
                    let agree = |(a, b)| a == b || [a, b].contains(&Verdict::Unknown);
                    let mut both = verified(&capture).into_iter().zip(verified(&again));
                    assert!(both.all(agree), "seed {seed}");
                }
            },
        }
    });
    println!("figure: damaged captures | {n}, 0 panics");
}

#[test]
fn deep_json_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    for open in ["[", "{\"a\":"] {
        let deep = open.repeat(500_000);
        write(folder.path(), &deep, &facts().to_string(), MIR);
        assert!(Capture::load(folder.path()).is_err());
        write(folder.path(), &manifest().to_string(), &deep, MIR);
        assert!(Capture::load(folder.path()).is_err());
    }
}

/// A process of a root reads one line of many: one that is another function's, or none, is an error, and never a function
/// that no pass changes.
#[test]
fn lines_in_wrong_places_are_errors() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut two = manifest();
    let mut other = two["functions"][0].clone();
    other["path"] = json!("g");
    two["functions"].as_array_mut().expect("a list").push(other);
    let (text, lines) = laid_out(&two);
    let (facts, list) = (facts().to_string(), listed(MIR).expect("JSON"));
    let right: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let places: Vec<_> = (0..2)
        .map(|i| right["functions"][i]["line"].clone())
        .collect();
    let first = places[0]["length"].as_u64().expect("a number");
    let load = |place: &serde_json::Value, lines: &str| {
        let mut manifest = right.clone();
        manifest["functions"][0]["line"] = place.clone();
        let manifest = manifest.to_string();
        write_all(folder.path(), &manifest, &facts, MIR, [lines, &list]);
        Capture::load(folder.path())
    };
    let whole = load(&places[0], &lines).expect("a capture");
    assert_eq!(verified(&whole), [Verdict::Safe]);
    let refused = |found: Result<Capture, CaptureError>| {
        use CaptureError::{Damaged, Inconsistent};
        matches!(found, Err(Damaged { .. } | Inconsistent { .. }))
    };
    assert!(refused(load(&places[1], &lines)));
    for place in [
        json!({"start": 0, "length": first - 1}),
        json!({"start": 1, "length": first}),
        json!({"start": 0, "length": 0}),
        json!({"start": u64::MAX, "length": u64::MAX}),
    ] {
        assert!(refused(load(&place, &lines)), "{place}");
    }
    assert!(refused(load(&places[0], "")));
    // and those that come between two loads
    let whole = load(&places[0], &lines).expect("a capture");
    std::thread::sleep(Duration::from_millis(50));
    std::fs::write(folder.path().join(files::SNAPSHOTS), &lines).expect("a file");
    let again = Capture::load_again(folder.path(), whole.stamp()).expect("the same manifest");
    assert!(matches!(
        again.snapshots("f"),
        Err(CaptureError::Changed { .. })
    ));
    assert_eq!(verified(&again), [Verdict::Unknown]);
    std::fs::remove_file(folder.path().join(files::SNAPSHOTS)).expect("a file");
    assert!(again.snapshots("f").is_err());
    assert!(refused(Capture::load(folder.path())));
}

/// A folder that names files of its owner's neighbours.
#[test]
fn files_elsewhere_are_not_read() {
    let outside = tempfile::tempdir().expect("a folder");
    write(
        outside.path(),
        &manifest().to_string(),
        &facts().to_string(),
        MIR,
    );
    let inside = outside.path().join("capture");
    let secret = outside.path().join("shipped/f.mir");
    let load = |manifest: &serde_json::Value| {
        write(&inside, &manifest.to_string(), &facts().to_string(), MIR);
        Capture::load(&inside)
    };
    assert!(load(&manifest()).is_ok());
    let refused = |capture: Result<Capture, CaptureError>| {
        matches!(capture, Err(CaptureError::Inconsistent { .. }))
    };
    let absolute = secret.display().to_string();
    for path in [
        "../shipped/f.mir",
        "shipped/../../shipped/f.mir",
        absolute.as_str(),
        "",
        "shipped",
        "./shipped/f.mir/..",
    ] {
        for field in ["shipped", "closed"] {
            let mut hostile = manifest();
            hostile["functions"][0]["snapshots"][0][field] = json!(path);
            assert!(refused(load(&hostile)), "{path}");
        }
    }
    #[cfg(unix)]
    for name in [
        "shipped/f.mir",
        files::REFERENCE,
        &list_of(files::REFERENCE),
        files::FACTS,
        files::SNAPSHOTS,
    ] {
        let manifest = laid_out(&manifest()).0;
        load(&serde_json::from_str(&manifest).expect("JSON")).expect("a capture");
        std::fs::remove_file(inside.join(name)).expect("a file");
        std::os::unix::fs::symlink(&secret, inside.join(name)).expect("a link");
        assert!(Capture::load(&inside).is_err(), "{name}");
        std::fs::remove_file(inside.join(name)).expect("a link");
    }
    // a device has no end
    #[cfg(unix)]
    {
        load(&manifest()).expect("a capture");
        let manifest = inside.join(files::MANIFEST);
        std::fs::remove_file(&manifest).expect("a file");
        std::os::unix::fs::symlink("/dev/zero", &manifest).expect("a link");
        assert!(Capture::load(&inside).is_err());
    }
}
