//! JUnit XML: a suite per package, a case per root. A violation is a failure, unknown an error, what a baseline
//! accepts is skipped.

use crate::gate::Judgement;
use crate::report::reason::Code;
use crate::report::{Reporter, RootResult, Summary, Target, words};
use anyhow::Result;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

pub struct JunitReporter(pub Target);

impl Reporter for JunitReporter {
    fn root(&mut self, _result: &RootResult) {}

    fn finished(&mut self, results: &[RootResult], summary: &Summary) -> Result<()> {
        let mut report = Report::new("cargo-optverify");
        report.set_time(Duration::from_millis(summary.ms));
        let mut packages: Vec<&str> = results.iter().map(|r| r.capture.package.as_str()).collect();
        packages.sort_unstable();
        packages.dedup();
        for package in packages {
            let of_it: Vec<&RootResult> = results
                .iter()
                .filter(|r| r.capture.package == package)
                .collect();
            let mut suite = TestSuite::new(package);
            let total = of_it.iter().map(|r| r.report.ms).sum();
            suite.set_time(Duration::from_millis(total));
            if let Some(first) = of_it.first() {
                suite.add_property(("rustc", first.capture.compiler.version.as_str()));
                suite.add_property(("profile", first.capture.profile.name.as_str()));
                suite.add_property(("target", first.capture.target.as_str()));
            }
            suite.add_test_cases(of_it.into_iter().map(case));
            report.add_test_suite(suite);
        }
        self.0.write(&report.to_string()?)
    }
}

fn case(result: &RootResult) -> TestCase {
    let title = words::title(result).unwrap_or_default();
    let not_success = |kind| {
        let mut status = TestCaseStatus::non_success(kind);
        status
            .set_message(title.as_str())
            .set_type(Code::of_report(&result.report).map_or("optverify", |c| c.id))
            .set_description(description(result));
        status
    };
    let status = match &result.judgement {
        Judgement::Passes => TestCaseStatus::success(),
        Judgement::Violation => not_success(NonSuccessKind::Failure),
        Judgement::Unknown => not_success(NonSuccessKind::Error),
        Judgement::Accepted(_) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(words::excuse(result).unwrap_or_default());
            status
        }
    };
    let mut case = TestCase::new(result.root.name.as_str(), status);
    case.set_classname(result.capture.package.as_str());
    case.set_time(Duration::from_millis(result.report.ms));
    case.extra
        .insert("file".into(), result.root.file.as_str().into());
    case.extra
        .insert("line".into(), result.root.line.to_string().into());
    case
}

fn description(result: &RootResult) -> String {
    let place = words::place(result);
    let (file, line) = (place.file, place.line);
    let mut text = format!("{}\nat {file}:{line}\n", words::paragraph(result));
    for (index, step) in result
        .report
        .counterexample
        .iter()
        .flat_map(|c| &c.steps)
        .enumerate()
    {
        text += &format!(
            "{}. {}:{}: {}\n",
            index + 1,
            step.file,
            step.line,
            step.what
        );
    }
    text
}
