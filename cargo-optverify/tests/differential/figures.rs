//! What the differential test counts and prints.

use std::collections::BTreeMap;

#[derive(Default)]
pub struct Figures {
    pub functions: usize,
    /// Distinct programs: references, and snapshots that differ from the one before.
    pub programs: usize,
    pub executions: usize,
    pub agreed: usize,
    refusals: usize,
    /// Runs that end in something unsupported, by reason, with an example.
    unsupported: BTreeMap<String, (usize, String)>,
    /// By function, stage and what differs: how often, and on which arguments first.
    differences: BTreeMap<String, (usize, String)>,
}

impl Figures {
    pub fn unsupported(&mut self, seed: u64, function: &str, why: &str) {
        self.count(why, &format!("seed {seed} {function}"));
    }

    /// A snapshot that has no program at all.
    pub fn refused(&mut self, seed: u64, function: &str, stage: &str, why: &str) {
        self.refusals += 1;
        self.count(
            &format!("refused: {why}"),
            &format!("seed {seed} {function} {stage}"),
        );
    }

    fn count(&mut self, why: &str, example: &str) {
        let why = why.split(" (MIR line").next().unwrap_or(why);
        let entry = self
            .unsupported
            .entry(why.to_owned())
            .or_insert_with(|| (0, example.to_owned()));
        entry.0 += 1;
    }

    pub fn differs(&mut self, seed: u64, function: &str, stage: &str, call: String) {
        let key = format!("seed {seed} {function} after {stage}");
        self.differences.entry(key).or_insert((0, call)).0 += 1;
    }

    fn different(&self) -> usize {
        self.differences.values().map(|(n, _)| n).sum()
    }

    pub fn add(&mut self, other: Figures) {
        self.functions += other.functions;
        self.programs += other.programs;
        self.executions += other.executions;
        self.agreed += other.agreed;
        self.refusals += other.refusals;
        for (why, (n, example)) in other.unsupported {
            self.unsupported.entry(why).or_insert((0, example)).0 += n;
        }
        for (key, (n, call)) in other.differences {
            self.differences.entry(key).or_insert((0, call)).0 += n;
        }
    }

    pub fn print(&self) {
        let unsupported = self.executions - self.agreed - self.different();
        println!(
            "{} functions, {} programs, {} executions: {} agree, {} differ, \
             {} unsupported ({:.1} %), {} programs refused",
            self.functions,
            self.programs,
            self.executions,
            self.agreed,
            self.different(),
            unsupported,
            100.0 * unsupported as f64 / self.executions.max(1) as f64,
            self.refusals
        );
        let mut reasons: Vec<_> = self.unsupported.iter().collect();
        reasons.sort_by_key(|(_, (n, _))| std::cmp::Reverse(*n));
        for (why, (n, example)) in reasons.iter().take(40) {
            println!("  {n:6} {why} ({example})");
        }
    }

    pub fn assert_no_difference(&self) {
        let shown = self.differences.iter().take(60);
        let shown: Vec<String> = shown
            .map(|(k, (n, c))| format!("{k}: {n}, first {c}"))
            .collect();
        assert!(
            self.differences.is_empty(),
            "{} differences:\n{}",
            self.different(),
            shown.join("\n")
        );
        assert!(self.agreed > 0, "nothing was compared");
    }
}
