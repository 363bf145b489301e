//! What the differential test counts and prints.

use std::collections::BTreeMap;

#[derive(Default)]
pub struct Figures {
    pub functions: usize,
    /// Distinct programs: references, and snapshots that differ from the one before.
    pub programs: usize,
    pub executions: usize,
    pub agreed: usize,
    /// Runs that rustc's own broken pass explains.
    pub compiler_bugs: usize,
    refusals: usize,
    /// Runs that end in something unsupported, by reason, with an example.
    unsupported: BTreeMap<String, (usize, String)>,
    differences: Vec<String>,
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
        let entry = self
            .unsupported
            .entry(why.to_owned())
            .or_insert_with(|| (0, example.to_owned()));
        entry.0 += 1;
    }

    pub fn differs(&mut self, how: String) {
        self.differences.push(how);
    }

    pub fn add(&mut self, other: Figures) {
        self.functions += other.functions;
        self.programs += other.programs;
        self.executions += other.executions;
        self.agreed += other.agreed;
        self.compiler_bugs += other.compiler_bugs;
        self.refusals += other.refusals;
        for (why, (n, example)) in other.unsupported {
            self.unsupported.entry(why).or_insert((0, example)).0 += n;
        }
        self.differences.extend(other.differences);
    }

    pub fn print(&self) {
        let unsupported =
            self.executions - self.agreed - self.compiler_bugs - self.differences.len();
        println!(
            "{} functions, {} programs, {} executions: {} agree, {} differ, {} behind rustc's own bug, \
             {} unsupported ({:.1} %), {} programs refused",
            self.functions,
            self.programs,
            self.executions,
            self.agreed,
            self.differences.len(),
            self.compiler_bugs,
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
        let shown: Vec<&String> = self.differences.iter().take(30).collect();
        assert!(
            self.differences.is_empty(),
            "{} differences:\n{shown:#?}",
            self.differences.len()
        );
        assert!(self.agreed > 0, "nothing was compared");
    }
}
