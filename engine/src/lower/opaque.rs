//! A call whose body nobody looks at: it returns any value of its type, and whatever it could write holds any value
//! afterwards. All of these are approximations: a counterexample that draws one is none.
//!
//! What a callee can write is what its arguments lead to by `&mut`, raw pointers and cells (`reach`). Pointers have no
//! arbitrary value here, so a call that returns one, or may change one, leaves the model. What a callee may have kept
//! from an earlier call (a raw pointer, a cell, a borrow inside of what it returned) is written by every later call of
//! any such function.

use super::inline::Call;
use super::shape::{LeafKind, LeafShape, Step};
use super::types;
use super::value::{Leaf, LeafValue, Value, in_array, scalar_sort};
use super::{Lowered, Lowerer, ObjectId, ObjectKey, Part, gap};
use crate::mir::{Operand, Place, Ty, TyKind};
use crate::program::{Draw, ScalarKind};
use crate::term::{Sort, Term};

/// Memory that a callee may write: the leaves of an object below a path, under a condition.
#[derive(Clone, Debug)]
pub struct Reached {
    pub object: ObjectId,
    pub path: Vec<Step>,
    pub when: Term,
}

impl Lowerer<'_> {
    /// Reads the arguments of a call and finds what they lead to. `name` is for people.
    pub fn pass_outside(&mut self, call: &Call<'_>, name: &str) -> Lowered<Vec<Reached>> {
        let mut args = vec![];
        for a in call.args {
            let ty = self.declared_type(a)?;
            self.in_call = true;
            let v = self.operand(a);
            self.in_call = false;
            args.push((ty, v?));
        }
        let mut reached = vec![];
        for (ty, v) in &args {
            self.reach(ty.as_ref(), v, name, &mut reached)?;
        }
        let to = self.declared_place(call.destination)?;
        if may_hold_borrow(&to) || args.iter().any(|(ty, _)| self.may_keep(ty.as_ref())) {
            for r in &reached {
                let new = self.escaped.insert((r.object, r.path.clone()));
                self.grew |= new;
            }
        }
        let yes = self.pool.bool(true);
        for (object, path) in self.escaped.clone() {
            let when = yes;
            reached.push(Reached { object, path, when });
        }
        Ok(reached)
    }

    /// The callee has run: memory that it reached and the returned value hold anything.
    pub fn come_back(
        &mut self,
        call: &Call<'_>,
        reached: &[Reached],
        name: &str,
    ) -> Lowered<Value> {
        for r in reached {
            self.scribble(r, name)?;
        }
        let ty = types::erase(&self.place_type(call.destination)?);
        let result = self.arbitrary(&ty, &format!("what `{name}` returns"))?;
        // A moved argument may have been the destination itself.
        let destination = call.destination;
        self.moved
            .retain(|m| !super::statement::overlap(m, destination));
        self.finish_moves()?;
        if !result.leaves.is_empty() {
            let at = self.locate(destination)?;
            self.store_located(&at, &result)?;
        }
        Ok(result)
    }

    /// The type of an operand with the lifetimes that MIR prints.
    fn declared_type(&mut self, op: &Operand) -> Lowered<Option<Ty>> {
        match op {
            Operand::Copy(p) | Operand::Move(p) => self.declared_place(p).map(Some),
            _ => self.operand_type(op),
        }
    }

    fn declared_place(&mut self, place: &Place) -> Lowered<Ty> {
        let declared = place.as_local().and_then(|l| self.body().local(l));
        match declared {
            Some(decl) => Ok(decl.ty.clone()),
            None => self.place_type(place),
        }
    }

    /// Any value of a type. Patterns that are none (characters, discriminants) are left out where they are known.
    pub fn arbitrary(&mut self, ty: &Ty, why: &str) -> Lowered<Value> {
        let leaves = self.leaves(ty)?;
        let mut out = Value::default();
        for leaf in leaves.iter() {
            let LeafKind::Scalar(kind) = leaf.kind else {
                return gap(format!(
                    "a pointer in {why}, which is assumed to be any value"
                ));
            };
            let bits = self.arbitrary_leaf(ty, leaf, kind, &leaf.dims, why)?;
            let init = in_array(Sort::Bool, &leaf.dims);
            let init = self.pool.constant(1, init);
            let leaf_value = LeafValue {
                leaf: Leaf::Bits(bits),
                init,
            };
            out.leaves.push((leaf.path.clone(), leaf_value));
        }
        Ok(out)
    }

    pub fn drawn(&mut self, sort: Sort, why: &str) -> Term {
        let var = self.pool.fresh("any", sort);
        self.draw_vars.push(var);
        self.havoc(var, Draw::Approximate(why.into()));
        self.pool.var(var)
    }

    /// The bits of one leaf of a type; `dims` are the arrays that it stands in.
    fn arbitrary_leaf(
        &mut self,
        of: &Ty,
        leaf: &LeafShape,
        kind: ScalarKind,
        dims: &[u32],
        why: &str,
    ) -> Lowered<Term> {
        let sort = in_array(scalar_sort(kind), dims);
        let drawn = self.drawn(sort, why);
        let values = self.valid_discriminants(of, leaf);
        if kind != ScalarKind::Char && values.is_empty() {
            return Ok(drawn);
        }
        let default = values.first().copied().unwrap_or(0);
        let valid = |l: &mut Self, t: Term| {
            if kind == ScalarKind::Char {
                return l.valid_char(t);
            }
            let w = types::bits(kind);
            let mut any = l.pool.bool(false);
            for &v in &values {
                let k = l.pool.bv(v, w);
                let is_it = l.pool.eq(t, k);
                any = l.pool.or(any, is_it);
            }
            any
        };
        // Not by an assumption, which would keep a value alive that nobody reads.
        let Sort::Array { index, .. } = sort else {
            let is_valid = valid(self, drawn);
            let fallback = self.pool.constant(default, sort);
            return Ok(self.pool.ite(is_valid, drawn, fallback));
        };
        let bound = self.pool.fresh("element", Sort::Bv(index));
        let b = self.pool.var(bound);
        let value = self.pool.select(drawn, b);
        let is_valid = valid(self, value);
        let fallback = self.pool.constant(default, sort.element());
        let value = self.pool.ite(is_valid, value, fallback);
        Ok(self.pool.lambda(bound, value, sort))
    }

    /// The discriminants that a leaf can have; none where it is no discriminant, or the variants are not all known.
    fn valid_discriminants(&mut self, of: &Ty, leaf: &LeafShape) -> Vec<u128> {
        let Some((Step::Discriminant, above)) = leaf.path.split_last() else {
            return vec![];
        };
        let mut ty = of.clone();
        for step in above {
            match self.step_type(&ty, *step) {
                Ok(t) => ty = t,
                Err(_) => return vec![],
            }
        }
        let facts = self.source.facts;
        let TyKind::Adt { path, .. } = ty.kind() else {
            return vec![];
        };
        let Some(fact) = facts.enum_fact(path).filter(|f| f.complete) else {
            return vec![];
        };
        let mask = self.shapes.discriminant_int(&ty, facts).mask();
        let bits = fact.variants.iter().map(|v| Some(v.bits()? & mask));
        let values: Option<Vec<u128>> = bits.collect();
        let values = values.unwrap_or_default();
        if !values.is_empty() {
            let assumption = crate::assumption::Assumption::Discriminants;
            self.used.insert(assumption);
        }
        values
    }

    /// The leaves of reached memory hold anything.
    fn scribble(&mut self, at: &Reached, name: &str) -> Lowered<()> {
        let why = format!("what `{name}` wrote");
        let object = self.objects[at.object.0 as usize].clone();
        let rows = vec![Step::Elem; object.outer.len()];
        let leaves = self.leaves(&object.ty)?;
        for leaf in leaves.iter() {
            let path = [&rows[..], &leaf.path[..]].concat();
            if !path.starts_with(&at.path) {
                continue;
            }
            let LeafKind::Scalar(kind) = leaf.kind else {
                let ty = &object.ty;
                return gap(format!(
                    "a pointer in `{ty}` that `{name}` may change, which is assumed to write any value"
                ));
            };
            let dims = self.dims_of(at.object, &path, &leaf.kind)?;
            let new = self.arbitrary_leaf(&object.ty, leaf, kind, &dims, &why)?;
            let sort = in_array(scalar_sort(kind), &dims);
            self.overwrite((at.object, &path, Part::Value, sort), at.when, new)?;
            // Whether it was initialised there is not known. (A read of such an element is unknown as it is.)
            if matches!(object.key, ObjectKey::Local(..)) && dims.is_empty() {
                let old = self.part(at.object, &path, Part::Flag, Sort::Bool);
                let wrote = self.drawn(Sort::Bool, &why);
                let flag = self.pool.or(old, wrote);
                let leaf = (at.object, &path[..], Part::Flag, Sort::Bool);
                self.overwrite(leaf, at.when, flag)?;
            }
        }
        Ok(())
    }

    fn overwrite(
        &mut self,
        leaf: (ObjectId, &[Step], Part, Sort),
        when: Term,
        new: Term,
    ) -> Lowered<()> {
        let (object, path, part, sort) = leaf;
        let old = self.part(object, path, part, sort);
        let Some(&var) = self.vars.get(&(object, path.to_vec(), part)) else {
            return gap("a variable that was never made");
        };
        let value = self.pool.ite(when, new, old);
        self.assign(var, value);
        Ok(())
    }
}

/// May a value of this type hold a reference that somebody lent?
pub fn may_hold_borrow(ty: &Ty) -> bool {
    if types::scalar_kind(ty).is_some() {
        return false;
    }
    match ty.kind() {
        TyKind::Never | TyKind::Str | TyKind::FnDef { .. } => false,
        TyKind::Tuple(parts) => parts.iter().any(may_hold_borrow),
        TyKind::Array(t, _) | TyKind::Slice(t) => may_hold_borrow(t),
        TyKind::Adt { args, .. } => args.iter().any(|a| match a {
            crate::mir::GenericArg::Lifetime(_) => true,
            crate::mir::GenericArg::Type(t) => may_hold_borrow(t),
            crate::mir::GenericArg::Const(_) => false,
        }),
        _ => true,
    }
}
