//! Products as unknowns: where a question needs of a product only that it is the same one everywhere, nobody has to
//! multiply. `low * low <= n` is kept by a step that leaves `low` alone, whatever `low * low` is.
//!
//! Every product of two terms that are not constants is one unknown, in equations of polynomials every monomial is. Of
//! few products it is said that equal factors make equal ones. That is less than was asked, so only a refutation counts.

use super::solver::preprocessing;
use super::translate::Translator;
use crate::term::{Pool, Term};
use z3::ast::{BV, Bool};
use z3::{Params, SatResult};

/// What it may cost, in Z3's units: about 30 ms.
const RLIMIT: u32 = 400_000;

/// More products are not compared with each other.
const MOST_COMPARED: usize = 8;

/// Equal factors, equal products.
fn congruences(translator: &Translator) -> Vec<Bool> {
    let products: Vec<_> = translator.opaque.iter().flatten().collect();
    if products.len() > MOST_COMPARED {
        return vec![];
    }
    let mut out = vec![];
    for (i, (a, p)) in products.iter().enumerate() {
        for (b, q) in &products[i + 1..] {
            if a.len() != b.len() || p.get_size() != q.get_size() {
                continue;
            }
            let factors = a.iter().zip(b.iter());
            let equal = factors.map(|(x, y)| translator.bv(*x).eq(translator.bv(*y)));
            let equal: Vec<Bool> = equal.collect();
            let same = BV::eq(p, *q);
            out.push(Bool::and(&equal).implies(&same));
        }
    }
    out
}

/// Do these terms contradict each other, whatever their products are?
pub(super) fn refute(
    pool: &Pool,
    terms: &[Term],
    millis: u32,
    ask: impl FnOnce(&mut dyn FnMut() -> SatResult) -> SatResult,
) -> bool {
    if !terms.iter().any(|t| pool.multiplies(*t)) {
        return false;
    }
    let mut translator = Translator::default();
    translator.opaque = Some(Default::default());
    let solver = preprocessing().solver();
    let mut p = Params::new();
    p.set_u32("timeout", millis);
    p.set_u32("rlimit", RLIMIT);
    solver.set_params(&p);
    for t in terms {
        // What cannot be said is left out, too.
        if let Ok(b) = translator.bool(pool, *t) {
            solver.assert(&b);
        }
    }
    for d in congruences(&translator) {
        solver.assert(&d);
    }
    for d in std::mem::take(&mut translator.definitions) {
        solver.assert(&d);
    }
    ask(&mut || solver.check()) == SatResult::Unsat
}
