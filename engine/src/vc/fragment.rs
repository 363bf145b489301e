//! A loop-free fragment in passive form: no assignments, only definitions of variables that are new on every path.

use crate::program::BlockId;
use crate::prove::Lemma;
use crate::smt::{Deadline, Solver};
use crate::term::{FastSet, Pool, Term, Var};
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// The variable has this value; no other definition of it is on a path through this one.
    Define(Var, Term),
    /// Runs that violate it end here, and all is well.
    Assume(Term),
    /// Runs must keep it.
    Assert(Term),
}

#[derive(Clone, Debug, Default)]
pub struct Node {
    pub items: Vec<Item>,
    /// Edges by index.
    pub incoming: Vec<usize>,
    pub outgoing: Vec<usize>,
}

/// Control goes from a node to another under a condition; the conditions of a node's edges exclude each other, and
/// one of them holds.
#[derive(Clone, Debug)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    pub condition: Term,
    /// What variables of a join are on this way in: defined on each edge into the join.
    pub copies: Vec<(Var, Term)>,
}

/// Nodes in topological order: the first is the start, the last the common end, which has no items.
#[derive(Clone, Debug, Default)]
pub struct Fragment {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
}

/// What must hold at the blocks where a fragment ends (the loop heads).
pub type Ends = BTreeMap<BlockId, Vec<Lemma>>;

impl Fragment {
    pub fn end(&self) -> usize {
        self.nodes.len().saturating_sub(1)
    }

    pub fn asserts(&self) -> usize {
        let items = self.nodes.iter().flat_map(|n| &n.items);
        items.filter(|i| matches!(i, Item::Assert(_))).count()
    }

    /// Every term in it.
    pub fn terms(&self) -> Vec<Term> {
        let mut out = vec![];
        for n in &self.nodes {
            for i in &n.items {
                match i {
                    Item::Define(_, t) | Item::Assume(t) | Item::Assert(t) => out.push(*t),
                }
            }
        }
        for e in &self.edges {
            out.push(e.condition);
            out.extend(e.copies.iter().map(|(_, t)| *t));
        }
        out
    }

    /// The solver that suits it: one with functions if arrays are read at variable places.
    pub fn solver(&self, pool: &Pool, deadline: &Deadline) -> Solver {
        let indices = crate::prove::vc::indices(pool, &self.terms());
        if indices.iter().any(|i| pool.as_const(*i).is_none()) {
            Solver::with_functions(deadline)
        } else {
            Solver::for_once(deadline)
        }
    }

    /// Cuts off what no assertion follows, drops definitions that nobody reads, and numbers anew.
    pub(super) fn prune(&mut self, pool: &Pool) {
        let end = self.end();
        let mut useful = vec![false; self.nodes.len()];
        for n in (0..self.nodes.len()).rev() {
            let asserts = |i: &Item| matches!(i, Item::Assert(_));
            useful[n] = self.nodes[n].items.iter().any(asserts)
                || self.nodes[n]
                    .outgoing
                    .iter()
                    .any(|&e| useful[self.edges[e].to]);
        }
        // The run is still a run: it goes on to the end.
        for e in &mut self.edges {
            if !useful[e.to] {
                e.to = end;
                e.copies.clear();
            }
        }
        useful[0] = true;
        useful[end] = true;
        self.keep(&useful);
        self.drop_unread(pool);
    }

    fn keep(&mut self, wanted: &[bool]) {
        let mut number = vec![0; self.nodes.len()];
        let mut nodes = vec![];
        for (n, node) in std::mem::take(&mut self.nodes).into_iter().enumerate() {
            if wanted[n] {
                number[n] = nodes.len();
                nodes.push(Node {
                    items: node.items,
                    ..Node::default()
                });
            }
        }
        self.nodes = nodes;
        for mut e in std::mem::take(&mut self.edges) {
            if wanted[e.from] && wanted[e.to] {
                (e.from, e.to) = (number[e.from], number[e.to]);
                self.nodes[e.from].outgoing.push(self.edges.len());
                self.nodes[e.to].incoming.push(self.edges.len());
                self.edges.push(e);
            }
        }
    }

    fn drop_unread(&mut self, pool: &Pool) {
        let mut defined: BTreeMap<Var, Vec<Term>> = BTreeMap::new();
        let mut todo = vec![];
        for n in &self.nodes {
            for i in &n.items {
                match i {
                    Item::Define(v, t) => defined.entry(*v).or_default().push(*t),
                    Item::Assume(t) | Item::Assert(t) => todo.push(*t),
                }
            }
        }
        for e in &self.edges {
            todo.push(e.condition);
            for (v, t) in &e.copies {
                defined.entry(*v).or_default().push(*t);
            }
        }
        let mut read: FastSet<Var> = FastSet::default();
        let mut seen: FastSet<Term> = FastSet::default();
        while let Some(t) = todo.pop() {
            if !seen.insert(t) {
                continue;
            }
            if let Some(v) = pool.as_var(t)
                && read.insert(v)
            {
                todo.extend(defined.remove(&v).unwrap_or_default());
            }
            todo.extend(pool.children(t));
        }
        for n in &mut self.nodes {
            n.items
                .retain(|i| !matches!(i, Item::Define(v, _) if !read.contains(v)));
        }
        for e in &mut self.edges {
            e.copies.retain(|(v, _)| read.contains(v));
        }
    }
}
