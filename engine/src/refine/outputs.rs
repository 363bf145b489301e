//! What a caller sees of a run: the returned value and the memory behind references, on two sides at once.
//!
//! Shapes come from the types that each program mentions, so one side may know a field that the other never
//! touches. Of an input that is an arbitrary value of its own; of memory it is what was there at the start; of a
//! returned value there is nothing to compare it with, and the answer is an error that says so.

use crate::program::{InputShape, Program};
use crate::term::{Pool, Sort, Term, Value, Var};

/// A leaf of the inputs: its variable before, after, or on both sides.
pub type InputPair = (Option<Var>, Option<Var>);

/// The leaves of all inputs of both programs, side by side.
pub fn inputs(before: &Program, after: &Program) -> Result<Vec<InputPair>, String> {
    if before.inputs.len() != after.inputs.len() {
        return Err("the parameters differ".into());
    }
    let mut out = vec![];
    for (a, b) in before.inputs.iter().zip(&after.inputs) {
        walk(&a.shape, &b.shape, &mut |pair| {
            out.push(pair);
            Ok(())
        })?;
    }
    Ok(out)
}

fn one_sided(
    shape: &InputShape,
    is_before: bool,
    leaf: &mut dyn FnMut(InputPair) -> Result<(), String>,
) -> Result<(), String> {
    let mut vars = vec![];
    crate::program::input_vars(shape, &mut vars);
    for v in vars {
        leaf(if is_before {
            (Some(v), None)
        } else {
            (None, Some(v))
        })?;
    }
    Ok(())
}

fn walk(
    a: &InputShape,
    b: &InputShape,
    leaf: &mut dyn FnMut(InputPair) -> Result<(), String>,
) -> Result<(), String> {
    use InputShape as S;
    match (a, b) {
        (S::Scalar { var: x, .. }, S::Scalar { var: y, .. }) => leaf((Some(*x), Some(*y))),
        (S::Array { elem: x, .. }, S::Array { elem: y, .. }) => walk(x, y, leaf),
        (S::Slice { len: m, elem: x }, S::Slice { len: n, elem: y }) => {
            leaf((Some(*m), Some(*n)))?;
            walk(x, y, leaf)
        }
        (
            S::Text {
                len: m, bytes: x, ..
            },
            S::Text {
                len: n, bytes: y, ..
            },
        ) => {
            leaf((Some(*m), Some(*n)))?;
            leaf((Some(*x), Some(*y)))
        }
        (S::Reference(x), S::Reference(y)) => walk(x, y, leaf),
        (S::Made { parts: x, .. }, S::Made { parts: y, .. }) if x.len() == y.len() => {
            x.iter().zip(y).try_for_each(|(x, y)| walk(x, y, leaf))
        }
        (S::Opaque(_), S::Opaque(_)) => Ok(()),
        (S::Opaque(_), other) => one_sided(other, false, leaf),
        (other, S::Opaque(_)) => one_sided(other, true, leaf),
        (
            S::Enum {
                discriminant: d,
                variants: v,
                ..
            },
            S::Enum {
                discriminant: e,
                variants: w,
                ..
            },
        ) => {
            leaf((Some(*d), Some(*e)))?;
            if v.len() != w.len() {
                return Err("the variants of a parameter differ".into());
            }
            for ((_, _, x), (_, _, y)) in v.iter().zip(w) {
                for pair in side_by_side(x, y) {
                    match pair {
                        (Some(x), Some(y)) => walk(x, y, leaf)?,
                        (Some(x), None) => one_sided(x, true, leaf)?,
                        (None, Some(y)) => one_sided(y, false, leaf)?,
                        (None, None) => {}
                    }
                }
            }
            Ok(())
        }
        _ => match (parts(a), parts(b)) {
            (Some(x), Some(y)) => {
                for (name, part) in &x {
                    match y.iter().find(|(n, _)| n == name) {
                        Some((_, other)) => walk(part, other, leaf)?,
                        None => one_sided(part, true, leaf)?,
                    }
                }
                for (name, part) in &y {
                    if !x.iter().any(|(n, _)| n == name) {
                        one_sided(part, false, leaf)?;
                    }
                }
                Ok(())
            }
            _ => Err("a parameter has another shape after the pass".into()),
        },
    }
}

/// Fields by name, of structs and tuples alike.
fn parts(shape: &InputShape) -> Option<Vec<(String, &InputShape)>> {
    match shape {
        InputShape::Made { .. } if holds_reference(shape) => None,
        InputShape::Tuple(fields) | InputShape::Made { parts: fields, .. } => Some(
            fields
                .iter()
                .enumerate()
                .map(|(i, f)| (i.to_string(), f))
                .collect(),
        ),
        InputShape::Struct { fields, .. } => {
            Some(fields.iter().map(|(n, f)| (n.clone(), f)).collect())
        }
        _ => None,
    }
}

fn holds_reference(shape: &InputShape) -> bool {
    use InputShape as S;
    match shape {
        S::Reference(_) | S::Vector { .. } | S::Elements { .. } => true,
        S::Array { elem, .. } | S::Slice { elem, .. } => holds_reference(elem),
        S::Tuple(fields) => fields.iter().any(holds_reference),
        // A run may put another box there.
        S::Made { parts, .. } => parts.iter().any(|p| !matches!(p, S::Scalar { .. })),
        S::Struct { fields, .. } => fields.iter().any(|(_, f)| holds_reference(f)),
        S::Enum { variants, .. } => variants
            .iter()
            .any(|(_, _, f)| f.iter().any(holds_reference)),
        S::Scalar { .. } | S::Text { .. } | S::Opaque(_) => false,
    }
}

fn side_by_side<'a>(
    a: &'a [InputShape],
    b: &'a [InputShape],
) -> Vec<(Option<&'a InputShape>, Option<&'a InputShape>)> {
    (0..a.len().max(b.len()))
        .map(|i| (a.get(i), b.get(i)))
        .collect()
}

/// Builds the condition under which two runs that returned are different for a caller.
pub struct Comparison<'a> {
    pub pool: &'a mut Pool,
    /// The final value of a variable of either side (`true`: before the pass).
    pub value: &'a dyn Fn(&mut Pool, bool, Var) -> Term,
    /// The initial value of a leaf of memory, for a side that never mentions it.
    pub initial: &'a dyn Fn(&mut Pool, bool, Var) -> Option<Term>,
    /// Indices at which arrays may differ: the run is different if it is so for some values of them.
    pub witnesses: Vec<Var>,
}

impl Comparison<'_> {
    /// Of the whole outcome of two programs.
    pub fn outcome(&mut self, before: &Program, after: &Program) -> Result<Term, String> {
        let mut all = self.differ(Some(&before.returned), Some(&after.returned), &[], false)?;
        for (a, b) in before.inputs.iter().zip(&after.inputs) {
            let d = self.memory(&a.shape, &b.shape)?;
            all = self.pool.or(all, d);
        }
        Ok(all)
    }

    /// Below references only: a parameter passed by value is gone when the run returns.
    fn memory(&mut self, a: &InputShape, b: &InputShape) -> Result<Term, String> {
        let mut all = self.pool.bool(false);
        if let (InputShape::Reference(x), InputShape::Reference(y)) = (a, b) {
            return self.differ(Some(x), Some(y), &[], true);
        }
        if !holds_reference(a) && !holds_reference(b) {
            return Ok(all);
        }
        let (Some(x), Some(y)) = (parts(a), parts(b)) else {
            return Err("memory behind references inside an enum or array is not compared".into());
        };
        for (name, part) in &x {
            let d = match y.iter().find(|(n, _)| n == name) {
                Some((_, other)) => self.memory(part, other)?,
                None if holds_reference(part) => {
                    return Err("memory that only one side mentions".into());
                }
                None => continue,
            };
            all = self.pool.or(all, d);
        }
        let one_sided = |(name, part): &(String, &InputShape)| {
            holds_reference(part) && !x.iter().any(|(n, _)| n == name)
        };
        if y.iter().any(one_sided) {
            return Err("memory that only one side mentions".into());
        }
        Ok(all)
    }

    fn leaf(&mut self, is_before: bool, v: Var, at: &[Term]) -> Term {
        let t = (self.value)(self.pool, is_before, v);
        self.element(t, at)
    }

    fn element(&mut self, t: Term, at: &[Term]) -> Term {
        if !self.pool.sort(t).is_array() {
            return t;
        }
        let mut index = at[0];
        for &i in &at[1..] {
            index = self.pool.concat(index, i);
        }
        self.pool.select(t, index)
    }

    fn unequal(&mut self, x: Var, y: Var, at: &[Term]) -> Result<Term, String> {
        let (a, b) = (self.leaf(true, x, at), self.leaf(false, y, at));
        if self.pool.sort(a) != self.pool.sort(b) {
            return Err("a result has another type after the pass".into());
        }
        let e = self.pool.eq(a, b);
        Ok(self.pool.not(e))
    }

    fn differ(
        &mut self,
        a: Option<&InputShape>,
        b: Option<&InputShape>,
        at: &[Term],
        is_memory: bool,
    ) -> Result<Term, String> {
        use InputShape as S;
        let (a, b) = match (a, b) {
            (Some(S::Opaque(x)), Some(S::Opaque(y))) if x == "!" && y == "!" => {
                return Ok(self.pool.bool(false));
            }
            (Some(S::Opaque(_)) | None, Some(S::Opaque(_)) | None) if is_memory => {
                return Ok(self.pool.bool(false));
            }
            (Some(S::Opaque(x)), _) | (_, Some(S::Opaque(x))) if !is_memory => {
                return Err(format!(
                    "the returned value is not compared: it holds a `{x}`"
                ));
            }
            (Some(S::Opaque(_)) | None, Some(b)) => return self.changed(b, false, at, is_memory),
            (Some(a), Some(S::Opaque(_)) | None) => return self.changed(a, true, at, is_memory),
            (Some(a), Some(b)) => (a, b),
            (None, None) => return Ok(self.pool.bool(false)),
        };
        match (a, b) {
            (S::Scalar { var: x, .. }, S::Scalar { var: y, .. }) => self.unequal(*x, *y, at),
            // The run may have turned the pointer to something else.
            (S::Reference(_), _) | (_, S::Reference(_)) => {
                Err("a reference that is itself behind a reference is not compared".into())
            }
            (S::Array { len, elem: x }, S::Array { elem: y, .. }) => {
                let bound = *len;
                self.some_element(
                    at,
                    |c, i| {
                        let w = c.pool.width(i);
                        let n = c.pool.bv(bound, w);
                        (n, false)
                    },
                    |c, at| c.differ(Some(x), Some(y), at, is_memory),
                )
            }
            (S::Slice { len: m, elem: x }, S::Slice { len: n, elem: y }) => {
                let lengths = self.unequal(*m, *n, at)?;
                let length = self.leaf(true, *m, at);
                let elements = self.some_element(
                    at,
                    |_, _| (length, true),
                    |c, at| c.differ(Some(x), Some(y), at, is_memory),
                )?;
                Ok(self.pool.or(lengths, elements))
            }
            (
                S::Text {
                    len: m, bytes: x, ..
                },
                S::Text {
                    len: n, bytes: y, ..
                },
            ) => {
                let lengths = self.unequal(*m, *n, at)?;
                let length = self.leaf(true, *m, at);
                let bytes =
                    self.some_element(at, |_, _| (length, true), |c, at| c.unequal(*x, *y, at))?;
                Ok(self.pool.or(lengths, bytes))
            }
            (
                S::Enum {
                    discriminant: d,
                    variants: v,
                    ..
                },
                S::Enum {
                    discriminant: e,
                    variants: w,
                    ..
                },
            ) => {
                let mut all = self.unequal(*d, *e, at)?;
                let tag = self.leaf(true, *d, at);
                let width = self.pool.width(tag);
                for ((bits, _, x), (_, _, y)) in v.iter().zip(w) {
                    let k = self.pool.bv(*bits, width);
                    let is_it = self.pool.eq(tag, k);
                    for (x, y) in side_by_side(x, y) {
                        let d = self.differ(x, y, at, is_memory)?;
                        let d = self.pool.and(is_it, d);
                        all = self.pool.or(all, d);
                    }
                }
                Ok(all)
            }
            _ => {
                let (Some(x), Some(y)) = (parts(a), parts(b)) else {
                    return Err("a result has another shape after the pass".into());
                };
                let mut all = self.pool.bool(false);
                for (name, part) in &x {
                    let other = y.iter().find(|(n, _)| n == name).map(|(_, s)| *s);
                    let d = self.differ(Some(part), other, at, is_memory)?;
                    all = self.pool.or(all, d);
                }
                for (name, part) in &y {
                    if !x.iter().any(|(n, _)| n == name) {
                        let d = self.differ(None, Some(part), at, is_memory)?;
                        all = self.pool.or(all, d);
                    }
                }
                Ok(all)
            }
        }
    }

    /// `bound(index)` gives the length; some element below it differs.
    fn some_element(
        &mut self,
        at: &[Term],
        bound: impl FnOnce(&mut Self, Term) -> (Term, bool),
        differ: impl FnOnce(&mut Self, &[Term]) -> Result<Term, String>,
    ) -> Result<Term, String> {
        let width = if at.is_empty() { 64 } else { 32 };
        let v = self.pool.fresh("at", Sort::Bv(width));
        self.witnesses.push(v);
        let i = self.pool.var(v);
        let (mut n, resize) = bound(self, i);
        if resize && self.pool.width(n) != width {
            n = self.pool.resize(n, width, false);
        }
        let inside = self.pool.ult(i, n);
        let there = [at, &[i]].concat();
        let d = differ(self, &there)?;
        Ok(self.pool.and(inside, d))
    }

    /// The other side never mentions this memory: does this side leave it as it was?
    fn changed(
        &mut self,
        shape: &InputShape,
        is_before: bool,
        at: &[Term],
        is_memory: bool,
    ) -> Result<Term, String> {
        if !is_memory {
            return Err("the returned value has a part that only one side mentions".into());
        }
        let mut vars = vec![];
        crate::program::input_vars(shape, &mut vars);
        let mut all = self.pool.bool(false);
        for v in vars {
            let Some(old) = (self.initial)(self.pool, is_before, v) else {
                return Err("memory that only one side mentions".into());
            };
            let new = (self.value)(self.pool, is_before, v);
            if old == new {
                continue;
            }
            let mut there = at.to_vec();
            if let Sort::Array { index, .. } = self.pool.sort(new) {
                let mut known: u32 = there.iter().map(|t| self.pool.width(*t)).sum();
                while known < index {
                    let w = if known == 0 { 64 } else { 32 };
                    let i = self.pool.fresh("at", Sort::Bv(w));
                    self.witnesses.push(i);
                    there.push(self.pool.var(i));
                    known += w;
                }
            }
            let (old, new) = (self.element(old, &there), self.element(new, &there));
            let e = self.pool.eq(old, new);
            let d = self.pool.not(e);
            all = self.pool.or(all, d);
        }
        Ok(all)
    }
}

/// Longest array that is compared element by element in concrete runs.
const MAX_ELEMENTS: u128 = 1024;

/// Are two final states different for a caller? Only ever used to find a difference.
pub fn states_differ(before: (&Program, &[Value]), after: (&Program, &[Value])) -> bool {
    let c = Concrete {
        before: before.1,
        after: after.1,
    };
    if c.differ(&before.0.returned, &after.0.returned, &[]) {
        return true;
    }
    let pairs = before.0.inputs.iter().zip(&after.0.inputs);
    pairs.into_iter().any(|(a, b)| c.memory(&a.shape, &b.shape))
}

struct Concrete<'a> {
    before: &'a [Value],
    after: &'a [Value],
}

impl Concrete<'_> {
    fn bits(state: &[Value], v: Var, at: &[(u128, u32)]) -> u128 {
        match &state[v.0 as usize] {
            Value::Bits(b) => *b,
            Value::Array(a) => a.get(
                at.iter()
                    .fold(0u128, |all, (i, w)| all.checked_shl(*w).unwrap_or(0) | i),
            ),
        }
    }

    fn memory(&self, a: &InputShape, b: &InputShape) -> bool {
        match (a, b) {
            (InputShape::Reference(x), InputShape::Reference(y)) => self.differ(x, y, &[]),
            _ => match (parts(a), parts(b)) {
                (Some(x), Some(y)) => x.iter().any(|(name, part)| {
                    y.iter()
                        .find(|(n, _)| n == name)
                        .is_some_and(|(_, other)| self.memory(part, other))
                }),
                _ => false,
            },
        }
    }

    fn elements(&self, n: u128, at: &[(u128, u32)], f: impl Fn(&[(u128, u32)]) -> bool) -> bool {
        let width = if at.is_empty() { 64 } else { 32 };
        (0..n.min(MAX_ELEMENTS)).any(|i| f(&[at, &[(i, width)]].concat()))
    }

    fn differ(&self, a: &InputShape, b: &InputShape, at: &[(u128, u32)]) -> bool {
        use InputShape as S;
        let unequal = |x: Var, y: Var, at: &[(u128, u32)]| {
            Self::bits(self.before, x, at) != Self::bits(self.after, y, at)
        };
        match (a, b) {
            (S::Scalar { var: x, .. }, S::Scalar { var: y, .. }) => unequal(*x, *y, at),
            (S::Array { len, elem: x }, S::Array { elem: y, .. }) => {
                self.elements(*len, at, |at| self.differ(x, y, at))
            }
            (S::Slice { len: m, elem: x }, S::Slice { len: n, elem: y }) => {
                let length = Self::bits(self.before, *m, at);
                unequal(*m, *n, at) || self.elements(length, at, |at| self.differ(x, y, at))
            }
            (
                S::Text {
                    len: m, bytes: x, ..
                },
                S::Text {
                    len: n, bytes: y, ..
                },
            ) => {
                let length = Self::bits(self.before, *m, at);
                unequal(*m, *n, at) || self.elements(length, at, |at| unequal(*x, *y, at))
            }
            (
                S::Enum {
                    discriminant: d,
                    variants: v,
                    ..
                },
                S::Enum {
                    discriminant: e,
                    variants: w,
                    ..
                },
            ) => {
                let tag = Self::bits(self.before, *d, at);
                if unequal(*d, *e, at) {
                    return true;
                }
                v.iter().zip(w).any(|((bits, _, x), (_, _, y))| {
                    *bits == tag && x.iter().zip(y).any(|(x, y)| self.differ(x, y, at))
                })
            }
            _ => match (parts(a), parts(b)) {
                (Some(x), Some(y)) => x.iter().any(|(name, part)| {
                    y.iter()
                        .find(|(n, _)| n == name)
                        .is_some_and(|(_, other)| self.differ(part, other, at))
                }),
                _ => false,
            },
        }
    }
}
