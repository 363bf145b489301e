//! Carries terms from one pool to another.

use super::{FastMap, Node, Pool, Sort, Term, UnOp, Var};

/// One-way street between two pools; `vars` says what each variable becomes.
#[derive(Default)]
pub struct Import {
    memo: FastMap<Term, Option<Term>>,
    /// Bound variables of lambdas, under their names over there.
    bound: FastMap<Var, Var>,
}

impl Import {
    /// The term in `to`, or nothing if some variable has no counterpart.
    pub fn term(
        &mut self,
        from: &Pool,
        t: Term,
        to: &mut Pool,
        vars: &FastMap<Var, Term>,
    ) -> Option<Term> {
        let mut todo = vec![(t, false)];
        while let Some((u, ready)) = todo.pop() {
            if self.memo.contains_key(&u) {
                continue;
            }
            if !ready {
                if let Node::Lambda { bound, .. } = from.node(u) {
                    self.bound.entry(*bound).or_insert_with(|| {
                        let info = from.var_info(*bound).clone();
                        to.fresh(info.name, info.sort)
                    });
                }
                todo.push((u, true));
                todo.extend(from.children(u).into_iter().map(|c| (c, false)));
                continue;
            }
            let new = self.node(from, u, to, vars);
            self.memo.insert(u, new);
        }
        self.memo[&t]
    }

    fn node(&self, from: &Pool, t: Term, to: &mut Pool, vars: &FastMap<Var, Term>) -> Option<Term> {
        let get = |x: &Term| self.memo.get(x).copied().flatten();
        let sort = from.sort(t);
        Some(match from.node(t) {
            Node::Const(c) => to.constant(*c, sort),
            Node::Var(v) => match self.bound.get(v) {
                Some(&b) => to.var(b),
                None => *vars.get(v)?,
            },
            Node::Unary(UnOp::Not, a) => to.not(get(a)?),
            Node::Unary(UnOp::BvNot, a) => to.bv_not(get(a)?),
            Node::Unary(UnOp::Neg, a) => to.neg(get(a)?),
            Node::Binary(op, a, b) => to.binary(*op, get(a)?, get(b)?),
            Node::Ite(c, a, b) => to.ite(get(c)?, get(a)?, get(b)?),
            Node::Extract { arg, lo } => to.extract(get(arg)?, *lo, sort.width()),
            Node::Zext(a) => to.zext(get(a)?, sort.width()),
            Node::Sext(a) => to.sext(get(a)?, sort.width()),
            Node::Float(op, args) => {
                let args: Option<Vec<Term>> = args.iter().map(get).collect();
                let width = match sort {
                    Sort::Bv(w) => w,
                    _ => 1,
                };
                to.float(*op, &args?, width)
            }
            Node::Select(a, i) => to.select(get(a)?, get(i)?),
            Node::Store(a, i, v) => to.store(get(a)?, get(i)?, get(v)?),
            Node::ConstArray(v) => to.const_array(get(v)?, sort),
            Node::Blit {
                dst,
                src,
                dst_at,
                src_at,
                len,
            } => to.blit(get(dst)?, get(dst_at)?, get(src)?, get(src_at)?, get(len)?),
            Node::Lambda { bound, body } => {
                let bound = *self.bound.get(bound)?;
                to.lambda(bound, get(body)?, sort)
            }
        })
    }
}
