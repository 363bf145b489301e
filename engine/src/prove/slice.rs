//! Leaves only what can influence a stop: live variables, one representative of equal ones, no constants.
//!
//! Closed MIR keeps a temporary for everything. Three exact reductions on the cut-point graph, none of which
//! touches the meaning of a guard: (1) edges to the exit go, nothing happens there; (2) variables that are equal
//! to a constant or to each other whenever control is at a head are found by value numbering (terms are hash-consed,
//! so equal updates are equal handles; joins refine the classes) and replaced; (3) updates of variables that are
//! dead at the target go. What (2) found is kept as facts, so that proofs hold of the whole graph again.

use super::{Lemma, Lemmas, Task};
use crate::program::Program;
use crate::program::cpg::{Cpg, CutPoint};
use crate::term::{FastMap, Subst, Term, Var};
use petgraph::graph::NodeIndex;
use petgraph::visit::EdgeRef;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// For each variable the constant or the representative variable that it equals.
type Classes = BTreeMap<Var, Term>;

/// Builds the graph of a program and slices it.
pub fn slice(mut program: Program) -> Task {
    let mut full = Cpg::of(&mut program);
    simplify_edges(&mut program, &mut full);
    sliced(program, full, BTreeMap::new())
}

/// The same task, sliced so that these variables are left at these heads although nothing reads them.
pub fn keeping(task: &Task, kept: BTreeMap<NodeIndex, BTreeSet<Var>>) -> Task {
    Task {
        vcgen: task.vcgen,
        ..sliced(task.program.clone(), task.full.clone(), kept)
    }
}

fn sliced(mut program: Program, full: Cpg, kept: BTreeMap<NodeIndex, BTreeSet<Var>>) -> Task {
    let mut cpg = full.clone();
    cpg.kept = kept;
    drop_edges(&mut cpg, |cpg, _, to| cpg.graph[to] != CutPoint::Exit);
    drop_dead(&program, &mut cpg);
    super::choose::choose(&mut program.pool, &mut cpg);
    let classes = number_values(&mut program, &cpg);
    let mut facts = Lemmas::new();
    for (&node, classes) in &classes {
        let lemmas = substitute(&mut program, &mut cpg, node, classes);
        if !lemmas.is_empty() {
            facts.insert(cpg.graph[node], lemmas);
        }
    }
    // What no run reaches has the lemma `false`: the whole graph still has the edges out of there.
    for n in cpg.heads() {
        if !classes.contains_key(&n) {
            let never = program.pool.bool(false);
            facts.insert(cpg.graph[n], vec![Lemma::plain(never)]);
        }
    }
    drop_edges(&mut cpg, |_, from, _| classes.contains_key(&from));
    simplify_edges(&mut program, &mut cpg);
    let pool = &program.pool;
    cpg.graph.retain_edges(|g, e| !pool.is_false(g[e].guard));
    drop_dead(&program, &mut cpg);
    Task {
        program,
        full,
        cpg,
        facts,
        vcgen: Default::default(),
    }
}

fn simplify_edges(program: &mut Program, cpg: &mut Cpg) {
    for e in cpg.graph.edge_indices().collect::<Vec<_>>() {
        super::context::simplify(&mut program.pool, &mut cpg.graph[e]);
    }
}

fn drop_edges(cpg: &mut Cpg, keep: impl Fn(&Cpg, NodeIndex, NodeIndex) -> bool) {
    let doomed: BTreeSet<_> = cpg
        .graph
        .edge_references()
        .filter(|e| !keep(cpg, e.source(), e.target()))
        .map(|e| e.id())
        .collect();
    cpg.graph.retain_edges(|_, e| !doomed.contains(&e));
}

/// The variables that are live at each node: read by a guard, or by an update of what is live behind the edge, or kept.
pub fn live(program: &Program, cpg: &Cpg) -> BTreeMap<NodeIndex, BTreeSet<Var>> {
    let state: BTreeSet<Var> = program.vars.iter().copied().collect();
    let mut reads: FastMap<Term, Vec<Var>> = FastMap::default();
    let mut read = |t: Term| -> Vec<Var> {
        reads
            .entry(t)
            .or_insert_with(|| {
                let mut vars = program.pool.free_vars(&[t]);
                vars.retain(|v| state.contains(v));
                vars
            })
            .clone()
    };
    let mut live = cpg.kept.clone();
    let mut changed = true;
    while changed {
        changed = false;
        for e in cpg.graph.edge_references() {
            let mut new: BTreeSet<Var> = read(e.weight().guard).into_iter().collect();
            for v in live.get(&e.target()).into_iter().flatten() {
                match e.weight().updates.get(v) {
                    Some(&t) => new.extend(read(t)),
                    None => {
                        new.insert(*v);
                    }
                }
            }
            let at = live.entry(e.source()).or_default();
            let before = at.len();
            at.extend(new);
            changed |= at.len() != before;
        }
    }
    live
}

fn drop_dead(program: &Program, cpg: &mut Cpg) {
    let live = live(program, cpg);
    for e in cpg.graph.edge_indices().collect::<Vec<_>>() {
        let Some((_, to)) = cpg.graph.edge_endpoints(e) else {
            continue;
        };
        let keep = live.get(&to);
        cpg.graph[e]
            .updates
            .retain(|v, _| keep.is_some_and(|k| k.contains(v)));
    }
}

/// Equalities at heads by optimistic value numbering; nodes that no run reaches have no entry.
fn number_values(program: &mut Program, cpg: &Cpg) -> BTreeMap<NodeIndex, Classes> {
    let live = live(program, cpg);
    let none = BTreeSet::new();
    let mut at: BTreeMap<NodeIndex, Classes> = BTreeMap::from([(cpg.entry, Classes::new())]);
    let mut work = VecDeque::from([cpg.entry]);
    while let Some(node) = work.pop_front() {
        let classes = at[&node].clone();
        let mut s = Subst::new();
        for (v, t) in &classes {
            s.bind(*v, *t);
        }
        for e in cpg.graph.edges(node).map(|e| e.id()).collect::<Vec<_>>() {
            let Some((_, to)) = cpg.graph.edge_endpoints(e) else {
                continue;
            };
            let edge = &cpg.graph[e];
            let guard = s.apply(&mut program.pool, edge.guard);
            if program.pool.is_false(guard) || !matches!(cpg.graph[to], CutPoint::Head(_)) {
                continue;
            }
            let mut arriving: BTreeMap<Var, Term> = BTreeMap::new();
            for &v in live.get(&to).unwrap_or(&none) {
                if program.pool.var_info(v).sort.is_array() {
                    continue;
                }
                let own = program.pool.var(v);
                let t = edge.updates.get(&v).copied().unwrap_or(own);
                let t = s.apply(&mut program.pool, t);
                arriving.insert(v, t);
            }
            let joined = join(program, at.get(&to), &arriving);
            if at.get(&to) != Some(&joined) {
                at.insert(to, joined);
                work.push_back(to);
            }
        }
    }
    at
}

/// Classes in which both sides agree. Before the first arrival everything is equal.
fn join(program: &mut Program, old: Option<&Classes>, arriving: &BTreeMap<Var, Term>) -> Classes {
    let mut out = Classes::new();
    let mut leaders: BTreeMap<(Option<Term>, Term), Var> = BTreeMap::new();
    for (&v, &t) in arriving {
        let own = program.pool.var(v);
        let before = old.map(|o| o.get(&v).copied().unwrap_or(own));
        if program.pool.as_const(t).is_some() && before.is_none_or(|b| b == t) {
            out.insert(v, t);
            continue;
        }
        match leaders.get(&(before, t)) {
            Some(&leader) => {
                if program.pool.var_info(leader).sort == program.pool.var_info(v).sort {
                    let l = program.pool.var(leader);
                    out.insert(v, l);
                }
            }
            None => {
                leaders.insert((before, t), v);
            }
        }
    }
    out
}

/// Rewrites the edges that leave the node, and returns the equalities used.
fn substitute(
    program: &mut Program,
    cpg: &mut Cpg,
    node: NodeIndex,
    classes: &Classes,
) -> Vec<Lemma> {
    if classes.is_empty() {
        return vec![];
    }
    let mut s = Subst::new();
    let mut lemmas = vec![];
    for (&v, &t) in classes {
        s.bind(v, t);
        let own = program.pool.var(v);
        lemmas.push(Lemma::plain(program.pool.eq(own, t)));
    }
    for e in cpg.graph.edges(node).map(|e| e.id()).collect::<Vec<_>>() {
        let edge = &mut cpg.graph[e];
        edge.guard = s.apply(&mut program.pool, edge.guard);
        for t in edge.updates.values_mut() {
            *t = s.apply(&mut program.pool, *t);
        }
        for d in &mut edge.draws {
            d.when = s.apply(&mut program.pool, d.when);
        }
    }
    lemmas
}
