//! Printing constants, without the word `const` that precedes them in operands.
use std::fmt::{Display, Formatter, Result};

use super::super::ast::{AllocPointer, Const, ConstFields};
use super::{fields, list, tuple};

impl Display for Const {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Const::Int { bits, ty } if *bits == ty.max_bits() => write!(f, "{ty}::MAX"),
            Const::Int { bits, ty } if ty.signed() && *bits == ty.min_bits() => {
                write!(f, "{ty}::MIN")
            }
            Const::Int { bits, ty } if ty.signed() => write!(f, "{}_{ty}", ty.sign_extend(*bits)),
            Const::Int { bits, ty } => write!(f, "{bits}_{ty}"),
            Const::UntypedInt {
                negative,
                magnitude,
            } => {
                write!(f, "{}{magnitude}", if *negative { "-" } else { "" })
            }
            Const::Bool(value) => value.fmt(f),
            Const::Char(value) => write!(f, "{value:?}"),
            Const::Float { text, bits } => write!(f, "{text}f{bits}"),
            Const::Str(text) => write!(f, "{text:?}"),
            Const::ByteStr(bytes) => write!(f, "b\"{}\"", bytes.escape_ascii()),
            Const::ByteArray(bytes) => write!(f, "*b\"{}\"", bytes.escape_ascii()),
            Const::Tuple(parts) => tuple(f, parts),
            Const::Array(parts) => {
                f.write_str("[")?;
                list(f, parts)?;
                f.write_str("]")
            }
            Const::Adt {
                path,
                fields: ConstFields::Positional(parts),
            } => {
                write!(f, "{path}(")?;
                list(f, parts)?;
                f.write_str(")")
            }
            Const::Adt {
                path,
                fields: ConstFields::Named(parts),
            } => {
                write!(f, "{path} {{{{ ")?;
                fields(f, parts)?;
                f.write_str(" }}")
            }
            Const::Adt {
                path,
                fields: ConstFields::NamedInType(parts),
            } => {
                write!(f, "{path} {{ ")?;
                fields(f, parts)?;
                f.write_str(" }")
            }
            Const::Slice { alloc, meta, ty } => {
                write!(f, "Slice {{ alloc_id: alloc{alloc}, meta: {meta} }}: {ty}")
            }
            Const::Indirect { alloc, offset, ty } => {
                write!(
                    f,
                    "Indirect {{ alloc_id: alloc{alloc}, offset: Size({offset} bytes) }}: {ty}"
                )
            }
            Const::Scalar { text, ty } => write!(f, "Scalar({text}): {ty}"),
            Const::Ref(inner) => write!(f, "&{inner}"),
            Const::Named(path) | Const::FnItem(path) => path.fmt(f),
            Const::ZeroSized(ty) => write!(f, "ZeroSized: {ty}"),
            Const::Alloc { pointer, ty } => write!(f, "{{{pointer}: {ty}}}"),
            Const::Address { digits, ty } => write!(f, "{{0x{digits} as {ty}}}"),
            Const::Transmute { digits, ty } => write!(f, "{{transmute(0x{digits}): {ty}}}"),
            Const::Pattern { value, pattern } => write!(f, "{value} is {pattern}"),
            Const::Static(text) => write!(f, "<static({text})>"),
            Const::Uninit => f.write_str("<uninit>"),
            Const::Other(text) => f.write_str(text),
        }
    }
}

impl Display for AllocPointer {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(
            f,
            "{}{}",
            if self.short { "a" } else { "alloc" },
            self.alloc
        )?;
        if self.offset > 0 {
            write!(f, "+{:#x}", self.offset)?;
        }
        f.write_str(if self.immutable { "<imm>" } else { "" })
    }
}
