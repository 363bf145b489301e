//! Checks a claim without lemmas: every run ends before it has passed too many cut-points, and none in a violation.
//!
//! All runs are walked together from the entry, round by round: a round goes from every cut-point where runs may be
//! to the next ones. That a cut-point is not reached any more is asked of the solver when it is not plain, and asked
//! again at the end with everything else. The number of rounds in the claim is not needed: the walk ends or does not.

use crate::bodies::Bodies;
use crate::check::{Claimed, decide};
use crate::graph::{Graph, Point};
use crate::machine::{Kind, Machine, Obligation, State};
use crate::proof_file::{Cut, Places};
use crate::solver::{self, Answer, Query};
use crate::{Settings, Verdict};
use optverify_engine::capture::Root;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

const MOST_ROUNDS: usize = 4_000;
/// The engine whose proofs are runs: all of them together are more than can be walked.
const EXHAUST: &str = "exhaust";
/// More text than this is not worth unrolling.
const MOST_TEXT: usize = 6 << 20;

pub fn unrolled(
    bodies: &Bodies<'_>,
    root: &Root,
    engine: &str,
    cuts: &[Cut],
    settings: &Settings,
) -> Result<Verdict, String> {
    if engine == EXHAUST {
        return Err(format!("a proof by making every run ({engine})"));
    }
    let graph = Graph::new(bodies, bodies.root(root)?);
    let claimed = Claimed::read(&graph, cuts, &Places::new())?;
    let mut machine = Machine::new(&graph);
    machine.inputs()?;
    let begin = Instant::now();
    let mut at = BTreeMap::from([(graph.entry(), machine.state.clone())]);
    let mut orders = BTreeMap::new();
    // what is not reached, and had to be asked
    let mut never = vec![];
    for _ in 0..MOST_ROUNDS {
        if at.is_empty() {
            machine.obligations.extend(never);
            // no lemma is used, so none is missing
            let left_out = BTreeSet::new();
            return Ok(decide(&machine, "the entry", &left_out, settings));
        }
        let mut next: BTreeMap<Point, Vec<State>> = BTreeMap::new();
        for (start, state) in at {
            if !orders.contains_key(&start) {
                orders.insert(start.clone(), graph.order(&start, &claimed.cuts)?);
            }
            machine.state = state;
            for (cut, state) in machine.walk(&start, &orders[&start], &claimed.cuts)? {
                next.entry(cut).or_default().push(state);
            }
            if machine.script.text.len() > MOST_TEXT || begin.elapsed() > settings.unrolling {
                return Err(format!("a proof by unrolling ({engine}) that is too long"));
            }
        }
        at = BTreeMap::new();
        for (cut, states) in next {
            let Some(state) = crate::machine::join(&mut machine, states) else {
                continue;
            };
            if state.when.is(true) || is_possible(&machine, &state, settings) {
                at.insert(cut, state);
                continue;
            }
            never.push(Obligation {
                kind: Kind::Lemma,
                what: format!("no more rounds at {}", cut.shown()),
                when: state.when,
            });
        }
    }
    Err(format!("a proof by unrolling ({engine}) that is too long"))
}

/// May a run get there? Only a plain no counts as one.
fn is_possible(machine: &Machine<'_>, state: &State, settings: &Settings) -> bool {
    let query = Query::any_of(&machine.script, &[&state.when]);
    solver::z3(&query, settings.timeout.min(Duration::from_secs(5))) != Answer::Unsat
}
