//! Claims about small MIR programs: each accepted one has twins that must fail, and no hostile file is ever valid.

mod small;

use optverify_checker::proof_file::parse;
use optverify_checker::{Verdict, check_proof, check_root};
use serde_json::{Value, json};
use small::{COUNT, capture, file, lemmas, sealed, settings};

/// Adds to a number behind a reference, by a call in a loop.
const CALL: &str = r#"fn step(_1: &mut u32) -> () {
    let mut _0: ();

    bb0: {
        (*_1) = Add(copy (*_1), const 2_u32);
        return;
    }
}

fn f() -> () {
    let mut _0: ();
    let mut _1: u32;
    let mut _2: &mut u32;
    let _3: ();
    let mut _4: u32;
    let mut _5: bool;
    let mut _6: !;

    bb0: {
        _1 = const 0_u32;
        _2 = &mut _1;
        goto -> bb1;
    }

    bb1: {
        _3 = step(copy _2) -> [return: bb2, unwind continue];
    }

    bb2: {
        _4 = BitAnd(copy _1, const 1_u32);
        switchInt(copy _4) -> [0: bb1, otherwise: bb3];
    }

    bb3: {
        _6 = core::panicking::panic(const "odd") -> unwind continue;
    }
}
"#;

/// Fills an array; the index is checked by nobody.
const ARRAY: &str = r#"fn f(_1: u32) -> () {
    let mut _0: ();
    let mut _2: [u32; 4];
    let mut _3: usize;
    let mut _4: bool;
    let mut _5: bool;
    let mut _6: bool;
    let mut _7: u32;
    let mut _8: !;

    bb0: {
        _2 = [const 0_u32; 4];
        _3 = const 0_usize;
        goto -> bb1;
    }

    bb1: {
        _4 = Lt(copy _3, const 4_usize);
        switchInt(move _4) -> [0: bb4, otherwise: bb2];
    }

    bb2: {
        _5 = Lt(copy _3, const 4_usize);
        assert(move _5, "index out of bounds: the length is {} but the index is {}", const 4_usize, copy _3) -> [success: bb3, unwind continue];
    }

    bb3: {
        _2[_3] = copy _1;
        _3 = Add(copy _3, const 1_usize);
        goto -> bb1;
    }

    bb4: {
        _3 = const 3_usize;
        _7 = copy _2[_3];
        _6 = Eq(copy _7, copy _1);
        switchInt(move _6) -> [0: bb6, otherwise: bb5];
    }

    bb5: {
        return;
    }

    bb6: {
        _8 = core::panicking::panic(const "not filled") -> unwind continue;
    }
}
"#;

fn checked(mir: &str, claim: &Value) -> Verdict {
    let folder = tempfile::tempdir().expect("a folder");
    let capture = capture(folder.path(), mir);
    let proof = parse(&file(claim)).expect("a proof file");
    let snapshots = check_proof(&capture, &capture.roots()[0], &proof, &settings());
    snapshots.expect("snapshots")[0].verdict.clone()
}

fn is_valid(v: &Verdict) -> bool {
    matches!(v, Verdict::Valid { .. })
}

fn is_refuted(v: &Verdict) -> bool {
    matches!(v, Verdict::Refuted(_))
}

#[test]
fn a_loop_with_its_lemma() {
    let places = json!({"_1": 32, "_2": 32, "_3": 32});
    let good = ["(= |_1| (bvadd |_2| |_3|))"];
    let claim = lemmas("bb1", &good, &places);
    let verdict = checked(COUNT, &claim);
    assert!(is_valid(&verdict), "{verdict:?}");
    // twins: the lemma dropped, not inductive, not initial, too strong
    for bad in [
        &[][..],
        &["(bvule |_3| |_1|)"],
        &["(= |_1| (bvadd |_2| |_3|))", "(= |_3| (_ bv0 32))"],
        &["(= |_1| (bvadd |_2| |_3|))", "(not (= |_2| |_1|))"],
        &["false"],
    ] {
        let verdict = checked(COUNT, &lemmas("bb1", bad, &places));
        assert!(is_refuted(&verdict), "{bad:?}: {verdict:?}");
    }
    // twins: the program changed under a good claim
    for (from, to) in [
        ("_3 = const 0_u32", "_3 = const 1_u32"),
        ("Sub(copy _2, const 1_u32)", "Sub(copy _2, const 2_u32)"),
        ("_5 = Eq(copy _3", "_5 = Ne(copy _3"),
    ] {
        let verdict = checked(&COUNT.replacen(from, to, 1), &claim);
        assert!(is_refuted(&verdict), "{to}: {verdict:?}");
    }
    // a lemma about a place that nothing was written to may be right or wrong, and does not count
    let verdict = checked(&COUNT.replacen("_2 = copy _1;", "nop;", 1), &claim);
    assert!(matches!(verdict, Verdict::NotCheckable(_)), "{verdict:?}");
}

#[test]
fn a_loop_must_be_cut_where_runs_go_round() {
    let places = json!({"_1": 32, "_2": 32, "_3": 32});
    let good = ["(= |_1| (bvadd |_2| |_3|))"];
    let uncut = json!({"kind": "inductive", "cuts": [], "places": {}});
    assert!(is_refuted(&checked(COUNT, &uncut)));
    // elsewhere on the loop it is as good, after it is not
    assert!(is_valid(&checked(
        COUNT,
        &lemmas(
            "bb2",
            &["(= |_1| (bvadd |_2| |_3|))", "(not (= |_2| (_ bv0 32)))"],
            &places
        )
    )));
    assert!(!is_valid(&checked(COUNT, &lemmas("bb3", &good, &places))));
    for nowhere in ["bb9", "bb0/bb1", "b1", "", "bb1/"] {
        let verdict = checked(COUNT, &lemmas(nowhere, &good, &places));
        assert!(
            matches!(verdict, Verdict::NotCheckable(_)),
            "{nowhere}: {verdict:?}"
        );
    }
    // a loop without a second round needs no cut
    let once = COUNT.replacen("_2 = copy _1;", "_2 = const 0_u32;", 1);
    let once = once.replacen(
        "_5 = Eq(copy _3, copy _1)",
        "_5 = Eq(copy _3, const 0_u32)",
        1,
    );
    assert!(is_valid(&checked(&once, &uncut)));
}

#[test]
fn calls_and_references() {
    let lemma = ["(= ((_ extract 0 0) |_1|) (_ bv0 1))"];
    let claim = lemmas("bb1", &lemma, &json!({"_1": 32}));
    assert!(is_valid(&checked(CALL, &claim)));
    assert!(is_refuted(&checked(CALL, &lemmas("bb1", &[], &json!({})))));
    assert!(is_refuted(&checked(
        &CALL.replacen("const 2_u32", "const 3_u32", 1),
        &claim
    )));
    // a reference that changes its target is not followed, and never taken for the old one
    let other = CALL
        .replacen(
            "    let _3: ();",
            "    let _3: ();\n    let mut _7: u32;",
            1,
        )
        .replacen(
            "_4 = BitAnd",
            "_7 = const 1_u32;\n        _2 = &mut _7;\n        _4 = BitAnd",
            1,
        );
    assert!(!is_valid(&checked(&other, &claim)));
    // inside the callee, too
    let inside = lemmas("bb1/bb0", &lemma, &json!({"_1": 32}));
    assert!(is_valid(&checked(CALL, &inside)));
}

#[test]
fn arrays_by_their_elements() {
    let places = json!({"_1": 32, "_2[]": 32, "_3": 64});
    let filled =
        "(forall ((|i| (_ BitVec 64))) (or (not (bvult |i| |_3|)) (= (select |_2[]| |i|) |_1|)))";
    let claim = lemmas("bb1", &[filled, "(bvule |_3| (_ bv4 64))"], &places);
    let verdict = checked(ARRAY, &claim);
    assert!(is_valid(&verdict), "{verdict:?}");
    let reversed = "(forall ((|i| (_ BitVec 64))) (= (select |_2[]| |i|) |_1|))";
    assert!(!is_valid(&checked(
        ARRAY,
        &lemmas("bb1", &[reversed, "(bvule |_3| (_ bv4 64))"], &places)
    )));
    let beyond = ARRAY.replacen(
        "_4 = Lt(copy _3, const 4_usize)",
        "_4 = Le(copy _3, const 4_usize)",
        1,
    );
    assert!(!is_valid(&checked(&beyond, &claim)));
    // a check that a pass drops is still owed
    let unchecked = beyond.replacen(
        "assert(move _5, \"index out of bounds: the length is {} but the index is {}\", const 4_usize, copy _3) -> [success: bb3, unwind continue]",
        "goto -> bb3",
        1,
    );
    assert!(unchecked != beyond);
    let weak = lemmas("bb1", &[filled, "(bvule |_3| (_ bv5 64))"], &places);
    assert!(!is_valid(&checked(&unchecked, &weak)));
    // without lemmas, by walking all of its rounds
    let unrolled = json!({"kind": "unrolled", "engine": "bmc", "cuts": [{"at": "bb1", "statement": 0, "lemmas": []}]});
    assert!(is_valid(&checked(ARRAY, &unrolled)));
    assert!(is_refuted(&checked(&beyond, &unrolled)));
    assert!(!is_valid(&checked(COUNT, &unrolled)));
}

#[test]
fn undefined_behaviour_is_a_violation() {
    let straight = |body: &str| {
        format!(
            "fn f(_1: i32, _2: i32) -> i32 {{\n    let mut _0: i32;\n    let mut _3: i32;\n\n    bb0: {{\n{body}        return;\n    }}\n}}\n"
        )
    };
    let none = json!({"kind": "inductive", "cuts": [], "places": {}});
    for fine in [
        "_0 = Add(copy _1, copy _2);",
        "_0 = Shl(copy _1, copy _2);",
        "_3 = copy _1;\n        _0 = copy _3;",
    ] {
        let verdict = checked(&straight(&format!("        {fine}\n")), &none);
        assert!(is_valid(&verdict), "{fine}: {verdict:?}");
    }
    for wrong in [
        "_0 = AddUnchecked(copy _1, copy _2);",
        "_0 = Div(copy _1, copy _2);",
        "_0 = Rem(copy _1, const -1_i32);",
        "_0 = ShrUnchecked(copy _1, copy _2);",
        "_0 = copy _3;",
        "_3 = copy _1;\n        StorageDead(_3);\n        _0 = copy _3;",
    ] {
        let verdict = checked(&straight(&format!("        {wrong}\n")), &none);
        assert!(is_refuted(&verdict), "{wrong}: {verdict:?}");
    }
}

#[test]
fn a_hostile_file_is_never_valid() {
    let folder = tempfile::tempdir().expect("a folder");
    let capture = capture(folder.path(), COUNT);
    let root = &capture.roots()[0];
    let places = json!({"_1": 32, "_2": 32, "_3": 32});
    let good = lemmas("bb1", &["(= |_1| (bvadd |_2| |_3|))"], &places);
    let path = folder.path().join("proof.json");
    let check = |text: &str| {
        std::fs::write(&path, text).expect("a file");
        check_root(&capture, root, &path, &settings())
    };
    let honest = check(&file(&good)).expect("it is read");
    assert!(is_valid(&honest[0].verdict));
    let whole = file(&good);
    // what cannot be read
    let unreadable = [
        String::new(),
        whole[..whole.len() / 2].to_string(),
        whole.replacen("bvadd", "bvsub", 1),
        whole.replacen("\"format_version\":1", "\"format_version\":2", 1),
        "[]".into(),
        sealed("{}"),
        sealed("not json"),
        "[".repeat(1_000_000),
    ];
    for text in &unreadable {
        assert!(check(text).is_err());
    }
    // what can, and claims too much
    let deep = format!("{}true{}", "(not ".repeat(60_000), ")".repeat(60_000));
    let claims = [
        lemmas("bb0", &["false"], &places),
        lemmas("bb1", &["false"], &places),
        lemmas("bb1", &["true) (assert false) (assert (and true"], &places),
        lemmas("bb1", &["(= |_1| |_2|) |"], &places),
        lemmas("bb1", &["(= |_9| |_9|)"], &places),
        lemmas("bb1", &["(= |_1| (bvadd |_2| |_3|))"], &json!({"_1": 32})),
        lemmas(
            "bb1",
            &["(= |_1| (bvadd |_2| |_3|))"],
            &json!({"_1": 64, "_2": 64, "_3": 64}),
        ),
        lemmas(
            "bb1",
            &["(= |_1| (bvadd |_2| |_3|))"],
            &json!({"_1": 4_000_000, "_2": 32, "_3": 32}),
        ),
        lemmas("bb1", &[deep.as_str()], &places),
        json!({"kind": "none", "why": "for a reason"}),
        json!({"kind": "unrolled", "engine": "bmc", "cuts": []}),
        json!({"kind": "inductive", "cuts": [{"at": null, "statement": 0, "lemmas": []}], "places": {}}),
    ];
    for claim in &claims {
        let checked = check(&file(claim)).expect("it is read");
        assert!(!is_valid(&checked[0].verdict), "{:.200}", claim.to_string());
    }
    // two proofs of one snapshot, none of it, one of another root
    let snapshot = json!({"number": "reference", "name": "", "claim": good});
    let many = |root: &str, snapshots: Value| {
        sealed(&json!({"root": root, "function": "f", "snapshots": snapshots}).to_string())
    };
    for text in [
        many("p::f", json!([snapshot, snapshot])),
        many("p::f", json!([])),
    ] {
        assert!(!is_valid(&check(&text).expect("it is read")[0].verdict));
    }
    assert!(check(&many("p::g", json!([snapshot]))).is_err());
}
