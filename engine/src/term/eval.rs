//! The value of a term under an assignment: the ground truth that the simplifier and the solver are tested against.

use super::{BinOp, FastMap, Node, Pool, Sort, Term, UnOp, Var, mask, to_signed};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A concrete array: finitely many exceptions to a default.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ArrayValue {
    pub default: u128,
    pub at: BTreeMap<u128, u128>,
    /// Where another default holds, because so much was copied there: later ones over earlier ones.
    spans: Vec<Span>,
}

/// The indices from `start` on and below `end`.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Span {
    start: u128,
    end: u128,
    default: u128,
}

impl ArrayValue {
    /// A default and its exceptions.
    pub fn new(default: u128, at: BTreeMap<u128, u128>) -> ArrayValue {
        let spans = vec![];
        ArrayValue { default, at, spans }
    }

    pub fn get(&self, index: u128) -> u128 {
        let is_in = |span: &&Span| span.start <= index && index < span.end;
        let default = || {
            let span = self.spans.iter().rev().find(is_in);
            span.map_or(self.default, |span| span.default)
        };
        self.at.get(&index).copied().unwrap_or_else(default)
    }

    /// Is it a default with exceptions, and nothing else?
    pub fn is_plain(&self) -> bool {
        self.spans.is_empty()
    }
}

/// Bools are 0 and 1; bit-vectors have no bits above their width.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    Bits(u128),
    Array(Arc<ArrayValue>),
}

impl Value {
    pub fn bits(&self) -> u128 {
        match self {
            Value::Bits(b) => *b,
            Value::Array(_) => panic!("bits of an array value"),
        }
    }

    pub fn zero(sort: Sort) -> Value {
        match sort {
            Sort::Array { .. } => Value::Array(Arc::default()),
            _ => Value::Bits(0),
        }
    }
}

/// Gives variables their values; what it does not know is zero (model completion).
pub trait Env {
    fn value(&self, v: Var) -> Option<&Value>;
}

impl Env for FastMap<Var, Value> {
    fn value(&self, v: Var) -> Option<&Value> {
        self.get(&v)
    }
}

impl Env for Vec<Value> {
    fn value(&self, v: Var) -> Option<&Value> {
        self.get(v.0 as usize)
    }
}

impl Pool {
    pub fn eval(&self, t: Term, env: &dyn Env) -> Value {
        let mut memo = FastMap::default();
        self.eval_memo(t, env, &mut memo)
    }

    pub fn eval_bits(&self, t: Term, env: &dyn Env) -> u128 {
        self.eval(t, env).bits()
    }

    pub fn eval_bool(&self, t: Term, env: &dyn Env) -> bool {
        self.eval(t, env).bits() != 0
    }

    /// As `eval`, sharing work between several terms under the same assignment.
    pub fn eval_memo(&self, t: Term, env: &dyn Env, memo: &mut FastMap<Term, Value>) -> Value {
        match self.node(t) {
            Node::Const(c) => return Value::Bits(*c),
            Node::Var(v) => {
                return env
                    .value(*v)
                    .cloned()
                    .unwrap_or_else(|| Value::zero(self.var_info(*v).sort));
            }
            _ => {}
        }
        if let Some(v) = memo.get(&t) {
            return v.clone();
        }
        // Deep terms (unrolled loops) would overflow the stack: children first, from an explicit one.
        let mut todo = vec![(t, false)];
        while let Some((u, ready)) = todo.pop() {
            if memo.contains_key(&u) {
                continue;
            }
            if ready {
                let v = self.eval_node(u, env, memo);
                memo.insert(u, v);
                continue;
            }
            todo.push((u, true));
            match self.node(u) {
                Node::Lambda { .. } => {}
                // Only the branch that is taken: the other may be huge.
                Node::Ite(c, a, b) => match memo.get(c) {
                    Some(v) => todo.push((if v.bits() != 0 { *a } else { *b }, false)),
                    None => {
                        todo.push((u, false));
                        todo.push((*c, false));
                    }
                },
                _ => todo.extend(self.children(u).into_iter().map(|c| (c, false))),
            }
        }
        memo[&t].clone()
    }

    /// The table of a lambda that maps the elements of other arrays one by one: it has exceptions only where they have.
    fn tabulate(&self, bound: super::Var, body: Term, env: &dyn Env) -> Value {
        let mut keys = std::collections::BTreeSet::new();
        let mut seen = std::collections::BTreeSet::new();
        let mut todo = vec![body];
        while let Some(t) = todo.pop() {
            if !seen.insert(t) {
                continue;
            }
            match self.node(t) {
                Node::Var(v) if *v == bound => panic!("value of a lambda that is no map of arrays"),
                Node::Select(a, i) if matches!(self.node(*a), Node::Var(_)) => {
                    let Some(offset) = self.offset_from(*i, bound) else {
                        todo.push(*i);
                        continue;
                    };
                    let all = mask(width_of(self.sort(*i)));
                    let at = |k: &u128| k.wrapping_sub(offset) & all;
                    let array = self.eval(*a, env);
                    let array = array_of(&array);
                    assert!(array.is_plain(), "value of a lambda over a wide copy");
                    keys.extend(array.at.keys().map(at));
                }
                _ => todo.extend(self.children(t)),
            }
        }
        let at_key = |key: u128| {
            let inner = Bound {
                var: bound,
                value: Value::Bits(key),
                rest: env,
            };
            self.eval_bits(body, &inner)
        };
        let other = (0..).find(|k| !keys.contains(k)).unwrap_or_default();
        let at = keys.into_iter().map(|k| (k, at_key(k))).collect();
        Value::Array(Arc::new(ArrayValue::new(at_key(other), at)))
    }

    /// The constant that is added to this variable here.
    fn offset_from(&self, index: Term, bound: super::Var) -> Option<u128> {
        let is_bound = |t: &Term| matches!(self.node(*t), Node::Var(v) if *v == bound);
        match self.node(index) {
            Node::Var(v) if *v == bound => Some(0),
            Node::Binary(BinOp::Add, a, b) => match (self.node(*a), self.node(*b)) {
                (_, Node::Const(k)) if is_bound(a) => Some(*k),
                (Node::Const(k), _) if is_bound(b) => Some(*k),
                _ => None,
            },
            _ => None,
        }
    }

    fn eval_node(&self, t: Term, env: &dyn Env, memo: &FastMap<Term, Value>) -> Value {
        let get = |x: &Term| memo[x].bits();
        let sort = self.sort(t);
        Value::Bits(match self.node(t) {
            Node::Const(c) => *c,
            Node::Var(v) => {
                return env
                    .value(*v)
                    .cloned()
                    .unwrap_or_else(|| Value::zero(self.var_info(*v).sort));
            }
            Node::Unary(op, a) => apply_unary(*op, get(a), width_of(sort)),
            Node::Binary(op, a, b) => apply_binary(
                *op,
                get(a),
                get(b),
                width_of(self.sort(*a)),
                width_of(self.sort(*b)),
            ),
            Node::Ite(c, a, b) => return memo[if get(c) != 0 { a } else { b }].clone(),
            Node::Extract { arg, lo } => (get(arg) >> lo) & mask(width_of(sort)),
            Node::Zext(a) => get(a),
            Node::Sext(a) => {
                (to_signed(get(a), width_of(self.sort(*a))) as u128) & mask(width_of(sort))
            }
            Node::Float(op, args) => {
                let bits: Vec<u128> = args.iter().map(get).collect();
                super::float::apply(*op, &bits, width_of(self.sort(args[0])), width_of(sort))
            }
            Node::Select(a, i) => array_of(&memo[a]).get(get(i)),
            Node::Store(a, i, v) => {
                let mut array = ArrayValue::clone(array_of(&memo[a]));
                array.at.insert(get(i), get(v));
                return Value::Array(Arc::new(array));
            }
            Node::ConstArray(v) => {
                return Value::Array(Arc::new(ArrayValue {
                    default: get(v),
                    ..ArrayValue::default()
                }));
            }
            Node::Blit {
                dst,
                src,
                dst_at,
                src_at,
                len,
            } => {
                let src = array_of(&memo[src]).clone();
                let mut out = ArrayValue::clone(array_of(&memo[dst]));
                let (to, from, n) = (get(dst_at), get(src_at), get(len));
                blit_value(&mut out, to, &src, from, n);
                return Value::Array(Arc::new(out));
            }
            Node::Lambda { bound, body } => return self.tabulate(*bound, *body, env),
        })
    }
}

/// Copies `n` elements; wide copies walk only the exceptions of either side.
pub fn blit_value(dst: &mut ArrayValue, to: u128, src: &ArrayValue, from: u128, n: u128) {
    if n <= 4096 {
        for k in 0..n {
            dst.at.insert(to + k, src.get(from + k));
        }
        return;
    }
    let (end, last) = (to.saturating_add(n), from.saturating_add(n));
    let doomed: Vec<u128> = dst.at.range(to..end).map(|(k, _)| *k).collect();
    for k in doomed {
        dst.at.remove(&k);
    }
    let moved = src.at.range(from..last);
    let moved: Vec<(u128, u128)> = moved.map(|(k, v)| (*k - from + to, *v)).collect();
    dst.at.extend(moved);
    if src.default == dst.default && src.is_plain() && dst.is_plain() {
        return;
    }
    dst.spans.push(Span {
        start: to,
        end,
        default: src.default,
    });
    for span in &src.spans {
        let (start, end) = (span.start.max(from), span.end.min(last));
        if start < end {
            dst.spans.push(Span {
                start: start - from + to,
                end: end - from + to,
                default: span.default,
            });
        }
    }
}

fn array_of(v: &Value) -> &Arc<ArrayValue> {
    match v {
        Value::Array(a) => a,
        Value::Bits(_) => panic!("array expected"),
    }
}

fn width_of(sort: Sort) -> u32 {
    match sort {
        Sort::Bv(w) => w,
        _ => 1,
    }
}

pub(super) fn apply_unary(op: UnOp, a: u128, w: u32) -> u128 {
    match op {
        UnOp::Not => a ^ 1,
        UnOp::BvNot => !a & mask(w),
        UnOp::Neg => a.wrapping_neg() & mask(w),
    }
}

pub fn apply_binary(op: BinOp, a: u128, b: u128, w: u32, wb: u32) -> u128 {
    let m = mask(w);
    let (sa, sb) = (to_signed(a, w), to_signed(b, w));
    match op {
        BinOp::And | BinOp::BvAnd => a & b,
        BinOp::Or | BinOp::BvOr => a | b,
        BinOp::BvXor => a ^ b,
        BinOp::Eq => u128::from(a == b),
        BinOp::Add => a.wrapping_add(b) & m,
        BinOp::Sub => a.wrapping_sub(b) & m,
        BinOp::Mul => a.wrapping_mul(b) & m,
        BinOp::Udiv => a.checked_div(b).unwrap_or(m),
        BinOp::Urem => a.checked_rem(b).unwrap_or(a),
        BinOp::Sdiv => match b {
            0 if sa < 0 => 1,
            0 => m,
            _ => (sa.wrapping_div(sb) as u128) & m,
        },
        BinOp::Srem => match b {
            0 => a,
            _ => (sa.wrapping_rem(sb) as u128) & m,
        },
        BinOp::Shl if b >= u128::from(w) => 0,
        BinOp::Shl => (a << b) & m,
        BinOp::Lshr if b >= u128::from(w) => 0,
        BinOp::Lshr => a >> b,
        BinOp::Ashr => ((sa >> b.min(127).min(u128::from(w))) as u128) & m,
        BinOp::Ult => u128::from(a < b),
        BinOp::Ule => u128::from(a <= b),
        BinOp::Slt => u128::from(sa < sb),
        BinOp::Sle => u128::from(sa <= sb),
        BinOp::UmulOverflows => u128::from(a.checked_mul(b).is_none_or(|p| p > m)),
        BinOp::SmulOverflows => {
            let fits = |p: i128| to_signed((p as u128) & m, w) == p;
            u128::from(!sa.checked_mul(sb).is_some_and(fits))
        }
        BinOp::Concat => (a << wb) | b,
    }
}

/// An assignment with one more variable.
struct Bound<'a> {
    var: super::Var,
    value: Value,
    rest: &'a dyn Env,
}

impl Env for Bound<'_> {
    fn value(&self, v: super::Var) -> Option<&Value> {
        if v == self.var {
            return Some(&self.value);
        }
        self.rest.value(v)
    }
}
