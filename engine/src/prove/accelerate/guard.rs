//! When do n iterations stay on the path? Each literal of the path's guard is discharged by its own rule.
//!
//! Lineage: literal-by-literal discharge as in the modular calculus of LoAT; the wrap-segment accelerator of
//! TECHNIQUES.md for orders; `!=` by modular division. All rules are exact for the iterations up to the first
//! wrap-around of a guard term; the step that wraps may be the last one, so n = 1 is always the path itself.
//! Nothing is widened: `k * c <= distance` is checked together with `k <= max / c`, which works for 128 bits, too.
//! Not claimed: literals that none of the rules fits keep their first and last instance only (`Endpoints`), which
//! over-approximates; such an accelerator serves proofs, never violations.

use super::linear::Linear;
use super::path::Oracle;
use super::recurrence::{Closed, ClosedForms, inverse};
use crate::term::{BinOp, Node, Pool, Sort, Subst, Term, UnOp, mask, to_signed};

/// How fast a term moves: by `magnitude` (a constant, or an unchanged term) up or down in each iteration.
#[derive(Clone, Copy, Debug)]
pub struct Speed {
    magnitude: Term,
    down: bool,
}

/// A moving term that must not leave the range of its order.
#[derive(Clone, Copy, Debug)]
pub struct NoWrap {
    term: Term,
    speed: Speed,
    signed: bool,
}

#[derive(Clone, Debug)]
pub enum Rule {
    /// Holds in all iterations if it holds in the first (unchanged, or kept by the path).
    First,
    /// Holds in all iterations if it holds in the last.
    Last,
    /// `small < large` (or `<=`), both sides moving at constant speed.
    Below {
        small: Term,
        large: Term,
        strict: bool,
        /// How fast the two approach, if they do.
        closing: Option<Term>,
        /// Sides that run away from the other: they are stopped by the end of the range only.
        escaping: Vec<NoWrap>,
        /// All that moves: where one wraps, the segment ends.
        moving: Vec<NoWrap>,
        /// The literal at the value that is worst for it among all that the progression can ever have: then it
        /// holds forever, wrapping or not.
        always: Option<Term>,
        /// Can it hold again after a wrap without holding `always`? Not for steps of a power of two: they come
        /// through every value of their class, and so through the worst.
        may_skip: bool,
    },
    /// The two sides differ; they meet after `distance / step` iterations, if at all.
    Differs {
        distance: Term,
        step: u128,
        /// Parts of the sides that must not wrap for that.
        moving: Vec<NoWrap>,
    },
    /// Cannot hold twice in a row.
    Once,
    /// Not understood: only the first and the last instance are used.
    Endpoints,
}

/// A literal with its rule.
#[derive(Clone, Debug)]
pub struct Literal {
    pub term: Term,
    pub rule: Rule,
}

/// Is the sign of an unchanged step needed and unknown? Then the path must be split by it first.
#[derive(Debug)]
pub struct SignNeeded(pub Term);

/// Finds a rule for each literal. `signs` are literals that decide the sign of symbolic steps.
pub fn discharge(
    pool: &mut Pool,
    oracle: &mut dyn Oracle,
    forms: &ClosedForms,
    literals: &[Term],
    step: &mut Subst,
) -> Result<Vec<Literal>, SignNeeded> {
    let mut out = vec![];
    for &t in literals {
        let rule = rule_of(pool, forms, literals, t)?;
        out.push(Literal { term: t, rule });
    }
    // What has no rule of its own may still be kept by the path, forwards or backwards. Only literals with an
    // exact rule are used as premises: no circles.
    let mut premise = pool.bool(true);
    for l in &out {
        if !matches!(l.rule, Rule::Endpoints) {
            premise = pool.and(premise, l.term);
        }
    }
    for l in &mut out {
        if !matches!(l.rule, Rule::Endpoints) {
            continue;
        }
        let next = step.apply(pool, l.term);
        let now = pool.and(premise, l.term);
        let kept = pool.implies(now, next);
        if oracle.valid(pool, kept) {
            l.rule = Rule::First;
            continue;
        }
        if mentions_unknown(pool, forms, l.term) {
            continue;
        }
        let later = pool.and(premise, next);
        let back = pool.implies(later, l.term);
        if oracle.valid(pool, back) {
            l.rule = Rule::Last;
        }
    }
    Ok(out)
}

fn rule_of(
    pool: &mut Pool,
    forms: &ClosedForms,
    literals: &[Term],
    t: Term,
) -> Result<Rule, SignNeeded> {
    if forms.is_unchanged(pool, t) {
        return Ok(Rule::First);
    }
    let (atom, positive) = match *pool.node(t) {
        Node::Unary(UnOp::Not, a) => (a, false),
        _ => (t, true),
    };
    match *pool.node(atom) {
        Node::Binary(BinOp::Eq, a, b) if matches!(pool.sort(a), Sort::Bv(_)) => {
            Ok(equality(pool, forms, a, b, positive))
        }
        Node::Binary(op @ (BinOp::Ult | BinOp::Slt), a, b) => {
            let signed = op == BinOp::Slt;
            // !(a < b) is b <= a.
            let (small, large) = if positive { (a, b) } else { (b, a) };
            order(pool, forms, literals, small, large, positive, signed)
        }
        // A boolean that flips cannot hold twice.
        Node::Var(v) if matches!(forms.forms.get(&v), Some(Closed::Toggle)) => Ok(Rule::Once),
        _ => Ok(Rule::Endpoints),
    }
}

fn equality(pool: &mut Pool, forms: &ClosedForms, a: Term, b: Term, positive: bool) -> Rule {
    let mut moving = vec![];
    let difference = pool.sub(b, a);
    let Some(step) = constant_step(pool, forms, difference, &mut moving) else {
        return Rule::Endpoints;
    };
    // `b - a` changes by `step`; the distance to close is its negation.
    if step == 0 {
        return if moving.is_empty() {
            Rule::First
        } else {
            Rule::Endpoints
        };
    }
    if positive {
        // Equal now and after a nonzero step: impossible (inner wraps do not matter for one step, but
        // `moving` parts may wrap between, so only the plain case is claimed).
        return if moving.is_empty() {
            Rule::Once
        } else {
            Rule::Endpoints
        };
    }
    Rule::Differs {
        distance: difference,
        step: step.wrapping_neg() & mask(pool.width(a)),
        moving,
    }
}

fn order(
    pool: &mut Pool,
    forms: &ClosedForms,
    literals: &[Term],
    small: Term,
    large: Term,
    strict: bool,
    signed: bool,
) -> Result<Rule, SignNeeded> {
    let mut moving = vec![];
    let (Some(s), Some(l)) = (
        any_step(pool, forms, small, &mut moving),
        any_step(pool, forms, large, &mut moving),
    ) else {
        return Ok(Rule::Endpoints);
    };
    let w = pool.width(small);
    let s = speed(pool, literals, s)?;
    let l = speed(pool, literals, l)?;
    let mut escaping = moving.clone();
    for (term, v, away) in [(small, s, true), (large, l, false)] {
        if let Some(v) = v {
            let side = NoWrap {
                term,
                speed: v,
                signed,
            };
            moving.push(side);
            if v.down == away {
                escaping.push(side);
            }
        }
    }
    let closing = match (s, l) {
        (None, None) => None,
        (Some(v), None) => (!v.down).then_some(v.magnitude),
        (None, Some(v)) => v.down.then_some(v.magnitude),
        (Some(a), Some(b)) => {
            let (Some(x), Some(y)) = (pool.as_const(a.magnitude), pool.as_const(b.magnitude))
            else {
                return Ok(Rule::Endpoints);
            };
            match (a.down, b.down) {
                // Towards each other: the speeds add up (upward ones are below 2^(w-1), so the sum fits).
                (false, true) => match x.checked_add(y) {
                    Some(v) if v <= mask(w) => Some(pool.bv(v, w)),
                    _ => return Ok(Rule::Endpoints),
                },
                (true, false) => None,
                (false, false) => (x > y).then(|| pool.bv(x - y, w)),
                (true, true) => (y > x).then(|| pool.bv(y - x, w)),
            }
        }
    };
    let single = match (s, l) {
        (Some(v), None) if moving.len() == 1 => Some((v, true)),
        (None, Some(v)) if moving.len() == 1 => Some((v, false)),
        _ => None,
    };
    let mut always = None;
    let mut may_skip = true;
    if let Some((v, small_moves)) = single
        && let Some(c) = pool.as_const(v.magnitude)
    {
        let moving_side = if small_moves { small } else { large };
        let worst = extreme(pool, moving_side, c.trailing_zeros(), small_moves, signed);
        let (a, b) = if small_moves {
            (worst, large)
        } else {
            (small, worst)
        };
        always = Some(match (strict, signed) {
            (true, true) => pool.slt(a, b),
            (true, false) => pool.ult(a, b),
            (false, true) => pool.sle(a, b),
            (false, false) => pool.ule(a, b),
        });
        may_skip = !c.is_power_of_two();
    }
    Ok(Rule::Below {
        small,
        large,
        strict,
        closing,
        escaping,
        moving,
        always,
        may_skip,
    })
}

/// The largest or smallest number with the same low bits.
fn extreme(pool: &mut Pool, x: Term, low_bits: u32, largest: bool, signed: bool) -> Term {
    let w = pool.width(x);
    let end = match (signed, largest) {
        (false, true) => mask(w),
        (false, false) => 0,
        (true, true) => mask(w) >> 1,
        (true, false) => 1 << (w - 1),
    };
    if low_bits == 0 {
        return pool.bv(end, w);
    }
    let high = pool.bv(end >> low_bits, w - low_bits);
    let low = pool.extract(x, 0, low_bits);
    pool.concat(high, low)
}

/// Direction and magnitude of a step; zero steps have none.
fn speed(pool: &mut Pool, literals: &[Term], step: Term) -> Result<Option<Speed>, SignNeeded> {
    let w = pool.width(step);
    if let Some(c) = pool.as_const(step) {
        if c == 0 {
            return Ok(None);
        }
        let signed = to_signed(c, w);
        let magnitude = pool.bv(signed.unsigned_abs(), w);
        return Ok(Some(Speed {
            magnitude,
            down: signed < 0,
        }));
    }
    let [down, up, none] = signs(pool, step);
    if literals.contains(&up) {
        Ok(Some(Speed {
            magnitude: step,
            down: false,
        }))
    } else if literals.contains(&down) {
        let magnitude = pool.neg(step);
        Ok(Some(Speed {
            magnitude,
            down: true,
        }))
    } else if literals.contains(&none) {
        Ok(None)
    } else {
        Err(SignNeeded(step))
    }
}

/// The three cases of a step's sign: negative, positive, zero.
pub fn signs(pool: &mut Pool, step: Term) -> [Term; 3] {
    let zero = {
        let w = pool.width(step);
        pool.bv(0, w)
    };
    [
        pool.slt(step, zero),
        pool.slt(zero, step),
        pool.eq(step, zero),
    ]
}

/// What a term grows by in each iteration, if that is a constant.
fn constant_step(
    pool: &mut Pool,
    forms: &ClosedForms,
    t: Term,
    moving: &mut Vec<NoWrap>,
) -> Option<u128> {
    let step = any_step(pool, forms, t, moving)?;
    pool.as_const(step)
}

/// What a term grows by in each iteration, as an unchanged term; parts that must not wrap are added to `moving`.
fn any_step(
    pool: &mut Pool,
    forms: &ClosedForms,
    t: Term,
    moving: &mut Vec<NoWrap>,
) -> Option<Term> {
    let linear = Linear::of(pool, t);
    let w = linear.width;
    let mut sum = pool.bv(0, w);
    for (atom, factor) in linear.atoms {
        if forms.is_unchanged(pool, atom) {
            continue;
        }
        let step = match *pool.node(atom) {
            Node::Var(v) => match forms.forms.get(&v) {
                Some(Closed::Polynomial(p)) if p.len() == 2 => p[1],
                _ => return None,
            },
            Node::Zext(x) | Node::Sext(x) => {
                let signed = matches!(pool.node(atom), Node::Sext(_));
                let inner = constant_step(pool, forms, x, moving)?;
                let wx = pool.width(x);
                let signed_step = to_signed(inner, wx);
                if inner != 0 {
                    let magnitude = pool.bv(signed_step.unsigned_abs(), wx);
                    moving.push(NoWrap {
                        term: x,
                        speed: Speed {
                            magnitude,
                            down: signed_step < 0,
                        },
                        signed,
                    });
                }
                pool.bv(signed_step as u128, w)
            }
            Node::Extract { arg, lo: 0 } => {
                let inner = constant_step(pool, forms, arg, moving)?;
                pool.bv(inner, w)
            }
            _ => {
                // A product of an unchanged factor and a progression is a progression.
                let p = forms.polynomial(pool, atom)?;
                match p[..] {
                    [_, c] => c,
                    _ => return None,
                }
            }
        };
        let f = pool.bv(factor, w);
        let step = pool.mul(step, f);
        sum = pool.add(sum, step);
    }
    Some(sum)
}

/// `k * magnitude <= distance`, computed without wrapping.
fn fits(pool: &mut Pool, k: Term, magnitude: Term, distance: Term) -> Term {
    let w = pool.width(distance);
    let n = pool.width(k);
    let small = pool.resize(k, w, false);
    let most = match pool.as_const(magnitude) {
        Some(0) => return pool.bool(true),
        Some(m) => mask(w) / m,
        None => mask(w),
    };
    let mut out = pool.bool(true);
    if most < mask(n) {
        let most = pool.bv(most, n);
        out = pool.ule(k, most);
    }
    if pool.as_const(magnitude).is_none() {
        let over = pool.binary(BinOp::UmulOverflows, small, magnitude);
        let ok = pool.not(over);
        out = pool.and(out, ok);
    }
    let product = pool.mul(small, magnitude);
    let near = pool.ule(product, distance);
    pool.and(out, near)
}

impl NoWrap {
    /// The term does not wrap during `k` steps.
    fn holds(&self, pool: &mut Pool, k: Term) -> Term {
        let room = self.room(pool);
        fits(pool, k, self.speed.magnitude, room)
    }

    /// How far it is to the end of the range.
    fn room(&self, pool: &mut Pool) -> Term {
        let w = pool.width(self.term);
        let end = match (self.signed, self.speed.down) {
            (false, false) => mask(w),
            (false, true) => 0,
            (true, false) => mask(w) >> 1,
            (true, true) => 1 << (w - 1),
        };
        let end = pool.bv(end, w);
        if self.speed.down {
            pool.sub(self.term, end)
        } else {
            pool.sub(end, self.term)
        }
    }
}

impl Literal {
    pub fn is_exact(&self) -> bool {
        !matches!(self.rule, Rule::Endpoints)
    }

    /// The literal holds in the iterations 0..=k, and nothing wraps on the way to the k-th.
    pub fn within(&self, pool: &mut Pool, forms: &ClosedForms, k: Term) -> Term {
        match &self.rule {
            Rule::First => self.term,
            Rule::Last => {
                let mut s = subst(pool, forms, k);
                s.apply(pool, self.term)
            }
            Rule::Endpoints => {
                let known = !mentions_unknown(pool, forms, self.term);
                if !known {
                    return self.term;
                }
                let mut s = subst(pool, forms, k);
                let last = s.apply(pool, self.term);
                pool.and(self.term, last)
            }
            Rule::Below {
                small,
                large,
                strict,
                closing,
                escaping,
                always,
                ..
            } => {
                let mut out = self.term;
                if let Some(v) = *closing {
                    let w = pool.width(*small);
                    let mut gap = pool.sub(*large, *small);
                    if *strict {
                        let one = pool.bv(1, w);
                        gap = pool.sub(gap, one);
                    }
                    let near = fits(pool, k, v, gap);
                    out = pool.and(out, near);
                }
                for e in escaping {
                    let ok = e.holds(pool, k);
                    out = pool.and(out, ok);
                }
                match *always {
                    Some(a) => pool.or(a, out),
                    None => out,
                }
            }
            Rule::Differs {
                distance,
                step,
                moving,
            } => {
                let (hit, at) = meeting(pool, *distance, *step, pool.width(k));
                let miss = pool.not(hit);
                let before = pool.ult(k, at);
                let mut out = pool.or(miss, before);
                for m in moving {
                    let ok = m.holds(pool, k);
                    out = pool.and(out, ok);
                }
                out
            }
            Rule::Once => {
                let zero = pool.bv(0, pool.width(k));
                let first = pool.eq(k, zero);
                pool.and(self.term, first)
            }
        }
    }

    /// Does the n-th step wrap one of the literal's terms?
    pub fn wraps(&self, pool: &mut Pool, n: Term) -> Term {
        let mut out = pool.bool(false);
        if let Rule::Below {
            may_skip: false, ..
        } = &self.rule
        {
            return out;
        }
        if let Rule::Below { moving, .. } | Rule::Differs { moving, .. } = &self.rule {
            for m in moving {
                let ok = m.holds(pool, n);
                let bad = pool.not(ok);
                out = pool.or(out, bad);
            }
        }
        if let Rule::Below {
            always: Some(a), ..
        } = self.rule
        {
            let not = pool.not(a);
            out = pool.and(out, not);
        }
        out
    }

    /// The number of iterations after which the literal fails for the first time, with the condition under which
    /// it ever does; `None` if no formula is known. Valid as long as nothing wraps, which the caller checks by
    /// evaluating the guard there.
    pub fn first_failure(&self, pool: &mut Pool, count_width: u32) -> Option<(Term, Term)> {
        let zero = pool.bv(0, count_width);
        match &self.rule {
            // Fails at once or never.
            Rule::First => {
                let fails = pool.not(self.term);
                Some((fails, zero))
            }
            // It fails when it wraps, at the latest.
            Rule::Below {
                closing: None,
                escaping,
                always: Some(a),
                may_skip: false,
                ..
            } if escaping.len() == 1 => {
                let room = escaping[0].room(pool);
                let q = pool.binary(BinOp::Udiv, room, escaping[0].speed.magnitude);
                let q = pool.resize(q, count_width, false);
                let one = pool.bv(1, count_width);
                let count = pool.add(q, one);
                let count = pool.ite(self.term, count, zero);
                let ends = pool.not(*a);
                Some((ends, count))
            }
            Rule::Below {
                small,
                large,
                strict,
                closing: Some(v),
                always,
                ..
            } => {
                let w = pool.width(*small);
                let mut gap = pool.sub(*large, *small);
                let one = pool.bv(1, w);
                if *strict {
                    gap = pool.sub(gap, one);
                }
                let q = pool.binary(BinOp::Udiv, gap, *v);
                let q = pool.resize(q, count_width, false);
                let one = pool.bv(1, count_width);
                let count = pool.add(q, one);
                let count = pool.ite(self.term, count, zero);
                let ends = match *always {
                    Some(a) => pool.not(a),
                    None => pool.bool(true),
                };
                Some((ends, count))
            }
            Rule::Differs { distance, step, .. } => {
                Some(meeting(pool, *distance, *step, count_width))
            }
            Rule::Once => {
                let one = pool.bv(1, count_width);
                let count = pool.ite(self.term, one, zero);
                let always = pool.bool(true);
                Some((always, count))
            }
            _ => None,
        }
    }
}

/// Does a progression by `step` cover `distance`, and after how many steps for the first time?
fn meeting(pool: &mut Pool, distance: Term, step: u128, count_width: u32) -> (Term, Term) {
    let w = pool.width(distance);
    let t = step.trailing_zeros();
    let mut hit = pool.bool(true);
    if t > 0 {
        let rest = pool.extract(distance, 0, t);
        let zero = pool.bv(0, t);
        hit = pool.eq(rest, zero);
    }
    let quotient = pool.extract(distance, t, w - t);
    let odd = pool.bv(inverse(step >> t), w - t);
    let at = pool.mul(quotient, odd);
    (hit, pool.resize(at, count_width, false))
}

fn subst(pool: &mut Pool, forms: &ClosedForms, k: Term) -> Subst {
    let mut s = Subst::new();
    for (v, t) in forms.at(pool, k) {
        s.bind(v, t);
    }
    s
}

fn mentions_unknown(pool: &Pool, forms: &ClosedForms, t: Term) -> bool {
    pool.free_vars(&[t]).iter().any(|v| {
        matches!(
            forms.forms.get(v),
            Some(Closed::Unknown | Closed::Previous(_))
        )
    })
}
