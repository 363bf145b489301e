//! `--certify`: the independent checker's word on a root that was just verified.
//!
//! It can only take away: a safe verdict whose proof is refuted becomes unknown. What it cannot check is counted.

use crate::commands::check_proof;
use optverify_checker::{SnapshotCheck, Verdict as Checked};
use optverify_engine::capture::{Capture, Root};
use optverify_engine::report::{RootReport, Verdict};
use std::path::Path;
use std::time::Duration;

const SOLVER_TIMEOUT: Duration = Duration::from_secs(20);

/// Checks the root's proofs, if it has any, and corrects the report.
pub fn certify(capture: &Capture, root: &Root, proof: &Path, report: &mut RootReport) {
    let is_safe = |v: Verdict| v == Verdict::Safe;
    let claims =
        is_safe(report.reference.verdict) || report.passes.iter().any(|p| is_safe(p.verdict));
    if !claims {
        return;
    }
    match check_proof::isolated(capture, root, proof, SOLVER_TIMEOUT, None) {
        Ok(checked) => apply(root, &checked, report),
        Err(e) => report
            .notes
            .push(format!("{}: no proof was checked again: {e:#}", root.name)),
    }
}

fn apply(root: &Root, checked: &[SnapshotCheck], report: &mut RootReport) {
    let count = |is: fn(&Checked) -> bool| checked.iter().filter(|c| is(&c.verdict)).count();
    let valid = count(|v| matches!(v, Checked::Valid { .. }));
    let refuted = count(|v| matches!(v, Checked::Refuted(_)));
    let mut note = format!(
        "{}: the checker confirms the proofs of {valid} of {} snapshots",
        root.name,
        checked.len()
    );
    let why = checked.iter().find_map(|c| match &c.verdict {
        Checked::NotCheckable(why) | Checked::GaveUp(why) => Some(why),
        _ => None,
    });
    if let Some(why) = why {
        note.push_str(&format!(
            ", {} are not checkable (the first: {why})",
            checked.len() - valid - refuted
        ));
    }
    report.notes.push(note);
    let said = |what: &str| format!("the independent checker refutes the proof: {what}");
    // the reference first, then one for each pass
    let mut each = checked.iter();
    if let Some(Checked::Refuted(what)) = each.next().map(|c| &c.verdict)
        && report.reference.verdict == Verdict::Safe
    {
        report.reference.verdict = Verdict::Unknown;
        report.reference.why = Some(said(what));
    }
    for (pass, c) in report.passes.iter_mut().zip(each) {
        if let Checked::Refuted(what) = &c.verdict
            && pass.verdict == Verdict::Safe
        {
            pass.verdict = Verdict::Unknown;
            pass.why = Some(said(what));
        }
    }
    if refuted == 0 || report.verdict != Verdict::Safe {
        return;
    }
    if let Some(last) = report.passes.last() {
        report.optimized.verdict = last.verdict;
    }
    report.verdict = report.reference.verdict.and(report.optimized.verdict);
    if report.verdict == Verdict::Unknown {
        let last = report.passes.last().and_then(|p| p.why.clone());
        report.why = report.reference.why.clone().or(last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> Root {
        Root {
            name: "p::f".into(),
            function: "f".into(),
            file: "p.rs".into(),
            line: 1,
            harness: false,
            options: Default::default(),
        }
    }

    fn safe() -> RootReport {
        let mut report = RootReport::unknown("");
        report.verdict = Verdict::Safe;
        report.reference.verdict = Verdict::Safe;
        report.optimized.verdict = Verdict::Safe;
        (report.why, report.reference.why) = (None, None);
        report
    }

    fn check(verdict: Checked) -> Vec<SnapshotCheck> {
        vec![SnapshotCheck {
            number: "reference".into(),
            name: "reference".into(),
            verdict,
            same: false,
            ms: 0,
        }]
    }

    #[test]
    fn the_checker_can_only_take_away() {
        let mut report = safe();
        apply(
            &root(),
            &check(Checked::Valid { second: None }),
            &mut report,
        );
        assert_eq!(report.verdict, Verdict::Safe);
        apply(
            &root(),
            &check(Checked::NotCheckable("heap".into())),
            &mut report,
        );
        assert_eq!(report.verdict, Verdict::Safe);
        assert!(report.notes[1].contains("heap"), "{:?}", report.notes);
        apply(
            &root(),
            &check(Checked::Refuted("lemma 1".into())),
            &mut report,
        );
        assert_eq!(report.verdict, Verdict::Unknown);
        assert!(report.why.is_some_and(|why| why.contains("lemma 1")));
        let mut wrong = safe();
        wrong.verdict = Verdict::Unsafe;
        apply(
            &root(),
            &check(Checked::Refuted("lemma 1".into())),
            &mut wrong,
        );
        assert_eq!(wrong.verdict, Verdict::Unsafe);
    }
}
