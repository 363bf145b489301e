//! The proof store: what is written comes back, and whatever else a file holds is a note, never a proof that breaks.

#[path = "../../../tests/mutate/mod.rs"]
mod mutate;

use super::*;
use mutate::{Random, damaged, each, rounds};

fn proof() -> Proven {
    let mut pool = crate::term::Pool::new();
    let x = pool.fresh("x", Sort::Bv(8));
    let a = pool.fresh("a", Sort::Array { index: 64, elem: 8 });
    let i = pool.fresh("i", Sort::Bv(64));
    let (tx, ta, ti) = (pool.var(x), pool.var(a), pool.var(i));
    let seven = pool.bv(7, 8);
    let plain = pool.ule(tx, seven);
    let at = pool.select(ta, ti);
    let quantified = pool.eq(at, tx);
    let block = |line| Block {
        stmts: vec![],
        terminator: Terminator::Blocked,
        span: Some(SourceSpan {
            file: "f.rs".into(),
            line,
            column: 1,
            end: (0, 0),
        }),
        origin: Default::default(),
    };
    let lemmas = vec![
        Lemma::plain(plain),
        Lemma {
            bound: vec![i],
            body: quantified,
        },
    ];
    Proven::Inductive(Box::new(Carried {
        program: Program {
            pool,
            name: "f".into(),
            blocks: vec![block(1), block(5)],
            entry: BlockId(0),
            stops: vec![],
            vars: vec![x, a],
            inputs: vec![],
            source_names: vec![],
            draw_kinds: vec![],
            requires: vec![],
            outputs: vec![],
            returned: InputShape::Tuple(vec![]),
        },
        lemmas: Lemmas::from([(CutPoint::Head(BlockId(1)), lemmas)]),
        kept: [x].into(),
        millis: 3,
        shown: false,
    }))
}

fn shown(p: &Proven) -> Vec<(Option<u32>, String)> {
    let c = p.lemmas().expect("lemmas");
    let mut out = vec![];
    for (at, lemmas) in &c.lemmas {
        let CutPoint::Head(b) = at else { continue };
        let line = c.program.block(*b).span.as_ref().map(|s| s.line);
        for l in lemmas {
            let text = format!("{} {}", l.bound.len(), c.program.pool.show(l.body));
            out.push((line, text));
        }
    }
    out
}

#[test]
fn what_is_stored_comes_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let slot = Slot {
        file: folder.path().join("p/f.json"),
    };
    assert!(slot.load("text").expect("no note").is_none());
    slot.save("text", &proof()).expect("it is written");
    let found = slot.load("text").expect("no note").expect("it is there");
    assert!(found.same_program);
    assert_eq!(shown(&found.proof), shown(&proof()));
    assert!(
        !slot
            .load("other")
            .expect("no note")
            .expect("there")
            .same_program
    );
    let names: Vec<_> = std::fs::read_dir(folder.path().join("p"))
        .expect("a folder")
        .collect();
    assert_eq!(names.len(), 1, "no temporary file stays");
}

#[test]
fn a_damaged_file_is_a_note() {
    let folder = tempfile::tempdir().expect("a folder");
    let slot = Slot {
        file: folder.path().join("f.json"),
    };
    slot.save("text", &proof()).expect("it is written");
    let good = std::fs::read_to_string(&slot.file).expect("text");
    let damaged = [
        String::new(),
        good[..good.len() / 2].to_string(),
        good.replace("Ule", "Add").replace("Ult", "Add"),
        good.replacen("\"format_version\":1", "\"format_version\":9", 1),
        "[1, 2]".to_string(),
    ];
    for text in damaged {
        std::fs::write(&slot.file, &text).expect("it is written");
        let note = slot.load("text").err();
        assert!(note.is_some_and(|n| n.contains("ignored")), "{text}");
    }
}

fn sealed(proof: &str) -> String {
    let envelope = Envelope {
        format_version: FORMAT_VERSION,
        tool: tool(),
        checksum: hash(&proof.to_string()),
        proof: proof.to_string(),
    };
    serde_json::to_string(&envelope).expect("JSON")
}

/// A program that a stored proof may be tried on: a loop over `x`, and an array.
fn program() -> Program {
    let Proven::Inductive(carried) = proof() else {
        panic!("lemmas");
    };
    let mut program = carried.program;
    program.blocks[0].terminator = Terminator::Goto(BlockId(1));
    program.blocks[1].terminator = Terminator::Goto(BlockId(1));
    program
}

#[test]
fn a_hostile_proof_is_refused_or_tried_and_never_breaks_the_thread() {
    let folder = tempfile::tempdir().expect("a folder");
    let slot = Slot {
        file: folder.path().join("f.json"),
    };
    slot.save("text", &proof()).expect("it is written");
    let whole = std::fs::read_to_string(&slot.file).expect("text");
    let envelope: Envelope = serde_json::from_str(&whole).expect("JSON");
    let n = rounds(3000);
    each(n, move |seed| {
        let _kept = &folder;
        let mut random = Random(seed);
        // half of them with a checksum that is right: made so by whoever wrote it
        let text = match random.below(2) {
            0 => damaged(&mut random, &whole),
            _ => sealed(&damaged(&mut random, &envelope.proof)),
        };
        std::fs::write(&slot.file, text).expect("it is written");
        let Ok(Some(found)) = slot.load("text") else {
            return;
        };
        if let Some(carried) = found.proof.lemmas() {
            // in this thread: a panic here would be hidden by the thread that `adapt` works in
            let mut after = program();
            let vars = crate::adapt::variables(&carried.program, &mut after);
            let mut import = crate::term::Import::default();
            for lemma in carried.lemmas.values().flatten() {
                let _ = carried.program.pool.show(lemma.body);
                import.term(&carried.program.pool, lemma.body, &mut after.pool, &vars);
            }
        }
    });
    println!("figure: damaged stored proofs | {n}, 0 panics");
}

#[test]
fn wrong_sorts_absurd_depths_and_bounds_are_damage() {
    let folder = tempfile::tempdir().expect("a folder");
    let slot = Slot {
        file: folder.path().join("f.json"),
    };
    let load = |proof: &str| {
        std::fs::write(&slot.file, sealed(proof)).expect("it is written");
        slot.load("text")
    };
    let inductive = |nodes: &str, body: usize| {
        format!(
            r#"{{"content":1,"proof":{{"Inductive":{{"parts":{{"vars":[["x",{{"Bv":8}}]],"nodes":[{nodes}]}},
            "n_state":1,"heads":[{{"line":5,"lemmas":[[[],{body}]]}}],"millis":18446744073709551615}}}}}}"#
        )
    };
    let x = r#"[{"Var":0},{"Bv":8}]"#;
    let fine = inductive(&format!(r#"{x},[{{"Binary":["Ule",0,0]}},"Bool"]"#), 1);
    assert!(matches!(load(&fine), Ok(Some(_))));
    let mut deep = x.to_string();
    for n in 0..50_000 {
        deep.push_str(&format!(r#",[{{"Unary":["Neg",{n}]}},{{"Bv":8}}]"#));
    }
    deep.push_str(r#",[{"Binary":["Ule",0,50000]},"Bool"]"#);
    for wrong in [
        inductive(x, 0),
        inductive(r#"[{"Var":0},{"Bv":16}]"#, 0),
        inductive(&format!(r#"{x},[{{"Binary":["Ule",0,1]}},"Bool"]"#), 1),
        inductive(&format!(r#"{x},[{{"Binary":["And",0,0]}},"Bool"]"#), 1),
        inductive(&format!(r#"{x},[{{"Unary":["Not",0]}},"Bool"]"#), 1),
        inductive(&format!(r#"{x},[{{"Zext":0}},{{"Bv":4000000000}}]"#), 1),
        inductive(
            &format!(r#"{x},[{{"Extract":{{"arg":0,"lo":4294967295}}}},{{"Bv":8}}]"#),
            1,
        ),
        inductive(&format!(r#"{x},[{{"Select":[0,0]}},"Bool"]"#), 1),
        inductive(
            &format!(
                r#"{x},[{{"Lambda":{{"bound":0,"body":0}}}},{{"Array":{{"index":8,"elem":8}}}}]"#
            ),
            1,
        ),
        inductive(&deep, 50_001),
    ] {
        let shown: String = wrong.chars().take(300).collect();
        assert!(load(&wrong).is_err(), "{shown}");
    }
    // a bound that no run can have is tried within the time for it, and nothing else
    let unrolled = r#"{"content":1,"proof":{"Unrolled":{"engine":"bmc","steps":18446744073709551615,"millis":18446744073709551615}}}"#;
    let found = load(unrolled).expect("no note").expect("it is there");
    let deadline = crate::prove::Deadline::after_millis(2000);
    let start = std::time::Instant::now();
    assert!(crate::adapt::adapt(&found.proof, &program(), Default::default(), &deadline).is_none());
    assert!(start.elapsed().as_secs() < 20);
}
