//! Aggregates and enums: building values, reading and setting discriminants.

use super::place::Located;
use super::rvalue::DISCRIMINANT;
use super::shape::Step;
use super::types;
use super::value::{Leaf, LeafValue, Value};
use super::{Lowered, Lowerer, gap};
use crate::mir::{Aggregate, Operand, Path, Ty, TyKind};

impl Lowerer<'_> {
    pub fn aggregate(&mut self, a: &Aggregate, into: &Ty) -> Lowered<Value> {
        match a {
            Aggregate::Tuple(ops) => {
                let mut parts = vec![];
                let tys: Vec<Option<Ty>> = match into.kind() {
                    TyKind::Tuple(t) => t.iter().map(|t| Some(types::erase(t))).collect(),
                    _ => vec![None; ops.len()],
                };
                for (i, op) in ops.iter().enumerate() {
                    let v = self.operand_as(op, tys.get(i).and_then(Option::as_ref))?;
                    parts.push((Step::Field(i as u32), v));
                }
                self.assemble(into, None, parts)
            }
            Aggregate::Array(ops) => {
                let elem = types::element(into).map(|t| types::erase(&t));
                let mut value = self.undefined(into)?;
                for (i, op) in ops.iter().enumerate() {
                    let v = self.operand_as(op, elem.as_ref())?;
                    let i = self.bv64(i as u64);
                    if v.leaves.iter().any(|(p, _)| p.contains(&Step::Elem)) {
                        self.set_row(&mut value, i, &v, into)?;
                    } else {
                        self.set_element(&mut value, i, &v)?;
                    }
                }
                Ok(value)
            }
            Aggregate::AdtUnit(path) => self.adt(path, &[], into),
            Aggregate::AdtPositional(path, ops) => {
                let ops: Vec<&Operand> = ops.iter().collect();
                self.adt(path, &ops, into)
            }
            Aggregate::AdtNamed(path, fields) => {
                let ops: Vec<&Operand> = fields.iter().map(|(_, o)| o).collect();
                self.adt(path, &ops, into)
            }
            Aggregate::Closure(_, fields) => {
                let operands = self.captures(fields, into)?;
                let mut parts = vec![];
                for (i, op) in operands.iter().enumerate() {
                    let v = self.operand(op)?;
                    parts.push((Step::Field(i as u32), v));
                }
                self.assemble(into, None, parts)
            }
            Aggregate::Coroutine(..) => gap("a coroutine"),
            Aggregate::RawPtr { parts, .. } => {
                let [data, meta] = parts.as_slice() else {
                    return gap("a raw pointer of unusual parts");
                };
                let v = self.operand(data)?;
                let mut p = self.pointer_of(&v)?;
                let m = self.operand(meta)?;
                p.meta = if m.leaves.is_empty() {
                    None
                } else {
                    Some(self.bits(&m)?)
                };
                Ok(self.pointer(p))
            }
        }
    }

    pub fn adt(&mut self, path: &Path, ops: &[&Operand], into: &Ty) -> Lowered<Value> {
        let TyKind::Adt { .. } = into.kind() else {
            return gap(format!("an aggregate `{}` of type `{into}`", path.plain()));
        };
        if types::transparent(into).is_some() || self.is_union(into) {
            let [only] = ops else {
                return gap(format!("an aggregate of type `{into}`"));
            };
            let v = self.operand(only)?;
            return if v.leaves.is_empty() {
                self.undefined(into)
            } else {
                Ok(v)
            };
        }
        let variant = self.shapes.variant_of(into, path);
        let known = self.shapes.fields(into);
        let mut parts = vec![];
        for (i, op) in ops.iter().enumerate() {
            let index = i as u32;
            let ty = known
                .iter()
                .find(|(k, _)| *k == (variant, index))
                .map(|(_, t)| t.clone());
            // A field of a type nobody else mentions is never read: its operand still is.
            let v = match (self.operand_as(op, ty.as_ref()), &ty) {
                (Ok(v), Some(_)) => v,
                (Ok(_), None) => continue,
                (Err(_), None) => continue,
                (Err(g), Some(_)) => return Err(g),
            };
            let step = match variant {
                Some(v) => Step::Variant(v, index),
                None => Step::Field(index),
            };
            parts.push((step, v));
        }
        let variant = variant.map(|v| self.shapes.variant_name(v).to_string());
        let value = self.assemble(into, variant.as_deref(), parts)?;
        if matches!(into.kind(), TyKind::Adt { path, .. } if types::in_std(path) == Some("raw_vec::RawVecInner"))
        {
            return self.empty_buffer(value, false);
        }
        Ok(value)
    }

    /// Puts parts together; what no part gives is uninitialised.
    pub fn assemble(
        &mut self,
        into: &Ty,
        variant: Option<&str>,
        parts: Vec<(Step, Value)>,
    ) -> Lowered<Value> {
        let mut out = self.undefined(into)?;
        for (step, v) in parts {
            let below = out.leaves.iter().filter(|(q, _)| q.first() == Some(&step));
            let single = match below.count() {
                // Nobody ever looks at this part.
                0 => continue,
                n => n == 1 && v.leaves.len() == 1,
            };
            for (p, l) in v.leaves {
                let mut full = vec![step];
                full.extend(p);
                // One leaf under another name is the same leaf (`NonZero` known as the number it wraps).
                let slot = out
                    .leaves
                    .iter_mut()
                    .find(|(q, _)| *q == full || (single && q.first() == Some(&step)));
                match slot {
                    Some((_, slot)) if alike(&slot.leaf, &l.leaf) => *slot = l,
                    _ => return gap(format!("a part of `{into}` of another shape")),
                }
            }
        }
        if let Some(name) = variant {
            let d = self.variant_bits(into, name)?;
            let init = self.pool.bool(true);
            if let Some((_, slot)) = out.leaves.iter_mut().find(|(q, _)| *q == DISCRIMINANT) {
                *slot = LeafValue {
                    leaf: Leaf::Bits(d),
                    init,
                };
            }
        }
        Ok(out)
    }

    /// The discriminant of a variant, as the compiler numbers it.
    pub fn variant_bits(&mut self, ty: &Ty, name: &str) -> Lowered<crate::term::Term> {
        let TyKind::Adt { path, .. } = ty.kind() else {
            return gap(format!("a variant of `{ty}`"));
        };
        let width = self.shapes.discriminant_int(ty, self.source.facts).bits();
        if let Some(bits) = self.source.facts.discriminant(path, name) {
            self.used
                .insert(crate::assumption::Assumption::Discriminants);
            return Ok(self.pool.bv(bits, width));
        }
        // The alignments of std have their value in their name.
        if path.ends_with("AlignmentEnum")
            && let Some(k) = name
                .strip_prefix("_Align1Shl")
                .and_then(|k| k.parse::<u32>().ok())
            && k < 64
        {
            return Ok(self.pool.bv(1 << k, width));
        }
        // Private to std, so that no probe can name it: how `RawVec` is told to fill memory.
        if types::in_std(path) == Some("raw_vec::AllocInit") {
            let bits = u128::from(name == "Zeroed");
            return Ok(self.pool.bv(bits, width));
        }
        // The same: how texts are searched.
        if types::in_std(path) == Some("str::pattern::StrSearcherImpl") {
            let bits = u128::from(name == "TwoWay");
            return Ok(self.pool.bv(bits, width));
        }
        // What formatting keeps for itself: `discriminant` refuses to read it.
        if is_formatting(path) {
            return Ok(self.pool.bv(0, width));
        }
        // Often nobody looks (the kind of a failed assertion): the value is approximated, and goes if it is dead.
        let v = self
            .pool
            .fresh(format!("{name}?"), crate::term::Sort::Bv(width));
        self.draw_vars.push(v);
        let why = format!("the discriminant of `{path}::{name}` is not known");
        self.havoc(v, crate::program::Draw::Approximate(why));
        Ok(self.pool.var(v))
    }

    pub fn discriminant(&mut self, at: &Located, into: &Ty) -> Lowered<Value> {
        let facts = self.source.facts;
        if !self.shapes.is_enum(&at.ty, facts) {
            // `discriminant_value` of a type that is no enum is 0.
            let Some(kind) = types::scalar_kind(into) else {
                return gap("a discriminant of an unusual type");
            };
            let t = self.pool.bv(0, types::bits(kind));
            return Ok(self.scalar(t));
        }
        if matches!(at.ty.kind(), TyKind::Adt { path, .. } if is_formatting(path)) {
            return gap(format!("the discriminant of `{}`", at.ty));
        }
        // With one variant possible there is no tag to be read (and passes remove writes of such values).
        if let (Some(bits), Some(kind)) = (self.only_variant(&at.ty), types::scalar_kind(into)) {
            let t = self.pool.bv(bits, types::bits(kind));
            return Ok(self.scalar(t));
        }
        let v = self.load_located(at)?;
        let Some(d) = v.get(&DISCRIMINANT).cloned() else {
            return gap(format!("the discriminant of `{}`", at.ty));
        };
        // Which variants of std's enums can exist at all is known only in part: a value that nobody wrote may
        // have needed no write.
        let mut d = d;
        if matches!(at.ty.kind(), TyKind::Adt { path, .. } if !self.is_local_type(path)) {
            let what = format!("a value of type `{}` that may not be initialised", at.ty);
            self.check(d.init, crate::program::StopKind::Unsupported(what));
            d.init = self.pool.bool(true);
        }
        let v = Value {
            leaves: vec![(vec![], d)],
        };
        let mut t = self.bits(&v)?;
        if let Some(kind) = types::scalar_kind(into) {
            let signed = self.shapes.discriminant_int(&at.ty, facts).signed();
            t = self.pool.resize(t, types::bits(kind), signed);
        }
        Ok(self.scalar(t))
    }

    /// The discriminant of an enum of which only one variant can exist.
    fn only_variant(&mut self, ty: &Ty) -> Option<u128> {
        let TyKind::Adt { path, args } = ty.kind() else {
            return None;
        };
        let fact = self.source.facts.enum_fact(path)?;
        if !fact.complete {
            return None;
        }
        let types: Vec<&Ty> = args
            .iter()
            .filter_map(|a| match a {
                crate::mir::GenericArg::Type(t) => Some(t),
                _ => None,
            })
            .collect();
        // What the variants of std's enums hold; of other enums only the number of variants is known.
        let of_std = types::in_std(path)?;
        let holds = |variant: &str| match (of_std.rsplit("::").next()?, variant) {
            ("Option", "Some") | ("Result", "Ok") | ("ControlFlow", "Break") => types.first(),
            ("Result", "Err") | ("ControlFlow", "Continue") => types.get(1),
            _ => None,
        };
        let mut possible = fact
            .variants
            .iter()
            .filter(|v| !holds(&v.name).is_some_and(|t| is_uninhabited(t)));
        let first = possible.next()?;
        match possible.next() {
            None => first.bits(),
            Some(_) => None,
        }
    }

    pub fn set_discriminant(&mut self, at: &Located, index: u32) -> Lowered<()> {
        let TyKind::Adt { path, .. } = at.ty.kind() else {
            return gap("a discriminant set on something that is no enum");
        };
        let Some(name) = self
            .source
            .facts
            .enum_fact(path)
            .and_then(|e| e.variants.get(index as usize))
            .map(|v| v.name.clone())
        else {
            return gap(format!("variant {index} of `{path}` is not known"));
        };
        let d = self.variant_bits(&at.ty, &name)?;
        let init = self.pool.bool(true);
        let leaves = self.leaves(&at.ty)?;
        let Some(shape) = leaves.iter().find(|l| l.path == DISCRIMINANT) else {
            return gap("an enum without a discriminant");
        };
        for (here, spot) in &at.spots {
            let mut s = spot.clone();
            s.path.push(Step::Discriminant);
            let l = LeafValue {
                leaf: Leaf::Bits(d),
                init,
            };
            self.store(&s, shape, &l, *here)?;
        }
        self.commit();
        Ok(())
    }

    /// Puts a whole row into an array of arrays.
    pub fn set_row(
        &mut self,
        array: &mut Value,
        i: crate::term::Term,
        row: &Value,
        ty: &Ty,
    ) -> Lowered<()> {
        let leaves = self.leaves(ty)?;
        for (path, l) in &row.leaves {
            let mut full = vec![Step::Elem];
            full.extend(path);
            let Some(shape) = leaves.iter().find(|s| s.path == full) else {
                continue;
            };
            let (shape, l) = (shape.clone(), l.clone());
            let Some(at) = array.leaves.iter().position(|(p, _)| *p == full) else {
                continue;
            };
            let put = |this: &mut Self, whole, new| -> Lowered<crate::term::Term> {
                let w: u32 = shape.dims.iter().sum();
                let below: u32 = shape.dims[1..].iter().sum();
                let high = this.pool.resize(i, w - below, false);
                let zero = this.pool.bv(0, below);
                let start = this.pool.concat(high, zero);
                let Some(Some(n)) = shape.lens.get(1).copied() else {
                    return gap("a row of unknown length");
                };
                let len = this
                    .pool
                    .bv(u128::from(n) << shape.dims[2..].iter().sum::<u32>(), w);
                let iw = match this.pool.sort(new) {
                    crate::term::Sort::Array { index, .. } => index,
                    _ => return gap("a row that is no array"),
                };
                let from = this.pool.bv(0, iw);
                Ok(this.pool.blit(whole, start, new, from, len))
            };
            let whole = array.leaves[at].1.clone();
            let init = put(self, whole.init, l.init)?;
            let leaf = match (whole.leaf, l.leaf) {
                (Leaf::Bits(a), Leaf::Bits(b)) => Leaf::Bits(put(self, a, b)?),
                _ => return gap("an array of arrays of pointers"),
            };
            array.leaves[at].1 = LeafValue { leaf, init };
        }
        Ok(())
    }
}

fn is_uninhabited(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Never => true,
        TyKind::Adt { path, .. } => {
            matches!(
                types::in_std(path),
                Some("convert::Infallible" | "ops::try_trait::NeverShortCircuitResidual")
            )
        }
        _ => false,
    }
}

/// May the one leaf stand where the other one was expected?
pub fn alike(a: &Leaf, b: &Leaf) -> bool {
    matches!(
        (a, b),
        (Leaf::Bits(_), Leaf::Bits(_)) | (Leaf::Pointer(_), Leaf::Pointer(_))
    )
}

fn is_formatting(path: &str) -> bool {
    types::in_std(path).is_some_and(|path| path.starts_with("fmt::rt::"))
}
