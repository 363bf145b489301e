//! Operators on integers, booleans and characters, each as SMT-LIB has it; floats are approximated.

use crate::graph::Frame;
use crate::machine::{Kind, Machine};
use crate::term::{Modelled, Scalar, Term, gap};
use crate::types;
use crate::value::{Arena, Node, Step, V};
use optverify_engine::mir::{BinOp, Operand, Ty, TyKind, UnOp};
use std::collections::BTreeMap;

impl Machine<'_> {
    pub fn binary(
        &mut self,
        frame: &Frame,
        op: BinOp,
        a: &Operand,
        b: &Operand,
        into: &Ty,
    ) -> Modelled<V> {
        let ty = self.operand_type(frame, a)?;
        if types::pointee(&ty).is_some() {
            return gap("an operator on pointers");
        }
        if types::is_float(&ty) {
            self.operand(frame, a, None)?;
            self.operand(frame, b, None)?;
            let Some(of) = types::scalar(into) else {
                return gap("an operator on floats");
            };
            return Ok(self.approximate("an operator on floats", of));
        }
        if ty.is_unit() && matches!(op, BinOp::Eq | BinOp::Ne) {
            return Ok(self.arena.leaf(Term::boolean(op == BinOp::Eq)));
        }
        let (x, y) = (self.scalar(frame, a)?, self.scalar(frame, b)?);
        let signed = types::signed(&ty);
        if op == BinOp::Cmp {
            return self.compare(&x, &y, signed);
        }
        if let BinOp::AddWithOverflow | BinOp::SubWithOverflow | BinOp::MulWithOverflow = op {
            let (value, overflow) = self.overflowing(op, &x, &y, signed)?;
            let parts = [(Step::Field(0), value), (Step::Field(1), overflow)];
            let mut fields = BTreeMap::new();
            for (step, term) in parts {
                fields.insert(step, self.arena.leaf(term));
            }
            return Ok(self.arena.add(Node::Parts(fields, Arena::UNINIT)));
        }
        let t = self.arithmetic(op, &x, &y, signed)?;
        Ok(self.arena.leaf(t))
    }

    /// The result in the width of the operands, and whether the exact one is another.
    pub fn overflowing(
        &mut self,
        op: BinOp,
        x: &Term,
        y: &Term,
        signed: bool,
    ) -> Modelled<(Term, Term)> {
        let w = x.width();
        let name = match op {
            BinOp::AddWithOverflow | BinOp::AddUnchecked | BinOp::Add => "bvadd",
            BinOp::SubWithOverflow | BinOp::SubUnchecked | BinOp::Sub => "bvsub",
            BinOp::MulWithOverflow | BinOp::MulUnchecked | BinOp::Mul => "bvmul",
            _ => return gap("an unusual operator"),
        };
        let value = self.script.bv(name, &[x, y], w);
        // exact at twice the width, whatever the operator
        let extend = if signed { "sign_extend" } else { "zero_extend" };
        let extend = format!("(_ {extend} {w})");
        let (wide_x, wide_y) = (
            self.script.bv(&extend, &[x], 2 * w),
            self.script.bv(&extend, &[y], 2 * w),
        );
        let exact = self.script.bv(name, &[&wide_x, &wide_y], 2 * w);
        let back = self.script.bv(&extend, &[&value], 2 * w);
        let same = self.script.eq(&exact, &back);
        Ok((value, self.script.not(&same)))
    }

    fn compare(&mut self, x: &Term, y: &Term, signed: bool) -> Modelled<V> {
        let less = self.less(x, y, signed);
        let same = self.script.eq(x, y);
        let (one, zero, minus) = (Term::bits(1, 8), Term::bits(0, 8), Term::bits(255, 8));
        let rest = self.script.ite(&same, &zero, &one);
        let t = self.script.ite(&less, &minus, &rest);
        let leaf = self.arena.leaf(t);
        let parts = BTreeMap::from([(Step::Discriminant, leaf)]);
        Ok(self.arena.add(Node::Parts(parts, Arena::UNINIT)))
    }

    fn less(&mut self, x: &Term, y: &Term, signed: bool) -> Term {
        match (x.sort.of, signed) {
            (Scalar::Bool, _) => {
                let not = self.script.not(x);
                self.script.and(&not, y)
            }
            (_, true) => self.script.test("bvslt", &[x, y]),
            (_, false) => self.script.test("bvult", &[x, y]),
        }
    }

    pub fn arithmetic(&mut self, op: BinOp, x: &Term, y: &Term, signed: bool) -> Modelled<Term> {
        let is_bool = x.sort.of == Scalar::Bool;
        let w = x.width();
        match op {
            BinOp::Eq => return Ok(self.script.eq(x, y)),
            BinOp::Ne => {
                let same = self.script.eq(x, y);
                return Ok(self.script.not(&same));
            }
            BinOp::Lt => return Ok(self.less(x, y, signed)),
            BinOp::Gt => return Ok(self.less(y, x, signed)),
            BinOp::Le => {
                let more = self.less(y, x, signed);
                return Ok(self.script.not(&more));
            }
            BinOp::Ge => {
                let less = self.less(x, y, signed);
                return Ok(self.script.not(&less));
            }
            BinOp::BitAnd if is_bool => return Ok(self.script.and(x, y)),
            BinOp::BitOr if is_bool => return Ok(self.script.or(x, y)),
            BinOp::BitXor if is_bool => return Ok(self.script.test("xor", &[x, y])),
            _ if is_bool => return gap("an unusual operator on booleans"),
            _ => {}
        }
        let name = match op {
            BinOp::Add => "bvadd",
            BinOp::Sub => "bvsub",
            BinOp::Mul => "bvmul",
            BinOp::BitAnd => "bvand",
            BinOp::BitOr => "bvor",
            BinOp::BitXor => "bvxor",
            BinOp::Div | BinOp::Rem => return Ok(self.divide(op, x, y, signed)),
            BinOp::Shl | BinOp::Shr | BinOp::ShlUnchecked | BinOp::ShrUnchecked => {
                return Ok(self.shift(op, x, y, signed));
            }
            BinOp::AddUnchecked | BinOp::SubUnchecked | BinOp::MulUnchecked => {
                let (value, overflow) = self.overflowing(op, x, y, signed)?;
                self.forbid(
                    Kind::Violation,
                    "unchecked arithmetic out of range",
                    &overflow,
                );
                return Ok(value);
            }
            _ => return gap(format!("operator {op:?}")),
        };
        Ok(self.script.bv(name, &[x, y], w))
    }

    fn divide(&mut self, op: BinOp, x: &Term, y: &Term, signed: bool) -> Term {
        let w = x.width();
        let zero = self.script.eq(y, &Term::bits(0, w));
        self.forbid(Kind::Violation, "a division by zero", &zero);
        if signed {
            let least = self.script.eq(x, &Term::bits(1 << (w - 1), w));
            let minus = self.script.eq(y, &Term::bits(u128::MAX, w));
            let both = self.script.and(&least, &minus);
            self.forbid(Kind::Violation, "a division that overflows", &both);
        }
        let name = match (op, signed) {
            (BinOp::Div, true) => "bvsdiv",
            (BinOp::Div, false) => "bvudiv",
            (_, true) => "bvsrem",
            (_, false) => "bvurem",
        };
        self.script.bv(name, &[x, y], w)
    }

    /// The amount has a type of its own: of its bits the low ones count, and unchecked it must be in range.
    fn shift(&mut self, op: BinOp, x: &Term, y: &Term, signed: bool) -> Term {
        let w = x.width();
        let unchecked = matches!(op, BinOp::ShlUnchecked | BinOp::ShrUnchecked);
        let amount = if unchecked {
            let limit = Term::bits(u128::from(w), y.width().max(8));
            let wide = self.resize(y, y.width().max(8), false);
            let inside = self.script.test("bvult", &[&wide, &limit]);
            let outside = self.script.not(&inside);
            self.forbid(Kind::Violation, "an unchecked shift out of range", &outside);
            self.resize(y, w, false)
        } else {
            let y = self.resize(y, w, false);
            self.script
                .bv("bvand", &[&y, &Term::bits(u128::from(w - 1), w)], w)
        };
        let name = match (op, signed) {
            (BinOp::Shl | BinOp::ShlUnchecked, _) => "bvshl",
            (_, true) => "bvashr",
            (_, false) => "bvlshr",
        };
        self.script.bv(name, &[x, &amount], w)
    }

    /// Cuts or extends.
    pub fn resize(&mut self, x: &Term, width: u32, signed: bool) -> Term {
        let w = x.width();
        if let (Some(bits), false) = (x.literal, signed) {
            return Term::bits(bits, width);
        }
        match width {
            n if n == w => x.clone(),
            n if n < w => self.script.bv(&format!("(_ extract {} 0)", n - 1), &[x], n),
            n if signed => self
                .script
                .bv(&format!("(_ sign_extend {})", n - w), &[x], n),
            n => self
                .script
                .bv(&format!("(_ zero_extend {})", n - w), &[x], n),
        }
    }

    pub fn unary(&mut self, frame: &Frame, op: UnOp, a: &Operand) -> Modelled<V> {
        let ty = self.operand_type(frame, a)?;
        if op == UnOp::PtrMetadata {
            let mut options = vec![];
            for (when, p) in self.pointers(frame, a)? {
                let Some(len) = p.meta else {
                    // a thin pointer's metadata is `()`
                    return Ok(Arena::UNINIT);
                };
                options.push((when, self.arena.leaf(len)));
            }
            return Ok(self.choose(options));
        }
        if types::is_float(&ty) {
            let x = self.scalar(frame, a)?;
            return Ok(self.approximate("an operator on floats", x.sort.of));
        }
        let x = self.scalar(frame, a)?;
        let t = match (op, x.sort.of) {
            (UnOp::Not, Scalar::Bool) => self.script.not(&x),
            (UnOp::Not, Scalar::Bv(w)) => self.script.bv("bvnot", &[&x], w),
            (UnOp::Neg, Scalar::Bv(w)) => self.script.bv("bvneg", &[&x], w),
            _ => return gap("an unusual operator"),
        };
        Ok(self.arena.leaf(t))
    }

    /// A number as a number of another type.
    pub fn int_to_int(&mut self, x: &Term, from: &Ty, to: &Ty) -> Modelled<Term> {
        let Some(of) = types::scalar(to) else {
            return gap(format!("a cast to `{to}`"));
        };
        let bits = match x.sort.of {
            Scalar::Bool => {
                let w = of.width();
                self.script.ite(x, &Term::bits(1, w), &Term::bits(0, w))
            }
            Scalar::Bv(_) => self.resize(x, of.width(), types::signed(from)),
        };
        match (of, to.kind()) {
            (Scalar::Bool, _) => gap("a cast to bool"),
            (_, TyKind::Float(_)) => gap("a cast to a float"),
            _ => Ok(bits),
        }
    }
}
