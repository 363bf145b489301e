//! Constants by their names: whose they are, which type they have, and where their value comes from: a body that is run
//! here, the compiler's word, or what std is known to define.

use super::constant::{NAMED, literal_of, literal_type, static_name};
use super::types::{self, erase};
use super::value::Value;
use super::{Lowered, Lowerer, gap, std_promoted, std_table};
use crate::mir::{Block, BodyKind, Const, IntTy, Path, TerminatorKind, Ty, TyKind};

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

    /// A named constant: a unit variant or struct, a body of this crate, or a value the compiler told.
    pub fn named(&mut self, path: &Path, ty: Option<&Ty>) -> Lowered<Value> {
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
    pub fn is_std_default(&self, path: &Path) -> bool {
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
    pub fn const_body(&mut self, b: super::instance::BodyRef<'a>) -> Lowered<Value> {
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

fn is_inline_of_std(path: &str) -> bool {
    ["std::array::", "core::array::"]
        .iter()
        .any(|p| path.starts_with(p))
        && path.contains("::{constant#")
}
