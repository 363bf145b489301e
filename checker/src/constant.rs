//! Constants: literals, and named ones as the compiler evaluated them or as their bodies say.

use crate::graph::Frame;
use crate::machine::Machine;
use crate::term::{Modelled, Term, gap};
use crate::types;
use crate::value::{Arena, Node, Object, Step, V};
use optverify_engine::mir::{
    ArrayLen, Const, ConstFields, IntTy, Path, StatementKind, TerminatorKind, Ty, TyKind,
};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A literal as facts spell it: `7_u32`, `-1_i8`, `true`, `'x'`.
fn literal(text: &str) -> Option<Const> {
    match text {
        "true" => return Some(Const::Bool(true)),
        "false" => return Some(Const::Bool(false)),
        _ => {}
    }
    if let Some(c) = text.strip_prefix('\'').and_then(|t| t.strip_suffix('\'')) {
        let mut chars = c.chars();
        let first = chars.next()?;
        return (chars.next().is_none() && first != '\\').then_some(Const::Char(first));
    }
    let (digits, ty) = text.rsplit_once('_')?;
    let ty = IntTy::from_name(ty)?;
    let bits = match digits.strip_prefix('-') {
        Some(positive) => positive.parse::<u128>().ok()?.wrapping_neg(),
        None => digits.parse().ok()?,
    };
    Some(Const::Int {
        bits: bits & ty.mask(),
        ty,
    })
}

fn int(ty: IntTy) -> Ty {
    Ty::new(TyKind::Int(ty))
}

impl Machine<'_> {
    pub fn constant_type(&mut self, c: &Const) -> Modelled<Ty> {
        Ok(match c {
            Const::Int { ty, .. } => int(*ty),
            Const::Bool(_) => Ty::new(TyKind::Bool),
            Const::Char(_) => Ty::new(TyKind::Char),
            Const::Float { bits, .. } => Ty::new(TyKind::Float(*bits)),
            Const::ByteArray(b) => Ty::new(TyKind::Array(
                int(IntTy::U8),
                ArrayLen::Known(b.len() as u64),
            )),
            Const::Tuple(parts) => {
                let types: Modelled<Vec<Ty>> =
                    parts.iter().map(|p| self.constant_type(p)).collect();
                Ty::new(TyKind::Tuple(types?))
            }
            Const::ZeroSized(ty) | Const::Alloc { ty, .. } => ty.clone(),
            Const::Transmute { ty, .. } | Const::Indirect { ty, .. } => ty.clone(),
            Const::Pattern { value, .. } => self.constant_type(value)?,
            Const::Named(path) => {
                let text = path.to_string();
                if let Some(known) = self.graph.bodies.capture.facts.consts.get(&text)
                    && let Some(c) = literal(known)
                {
                    return self.constant_type(&c);
                }
                match (self.graph.bodies.constant(&text), self.enum_of(path)) {
                    (Some(body), _) => body.ret().clone(),
                    (None, Some(adt)) => adt,
                    (None, None) => return gap(format!("constant `{text}`")),
                }
            }
            _ => return gap("a constant of unknown type"),
        })
    }

    /// The enum that a path names a variant of, if it is known under the path's own spelling.
    fn enum_of(&self, path: &Path) -> Option<Ty> {
        let plain = path.plain();
        let (adt, variant) = plain.rsplit_once("::")?;
        let fact = self.graph.bodies.capture.facts.enum_fact(adt)?;
        fact.variants.iter().find(|v| v.name == variant)?;
        Some(Ty::new(TyKind::Adt {
            path: adt.into(),
            args: vec![],
        }))
    }

    pub fn constant(&mut self, c: &Const, ty: Option<&Ty>) -> Modelled<V> {
        match c {
            Const::Int { bits, ty } => Ok(self.arena.leaf(Term::bits(*bits, ty.bits()))),
            Const::Bool(b) => Ok(self.arena.leaf(Term::boolean(*b))),
            Const::Char(c) => Ok(self.arena.leaf(Term::bits(u128::from(u32::from(*c)), 32))),
            Const::Float { bits, .. } => {
                let of = crate::term::Scalar::Bv(u32::from(*bits));
                Ok(self.approximate("a float", of))
            }
            Const::ByteArray(bytes) => {
                let mut out = Arena::UNINIT;
                for (i, b) in bytes.iter().enumerate() {
                    let v = self.arena.leaf(Term::bits(u128::from(*b), 8));
                    out = self.element_set(out, i, v);
                }
                Ok(out)
            }
            Const::Tuple(parts) => {
                let mut fields = BTreeMap::new();
                for (i, p) in parts.iter().enumerate() {
                    fields.insert(Step::Field(i as u32), self.constant(p, None)?);
                }
                Ok(self.arena.add(Node::Parts(fields, Arena::UNINIT)))
            }
            Const::Array(parts) => {
                let elem = ty.and_then(types::element);
                let mut out = Arena::UNINIT;
                for (i, p) in parts.iter().enumerate() {
                    let v = self.constant(p, elem.as_ref())?;
                    out = self.element_set(out, i, v);
                }
                Ok(out)
            }
            Const::Adt { path, fields } => self.constant_adt(path, fields, ty),
            Const::FnItem(_) | Const::ZeroSized(_) => {
                Ok(self.arena.add(Node::Parts(BTreeMap::new(), Arena::UNINIT)))
            }
            Const::Named(path) => self.named(path, ty),
            Const::Transmute { digits, ty } => {
                let bits = u128::from_str_radix(digits.trim_start_matches("0x"), 16).ok();
                match (bits, types::scalar(ty), ty.kind()) {
                    (Some(bits), _, TyKind::Bool) => Ok(self.arena.leaf(Term::boolean(bits != 0))),
                    (Some(bits), Some(of), _) => Ok(self.arena.leaf(Term::bits(bits, of.width()))),
                    _ => gap("a constant given by its bytes"),
                }
            }
            Const::Pattern { value, .. } => self.constant(value, ty),
            // texts and tables of bytes: nothing is known of them, and nothing that is modelled reads them
            Const::Str(_) | Const::ByteStr(_) | Const::Alloc { .. } => Ok(self.arena.add(
                Node::Unknown(format!("constant {c:?}").replace(['|', '\\'], "/").into()),
            )),
            _ => gap("a constant of unknown form"),
        }
    }

    fn constant_adt(&mut self, path: &Path, fields: &ConstFields, ty: Option<&Ty>) -> Modelled<V> {
        let parts: Vec<&optverify_engine::mir::Const> = match fields {
            ConstFields::Positional(p) => p.iter().collect(),
            ConstFields::Named(p) | ConstFields::NamedInType(p) => {
                p.iter().map(|(_, c)| c).collect()
            }
        };
        if types::is_wrapper(&path.plain()) {
            return gap("a wrapper in a constant");
        }
        let own = self.enum_of(path);
        let variant = match ty.or(own.as_ref()) {
            Some(ty) => self.variant(path, ty)?,
            // a struct: of an enum that is not known, nobody could read the variant
            None => None,
        };
        let mut out = BTreeMap::new();
        for (i, p) in parts.into_iter().enumerate() {
            let step = match &variant {
                Some((name, _)) => Step::Variant(name.as_str().into(), i as u32),
                None => Step::Field(i as u32),
            };
            out.insert(step, self.constant(p, None)?);
        }
        if let Some((_, discriminant)) = variant {
            let leaf = self.arena.leaf(discriminant);
            out.insert(Step::Discriminant, leaf);
        }
        Ok(self.arena.add(Node::Parts(out, Arena::UNINIT)))
    }

    fn named(&mut self, path: &Path, ty: Option<&Ty>) -> Modelled<V> {
        let text = path.to_string();
        let known = self.graph.bodies.capture.facts.consts.get(&text);
        if let Some(c) = known.and_then(|k| literal(k)) {
            return self.constant(&c, ty);
        }
        if let Some(body) = self.graph.bodies.constant(&text) {
            if let Some(value) = &body.value {
                let ty = body.ret().clone();
                return self.constant(&value.clone(), Some(&ty));
            }
            return self.object(&Object::Constant(text.as_str().into(), 0));
        }
        // a variant or a struct without fields prints like a constant
        let own = self.enum_of(path);
        if let Some(ty) = ty.or(own.as_ref())
            && let TyKind::Adt { path: adt, .. } = ty.kind()
        {
            let last = |p: &str| p.rsplit("::").next().unwrap_or(p).to_string();
            let is_variant = self.graph.bodies.capture.facts.enum_fact(adt).is_some();
            if is_variant || last(&path.plain()) == last(adt) {
                return self.constant_adt(path, &ConstFields::Positional(vec![]), Some(ty));
            }
        }
        gap(format!("constant `{text}`"))
    }

    /// Executes the body of a constant, which must be a straight line; its locals become objects that never change.
    pub fn constant_body(&mut self, path: &Rc<str>) -> Modelled<()> {
        let Some(body) = self.graph.bodies.constant(path) else {
            return gap(format!("constant `{path}`"));
        };
        let frame = Frame::of_constant(path, body);
        let busy = self
            .constants
            .insert(Machine::busy(), Arena::UNINIT)
            .is_some();
        let done = self.straight_line(&frame);
        if !busy {
            self.constants.remove(&Machine::busy());
        }
        done
    }

    fn straight_line(&mut self, frame: &Frame) -> Modelled<()> {
        let mut at = 0;
        for _ in 0..64 {
            let Some(block) = frame.body.blocks.get(at) else {
                return gap("a constant without code");
            };
            for s in &block.statements {
                match &s.kind {
                    StatementKind::Assign(place, rvalue) => {
                        let ty = self.place_type(frame, place)?;
                        let v = self.rvalue(frame, rvalue, &ty)?;
                        self.assign(frame, place, v)?;
                    }
                    StatementKind::StorageLive(_)
                    | StatementKind::StorageDead(_)
                    | StatementKind::Nop => {}
                    _ => return gap("a constant with unusual code"),
                }
            }
            match &block.terminator.kind {
                TerminatorKind::Return => return Ok(()),
                TerminatorKind::Goto(b) => at = b.0 as usize,
                // the compiler has evaluated it: what a constant asserts holds
                TerminatorKind::Assert { target, .. } => at = target.0 as usize,
                _ => return gap("a constant with branches or calls"),
            }
        }
        gap("a constant with a loop")
    }
}
