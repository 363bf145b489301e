//! The syntax tree of MIR text: bodies, blocks, statements, terminators, places and rvalues.
use std::sync::Arc;

pub use super::alloc::{Alloc, AllocKind, Relocation};
pub use super::constant::{AllocPointer, Const, ConstFields};
pub use super::ty::{
    ArrayLen, FnSig, GenericArg, IntTy, Path, PathData, QSelf, Segment, Ty, TyKind,
};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct MirFile {
    pub bodies: Vec<Body>,
    /// In order of appearance. A file of many bodies repeats an allocation after each user.
    pub allocs: Vec<Alloc>,
    /// How many of `allocs` stand before the end of body `i` and its own tables.
    pub allocs_through_body: Vec<usize>,
}

impl MirFile {
    pub fn alloc(&self, id: u32) -> Option<&Alloc> {
        self.allocs.iter().find(|alloc| alloc.id == id)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    Fn,
    Const,
    Static,
    StaticMut,
    /// `const f::promoted[0]: T = {`
    Promoted,
    /// An anonymous constant, printed without a keyword.
    Anonymous,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    pub kind: BodyKind,
    /// As printed, e.g. `<impl at src/lib.rs:8:10: 8:15>::fmt`.
    pub path: Arc<str>,
    /// Arguments are locals `1..=arg_count`.
    pub arg_count: u32,
    /// The return type as the header prints it: with trimmed paths where `_0` has full ones.
    pub signature_ret: Ty,
    /// Every local at its index: the return place, the arguments, the others.
    pub locals: Vec<LocalDecl>,
    /// Every source scope at its index; scope 0 is the function itself.
    pub scopes: Vec<Scope>,
    /// In printed order; each names its scope.
    pub debug_infos: Vec<DebugInfo>,
    /// Lines of `-Cinstrument-coverage`, as text.
    pub coverage: Vec<Arc<str>>,
    /// What a coroutine yields, before it becomes a state machine.
    pub yields: Option<Ty>,
    /// In printed order; `blocks[i].id` is `i`.
    pub blocks: Vec<Block>,
    /// `const X: usize = const 3_usize;` has this and no blocks.
    pub value: Option<Const>,
    /// Marked `// MIR FOR CTFE`: the body the compiler evaluates, not the one it compiles.
    pub for_ctfe: bool,
    /// Line of the header in the text that was parsed, from 1.
    pub line: u32,
}

impl Body {
    pub fn args(&self) -> impl Iterator<Item = &LocalDecl> {
        self.locals.iter().skip(1).take(self.arg_count as usize)
    }
    pub fn local(&self, local: Local) -> Option<&LocalDecl> {
        self.locals.get(local.0 as usize)
    }
    /// The return type: the type of `_0`.
    pub fn ret(&self) -> &Ty {
        &self.locals[0].ty
    }
    pub fn block(&self, block: BlockId) -> Option<&Block> {
        self.blocks.get(block.0 as usize)
    }
    /// Can a run come back to this block?
    pub fn is_on_cycle(&self, block: BlockId) -> bool {
        let mut seen = std::collections::HashSet::new();
        let mut open = vec![block];
        while let Some(at) = open.pop() {
            for next in self.block(at).into_iter().flat_map(|b| b.terminator.next()) {
                if next == block {
                    return true;
                }
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        false
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Local(pub u32);

impl Local {
    pub const RETURN: Local = Local(0);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

#[derive(Clone, Debug, PartialEq)]
pub struct LocalDecl {
    pub local: Local,
    pub mutable: bool,
    pub ty: Ty,
    /// Text after ` as `, a user's type annotation, in the early phases only.
    pub user_ty: Option<Arc<str>>,
    /// Arguments stand in the signature, which has no span: theirs is `None`.
    pub source_info: SourceInfo,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Scope {
    pub id: u32,
    /// `None` for scope 0 only.
    pub parent: Option<u32>,
    pub inlined: Option<InlinedCallee>,
    /// Where the inlined call stands.
    pub span: Option<Span>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct InlinedCallee {
    pub track_caller: bool,
    /// As printed; shims add a note, as in `drop_in_place::<T> - shim(Some(T))`.
    pub callee: Arc<str>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct DebugInfo {
    /// A name, or a part of a composite: `(((x: S).0: T))` as text.
    pub name: Arc<str>,
    pub value: DebugValue,
    pub source_info: SourceInfo,
}

#[derive(Clone, Debug, PartialEq)]
pub enum DebugValue {
    Place(Place),
    Const(Const),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SourceInfo {
    pub scope: u32,
    /// `None` without `-Zmir-include-spans`, and for code from nowhere.
    pub span: Option<Span>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// One allocation per file name and parse.
    pub file: Arc<str>,
    pub line: u32,
    pub col: u32,
    pub end_line: u32,
    pub end_col: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    pub id: BlockId,
    pub cleanup: bool,
    pub statements: Vec<Statement>,
    pub terminator: Terminator,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    pub kind: StatementKind,
    pub source_info: SourceInfo,
    /// Types of the constants in it, from the `mir::ConstOperand` comments, in order; scalars have
    /// no such comment.
    pub const_types: Vec<Arc<str>>,
    /// Line in the text that was parsed, from 1.
    pub line: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Terminator {
    pub kind: TerminatorKind,
    pub source_info: SourceInfo,
    pub const_types: Vec<Arc<str>>,
    pub line: u32,
}

impl Terminator {
    /// The blocks that may come next, unwinding left out.
    pub fn next(&self) -> Vec<BlockId> {
        use TerminatorKind::{Assert, Call, Drop, FalseEdge, FalseUnwind, Goto, InlineAsm};
        use TerminatorKind::{SwitchInt, Yield};
        match &self.kind {
            Goto(to) | Drop { target: to, .. } | Assert { target: to, .. } => vec![*to],
            FalseEdge { real, .. } | FalseUnwind { real, .. } => vec![*real],
            Call { target, .. } => target.iter().copied().collect(),
            SwitchInt {
                targets, otherwise, ..
            } => {
                let named = targets.iter().map(|(_, to)| *to);
                named.chain(*otherwise).collect()
            }
            Yield { resume, .. } => vec![*resume],
            InlineAsm(asm) => asm.targets.clone(),
            _ => vec![],
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    pub local: Local,
    /// From the local outwards.
    pub projection: Vec<Elem>,
}

impl Place {
    pub fn local(local: Local) -> Place {
        Place {
            local,
            projection: Vec::new(),
        }
    }
    /// The local, if there is no projection.
    pub fn as_local(&self) -> Option<Local> {
        self.projection.is_empty().then_some(self.local)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Elem {
    Deref,
    Field(u32, Ty),
    Index(Local),
    ConstantIndex {
        offset: u64,
        min_length: u64,
        from_end: bool,
    },
    /// `[from:-to]` counts `to` from the end, `[from..to]` does not.
    Subslice {
        from: u64,
        to: u64,
        from_end: bool,
    },
    Downcast(Arc<str>),
    /// A downcast to a variant without a name, as in coroutines: `variant#3`.
    DowncastIndex(u32),
    OpaqueCast(Ty),
    Subtype(Ty),
    UnwrapUnsafeBinder(Ty),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    Copy(Place),
    Move(Place),
    Const(Const),
    /// `UbChecks`, `ContractChecks`, `OverflowChecks`: whether the compiling crate wants them.
    RuntimeChecks(RuntimeChecks),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RuntimeChecks {
    UbChecks,
    ContractChecks,
    OverflowChecks,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Rvalue {
    /// `no_retag` is printed since 1.97.
    Use {
        operand: Operand,
        no_retag: bool,
    },
    Repeat(Operand, ArrayLen),
    Ref {
        lifetime: Option<Arc<str>>,
        kind: BorrowKind,
        place: Place,
    },
    RawPtr {
        kind: RawPtrKind,
        place: Place,
    },
    /// Until 1.88.
    Len(Place),
    Cast {
        operand: Operand,
        ty: Ty,
        kind: CastKind,
    },
    Binary(BinOp, Operand, Operand),
    Unary(UnOp, Operand),
    Discriminant(Place),
    Aggregate(Aggregate),
    /// Until 1.94 or so.
    ShallowInitBox(Operand, Ty),
    CopyForDeref(Place),
    ThreadLocalRef {
        mutable: bool,
        path: Path,
    },
    Nullary(NullOp),
    WrapUnsafeBinder(Operand, Ty),
    /// Reborrows of user types, a nightly feature, as text: `M<'{erased}>(reborrow _1)`.
    Other(Arc<str>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BorrowKind {
    Shared,
    Mut,
    FakeDeep,
    FakeShallow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RawPtrKind {
    Const,
    Mut,
    FakeForPtrMetadata,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Aggregate {
    Array(Vec<Operand>),
    Tuple(Vec<Operand>),
    /// A unit struct or variant, `E::C`. A function item used as a value prints the same way; the
    /// parser tells them apart by the type of the local that is assigned.
    AdtUnit(Path),
    AdtPositional(Path, Vec<Operand>),
    AdtNamed(Path, Vec<(Arc<str>, Operand)>),
    /// The text between the braces of `{closure@src/lib.rs:1:2: 3:4}`, and the captures.
    Closure(Arc<str>, Vec<(Arc<str>, Operand)>),
    Coroutine(Arc<str>, Vec<(Arc<str>, Operand)>),
    /// `*const [u8] from (copy _1, copy _2)`: a pointer to `ty` from address and metadata.
    RawPtr {
        mutable: bool,
        ty: Ty,
        parts: Vec<Operand>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CastKind {
    IntToInt,
    IntToFloat,
    FloatToInt,
    FloatToFloat,
    PtrToPtr,
    FnPtrToPtr,
    Transmute,
    PointerExposeProvenance,
    PointerWithExposedProvenance,
    /// `PointerCoercion(Unsize, Implicit)`; `implicit` is `None` before 1.83.
    PointerCoercion(PointerCoercion, Option<CoercionSource>),
    Subtype,
    /// `DynStar` and others, as text.
    Other(Arc<str>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PointerCoercion {
    ReifyFnPointer,
    ReifyFnPointerSafe,
    ReifyFnPointerUnsafe,
    UnsafeFnPointer,
    ClosureFnPointerSafe,
    ClosureFnPointerUnsafe,
    MutToConstPointer,
    ArrayToPointer,
    Unsize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CoercionSource {
    Implicit,
    AsCast,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinOp {
    Add,
    AddUnchecked,
    AddWithOverflow,
    Sub,
    SubUnchecked,
    SubWithOverflow,
    Mul,
    MulUnchecked,
    MulWithOverflow,
    Div,
    Rem,
    BitXor,
    BitAnd,
    BitOr,
    Shl,
    ShlUnchecked,
    Shr,
    ShrUnchecked,
    Eq,
    Lt,
    Le,
    Ne,
    Ge,
    Gt,
    Cmp,
    Offset,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnOp {
    Not,
    Neg,
    PtrMetadata,
}

/// Nullary rvalues of the compilers before 1.95, which print intrinsics calls or operands now.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum NullOp {
    SizeOf(Ty),
    AlignOf(Ty),
    /// The fields as text, `[(0, 1)]`.
    OffsetOf(Ty, Arc<str>),
    /// `UbChecks()`
    RuntimeChecks(RuntimeChecks),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StatementKind {
    Assign(Place, Rvalue),
    /// The cause as text.
    FakeRead(Arc<str>, Place),
    /// `discriminant(_1) = 2`: the index of a variant, not its discriminant.
    SetDiscriminant(Place, u32),
    Deinit(Place),
    StorageLive(Local),
    StorageDead(Local),
    /// The kind as text with its brackets: ``, `[fn entry] `.
    Retag(Arc<str>, Place),
    PlaceMention(Place),
    /// Everything between the parentheses, as text.
    AscribeUserType(Arc<str>),
    /// Text after `Coverage::`.
    Coverage(Arc<str>),
    ConstEvalCounter,
    Nop,
    Assume(Operand),
    CopyNonOverlapping {
        dst: Operand,
        src: Operand,
        count: Operand,
    },
    /// Place and reason as text.
    BackwardIncompatibleDropHint(Place, Arc<str>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TerminatorKind {
    Goto(BlockId),
    /// Values are unsigned bit patterns: `-7_isize` is 18446744073709551609.
    SwitchInt {
        operand: Operand,
        targets: Vec<(u128, BlockId)>,
        otherwise: Option<BlockId>,
    },
    Return,
    Unreachable,
    UnwindResume,
    /// `abi` or `cleanup`
    UnwindTerminate(Arc<str>),
    Drop {
        place: Place,
        target: BlockId,
        unwind: UnwindAction,
        /// Of an asynchronous drop.
        drop: Option<BlockId>,
    },
    Call {
        func: Operand,
        args: Vec<Operand>,
        destination: Place,
        /// `None` if the call never returns.
        target: Option<BlockId>,
        unwind: UnwindAction,
    },
    TailCall {
        func: Operand,
        args: Vec<Operand>,
    },
    Assert {
        cond: Operand,
        expected: bool,
        message: AssertMessage,
        target: BlockId,
        unwind: UnwindAction,
    },
    Yield {
        value: Operand,
        resume_arg: Place,
        resume: BlockId,
        drop: Option<BlockId>,
    },
    CoroutineDrop,
    FalseEdge {
        real: BlockId,
        imaginary: BlockId,
    },
    FalseUnwind {
        real: BlockId,
        unwind: UnwindAction,
    },
    InlineAsm(InlineAsm),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum UnwindAction {
    Continue,
    Unreachable,
    /// `abi` or `cleanup`
    Terminate(Arc<str>),
    Cleanup(BlockId),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AssertMessage {
    pub kind: AssertKind,
    /// Between the quotes, escapes as printed: `attempt to divide `{}` by zero`.
    pub text: Arc<str>,
    pub args: Vec<Operand>,
}

/// What an `assert` terminator checks, told from its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AssertKind {
    BoundsCheck,
    Overflow(BinOp),
    OverflowNeg,
    DivisionByZero,
    RemainderByZero,
    ResumedAfterReturn,
    ResumedAfterPanic,
    ResumedAfterDrop,
    MisalignedPointerDereference,
    NullPointerDereference,
    InvalidEnumConstruction,
    Other,
}

impl AssertKind {
    /// Is it there only in builds with overflow checks?
    pub fn is_optional(self) -> bool {
        match self {
            AssertKind::OverflowNeg => true,
            AssertKind::Overflow(op) => !matches!(op, BinOp::Div | BinOp::Rem),
            _ => false,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InlineAsm {
    /// Everything between `asm!(` and the parenthesis that closes it, as text.
    pub text: Arc<str>,
    /// What the code may read, in order, with the constants and functions it mentions.
    pub inputs: Vec<Operand>,
    /// Places it may write.
    pub outputs: Vec<Place>,
    /// `return`, then the labels.
    pub targets: Vec<BlockId>,
    pub unwind: Option<UnwindAction>,
}
