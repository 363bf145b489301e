//! Loads and stores of leaves: the variables behind objects, and rows of nested arrays.

use super::shape::{LeafKind, LeafShape, Step};
use super::value::{Leaf, LeafValue, PointerValue, in_array, scalar_sort};
use super::{Lowered, Lowerer, ObjectId, ObjectKey, Part, gap, types};
use crate::program::ScalarKind;
use crate::term::{Sort, Term};

/// A leaf of an object, with the indices that are already known.
#[derive(Clone, Debug)]
pub struct Spot {
    pub object: ObjectId,
    pub path: Vec<Step>,
    pub indices: Vec<Term>,
}

/// The leaf that a spot denotes: what the object says of it.
struct Storage {
    kind: LeafKind,
    dims: Vec<u32>,
}

impl Lowerer<'_> {
    /// The variable that holds a part of a leaf, as a term.
    pub fn part(&mut self, object: ObjectId, path: &[Step], part: Part, sort: Sort) -> Term {
        let key = (object, path.to_vec(), part);
        if let Some(&v) = self.vars.get(&key) {
            if self.pool.var_info(v).sort == sort {
                return self.pool.var(v);
            }
            // Memory of the heap that was given its type only now: the next round knows it from the start.
            self.grew = true;
        }
        let name = self.part_name(object, path, part);
        let v = self.pool.fresh(name, sort);
        self.vars.insert(key, v);
        self.pool.var(v)
    }

    fn part_name(&self, object: ObjectId, path: &[Step], part: Part) -> String {
        let mut name = self.objects[object.0 as usize].name.clone();
        for s in path {
            match s {
                Step::Field(i) => name.push_str(&format!(".{i}")),
                Step::Variant(v, i) => {
                    name.push_str(&format!(".{}.{i}", self.shapes.variant_name(*v)));
                }
                Step::Elem => {}
                Step::Discriminant => name.push_str(".variant"),
            }
        }
        match part {
            Part::Value => name,
            Part::Flag => format!("{name}.init"),
            Part::Tag => format!("{name}.target"),
            Part::Index(0) => format!("{name}.at"),
            Part::Index(k) => format!("{name}.at{k}"),
            Part::Meta => format!("{name}.len"),
        }
    }

    pub fn leaf_kind(&mut self, object: ObjectId, path: &[Step]) -> Option<ScalarKind> {
        let ty = self.objects[object.0 as usize].ty.clone();
        let leaves = self.leaves(&ty).ok()?;
        match &leaves.iter().find(|l| l.path == path)?.kind {
            LeafKind::Scalar(k) => Some(*k),
            LeafKind::Pointer(_) => None,
        }
    }

    fn storage(&mut self, spot: &Spot, wanted: &LeafKind) -> Lowered<Storage> {
        let o = &self.objects[spot.object.0 as usize];
        let (ty, outer) = (o.ty.clone(), o.outer.clone());
        let leaves = self.leaves(&ty)?;
        // Rows of jagged parameters have their dimensions in front of the type's own.
        let skip = outer.len();
        if spot.path.len() < skip {
            return gap("a pointer above the rows of a parameter");
        }
        let Some(leaf) = leaves.iter().find(|l| l.path[..] == spot.path[skip..]) else {
            return gap(format!("memory of type `{ty}` accessed as something else"));
        };
        let fits = match (&leaf.kind, wanted) {
            (LeafKind::Scalar(a), LeafKind::Scalar(b)) => {
                types::bits(*a) == types::bits(*b)
                    && (*a == ScalarKind::Bool) == (*b == ScalarKind::Bool)
            }
            (LeafKind::Pointer(a), LeafKind::Pointer(b)) => types::is_fat(a) == types::is_fat(b),
            _ => false,
        };
        if !fits {
            return gap(format!("memory of type `{ty}` accessed as another type"));
        }
        let mut dims = outer;
        for (i, d) in leaf.dims.iter().enumerate() {
            dims.push(if i == 0 && skip > 0 {
                if leaf.lens[0].is_some() { 32 } else { 64 }
            } else {
                *d
            });
        }
        if dims.iter().sum::<u32>() > 128 {
            return gap("arrays nested too deeply");
        }
        Ok(Storage {
            kind: leaf.kind.clone(),
            dims,
        })
    }

    /// Is there such a leaf at a spot?
    pub fn has_leaf(&mut self, spot: &Spot, shape: &LeafShape) -> Lowered<()> {
        self.storage(spot, &shape.kind).map(|_| ())
    }

    /// The widths of the indices of a leaf's variable.
    pub fn dims_of(
        &mut self,
        object: ObjectId,
        path: &[Step],
        kind: &LeafKind,
    ) -> Lowered<Vec<u32>> {
        let spot = Spot {
            object,
            path: path.to_vec(),
            indices: vec![],
        };
        self.storage(&spot, kind).map(|st| st.dims)
    }

    pub fn has_flag(&self, object: ObjectId) -> bool {
        matches!(self.objects[object.0 as usize].key, ObjectKey::Local(..))
    }

    /// Loads the leaf `shape` (relative to the place) from a spot, which has the absolute path.
    pub fn load(&mut self, spot: &Spot, shape: &LeafShape) -> Lowered<LeafValue> {
        let st = self.storage(spot, &shape.kind)?;
        check_depth(&st, spot, shape)?;
        let init = if self.has_flag(spot.object) {
            let sort = in_array(Sort::Bool, &st.dims);
            let whole = self.part(spot.object, &spot.path, Part::Flag, sort);
            self.narrow(whole, &st.dims, &spot.indices, shape, Sort::Bool)?
        } else {
            let yes = self.pool.bool(true);
            match in_array(Sort::Bool, &shape.dims) {
                Sort::Bool => yes,
                s => self.pool.const_array(yes, s),
            }
        };
        let leaf = match &st.kind {
            LeafKind::Scalar(k) => {
                let sort = scalar_sort(*k);
                let whole = self.part(
                    spot.object,
                    &spot.path,
                    Part::Value,
                    in_array(sort, &st.dims),
                );
                Leaf::Bits(self.narrow(whole, &st.dims, &spot.indices, shape, sort)?)
            }
            LeafKind::Pointer(to) => {
                let fat = types::is_fat(to);
                let p = self.load_pointer(spot.object, &spot.path, &st.dims, fat);
                let narrow = |l: &mut Self, t: Term, w: u32| {
                    l.narrow(t, &st.dims, &spot.indices, shape, Sort::Bv(w))
                };
                let tag = narrow(self, p.tag, super::pointer::TAG_WIDTH)?;
                let mut indices = vec![];
                for &i in &p.indices {
                    indices.push(narrow(self, i, 64)?);
                }
                let meta = match p.meta {
                    Some(m) => Some(narrow(self, m, 64)?),
                    None => None,
                };
                Leaf::Pointer(PointerValue {
                    tag,
                    indices,
                    meta,
                    targets: p.targets,
                })
            }
        };
        Ok(LeafValue { leaf, init })
    }

    /// The index of an element from its parts.
    pub fn index(&mut self, dims: &[u32], indices: &[Term]) -> Term {
        let mut parts = dims.iter().zip(indices);
        let Some((&d, &i)) = parts.next() else {
            return self.pool.bv(0, 1);
        };
        let mut out = self.pool.resize(i, d, false);
        for (&d, &i) in parts {
            let low = self.pool.resize(i, d, false);
            out = self.pool.concat(out, low);
        }
        out
    }

    /// The start of a row, and the number of index values it spans, at the width of the whole index.
    fn row(
        &mut self,
        dims: &[u32],
        indices: &[Term],
        shape: &LeafShape,
    ) -> Lowered<(Term, u128, u32)> {
        let zero = self.pool.bv(0, 64);
        let mut all = indices.to_vec();
        all.resize(dims.len(), zero);
        let start = self.index(dims, &all);
        let Some(Some(n)) = shape.lens.first().copied() else {
            return gap("a slice inside an array copied as a whole");
        };
        let below: u32 = shape.dims[1..].iter().sum();
        Ok((start, u128::from(n) << below, dims.iter().sum()))
    }

    /// What remains of a whole part once the known indices are applied.
    fn narrow(
        &mut self,
        whole: Term,
        dims: &[u32],
        indices: &[Term],
        shape: &LeafShape,
        elem: Sort,
    ) -> Lowered<Term> {
        if indices.is_empty() {
            return Ok(whole);
        }
        if indices.len() >= dims.len() {
            let i = self.index(dims, &indices[..dims.len()]);
            return Ok(self.pool.select(whole, i));
        }
        let (start, n, _) = self.row(dims, indices, shape)?;
        let sort = in_array(elem, &shape.dims);
        let w: u32 = shape.dims.iter().sum();
        let empty = self.pool.constant(0, sort);
        let at = self.pool.bv(0, w);
        let len = self.pool.bv(n, w);
        Ok(self.pool.blit(empty, at, whole, start, len))
    }

    /// The whole part after a write below the known indices.
    fn widen(
        &mut self,
        whole: Term,
        dims: &[u32],
        indices: &[Term],
        shape: &LeafShape,
        new: Term,
    ) -> Lowered<Term> {
        if indices.is_empty() {
            return Ok(new);
        }
        if indices.len() >= dims.len() {
            let i = self.index(dims, &indices[..dims.len()]);
            return Ok(self.pool.store(whole, i, new));
        }
        let (start, n, width) = self.row(dims, indices, shape)?;
        let w: u32 = shape.dims.iter().sum();
        let from = self.pool.bv(0, w);
        let len = self.pool.bv(n, width);
        Ok(self.pool.blit(whole, start, new, from, len))
    }

    /// Stores a leaf; `when` guards the write (one of several possible targets).
    pub fn store(
        &mut self,
        spot: &Spot,
        shape: &LeafShape,
        value: &LeafValue,
        when: Term,
    ) -> Lowered<()> {
        let st = self.storage(spot, &shape.kind)?;
        check_depth(&st, spot, shape)?;
        let mut parts: Vec<(Part, Sort, Term)> = vec![];
        match (&value.leaf, &st.kind) {
            (Leaf::Bits(t), LeafKind::Scalar(k)) => {
                parts.push((Part::Value, scalar_sort(*k), *t));
            }
            (Leaf::Pointer(p), LeafKind::Pointer(_)) => {
                self.flow(spot.object, &spot.path, &p.targets);
                let known = self
                    .points_to
                    .get(&(spot.object, spot.path.clone()))
                    .cloned()
                    .unwrap_or_default();
                if known.len() > 1 {
                    let sort = Sort::Bv(super::pointer::TAG_WIDTH);
                    parts.push((Part::Tag, sort, p.tag));
                }
                for (k, &i) in p.indices.iter().enumerate() {
                    parts.push((Part::Index(k as u8), Sort::Bv(64), i));
                }
                if let Some(m) = p.meta {
                    parts.push((Part::Meta, Sort::Bv(64), m));
                }
            }
            (Leaf::Bits(_), LeafKind::Pointer(_)) => return gap("a number stored as a pointer"),
            (Leaf::Pointer(_), LeafKind::Scalar(_)) => return gap("a pointer stored as a number"),
        }
        if self.has_flag(spot.object) {
            parts.push((Part::Flag, Sort::Bool, value.init));
        }
        for (part, sort, new) in parts {
            let whole_sort = in_array(sort, &st.dims);
            let plain = self.part(spot.object, &spot.path, part, whole_sort);
            let Some(&var) = self.vars.get(&(spot.object, spot.path.clone(), part)) else {
                return gap("a variable that was never made");
            };
            // Several possible targets may lie in one variable: their writes add up.
            let whole = self.pending.get(&var).copied().unwrap_or(plain);
            let written = self.widen(whole, &st.dims, &spot.indices, shape, new)?;
            let result = self.pool.ite(when, written, whole);
            self.pending.insert(var, result);
        }
        Ok(())
    }

    /// Emits the writes of one place at once: all right-hand sides speak of the state before.
    pub fn commit(&mut self) {
        let writes: Vec<_> = std::mem::take(&mut self.pending).into_iter().collect();
        let mut written = std::collections::BTreeSet::new();
        let mut late = vec![];
        for (i, (var, term)) in writes.iter().enumerate() {
            let reads = if i == 0 {
                vec![]
            } else {
                self.pool.free_vars(&[*term])
            };
            if reads.iter().any(|r| written.contains(r)) {
                late.push(i);
            }
            written.insert(*var);
        }
        // What reads a variable that is written before it is saved first.
        let mut saved = std::collections::BTreeMap::new();
        for i in late {
            let (var, term) = writes[i];
            let info = self.pool.var_info(var).clone();
            let temp = self.pool.fresh(format!("{}'", info.name), info.sort);
            self.draw_vars.push(temp);
            self.assign(temp, term);
            saved.insert(i, self.pool.var(temp));
        }
        for (i, (var, term)) in writes.into_iter().enumerate() {
            let term = saved.get(&i).copied().unwrap_or(term);
            self.assign(var, term);
        }
    }
}

/// The indices that are known and the dimensions of the accessed leaf make up those of the memory.
fn check_depth(st: &Storage, spot: &Spot, shape: &LeafShape) -> Lowered<()> {
    if spot.indices.len() + shape.dims.len() == st.dims.len() {
        return Ok(());
    }
    gap("an array accessed as one of another depth")
}
