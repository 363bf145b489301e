//! All engines in one order: cheapest first, each with a budget, the first certified answer wins.
//!
//! Deterministic: the order and the seeds are fixed, and budgets of queries are counted in Z3's own resource units
//! where it matters. Each run lives in a thread of its own with its own solver context and stack, so that an
//! engine that breaks ends this root and nothing else.

use super::bmc::{self, Bounds};
use super::candidates::{Effort, candidates};
use super::concrete::{Samples, concrete, patient};
use super::domains::Domain;
use super::houdini::{Candidates, Houdini, edges_into};
use super::patience::patience;
use super::{
    Budget, Deadline, Lemma, Lemmas, Proof, Reason, Task, Verdict, accelerate, certify, domains,
    exhaust, explore, inherit, kinduction, modes, pdr, predicates, remember, scalars, slice,
    states,
};
use crate::program::Program;
use crate::smt::{Role, apart};
use crate::term::{Node, Pool, Term, UnOp, Var};
use crate::vc::Generator;
use petgraph::graph::NodeIndex;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// The names of all engines, as `--engine` takes them.
pub const ENGINES: &[&str] = &[
    "accelerate",
    "bmc",
    "concrete",
    "domains",
    "equations",
    exhaust::NAME,
    "explore",
    "havoc",
    "houdini",
    "k-induction",
    "modes",
    "pdr",
    "remember",
    "scalars",
    "slice",
    "states",
];

/// What the caller wants.
#[derive(Clone, Debug)]
pub struct Settings {
    pub timeout: Duration,
    /// Only these engines, by name; all if empty.
    pub engines: Vec<String>,
    pub seed: u64,
    /// Makes the conditions by which proofs are certified.
    pub vcgen: Generator,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            timeout: Duration::from_secs(30),
            engines: vec![],
            seed: 1,
            vcgen: Generator::default(),
        }
    }
}

/// A certified verdict with its history.
#[derive(Clone)]
pub struct Answer {
    pub verdict: Verdict,
    /// The engine that found it.
    pub engine: &'static str,
    /// Each engine that ran, with its time.
    pub timings: Vec<(&'static str, Duration)>,
    /// The program with its pool: the proof's terms live there.
    pub program: Program,
    /// What the proof speaks of although nothing reads it (`remember`).
    pub kept: BTreeSet<Var>,
}

/// Proves or refutes; never fails, never lies: what breaks is `Unknown`.
pub fn prove(program: &Program, settings: &Settings) -> Answer {
    let deadline = Deadline::after(settings.timeout);
    prove_by(program, settings, &deadline)
}

/// As `prove`, with a deadline that others may cancel.
pub fn prove_by(program: &Program, settings: &Settings, deadline: &Deadline) -> Answer {
    let (p, s, d) = (program.clone(), settings.clone(), deadline.clone());
    apart(Role::Prove, move || run(p, &s, &d)).unwrap_or_else(|what| Answer {
        verdict: Verdict::Unknown(Reason::Solver(format!("an engine: {what}"))),
        engine: "none",
        timings: vec![],
        program: program.clone(),
        kept: BTreeSet::new(),
    })
}

/// A proof that was found in time is not lost because none is left to check it: half the time is added for that, and not
/// more than five seconds.
fn to_certify(settings: &Settings) -> u64 {
    (settings.timeout.as_millis() as u64 / 2).min(5_000)
}

/// So long a violation is looked for in a program that is not safe in any case, because it leaves the model.
const HOPELESS: Duration = Duration::from_millis(2500);

struct Race<'a> {
    settings: &'a Settings,
    deadline: &'a Deadline,
    timings: Vec<(&'static str, Duration)>,
    /// The best excuse so far.
    reason: Option<Reason>,
    /// When the first run was found that leaves the model: nothing can be proven any more, only refuted.
    left_model: Option<Instant>,
    won: Option<(&'static str, Verdict)>,
}

impl Race<'_> {
    /// Runs one engine and certifies what it says; true if the race is over.
    fn run(
        &mut self,
        name: &'static str,
        task: &mut Task,
        engine: impl FnOnce(&mut Task, &Deadline) -> Option<Verdict>,
        millis: u64,
    ) -> bool {
        debug_assert!(ENGINES.contains(&name), "{name} is not listed");
        if self.won.is_some() {
            return true;
        }
        let wanted = &self.settings.engines;
        if !wanted.is_empty() && !wanted.iter().any(|e| e == name) {
            return false;
        }
        let is_hopeless = (self.left_model).is_some_and(|since| since.elapsed() > HOPELESS);
        if self.deadline.passed() || is_hopeless {
            return true;
        }
        let start = Instant::now();
        let verdict = engine(task, &self.deadline.within_millis(patience(millis)));
        self.timings.push((name, start.elapsed()));
        let Some(verdict) = verdict else {
            return false;
        };
        let start = Instant::now();
        let time = self.deadline.at_least_millis(to_certify(self.settings));
        let verdict = certify::certify(task, name, verdict, &time);
        self.timings.push(("certify", start.elapsed()));
        match verdict {
            // Out of time is no fault of the engine's.
            Verdict::Unknown(Reason::NotCertified { what, .. })
                if time.passed() && what.starts_with(certify::NOT_RECHECKED) =>
            {
                false
            }
            Verdict::Unknown(reason) => {
                self.excuse(reason);
                false
            }
            verdict => {
                self.won = Some((name, verdict));
                true
            }
        }
    }

    fn excuse(&mut self, reason: Reason) {
        if matches!(reason, Reason::Unsupported { .. }) {
            self.left_model.get_or_insert_with(Instant::now);
        }
        let rank = |r: &Reason| match r {
            Reason::Unsupported { .. } => 4,
            Reason::Approximate { .. } => 3,
            Reason::NotCertified { .. } => 2,
            Reason::Solver(_) => 1,
            _ => 0,
        };
        if self
            .reason
            .as_ref()
            .is_none_or(|old| rank(old) < rank(&reason))
        {
            self.reason = Some(reason);
        }
    }
}

fn run(program: Program, settings: &Settings, deadline: &Deadline) -> Answer {
    let start = Instant::now();
    let mut task = slice::slice(program);
    task.vcgen = settings.vcgen;
    let mut race = Race {
        settings,
        deadline,
        timings: vec![("slice", start.elapsed())],
        reason: None,
        left_model: None,
        won: None,
    };
    engines(&mut race, &mut task);
    let (engine, verdict) = race.won.unwrap_or_else(|| {
        let tried: Vec<&'static str> = race
            .timings
            .iter()
            .map(|(n, _)| *n)
            .filter(|n| *n != "certify" && *n != "slice")
            .collect();
        let reason = match race.reason {
            Some(r) => r,
            None if deadline.passed() => Reason::Timeout {
                millis: settings.timeout.as_millis() as u64,
            },
            None => Reason::Inconclusive { tried },
        };
        ("none", Verdict::Unknown(reason))
    });
    Answer {
        verdict,
        engine,
        timings: race.timings,
        kept: task.cpg.kept.into_values().flatten().collect(),
        program: task.program,
    }
}

/// For Houdini with all candidates, before cheaper ideas get a chance; afterwards it may take its time.
const FULL_MS: u64 = 1500;

/// For all runs one by one, where the usual lemmas did not do.
const EXHAUST_MS: u64 = 5000;

/// For runs from one control state to the next.
const EXPLORE_MS: u64 = 250;

/// Rounds of a loop that are few.
const SHORT_RUNS: u64 = 16;

fn engines(race: &mut Race, task: &mut Task) {
    // No stop is reachable in the graph at all: nothing to prove.
    if !task.has_stops() {
        let proof = Proof::Inductive {
            lemmas: task.facts.clone(),
        };
        race.run("slice", task, |_, _| Some(Verdict::Safe(proof)), 1000);
        return;
    }
    let seed = race.settings.seed;
    let mut samples = Default::default();
    let mut longest = None;
    race.run(
        "concrete",
        task,
        |task, deadline| {
            let found = patient(task, seed, 300, deadline);
            samples = found.samples;
            longest = found.longest;
            found.violation.map(Verdict::Unsafe)
        },
        25,
    );
    let mut known = Survivors::new();
    race.run(
        "havoc",
        task,
        |task, d| houdini(task, Default::default(), 40, d, &mut known),
        200,
    );
    race.run("bmc", task, |task, d| bounded(task, 3, 4000, 30, d), 150);
    // Where control decides, guessing lemmas about it one by one is the slow way.
    let n_finite = n_finite(task);
    let control_first = n_finite >= 2;
    race.run(
        "explore",
        task,
        |task, d| explore::explore(task, seed, d).map(Verdict::Unsafe),
        if n_finite > 0 {
            EXPLORE_MS
        } else {
            EXPLORE_MS / 4
        },
    );
    let mut seen = States::default();
    // Few runs are soon made, and many are no proof that travels well.
    let patience = if control_first { 1500 } else { 150 };
    race.run(
        exhaust::NAME,
        task,
        |task, d| exhaust::exhaust(task, patience, d),
        patience,
    );
    if control_first {
        race.run(
            "states",
            task,
            |task, d| control_states(task, seed, states::SOME_ROWS, d, &mut seen),
            15_000,
        );
    }
    // What no random run came to is soon unrolled where the way is known to be open.
    if seen.suspect {
        race.run("accelerate", task, accelerated, 700);
        race.run(
            "pdr",
            task,
            |task, d| property_directed(task, &known, 100, d),
            2500,
        );
    }
    // Another look with other values: assumptions may have blocked most of the first runs.
    race.run(
        "concrete",
        task,
        |task, deadline| {
            let found = concrete(task, seed + 77, 4000, deadline);
            found.violation.map(Verdict::Unsafe)
        },
        60,
    );
    // Where no run goes round often, all of them are soon written out.
    if let Some(rounds) = longest.filter(|n| (3..=SHORT_RUNS).contains(n)) {
        race.run(
            "bmc",
            task,
            |task, d| bounded(task, rounds as usize + 2, 20_000, 100, d),
            1000,
        );
    }
    let products = multiplies(task);
    for (effort, ms) in [(Effort::Lean, 1000), (Effort::Full, FULL_MS)] {
        if effort == Effort::Full {
            if products {
                equations(race, task, &samples);
            }
            race.run(
                "scalars",
                task,
                |task, d| {
                    let c = candidates(task, &samples, effort);
                    without_arrays(task, c, d)
                },
                2000,
            );
        }
        race.run(
            "houdini",
            task,
            |task, d| {
                let c = candidates(task, &samples, effort);
                houdini(task, c, 60, d, &mut known)
            },
            ms,
        );
    }
    // Whole assertions are large, and most of the time their parts will do.
    race.run(
        "houdini",
        task,
        |task, d| {
            let mut c = again(task, &samples, &known);
            let mut some = false;
            for n in task.cpg.heads() {
                let mut whole = vec![];
                for e in edges_into(task, n) {
                    inherit::established(task, e, &mut whole);
                }
                some |= !whole.is_empty();
                let lemmas = whole.into_iter().map(Lemma::plain);
                c.entry(n).or_default().lemmas.extend(lemmas);
            }
            some.then(|| houdini(task, c, 60, d, &mut known)).flatten()
        },
        1000,
    );
    race.run(
        exhaust::NAME,
        task,
        |task, d| exhaust::exhaust(task, EXHAUST_MS, d),
        EXHAUST_MS,
    );
    if race.won.is_none() {
        remembered(race, task);
    }
    let cut_short = race
        .timings
        .last()
        .is_some_and(|(name, took)| *name == "houdini" && *took >= Duration::from_millis(FULL_MS));
    race.run(
        "k-induction",
        task,
        |task, d| {
            let mut c = again(task, &samples, &known);
            kinduction::extend(task, &mut c);
            houdini(task, c, 60, d, &mut known)
        },
        1000,
    );
    race.run(
        "modes",
        task,
        |task, d| {
            let c = modes::modes(task, &samples, &known)?;
            houdini(task, c, 60, d, &mut known)
        },
        2000,
    );
    for domain in [Domain::Zones, Domain::Bits, Domain::Intervals] {
        race.run(
            "domains",
            task,
            |task, d| {
                let mut c = again(task, &samples, &known);
                let mentioned = domains::Mentioned::of(task);
                let mut some = false;
                for (n, s) in &samples {
                    let terms = domains::proposals(task, domain, s, &mentioned);
                    some |= !terms.is_empty();
                    let lemmas = terms.into_iter().map(Lemma::plain);
                    c.entry(*n).or_default().lemmas.extend(lemmas);
                }
                some.then(|| houdini(task, c, 60, d, &mut known)).flatten()
            },
            700,
        );
    }
    if cut_short {
        race.run(
            "houdini",
            task,
            |task, d| {
                let c = candidates(task, &samples, Effort::Full);
                houdini(task, c, 60, d, &mut known)
            },
            10_000,
        );
    }
    // Again only if the table was just too small.
    if !control_first || seen.is_large {
        let patience = if control_first { 15_000 } else { 4000 };
        race.run(
            "states",
            task,
            |task, d| control_states(task, seed, states::MOST_ROWS, d, &mut seen),
            patience,
        );
    }
    race.run("accelerate", task, accelerated, 1500);
    // Runs that were broken off may only have been long.
    if longest.is_none() {
        race.run(
            "concrete",
            task,
            |task, d| super::concrete::long(task, seed, d).map(Verdict::Unsafe),
            2000,
        );
    }
    race.run(
        "pdr",
        task,
        |task, d| property_directed(task, &known, 100, d),
        1000,
    );
    race.run(
        "bmc",
        task,
        |task, d| bounded(task, 12, 20_000, 200, d),
        1500,
    );
    if !products {
        equations(race, task, &samples);
    }
    race.run(
        "houdini",
        task,
        |task, d| {
            let c = candidates(task, &samples, Effort::Rich);
            houdini(task, c, 200, d, &mut known)
        },
        3000,
    );
    race.run("accelerate", task, accelerated, 8000);
    race.run(
        "pdr",
        task,
        |task, d| property_directed(task, &known, 1000, d),
        10_000,
    );
    race.run(
        "bmc",
        task,
        |task, d| bounded(task, 40, 200_000, 2000, d),
        8000,
    );
    race.run(
        "bmc",
        task,
        |task, d| bounded(task, 300, 2_000_000, 10_000, d),
        60_000,
    );
}

fn accelerated(task: &mut Task, deadline: &Deadline) -> Option<Verdict> {
    let out = accelerate::run(task, accelerate::Options::default(), deadline);
    unrolled(task, &out)
}

/// Bounded model checking with what the options switch on and nothing else, certified: one cell of the
/// trace-automata paper's Table 2.
pub fn unwind(
    program: &Program,
    options: accelerate::Options,
    timeout: Duration,
) -> Result<Unwound, String> {
    let program = program.clone();
    let work = move || {
        let start = Instant::now();
        let deadline = Deadline::after(timeout);
        let mut task = slice::slice(program);
        let outcome = accelerate::run(&mut task, options, &deadline);
        let verdict = unrolled(&mut task, &outcome)
            .map(|v| certify::certify(&task, "accelerate", v, &deadline));
        Unwound {
            verdict: verdict.unwrap_or(Verdict::Unknown(Reason::Inconclusive {
                tried: vec!["accelerate"],
            })),
            took: start.elapsed(),
            outcome,
        }
    };
    apart(Role::Prove, work)
}

/// What `unwind` found, and what it cost.
pub struct Unwound {
    pub verdict: Verdict,
    pub took: Duration,
    pub outcome: accelerate::Outcome,
}

fn unrolled(task: &mut Task, out: &accelerate::Outcome) -> Option<Verdict> {
    match out.decision.clone() {
        accelerate::Decision::Safe { obligations } => {
            let pool = &mut task.program.pool;
            let obligations = obligations.iter().map(|o| pool.and_all(o)).collect();
            Some(Verdict::Safe(Proof::Unrolled {
                obligations,
                steps: out.depth,
            }))
        }
        accelerate::Decision::Unsafe(cex) => Some(Verdict::Unsafe(cex)),
        accelerate::Decision::Unknown(Reason::Inconclusive { .. }) => None,
        accelerate::Decision::Unknown(r) => Some(Verdict::Unknown(r)),
    }
}

/// How many variables only ever get constants?
fn n_finite(task: &Task) -> usize {
    let finite = predicates::finite(task);
    let live = slice::live(&task.program, &task.cpg);
    let at_heads: std::collections::BTreeSet<_> = task
        .cpg
        .heads()
        .iter()
        .filter_map(|n| live.get(n))
        .flatten()
        .filter(|v| finite.contains(v))
        .collect();
    at_heads.len()
}

fn bounded(
    task: &mut Task,
    unwind: usize,
    steps: usize,
    query_ms: u32,
    deadline: &Deadline,
) -> Option<Verdict> {
    let bounds = Bounds {
        unwind,
        steps,
        terms: 4_000_000,
        query: Budget::steady(query_ms),
    };
    match bmc::bmc(task, bounds, deadline) {
        bmc::Outcome::Safe(proof) => Some(Verdict::Safe(proof)),
        bmc::Outcome::Unsafe(cex) => Some(Verdict::Unsafe(cex)),
        bmc::Outcome::Exhausted { .. } => None,
        bmc::Outcome::Unknown(Reason::Inconclusive { .. }) => None,
        bmc::Outcome::Unknown(r) => Some(Verdict::Unknown(r)),
    }
}

/// Lemmas that Houdini left standing, for each head.
/// What is known, and the cheap candidates once more: with other lemmas they may be kept.
fn again(
    task: &mut Task,
    samples: &BTreeMap<NodeIndex, Samples>,
    known: &Survivors,
) -> BTreeMap<NodeIndex, Candidates> {
    let mut out = candidates(task, samples, Effort::Lean);
    for (n, lemmas) in known {
        out.entry(*n).or_default().lemmas.extend(lemmas.clone());
    }
    out
}

type Survivors = BTreeMap<NodeIndex, Vec<Lemma>>;

fn houdini(
    task: &mut Task,
    candidates: BTreeMap<NodeIndex, Candidates>,
    query_ms: u32,
    deadline: &Deadline,
    known: &mut Survivors,
) -> Option<Verdict> {
    if std::env::var("OPTVERIFY_TRACE").is_ok() {
        for (n, c) in &candidates {
            eprintln!("at {:?}:", task.cpg.graph[*n]);
            for l in &c.lemmas {
                eprintln!("  {}", task.program.pool.show(l.body));
            }
            for k in &c.kernels {
                for t in k.equations(&mut task.program.pool) {
                    eprintln!("  = {}", task.program.pool.show(t));
                }
            }
        }
    }
    let mut h = Houdini::new(task, candidates, Budget::steady(query_ms), deadline);
    h.run().ok()?;
    if !h.open_stops().is_empty() {
        *known = h.survivors();
        return None;
    }
    let lemmas: Lemmas = h.proof();
    Some(Verdict::Safe(Proof::Inductive { lemmas }))
}

/// Houdini on a graph that keeps what earlier loops counted.
fn remembered(race: &mut Race, task: &mut Task) {
    let Some(mut keeping) = remember::remember(task) else {
        return;
    };
    let seed = race.settings.seed;
    race.run(
        "remember",
        &mut keeping,
        |task, d| {
            let samples = concrete(task, seed, 300, &d.within_millis(25)).samples;
            let c = candidates(task, &samples, Effort::Full);
            houdini(task, c, 60, d, &mut Survivors::new())
        },
        1500,
    );
    if race.won.is_some() {
        *task = keeping;
    }
}

/// Does a guard multiply variables? Then the proof needs polynomials, and every other engine only loses time.
pub(super) fn multiplies(task: &Task) -> bool {
    let pool = &task.program.pool;
    let mut guards = task.cpg.graph.edge_weights().map(|e| e.guard);
    guards.any(|g| pool.multiplies(g))
}

fn equations(race: &mut Race, task: &mut Task, samples: &BTreeMap<NodeIndex, Samples>) {
    race.run(
        "equations",
        task,
        |task, d| {
            let all = candidates(task, samples, Effort::Rich);
            let c = polynomial(&task.program.pool, &all);
            houdini(task, c, 500, d, &mut Survivors::new())
        },
        2000,
    );
}

/// The polynomial equations, and of the rest what orders two variables: each further fact makes multiplications harder
/// for the solver, and a sum in closed form needs no other.
fn polynomial(
    pool: &Pool,
    all: &BTreeMap<NodeIndex, Candidates>,
) -> BTreeMap<NodeIndex, Candidates> {
    let orders = |l: &&Lemma| match *pool.node(l.body) {
        Node::Binary(_, a, b) => pool.as_var(a).is_some() && pool.as_var(b).is_some(),
        Node::Unary(UnOp::Not, t) => pool.children(t).iter().all(|c| pool.as_var(*c).is_some()),
        _ => false,
    };
    let only = |c: &Candidates| Candidates {
        lemmas: c.lemmas.iter().filter(orders).cloned().collect(),
        kernels: c.kernels.clone(),
    };
    all.iter().map(|(n, c)| (*n, only(c))).collect()
}

/// Houdini on the graph whose arrays have arbitrary contents.
fn without_arrays(
    task: &mut Task,
    candidates: BTreeMap<NodeIndex, Candidates>,
    deadline: &Deadline,
) -> Option<Verdict> {
    let cpg = scalars::abstracted(task)?;
    let candidates = scalars::scalar_candidates(&task.program.pool, candidates);
    let whole = std::mem::replace(&mut task.cpg, cpg);
    let verdict = houdini(task, candidates, 200, deadline, &mut Survivors::new());
    task.cpg = whole;
    verdict
}

/// What came of a table of control states.
#[derive(Default)]
struct States {
    suspect: bool,
    is_large: bool,
}

fn control_states(
    task: &mut Task,
    seed: u64,
    most_rows: usize,
    deadline: &Deadline,
    seen: &mut States,
) -> Option<Verdict> {
    let outcome = states::states(task, seed, most_rows, Budget::steady(1000), deadline);
    seen.suspect |= matches!(outcome, states::Outcome::Suspect);
    seen.is_large = matches!(outcome, states::Outcome::TooLarge);
    let states::Outcome::Closed(lemmas) = outcome else {
        return None;
    };
    let mut out: Lemmas = task.facts.clone();
    for (n, t) in lemmas {
        let at = out.entry(task.cpg.graph[n]).or_default();
        at.push(Lemma::plain(t));
    }
    Some(Verdict::Safe(Proof::Inductive { lemmas: out }))
}

fn property_directed(
    task: &mut Task,
    known: &Survivors,
    query_ms: u32,
    deadline: &Deadline,
) -> Option<Verdict> {
    let background: BTreeMap<NodeIndex, Vec<Term>> = known
        .iter()
        .map(|(n, ls)| {
            let plain = ls.iter().filter(|l| l.bound.is_empty());
            (*n, plain.map(|l| l.body).collect())
        })
        .collect();
    match pdr::pdr(task, &background, Budget::steady(query_ms), deadline) {
        pdr::Outcome::Safe(clauses) => {
            // The clauses and what they rest on, reduced to what is needed.
            let mut at: BTreeMap<NodeIndex, Candidates> = BTreeMap::new();
            for (n, lemmas) in known {
                at.entry(*n).or_default().lemmas.extend(lemmas.clone());
            }
            for (n, terms) in clauses {
                let lemmas = terms.into_iter().map(Lemma::plain);
                at.entry(n).or_default().lemmas.extend(lemmas);
            }
            houdini(task, at, query_ms, deadline, &mut Survivors::new())
        }
        pdr::Outcome::Unsafe(cex) => Some(Verdict::Unsafe(cex)),
        pdr::Outcome::GaveUp(_) => None,
    }
}
