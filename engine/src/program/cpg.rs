//! The cut-point graph: entry and loop heads as nodes, loop-free fragments summarised as functional edges.
//!
//! An edge says under which condition (`guard`) a run that starts at `from` gets to `to` without passing
//! another cut-point, and what every state variable is then (`updates`), both as terms over the state at `from`
//! and the edge's own `draws`. Engines compose edges by substitution; nobody below this looks at blocks again
//! except the path enumeration of acceleration and the VC cube.

use super::wto::Wto;
use super::{BlockId, Draw, Program, summary};
use crate::term::{Term, Var};
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::{BTreeMap, BTreeSet};

/// What a node of the graph stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum CutPoint {
    Entry,
    /// A loop head.
    Head(BlockId),
    Exit,
    /// Index into `Program::stops`.
    Stop(usize),
}

impl CutPoint {
    /// As a counterexample's path in a report writes it.
    pub fn name(self) -> String {
        match self {
            CutPoint::Entry => "entry".to_string(),
            CutPoint::Head(block) => block.index().to_string(),
            CutPoint::Exit => "exit".to_string(),
            CutPoint::Stop(stop) => format!("stop {stop}"),
        }
    }
}

/// An arbitrary value drawn on an edge, in program order.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeDraw {
    pub var: Var,
    pub draw: Draw,
    /// The draw happens on runs that satisfy this.
    pub when: Term,
}

/// A loop-free fragment between two cut-points (large block).
#[derive(Clone, Debug)]
pub struct Edge {
    pub guard: Term,
    /// New values of the variables that change; the others stay. Empty for edges to `Stop`.
    pub updates: BTreeMap<Var, Term>,
    pub draws: Vec<EdgeDraw>,
    /// The blocks of the fragment, in topological order.
    pub blocks: Vec<BlockId>,
}

/// The graph. Node weights are cut-points; there is at most one edge for a pair of nodes.
#[derive(Clone)]
pub struct Cpg {
    pub graph: DiGraph<CutPoint, Edge>,
    pub entry: NodeIndex,
    pub wto: Wto,
    /// Nesting depth of each loop head (0: outermost).
    pub depth: BTreeMap<BlockId, usize>,
    /// Variables that count as read at a node although nothing there reads them.
    pub kept: BTreeMap<NodeIndex, BTreeSet<Var>>,
}

impl Cpg {
    /// Builds the graph; terms are added to the program's pool.
    pub fn of(program: &mut Program) -> Cpg {
        let wto = Wto::of(program);
        let heads = wto.heads();
        let depth = wto.depths().into_iter().collect();
        let mut graph = DiGraph::new();
        let entry = graph.add_node(CutPoint::Entry);
        let mut nodes = BTreeMap::from([(CutPoint::Entry, entry)]);
        for &h in &heads {
            nodes.insert(CutPoint::Head(h), graph.add_node(CutPoint::Head(h)));
        }
        let mut froms = vec![(CutPoint::Entry, program.entry)];
        froms.extend(heads.iter().map(|&h| (CutPoint::Head(h), h)));
        for (from, start) in froms {
            for (to, edge) in summary::fragment(program, start, from == CutPoint::Entry, &heads) {
                if program.pool.is_false(edge.guard) {
                    continue;
                }
                let from = nodes[&from];
                let to = *nodes.entry(to).or_insert_with(|| graph.add_node(to));
                graph.add_edge(from, to, edge);
            }
        }
        Cpg {
            graph,
            entry,
            wto,
            depth,
            kept: BTreeMap::new(),
        }
    }

    pub fn node(&self, c: CutPoint) -> Option<NodeIndex> {
        self.graph.node_indices().find(|&n| self.graph[n] == c)
    }

    pub fn heads(&self) -> Vec<NodeIndex> {
        self.graph
            .node_indices()
            .filter(|&n| matches!(self.graph[n], CutPoint::Head(_)))
            .collect()
    }
}
