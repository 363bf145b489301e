//! Windows: array values over a part of an array, and their elements.

use super::place::Located;
use super::shape::Step;
use super::types::{self, erase};
use super::value::{Leaf, LeafValue, PointerValue, Value};
use super::{Lowered, Lowerer, gap};
use crate::term::{Sort, Term};

impl Lowerer<'_> {
    /// An array value taken from a window (a sub-range of an array).
    pub fn load_window(&mut self, at: &Located) -> Lowered<Value> {
        let Some(n) = types::array_len(&at.ty) else {
            return gap("a window of unknown length");
        };
        if n > 256 {
            return gap("a large sub-range of an array used by value");
        }
        let mut value = self.undefined(&at.ty.clone())?;
        for k in 0..n {
            let i = self.bv64(k);
            let e = self.element(at.clone(), i)?;
            let v = self.load_located(&e)?;
            self.set_element(&mut value, i, &v)?;
        }
        Ok(value)
    }

    /// Puts an element into an array value.
    pub fn set_element(&mut self, array: &mut Value, i: Term, elem: &Value) -> Lowered<()> {
        for (path, l) in &elem.leaves {
            let mut full = vec![Step::Elem];
            full.extend(path);
            let Some((_, whole)) = array.leaves.iter_mut().find(|(p, _)| *p == full) else {
                continue;
            };
            if path.contains(&Step::Elem) {
                return gap("an array of arrays built element by element");
            }
            whole.init = self.pool.store(whole.init, i, l.init);
            match (&mut whole.leaf, &l.leaf) {
                (Leaf::Bits(a), Leaf::Bits(v)) => *a = self.pool.store(*a, i, *v),
                (Leaf::Pointer(a), Leaf::Pointer(v)) => {
                    a.tag = self.pool.store(a.tag, i, v.tag);
                    let sort = Sort::Array {
                        index: 64,
                        elem: 64,
                    };
                    while a.indices.len() < v.indices.len() {
                        a.indices.push(self.pool.constant(0, sort));
                    }
                    for (k, &ix) in v.indices.iter().enumerate() {
                        a.indices[k] = self.pool.store(a.indices[k], i, ix);
                    }
                    if let Some(m) = v.meta {
                        let old = match a.meta {
                            Some(old) => old,
                            None => self.pool.constant(0, sort),
                        };
                        a.meta = Some(self.pool.store(old, i, m));
                    }
                    a.targets.extend(&v.targets);
                }
                _ => return gap("an array of pointers and numbers"),
            }
        }
        Ok(())
    }

    /// An array value written over a window (a sub-range of an array, a box of an array).
    pub fn store_window(&mut self, at: &Located, value: &Value) -> Lowered<()> {
        let (Some(n), Some(elem)) = (types::array_len(&at.ty), types::element(&at.ty)) else {
            return gap("a slice written by value");
        };
        if n > 256 {
            return gap("a large array written over a sub-range of another");
        }
        let shapes = self.leaves(&erase(&elem))?;
        if shapes.iter().any(|s| !s.dims.is_empty()) {
            return gap("an array of arrays written over a sub-range of another");
        }
        for k in 0..n {
            let i = self.bv64(k);
            let mut item = Value::default();
            for shape in shapes.iter() {
                let mut full = vec![Step::Elem];
                full.extend(&shape.path);
                let Some(l) = value.get(&full).cloned() else {
                    return gap("an array of another shape");
                };
                item.leaves
                    .push((shape.path.clone(), self.select_leaf(&l, i)));
            }
            let e = self.element(at.clone(), i)?;
            self.store_located(&e, &item)?;
        }
        Ok(())
    }

    /// An element of a leaf that is a whole array.
    fn select_leaf(&mut self, l: &LeafValue, i: Term) -> LeafValue {
        let init = self.pool.select(l.init, i);
        let leaf = match &l.leaf {
            Leaf::Bits(t) => Leaf::Bits(self.pool.select(*t, i)),
            Leaf::Pointer(p) => Leaf::Pointer(PointerValue {
                tag: self.pool.select(p.tag, i),
                indices: p.indices.iter().map(|t| self.pool.select(*t, i)).collect(),
                meta: p.meta.map(|t| self.pool.select(t, i)),
                targets: p.targets.clone(),
            }),
        };
        LeafValue { leaf, init }
    }
}
