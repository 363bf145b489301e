//! What a function can write that is given certain values: memory behind `&mut`, raw pointers, and cells.

use super::memory::Spot;
use super::opaque::{Reached, may_hold_borrow};
use super::pointer::{Target, TargetId};
use super::shape::{LeafKind, Step};
use super::types::{self, erase};
use super::value::{Leaf, PointerValue, Value};
use super::{Lowered, Lowerer, ObjectId, ObjectKey, gap};
use crate::mir::{GenericArg, Ty, TyKind};
use std::collections::BTreeSet;

/// Types nested deeper than this may be anything.
const MOST_DEPTH: u32 = 6;

/// Types of std that are written through `&mut` only, if their parameters are.
const WITHOUT_CELLS: &[&str] = &[
    "boxed::Box",
    "cmp::Ordering",
    "cmp::Reverse",
    "marker::PhantomData",
    "mem::ManuallyDrop",
    "mem::MaybeUninit",
    "num::NonZero",
    "num::Saturating",
    "num::Wrapping",
    "ops::Range",
    "ops::RangeFrom",
    "ops::RangeInclusive",
    "ops::RangeTo",
    "option::Option",
    "result::Result",
    "string::String",
    "time::Duration",
    "vec::Vec",
];

impl Lowerer<'_> {
    /// Adds what one argument leads to.
    pub fn reach(
        &mut self,
        ty: Option<&Ty>,
        value: &Value,
        name: &str,
        out: &mut Vec<Reached>,
    ) -> Lowered<()> {
        let ty = ty.map(erase);
        match ty.as_ref().map(|t| t.kind()) {
            Some(TyKind::Ref {
                mutable, ty: to, ..
            }) => {
                if !*mutable && self.has_no_cells(to, 0) {
                    return Ok(());
                }
                let p = self.pointer_of(value)?;
                return self.reach_pointer(&p, Some(&erase(to)), name, out);
            }
            Some(TyKind::FnPtr(_) | TyKind::FnDef { .. }) => return Ok(()),
            Some(_) if ty.as_ref().is_some_and(|t| self.is_given_away(t)) => return Ok(()),
            Some(TyKind::Adt { path, .. })
                if types::in_std(path) == Some("fmt::Arguments") && self.only_shows(value) =>
            {
                return Ok(());
            }
            _ => {}
        }
        for (_, leaf) in &value.leaves {
            if let Leaf::Pointer(p) = leaf.leaf.clone() {
                self.reach_pointer(&p, None, name, out)?;
            }
        }
        Ok(())
    }

    /// What a pointer leads to: all of the object, or, if it is a reference to this type, only what it refers to.
    fn reach_pointer(
        &mut self,
        p: &PointerValue,
        reference_to: Option<&Ty>,
        name: &str,
        out: &mut Vec<Reached>,
    ) -> Lowered<()> {
        for &t in &p.targets {
            let Target::Place(object, path) = self.targets[t.0 as usize].clone() else {
                continue;
            };
            let whole = !reference_to.is_some_and(|to| self.is_place_of(object, &path, to));
            match self.objects[object.0 as usize].key {
                // Nobody may write a constant.
                ObjectKey::Alloc(..) | ObjectKey::Literal(_) => continue,
                // It might be freed as well.
                ObjectKey::Heap(..) if whole => {
                    return gap(format!(
                        "a pointer into the heap, given to `{name}`, which is assumed to write any value"
                    ));
                }
                _ => {}
            }
            // Of several pointers in an array any may be the one: what may be written then is.
            let when = match self.pool.sort(p.tag).is_array() {
                true => self.pool.bool(true),
                false => self.tag_is(p, t),
            };
            let path = if whole { vec![] } else { path };
            out.push(Reached { object, path, when });
        }
        Ok(())
    }

    /// What `println!` is given leads by shared references to what it shows: is there no cell among that?
    fn only_shows(&self, value: &Value) -> bool {
        let mut todo: Vec<TargetId> = vec![];
        for (_, leaf) in &value.leaves {
            if let Leaf::Pointer(p) = &leaf.leaf {
                todo.extend(&p.targets);
            }
        }
        let mut seen = BTreeSet::new();
        while let Some(t) = todo.pop() {
            let Target::Place(object, _) = self.targets[t.0 as usize] else {
                continue;
            };
            if !seen.insert(object) {
                continue;
            }
            let ty = &self.objects[object.0 as usize].ty;
            let elem = types::element(ty).unwrap_or_else(|| ty.clone());
            let of_formatting = matches!(elem.kind(), TyKind::Adt { path, .. }
                if types::in_std(path).is_some_and(|p| p.starts_with("fmt::rt::")));
            if !of_formatting && !self.has_no_cells(ty, 0) {
                return false;
            }
            let below = self.points_to.iter().filter(|((o, _), _)| *o == object);
            todo.extend(below.flat_map(|(_, targets)| targets));
        }
        true
    }

    /// Is there a value of this type at the path (or elements of it), and no pointer that was made to look so?
    fn is_place_of(&mut self, object: ObjectId, path: &[Step], ty: &Ty) -> bool {
        let n = path.iter().filter(|s| **s == Step::Elem).count();
        let zero = self.bv64(0);
        let spot = Spot {
            object,
            path: path.to_vec(),
            indices: vec![zero; n],
        };
        let wanted = match types::element(ty) {
            Some(elem) if types::is_unsized_sequence(ty) => types::unwrapped(&elem),
            _ => types::unwrapped(ty),
        };
        self.spot_type(&spot)
            .is_ok_and(|here| types::unwrapped(&here) == wanted)
    }

    /// Is memory of this type that a shared reference leads to only read? A field that no body mentions is not
    /// looked at by anybody, so only known ones count.
    fn has_no_cells(&self, ty: &Ty, depth: u32) -> bool {
        if depth > MOST_DEPTH {
            return false;
        }
        let inside = |t: &Ty| self.has_no_cells(t, depth + 1);
        if types::scalar_kind(ty).is_some() {
            return true;
        }
        match ty.kind() {
            TyKind::Str | TyKind::FnPtr(_) | TyKind::FnDef { .. } => true,
            TyKind::Ref { ty, .. } => inside(ty),
            TyKind::Array(t, _) | TyKind::Slice(t) => inside(t),
            TyKind::Tuple(parts) => parts.iter().all(inside),
            TyKind::Adt { path, args } => {
                let types_inside = |a: &GenericArg| match a {
                    GenericArg::Type(t) => inside(t),
                    _ => true,
                };
                match types::in_std(path) {
                    Some(p) => WITHOUT_CELLS.contains(&p) && args.iter().all(types_inside),
                    None if self.source.facts.is_union(path) => false,
                    None => self
                        .shapes
                        .fields(&erase(ty))
                        .iter()
                        .all(|(_, t)| inside(t)),
                }
            }
            TyKind::Closure(_) => {
                !self.shapes.is_several(ty) && self.shapes.fields(ty).iter().all(|(_, t)| inside(t))
            }
            _ => false,
        }
    }

    /// A buffer that the callee gets for good, with nothing in it that leads back: nobody else looks at it again.
    fn is_given_away(&mut self, ty: &Ty) -> bool {
        let TyKind::Adt { path, args } = ty.kind() else {
            return false;
        };
        if types::in_std(path) == Some("string::String") {
            return true;
        }
        let owns = matches!(types::in_std(path), Some("vec::Vec" | "boxed::Box"));
        let mut content = args.iter().filter_map(|a| match a {
            GenericArg::Type(t) => Some(erase(t)),
            _ => None,
        });
        let Some(content) = content.next().filter(|_| owns) else {
            return false;
        };
        let of = types::element(&content).map_or(content, |t| erase(&t));
        !matches!(of.kind(), TyKind::Dyn { .. })
            && self
                .leaves(&of)
                .is_ok_and(|leaves| leaves.iter().all(|l| matches!(l.kind, LeafKind::Scalar(_))))
    }

    /// May the callee keep something that this argument leads to, beyond the call? What is lent by `&mut` comes back
    /// when the call is over, unless it can be stored where the caller keeps it.
    pub fn may_keep(&mut self, ty: Option<&Ty>) -> bool {
        let Some(ty) = ty else { return true };
        match ty.kind() {
            _ if types::scalar_kind(ty).is_some() => false,
            TyKind::Ref {
                mutable, ty: to, ..
            } => match mutable {
                true => may_hold_borrow(to),
                false => !self.has_no_cells(&erase(to), 0),
            },
            TyKind::FnDef { .. } | TyKind::FnPtr(_) => false,
            _ => {
                let ty = erase(ty);
                let pointers = self.leaves(&ty).map_or(true, |leaves| {
                    leaves
                        .iter()
                        .any(|l| matches!(l.kind, LeafKind::Pointer(_)))
                });
                pointers && !self.is_given_away(&ty)
            }
        }
    }
}
