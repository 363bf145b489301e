//! The chain of one root: reference, then the snapshot after each pass, each with a verdict of its own.

use super::{Options, prepare_reference, prepare_snapshot, replay, witness};
use crate::adapt::{self, Carried};
use crate::capture::{Capture, Root};
use crate::program::Program;
use crate::program::cpg::CutPoint;
use crate::prove;
use crate::prove::portfolio::{self, Settings};
use crate::prove::{Deadline, Proof, Verdict as Proved};
use crate::report::{
    Counterexample, Event, How, OptimizedReport, PassReport, ProofAt, ReferenceReport, RootReport,
    Verdict,
};
use std::time::Instant;

/// What is known after some snapshot.
struct State {
    /// The program's text form: equal texts are equal programs.
    fingerprint: String,
    verdict: Verdict,
    why: Option<String>,
    counterexample: Option<Counterexample>,
    /// The same as the prover's own, to be replayed after the next pass.
    refuted: Option<(Program, prove::Counterexample)>,
    /// The proof, if it has lemmas that can travel.
    proof: Option<Carried>,
}

pub fn run(
    capture: &Capture,
    root: &Root,
    options: &Options,
    events: &mut dyn FnMut(Event),
) -> RootReport {
    let deadline = Deadline::after(options.timeout);
    events(Event::ReferenceStarted);
    let start = Instant::now();
    let (prepared, crate_mir) = match prepare_reference(capture, root) {
        Ok(p) => p,
        Err(e) => return RootReport::unknown(e.to_string()),
    };
    let (mut state, engine) = decide(&prepared.program, options, &deadline);
    let reference = ReferenceReport {
        verdict: state.verdict,
        engine: Some(engine.to_string()),
        ms: start.elapsed().as_millis() as u64,
        why: state.why.clone(),
    };
    events(Event::ReferenceFinished(reference.clone()));
    let proof = state.proof.as_ref().map(explained).unwrap_or_default();
    let mut counterexample = state.counterexample.clone();
    if let Some(c) = &mut counterexample {
        c.pass = Some("reference".into());
    }
    let mut passes = vec![];
    for snapshot in capture.snapshots(&root.function) {
        let start = Instant::now();
        let mut how = How::Unchanged;
        let mut scratch_ms = None;
        if snapshot.changed {
            match prepare_snapshot(capture, root, &snapshot, &crate_mir) {
                Ok(p) => {
                    let fingerprint = p.program.fingerprint();
                    if fingerprint != state.fingerprint {
                        (state, how) = follow(&state, &p.program, fingerprint, options, &deadline);
                        if options.measure_scratch && how != How::Reverified {
                            let scratch = Instant::now();
                            decide(&p.program, options, &deadline);
                            scratch_ms = Some(scratch.elapsed().as_millis() as u64);
                        }
                    }
                }
                Err(e) => {
                    state = State {
                        fingerprint: String::new(),
                        verdict: Verdict::Unknown,
                        why: Some(e.to_string()),
                        counterexample: None,
                        refuted: None,
                        proof: None,
                    };
                    how = How::Reverified;
                }
            }
        }
        let pass = PassReport {
            index: snapshot.index,
            name: snapshot.name.clone(),
            verdict: state.verdict,
            how: Some(how),
            ms: (start.elapsed().as_millis() as u64).saturating_sub(scratch_ms.unwrap_or(0)),
            scratch_ms,
            why: state.why.clone(),
            closed: Some(closed_word(snapshot.closed_how)),
        };
        if counterexample.is_none()
            && let Some(mut c) = state.counterexample.clone()
        {
            c.pass = Some(snapshot.name.clone());
            counterexample = Some(c);
        }
        events(Event::PassFinished(pass.clone()));
        passes.push(pass);
    }
    let optimized = OptimizedReport {
        verdict: passes.last().map_or(reference.verdict, |p| p.verdict),
        how: passes
            .iter()
            .rev()
            .find(|p| p.how != Some(How::Unchanged))
            .map_or(Some(How::Unchanged), |p| p.how),
        ms: passes.iter().map(|p| p.ms).sum(),
    };
    let verdict = reference.verdict.and(optimized.verdict);
    let why = match verdict {
        Verdict::Unknown => reference.why.clone().or_else(|| state.why.clone()),
        _ => None,
    };
    if verdict == Verdict::Safe {
        // A violation only between passes is in the pass table; the shipped program has none.
        counterexample = None;
    }
    RootReport {
        verdict,
        reference,
        passes,
        optimized,
        counterexample,
        proof,
        why,
        ms: 0,
    }
}

fn closed_word(how: crate::capture::ClosedHow) -> String {
    serde_json::to_value(how)
        .ok()
        .and_then(|v| v.as_str().map(str::to_string))
        .unwrap_or_default()
}

/// The verdict after a pass that changed the program: the proof before it is carried over, and only if that
/// fails is the program proven (or refuted) anew.
fn follow(
    before: &State,
    program: &Program,
    fingerprint: String,
    options: &Options,
    deadline: &Deadline,
) -> (State, How) {
    if let Some(proof) = &before.proof
        && let Some(adapted) = adapt::adapt(proof, program, deadline)
    {
        let state = State {
            fingerprint,
            verdict: Verdict::Safe,
            why: None,
            counterexample: None,
            refuted: None,
            proof: Some(adapted.proof),
        };
        return (state, adapted.how);
    }
    if let Some((old, c)) = &before.refuted
        && let Some(c) = replay::carry_over(old, c, program)
        && let Ok(w) = witness::describe(program, &c)
    {
        let state = State {
            fingerprint,
            verdict: Verdict::Unsafe,
            why: None,
            counterexample: Some(w),
            refuted: Some((program.clone(), c)),
            proof: None,
        };
        return (state, How::Adapted);
    }
    (decide(program, options, deadline).0, How::Reverified)
}

/// The lemmas of a proof for people, by line.
fn explained(proof: &Carried) -> Vec<ProofAt> {
    let mut out = vec![];
    for (at, lemmas) in &proof.lemmas {
        let CutPoint::Head(b) = at else { continue };
        let span = proof.program.block(*b).span.clone();
        let pool = &proof.program.pool;
        let text = |l: &prove::Lemma| {
            let bound: Vec<&str> = l
                .bound
                .iter()
                .map(|v| pool.var_info(*v).name.as_str())
                .collect();
            if bound.is_empty() {
                pool.show(l.body)
            } else {
                format!("for all {}: {}", bound.join(", "), pool.show(l.body))
            }
        };
        out.push(ProofAt {
            file: span.as_ref().map_or(String::new(), |s| s.file.to_string()),
            line: span.map_or(0, |s| s.line),
            lemmas: lemmas.iter().map(text).collect(),
        });
    }
    out
}

/// Proves or refutes one program.
fn decide(program: &Program, options: &Options, deadline: &Deadline) -> (State, &'static str) {
    let settings = Settings {
        timeout: options.timeout,
        engines: options.engines.clone(),
        ..Settings::default()
    };
    let fingerprint = program.fingerprint();
    let answer = portfolio::prove_by(program, &settings, deadline);
    let mut carried = None;
    let mut refuted = None;
    let (verdict, why, counterexample) = match &answer.verdict {
        Proved::Safe(proof) => {
            if let Proof::Inductive { lemmas } = proof {
                carried = Some(Carried {
                    program: answer.program.clone(),
                    lemmas: lemmas.clone(),
                });
            }
            (Verdict::Safe, None, None)
        }
        Proved::Unsafe(c) => match witness::describe(program, c) {
            Ok(w) => {
                refuted = Some((program.clone(), c.clone()));
                (Verdict::Unsafe, None, Some(w))
            }
            Err(why) => (Verdict::Unknown, Some(why), None),
        },
        Proved::Unknown(reason) => {
            let mut text = reason.to_string();
            if let crate::prove::Reason::Unsupported {
                span: Some(span), ..
            } = reason
            {
                text = format!("{text}, at {}:{}", span.file, span.line);
            }
            (Verdict::Unknown, Some(text), None)
        }
    };
    let state = State {
        fingerprint,
        verdict,
        why,
        counterexample,
        refuted,
        proof: carried,
    };
    (state, answer.engine)
}
