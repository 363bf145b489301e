//! Constants: literals, named constants (by their bodies or as the compiler evaluated them), allocations.

use super::pointer::Target;
use super::shape::{LeafKind, Step};
use super::std_promoted;
use super::std_table;
use super::types::{self, erase};
use super::value::Value;
use super::{Lowered, Lowerer, ObjectKey, gap};
use crate::mir::{
    AllocKind, ArrayLen, Block, BodyKind, Const, ConstFields, GenericArg, IntTy, Path,
    TerminatorKind, Ty, TyKind,
};
use crate::program::ScalarKind;
use crate::term::Term;

/// How the reason of a constant begins that nobody knows the value of: `the value of constant .. is not known`.
pub const WITHOUT_VALUE: &str = "the value of constant";

/// What a constant's name may be of: `const { .. }` has no name of its own, and a number in its function.
const NAMED: [BodyKind; 3] = [BodyKind::Const, BodyKind::Promoted, BodyKind::Anonymous];

/// The path of a static of this crate by the compiler's name for it: others may have one of the same path.
fn static_name(text: &str) -> Option<&str> {
    let text = text.strip_prefix("DefId(0:")?;
    Some(text.rsplit_once("]::")?.1.trim_end_matches(')'))
}

/// The path of a static of another crate: `core::unicode::MAP` of `DefId(2:5 ~ core[c1f1]::unicode::MAP)`.
fn foreign_static(text: &str) -> Option<String> {
    let (number, path) = text.strip_prefix("DefId(")?.split_once(" ~ ")?;
    let (of_crate, rest) = path.split_once('[')?;
    let (_, path) = rest.split_once("]::")?;
    let is_foreign = !number.starts_with("0:");
    is_foreign.then(|| format!("{of_crate}::{}", path.trim_end_matches(')')))
}

/// The type of a literal, where the text alone tells it.
pub fn literal_type(c: &Const) -> Option<Ty> {
    let bytes = |n: usize| {
        Ty::new(TyKind::Array(
            Ty::new(TyKind::Int(IntTy::U8)),
            ArrayLen::Known(n as u64),
        ))
    };
    let reference = |ty: Ty| {
        Ty::new(TyKind::Ref {
            lifetime: None,
            mutable: false,
            ty,
        })
    };
    Some(match c {
        Const::Int { ty, .. } => Ty::new(TyKind::Int(*ty)),
        Const::Bool(_) => Ty::new(TyKind::Bool),
        Const::Char(_) => Ty::new(TyKind::Char),
        Const::Float { bits, .. } => Ty::new(TyKind::Float(*bits)),
        Const::Str(_) => reference(Ty::new(TyKind::Str)),
        Const::ByteStr(b) => reference(bytes(b.len())),
        Const::ByteArray(b) => bytes(b.len()),
        Const::Tuple(parts) => Ty::new(TyKind::Tuple(
            parts.iter().map(literal_type).collect::<Option<_>>()?,
        )),
        Const::ZeroSized(ty) | Const::Alloc { ty, .. } => erase(ty),
        Const::Address { ty, .. } | Const::Transmute { ty, .. } => erase(ty),
        _ => return None,
    })
}

impl<'a> Lowerer<'a> {
    pub fn const_type(&mut self, c: &Const) -> Option<Ty> {
        if let Some(t) = literal_type(c) {
            return Some(t);
        }
        if let Const::Static(text) = c {
            let b = self.bodies.by_path(static_name(text)?, BodyKind::Static);
            let ty = erase(b.ok()??.body.ret());
            return Some(Ty::new(TyKind::Ref {
                lifetime: None,
                mutable: false,
                ty,
            }));
        }
        let Const::Named(path) = c else { return None };
        if let Some(t) = self.type_of_namesakes(path) {
            return Some(t);
        }
        if let Some(text) = self.source.facts.consts.get(&path.to_string())
            && let Some(t) = literal_of(text).as_ref().and_then(literal_type)
        {
            return Some(t);
        }
        if let Ok(Some(b)) = self.promoted_in_method(&path.to_string()) {
            return Some(erase(b.body.ret()));
        }
        for kind in NAMED {
            if let Ok(Some(b)) = self.bodies.by_path(&path.to_string(), kind) {
                return Some(erase(b.body.ret()));
            }
            if let Ok(Some(b)) = self.constant_in_method(path, kind) {
                return Some(erase(b.body.ret()));
            }
        }
        if let Ok(Some(b)) = self.constant_of_impl(path) {
            return Some(erase(b.body.ret()));
        }
        if let Ok(Some(b)) = self.constant_of_trait(path) {
            return Some(erase(b.body.ret()));
        }
        if let Some(b) = self.promoted_in_generic(path) {
            return Some(erase(b.body.ret()));
        }
        if let Some(body) = std_promoted::of(path).filter(|_| self.is_std_default(path)) {
            return Some(erase(body.ret()));
        }
        if let Some(width) = super::nan::width_of(path) {
            return Some(Ty::new(TyKind::Float(width)));
        }
        if path.last_name() == "IS_ZST" {
            return Some(Ty::new(TyKind::Bool));
        }
        // `ALIGNMENT` is a wrapper, and as good as its number wherever it is converted.
        if ["SIZE", "ALIGN", "ALIGNMENT", "MAX_SLICE_LEN"].contains(&path.last_name())
            && path.qself.is_some()
        {
            return Some(Ty::new(TyKind::Int(IntTy::Usize)));
        }
        if let Some((_, ty)) = std_table::of(path) {
            return Some(ty);
        }
        int_limit(path).as_ref().and_then(literal_type)
    }

    pub fn constant(&mut self, c: &Const, ty: Option<&Ty>) -> Lowered<Value> {
        match c {
            Const::Int { bits, ty } => {
                let t = self.pool.bv(*bits, ty.bits());
                Ok(self.scalar(t))
            }
            Const::Bool(b) => {
                let t = self.pool.bool(*b);
                Ok(self.scalar(t))
            }
            Const::Char(ch) => {
                let t = self.pool.bv(u128::from(u32::from(*ch)), 32);
                Ok(self.scalar(t))
            }
            Const::Float { text, bits } => {
                let t = self.float_literal(text, *bits)?;
                Ok(self.scalar(t))
            }
            Const::UntypedInt {
                negative,
                magnitude,
            } => {
                let Some(kind) = ty.and_then(types::scalar_kind) else {
                    return gap("a number of unknown type");
                };
                let bits = if *negative {
                    magnitude.wrapping_neg()
                } else {
                    *magnitude
                };
                let t = self.pool.bv(bits, types::bits(kind));
                Ok(self.scalar(t))
            }
            Const::Str(s) => {
                let bytes = s.as_bytes().into();
                self.text(bytes, true)
            }
            Const::ByteStr(b) => self.text(b.clone(), false),
            Const::ByteArray(b) => {
                let ty = literal_type(c).unwrap_or_else(Ty::unit);
                let mut v = self.undefined(&ty)?;
                for (i, &byte) in b.iter().enumerate() {
                    let e = self.pool.bv(u128::from(byte), 8);
                    let e = self.scalar(e);
                    let i = self.bv64(i as u64);
                    self.set_element(&mut v, i, &e)?;
                }
                Ok(v)
            }
            Const::Tuple(parts) => {
                let tys: Vec<Ty> = match ty.map(|t| t.kind()) {
                    Some(TyKind::Tuple(t)) => t.iter().map(erase).collect(),
                    _ => parts.iter().filter_map(literal_type).collect(),
                };
                if parts.is_empty() {
                    return Ok(Value::default());
                }
                if tys.len() != parts.len() {
                    return gap("a constant tuple of unknown type");
                }
                let mut vs = vec![];
                for (i, (p, t)) in parts.iter().zip(&tys).enumerate() {
                    vs.push((Step::Field(i as u32), self.constant(p, Some(t))?));
                }
                let whole = Ty::new(TyKind::Tuple(tys));
                self.assemble(&whole, None, vs)
            }
            Const::Array(parts) => {
                let Some(ty) = ty else {
                    return gap("a constant array of unknown type");
                };
                let elem = types::element(ty).map(|t| erase(&t));
                let mut v = self.undefined(ty)?;
                for (i, p) in parts.iter().enumerate() {
                    let e = self.constant(p, elem.as_ref())?;
                    let i = self.bv64(i as u64);
                    self.set_element(&mut v, i, &e)?;
                }
                Ok(v)
            }
            Const::Adt { path, fields } => self.const_adt(path, fields, ty),
            Const::Named(path) => self.named(path, ty),
            Const::FnItem(_) | Const::ZeroSized(_) => match ty {
                // A zero-sized value has no leaves; of an enum it still has a variant.
                Some(t) if !self.leaves(t)?.is_empty() => gap(format!("a constant of type `{t}`")),
                _ => Ok(Value::default()),
            },
            Const::Ref(inner) => {
                let pointee = ty.and_then(types::pointee).map(erase);
                let _ = self.constant(inner, pointee.as_ref())?;
                gap("a reference inside a constant")
            }
            Const::Alloc { pointer, ty } => self.alloc_pointer(pointer.alloc, pointer.offset, ty),
            Const::Address { digits, ty } => {
                let Ok(n) = u64::from_str_radix(digits.trim_start_matches("0x"), 16) else {
                    return gap("an address of unusual form");
                };
                let t = self.bv64(n);
                let fat = types::pointee(ty).is_some_and(types::is_fat);
                Ok(self.address_pointer(t, fat))
            }
            Const::Transmute { digits, ty } => {
                let Ok(n) = u128::from_str_radix(digits.trim_start_matches("0x"), 16) else {
                    return gap("a transmuted constant of unusual form");
                };
                match types::scalar_kind(ty) {
                    Some(ScalarKind::Bool) => {
                        let t = self.pool.bool(n != 0);
                        Ok(self.scalar(t))
                    }
                    Some(k) => {
                        let t = self.pool.bv(n, types::bits(k));
                        Ok(self.scalar(t))
                    }
                    None => match self.of_bytes(&erase(ty), n, digits)? {
                        Some(value) => Ok(value),
                        None => gap(format!("a constant of type `{ty}` given by its bytes")),
                    },
                }
            }
            Const::Uninit => match ty {
                Some(t) => self.undefined(&t.clone()),
                None => Ok(Value::default()),
            },
            Const::Static(text) => self.static_pointer(text, ty),
            Const::Pattern { value, .. } => self.constant(value, ty),
            Const::Slice { .. }
            | Const::Indirect { .. }
            | Const::Scalar { .. }
            | Const::Other(_) => gap("a constant of unknown form"),
        }
    }

    /// A value given by all its bytes, where they tell what its parts are.
    fn of_bytes(&mut self, ty: &Ty, bytes: u128, digits: &str) -> Lowered<Option<Value>> {
        if let Some(none) = self.none_of_bytes(ty, bytes)? {
            return Ok(Some(none));
        }
        self.only_leaf_of_bytes(ty, bytes, digits)
    }

    /// A struct or closure with one scalar that is as large as all of it: what else it has takes no room. As many digits
    /// are printed as it has half bytes.
    fn only_leaf_of_bytes(&mut self, ty: &Ty, bytes: u128, digits: &str) -> Lowered<Option<Value>> {
        let n_digits = digits.trim_start_matches("0x").len();
        let leaves = self.leaves(ty)?;
        let [leaf] = leaves.as_slice() else {
            return Ok(None);
        };
        let is_field = |step: &Step| matches!(step, Step::Field(_));
        let LeafKind::Scalar(kind) = leaf.kind else {
            return Ok(None);
        };
        let width = types::bits(kind);
        let size = (width as usize).div_ceil(8);
        if 2 * size != n_digits || !leaf.path.iter().all(is_field) {
            return Ok(None);
        }
        let value = match kind {
            ScalarKind::Bool if bytes <= 1 => self.pool.bool(bytes == 1),
            ScalarKind::Bool => return Ok(None),
            _ => self.pool.bv(bytes, width),
        };
        let mut value = self.scalar(value);
        value.leaves[0].0 = leaf.path.clone();
        Ok(Some(value))
    }

    fn float_literal(&mut self, text: &str, bits: u16) -> Lowered<Term> {
        let text = text.trim_end_matches('_');
        let value = match text {
            // MIR prints every NaN alike, whatever its sign and payload
            "NaN" => {
                let why = "the bits of a NaN that is a constant of the compiler's";
                return self.some_nan(u32::from(bits), why);
            }
            "inf" => f64::INFINITY,
            "-inf" => f64::NEG_INFINITY,
            t => match t.parse::<f64>() {
                Ok(v) => v,
                Err(_) => return gap(format!("float literal `{text}`")),
            },
        };
        match bits {
            64 => Ok(self.pool.bv(u128::from(value.to_bits()), 64)),
            32 => {
                // Parsed directly: rounding twice could differ.
                let v = text.parse::<f32>().unwrap_or(value as f32);
                Ok(self.pool.bv(u128::from(v.to_bits()), 32))
            }
            _ => gap(format!("f{bits}")),
        }
    }

    fn const_adt(&mut self, path: &Path, fields: &ConstFields, ty: Option<&Ty>) -> Lowered<Value> {
        let Some(ty) = ty else {
            return gap(format!("constant `{}` of unknown type", path.plain()));
        };
        let parts: Vec<&Const> = match fields {
            ConstFields::Positional(p) => p.iter().collect(),
            ConstFields::Named(p) | ConstFields::NamedInType(p) => {
                p.iter().map(|(_, c)| c).collect()
            }
        };
        // A wrapper is its content, which is the last field (`uninit` of `MaybeUninit` comes first).
        if types::is_wrapper(&path.plain()) {
            return match parts.last() {
                Some(content) => self.constant(content, Some(ty)),
                None => self.undefined(ty),
            };
        }
        // What is left is the content, whatever it was wrapped in.
        let mut ty = ty;
        while let Some(inner) = types::transparent(ty) {
            ty = inner;
        }
        if self.is_union(ty) {
            return gap(format!("a constant of union type `{ty}`"));
        }
        // The type is known by its one leaf, the constant by its layers (`NonZero(NonZeroInner(2))`).
        if types::scalar_kind(ty).is_some() {
            return match parts.as_slice() {
                [only] => self.constant(only, Some(ty)),
                _ => gap(format!("constant `{}` as `{ty}`", path.plain())),
            };
        }
        let variant = self.shapes.variant_of(ty, path);
        let known = self.shapes.fields(ty);
        let mut out = vec![];
        for (i, c) in parts.into_iter().enumerate() {
            let key = (variant, i as u32);
            let Some((_, t)) = known.iter().find(|(k, _)| *k == key) else {
                continue;
            };
            let v = self.constant(c, Some(&t.clone()))?;
            let step = match variant {
                Some(v) => Step::Variant(v, i as u32),
                None => Step::Field(i as u32),
            };
            out.push((step, v));
        }
        let given: Vec<Step> = out.iter().map(|(step, _)| *step).collect();
        let name = variant.map(|v| self.shapes.variant_name(v).to_string());
        let value = self.assemble(ty, name.as_deref(), out)?;
        // A constant has all its parts: one that is missing was misunderstood.
        let missing = value.leaves.iter().any(|(p, _)| match p.first() {
            Some(Step::Discriminant) => false,
            Some(Step::Variant(v, _)) if Some(*v) != variant => false,
            Some(step) => !given.contains(step),
            None => true,
        });
        if missing {
            return gap(format!("a constant of type `{ty}`"));
        }
        if path.plain().ends_with("raw_vec::RawVecInner") {
            return self.empty_buffer(value, true);
        }
        Ok(value)
    }

    /// A named constant: a unit variant or struct, a body of this crate, or a value the compiler told.
    fn named(&mut self, path: &Path, ty: Option<&Ty>) -> Lowered<Value> {
        let text = path.to_string();
        if let Some(value) = self.one_of_namesakes(path)? {
            return Ok(value);
        }
        if let Some(access) = self.thread_local_access(path)? {
            return Ok(access);
        }
        if let Some(b) = self.promoted_in_method(&text)? {
            return self.const_body(b);
        }
        for kind in NAMED {
            if let Some(b) = self.bodies.by_path(&text, kind)? {
                // what its body calls is rarely captured, and the compiler told its value
                let calls = |b: &Block| matches!(b.terminator.kind, TerminatorKind::Call { .. });
                if b.body.blocks.iter().any(calls)
                    && let Some(value) = self.source.facts.consts.get(&text)
                    && let Some(c) = literal_of(value)
                {
                    self.used.insert(crate::assumption::Assumption::Constants);
                    return self.constant(&c, ty);
                }
                return self.const_body(b);
            }
            if let Some(b) = self.constant_in_method(path, kind)? {
                return self.const_body(b);
            }
        }
        if let Some(b) = self.promoted_in_generic(path) {
            return self.const_body(b);
        }
        if types::in_std(&text).is_some_and(|of| of.starts_with("hash::RandomState::")) {
            return gap("a `HashMap` or `HashSet` whose keys are hashed at random, by a constant");
        }
        if let Some(body) = std_promoted::of(path)
            && self.is_std_default(path)
            && ty.is_none_or(|ty| *ty == erase(body.ret()))
        {
            self.used.insert(crate::assumption::Assumption::StdModels);
            return self.const_body(super::instance::BodyRef { body, file: 0 });
        }
        if !self.source.facts.consts.contains_key(&text)
            && let Some(b) = self.constant_of_impl(path)?
            && ty.is_none_or(|ty| *ty == erase(b.body.ret()))
        {
            return self.const_body(b);
        }
        if let Some(value) = self.source.facts.consts.get(&text) {
            self.used.insert(crate::assumption::Assumption::Constants);
            return match literal_of(value) {
                Some(c) => self.constant(&c, ty),
                None => gap(format!("constant `{text}` has the value `{value}`")),
            };
        }
        if let Some(b) = self.constant_of_trait(path)? {
            return self.const_body(b);
        }
        if let Some(t) = ty
            && self.shapes.is_enum(t, self.source.facts)
            && self.shapes.variant_of(t, path).is_some()
        {
            return self.assemble(t, Some(path.last_name()), vec![]);
        }
        if let Some(c) = int_limit(path) {
            return self.constant(&c, ty);
        }
        if let Some((c, of)) = std_table::of(path)
            && ty.is_none_or(|ty| *ty == of)
        {
            self.used.insert(crate::assumption::Assumption::StdModels);
            return self.constant(&c, Some(&of));
        }
        if let Some(width) = super::nan::width_of(path) {
            let nan = self.some_nan(u32::from(width), "the bits of `NAN`")?;
            return Ok(self.scalar(nan));
        }
        if let Some(k) = path
            .last_name()
            .strip_prefix("_Align1Shl")
            .and_then(|k| k.parse::<u32>().ok())
            && k < 64
        {
            let t = self.bv64(1 << k);
            let mut v = self.scalar(t);
            if let Some(ty) = ty
                && let [shape] = self.leaves(ty)?.as_slice()
            {
                v.leaves[0].0 = shape.path.clone();
            }
            return Ok(v);
        }
        if let Some(v) = self.layout_constant(path, ty)? {
            return Ok(v);
        }
        if let Some(v) = self.needs_drop_constant(path)? {
            return Ok(v);
        }
        match ty {
            Some(t) if matches!(t.kind(), TyKind::Adt { path: adt, .. } if **adt == path.plain()) => {
                self.assemble(t, None, vec![])
            }
            Some(t) if self.leaves(t)?.is_empty() => Ok(Value::default()),
            // `[const { MaybeUninit::uninit() }; N]`: std's inline constants of this type are all of this form.
            Some(t) if is_inline_of_std(&text) && types::is_maybe_uninit(t) => self.undefined(t),
            _ => gap(format!("the value of constant `{text}` is not known")),
        }
    }

    /// Is the method that this constant is promoted in the default of std? Other crates may have their own, and so may
    /// impls of this one.
    fn is_std_default(&self, path: &Path) -> bool {
        let Some(TyKind::Adt { path: of, .. }) = path.qself.as_ref().map(|q| q.ty.kind()) else {
            return true;
        };
        let own = || {
            let of_iterators = std_promoted::FUNCTIONS.iter();
            of_iterators.flat_map(|m| self.bodies.methods(m)).next()
        };
        types::in_std(of).is_some() || (self.is_local_type(of) && own().is_none())
    }

    /// Evaluates a constant by lowering its body here: it is a call without arguments.
    fn const_body(&mut self, b: super::instance::BodyRef<'a>) -> Lowered<Value> {
        if let Some(c) = &b.body.value {
            let ty = erase(b.body.ret());
            return self.constant(&c.clone(), Some(&ty));
        }
        let block = self.const_site;
        let mut site = 1_000_000;
        // The same constant at the same place shares its instance: it has one value.
        let name = b.body.path.clone();
        loop {
            let key = (self.frame, block, site);
            match self.instance_index.get(&key) {
                Some(id) if self.instances[id.0 as usize].body.body.path != name => site += 1,
                _ => break,
            }
        }
        let depth = self.instances[self.frame.0 as usize].depth;
        if depth > super::inline::MAX_DEPTH {
            return gap("constants nested too deeply");
        }
        let instance = self.instance(block, site, b);
        self.run_constant(instance, |l, at| l.load_located(&at))
    }

    /// Runs the body of a constant here; `then` is done with the place of its value.
    pub fn run_constant<T>(
        &mut self,
        instance: super::instance::InstanceId,
        then: impl FnOnce(&mut Self, super::place::Located) -> Lowered<T>,
    ) -> Lowered<T> {
        let exit = self.new_return_block();
        let enter = self.new_block();
        self.goto(enter);
        self.current = enter;
        self.resets.push((enter, instance, true));
        self.lower_instance(instance, exit);
        self.current = exit;
        let frame = std::mem::replace(&mut self.frame, instance);
        let at = self.locate(&crate::mir::Place::local(crate::mir::Local::RETURN));
        let v = at.and_then(|at| then(self, at));
        self.frame = frame;
        v
    }

    /// A pointer to literal bytes.
    fn text(&mut self, bytes: std::sync::Arc<[u8]>, is_str: bool) -> Lowered<Value> {
        let n = bytes.len() as u64;
        let ty = Ty::new(TyKind::Array(
            Ty::new(TyKind::Int(IntTy::U8)),
            ArrayLen::Known(n),
        ));
        let key = ObjectKey::Literal(bytes.clone());
        let object = self.object(key, &ty, vec![], "text".into());
        if self.prepared.insert(object) && n <= 4096 {
            let elems: Vec<u128> = bytes.iter().map(|b| u128::from(*b)).collect();
            self.prepare_array(
                object,
                &[elems.len() as u64],
                &elems,
                ScalarKind::Unsigned(8),
            )?;
        }
        let mut path = vec![];
        let mut indices = vec![];
        let mut meta = None;
        if is_str {
            path.push(Step::Elem);
            indices.push(self.bv64(0));
            meta = Some(self.bv64(n));
        }
        let p = self.pointer_to(Target::Place(object, path), indices, meta);
        Ok(self.pointer(p))
    }

    /// Gives an array of an immutable object its contents, at the program's entry.
    fn prepare_array(
        &mut self,
        object: super::ObjectId,
        lengths: &[u64],
        elems: &[u128],
        kind: ScalarKind,
    ) -> Lowered<()> {
        let path: Vec<Step> = lengths.iter().map(|_| Step::Elem).collect();
        // An index of nested arrays is their indices side by side, as `memory` joins them.
        let mut dims = vec![32; lengths.len()];
        dims[0] = 64;
        let index = dims.iter().sum();
        let scalar = super::value::scalar_sort(kind);
        let sort = super::value::in_array(scalar, &dims);
        self.part(object, &path, super::Part::Value, sort);
        let Some(&var) = self.vars.get(&(object, path, super::Part::Value)) else {
            return gap("a variable that was never made");
        };
        let fill = elems.last().copied().unwrap_or(0);
        let mut t = self.pool.constant(fill, sort);
        for (i, &e) in elems.iter().enumerate() {
            if e == fill {
                continue;
            }
            let i = self.pool.bv(joined_index(i as u64, lengths), index);
            let e = self.pool.constant(e, scalar);
            t = self.pool.store(t, i, e);
        }
        self.entry_setup.push(crate::program::Stmt::Assign(var, t));
        Ok(())
    }

    /// A reference to a static, printed with the compiler's internal name: `DefId(0:3 ~ krate[8244]::m::TABLE)`.
    fn static_pointer(&mut self, text: &str, ty: Option<&Ty>) -> Lowered<Value> {
        let foreign = foreign_static(text);
        let Some(name) = static_name(text).or(foreign.as_deref()) else {
            return gap(format!("static `{text}` of another crate"));
        };
        let Some(ty) = ty else {
            return gap(format!("static `{name}` of unknown type"));
        };
        // those of other crates have no body here, so that only numbers are known by their bytes
        let is_known = |to: &Ty| is_scalars(to) && !has_cell(to) && !types::is_raw(ty);
        if foreign.is_some() && !types::pointee(ty).is_some_and(is_known) {
            return gap(format!("static `{name}` of another crate"));
        }
        let file = self.instances[self.frame.0 as usize].body.file;
        let named = |kind: &AllocKind| matches!(kind, AllocKind::Static(n) if **n == *name);
        let allocs = self.bodies.file(file).allocs.iter();
        let mut found = allocs.filter(|a| named(&a.kind));
        let Some(first) = found.next() else {
            return gap(format!(
                "the contents of static `{name}` are not in the dump"
            ));
        };
        // printed once for each function that mentions it; crates of one name may have different ones
        if foreign.is_some() && found.any(|a| a.bytes != first.bytes) {
            return gap(format!("two statics of one name: `{name}`"));
        }
        self.alloc_pointer(first.id, 0, &erase(ty))
    }

    /// A pointer into an allocation of the compiler's tables.
    fn alloc_pointer(&mut self, id: u32, offset: u64, ty: &Ty) -> Lowered<Value> {
        let file = self.instances[self.frame.0 as usize].body.file;
        let Some(alloc) = self.bodies.file(file).alloc(id) else {
            return gap(format!("allocation {id} is not in the dump"));
        };
        let Some(to) = types::pointee(ty).map(erase) else {
            return gap(format!("a constant pointer of type `{ty}`"));
        };
        match &alloc.kind {
            AllocKind::Memory | AllocKind::Static(_) => {}
            AllocKind::Function(_) | AllocKind::VTable(_) => return gap("a constant function"),
            _ => return gap("a static without known contents"),
        }
        if let AllocKind::Static(name) = &alloc.kind {
            let name = name.clone();
            let first: Option<Vec<u8>> = alloc.bytes.iter().copied().collect();
            let first = first.filter(|_| alloc.relocations.is_empty());
            // one object, whichever file and table mentions it
            if self.source.first_call && offset == 0 && self.is_atomics(&to, 0) {
                return self.static_mut(&name, ty, first.as_deref());
            }
            if self.is_static_mut(&name, ty)? {
                return match offset {
                    0 => self.static_mut(&name, ty, first.as_deref()),
                    _ => gap(format!("a part of `static mut {name}`")),
                };
            }
        }
        if matches!(&alloc.kind, AllocKind::Static(_)) && offset == 0 && self.is_atomics(&to, 0) {
            let key = ObjectKey::Alloc(file, id);
            let object = self.object(key, &to, vec![], format!("alloc{id}"));
            self.shared.insert(object);
            let p = self.pointer_to(Target::Place(object, vec![]), vec![], None);
            return Ok(self.pointer(p));
        }
        // what holds pointers, or lies in memory as the compiler likes, is made by its own body
        let by_body = !alloc.relocations.is_empty() || !is_scalars(&to);
        if let (AllocKind::Static(name), 0, true) = (&alloc.kind, offset, by_body) {
            return self.static_by_body(&name.clone(), &to);
        }
        if offset != 0 || !alloc.relocations.is_empty() {
            return gap("a constant that contains pointers");
        }
        let bytes: Option<Vec<u8>> = alloc.bytes.iter().copied().collect();
        let Some(bytes) = bytes else {
            return gap("a constant with uninitialised bytes");
        };
        if matches!(&alloc.kind, AllocKind::Static(_)) && has_cell(&to) {
            return gap("a static with interior mutability");
        }
        let object = self.object(
            ObjectKey::Alloc(file, id),
            &to,
            vec![],
            format!("alloc{id}"),
        );
        if self.objects[object.0 as usize].ty != to {
            return gap("an allocation used as two types");
        }
        if self.prepared.insert(object) {
            self.fill_object(object, &to, &bytes)?;
        }
        let p = self.pointer_to(Target::Place(object, vec![]), vec![], None);
        Ok(self.pointer(p))
    }

    /// The contents of an object from its bytes: scalars and arrays of scalars, whose layout is fixed.
    pub fn fill_object(&mut self, object: super::ObjectId, ty: &Ty, bytes: &[u8]) -> Lowered<()> {
        let little = |chunk: &[u8]| {
            chunk
                .iter()
                .rev()
                .fold(0u128, |acc, b| (acc << 8) | u128::from(*b))
        };
        if let Some(kind) = types::scalar_kind(ty) {
            let sort = super::value::scalar_sort(kind);
            self.part(object, &[], super::Part::Value, sort);
            let Some(&var) = self.vars.get(&(object, vec![], super::Part::Value)) else {
                return gap("a variable that was never made");
            };
            let t = self.pool.constant(little(bytes), sort);
            self.entry_setup.push(crate::program::Stmt::Assign(var, t));
            return Ok(());
        }
        let (mut lengths, mut inner) = (vec![], ty.clone());
        while let (Some(n), Some(elem)) = (types::array_len(&inner), types::element(&inner)) {
            lengths.push(n);
            inner = erase(&elem);
        }
        let (Some(kind), 1..=3) = (types::scalar_kind(&inner), lengths.len()) else {
            return gap(format!("a constant of type `{ty}` given by its bytes"));
        };
        let size = (types::bits(kind).max(8) / 8) as usize;
        let n = lengths.iter().try_fold(1u64, |n, l| n.checked_mul(*l));
        let fits = n.is_some_and(|n| n <= 8192 && n * size as u64 == bytes.len() as u64);
        if !fits || kind == ScalarKind::Bool && bytes.iter().any(|b| *b > 1) {
            return gap(format!("a constant of type `{ty}` given by its bytes"));
        }
        let elems: Vec<u128> = bytes.chunks(size).map(little).collect();
        self.prepare_array(object, &lengths, &elems, kind)
    }
}

/// A scalar, or nested arrays of them.
fn is_scalars(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Array(elem, _) => is_scalars(elem),
        _ => types::scalar_kind(ty).is_some(),
    }
}

/// The index of an element by its number among all: of 64 bits, then 32 for each array inside.
fn joined_index(number: u64, lengths: &[u64]) -> u128 {
    let (mut rest, mut index, mut shift) = (number, 0u128, 0);
    for (depth, length) in lengths.iter().enumerate().rev() {
        let at = if depth == 0 { rest } else { rest % length };
        rest /= (*length).max(1);
        index |= u128::from(at) << shift;
        shift += 32;
    }
    index
}

/// `core::num::<impl u64>::MAX` and its siblings, which the language defines.
fn int_limit(path: &Path) -> Option<Const> {
    let [.., imp, last] = path.segments.as_slice() else {
        return None;
    };
    let ty = match imp.name.strip_prefix("<impl ") {
        Some(name) => name.strip_suffix('>')?,
        // `std::u8::MAX`
        None if path.segments.len() == 3 => types::in_std(&path.plain()).map(|_| &*imp.name)?,
        None => return None,
    };
    let ty = IntTy::from_name(ty)?;
    match &*last.name {
        "MAX" => Some(Const::Int {
            bits: ty.max_bits(),
            ty,
        }),
        "MIN" => Some(Const::Int {
            bits: ty.min_bits(),
            ty,
        }),
        "BITS" => Some(Const::Int {
            bits: u128::from(ty.bits()),
            ty: IntTy::U32,
        }),
        _ => None,
    }
}

fn has_cell(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Adt { path, args } => {
            path.contains("Cell")
                || path.contains("Atomic")
                || path.contains("Mutex")
                || path.contains("Lock")
                || args
                    .iter()
                    .any(|a| matches!(a, GenericArg::Type(t) if has_cell(t)))
        }
        TyKind::Array(t, _) | TyKind::Slice(t) => has_cell(t),
        TyKind::Tuple(parts) => parts.iter().any(has_cell),
        _ => false,
    }
}

/// A literal as MIR prints it in facts, with or without the word `const`.
fn literal_of(text: &str) -> Option<Const> {
    let text = text.trim().strip_prefix("const ").unwrap_or(text.trim());
    match text {
        "true" => return Some(Const::Bool(true)),
        "false" => return Some(Const::Bool(false)),
        _ => {}
    }
    if let Some((ty, limit)) = text.split_once("::")
        && let Some(ty) = IntTy::from_name(ty)
    {
        let bits = match limit {
            "MIN" => ty.min_bits(),
            "MAX" => ty.max_bits(),
            _ => return None,
        };
        return Some(Const::Int { bits, ty });
    }
    if let Some(bits) = [16, 32, 64]
        .into_iter()
        .find(|w| text.ends_with(&format!("f{w}")))
    {
        let digits = text.rsplit_once('f').map(|(digits, _)| digits)?;
        let text = digits.trim_end_matches('_').into();
        return Some(Const::Float { text, bits });
    }
    let (number, ty) = text.rsplit_once('_')?;
    let ty = IntTy::from_name(ty)?;
    let bits = match (number, ty.signed()) {
        ("MIN", _) => ty.min_bits(),
        ("MAX", _) => ty.max_bits(),
        (n, _) if n.ends_with("::MIN") => ty.min_bits(),
        (n, _) if n.ends_with("::MAX") => ty.max_bits(),
        (n, true) => (n.parse::<i128>().ok()? as u128) & ty.mask(),
        (n, false) => n.parse::<u128>().ok()? & ty.mask(),
    };
    Some(Const::Int { bits, ty })
}

fn is_inline_of_std(path: &str) -> bool {
    ["std::array::", "core::array::"]
        .iter()
        .any(|p| path.starts_with(p))
        && path.contains("::{constant#")
}
