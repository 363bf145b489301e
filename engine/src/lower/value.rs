//! Values in flight: the leaves of an operand, each with its term and whether it is initialised.

use super::pointer::TargetId;
use super::shape::{LeafKind, LeafShape, Step};
use super::{Lowered, Lowerer, gap};
use crate::mir::Ty;
use crate::program::ScalarKind;
use crate::term::{Sort, Term};
use std::collections::BTreeSet;

/// A pointer: which target, where in it, how long. Inside arrays all terms are arrays.
#[derive(Clone, Debug, PartialEq)]
pub struct PointerValue {
    pub tag: Term,
    /// One index for each `Elem` of the target's path (targets with fewer ignore the rest).
    pub indices: Vec<Term>,
    /// The length of a slice or str.
    pub meta: Option<Term>,
    pub targets: BTreeSet<TargetId>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Leaf {
    Bits(Term),
    Pointer(PointerValue),
}

#[derive(Clone, Debug, PartialEq)]
pub struct LeafValue {
    pub leaf: Leaf,
    pub init: Term,
}

/// The leaves of a value by path relative to it, in the order of its type's shape.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Value {
    pub leaves: Vec<(Vec<Step>, LeafValue)>,
}

impl Value {
    pub fn get(&self, path: &[Step]) -> Option<&LeafValue> {
        self.leaves.iter().find(|(p, _)| p == path).map(|(_, l)| l)
    }

    /// The value below a path.
    pub fn below(&self, prefix: &[Step]) -> Value {
        Value {
            leaves: self
                .leaves
                .iter()
                .filter(|(p, _)| p.starts_with(prefix))
                .map(|(p, l)| (p[prefix.len()..].to_vec(), l.clone()))
                .collect(),
        }
    }
}

/// The sort of the leaf's bits outside of arrays.
pub fn scalar_sort(kind: ScalarKind) -> Sort {
    match kind {
        ScalarKind::Bool => Sort::Bool,
        _ => Sort::Bv(super::types::bits(kind)),
    }
}

/// The sort of a scalar inside arrays with these dimensions.
pub fn in_array(sort: Sort, dims: &[u32]) -> Sort {
    if dims.is_empty() {
        return sort;
    }
    Sort::Array {
        index: dims.iter().sum(),
        elem: match sort {
            Sort::Bool => 0,
            other => other.width(),
        },
    }
}

impl Lowerer<'_> {
    pub fn leaves(&mut self, ty: &Ty) -> Lowered<std::rc::Rc<Vec<LeafShape>>> {
        let facts = self.source.facts;
        let leaves = self.shapes.leaves(&super::types::erase(ty), facts)?;
        if leaves.iter().any(|l| l.dims.iter().sum::<u32>() > 128) {
            return gap(format!("arrays nested too deeply in `{ty}`"));
        }
        Ok(leaves)
    }

    /// A value with one leaf: scalars and pointers.
    pub fn scalar(&mut self, t: Term) -> Value {
        let init = self.pool.bool(true);
        Value {
            leaves: vec![(
                vec![],
                LeafValue {
                    leaf: Leaf::Bits(t),
                    init,
                },
            )],
        }
    }

    pub fn pointer(&mut self, p: PointerValue) -> Value {
        let init = self.pool.bool(true);
        Value {
            leaves: vec![(
                vec![],
                LeafValue {
                    leaf: Leaf::Pointer(p),
                    init,
                },
            )],
        }
    }

    /// The bits of a scalar value; reading something uninitialised is a violation.
    pub fn bits(&mut self, value: &Value) -> Lowered<Term> {
        match value.leaves.as_slice() {
            [(_, l)] => {
                let l = l.clone();
                self.check_defined(l.init, "read of an uninitialised value");
                match l.leaf {
                    Leaf::Bits(t) => Ok(t),
                    Leaf::Pointer(_) => gap("a pointer used as a number"),
                }
            }
            [] => gap("a value without a scalar where one was expected"),
            _ => gap("an aggregate where a scalar was expected"),
        }
    }

    /// The pointer in a value that is one (or a wrapper around one).
    pub fn pointer_of(&mut self, value: &Value) -> Lowered<PointerValue> {
        match value.leaves.as_slice() {
            [(_, l)] => {
                let l = l.clone();
                self.check_defined(l.init, "read of an uninitialised pointer");
                match l.leaf {
                    Leaf::Pointer(p) => Ok(p),
                    Leaf::Bits(_) => gap("a number used as a pointer"),
                }
            }
            _ => gap("a pointer of an unknown shape"),
        }
    }

    /// Chooses between two values of the same type.
    pub fn choose(&mut self, cond: Term, a: &Value, b: &Value) -> Value {
        let mut leaves = vec![];
        for (path, x) in &a.leaves {
            let Some(y) = b.get(path) else { continue };
            let init = self.pool.ite(cond, x.init, y.init);
            let leaf = match (&x.leaf, &y.leaf) {
                (Leaf::Bits(s), Leaf::Bits(t)) => Leaf::Bits(self.pool.ite(cond, *s, *t)),
                (Leaf::Pointer(p), Leaf::Pointer(q)) => {
                    Leaf::Pointer(self.choose_pointer(cond, p, q))
                }
                (other, _) => other.clone(),
            };
            leaves.push((path.clone(), LeafValue { leaf, init }));
        }
        Value { leaves }
    }

    pub fn choose_pointer(
        &mut self,
        cond: Term,
        p: &PointerValue,
        q: &PointerValue,
    ) -> PointerValue {
        let n = p.indices.len().max(q.indices.len());
        let mut indices = vec![];
        for k in 0..n {
            let t = match (p.indices.get(k), q.indices.get(k)) {
                (Some(&a), Some(&b)) => self.pool.ite(cond, a, b),
                (Some(&a), None) => a,
                (None, Some(&b)) => b,
                (None, None) => continue,
            };
            indices.push(t);
        }
        let meta = match (p.meta, q.meta) {
            (Some(a), Some(b)) => Some(self.pool.ite(cond, a, b)),
            (a, b) => a.or(b),
        };
        PointerValue {
            tag: self.pool.ite(cond, p.tag, q.tag),
            indices,
            meta,
            targets: p.targets.union(&q.targets).copied().collect(),
        }
    }

    /// The value as it is now, in variables of its own: later writes do not change it.
    pub fn save(&mut self, value: &Value) -> Value {
        let keep = |l: &mut Self, t: Term| {
            if l.pool.as_const(t).is_some() {
                return t;
            }
            let sort = l.pool.sort(t);
            let temp = l.pool.fresh("saved", sort);
            l.draw_vars.push(temp);
            l.assign(temp, t);
            l.pool.var(temp)
        };
        let mut out = value.clone();
        for (_, leaf) in &mut out.leaves {
            leaf.init = keep(self, leaf.init);
            match &mut leaf.leaf {
                Leaf::Bits(t) => *t = keep(self, *t),
                Leaf::Pointer(p) => {
                    p.tag = keep(self, p.tag);
                    for i in &mut p.indices {
                        *i = keep(self, *i);
                    }
                    if let Some(m) = p.meta {
                        p.meta = Some(keep(self, m));
                    }
                }
            }
        }
        out
    }

    /// A value of a type whose leaves are all uninitialised.
    pub fn undefined(&mut self, ty: &Ty) -> Lowered<Value> {
        let leaves = self.leaves(ty)?;
        let no = self.pool.bool(false);
        let mut out = vec![];
        for l in leaves.iter() {
            let init = match in_array(Sort::Bool, &l.dims) {
                Sort::Bool => no,
                s => self.pool.const_array(no, s),
            };
            let leaf = match &l.kind {
                LeafKind::Scalar(k) => {
                    let sort = in_array(scalar_sort(*k), &l.dims);
                    Leaf::Bits(self.pool.constant(0, sort))
                }
                LeafKind::Pointer(_) => Leaf::Pointer(self.null_pointer(&l.dims)),
            };
            out.push((l.path.clone(), LeafValue { leaf, init }));
        }
        Ok(Value { leaves: out })
    }

    fn null_pointer(&mut self, dims: &[u32]) -> PointerValue {
        let sort = in_array(Sort::Bv(super::pointer::TAG_WIDTH), dims);
        PointerValue {
            tag: self.pool.constant(0, sort),
            indices: vec![],
            meta: None,
            targets: BTreeSet::new(),
        }
    }
}
