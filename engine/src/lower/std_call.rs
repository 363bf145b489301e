//! Functions of std that rustc leaves as calls although each of them is one step: constructors used as functions,
//! choices without a branch, comparisons through references, methods of integers.

use super::aggregate::alike;
use super::inline::Call;
use super::value::Value;
use super::{Lowered, Lowerer, gap, types};
use crate::assumption::Assumption;
use crate::mir::{BinOp, GenericArg, IntTy, Operand, Path, Ty, TyKind};
use crate::term::Term;
use types::erase;

impl Lowerer<'_> {
    /// Is this one of them? Then its result is stored.
    pub fn std_call(&mut self, path: &Path, call: &Call) -> Lowered<bool> {
        let Some(v) = self.std_value(path, call)? else {
            return Ok(false);
        };
        let at = self.locate(call.destination)?;
        self.store_located(&at, &v)?;
        Ok(true)
    }

    fn std_value(&mut self, path: &Path, call: &Call) -> Lowered<Option<Value>> {
        let plain = path.plain();
        if types::in_std(&plain) == Some("intrinsics::select_unpredictable") {
            return self.chosen(call).map(Some);
        }
        // in constants, which rustc does not inline into
        let of_cell = ["cell::Cell::new", "cell::UnsafeCell::new"].map(Some);
        if let (true, [content]) = (of_cell.contains(&types::in_std(&plain)), call.args) {
            return self.operand(content).map(Some);
        }
        if let Some(key) = self.thread_local_key(path, call)? {
            return Ok(Some(key));
        }
        if let (true, [same]) = (is_into_itself(path), call.args) {
            return self.operand(same).map(Some);
        }
        let into = erase(&self.place_type(call.destination)?);
        // in constants, which rustc does not inline into
        let of_sequence = types::in_std(&plain).is_some_and(|path| {
            path.starts_with("slice::<impl [") || path.starts_with("str::<impl str>")
        });
        if let ("len", true, [sequence]) = (path.last_name(), of_sequence, call.args) {
            let v = self.operand(sequence)?;
            if let Some(length) = self.pointer_of(&v)?.meta {
                return Ok(Some(self.scalar(length)));
            }
        }
        match plain.as_str() {
            "std::rt::panic_count::is_zero_slow_path" => {
                self.used.insert(Assumption::NotPanicking);
                let yes = self.pool.bool(true);
                return Ok(Some(self.scalar(yes)));
            }
            "std_detect::detect::cache::detect_and_initialize" => {
                let why = "which features the processor has";
                return self.anything(&into, why).map(Some);
            }
            _ => {}
        }
        // `Option::take` has the form of a variant, too: the compiler must know it as one.
        if let TyKind::Adt { path: of, .. } = into.kind()
            && types::in_std(&plain).is_some()
            && self.shapes.variant_of(&into, path).is_some()
            && self
                .source
                .facts
                .discriminant(of, path.last_name())
                .is_some()
        {
            let ops: Vec<&Operand> = call.args.iter().collect();
            return self.adt(path, &ops, &into).map(Some);
        }
        if let (Some((int, method)), [a, b]) = (integer_method(path), call.args) {
            return self.integer_value(int, method, a, b);
        }
        let (Some(op), [a, b]) = (comparison(path), call.args) else {
            return Ok(None);
        };
        match (self.referred(a)?, self.referred(b)?) {
            (Some((a, ty)), Some((b, other))) if ty == other => {
                self.scalar_binary(op, a, b, &ty, &into).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// `<u32 as Ord>::min(a, b)`, `<u32 as Step>::forward_unchecked(a, steps)`.
    fn integer_value(
        &mut self,
        int: IntTy,
        method: Method,
        a: &Operand,
        b: &Operand,
    ) -> Lowered<Option<Value>> {
        let (w, signed) = (int.bits(), int.signed());
        if w > 64 {
            return Ok(None);
        }
        let a = self.operand_bits(a, None)?;
        let b = self.operand_bits(b, None)?;
        let pool = &mut self.pool;
        let result = match method {
            Method::Min | Method::Max => {
                let less = if signed {
                    pool.slt(a, b)
                } else {
                    pool.ult(a, b)
                };
                let (smaller, larger) = (pool.ite(less, a, b), pool.ite(less, b, a));
                match method {
                    Method::Min => smaller,
                    _ => larger,
                }
            }
            Method::Forward | Method::Backward => {
                // In twice the width nothing overflows; the result must fit, or the step is undefined.
                let wide = if signed {
                    pool.sext(a, 128)
                } else {
                    pool.zext(a, 128)
                };
                let steps = pool.zext(b, 128);
                let moved = match method {
                    Method::Forward => pool.add(wide, steps),
                    _ => pool.sub(wide, steps),
                };
                let result = pool.extract(moved, 0, w);
                let back = if signed {
                    pool.sext(result, 128)
                } else {
                    pool.zext(result, 128)
                };
                let fits = pool.eq(back, moved);
                self.check_defined(fits, "a step of an iterator outside of its type");
                result
            }
        };
        Ok(Some(self.scalar(result)))
    }

    /// `if condition { a } else { b }`.
    fn chosen(&mut self, call: &Call) -> Lowered<Value> {
        let [condition, a, b] = call.args else {
            return gap("a choice with unusual arguments");
        };
        let into = self.place_type(call.destination)?;
        let cond = self.operand_bits(condition, None)?;
        let a = self.operand_as(a, Some(&into))?;
        let b = self.operand_as(b, Some(&into))?;
        let same = |x: &Value, y: &Value| {
            x.leaves
                .iter()
                .all(|(p, l)| y.get(p).is_some_and(|m| alike(&l.leaf, &m.leaf)))
        };
        if !same(&a, &b) || !same(&b, &a) {
            return gap(format!(
                "a choice between values of `{into}` of another shape"
            ));
        }
        Ok(self.choose(cond, &a, &b))
    }

    /// The scalar behind all references of an operand, with its type.
    fn referred(&mut self, op: &Operand) -> Lowered<Option<(Term, Ty)>> {
        let Some(mut ty) = self.operand_type(op)?.map(|t| erase(&t)) else {
            return Ok(None);
        };
        let mut depth = ty.clone();
        while let TyKind::Ref { ty: to, .. } = depth.kind() {
            depth = erase(to);
        }
        if types::scalar_kind(&depth).is_none() {
            return Ok(None);
        }
        let mut v = self.operand(op)?;
        while let TyKind::Ref { ty: to, .. } = ty.kind() {
            let p = self.pointer_of(&v)?;
            let at = self.deref(&p, &ty)?;
            v = self.load_located(&at)?;
            ty = erase(to);
        }
        Ok(Some((self.bits(&v)?, ty)))
    }
}

#[derive(Clone, Copy)]
enum Method {
    Min,
    Max,
    Forward,
    Backward,
}

/// A method that a trait of std gives an integer.
fn integer_method(path: &Path) -> Option<(IntTy, Method)> {
    let q = path.qself.as_ref()?;
    let TyKind::Int(int) = q.ty.kind() else {
        return None;
    };
    let TyKind::Adt { path: of, .. } = q.trait_ref.as_ref()?.kind() else {
        return None;
    };
    let method = match (types::in_std(of)?, path.last_name()) {
        ("cmp::Ord", "min") => Method::Min,
        ("cmp::Ord", "max") => Method::Max,
        ("iter::Step", "forward_unchecked") => Method::Forward,
        ("iter::Step", "backward_unchecked") => Method::Backward,
        _ => return None,
    };
    Some((*int, method))
}

/// The operator of `<&T as PartialEq>::eq` and its siblings.
fn comparison(path: &Path) -> Option<BinOp> {
    let q = path.qself.as_ref()?;
    let TyKind::Ref { .. } = q.ty.kind() else {
        return None;
    };
    let TyKind::Adt { path: of, .. } = q.trait_ref.as_ref()?.kind() else {
        return None;
    };
    if types::in_std(of).is_none() || !(of.ends_with("::PartialEq") || of.ends_with("::PartialOrd"))
    {
        return None;
    }
    Some(match path.last_name() {
        "eq" => BinOp::Eq,
        "ne" => BinOp::Ne,
        "lt" => BinOp::Lt,
        "le" => BinOp::Le,
        "gt" => BinOp::Gt,
        "ge" => BinOp::Ge,
        _ => return None,
    })
}

/// `<T as Into<T>>::into` and `<T as From<T>>::from`, of std for every type, which nobody else may have.
fn is_into_itself(path: &Path) -> bool {
    let Some(qself) = &path.qself else {
        return false;
    };
    let Some(TyKind::Adt { path: of, args }) = qself.trait_ref.as_ref().map(|t| t.kind()) else {
        return false;
    };
    let is_it = [("convert::Into", "into"), ("convert::From", "from")]
        .iter()
        .any(|(of_trait, method)| {
            types::in_std(of) == Some(of_trait) && path.last_name() == *method
        });
    is_it && matches!(args.as_slice(), [GenericArg::Type(t)] if erase(t) == erase(&qself.ty))
}
