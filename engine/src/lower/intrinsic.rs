//! Intrinsics and the few functions of std that stay calls after unlimited inlining.

use super::instance::last_segment;
use super::shape::Step;
use super::types::{self, erase};
use super::value::Value;
use super::{Lowered, Lowerer, gap};
use crate::mir::{BinOp, GenericArg, Operand, Path, Place};
use crate::term::{self, FloatOp, Sort, Term};

impl Lowerer<'_> {
    /// Models the call if it is known; the destination is written.
    pub fn intrinsic(&mut self, path: &Path, args: &[Operand], to: &Place) -> Lowered<bool> {
        let plain = path.plain();
        let is_std = ["std::", "core::", "alloc::"]
            .iter()
            .any(|p| plain.starts_with(p));
        if !is_std {
            return Ok(false);
        }
        let name = last_segment(&plain).to_string();
        // Constants are not inlined into: there the functions are called by their own names.
        let of_mem = ["mem::size_of", "mem::align_of"];
        let of_mem = types::in_std(&plain).is_some_and(|path| of_mem.contains(&path));
        if of_mem || plain.contains("intrinsics::") || plain.contains("hint::") {
            return self.by_name(&name, path, args, to);
        }
        if plain.ends_with("RangeInclusive::new") {
            let into = self.place_type(to)?;
            let mut parts = vec![];
            for (i, a) in args.iter().enumerate() {
                parts.push((Step::Field(i as u32), self.operand(a)?));
            }
            let not_exhausted = self.pool.bool(false);
            parts.push((Step::Field(2), self.scalar(not_exhausted)));
            let v = self.assemble(&into, None, parts)?;
            let at = self.locate(to)?;
            self.store_located(&at, &v)?;
            return Ok(true);
        }
        Ok(false)
    }

    fn by_name(&mut self, name: &str, path: &Path, args: &[Operand], to: &Place) -> Lowered<bool> {
        let into = self.place_type(to)?;
        let generic = path.last_args().iter().find_map(|a| match a {
            GenericArg::Type(t) => Some(erase(t)),
            _ => None,
        });
        let value = match name {
            "ctpop" | "ctlz" | "ctlz_nonzero" | "cttz" | "cttz_nonzero" | "bswap"
            | "bitreverse" => {
                let ty = self.operand_type(&args[0])?;
                let x = self.operand_bits(&args[0], ty.as_ref())?;
                if name.ends_with("nonzero") {
                    let w = self.pool.width(x);
                    let zero = self.pool.bv(0, w);
                    let is_zero = self.pool.eq(x, zero);
                    let fine = self.pool.not(is_zero);
                    self.check_defined(fine, "count of zeros of zero");
                }
                let t = match name {
                    "ctpop" => self.popcount(x),
                    "ctlz" | "ctlz_nonzero" => self.leading_zeros(x),
                    "cttz" | "cttz_nonzero" => self.trailing_zeros(x),
                    "bswap" => self.permute(x, 8),
                    _ => self.permute(x, 1),
                };
                let w = types::scalar_kind(&into).map(types::bits).unwrap_or(32);
                let t = self.pool.resize(t, w, false);
                self.scalar(t)
            }
            "rotate_left" | "rotate_right" => {
                let ty = self.operand_type(&args[0])?;
                let x = self.operand_bits(&args[0], ty.as_ref())?;
                let n = self.operand_bits(&args[1], None)?;
                let t = self.rotate(x, n, name == "rotate_left");
                self.scalar(t)
            }
            "saturating_add" | "saturating_sub" => {
                let ty = self.operand_type(&args[0])?.or(generic);
                let x = self.operand_bits(&args[0], ty.as_ref())?;
                let y = self.operand_bits(&args[1], ty.as_ref())?;
                let signed = ty.as_ref().is_some_and(types::is_signed);
                let t = self.saturating(x, y, signed, name == "saturating_add");
                self.scalar(t)
            }
            "wrapping_add" | "wrapping_sub" | "wrapping_mul" | "unchecked_add"
            | "unchecked_sub" | "unchecked_mul" | "add_with_overflow" | "sub_with_overflow"
            | "mul_with_overflow" | "unchecked_shl" | "unchecked_shr" | "unchecked_div"
            | "unchecked_rem" | "exact_div" => {
                let op = match name {
                    "wrapping_add" => BinOp::Add,
                    "wrapping_sub" => BinOp::Sub,
                    "wrapping_mul" => BinOp::Mul,
                    "unchecked_add" => BinOp::AddUnchecked,
                    "unchecked_sub" => BinOp::SubUnchecked,
                    "unchecked_mul" => BinOp::MulUnchecked,
                    "add_with_overflow" => BinOp::AddWithOverflow,
                    "sub_with_overflow" => BinOp::SubWithOverflow,
                    "mul_with_overflow" => BinOp::MulWithOverflow,
                    "unchecked_shl" => BinOp::ShlUnchecked,
                    "unchecked_shr" => BinOp::ShrUnchecked,
                    "unchecked_rem" => BinOp::Rem,
                    _ => BinOp::Div,
                };
                if name == "exact_div" {
                    let r = self.binary(BinOp::Rem, &args[0], &args[1], &into)?;
                    let r = self.bits(&r)?;
                    let w = self.pool.width(r);
                    let zero = self.pool.bv(0, w);
                    let exact = self.pool.eq(r, zero);
                    self.check_defined(exact, "exact division with a remainder");
                }
                self.binary(op, &args[0], &args[1], &into)?
            }
            "disjoint_bitor" => self.binary(BinOp::BitOr, &args[0], &args[1], &into)?,
            "three_way_compare" => self.binary(BinOp::Cmp, &args[0], &args[1], &into)?,
            "ptr_offset_from" | "ptr_offset_from_unsigned" => {
                let p = self.operand(&args[0])?;
                let p = self.pointer_of(&p)?;
                let q = self.operand(&args[1])?;
                let q = self.pointer_of(&q)?;
                let (i, j) = self.same_array(&p, &q)?;
                let Some(ty) = self.operand_type(&args[0])? else {
                    return gap("a distance of pointers of unknown type");
                };
                if name.ends_with("unsigned") {
                    let fine = self.pool.ule(j, i);
                    self.check_defined(fine, "offset of pointers in the wrong order");
                }
                let t = self.pool.sub(i, j);
                let t = self.distance(&p, &ty, t)?;
                self.scalar(t)
            }
            "offset" => self.binary(BinOp::Offset, &args[0], &args[1], &into)?,
            // May leave the allocation, as long as nobody looks there.
            "arith_offset" => {
                let v = self.operand(&args[0])?;
                let p = self.pointer_of(&v)?;
                let by = self.operand_bits(&args[1], None)?;
                let moved = self.move_pointer(&p, by, &into, false)?;
                self.pointer(moved)
            }
            "copy" | "copy_nonoverlapping" => {
                let apart = name == "copy_nonoverlapping";
                self.copy_memory(&args[1], &args[0], &args[2], apart)?;
                Value::default()
            }
            "write_bytes" => {
                self.fill_memory(&args[0], &args[1], &args[2])?;
                Value::default()
            }
            "size_of" | "size_of_val" | "align_of" | "align_of_val" => {
                let Some(ty) = generic else {
                    return gap("the size of an unknown type");
                };
                let n = self.measured(name, &ty, args)?;
                self.scalar(n)
            }
            "black_box" | "read_via_copy" | "transmute_unchecked" if name == "black_box" => {
                self.operand_as(&args[0], Some(&into))?
            }
            // Of memory that is no device's, and there is no other here, volatile says nothing about values.
            "read_via_copy" | "volatile_load" | "unaligned_volatile_load" => {
                let ty = self.operand_type(&args[0])?;
                let v = self.operand(&args[0])?;
                let p = self.pointer_of(&v)?;
                let Some(ty) = ty else {
                    return gap("a read through a pointer of unknown type");
                };
                let at = self.deref(&p, &ty)?;
                self.load_located(&at)?
            }
            "write_via_move" | "volatile_store" | "unaligned_volatile_store" => {
                let ty = self.operand_type(&args[0])?;
                let v = self.operand(&args[0])?;
                let p = self.pointer_of(&v)?;
                let Some(ty) = ty else {
                    return gap("a write through a pointer of unknown type");
                };
                let target = types::pointee(&ty).map(erase);
                let new = self.operand_as(&args[1], target.as_ref())?;
                let at = self.deref(&p, &ty)?;
                self.store_located(&at, &new)?;
                Value::default()
            }
            "typed_swap_nonoverlapping" => {
                let Some(ty) = self.operand_type(&args[0])? else {
                    return gap("a swap through pointers of unknown type");
                };
                let (a, b) = (self.operand(&args[0])?, self.operand(&args[1])?);
                let (p, q) = (self.pointer_of(&a)?, self.pointer_of(&b)?);
                let (at_p, at_q) = (self.deref(&p, &ty)?, self.deref(&q, &ty)?);
                let (x, y) = (self.load_located(&at_p)?, self.load_located(&at_q)?);
                // Both values are read before either place is written.
                let saved = self.save(&x);
                self.store_located(&at_p, &y)?;
                self.store_located(&at_q, &saved)?;
                Value::default()
            }
            "discriminant_value" => {
                let ty = self.operand_type(&args[0])?;
                let v = self.operand(&args[0])?;
                let p = self.pointer_of(&v)?;
                let Some(ty) = ty else {
                    return gap("a discriminant behind a pointer of unknown type");
                };
                let at = self.deref(&p, &ty)?;
                self.discriminant(&at, &into)?
            }
            "likely" | "unlikely" => self.operand_as(&args[0], Some(&into))?,
            "cold_path"
            | "assert_inhabited"
            | "assert_zero_valid"
            | "assert_mem_uninitialized_valid" => Value::default(),
            "assume" | "assert_unchecked" => {
                let c = self.operand_bits(&args[0], None)?;
                self.check_defined(c, "violated `assume`");
                Value::default()
            }
            "is_val_statically_known" => {
                let t = self.pool.bool(false);
                self.scalar(t)
            }
            "ub_checks" => {
                let t = self.pool.bool(self.source.ub_checks);
                self.scalar(t)
            }
            "compare_bytes" => self.compare_bytes(args)?,
            "raw_eq" => self.raw_eq(args)?,
            "ptr_metadata" => {
                let v = self.operand(&args[0])?;
                let p = self.pointer_of(&v)?;
                match p.meta {
                    Some(m) => self.scalar(m),
                    None => Value::default(),
                }
            }
            _ if float_intrinsic(name).is_some() => {
                let Some((op, w)) = float_intrinsic(name) else {
                    return Ok(false);
                };
                let mut bits = vec![];
                for a in args {
                    let ty = self.operand_type(a)?;
                    bits.push(self.operand_bits(a, ty.as_ref())?);
                }
                let t = self.float(op, &bits, w)?;
                self.scalar(t)
            }
            _ if inexact_float(name).is_some() => {
                let Some(w) = inexact_float(name) else {
                    return Ok(false);
                };
                let t = self.drawn(Sort::Bv(w), "what a function of floats gives");
                self.scalar(t)
            }
            "fabsf32" | "fabsf64" | "fabs" => {
                let x = self.operand_bits(&args[0], Some(&into))?;
                let w = self.pool.width(x);
                let m = self.pool.bv(term::mask(w - 1), w);
                let t = self.pool.binary(term::BinOp::BvAnd, x, m);
                self.scalar(t)
            }
            // the sign of a NaN shows
            "copysignf32" | "copysignf64" => {
                self.looks_at_bits();
                let x = self.operand_bits(&args[0], Some(&into))?;
                let y = self.operand_bits(&args[1], Some(&into))?;
                let w = self.pool.width(x);
                let (sign, rest) = (
                    self.pool.extract(y, w - 1, 1),
                    self.pool.extract(x, 0, w - 1),
                );
                let t = self.pool.concat(sign, rest);
                self.scalar(t)
            }
            _ if name.starts_with("atomic_") => match self.atomic(name, args, &into)? {
                Some(value) => value,
                None => return Ok(false),
            },
            "unreachable" => {
                let no = self.pool.bool(false);
                self.check_defined(no, "unreachable code reached");
                Value::default()
            }
            _ => return Ok(false),
        };
        let at = self.locate(to)?;
        self.store_located(&at, &value)?;
        Ok(true)
    }

    fn popcount(&mut self, x: Term) -> Term {
        let w = self.pool.width(x);
        // Zeros are what ones are not: said once, so that both together are the width.
        if let term::Node::Unary(term::UnOp::BvNot, y) = *self.pool.node(x) {
            let ones = self.popcount(y);
            let all = self.pool.bv(u128::from(w), w);
            return self.pool.sub(all, ones);
        }
        // Halves with halves: a solver likes narrow adders.
        let mut sums: Vec<Term> = (0..w).map(|i| self.pool.extract(x, i, 1)).collect();
        while sums.len() > 1 {
            let wide = self.pool.width(sums[0]) + 1;
            let pairs: Vec<(Term, Option<Term>)> = (sums.chunks(2))
                .map(|pair| (pair[0], pair.get(1).copied()))
                .collect();
            sums.clear();
            for (a, b) in pairs {
                let a = self.pool.zext(a, wide);
                sums.push(match b {
                    Some(b) => {
                        let b = self.pool.zext(b, wide);
                        self.pool.add(a, b)
                    }
                    None => a,
                });
            }
        }
        self.pool.resize(sums[0], w, false)
    }

    fn leading_zeros(&mut self, x: Term) -> Term {
        let w = self.pool.width(x);
        let mut out = self.pool.bv(u128::from(w), w.max(8));
        // From the lowest bit up: the last bit set decides.
        for i in 0..w {
            let bit = self.pool.extract(x, i, 1);
            let one = self.pool.bv(1, 1);
            let set = self.pool.eq(bit, one);
            let n = self.pool.bv(u128::from(w - 1 - i), w.max(8));
            out = self.pool.ite(set, n, out);
        }
        out
    }

    fn trailing_zeros(&mut self, x: Term) -> Term {
        let w = self.pool.width(x);
        let mut out = self.pool.bv(u128::from(w), w.max(8));
        for i in (0..w).rev() {
            let bit = self.pool.extract(x, i, 1);
            let one = self.pool.bv(1, 1);
            let set = self.pool.eq(bit, one);
            let n = self.pool.bv(u128::from(i), w.max(8));
            out = self.pool.ite(set, n, out);
        }
        out
    }

    /// The chunks of this many bits in reverse order.
    pub fn permute(&mut self, x: Term, chunk: u32) -> Term {
        let w = self.pool.width(x);
        let mut out = self.pool.extract(x, 0, chunk.min(w));
        let mut lo = chunk;
        while lo < w {
            let part = self.pool.extract(x, lo, chunk);
            out = self.pool.concat(out, part);
            lo += chunk;
        }
        out
    }

    fn rotate(&mut self, x: Term, n: Term, left: bool) -> Term {
        let w = self.pool.width(x);
        let nw = self.pool.width(n);
        let wide = nw.max(8);
        let n = self.pool.zext(n, wide);
        let m = self.pool.bv(u128::from(w), wide);
        let n = self.pool.binary(term::BinOp::Urem, n, m);
        let n = self.pool.resize(n, w, false);
        let wt = self.pool.bv(u128::from(w), w);
        // At n = 0 the other shift is by w, which gives 0 (SMT-LIB); for w = 8 that fits, too.
        let back = self.pool.sub(wt, n);
        let (a, b) = if left {
            (term::BinOp::Shl, term::BinOp::Lshr)
        } else {
            (term::BinOp::Lshr, term::BinOp::Shl)
        };
        let hi = self.pool.binary(a, x, n);
        let lo = self.pool.binary(b, x, back);
        self.pool.binary(term::BinOp::BvOr, hi, lo)
    }

    fn saturating(&mut self, x: Term, y: Term, signed: bool, add: bool) -> Term {
        let w = self.pool.width(x);
        let op = if add { BinOp::Add } else { BinOp::Sub };
        let overflow = self.overflows(op, x, y, signed);
        let plain = if add {
            self.pool.add(x, y)
        } else {
            self.pool.sub(x, y)
        };
        let limit = if !signed {
            self.pool.bv(if add { u128::MAX } else { 0 }, w)
        } else {
            let zero = self.pool.bv(0, w);
            let negative = self.pool.slt(x, zero);
            let min = self.pool.bv(1 << (w - 1), w);
            let max = self.pool.bv(term::mask(w) >> 1, w);
            self.pool.ite(negative, min, max)
        };
        self.pool.ite(overflow, limit, plain)
    }
}

/// `sinf32`: functions whose last bits no standard tells, and the width of what they give. It is any number.
fn inexact_float(name: &str) -> Option<u32> {
    const STEMS: [&str; 13] = [
        "cos", "exp", "exp2", "fma", "fmuladd", "log", "log10", "log2", "pow", "powi", "sin",
        "tan", "cbrt",
    ];
    let (stem, w) = match (name.strip_suffix("f32"), name.strip_suffix("f64")) {
        (Some(stem), _) => (stem, 32),
        (_, Some(stem)) => (stem, 64),
        _ => return None,
    };
    STEMS.contains(&stem).then_some(w)
}

/// `sqrtf32`, `minimum_number_nsz_f64`: the operation and its width. Two numbers of which one is NaN give the other one;
/// `minimumf32`, which gives NaN, is another operation.
fn float_intrinsic(name: &str) -> Option<(FloatOp, u32)> {
    let (stem, w) = match (name.strip_suffix("f32"), name.strip_suffix("f64")) {
        (Some(stem), _) => (stem, 32),
        (_, Some(stem)) => (stem, 64),
        _ => return None,
    };
    let op = match stem.trim_end_matches('_') {
        "sqrt" => FloatOp::Sqrt,
        "floor" => FloatOp::Floor,
        "ceil" => FloatOp::Ceil,
        "trunc" => FloatOp::Trunc,
        "round" => FloatOp::Round,
        "round_ties_even" => FloatOp::RoundEven,
        "minnum" | "minimum_number_nsz" => FloatOp::Min,
        "maxnum" | "maximum_number_nsz" => FloatOp::Max,
        _ => return None,
    };
    Some((op, w))
}
