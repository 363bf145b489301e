//! Smart constructors: every term is simplified once, when it is built.

use super::{BinOp, Node, Pool, Sort, Term, UnOp, Var, mask};

impl Pool {
    pub fn bool(&mut self, b: bool) -> Term {
        self.intern(Node::Const(u128::from(b)), Sort::Bool)
    }

    pub fn bv(&mut self, bits: u128, w: u32) -> Term {
        self.intern(Node::Const(bits & mask(w)), Sort::Bv(w))
    }

    /// A constant of a scalar sort.
    pub fn constant(&mut self, bits: u128, sort: Sort) -> Term {
        match sort {
            Sort::Bool => self.bool(bits != 0),
            Sort::Bv(w) => self.bv(bits, w),
            Sort::Array { .. } => {
                let e = self.constant(bits, sort.element());
                self.const_array(e, sort)
            }
        }
    }

    pub fn is_true(&self, t: Term) -> bool {
        self.sort(t) == Sort::Bool && self.as_const(t) == Some(1)
    }

    pub fn is_false(&self, t: Term) -> bool {
        self.sort(t) == Sort::Bool && self.as_const(t) == Some(0)
    }

    pub fn not(&mut self, a: Term) -> Term {
        match *self.node(a) {
            Node::Const(c) => self.bool(c == 0),
            Node::Unary(UnOp::Not, b) => b,
            _ => self.intern(Node::Unary(UnOp::Not, a), Sort::Bool),
        }
    }

    pub fn and(&mut self, a: Term, b: Term) -> Term {
        if a == b || self.is_true(b) || self.is_false(a) {
            return a;
        }
        if self.is_true(a) || self.is_false(b) {
            return b;
        }
        if self.negates(a, b) {
            return self.bool(false);
        }
        if self.conjoins(a, b) {
            return a;
        }
        if self.conjoins(b, a) {
            return b;
        }
        if self.conjoins_negation(a, b) || self.conjoins_negation(b, a) {
            return self.bool(false);
        }
        if self.says_not_zero(a, b) {
            return a;
        }
        if self.says_not_zero(b, a) {
            return b;
        }
        // a && (!a || c)  =  a && c
        if let Some(c) = self.resolve_or(a, b) {
            return self.and(a, c);
        }
        if let Some(c) = self.resolve_or(b, a) {
            return self.and(b, c);
        }
        self.commutative(BinOp::And, a, b, Sort::Bool)
    }

    pub fn or(&mut self, a: Term, b: Term) -> Term {
        if a == b || self.is_false(b) || self.is_true(a) {
            return a;
        }
        if self.is_false(a) || self.is_true(b) {
            return b;
        }
        if self.negates(a, b) {
            return self.bool(true);
        }
        // (a && c) || (!a && c)  =  c, and absorption: the joins after diamonds.
        if let Some(c) = self.common_conjunct(a, b) {
            return c;
        }
        if self.conjoins(a, b) {
            return b;
        }
        if self.conjoins(b, a) {
            return a;
        }
        self.commutative(BinOp::Or, a, b, Sort::Bool)
    }

    pub fn and_all(&mut self, terms: &[Term]) -> Term {
        let mut out = self.bool(true);
        for &t in terms {
            out = self.and(out, t);
        }
        out
    }

    pub fn or_all(&mut self, terms: &[Term]) -> Term {
        let mut out = self.bool(false);
        for &t in terms {
            out = self.or(out, t);
        }
        out
    }

    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let na = self.not(a);
        self.or(na, b)
    }

    pub fn xor_bool(&mut self, a: Term, b: Term) -> Term {
        let e = self.eq(a, b);
        self.not(e)
    }

    pub(super) fn negates(&self, a: Term, b: Term) -> bool {
        matches!(*self.node(a), Node::Unary(UnOp::Not, x) if x == b)
            || matches!(*self.node(b), Node::Unary(UnOp::Not, x) if x == a)
    }

    /// Is `b` one of the conjuncts of `a` (looking a few levels down)?
    fn conjoins(&self, a: Term, b: Term) -> bool {
        self.find_conjunct(a, 6, &mut |x| x == b)
    }

    fn conjoins_negation(&self, a: Term, b: Term) -> bool {
        self.find_conjunct(a, 6, &mut |x| self.negates(x, b))
    }

    fn find_conjunct(&self, a: Term, depth: u32, hit: &mut dyn FnMut(Term) -> bool) -> bool {
        match *self.node(a) {
            Node::Binary(BinOp::And, x, y) if depth > 0 => {
                hit(x)
                    || hit(y)
                    || self.find_conjunct(x, depth - 1, hit)
                    || self.find_conjunct(y, depth - 1, hit)
            }
            _ => false,
        }
    }

    fn resolve_or(&self, a: Term, or: Term) -> Option<Term> {
        match *self.node(or) {
            Node::Binary(BinOp::Or, x, y) if self.negates(a, x) => Some(y),
            Node::Binary(BinOp::Or, x, y) if self.negates(a, y) => Some(x),
            _ => None,
        }
    }

    fn common_conjunct(&self, a: Term, b: Term) -> Option<Term> {
        let (Node::Binary(BinOp::And, a1, a2), Node::Binary(BinOp::And, b1, b2)) =
            (self.node(a), self.node(b))
        else {
            return None;
        };
        for (x, common) in [(a1, a2), (a2, a1)] {
            for (y, other) in [(b1, b2), (b2, b1)] {
                if common == other && self.negates(*x, *y) {
                    return Some(*common);
                }
            }
        }
        None
    }

    pub(super) fn commutative(&mut self, op: BinOp, a: Term, b: Term, sort: Sort) -> Term {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        self.intern(Node::Binary(op, a, b), sort)
    }

    pub fn ite(&mut self, c: Term, a: Term, b: Term) -> Term {
        if a == b || self.is_true(c) {
            return a;
        }
        if self.is_false(c) {
            return b;
        }
        if let Node::Unary(UnOp::Not, n) = *self.node(c) {
            return self.ite(n, b, a);
        }
        let sort = self.sort(a);
        if sort == Sort::Bool {
            if self.is_true(a) {
                return self.or(c, b);
            }
            if self.is_false(b) {
                return self.and(c, a);
            }
            if self.is_false(a) {
                let n = self.not(c);
                return self.and(n, b);
            }
            if self.is_true(b) {
                let n = self.not(c);
                return self.or(n, a);
            }
        }
        // ite(c, ite(c, x, _), y) = ite(c, x, y) and its mirror image.
        if let Node::Ite(c2, x, _) = *self.node(a)
            && c2 == c
        {
            return self.ite(c, x, b);
        }
        if let Node::Ite(c2, _, y) = *self.node(b)
            && c2 == c
        {
            return self.ite(c, a, y);
        }
        if let Node::Ite(c2, x, y) = *self.node(b) {
            if x == a {
                let cc = self.or(c, c2);
                return self.ite(cc, a, y);
            }
            if y == a {
                let n = self.not(c2);
                let cc = self.or(c, n);
                return self.ite(cc, a, x);
            }
        }
        let chosen = self.intern(Node::Ite(c, a, b), sort);
        self.note_choice(chosen, a, b);
        chosen
    }

    pub fn bv_not(&mut self, a: Term) -> Term {
        let w = self.width(a);
        match *self.node(a) {
            Node::Const(c) => self.bv(!c, w),
            Node::Unary(UnOp::BvNot, b) => b,
            _ => self.intern(Node::Unary(UnOp::BvNot, a), Sort::Bv(w)),
        }
    }

    pub fn neg(&mut self, a: Term) -> Term {
        let w = self.width(a);
        match *self.node(a) {
            Node::Const(c) => self.bv(c.wrapping_neg(), w),
            Node::Unary(UnOp::Neg, b) => b,
            _ => self.intern(Node::Unary(UnOp::Neg, a), Sort::Bv(w)),
        }
    }

    /// Any binary operator of bit-vectors or booleans.
    pub fn binary(&mut self, op: BinOp, a: Term, b: Term) -> Term {
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            let (wa, wb) = (self.scalar_width(a), self.scalar_width(b));
            let sort = self.result_sort(op, a, b);
            let bits = super::eval::apply_binary(op, x, y, wa, wb);
            return self.constant(bits, sort);
        }
        match op {
            BinOp::And => self.and(a, b),
            BinOp::Or => self.or(a, b),
            BinOp::Eq => self.eq(a, b),
            BinOp::Add => self.add(a, b),
            BinOp::Sub => self.sub(a, b),
            BinOp::Mul => self.mul(a, b),
            BinOp::Ult | BinOp::Ule | BinOp::Slt | BinOp::Sle => self.order(op, a, b),
            _ => self.plain_binary(op, a, b),
        }
    }

    fn scalar_width(&self, t: Term) -> u32 {
        match self.sort(t) {
            Sort::Bv(w) => w,
            _ => 1,
        }
    }

    fn result_sort(&self, op: BinOp, a: Term, b: Term) -> Sort {
        match op {
            BinOp::And
            | BinOp::Or
            | BinOp::Eq
            | BinOp::Ult
            | BinOp::Ule
            | BinOp::Slt
            | BinOp::Sle
            | BinOp::UmulOverflows
            | BinOp::SmulOverflows => Sort::Bool,
            BinOp::Concat => Sort::Bv(self.width(a) + self.width(b)),
            _ => self.sort(a),
        }
    }

    pub fn add(&mut self, a: Term, b: Term) -> Term {
        let w = self.width(a);
        let (ca, cb) = (self.as_const(a), self.as_const(b));
        match (ca, cb) {
            (Some(x), Some(y)) => return self.bv(x.wrapping_add(y), w),
            (Some(0), _) => return b,
            (_, Some(0)) => return a,
            (Some(_), None) => return self.add(b, a),
            _ => {}
        }
        // Constants gather at the right end: (x + c) + d = x + (c + d), (x + c) + y = (x + y) + c.
        if let Some((x, c)) = self.split_const_add(a) {
            if let Some(d) = cb {
                let k = self.bv(c.wrapping_add(d), w);
                return self.add(x, k);
            }
            let s = self.add(x, b);
            let k = self.bv(c, w);
            return self.add(s, k);
        }
        if cb.is_none()
            && let Some((y, c)) = self.split_const_add(b)
        {
            let s = self.add(a, y);
            let k = self.bv(c, w);
            return self.add(s, k);
        }
        if cb.is_some() {
            if let Some(t) = self.over_ite_leaves(BinOp::Add, a, b) {
                return t;
            }
            return self.intern(Node::Binary(BinOp::Add, a, b), Sort::Bv(w));
        }
        // x + (y - x) and x + (-x)
        for (x, difference) in [(a, b), (b, a)] {
            if let Node::Binary(BinOp::Sub, y, z) = *self.node(difference)
                && z == x
            {
                return y;
            }
        }
        if let Node::Unary(UnOp::Neg, n) = *self.node(b)
            && n == a
        {
            return self.bv(0, w);
        }
        if let Node::Unary(UnOp::Neg, n) = *self.node(a)
            && n == b
        {
            return self.bv(0, w);
        }
        self.commutative(BinOp::Add, a, b, Sort::Bv(w))
    }

    pub fn split_const_add(&self, t: Term) -> Option<(Term, u128)> {
        match *self.node(t) {
            Node::Binary(BinOp::Add, x, y) => self.as_const(y).map(|c| (x, c)),
            _ => None,
        }
    }

    /// A variable, if there is one, and a constant that are added up.
    pub fn offset(&self, t: Term) -> Option<(Option<Var>, u128)> {
        if let Some(c) = self.as_const(t) {
            return Some((None, c));
        }
        let (x, c) = self.split_const_add(t).unwrap_or((t, 0));
        self.as_var(x).map(|v| (Some(v), c))
    }

    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        let w = self.width(a);
        if a == b {
            return self.bv(0, w);
        }
        if let Some(c) = self.as_const(b) {
            let k = self.bv(c.wrapping_neg(), w);
            return self.add(a, k);
        }
        // (x + c) - (y + d) = (x - y) + (c - d)
        let (xa, ca) = self.split_const_add(a).unwrap_or((a, 0));
        let (xb, cb) = self.split_const_add(b).unwrap_or((b, 0));
        if ca != 0 || cb != 0 {
            let d = self.sub(xa, xb);
            let k = self.bv(ca.wrapping_sub(cb), w);
            return self.add(d, k);
        }
        if self.as_const(a) == Some(0) {
            return self.neg(b);
        }
        // x - (x - y) = y, and (x - y) - x = -y
        if let Node::Binary(BinOp::Sub, x, y) = *self.node(b)
            && x == a
        {
            return y;
        }
        if let Node::Binary(BinOp::Sub, x, y) = *self.node(a)
            && x == b
        {
            return self.neg(y);
        }
        // x - (x + y) = -y
        if let Node::Binary(BinOp::Add, x, y) = *self.node(b) {
            if x == a {
                return self.neg(y);
            }
            if y == a {
                return self.neg(x);
            }
        }
        // (x + y) - x = y
        if let Node::Binary(BinOp::Add, x, y) = *self.node(a) {
            if x == b {
                return y;
            }
            if y == b {
                return x;
            }
        }
        self.intern(Node::Binary(BinOp::Sub, a, b), Sort::Bv(w))
    }

    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        let w = self.width(a);
        for (quotient, divisor) in [(a, b), (b, a)] {
            if let Some(t) = self.times_divisor(quotient, divisor) {
                return t;
            }
        }
        match (self.as_const(a), self.as_const(b)) {
            (Some(x), Some(y)) => return self.bv(x.wrapping_mul(y), w),
            (Some(_), None) => return self.mul(b, a),
            (_, Some(0)) => return b,
            (_, Some(1)) => return a,
            (None, Some(y)) if y == mask(w) => return self.neg(a),
            (None, Some(y)) => {
                if let Node::Binary(BinOp::Mul, x, k) = *self.node(a)
                    && let Some(c) = self.as_const(k)
                {
                    let k = self.bv(c.wrapping_mul(y), w);
                    return self.mul(x, k);
                }
                if let Some(t) = self.over_ite_leaves(BinOp::Mul, a, b) {
                    return t;
                }
                return self.intern(Node::Binary(BinOp::Mul, a, b), Sort::Bv(w));
            }
            _ => {}
        }
        if let Some((c, [x1, y1], [x2, y2])) = self.same_choice(a, b) {
            let (x, y) = (self.mul(x1, x2), self.mul(y1, y2));
            return self.ite(c, x, y);
        }
        self.commutative(BinOp::Mul, a, b, Sort::Bv(w))
    }

    /// Two terms that a condition chooses alike, the parts of both, if they are not chosen again: the product of two
    /// choices is hard for a solver, a choice of products that it knows is not.
    fn same_choice(&mut self, a: Term, b: Term) -> Option<(Term, [Term; 2], [Term; 2])> {
        let is_choice = |t: Term| matches!(self.node(t), Node::Ite(..));
        let narrow = |t: Term| match *self.node(t) {
            Node::Zext(u) | Node::Sext(u) => u,
            _ => t,
        };
        let (&Node::Ite(c, x1, y1), &Node::Ite(d, x2, y2)) =
            (self.node(narrow(a)), self.node(narrow(b)))
        else {
            return None;
        };
        if c != d || [x1, y1, x2, y2].into_iter().any(is_choice) {
            return None;
        }
        let mut widened = |t: Term, whole: Term| match *self.node(whole) {
            Node::Zext(_) => {
                let w = self.width(whole);
                self.zext(t, w)
            }
            Node::Sext(_) => {
                let w = self.width(whole);
                self.sext(t, w)
            }
            _ => t,
        };
        Some((
            c,
            [widened(x1, a), widened(y1, a)],
            [widened(x2, b), widened(y2, b)],
        ))
    }

    /// `(x / y) * y` is `x - x % y`, also where `y` is zero and where the quotient wraps: a product less.
    fn times_divisor(&mut self, quotient: Term, divisor: Term) -> Option<Term> {
        let (rem, x, y) = match *self.node(quotient) {
            Node::Binary(BinOp::Udiv, x, y) => (BinOp::Urem, x, y),
            Node::Binary(BinOp::Sdiv, x, y) => (BinOp::Srem, x, y),
            _ => return None,
        };
        if y != divisor {
            return None;
        }
        let rest = self.binary(rem, x, y);
        Some(self.sub(x, rest))
    }

    /// `op(ite(c, k1, k2), k)` with constants k1, k2, k folds to `ite(c, _, _)`: flags and small state machines.
    pub(super) fn over_ite_leaves(&mut self, op: BinOp, a: Term, k: Term) -> Option<Term> {
        let Node::Ite(c, x, y) = *self.node(a) else {
            return None;
        };
        if !(self.is_ite_of_consts(x, 4) && self.is_ite_of_consts(y, 4)) {
            return None;
        }
        let x = self.binary(op, x, k);
        let y = self.binary(op, y, k);
        Some(self.ite(c, x, y))
    }

    /// A tree of `ite`s over constants of small depth.
    pub(super) fn is_ite_of_consts(&self, t: Term, depth: u32) -> bool {
        match *self.node(t) {
            Node::Const(_) => true,
            Node::Ite(_, x, y) => {
                depth > 0
                    && self.is_ite_of_consts(x, depth - 1)
                    && self.is_ite_of_consts(y, depth - 1)
            }
            _ => false,
        }
    }

    fn plain_binary(&mut self, op: BinOp, a: Term, b: Term) -> Term {
        let sort = self.result_sort(op, a, b);
        let (ca, cb) = (self.as_const(a), self.as_const(b));
        let w = self.scalar_width(a);
        match (op, ca, cb) {
            (BinOp::BvAnd, Some(0), _) | (BinOp::BvAnd, _, Some(0)) => return self.bv(0, w),
            (BinOp::BvAnd, Some(m), _) if m == mask(w) => return b,
            (BinOp::BvAnd, _, Some(m)) if m == mask(w) => return a,
            (BinOp::BvOr | BinOp::BvXor, Some(0), _) => return b,
            (BinOp::BvOr | BinOp::BvXor, _, Some(0)) => return a,
            (BinOp::BvAnd | BinOp::BvOr, _, _) if a == b => return a,
            (BinOp::BvXor, _, _) if a == b => return self.bv(0, w),
            (BinOp::Shl | BinOp::Lshr | BinOp::Ashr, _, Some(0)) => return a,
            (BinOp::Shl | BinOp::Lshr, _, Some(s)) if s >= u128::from(w) => return self.bv(0, w),
            (BinOp::Shl, None, Some(s)) => {
                let k = self.bv(1u128 << s, w);
                return self.mul(a, k);
            }
            (BinOp::Udiv | BinOp::Sdiv, _, Some(1)) => return a,
            (BinOp::Urem, _, Some(1)) => return self.bv(0, w),
            (BinOp::Urem, _, Some(m)) if m.is_power_of_two() => {
                let k = self.bv(m - 1, w);
                return self.binary(BinOp::BvAnd, a, k);
            }
            (BinOp::Udiv, _, Some(m)) if m.is_power_of_two() => {
                let k = self.bv(u128::from(m.trailing_zeros()), w);
                return self.binary(BinOp::Lshr, a, k);
            }
            (BinOp::UmulOverflows | BinOp::SmulOverflows, Some(0 | 1), _)
            | (BinOp::UmulOverflows | BinOp::SmulOverflows, _, Some(0 | 1))
                if w > 1 =>
            {
                return self.bool(false);
            }
            _ => {}
        }
        if cb.is_some()
            && op != BinOp::Concat
            && let Some(t) = self.over_ite_leaves(op, a, b)
        {
            return t;
        }
        match op {
            BinOp::BvAnd
            | BinOp::BvOr
            | BinOp::BvXor
            | BinOp::UmulOverflows
            | BinOp::SmulOverflows => self.commutative(op, a, b, sort),
            _ => self.intern(Node::Binary(op, a, b), sort),
        }
    }

    pub fn extract(&mut self, arg: Term, lo: u32, width: u32) -> Term {
        let w = self.width(arg);
        debug_assert!(lo + width <= w);
        if width == w {
            return arg;
        }
        match *self.node(arg) {
            Node::Const(c) => return self.bv(c >> lo, width),
            Node::Extract { arg: a, lo: l } => return self.extract(a, l + lo, width),
            Node::Zext(a) | Node::Sext(a) if lo + width <= self.width(a) => {
                return self.extract(a, lo, width);
            }
            Node::Zext(a) if lo >= self.width(a) => return self.bv(0, width),
            Node::Binary(BinOp::Concat, h, l) => {
                let wl = self.width(l);
                if lo + width <= wl {
                    return self.extract(l, lo, width);
                }
                if lo >= wl {
                    return self.extract(h, lo - wl, width);
                }
            }
            Node::Ite(c, x, y) if self.is_ite_of_consts(arg, 4) => {
                let x = self.extract(x, lo, width);
                let y = self.extract(y, lo, width);
                return self.ite(c, x, y);
            }
            // The low bits of sums and products depend on low bits only.
            Node::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), x, y) if lo == 0 => {
                let x = self.extract(x, 0, width);
                let y = self.extract(y, 0, width);
                return self.binary(op, x, y);
            }
            _ => {}
        }
        self.intern(Node::Extract { arg, lo }, Sort::Bv(width))
    }

    pub fn zext(&mut self, arg: Term, width: u32) -> Term {
        let w = self.width(arg);
        if w == width {
            return arg;
        }
        match *self.node(arg) {
            Node::Const(c) => self.bv(c, width),
            Node::Zext(a) => self.zext(a, width),
            Node::Ite(c, x, y) if self.is_ite_of_consts(arg, 4) => {
                let x = self.zext(x, width);
                let y = self.zext(y, width);
                self.ite(c, x, y)
            }
            _ => self.intern(Node::Zext(arg), Sort::Bv(width)),
        }
    }

    pub fn sext(&mut self, arg: Term, width: u32) -> Term {
        let w = self.width(arg);
        if w == width {
            return arg;
        }
        match *self.node(arg) {
            Node::Const(c) => self.bv(super::to_signed(c, w) as u128, width),
            Node::Sext(a) => self.sext(a, width),
            Node::Zext(a) => self.zext(a, width),
            Node::Ite(c, x, y) if self.is_ite_of_consts(arg, 4) => {
                let x = self.sext(x, width);
                let y = self.sext(y, width);
                self.ite(c, x, y)
            }
            _ => self.intern(Node::Sext(arg), Sort::Bv(width)),
        }
    }

    /// Sign- or zero-extends or truncates to a width, as Rust's `as` between integers.
    pub fn resize(&mut self, arg: Term, width: u32, signed: bool) -> Term {
        let w = self.width(arg);
        if width < w {
            self.extract(arg, 0, width)
        } else if signed {
            self.sext(arg, width)
        } else {
            self.zext(arg, width)
        }
    }

    /// 1 or 0 of a width.
    pub fn bool_to_bv(&mut self, b: Term, width: u32) -> Term {
        let one = self.bv(1, width);
        let zero = self.bv(0, width);
        self.ite(b, one, zero)
    }
}
