//! What a term's operators alone say of its unsigned value: an interval, and whether it is at most another.
//!
//! Bounds checks of tables, chunks and digits are true for such reasons (`x & 15 < 16`, `n - n % 4 <= n`): decided here
//! when they are built, no solver is asked, and no candidate is wasted on them. Both are exact about wrapping: an
//! interval of what may wrap is everything.

use super::{BinOp, Node, Pool, Sort, Term, UnOp, mask};

/// Nodes below a term that are looked at: deeper ones have any value.
const DEPTH: u32 = 6;

impl Pool {
    /// The least and the greatest unsigned value that a bit-vector may have.
    pub fn range(&self, t: Term) -> (u128, u128) {
        self.range_to(t, DEPTH)
    }

    /// The same, remembered: writes to a table ask it of one index again and again.
    pub(super) fn known_range(&mut self, t: Term) -> (u128, u128) {
        if let Node::Const(c) = *self.node(t) {
            return (c, c);
        }
        if let Some(&known) = self.ranges.get(&t) {
            return known;
        }
        let found = self.range(t);
        self.ranges.insert(t, found);
        found
    }

    fn range_to(&self, t: Term, depth: u32) -> (u128, u128) {
        let Sort::Bv(w) = self.sort(t) else {
            return (0, u128::MAX);
        };
        let all = (0, mask(w));
        if let Node::Const(c) = *self.node(t) {
            return (c, c);
        }
        if depth == 0 {
            return all;
        }
        let of = |t: Term| self.range_to(t, depth - 1);
        match *self.node(t) {
            Node::Zext(x) => of(x),
            Node::Extract { arg, lo } => {
                let (least, most) = of(arg);
                match most >> lo <= mask(w) {
                    true => (least >> lo, most >> lo),
                    false => all,
                }
            }
            Node::Ite(..) if self.constants(t).is_some_and(|c| c.most <= mask(w)) => {
                self.constants(t).map_or(all, |c| (c.least, c.most))
            }
            Node::Ite(_, x, y) => {
                let (x, y) = (of(x), of(y));
                (x.0.min(y.0), x.1.max(y.1))
            }
            Node::Binary(op, a, b) => combined(op, of(a), of(b), w, self.width(b)).unwrap_or(all),
            _ => all,
        }
    }

    /// Is `a` at most `b`, unsigned, whatever the variables are? `false` says nothing.
    pub(super) fn never_above(&self, a: Term, b: Term) -> bool {
        self.never_above_to(a, b, DEPTH)
    }

    fn never_above_to(&self, a: Term, b: Term, depth: u32) -> bool {
        if a == b {
            return true;
        }
        if depth == 0 {
            return false;
        }
        let below = |x: Term| self.never_above_to(x, b, depth - 1);
        // the same taken from both, without wrapping
        if let (&Node::Binary(BinOp::Sub, x, r), &Node::Binary(BinOp::Sub, y, q)) =
            (self.node(a), self.node(b))
            && r == q
            && self.never_above_to(r, x, depth - 1)
            && self.never_above_to(x, y, depth - 1)
        {
            return true;
        }
        match *self.node(a) {
            Node::Binary(BinOp::BvAnd, x, y) => below(x) || below(y),
            // by zero: the remainder is what was divided
            Node::Binary(BinOp::Urem | BinOp::Lshr, x, _) => below(x),
            Node::Binary(BinOp::Udiv, x, c) => self.as_const(c).is_some_and(|c| c != 0) && below(x),
            // a difference that does not wrap
            Node::Binary(BinOp::Sub, x, y) => self.never_above_to(y, x, depth - 1) && below(x),
            Node::Ite(c, x, y) => {
                (below(x) || self.says_below(c, x, b)) && (below(y) || self.denies_above(c, y, b))
            }
            _ => match *self.node(b) {
                Node::Ite(c, x, y) => {
                    let over = |y: Term| self.never_above_to(a, y, depth - 1);
                    (over(x) || self.says_below(c, a, x)) && (over(y) || self.denies_above(c, a, y))
                }
                _ => false,
            },
        }
    }

    /// Is the condition `a < b` itself? The smaller of two is at most either.
    fn says_below(&self, c: Term, a: Term, b: Term) -> bool {
        matches!(*self.node(c), Node::Binary(BinOp::Ult, p, q) if (p, q) == (a, b))
    }

    /// Is it `b < a`, so that without it `a` is at most `b`?
    fn denies_above(&self, c: Term, a: Term, b: Term) -> bool {
        self.says_below(c, b, a)
    }

    /// Does `a` say that something is below what `b` says is not zero?
    pub(super) fn says_not_zero(&self, a: Term, b: Term) -> bool {
        let (&Node::Binary(BinOp::Ult, _, x), &Node::Unary(UnOp::Not, e)) =
            (self.node(a), self.node(b))
        else {
            return false;
        };
        matches!(*self.node(e), Node::Binary(BinOp::Eq, p, q)
            if (q == x && self.as_const(p) == Some(0)) || (p == x && self.as_const(q) == Some(0)))
    }

    /// `a < b` where the operators decide it.
    pub(super) fn order_of_ranges(&mut self, a: Term, b: Term) -> Option<bool> {
        let (x, y) = (self.known_range(a), self.known_range(b));
        if x.1 < y.0 {
            return Some(true);
        }
        (x.0 >= y.1 || self.never_above(b, a)).then_some(false)
    }
}

/// The interval of an operator's result, `w` bits wide, of operands in these; nothing where it may wrap.
fn combined(
    op: BinOp,
    x: (u128, u128),
    y: (u128, u128),
    w: u32,
    wide: u32,
) -> Option<(u128, u128)> {
    let fits = |t: u128| (t <= mask(w)).then_some(t);
    let ones = |t: u128| mask(128 - t.leading_zeros());
    Some(match op {
        BinOp::Add => {
            let most = fits(x.1.checked_add(y.1)?)?;
            (x.0 + y.0, most)
        }
        BinOp::Sub if x.0 >= y.1 => (x.0 - y.1, x.1 - y.0),
        BinOp::Mul => {
            let most = fits(x.1.checked_mul(y.1)?)?;
            (x.0 * y.0, most)
        }
        BinOp::Udiv if y.0 > 0 => (x.0 / y.1, x.1 / y.0),
        BinOp::Urem if y.0 > 0 => (0, x.1.min(y.1 - 1)),
        BinOp::Urem => (0, x.1),
        BinOp::BvAnd => (0, x.1.min(y.1)),
        BinOp::BvOr => (x.0.max(y.0), ones(x.1 | y.1)),
        BinOp::BvXor => (0, ones(x.1 | y.1)),
        BinOp::Lshr if y.0 == y.1 && y.0 < u128::from(w) => (x.0 >> y.0, x.1 >> y.0),
        BinOp::Lshr => (0, x.1),
        BinOp::Concat => ((x.0 << wide) | y.0, (x.1 << wide) | y.1),
        _ => return None,
    })
}
