//! What the checker itself finds out about cut-points: which places have a value, and where pointers lead.
//!
//! Lemmas speak of numbers. That a reference still leads to the same place after a round of a loop is found by walking
//! every fragment again until nothing new arrives at any cut-point; what differs between two arrivals is forgotten.

use crate::machine::State;
use crate::term::{Modelled, Scalar, Script, Sort, Term};
use crate::value::{Arena, Node, Object, Pointer, Step, V, spell};
use std::collections::{BTreeMap, HashMap};

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    Uninit,
    /// A value of numbers.
    Data,
    /// Nothing is known: perhaps no value, perhaps a pointer.
    Maybe,
    Pointer(PointerShape),
    Parts(BTreeMap<Step, Shape>, Box<Shape>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PointerShape {
    object: Object,
    /// Indices that are not always the same are `Elements`.
    path: Vec<Step>,
    /// The length, where it is always the same.
    meta: Option<Option<Term>>,
}

pub type Shapes = BTreeMap<Object, Shape>;

/// What never changes in a run: numbers, and lengths of what parameters refer to.
fn is_fixed(t: &Term) -> bool {
    t.literal.is_some() || (t.text.starts_with("|(*") && t.text.ends_with("#len|"))
}

pub fn of_state(arena: &Arena, state: &State) -> Shapes {
    let mut known = HashMap::new();
    let all = state.objects.iter();
    all.map(|(o, v)| (o.clone(), of(arena, *v, &mut known)))
        .filter(|(_, s)| *s != Shape::Uninit)
        .collect()
}

fn of(arena: &Arena, v: V, known: &mut HashMap<V, Shape>) -> Shape {
    if let Some(shape) = known.get(&v) {
        return shape.clone();
    }
    let shape = match arena.node(v) {
        Node::Leaf(_) | Node::Unknown(_) => Shape::Data,
        Node::Maybe(_) => Shape::Maybe,
        Node::Uninit => Shape::Uninit,
        Node::Pointer(p) => Shape::Pointer(PointerShape {
            object: p.object.clone(),
            path: p.path.iter().map(varying).collect(),
            meta: p.meta.clone().map(|m| Some(m).filter(is_fixed)),
        }),
        Node::Parts(parts, rest) => {
            let mut out = BTreeMap::new();
            for (step, v) in parts {
                out.insert(step.clone(), of(arena, *v, known));
            }
            Shape::Parts(out, Box::new(of(arena, *rest, known)))
        }
        Node::View(v, path) => {
            let whole = of(arena, *v, known);
            path.iter().fold(whole, |s, step| part(&s, step))
        }
        Node::Write(v, path, new) => {
            let new = of(arena, *new, known);
            with(of(arena, *v, known), path, new)
        }
        Node::Repeat(v) => match of(arena, *v, known) {
            Shape::Data => Shape::Data,
            _ => Shape::Maybe,
        },
        Node::Ite(_, a, b) => {
            let a = of(arena, *a, known);
            meet(&a, &of(arena, *b, known))
        }
    };
    known.insert(v, shape.clone());
    shape
}

/// An index that may change is any.
fn varying(step: &Step) -> Step {
    match step {
        Step::Index(t) if !is_fixed(t) => Step::Elements,
        other => other.clone(),
    }
}

fn part(shape: &Shape, step: &Step) -> Shape {
    match shape {
        Shape::Parts(parts, rest) => match parts.get(step) {
            Some(s) => s.clone(),
            None => part(rest, step),
        },
        Shape::Pointer(_) => Shape::Maybe,
        other => other.clone(),
    }
}

fn with(shape: Shape, path: &[Step], new: Shape) -> Shape {
    let Some((step, rest)) = path.split_first() else {
        return new;
    };
    if let Step::Index(_) | Step::Elements = step {
        // one of many elements
        return match (&shape, &new) {
            (Shape::Data, Shape::Data) => Shape::Data,
            _ => Shape::Maybe,
        };
    }
    let inner = with(part(&shape, step), rest, new);
    let (mut parts, others) = match shape {
        Shape::Parts(parts, others) => (parts, others),
        other => (BTreeMap::new(), Box::new(other)),
    };
    parts.insert(step.clone(), inner);
    Shape::Parts(parts, others)
}

/// What holds of both.
pub fn meet(a: &Shape, b: &Shape) -> Shape {
    match (a, b) {
        (a, b) if a == b => a.clone(),
        (Shape::Parts(p, rest), other) | (other, Shape::Parts(p, rest)) => {
            let mut keys: Vec<&Step> = p.keys().collect();
            if let Shape::Parts(q, _) = other {
                keys.extend(q.keys());
            }
            if let Shape::Pointer(_) = other {
                return Shape::Maybe;
            }
            let whole = Shape::Parts(p.clone(), rest.clone());
            let others = match other {
                Shape::Parts(_, others) => others,
                other => other,
            };
            let parts = keys
                .into_iter()
                .map(|k| (k.clone(), meet(&part(&whole, k), &part(other, k))));
            Shape::Parts(parts.collect(), Box::new(meet(rest, others)))
        }
        (Shape::Pointer(p), Shape::Pointer(q)) => pointers(p, q),
        _ => Shape::Maybe,
    }
}

fn pointers(p: &PointerShape, q: &PointerShape) -> Shape {
    if p.object != q.object || p.path.len() != q.path.len() || p.meta.is_some() != q.meta.is_some()
    {
        return Shape::Maybe;
    }
    let mut path = vec![];
    for (a, b) in p.path.iter().zip(&q.path) {
        path.push(match (a, b) {
            (a, b) if a == b => a.clone(),
            (Step::Index(_) | Step::Elements, Step::Index(_) | Step::Elements) => Step::Elements,
            _ => return Shape::Maybe,
        });
    }
    let meta = p
        .meta
        .clone()
        .map(|m| m.filter(|m| q.meta == Some(Some(m.clone()))));
    Shape::Pointer(PointerShape {
        object: p.object.clone(),
        path,
        meta,
    })
}

/// What holds at a cut-point after one more arrival. An object that one of them lacks has no value there.
pub fn meet_all(a: &Shapes, b: &Shapes) -> Shapes {
    let mut out = Shapes::new();
    for key in a.keys().chain(b.keys()) {
        let (x, y) = (a.get(key), b.get(key));
        let both = meet(x.unwrap_or(&Shape::Uninit), y.unwrap_or(&Shape::Uninit));
        out.insert(key.clone(), both);
    }
    out
}

/// An arbitrary value of this shape, with the names that lemmas use.
pub fn value(arena: &mut Arena, s: &mut Script, shape: &Shape, name: &str) -> Modelled<V> {
    Ok(match shape {
        Shape::Uninit => Arena::UNINIT,
        Shape::Data => arena.add(Node::Unknown(name.into())),
        Shape::Maybe => arena.add(Node::Maybe(name.into())),
        Shape::Parts(parts, rest) => {
            let mut out = BTreeMap::new();
            for (step, shape) in parts {
                let v = value(arena, s, shape, &spell(name, std::slice::from_ref(step)))?;
                out.insert(step.clone(), v);
            }
            let rest = value(arena, s, rest, name)?;
            arena.add(Node::Parts(out, rest))
        }
        Shape::Pointer(p) => {
            let number = Sort::scalar(Scalar::Bv(64));
            let mut path = vec![];
            let mut n = 0;
            for step in &p.path {
                let step = match step {
                    Step::Elements => Step::Index(s.constant(&format!("{name}#at{n}"), number)?),
                    other => other.clone(),
                };
                n += usize::from(matches!(step, Step::Index(_)));
                path.push(step);
            }
            let meta = match &p.meta {
                None => None,
                Some(Some(t)) if t.literal.is_some() => Some(t.clone()),
                Some(Some(t)) => Some(s.constant(t.text.trim_matches('|'), number)?),
                Some(None) => Some(s.constant(&format!("{name}#len"), number)?),
            };
            arena.add(Node::Pointer(Pointer {
                object: p.object.clone(),
                path,
                meta,
            }))
        }
    })
}
