//! Parameters of std's types whose invariants are known: vectors, and iterators over slices.

use super::input::extend;
use super::pointer::Target;
use super::shape::{LeafKind, Step};
use super::types::erase;
use super::{Lowered, Lowerer, ObjectId, ObjectKey, Part, gap};
use crate::mir::{GenericArg, Ty, TyKind};
use crate::program::InputShape;
use crate::term::Sort;

impl Lowerer<'_> {
    /// The type of the elements, its size, and memory of its own for them.
    fn buffer(
        &mut self,
        object: ObjectId,
        path: &[Step],
        ty: &Ty,
        dims: &[u32],
    ) -> Lowered<(Ty, u64, ObjectId)> {
        let elem = match ty.kind() {
            TyKind::Adt { args, .. } => args.iter().find_map(|a| match a {
                GenericArg::Type(t) => Some(erase(t)),
                _ => None,
            }),
            _ => None,
        };
        let (Some(elem), true) = (elem, dims.is_empty()) else {
            return gap(format!("a parameter of type `{ty}`"));
        };
        let size = self.size_of(&elem)?;
        if size == 0 {
            return gap(format!("a parameter of type `{ty}`"));
        }
        self.used.insert(crate::assumption::Assumption::StdInputs);
        let name = self.objects[object.0 as usize].name.clone();
        let whole = Ty::new(TyKind::Slice(elem.clone()));
        let key = ObjectKey::Pointee(object, extend(path, Step::Field(0)));
        let name = name.trim_start_matches('*').to_string();
        let buffer = self.object(key, &whole, vec![], name);
        Ok((elem, size, buffer))
    }

    /// An iterator over a slice: whatever it has passed, it only ever sees what is left. It is one at the start of
    /// that.
    pub fn make_elements(
        &mut self,
        object: ObjectId,
        path: &[Step],
        ty: &Ty,
        dims: &[u32],
        depth: u32,
    ) -> Lowered<InputShape> {
        let (elem, size, buffer) = self.buffer(object, path, ty, dims)?;
        let word = Sort::Bv(64);
        let max = i64::MAX as u64 / size;
        let leaf = (buffer, &[][..], Part::Meta, word);
        let len = self.constrained_input(leaf, &[], 0, move |l, t| {
            let m = l.bv64(max);
            l.pool.ule(t, m)
        })?;
        let end = self.pool.var(len);
        for shape in self.leaves(ty)?.iter() {
            let at = match (&shape.kind, shape.path.first()) {
                (LeafKind::Pointer(_), Some(Step::Field(0))) => self.bv64(0),
                (LeafKind::Pointer(_), Some(Step::Field(1))) => end,
                _ => return gap(format!("a parameter of type `{ty}`")),
            };
            let full = [path, &shape.path[..]].concat();
            let target = Target::Place(buffer, vec![Step::Elem]);
            self.point_at_entry(object, &full, target, dims)?;
            self.set_at_entry(object, &full, Part::Index(0), at, word)?;
            self.mark_initialised(object, &full, dims);
        }
        let elem = self.make_input(buffer, &[Step::Elem], &elem, &[64], depth + 1)?;
        let elem = Box::new(elem);
        Ok(InputShape::Elements { len, elem })
    }

    /// A vector: its buffer is memory of its own, as long as its capacity.
    pub fn make_vector(
        &mut self,
        object: ObjectId,
        path: &[Step],
        ty: &Ty,
        dims: &[u32],
        depth: u32,
    ) -> Lowered<InputShape> {
        let (elem, size, buffer) = self.buffer(object, path, ty, dims)?;
        let word = Sort::Bv(64);
        let leaf = (buffer, &[][..], Part::Meta, word);
        let max = super::heap::ADDRESS_SPACE / size;
        let capacity = self.constrained_input(leaf, &[], 0, move |l, t| {
            let m = l.bv64(max);
            l.pool.ule(t, m)
        })?;
        let room = self.pool.var(capacity);
        let leaf = (buffer, &[Step::Field(1)][..], Part::Meta, word);
        let len = self.constrained_input(leaf, &[], 0, move |l, t| l.pool.ule(t, room))?;
        let used = self.pool.var(len);
        for shape in self.leaves(ty)?.iter() {
            let full = [path, &shape.path[..]].concat();
            match (&shape.kind, shape.path.as_slice()) {
                (LeafKind::Pointer(_), _) => {
                    let target = Target::Place(buffer, vec![Step::Elem]);
                    self.point_at_entry(object, &full, target, dims)?;
                    let zero = self.bv64(0);
                    self.set_at_entry(object, &full, Part::Index(0), zero, word)?;
                }
                (LeafKind::Scalar(_), [Step::Field(1)]) => {
                    self.set_at_entry(object, &full, Part::Value, used, word)?;
                }
                (LeafKind::Scalar(_), _) => {
                    self.set_at_entry(object, &full, Part::Value, room, word)?;
                }
            }
            self.mark_initialised(object, &full, dims);
        }
        let elem = self.make_input(buffer, &[Step::Elem], &elem, &[64], depth + 1)?;
        Ok(InputShape::Vector {
            len,
            capacity,
            elem: Box::new(elem),
        })
    }
}
