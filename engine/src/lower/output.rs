//! What a caller sees when the root returns: the returned value, and memory behind `&mut` parameters.

use super::instance::InstanceId;
use super::shape::Step;
use super::types::{self, erase};
use super::value::{in_array, scalar_sort};
use super::{Lowered, Lowerer, ObjectId, ObjectKey, Part, gap};
use crate::mir::{Local, Ty, TyKind};
use crate::program::InputShape;
use crate::term::{Sort, Var};

impl Lowerer<'_> {
    /// The variables of the returned value and of what the root's parameters lead to.
    pub fn output_vars(&self) -> Vec<Var> {
        let seen = self
            .vars
            .iter()
            .filter(|((object, _, part), _)| *part != Part::Flag && self.is_visible(*object));
        seen.map(|(_, var)| *var).collect()
    }

    fn is_visible(&self, object: ObjectId) -> bool {
        match &self.objects[object.0 as usize].key {
            ObjectKey::Local(InstanceId(0), Local::RETURN) | ObjectKey::Static(_) => true,
            ObjectKey::Pointee(of, _) => self.is_reached_from_parameter(*of),
            _ => false,
        }
    }

    fn is_reached_from_parameter(&self, object: ObjectId) -> bool {
        match &self.objects[object.0 as usize].key {
            ObjectKey::Local(InstanceId(0), _) => true,
            ObjectKey::Pointee(of, _) => self.is_reached_from_parameter(*of),
            _ => false,
        }
    }

    /// The returned value by its variables; what has no such form (pointers, unknown enums) is opaque.
    pub fn returned_shape(&mut self) -> InputShape {
        let object = self.local_of(InstanceId(0), Local::RETURN);
        let ty = self.objects[object.0 as usize].ty.clone();
        self.value_shape(object, &[], &ty, &[])
            .unwrap_or_else(|_| InputShape::Opaque(ty.to_string()))
    }

    fn value_shape(
        &mut self,
        object: ObjectId,
        path: &[Step],
        ty: &Ty,
        dims: &[u32],
    ) -> Lowered<InputShape> {
        let below = |step: Step| [path, &[step]].concat();
        if let Some(kind) = types::scalar_kind(ty) {
            let var = self.value_var(object, path, in_array(scalar_sort(kind), dims))?;
            return Ok(InputShape::Scalar { var, kind });
        }
        match ty.kind() {
            TyKind::Tuple(parts) => {
                let shapes = parts.iter().enumerate().map(|(i, t)| {
                    self.value_shape(object, &below(Step::Field(i as u32)), &erase(t), dims)
                });
                Ok(InputShape::Tuple(shapes.collect::<Lowered<_>>()?))
            }
            TyKind::Array(t, _) => {
                let Some(len) = types::array_len(ty) else {
                    return gap("an array of unknown length");
                };
                let mut dims = dims.to_vec();
                dims.push(if dims.is_empty() { 64 } else { 32 });
                let elem = self.value_shape(object, &below(Step::Elem), &erase(t), &dims)?;
                Ok(InputShape::Array {
                    len: u128::from(len),
                    elem: Box::new(elem),
                })
            }
            TyKind::Adt { path: adt, .. } if types::transparent(ty).is_none() => {
                let name = adt.rsplit("::").next().unwrap_or(adt).to_string();
                if self.shapes.is_enum(ty, self.source.facts) {
                    return self.enum_shape(object, path, ty, name, dims);
                }
                let mut fields = vec![];
                for ((_, i), t) in self.shapes.fields(ty) {
                    let shape = self.value_shape(object, &below(Step::Field(i)), &t, dims)?;
                    fields.push((i.to_string(), shape));
                }
                Ok(InputShape::Struct { name, fields })
            }
            _ => Ok(InputShape::Opaque(ty.to_string())),
        }
    }

    fn enum_shape(
        &mut self,
        object: ObjectId,
        path: &[Step],
        ty: &Ty,
        name: String,
        dims: &[u32],
    ) -> Lowered<InputShape> {
        let facts = self.source.facts;
        let fact = match ty.kind() {
            TyKind::Adt { path, .. } => facts.enum_fact(path).filter(|f| f.complete),
            _ => None,
        };
        let Some(fact) = fact else {
            return gap(format!("the variants of `{ty}` are not all known"));
        };
        let below = |step: Step| [path, &[step]].concat();
        let int = self.shapes.discriminant_int(ty, facts);
        let sort = in_array(Sort::Bv(int.bits()), dims);
        let discriminant = self.value_var(object, &below(Step::Discriminant), sort)?;
        let mut variants = vec![];
        for v in &fact.variants {
            let Some(bits) = v.bits() else {
                return gap(format!("the discriminant of `{ty}::{}`", v.name));
            };
            let id = self.shapes.variant_id(&v.name);
            let mut parts = vec![];
            for ((variant, i), t) in self.shapes.fields(ty) {
                if variant == Some(id) {
                    parts.resize(i as usize, InputShape::Opaque("_".into()));
                    parts.push(self.value_shape(object, &below(Step::Variant(id, i)), &t, dims)?);
                }
            }
            variants.push((bits & int.mask(), v.name.clone(), parts));
        }
        Ok(InputShape::Enum {
            name,
            discriminant,
            variants,
        })
    }

    fn value_var(&mut self, object: ObjectId, path: &[Step], sort: Sort) -> Lowered<Var> {
        let t = self.part(object, path, Part::Value, sort);
        match self.pool.as_var(t) {
            Some(v) => Ok(v),
            None => gap("a leaf without a variable"),
        }
    }
}
