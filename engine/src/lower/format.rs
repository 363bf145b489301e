//! Texts made of values: `format!` and `println!`. What they make of numbers and texts is not modelled: it is any text,
//! and a counterexample that draws one is none. That they do nothing else is looked at: the functions that format the
//! arguments are std's own for types of std, or functions of the crate that only hand parts of their value on to std.

use super::inline::Call;
use super::shape::{LeafKind, Step};
use super::types::{self, erase};
use super::value::{Leaf, LeafValue, PointerValue, Value};
use super::{Lowered, Lowerer, Part, gap};
use crate::mir::{
    Body, CastKind, Const, Elem, Operand, Path, PointerCoercion, Rvalue, StatementKind,
    TerminatorKind, Ty, TyKind,
};
use crate::term::{Sort, Term};

/// What std formats without running code of anybody else: these, and what is made of them.
const PLAIN: &[&str] = &[
    "bool",
    "char",
    "str",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "f32",
    "f64",
    "std::boxed::Box",
    "std::cmp::Ordering",
    "std::num::NonZero",
    "std::num::ParseIntError",
    "std::num::TryFromIntError",
    "std::num::Wrapping",
    "std::ops::Range",
    "std::ops::RangeInclusive",
    "std::option::Option",
    "std::result::Result",
    "std::str::Utf8Error",
    "std::string::String",
    "std::time::Duration",
    "std::vec::Vec",
];

/// How deep the functions of the crate that format its values may call each other.
const MAX_DEPTH: u32 = 8;

impl Lowerer<'_> {
    /// Is this a call that formats or prints? Then it is done.
    pub fn format_call(&mut self, path: &Path, call: &Call<'_>) -> Lowered<bool> {
        let plain = path.plain();
        let value = match types::in_std(&plain) {
            Some("fmt::format::format_inner") => {
                self.check_formatters(call)?;
                self.any_string(call)?
            }
            Some("io::_print" | "io::_eprint" | "io::stdio::_print" | "io::stdio::_eprint") => {
                self.check_formatters(call)?;
                Value::default()
            }
            _ => return Ok(false),
        };
        let at = self.locate(call.destination)?;
        self.store_located(&at, &value)?;
        Ok(true)
    }

    /// All functions that the arguments may be formatted by must be known, and do nothing else.
    fn check_formatters(&mut self, call: &Call<'_>) -> Lowered<()> {
        let [arguments] = call.args else {
            return gap("formatting with unusual arguments");
        };
        let v = self.operand(arguments)?;
        let mut seen = false;
        for (_, l) in &v.leaves {
            let Leaf::Pointer(p) = &l.leaf else { continue };
            for t in p.targets.clone() {
                let super::pointer::Target::Place(object, path) =
                    self.targets[t.0 as usize].clone()
                else {
                    continue;
                };
                let ty = self.objects[object.0 as usize].ty.clone();
                if !holds_argument(&ty) {
                    continue;
                }
                seen |= self.check_formatters_in(object, &path)?;
            }
        }
        // a literal text has no arguments, and its length where others have them
        let literal = v.leaves.iter().all(|(_, l)| match &l.leaf {
            Leaf::Pointer(p) => p.targets.iter().all(|t| self.is_bytes_or_number(*t)),
            Leaf::Bits(_) => true,
        });
        match seen || literal {
            true => Ok(()),
            false => gap("formatting of arguments that are not known"),
        }
    }

    fn is_bytes_or_number(&self, target: super::pointer::TargetId) -> bool {
        match &self.targets[target.0 as usize] {
            super::pointer::Target::Place(object, _) => {
                !holds_argument(&self.objects[object.0 as usize].ty)
            }
            super::pointer::Target::Address => true,
            super::pointer::Target::Function(_) => false,
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
        let depth = match self.check_tame() {
            Ok(()) => 0,
            Err(_) => MAX_DEPTH,
        };
        let mut any = false;
        for t in targets {
            let super::pointer::Target::Function(name) = self.targets[t.0 as usize].clone() else {
                continue;
            };
            any = true;
            if !self.only_formats(&name, depth) {
                return gap(format!("formatting by `{name}`, which is not looked into"));
            }
        }
        Ok(any)
    }

    /// Does this function, `<T as Display>::fmt` or one of its kind, only make text?
    fn only_formats(&self, function: &str, depth: u32) -> bool {
        let Ok(path) = crate::mir::parse_path(function) else {
            return false;
        };
        let Some(q) = path.qself.as_ref().filter(|_| path.last_name() == "fmt") else {
            return false;
        };
        let Some(of) = q.trait_ref.as_ref() else {
            return false;
        };
        let in_std = matches!(of.kind(), TyKind::Adt { path, .. }
            if types::in_std(path).is_some_and(|p| p.starts_with("fmt::")));
        in_std && self.is_formatted_by(&q.ty, of, depth)
    }

    fn is_formatted_by(&self, ty: &Ty, of: &Ty, depth: u32) -> bool {
        if self.is_plain_text(&ty.to_string()) {
            return true;
        }
        match ty.kind() {
            TyKind::Ref { ty, .. } => return self.is_formatted_by(ty, of, depth),
            TyKind::Adt { .. } if depth < MAX_DEPTH => {}
            _ => return false,
        }
        let found = self.object_method(&erase(ty), of, "fmt", 2);
        match found {
            Ok(Some(b)) => self.hands_on(b.body, depth + 1),
            _ => false,
        }
    }

    fn is_plain_text(&self, ty: &str) -> bool {
        let mut words = ty.split(|c: char| !c.is_alphanumeric() && !"_:'".contains(c));
        words.all(|word| {
            let own = self.source.facts.types.contains_key(word);
            let is_number = word.bytes().all(|b| b.is_ascii_digit());
            !own && (PLAIN.contains(&word) || is_number || word == "mut" || word.starts_with('\''))
        })
    }

    /// Nothing but calls of the formatter, with parts of types that are formatted so themselves; and no error of its own,
    /// which would end in a panic of the caller.
    fn hands_on(&self, body: &Body, depth: u32) -> bool {
        body.blocks.iter().filter(|b| !b.cleanup).all(|block| {
            let mut statements = block.statements.iter().map(|s| &s.kind);
            let statements_do = statements.all(|kind| match kind {
                StatementKind::Assign(place, rvalue) => {
                    !place.projection.contains(&Elem::Deref)
                        && self.hands_on_value(body, rvalue, depth)
                }
                StatementKind::StorageLive(_)
                | StatementKind::StorageDead(_)
                | StatementKind::Nop => true,
                _ => false,
            });
            statements_do
                && match &block.terminator.kind {
                    TerminatorKind::Goto(_)
                    | TerminatorKind::SwitchInt { .. }
                    | TerminatorKind::Return
                    | TerminatorKind::Unreachable => true,
                    TerminatorKind::Call { func, args, .. } => {
                        is_of_formatter(func)
                            && !args
                                .iter()
                                .any(|a| matches!(a, Operand::Const(Const::FnItem(_))))
                    }
                    _ => false,
                }
        })
    }

    fn hands_on_value(&self, body: &Body, rvalue: &Rvalue, depth: u32) -> bool {
        let text = format!("{rvalue:?}");
        if text.contains("\"Err\"") || text.contains("::Err(") {
            return false;
        }
        let Rvalue::Cast { operand, ty, kind } = rvalue else {
            return !text.contains("FnItem(");
        };
        match kind {
            CastKind::PointerCoercion(PointerCoercion::Unsize, _) => {
                let (Operand::Copy(p) | Operand::Move(p)) = operand else {
                    return !types::pointee(ty).is_some_and(types::is_trait_object);
                };
                let Some(to) = types::pointee(ty) else {
                    return false;
                };
                let TyKind::Dyn { .. } = to.kind() else {
                    return true;
                };
                let from = p.as_local().and_then(|l| body.local(l));
                let of = to.to_string();
                let of = ["std::fmt::Debug", "std::fmt::Display"]
                    .into_iter()
                    .find(|name| of == format!("dyn {name}"))
                    .and_then(|name| crate::mir::parse_ty(name).ok());
                match (from.and_then(|l| types::pointee(&l.ty)), of) {
                    (Some(from), Some(of)) => self.is_formatted_by(from, &of, depth),
                    _ => false,
                }
            }
            CastKind::PointerCoercion(..) => match operand {
                Operand::Const(Const::FnItem(path)) => self.only_formats(&path.to_string(), depth),
                _ => !text.contains("FnItem("),
            },
            _ => !text.contains("FnItem("),
        }
    }

    /// A string of any length, capacity and bytes in memory of its own.
    fn any_string(&mut self, call: &Call<'_>) -> Lowered<Value> {
        let ty = erase(&self.place_type(call.destination)?);
        let leaves = self.leaves(&ty)?;
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
        let byte = Ty::new(TyKind::Int(crate::mir::IntTy::U8));
        let p = self.allocate(&byte, room)?;
        for &t in &p.targets {
            let super::pointer::Target::Place(object, path) = self.targets[t.0 as usize].clone()
            else {
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
            if self.targets[t.0 as usize] == super::pointer::Target::Address {
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

/// A function of std's that writes into what it is given.
fn is_of_formatter(func: &Operand) -> bool {
    let Operand::Const(Const::FnItem(path) | Const::Named(path)) = func else {
        return false;
    };
    let of = match &path.qself {
        Some(q) => q.ty.to_string().replace("dyn ", ""),
        None => path.plain(),
    };
    types::in_std(&of).is_some_and(|p| {
        p.starts_with("fmt::")
            || p == "intrinsics::is_val_statically_known"
            || p.ends_with("::precondition_check")
    })
}
