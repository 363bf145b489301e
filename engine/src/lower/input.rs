//! The root's parameters as arbitrary values of their types.

use super::instance::InstanceId;
use super::pointer::{TAG_WIDTH, Target};
use super::shape::{LeafKind, Step};
use super::types::{self, erase};
use super::value::{in_array, scalar_sort};
use super::{Lowered, Lowerer, ObjectId, ObjectKey, Part, gap};
use crate::mir::{Local, Ty, TyKind};
use crate::program::{Input, InputShape, ScalarKind, Texts, input_vars};
use crate::term::{Sort, Term, Var};

impl Lowerer<'_> {
    /// Makes every parameter an input and records how to show it.
    pub fn make_inputs(&mut self, root: InstanceId) -> Lowered<()> {
        let body = self.instances[root.0 as usize].body.body;
        for n in 1..=body.arg_count {
            let object = self.local_of(root, Local(n));
            let (ty, name) = {
                let o = &self.objects[object.0 as usize];
                (o.ty.clone(), o.name.clone())
            };
            let shape = self.make_input(object, &[], &ty, &[], 0)?;
            self.inputs.push(Input { name, shape });
        }
        Ok(())
    }

    pub fn input_var(&mut self, object: ObjectId, path: &[Step], part: Part, sort: Sort) -> Var {
        let t = self.part(object, path, part, sort);
        let v = self.vars[&(object, path.to_vec(), part)];
        debug_assert_eq!(self.pool.as_var(t), Some(v));
        self.input_vars.insert(v);
        v
    }

    /// The leaves below a path of an object become inputs. `dims` are the array dimensions above it.
    pub fn make_input(
        &mut self,
        object: ObjectId,
        path: &[Step],
        ty: &Ty,
        dims: &[u32],
        depth: u32,
    ) -> Lowered<InputShape> {
        if depth > 8 {
            return gap("a parameter with references nested too deeply");
        }
        if dims.iter().sum::<u32>() > 128 {
            return gap("a parameter with arrays nested too deeply");
        }
        self.mark_initialised(object, path, dims);
        if let Some(kind) = types::scalar_kind(ty) {
            let sort = in_array(scalar_sort(kind), dims);
            let var = if kind == ScalarKind::Char {
                let leaf = (object, path, Part::Value, sort);
                self.constrained_input(leaf, dims, 0, Lowerer::valid_char)?
            } else {
                self.input_var(object, path, Part::Value, sort)
            };
            return Ok(InputShape::Scalar { var, kind });
        }
        match ty.kind() {
            TyKind::Tuple(parts) => {
                let mut fields = vec![];
                for (i, t) in parts.iter().enumerate() {
                    let p = extend(path, Step::Field(i as u32));
                    fields.push(self.make_input(object, &p, &erase(t), dims, depth)?);
                }
                Ok(InputShape::Tuple(fields))
            }
            TyKind::Array(t, _) => {
                let Some(len) = types::array_len(ty) else {
                    return gap(format!("a parameter of type `{ty}`"));
                };
                let p = extend(path, Step::Elem);
                let mut dims = dims.to_vec();
                dims.push(if dims.is_empty() { 64 } else { 32 });
                let elem = self.make_input(object, &p, &erase(t), &dims, depth)?;
                Ok(InputShape::Array {
                    len: u128::from(len),
                    elem: Box::new(elem),
                })
            }
            TyKind::Ref {
                ty: to, mutable, ..
            } => {
                let inner = self.make_pointee(object, path, &erase(to), dims, depth)?;
                if *mutable {
                    let mut vars = vec![];
                    input_vars(&inner, &mut vars);
                    self.behind_mut.extend(vars);
                }
                Ok(InputShape::Reference(Box::new(inner)))
            }
            TyKind::Adt { path: adt, .. } => self.make_adt(object, path, ty, adt, dims, depth),
            TyKind::Closure(_) => {
                let mut fields = vec![];
                for ((_, i), t) in self.shapes.fields(ty) {
                    let p = extend(path, Step::Field(i));
                    fields.push(self.make_input(object, &p, &t, dims, depth)?);
                }
                Ok(InputShape::Tuple(fields))
            }
            TyKind::Never => gap("a parameter of type `!`"),
            TyKind::FnDef { .. } => Ok(InputShape::Opaque(ty.to_string())),
            _ => gap(format!("a parameter of type `{ty}`")),
        }
    }

    fn make_adt(
        &mut self,
        object: ObjectId,
        path: &[Step],
        ty: &Ty,
        adt: &str,
        dims: &[u32],
        depth: u32,
    ) -> Lowered<InputShape> {
        let facts = self.source.facts;
        if let Some(empty) = facts.empty_in(&ty.to_string()) {
            return gap(format!(
                "a parameter of type `{ty}`: `{empty}` may have no value"
            ));
        }
        match types::in_std(adt) {
            Some("vec::Vec") => return self.make_vector(object, path, ty, dims, depth),
            Some("slice::Iter") => return self.make_elements(object, path, ty, dims, depth),
            Some("str::Chars") => return self.make_chars(object, path, ty, dims, depth),
            Some("string::String") => return self.make_string(object, path, ty, dims, depth),
            Some("boxed::Box") => return self.make_box(object, path, ty, dims, depth),
            Some("num::NonZero") => return self.make_nonzero(object, path, ty, dims),
            Some("time::Duration") => return self.make_duration(object, path, ty, dims),
            Some("marker::PhantomData") => {
                return Ok(InputShape::Opaque("::core::marker::PhantomData".into()));
            }
            _ => {}
        }
        for foreign in ["Vec", "Box", "String", "Rc", "Arc", "HashMap", "BTreeMap"] {
            if adt.rsplit("::").next() == Some(foreign) && !adt.starts_with(self.source.crate_name)
            {
                return gap(format!("a parameter of type `{ty}`"));
            }
        }
        if ["Cell", "Atomic", "Mutex", "RefCell"].iter().any(|c| {
            adt.rsplit("::").next().is_some_and(|last| last.contains(c)) && adt.contains("::")
        }) {
            return gap(format!("a parameter with interior mutability, `{ty}`"));
        }
        if facts.is_union(adt) {
            return gap(format!("a parameter of type `{ty}`"));
        }
        let name = adt.rsplit("::").next().unwrap_or(adt).to_string();
        // Types of std keep invariants among private fields: not every pattern is a value.
        let is_std = types::in_std(adt).is_some();
        let plain = [
            "Range",
            "RangeFrom",
            "RangeTo",
            "Wrapping",
            "Saturating",
            "Reverse",
        ];
        if is_std && !plain.contains(&name.as_str()) && !self.shapes.is_enum(ty, facts) {
            return gap(format!("a parameter of type `{ty}`"));
        }
        let fields = self.shapes.fields(ty);
        if !self.shapes.is_enum(ty, facts) {
            let mut out = vec![];
            for ((_, i), t) in fields {
                let p = extend(path, Step::Field(i));
                out.push((i.to_string(), self.make_input(object, &p, &t, dims, depth)?));
            }
            return Ok(InputShape::Struct { name, fields: out });
        }
        let Some(fact) = facts.enum_fact(adt).filter(|f| f.complete) else {
            return gap(format!("the variants of `{adt}` are not all known"));
        };
        let int = self.shapes.discriminant_int(ty, facts);
        let p = extend(path, Step::Discriminant);
        self.mark_initialised(object, &p, dims);
        let sort = in_array(Sort::Bv(int.bits()), dims);
        let mut values = vec![];
        let mut variants = vec![];
        for v in &fact.variants {
            if facts.is_empty_variant(adt, &v.name) {
                return gap(format!(
                    "a parameter of type `{ty}`: `{}` may have no value",
                    v.name
                ));
            }
            let Some(bits) = v.bits() else {
                return gap(format!("the discriminant of `{adt}::{}`", v.name));
            };
            let bits = bits & int.mask();
            values.push(bits);
            let id = self.shapes.variant_id(&v.name);
            let mut parts = vec![];
            for ((variant, i), t) in &fields {
                if *variant == Some(id) {
                    // A field that no body mentions still has its position.
                    parts.resize(*i as usize, InputShape::Opaque("_".into()));
                    let p = extend(path, Step::Variant(id, *i));
                    parts.push(self.make_input(object, &p, t, dims, depth)?);
                }
            }
            variants.push((bits, v.name.clone(), parts));
        }
        let Some(&first) = values.first() else {
            return gap(format!("a parameter of the empty type `{ty}`"));
        };
        let w = int.bits();
        let leaf = (object, &p[..], Part::Value, sort);
        let discriminant = self.constrained_input(leaf, dims, first, move |l, t| {
            let mut any = l.pool.bool(false);
            for &v in &values {
                let k = l.pool.bv(v, w);
                let e = l.pool.eq(t, k);
                any = l.pool.or(any, e);
            }
            any
        })?;
        Ok(InputShape::Enum {
            name,
            discriminant,
            variants,
        })
    }

    /// The memory behind a reference parameter: its own object, shared with nobody.
    pub fn make_pointee(
        &mut self,
        object: ObjectId,
        path: &[Step],
        to: &Ty,
        dims: &[u32],
        depth: u32,
    ) -> Lowered<InputShape> {
        if matches!(to.kind(), TyKind::Dyn { .. }) {
            return gap("a parameter that is a trait object");
        }
        let name = {
            let base = self.objects[object.0 as usize].name.clone();
            if path.is_empty() {
                format!("*{base}")
            } else {
                format!("*{base}.{}", path.len())
            }
        };
        let name = if types::is_unsized_sequence(to) {
            name.trim_start_matches('*').to_string()
        } else {
            name
        };
        let key = ObjectKey::Pointee(object, path.to_vec());
        let pointee = self.object(key, to, dims.to_vec(), name);
        let mut inner_path: Vec<Step> = dims.iter().map(|_| Step::Elem).collect();
        let mut inner_dims = dims.to_vec();
        let sort64 = in_array(Sort::Bv(64), dims);
        let slice = types::is_unsized_sequence(to);
        if slice {
            inner_path.push(Step::Elem);
            inner_dims.push(64);
        }
        // The pointer leaf: fixed target, row indices given by where the pointer stands, start 0.
        let target = Target::Place(pointee, inner_path.clone());
        self.point_at_entry(object, path, target, dims)?;
        for (k, _) in dims.iter().enumerate() {
            if dims.len() > 1 {
                return gap("references inside nested arrays in a parameter");
            }
            // Element i points to row i: the index array is the identity.
            let bound = self.pool.fresh("row", Sort::Bv(64));
            let b = self.pool.var(bound);
            let identity = self.pool.lambda(bound, b, sort64);
            self.set_at_entry(object, path, Part::Index(k as u8), identity, sort64)?;
        }
        if slice {
            let zero = self.pool.constant(0, sort64);
            let k = dims.len() as u8;
            self.set_at_entry(object, path, Part::Index(k), zero, sort64)?;
            let elem = types::element(to).unwrap_or_else(Ty::unit);
            let max = self.most_elements(&erase(&elem))?;
            let leaf = (pointee, &[][..], Part::Meta, sort64);
            let len = self.constrained_input(leaf, dims, 0, move |l, t| {
                let m = l.bv64(max);
                l.pool.ule(t, m)
            })?;
            let t = self.part(pointee, &[], Part::Meta, sort64);
            self.set_at_entry(object, path, Part::Meta, t, sort64)?;
            let is_text = matches!(to.kind(), TyKind::Str);
            if is_text && dims.is_empty() {
                return self.make_text(pointee, &inner_path, len, None);
            }
            let elem =
                self.make_input(pointee, &inner_path, &erase(&elem), &inner_dims, depth + 1)?;
            // Texts in arrays are any bytes: a counterexample must have valid ones.
            if let (true, InputShape::Scalar { var: bytes, .. }) = (is_text, &elem) {
                return Ok(InputShape::Text {
                    len,
                    bytes: *bytes,
                    texts: Texts::AnyBytes,
                    capacity: None,
                });
            }
            return Ok(InputShape::Slice {
                len,
                elem: Box::new(elem),
            });
        }
        self.make_input(pointee, &inner_path, to, &inner_dims, depth + 1)
    }

    /// The pointer at this leaf points to the target when the root is called, whatever it points to later.
    pub fn point_at_entry(
        &mut self,
        object: ObjectId,
        path: &[Step],
        target: Target,
        dims: &[u32],
    ) -> Lowered<()> {
        let target = self.target(target);
        self.flow(object, path, &[target].into());
        let sort = in_array(Sort::Bv(TAG_WIDTH), dims);
        let tag = self.pool.constant(u128::from(target.0), sort);
        self.set_at_entry(object, path, Part::Tag, tag, sort)
    }

    pub fn set_at_entry(
        &mut self,
        object: ObjectId,
        path: &[Step],
        part: Part,
        value: Term,
        sort: Sort,
    ) -> Lowered<()> {
        self.part(object, path, part, sort);
        let Some(&var) = self.vars.get(&(object, path.to_vec(), part)) else {
            return gap("a variable that was never made");
        };
        self.entry_setup
            .push(crate::program::Stmt::Assign(var, value));
        Ok(())
    }

    pub fn mark_initialised(&mut self, object: ObjectId, path: &[Step], dims: &[u32]) {
        let key = &self.objects[object.0 as usize].key;
        if !matches!(key, ObjectKey::Local(..)) {
            return;
        }
        let ty = self.objects[object.0 as usize].ty.clone();
        let is_leaf = self
            .leaves(&ty)
            .is_ok_and(|l| l.iter().any(|s| s.path == path));
        if !is_leaf {
            return;
        }
        let sort = in_array(Sort::Bool, dims);
        let yes = self.pool.constant(1, sort);
        let _ = self.set_at_entry(object, path, Part::Flag, yes, sort);
    }

    /// An input all of whose values satisfy a condition. Inside arrays that would need a quantifier: there the
    /// input is unconstrained, and the program starts by making every invalid element the default.
    pub fn constrained_input(
        &mut self,
        leaf: (ObjectId, &[Step], Part, Sort),
        dims: &[u32],
        default: u128,
        condition: impl Fn(&mut Self, Term) -> Term,
    ) -> Lowered<Var> {
        let (object, path, part, sort) = leaf;
        if dims.is_empty() {
            let var = self.input_var(object, path, part, sort);
            let t = self.pool.var(var);
            let c = condition(self, t);
            self.requires.push(c);
            return Ok(var);
        }
        let raw = self.input_var(object, path, part, sort);
        let (Sort::Array { index, .. }, elem) = (sort, sort.element()) else {
            return gap("an array of an unusual sort");
        };
        let bound = self.pool.fresh("element", Sort::Bv(index));
        let (b, array) = (self.pool.var(bound), self.pool.var(raw));
        let value = self.pool.select(array, b);
        let valid = condition(self, value);
        let fallback = self.pool.constant(default, elem);
        let value = self.pool.ite(valid, value, fallback);
        let all = self.pool.lambda(bound, value, sort);
        self.set_at_entry(object, path, part, all, sort)?;
        Ok(raw)
    }

    /// The spot of a leaf kind, for arbitrary values drawn in the middle of a run.
    pub fn scalar_leaf(&mut self, ty: &Ty) -> Lowered<ScalarKind> {
        let leaves = self.leaves(ty)?;
        match leaves.as_slice() {
            [l] if l.dims.is_empty() => match l.kind {
                LeafKind::Scalar(k) => Ok(k),
                LeafKind::Pointer(_) => gap("an arbitrary pointer"),
            },
            _ => gap(format!("an arbitrary value of type `{ty}`")),
        }
    }
}

pub fn extend(path: &[Step], step: Step) -> Vec<Step> {
    let mut p = path.to_vec();
    p.push(step);
    p
}
