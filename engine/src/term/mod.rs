//! Hash-consed terms over bit-vectors, booleans and arrays: the one language that lowering, engines and reports share.
//!
//! A `Term` is an index into a `Pool`; equal terms have equal indices, so comparison is free and every
//! pass over a term is a pass over its DAG. Constructors simplify as they build (`build.rs`): composing
//! loop bodies symbolically then executes concrete code outright. Arrays are functions of their index:
//! `select` is pushed through `store`, `ite` and `blit` when it is built, so that what reaches the solver
//! are applications of array variables only.

mod array;
mod build;
mod compare;
mod eval;
mod float;
mod import;
mod parts;
mod print;
mod range;
mod sorts;
mod subst;
mod table;

pub use compare::odd_inverse;
pub use eval::{ArrayValue, Env, Value, apply_binary};
pub use float::{apply as apply_float, is_open as is_open_float};
pub use import::Import;
pub use parts::{Parts, Shape};
pub use subst::Subst;

use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// What a term denotes. Widths are 1..=128.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Sort {
    Bool,
    Bv(u32),
    /// A total function from bit-vectors of width `index` to bit-vectors of width `elem` (`elem` 0: Bool).
    Array {
        index: u32,
        elem: u32,
    },
}

impl Sort {
    /// The width of a bit-vector sort; panics on other sorts, which is a bug of the caller.
    pub fn width(self) -> u32 {
        match self {
            Sort::Bv(w) => w,
            Sort::Bool => panic!("width of Bool"),
            Sort::Array { .. } => panic!("width of array"),
        }
    }

    /// The sort of the elements of an array.
    pub fn element(self) -> Sort {
        match self {
            Sort::Array { elem: 0, .. } => Sort::Bool,
            Sort::Array { elem, .. } => Sort::Bv(elem),
            _ => panic!("element of a scalar"),
        }
    }

    pub fn is_array(self) -> bool {
        matches!(self, Sort::Array { .. })
    }
}

/// A handle of a term in its pool.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Term(pub u32);

/// A handle of a variable in its pool.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Var(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum UnOp {
    /// Boolean negation.
    Not,
    /// Bitwise complement.
    BvNot,
    /// Two's complement negation.
    Neg,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BinOp {
    // Booleans.
    And,
    Or,
    // Any sort but arrays.
    Eq,
    // Bit-vectors.
    Add,
    Sub,
    Mul,
    /// Unsigned division; by zero gives all ones, as in SMT-LIB (lowering guards it).
    Udiv,
    Urem,
    Sdiv,
    Srem,
    BvAnd,
    BvOr,
    BvXor,
    /// Shifts by >= width give 0 (or the sign), as in SMT-LIB; lowering masks where Rust does.
    Shl,
    Lshr,
    Ashr,
    Ult,
    Ule,
    Slt,
    Sle,
    /// Does the unsigned/signed product leave the width?
    UmulOverflows,
    SmulOverflows,
    Concat,
}

/// Operations on IEEE floats held as bit-vectors of 16/32/64 bits. Rounding is to nearest even.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Neg,
    Eq,
    Lt,
    Le,
    IsNan,
    /// From a signed/unsigned integer of the operand's width to the float of the result's width.
    FromSigned,
    FromUnsigned,
    /// Saturating conversion, NaN to 0, as Rust's `as`.
    ToSigned,
    ToUnsigned,
    /// Between float widths.
    Convert,
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    /// To the nearest integer, halves away from zero.
    Round,
    RoundEven,
    /// The other one if one is NaN; of two zeros either.
    Min,
    Max,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Node {
    /// Bool (0/1) or bit-vector constant; bits above the width are zero.
    Const(u128),
    Var(Var),
    Unary(UnOp, Term),
    Binary(BinOp, Term, Term),
    Ite(Term, Term, Term),
    /// Bits `lo .. lo+width`, the width is the node's sort.
    Extract {
        arg: Term,
        lo: u32,
    },
    Zext(Term),
    Sext(Term),
    Float(FloatOp, Vec<Term>),
    /// The value of an array at an index; after simplification the array is a variable.
    Select(Term, Term),
    Store(Term, Term, Term),
    /// The array that has this value everywhere.
    ConstArray(Term),
    /// `j -> if dst_at <= j < dst_at + len then src(j - dst_at + src_at) else dst(j)`, unsigned, no wrap assumed.
    Blit {
        dst: Term,
        src: Term,
        dst_at: Term,
        src_at: Term,
        len: Term,
    },
    /// `j -> body[j / bound]`: an array given by a term over the bound variable (summaries of loops).
    Lambda {
        bound: Var,
        body: Term,
    },
}

/// What is known of a variable besides its handle.
#[derive(Clone, Debug)]
pub struct VarInfo {
    pub name: String,
    pub sort: Sort,
    /// The part of a MIR place that it holds, as `pipeline::export` spells it. No proof depends on it.
    pub origin: Option<std::sync::Arc<str>>,
}

/// A fast hasher for small keys (the FxHash construction); the tables here are hot and not attacker-facing.
#[derive(Default, Clone, Copy)]
pub struct FastHasher(u64);

impl Hasher for FastHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.write_u64(u64::from(b));
        }
    }
    fn write_u8(&mut self, v: u8) {
        self.write_u64(u64::from(v));
    }
    fn write_u32(&mut self, v: u32) {
        self.write_u64(u64::from(v));
    }
    fn write_u64(&mut self, v: u64) {
        self.0 = (self.0.rotate_left(5) ^ v).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    fn write_u128(&mut self, v: u128) {
        self.write_u64(v as u64);
        self.write_u64((v >> 64) as u64);
    }
    fn write_usize(&mut self, v: usize) {
        self.write_u64(v as u64);
    }
    fn write_isize(&mut self, v: isize) {
        self.write_u64(v as u64);
    }
}

pub type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<FastHasher>>;
pub type FastSet<K> = std::collections::HashSet<K, BuildHasherDefault<FastHasher>>;

/// Owns terms and variables. Cloning a pool gives an independent copy in which all handles stay valid.
#[derive(Clone, Default)]
pub struct Pool {
    nodes: Vec<(Node, Sort)>,
    index: FastMap<(Node, Sort), Term>,
    vars: Vec<VarInfo>,
    /// Results of pushing a select into an array term; without it shared `ite`s would be expanded again and again.
    selects: FastMap<(Term, Term), Term>,
    /// Equations of an `ite` with something, distributed over its leaves or known to be better left alone.
    leaf_eqs: FastMap<(Term, Term), Option<Term>>,
    leaves_seen: usize,
    /// What is known of the values of terms that were compared.
    ranges: FastMap<Term, (u128, u128)>,
    /// Choices among constants.
    constants: FastMap<Term, table::Constants>,
}

impl Pool {
    pub fn new() -> Pool {
        Pool::default()
    }

    pub fn node(&self, t: Term) -> &Node {
        &self.nodes[t.0 as usize].0
    }

    pub fn sort(&self, t: Term) -> Sort {
        self.nodes[t.0 as usize].1
    }

    pub fn width(&self, t: Term) -> u32 {
        self.sort(t).width()
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn var_info(&self, v: Var) -> &VarInfo {
        &self.vars[v.0 as usize]
    }

    pub fn n_vars(&self) -> usize {
        self.vars.len()
    }

    /// A new variable; names need not be unique.
    pub fn fresh(&mut self, name: impl Into<String>, sort: Sort) -> Var {
        let v = Var(self.vars.len() as u32);
        self.vars.push(VarInfo {
            name: name.into(),
            sort,
            origin: None,
        });
        v
    }

    /// Says which part of a MIR place a variable holds.
    pub fn set_origin(&mut self, v: Var, origin: impl Into<std::sync::Arc<str>>) {
        self.vars[v.0 as usize].origin = Some(origin.into());
    }

    pub fn var(&mut self, v: Var) -> Term {
        let sort = self.vars[v.0 as usize].sort;
        self.intern(Node::Var(v), sort)
    }

    pub(crate) fn intern(&mut self, node: Node, sort: Sort) -> Term {
        if let Some(&t) = self.index.get(&(node.clone(), sort)) {
            return t;
        }
        let t = Term(self.nodes.len() as u32);
        self.nodes.push((node.clone(), sort));
        self.index.insert((node, sort), t);
        t
    }

    /// The constant behind a term, if it is one.
    pub fn as_const(&self, t: Term) -> Option<u128> {
        match *self.node(t) {
            Node::Const(c) => Some(c),
            _ => None,
        }
    }

    pub fn as_var(&self, t: Term) -> Option<Var> {
        match *self.node(t) {
            Node::Var(v) => Some(v),
            _ => None,
        }
    }

    /// The direct subterms, in order.
    pub fn children(&self, t: Term) -> Vec<Term> {
        match self.node(t) {
            Node::Const(_) | Node::Var(_) => vec![],
            Node::Unary(_, a) | Node::Zext(a) | Node::Sext(a) | Node::ConstArray(a) => vec![*a],
            Node::Extract { arg, .. } => vec![*arg],
            Node::Binary(_, a, b) | Node::Select(a, b) => vec![*a, *b],
            Node::Ite(a, b, c) | Node::Store(a, b, c) => vec![*a, *b, *c],
            Node::Float(_, args) => args.clone(),
            Node::Blit {
                dst,
                src,
                dst_at,
                src_at,
                len,
            } => vec![*dst, *src, *dst_at, *src_at, *len],
            Node::Lambda { body, .. } => vec![*body],
        }
    }

    /// The variables that occur in the terms, in order of their handles.
    pub fn free_vars(&self, roots: &[Term]) -> Vec<Var> {
        let mut seen = FastSet::default();
        let mut vars = std::collections::BTreeSet::new();
        let mut bound = std::collections::BTreeSet::new();
        let mut todo = roots.to_vec();
        while let Some(t) = todo.pop() {
            if !seen.insert(t) {
                continue;
            }
            match self.node(t) {
                Node::Var(v) => {
                    vars.insert(*v);
                }
                Node::Lambda { bound: b, .. } => {
                    bound.insert(*b);
                    todo.extend(self.children(t));
                }
                _ => todo.extend(self.children(t)),
            }
        }
        vars.into_iter().filter(|v| !bound.contains(v)).collect()
    }

    /// Does the term multiply or divide by what is not constant?
    pub fn multiplies(&self, root: Term) -> bool {
        let mut seen = FastSet::default();
        let mut todo = vec![root];
        while let Some(t) = todo.pop() {
            if !seen.insert(t) {
                continue;
            }
            if self.multiplies_at(t) {
                return true;
            }
            todo.extend(self.children(t));
        }
        false
    }

    /// Is this a product, or a quotient, that is no multiple of a constant?
    pub fn multiplies_at(&self, t: Term) -> bool {
        match *self.node(t) {
            Node::Binary(BinOp::Mul | BinOp::UmulOverflows | BinOp::SmulOverflows, a, b) => {
                self.as_const(a).is_none() && self.as_const(b).is_none()
            }
            Node::Binary(BinOp::Udiv | BinOp::Urem | BinOp::Sdiv | BinOp::Srem, _, b) => {
                self.as_const(b).is_none()
            }
            _ => false,
        }
    }

    /// Do the terms combine bits of two values, or shift by a variable? Arithmetic says little about such terms.
    pub fn mixes_bits(&self, roots: &[Term]) -> bool {
        let variable = |t: Term| self.as_const(t).is_none();
        let mixes = |t: Term| match *self.node(t) {
            Node::Binary(BinOp::BvAnd | BinOp::BvOr | BinOp::BvXor, a, b) => {
                variable(a) && variable(b)
            }
            Node::Binary(BinOp::Shl | BinOp::Lshr | BinOp::Ashr, _, by) => variable(by),
            _ => false,
        };
        let mut seen = FastSet::default();
        let mut todo = roots.to_vec();
        while let Some(t) = todo.pop() {
            if !seen.insert(t) {
                continue;
            }
            if mixes(t) {
                return true;
            }
            todo.extend(self.children(t));
        }
        false
    }

    /// Number of distinct nodes below the terms.
    pub fn dag_size(&self, roots: &[Term]) -> usize {
        let mut seen = FastSet::default();
        let mut todo = roots.to_vec();
        while let Some(t) = todo.pop() {
            if seen.insert(t) {
                todo.extend(self.children(t));
            }
        }
        seen.len()
    }
}

/// All ones in the low `w` bits.
pub fn mask(w: u32) -> u128 {
    if w >= 128 {
        u128::MAX
    } else {
        (1u128 << w) - 1
    }
}

/// The value of a `w`-bit pattern as a signed number.
pub fn to_signed(bits: u128, w: u32) -> i128 {
    let shift = 128 - w;
    ((bits << shift) as i128) >> shift
}

#[cfg(test)]
mod tests;
