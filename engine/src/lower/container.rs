//! Parameters of std's types whose invariants are known: vectors, strings, boxes, iterators over slices and texts,
//! numbers that are not zero, durations.

use super::input::extend;
use super::pointer::Target;
use super::shape::{LeafKind, Step};
use super::types::{self, erase};
use super::value::{in_array, scalar_sort};
use super::{Lowered, Lowerer, ObjectId, ObjectKey, Part, gap};
use crate::mir::{GenericArg, Ty, TyKind};
use crate::program::{InputShape, ScalarKind, Texts};
use crate::term::{Sort, Var};

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
        self.make_elements_of(object, path, ty, dims, depth, false)
    }

    /// The characters of a text: bytes that are one, whatever stood before or behind them.
    pub fn make_chars(
        &mut self,
        object: ObjectId,
        path: &[Step],
        ty: &Ty,
        dims: &[u32],
        depth: u32,
    ) -> Lowered<InputShape> {
        let fields = self.shapes.fields(ty);
        let [((None, 0), bytes)] = &fields[..] else {
            return gap(format!("a parameter of type `{ty}`"));
        };
        let inner = extend(path, Step::Field(0));
        self.make_elements_of(object, &inner, bytes, dims, depth, true)
    }

    fn make_elements_of(
        &mut self,
        object: ObjectId,
        path: &[Step],
        ty: &Ty,
        dims: &[u32],
        depth: u32,
        is_text: bool,
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
        if is_text {
            let text = self.make_text(buffer, &[Step::Elem], len, None)?;
            return Ok(InputShape::Made {
                before: "",
                parts: vec![text],
                after: ".chars()",
            });
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
        self.make_vector_of(object, path, ty, dims, depth, false)
    }

    fn make_vector_of(
        &mut self,
        object: ObjectId,
        path: &[Step],
        ty: &Ty,
        dims: &[u32],
        depth: u32,
        is_text: bool,
    ) -> Lowered<InputShape> {
        // Beyond its length a buffer is not initialised, which is not told from what is.
        self.check_tame()?;
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
        if is_text {
            return self.make_text(buffer, &[Step::Elem], len, Some(capacity));
        }
        let elem = self.make_input(buffer, &[Step::Elem], &elem, &[64], depth + 1)?;
        Ok(InputShape::Vector {
            len,
            capacity,
            elem: Box::new(elem),
        })
    }

    /// A text in these bytes, in a buffer of this room if it is a string.
    pub fn make_text(
        &mut self,
        object: ObjectId,
        path: &[Step],
        len: Var,
        capacity: Option<Var>,
    ) -> Lowered<InputShape> {
        let texts = self.source.texts;
        if texts != Texts::AnyBytes {
            self.used.insert(crate::assumption::Assumption::StdInputs);
        }
        let bytes = match texts {
            Texts::Utf8 => self.utf8_input(object, path, len)?,
            Texts::Short(most) => {
                let (n, most) = (self.pool.var(len), self.bv64(most.into()));
                let is_short = self.pool.ule(n, most);
                self.requires.push(is_short);
                self.utf8_input(object, path, len)?
            }
            Texts::AnyBytes => {
                let sort = in_array(Sort::Bv(8), &[64]);
                self.input_var(object, path, Part::Value, sort)
            }
        };
        let text = InputShape::Text {
            len,
            bytes,
            texts,
            capacity,
        };
        Ok(match capacity {
            None => text,
            Some(_) => made("String::from", text),
        })
    }

    /// A string: a vector of bytes that are a text.
    pub fn make_string(
        &mut self,
        object: ObjectId,
        path: &[Step],
        ty: &Ty,
        dims: &[u32],
        depth: u32,
    ) -> Lowered<InputShape> {
        let fields = self.shapes.fields(ty);
        let Some((_, bytes)) = fields.first().filter(|((_, i), _)| *i == 0) else {
            return gap(format!("a parameter of type `{ty}`"));
        };
        let inner = extend(path, Step::Field(0));
        self.make_vector_of(object, &inner, bytes, dims, depth, true)
    }

    /// A box: memory of its own.
    pub fn make_box(
        &mut self,
        object: ObjectId,
        path: &[Step],
        ty: &Ty,
        dims: &[u32],
        depth: u32,
    ) -> Lowered<InputShape> {
        let leaves = self.leaves(ty)?;
        let (Some(to), [leaf]) = (types::smart_pointee(ty).map(erase), &leaves[..]) else {
            return gap(format!("a parameter of type `{ty}`"));
        };
        // What is freed is not told from what is not: only unsafe code could look there.
        self.check_tame()?;
        self.used.insert(crate::assumption::Assumption::StdInputs);
        let full = [path, &leaf.path[..]].concat();
        self.mark_initialised(object, &full, dims);
        let content = self.make_pointee(object, &full, &to, dims, depth)?;
        Ok(match content {
            InputShape::Slice { len, elem } => InputShape::Made {
                before: "",
                parts: vec![InputShape::Vector {
                    len,
                    capacity: len,
                    elem,
                }],
                after: ".into_boxed_slice()",
            },
            InputShape::Text { .. } => made("Box::<str>::from", content),
            _ => made("Box::new", content),
        })
    }

    /// A number that is not zero.
    pub fn make_nonzero(
        &mut self,
        object: ObjectId,
        path: &[Step],
        ty: &Ty,
        dims: &[u32],
    ) -> Lowered<InputShape> {
        let leaves = self.leaves(ty)?;
        let (TyKind::Adt { args, .. }, true) = (ty.kind(), dims.is_empty()) else {
            return gap(format!("a parameter of type `{ty}`"));
        };
        let number = match &args[..] {
            [GenericArg::Type(t)] => types::scalar_kind(t),
            _ => None,
        };
        let (Some(kind), [leaf]) = (number, &leaves[..]) else {
            return gap(format!("a parameter of type `{ty}`"));
        };
        if leaf.kind != LeafKind::Scalar(kind) || kind == ScalarKind::Char {
            return gap(format!("a parameter of type `{ty}`"));
        }
        let full = [path, &leaf.path[..]].concat();
        let var = self.bounded(object, &full, kind, 1, None)?;
        Ok(InputShape::Made {
            before: "core::num::NonZero::new",
            parts: vec![InputShape::Scalar { var, kind }],
            after: ".unwrap()",
        })
    }

    /// A duration: seconds, and less than a thousand million nanoseconds.
    pub fn make_duration(
        &mut self,
        object: ObjectId,
        path: &[Step],
        ty: &Ty,
        dims: &[u32],
    ) -> Lowered<InputShape> {
        let leaves = self.leaves(ty)?;
        if !dims.is_empty() || leaves.len() > 2 {
            return gap(format!("a parameter of type `{ty}`"));
        }
        self.used.insert(crate::assumption::Assumption::StdInputs);
        let fields = [
            (ScalarKind::Unsigned(64), None),
            (ScalarKind::Unsigned(32), Some(999_999_999)),
        ];
        // What no run looks at is zero.
        let mut parts = vec![InputShape::Opaque("0".into()); 2];
        for leaf in leaves.iter() {
            let field = match leaf.path.first() {
                Some(Step::Field(i @ (0 | 1))) => *i as usize,
                _ => return gap(format!("a parameter of type `{ty}`")),
            };
            let (kind, most) = fields[field];
            if leaf.kind != LeafKind::Scalar(kind) {
                return gap(format!("a parameter of type `{ty}`"));
            }
            let full = [path, &leaf.path[..]].concat();
            let var = self.bounded(object, &full, kind, 0, most)?;
            parts[field] = InputShape::Scalar { var, kind };
        }
        Ok(InputShape::Made {
            before: "core::time::Duration::new",
            parts,
            after: "",
        })
    }

    /// A scalar whose bits, as an unsigned number, lie between these.
    fn bounded(
        &mut self,
        object: ObjectId,
        path: &[Step],
        kind: ScalarKind,
        least: u128,
        most: Option<u128>,
    ) -> Lowered<Var> {
        self.mark_initialised(object, path, &[]);
        let width = types::bits(kind);
        let leaf = (object, path, Part::Value, scalar_sort(kind));
        self.constrained_input(leaf, &[], least, move |l, t| {
            let low = l.pool.bv(least, width);
            let above = l.pool.ule(low, t);
            match most {
                Some(most) => {
                    let high = l.pool.bv(most, width);
                    let below = l.pool.ule(t, high);
                    l.pool.and(above, below)
                }
                None => above,
            }
        })
    }
}

fn made(before: &'static str, content: InputShape) -> InputShape {
    InputShape::Made {
        before,
        parts: vec![content],
        after: "",
    }
}
