//! What Rust leaves open of floats: the bits of a NaN that an operation makes, and which of two zeros `min` and `max` give.
//! Every execution of an operation has bits of its own for a NaN, where a root looks at the bits of floats at all: elsewhere
//! nobody can tell, and the terms stay small.

use super::types::{self, erase};
use super::{Lowered, Lowerer, gap};
use crate::mir::{GenericArg, Path, Ty, TyKind};
use crate::program::{Draw, Terminator};
use crate::term::{BinOp, FloatOp, Sort, Term, mask};

/// Types nested deeper than this may hold anything.
const MOST_DEPTH: u32 = 6;

impl Lowerer<'_> {
    /// The result of an operation on floats; `width` is its width.
    pub fn float(&mut self, op: FloatOp, args: &[Term], width: u32) -> Lowered<Term> {
        use FloatOp::{Eq, FromSigned, FromUnsigned, IsNan, Le, Lt, Max, Min, Neg};
        use FloatOp::{ToSigned, ToUnsigned};
        let made = self.pool.float(op, args, width);
        match op {
            Eq | Lt | Le | IsNan | Neg | FromSigned | FromUnsigned | ToSigned | ToUnsigned => {
                return Ok(made);
            }
            _ if self.pool.as_const(made).is_some() => return Ok(made),
            _ => {}
        }
        let mut out = made;
        if self.sees_bits {
            let is_nan = self.pool.float(FloatOp::IsNan, &[made], width);
            out = self.unless(is_nan, made, |l| l.some_nan(width, "the bits of a NaN"))?;
        }
        // a division shows the sign of a zero, too
        let (Min | Max, [x, y]) = (op, args) else {
            return Ok(out);
        };
        let both = self.pool.binary(BinOp::BvOr, *x, *y);
        let magnitude = self.pool.bv(mask(width) >> 1, width);
        let both = self.pool.binary(BinOp::BvAnd, both, magnitude);
        let zero = self.pool.bv(0, width);
        let zeros = self.pool.eq(both, zero);
        let same = self.pool.eq(*x, *y);
        let differ = self.pool.not(same);
        let zeros = self.pool.and(zeros, differ);
        self.unless(zeros, out, |l| {
            let first = l.drawn(Sort::Bool, "which of two zeros is chosen");
            Ok(l.pool.ite(first, *x, *y))
        })
    }

    /// A value, or in the rare case another one. Only runs of that case draw: others are counterexamples.
    fn unless(
        &mut self,
        rare: Term,
        usual: Term,
        other: impl FnOnce(&mut Self) -> Lowered<Term>,
    ) -> Lowered<Term> {
        let out = self.pool.fresh("float", self.pool.sort(usual));
        self.draw_vars.push(out);
        self.assign(out, usual);
        let (then, otherwise) = (self.new_block(), self.new_block());
        self.end(Terminator::Branch {
            cond: rare,
            then,
            otherwise,
        });
        self.current = then;
        let value = other(self)?;
        self.assign(out, value);
        self.end(Terminator::Goto(otherwise));
        self.current = otherwise;
        Ok(self.pool.var(out))
    }

    /// A NaN of any sign and payload; the usual one where nobody looks.
    pub fn some_nan(&mut self, width: u32, why: &str) -> Lowered<Term> {
        let usual = match width {
            32 => u128::from(f32::NAN.to_bits()),
            64 => u128::from(f64::NAN.to_bits()),
            _ => return gap(format!("a float of {width} bits")),
        };
        if !self.sees_bits {
            return Ok(self.pool.bv(usual, width));
        }
        let v = self.pool.fresh("NaN", Sort::Bv(width));
        self.draw_vars.push(v);
        self.havoc(v, Draw::Approximate(why.into()));
        let bits = self.pool.var(v);
        let is_one = self.pool.float(FloatOp::IsNan, &[bits], width);
        let usual = self.pool.bv(usual, width);
        Ok(self.pool.ite(is_one, bits, usual))
    }

    /// A value is taken for one of another type: whoever does that with floats can see their bits, and all operations
    /// of the root are lowered once more.
    pub fn sees_bits_of(&mut self, from: &Ty, to: &Ty) {
        let (from, to) = (erase(from), erase(to));
        if !self.sees_bits && content(&from) != content(&to) && self.may_hold_float(&from, 0) {
            self.looks_at_bits();
        }
    }

    /// The same, where an operation shows them.
    pub fn looks_at_bits(&mut self) {
        self.grew |= !self.sees_bits;
        self.sees_bits = true;
    }

    fn may_hold_float(&self, ty: &Ty, depth: u32) -> bool {
        let inside = |t: &Ty| self.may_hold_float(t, depth + 1);
        if depth > MOST_DEPTH {
            return true;
        }
        match ty.kind() {
            TyKind::Bool | TyKind::Char | TyKind::Str | TyKind::Never | TyKind::Int(_) => false,
            TyKind::FnPtr(_) | TyKind::FnDef { .. } | TyKind::Dyn { .. } => false,
            TyKind::Tuple(parts) => parts.iter().any(inside),
            TyKind::Array(t, _) | TyKind::Slice(t) => inside(t),
            TyKind::Ref { ty, .. } | TyKind::RawPtr { ty, .. } => inside(ty),
            TyKind::Adt { path, args } => {
                let mut of = args.iter().filter_map(|a| match a {
                    GenericArg::Type(t) => Some(t),
                    _ => None,
                });
                of.any(inside)
                    || types::in_std(path).is_none()
                        && self.shapes.fields(ty).iter().any(|(_, t)| inside(t))
            }
            _ => true,
        }
    }
}

/// What pointers, arrays and wrappers around it leave.
fn content(ty: &Ty) -> &Ty {
    match ty.kind() {
        TyKind::Ref { ty, .. } | TyKind::RawPtr { ty, .. } => content(ty),
        TyKind::Array(ty, _) | TyKind::Slice(ty) => content(ty),
        TyKind::Adt { path, args } if types::in_std(path) == Some("ptr::NonNull") => {
            match args.first() {
                Some(GenericArg::Type(ty)) => content(ty),
                _ => ty,
            }
        }
        _ => types::transparent(ty).map_or(ty, content),
    }
}

/// `core::f32::<impl f32>::NAN`, whose bits the language leaves open: the compiler does not tell its value.
pub fn width_of(path: &Path) -> Option<u16> {
    match types::in_std(&path.plain())? {
        "f32::<impl f32>::NAN" => Some(32),
        "f64::<impl f64>::NAN" => Some(64),
        _ => None,
    }
}
