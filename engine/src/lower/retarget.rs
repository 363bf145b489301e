//! Pointers under another type: which part of the same memory they then mean.

use super::memory::Spot;
use super::pointer::{TAG_WIDTH, Target};
use super::shape::{LeafKind, Step};
use super::types;
use super::value::PointerValue;
use super::{Lowered, Lowerer};
use crate::mir::Ty;
use crate::program::ScalarKind;

impl Lowerer<'_> {
    /// A pointer cast to `*to`. A pointer to an array becomes one to its first element, and may then move among
    /// the elements; what fits in no such way keeps its target, and an access through it is refused.
    pub fn retarget(&mut self, p: &PointerValue, to: &Ty) -> Lowered<PointerValue> {
        let wanted = match types::element(to) {
            Some(elem) if types::is_unsized_sequence(to) => types::unwrapped(&elem),
            _ => types::unwrapped(to),
        };
        let mut out = p.clone();
        for &t in &p.targets {
            let Target::Place(object, path) = self.targets[t.0 as usize].clone() else {
                continue;
            };
            let rows = self.objects[object.0 as usize].outer.len();
            if path.len() == rows + 1
                && path.iter().all(|step| *step == Step::Elem)
                && types::scalar_kind(&wanted).is_none_or(|k| types::bits(k) != 8)
                && !types::is_vector(&wanted)
            {
                self.set_heap_type(object, &wanted);
            }
            let Some(depth) = self.arrays_down_to(object, &path, &wanted) else {
                continue;
            };
            let n = path.iter().filter(|s| **s == Step::Elem).count();
            let mut inner = path.clone();
            inner.extend(std::iter::repeat_n(Step::Elem, depth));
            let new = self.target(Target::Place(object, inner));
            let here = self.tag_is(p, t);
            let zero = self.bv64(0);
            for k in n..n + depth {
                match out.indices.get(k).copied() {
                    Some(old) => out.indices[k] = self.pool.ite(here, zero, old),
                    None => out.indices.push(zero),
                }
            }
            let tag = self.pool.bv(u128::from(new.0), TAG_WIDTH);
            out.tag = self.pool.ite(here, tag, out.tag);
            out.targets.remove(&t);
            out.targets.insert(new);
        }
        Ok(out)
    }

    /// How many arrays lie between a place and elements of the wanted type; `None` where there is nothing to do.
    fn arrays_down_to(&mut self, object: super::ObjectId, path: &[Step], to: &Ty) -> Option<usize> {
        let n = path.iter().filter(|s| **s == Step::Elem).count();
        let zero = self.bv64(0);
        let spot = Spot {
            object,
            path: path.to_vec(),
            indices: vec![zero; n],
        };
        let here = self.spot_type(&spot).ok()?;
        let mut ty = types::unwrapped(&here);
        let mut depth = 0;
        while !interchangeable(&ty, to) {
            ty = match ty.kind() {
                crate::mir::TyKind::Array(elem, _) => types::unwrapped(elem),
                _ => return None,
            };
            depth += 1;
        }
        (depth > 0).then_some(depth)
    }

    /// Do values of both types have the same leaves at the same bytes?
    pub fn same_layout(&mut self, from: &Ty, to: &Ty) -> Lowered<bool> {
        let (a, b) = (self.leaves(from)?, self.leaves(to)?);
        let alike = a.len() == b.len()
            && a.iter()
                .zip(b.iter())
                .all(|(x, y)| same_kind(&x.kind, &y.kind) && x.dims == y.dims && x.lens == y.lens);
        // Several leaves may lie in any order in memory, and discriminants mean something by their type only.
        let plain = is_alignment(from)
            || is_alignment(to)
            || a.iter().chain(b.iter()).all(|l| !is_tag(&l.path));
        let ordered = a.len() == 1 && plain;
        Ok(alike && (ordered || types::unwrapped(from) == types::unwrapped(to)))
    }
}

fn is_tag(path: &[Step]) -> bool {
    path.last() == Some(&Step::Discriminant)
}

/// Is memory of the one type readable as the other, leaf by leaf?
fn interchangeable(a: &Ty, b: &Ty) -> bool {
    let plain = |t: &Ty| {
        types::scalar_kind(t).filter(|k| !matches!(k, ScalarKind::Bool | ScalarKind::Char))
    };
    a == b || matches!((plain(a), plain(b)), (Some(x), Some(y)) if types::bits(x) == types::bits(y))
}

fn same_kind(a: &LeafKind, b: &LeafKind) -> bool {
    match (a, b) {
        (LeafKind::Scalar(x), LeafKind::Scalar(y)) => {
            let number =
                |k: &ScalarKind| matches!(k, ScalarKind::Unsigned(_) | ScalarKind::Signed(_));
            x == y || (number(x) && number(y) && types::bits(*x) == types::bits(*y))
        }
        _ => a == b,
    }
}

/// Std's type of alignments, whose discriminant is the number itself.
fn is_alignment(ty: &Ty) -> bool {
    matches!(ty.kind(), crate::mir::TyKind::Adt { path, .. }
        if path.ends_with("ptr::Alignment") || path.ends_with("alignment::AlignmentEnum") || path.ends_with("alignment::Alignment"))
}
