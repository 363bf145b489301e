//! Values of constants that MIR prints with their bodies: `A = 1 << 3`, `B = i8::MIN`, `C = A as isize + 1`.
//!
//! Straight code over numbers of up to 64 bits is run here, in wrapping arithmetic; the compiler has checked that nothing
//! overflows. What does anything else (calls, references) has no value here.

use optverify_engine::mir::{
    BinOp, Body, CastKind, Const, Elem, IntTy, Operand, Place, Rvalue, StatementKind,
    TerminatorKind, TyKind, UnOp, parse_bodies,
};
use std::collections::HashMap;

/// Longer runs give no value.
const MOST_BLOCKS: usize = 1000;
/// Constants may be made of others, so deep.
const MOST_DEPTH: usize = 20;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Value {
    Number(i128, IntTy),
    Bool(bool),
    Char(char),
    /// Of `AddWithOverflow` and its like.
    Checked(i128, IntTy),
}

/// A number cut to the width of its type, negative where its sign says so.
fn wrapped(value: i128, ty: IntTy) -> Option<i128> {
    if ty.bits() > 64 {
        return None;
    }
    let bits = value as u128 & ty.mask();
    let negative = ty.signed() && bits > ty.max_bits();
    Some(bits as i128 - if negative { ty.mask() as i128 + 1 } else { 0 })
}

/// The constants of a crate by their paths.
pub struct Constants(HashMap<String, Body>);

impl Constants {
    /// `mir`: the crate's `--emit=mir`.
    pub fn new(mir: &str) -> Constants {
        let mut bodies: HashMap<String, Option<Body>> = HashMap::new();
        for body in parse_bodies(&constants_of(mir))
            .bodies
            .into_iter()
            .flatten()
        {
            // of two that share their path nobody knows which is meant
            let known = bodies.entry(body.path.to_string());
            known
                .and_modify(|known| *known = None)
                .or_insert(Some(body));
        }
        let alone = bodies.into_iter().filter_map(|(path, b)| Some((path, b?)));
        Constants(alone.collect())
    }

    /// The value of the constant of this path, if it is a number.
    pub fn number(&self, path: &str) -> Option<i128> {
        match self.value(path, 0)? {
            Value::Number(value, _) => Some(value),
            _ => None,
        }
    }

    fn value(&self, path: &str, depth: usize) -> Option<Value> {
        let body = self.0.get(path).filter(|_| depth < MOST_DEPTH)?;
        if let Some(value) = &body.value {
            return self.constant(value, depth);
        }
        let mut locals: HashMap<u32, Value> = HashMap::new();
        let mut at = body.blocks.first()?;
        for _ in 0..MOST_BLOCKS {
            for statement in &at.statements {
                match &statement.kind {
                    StatementKind::StorageLive(_)
                    | StatementKind::StorageDead(_)
                    | StatementKind::Nop => {}
                    StatementKind::Assign(place, rvalue) if place.projection.is_empty() => {
                        let value = self.rvalue(rvalue, &locals, depth)?;
                        locals.insert(place.local.0, value);
                    }
                    _ => return None,
                }
            }
            at = match &at.terminator.kind {
                TerminatorKind::Return => return locals.get(&0).copied(),
                TerminatorKind::Goto(next) => body.block(*next)?,
                TerminatorKind::Assert {
                    cond,
                    expected,
                    target,
                    ..
                } => match self.operand(cond, &locals, depth)? {
                    Value::Bool(holds) if holds == *expected => body.block(*target)?,
                    _ => return None,
                },
                _ => return None,
            };
        }
        None
    }

    fn operand(
        &self,
        operand: &Operand,
        locals: &HashMap<u32, Value>,
        depth: usize,
    ) -> Option<Value> {
        match operand {
            Operand::Copy(place) | Operand::Move(place) => of_place(place, locals),
            Operand::Const(c) => self.constant(c, depth),
            Operand::RuntimeChecks(_) => None,
        }
    }

    fn constant(&self, c: &Const, depth: usize) -> Option<Value> {
        match c {
            Const::Int { bits, ty } => Some(Value::Number(wrapped(*bits as i128, *ty)?, *ty)),
            Const::Bool(b) => Some(Value::Bool(*b)),
            Const::Char(c) => Some(Value::Char(*c)),
            Const::Named(path) => {
                let text = path.to_string();
                let limit = || limit_of_type(&text).map(|(value, ty)| Value::Number(value, ty));
                self.value(&text, depth + 1).or_else(limit)
            }
            _ => None,
        }
    }

    fn rvalue(&self, rvalue: &Rvalue, locals: &HashMap<u32, Value>, depth: usize) -> Option<Value> {
        let of = |operand: &Operand| self.operand(operand, locals, depth);
        match rvalue {
            Rvalue::Use { operand, .. } => of(operand),
            Rvalue::Unary(op, x) => match (op, of(x)?) {
                (UnOp::Not, Value::Bool(b)) => Some(Value::Bool(!b)),
                (UnOp::Not, Value::Number(x, ty)) => Some(Value::Number(wrapped(!x, ty)?, ty)),
                (UnOp::Neg, Value::Number(x, ty)) => {
                    Some(Value::Number(wrapped(x.wrapping_neg(), ty)?, ty))
                }
                _ => None,
            },
            Rvalue::Cast {
                operand,
                ty,
                kind: CastKind::IntToInt,
            } => {
                let TyKind::Int(to) = ty.kind() else {
                    return None;
                };
                let value = match of(operand)? {
                    Value::Number(value, _) => value,
                    Value::Bool(b) => i128::from(b),
                    Value::Char(c) => i128::from(u32::from(c)),
                    Value::Checked(..) => return None,
                };
                Some(Value::Number(wrapped(value, *to)?, *to))
            }
            Rvalue::Binary(op, x, y) => binary(*op, of(x)?, of(y)?),
            _ => None,
        }
    }
}

/// A local, or a part of a checked result: none overflows.
fn of_place(place: &Place, locals: &HashMap<u32, Value>) -> Option<Value> {
    let value = *locals.get(&place.local.0)?;
    match (place.projection.as_slice(), value) {
        ([], value) => Some(value),
        ([Elem::Field(0, _)], Value::Checked(value, ty)) => Some(Value::Number(value, ty)),
        ([Elem::Field(1, _)], Value::Checked(..)) => Some(Value::Bool(false)),
        _ => None,
    }
}

fn binary(op: BinOp, x: Value, y: Value) -> Option<Value> {
    let (Value::Number(x, ty), Value::Number(y, _)) = (x, y) else {
        return None;
    };
    let number = |value: i128| Some(Value::Number(wrapped(value, ty)?, ty));
    // what overflows is an error of the compiler's, and has no value
    let checked = |value: i128| (wrapped(value, ty)? == value).then_some(Value::Checked(value, ty));
    let amount = || u32::try_from(y).ok().filter(|n| *n < ty.bits());
    match op {
        BinOp::Add => number(x + y),
        BinOp::Sub => number(x - y),
        BinOp::Mul => number(x.wrapping_mul(y)),
        BinOp::AddWithOverflow => checked(x + y),
        BinOp::SubWithOverflow => checked(x - y),
        BinOp::MulWithOverflow => checked(x.checked_mul(y)?),
        BinOp::Div => number(x.checked_div(y)?),
        BinOp::Rem => number(x.checked_rem(y)?),
        BinOp::BitXor => number(x ^ y),
        BinOp::BitAnd => number(x & y),
        BinOp::BitOr => number(x | y),
        BinOp::Shl => number(x << amount()?),
        BinOp::Shr => number(x >> amount()?),
        BinOp::Eq => Some(Value::Bool(x == y)),
        BinOp::Ne => Some(Value::Bool(x != y)),
        BinOp::Lt => Some(Value::Bool(x < y)),
        BinOp::Le => Some(Value::Bool(x <= y)),
        BinOp::Gt => Some(Value::Bool(x > y)),
        BinOp::Ge => Some(Value::Bool(x >= y)),
        _ => None,
    }
}

/// `core::num::<impl i8>::MIN`, and `i8::MIN` where rustc prints a value by its name.
fn limit_of_type(text: &str) -> Option<(i128, IntTy)> {
    let (of, limit) = text.rsplit_once("::")?;
    let of = match of.strip_prefix("core::num::<impl ") {
        Some(of) => of.strip_suffix('>')?,
        None => of,
    };
    let ty = IntTy::from_name(of)?;
    let bits = match limit {
        "MAX" => ty.max_bits(),
        "MIN" => ty.min_bits(),
        _ => return None,
    };
    Some((wrapped(bits as i128, ty)?, ty))
}

/// The constants in the text of a crate's MIR, without its functions: these are most of it.
fn constants_of(mir: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for line in mir.lines() {
        if !line.starts_with([' ', '}', '/']) && !line.is_empty() {
            inside = line.starts_with("const ") || line.contains("::{constant#");
        }
        if inside && !line.starts_with("//") {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_over_numbers() {
        let mir = "\
E::Z::{constant#0}: i8 = {
    let mut _0: i8;
    let mut _1: i8;
    let mut _2: u32;
    let mut _3: bool;

    bb0: {
        StorageLive(_1);
        _2 = const 3_i32 as u32 (IntToInt);
        _3 = Lt(move _2, const 8_u32);
        assert(move _3, \"attempt to shift left by `{}`, which would overflow\", const 3_i32) -> [success: bb1, unwind continue];
    }

    bb1: {
        _1 = Shl(const 1_i8, const 3_i32);
        _0 = BitOr(move _1, const 1_i8);
        StorageDead(_1);
        return;
    }
}

fn f() -> () {
    let mut _0: ();

    bb0: {
        return;
    }
}

E::Y::{constant#0}: i8 = {
    let mut _0: i8;
    let mut _1: (i8, bool);

    bb0: {
        _1 = AddWithOverflow(const E::Z::{constant#0}, const core::num::<impl i8>::MIN);
        assert(!move (_1.1: bool), \"attempt to compute `{} + {}`, which would overflow\", const 0_i8, const 1_i8) -> [success: bb1, unwind continue];
    }

    bb1: {
        _0 = move (_1.0: i8);
        return;
    }
}

const E::X::{constant#0}: i8 = const i8::MAX;

E::W::{constant#0}: i8 = {
    let mut _0: i8;

    bb0: {
        _0 = g() -> [return: bb1, unwind continue];
    }

    bb1: {
        return;
    }
}
";
        let constants = Constants::new(mir);
        assert_eq!(constants.number("E::Z::{constant#0}"), Some(9));
        assert_eq!(constants.number("E::Y::{constant#0}"), Some(-119));
        assert_eq!(constants.number("E::X::{constant#0}"), Some(127));
        assert_eq!(constants.number("E::W::{constant#0}"), None);
        assert_eq!(constants.number("E::V::{constant#0}"), None);
    }

    /// Against the compiler's own arithmetic, for every pair of bytes.
    #[test]
    fn arithmetic_is_that_of_machine_integers() {
        let of = |x: i128, ty: IntTy| Value::Number(x, ty);
        for x in i8::MIN..=i8::MAX {
            for y in i8::MIN..=i8::MAX {
                let (a, b) = (of(x.into(), IntTy::I8), of(y.into(), IntTy::I8));
                let is = |op, z: i8| assert_eq!(binary(op, a, b), Some(of(z.into(), IntTy::I8)));
                is(BinOp::Add, x.wrapping_add(y));
                is(BinOp::Mul, x.wrapping_mul(y));
                is(BinOp::BitXor, x ^ y);
                let sum = binary(BinOp::AddWithOverflow, a, b).is_some();
                assert_eq!(sum, x.checked_add(y).is_some());
                let (a, b) = (
                    of((x as u8).into(), IntTy::U8),
                    of((y & 7).into(), IntTy::I8),
                );
                let left = (x as u8) << (y & 7);
                assert_eq!(binary(BinOp::Shl, a, b), Some(of(left.into(), IntTy::U8)));
            }
        }
    }
}
