//! `optverify`'s own functions: arbitrary values, drawn one scalar after the other in the order in which a native run
//! draws them, and assumptions.

use super::shape::Step;
use super::value::Value;
use super::{Lowered, Lowerer, gap, types};
use crate::mir::{ArrayLen, Operand, Place, Ty, TyKind};
use crate::program::{BlockId, Draw, ScalarKind, StopKind, Terminator as End};

/// Larger arrays are better parameters.
const MOST_DRAWS: u64 = 256;

impl Lowerer<'_> {
    /// Is this one of them? Then it is done.
    pub fn nondet(
        &mut self,
        text: &str,
        args: &[Operand],
        destination: &Place,
        next: Option<BlockId>,
    ) -> Lowered<bool> {
        let Some(rest) = text.strip_prefix("optverify::") else {
            return Ok(false);
        };
        if rest.starts_with("nondet::assume_failed") || rest == "assume" {
            self.used.insert(crate::assumption::Assumption::Assumed);
        }
        if rest.starts_with("nondet::assume_failed") {
            if self.in_contract {
                let what =
                    "a function that is known by its contract, where the precondition may not hold";
                self.end_in_stop(StopKind::Unsupported(what.into()));
                return Ok(true);
            }
            self.mark_assumption(self.const_site);
            self.end(End::Blocked);
            return Ok(true);
        }
        if rest == "assume" {
            // In place of a call the precondition must be checked, not assumed.
            if self.in_contract {
                return gap("a function that is known by its contract, which assumes in a call");
            }
            let [c] = args else {
                return gap("assume with unusual arguments");
            };
            let c = self.operand_bits(c, None)?;
            self.assume(c);
            if let Some(n) = next {
                self.goto(n);
            }
            return Ok(true);
        }
        if !rest.starts_with("nondet::any_") {
            return Ok(false);
        }
        let ty = types::erase(&self.place_type(destination)?);
        if n_draws(&ty).is_none_or(|n| n > MOST_DRAWS) {
            return gap(format!(
                "an arbitrary value of type `{ty}` in the middle of a run (make it a parameter)"
            ));
        }
        let v = self.draw(&ty)?;
        let at = self.locate(destination)?;
        self.store_located(&at, &v)?;
        if let Some(n) = next {
            self.goto(n);
        }
        Ok(true)
    }

    fn draw(&mut self, ty: &Ty) -> Lowered<Value> {
        match ty.kind() {
            _ if n_draws(ty) == Some(0) => self.undefined(ty),
            TyKind::Array(elem, ArrayLen::Known(n)) => {
                let elem = types::erase(elem);
                let mut value = self.undefined(ty)?;
                for i in 0..*n {
                    let v = self.draw(&elem)?;
                    let i = self.bv64(i);
                    if v.leaves.iter().any(|(p, _)| p.contains(&Step::Elem)) {
                        self.set_row(&mut value, i, &v, ty)?;
                    } else {
                        self.set_element(&mut value, i, &v)?;
                    }
                }
                Ok(value)
            }
            TyKind::Tuple(parts) => {
                let mut drawn = vec![];
                for (i, part) in parts.iter().enumerate() {
                    let v = self.draw(&types::erase(part))?;
                    drawn.push((Step::Field(i as u32), v));
                }
                self.assemble(ty, None, drawn)
            }
            _ => self.draw_scalar(ty),
        }
    }

    fn draw_scalar(&mut self, ty: &Ty) -> Lowered<Value> {
        let kind = self.scalar_leaf(ty)?;
        let var = self.pool.fresh("any", super::value::scalar_sort(kind));
        self.havoc(var, Draw::Any);
        let t = self.pool.var(var);
        if kind == ScalarKind::Char {
            let valid = self.valid_char(t);
            self.assume(valid);
        }
        self.draw_vars.push(var);
        self.draw_kinds.push((var, kind));
        Ok(self.scalar(t))
    }
}

/// How many scalars a native run draws; `None` for types that draw as their own code says.
fn n_draws(ty: &Ty) -> Option<u64> {
    match ty.kind() {
        TyKind::Array(elem, ArrayLen::Known(n)) => n_draws(elem)?.checked_mul(*n),
        TyKind::Tuple(parts) => parts
            .iter()
            .try_fold(0u64, |sum, p| sum.checked_add(n_draws(p)?)),
        _ => types::scalar_kind(ty).map(|_| 1),
    }
}
