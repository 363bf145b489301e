//! Numbers as their bytes: copies between bytes in arrays and a number (`read_unaligned`, loads of hash functions).
//!
//! A copy by a `*mut u8` that points to a number reads or writes its bytes, the lowest first (only such targets have a
//! model). A number is initialised as a whole: what would initialise only some of its bytes leaves the model.

use super::bytes::ElementRange;
use super::memory::Spot;
use super::place::Located;
use super::pointer::{Target, TargetId};
use super::shape::{LeafShape, Step};
use super::types;
use super::value::{Leaf, LeafValue, PointerValue};
use super::{Lowered, Lowerer, gap};
use crate::mir::{IntTy, Ty, TyKind};
use crate::program::StopKind;
use crate::term::Term;

/// What a pointer to bytes may point to.
enum View {
    Elements(ElementRange),
    Number(Number),
}

struct Number {
    here: Term,
    spot: Spot,
    shape: LeafShape,
    bytes: u32,
}

impl View {
    fn here(&self) -> Term {
        match self {
            View::Elements(range) => range.here,
            View::Number(number) => number.here,
        }
    }
}

impl Lowerer<'_> {
    /// Does a pointer to bytes point to a number that has several, or that is not in an array?
    pub fn holds_number(&mut self, p: &PointerValue, unit: &Ty) -> Lowered<bool> {
        let is_byte = types::scalar_kind(unit).is_some_and(|k| types::bits(k) == 8);
        let mut found = false;
        for &t in &p.targets {
            found |= is_byte && self.number_at(p, t).is_some();
        }
        Ok(found)
    }

    /// The number at a target, with its type.
    fn number_at(&mut self, p: &PointerValue, target: TargetId) -> Option<(Spot, Ty)> {
        let Target::Place(object, path) = self.targets[target.0 as usize].clone() else {
            return None;
        };
        let n = path.iter().filter(|s| **s == Step::Elem).count();
        let spot = Spot {
            object,
            path,
            indices: p.indices[..n].to_vec(),
        };
        let ty = self.spot_type(&spot).ok()?;
        let ty = types::unwrapped(&ty);
        let bits = match ty.kind() {
            TyKind::Int(int) => int.bits(),
            TyKind::Float(bits) => u32::from(*bits),
            _ => return None,
        };
        let alone = spot.path.last() != Some(&Step::Elem);
        (alone || bits > 8).then_some((spot, ty))
    }

    /// What is behind a pointer to bytes, checked to have room for `n` of them.
    fn views(&mut self, p: &PointerValue, n: Term) -> Lowered<Vec<View>> {
        let byte = Ty::new(TyKind::Int(IntTy::U8));
        let mut out = vec![];
        for &t in &p.targets {
            let Some((spot, ty)) = self.number_at(p, t) else {
                let range = self.element_range(p, t, n, &byte)?;
                out.extend(range.map(View::Elements));
                continue;
            };
            let here = self.tag_is(p, t);
            let leaves = self.leaves(&ty)?;
            let ([shape], Some(kind)) = (leaves.as_slice(), types::scalar_kind(&ty)) else {
                return gap(format!("bytes behind a pointer to `{ty}`"));
            };
            let bytes = types::bits(kind) / 8;
            let mut at = Located::behind_raw(here, spot.clone(), ty);
            self.check_raw(&mut at)?;
            let most = self.bv64(u64::from(bytes));
            let fits = self.pool.ule(n, most);
            let fine = self.pool.implies(here, fits);
            // Beyond the number may be the rest of what it is a part of.
            let what = "a copy of bytes beyond the number that they start in";
            self.check(fine, StopKind::Unsupported(what.into()));
            let spot = self.leaf_spot(&spot, shape, 1);
            out.push(View::Number(Number {
                here,
                spot,
                shape: shape.clone(),
                bytes,
            }));
        }
        Ok(out)
    }

    /// The content of a number, and whether it is initialised.
    fn number(&mut self, number: &Number) -> Lowered<(Term, Term)> {
        let LeafValue { leaf, init } = self.load(&number.spot, &number.shape)?;
        match leaf {
            Leaf::Bits(bits) => Ok((bits, init)),
            Leaf::Pointer(_) => gap("bytes behind a pointer that are an address"),
        }
    }

    /// A copy of `n` bytes where at least one side is a number.
    pub fn copy_number(
        &mut self,
        d: &PointerValue,
        s: &PointerValue,
        n: Term,
        apart: bool,
    ) -> Lowered<()> {
        let (to, from) = (self.views(d, n)?, self.views(s, n)?);
        for d in &to {
            for s in &from {
                let when = self.pool.and(d.here(), s.here());
                match (d, s) {
                    (View::Number(d), s) => {
                        if let View::Number(s) = s
                            && apart
                            && (s.spot.object, &s.spot.path) == (d.spot.object, &d.spot.path)
                        {
                            return gap("a copy of a number's bytes over themselves");
                        }
                        self.bytes_to_number(d, s, n, when)?;
                    }
                    (View::Elements(d), View::Number(s)) => self.number_to_bytes(d, s, n, when)?,
                    _ => return gap("a copy between bytes that may be numbers or not"),
                }
            }
        }
        self.commit();
        Ok(())
    }

    /// A copy of bytes where one side is a whole array of numbers (lanes of a hash function): number by number, if that is
    /// what it is.
    pub fn copy_numbers(
        &mut self,
        d: &PointerValue,
        s: &PointerValue,
        n: Term,
        unit: &Ty,
        apart: bool,
    ) -> Lowered<bool> {
        if types::scalar_kind(unit).is_none_or(|k| types::bits(k) != 8) {
            return Ok(false);
        }
        let (to, from) = (self.numbers_at(d), self.numbers_at(s));
        let (object, elem, count, other) = match (to, from) {
            (Some((object, elem, count)), None) => (object, elem, count, s),
            (None, Some((object, elem, count))) => (object, elem, count, d),
            _ => return Ok(false),
        };
        let size = match types::scalar_kind(&elem) {
            Some(kind) => u64::from(types::bits(kind) / 8),
            None => return Ok(false),
        };
        // What is written number by number must not be what is still to be read.
        let is_whole = self.pool.as_const(n) == Some(u128::from(count * size));
        if !is_whole || !self.are_bytes_elsewhere(other, object) {
            return Ok(false);
        }
        let first = |l: &mut Self, p: &PointerValue| match std::ptr::eq(p, other) {
            true => Ok((p.clone(), size)),
            false => l.retarget(p, &elem).map(|p| (p, 1)),
        };
        let ((d, by_d), (s, by_s)) = (first(self, d)?, first(self, s)?);
        let bytes = self.bv64(size);
        for k in 0..count {
            let (to, from) = (self.bv64(k * by_d), self.bv64(k * by_s));
            let (to, from) = (
                self.offset_pointer(&d, to, &[])?,
                self.offset_pointer(&s, from, &[])?,
            );
            self.copy_number(&to, &from, bytes, apart)?;
        }
        Ok(true)
    }

    /// The whole array of numbers that a pointer points to: its object, the type of its elements and how many there are.
    fn numbers_at(&mut self, p: &PointerValue) -> Option<(super::ObjectId, Ty, u64)> {
        const MOST: u64 = 64;
        let mut targets = p.targets.iter();
        let (Some(&only), None) = (targets.next(), targets.next()) else {
            return None;
        };
        let Target::Place(object, path) = self.targets[only.0 as usize].clone() else {
            return None;
        };
        if path.contains(&Step::Elem) {
            return None;
        }
        let spot = Spot {
            object,
            path,
            indices: vec![],
        };
        let ty = types::unwrapped(&self.spot_type(&spot).ok()?);
        let (count, elem) = (types::array_len(&ty)?, types::element(&ty)?);
        let bits = match elem.kind() {
            TyKind::Int(int) => int.bits(),
            TyKind::Float(bits) => u32::from(*bits),
            _ => return None,
        };
        (bits > 8 && (1..=MOST).contains(&count)).then_some((object, elem, count))
    }

    /// Does a pointer point to bytes in arrays, none of them in this object?
    fn are_bytes_elsewhere(&mut self, p: &PointerValue, object: super::ObjectId) -> bool {
        let targets: Vec<_> = p
            .targets
            .iter()
            .map(|t| self.targets[t.0 as usize].clone())
            .collect();
        targets.into_iter().all(|target| {
            let Target::Place(other, path) = target else {
                return false;
            };
            let spot = Spot {
                object: other,
                path,
                indices: vec![],
            };
            let ty = self.spot_type(&spot);
            let is_byte = ty.is_ok_and(|ty| {
                types::scalar_kind(&types::unwrapped(&ty)).is_some_and(|k| types::bits(k) == 8)
            });
            other != object && spot.path.last() == Some(&Step::Elem) && is_byte
        })
    }

    /// The byte at a place of a view, and whether it is initialised.
    fn byte(&mut self, s: &View, k: u32) -> Lowered<Option<(Term, Term)>> {
        Ok(match s {
            View::Number(number) if k >= number.bytes => None,
            View::Number(number) => {
                let (bits, init) = self.number(number)?;
                Some((self.pool.extract(bits, 8 * k, 8), init))
            }
            View::Elements(range) => {
                let byte = Ty::new(TyKind::Int(IntTy::U8));
                let leaves = self.leaves(&byte)?;
                let [shape] = leaves.as_slice() else {
                    return gap("bytes behind a pointer that are none");
                };
                let all = self.load(&range.spot(&shape.path), &range.whole(shape))?;
                let Leaf::Bits(array) = all.leaf else {
                    return gap("bytes behind a pointer that are an address");
                };
                let width = self.pool.width(range.index);
                let k = self.pool.bv(u128::from(k), width);
                let at = self.pool.add(range.index, k);
                Some((self.pool.select(array, at), self.pool.select(all.init, at)))
            }
        })
    }

    fn bytes_to_number(&mut self, d: &Number, s: &View, n: Term, when: Term) -> Lowered<()> {
        let (old, was) = self.number(d)?;
        let (zero, all) = (self.bv64(0), self.bv64(u64::from(d.bytes)));
        let (none, whole) = (self.pool.eq(n, zero), self.pool.eq(n, all));
        let mut fine = self.pool.or_all(&[none, whole, was]);
        let mut bits: Option<Term> = None;
        for k in 0..d.bytes {
            let kept = self.pool.extract(old, 8 * k, 8);
            let at = self.bv64(u64::from(k));
            let copied = self.pool.ult(at, n);
            let byte = match self.byte(s, k)? {
                Some((byte, init)) => {
                    let init = self.pool.implies(copied, init);
                    fine = self.pool.and(fine, init);
                    self.pool.ite(copied, byte, kept)
                }
                None => kept,
            };
            bits = Some(match bits {
                None => byte,
                Some(low) => self.pool.concat(byte, low),
            });
        }
        let Some(bits) = bits else {
            return gap("bytes behind a pointer that are none");
        };
        let fine = self.pool.implies(when, fine);
        let what = "bytes of a number that may not be initialised";
        self.check(fine, StopKind::Unsupported(what.into()));
        let not_none = self.pool.not(none);
        let new = LeafValue {
            leaf: Leaf::Bits(bits),
            init: self.pool.or(not_none, was),
        };
        self.store(&d.spot, &d.shape, &new, when)
    }

    fn number_to_bytes(
        &mut self,
        d: &ElementRange,
        s: &Number,
        n: Term,
        when: Term,
    ) -> Lowered<()> {
        let (bits, init) = self.number(s)?;
        let byte = Ty::new(TyKind::Int(IntTy::U8));
        let leaves = self.leaves(&byte)?;
        let [shape] = leaves.as_slice() else {
            return gap("bytes behind a pointer that are none");
        };
        let (spot, whole) = (d.spot(&shape.path), d.whole(shape));
        let old = self.load(&spot, &whole)?;
        let Leaf::Bits(mut array) = old.leaf else {
            return gap("bytes behind a pointer that are an address");
        };
        let mut flags = old.init;
        let width = self.pool.width(d.index);
        for k in 0..s.bytes {
            let step = self.pool.bv(u128::from(k), width);
            let at = self.pool.add(d.index, step);
            let k64 = self.bv64(u64::from(k));
            let copied = self.pool.ult(k64, n);
            let byte = self.pool.extract(bits, 8 * k, 8);
            let (kept, was) = (self.pool.select(array, at), self.pool.select(flags, at));
            let (byte, is) = (
                self.pool.ite(copied, byte, kept),
                self.pool.ite(copied, init, was),
            );
            array = self.pool.store(array, at, byte);
            flags = self.pool.store(flags, at, is);
        }
        let new = LeafValue {
            leaf: Leaf::Bits(array),
            init: flags,
        };
        self.store(&spot, &whole, &new, when)
    }
}
