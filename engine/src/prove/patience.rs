//! Patience: an engine's share of the time is meant as time of a processor, not of the clock.
//!
//! On a machine with four busy processes for each core an engine that is given 1.5 seconds works for 0.4, and what is
//! decided alone is not decided beside others. Linux counts for every thread how long it ran and how long it waited for a
//! core; shares grow by what that says. The deadline of the root stays what it is: it is the user's, and of the clock.
//! Where nothing is counted (other systems) shares are of the clock.

/// A machine that is busier than this is waited for no longer.
const MOST: f64 = 6.0;

/// Too little to say how busy the machine is.
const LEAST_NANOS: f64 = 2e6;

/// Milliseconds of the clock in which this thread can be expected to work for `millis`.
pub fn patience(millis: u64) -> u64 {
    let counted = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let factor = counted.and_then(|text| factor(&text)).unwrap_or(1.0);
    (millis as f64 * factor) as u64
}

/// How much longer things take than they would on an idle machine: from nanoseconds run, nanoseconds waited.
fn factor(schedstat: &str) -> Option<f64> {
    let mut numbers = schedstat.split_whitespace().map(|n| n.parse::<f64>().ok());
    let (ran, waited) = (numbers.next()??, numbers.next()??);
    (ran >= LEAST_NANOS).then(|| ((ran + waited) / ran).clamp(1.0, MOST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_makes_patient() {
        assert_eq!(factor("4000000 0 7\n"), Some(1.0));
        assert_eq!(factor("4000000 4000000 7\n"), Some(2.0));
        assert_eq!(factor("4000000 900000000 7\n"), Some(MOST));
    }

    #[test]
    fn what_says_nothing_changes_nothing() {
        for text in ["", "12", "x y z", "0 0 0", "100 4000 1"] {
            assert_eq!(factor(text), None, "{text}");
        }
        assert!(patience(100) >= 100);
    }
}
