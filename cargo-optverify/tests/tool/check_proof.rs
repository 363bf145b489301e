//! `cargo optverify check-proof` and `--certify` on real proofs: they hold, and a changed one does not.

use crate::common;

use common::Project;
use serde_json::Value;

const SOURCE: &str = "use optverify::{any, verify};

struct Pair { a: u32, b: u32 }

impl Pair {
    fn step(&mut self) { self.a = self.a.wrapping_add(2); self.b = self.b.wrapping_add(2); }
}

#[verify]
pub fn together(n: u32) {
    let mut p = Pair { a: n, b: n };
    while any::<bool>() { p.step(); }
    assert!(p.a == p.b);
}

#[verify]
pub fn bounded(table: [u8; 8]) -> u8 {
    let mut best = 0;
    for i in 0..8 { if table[i] > best { best = table[i]; } }
    best
}
";

#[test]
fn proofs_of_every_snapshot_hold() {
    let project = Project::empty();
    project.file("f.rs", SOURCE);
    let ran = project.run(&["check-proof", "f.rs"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stdout.contains(" 0 refuted, 0 not checkable"),
        "{ran:?}"
    );
    let ran = project.run(&["f.rs", "--certify", "--no-native"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("the checker confirms"), "{ran:?}");
}

/// Reads a proof file, changes every lemma, seals it again.
fn change(project: &Project, lemma: impl Fn(&str) -> Option<String>) {
    let folder = project.path().join("proofs");
    let files = std::fs::read_dir(folder).expect("proofs").flatten();
    let path = files
        .map(|f| f.path())
        .find(|p| p.display().to_string().contains("together"));
    let path = path.expect("a proof");
    let text = std::fs::read_to_string(&path).expect("text");
    let mut envelope: Value = serde_json::from_str(&text).expect("JSON");
    let inside = envelope["proof"].as_str().expect("text");
    let mut proof: Value = serde_json::from_str(inside).expect("JSON");
    for snapshot in proof["snapshots"].as_array_mut().expect("snapshots") {
        let Some(cuts) = snapshot["claim"]["cuts"].as_array_mut() else {
            continue;
        };
        for cut in cuts {
            let lemmas = cut["lemmas"].as_array().expect("lemmas");
            let changed = lemmas
                .iter()
                .filter_map(|l| lemma(l.as_str().expect("text")));
            cut["lemmas"] = changed.collect::<Vec<String>>().into();
        }
    }
    let inside = proof.to_string();
    let sum = inside.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
        (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    envelope["checksum"] = format!("{sum:016x}").into();
    envelope["proof"] = inside.into();
    std::fs::write(&path, envelope.to_string()).expect("written");
}

#[test]
fn a_changed_proof_is_refuted() {
    let project = Project::empty();
    project.file("f.rs", SOURCE);
    let find = ["check-proof", "f.rs", "together", "--proofs", "proofs"];
    let stored = [&find[..], &["--stored"]].concat();
    assert_eq!(project.run(&find).code, 0);
    assert_eq!(project.run(&stored).code, 0);
    // dropped, and made stronger than it can be
    change(&project, |_| None);
    let ran = project.run(&stored);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(project.run(&find).code, 0);
    change(&project, |l| Some(format!("(and {l} false)")));
    assert_eq!(project.run(&stored).code, 1);
    // nothing there, nothing readable
    change(&project, |_| Some("(".into()));
    assert_eq!(project.run(&stored).code, 2);
    std::fs::remove_dir_all(project.path().join("proofs")).expect("removed");
    assert_eq!(project.run(&stored).code, 2);
}
