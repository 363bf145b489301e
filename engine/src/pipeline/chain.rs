//! The chain of one root: reference, then the snapshot after each pass, each with a verdict of its own.

use super::backwards::{BACKWARDS, backwards};
use super::conserve::Conserved;
use super::export::Exported;
use super::race::{Winner, race};
use super::store::Slot;
use super::vacuous::vacuous;
use super::{Model, Options, difference, prepare_snapshot, replay, suited, witness};
use crate::adapt::{Carried, Proven, Unrolled};
use crate::assumption::{Assumption, Ledger};
use crate::capture::{Capture, Root, Snapshot};
use crate::program::Program;
use crate::program::cpg::CutPoint;
use crate::prove;
use crate::prove::portfolio::{self, Settings};
use crate::prove::{Deadline, Proof, Reason, Verdict as Proved};
use crate::refine::{self, Refinement};
use crate::report::{
    Counterexample, Event, How, OptimizedReport, PassReport, ProofAt, ReferenceReport,
    RefineReport, RootReport, Same, Verdict,
};
use std::time::Instant;

/// The reference's share of the time of its root.
const REFERENCE_PERCENT: u64 = 70;

/// What is known after some snapshot.
struct State {
    /// The program's text form: equal texts are equal programs.
    fingerprint: String,
    verdict: Verdict,
    why: Option<String>,
    counterexample: Option<Counterexample>,
    /// The same as the prover's own, to be replayed after the next pass.
    refuted: Option<(Program, prove::Counterexample)>,
    /// The proof, in the form in which it travels.
    proof: Option<Proven>,
    /// Unknown only because no engine found anything: another form of the program may be easier.
    is_open: bool,
}

impl State {
    fn proven(fingerprint: String, proof: Proven) -> State {
        State {
            fingerprint,
            verdict: Verdict::Safe,
            why: None,
            counterexample: None,
            refuted: None,
            proof: Some(proof),
            is_open: false,
        }
    }

    /// Nothing is known of the snapshot, not even its program.
    fn unknown(why: String) -> State {
        State {
            fingerprint: String::new(),
            verdict: Verdict::Unknown,
            why: Some(why),
            counterexample: None,
            refuted: None,
            proof: None,
            is_open: false,
        }
    }

    fn lemmas(&self) -> Option<&Carried> {
        self.proof.as_ref().and_then(Proven::lemmas)
    }
}

/// What is said of a snapshot: its own verdict, unless what the passes up to it lost or changed weighs more.
#[derive(Clone)]
struct Judged {
    verdict: Verdict,
    why: Option<String>,
    counterexample: Option<Counterexample>,
}

impl Judged {
    fn of(state: &State) -> Judged {
        Judged {
            verdict: state.verdict,
            why: state.why.clone(),
            counterexample: state.counterexample.clone(),
        }
    }

    fn unknown(why: String) -> Judged {
        Judged {
            verdict: Verdict::Unknown,
            why: Some(why),
            counterexample: None,
        }
    }
}

/// The last snapshot that is known to return what the reference returns.
struct Anchor {
    program: Program,
    proof: Option<Carried>,
}

pub fn run(
    capture: &Capture,
    root: &Root,
    options: &Options,
    model: Model,
    events: &mut dyn FnMut(Event),
) -> RootReport {
    let mut deadline = Deadline::after(options.timeout);
    events(Event::ReferenceStarted);
    let start = Instant::now();
    let (model, prepared, crate_mir) = match suited::reference(capture, root, model) {
        Ok(made) => made,
        Err(e) => return RootReport::unknown(e.to_string()),
    };
    let snapshots = match capture.snapshots(&root.function) {
        Ok(snapshots) => snapshots,
        Err(e) => return RootReport::unknown(e.to_string()),
    };
    let mut notes = vec![];
    let mut ledger = prepared.ledger.clone();
    let slot = options.store.as_ref().map(|s| Slot::of(s, capture, root));
    // What the reference does not need in full is there for its other side, and for the passes.
    let share = deadline.within_millis(deadline.left_millis() * REFERENCE_PERCENT / 100);
    // `--engine backwards`: nothing but a proof of the optimized program, found by the others, is for the reference.
    let for_reference = options;
    let mut options = options.clone();
    options.engines.retain(|e| e != BACKWARDS);
    let options = &options;
    let (mut state, mut engine, mut how) = first(
        &prepared.program,
        slot.as_ref(),
        for_reference,
        &share,
        &mut notes,
    );
    if state.is_open {
        let prove =
            |program: &Program, deadline: &Deadline| decide(program, options, deadline).0.proof;
        let proof = backwards(
            capture,
            root,
            (&crate_mir, model),
            &prepared.program,
            options,
            &deadline,
            prove,
        );
        if let Some(proof) = proof {
            if let Some(slot) = &slot {
                notes.extend(slot.save(&state.fingerprint, &proof).err());
            }
            state = State::proven(state.fingerprint, proof);
            (engine, how) = (BACKWARDS, Some(How::Adapted));
        }
    }
    let reference = ReferenceReport {
        verdict: state.verdict,
        engine: Some(engine.to_string()),
        how,
        ms: start.elapsed().as_millis() as u64,
        why: state.why.clone(),
        contracts: names(&prepared.ledger),
    };
    events(Event::ReferenceFinished(reference.clone()));
    rests_on_bound(&state, &mut ledger);
    let proof = state.lemmas().map(explained).unwrap_or_default();
    let mut counterexample = state.counterexample.clone();
    if let Some(c) = &mut counterexample {
        c.pass = Some("reference".into());
    }
    let mut exported = options.export.as_ref().map(|_| Exported::new(root));
    if let Some(e) = &mut exported {
        e.add(
            "reference",
            "reference",
            &prepared.program,
            state.proof.as_ref(),
            state.refuted.as_ref(),
        );
    }
    let mut passes = vec![];
    let millis = options.timeout.as_millis() as u64;
    let mut contracts = reference.contracts.clone();
    let mut judged = Judged::of(&state);
    let mut conserved = Conserved::of(&prepared.program, state.verdict == Verdict::Safe);
    let mut anchor = (options.refine && state.verdict == Verdict::Safe).then(|| Anchor {
        program: prepared.program.clone(),
        proof: state.lemmas().cloned(),
    });
    for snapshot in snapshots {
        let start = Instant::now();
        let mut how = How::Unchanged;
        let mut scratch_ms = None;
        let mut prepare_ms = 0;
        let mut refines = None;
        if snapshot.changed || changes_contract(capture, &contracts, &snapshot) {
            // After its time the root has no proof to carry over and none to find: making the program of every pass
            // nevertheless took many times the timeout.
            let is_late = state.verdict == Verdict::Unknown && deadline.passed();
            let prepared = match is_late {
                true => Err(Reason::Timeout { millis }.to_string()),
                false => prepare_snapshot(capture, root, &snapshot, &crate_mir, model)
                    .map_err(|e| e.to_string()),
            };
            match prepared {
                Ok(p) => {
                    ledger.add(&p.ledger);
                    contracts = names(&p.ledger);
                    let fingerprint = p.program.fingerprint();
                    prepare_ms = start.elapsed().as_millis() as u64;
                    if fingerprint != state.fingerprint {
                        (state, how) = follow(&state, &p.program, fingerprint, options, &deadline);
                        judged = Judged::of(&state);
                        rests_on_bound(&state, &mut ledger);
                        if options.measure_scratch && how != How::Reverified {
                            // Measuring costs the chain nothing of its own time.
                            let left = deadline.left_millis();
                            let scratch = Instant::now();
                            decide(&p.program, options, &Deadline::after(options.timeout));
                            scratch_ms = Some(scratch.elapsed().as_millis() as u64);
                            deadline = Deadline::after_millis(left);
                        }
                        let lost = conserved.follow(&p.program, state.verdict == Verdict::Safe);
                        if state.verdict == Verdict::Safe {
                            if let Some(a) = &mut anchor {
                                let (report, now) = compare(a, &p.program, &state, root, &deadline);
                                refines = Some(report);
                                judged = now;
                            } else if let Some(lost) = lost {
                                judged = Judged::unknown(lost);
                            }
                        }
                    }
                    if let Some(e) = &mut exported {
                        let (proof, refuted) = (state.proof.as_ref(), state.refuted.as_ref());
                        let (number, name) = (&snapshot.number, &snapshot.name);
                        e.add(number, name, &p.program, proof, refuted);
                    }
                }
                Err(why) => {
                    if let Some(exported) = &mut exported {
                        exported.add_unproven(&snapshot.number, &snapshot.name, &why);
                    }
                    state = State::unknown(why);
                    judged = Judged::of(&state);
                    how = How::Reverified;
                }
            }
        }
        let pass = PassReport {
            index: snapshot.index,
            name: snapshot.name.clone(),
            verdict: judged.verdict,
            how: Some(how),
            ms: (start.elapsed().as_millis() as u64).saturating_sub(scratch_ms.unwrap_or(0)),
            prepare_ms,
            scratch_ms,
            why: judged.why.clone(),
            closed: Some(closed_word(snapshot.closed_how)),
            refines,
            contracts: contracts.clone(),
        };
        if counterexample.is_none()
            && let Some(mut c) = judged.counterexample.clone()
        {
            c.pass = Some(snapshot.name.clone());
            counterexample = Some(c);
        }
        events(Event::PassFinished(pass.clone()));
        passes.push(pass);
    }
    if let (Some(e), Some(file)) = (&exported, &options.export)
        && let Err(error) = e.write(file)
    {
        let file = file.display();
        notes.push(format!(
            "the proofs could not be written to {file}: {error}"
        ));
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
        Verdict::Unknown => reference.why.clone().or_else(|| judged.why.clone()),
        _ => None,
    };
    if verdict == Verdict::Safe {
        // A violation only between passes is in the pass table; the shipped program has none.
        counterexample = None;
    }
    if counterexample.as_ref().is_some_and(|c| !c.replayed) {
        ledger.used.insert(Assumption::Jumped);
    }
    let total = ledger.names(Assumption::AssumedTotal);
    for name in root.assumed_total() {
        if !total.contains(&name) {
            notes.push(format!(
                "`assume_total` names `{name}`: no call without a body is printed so in MIR, and nothing was assumed"
            ));
        }
    }
    let answers = crate::smt::answers();
    if answers.unsat > 0 {
        ledger.used.insert(Assumption::Solver);
    }
    if answers.by_integers > 0 {
        ledger.used.insert(Assumption::Integers);
    }
    let assumptions = ledger.report(capture, root, verdict);
    // Last: what it asks the solver is no part of the proof.
    let probes = prepared.probes.filter(|_| verdict == Verdict::Safe);
    let vacuous = probes.map(|p| vacuous(&p, options, &deadline));
    RootReport {
        assumptions,
        vacuous: vacuous.unwrap_or_default(),
        verdict,
        reference,
        passes,
        optimized,
        counterexample,
        broken: None,
        proof,
        notes,
        why,
        queries: Default::default(),
        ms: 0,
    }
}

/// The roots whose contracts stand for calls in a program.
fn names(ledger: &Ledger) -> Vec<String> {
    ledger.contracts.iter().cloned().collect()
}

/// A pass may change a contract without changing who uses it. What cannot be read any more may be anything.
fn changes_contract(capture: &Capture, contracts: &[String], at: &Snapshot) -> bool {
    let roots = capture.roots().iter();
    let mut roots = roots.filter(|r| contracts.contains(&r.name));
    roots.any(|r| match capture.snapshot_at(&r.function, &at.number) {
        Ok(Some(snapshot)) => snapshot.changed,
        Ok(None) | Err(_) => true,
    })
}

/// Does the snapshot return what the reference returns? A proven one is the next to compare with.
fn compare(
    anchor: &mut Anchor,
    program: &Program,
    state: &State,
    root: &Root,
    deadline: &Deadline,
) -> (RefineReport, Judged) {
    let start = Instant::now();
    let proofs = (anchor.proof.as_ref(), state.lemmas());
    let answer = refine::refine(&anchor.program, program, proofs, deadline);
    let mut why = None;
    let (same, judged) = match answer {
        Refinement::Equal => {
            *anchor = Anchor {
                program: program.clone(),
                proof: state.lemmas().cloned(),
            };
            (Same::Equal, Judged::of(state))
        }
        Refinement::Differs(d) => match difference::describe(&anchor.program, program, &d, root) {
            Ok(c) => {
                why = Some(c.panic.clone());
                let judged = Judged {
                    verdict: Verdict::Unsafe,
                    why: None,
                    counterexample: Some(c),
                };
                (Same::Differs, judged)
            }
            Err(reason) => {
                why = Some(reason.clone());
                (Same::Unknown, Judged::unknown(reason))
            }
        },
        Refinement::Unknown(reason) => {
            let text = format!("not shown to return the same as before: {reason}");
            why = Some(reason);
            (Same::Unknown, Judged::unknown(text))
        }
    };
    let report = RefineReport {
        same,
        ms: start.elapsed().as_millis() as u64,
        why,
    };
    (report, judged)
}

/// Unrolled and accelerated proofs are certified by their obligations alone.
fn rests_on_bound(state: &State, ledger: &mut Ledger) {
    if let Some(Proven::Unrolled(bound)) = &state.proof {
        ledger.used.insert(match bound.engine {
            prove::exhaust::NAME => Assumption::Exhausted,
            _ => Assumption::Unrolled,
        });
    }
}

fn closed_word(how: crate::capture::ClosedHow) -> String {
    serde_json::to_value(how)
        .ok()
        .and_then(|v| v.as_str().map(str::to_string))
        .unwrap_or_default()
}

/// The verdict of the reference: from the proof of last time if there is one, else anew. A new proof is kept at once.
fn first(
    program: &Program,
    slot: Option<&Slot>,
    options: &Options,
    deadline: &Deadline,
    notes: &mut Vec<String>,
) -> (State, &'static str, Option<How>) {
    let Some(slot) = slot else {
        let (state, engine) = decide(program, options, deadline);
        return (state, engine, None);
    };
    let fingerprint = program.fingerprint();
    let found = slot.load(&fingerprint).unwrap_or_else(|note| {
        notes.push(note);
        None
    });
    let Some(found) = found else {
        let (state, engine) = decide(program, options, deadline);
        if let Some(proof) = &state.proof {
            notes.extend(slot.save(&fingerprint, proof).err());
        }
        return (state, engine, None);
    };
    let anew = |deadline: &Deadline| {
        let (state, engine) = decide(program, options, deadline);
        let decided = state.verdict != Verdict::Unknown;
        ((state, engine), decided)
    };
    let (state, engine, how) = match race(&found.proof, program, options.vcgen, deadline, anew) {
        Winner::Adapted(adapted) => {
            let how = if found.same_program {
                How::Unchanged
            } else {
                adapted.how
            };
            (
                State::proven(fingerprint.clone(), adapted.proof),
                "stored",
                how,
            )
        }
        Winner::Anew((state, engine)) => (state, engine, How::Reverified),
    };
    if how != How::Unchanged
        && let Some(proof) = &state.proof
    {
        notes.extend(slot.save(&fingerprint, proof).err());
    }
    (state, engine, Some(how))
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
    if let Some(proof) = &before.proof {
        let anew = |deadline: &Deadline| {
            let state = decide(program, options, deadline).0;
            let decided = state.verdict != Verdict::Unknown;
            (state, decided)
        };
        return match race(proof, program, options.vcgen, deadline, anew) {
            Winner::Adapted(adapted) => (State::proven(fingerprint, adapted.proof), adapted.how),
            Winner::Anew(state) => (state, How::Reverified),
        };
    }
    if let Some((old, c)) = &before.refuted
        && let Some(c) = replay::carry_over(old, c, program, deadline)
        && let Ok(w) = witness::describe(program, &c)
    {
        let state = State {
            fingerprint,
            verdict: Verdict::Unsafe,
            why: None,
            counterexample: Some(w),
            refuted: Some((program.clone(), c)),
            proof: None,
            is_open: false,
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
        vcgen: options.vcgen,
        ..Settings::default()
    };
    let fingerprint = program.fingerprint();
    let start = Instant::now();
    let answer = portfolio::prove_by(program, &settings, deadline);
    let mut carried = None;
    let mut refuted = None;
    let (verdict, why, counterexample) = match &answer.verdict {
        Proved::Safe(proof) => {
            carried = Some(match proof {
                Proof::Inductive { lemmas } => Proven::Inductive(Box::new(Carried {
                    program: answer.program.clone(),
                    lemmas: lemmas.clone(),
                    kept: answer.kept.clone(),
                    millis: start.elapsed().as_millis() as u64,
                    shown: true,
                })),
                Proof::Unrolled { steps, .. } => Proven::Unrolled(Unrolled {
                    engine: answer.engine,
                    steps: *steps,
                    millis: start.elapsed().as_millis() as u64,
                }),
            });
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
            if let Reason::Unsupported {
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
        is_open: matches!(
            answer.verdict,
            Proved::Unknown(Reason::Timeout { .. } | Reason::Inconclusive { .. })
        ),
    };
    (state, answer.engine)
}
