//! Types, generic arguments and paths of MIR text, structured as far as the text itself tells.
//!
//! The text does not say whether a lone name is a type parameter or a struct without a module path
//! (`T`, `E`): both are [`TyKind::Adt`] with no arguments. Whoever knows the crate can tell.
use std::ops::Deref;
use std::sync::Arc;

use super::constant::Const;

/// A shared, immutable type. Equal texts of one parse are the same allocation.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Ty(pub Arc<TyKind>);

impl Ty {
    pub fn new(kind: TyKind) -> Ty {
        Ty(Arc::new(kind))
    }
    pub fn kind(&self) -> &TyKind {
        &self.0
    }
    pub fn unit() -> Ty {
        Ty::new(TyKind::Tuple(Vec::new()))
    }
    pub fn is_unit(&self) -> bool {
        matches!(self.kind(), TyKind::Tuple(parts) if parts.is_empty())
    }
}

impl Deref for Ty {
    type Target = TyKind;
    fn deref(&self) -> &TyKind {
        &self.0
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TyKind {
    Bool,
    Char,
    Str,
    Never,
    Int(IntTy),
    /// `f16`, `f32`, `f64`, `f128` by their width.
    Float(u16),
    /// `()` has no parts.
    Tuple(Vec<Ty>),
    Array(Ty, ArrayLen),
    Slice(Ty),
    Ref {
        lifetime: Option<Arc<str>>,
        mutable: bool,
        ty: Ty,
    },
    RawPtr {
        mutable: bool,
        ty: Ty,
    },
    /// A struct, enum, union, extern type or type parameter. `path` has no trailing generics.
    Adt {
        path: Arc<str>,
        args: Vec<GenericArg>,
    },
    FnPtr(FnSig),
    /// The zero-sized type of one function: `fn(u8) -> u8 {path}`.
    FnDef {
        sig: FnSig,
        path: Path,
    },
    /// The text between the braces of `{closure@src/lib.rs:1:2: 3:4}`.
    Closure(Arc<str>),
    /// The text between the braces of `{async fn body of f()}`, `{coroutine@..}`, `{gen block@..}`.
    Coroutine(Arc<str>),
    /// The bounds after `dyn`, as text.
    Dyn {
        bounds: Arc<str>,
        parenthesised: bool,
    },
    /// The bounds after `impl`, as text.
    Impl {
        bounds: Arc<str>,
        parenthesised: bool,
    },
    /// A projection `<T as Trait>::Name`.
    Alias(Path),
    /// A pattern type: `(u32) is 1..`.
    Pattern {
        base: Ty,
        pattern: Arc<str>,
    },
    /// `unsafe<'a> &'a u8`; `binder` is the text between the angle brackets.
    UnsafeBinder {
        binder: Arc<str>,
        ty: Ty,
    },
    /// `_`
    Infer,
    /// Anything this parser does not take apart; printed as it was read.
    Other(Arc<str>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IntTy {
    I8,
    I16,
    I32,
    I64,
    I128,
    Isize,
    U8,
    U16,
    U32,
    U64,
    U128,
    Usize,
}

impl IntTy {
    pub const ALL: [IntTy; 12] = [
        IntTy::I8,
        IntTy::I16,
        IntTy::I32,
        IntTy::I64,
        IntTy::I128,
        IntTy::Isize,
        IntTy::U8,
        IntTy::U16,
        IntTy::U32,
        IntTy::U64,
        IntTy::U128,
        IntTy::Usize,
    ];
    pub fn signed(self) -> bool {
        self <= IntTy::Isize
    }
    /// Width in bits. Pointer-sized integers count as 64: the targets we verify are 64-bit.
    pub fn bits(self) -> u32 {
        match self {
            IntTy::I8 | IntTy::U8 => 8,
            IntTy::I16 | IntTy::U16 => 16,
            IntTy::I32 | IntTy::U32 => 32,
            IntTy::I64 | IntTy::U64 | IntTy::Isize | IntTy::Usize => 64,
            IntTy::I128 | IntTy::U128 => 128,
        }
    }
    pub fn name(self) -> &'static str {
        match self {
            IntTy::I8 => "i8",
            IntTy::I16 => "i16",
            IntTy::I32 => "i32",
            IntTy::I64 => "i64",
            IntTy::I128 => "i128",
            IntTy::Isize => "isize",
            IntTy::U8 => "u8",
            IntTy::U16 => "u16",
            IntTy::U32 => "u32",
            IntTy::U64 => "u64",
            IntTy::U128 => "u128",
            IntTy::Usize => "usize",
        }
    }
    pub fn from_name(name: &str) -> Option<IntTy> {
        IntTy::ALL.into_iter().find(|int| int.name() == name)
    }
    /// All ones in the width of this type.
    pub fn mask(self) -> u128 {
        u128::MAX >> (128 - self.bits())
    }
    /// The largest value, as a bit pattern.
    pub fn max_bits(self) -> u128 {
        if self.signed() {
            self.mask() >> 1
        } else {
            self.mask()
        }
    }
    /// The smallest value, as a bit pattern.
    pub fn min_bits(self) -> u128 {
        if self.signed() {
            1 << (self.bits() - 1)
        } else {
            0
        }
    }
    /// Reads a bit pattern of this width as a signed number.
    pub fn sign_extend(self, bits: u128) -> i128 {
        let unused = 128 - self.bits();
        ((bits << unused) as i128) >> unused
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ArrayLen {
    Known(u64),
    /// A parameter (`N`), a named constant or `{const expr}`.
    Text(Arc<str>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum GenericArg {
    Lifetime(Arc<str>),
    Type(Ty),
    /// `8`, `true`, `'x'`, `{const expr}`. A bare parameter `N` reads as a type.
    Const(Const),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FnSig {
    /// The text of `for<'a, 'b>` between its angle brackets.
    pub binder: Option<Arc<str>>,
    pub is_unsafe: bool,
    /// `extern "C"`: the name between the quotes.
    pub abi: Option<Arc<str>>,
    pub inputs: Vec<Ty>,
    pub c_variadic: bool,
    /// `None` where no `->` is printed, which means `()`.
    pub output: Option<Ty>,
    /// `#[target_features] ` is printed before the signature.
    pub target_features: bool,
}

/// A path to a value or an associated type: `<T as Tr>::name::<A>`, `core::num::<impl u8>::MAX`.
/// Shared: equal texts of one parse are the same allocation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Path(pub Arc<PathData>);

impl Deref for Path {
    type Target = PathData;
    fn deref(&self) -> &PathData {
        &self.0
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PathData {
    pub qself: Option<QSelf>,
    pub segments: Vec<Segment>,
}

/// The bracketed start of a path: `<Ty>` or `<Ty as Trait<..>>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct QSelf {
    pub ty: Ty,
    pub trait_ref: Option<Ty>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Segment {
    /// An identifier, or as text `{closure#0}`, `promoted[0]`, `<impl u8>`, `<impl at f.rs:1:2: 3:4>`.
    pub name: Arc<str>,
    /// `None` where no brackets are printed.
    pub args: Option<Vec<GenericArg>>,
    /// `name::<A>` as in values, against `name<A>` as in associated types.
    pub turbofish: bool,
}

impl PathData {
    /// The path without any generic arguments: `<T as Tr>::f::<A>` is `f` below its `qself`.
    pub fn plain(&self) -> String {
        let names: Vec<&str> = self.segments.iter().map(|segment| &*segment.name).collect();
        names.join("::")
    }
    /// The generic arguments of the last segment.
    pub fn last_args(&self) -> &[GenericArg] {
        self.segments
            .last()
            .and_then(|last| last.args.as_deref())
            .unwrap_or(&[])
    }
    /// The generic arguments of all segments, in order.
    pub fn all_args(&self) -> impl Iterator<Item = &GenericArg> {
        self.segments
            .iter()
            .filter_map(|s| s.args.as_deref())
            .flatten()
    }
    pub fn last_name(&self) -> &str {
        self.segments.last().map_or("", |last| &last.name)
    }
}

impl std::fmt::Debug for Ty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
