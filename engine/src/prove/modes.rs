//! Modes: what holds only while a state machine is in one of its states.
//!
//! A decoder with `enum State { Sync, Data { at: u8, len: u8 } }` keeps `at < len` in `Data` and nothing at all in `Sync`,
//! where both hold whatever the last message left there. So no plain lemma is inductive, and what is needed is
//! `state = Data -> at < len`. The states seen at a head are split by the variant of each enum that has fields there;
//! what orders, bounds and guards say of the fields in one part is proposed under that variant.

use super::candidates::{Proposer, is_value};
use super::concrete::Samples;
use super::houdini::Candidates;
use super::{Lemma, Task, predicates};
use crate::term::{Term, Var};
use petgraph::graph::NodeIndex;
use std::collections::{BTreeMap, BTreeSet};

/// Variables that are taken for modes at one head, values of one, and what is proposed at a head.
const MOST_MODES: usize = 3;
const MOST_VALUES: usize = 8;
const MOST_LEMMAS: usize = 400;

/// Conditional lemmas, on top of those that are `known` to hold in every mode; nothing where no head has modes.
pub fn modes(
    task: &mut Task,
    samples: &BTreeMap<NodeIndex, Samples>,
    known: &BTreeMap<NodeIndex, Vec<Lemma>>,
) -> Option<BTreeMap<NodeIndex, Candidates>> {
    let finite = predicates::finite(task);
    let proposer = Proposer::of(task);
    let mut out: BTreeMap<NodeIndex, Candidates> = BTreeMap::new();
    let mut some = false;
    for n in task.cpg.heads() {
        let Some(s) = samples.get(&n) else { continue };
        let mut c = Candidates::default();
        let always: BTreeSet<Term> = (known.get(&n).into_iter().flatten())
            .filter(|l| l.bound.is_empty())
            .map(|l| l.body)
            .collect();
        c.lemmas
            .extend(known.get(&n).into_iter().flatten().cloned());
        let before = c.lemmas.len();
        for (mode, at) in of_head(task, s, &finite) {
            let payload = payload(task, mode, s);
            let values: BTreeSet<u128> = s.rows.iter().map(|r| r[at]).collect();
            for value in values {
                let part = Samples {
                    vars: s.vars.clone(),
                    rows: s.rows.iter().filter(|r| r[at] == value).cloned().collect(),
                };
                let premise = is_value(task, mode, value);
                for t in proposer.of_part(task, n, &part) {
                    let vars = task.program.pool.free_vars(&[t]);
                    let is_about = vars.iter().any(|v| payload.contains(v));
                    if always.contains(&t) || !is_about || c.lemmas.len() > MOST_LEMMAS {
                        continue;
                    }
                    let lemma = task.program.pool.implies(premise, t);
                    if task.program.pool.as_const(lemma).is_none() {
                        c.lemmas.insert(Lemma::plain(lemma));
                    }
                }
            }
        }
        some |= c.lemmas.len() > before;
        out.insert(n, c);
    }
    some.then_some(out)
}

/// The fields of the enum whose variant a variable is.
fn payload(task: &Task, mode: Var, s: &Samples) -> BTreeSet<Var> {
    let name = |v: Var| task.program.pool.var_info(v).name.as_str();
    let Some(owner) = name(mode).strip_suffix("variant") else {
        return BTreeSet::new();
    };
    let others = s.vars.iter().copied().filter(|v| *v != mode);
    others.filter(|v| name(*v).starts_with(owner)).collect()
}

/// The modes of a head with their places in the rows, those with the most values first.
fn of_head(task: &Task, s: &Samples, finite: &BTreeSet<Var>) -> Vec<(Var, usize)> {
    let mut found: Vec<(usize, Var, usize)> = vec![];
    for (i, &v) in s.vars.iter().enumerate() {
        let values: BTreeSet<u128> = s.rows.iter().map(|r| r[i]).collect();
        let is_mode = finite.contains(&v) && !payload(task, v, s).is_empty();
        if is_mode && (2..=MOST_VALUES).contains(&values.len()) {
            found.push((values.len(), v, i));
        }
    }
    found.sort_by_key(|(n, v, _)| (std::cmp::Reverse(*n), *v));
    found.truncate(MOST_MODES);
    found.into_iter().map(|(_, v, i)| (v, i)).collect()
}
