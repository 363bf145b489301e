//! IEEE floats held as bits: construction, and evaluation by the machine's own arithmetic.

use super::{FloatOp, Node, Pool, Sort, Term, mask, to_signed};

impl Pool {
    /// A float operation; `width` is the width of the result (comparisons give Bool and ignore it).
    pub fn float(&mut self, op: FloatOp, args: &[Term], width: u32) -> Term {
        let sort = match op {
            FloatOp::Eq | FloatOp::Lt | FloatOp::Le | FloatOp::IsNan => Sort::Bool,
            _ => Sort::Bv(width),
        };
        let consts: Option<Vec<u128>> = args.iter().map(|&a| self.as_const(a)).collect();
        if let Some(bits) = consts {
            let arg_width = self.width(args[0]);
            let out = apply(op, &bits, arg_width, width);
            if !is_open(op, &bits, arg_width, out, width) {
                return self.constant(out, sort);
            }
        }
        self.intern(Node::Float(op, args.to_vec()), sort)
    }
}

/// Does Rust leave open which bits this result has? Those of a NaN that arithmetic makes, and the sign of a zero that is
/// chosen from two. The machine gives `0.0 / 0.0` another sign than LLVM does when it folds it.
pub fn is_open(op: FloatOp, args: &[u128], arg_width: u32, out: u128, width: u32) -> bool {
    use FloatOp::{Eq, FromSigned, FromUnsigned, IsNan, Le, Lt, Max, Min, Neg};
    use FloatOp::{ToSigned, ToUnsigned};
    match op {
        Eq | Lt | Le | IsNan | Neg | FromSigned | FromUnsigned | ToSigned | ToUnsigned => false,
        Min | Max => {
            let zero = |t: &u128| t & (mask(arg_width) >> 1) == 0;
            is_nan(out, width) || (args.iter().all(zero) && args[0] != args[1])
        }
        _ => is_nan(out, width),
    }
}

fn is_nan(bits: u128, width: u32) -> bool {
    match width {
        32 => f32::from_bits(bits as u32).is_nan(),
        64 => f64::from_bits(bits as u64).is_nan(),
        _ => false,
    }
}

pub fn apply(op: FloatOp, args: &[u128], arg_width: u32, width: u32) -> u128 {
    match op {
        FloatOp::FromSigned => from_f64_or_f32(
            width,
            to_signed(args[0], arg_width) as f64,
            to_signed(args[0], arg_width) as f32,
        ),
        FloatOp::FromUnsigned => from_f64_or_f32(width, args[0] as f64, args[0] as f32),
        FloatOp::ToSigned => {
            let max = (mask(width) >> 1) as i128;
            let v = match arg_width {
                32 => f32::from_bits(args[0] as u32) as i128,
                _ => f64::from_bits(args[0] as u64) as i128,
            };
            (v.clamp(-max - 1, max) as u128) & mask(width)
        }
        FloatOp::ToUnsigned => {
            let v = match arg_width {
                32 => f32::from_bits(args[0] as u32) as u128,
                _ => f64::from_bits(args[0] as u64) as u128,
            };
            v.min(mask(width))
        }
        FloatOp::Convert => match (arg_width, width) {
            (32, 64) => u128::from(f64::from(f32::from_bits(args[0] as u32)).to_bits()),
            (64, 32) => u128::from((f64::from_bits(args[0] as u64) as f32).to_bits()),
            _ => args[0],
        },
        _ if arg_width == 32 => {
            let x = f32::from_bits(args[0] as u32);
            let y = f32::from_bits(args.get(1).copied().unwrap_or(0) as u32);
            arith(op, f64::from(x), f64::from(y), x.is_nan())
                .unwrap_or_else(|| u128::from(arith32(op, x, y).to_bits()))
        }
        _ => {
            let x = f64::from_bits(args[0] as u64);
            let y = f64::from_bits(args.get(1).copied().unwrap_or(0) as u64);
            arith(op, x, y, x.is_nan()).unwrap_or_else(|| u128::from(arith64(op, x, y).to_bits()))
        }
    }
}

fn from_f64_or_f32(width: u32, wide: f64, narrow: f32) -> u128 {
    if width == 32 {
        u128::from(narrow.to_bits())
    } else {
        u128::from(wide.to_bits())
    }
}

/// Comparisons; exact also for widened f32.
fn arith(op: FloatOp, x: f64, y: f64, nan: bool) -> Option<u128> {
    Some(u128::from(match op {
        FloatOp::Eq => x == y,
        FloatOp::Lt => x < y,
        FloatOp::Le => x <= y,
        FloatOp::IsNan => nan,
        _ => return None,
    }))
}

/// One operation of the machine, at a width.
macro_rules! arithmetic {
    ($name:ident, $float:ty) => {
        fn $name(op: FloatOp, x: $float, y: $float) -> $float {
            match op {
                FloatOp::Add => x + y,
                FloatOp::Sub => x - y,
                FloatOp::Mul => x * y,
                FloatOp::Div => x / y,
                FloatOp::Rem => x % y,
                FloatOp::Sqrt => x.sqrt(),
                FloatOp::Floor => x.floor(),
                FloatOp::Ceil => x.ceil(),
                FloatOp::Trunc => x.trunc(),
                FloatOp::Round => x.round(),
                FloatOp::RoundEven => x.round_ties_even(),
                FloatOp::Min => x.min(y),
                FloatOp::Max => x.max(y),
                _ => -x,
            }
        }
    };
}

arithmetic!(arith32, f32);
arithmetic!(arith64, f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rust_leaves_open_is_not_folded() {
        let mut pool = Pool::new();
        let zero = pool.bv(0, 32);
        let negative = pool.bv(1 << 31, 32);
        let one = pool.bv(u128::from(1f32.to_bits()), 32);
        let mut is_constant = |op, args: &[Term]| {
            let t = pool.float(op, args, 32);
            pool.as_const(t).is_some()
        };
        assert!(is_constant(FloatOp::Div, &[one, one]));
        assert!(!is_constant(FloatOp::Div, &[zero, zero]));
        assert!(is_constant(FloatOp::Min, &[zero, one]));
        assert!(!is_constant(FloatOp::Min, &[zero, negative]));
        assert!(is_constant(FloatOp::Neg, &[zero]));
    }
}
