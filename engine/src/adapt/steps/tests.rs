//! Random programs with a proof, changed at random: what `steps` carries over must be a proof of the changed program,
//! by the ordinary certification and by brute force.

use super::*;
use crate::program::{Program, Stmt, Terminator};
use crate::prove::concrete::Random;
use crate::prove::portfolio::{Settings, prove};
use crate::prove::tests::{brute_force, random_program};
use crate::prove::{Proof, Verdict, certify};
use std::time::Duration;

/// One statement or branch is another one.
fn changed(program: &Program, r: &mut Random) -> Option<Program> {
    let mut out = program.clone();
    let at = r.below(out.blocks.len() as u64) as usize;
    let kind = r.below(5);
    let n_stmts = out.blocks[at].stmts.len() as u64;
    if n_stmts > 0 && kind < 3 {
        let i = r.below(n_stmts) as usize;
        match (kind, out.blocks[at].stmts[i].clone()) {
            (0, _) => {
                out.blocks[at].stmts.remove(i);
            }
            (1, Stmt::Assign(v, t)) => {
                let w = out.pool.width(t);
                let by = out.pool.bv(1 + u128::from(r.below(3)), w);
                out.blocks[at].stmts[i] = Stmt::Assign(v, out.pool.add(t, by));
            }
            // The same value, written otherwise.
            (_, Stmt::Assign(v, t)) => {
                let old = out.pool.var(v);
                let (sum, twice) = (out.pool.add(t, old), out.pool.add(old, old));
                let (sum, same) = (out.pool.add(sum, old), out.pool.eq(old, t));
                let long = out.pool.sub(sum, twice);
                out.blocks[at].stmts[i] = Stmt::Assign(v, out.pool.ite(same, old, long));
            }
            _ => return None,
        }
        return Some(out);
    }
    match out.blocks[at].terminator.clone() {
        Terminator::Branch {
            cond,
            then,
            otherwise,
        } => {
            let not = out.pool.not(cond);
            out.blocks[at].terminator = match kind {
                3 => Terminator::Branch {
                    cond: not,
                    then,
                    otherwise,
                },
                _ => Terminator::Branch {
                    cond: not,
                    then: otherwise,
                    otherwise: then,
                },
            };
            Some(out)
        }
        _ => None,
    }
}

#[test]
fn what_is_carried_over_is_a_proof() {
    let deadline = Deadline::after(Duration::from_secs(600));
    let settings = Settings {
        timeout: Duration::from_secs(5),
        ..Settings::default()
    };
    let (mut proven, mut carried_over, mut refused, mut unsafe_ones) = (0, 0, 0, 0);
    for seed in 0..300 {
        let (program, w) = random_program(seed);
        let answer = prove(&program, &settings);
        let Verdict::Safe(Proof::Inductive { lemmas }) = answer.verdict else {
            continue;
        };
        if lemmas.values().flatten().any(|l| !l.bound.is_empty()) {
            continue;
        }
        proven += 1;
        let before = Carried {
            program: answer.program,
            lemmas,
            kept: answer.kept,
            millis: 1,
            shown: true,
        };
        let mut same = slice::slice(program.clone());
        assert!(
            steps(&before, &mut same, &deadline).is_some(),
            "{seed}: a program makes its own steps"
        );
        let mut r = Random::new(seed + 1000);
        for _ in 0..10 {
            let Some(other) = changed(&program, &mut r) else {
                continue;
            };
            let is_unsafe = brute_force(&other, w);
            unsafe_ones += usize::from(is_unsafe);
            let mut task = slice::slice(other);
            let Some(lemmas) = steps(&before, &mut task, &deadline) else {
                refused += 1;
                continue;
            };
            carried_over += 1;
            assert!(!is_unsafe, "{seed}: carried over to an unsafe program");
            let proof = Verdict::Safe(Proof::Inductive { lemmas });
            let again = certify::certify(&task, "steps", proof, &deadline);
            assert!(matches!(again, Verdict::Safe(_)), "{seed}: {again:?}");
        }
    }
    let figures = [proven, carried_over, refused, unsafe_ones];
    assert!(figures.iter().all(|n| *n >= 10), "{figures:?}");
}

/// Of a proof that was read from a file nothing is known.
#[test]
fn only_what_was_shown_is_carried_over() {
    let (program, _) = random_program(1);
    let mut pool = program.pool.clone();
    let x = pool.fresh("x", Sort::Bv(32));
    let x = pool.var(x);
    let mut body = pool.bool(false);
    for n in 0..30 {
        let c = pool.bv(3 * n, 32);
        let equal = pool.eq(x, c);
        body = pool.or(body, equal);
    }
    let carried = |shown| Carried {
        program: Program {
            pool: pool.clone(),
            ..program.clone()
        },
        lemmas: BTreeMap::from([(CutPoint::Entry, vec![Lemma::plain(body)])]),
        kept: BTreeSet::new(),
        millis: 1,
        shown,
    };
    assert!(!is_worth_it(&carried(false)));
    assert!(is_worth_it(&carried(true)));
}
