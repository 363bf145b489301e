//! Texts made of values: `format!` and `println!`. What they make of numbers and texts is not modelled: it is any text,
//! and a counterexample that draws one is none. That they do nothing else is looked at: the functions that format the
//! arguments are std's own for types of std, or functions of the crate that only hand parts of their value on to std
//! (`formatter.rs`).

use super::inline::Call;
use super::pointer::Target;
use super::shape::{LeafKind, Step};
use super::types::{self, erase};
use super::value::{Leaf, LeafValue, PointerValue, Value};
use super::{Lowered, Lowerer, Part, gap};
use crate::mir::{IntTy, Operand, Path, Ty, TyKind};
use crate::program::StopKind;
use crate::term::{Sort, Term};

const UNKNOWN: &str = "formatting of arguments that are not known";

impl Lowerer<'_> {
    /// Is this a call that formats or prints? Then it is done.
    pub fn format_call(&mut self, path: &Path, call: &Call<'_>) -> Lowered<bool> {
        let plain = path.plain();
        let value = match types::in_std(&plain) {
            Some("fmt::format::format_inner") => {
                self.check_formatters(call.args)?;
                let ty = erase(&self.place_type(call.destination)?);
                self.any_string(&ty)?
            }
            Some("io::_print" | "io::_eprint" | "io::stdio::_print" | "io::stdio::_eprint") => {
                self.check_formatters(call.args)?;
                Value::default()
            }
            Some("fmt::write") => self.write_formatted(call)?,
            _ => return Ok(false),
        };
        let at = self.locate(call.destination)?;
        self.store_located(&at, &value)?;
        Ok(true)
    }

    /// `write!(text, ..)` and the like where what is written to is a `String`: it is any text afterwards, and nothing fails,
    /// because neither a `String` does nor any formatter that is looked into.
    fn write_formatted(&mut self, call: &Call<'_>) -> Lowered<Value> {
        let [to, arguments] = call.args else {
            return gap("formatting with unusual arguments");
        };
        self.check_formatters(std::slice::from_ref(arguments))?;
        let to = self.operand(to)?;
        let to = self.pointer_of(&to)?;
        let is_string = |ty: &Ty| matches!(ty.kind(), TyKind::Adt { path, .. } if types::in_std(path) == Some("string::String"));
        let number = self.vtables.iter().position(is_string);
        let (Some(meta), Some(number)) = (to.meta, number) else {
            return gap("formatting into what is no `String`");
        };
        let ty = self.vtables[number].clone();
        let (text, possible) = self.receiver_of(&to, &ty);
        let number = self.bv64(number as u64);
        let hit = self.pool.eq(meta, number);
        let is_it = self.pool.and(hit, possible);
        let what = "formatting into what is no `String`".to_owned();
        self.check(is_it, StopKind::Unsupported(what));
        let written = self.any_string(&ty)?;
        let reference = Ty::new(TyKind::Ref {
            lifetime: None,
            mutable: true,
            ty,
        });
        let at = self.deref(&text, &reference)?;
        self.store_located(&at, &written)?;
        let into = erase(&self.place_type(call.destination)?);
        self.assemble(&into, Some("Ok"), vec![])
    }

    /// All functions that the arguments may be formatted by must be known, and do nothing else.
    fn check_formatters(&mut self, arguments: &[Operand]) -> Lowered<()> {
        let [arguments] = arguments else {
            return gap("formatting with unusual arguments");
        };
        let v = self.operand(arguments)?;
        let mut templates = true;
        for (_, l) in &v.leaves {
            let Leaf::Pointer(p) = &l.leaf else { continue };
            for t in p.targets.clone() {
                // a literal text has no arguments, and its length where others have them
                let (object, path) = match self.targets[t.0 as usize].clone() {
                    Target::Place(object, path) => (object, path),
                    Target::Address => continue,
                    Target::Function(_) => return gap(UNKNOWN),
                };
                let ty = self.objects[object.0 as usize].ty.clone();
                if holds_argument(&ty) {
                    templates &= self.check_formatters_in(object, &path)?;
                } else {
                    templates &= is_bytes(&ty);
                }
            }
        }
        match templates {
            true => Ok(()),
            false => gap(UNKNOWN),
        }
    }

    /// The same of those in this memory; says whether there are any.
    fn check_formatters_in(&mut self, object: super::ObjectId, path: &[Step]) -> Lowered<bool> {
        let held = self
            .points_to
            .iter()
            .filter(|((o, at), _)| *o == object && (at.starts_with(path) || path.starts_with(at)));
        let targets: Vec<_> = held
            .flat_map(|(_, targets)| targets.iter().copied())
            .collect();
        // unsafe code of the crate is not looked into
        let look = self.check_tame().is_ok();
        let mut any = false;
        for t in targets {
            let Target::Function(name) = self.targets[t.0 as usize].clone() else {
                continue;
            };
            any = true;
            if !self.only_formats(&name, look) {
                return gap(format!("formatting by `{name}`, which is not looked into"));
            }
        }
        Ok(any)
    }

    /// A string of any length, capacity and bytes in memory of its own.
    fn any_string(&mut self, ty: &Ty) -> Lowered<Value> {
        let leaves = self.leaves(ty)?;
        let why = "what `format!` makes";
        let most = self.bv64(super::heap::ADDRESS_SPACE);
        let drawn = self.drawn(Sort::Bv(64), why);
        let zero = self.bv64(0);
        let fits = self.pool.ule(drawn, most);
        let len = self.pool.ite(fits, drawn, zero);
        let drawn = self.drawn(Sort::Bv(64), why);
        let (enough, fits) = (self.pool.ule(len, drawn), self.pool.ule(drawn, most));
        let fits = self.pool.and(enough, fits);
        let capacity = self.pool.ite(fits, drawn, len);
        let init = self.pool.bool(true);
        let mut out = Value::default();
        for shape in leaves.iter() {
            let leaf = match (&shape.kind, shape.path.as_slice()) {
                (LeafKind::Pointer(_), _) => Leaf::Pointer(self.any_bytes(capacity, why)?),
                (LeafKind::Scalar(_), [Step::Field(0), Step::Field(1)]) => Leaf::Bits(len),
                (LeafKind::Scalar(_), [Step::Field(0), Step::Field(0), ..]) => Leaf::Bits(capacity),
                _ => return gap(format!("`{ty}` of an unusual shape")),
            };
            out.leaves
                .push((shape.path.clone(), LeafValue { leaf, init }));
        }
        Ok(out)
    }

    fn any_bytes(&mut self, room: Term, why: &str) -> Lowered<PointerValue> {
        self.check_tame()?;
        let byte = Ty::new(TyKind::Int(IntTy::U8));
        let p = self.allocate(&byte, room)?;
        for &t in &p.targets {
            let Target::Place(object, path) = self.targets[t.0 as usize].clone() else {
                return gap("a text without memory");
            };
            let sort = Sort::Array { index: 64, elem: 8 };
            let whole = self.part(object, &path, Part::Value, sort);
            let bytes = self.drawn(sort, why);
            if let Some(var) = self.pool.as_var(whole) {
                self.assign(var, bytes);
            }
        }
        Ok(p)
    }

    /// The address of formatting arguments as a number. Std alone takes it, and only to see whether it is odd: a literal
    /// text has twice its length and one there, memory that holds pointers an even number.
    pub fn argument_address(&mut self, v: &Value, to: &Ty) -> Lowered<Option<Value>> {
        if !matches!(to.kind(), TyKind::Int(i) if i.bits() == 64) {
            return Ok(None);
        }
        let p = self.pointer_of(v)?;
        let mut number = self.bv64(8);
        for &t in &p.targets {
            if self.targets[t.0 as usize] == Target::Address {
                let here = self.tag_is(&p, t);
                number = self.pool.ite(here, p.indices[0], number);
            }
        }
        Ok(Some(self.scalar(number)))
    }
}

/// One argument of formatting, or some in a row.
pub fn holds_argument(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Array(ty, _) | TyKind::Slice(ty) => holds_argument(ty),
        TyKind::Adt { path, .. } => types::in_std(path) == Some("fmt::rt::Argument"),
        _ => false,
    }
}

/// What a text's template is written in.
fn is_bytes(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Array(ty, _) | TyKind::Slice(ty) => is_bytes(ty),
        TyKind::Int(i) => *i == IntTy::U8,
        kind => *kind == TyKind::Str,
    }
}
