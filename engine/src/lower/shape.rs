//! What a type is made of: the scalar and pointer leaves of its values, by path.
//!
//! MIR text does not define types, but it annotates every projection with the type of the field. The fields that
//! some body reads or writes are therefore known, and the others do not matter: nobody looks at them. Which
//! discriminant a variant has comes from the compiler (`facts`), never from a guess.

use super::types::{self, erase};
use super::{Lowered, Source, gap};
use crate::capture::Facts;
use crate::mir::{
    Aggregate, Body, Elem, IntTy, Operand, Place, Rvalue, StatementKind, TerminatorKind, Ty, TyKind,
};
use crate::program::ScalarKind;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

/// One step from an object to a leaf. Variant names are numbered by `Shapes::variants`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Step {
    Field(u32),
    /// Field of a variant.
    Variant(u32, u32),
    /// Some element of an array; which one is said by an index beside the path.
    Elem,
    Discriminant,
}

#[derive(Clone, PartialEq, Debug)]
pub enum LeafKind {
    Scalar(ScalarKind),
    /// A pointer to this type.
    Pointer(Ty),
}

#[derive(Clone, PartialEq, Debug)]
pub struct LeafShape {
    pub path: Vec<Step>,
    pub kind: LeafKind,
    /// Widths of the index parts, one per `Elem` of the path.
    pub dims: Vec<u32>,
    /// Lengths of the arrays, one per `Elem`; `None` for slices.
    pub lens: Vec<Option<u64>>,
}

impl LeafShape {
    fn new(path: &[Step], kind: LeafKind, dims: &[(u32, Option<u64>)]) -> LeafShape {
        LeafShape {
            path: path.to_vec(),
            kind,
            dims: dims.iter().map(|d| d.0).collect(),
            lens: dims.iter().map(|d| d.1).collect(),
        }
    }
}

/// The fields that bodies mention, by type.
#[derive(Default)]
pub struct Shapes {
    fields: HashMap<Ty, BTreeMap<(Option<u32>, u32), Ty>>,
    /// Closures' types that one body has several of.
    several: HashSet<Ty>,
    /// Who told a field of a closure first: the address of its body.
    told_by: HashMap<(Ty, u32), usize>,
    /// Bodies that mean other closures by a name than those before them: never run.
    strange: HashSet<usize>,
    reading: usize,
    /// Structs that some body builds: how many fields they have.
    arity: HashMap<Ty, usize>,
    /// All fields of structs that bodies build as they were written.
    built_before: HashMap<Ty, Vec<Ty>>,
    /// The same of variants of enums.
    variant_arity: HashMap<(Ty, Arc<str>), usize>,
    variants_before: HashMap<(Ty, Arc<str>), Vec<Ty>>,
    /// Types whose discriminant is read or set, with the integer type it is read as.
    discriminants: HashMap<Ty, Option<IntTy>>,
    variant_names: Vec<Arc<str>>,
    variant_index: HashMap<Arc<str>, u32>,
    leaves: HashMap<Ty, Rc<Vec<LeafShape>>>,
}

impl Shapes {
    pub fn infer(source: &Source<'_>, root: &Body) -> Shapes {
        let mut shapes = Shapes::default();
        shapes.read_body(root, source.facts);
        for file in &source.files {
            for body in &file.bodies {
                shapes.read_body(body, source.facts);
            }
        }
        for file in &source.files {
            for body in &file.bodies {
                shapes.read_wrappers(body, source.facts);
            }
        }
        shapes.share_unsized();
        // passes fold structs away that are dropped all the same
        let written = source.as_written.iter();
        let other = written.filter(|w| !source.files.iter().any(|f| std::ptr::eq(*f, **w)));
        if source.may_drop() {
            let mut before = Shapes::default();
            for body in other.flat_map(|file| &file.bodies) {
                before.read_body(body, source.facts);
            }
            let built = before.arity.keys();
            let built = built.filter_map(|ty| Some((ty.clone(), before.all_fields(ty)?)));
            shapes.built_before = built.collect();
            let built = before.variant_arity.keys();
            let fields = |(ty, name): &(Ty, Arc<str>)| before.variant_fields(ty, name);
            let built = built.filter_map(|of| Some((of.clone(), fields(of)?)));
            shapes.variants_before = built.collect();
            shapes.share_dropped(&before, source);
        }
        shapes
    }

    /// A type without known fields that is transmuted from or to one scalar or pointer is a wrapper around it
    /// (`NonNull`, `NonZero`): its one leaf is that.
    fn read_wrappers(&mut self, body: &Body, facts: &Facts) {
        for block in &body.blocks {
            for s in &block.statements {
                let StatementKind::Assign(
                    place,
                    Rvalue::Cast {
                        operand,
                        ty,
                        kind: crate::mir::CastKind::Transmute,
                    },
                ) = &s.kind
                else {
                    continue;
                };
                let _ = place;
                let (Some(from), to) = (self.read_operand(body, operand), erase(ty)) else {
                    continue;
                };
                for option in [&from, &to] {
                    self.read_nonzero_option(option);
                }
                for (wrapper, inner) in [(&from, &to), (&to, &from)] {
                    let is_leaf =
                        types::pointee(inner).is_some() || types::scalar_kind(inner).is_some();
                    let TyKind::Adt { path, .. } = wrapper.kind() else {
                        continue;
                    };
                    if path.ends_with("ptr::Alignment") {
                        let of = Ty::new(TyKind::Adt {
                            path: "std::ptr::alignment::AlignmentEnum".into(),
                            args: vec![],
                        });
                        let fields = self.fields.entry(wrapper.clone()).or_default();
                        fields.entry((None, 0)).or_insert(of);
                        continue;
                    }
                    if is_leaf
                        && types::transparent(wrapper).is_none()
                        && !facts.is_union(path)
                        && !self.is_enum(wrapper, facts)
                        && self.fields(wrapper).is_empty()
                    {
                        self.fields
                            .entry(wrapper.clone())
                            .or_default()
                            .insert((None, 0), inner.clone());
                    }
                }
            }
        }
    }

    /// What becomes an option of a `NonZero`, or was one, is its number, whether somebody looks at it or not.
    fn read_nonzero_option(&mut self, option: &Ty) {
        let Some((nonzero, number)) = super::nonzero::inside_option(option) else {
            return;
        };
        let some = self.variant_id("Some");
        let fields = self.fields.entry(option.clone()).or_default();
        let content = fields.entry((Some(some), 0)).or_insert(nonzero).clone();
        // `NonZero(NonZeroInner(7))`, as deep as somebody looked
        let mut layer = content;
        while types::transparent(&layer).is_none() && types::scalar_kind(&layer).is_none() {
            let fields = self.fields.entry(layer).or_default();
            layer = fields.entry((None, 0)).or_insert(number.clone()).clone();
        }
    }

    /// Code speaks of an unsized struct or of its sized form: both have the same fields but for the last.
    fn share_unsized(&mut self) {
        let unsized_forms: Vec<Ty> = self
            .fields
            .keys()
            .filter(|t| types::is_unsized_struct(t))
            .cloned()
            .collect();
        for form in unsized_forms {
            let sized: Vec<Ty> = self
                .fields
                .keys()
                .filter(|t| types::sized_form_of(t, &form))
                .cloned()
                .collect();
            for ty in sized {
                for (key, t) in self.fields(&form) {
                    if !types::is_unsized_sequence(&t) {
                        self.fields
                            .entry(ty.clone())
                            .or_default()
                            .entry(key)
                            .or_insert(t);
                    }
                }
            }
        }
    }

    /// The structs and enums that name one of these types, or hold one that does.
    fn speaking_of(&self, paths: &BTreeSet<String>) -> HashSet<Ty> {
        let mut names = paths.clone();
        let mut found: HashSet<Ty> = HashSet::new();
        loop {
            let n_found = found.len();
            let names_one = |ty: &Ty| {
                let text = ty.to_string();
                let mut paths =
                    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
                paths.any(|path| names.contains(path.trim_matches(':')))
            };
            let mut more = vec![];
            for (ty, fields) in self.fields.iter().filter(|(ty, _)| !found.contains(*ty)) {
                let TyKind::Adt { path, .. } = ty.kind() else {
                    continue;
                };
                if names_one(ty) || fields.values().any(names_one) {
                    more.push((ty.clone(), path.to_string()));
                }
            }
            for (ty, path) in more {
                // types of std are told by their arguments
                if types::in_std(&path).is_none() {
                    names.insert(path);
                }
                found.insert(ty);
            }
            if found.len() == n_found {
                return found;
            }
        }
    }

    /// What passes make constants of is dropped all the same: the fields of types that speak of one with a `Drop`.
    fn share_dropped(&mut self, before: &Shapes, source: &Source<'_>) {
        let speaking = before.speaking_of(&source.drops);
        for (ty, fields) in &before.fields {
            if !speaking.contains(ty) || types::transparent(ty).is_some() {
                continue;
            }
            for ((variant, i), t) in fields {
                let variant = variant.map(|v| self.variant_id(before.variant_name(v)));
                let known = self.fields.entry(ty.clone()).or_default();
                known.entry((variant, *i)).or_insert_with(|| t.clone());
            }
            if let Some(int) = before.discriminants.get(ty) {
                self.discriminants.entry(ty.clone()).or_insert(*int);
            }
        }
    }

    pub fn variant_id(&mut self, name: &str) -> u32 {
        if let Some(&id) = self.variant_index.get(name) {
            return id;
        }
        let id = self.variant_names.len() as u32;
        let name: Arc<str> = name.into();
        self.variant_names.push(name.clone());
        self.variant_index.insert(name, id);
        id
    }

    pub fn variant_name(&self, id: u32) -> &str {
        &self.variant_names[id as usize]
    }

    /// The known fields of a type: (variant, index) -> type.
    pub fn fields(&self, ty: &Ty) -> Vec<((Option<u32>, u32), Ty)> {
        match self.fields.get(ty) {
            Some(f) => f.iter().map(|(k, t)| (*k, t.clone())).collect(),
            // Pointers inside pointers of std are often only converted as a whole.
            None => types::owned_pointer(ty)
                .map(|t| ((None, 0), t))
                .into_iter()
                .collect(),
        }
    }

    /// The types of all fields of a struct, if some body builds one of them and tells.
    pub fn all_fields(&self, ty: &Ty) -> Option<Vec<Ty>> {
        let known = self.fields(ty);
        let field = |i: usize| {
            let found = known.iter().find(|(k, _)| *k == (None, i as u32));
            found.map(|(_, t)| t.clone())
        };
        let here = self.arity.get(ty);
        let here = here.and_then(|&n| (0..n).map(field).collect());
        here.or_else(|| self.built_before.get(ty).cloned())
    }

    /// The types of all fields of a variant, if some body builds one and tells.
    pub fn variant_fields(&self, ty: &Ty, name: &str) -> Option<Vec<Ty>> {
        let of = (ty.clone(), Arc::from(name));
        let id = self.variant_index.get(name).copied();
        let known = self.fields.get(ty);
        let field = |i: usize| known?.get(&(Some(id?), i as u32)).cloned();
        let here = self.variant_arity.get(&of);
        let here = here.and_then(|&n| (0..n).map(field).collect());
        here.or_else(|| self.variants_before.get(&of).cloned())
    }

    fn read_body(&mut self, body: &Body, facts: &Facts) {
        self.reading = address(body);
        for info in &body.debug_infos {
            if let crate::mir::DebugValue::Place(p) = &info.value {
                self.read_place(body, p);
            }
        }
        for block in &body.blocks {
            for s in &block.statements {
                match &s.kind {
                    StatementKind::Assign(place, rvalue) => {
                        let ty = self.read_place(body, place);
                        self.read_rvalue(body, ty.as_ref(), rvalue, facts);
                    }
                    StatementKind::SetDiscriminant(place, _) => {
                        if let Some(ty) = self.read_place(body, place) {
                            self.discriminants.entry(erase(&ty)).or_insert(None);
                        }
                    }
                    _ => {}
                }
            }
            match &block.terminator.kind {
                TerminatorKind::Call {
                    destination, args, ..
                } => {
                    self.read_place(body, destination);
                    for a in args {
                        self.read_operand(body, a);
                    }
                }
                // A pattern like `Some(0)` reads what nothing else does.
                TerminatorKind::SwitchInt { operand: read, .. }
                | TerminatorKind::Assert { cond: read, .. } => {
                    self.read_operand(body, read);
                }
                _ => {}
            }
        }
    }

    /// A field's type. Closures of a generic function have one name for all its instances, and may differ; the function
    /// itself, as it is printed, means none of them. What the root has counts, and who disagrees is not run.
    fn record(&mut self, ty: Ty, key: (Option<u32>, u32), field: Ty) {
        let known = self.fields.entry(ty.clone()).or_default();
        let known = known.entry(key).or_insert_with(|| field.clone());
        if !matches!(ty.kind(), TyKind::Closure(_)) {
            return;
        }
        let differs = *known != field;
        let first = self.told_by.entry((ty.clone(), key.1));
        let first = *first.or_insert(self.reading);
        if differs && first == self.reading {
            self.several.insert(ty);
        } else if differs {
            self.strange.insert(self.reading);
        }
    }

    /// Is this the name of several closures?
    pub fn is_several(&self, ty: &Ty) -> bool {
        self.several.contains(ty)
    }

    /// Does this body mean another closure by a name than the bodies that are run?
    pub fn is_strange(&self, body: &Body) -> bool {
        self.strange.contains(&address(body))
    }

    /// Records the fields on the way and returns the type of the place.
    fn read_place(&mut self, body: &Body, place: &Place) -> Option<Ty> {
        let mut ty = erase(&body.local(place.local)?.ty);
        let mut variant = None;
        for elem in &place.projection {
            match elem {
                Elem::Field(i, t) => {
                    let t = erase(t);
                    if types::transparent(&ty).is_none()
                        && matches!(ty.kind(), TyKind::Adt { .. } | TyKind::Closure(_))
                    {
                        self.record(ty, (variant, *i), t.clone());
                    }
                    ty = t;
                    variant = None;
                }
                Elem::Downcast(v) => {
                    variant = Some(self.variant_id(v));
                    self.discriminants.entry(ty.clone()).or_insert(None);
                }
                Elem::Deref => ty = types::pointee(&ty)?.clone(),
                Elem::Index(_) | Elem::ConstantIndex { .. } => ty = types::element(&ty)?,
                Elem::Subslice { .. } => {}
                Elem::OpaqueCast(t) | Elem::Subtype(t) | Elem::UnwrapUnsafeBinder(t) => {
                    ty = erase(t);
                }
                Elem::DowncastIndex(_) => return None,
            }
        }
        Some(ty)
    }

    fn read_operand(&mut self, body: &Body, operand: &Operand) -> Option<Ty> {
        match operand {
            Operand::Copy(p) | Operand::Move(p) => self.read_place(body, p),
            Operand::Const(c) => super::constant::literal_type(c),
            Operand::RuntimeChecks(_) => Some(Ty::new(TyKind::Bool)),
        }
    }

    fn read_rvalue(&mut self, body: &Body, into: Option<&Ty>, rvalue: &Rvalue, facts: &Facts) {
        match rvalue {
            Rvalue::Aggregate(a) => {
                let (operands, path): (Vec<&Operand>, _) = match a {
                    Aggregate::AdtUnit(p) => (vec![], Some(p)),
                    Aggregate::AdtPositional(p, ops) => (ops.iter().collect(), Some(p)),
                    Aggregate::AdtNamed(p, ops) => (ops.iter().map(|(_, o)| o).collect(), Some(p)),
                    Aggregate::Closure(_, ops) => (ops.iter().map(|(_, o)| o).collect(), None),
                    _ => return,
                };
                let Some(ty) = into.map(erase) else { return };
                if types::transparent(&ty).is_some() {
                    return;
                }
                let variant = path.and_then(|p| self.variant_of(&ty, p));
                if variant.is_some() {
                    self.discriminants.entry(ty.clone()).or_insert(None);
                }
                let union = match (a, ty.kind()) {
                    (Aggregate::AdtNamed(_, named), TyKind::Adt { path, .. })
                        if facts.is_union(path) =>
                    {
                        let name = named.first().map(|(n, _)| &**n).unwrap_or("");
                        Some(facts.union_field(path, name).unwrap_or(0))
                    }
                    _ => None,
                };
                match variant {
                    Some(id) => {
                        let of = (ty.clone(), self.variant_names[id as usize].clone());
                        self.variant_arity.insert(of, operands.len());
                    }
                    None if path.is_some() => {
                        self.arity.insert(ty.clone(), operands.len());
                    }
                    None => {}
                }
                for (i, o) in operands.into_iter().enumerate() {
                    if let Some(t) = self.read_operand(body, o) {
                        let i = union.unwrap_or(i as u32);
                        self.record(ty.clone(), (variant, i), erase(&t));
                    }
                }
            }
            Rvalue::Discriminant(p) => {
                if let Some(ty) = self.read_place(body, p) {
                    let int = match into.map(Ty::kind) {
                        Some(TyKind::Int(i)) => Some(*i),
                        _ => None,
                    };
                    let known = self.discriminants.entry(erase(&ty)).or_insert(int);
                    if known.is_none() {
                        *known = int;
                    }
                }
            }
            Rvalue::Ref { place, .. } | Rvalue::RawPtr { place, .. } | Rvalue::Len(place) => {
                self.read_place(body, place);
            }
            Rvalue::CopyForDeref(place) => {
                self.read_place(body, place);
            }
            Rvalue::Use { operand, .. }
            | Rvalue::Repeat(operand, _)
            | Rvalue::Cast { operand, .. }
            | Rvalue::Unary(_, operand) => {
                self.read_operand(body, operand);
            }
            Rvalue::Binary(_, a, b) => {
                self.read_operand(body, a);
                self.read_operand(body, b);
            }
            _ => {}
        }
    }

    /// The variant that an aggregate's path names, given the type that is built.
    pub fn variant_of(&mut self, ty: &Ty, path: &crate::mir::Path) -> Option<u32> {
        let TyKind::Adt { path: adt, .. } = ty.kind() else {
            return None;
        };
        let plain = path.plain();
        if plain == **adt {
            return None;
        }
        let (head, last) = plain.rsplit_once("::")?;
        // Trimmed paths drop leading segments; the last segment of the type must still match.
        let tail = adt.rsplit("::").next().unwrap_or(adt);
        (head == &**adt || head.rsplit("::").next() == Some(tail)).then(|| self.variant_id(last))
    }

    pub fn is_enum(&self, ty: &Ty, facts: &Facts) -> bool {
        // std keeps this one to itself, and after GVN only constants name it
        let is_known = |path: &str| {
            facts.enum_fact(path).is_some() || path.ends_with("::alignment::AlignmentEnum")
        };
        self.discriminants.contains_key(ty)
            || matches!(ty.kind(), TyKind::Adt { path, .. } if is_known(path))
    }

    /// The integer type in which the discriminant of an enum is held.
    pub fn discriminant_int(&self, ty: &Ty, facts: &Facts) -> IntTy {
        if let TyKind::Adt { path, .. } = ty.kind()
            && let Some(e) = facts.enum_fact(path)
            && let Some(i) = IntTy::from_name(&e.repr)
        {
            return i;
        }
        self.discriminants
            .get(ty)
            .copied()
            .flatten()
            .unwrap_or(IntTy::Isize)
    }

    /// The leaves of a type, in a fixed order.
    pub fn leaves(&mut self, ty: &Ty, facts: &Facts) -> Lowered<Rc<Vec<LeafShape>>> {
        if let Some(l) = self.leaves.get(ty) {
            return Ok(l.clone());
        }
        let mut out = vec![];
        self.collect(ty, facts, &mut vec![], &mut vec![], &mut out, 0)?;
        debug_assert!(out.iter().all(|l| l.lens.len() == l.dims.len()));
        let out = Rc::new(out);
        self.leaves.insert(ty.clone(), out.clone());
        Ok(out)
    }

    fn collect(
        &mut self,
        ty: &Ty,
        facts: &Facts,
        path: &mut Vec<Step>,
        dims: &mut Vec<(u32, Option<u64>)>,
        out: &mut Vec<LeafShape>,
        depth: u32,
    ) -> Lowered<()> {
        if depth > 40 {
            return gap(format!("type `{ty}` is nested too deeply"));
        }
        let mut leaf = |kind: LeafKind, path: &[Step], dims: &[(u32, Option<u64>)]| {
            out.push(LeafShape::new(path, kind, dims));
        };
        if let Some(inner) = types::transparent(ty) {
            return self.collect(&erase(inner), facts, path, dims, out, depth + 1);
        }
        if let Some(kind) = types::scalar_kind(ty) {
            leaf(LeafKind::Scalar(kind), path, dims);
            return Ok(());
        }
        match ty.kind() {
            TyKind::Ref { ty: t, .. } | TyKind::RawPtr { ty: t, .. } => {
                leaf(LeafKind::Pointer(erase(t)), path, dims);
            }
            TyKind::FnPtr(_) => leaf(LeafKind::Pointer(ty.clone()), path, dims),
            TyKind::Tuple(parts) => {
                for (i, t) in parts.iter().enumerate() {
                    path.push(Step::Field(i as u32));
                    self.collect(&erase(t), facts, path, dims, out, depth + 1)?;
                    path.pop();
                }
            }
            TyKind::Array(t, _) => {
                path.push(Step::Elem);
                dims.push((if dims.is_empty() { 64 } else { 32 }, types::array_len(ty)));
                self.collect(&erase(t), facts, path, dims, out, depth + 1)?;
                dims.pop();
                path.pop();
            }
            TyKind::Slice(_) | TyKind::Str => {
                let t = types::element(ty).unwrap_or_else(|| ty.clone());
                path.push(Step::Elem);
                dims.push((64, None));
                self.collect(&erase(&t), facts, path, dims, out, depth + 1)?;
                dims.pop();
                path.pop();
            }
            TyKind::Adt { path: adt, .. } if facts.is_union(adt) => {
                // Fields of one size share one leaf; other unions have no model.
                let mut width = None;
                for (_, t) in self.fields(ty) {
                    match types::scalar_kind(&t) {
                        Some(ScalarKind::Bool | ScalarKind::Char) | None => {
                            return gap(format!("union `{ty}`"));
                        }
                        Some(k) if width.is_some_and(|w| w != types::bits(k)) => {
                            return gap(format!("union `{ty}` with fields of several sizes"));
                        }
                        Some(k) => width = Some(types::bits(k)),
                    }
                }
                if let Some(w) = width {
                    let kind = LeafKind::Scalar(ScalarKind::Unsigned(w));
                    out.push(LeafShape::new(path, kind, dims));
                }
            }
            TyKind::Closure(_) if self.is_several(ty) => {
                return gap(format!("an item whose name another one has, too: `{ty}`"));
            }
            TyKind::Adt { .. } | TyKind::Closure(_) => {
                if self.is_enum(ty, facts) {
                    let int = self.discriminant_int(ty, facts);
                    path.push(Step::Discriminant);
                    let kind = LeafKind::Scalar(types::int_kind(int));
                    out.push(LeafShape::new(path, kind, dims));
                    path.pop();
                }
                for ((variant, i), t) in self.fields(ty) {
                    path.push(match variant {
                        Some(v) => Step::Variant(v, i),
                        None => Step::Field(i),
                    });
                    self.collect(&t, facts, path, dims, out, depth + 1)?;
                    path.pop();
                }
            }
            TyKind::Never
            | TyKind::FnDef { .. }
            | TyKind::Dyn { .. }
            | TyKind::Coroutine(_)
            | TyKind::Impl { .. }
            | TyKind::Alias(_)
            | TyKind::UnsafeBinder { .. }
            | TyKind::Infer
            | TyKind::Other(_)
            | TyKind::Pattern { .. } => {}
            TyKind::Bool | TyKind::Char | TyKind::Int(_) | TyKind::Float(_) => {}
        }
        Ok(())
    }
}

fn address(body: &Body) -> usize {
    std::ptr::from_ref(body).addr()
}
