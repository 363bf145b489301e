//! Functions of the crate that format its values: do they do nothing but hand parts of the value on to std's formatter?
//! What stands in such a function must be of the kinds that are listed here, so that it can neither panic, nor fail (a
//! caller panics then), nor write, nor run code that is not looked into.

use super::promoted::is_literal;
use super::types::{self, erase};
use super::{Lowerer, instance::BodyRef};
use crate::mir::{
    Aggregate, Body, CastKind, Const, Elem, GenericArg, Operand, Path, Place, PointerCoercion,
    Rvalue, StatementKind, TerminatorKind, Ty, TyKind,
};

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

/// Functions of std's formatter that cannot panic. `key` and `value` of maps can; so can widths taken from values.
const WRITERS: &[&str] = &[
    "align",
    "alternate",
    "as_statically_known_str",
    "as_str",
    "debug_list",
    "debug_set",
    "debug_struct",
    "debug_struct_field1_finish",
    "debug_struct_field2_finish",
    "debug_struct_field3_finish",
    "debug_struct_field4_finish",
    "debug_struct_field5_finish",
    "debug_struct_fields_finish",
    "debug_tuple",
    "debug_tuple_field1_finish",
    "debug_tuple_field2_finish",
    "debug_tuple_field3_finish",
    "debug_tuple_field4_finish",
    "debug_tuple_field5_finish",
    "debug_tuple_fields_finish",
    "entries",
    "entry",
    "field",
    "fill",
    "finish",
    "finish_non_exhaustive",
    "from_str",
    "from_str_nonconst",
    "new",
    "new_binary",
    "new_const",
    "new_debug",
    "new_display",
    "new_lower_exp",
    "new_lower_hex",
    "new_octal",
    "new_upper_exp",
    "new_upper_hex",
    "pad",
    "pad_integral",
    "precision",
    "sign_aware_zero_pad",
    "sign_minus",
    "sign_plus",
    "width",
    "write",
    "write_char",
    "write_fmt",
    "write_str",
];

impl Lowerer<'_> {
    /// Does this function, `<T as Display>::fmt` or one of its kind, only make text? One of the crate is looked into if
    /// it may be.
    pub fn only_formats(&mut self, function: &str, look: bool) -> bool {
        let depth = if look { 0 } else { MAX_DEPTH };
        let path = crate::mir::parse_path(function);
        path.is_ok_and(|path| self.is_formatter(&path, depth))
    }

    fn is_formatter(&mut self, path: &Path, depth: u32) -> bool {
        let Some(q) = path.qself.as_ref().filter(|_| path.last_name() == "fmt") else {
            return false;
        };
        let Some(of) = q.trait_ref.as_ref() else {
            return false;
        };
        is_of_fmt(of) && self.is_formatted_by(&q.ty, of, depth)
    }

    fn is_formatted_by(&mut self, ty: &Ty, of: &Ty, depth: u32) -> bool {
        if self.is_plain_text(ty) {
            return true;
        }
        match ty.kind() {
            TyKind::Ref { ty, .. } => return self.is_formatted_by(ty, of, depth),
            TyKind::Adt { .. } if depth < MAX_DEPTH && self.is_own(ty) => {}
            _ => return false,
        }
        match self.object_method(&erase(ty), of, "fmt", 2) {
            Ok(Some(BodyRef { body, .. })) => self.hands_on(body, depth + 1),
            _ => false,
        }
    }

    /// Types that std formats by itself.
    fn is_plain_text(&self, ty: &Ty) -> bool {
        let text = ty.to_string();
        let mut words = text.split(|c: char| !c.is_alphanumeric() && !"_:'".contains(c));
        words.all(|word| {
            let own = self.source.facts.types.contains_key(word);
            let is_number = word.bytes().all(|b| b.is_ascii_digit());
            !own && (PLAIN.contains(&word) || is_number || word == "mut" || word.starts_with('\''))
        })
    }

    /// A type of the crate that is no more generic than in lifetimes: what its parts are, the bodies say.
    fn is_own(&self, ty: &Ty) -> bool {
        matches!(ty.kind(), TyKind::Adt { path, args } if self.is_local_type(path)
            && args.iter().all(|a| matches!(a, GenericArg::Lifetime(_))))
    }

    /// What may be taken out of a value: nothing that holds code, or the outcome of formatting.
    fn is_handed(&self, ty: &Ty) -> bool {
        self.is_plain_text(ty)
            || self.is_own(ty)
            || matches!(ty.kind(), TyKind::Ref { ty, .. } if self.is_handed(ty))
    }

    fn hands_on(&mut self, body: &Body, depth: u32) -> bool {
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
                    | TerminatorKind::Return
                    | TerminatorKind::Unreachable => true,
                    TerminatorKind::SwitchInt { operand, .. } => self.is_part(body, operand),
                    TerminatorKind::Call {
                        func,
                        args,
                        destination,
                        ..
                    } => {
                        !destination.projection.contains(&Elem::Deref)
                            && args.iter().all(|a| self.is_part(body, a))
                            && self.is_writer(func, depth)
                    }
                    _ => false,
                }
        })
    }

    fn hands_on_value(&mut self, body: &Body, rvalue: &Rvalue, depth: u32) -> bool {
        match rvalue {
            Rvalue::Use { operand, .. }
            | Rvalue::Repeat(operand, _)
            | Rvalue::Unary(_, operand) => self.is_part(body, operand),
            Rvalue::Binary(_, a, b) => self.is_part(body, a) && self.is_part(body, b),
            Rvalue::Ref { place, .. }
            | Rvalue::RawPtr { place, .. }
            | Rvalue::Len(place)
            | Rvalue::Discriminant(place)
            | Rvalue::CopyForDeref(place) => self.is_part_of(body, place),
            Rvalue::Aggregate(made) => match made {
                Aggregate::Array(parts)
                | Aggregate::Tuple(parts)
                | Aggregate::RawPtr { parts, .. } => parts.iter().all(|p| self.is_part(body, p)),
                Aggregate::AdtPositional(path, parts) => {
                    !is_failure(path) && parts.iter().all(|p| self.is_part(body, p))
                }
                Aggregate::AdtNamed(path, parts) => {
                    !is_failure(path) && parts.iter().all(|(_, p)| self.is_part(body, p))
                }
                _ => false,
            },
            Rvalue::Cast { operand, ty, kind } => self.is_cast(body, operand, ty, kind, depth),
            _ => false,
        }
    }

    fn is_cast(
        &mut self,
        body: &Body,
        from: &Operand,
        to: &Ty,
        kind: &CastKind,
        depth: u32,
    ) -> bool {
        if let (CastKind::PointerCoercion(..), Operand::Const(Const::FnItem(path))) = (kind, from) {
            return self.is_formatter(path, depth);
        }
        if !self.is_part(body, from) {
            return false;
        }
        match kind {
            CastKind::IntToInt
            | CastKind::IntToFloat
            | CastKind::FloatToInt
            | CastKind::FloatToFloat => true,
            // code of std's: the crate has no unsafe code
            CastKind::PtrToPtr | CastKind::Transmute => {
                !to.to_string().contains("dyn ") && !is_outcome(to)
            }
            CastKind::PointerCoercion(PointerCoercion::Unsize, _) => {
                let Some(pointee) = types::pointee(to) else {
                    return false;
                };
                if let TyKind::Slice(_) = pointee.kind() {
                    return true;
                }
                let of = pointee.to_string();
                let of = ["std::fmt::Debug", "std::fmt::Display"]
                    .into_iter()
                    .find(|name| of == format!("dyn {name}"))
                    .and_then(|name| crate::mir::parse_ty(name).ok());
                let (Operand::Copy(p) | Operand::Move(p)) = from else {
                    return false;
                };
                let from = p.as_local().and_then(|l| body.local(l));
                match (from.and_then(|l| types::pointee(&l.ty)), of) {
                    (Some(from), Some(of)) => self.is_formatted_by(from, &of, depth),
                    _ => false,
                }
            }
            _ => false,
        }
    }

    fn is_part(&mut self, body: &Body, operand: &Operand) -> bool {
        match operand {
            Operand::Copy(place) | Operand::Move(place) => self.is_part_of(body, place),
            Operand::Const(c) => self.is_plain_constant(c),
            Operand::RuntimeChecks(_) => true,
        }
    }

    fn is_part_of(&self, body: &Body, place: &Place) -> bool {
        let Some(mut base) = body.local(place.local).map(|l| &l.ty) else {
            return false;
        };
        while let Some(ty) = types::pointee(base) {
            base = ty;
        }
        // what the formatter itself consists of
        let of_std =
            matches!(base.kind(), TyKind::Adt { path, .. } if types::in_std(path).is_some());
        let mut fields = place.projection.iter();
        fields.all(|elem| match elem {
            Elem::Field(_, ty) => of_std || self.is_handed(ty),
            Elem::Deref | Elem::ConstantIndex { .. } | Elem::Downcast(_) => true,
            _ => false,
        })
    }

    fn is_plain_constant(&mut self, c: &Const) -> bool {
        match c {
            c if is_literal(c) => true,
            Const::ZeroSized(ty) | Const::Alloc { ty, .. } | Const::Slice { ty, .. } => {
                self.is_plain_text(ty)
            }
            // what std's macros leave behind when they are inlined
            Const::Named(path)
                if ["marker::PhantomData", "option::Option::None"]
                    .map(Some)
                    .contains(&types::in_std(&path.plain())) =>
            {
                true
            }
            Const::Named(_) => match self.const_type(c) {
                Some(ty) => self.is_plain_text(&ty),
                None => false,
            },
            _ => false,
        }
    }

    /// A function that writes into the formatter it is given, or asks it.
    fn is_writer(&mut self, func: &Operand, depth: u32) -> bool {
        let Operand::Const(Const::FnItem(path) | Const::Named(path)) = func else {
            return false;
        };
        if self.is_formatter(path, depth) {
            return true;
        }
        let plain = path.plain();
        let of_formatter = match &path.qself {
            // `dyn fmt::Write` is the formatter's own: none is made here
            Some(q) => match q.ty.kind() {
                TyKind::Dyn { .. } => ["dyn std::fmt::Write", "dyn core::fmt::Write"]
                    .contains(&q.ty.to_string().as_str()),
                _ => is_of_fmt(&q.ty),
            },
            None => types::in_std(&plain).is_some_and(|p| p.starts_with("fmt::")),
        };
        if !of_formatter {
            return types::in_std(&plain).is_some_and(|p| {
                p == "intrinsics::is_val_statically_known" || p.ends_with("::precondition_check")
            });
        }
        let mut types = path
            .segments
            .iter()
            .filter_map(|s| s.args.as_ref())
            .flatten();
        WRITERS.contains(&path.last_name())
            && types.all(|arg| match arg {
                GenericArg::Type(ty) => self.is_plain_text(ty),
                _ => true,
            })
    }
}

fn is_of_fmt(ty: &Ty) -> bool {
    matches!(ty.kind(), TyKind::Adt { path, .. }
        if types::in_std(path).is_some_and(|p| p.starts_with("fmt::")))
}

/// `Err`, or the error of formatting.
fn is_failure(path: &Path) -> bool {
    ["Err", "Error"].contains(&path.last_name())
}

/// `fmt::Result` or a part of it.
fn is_outcome(ty: &Ty) -> bool {
    matches!(ty.kind(), TyKind::Adt { path, .. }
        if types::in_std(path).is_some_and(|p| p == "result::Result" || p == "fmt::Error"))
}
