//! The one place that decides whether a run passes.

use crate::exit_code::ExitCode;
use crate::report::RootResult;
use optverify_engine::report::Verdict;

/// `#[verify(expect = "unsafe")]` turns a root into a test of the tool: it passes when the verdict is the
/// expected one.
pub fn decide(results: &[RootResult]) -> ExitCode {
    let mut worst = if results.is_empty() {
        ExitCode::Unknown
    } else {
        ExitCode::AllSafe
    };
    for result in results {
        let expected = match result.root.options.get("expect").map(String::as_str) {
            Some("unsafe") => Verdict::Unsafe,
            _ => Verdict::Safe,
        };
        let this = match result.report.verdict {
            verdict if verdict == expected => ExitCode::AllSafe,
            Verdict::Safe | Verdict::Unsafe => ExitCode::Violation,
            Verdict::Unknown => ExitCode::Unknown,
        };
        worst = match (worst, this) {
            (ExitCode::Violation, _) | (_, ExitCode::Violation) => ExitCode::Violation,
            (ExitCode::Unknown, _) | (_, ExitCode::Unknown) => ExitCode::Unknown,
            _ => ExitCode::AllSafe,
        };
    }
    worst
}
