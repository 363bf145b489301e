//! Draws that matter only through `draw % y` are drawn below `y` at once: the divider disappears.
//!
//! `any() % y` takes every value below `y`, and `d % y = d` for `d < y`. If the remainder is all that the edges of a
//! node see of the draw, restricting the draw to `d < y` loses no behaviour, and every run found is a real run.

use crate::program::cpg::Cpg;
use crate::term::{BinOp, FastMap, FastSet, Node, Pool, Subst, Term, Var};
use petgraph::graph::{EdgeIndex, NodeIndex};
use std::collections::BTreeSet;

pub fn choose(pool: &mut Pool, cpg: &mut Cpg) {
    for n in cpg.graph.node_indices().collect::<Vec<_>>() {
        let edges: Vec<EdgeIndex> = cpg
            .graph
            .edges(n)
            .map(|e| petgraph::visit::EdgeRef::id(&e))
            .collect();
        for (d, remainder, y) in remainders(pool, cpg, n, &edges) {
            let td = pool.var(d);
            let zero = {
                let w = pool.width(y);
                pool.bv(0, w)
            };
            let none = pool.eq(y, zero);
            let below = pool.ult(td, y);
            let restricted = pool.or(none, below);
            let mut s = Subst::new();
            s.fix(remainder, td);
            for &e in &edges {
                let edge = &mut cpg.graph[e];
                let guard = s.apply(pool, edge.guard);
                edge.guard = pool.and(restricted, guard);
                for t in edge.updates.values_mut() {
                    *t = s.apply(pool, *t);
                }
                for draw in &mut edge.draws {
                    draw.when = s.apply(pool, draw.when);
                }
            }
        }
    }
}

/// The draws of a node that occur in one remainder only.
fn remainders(pool: &Pool, cpg: &Cpg, _: NodeIndex, edges: &[EdgeIndex]) -> Vec<(Var, Term, Term)> {
    let mut draws: BTreeSet<Var> = BTreeSet::new();
    let mut todo: Vec<Term> = vec![];
    for &e in edges {
        let edge = &cpg.graph[e];
        draws.extend(edge.draws.iter().map(|d| d.var));
        todo.push(edge.guard);
        todo.extend(edge.updates.values());
        todo.extend(edge.draws.iter().map(|d| d.when));
    }
    let mut parents: FastMap<Var, BTreeSet<Term>> = FastMap::default();
    // A draw that is a whole update or guard is seen as it is.
    let mut bare: BTreeSet<Var> = todo.iter().filter_map(|t| pool.as_var(*t)).collect();
    bare.retain(|v| draws.contains(v));
    let mut seen: FastSet<Term> = FastSet::default();
    while let Some(t) = todo.pop() {
        if !seen.insert(t) {
            continue;
        }
        for c in pool.children(t) {
            if let Some(v) = pool.as_var(c)
                && draws.contains(&v)
            {
                parents.entry(v).or_default().insert(t);
            }
            todo.push(c);
        }
    }
    let mut out = vec![];
    for d in draws {
        let Some(ps) = parents.get(&d) else { continue };
        if bare.contains(&d) || ps.len() != 1 {
            continue;
        }
        for &t in ps {
            if let Node::Binary(BinOp::Urem, x, y) = *pool.node(t)
                && pool.as_var(x) == Some(d)
                && !pool.free_vars(&[y]).contains(&d)
            {
                out.push((d, t, y));
            }
        }
    }
    out
}
