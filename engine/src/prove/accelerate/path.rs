//! Looping paths: the ways around a loop, each a conjunction of literals and one update without choices.
//!
//! A functional edge of the cut-point graph holds all ways at once, as `or`s in its guard and `ite`s in its
//! updates. Splitting decides one condition after the other and simplifies; since terms are shared, a decided
//! condition disappears everywhere, and what remains are the feasible-looking paths of the fragment.

use crate::program::cpg::{Cpg, CutPoint, EdgeDraw};
use crate::term::{BinOp, FastSet, Node, Pool, Sort, Subst, Term, UnOp, Var};
use petgraph::graph::NodeIndex;
use petgraph::visit::EdgeRef;
use std::collections::{BTreeMap, BTreeSet};

/// A way from a loop head back to it.
#[derive(Clone, Debug)]
pub struct Path {
    /// The path is taken iff all of these hold (over the state at the head and the draws).
    pub literals: Vec<Term>,
    /// What changes, over the state at the head and the draws.
    pub updates: BTreeMap<Var, Term>,
    pub draws: Vec<EdgeDraw>,
}

impl Path {
    pub fn guard(&self, pool: &mut Pool) -> Term {
        pool.and_all(&self.literals)
    }

    /// The substitution of one iteration.
    pub fn step(&self) -> Subst {
        let mut s = Subst::new();
        for (&v, &t) in &self.updates {
            s.bind(v, t);
        }
        s
    }
}

/// Answers whether a condition holds in all states. `false` means "no, or not known".
pub trait Oracle {
    fn valid(&mut self, pool: &mut Pool, condition: Term) -> bool;

    fn infeasible(&mut self, pool: &mut Pool, condition: Term) -> bool {
        let n = pool.not(condition);
        self.valid(pool, n)
    }
}

/// Knows what the simplifier knows.
pub struct Syntactic;

impl Oracle for Syntactic {
    fn valid(&mut self, pool: &mut Pool, condition: Term) -> bool {
        pool.is_true(condition)
    }
}

/// The paths of a guarded update, or nothing if there are more than `limit`.
pub fn split(
    pool: &mut Pool,
    oracle: &mut dyn Oracle,
    guard: Term,
    updates: &BTreeMap<Var, Term>,
    draws: &[EdgeDraw],
    limit: usize,
) -> Option<Vec<Path>> {
    let mut done = vec![];
    let mut todo = vec![(guard, updates.clone(), draws.to_vec())];
    while let Some((guard, updates, draws)) = todo.pop() {
        if pool.is_false(guard) {
            continue;
        }
        if done.len() + todo.len() >= limit {
            return None;
        }
        let mut literals = vec![];
        conjuncts(pool, guard, &mut literals);
        let mut roots = literals.clone();
        roots.extend(updates.values().copied());
        let Some(c) = decision(pool, &roots) else {
            if oracle.infeasible(pool, guard) {
                continue;
            }
            done.push(Path {
                literals,
                updates,
                draws,
            });
            continue;
        };
        for value in [false, true] {
            let to = pool.bool(value);
            let mut s = Subst::new();
            s.replace(c, to);
            let mut g = s.apply(pool, guard);
            let literal = if value { c } else { pool.not(c) };
            g = pool.and(g, literal);
            if pool.is_false(g) {
                continue;
            }
            let mut decided = BTreeMap::new();
            for (&v, &t) in &updates {
                let t = s.apply(pool, t);
                if pool.as_var(t) != Some(v) {
                    decided.insert(v, t);
                }
            }
            let mut made = draws.clone();
            for d in &mut made {
                d.when = s.apply(pool, d.when);
            }
            made.retain(|d| !pool.is_false(d.when));
            todo.push((g, decided, made));
        }
    }
    Some(done)
}

/// Flattens conjunctions and negated disjunctions.
pub fn conjuncts(pool: &mut Pool, t: Term, out: &mut Vec<Term>) {
    let mut todo = vec![t];
    while let Some(t) = todo.pop() {
        match *pool.node(t) {
            Node::Binary(BinOp::And, a, b) => todo.extend([b, a]),
            Node::Unary(UnOp::Not, n) => match *pool.node(n) {
                Node::Binary(BinOp::Or, a, b) => {
                    let (a, b) = (pool.not(a), pool.not(b));
                    todo.extend([b, a]);
                }
                _ => out.push(t),
            },
            _ if pool.is_true(t) => {}
            _ => out.push(t),
        }
    }
    let mut seen = FastSet::default();
    out.retain(|&t| seen.insert(t));
}

/// A condition that splits the terms: the condition of an `ite`, or a leaf of a disjunction.
fn decision(pool: &Pool, roots: &[Term]) -> Option<Term> {
    let mut seen = FastSet::default();
    let mut todo: Vec<Term> = roots.to_vec();
    while let Some(t) = todo.pop() {
        if !seen.insert(t) {
            continue;
        }
        match *pool.node(t) {
            Node::Ite(c, _, _) => return Some(leaf(pool, c)),
            Node::Binary(BinOp::Or | BinOp::And, ..) => return Some(leaf(pool, t)),
            Node::Binary(BinOp::Eq, a, _) if pool.sort(a) == Sort::Bool => {
                return Some(leaf(pool, t));
            }
            // What is under a bound variable cannot be decided outside.
            Node::Lambda { .. } => {}
            _ => todo.extend(pool.children(t)),
        }
    }
    None
}

/// An atom below boolean connectives; conditions inside the atom come first.
fn leaf(pool: &Pool, t: Term) -> Term {
    match *pool.node(t) {
        Node::Binary(BinOp::And | BinOp::Or, a, _) => leaf(pool, a),
        Node::Binary(BinOp::Eq, a, _) if pool.sort(a) == Sort::Bool => leaf(pool, a),
        Node::Unary(UnOp::Not, a) => leaf(pool, a),
        Node::Ite(c, _, _) => leaf(pool, c),
        _ => decision(pool, &pool.children(t)).unwrap_or(t),
    }
}

/// For each node the variables whose value there can still matter for an error guard or a branch.
///
/// Updates of other variables need no closed form: temporaries of the loop body are not part of the loop.
pub fn live(pool: &Pool, cpg: &Cpg) -> BTreeMap<NodeIndex, BTreeSet<Var>> {
    let mut live: BTreeMap<NodeIndex, BTreeSet<Var>> = cpg
        .graph
        .node_indices()
        .map(|n| (n, BTreeSet::new()))
        .collect();
    loop {
        let mut changed = false;
        for e in cpg.graph.edge_references() {
            let edge = e.weight();
            let mut roots = vec![edge.guard];
            let mut kept = vec![];
            if matches!(cpg.graph[e.target()], CutPoint::Head(_)) {
                for &v in &live[&e.target()] {
                    match edge.updates.get(&v) {
                        Some(&t) => roots.push(t),
                        None => kept.push(v),
                    }
                }
            }
            let own: BTreeSet<Var> = edge.draws.iter().map(|d| d.var).collect();
            let used = pool.free_vars(&roots);
            let at = live.entry(e.source()).or_default();
            for v in used.into_iter().chain(kept) {
                if !own.contains(&v) {
                    changed |= at.insert(v);
                }
            }
        }
        if !changed {
            return live;
        }
    }
}

/// The updates of the variables in `keep`.
pub fn restrict(updates: &BTreeMap<Var, Term>, keep: &BTreeSet<Var>) -> BTreeMap<Var, Term> {
    updates
        .iter()
        .filter(|(v, _)| keep.contains(v))
        .map(|(&v, &t)| (v, t))
        .collect()
}
