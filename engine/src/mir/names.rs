//! The words by which rustc prints operators, casts and messages, both ways.
use super::ast::{
    AssertKind, BinOp, CastKind, CoercionSource, PointerCoercion, RuntimeChecks, UnOp,
};

impl RuntimeChecks {
    pub fn name(self) -> &'static str {
        match self {
            RuntimeChecks::UbChecks => "UbChecks",
            RuntimeChecks::ContractChecks => "ContractChecks",
            RuntimeChecks::OverflowChecks => "OverflowChecks",
        }
    }
}

impl UnOp {
    pub fn name(self) -> &'static str {
        match self {
            UnOp::Not => "Not",
            UnOp::Neg => "Neg",
            UnOp::PtrMetadata => "PtrMetadata",
        }
    }
    pub fn from_name(name: &str) -> Option<UnOp> {
        [UnOp::Not, UnOp::Neg, UnOp::PtrMetadata]
            .into_iter()
            .find(|op| op.name() == name)
    }
}

impl BinOp {
    pub const ALL: [BinOp; 26] = [
        BinOp::Add,
        BinOp::AddUnchecked,
        BinOp::AddWithOverflow,
        BinOp::Sub,
        BinOp::SubUnchecked,
        BinOp::SubWithOverflow,
        BinOp::Mul,
        BinOp::MulUnchecked,
        BinOp::MulWithOverflow,
        BinOp::Div,
        BinOp::Rem,
        BinOp::BitXor,
        BinOp::BitAnd,
        BinOp::BitOr,
        BinOp::Shl,
        BinOp::ShlUnchecked,
        BinOp::Shr,
        BinOp::ShrUnchecked,
        BinOp::Eq,
        BinOp::Lt,
        BinOp::Le,
        BinOp::Ne,
        BinOp::Ge,
        BinOp::Gt,
        BinOp::Cmp,
        BinOp::Offset,
    ];
    pub fn name(self) -> &'static str {
        match self {
            BinOp::Add => "Add",
            BinOp::AddUnchecked => "AddUnchecked",
            BinOp::AddWithOverflow => "AddWithOverflow",
            BinOp::Sub => "Sub",
            BinOp::SubUnchecked => "SubUnchecked",
            BinOp::SubWithOverflow => "SubWithOverflow",
            BinOp::Mul => "Mul",
            BinOp::MulUnchecked => "MulUnchecked",
            BinOp::MulWithOverflow => "MulWithOverflow",
            BinOp::Div => "Div",
            BinOp::Rem => "Rem",
            BinOp::BitXor => "BitXor",
            BinOp::BitAnd => "BitAnd",
            BinOp::BitOr => "BitOr",
            BinOp::Shl => "Shl",
            BinOp::ShlUnchecked => "ShlUnchecked",
            BinOp::Shr => "Shr",
            BinOp::ShrUnchecked => "ShrUnchecked",
            BinOp::Eq => "Eq",
            BinOp::Lt => "Lt",
            BinOp::Le => "Le",
            BinOp::Ne => "Ne",
            BinOp::Ge => "Ge",
            BinOp::Gt => "Gt",
            BinOp::Cmp => "Cmp",
            BinOp::Offset => "Offset",
        }
    }
    pub fn from_name(name: &str) -> Option<BinOp> {
        BinOp::ALL.into_iter().find(|op| op.name() == name)
    }
}

impl PointerCoercion {
    const ALL: [PointerCoercion; 9] = [
        PointerCoercion::ReifyFnPointer,
        PointerCoercion::ReifyFnPointerSafe,
        PointerCoercion::ReifyFnPointerUnsafe,
        PointerCoercion::UnsafeFnPointer,
        PointerCoercion::ClosureFnPointerSafe,
        PointerCoercion::ClosureFnPointerUnsafe,
        PointerCoercion::MutToConstPointer,
        PointerCoercion::ArrayToPointer,
        PointerCoercion::Unsize,
    ];
    pub fn name(self) -> &'static str {
        match self {
            PointerCoercion::ReifyFnPointer => "ReifyFnPointer",
            PointerCoercion::ReifyFnPointerSafe => "ReifyFnPointer(Safe)",
            PointerCoercion::ReifyFnPointerUnsafe => "ReifyFnPointer(Unsafe)",
            PointerCoercion::UnsafeFnPointer => "UnsafeFnPointer",
            PointerCoercion::ClosureFnPointerSafe => "ClosureFnPointer(Safe)",
            PointerCoercion::ClosureFnPointerUnsafe => "ClosureFnPointer(Unsafe)",
            PointerCoercion::MutToConstPointer => "MutToConstPointer",
            PointerCoercion::ArrayToPointer => "ArrayToPointer",
            PointerCoercion::Unsize => "Unsize",
        }
    }
}

impl CoercionSource {
    pub fn name(self) -> &'static str {
        match self {
            CoercionSource::Implicit => "Implicit",
            CoercionSource::AsCast => "AsCast",
        }
    }
}

impl CastKind {
    /// The kinds that are one word.
    const WORDS: [(CastKind, &'static str); 10] = [
        (CastKind::IntToInt, "IntToInt"),
        (CastKind::Transmute, "Transmute"),
        (CastKind::PtrToPtr, "PtrToPtr"),
        (CastKind::IntToFloat, "IntToFloat"),
        (CastKind::FloatToInt, "FloatToInt"),
        (CastKind::FloatToFloat, "FloatToFloat"),
        (CastKind::FnPtrToPtr, "FnPtrToPtr"),
        (CastKind::PointerExposeProvenance, "PointerExposeProvenance"),
        (
            CastKind::PointerWithExposedProvenance,
            "PointerWithExposedProvenance",
        ),
        (CastKind::Subtype, "Subtype"),
    ];
    /// `None` for text this compiler's words do not cover.
    pub fn from_text(text: &str) -> Option<CastKind> {
        if let Some((kind, _)) = CastKind::WORDS.into_iter().find(|(_, word)| *word == text) {
            return Some(kind);
        }
        let inner = text.strip_prefix("PointerCoercion(")?.strip_suffix(')')?;
        let sources = [CoercionSource::Implicit, CoercionSource::AsCast];
        let source = sources
            .into_iter()
            .find(|source| inner.ends_with(source.name()));
        let name = match source {
            Some(source) => inner.strip_suffix(source.name())?.strip_suffix(", ")?,
            None => inner,
        };
        let coercion = PointerCoercion::ALL
            .into_iter()
            .find(|coercion| coercion.name() == name)?;
        Some(CastKind::PointerCoercion(coercion, source))
    }
    pub(super) fn word(&self) -> &'static str {
        CastKind::WORDS
            .iter()
            .find(|(kind, _)| kind == self)
            .map_or("", |(_, word)| word)
    }
}

impl AssertKind {
    pub fn from_text(text: &str) -> AssertKind {
        match text {
            "index out of bounds: the length is {} but the index is {}" => AssertKind::BoundsCheck,
            "attempt to compute `{} + {}`, which would overflow" => {
                AssertKind::Overflow(BinOp::Add)
            }
            "attempt to compute `{} - {}`, which would overflow" => {
                AssertKind::Overflow(BinOp::Sub)
            }
            "attempt to compute `{} * {}`, which would overflow" => {
                AssertKind::Overflow(BinOp::Mul)
            }
            "attempt to compute `{} / {}`, which would overflow" => {
                AssertKind::Overflow(BinOp::Div)
            }
            "attempt to compute the remainder of `{} % {}`, which would overflow" => {
                AssertKind::Overflow(BinOp::Rem)
            }
            "attempt to shift left by `{}`, which would overflow" => {
                AssertKind::Overflow(BinOp::Shl)
            }
            "attempt to shift right by `{}`, which would overflow" => {
                AssertKind::Overflow(BinOp::Shr)
            }
            "attempt to negate `{}`, which would overflow" => AssertKind::OverflowNeg,
            "attempt to divide `{}` by zero" => AssertKind::DivisionByZero,
            "attempt to calculate the remainder of `{}` with a divisor of zero" => {
                AssertKind::RemainderByZero
            }
            "null pointer dereference occurred" => AssertKind::NullPointerDereference,
            _ if text.starts_with("misaligned pointer dereference") => {
                AssertKind::MisalignedPointerDereference
            }
            _ if text.starts_with("trying to construct an enum from an invalid value") => {
                AssertKind::InvalidEnumConstruction
            }
            _ if text.contains(" resumed after panicking") => AssertKind::ResumedAfterPanic,
            _ if text.contains(" resumed after async drop") => AssertKind::ResumedAfterDrop,
            _ if text.contains("resumed after completion")
                || text.contains("should just keep returning `None` after completion") =>
            {
                AssertKind::ResumedAfterReturn
            }
            _ => AssertKind::Other,
        }
    }
}
