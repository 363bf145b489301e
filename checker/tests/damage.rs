//! Damaged proof files, with checksums that are right: an answer without a panic, and `valid` only where the damage
//! left a proof.

#[path = "../../engine/tests/mutate/mod.rs"]
mod mutate;
mod small;

use mutate::{Random, damaged, each, rounds};
use optverify_checker::proof_file::parse;
use optverify_checker::{Verdict, check_proof};
use serde_json::json;
use small::{COUNT, capture, file, lemmas, sealed, settings};

#[test]
fn damaged_proofs_never_panic_and_never_prove_a_wrong_program() {
    let folder = tempfile::tempdir().expect("a folder");
    // one too many: no proof of this program is valid
    let wrong = COUNT.replacen("_3 = const 0_u32", "_3 = const 1_u32", 1);
    let capture = capture(folder.path(), &wrong);
    let places = json!({"_1": 32, "_2": 32, "_3": 32});
    let claim = lemmas(
        "bb1",
        &["(= |_1| (bvadd |_2| |_3|))", "(bvule |_3| |_1|)"],
        &places,
    );
    let whole = file(&claim);
    let envelope: serde_json::Value = serde_json::from_str(&whole).expect("JSON");
    let inside = envelope["proof"].as_str().expect("text").to_owned();
    let n = rounds(1200);
    each(n, move |seed| {
        let _kept = &folder;
        let mut random = Random(seed);
        let text = match random.below(5) {
            0 => damaged(&mut random, &whole),
            _ => sealed(&damaged(&mut random, &inside)),
        };
        let Ok(proof) = parse(&text) else { return };
        if let Ok(checked) = check_proof(&capture, &capture.roots()[0], &proof, &settings()) {
            for c in checked {
                assert!(
                    !matches!(c.verdict, Verdict::Valid { .. }),
                    "seed {seed}: {text}"
                );
            }
        }
    });
    println!("figure: damaged proof files (check-proof) | {n}, 0 panics, 0 valid");
}
