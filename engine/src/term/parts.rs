//! A pool taken apart and put together again, for proofs that are written to files.
//!
//! What is read back may be anything: handles, sorts and depth are checked. Such a pool is only ever a source of terms
//! that are built anew in another one (`Import`).

use super::sorts::is_sorted;
use super::{FastMap, Node, Pool, Sort, Term, Var, VarInfo};
use serde::{Deserialize, Serialize};

/// Terms are walked recursively. Lemmas are small; a term as deep as this is none of ours.
const MOST_DEPTH: u32 = 10_000;

/// Some terms of a pool with everything below them; children come before parents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parts {
    vars: Vec<(String, Sort)>,
    nodes: Vec<(Node, Sort)>,
}

/// Some terms up to the names of their variables: equal shapes are equal questions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    vars: Vec<Sort>,
    nodes: Vec<(Node, Sort)>,
    roots: Vec<Term>,
}

impl Shape {
    pub fn of(pool: &Pool, roots: &[Term]) -> Shape {
        let (parts, renamed) = Parts::of(pool, &[], roots);
        Shape {
            vars: parts.vars.into_iter().map(|(_, sort)| sort).collect(),
            nodes: parts.nodes,
            roots: roots.iter().map(|t| renamed.terms[t]).collect(),
        }
    }

    pub fn size(&self) -> usize {
        self.nodes.len()
    }
}

/// New handles for what was taken out.
pub struct Renamed {
    pub vars: FastMap<Var, Var>,
    pub terms: FastMap<Term, Term>,
}

impl Parts {
    /// `first` are variables to be kept, in this order, whether or not a term mentions them.
    pub fn of(pool: &Pool, first: &[Var], roots: &[Term]) -> (Parts, Renamed) {
        let mut parts = Parts {
            vars: vec![],
            nodes: vec![],
        };
        let mut renamed = Renamed {
            vars: FastMap::default(),
            terms: FastMap::default(),
        };
        for &v in first {
            parts.var(pool, v, &mut renamed);
        }
        let mut todo: Vec<(Term, bool)> = roots.iter().map(|t| (*t, false)).collect();
        while let Some((t, ready)) = todo.pop() {
            if renamed.terms.contains_key(&t) {
                continue;
            }
            if !ready {
                todo.push((t, true));
                todo.extend(pool.children(t).into_iter().map(|c| (c, false)));
                continue;
            }
            let mut node = pool.node(t).clone();
            for v in node.vars_mut() {
                *v = parts.var(pool, *v, &mut renamed);
            }
            for c in node.children_mut() {
                *c = renamed.terms[c];
            }
            renamed.terms.insert(t, Term(parts.nodes.len() as u32));
            parts.nodes.push((node, pool.sort(t)));
        }
        (parts, renamed)
    }

    fn var(&mut self, pool: &Pool, v: Var, renamed: &mut Renamed) -> Var {
        *renamed.vars.entry(v).or_insert_with(|| {
            let info = pool.var_info(v);
            self.vars.push((info.name.clone(), info.sort));
            Var(self.vars.len() as u32 - 1)
        })
    }

    pub fn n_vars(&self) -> usize {
        self.vars.len()
    }

    pub fn n_terms(&self) -> usize {
        self.nodes.len()
    }

    /// The pool again; nothing if a handle leads nowhere, a sort is wrong, a term is too deep, or one of the first
    /// `n_free` variables is bound somewhere.
    pub fn pool(self, n_free: usize) -> Option<Pool> {
        let mut pool = Pool::new();
        for (name, sort) in self.vars {
            if !sort.exists() {
                return None;
            }
            pool.vars.push(VarInfo {
                name,
                sort,
                origin: None,
            });
        }
        let mut depths: Vec<u32> = vec![];
        for (i, (mut node, sort)) in self.nodes.into_iter().enumerate() {
            let is_known = node.children_mut().iter().all(|c| (c.0 as usize) < i)
                && node
                    .vars_mut()
                    .iter()
                    .all(|v| (v.0 as usize) < pool.vars.len());
            if !is_known || !is_sorted(&node, sort, |t| pool.sort(*t), |v| pool.var_info(*v).sort) {
                return None;
            }
            if matches!(node, Node::Lambda { bound, .. } if (bound.0 as usize) < n_free) {
                return None;
            }
            let below = node
                .children_mut()
                .iter()
                .map(|c| depths[c.0 as usize])
                .max();
            depths.push(below.map_or(0, |d| d + 1));
            if depths[i] > MOST_DEPTH {
                return None;
            }
            pool.index.insert((node.clone(), sort), Term(i as u32));
            pool.nodes.push((node, sort));
        }
        Some(pool)
    }
}

impl Node {
    fn vars_mut(&mut self) -> Vec<&mut Var> {
        match self {
            Node::Var(v) | Node::Lambda { bound: v, .. } => vec![v],
            _ => vec![],
        }
    }

    fn children_mut(&mut self) -> Vec<&mut Term> {
        match self {
            Node::Const(_) | Node::Var(_) => vec![],
            Node::Unary(_, a) | Node::Zext(a) | Node::Sext(a) | Node::ConstArray(a) => vec![a],
            Node::Extract { arg, .. } => vec![arg],
            Node::Binary(_, a, b) | Node::Select(a, b) => vec![a, b],
            Node::Ite(a, b, c) | Node::Store(a, b, c) => vec![a, b, c],
            Node::Float(_, args) => args.iter_mut().collect(),
            Node::Blit {
                dst,
                src,
                dst_at,
                src_at,
                len,
            } => vec![dst, src, dst_at, src_at, len],
            Node::Lambda { body, .. } => vec![body],
        }
    }
}
