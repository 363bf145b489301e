//! The capture as a folder: what is in it, that it loads without a compiler, and that it is complete or
//! not there at all.

use crate::common;

use common::Project;
use optverify_engine::capture::{Capture, CaptureError, ClosedHow, FORMAT_VERSION, files};
use std::time::Duration;

const SOURCE: &str = r#"
use optverify::{any, assume, ensures, requires, verify, Any};

#[derive(Any, Clone, Copy)]
#[repr(u8)]
enum Signal { Off = 3, On(u8), Dim { by: u16 } = 9 }

const LIMIT: usize = 4 * 2;

#[inline(never)]
fn helper(x: u32) -> u32 { x.wrapping_mul(3) }

#[verify(timeout = "5s", expect = "unsafe")]
pub fn root(table: &[u32], n: u32) -> u32 {
    assume(n > 0);
    let mut sum = 0;
    for x in table.iter().take(LIMIT) { sum ^= helper(*x); }
    match any::<Signal>() { Signal::Off => sum, Signal::On(v) => v as u32, Signal::Dim { by } => by as u32 }
}

pub struct Counter(u32);

impl Counter {
    #[verify]
    #[requires(by < 100)]
    #[ensures(|ret| *ret <= 200)]
    pub fn add(&mut self, by: u32) -> u32 { self.0 % 100 + by }
}

impl std::ops::Not for Counter {
    type Output = Counter;
    #[verify]
    fn not(self) -> Counter { Counter(!self.0) }
}

#[verify(T = u8, N = 3)]
#[verify(T = i64, N = 1)]
pub fn last<T: Copy, const N: usize>(list: [T; N]) -> T { list[N - 1] }
"#;

fn captured(project: &Project) -> std::path::PathBuf {
    project.file("sample.rs", SOURCE);
    let ran = project.run(&["capture", "sample.rs", "-o", "capture"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    project.path().join("capture")
}

#[test]
fn everything_that_a_verifier_needs() {
    let project = Project::empty();
    let capture = Capture::load(captured(&project)).expect("a capture");
    assert!(capture.info.notes.is_empty(), "{:?}", capture.info.notes);
    assert_eq!(
        (
            capture.info.profile.opt_level.as_str(),
            capture.info.profile.overflow_checks
        ),
        ("3", false)
    );
    assert_eq!(capture.info.pointer_width, usize::BITS);

    let names: Vec<&str> = capture.roots().iter().map(|r| r.name.as_str()).collect();
    let expected = [
        "sample::root",
        "sample::Counter::add",
        "sample::<Counter as std::ops::Not>::not",
        "sample::last::<i64, 1>",
        "sample::last::<u8, 3>",
    ];
    assert_eq!(names, expected);
    let root = &capture.roots()[0];
    assert_eq!(
        (
            root.options["timeout"].as_str(),
            root.options["expect"].as_str()
        ),
        ("5s", "unsafe")
    );
    assert!(capture.roots()[1].harness && !root.harness);

    // the reference has no calls of std left, and says which values are arbitrary
    let reference = capture.reference_text("root").expect("the reference");
    let start = reference.find("fn root(").expect("the root");
    let body = &reference[start..start + reference[start..].find("\n}\n").expect("its end")];
    assert!(body.contains("optverify::nondet::any_u32()") && body.contains("assume_failed()"));
    assert!(
        !body.contains("= <std::") && !body.contains("::next("),
        "{body}"
    );

    // every pass, in order; texts that did not change are shared
    let snapshots = capture.snapshots("root").expect("snapshots");
    assert!(snapshots.len() > 25 && snapshots.windows(2).all(|w| w[0].index < w[1].index));
    assert!(snapshots.iter().any(|s| s.name == "GVN" && s.changed));
    assert!(
        snapshots
            .iter()
            .all(|s| s.closed_how != ClosedHow::NotClosed)
    );
    assert!(
        snapshots
            .iter()
            .any(|s| s.closed_how == ClosedHow::PrefixInlined)
    );
    let last = snapshots.last().expect("a snapshot");
    assert_eq!(last.name, "runtime-optimized");
    assert!(last.text().expect("its text").contains("fn root("));

    // a function that stays called is captured at the same stages, also under the name that calls print
    let helpers = capture.snapshots("helper").expect("snapshots");
    assert_eq!(helpers.len(), snapshots.len());
    assert!(capture.called("Counter::add").is_some());

    let signal = &capture.facts.enums["Signal"];
    let discrs: Vec<&str> = signal.variants.iter().map(|v| v.discr.as_str()).collect();
    assert_eq!(discrs, ["3", "4", "9"]);
    assert_eq!(
        capture.facts.enums["std::option::Option"].variants[1].name,
        "Some"
    );
    assert_eq!(capture.facts.consts["LIMIT"], "8_usize");
}

#[test]
fn damaged_captures_are_errors() {
    let project = Project::empty();
    let dir = captured(&project);
    let manifest = std::fs::read_to_string(dir.join(files::MANIFEST)).expect("the manifest");

    std::fs::remove_dir_all(dir.join("shipped")).expect("snapshots");
    assert!(matches!(
        Capture::load(&dir),
        Err(CaptureError::Inconsistent { .. })
    ));
    std::fs::write(dir.join(files::MANIFEST), &manifest[..manifest.len() / 2]).expect("write");
    assert!(matches!(
        Capture::load(&dir),
        Err(CaptureError::Damaged { .. })
    ));
    let format = format!("\"format_version\":{FORMAT_VERSION}");
    let other = manifest.replacen(&format, "\"format_version\":99", 1);
    std::fs::write(dir.join(files::MANIFEST), other).expect("write");
    assert!(matches!(
        Capture::load(&dir),
        Err(CaptureError::OtherFormat { found: 99, .. })
    ));
    assert!(matches!(
        Capture::load(project.path().join("nowhere")),
        Err(CaptureError::Missing { .. })
    ));

    let ran = project.run(&["list", "--from-capture", "capture"]);
    assert_eq!(ran.code, 101, "{ran:?}");
    assert!(ran.stderr.contains("capture again"), "{ran:?}");
}

#[test]
fn a_killed_capture_leaves_nothing_half_made() {
    let project = Project::empty();
    project.file("sample.rs", SOURCE);
    // the first run fills the caches, so that the kills hit the capture itself
    captured(&project);
    for wait in [40, 90, 140, 190, 260] {
        let mut child = project
            .tool(&["capture", "sample.rs", "-o", "killed"])
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("the tool starts");
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        let dir = project.path().join("killed");
        if dir.exists() {
            Capture::load(&dir).expect("a capture that is there is complete");
        }
    }
    assert_eq!(
        project.run(&["capture", "sample.rs", "-o", "killed"]).code,
        0
    );
    Capture::load(project.path().join("killed")).expect("the next run captures");
    // and cleans up after the killed ones
    let left = std::fs::read_dir(project.path())
        .expect("the folder")
        .flatten();
    let left: Vec<String> = left
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect();
    assert!(
        left.iter().all(|name| !name.starts_with(".optverify")),
        "{left:?}"
    );
}

/// Of many wanted functions every second pass is dumped, of few every one.
#[test]
fn a_function_has_among_many_the_passes_that_it_has_alone() {
    const ONE: &str = "#[optverify::verify]\npub fn one(v: &[u8], n: usize) -> u32 {\n    let mut s = 0u32;\n    for x in v { s = s.wrapping_add(*x as u32) / 3; }\n    if n < v.len() { s ^ v[n] as u32 } else { s }\n}\n";
    let project = Project::empty();
    let passes = |name: &str, source: &str| -> Vec<_> {
        project.file("sample.rs", source);
        let ran = project.run(&["capture", "sample.rs", "-o", name]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let capture = Capture::load(project.path().join(name)).expect("a capture");
        let snapshots = capture.snapshots("one").expect("snapshots");
        let told = snapshots.into_iter().map(|s| {
            let text = s.shipped_text().expect("a text");
            (s.number, s.name, s.changed, s.shipped_changed, text)
        });
        told.collect()
    };
    let other = |i: u32| format!("#[optverify::verify]\npub fn f{i}(a: u32) -> u32 {{ a / 7 }}\n");
    let others: String = (0..30).map(other).collect();
    let alone = passes("alone", ONE);
    assert!(alone.len() > 25 && alone.iter().filter(|p| p.3).count() > 3);
    assert_eq!(passes("many", &format!("{ONE}{others}")), alone);
}
