//! Atomic operations, one after the other: memory that a root has for itself is seen by no other thread. A static may hold
//! anything whenever it is looked at: earlier calls and other threads write to it. Atomics that are parameters are refused
//! where they come in, and so is a call that starts a thread, for want of a body.

use super::types::{self, erase};
use super::value::{Leaf, Value};
use super::{Lowered, Lowerer, gap};
use crate::mir::{Operand, Ty, TyKind};
use crate::program::Draw;
use crate::term::{BinOp, Sort, Term};

/// Where std keeps which features the processor has.
const DETECTED: &str = "std_detect::detect::cache::Cache";

impl Lowerer<'_> {
    /// The value of an atomic operation, by the name of its intrinsic; nothing if it is none of these.
    pub fn atomic(&mut self, name: &str, args: &[Operand], into: &Ty) -> Lowered<Option<Value>> {
        let Some(operation) = name.strip_prefix("atomic_") else {
            return Ok(None);
        };
        if matches!(operation, "fence" | "singlethreadfence") {
            return Ok(Some(Value::default()));
        }
        let Some(pointer) = args.first() else {
            return Ok(None);
        };
        let ty = self.operand_type(pointer)?;
        let Some((ty, content)) = ty.and_then(|t| Some((t.clone(), erase(types::pointee(&t)?))))
        else {
            return gap("an atomic operation through a pointer of unknown type");
        };
        if types::scalar_kind(&content).is_none() {
            return gap(format!("an atomic operation on `{content}`"));
        }
        let v = self.operand(pointer)?;
        let p = self.pointer_of(&v)?;
        let at = self.deref(&p, &ty)?;
        let mut objects = at.spots.iter().map(|(_, spot)| spot.object);
        if objects.any(|object| self.shared.contains(&object)) {
            let now = self.anything(
                &content,
                "what earlier calls or other threads left in a static",
            )?;
            self.store_located(&at, &now)?;
        }
        let read = self.load_located(&at)?;
        let before = self.save(&read);
        let old = self.bits(&before)?;
        let mut operands = vec![];
        for a in &args[1..] {
            operands.push(self.operand_bits(a, Some(&content))?);
        }
        let (new, returned) = match (operation, operands.as_slice()) {
            ("load", []) => return Ok(Some(before)),
            ("store", &[new]) => (new, Value::default()),
            ("cxchg" | "cxchgweak", &[expected, new]) => {
                let mut is_done = self.pool.eq(old, expected);
                if operation == "cxchgweak" {
                    // may fail although the value is the expected one
                    let luck = self.pool.fresh("exchanged", Sort::Bool);
                    self.draw_vars.push(luck);
                    let why = "`compare_exchange_weak` may fail without a reason";
                    self.havoc(luck, Draw::Approximate(why.into()));
                    let luck = self.pool.var(luck);
                    is_done = self.pool.and(is_done, luck);
                }
                let new = self.pool.ite(is_done, new, old);
                let pair = self.pair_of(into, old, is_done)?;
                (new, pair)
            }
            (operation, &[x]) => match self.exchanged(operation, old, x) {
                Some(new) => (new, before),
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        let new = self.scalar(new);
        self.store_located(&at, &new)?;
        Ok(Some(returned))
    }

    /// A static that is made of atomics only.
    pub fn is_atomics(&self, ty: &Ty, depth: u32) -> bool {
        match ty.kind() {
            TyKind::Array(t, _) => self.is_atomics(&erase(t), depth),
            TyKind::Adt { path, .. } => match types::in_std(path) {
                Some(path) => {
                    path.starts_with("sync::atomic::Atomic") && !path.ends_with("AtomicPtr")
                }
                None if **path == *DETECTED => true,
                None => {
                    let fields = self.shapes.all_fields(ty);
                    let inside = |t: &Ty| self.is_atomics(&erase(t), depth + 1);
                    let of_atomics = fields.is_some_and(|f| !f.is_empty() && f.iter().all(inside));
                    depth < 4 && self.is_local_type(path) && of_atomics
                }
            },
            _ => false,
        }
    }

    /// A value whose numbers may be any.
    pub fn anything(&mut self, ty: &Ty, why: &str) -> Lowered<Value> {
        let mut value = self.undefined(ty)?;
        for (_, l) in &mut value.leaves {
            let Leaf::Bits(bits) = l.leaf else {
                return gap(format!("an arbitrary value of `{ty}`"));
            };
            let any = self.pool.fresh("any", self.pool.sort(bits));
            self.draw_vars.push(any);
            self.havoc(any, Draw::Approximate(why.into()));
            l.leaf = Leaf::Bits(self.pool.var(any));
            l.init = self.pool.bool(true);
        }
        Ok(value)
    }

    /// What an operation that returns the old value leaves in its place.
    fn exchanged(&mut self, operation: &str, old: Term, x: Term) -> Option<Term> {
        let pool = &mut self.pool;
        Some(match operation {
            "xchg" => x,
            "xadd" => pool.add(old, x),
            "xsub" => pool.sub(old, x),
            "and" | "nand" | "or" | "xor" => {
                let is_bool = pool.sort(old) == Sort::Bool;
                let t = match (operation, is_bool) {
                    ("and" | "nand", true) => pool.and(old, x),
                    ("and" | "nand", false) => pool.binary(BinOp::BvAnd, old, x),
                    ("or", true) => pool.or(old, x),
                    ("or", false) => pool.binary(BinOp::BvOr, old, x),
                    (_, true) => {
                        let same = pool.eq(old, x);
                        pool.not(same)
                    }
                    (_, false) => pool.binary(BinOp::BvXor, old, x),
                };
                match (operation, is_bool) {
                    ("nand", true) => pool.not(t),
                    ("nand", false) => {
                        let w = pool.width(t);
                        let all = pool.bv(u128::MAX, w);
                        pool.binary(BinOp::BvXor, t, all)
                    }
                    _ => t,
                }
            }
            "umax" | "umin" | "max" | "min" => {
                let less = match operation.starts_with('u') {
                    true => pool.ult(old, x),
                    false => pool.slt(old, x),
                };
                match operation.ends_with("max") {
                    true => pool.ite(less, x, old),
                    false => pool.ite(less, old, x),
                }
            }
            _ => return None,
        })
    }

    /// `(number, bool)`.
    fn pair_of(&mut self, ty: &Ty, number: Term, truth: Term) -> Lowered<Value> {
        let mut out = self.undefined(ty)?;
        let parts = [number, truth];
        if out.leaves.len() != parts.len() {
            return gap(format!("an atomic exchange that gives `{ty}`"));
        }
        let init = self.pool.bool(true);
        for (path, slot) in &mut out.leaves {
            let Some(super::shape::Step::Field(i @ (0 | 1))) = path.first() else {
                return gap(format!("an atomic exchange that gives `{ty}`"));
            };
            slot.leaf = Leaf::Bits(parts[*i as usize]);
            slot.init = init;
        }
        Ok(out)
    }
}
