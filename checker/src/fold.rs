//! Operators on literals, so that code without inputs runs instead of growing. A test compares each with Z3.

use crate::term::{Scalar, Sort, Term};

/// The value of an application of literals, for the operators that loops are made of.
pub fn fold(operator: &str, args: &[&Term], sort: Sort) -> Option<Term> {
    if sort.dims != 0 || args.iter().any(|a| a.sort.dims != 0 || a.width() > 128) {
        return None;
    }
    let bits: Vec<u128> = args.iter().map(|a| a.literal).collect::<Option<_>>()?;
    let value = match bits.as_slice() {
        [x] => one(operator, *x, args[0].width(), sort)?,
        [x, y] => two(operator, *x, *y, args[0].width())?,
        _ => return None,
    };
    match sort.of {
        Scalar::Bool => Some(Term::boolean(value != 0)),
        Scalar::Bv(w) if w <= 128 => Some(Term::bits(value, w)),
        Scalar::Bv(_) => None,
    }
}

fn one(operator: &str, x: u128, w: u32, sort: Sort) -> Option<u128> {
    let mut words = operator.trim_matches(['(', ')']).split(' ');
    match (words.next()?, words.next()) {
        ("bvnot", None) => Some(!x),
        ("bvneg", None) => Some(x.wrapping_neg()),
        ("_", Some("zero_extend")) => Some(x),
        ("_", Some("sign_extend")) => Some(signed(x, w) as u128),
        ("_", Some("extract")) if operator.ends_with(" 0)") && sort.of.width() <= w => Some(x),
        _ => None,
    }
}

fn two(operator: &str, x: u128, y: u128, w: u32) -> Option<u128> {
    let (sx, sy) = (signed(x, w), signed(y, w));
    Some(match operator {
        "bvadd" => x.wrapping_add(y),
        "bvsub" => x.wrapping_sub(y),
        "bvmul" => x.wrapping_mul(y),
        "bvand" => x & y,
        "bvor" => x | y,
        "bvxor" => x ^ y,
        "bvudiv" if y != 0 => x / y,
        "bvurem" if y != 0 => x % y,
        "bvult" => u128::from(x < y),
        "bvule" => u128::from(x <= y),
        "bvslt" => u128::from(sx < sy),
        "bvsle" => u128::from(sx <= sy),
        _ => return None,
    })
}

fn signed(x: u128, w: u32) -> i128 {
    let unused = 128 - w;
    ((x << unused) as i128) >> unused
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::{Answer, Query, z3};
    use crate::term::Script;
    use std::time::Duration;

    /// Every operator at every pair of 3-bit numbers means what Z3 means by it.
    #[test]
    fn literals_are_computed_as_the_solver_does() {
        let boolean = Sort::scalar(Scalar::Bool);
        let bv = |w| Sort::scalar(Scalar::Bv(w));
        let binary = [
            ("bvadd", bv(3)),
            ("bvsub", bv(3)),
            ("bvmul", bv(3)),
            ("bvand", bv(3)),
            ("bvor", bv(3)),
            ("bvxor", bv(3)),
            ("bvudiv", bv(3)),
            ("bvurem", bv(3)),
            ("bvult", boolean),
            ("bvule", boolean),
            ("bvslt", boolean),
            ("bvsle", boolean),
        ];
        let unary = [
            ("bvnot", bv(3)),
            ("bvneg", bv(3)),
            ("(_ zero_extend 2)", bv(5)),
            ("(_ sign_extend 2)", bv(5)),
            ("(_ extract 1 0)", bv(2)),
        ];
        let mut script = Script::default();
        let mut wrong = vec![];
        let mut compare = |op: &str, args: &[&Term], sort: Sort| {
            let Some(folded) = fold(op, args, sort) else {
                return;
            };
            let texts: Vec<&str> = args.iter().map(|a| &*a.text).collect();
            let text = format!("(not (= ({op} {}) {}))", texts.join(" "), folded.text);
            wrong.push(Term::new(text, Sort::scalar(Scalar::Bool)));
        };
        for x in 0..8 {
            let x = Term::bits(x, 3);
            unary
                .iter()
                .for_each(|(op, sort)| compare(op, &[&x], *sort));
            for y in 0..8 {
                let y = Term::bits(y, 3);
                binary
                    .iter()
                    .for_each(|(op, sort)| compare(op, &[&x, &y], *sort));
            }
        }
        assert!(wrong.len() > 700, "{}", wrong.len());
        script.text.clear();
        let query = Query::any_of(&script, &wrong.iter().collect::<Vec<_>>());
        assert_eq!(z3(&query, Duration::from_secs(60)), Answer::Unsat);
    }
}
