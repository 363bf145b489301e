//! `thread_local!`: memory that calls on one thread leave to each other, like a `static mut` (`static_mut`): one object, which
//! holds anything when the root is called. One with an initializer that runs (not `const { .. }`) may or may not be
//! initialised by then; where it is not, the first access runs the initializer, whatever that does.
//!
//! What the macro expands to is std's own: a constant `KEY`, of a type with one field, a function that gives the address. All
//! its closures have one name for all keys of a crate, so that the key is told by the constant they are made in
//! (`KEY::{constant#1}`), and the access is done here in place of std's code. Only numbers have a model: they have nothing to
//! drop, and what has no drop is never destroyed, so that an access always succeeds.

use super::inline::Call;
use super::instance::{BodyRef, InstanceId, last_segment};
use super::pointer::Target;
use super::shape::Step;
use super::span::is_std;
use super::types::{self, erase};
use super::value::Value;
use super::{Lowered, Lowerer, ObjectId, ObjectKey, Part, gap};
use crate::mir::{BodyKind, Const, GenericArg, IntTy, Operand, Path, Ty, TyKind};
use crate::program::{Draw, Stmt, Terminator as End};
use crate::term::{Sort, Term, Var};

/// What a pointer to the access function of a key is called.
const ACCESS: &str = "thread-local ";
/// How the constant's name ends that makes this function: a number follows, which counts those in the key's type, too.
const MADE_IN: &str = "::{constant#";

impl<'a> Lowerer<'a> {
    /// `KEY::{constant#1}`: the function that gives the address of the key's value.
    pub fn thread_local_access(&mut self, path: &Path) -> Lowered<Option<Value>> {
        let text = path.to_string();
        let Some((key, number)) = text.rsplit_once(MADE_IN) else {
            return Ok(None);
        };
        if !number.ends_with('}') {
            return Ok(None);
        }
        let Some(b) = self.bodies.by_path(&text, BodyKind::Anonymous)? else {
            return Ok(None);
        };
        let first = b.body.blocks.first();
        let spans = first.into_iter().flat_map(|block| &block.statements);
        let mut spans = spans.filter_map(|s| s.source_info.span.as_ref());
        let by_macro = spans.any(|s| is_std(&s.file) && s.file.contains("/thread_local/"));
        if !by_macro || !matches!(b.body.ret().kind(), TyKind::FnPtr(_)) {
            return Ok(None);
        }
        let target = Target::Function(format!("{ACCESS}{key}"));
        let p = self.pointer_to(target, vec![], None);
        Ok(Some(self.pointer(p)))
    }

    /// `LocalKey::new(access)`, which constants call.
    pub fn thread_local_key(&mut self, path: &Path, call: &Call) -> Lowered<Option<Value>> {
        let plain = path.plain();
        let is_it = types::in_std(&plain) == Some("thread::LocalKey::new")
            || types::in_std(&plain) == Some("thread::local::LocalKey::new");
        let (true, [access]) = (is_it, call.args) else {
            return Ok(None);
        };
        let into = erase(&self.place_type(call.destination)?);
        let access = self.operand(access)?;
        let parts = vec![(Step::Field(0), access)];
        self.assemble(&into, None, parts).map(Some)
    }

    /// The key whose value a call through a function pointer to this target gives the address of.
    pub fn accessed_key(target: &str) -> Option<&str> {
        target.strip_prefix(ACCESS)
    }

    /// Calls the access function of a key: `access(None)`, or `access(Some(&mut Some(value)))` before the value is set.
    pub fn access_thread_local(&mut self, key: &str, call: &Call) -> Lowered<()> {
        let pointer_ty = erase(&self.place_type(call.destination)?);
        let (Some(to), [given]) = (types::pointee(&pointer_ty).map(erase), call.args) else {
            return gap(format!("thread-local `{key}` of unusual form"));
        };
        if !self.is_of_numbers(&to, 0) {
            return gap(format!("thread-local `{key}` of type `{to}`"));
        }
        let object = self.object(
            ObjectKey::Static(key.into()),
            &to,
            vec![],
            last_segment(key).to_owned(),
        );
        if self.objects[object.0 as usize].ty != to {
            return gap(format!("thread-local `{key}` used as two types"));
        }
        let initial = self.initializer(key)?;
        if !self.source.first_call && self.prepared.insert(object) {
            self.fill_with_anything(object, &format!("thread-local `{key}`"), &to)?;
        }
        let p = self.pointer_to(Target::Place(object, vec![]), vec![], None);
        let runs = initial.body.kind == BodyKind::Fn;
        if runs || self.source.first_call {
            let is_given = self.is_some(given)?;
            self.initialise(key, initial, is_given, |l, v| {
                let at = l.deref(&p, &pointer_ty)?;
                l.store_located(&at, &v)
            })?;
        }
        let at = self.locate(call.destination)?;
        let p = self.pointer(p);
        self.store_located(&at, &p)?;
        self.finish_moves()?;
        if let Some(next) = call.next {
            self.goto(next);
        }
        Ok(())
    }

    /// Runs the initializer where nobody did before. A value that is given instead will be set by the caller if the key
    /// is found initialised, which has the same effect and spares the way by the caller's option.
    fn initialise(
        &mut self,
        key: &str,
        initial: BodyRef<'a>,
        is_given: Term,
        store: impl FnOnce(&mut Self, Value) -> Lowered<()>,
    ) -> Lowered<()> {
        let done = self.initialised_flag(key)?;
        let is_done = self.pool.var(done);
        let skips = self.pool.or(is_done, is_given);
        let (run, after) = (self.new_block(), self.new_block());
        self.end(End::Branch {
            cond: skips,
            then: after,
            otherwise: run,
        });
        self.current = run;
        let block = self.const_site;
        let mut site = 2_000_000;
        while let Some(id) = self.instance_index.get(&(self.frame, block, site))
            && self.instances[id.0 as usize].body.body.path != initial.body.path
        {
            site += 1;
        }
        let value = match (&initial.body.value, initial.body.kind) {
            (Some(c), _) => {
                let ty = erase(initial.body.ret());
                self.constant(&c.clone(), Some(&ty))?
            }
            _ => {
                let instance: InstanceId = self.instance(block, site, initial);
                self.run_constant(instance, |l, at| l.load_located(&at))?
            }
        };
        store(self, value)?;
        self.goto(after);
        self.current = after;
        let yes = self.pool.bool(true);
        self.assign(done, yes);
        Ok(())
    }

    /// The body that gives the first value: a function, or a constant.
    fn initializer(&self, key: &str) -> Lowered<BodyRef<'a>> {
        let known = [
            ("__rust_std_internal_init_fn", BodyKind::Fn),
            ("__RUST_STD_INTERNAL_INIT", BodyKind::Const),
        ];
        let mut found = vec![];
        for (name, kind) in known {
            found.extend(self.bodies.by_path(&format!("{key}::{name}"), kind)?);
        }
        match found.as_slice() {
            [only] => Ok(*only),
            _ => gap(format!(
                "thread-local `{key}` whose initializer is not captured"
            )),
        }
    }

    /// Has the initializer run? When the root is called nobody knows, unless it is the first call.
    fn initialised_flag(&mut self, key: &str) -> Lowered<Var> {
        let name = format!("{key} is initialised");
        let flag = ObjectKey::Static(name.as_str().into());
        let object: ObjectId = self.object(flag, &Ty::new(TyKind::Bool), vec![], name.clone());
        self.part(object, &[], Part::Value, Sort::Bool);
        let Some(&var) = self.vars.get(&(object, vec![], Part::Value)) else {
            return gap("a variable that was never made");
        };
        if self.prepared.insert(object) {
            let first = match self.source.first_call {
                true => Stmt::Assign(var, self.pool.bool(false)),
                false => Stmt::Havoc(
                    var,
                    Draw::Approximate(format!("whether thread-local `{name}`")),
                ),
            };
            self.entry_setup.push(first);
        }
        Ok(var)
    }

    /// Is this argument, `Option<&mut Option<T>>`, not `None`?
    fn is_some(&mut self, option: &Operand) -> Lowered<Term> {
        if let Operand::Const(Const::Named(path)) = option
            && path.last_name() == "None"
        {
            return Ok(self.pool.bool(false));
        }
        let (Operand::Copy(place) | Operand::Move(place)) = option else {
            return gap("an access to a thread-local of unusual form");
        };
        let at = self.locate(place)?;
        let number = self.discriminant(&at, &Ty::new(TyKind::Int(IntTy::Isize)))?;
        let number = self.bits(&number)?;
        let none = self.pool.constant(0, self.pool.sort(number));
        let is_none = self.pool.eq(number, none);
        Ok(self.pool.not(is_none))
    }

    /// Numbers in cells: nothing to drop, no pointer, and any bits are a value.
    fn is_of_numbers(&self, ty: &Ty, depth: u32) -> bool {
        const CELLS: [&str; 4] = [
            "cell::Cell",
            "cell::UnsafeCell",
            "num::Wrapping",
            "num::Saturating",
        ];
        let inside = |t: &Ty| self.is_of_numbers(&erase(t), depth + 1);
        match ty.kind() {
            TyKind::Bool | TyKind::Int(_) | TyKind::Float(_) => true,
            TyKind::Array(t, _) => inside(t),
            TyKind::Tuple(parts) => parts.iter().all(inside),
            TyKind::Adt { path, args }
                if types::in_std(path).is_some_and(|p| CELLS.contains(&p)) =>
            {
                args.iter()
                    .all(|a| matches!(a, GenericArg::Type(t) if inside(t)))
            }
            TyKind::Adt { path, .. } => {
                let fields = self.shapes.all_fields(ty);
                depth < 6
                    && self.is_local_type(path)
                    && !self.source.drops.contains(&**path)
                    && !self.shapes.is_enum(ty, self.source.facts)
                    && !self.source.facts.is_union(path)
                    && fields.is_some_and(|f| !f.is_empty() && f.iter().all(inside))
            }
            _ => false,
        }
    }
}
