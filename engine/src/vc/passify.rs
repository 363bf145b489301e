//! Makes the passive form of a fragment of a program: every assignment gets a variable of its own, joins get a
//! variable that is defined on each edge into them, and a branch to a stop becomes an assertion.
//!
//! Constants and copies are propagated; they need no variable. Arrays are functions of the index and cannot be
//! equated: their values are kept as terms, chosen at joins by a variable that tells the way in.

use super::fragment::{Edge, Ends, Fragment, Item, Node};
use crate::program::values::Values;
use crate::program::{BlockId, Program, Stmt, Terminator, summary};
use crate::prove::{Lemma, vc};
use crate::term::{BinOp, Node as TermNode, Pool, Sort, Term, UnOp, Var};
use std::collections::BTreeMap;

/// An edge without its target, and what variables are when control takes it.
struct Arrival {
    edge: usize,
    values: Values,
}

/// Where a fragment begins, and what is known there.
#[derive(Clone, Copy)]
pub struct Start<'a> {
    pub block: BlockId,
    /// The program's own entry: its requirements hold.
    pub entry: bool,
    pub known: &'a [Lemma],
    /// Paths stay apart instead of being joined: where most branches are decided by what is known there are few,
    /// and on each of them most variables have one value.
    pub paths: bool,
}

/// Paths are kept apart in fragments of fewer nodes than this.
const MOST_NODES: usize = 4000;

/// The whole of a loop-free program.
pub fn whole(program: &mut Program) -> Fragment {
    let start = Start {
        block: program.entry,
        entry: true,
        known: &[],
        paths: false,
    };
    passify(program, &start, &[], &Ends::new())
}

/// The fragment from `start` to the blocks in `heads`, which it does not enter (but where it may begin).
pub fn passify(program: &mut Program, start: &Start, heads: &[BlockId], ends: &Ends) -> Fragment {
    let mut maker = Maker {
        fragment: Fragment::default(),
        to_end: vec![],
    };
    let mut first = vec![];
    if start.entry {
        first.extend(program.requires.iter().map(|t| Item::Assume(*t)));
    }
    let plain = start.known.iter().filter(|l| l.bound.is_empty());
    first.extend(plain.map(|l| Item::Assume(l.body)));
    maker.blocks(program, start, heads, ends, first);
    let mut fragment = maker.finish();
    fragment.prune(&program.pool);
    instantiate(&mut program.pool, &mut fragment, start.known);
    fragment
}

/// Quantified lemmas hold everywhere, so in particular at the indices that occur.
fn instantiate(pool: &mut Pool, fragment: &mut Fragment, known: &[Lemma]) {
    let about = fragment.terms();
    let instances = vc::instances(pool, known, &about);
    if let Some(first) = fragment.nodes.first_mut() {
        first
            .items
            .splice(0..0, instances.into_iter().map(Item::Assume));
    }
}

struct Maker {
    fragment: Fragment,
    to_end: Vec<usize>,
}

impl Maker {
    fn node(&mut self, items: Vec<Item>) -> usize {
        self.fragment.nodes.push(Node {
            items,
            ..Node::default()
        });
        self.fragment.nodes.len() - 1
    }

    fn edge(&mut self, from: usize, condition: Term) -> usize {
        let edge = self.fragment.edges.len();
        self.fragment.edges.push(Edge {
            from,
            to: usize::MAX,
            condition,
            copies: vec![],
        });
        self.fragment.nodes[from].outgoing.push(edge);
        edge
    }

    /// Control comes together here; the result maps every variable to its value.
    fn join(&mut self, pool: &mut Pool, at: usize, arrivals: &[Arrival]) -> Values {
        for a in arrivals {
            self.fragment.edges[a.edge].to = at;
            self.fragment.nodes[at].incoming.push(a.edge);
        }
        let [first, others @ ..] = arrivals else {
            return Values::default();
        };
        if others.iter().all(|a| a.values.same(&first.values)) {
            return first.values.clone();
        }
        let paths: Vec<&Values> = arrivals.iter().map(|a| &a.values).collect();
        let (common, changed) = Values::parted(&paths);
        let mut out = BTreeMap::new();
        let mut way_in = None;
        for v in changed {
            let old = pool.var(v);
            let values: Vec<Term> = arrivals
                .iter()
                .map(|a| a.values.get(v).unwrap_or(old))
                .collect();
            if values.iter().all(|t| *t == values[0]) {
                out.insert(v, values[0]);
                continue;
            }
            let info = pool.var_info(v).clone();
            let merged = if info.sort.is_array() {
                let chooser = *way_in.get_or_insert_with(|| self.way_in(pool, arrivals));
                choose(pool, chooser, &values)
            } else {
                let version = pool.fresh(info.name, info.sort);
                for (a, t) in arrivals.iter().zip(&values) {
                    self.fragment.edges[a.edge].copies.push((version, *t));
                }
                pool.var(version)
            };
            out.insert(v, merged);
        }
        common.with(out)
    }

    /// A variable that is the number of the edge by which control came.
    fn way_in(&mut self, pool: &mut Pool, arrivals: &[Arrival]) -> Term {
        let width = usize::BITS - (arrivals.len() - 1).leading_zeros();
        let width = width.max(1);
        let chooser = pool.fresh("way", Sort::Bv(width));
        for (n, a) in arrivals.iter().enumerate() {
            let number = pool.bv(n as u128, width);
            self.fragment.edges[a.edge].copies.push((chooser, number));
        }
        pool.var(chooser)
    }

    fn blocks(
        &mut self,
        program: &mut Program,
        start: &Start,
        heads: &[BlockId],
        ends: &Ends,
        first: Vec<Item>,
    ) {
        let entry = self.node(first);
        let always = program.pool.bool(true);
        let edge = self.edge(entry, always);
        let mut known = constants(&mut program.pool, start.known);
        if start.paths {
            let plain = start.known.iter().filter(|l| l.bound.is_empty());
            let bodies: Vec<Term> = plain.map(|l| l.body).collect();
            known.extend(vc::offsets(&mut program.pool, &bodies));
        }
        let arrival = Arrival {
            edge,
            values: Values::of(known),
        };
        let mut at_ends: BTreeMap<BlockId, Vec<Arrival>> = BTreeMap::new();
        // The program may begin with a loop: then there is nothing between.
        if start.entry && heads.contains(&start.block) {
            at_ends.insert(start.block, vec![arrival]);
            self.ends(&mut program.pool, at_ends, ends, start.paths);
            return;
        }
        let mut arrivals: BTreeMap<BlockId, Vec<Arrival>> = BTreeMap::new();
        arrivals.insert(start.block, vec![arrival]);
        for b in summary::topological(program, start.block, heads) {
            let Some(incoming) = arrivals.remove(&b) else {
                continue;
            };
            for incoming in self.ways(incoming, start.paths) {
                let node = self.node(vec![]);
                let mut values = self.join(&mut program.pool, node, &incoming);
                self.statements(program, b, node, &mut values, start.paths);
                for (condition, to) in self.leave(program, b, node, &values) {
                    if program.pool.is_false(condition) {
                        continue;
                    }
                    let edge = self.edge(node, condition);
                    let arrival = Arrival {
                        edge,
                        values: values.clone(),
                    };
                    match to {
                        None => self.to_end.push(edge),
                        Some(to) if heads.contains(&to) => {
                            at_ends.entry(to).or_default().push(arrival);
                        }
                        Some(to) => arrivals.entry(to).or_default().push(arrival),
                    }
                }
            }
        }
        self.ends(&mut program.pool, at_ends, ends, start.paths);
    }

    /// What comes together at a block: all that arrives, or every path by itself.
    fn ways(&self, incoming: Vec<Arrival>, paths: bool) -> Vec<Vec<Arrival>> {
        if paths && self.fragment.nodes.len() < MOST_NODES {
            return incoming.into_iter().map(|a| vec![a]).collect();
        }
        vec![incoming]
    }

    fn statements(
        &mut self,
        program: &mut Program,
        b: BlockId,
        node: usize,
        values: &mut Values,
        paths: bool,
    ) {
        let stmts = program.blocks[b.index()].stmts.clone();
        if stmts.is_empty() {
            return;
        }
        let terms = program.blocks[b.index()].terms();
        let pool = &mut program.pool;
        let mut subst = values.in_terms(pool, &terms);
        let mut changes = BTreeMap::new();
        for stmt in stmts {
            match stmt {
                Stmt::Assign(v, t) => {
                    let t = subst.apply(pool, t);
                    let info = pool.var_info(v).clone();
                    // On one path sums with constants are added up as they come.
                    let is_offset = paths && pool.offset(t).is_some();
                    let simple =
                        is_offset || pool.as_const(t).is_some() || pool.as_var(t).is_some();
                    let value = if simple || info.sort.is_array() {
                        t
                    } else {
                        let version = pool.fresh(info.name, info.sort);
                        self.fragment.nodes[node]
                            .items
                            .push(Item::Define(version, t));
                        pool.var(version)
                    };
                    changes.insert(v, value);
                    subst.bind(v, value);
                }
                Stmt::Havoc(v, _) => {
                    let info = pool.var_info(v).clone();
                    let version = pool.fresh(info.name, info.sort);
                    let value = pool.var(version);
                    changes.insert(v, value);
                    subst.bind(v, value);
                }
                Stmt::Assume(c) => {
                    let c = subst.apply(pool, c);
                    if !pool.is_true(c) {
                        self.fragment.nodes[node].items.push(Item::Assume(c));
                    }
                }
            }
        }
        *values = values.with(changes);
    }

    /// Where control goes from a block (`None`: the run ends), with what it has to keep before.
    fn leave(
        &mut self,
        program: &mut Program,
        b: BlockId,
        node: usize,
        values: &Values,
    ) -> Vec<(Term, Option<BlockId>)> {
        let always = program.pool.bool(true);
        let never = program.pool.bool(false);
        let items = &mut self.fragment.nodes[node].items;
        match program.blocks[b.index()].terminator.clone() {
            Terminator::Goto(to) => vec![(always, Some(to))],
            Terminator::Return => vec![(always, None)],
            Terminator::Stop(_) => {
                items.push(Item::Assert(never));
                vec![(always, None)]
            }
            Terminator::Blocked => {
                items.push(Item::Assume(never));
                vec![(always, None)]
            }
            Terminator::Branch {
                cond,
                then,
                otherwise,
            } => {
                let mut subst = values.in_terms(&program.pool, &[cond]);
                let yes = subst.apply(&mut program.pool, cond);
                let no = program.pool.not(yes);
                for (kept, on, stop) in [(yes, then, otherwise), (no, otherwise, then)] {
                    if stops(program, stop) {
                        if !program.pool.is_true(kept) {
                            items.push(Item::Assert(kept));
                        }
                        return vec![(always, Some(on))];
                    }
                }
                vec![(yes, Some(then)), (no, Some(otherwise))]
            }
        }
    }

    /// The goals at each end.
    fn ends(
        &mut self,
        pool: &mut Pool,
        at: BTreeMap<BlockId, Vec<Arrival>>,
        ends: &Ends,
        paths: bool,
    ) {
        for (head, incoming) in at {
            for incoming in self.ways(incoming, paths) {
                let node = self.node(vec![]);
                let values = self.join(pool, node, &incoming);
                let bodies = ends.get(&head).into_iter().flatten();
                let bodies: Vec<Term> = bodies.map(|lemma| lemma.body).collect();
                let mut subst = values.in_terms(pool, &bodies);
                for lemma in ends.get(&head).into_iter().flatten() {
                    if lemma.bound.is_empty() && decided(pool, lemma.body, &values) == Some(true) {
                        continue;
                    }
                    let (body, witnesses) = lemma.skolemized(pool);
                    let after = subst.apply(pool, body);
                    let mut not = pool.not(after);
                    for w in witnesses {
                        if let Some(j) = pool.as_var(w) {
                            not = vc::case_split(pool, not, j, 4);
                        }
                    }
                    let goal = pool.not(not);
                    if !pool.is_true(goal) {
                        self.fragment.nodes[node].items.push(Item::Assert(goal));
                    }
                }
                let always = pool.bool(true);
                let edge = self.edge(node, always);
                self.to_end.push(edge);
            }
        }
    }

    fn finish(mut self) -> Fragment {
        let end = self.node(vec![]);
        for e in self.to_end {
            self.fragment.edges[e].to = end;
            self.fragment.nodes[end].incoming.push(e);
        }
        self.fragment
    }
}

/// What a long disjunction of states is, as far as variables with a known value decide it: substituting in all of it
/// would cost more than looking at the few parts that matter.
fn decided(pool: &Pool, t: Term, values: &Values) -> Option<bool> {
    let value = |t: Term| -> Option<u128> {
        let t = pool.as_var(t).and_then(|v| values.get(v)).unwrap_or(t);
        pool.as_const(t)
    };
    match *pool.node(t) {
        TermNode::Binary(BinOp::And, a, b) => match decided(pool, a, values) {
            Some(true) => decided(pool, b, values),
            Some(false) => Some(false),
            None => (decided(pool, b, values) == Some(false)).then_some(false),
        },
        TermNode::Binary(BinOp::Or, a, b) => match decided(pool, a, values) {
            Some(false) => decided(pool, b, values),
            Some(true) => Some(true),
            None => (decided(pool, b, values) == Some(true)).then_some(true),
        },
        TermNode::Unary(UnOp::Not, a) => decided(pool, a, values).map(|yes| !yes),
        TermNode::Binary(BinOp::Eq, a, b) if pool.sort(a) != Sort::Bool => {
            Some(value(a)? == value(b)?)
        }
        TermNode::Var(_) => value(t).map(|bits| bits != 0),
        _ => pool.as_const(t).map(|bits| bits != 0),
    }
}

/// The variables that have one value by what is known.
pub fn constants(pool: &mut Pool, known: &[Lemma]) -> BTreeMap<Var, Term> {
    let mut out = BTreeMap::new();
    let plain = known.iter().filter(|l| l.bound.is_empty());
    let mut todo: Vec<Term> = plain.map(|l| l.body).collect();
    while let Some(t) = todo.pop() {
        match *pool.node(t) {
            TermNode::Binary(BinOp::And, a, b) => todo.extend([a, b]),
            TermNode::Binary(BinOp::Eq, a, b) => {
                for (x, y) in [(a, b), (b, a)] {
                    if let Some(v) = pool.as_var(x)
                        && pool.as_const(y).is_some()
                    {
                        out.insert(v, y);
                    }
                }
            }
            TermNode::Var(v) => {
                out.insert(v, pool.bool(true));
            }
            TermNode::Unary(UnOp::Not, t) => {
                if let Some(v) = pool.as_var(t) {
                    out.insert(v, pool.bool(false));
                }
            }
            _ => {}
        }
    }
    out
}

/// Does control get from here to a stop, whatever happens?
fn stops(program: &Program, mut b: BlockId) -> bool {
    for _ in 0..program.blocks.len() {
        let block = program.block(b);
        if block.stmts.iter().any(|s| matches!(s, Stmt::Assume(_))) {
            return false;
        }
        match block.terminator {
            Terminator::Stop(_) => return true,
            Terminator::Goto(to) => b = to,
            _ => return false,
        }
    }
    false
}

fn choose(pool: &mut Pool, chooser: Term, values: &[Term]) -> Term {
    let width = pool.width(chooser);
    let mut out = values[values.len() - 1];
    for (n, t) in values.iter().enumerate().rev().skip(1) {
        let number = pool.bv(n as u128, width);
        let here = pool.eq(chooser, number);
        out = pool.ite(here, *t, out);
    }
    out
}
