//! Simplification of equalities and orders; what loop guards and bounds checks are made of.

use super::{BinOp, Node, Pool, Sort, Term, UnOp, mask};

/// Choices that one comparison looks into.
const MOST_LEAVES: usize = 2_000;

impl Pool {
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return self.bool(true);
        }
        let sort = self.sort(a);
        debug_assert_eq!(sort, self.sort(b));
        debug_assert!(!sort.is_array(), "equality of arrays is not a term");
        match (self.as_const(a), self.as_const(b)) {
            (Some(x), Some(y)) => return self.bool(x == y),
            (Some(_), None) => return self.eq(b, a),
            _ => {}
        }
        if sort == Sort::Bool {
            if self.is_true(b) {
                return a;
            }
            if self.is_false(b) {
                return self.not(a);
            }
            if self.negates(a, b) {
                return self.bool(false);
            }
            return self.commutative(BinOp::Eq, a, b, Sort::Bool);
        }
        let w = sort.width();
        if let Some(k) = self.as_const(b) {
            match *self.node(a) {
                Node::Ite(c, x, y) => {
                    let (cx, cy) = (self.as_const(x), self.as_const(y));
                    if cx.is_some_and(|v| v != k) {
                        let e = self.eq(y, b);
                        let n = self.not(c);
                        return self.and(n, e);
                    }
                    if cy.is_some_and(|v| v != k) {
                        let e = self.eq(x, b);
                        return self.and(c, e);
                    }
                    if cx == Some(k) {
                        let e = self.eq(y, b);
                        return self.or(c, e);
                    }
                    if cy == Some(k) {
                        let e = self.eq(x, b);
                        let n = self.not(c);
                        return self.or(n, e);
                    }
                }
                Node::Zext(x) => {
                    let wx = self.width(x);
                    if k > mask(wx) {
                        return self.bool(false);
                    }
                    let kk = self.bv(k, wx);
                    return self.eq(x, kk);
                }
                Node::Unary(UnOp::BvNot, x) => {
                    let kk = self.bv(!k, w);
                    return self.eq(x, kk);
                }
                Node::Unary(UnOp::Neg, x) => {
                    let kk = self.bv(k.wrapping_neg(), w);
                    return self.eq(x, kk);
                }
                Node::Binary(BinOp::Add, x, y) => {
                    if let Some(c) = self.as_const(y) {
                        let kk = self.bv(k.wrapping_sub(c), w);
                        return self.eq(x, kk);
                    }
                }
                // x * odd = k has one solution.
                Node::Binary(BinOp::Mul, x, y) => {
                    if let Some(c) = self.as_const(y)
                        && c & 1 == 1
                    {
                        let kk = self.bv(k.wrapping_mul(odd_inverse(c)), w);
                        return self.eq(x, kk);
                    }
                }
                Node::Binary(BinOp::Sub, x, y) if k == 0 => return self.eq(x, y),
                Node::Binary(BinOp::BvXor, x, y) if k == 0 => return self.eq(x, y),
                Node::Binary(BinOp::Concat, h, l) => {
                    let wl = self.width(l);
                    let wh = self.width(h);
                    let kh = self.bv(k >> wl, wh);
                    let kl = self.bv(k, wl);
                    let eh = self.eq(h, kh);
                    let el = self.eq(l, kl);
                    return self.and(eh, el);
                }
                _ => {}
            }
        } else {
            // x + c = y + d
            let (xa, ca) = self.split_const_add(a).unwrap_or((a, 0));
            let (xb, cb) = self.split_const_add(b).unwrap_or((b, 0));
            if xa == xb {
                return self.bool(ca & mask(w) == cb & mask(w));
            }
            if ca != 0 && cb != 0 {
                let k = self.bv(ca.wrapping_sub(cb), w);
                let lhs = self.add(xa, k);
                return self.eq(lhs, xb);
            }
            if let (Node::Zext(x), Node::Zext(y)) = (self.node(a).clone(), self.node(b).clone())
                && self.width(x) == self.width(y)
            {
                return self.eq(x, y);
            }
            if let (Node::Binary(BinOp::Concat, h1, l1), Node::Binary(BinOp::Concat, h2, l2)) =
                (self.node(a).clone(), self.node(b).clone())
                && self.width(l1) == self.width(l2)
            {
                let eh = self.eq(h1, h2);
                let el = self.eq(l1, l2);
                return self.and(eh, el);
            }
        }
        if let Some(t) = self.eq_of_leaves(a, b) {
            return t;
        }
        let (x, y) = (self.known_range(a), self.known_range(b));
        if x.1 < y.0 || y.1 < x.0 {
            return self.bool(false);
        }
        self.commutative(BinOp::Eq, a, b, Sort::Bool)
    }

    /// `ite(c, x, y) = z` where a leaf decides: `ite(c, z + 1, y) = z` is `!c && y = z`. Remembered, because
    /// chains of `ite`s share their tails.
    fn eq_of_leaves(&mut self, a: Term, b: Term) -> Option<Term> {
        let (tree, other) = match (self.node(a), self.node(b)) {
            (Node::Ite(..), Node::Ite(..)) => return None,
            (Node::Ite(..), _) => (a, b),
            (_, Node::Ite(..)) => (b, a),
            _ => return None,
        };
        if let Some(&t) = self.leaf_eqs.get(&(tree, other)) {
            return t;
        }
        let Node::Ite(c, x, y) = *self.node(tree) else {
            return None;
        };
        // A simplification must not cost more than what it saves, and no engine looks at the clock in here.
        if self.leaves_seen >= MOST_LEAVES {
            return None;
        }
        let outermost = self.leaves_seen == 0;
        self.leaves_seen += 1;
        let (ex, ey) = (self.eq(x, other), self.eq(y, other));
        if outermost {
            self.leaves_seen = 0;
        }
        let decided = self.as_const(ex).is_some() || self.as_const(ey).is_some();
        let t = decided.then(|| self.ite(c, ex, ey));
        self.leaf_eqs.insert((tree, other), t);
        t
    }

    /// `Ult`, `Ule`, `Slt`, `Sle`; `<=` is kept as the negation of the reversed `<`, so that one form remains.
    pub(super) fn order(&mut self, op: BinOp, a: Term, b: Term) -> Term {
        match op {
            BinOp::Ule => {
                let lt = self.ult(b, a);
                self.not(lt)
            }
            BinOp::Sle => {
                let lt = self.slt(b, a);
                self.not(lt)
            }
            BinOp::Ult => self.ult(a, b),
            _ => self.slt(a, b),
        }
    }

    pub fn ult(&mut self, a: Term, b: Term) -> Term {
        let w = self.width(a);
        let (ca, cb) = (self.as_const(a), self.as_const(b));
        match (ca, cb) {
            (Some(x), Some(y)) => return self.bool(x < y),
            (_, Some(0)) => return self.bool(false),
            (Some(m), _) if m == mask(w) => return self.bool(false),
            (_, Some(1)) => {
                let z = self.bv(0, w);
                return self.eq(a, z);
            }
            (Some(0), _) => {
                let z = self.bv(0, w);
                let e = self.eq(b, z);
                return self.not(e);
            }
            _ => {}
        }
        if a == b {
            return self.bool(false);
        }
        if let Some(t) = self.order_of_extended(a, b) {
            return t;
        }
        if let Some(t) = self.order_of_leaves(BinOp::Ult, a, b) {
            return t;
        }
        if let Some(known) = self.order_of_ranges(a, b) {
            return self.bool(known);
        }
        self.intern(Node::Binary(BinOp::Ult, a, b), Sort::Bool)
    }

    pub fn slt(&mut self, a: Term, b: Term) -> Term {
        let w = self.width(a);
        if a == b {
            return self.bool(false);
        }
        let (ca, cb) = (self.as_const(a), self.as_const(b));
        if let (Some(x), Some(y)) = (ca, cb) {
            return self.bool(super::to_signed(x, w) < super::to_signed(y, w));
        }
        if cb == Some(1 << (w - 1)) || ca == Some(mask(w) >> 1) {
            return self.bool(false);
        }
        // Zero-extended operands are not negative.
        if let Some(t) = self.order_of_extended(a, b)
            && self.is_nonnegative(a)
            && self.is_nonnegative(b)
        {
            return t;
        }
        if let (Node::Sext(x), Node::Sext(y)) = (self.node(a).clone(), self.node(b).clone())
            && self.width(x) == self.width(y)
        {
            return self.slt(x, y);
        }
        if let Some(t) = self.order_of_leaves(BinOp::Slt, a, b) {
            return t;
        }
        let half = mask(w) >> 1;
        if self.known_range(a).1 <= half
            && self.known_range(b).1 <= half
            && let Some(known) = self.order_of_ranges(a, b)
        {
            return self.bool(known);
        }
        self.intern(Node::Binary(BinOp::Slt, a, b), Sort::Bool)
    }

    pub fn ule(&mut self, a: Term, b: Term) -> Term {
        self.order(BinOp::Ule, a, b)
    }

    pub fn sle(&mut self, a: Term, b: Term) -> Term {
        self.order(BinOp::Sle, a, b)
    }

    fn is_nonnegative(&self, t: Term) -> bool {
        match *self.node(t) {
            Node::Zext(x) => self.width(x) < self.width(t),
            Node::Const(c) => c >> (self.width(t) - 1) == 0,
            _ => false,
        }
    }

    /// Unsigned order of zero-extended terms, decided at the narrow width.
    fn order_of_extended(&mut self, a: Term, b: Term) -> Option<Term> {
        match (self.node(a).clone(), self.node(b).clone()) {
            (Node::Zext(x), Node::Zext(y)) if self.width(x) == self.width(y) => {
                Some(self.ult(x, y))
            }
            (Node::Zext(x), Node::Const(k)) => {
                let wx = self.width(x);
                if k > mask(wx) {
                    return Some(self.bool(true));
                }
                let kk = self.bv(k, wx);
                Some(self.ult(x, kk))
            }
            (Node::Const(k), Node::Zext(y)) => {
                let wy = self.width(y);
                if k >= mask(wy) {
                    return Some(self.bool(false));
                }
                let kk = self.bv(k, wy);
                Some(self.ult(kk, y))
            }
            _ => None,
        }
    }

    /// Orders between a tree of constants and a constant.
    fn order_of_leaves(&mut self, op: BinOp, a: Term, b: Term) -> Option<Term> {
        let (on_left, tree, k) = if self.as_const(b).is_some() {
            (true, a, b)
        } else if self.as_const(a).is_some() {
            (false, b, a)
        } else {
            return None;
        };
        let Node::Ite(c, x, y) = *self.node(tree) else {
            return None;
        };
        let x_const = self.as_const(x).is_some();
        let y_const = self.as_const(y).is_some();
        if !(x_const || y_const) || !(self.is_ite_of_consts(tree, 4) || x_const != y_const) {
            return None;
        }
        let (x, y) = if on_left {
            (self.binary(op, x, k), self.binary(op, y, k))
        } else {
            (self.binary(op, k, x), self.binary(op, k, y))
        };
        Some(self.ite(c, x, y))
    }
}

/// The inverse of an odd number modulo 2^128 (Newton: each round doubles the correct bits).
pub fn odd_inverse(c: u128) -> u128 {
    let mut x = c;
    for _ in 0..7 {
        x = x.wrapping_mul(2u128.wrapping_sub(c.wrapping_mul(x)));
    }
    x
}
