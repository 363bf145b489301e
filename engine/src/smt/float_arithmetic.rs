//! Arithmetic on floats, exact, in a solver that knows bit-vectors only.
//!
//! Each operation is a formula over bits that Z3's own reduction of the theory of floats makes (`fpa2bv`), once for each
//! thread; it says of a constant `r` that it is the operation's result. `r` and the result are equal as numbers of that
//! theory, which has one NaN: the bits of a NaN are left open, as in Rust. A formula of some thousand gates is asked for
//! only where it matters: at first `r` is arbitrary, and once a model has another value there than the machine computes,
//! the formula is added. `Unsat` is final at any time.

use super::floats::{is_nan, less, mantissa};
use super::translate::{Ast, Translator};
use crate::term::{FloatOp, Pool, Term, apply_float, mask};
use std::cell::RefCell;
use std::collections::HashMap;
use z3::ast::{Ast as _, BV, Bool};
use z3::{Goal, Probe, Tactic};

/// The result of one operation.
pub(super) struct FloatResult {
    op: FloatOp,
    args: Vec<BV>,
    pub result: BV,
    /// Is the formula that defines the result asserted?
    defined: bool,
}

type Shape = (FloatOp, u32, u32);

thread_local! {
    /// By operation, width of the operands and of the result: a formula over `x`, `y` and `r`.
    static FORMULAS: RefCell<HashMap<Shape, Option<Bool>>> = RefCell::new(HashMap::new());
}

impl Translator {
    /// A constant for the result; nothing if the operation has no formula.
    pub(super) fn float_arithmetic(
        &mut self,
        pool: &Pool,
        op: FloatOp,
        args: &[Term],
        width: u32,
    ) -> Option<Ast> {
        if !matches!(op, FloatOp::Min | FloatOp::Max) {
            text(op, pool.width(args[0]), width)?;
        }
        let result = BV::new_const(self.fresh_name(), width);
        self.float_results.push(FloatResult {
            op,
            args: args.iter().map(|a| self.bv(*a).clone()).collect(),
            result: result.clone(),
            defined: false,
        });
        Some(Ast::Bv(result))
    }

    /// Defines the results that a model has wrong; `value` is of a bit-vector in that model. Was there one?
    pub(super) fn refine_floats(&mut self, value: impl Fn(&BV) -> u128) -> bool {
        let mut refined = false;
        for f in &mut self.float_results {
            let width = f.result.get_size();
            let args: Vec<u128> = f.args.iter().map(&value).collect();
            let right = apply_float(f.op, &args, f.args[0].get_size(), width);
            let found = value(&f.result);
            if f.defined || right == found || (nan(right, width) && nan(found, width)) {
                continue;
            }
            match definition(f) {
                Some(formula) => self.definitions.push(formula),
                // Asked for again and again it would never end.
                None => self.approximate = true,
            }
            f.defined = true;
            refined = true;
        }
        refined
    }
}

fn nan(bits: u128, w: u32) -> bool {
    bits & mask(w - 1) > mask(w - 1) & !mask(mantissa(w))
}

fn definition(f: &FloatResult) -> Option<Bool> {
    let width = f.result.get_size();
    if let (FloatOp::Min | FloatOp::Max, [x, y]) = (f.op, f.args.as_slice()) {
        return Some(chosen(f.op, x, y, &f.result));
    }
    let from = f.args[0].get_size();
    let formula = formula((f.op, from, width))?;
    let x = BV::new_const("x", from);
    let y = BV::new_const("y", from);
    let r = BV::new_const("r", width);
    let mut replaced = vec![(&x, &f.args[0]), (&r, &f.result)];
    replaced.extend(f.args.get(1).map(|second| (&y, second)));
    Some(formula.substitute(&replaced))
}

/// The smaller or the larger of two; the other one of a NaN.
fn chosen(op: FloatOp, x: &BV, y: &BV, r: &BV) -> Bool {
    let w = r.get_size();
    let (x_nan, y_nan) = (is_nan(x, w), is_nan(y, w));
    let (first, second) = match op {
        FloatOp::Min => (less(x, y, w), less(y, x, w)),
        _ => (less(y, x, w), less(x, y, w)),
    };
    let is = |v: &BV| r.eq(v);
    let either = Bool::or(&[is(x), is(y)]);
    let of_numbers = first.ite(&is(x), &second.ite(&is(y), &either));
    x_nan.ite(
        &y_nan.ite(&is_nan(r, w), &is(y)),
        &y_nan.ite(&is(x), &of_numbers),
    )
}

fn formula(shape: Shape) -> Option<Bool> {
    FORMULAS.with(|known| {
        let mut known = known.borrow_mut();
        known.entry(shape).or_insert_with(|| reduced(shape)).clone()
    })
}

/// `(_ to_fp 8 24)`.
fn to_float(w: u32) -> String {
    let m = mantissa(w);
    format!("(_ to_fp {} {})", w - 1 - m, m + 1)
}

/// In SMT-LIB: `r` is the result. Rust's remainder is not that of IEEE, so it has none.
fn text(op: FloatOp, from: u32, width: u32) -> Option<String> {
    let float = |w: u32| matches!(w, 16 | 32 | 64);
    if !float(width) {
        return None;
    }
    let to = to_float(width);
    let two = |name: &str| format!("({name} RNE ({to} x) ({to} y))");
    let rounded = |mode: &str| format!("(fp.roundToIntegral {mode} ({to} x))");
    let value = match op {
        FloatOp::Add => two("fp.add"),
        FloatOp::Sub => two("fp.sub"),
        FloatOp::Mul => two("fp.mul"),
        FloatOp::Div => two("fp.div"),
        FloatOp::Sqrt => format!("(fp.sqrt RNE ({to} x))"),
        FloatOp::Floor => rounded("RTN"),
        FloatOp::Ceil => rounded("RTP"),
        FloatOp::Trunc => rounded("RTZ"),
        FloatOp::Round => rounded("RNA"),
        FloatOp::RoundEven => rounded("RNE"),
        FloatOp::FromSigned => format!("({to} RNE x)"),
        FloatOp::FromUnsigned => format!("({} RNE x)", to.replacen("to_fp", "to_fp_unsigned", 1)),
        FloatOp::Convert if float(from) => format!("({to} RNE ({} x))", to_float(from)),
        _ => return None,
    };
    let declared = |name: &str, w: u32| format!("(declare-const {name} (_ BitVec {w}))");
    let consts = [
        declared("x", from),
        declared("y", from),
        declared("r", width),
    ];
    Some(format!("{}(assert (= ({to} r) {value}))", consts.concat()))
}

/// The same over bits; nothing if anything but bits is left.
fn reduced((op, from, width): Shape) -> Option<Bool> {
    let parsed = z3::Solver::new();
    parsed.from_string(text(op, from, width)?);
    let goal = Goal::new(false, false, false);
    for fact in parsed.get_assertions() {
        goal.assert(&fact);
    }
    let simplify = Tactic::new("simplify");
    let tactic = simplify
        .and_then(&Tactic::new("fpa2bv"))
        .and_then(&simplify);
    let reduced = tactic.apply(&goal, None).ok()?;
    let goals: Vec<Goal> = reduced.list_subgoals().collect();
    let [only] = goals.as_slice() else {
        return None;
    };
    let formulas = only.get_formulas();
    let formula = Bool::and(&formulas.iter().collect::<Vec<_>>());
    // an empty goal holds of every result, which no operation does
    let over_bits = Probe::new("is-qfbv").apply(only) == 1.0;
    (over_bits && !formulas.is_empty()).then_some(formula)
}
