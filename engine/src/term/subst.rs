//! Simultaneous substitution of terms for variables; rebuilding simplifies, so this is also symbolic execution.

use super::{FastMap, Node, Pool, Term, UnOp, Var};

/// A finite map from variables to terms with the memo of one simultaneous substitution.
#[derive(Clone, Default)]
pub struct Subst {
    map: FastMap<Var, Term>,
    /// Whole terms that are replaced, before anything inside them is looked at.
    fixed: FastMap<Term, Term>,
    memo: FastMap<Term, Term>,
}

impl Subst {
    pub fn new() -> Subst {
        Subst::default()
    }

    /// Binds a variable; what was computed before is forgotten.
    pub fn bind(&mut self, v: Var, t: Term) {
        self.map.insert(v, t);
        self.memo.clear();
    }

    /// The variable stands for itself again.
    pub fn unbind(&mut self, v: Var) {
        if self.map.remove(&v).is_some() {
            self.memo.clear();
        }
    }

    /// Replaces a whole subterm, too (a condition that has been decided); `bind` forgets it.
    pub fn replace(&mut self, from: Term, to: Term) {
        self.memo.insert(from, to);
    }

    /// Replaces every occurrence of a term, say of a condition that is decided.
    pub fn fix(&mut self, t: Term, by: Term) {
        self.fixed.insert(t, by);
        self.memo.clear();
    }

    pub fn get(&self, v: Var) -> Option<Term> {
        self.map.get(&v).copied()
    }

    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (Var, Term)> + '_ {
        self.map.iter().map(|(v, t)| (*v, *t))
    }

    pub fn apply(&mut self, pool: &mut Pool, root: Term) -> Term {
        if self.map.is_empty() && self.fixed.is_empty() && self.memo.is_empty() {
            return root;
        }
        let mut todo = vec![root];
        while let Some(&t) = todo.last() {
            if self.memo.contains_key(&t) {
                todo.pop();
                continue;
            }
            if let Some(leaf) = self.leaf(pool, t) {
                self.memo.insert(t, leaf);
                todo.pop();
                continue;
            }
            // Guards first: a decided `ite` needs one branch only.
            if let Node::Ite(c, a, b) = *pool.node(t) {
                match self.memo.get(&c).copied() {
                    None => {
                        todo.push(c);
                        continue;
                    }
                    Some(c) if pool.as_const(c).is_some() => {
                        let taken = if pool.is_true(c) { a } else { b };
                        if let Some(&r) = self.memo.get(&taken) {
                            self.memo.insert(t, r);
                            todo.pop();
                        } else {
                            todo.push(taken);
                        }
                        continue;
                    }
                    _ => {}
                }
            }
            let before = todo.len();
            for c in pool.children(t) {
                if !self.memo.contains_key(&c) {
                    todo.push(c);
                }
            }
            if todo.len() == before {
                let r = self.rebuild(pool, t);
                self.memo.insert(t, r);
                todo.pop();
            }
        }
        self.memo[&root]
    }

    fn leaf(&self, pool: &Pool, t: Term) -> Option<Term> {
        if let Some(&by) = self.fixed.get(&t) {
            return Some(by);
        }
        match pool.node(t) {
            Node::Const(_) => Some(t),
            Node::Var(v) => Some(self.map.get(v).copied().unwrap_or(t)),
            _ => None,
        }
    }

    fn rebuild(&self, pool: &mut Pool, t: Term) -> Term {
        let get = |x: Term| self.memo[&x];
        let sort = pool.sort(t);
        match pool.node(t).clone() {
            Node::Const(_) | Node::Var(_) => t,
            Node::Unary(UnOp::Not, a) => pool.not(get(a)),
            Node::Unary(UnOp::BvNot, a) => pool.bv_not(get(a)),
            Node::Unary(UnOp::Neg, a) => pool.neg(get(a)),
            Node::Binary(op, a, b) => pool.binary(op, get(a), get(b)),
            Node::Ite(c, a, b) => pool.ite(get(c), get(a), get(b)),
            Node::Extract { arg, lo } => pool.extract(get(arg), lo, sort.width()),
            Node::Zext(a) => pool.zext(get(a), sort.width()),
            Node::Sext(a) => pool.sext(get(a), sort.width()),
            Node::Float(op, args) => {
                let args: Vec<Term> = args.iter().map(|&a| get(a)).collect();
                let width = match sort {
                    super::Sort::Bv(w) => w,
                    _ => 1,
                };
                pool.float(op, &args, width)
            }
            Node::Select(a, i) => pool.select(get(a), get(i)),
            Node::Store(a, i, v) => pool.store(get(a), get(i), get(v)),
            Node::ConstArray(v) => pool.const_array(get(v), sort),
            Node::Blit {
                dst,
                src,
                dst_at,
                src_at,
                len,
            } => pool.blit(get(dst), get(dst_at), get(src), get(src_at), get(len)),
            Node::Lambda { bound, body } => pool.lambda(bound, get(body), sort),
        }
    }
}
