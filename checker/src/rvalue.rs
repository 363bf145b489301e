//! Right-hand sides of assignments.

use crate::graph::Frame;
use crate::machine::{Kind, Machine};
use crate::term::{Modelled, Scalar, Term, gap};
use crate::types;
use crate::value::{Arena, Node, Pointer, Step, V};
use optverify_engine::mir::{
    Aggregate, ArrayLen, CastKind, GenericArg, NullOp, Operand, Path, Place, PointerCoercion,
    RuntimeChecks, Rvalue, Ty, TyKind,
};
use std::collections::BTreeMap;

impl Machine<'_> {
    pub fn rvalue(&mut self, frame: &Frame, rvalue: &Rvalue, into: &Ty) -> Modelled<V> {
        match rvalue {
            Rvalue::Use { operand, .. } => self.operand(frame, operand, Some(into)),
            Rvalue::CopyForDeref(place) => {
                let operand = Operand::Copy(place.clone());
                self.operand(frame, &operand, Some(into))
            }
            Rvalue::Repeat(operand, len) => {
                if !matches!(len, ArrayLen::Known(_)) && types::array_len(into).is_none() {
                    return gap("an array of unknown length");
                }
                let ty = types::element(into);
                let v = self.operand(frame, operand, ty.as_ref())?;
                Ok(self.arena.add(Node::Repeat(v)))
            }
            Rvalue::Ref { place, .. } | Rvalue::RawPtr { place, .. } => self.address(frame, place),
            Rvalue::Len(place) => {
                let ty = self.place_type(frame, place)?;
                if let Some(n) = types::array_len(&ty) {
                    return Ok(self.arena.leaf(Term::bits(u128::from(n), 64)));
                }
                let mut options = vec![];
                for l in self.locate(frame, place)? {
                    let Some(len) = l.meta else {
                        return gap("the length of what has none");
                    };
                    options.push((l.when, self.arena.leaf(len)));
                }
                Ok(self.choose(options))
            }
            Rvalue::Cast { operand, ty, kind } => self.cast(frame, operand, ty, kind),
            Rvalue::Binary(op, a, b) => self.binary(frame, *op, a, b, into),
            Rvalue::Unary(op, a) => self.unary(frame, *op, a),
            Rvalue::Discriminant(place) => self.discriminant(frame, place, into),
            Rvalue::Aggregate(a) => self.aggregate(frame, a, into),
            Rvalue::Nullary(NullOp::RuntimeChecks(RuntimeChecks::UbChecks)) => {
                let t = Term::boolean(self.graph.ub_checks);
                Ok(self.arena.leaf(t))
            }
            Rvalue::Nullary(_) => gap("the size of a type"),
            Rvalue::ShallowInitBox(..) => gap("a box"),
            Rvalue::ThreadLocalRef { .. } => gap("a thread-local variable"),
            Rvalue::WrapUnsafeBinder(..) | Rvalue::Other(_) => gap("an unusual right-hand side"),
        }
    }

    fn address(&mut self, frame: &Frame, place: &Place) -> Modelled<V> {
        let mut options = vec![];
        for l in self.locate(frame, place)? {
            let p = Pointer {
                object: l.object,
                path: l.path,
                meta: l.meta,
            };
            options.push((l.when, self.pointer(p)));
        }
        if options.is_empty() {
            return gap("a pointer that leads nowhere");
        }
        Ok(self.choose(options))
    }

    fn discriminant(&mut self, frame: &Frame, place: &Place, into: &Ty) -> Modelled<V> {
        let ty = self.place_type(frame, place)?;
        let TyKind::Adt { path, args } = ty.kind() else {
            return gap(format!("the discriminant of `{ty}`"));
        };
        let Some(Scalar::Bv(width)) = types::scalar(into) else {
            return gap("a discriminant that is no number");
        };
        if path.ends_with("option::Option") && is_never(args) {
            // there is one value of it, and nobody needs to write it
            return Ok(self.arena.leaf(Term::bits(0, width)));
        }
        let at = self.locate(frame, place)?;
        let v = self.load(&at)?;
        let read = self.arena.read(
            &mut self.script,
            v,
            &[Step::Discriminant],
            Scalar::Bv(width),
        )?;
        self.forbid(
            Kind::Violation,
            format!("`{place}` is read and has no value"),
            &read.missing,
        );
        if self.graph.bodies.capture.facts.enum_fact(path).is_none() {
            // nothing to compare it with; the arms of a switch over it are all possible
            self.approximations
                .insert(format!("the variants of `{path}`"));
        }
        Ok(self.arena.leaf(read.term))
    }

    fn cast(&mut self, frame: &Frame, operand: &Operand, to: &Ty, kind: &CastKind) -> Modelled<V> {
        match kind {
            CastKind::IntToInt => {
                let from = self.operand_type(frame, operand)?;
                let x = self.scalar(frame, operand)?;
                let t = self.int_to_int(&x, &from, to)?;
                Ok(self.arena.leaf(t))
            }
            CastKind::IntToFloat | CastKind::FloatToInt | CastKind::FloatToFloat => {
                self.operand(frame, operand, None)?;
                match types::scalar(to) {
                    Some(of) => Ok(self.approximate("a cast of floats", of)),
                    None => gap("a cast of floats"),
                }
            }
            CastKind::PointerCoercion(PointerCoercion::Unsize, _) => {
                self.unsize(frame, operand, to)
            }
            CastKind::PointerCoercion(PointerCoercion::MutToConstPointer, _) => {
                self.operand(frame, operand, None)
            }
            CastKind::PtrToPtr => {
                // the same place under a type that is spelled in the same way
                let from = self.operand_type(frame, operand)?;
                match (types::pointee(&from), types::pointee(to)) {
                    (Some(a), Some(b)) if a == b => self.operand(frame, operand, None),
                    _ => gap("a pointer to one type as a pointer to another"),
                }
            }
            CastKind::Transmute => {
                let from = self.operand_type(frame, operand)?;
                if let (Some(a), Some(b)) = (types::pointee(&from), types::pointee(to))
                    && a == b
                {
                    return self.operand(frame, operand, None);
                }
                match (types::scalar(&from), types::scalar(to)) {
                    (Some(Scalar::Bv(a)), Some(Scalar::Bv(b)))
                        if a == b && !types::is_float(to) =>
                    {
                        if matches!(to.kind(), TyKind::Char) {
                            return gap("a number as a character");
                        }
                        let t = self.scalar(frame, operand)?;
                        Ok(self.arena.leaf(t))
                    }
                    _ => gap(format!("`{from}` transmuted to `{to}`")),
                }
            }
            _ => gap("an unusual cast"),
        }
    }

    fn unsize(&mut self, frame: &Frame, operand: &Operand, to: &Ty) -> Modelled<V> {
        let from = self.operand_type(frame, operand)?;
        let (Some(array), Some(slice)) = (types::pointee(&from), types::pointee(to)) else {
            return gap("a box or a trait object");
        };
        let (Some(n), TyKind::Slice(_)) = (types::array_len(array), slice.kind()) else {
            return gap("a trait object");
        };
        let mut options = vec![];
        for (when, mut p) in self.pointers(frame, operand)? {
            p.meta = Some(Term::bits(u128::from(n), 64));
            options.push((when, self.pointer(p)));
        }
        Ok(self.choose(options))
    }

    fn aggregate(&mut self, frame: &Frame, a: &Aggregate, into: &Ty) -> Modelled<V> {
        let operands: Vec<&Operand> = match a {
            Aggregate::Array(items) => return self.array(frame, items, into),
            Aggregate::RawPtr { .. } => return gap("a pointer made of its parts"),
            Aggregate::Coroutine(..) => return gap("a coroutine"),
            Aggregate::Tuple(items) | Aggregate::AdtPositional(_, items) => items.iter().collect(),
            Aggregate::AdtNamed(_, items) | Aggregate::Closure(_, items) => {
                items.iter().map(|(_, o)| o).collect()
            }
            Aggregate::AdtUnit(_) => vec![],
        };
        let variant = match a {
            Aggregate::AdtUnit(p) | Aggregate::AdtPositional(p, _) | Aggregate::AdtNamed(p, _) => {
                self.variant(p, into)?
            }
            _ => None,
        };
        if let (TyKind::Adt { path, .. }, [only]) = (into.kind(), operands.as_slice())
            && types::is_wrapper(path)
        {
            return self.operand(frame, only, None);
        }
        let mut parts = BTreeMap::new();
        for (i, o) in operands.into_iter().enumerate() {
            let ty = match into.kind() {
                TyKind::Tuple(types) => types.get(i).cloned(),
                _ => None,
            };
            let v = self.operand(frame, o, ty.as_ref())?;
            let step = match &variant {
                Some((name, _)) => Step::Variant(name.as_str().into(), i as u32),
                None => Step::Field(i as u32),
            };
            parts.insert(step, v);
        }
        if let Some((_, discriminant)) = variant {
            let leaf = self.arena.leaf(discriminant);
            parts.insert(Step::Discriminant, leaf);
        }
        Ok(self.arena.add(Node::Parts(parts, Arena::UNINIT)))
    }

    fn array(&mut self, frame: &Frame, items: &[Operand], into: &Ty) -> Modelled<V> {
        let ty = types::element(into);
        // elements past the end are nobody's business
        let mut out = Arena::UNINIT;
        for (i, o) in items.iter().enumerate() {
            let v = self.operand(frame, o, ty.as_ref())?;
            out = self.element_set(out, i, v);
        }
        Ok(out)
    }

    pub fn element_set(&mut self, array: V, i: usize, v: V) -> V {
        let at = Step::Index(Term::bits(i as u128, 64));
        self.arena.write(array, &[at], v)
    }

    /// The variant that a path names, with its discriminant; nothing for a struct.
    pub fn variant(&mut self, path: &Path, into: &Ty) -> Modelled<Option<(String, Term)>> {
        let TyKind::Adt { path: adt, .. } = into.kind() else {
            return gap(format!("a value of `{into}`"));
        };
        let facts = &self.graph.bodies.capture.facts;
        if facts.is_union(adt) && !types::is_wrapper(adt) {
            return gap("a union");
        }
        let plain = path.plain();
        let last = |p: &str| p.rsplit("::").next().unwrap_or(p).to_string();
        let Some(known) = facts.enum_fact(adt) else {
            // a struct is built under its own name
            return match last(&plain) == last(adt) {
                true => Ok(None),
                false => gap(format!("the discriminants of `{adt}`")),
            };
        };
        let name = last(&plain);
        let bits = known
            .variants
            .iter()
            .find(|v| v.name == name)
            .and_then(|v| v.bits());
        let width = optverify_engine::mir::IntTy::from_name(&known.repr).map(|i| i.bits());
        match (bits, width) {
            (Some(bits), Some(width)) => Ok(Some((name, Term::bits(bits, width)))),
            _ => gap(format!("the discriminant of `{plain}`")),
        }
    }
}

/// Is the one argument a type without values?
fn is_never(args: &[GenericArg]) -> bool {
    match args {
        [GenericArg::Type(t)] => match t.kind() {
            TyKind::Never => true,
            TyKind::Adt { path, .. } => path.ends_with("convert::Infallible"),
            _ => false,
        },
        _ => false,
    }
}
