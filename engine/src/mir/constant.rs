//! Constants of MIR text, with their values kept exactly.
use std::sync::Arc;

use super::ty::{IntTy, Path, Ty};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Const {
    /// `bits` is the value in two's complement, cut to the width of `ty`.
    Int {
        bits: u128,
        ty: IntTy,
    },
    /// An integer printed without its type, as in generic arguments: `8`, `-1`.
    UntypedInt {
        negative: bool,
        magnitude: u128,
    },
    Bool(bool),
    Char(char),
    /// `text` is the number without its `f32` suffix: `1.5E+10`, `NaN_`, `-Inf_`.
    Float {
        text: Arc<str>,
        bits: u16,
    },
    Str(Arc<str>),
    /// `b"ab"` is `&[u8; 2]`.
    ByteStr(Arc<[u8]>),
    /// `*b"ab"` is `[u8; 2]`.
    ByteArray(Arc<[u8]>),
    /// `()` has no parts.
    Tuple(Vec<Const>),
    Array(Vec<Const>),
    /// A struct or variant with fields. One without fields reads as [`Const::Named`].
    Adt {
        path: Path,
        fields: ConstFields,
    },
    Ref(Box<Const>),
    /// A named or associated constant, a const parameter, `f::promoted[0]`, a unit struct or variant.
    Named(Path),
    /// A function; the only constant printed without the word `const`.
    FnItem(Path),
    /// `ZeroSized: T`: the only value of a zero-sized type.
    ZeroSized(Ty),
    /// `{alloc1: &T}`, `{alloc1+0x8: *const T}`, `{alloc1<imm>: &T}`.
    Alloc {
        pointer: AllocPointer,
        ty: Ty,
    },
    /// `{0x4 as *const T}`; `digits` as printed, because leading zeros are.
    Address {
        digits: Arc<str>,
        ty: Ty,
    },
    /// `{transmute(0x2a): T}`; `digits` as printed, because their count is the size of the value.
    Transmute {
        digits: Arc<str>,
        ty: Ty,
    },
    /// `Slice { alloc_id: alloc8, meta: 5 }: &T`: a wide pointer to the start of an allocation.
    Slice {
        alloc: u32,
        meta: u64,
        ty: Ty,
    },
    /// `Indirect { alloc_id: alloc8, offset: Size(0 bytes) }: T`: a value in memory.
    Indirect {
        alloc: u32,
        offset: u64,
        ty: Ty,
    },
    /// `Scalar(0x2a): T`; the text between the parentheses.
    Scalar {
        text: Arc<str>,
        ty: Ty,
    },
    /// A value of a pattern type: `0_usize is 0..=9`.
    Pattern {
        value: Box<Const>,
        pattern: Arc<str>,
    },
    /// `<static(DefId(..))>`; the text between the parentheses.
    Static(Arc<str>),
    /// `<uninit>`
    Uninit,
    /// Anything this parser does not take apart; printed as it was read.
    Other(Arc<str>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ConstFields {
    Positional(Vec<Const>),
    Named(Vec<(Arc<str>, Const)>),
    /// Named fields of a constant that is a generic argument: printed with single braces.
    NamedInType(Vec<(Arc<str>, Const)>),
}

/// A pointer into an allocation: `alloc1+0x8<imm>`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AllocPointer {
    pub alloc: u32,
    /// In bytes.
    pub offset: u64,
    /// Printed `<imm>`: reached through a shared reference.
    pub immutable: bool,
    /// `a1` instead of `alloc1`: rustc shortens names that do not fit a table cell.
    pub short: bool,
}
