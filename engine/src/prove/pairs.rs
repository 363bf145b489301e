//! Pairs: what two control variables say together, for machines of many threads.
//!
//! A ring of thirteen threads has thousands of reachable control states, too many for a table of them (`states`), and its
//! proof is short: a thread that waits and is runnable holds the token, `waits_i and runs_i -> token = local + i`, no two
//! do, and none does before the master has run. Such a lemma speaks of a few variables only. So the states that runs
//! came to are asked for each pair of values: is it ever seen, what do the data obey where it is, and is it seen
//! with a third value or another such pair? What never is, is proposed as excluded; Houdini keeps what is inductive.

use super::affine::Kernel;
use super::candidates::is_value;
use super::concrete::{self, Samples};
use super::houdini::Candidates;
use super::states::related;
use super::{Deadline, Lemma, Task, predicates};
use crate::term::{Sort, Term, Var};
use petgraph::graph::NodeIndex;
use std::collections::{BTreeMap, BTreeSet};

/// States that are looked at, for each head.
const ROWS: usize = 3000;
const SAMPLE_MILLIS: u64 = 300;
/// Fewer variables have a small table.
const FEWEST: usize = 3;
const MOST_CONTROL: usize = 90;
const MOST_VALUES: usize = 8;
const MOST_DATA: usize = 10;
/// Pairs that more is asked of, and what is proposed at a head.
const MOST_PAIRS: usize = 64;
const MOST_LEMMAS: usize = 6000;

/// A control variable has a value.
struct Atom {
    var: usize,
    is: Term,
    seen: Rows,
}

/// A set of rows, a bit for each.
#[derive(Clone)]
struct Rows(Vec<u64>);

impl Rows {
    fn none(n: usize) -> Rows {
        Rows(vec![0; n.div_ceil(64)])
    }

    fn add(&mut self, row: usize) {
        self.0[row / 64] |= 1 << (row % 64);
    }

    fn has(&self, row: usize) -> bool {
        self.0[row / 64] >> (row % 64) & 1 == 1
    }

    fn and(&self, other: &Rows) -> Rows {
        Rows(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    fn meets(&self, other: &Rows) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    fn count(&self) -> u32 {
        self.0.iter().map(|w| w.count_ones()).sum()
    }
}

/// What is seen of a head.
struct Head {
    rows: Vec<Vec<u128>>,
    atoms: Vec<Atom>,
    /// Variables that only ever had one value.
    fixed: Vec<Term>,
    /// Data by width, with their places in the rows.
    data: Vec<(u32, Vec<(usize, Var)>)>,
    owners: Vec<String>,
}

/// Two values that are seen together, and what holds of the data where they are.
struct Pair {
    of: [usize; 2],
    is: Term,
    seen: Rows,
    gain: Vec<Term>,
}

/// Candidates for heads with many control variables; nothing where there is none.
pub fn pairs(
    task: &mut Task,
    seed: u64,
    deadline: &Deadline,
) -> Option<BTreeMap<NodeIndex, Candidates>> {
    let found = concrete::concrete_rows(
        task,
        seed,
        3000,
        ROWS,
        &deadline.within_millis(SAMPLE_MILLIS),
    );
    if found.violation.is_some() {
        return None;
    }
    let related = related(task);
    let finite = predicates::finite(task);
    let mut out = BTreeMap::new();
    let mut some = false;
    for (n, samples) in &found.samples {
        if deadline.passed() {
            return None;
        }
        let head = head(task, samples, &related, &finite);
        let lemmas = match head.owners.len() >= FEWEST {
            true => of_head(task, &head),
            false => BTreeSet::new(),
        };
        some |= !lemmas.is_empty();
        let lemmas = lemmas.into_iter().map(Lemma::plain).collect();
        let kernels = vec![];
        out.insert(*n, Candidates { lemmas, kernels });
    }
    some.then_some(out)
}

fn head(task: &mut Task, s: &Samples, related: &BTreeSet<Var>, finite: &BTreeSet<Var>) -> Head {
    let mut head = Head {
        rows: s
            .rows
            .iter()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .cloned()
            .collect(),
        atoms: vec![],
        fixed: vec![],
        data: vec![],
        owners: vec![],
    };
    let mut data: BTreeMap<u32, Vec<(usize, Var)>> = BTreeMap::new();
    for (at, &v) in s.vars.iter().enumerate() {
        let values: BTreeSet<u128> = head.rows.iter().map(|r| r[at]).collect();
        let sort = task.program.pool.var_info(v).sort;
        let is_bit = matches!(sort, Sort::Bool | Sort::Bv(1));
        let is_control = is_bit || (finite.contains(&v) && values.len() <= MOST_VALUES);
        match sort {
            _ if is_control && values.len() == 1 => {
                for value in values {
                    head.fixed.push(is_value(task, v, value));
                }
            }
            _ if is_control && head.owners.len() < MOST_CONTROL => {
                let var = head.owners.len();
                head.owners.push(owner(&task.program.pool.var_info(v).name));
                for value in values {
                    let mut seen = Rows::none(head.rows.len());
                    let with = head.rows.iter().enumerate().filter(|(_, r)| r[at] == value);
                    with.for_each(|(i, _)| seen.add(i));
                    let is = is_value(task, v, value);
                    head.atoms.push(Atom { var, is, seen });
                }
            }
            Sort::Bv(w) if related.contains(&v) && !is_control => {
                data.entry(w).or_default().push((at, v));
            }
            _ => {}
        }
    }
    head.data = data
        .into_iter()
        .filter(|(_, vs)| vs.len() <= MOST_DATA)
        .collect();
    head
}

/// `ring.1` of `ring.1.0`: what two variables are fields of.
fn owner(name: &str) -> String {
    name.rsplit_once('.')
        .map_or(name, |(owner, _)| owner)
        .to_owned()
}

/// The affine relations between the data in these rows.
fn relations(task: &mut Task, head: &Head, rows: &Rows) -> BTreeSet<Term> {
    let mut out = BTreeSet::new();
    for (w, vars) in &head.data {
        let columns = vars
            .iter()
            .map(|(_, v)| task.program.pool.var(*v))
            .collect();
        let mut kernel = Kernel::everything(*w, columns);
        for (i, row) in head.rows.iter().enumerate().filter(|(i, _)| rows.has(*i)) {
            debug_assert!(i < head.rows.len());
            let state: Vec<u128> = vars.iter().map(|(at, _)| row[*at]).collect();
            kernel.restrict(&state);
        }
        kernel.normalise();
        out.extend(kernel.plain().equations(&mut task.program.pool));
    }
    out
}

fn of_head(task: &mut Task, head: &Head) -> BTreeSet<Term> {
    let mut out: BTreeSet<Term> = head.fixed.iter().copied().collect();
    let mut all = Rows::none(head.rows.len());
    (0..head.rows.len()).for_each(|i| all.add(i));
    let always = relations(task, head, &all);
    out.extend(always.iter().copied());
    let mut of_atom = vec![];
    for a in &head.atoms {
        let found = relations(task, head, &a.seen);
        for &t in found.difference(&always) {
            out.insert(task.program.pool.implies(a.is, t));
        }
        of_atom.push(found);
    }
    let pairs = told_pairs(task, head, &of_atom, &mut out);
    for p in &pairs {
        for &t in &p.gain {
            out.insert(task.program.pool.implies(p.is, t));
        }
        let [a, b] = p.of.map(|i| &head.atoms[i]);
        for c in &head.atoms {
            let is_new = c.var != a.var && c.var != b.var && !p.seen.meets(&c.seen);
            if is_new && a.seen.meets(&c.seen) && b.seen.meets(&c.seen) {
                out.insert(never(task, p.is, c.is));
            }
        }
    }
    for (i, p) in pairs.iter().enumerate() {
        for q in &pairs[i + 1..] {
            if p.seen.meets(&q.seen) {
                continue;
            }
            let meets = |pair: &Pair, other: &Pair| {
                let atoms = other.of.iter().map(|i| &head.atoms[*i]);
                atoms.into_iter().all(|a| pair.seen.meets(&a.seen))
            };
            if meets(p, q) && meets(q, p) {
                out.insert(never(task, p.is, q.is));
            }
        }
    }
    match out.len() <= MOST_LEMMAS {
        true => out,
        false => BTreeSet::new(),
    }
}

fn never(task: &mut Task, a: Term, b: Term) -> Term {
    let pool = &mut task.program.pool;
    let both = pool.and(a, b);
    pool.not(both)
}

/// The pairs of values of one owner; where there are none, those that say more of the data together than each does. Pairs
/// that are never seen are proposed as excluded.
fn told_pairs(
    task: &mut Task,
    head: &Head,
    of_atom: &[BTreeSet<Term>],
    out: &mut BTreeSet<Term>,
) -> Vec<Pair> {
    let mut open = vec![];
    for (i, a) in head.atoms.iter().enumerate() {
        for (j, b) in head.atoms.iter().enumerate().skip(i + 1) {
            if a.var == b.var {
                continue;
            }
            if a.seen.meets(&b.seen) {
                let own = head.owners[a.var] == head.owners[b.var];
                let seen = a.seen.and(&b.seen);
                open.push((!own, std::cmp::Reverse(seen.count()), i, j, seen));
            } else {
                out.insert(never(task, a.is, b.is));
            }
        }
    }
    // without owners every pair may be the one
    let some_own = open.iter().any(|(foreign, ..)| !foreign);
    open.sort_by_key(|(foreign, n, i, j, _)| (*foreign, *n, *i, *j));
    let mut pairs: Vec<Pair> = vec![];
    for (foreign, _, i, j, seen) in open {
        if pairs.len() >= MOST_PAIRS || (foreign && some_own) {
            break;
        }
        let found = relations(task, head, &seen);
        let is_new = |t: &&Term| !of_atom[i].contains(t) && !of_atom[j].contains(t);
        let gain: Vec<Term> = found.iter().filter(is_new).copied().collect();
        // two fields of one thread are its state, whatever the data do
        if !foreign || !gain.is_empty() {
            let is = task.program.pool.and(head.atoms[i].is, head.atoms[j].is);
            let of = [i, j];
            pairs.push(Pair { of, is, seen, gain });
        }
    }
    pairs
}
