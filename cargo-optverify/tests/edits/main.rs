//! Realistic edits to proven functions: each starts from the proof of the function as it was. Printed: how the old proof
//! got through, and the time beside that of a proof from scratch.

#[path = "../common/mod.rs"]
mod common;

use common::Project;
use optverify_engine::capture::Capture;
use optverify_engine::pipeline::{self, Options};
use optverify_engine::report::{How, RootReport, Verdict};
use std::path::Path;
use std::time::Duration;

struct Edit {
    what: &'static str,
    root: &'static str,
    /// Replacements, in order.
    changes: &'static [(&'static str, &'static str)],
    expect: Verdict,
}

const fn safe(
    what: &'static str,
    root: &'static str,
    changes: &'static [(&'static str, &'static str)],
) -> Edit {
    Edit {
        what,
        root,
        changes,
        expect: Verdict::Safe,
    }
}

const EDITS: &[Edit] = &[
    safe(
        "a comment",
        "count_up_down",
        &[("let mut x = n;", "let mut x = n; // down from here")],
    ),
    safe(
        "a variable renamed",
        "count_up_down",
        &[
            ("y == n", "ups == n"),
            ("y += 1", "ups += 1"),
            ("let mut y", "let mut ups"),
        ],
    ),
    safe(
        "statements swapped",
        "count_up_down",
        &[("x -= 1;\n        y += 1;", "y += 1;\n        x -= 1;")],
    ),
    safe(
        "another condition",
        "count_up_down",
        &[("while x > 0", "while x != 0")],
    ),
    safe(
        "an assertion in the loop",
        "count_up_down",
        &[("x -= 1;", "assert!(y < n);\n        x -= 1;")],
    ),
    safe(
        "a wider type",
        "count_up_down",
        &[
            ("n: u32", "n: u64"),
            ("0u32;\n    while x > 0", "0u64;\n    while x > 0"),
        ],
    ),
    safe(
        "a counter more",
        "count_up_down",
        &[
            (
                "let mut y = 0u32;",
                "let mut y = 0u32;\n    let mut odd = false;",
            ),
            ("y += 1;", "y += 1;\n        odd = !odd;"),
        ],
    ),
    safe(
        "an early return",
        "count_up_down",
        &[(
            "let mut x = n;",
            "if n == 7 {\n        return;\n    }\n    let mut x = n;",
        )],
    ),
    Edit {
        what: "a bug: one too many",
        root: "count_up_down",
        changes: &[("y == n", "y == n + 1")],
        expect: Verdict::Unsafe,
    },
    safe(
        "another constant",
        "tickets",
        &[("1000u32", "5000u32"), ("== 1000", "== 5000")],
    ),
    safe(
        "min by the library",
        "tickets",
        &[(
            "if wanted < left { wanted } else { left }",
            "wanted.min(left)",
        )],
    ),
    safe(
        "a branch more",
        "tickets",
        &[(
            "i += 1;\n    }\n    assert!(sold",
            "if sold > 900 {\n            break;\n        }\n        i += 1;\n    }\n    assert!(sold",
        )],
    ),
    safe(
        "the sum by another way",
        "tickets",
        &[("left -= take;", "left = 1000 - sold;")],
    ),
    safe(
        "a stronger assertion",
        "lock",
        &[(
            "assert!(holders <= 1);",
            "assert!(holders <= 1);\n        assert!(locked == (holders == 1));",
        )],
    ),
    safe(
        "a helper function",
        "lock",
        &[
            ("holders += 1;", "holders = more(holders);"),
            (
                "fn main()",
                "fn more(n: u8) -> u8 {\n    n + 1\n}\n\nfn main()",
            ),
        ],
    ),
    Edit {
        what: "a bug: released twice",
        root: "lock",
        changes: &[(
            "locked = false;\n            holders -= 1;",
            "holders -= 1;",
        )],
        expect: Verdict::Unsafe,
    },
    safe(
        "a larger buffer",
        "ring",
        &[("[0u8; 8]", "[0u8; 16]"), ("at == 8", "at == 16")],
    ),
    safe(
        "remainder instead of a branch",
        "ring",
        &[(
            "at += 1;\n        if at == 8 {\n            at = 0;\n        }",
            "at = (at + 1) % 8;",
        )],
    ),
    safe(
        "another step",
        "even",
        &[("wrapping_add(2)", "wrapping_add(6)")],
    ),
    safe(
        "two steps in one round",
        "even",
        &[(
            "i += 1;\n    }\n    assert!(a",
            "a = a.wrapping_add(4);\n        i += 1;\n    }\n    assert!(a",
        )],
    ),
];

fn capture(project: &Project, source: &str) -> Capture {
    let file = project.file("edited.rs", source);
    let folder = project.path().join("capture");
    let _ = std::fs::remove_dir_all(&folder);
    let (file, out) = (file.display().to_string(), folder.display().to_string());
    let ran = project.run(&["capture", &file, "-o", &out]);
    assert_eq!(ran.code, 0, "{ran:?}");
    Capture::load(&folder).expect("the capture loads")
}

fn verify(capture: &Capture, root: &str, store: Option<&Path>) -> RootReport {
    let mut roots = capture.roots().iter();
    let root = roots
        .find(|r| r.name.ends_with(&format!("::{root}")))
        .expect("the root");
    let options = Options {
        timeout: Duration::from_secs(30),
        store: store.map(Path::to_path_buf),
        ..Options::default()
    };
    pipeline::verify_root(capture, root, &options, &mut |_| {})
}

#[test]
fn an_edit_starts_from_the_last_proof() {
    let base = include_str!("data/base.rs");
    let project = Project::empty();
    let first = capture(&project, base);
    let names: Vec<String> = first.roots().iter().map(|r| r.name.clone()).collect();
    let store = project.path().join("proofs");
    for name in &names {
        let name = name.rsplit("::").next().expect("a name");
        let report = verify(&first, name, Some(&store));
        assert_eq!(report.verdict, Verdict::Safe, "{name}: {:?}", report.why);
        assert_eq!(report.reference.how, None, "{name}: nothing was stored yet");
    }
    let kept = |to: &Path| {
        let _ = std::fs::remove_dir_all(to);
        std::fs::create_dir_all(to).expect("a folder");
        for file in std::fs::read_dir(&store).expect("the store") {
            let file = file.expect("a file").path();
            std::fs::copy(&file, to.join(file.file_name().expect("a name"))).expect("a copy");
        }
    };
    let mut carried = 0;
    println!(
        "{:<32} {:<14} {:<8} {:<12} {:>8} {:>10}",
        "edit", "root", "verdict", "how", "ms", "scratch ms"
    );
    for edit in EDITS {
        let mut source = base.to_string();
        for (from, to) in edit.changes {
            assert!(source.contains(from), "{}: `{from}`", edit.what);
            source = source.replacen(from, to, 1);
        }
        let edited = capture(&project, &source);
        let own = project.path().join("edited-proofs");
        kept(&own);
        let report = verify(&edited, edit.root, Some(&own));
        let scratch = verify(&edited, edit.root, None);
        let how = report.reference.how;
        println!(
            "{:<32} {:<14} {:<8} {:<12} {:>8} {:>10}",
            edit.what,
            edit.root,
            report.verdict.as_str(),
            how.map_or(String::new(), |h| format!("{h:?}").to_lowercase()),
            report.reference.ms,
            scratch.reference.ms
        );
        assert_eq!(
            report.verdict, edit.expect,
            "{}: {:?}",
            edit.what, report.why
        );
        assert!(report.notes.is_empty(), "{}: {:?}", edit.what, report.notes);
        carried += usize::from(matches!(
            how,
            Some(How::Unchanged | How::Adapted | How::Strengthened)
        ));
        if edit.what == "a comment" {
            assert_eq!(how, Some(How::Unchanged), "a comment changes no program");
        }
        if edit.expect == Verdict::Unsafe {
            assert_eq!(
                how,
                Some(How::Reverified),
                "{}: no old proof may help",
                edit.what
            );
        }
    }
    println!("{carried} of {} edits from the last proof", EDITS.len());
    assert!(
        carried >= 12,
        "only {carried} edits start from the last proof"
    );

    // A damaged store costs a note, never a verdict.
    for file in std::fs::read_dir(&store).expect("the store") {
        std::fs::write(file.expect("a file").path(), "{\"format_version\":1,").expect("written");
    }
    let report = verify(&first, "even", Some(&store));
    assert_eq!(report.verdict, Verdict::Safe);
    assert_eq!(report.notes.len(), 1, "{:?}", report.notes);
}
