//! Contracts that stand for calls: the verdict of a root that uses one depends on the root that proves it.
//!
//! Each root is verified once, on its own, and says at which stages it used whose contracts. A stage is safe only if the
//! roots of those contracts are safe at the same stage, and theirs in turn; roots that use each other's are safe together
//! or not at all (the largest set that holds: the induction is over the depth of calls). Roots that others need are
//! verified even if nobody asked for them.

use optverify_engine::capture::{Capture, Root};
use optverify_engine::report::{RootReport, Verdict};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Of a root: may contracts of others stand for calls?
type Key = (PathBuf, String, bool);

/// Verifies a root, with or without contracts of others.
type Verify<'a> = dyn Fn(&Capture, &Root, bool) -> RootReport + Sync + 'a;

/// The reports of one run, each made once: by whom it is needed first.
pub struct Reports<'a> {
    verify: Box<Verify<'a>>,
    made: Mutex<HashMap<Key, Arc<OnceLock<RootReport>>>>,
}

impl<'a> Reports<'a> {
    pub fn new(verify: impl Fn(&Capture, &Root, bool) -> RootReport + Sync + 'a) -> Self {
        Self {
            verify: Box::new(verify),
            made: Mutex::default(),
        }
    }

    /// As the root's own process says.
    fn raw(&self, capture: &Capture, root: &Root, contracts: bool) -> RootReport {
        let key = (
            capture.dir().to_path_buf(),
            root.function.clone(),
            contracts,
        );
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let cell = Arc::clone(made.entry(key).or_default());
        drop(made);
        let make = || (self.verify)(capture, root, contracts);
        cell.get_or_init(make).clone()
    }

    /// The report on a root, with what it depends on taken into account.
    pub fn of(&self, capture: &Capture, root: &Root) -> RootReport {
        let own = self.raw(capture, root, true);
        if used(&own).next().is_none() {
            return own;
        }
        let mut all = BTreeMap::from([(root.name.clone(), own)]);
        let mut alone = BTreeSet::new();
        loop {
            self.complete(capture, &mut all);
            let settled = settled(&all);
            // What does not hold by contracts may hold by bodies.
            let mut names = all.keys();
            let lost =
                names.find(|n| all[*n].verdict != settled[*n].verdict && !alone.contains(*n));
            let Some(lost) = lost.cloned() else {
                let report = settled.get(&root.name).cloned();
                return report.unwrap_or_else(|| RootReport::unknown("the verification was lost"));
            };
            let roots = capture.roots().iter();
            for r in roots.filter(|r| r.name == lost) {
                let report = self.raw(capture, r, false);
                if report.verdict != Verdict::Unknown {
                    all.insert(lost.clone(), report);
                }
            }
            alone.insert(lost);
        }
    }

    /// Adds the reports of the roots whose contracts are used.
    fn complete(&self, capture: &Capture, all: &mut BTreeMap<String, RootReport>) {
        loop {
            let named = all.values().flat_map(used).cloned();
            let missing: BTreeSet<String> = named.filter(|n| !all.contains_key(n)).collect();
            let roots = capture.roots().iter();
            let roots: Vec<&Root> = roots.filter(|r| missing.contains(&r.name)).collect();
            if roots.is_empty() {
                return;
            }
            for root in roots {
                let report = self.raw(capture, root, true);
                all.insert(root.name.clone(), report);
            }
        }
    }
}

/// The roots whose contracts a report uses, repeated.
fn used(report: &RootReport) -> impl Iterator<Item = &String> {
    let of_passes = report.passes.iter().flat_map(|p| &p.contracts);
    report.reference.contracts.iter().chain(of_passes)
}

/// What is left of the verdicts: whatever rests on a contract that is not proven is unknown.
fn settled(raw: &BTreeMap<String, RootReport>) -> BTreeMap<String, RootReport> {
    let mut all = raw.clone();
    while let Some((name, why)) = all.iter().find_map(|(name, r)| {
        let why = first_unmet(r, &all)?;
        Some((name.clone(), why))
    }) {
        if let Some(report) = all.get_mut(&name) {
            demote(report, why);
        }
    }
    for (name, report) in raw {
        if all[name].verdict != Verdict::Safe {
            continue;
        }
        // what the contracts' proofs rest on, this one rests on
        let mut rests_on = all[name].assumptions.clone();
        for other in used_at_last(name, report, raw) {
            for assumption in &raw[&other].assumptions {
                match rests_on.iter_mut().find(|a| a.code == assumption.code) {
                    None => rests_on.push(assumption.clone()),
                    Some(known) => {
                        known.names.extend(assumption.names.iter().cloned());
                        known.names.sort();
                        known.names.dedup();
                    }
                }
            }
        }
        if let Some(report) = all.get_mut(name) {
            report.assumptions = rests_on;
        }
    }
    all
}

/// The roots whose contracts a root uses, directly or not.
fn used_at_last(
    name: &str,
    report: &RootReport,
    all: &BTreeMap<String, RootReport>,
) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut todo: Vec<&String> = used(report).collect();
    while let Some(other) = todo.pop() {
        if other != name
            && let Some(report) = all.get(other)
            && seen.insert(other.clone())
        {
            todo.extend(used(report));
        }
    }
    seen
}

/// The first stage (0 is the reference) that is called safe because of a contract which is not proven there, and why.
fn first_unmet(report: &RootReport, all: &BTreeMap<String, RootReport>) -> Option<(usize, String)> {
    let is_safe = |v: Verdict| v == Verdict::Safe;
    let of_reference = is_safe(report.reference.verdict).then_some(&report.reference.contracts);
    for name in of_reference.into_iter().flatten() {
        let verdict = all.get(name).map(|r| r.reference.verdict);
        if verdict != Some(Verdict::Safe) {
            return Some((0, unmet(name, verdict)));
        }
    }
    for (at, pass) in report.passes.iter().enumerate() {
        if !is_safe(pass.verdict) {
            continue;
        }
        for name in &pass.contracts {
            let passes = all.get(name).map(|r| &r.passes);
            let mut passes = passes.into_iter().flatten();
            let same = passes.find(|p| p.index == pass.index && p.name == pass.name);
            let verdict = same.map(|p| p.verdict);
            if verdict != Some(Verdict::Safe) {
                return Some((at + 1, unmet(name, verdict)));
            }
        }
    }
    None
}

fn unmet(name: &str, verdict: Option<Verdict>) -> String {
    let verdict = verdict.map_or("not verified at this stage", Verdict::as_str);
    format!("rests on the contract of `{name}`, which is {verdict}")
}

/// From this stage on nothing is proven: what comes after a stage may rest on it.
fn demote(report: &mut RootReport, (stage, why): (usize, String)) {
    if stage == 0 {
        report.reference.verdict = Verdict::Unknown;
        report.reference.why = Some(why.clone());
        report.proof.clear();
    }
    let passes = report.passes.iter_mut().skip(stage.saturating_sub(1));
    for pass in passes.filter(|p| p.verdict == Verdict::Safe) {
        pass.verdict = Verdict::Unknown;
        pass.why = Some(why.clone());
    }
    let last = report.passes.last().map(|p| p.verdict);
    report.optimized.verdict = last.unwrap_or(report.reference.verdict);
    report.verdict = report.reference.verdict.and(report.optimized.verdict);
    if report.verdict == Verdict::Unknown {
        report.why = Some(why);
        report.assumptions.clear();
        report.vacuous.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use optverify_engine::report::{AssumptionReport, PassReport};

    const SAFE: Verdict = Verdict::Safe;
    const UNKNOWN: Verdict = Verdict::Unknown;

    /// Verdicts before and after two passes, and the contracts used at each stage.
    fn report(verdicts: [Verdict; 3], contracts: &[&str]) -> RootReport {
        let contracts: Vec<String> = contracts.iter().map(|c| (*c).to_owned()).collect();
        let mut report = RootReport::unknown("");
        report.why = None;
        report.reference.verdict = verdicts[0];
        report.reference.contracts.clone_from(&contracts);
        for (index, verdict) in (0..).zip(&verdicts[1..]) {
            report.passes.push(PassReport {
                index,
                name: format!("Pass{index}"),
                verdict: *verdict,
                how: None,
                ms: 0,
                prepare_ms: 0,
                scratch_ms: None,
                why: None,
                closed: None,
                refines: None,
                contracts: contracts.clone(),
            });
        }
        report.optimized.verdict = verdicts[2];
        report.verdict = verdicts[0].and(verdicts[2]);
        report.assumptions = vec![AssumptionReport {
            code: format!("of {}", contracts.len()),
            text: String::new(),
            names: vec![],
        }];
        report
    }

    fn all(reports: &[(&str, RootReport)]) -> BTreeMap<String, RootReport> {
        let reports = reports.iter();
        let reports = reports.map(|(name, report)| ((*name).to_owned(), report.clone()));
        settled(&reports.collect())
    }

    fn stages(report: &RootReport) -> [Verdict; 3] {
        let passes = &report.passes;
        [
            report.reference.verdict,
            passes[0].verdict,
            passes[1].verdict,
        ]
    }

    #[test]
    fn safe_if_the_contract_is() {
        let found = all(&[
            ("f", report([SAFE; 3], &["g"])),
            ("g", report([SAFE; 3], &["h", "g"])),
            ("h", report([SAFE; 3], &["g"])),
        ]);
        assert!(found.values().all(|r| r.verdict == SAFE));
        let codes = found["f"].assumptions.iter().map(|a| a.code.as_str());
        assert_eq!(codes.collect::<Vec<_>>(), ["of 1", "of 2"]);
    }

    #[test]
    fn what_rests_on_something_unproven_is_unknown_however_far_away() {
        for wrong in [UNKNOWN, Verdict::Unsafe] {
            let found = all(&[
                ("f", report([SAFE; 3], &["g"])),
                ("g", report([SAFE; 3], &["h"])),
                ("h", report([wrong; 3], &["f"])),
                ("other", report([SAFE; 3], &[])),
            ]);
            for name in ["f", "g"] {
                assert_eq!(stages(&found[name]), [UNKNOWN; 3]);
                assert_eq!(found[name].verdict, UNKNOWN);
                assert!(
                    found[name]
                        .why
                        .as_ref()
                        .is_some_and(|w| w.contains("contract of"))
                );
                assert!(found[name].assumptions.is_empty());
            }
            assert_eq!(found["h"].verdict, wrong);
            assert_eq!(found["other"].verdict, SAFE);
        }
    }

    #[test]
    fn a_root_that_is_not_there_proves_nothing() {
        let found = all(&[("f", report([SAFE; 3], &["g"]))]);
        assert_eq!(found["f"].verdict, UNKNOWN);
    }

    #[test]
    fn stages_are_told_apart() {
        let found = all(&[
            ("f", report([SAFE; 3], &["g"])),
            ("g", report([SAFE, UNKNOWN, SAFE], &[])),
        ]);
        assert_eq!(stages(&found["f"]), [SAFE, UNKNOWN, UNKNOWN]);
        assert_eq!(found["f"].verdict, UNKNOWN);
        // the same pass, not one with its number
        let mut other = report([SAFE; 3], &[]);
        other.passes[1].name = "Another".into();
        let found = all(&[("f", report([SAFE; 3], &["g"])), ("g", other)]);
        assert_eq!(stages(&found["f"]), [SAFE, SAFE, UNKNOWN]);
    }

    #[test]
    fn a_violation_needs_no_contract() {
        let unsafe_one = report([SAFE, SAFE, Verdict::Unsafe], &["g"]);
        let found = all(&[("f", unsafe_one), ("g", report([UNKNOWN; 3], &[]))]);
        assert_eq!(stages(&found["f"]), [UNKNOWN, UNKNOWN, Verdict::Unsafe]);
        assert_eq!(found["f"].verdict, Verdict::Unsafe);
    }
}
