//! Are the sorts of a term right? Terms that the constructors build are; terms read from a file may be anything.

use super::{BinOp, FloatOp, Node, Sort, Term, UnOp, Var, mask};

impl Sort {
    /// Within the widths that there are.
    pub fn exists(self) -> bool {
        match self {
            Sort::Bool => true,
            Sort::Bv(w) => (1..=128).contains(&w),
            Sort::Array { index, elem } => (1..=128).contains(&index) && elem <= 128,
        }
    }
}

/// Has the node this sort, given those of its children and of variables?
pub(super) fn is_sorted(
    node: &Node,
    sort: Sort,
    of: impl Fn(&Term) -> Sort,
    var: impl Fn(&Var) -> Sort,
) -> bool {
    let is_bv = |s: Sort| matches!(s, Sort::Bv(_));
    let index_of = |s: Sort| match s {
        Sort::Array { index, .. } => Some(Sort::Bv(index)),
        _ => None,
    };
    sort.exists()
        && match node {
            Node::Const(c) => match sort {
                Sort::Bool => *c <= 1,
                Sort::Bv(w) => *c <= mask(w),
                Sort::Array { .. } => false,
            },
            Node::Var(v) => var(v) == sort,
            Node::Unary(UnOp::Not, a) => sort == Sort::Bool && of(a) == sort,
            Node::Unary(_, a) => is_bv(sort) && of(a) == sort,
            Node::Binary(op, a, b) => is_binary(*op, of(a), of(b), sort),
            Node::Ite(c, a, b) => of(c) == Sort::Bool && of(a) == sort && of(b) == sort,
            Node::Extract { arg, lo } => match (of(arg), sort) {
                (Sort::Bv(from), Sort::Bv(w)) => lo.checked_add(w).is_some_and(|end| end <= from),
                _ => false,
            },
            Node::Zext(a) | Node::Sext(a) => match (of(a), sort) {
                (Sort::Bv(from), Sort::Bv(to)) => from <= to,
                _ => false,
            },
            Node::Float(op, args) => {
                let args: Vec<Sort> = args.iter().map(of).collect();
                is_float(*op, &args, sort)
            }
            Node::Select(a, i) => {
                index_of(of(a)).is_some_and(|index| index == of(i)) && of(a).element() == sort
            }
            Node::Store(a, i, v) => {
                of(a) == sort
                    && index_of(sort).is_some_and(|index| index == of(i))
                    && of(v) == sort.element()
            }
            Node::ConstArray(v) => sort.is_array() && of(v) == sort.element(),
            Node::Blit {
                dst,
                src,
                dst_at,
                src_at,
                len,
            } => {
                let (to, from) = (index_of(of(dst)), index_of(of(src)));
                of(dst) == sort
                    && to == Some(of(dst_at))
                    && to == Some(of(len))
                    && from == Some(of(src_at))
                    && of(src).element() == sort.element()
            }
            Node::Lambda { bound, body } => {
                index_of(sort) == Some(var(bound)) && of(body) == sort.element()
            }
        }
}

fn is_binary(op: BinOp, a: Sort, b: Sort, sort: Sort) -> bool {
    let same_bits = a == b && matches!(a, Sort::Bv(_));
    match op {
        BinOp::And | BinOp::Or => a == Sort::Bool && b == a && sort == a,
        BinOp::Eq => a == b && !a.is_array() && sort == Sort::Bool,
        BinOp::Ult | BinOp::Ule | BinOp::Slt | BinOp::Sle => same_bits && sort == Sort::Bool,
        BinOp::UmulOverflows | BinOp::SmulOverflows => same_bits && sort == Sort::Bool,
        BinOp::Concat => match (a, b, sort) {
            (Sort::Bv(high), Sort::Bv(low), Sort::Bv(w)) => high.checked_add(low) == Some(w),
            _ => false,
        },
        BinOp::Add
        | BinOp::Sub
        | BinOp::Mul
        | BinOp::Udiv
        | BinOp::Urem
        | BinOp::Sdiv
        | BinOp::Srem
        | BinOp::BvAnd
        | BinOp::BvOr
        | BinOp::BvXor
        | BinOp::Shl
        | BinOp::Lshr
        | BinOp::Ashr => same_bits && sort == a,
    }
}

fn is_float(op: FloatOp, args: &[Sort], sort: Sort) -> bool {
    let float = |s: Sort| matches!(s, Sort::Bv(16 | 32 | 64));
    let bits = |s: Sort| matches!(s, Sort::Bv(_));
    match (op, args) {
        (FloatOp::Add | FloatOp::Sub | FloatOp::Mul | FloatOp::Div, [a, b])
        | (FloatOp::Rem | FloatOp::Min | FloatOp::Max, [a, b]) => {
            a == b && *a == sort && float(sort)
        }
        (FloatOp::Neg | FloatOp::Sqrt | FloatOp::Floor | FloatOp::Ceil, [a])
        | (FloatOp::Trunc | FloatOp::Round | FloatOp::RoundEven, [a]) => *a == sort && float(sort),
        (FloatOp::Eq | FloatOp::Lt | FloatOp::Le, [a, b]) => {
            a == b && float(*a) && sort == Sort::Bool
        }
        (FloatOp::IsNan, [a]) => float(*a) && sort == Sort::Bool,
        (FloatOp::FromSigned | FloatOp::FromUnsigned, [a]) => bits(*a) && float(sort),
        (FloatOp::ToSigned | FloatOp::ToUnsigned, [a]) => float(*a) && bits(sort),
        (FloatOp::Convert, [a]) => float(*a) && float(sort),
        _ => false,
    }
}
