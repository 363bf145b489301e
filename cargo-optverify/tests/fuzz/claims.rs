//! Which claims of a function become assertions: natively seen to hold always, or to fail seldom.

use crate::functions::Function;
use crate::random::Random;
use crate::truth::Truth;

/// Assertions kept of a function.
const MOST: usize = 3;

/// Replaces the claims of a function by assertions, or by nothing.
pub fn settle(function: &mut Function, truth: &Truth, random: &mut Random) {
    let reached = |n: usize| truth.claims.get(n).copied().unwrap_or_default();
    let count = function.text.matches("claim!(").count();
    let mut holding: Vec<usize> = (0..count)
        .filter(|n| reached(*n).0 == 0 && reached(*n).1 > 0)
        .collect();
    while holding.len() > MOST {
        holding.swap_remove(random.below(holding.len()));
    }
    let mut failing: Vec<usize> = (0..count).filter(|n| reached(*n).0 > 0).collect();
    failing.sort_by_key(|n| reached(*n).0);
    // two of five functions assert something that is nearly true
    if random.below(5) < 2 {
        holding.extend(failing.first());
    }
    let mut lines = vec![];
    for line in function.text.lines() {
        if let Some(bound) = line.strip_prefix("bound!(") {
            lines.extend(bounded(bound, truth, random));
            continue;
        }
        let Some(claim) = line.strip_prefix("claim!(") else {
            lines.push(line.to_owned());
            continue;
        };
        let (number, relation) = claim.split_once(", ").unwrap_or((claim, "true);"));
        if number.parse().is_ok_and(|n: usize| holding.contains(&n)) {
            lines.push(format!("assert!({relation}"));
        }
    }
    function.text = lines.join("\n") + "\n";
}

/// An assertion about a value of which the bounds are known: as tight as is true, or a little tighter.
fn bounded(bound: &str, truth: &Truth, random: &mut Random) -> Option<String> {
    let mut parts = bound.strip_suffix(");")?.splitn(3, ", ");
    let (number, ty, value) = (parts.next()?, parts.next()?, parts.next()?);
    let (least, most) = *truth.bounds.get(number.parse::<usize>().ok()?)?;
    if least > most || random.one_in(3) {
        return None;
    }
    let is_true = random.below(5) < 3;
    let (operator, limit) = match (least == most, is_true, random.one_in(2)) {
        (true, true, _) => ("==", least),
        (true, false, _) => ("!=", least),
        (_, true, true) => ("<=", most),
        (_, true, false) => (">=", least),
        (_, false, true) => ("<", most),
        (_, false, false) => (">", least),
    };
    let limit = match limit {
        i128::MIN => "i128::MIN".to_owned(),
        limit => format!("{limit}{ty}"),
    };
    Some(format!("assert!({value} {operator} {limit});"))
}

/// The text that the tool sees: without fuel.
pub fn without_fuel(text: &str) -> String {
    text.replace("tick!();\n", "")
        .replace("tick!(); ", "")
        .replace("tick!();", "")
}
