//! Addresses as numbers. Their values are not known, but whether one is null is.

use super::pointer::{Target, TargetId};
use super::types;
use super::value::{Leaf, PointerValue, Value};
use super::{Lowered, Lowerer};
use crate::mir::{BinOp, CastKind, Const, Operand, Rvalue, Ty, TyKind};
use crate::program::Draw;
use crate::term::{Sort, Term};

impl Lowerer<'_> {
    /// The pointer whose address an assignment takes as a number, if it does.
    pub fn address_as_number(
        &mut self,
        rvalue: &Rvalue,
        into: &Ty,
    ) -> Lowered<Option<PointerValue>> {
        let Rvalue::Cast { operand, kind, .. } = rvalue else {
            return Ok(None);
        };
        let takes = matches!(
            kind,
            CastKind::Transmute | CastKind::PointerExposeProvenance
        );
        if !takes || !matches!(into.kind(), TyKind::Int(i) if i.bits() == 64) {
            return Ok(None);
        }
        let Some(from) = self.operand_type(operand)? else {
            return Ok(None);
        };
        let hidden = |t: &Ty| !types::is_fat(t) && !super::format::holds_argument(t);
        if !types::pointee(&from).is_some_and(hidden) {
            return Ok(None);
        }
        let v = self.operand(operand)?;
        let p = self.pointer_of(&v)?;
        // Without an object the number is known, and there is nothing to hide.
        let known = p
            .targets
            .iter()
            .all(|t| self.targets[t.0 as usize] == Target::Address);
        Ok((!known).then_some(p))
    }

    /// The number of a thin pointer that points to no object: iterators over values without a size count in one.
    pub fn number_of_address(&mut self, v: &Value, ty: &Ty) -> Option<Term> {
        let is_thin = types::pointee(ty).is_some_and(|to| !types::is_fat(to));
        let [(_, leaf)] = v.leaves.as_slice() else {
            return None;
        };
        let Leaf::Pointer(p) = leaf.leaf.clone() else {
            return None;
        };
        let is_address = |t: &TargetId| self.targets[t.0 as usize] == Target::Address;
        if !is_thin || !p.targets.iter().all(is_address) {
            return None;
        }
        // where no target is known yet, the next round of lowering knows one
        Some(match p.indices.first() {
            Some(&number) => number,
            None => self.some_address(),
        })
    }

    /// A number that nobody should look at: if somebody does, the run proves nothing.
    fn some_address(&mut self) -> Term {
        let var = self.pool.fresh("address", Sort::Bv(64));
        self.draw_vars.push(var);
        self.havoc(var, Draw::Approximate("the address of an object".into()));
        self.pool.var(var)
    }

    pub fn store_number(&mut self, at: &super::place::Located) -> Lowered<()> {
        let t = self.some_address();
        let v = self.scalar(t);
        self.store_located(at, &v)
    }

    /// `address == 0` and `address != 0`.
    pub fn null_test(&mut self, op: BinOp, a: &Operand, b: &Operand) -> Option<Value> {
        let (Operand::Copy(place) | Operand::Move(place)) = a else {
            return None;
        };
        let p = self.exposed.get(&place.as_local()?)?.clone();
        if !matches!(b, Operand::Const(Const::Int { bits: 0, .. })) {
            return None;
        }
        let null = self.is_null(&p);
        let t = match op {
            BinOp::Eq => null,
            BinOp::Ne => self.pool.not(null),
            _ => return None,
        };
        Some(self.scalar(t))
    }

    /// A switch over an address: is it null?
    pub fn null_switch(&mut self, operand: &Operand) -> Option<Term> {
        let (Operand::Copy(place) | Operand::Move(place)) = operand else {
            return None;
        };
        let p = self.exposed.get(&place.as_local()?)?.clone();
        Some(self.is_null(&p))
    }

    fn is_null(&mut self, p: &PointerValue) -> Term {
        let mut null = self.pool.bool(false);
        for &t in &p.targets {
            if self.targets[t.0 as usize] == Target::Address {
                let here = self.tag_is(p, t);
                let zero = self.bv64(0);
                let is_zero = self.pool.eq(p.indices[0], zero);
                let hit = self.pool.and(here, is_zero);
                null = self.pool.or(null, hit);
            }
        }
        null
    }
}
