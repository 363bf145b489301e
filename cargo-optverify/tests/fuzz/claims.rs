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

/// The text that the tool sees: without fuel.
pub fn without_fuel(text: &str) -> String {
    text.replace("tick!();\n", "")
        .replace("tick!(); ", "")
        .replace("tick!();", "")
}
