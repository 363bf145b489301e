//! Executes MIR symbolically along a fragment: one state for each point, joined where paths meet.

use crate::graph::{Frame, Graph};
use crate::term::{Gap, Modelled, Script, Term, gap};
use crate::types;
use crate::value::{Arena, Node, Object, Pointer, Step, V};
use optverify_engine::mir::{Elem, Local, Operand, Place, Ty, TyKind};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// What a run has done by now.
#[derive(Clone)]
pub struct State {
    /// When a run gets here.
    pub when: Term,
    pub objects: BTreeMap<Object, V>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A panic or undefined behaviour.
    Violation,
    /// A lemma does not hold on arrival.
    Lemma,
    /// The checker has no model of what comes.
    Gap,
}

/// A condition that must not be possible.
pub struct Obligation {
    pub kind: Kind,
    pub what: String,
    pub when: Term,
}

pub struct Machine<'a> {
    pub graph: &'a Graph<'a>,
    pub script: Script,
    pub arena: Arena,
    pub state: State,
    pub obligations: Vec<Obligation>,
    /// Values that are arbitrary here and certain in a run.
    pub approximations: BTreeSet<String>,
    /// The fragment starts at the root's entry: constants are inputs.
    pub from_entry: bool,
    pub constants: HashMap<Object, V>,
}

/// A place in memory, the condition under which it is meant, and the length of an unsized one.
#[derive(Clone)]
pub struct Located {
    pub when: Term,
    pub object: Object,
    pub path: Vec<Step>,
    pub meta: Option<Term>,
}

impl<'a> Machine<'a> {
    pub fn new(graph: &'a Graph<'a>) -> Machine<'a> {
        Machine {
            graph,
            script: Script::default(),
            arena: Arena::default(),
            state: State {
                when: Term::boolean(true),
                objects: BTreeMap::new(),
            },
            obligations: vec![],
            approximations: BTreeSet::new(),
            from_entry: false,
            constants: HashMap::new(),
        }
    }

    /// The run must not get here while `bad` holds; it goes on where it does not.
    pub fn forbid(&mut self, kind: Kind, what: impl Into<String>, bad: &Term) {
        let when = self.script.and(&self.state.when, bad);
        if when.is(false) {
            return;
        }
        self.obligations.push(Obligation {
            kind,
            what: what.into(),
            when,
        });
        let good = self.script.not(bad);
        self.state.when = self.script.and(&self.state.when, &good);
    }

    /// The run leaves the model here.
    pub fn leave(&mut self, gap: Gap) {
        self.forbid(Kind::Gap, gap.0, &Term::boolean(true));
    }

    pub fn object(&mut self, object: &Object) -> Modelled<V> {
        if let Some(v) = self.state.objects.get(object) {
            return Ok(*v);
        }
        match object {
            Object::Local(..) => Ok(Arena::UNINIT),
            Object::Pointee(_) => gap("memory behind a parameter that is not known"),
            Object::Constant(path, _) => {
                if !self.constants.contains_key(object) {
                    self.constant_body(path)?;
                }
                match self.constants.get(object) {
                    Some(v) => Ok(*v),
                    None => gap(format!("constant `{path}`")),
                }
            }
        }
    }

    pub fn local(&self, frame: &Frame, local: Local) -> Object {
        match frame.chain.strip_prefix("const ") {
            Some(path) => Object::Constant(path.into(), local.0),
            None => Object::Local(frame.chain.clone(), local.0),
        }
    }

    pub fn place_type(&self, frame: &Frame, place: &Place) -> Modelled<Ty> {
        let local = frame.body.local(place.local);
        let mut ty = local
            .ok_or(Gap("a local that is not declared".into()))?
            .ty
            .clone();
        for elem in &place.projection {
            ty = match elem {
                Elem::Deref => match types::pointee(&ty) {
                    Some(t) => t.clone(),
                    None => return gap(format!("`{ty}` dereferenced")),
                },
                Elem::Field(_, t) | Elem::OpaqueCast(t) | Elem::Subtype(t) => t.clone(),
                Elem::Index(_) | Elem::ConstantIndex { .. } => match types::element(&ty) {
                    Some(t) => t,
                    None => return gap(format!("an element of `{ty}`")),
                },
                Elem::Downcast(_) => ty,
                Elem::Subslice { .. } | Elem::DowncastIndex(_) | Elem::UnwrapUnsafeBinder(_) => {
                    return gap("an unusual projection");
                }
            };
        }
        Ok(ty)
    }

    /// The places that a projection may lead to. A pointer that leads nowhere known ends the runs that follow it.
    pub fn locate(&mut self, frame: &Frame, place: &Place) -> Modelled<Vec<Located>> {
        let mut at = vec![Located {
            when: Term::boolean(true),
            object: self.local(frame, place.local),
            path: vec![],
            meta: None,
        }];
        let mut ty = frame.body.locals[place.local.0 as usize].ty.clone();
        let mut variant: Option<Rc<str>> = None;
        for (n, elem) in place.projection.iter().enumerate() {
            let mut prefix = place.clone();
            prefix.projection.truncate(n + 1);
            match elem {
                Elem::Deref => {
                    let mut next = vec![];
                    for l in at {
                        next.extend(self.follow(&l)?);
                    }
                    at = next;
                }
                Elem::Field(i, _) => {
                    let adt = match ty.kind() {
                        TyKind::Adt { path, .. } => &**path,
                        _ => "",
                    };
                    let step = match variant.take() {
                        Some(v) => Step::Variant(v, *i),
                        None => Step::Field(*i),
                    };
                    if !types::is_wrapper(adt) {
                        // fields of a union are in one place, those of a value tree are not
                        if self.graph.bodies.capture.facts.is_union(adt) {
                            return gap(format!("a field of the union `{adt}`"));
                        }
                        at.iter_mut().for_each(|l| l.path.push(step.clone()));
                    }
                }
                Elem::Downcast(v) => variant = Some((&**v).into()),
                Elem::Index(local) => {
                    let index = Operand::Copy(Place::local(*local));
                    let i = self.scalar(frame, &index)?;
                    for l in &mut at {
                        self.inside(&ty, l, &i)?;
                        l.path.push(Step::Index(i.clone()));
                    }
                }
                Elem::ConstantIndex {
                    offset, from_end, ..
                } => {
                    for l in &mut at {
                        let mut i = Term::bits(u128::from(*offset), 64);
                        if *from_end {
                            let len = length(&ty, l)?;
                            i = self.script.bv("bvsub", &[&len, &i], 64);
                        }
                        self.inside(&ty, l, &i)?;
                        l.path.push(Step::Index(i));
                    }
                }
                Elem::OpaqueCast(_) | Elem::Subtype(_) => {}
                Elem::Subslice { .. } | Elem::DowncastIndex(_) | Elem::UnwrapUnsafeBinder(_) => {
                    return gap("an unusual projection");
                }
            }
            if !matches!(elem, Elem::Deref) {
                at.iter_mut().for_each(|l| l.meta = None);
            }
            ty = self.place_type(frame, &prefix)?;
        }
        Ok(at)
    }

    /// An index past the end is undefined, whoever was to check it.
    fn inside(&mut self, ty: &Ty, l: &Located, i: &Term) -> Modelled<()> {
        let len = length(ty, l)?;
        let inside = self.script.test("bvult", &[i, &len]);
        let outside = self.script.not(&inside);
        let bad = self.script.and(&l.when, &outside);
        self.forbid(Kind::Violation, "an index past the end", &bad);
        Ok(())
    }

    fn follow(&mut self, l: &Located) -> Modelled<Vec<Located>> {
        let v = self.object(&l.object)?;
        let mut out = vec![];
        for (when, target) in self.arena.targets(&mut self.script, v, &l.path)? {
            let when = self.script.and(&l.when, &when);
            if when.is(false) {
                continue;
            }
            match target {
                Ok(Pointer { object, path, meta }) => out.push(Located {
                    when,
                    object,
                    path,
                    meta,
                }),
                Err(gap) if when.is(true) => return Err(gap),
                Err(gap) => self.forbid(Kind::Gap, gap.0, &when),
            }
        }
        Ok(out)
    }

    /// The value at a place, whatever its type.
    pub fn load(&mut self, at: &[Located]) -> Modelled<V> {
        let mut out = None;
        for l in at.iter().rev() {
            let v = self.object(&l.object)?;
            let v = self.arena.view(v, &l.path);
            out = Some(match out {
                None => v,
                Some(other) => self.arena.ite(&l.when, v, other),
            });
        }
        out.ok_or(Gap("a pointer that leads nowhere".into()))
    }

    pub fn store(&mut self, at: &[Located], value: V) -> Modelled<()> {
        for l in at {
            if matches!(l.object, Object::Constant(..))
                && !self.constants.contains_key(&Self::busy())
            {
                return gap("a write to a constant");
            }
            let old = match &l.object {
                Object::Constant(..) => self
                    .constants
                    .get(&l.object)
                    .copied()
                    .unwrap_or(Arena::UNINIT),
                o => self.object(o)?,
            };
            let written = self.arena.write(old, &l.path, value);
            let new = self.arena.ite(&l.when, written, old);
            match &l.object {
                Object::Constant(..) => self.constants.insert(l.object.clone(), new),
                o => self.state.objects.insert(o.clone(), new),
            };
        }
        Ok(())
    }

    /// Stands in `constants` while the body of a constant is executed.
    pub fn busy() -> Object {
        Object::Constant("".into(), 0)
    }

    pub fn assign(&mut self, frame: &Frame, place: &Place, value: V) -> Modelled<()> {
        let at = self.locate(frame, place)?;
        self.store(&at, value)
    }

    pub fn operand_type(&mut self, frame: &Frame, operand: &Operand) -> Modelled<Ty> {
        match operand {
            Operand::Copy(p) | Operand::Move(p) => self.place_type(frame, p),
            Operand::Const(c) => self.constant_type(c),
            Operand::RuntimeChecks(_) => Ok(Ty::new(TyKind::Bool)),
        }
    }

    /// The value of an operand. A scalar is read at once, and must be there.
    pub fn operand(&mut self, frame: &Frame, operand: &Operand, ty: Option<&Ty>) -> Modelled<V> {
        match operand {
            Operand::Copy(p) | Operand::Move(p) => {
                let ty = self.place_type(frame, p)?;
                if types::scalar(&ty).is_some() {
                    let t = self.scalar(frame, operand)?;
                    return Ok(self.arena.leaf(t));
                }
                let at = self.locate(frame, p)?;
                self.load(&at)
            }
            Operand::Const(c) => self.constant(c, ty),
            Operand::RuntimeChecks(_) => {
                let t = self.scalar(frame, operand)?;
                Ok(self.arena.leaf(t))
            }
        }
    }

    /// The bits of an operand of scalar type.
    pub fn scalar(&mut self, frame: &Frame, operand: &Operand) -> Modelled<Term> {
        match operand {
            Operand::Copy(p) | Operand::Move(p) => {
                let ty = self.place_type(frame, p)?;
                let Some(of) = types::scalar(&ty) else {
                    return gap(format!("`{ty}` as a number"));
                };
                let at = self.locate(frame, p)?;
                let v = self.load(&at)?;
                let read = self.arena.read(&mut self.script, v, &[], of)?;
                self.forbid(
                    Kind::Violation,
                    format!("`{p}` is read and has no value"),
                    &read.missing,
                );
                Ok(read.term)
            }
            Operand::Const(c) => {
                let ty = self.constant_type(c)?;
                let Some(of) = types::scalar(&ty) else {
                    return gap(format!("`{ty}` as a number"));
                };
                let v = self.constant(c, Some(&ty))?;
                Ok(self.arena.read(&mut self.script, v, &[], of)?.term)
            }
            Operand::RuntimeChecks(_) => match self.graph.fixed(operand) {
                Some(bit) => Ok(Term::boolean(bit != 0)),
                None => gap("a setting of the build"),
            },
        }
    }

    /// The pointers that an operand may be.
    pub fn pointers(&mut self, frame: &Frame, operand: &Operand) -> Modelled<Vec<(Term, Pointer)>> {
        let v = self.operand(frame, operand, None)?;
        self.pointers_in(v)
    }

    pub fn pointers_in(&mut self, v: V) -> Modelled<Vec<(Term, Pointer)>> {
        let mut out = vec![];
        for (when, target) in self.arena.targets(&mut self.script, v, &[])? {
            match target {
                Ok(p) => out.push((when, p)),
                Err(gap) if when.is(true) => return Err(gap),
                Err(gap) => self.forbid(Kind::Gap, gap.0, &when),
            }
        }
        match out.is_empty() {
            true => gap("a pointer that leads nowhere"),
            false => Ok(out),
        }
    }

    /// One value out of several, by their conditions, which exclude each other.
    pub fn choose(&mut self, options: Vec<(Term, V)>) -> V {
        let mut out = None;
        for (when, v) in options.into_iter().rev() {
            out = Some(match out {
                None => v,
                Some(other) => self.arena.ite(&when, v, other),
            });
        }
        out.unwrap_or(Arena::UNINIT)
    }

    pub fn pointer(&mut self, p: Pointer) -> V {
        self.arena.add(Node::Pointer(p))
    }

    /// An arbitrary value in place of one that the checker cannot compute.
    pub fn approximate(&mut self, what: impl Into<String>, of: crate::term::Scalar) -> V {
        self.approximations.insert(what.into());
        let t = self.script.fresh(crate::term::Sort::scalar(of));
        self.arena.leaf(t)
    }
}

/// How many elements there are at a place.
fn length(ty: &Ty, l: &Located) -> Modelled<Term> {
    match (types::array_len(ty), &l.meta) {
        (Some(n), _) => Ok(Term::bits(u128::from(n), 64)),
        (None, Some(len)) => Ok(len.clone()),
        _ => gap("an element of what has no length"),
    }
}

/// Joins states of runs that exclude each other.
pub fn join(machine: &mut Machine<'_>, states: Vec<State>) -> Option<State> {
    let mut states = states.into_iter();
    let mut out = states.next()?;
    for s in states {
        let keys: BTreeSet<Object> = out
            .objects
            .keys()
            .chain(s.objects.keys())
            .cloned()
            .collect();
        for key in keys {
            let a = out.objects.get(&key).copied().unwrap_or(Arena::UNINIT);
            let b = s.objects.get(&key).copied().unwrap_or(Arena::UNINIT);
            let v = machine.arena.ite(&s.when, b, a);
            out.objects.insert(key, v);
        }
        out.when = machine.script.or(&out.when, &s.when);
    }
    Some(out)
}
