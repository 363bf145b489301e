//! Arrays as functions of the index: reads are pushed through writes when they are built.
//!
//! Z3's array theory is slow on chains of `store` (TECHNIQUES.md); reading through them eagerly leaves only
//! applications of array variables, and constant indices fold away altogether.

use super::{BinOp, Node, Pool, Sort, Subst, Term, Var};

impl Pool {
    pub fn const_array(&mut self, value: Term, sort: Sort) -> Term {
        debug_assert_eq!(sort.element(), self.sort(value));
        self.intern(Node::ConstArray(value), sort)
    }

    pub fn store(&mut self, array: Term, index: Term, value: Term) -> Term {
        let sort = self.sort(array);
        // A write of what is there already, or over a write to the same place, leaves one write.
        if let Node::Store(a, i, v) = *self.node(array) {
            if i == index {
                return self.store(a, index, value);
            }
            // Constant indices are kept sorted, so that equal contents are equal terms.
            if let (Some(ci), Some(cj)) = (self.as_const(i), self.as_const(index))
                && cj < ci
            {
                let inner = self.store(a, index, value);
                return self.intern(Node::Store(inner, i, v), sort);
            }
        }
        if let Node::ConstArray(v) = *self.node(array)
            && v == value
        {
            return array;
        }
        if let Node::Select(a, i) = *self.node(value)
            && a == array
            && i == index
        {
            return array;
        }
        self.intern(Node::Store(array, index, value), sort)
    }

    pub fn select(&mut self, array: Term, index: Term) -> Term {
        if let Some(&t) = self.selects.get(&(array, index)) {
            return t;
        }
        let t = self.select_uncached(array, index);
        self.selects.insert((array, index), t);
        t
    }

    fn select_uncached(&mut self, array: Term, index: Term) -> Term {
        let elem = self.sort(array).element();
        if let Some(t) = self.read_table(array, index) {
            return t;
        }
        // Long chains of writes at constant indices are walked in a loop: recursion would be deep.
        let mut at = array;
        let mut pending: Vec<(Term, Term)> = Vec::new();
        let mut out = loop {
            match self.node(at).clone() {
                Node::ConstArray(v) => break v,
                Node::Store(a, i, v) => {
                    let hit = self.eq(i, index);
                    if self.is_true(hit) {
                        break v;
                    }
                    if !self.is_false(hit) {
                        pending.push((hit, v));
                    }
                    at = a;
                }
                Node::Ite(c, a, b) => {
                    let x = self.select(a, index);
                    let y = self.select(b, index);
                    break self.ite(c, x, y);
                }
                Node::Blit {
                    dst,
                    src,
                    dst_at,
                    src_at,
                    len,
                } => {
                    let off = self.sub(index, dst_at);
                    let inside = self.ult(off, len);
                    if self.is_false(inside) {
                        at = dst;
                        continue;
                    }
                    let w = self.width(src_at);
                    let off = self.resize(off, w, false);
                    let from = self.add(off, src_at);
                    let x = self.select(src, from);
                    let y = self.select(dst, index);
                    break self.ite(inside, x, y);
                }
                Node::Lambda { bound, body } => {
                    let mut s = Subst::new();
                    s.bind(bound, index);
                    break s.apply(self, body);
                }
                _ => break self.intern(Node::Select(at, index), elem),
            }
        };
        while let Some((hit, v)) = pending.pop() {
            out = self.ite(hit, v, out);
        }
        out
    }

    /// `dst` with `len` elements from `src_at` of `src` copied to `dst_at`. `len` has the width of `dst`'s index;
    /// the two arrays may have index sorts of different widths (a row of a matrix is a range of it).
    pub fn blit(&mut self, dst: Term, dst_at: Term, src: Term, src_at: Term, len: Term) -> Term {
        let sort = self.sort(dst);
        // One value everywhere stays so, wherever it is copied.
        if let (Node::ConstArray(a), Node::ConstArray(b)) = (self.node(dst), self.node(src))
            && a == b
        {
            return dst;
        }
        if let Some(n) = self.as_const(len)
            && n <= 8
        {
            let mut out = dst;
            for k in 0..n {
                let (w_to, w_from) = (self.width(dst_at), self.width(src_at));
                let (k_to, k_from) = (self.bv(k, w_to), self.bv(k, w_from));
                let from = self.add(src_at, k_from);
                let to = self.add(dst_at, k_to);
                let v = self.select(src, from);
                out = self.store(out, to, v);
            }
            return out;
        }
        self.intern(
            Node::Blit {
                dst,
                src,
                dst_at,
                src_at,
                len,
            },
            sort,
        )
    }

    pub fn lambda(&mut self, bound: Var, body: Term, sort: Sort) -> Term {
        self.intern(Node::Lambda { bound, body }, sort)
    }

    /// Two index parts side by side: the index of an array of arrays.
    pub fn concat(&mut self, high: Term, low: Term) -> Term {
        self.binary(BinOp::Concat, high, low)
    }
}
