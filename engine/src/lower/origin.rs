//! Which part of which MIR place a variable holds, spelled for those who read the proof and not this model.
//!
//! `bb4/_5.0` is field 0 of local 5 of the function that block 4 of the root calls, `@Some.0` a field of a variant,
//! `[]` the elements of an array (the variable is a function of the index), `(*_1)` what a parameter refers to. What
//! follows `#` is not the value itself: `#variant` the discriminant, `#len` a length, `#at0` where a pointer stands in
//! an array, `#init` whether there is a value. Constants, the heap and pointer targets have no such name.

use super::shape::Step;
use super::{Lowerer, ObjectId, ObjectKey, Part};
use std::fmt::Write;

impl Lowerer<'_> {
    pub fn origin(&self, object: ObjectId, path: &[Step], part: Part) -> Option<String> {
        let mut out = self.object_origin(object)?;
        self.write_path(&mut out, path);
        let _ = match part {
            Part::Value => Ok(()),
            Part::Flag => write!(out, "#init"),
            Part::Meta => write!(out, "#len"),
            Part::Index(k) => write!(out, "#at{k}"),
            Part::Tag => return None,
        };
        Some(out)
    }

    fn object_origin(&self, object: ObjectId) -> Option<String> {
        match &self.objects[object.0 as usize].key {
            ObjectKey::Local(instance, local) => {
                let calls = self.instances[instance.0 as usize].calls.as_ref()?;
                let mut out = String::new();
                for block in calls.iter() {
                    let _ = write!(out, "bb{block}/");
                }
                let _ = write!(out, "_{}", local.0);
                Some(out)
            }
            ObjectKey::Pointee(holder, path) => {
                let mut out = self.object_origin(*holder)?;
                self.write_path(&mut out, path);
                Some(format!("(*{out})"))
            }
            ObjectKey::Alloc(..)
            | ObjectKey::Literal(_)
            | ObjectKey::Static(_)
            | ObjectKey::Heap(..) => None,
        }
    }

    fn write_path(&self, out: &mut String, path: &[Step]) {
        for step in path {
            let _ = match step {
                Step::Field(i) => write!(out, ".{i}"),
                Step::Variant(v, i) => write!(out, "@{}.{i}", self.shapes.variant_name(*v)),
                Step::Elem => write!(out, "[]"),
                Step::Discriminant => write!(out, "#variant"),
            };
        }
    }
}
