//! Places: from a MIR place to the leaves it denotes, through references, fields and elements.

use super::memory::Spot;
use super::pointer::Target;
use super::shape::Step;
use super::types::{self, erase};
use super::value::{LeafValue, PointerValue, Value};
use super::{Lowered, Lowerer, ObjectKey, Part, gap};
use crate::mir::{Elem, Local, Place, Ty, TyKind};
use crate::program::StopKind;
use crate::term::{Sort, Term};

/// Where a place may be: one of these, under disjoint conditions.
#[derive(Clone, Debug)]
pub struct Located {
    pub spots: Vec<(Term, Spot)>,
    pub ty: Ty,
    /// For slices (and sub-ranges of arrays) the length; the spots' paths then end in `Elem` and the last index
    /// is where it starts.
    pub window: Option<Term>,
    variant: Option<u32>,
    /// The length of the slice that is the last field of an unsized struct.
    tail: Option<Term>,
    /// Reached through a raw pointer last: not yet known to be inside the object.
    raw: bool,
}

impl Located {
    /// The place of a type at one spot, where a raw pointer points.
    pub fn behind_raw(here: Term, spot: Spot, ty: Ty) -> Located {
        Located {
            spots: vec![(here, spot)],
            ty,
            window: None,
            variant: None,
            tail: None,
            raw: true,
        }
    }

    /// Is it inside an array?
    pub fn is_element(&self) -> bool {
        self.spots.iter().any(|(_, s)| s.path.contains(&Step::Elem))
    }
}

impl Lowerer<'_> {
    pub fn locate(&mut self, place: &Place) -> Lowered<Located> {
        let object = self.local_object(place.local);
        let yes = self.pool.bool(true);
        let mut at = Located {
            spots: vec![(
                yes,
                Spot {
                    object,
                    path: vec![],
                    indices: vec![],
                },
            )],
            ty: self.objects[object.0 as usize].ty.clone(),
            window: None,
            variant: None,
            tail: None,
            raw: false,
        };
        for elem in &place.projection {
            at = self.project(at, elem)?;
        }
        Ok(at)
    }

    pub fn project(&mut self, mut at: Located, elem: &Elem) -> Lowered<Located> {
        match elem {
            Elem::Deref => {
                let value = self.load_located(&at)?;
                let p = self.pointer_of(&value)?;
                let ty = at.ty.clone();
                self.deref(&p, &ty)
            }
            Elem::Field(i, ty) => {
                if types::transparent(&at.ty).is_some() {
                    at.ty = erase(ty);
                    return Ok(at);
                }
                self.check_raw(&mut at)?;
                if self.is_union(&at.ty) {
                    // All fields are the same bytes.
                    self.sees_bits_of(&at.ty.clone(), ty);
                    at.ty = erase(ty);
                    return Ok(at);
                }
                let step = match at.variant.take() {
                    Some(v) => Step::Variant(v, *i),
                    None => Step::Field(*i),
                };
                for (_, s) in &mut at.spots {
                    s.path.push(step);
                }
                at.ty = erase(ty);
                let tail = at.tail.take();
                if types::is_unsized_sequence(&at.ty) {
                    let Some(n) = tail else {
                        return gap("the slice at the end of a struct");
                    };
                    let zero = self.bv64(0);
                    for (_, s) in &mut at.spots {
                        s.path.push(Step::Elem);
                        s.indices.push(zero);
                    }
                    at.window = Some(n);
                }
                Ok(at)
            }
            Elem::Downcast(name) => {
                at.variant = Some(self.shapes.variant_id(name));
                Ok(at)
            }
            Elem::Index(local) => {
                let i = self.local_bits(*local)?;
                self.element(at, i)
            }
            Elem::ConstantIndex {
                offset, from_end, ..
            } => {
                let k = self.bv64(*offset);
                let i = if *from_end {
                    let n = self.length(&at)?;
                    self.pool.sub(n, k)
                } else {
                    k
                };
                self.element(at, i)
            }
            Elem::Subslice { from, to, from_end } => {
                let n = self.length(&at)?;
                let (f, t) = (self.bv64(*from), self.bv64(*to));
                let end = if *from_end { self.pool.sub(n, t) } else { t };
                let len = self.pool.sub(end, f);
                let array_len = types::array_len(&at.ty);
                let mut at = self.open(at)?;
                let stride = match types::element(&at.ty) {
                    Some(elem) => self.element_stride(&at.spots, &elem)?,
                    None => 1,
                };
                let f = self.in_elements(f, stride);
                for (_, s) in &mut at.spots {
                    if let Some(last) = s.indices.last_mut() {
                        *last = self.pool.add(*last, f);
                    }
                }
                at.window = Some(len);
                if let (TyKind::Array(elem, _), Some(n)) = (at.ty.kind(), array_len) {
                    let m = if *from_end {
                        n.saturating_sub(*from + *to)
                    } else {
                        to.saturating_sub(*from)
                    };
                    at.ty = Ty::new(TyKind::Array(elem.clone(), crate::mir::ArrayLen::Known(m)));
                }
                Ok(at)
            }
            Elem::OpaqueCast(t) | Elem::Subtype(t) => {
                at.ty = erase(t);
                Ok(at)
            }
            Elem::DowncastIndex(_) | Elem::UnwrapUnsafeBinder(_) => {
                gap("a projection of coroutines or unsafe binders")
            }
        }
    }

    pub fn is_union(&self, ty: &Ty) -> bool {
        matches!(ty.kind(), TyKind::Adt { path, .. } if self.source.facts.is_union(path))
    }

    /// The place behind a pointer.
    pub fn deref(&mut self, p: &PointerValue, pointer_ty: &Ty) -> Lowered<Located> {
        let Some(to) = types::pointee(pointer_ty) else {
            return gap(format!("dereference of `{pointer_ty}`"));
        };
        let to = erase(to);
        self.check_has_target(p);
        let mut spots = vec![];
        for &t in &p.targets {
            let here = self.tag_is(p, t);
            match self.targets[t.0 as usize].clone() {
                Target::Place(object, path) => {
                    let n = path.iter().filter(|s| **s == Step::Elem).count();
                    let indices = p.indices[..n].to_vec();
                    spots.push((
                        here,
                        Spot {
                            object,
                            path,
                            indices,
                        },
                    ));
                }
                Target::Address | Target::Function(_) => {
                    let mut fine = self.pool.not(here);
                    if let Some(len) = p.meta {
                        // An empty slice may be anywhere.
                        let zero = self.bv64(0);
                        let empty = self.pool.eq(len, zero);
                        fine = self.pool.or(fine, empty);
                    }
                    self.check_defined(fine, "dereference of a null or dangling pointer");
                }
            }
        }
        let raw = types::is_raw(pointer_ty);
        let mut window = p.meta;
        // A pointer to elements read as an array of a fixed length (`<[T; N]>::try_from`): a window over them.
        let bare = types::unwrapped(&to);
        if let (Some(n), Some(elem)) = (types::array_len(&bare), types::element(&bare)) {
            let mut over_elements = !spots.is_empty();
            for (_, s) in &spots {
                over_elements &= s.path.last() == Some(&Step::Elem)
                    && self.spot_type(s).is_ok_and(|t| {
                        types::unwrapped(&t) == elem || self.strides_over(&t, &elem)
                    });
            }
            if over_elements {
                window = Some(self.bv64(n));
                return Ok(Located {
                    spots,
                    ty: to,
                    window,
                    variant: None,
                    tail: None,
                    // The reference was made from a raw pointer of this type, which nobody checked against N.
                    raw: true,
                });
            }
        }
        if matches!(to.kind(), TyKind::Dyn { .. }) {
            return gap("a trait object");
        }
        if types::is_unsized_struct(&to) {
            return Ok(Located {
                spots,
                ty: to,
                window: None,
                variant: None,
                tail: window,
                raw: false,
            });
        }
        if types::is_unsized_sequence(&to) != window.is_some() {
            return gap(format!("dereference of `{pointer_ty}` without its length"));
        }
        Ok(Located {
            spots,
            ty: to,
            window,
            variant: None,
            tail: None,
            raw,
        })
    }

    /// A place behind a raw pointer must be inside its object before it is used or borrowed.
    pub fn check_raw(&mut self, at: &mut Located) -> Lowered<()> {
        if !at.raw {
            return Ok(());
        }
        at.raw = false;
        let spots = at.spots.clone();
        for (here, s) in spots {
            if s.path.last() != Some(&Step::Elem) {
                continue;
            }
            let mut stride = 1;
            if at.window.is_some()
                && let Some(elem) = types::element(&at.ty)
            {
                stride = self.stride(here, &s, &elem)?;
            }
            if self.has_no_size(&s) {
                continue;
            }
            // A window over an array starts below it: its own extent is what counts.
            let extent = self.extent(&s)?;
            let Some(&i) = s.indices.last() else { continue };
            let inside = match at.window {
                None => self.pool.ult(i, extent),
                Some(len) => {
                    // i + len <= extent without wrapping
                    let most = self.units_of(extent, stride);
                    let fits = self.pool.ule(len, most);
                    let len = self.in_elements(len, stride);
                    let room = self.pool.sub(extent, len);
                    let starts = self.pool.ule(i, room);
                    self.pool.and(fits, starts)
                }
            };
            let fine = self.pool.implies(here, inside);
            self.check_within(fine, &s, "pointer outside of its allocation");
        }
        Ok(())
    }

    /// Beyond its array is outside of the allocation, but beyond a row of a larger array may be the next row, which
    /// a pointer made from the whole may get to.
    pub fn check_within(&mut self, fine: Term, spot: &Spot, what: &str) {
        let outer = self.objects[spot.object.0 as usize].outer.len();
        let rows = spot.path.iter().skip(outer);
        if rows.filter(|s| **s == Step::Elem).count() > 1 {
            let what = "a range of memory over several rows of nested arrays";
            self.check(fine, StopKind::Unsupported(what.into()));
        } else {
            self.check_defined(fine, what);
        }
    }

    /// Elements without a size take no room: a pointer to one is inside wherever it is.
    pub fn has_no_size(&mut self, spot: &Spot) -> bool {
        let elem = self.spot_type(spot);
        elem.is_ok_and(|elem| self.size_of(&elem).is_ok_and(|n| n == 0))
    }

    /// The length of the array that the last `Elem` of a spot's path goes through.
    pub fn extent(&mut self, spot: &Spot) -> Lowered<Term> {
        let o = self.objects[spot.object.0 as usize].clone();
        let skip = o.outer.len();
        let mut ty = o.ty.clone();
        let mut seen = 0;
        let last = spot.path.len() - 1;
        for (k, s) in spot.path.iter().enumerate() {
            if k < skip {
                seen += 1;
                continue;
            }
            if k == last {
                break;
            }
            ty = self.step_type(&ty, *s)?;
            if *s == Step::Elem {
                seen += 1;
            }
        }
        while let Some(inner) = types::transparent(&ty) {
            ty = erase(inner);
        }
        if let Some(n) = types::array_len(&ty) {
            return Ok(self.bv64(n));
        }
        if matches!(ty.kind(), TyKind::Slice(_) | TyKind::Str) && seen == skip {
            return self.object_length(spot.object, &spot.indices[..skip]);
        }
        gap(format!("the length of `{ty}` is not known"))
    }

    /// The length of the memory behind a slice parameter (of the row at these indices).
    pub fn object_length(&mut self, object: super::ObjectId, row: &[Term]) -> Lowered<Term> {
        let outer = self.objects[object.0 as usize].outer.clone();
        let sort = super::value::in_array(Sort::Bv(64), &outer);
        let whole = self.part(object, &[], Part::Meta, sort);
        match row {
            [] => Ok(whole),
            [i] => Ok(self.pool.select(whole, *i)),
            [i, j] => {
                let at = self.pool.concat(*i, *j);
                Ok(self.pool.select(whole, at))
            }
            _ => gap("slices nested too deeply"),
        }
    }

    /// The type at a spot.
    pub fn spot_type(&mut self, spot: &Spot) -> Lowered<Ty> {
        let o = self.objects[spot.object.0 as usize].clone();
        let mut ty = o.ty;
        for s in &spot.path[o.outer.len().min(spot.path.len())..] {
            ty = self.step_type(&ty, *s)?;
        }
        Ok(ty)
    }

    pub fn step_type(&mut self, ty: &Ty, step: Step) -> Lowered<Ty> {
        let mut ty = ty;
        while let Some(inner) = types::transparent(ty) {
            ty = inner;
        }
        let found = match step {
            Step::Elem => types::element(ty),
            Step::Field(i) => match ty.kind() {
                TyKind::Tuple(parts) => parts.get(i as usize).cloned(),
                _ => self
                    .shapes
                    .fields(ty)
                    .into_iter()
                    .find(|((v, k), _)| v.is_none() && *k == i)
                    .map(|(_, t)| t),
            },
            Step::Variant(v, i) => self
                .shapes
                .fields(ty)
                .into_iter()
                .find(|(k, _)| *k == (Some(v), i))
                .map(|(_, t)| t),
            Step::Discriminant => None,
        };
        match found {
            Some(t) => Ok(erase(&t)),
            None => gap(format!("a part of `{ty}` of unknown type")),
        }
    }

    /// The number of elements of an array or slice place.
    pub fn length(&mut self, at: &Located) -> Lowered<Term> {
        if let Some(w) = at.window {
            return Ok(w);
        }
        match types::array_len(&at.ty) {
            Some(n) => Ok(self.bv64(n)),
            None => gap(format!("the length of `{}` is not known", at.ty)),
        }
    }

    /// Makes an array place a window over its elements.
    pub fn open(&mut self, mut at: Located) -> Lowered<Located> {
        self.check_raw(&mut at)?;
        if at.window.is_some() {
            return Ok(at);
        }
        let n = self.length(&at)?;
        self.check_not_longer(&at)?;
        let zero = self.bv64(0);
        for (_, s) in &mut at.spots {
            s.path.push(Step::Elem);
            s.indices.push(zero);
        }
        at.window = Some(n);
        Ok(at)
    }

    /// A pointer to an array may have been made one to a longer array, which reaches beyond the memory there.
    fn check_not_longer(&mut self, at: &Located) -> Lowered<()> {
        let Some(claimed) = types::array_len(&types::unwrapped(&at.ty)) else {
            return Ok(());
        };
        for (_, spot) in &at.spots {
            let there = self.spot_type(spot).ok();
            let there = there.and_then(|ty| types::array_len(&types::unwrapped(&ty)));
            if there.is_some_and(|n| n < claimed) {
                return gap(format!(
                    "memory taken for an array of {claimed} elements that has fewer"
                ));
            }
        }
        Ok(())
    }

    pub fn element(&mut self, at: Located, i: Term) -> Lowered<Located> {
        let n = self.length(&at)?;
        let inside = self.pool.ult(i, n);
        self.check_defined(inside, "index outside of the array");
        let mut at = self.open(at)?;
        let Some(elem) = types::element(&at.ty).map(|t| erase(&t)) else {
            return gap(format!("an element of `{}`", at.ty));
        };
        let stride = self.element_stride(&at.spots, &elem)?;
        let i = self.in_elements(i, stride);
        for (_, s) in &mut at.spots {
            if let Some(last) = s.indices.last_mut() {
                *last = self.pool.add(*last, i);
            }
        }
        // An array over memory of its elements is a window over them.
        let own_length = types::array_len(&types::unwrapped(&elem)).filter(|_| stride > 1);
        at.window = own_length.map(|n| self.bv64(n));
        at.ty = elem;
        Ok(at)
    }

    /// The bits of a local, for indices.
    pub fn local_bits(&mut self, local: Local) -> Lowered<Term> {
        let at = self.locate(&Place::local(local))?;
        let v = self.load_located(&at)?;
        self.bits(&v)
    }

    /// Reads the whole value of a place.
    pub fn load_located(&mut self, at: &Located) -> Lowered<Value> {
        let mut at = at.clone();
        self.check_raw(&mut at)?;
        if at.window.is_some() {
            if types::array_len(&at.ty).is_none() {
                return gap("a slice used by value");
            }
            return self.load_window(&at);
        }
        let leaves = self.leaves(&at.ty)?;
        let mut out: Option<Value> = None;
        for (here, spot) in at.spots.iter().rev() {
            let value = match self.load_at(spot, &leaves) {
                Err(what) if at.spots.len() > 1 => {
                    self.is_elsewhere(*here, what);
                    continue;
                }
                value => value?,
            };
            out = Some(match out {
                None => value,
                Some(other) => self.choose(*here, &value, &other),
            });
        }
        match out {
            Some(v) => Ok(v),
            // A pointer without targets (yet): the value of an earlier round, or really uninitialised.
            None => {
                let ty = at.ty.clone();
                self.undefined(&ty)
            }
        }
    }

    fn load_at(&mut self, spot: &Spot, leaves: &[super::shape::LeafShape]) -> Lowered<Value> {
        let mut value = Value::default();
        for shape in leaves {
            let s = self.leaf_spot(spot, shape, leaves.len());
            value
                .leaves
                .push((shape.path.clone(), self.load(&s, shape)?));
        }
        Ok(value)
    }

    /// One of several places that a pointer may point to has no model under its type: trait objects of numbers lead to
    /// numbers of other types, which the number of their own type excludes.
    fn is_elsewhere(&mut self, here: Term, what: super::Gap) {
        let elsewhere = self.pool.not(here);
        self.check(elsewhere, StopKind::Unsupported(what.0));
    }

    /// Writes a whole value to a place.
    pub fn store_located(&mut self, at: &Located, value: &Value) -> Lowered<()> {
        let mut at = at.clone();
        self.check_raw(&mut at)?;
        if at.window.is_some() {
            return self.store_window(&at, value);
        }
        self.stage_located(&at, value)?;
        self.commit();
        Ok(())
    }

    /// The writes of a store, for `commit` to emit.
    pub fn stage_located(&mut self, at: &Located, value: &Value) -> Lowered<()> {
        let leaves = self.leaves(&at.ty)?;
        let single = at.spots.len() == 1;
        let yes = self.pool.bool(true);
        // All right-hand sides are terms over the state before; leaves of one place do not overlap.
        for (here, spot) in &at.spots {
            let when = if single { yes } else { *here };
            let mut misfit = |l: &super::shape::LeafShape| {
                let s = self.leaf_spot(spot, l, leaves.len());
                self.has_leaf(&s, l).err()
            };
            if !single && let Some(what) = leaves.iter().find_map(&mut misfit) {
                self.is_elsewhere(*here, what);
                continue;
            }
            for shape in leaves.iter() {
                let Some(l) = value.get(&shape.path) else {
                    return gap(format!("a value of type `{}` of another shape", at.ty));
                };
                let s = self.leaf_spot(spot, shape, leaves.len());
                let l = l.clone();
                self.store(&s, shape, &l, when)?;
            }
        }
        Ok(())
    }

    /// Where a leaf of the accessed type is. A type of one leaf over memory of one leaf under another name
    /// (`NonNull<T>` over `*const T`) is that leaf.
    pub fn leaf_spot(
        &mut self,
        spot: &Spot,
        shape: &super::shape::LeafShape,
        n_leaves: usize,
    ) -> Spot {
        let mut s = spot.clone();
        s.path.extend(&shape.path);
        if n_leaves != 1 {
            return s;
        }
        let o = &self.objects[spot.object.0 as usize];
        let (ty, skip) = (o.ty.clone(), o.outer.len());
        let Ok(memory) = self.leaves(&ty) else {
            return s;
        };
        if spot.path.len() < skip || memory.iter().any(|l| l.path[..] == s.path[skip..]) {
            return s;
        }
        let mut here = memory
            .iter()
            .filter(|l| l.path.starts_with(&spot.path[skip..]));
        if let (Some(only), None) = (here.next(), here.next())
            && only.path.last() != Some(&Step::Discriminant)
            && only.dims.len() + skip == spot.indices.len() + shape.dims.len()
        {
            s.path.truncate(skip);
            s.path.extend(&only.path);
        }
        s
    }

    /// Marks the leaves of a local (or of a part of it) as uninitialised.
    pub fn deinit(&mut self, at: &Located) -> Lowered<()> {
        if at.window.is_some() {
            return Ok(());
        }
        let leaves = self.leaves(&at.ty)?;
        for (here, spot) in at.spots.clone() {
            if !matches!(
                self.objects[spot.object.0 as usize].key,
                ObjectKey::Local(..)
            ) {
                continue;
            }
            for shape in leaves.iter() {
                let mut s = spot.clone();
                s.path.extend(&shape.path);
                self.clear_flag(&s, shape, here)?;
            }
        }
        self.commit();
        Ok(())
    }

    fn clear_flag(
        &mut self,
        spot: &Spot,
        shape: &super::shape::LeafShape,
        when: Term,
    ) -> Lowered<()> {
        let old = self.load(spot, shape)?;
        let no = self.pool.bool(false);
        let init = match super::value::in_array(Sort::Bool, &shape.dims) {
            Sort::Bool => no,
            s => self.pool.const_array(no, s),
        };
        // Only the flag changes; writing back the value itself is no assignment.
        self.store(
            spot,
            shape,
            &LeafValue {
                leaf: old.leaf,
                init,
            },
            when,
        )
    }

    /// The pointer to a place.
    pub fn address_of(&mut self, at: &Located) -> Lowered<PointerValue> {
        let mut out: Option<PointerValue> = None;
        for (here, spot) in at.spots.iter().rev() {
            if at.variant.is_some() {
                return gap("the address of a variant");
            }
            let p = self.pointer_to(
                Target::Place(spot.object, spot.path.clone()),
                spot.indices.clone(),
                at.window
                    .filter(|_| types::is_unsized_sequence(&at.ty))
                    .or(at.tail),
            );
            out = Some(match out {
                None => p,
                Some(q) => {
                    let a = self.pointer(p);
                    let b = self.pointer(q);
                    let c = self.choose(*here, &a, &b);
                    self.pointer_of(&c)?
                }
            });
        }
        match out {
            Some(p) => Ok(p),
            None => Ok(PointerValue {
                tag: self.pool.bv(0, super::pointer::TAG_WIDTH),
                indices: vec![],
                meta: at.window,
                targets: Default::default(),
            }),
        }
    }

    /// Reaching a pointer that points nowhere is a violation once targets are settled.
    pub fn check_has_target(&mut self, p: &PointerValue) {
        if p.targets.is_empty() && !self.grew {
            let no = self.pool.bool(false);
            self.check(
                no,
                StopKind::Unsupported("a pointer whose target is not known".into()),
            );
        }
    }
}
