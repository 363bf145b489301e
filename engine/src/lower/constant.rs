//! Constants as MIR prints them: literals, bytes, structs. Those with a name are in `named_constant`, what they point to in
//! `const_memory`.

use super::shape::{LeafKind, Step};
use super::types::{self, erase};
use super::value::Value;
use super::{Lowered, Lowerer, gap};
use crate::mir::{ArrayLen, BodyKind, Const, ConstFields, IntTy, Path, Ty, TyKind};
use crate::program::ScalarKind;
use crate::term::Term;

/// How the reason of a constant begins that nobody knows the value of: `the value of constant .. is not known`.
pub const WITHOUT_VALUE: &str = "the value of constant";

/// What a constant's name may be of: `const { .. }` has no name of its own, and a number in its function.
pub const NAMED: [BodyKind; 3] = [BodyKind::Const, BodyKind::Promoted, BodyKind::Anonymous];

/// The path of a static of this crate by the compiler's name for it: others may have one of the same path.
pub fn static_name(text: &str) -> Option<&str> {
    let text = text.strip_prefix("DefId(0:")?;
    Some(text.rsplit_once("]::")?.1.trim_end_matches(')'))
}

/// The path of a static of another crate: `core::unicode::MAP` of `DefId(2:5 ~ core[c1f1]::unicode::MAP)`.
pub fn foreign_static(text: &str) -> Option<String> {
    let (number, path) = text.strip_prefix("DefId(")?.split_once(" ~ ")?;
    let (of_crate, rest) = path.split_once('[')?;
    let (_, path) = rest.split_once("]::")?;
    let is_foreign = !number.starts_with("0:");
    is_foreign.then(|| format!("{of_crate}::{}", path.trim_end_matches(')')))
}

/// The type of a literal, where the text alone tells it.
pub fn literal_type(c: &Const) -> Option<Ty> {
    let bytes = |n: usize| {
        Ty::new(TyKind::Array(
            Ty::new(TyKind::Int(IntTy::U8)),
            ArrayLen::Known(n as u64),
        ))
    };
    let reference = |ty: Ty| {
        Ty::new(TyKind::Ref {
            lifetime: None,
            mutable: false,
            ty,
        })
    };
    Some(match c {
        Const::Int { ty, .. } => Ty::new(TyKind::Int(*ty)),
        Const::Bool(_) => Ty::new(TyKind::Bool),
        Const::Char(_) => Ty::new(TyKind::Char),
        Const::Float { bits, .. } => Ty::new(TyKind::Float(*bits)),
        Const::Str(_) => reference(Ty::new(TyKind::Str)),
        Const::ByteStr(b) => reference(bytes(b.len())),
        Const::ByteArray(b) => bytes(b.len()),
        Const::Tuple(parts) => Ty::new(TyKind::Tuple(
            parts.iter().map(literal_type).collect::<Option<_>>()?,
        )),
        Const::ZeroSized(ty) | Const::Alloc { ty, .. } => erase(ty),
        Const::Address { ty, .. } | Const::Transmute { ty, .. } => erase(ty),
        _ => return None,
    })
}

impl<'a> Lowerer<'a> {
    pub fn constant(&mut self, c: &Const, ty: Option<&Ty>) -> Lowered<Value> {
        match c {
            Const::Int { bits, ty } => {
                let t = self.pool.bv(*bits, ty.bits());
                Ok(self.scalar(t))
            }
            Const::Bool(b) => {
                let t = self.pool.bool(*b);
                Ok(self.scalar(t))
            }
            Const::Char(ch) => {
                let t = self.pool.bv(u128::from(u32::from(*ch)), 32);
                Ok(self.scalar(t))
            }
            Const::Float { text, bits } => {
                let t = self.float_literal(text, *bits)?;
                Ok(self.scalar(t))
            }
            Const::UntypedInt {
                negative,
                magnitude,
            } => {
                let Some(kind) = ty.and_then(types::scalar_kind) else {
                    return gap("a number of unknown type");
                };
                let bits = if *negative {
                    magnitude.wrapping_neg()
                } else {
                    *magnitude
                };
                let t = self.pool.bv(bits, types::bits(kind));
                Ok(self.scalar(t))
            }
            Const::Str(s) => {
                let bytes = s.as_bytes().into();
                self.text(bytes, true)
            }
            Const::ByteStr(b) => self.text(b.clone(), false),
            Const::ByteArray(b) => {
                let ty = literal_type(c).unwrap_or_else(Ty::unit);
                let mut v = self.undefined(&ty)?;
                for (i, &byte) in b.iter().enumerate() {
                    let e = self.pool.bv(u128::from(byte), 8);
                    let e = self.scalar(e);
                    let i = self.bv64(i as u64);
                    self.set_element(&mut v, i, &e)?;
                }
                Ok(v)
            }
            Const::Tuple(parts) => {
                let tys: Vec<Ty> = match ty.map(|t| t.kind()) {
                    Some(TyKind::Tuple(t)) => t.iter().map(erase).collect(),
                    _ => parts.iter().filter_map(literal_type).collect(),
                };
                if parts.is_empty() {
                    return Ok(Value::default());
                }
                if tys.len() != parts.len() {
                    return gap("a constant tuple of unknown type");
                }
                let mut vs = vec![];
                for (i, (p, t)) in parts.iter().zip(&tys).enumerate() {
                    vs.push((Step::Field(i as u32), self.constant(p, Some(t))?));
                }
                let whole = Ty::new(TyKind::Tuple(tys));
                self.assemble(&whole, None, vs)
            }
            Const::Array(parts) => {
                let Some(ty) = ty else {
                    return gap("a constant array of unknown type");
                };
                let elem = types::element(ty).map(|t| erase(&t));
                let mut v = self.undefined(ty)?;
                for (i, p) in parts.iter().enumerate() {
                    let e = self.constant(p, elem.as_ref())?;
                    let i = self.bv64(i as u64);
                    self.set_element(&mut v, i, &e)?;
                }
                Ok(v)
            }
            Const::Adt { path, fields } => self.const_adt(path, fields, ty),
            Const::Named(path) => self.named(path, ty),
            Const::FnItem(_) | Const::ZeroSized(_) => match ty {
                // A zero-sized value has no leaves; of an enum it still has a variant.
                Some(t) if !self.leaves(t)?.is_empty() => gap(format!("a constant of type `{t}`")),
                _ => Ok(Value::default()),
            },
            Const::Ref(inner) => {
                let pointee = ty.and_then(types::pointee).map(erase);
                let _ = self.constant(inner, pointee.as_ref())?;
                gap("a reference inside a constant")
            }
            Const::Alloc { pointer, ty } => self.alloc_pointer(pointer.alloc, pointer.offset, ty),
            Const::Address { digits, ty } => {
                let Ok(n) = u64::from_str_radix(digits.trim_start_matches("0x"), 16) else {
                    return gap("an address of unusual form");
                };
                let t = self.bv64(n);
                let fat = types::pointee(ty).is_some_and(types::is_fat);
                Ok(self.address_pointer(t, fat))
            }
            Const::Transmute { digits, ty } => {
                let Ok(n) = u128::from_str_radix(digits.trim_start_matches("0x"), 16) else {
                    return gap("a transmuted constant of unusual form");
                };
                match types::scalar_kind(ty) {
                    Some(ScalarKind::Bool) => {
                        let t = self.pool.bool(n != 0);
                        Ok(self.scalar(t))
                    }
                    Some(k) => {
                        let t = self.pool.bv(n, types::bits(k));
                        Ok(self.scalar(t))
                    }
                    None => match self.of_bytes(&erase(ty), n, digits)? {
                        Some(value) => Ok(value),
                        None => gap(format!("a constant of type `{ty}` given by its bytes")),
                    },
                }
            }
            Const::Uninit => match ty {
                Some(t) => self.undefined(&t.clone()),
                None => Ok(Value::default()),
            },
            Const::Static(text) => self.static_pointer(text, ty),
            Const::Pattern { value, .. } => self.constant(value, ty),
            Const::Slice { .. }
            | Const::Indirect { .. }
            | Const::Scalar { .. }
            | Const::Other(_) => gap("a constant of unknown form"),
        }
    }

    /// A value given by all its bytes, where they tell what its parts are.
    fn of_bytes(&mut self, ty: &Ty, bytes: u128, digits: &str) -> Lowered<Option<Value>> {
        if let Some(none) = self.none_of_bytes(ty, bytes)? {
            return Ok(Some(none));
        }
        self.only_leaf_of_bytes(ty, bytes, digits)
    }

    /// A struct or closure with one scalar that is as large as all of it: what else it has takes no room. As many digits
    /// are printed as it has half bytes.
    fn only_leaf_of_bytes(&mut self, ty: &Ty, bytes: u128, digits: &str) -> Lowered<Option<Value>> {
        let n_digits = digits.trim_start_matches("0x").len();
        let leaves = self.leaves(ty)?;
        let [leaf] = leaves.as_slice() else {
            return Ok(None);
        };
        let is_field = |step: &Step| matches!(step, Step::Field(_));
        let LeafKind::Scalar(kind) = leaf.kind else {
            return Ok(None);
        };
        let width = types::bits(kind);
        let size = (width as usize).div_ceil(8);
        if 2 * size != n_digits || !leaf.path.iter().all(is_field) {
            return Ok(None);
        }
        let value = match kind {
            ScalarKind::Bool if bytes <= 1 => self.pool.bool(bytes == 1),
            ScalarKind::Bool => return Ok(None),
            _ => self.pool.bv(bytes, width),
        };
        let mut value = self.scalar(value);
        value.leaves[0].0 = leaf.path.clone();
        Ok(Some(value))
    }

    fn float_literal(&mut self, text: &str, bits: u16) -> Lowered<Term> {
        let text = text.trim_end_matches('_');
        let value = match text {
            // MIR prints every NaN alike, whatever its sign and payload
            "NaN" => {
                let why = "the bits of a NaN that is a constant of the compiler's";
                return self.some_nan(u32::from(bits), why);
            }
            "inf" => f64::INFINITY,
            "-inf" => f64::NEG_INFINITY,
            t => match t.parse::<f64>() {
                Ok(v) => v,
                Err(_) => return gap(format!("float literal `{text}`")),
            },
        };
        match bits {
            64 => Ok(self.pool.bv(u128::from(value.to_bits()), 64)),
            32 => {
                // Parsed directly: rounding twice could differ.
                let v = text.parse::<f32>().unwrap_or(value as f32);
                Ok(self.pool.bv(u128::from(v.to_bits()), 32))
            }
            _ => gap(format!("f{bits}")),
        }
    }

    fn const_adt(&mut self, path: &Path, fields: &ConstFields, ty: Option<&Ty>) -> Lowered<Value> {
        let Some(ty) = ty else {
            return gap(format!("constant `{}` of unknown type", path.plain()));
        };
        let parts: Vec<&Const> = match fields {
            ConstFields::Positional(p) => p.iter().collect(),
            ConstFields::Named(p) | ConstFields::NamedInType(p) => {
                p.iter().map(|(_, c)| c).collect()
            }
        };
        // A wrapper is its content, which is the last field (`uninit` of `MaybeUninit` comes first).
        if types::is_wrapper(&path.plain()) {
            return match parts.last() {
                Some(content) => self.constant(content, Some(ty)),
                None => self.undefined(ty),
            };
        }
        // What is left is the content, whatever it was wrapped in.
        let mut ty = ty;
        while let Some(inner) = types::transparent(ty) {
            ty = inner;
        }
        if self.is_union(ty) {
            return gap(format!("a constant of union type `{ty}`"));
        }
        // The type is known by its one leaf, the constant by its layers (`NonZero(NonZeroInner(2))`).
        if types::scalar_kind(ty).is_some() {
            return match parts.as_slice() {
                [only] => self.constant(only, Some(ty)),
                _ => gap(format!("constant `{}` as `{ty}`", path.plain())),
            };
        }
        let variant = self.shapes.variant_of(ty, path);
        let known = self.shapes.fields(ty);
        let mut out = vec![];
        for (i, c) in parts.into_iter().enumerate() {
            let key = (variant, i as u32);
            let Some((_, t)) = known.iter().find(|(k, _)| *k == key) else {
                continue;
            };
            let v = self.constant(c, Some(&t.clone()))?;
            let step = match variant {
                Some(v) => Step::Variant(v, i as u32),
                None => Step::Field(i as u32),
            };
            out.push((step, v));
        }
        let given: Vec<Step> = out.iter().map(|(step, _)| *step).collect();
        let name = variant.map(|v| self.shapes.variant_name(v).to_string());
        let value = self.assemble(ty, name.as_deref(), out)?;
        // A constant has all its parts: one that is missing was misunderstood.
        let missing = value.leaves.iter().any(|(p, _)| match p.first() {
            Some(Step::Discriminant) => false,
            Some(Step::Variant(v, _)) if Some(*v) != variant => false,
            Some(step) => !given.contains(step),
            None => true,
        });
        if missing {
            return gap(format!("a constant of type `{ty}`"));
        }
        if path.plain().ends_with("raw_vec::RawVecInner") {
            return self.empty_buffer(value, true);
        }
        Ok(value)
    }
}

/// A literal as MIR prints it in facts, with or without the word `const`.
pub fn literal_of(text: &str) -> Option<Const> {
    let text = text.trim().strip_prefix("const ").unwrap_or(text.trim());
    match text {
        "true" => return Some(Const::Bool(true)),
        "false" => return Some(Const::Bool(false)),
        _ => {}
    }
    if let Some((ty, limit)) = text.split_once("::")
        && let Some(ty) = IntTy::from_name(ty)
    {
        let bits = match limit {
            "MIN" => ty.min_bits(),
            "MAX" => ty.max_bits(),
            _ => return None,
        };
        return Some(Const::Int { bits, ty });
    }
    if let Some(bits) = [16, 32, 64]
        .into_iter()
        .find(|w| text.ends_with(&format!("f{w}")))
    {
        let digits = text.rsplit_once('f').map(|(digits, _)| digits)?;
        let text = digits.trim_end_matches('_').into();
        return Some(Const::Float { text, bits });
    }
    let (number, ty) = text.rsplit_once('_')?;
    let ty = IntTy::from_name(ty)?;
    let bits = match (number, ty.signed()) {
        ("MIN", _) => ty.min_bits(),
        ("MAX", _) => ty.max_bits(),
        (n, _) if n.ends_with("::MIN") => ty.min_bits(),
        (n, _) if n.ends_with("::MAX") => ty.max_bits(),
        (n, true) => (n.parse::<i128>().ok()? as u128) & ty.mask(),
        (n, false) => n.parse::<u128>().ok()? & ty.mask(),
    };
    Some(Const::Int { bits, ty })
}
