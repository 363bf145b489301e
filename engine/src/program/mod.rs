//! The program model: a typed control-flow program over scalar and array variables, made from MIR by `lower`.
//!
//! Everything that can go wrong is explicit control flow: a panic, undefined behaviour or a construct outside
//! the model is a block that ends in `Stop`. Nothing here knows rustc; the engines see only this.

mod constants;
pub mod cpg;
mod fingerprint;
pub mod interp;
pub mod liveness;
pub mod machine;
mod print;
pub mod settle;
pub mod simplify;
mod source_span;
pub mod summary;
mod targets;
pub mod texts;
pub mod utf8;
pub mod values;
pub mod wto;

pub use source_span::SourceSpan;
pub use texts::Texts;

use crate::term::{Pool, Term, Var};
use std::sync::Arc;

/// A block of a program, by index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct BlockId(pub u32);

impl BlockId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Why a run ends at a `Stop`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum StopKind {
    /// A panic with its message: a violation.
    Panic(String),
    /// Undefined behaviour, with what it is: a violation.
    Undefined(String),
    /// A construct that the model does not have: the verdict is unknown if this is reachable.
    Unsupported(String),
}

/// An end of a run that is not a return.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Stop {
    pub kind: StopKind,
    /// The line a person should look at: in the user's code, the call site if std panicked.
    pub span: Option<SourceSpan>,
}

impl Stop {
    pub fn is_violation(&self) -> bool {
        !matches!(self.kind, StopKind::Unsupported(_))
    }
}

/// Where an arbitrary value comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Draw {
    /// A draw of `any()`: part of a counterexample, in the order of execution.
    Any,
    /// An over-approximation: the real program has one certain value here that the model does not know.
    /// A counterexample that draws one is not a counterexample.
    Approximate(String),
}

#[derive(Clone, Debug)]
pub enum Stmt {
    Assign(Var, Term),
    /// The variable takes an arbitrary value of its sort (constrain it with `Assume`).
    Havoc(Var, Draw),
    /// Runs that violate it are not runs (`assume`, valid ranges of arbitrary values).
    Assume(Term),
}

#[derive(Clone, Debug)]
pub enum Terminator {
    Goto(BlockId),
    Branch {
        cond: Term,
        then: BlockId,
        otherwise: BlockId,
    },
    Return,
    /// Index into `Program::stops`.
    Stop(usize),
    /// No run gets past this point (a violated assumption).
    Blocked,
}

#[derive(Clone, Debug)]
pub struct Block {
    pub stmts: Vec<Stmt>,
    pub terminator: Terminator,
    pub span: Option<SourceSpan>,
    /// For those who check a proof against MIR; nobody proves anything by it.
    pub origin: Origin,
}

impl Block {
    /// Every term that it evaluates.
    pub fn terms(&self) -> Vec<Term> {
        let stmts = self.stmts.iter().filter_map(|stmt| match stmt {
            Stmt::Assign(_, t) | Stmt::Assume(t) => Some(*t),
            Stmt::Havoc(..) => None,
        });
        let cond = match self.terminator {
            Terminator::Branch { cond, .. } => Some(cond),
            _ => None,
        };
        stmts.chain(cond).collect()
    }
}

/// What a block of the program is in MIR.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    pub at: Option<MirPoint>,
    /// What `simplify` knew and used at the start of the block, and no lemma says any more.
    pub known: Vec<(Var, Term)>,
}

/// A point of a MIR body, inlined at this chain of calls (the blocks that end in them, from the root).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MirPoint {
    pub calls: Arc<[u32]>,
    pub block: u32,
    /// Before this statement; past the last one: before the terminator.
    pub statement: u32,
}

/// How an input is shown to the user and written into a replay.
#[derive(Clone, PartialEq, Debug)]
pub enum InputShape {
    /// A scalar; `signed` and `kind` tell how to print the bits.
    Scalar {
        var: Var,
        kind: ScalarKind,
    },
    /// `[a, b, ..]` of a fixed length; `elem` holds the shape of one element over array variables.
    Array {
        len: u128,
        elem: Box<InputShape>,
    },
    /// A slice with its length variable.
    Slice {
        len: Var,
        elem: Box<InputShape>,
    },
    /// A `Vec`: its length, the room of its buffer, its elements.
    Vector {
        len: Var,
        capacity: Var,
        elem: Box<InputShape>,
    },
    /// An iterator over a slice, by what it has left.
    Elements {
        len: Var,
        elem: Box<InputShape>,
    },
    Tuple(Vec<InputShape>),
    Struct {
        name: String,
        fields: Vec<(String, InputShape)>,
    },
    Enum {
        name: String,
        discriminant: Var,
        /// (value, name, fields)
        variants: Vec<(u128, String, Vec<InputShape>)>,
    },
    Reference(Box<InputShape>),
    /// What std makes of its parts: `before` them, `after` them.
    Made {
        before: &'static str,
        parts: Vec<InputShape>,
        after: &'static str,
    },
    /// A `str`: its length and its bytes, which must be valid UTF-8 (a counterexample is checked for it).
    Text {
        len: Var,
        bytes: Var,
        texts: Texts,
        /// The room of a `String`'s buffer.
        capacity: Option<Var>,
    },
    /// Something that no run looks at.
    Opaque(String),
}

/// The shapes among inputs that stand in no array.
pub fn outside_arrays(inputs: &[Input]) -> Vec<&InputShape> {
    let mut out: Vec<&InputShape> = inputs.iter().map(|i| &i.shape).collect();
    let mut at = 0;
    while let Some(&shape) = out.get(at) {
        at += 1;
        match shape {
            InputShape::Tuple(parts) | InputShape::Made { parts, .. } => out.extend(parts),
            InputShape::Struct { fields, .. } => out.extend(fields.iter().map(|(_, f)| f)),
            InputShape::Enum { variants, .. } => {
                out.extend(variants.iter().flat_map(|(_, _, fields)| fields));
            }
            InputShape::Reference(inner) => out.push(inner),
            _ => {}
        }
    }
    out
}

/// The vectors and strings among them: length and room of each.
pub fn buffers(inputs: &[Input]) -> Vec<(Var, Var)> {
    let of = |shape: &InputShape| match shape {
        InputShape::Vector { len, capacity, .. }
        | InputShape::Text {
            len,
            capacity: Some(capacity),
            ..
        } => Some((*len, *capacity)),
        _ => None,
    };
    outside_arrays(inputs).into_iter().filter_map(of).collect()
}

/// The variables that hold an input.
pub fn input_vars(shape: &InputShape, out: &mut Vec<Var>) {
    match shape {
        InputShape::Scalar { var, .. } => out.push(*var),
        InputShape::Array { elem, .. } => input_vars(elem, out),
        InputShape::Slice { len, elem } | InputShape::Elements { len, elem } => {
            out.push(*len);
            input_vars(elem, out);
        }
        InputShape::Vector {
            len,
            capacity,
            elem,
        } => {
            out.extend([*len, *capacity]);
            input_vars(elem, out);
        }
        InputShape::Tuple(fields) | InputShape::Made { parts: fields, .. } => {
            fields.iter().for_each(|f| input_vars(f, out));
        }
        InputShape::Struct { fields, .. } => fields.iter().for_each(|(_, f)| input_vars(f, out)),
        InputShape::Enum {
            discriminant,
            variants,
            ..
        } => {
            out.push(*discriminant);
            for (_, _, fields) in variants {
                fields.iter().for_each(|f| input_vars(f, out));
            }
        }
        InputShape::Reference(inner) => input_vars(inner, out),
        InputShape::Text {
            len,
            bytes,
            capacity,
            ..
        } => out.extend([*len, *bytes].iter().chain(capacity)),
        InputShape::Opaque(_) => {}
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScalarKind {
    Bool,
    Char,
    Unsigned(u32),
    Signed(u32),
    Float(u32),
}

#[derive(Clone, Debug)]
pub struct Input {
    pub name: String,
    pub shape: InputShape,
}

/// A variable's meaning for a person, if it has one.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceName {
    pub name: String,
    pub kind: Option<ScalarKind>,
    /// Does the user's own source give it this name? Std's functions, once inlined, and `for` have variables as well.
    pub is_users: bool,
    /// The type of the variable that this is a part of, by its last segment, if it is of this crate.
    pub of: Option<String>,
}

/// A function to verify, closed: no calls are left.
#[derive(Clone)]
pub struct Program {
    pub pool: Pool,
    pub name: String,
    pub blocks: Vec<Block>,
    pub entry: BlockId,
    pub stops: Vec<Stop>,
    /// The variables of the state, in a fixed order. Inputs are state variables that nothing initialises.
    pub vars: Vec<Var>,
    pub inputs: Vec<Input>,
    /// Names for people, of those variables that have one.
    pub source_names: Vec<(Var, SourceName)>,
    /// The types of what `any()` draws, by the variable that receives it.
    pub draw_kinds: Vec<(Var, ScalarKind)>,
    /// Holds at entry (valid ranges of inputs).
    pub requires: Vec<Term>,
    /// The variables of the returned value and of memory behind `&mut` parameters: what a caller can see.
    pub outputs: Vec<Var>,
    /// Where the returned value is found when a run returns.
    pub returned: InputShape,
}

impl Program {
    pub fn block(&self, b: BlockId) -> &Block {
        &self.blocks[b.index()]
    }

    /// The blocks that can be reached, each before its successors, back edges aside.
    pub fn reverse_postorder(&self) -> Vec<BlockId> {
        summary::topological(self, self.entry, &[])
    }

    pub fn successors(&self, b: BlockId) -> Vec<BlockId> {
        match self.block(b).terminator {
            Terminator::Goto(t) => vec![t],
            Terminator::Branch {
                then, otherwise, ..
            } => vec![then, otherwise],
            Terminator::Return | Terminator::Stop(_) | Terminator::Blocked => vec![],
        }
    }

    pub fn draw_kind(&self, v: Var) -> Option<ScalarKind> {
        self.draw_kinds
            .iter()
            .find(|(u, _)| *u == v)
            .map(|(_, k)| *k)
    }

    pub fn source_name(&self, v: Var) -> Option<&SourceName> {
        self.source_names
            .iter()
            .find(|(u, _)| *u == v)
            .map(|(_, n)| n)
    }
}
