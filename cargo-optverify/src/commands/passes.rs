//! `cargo optverify passes ROOT`: which pass changed it, and how the proof got through.

use crate::cli::RootArgs;
use crate::commands::verify::timeout;
use crate::exit_code::ExitCode;
use crate::isolate;
use crate::report::human::{style, time};
use crate::report::words;
use crate::source;
use anyhow::Result;
use optverify_engine::pipeline::Options;
use optverify_engine::report::Verdict;

pub fn run(args: &RootArgs) -> Result<ExitCode> {
    let captures = source::captures(
        args.file.as_deref(),
        &args.build,
        std::slice::from_ref(&args.root),
    )?;
    let (capture, root) = captures.root(&args.root)?;
    let options = Options {
        timeout: timeout(root, args.timeout),
        ..Options::default()
    };
    let report = isolate::verify_root(capture, root, &options);
    let reference = &report.reference;
    let shade = style(reference.verdict);
    anstream::println!("{}  ({}:{})", root.name, root.file, root.line);
    let engine = reference
        .engine
        .as_deref()
        .map(|e| format!("proved by {e}"))
        .unwrap_or_default();
    let why = reference.why.as_deref().unwrap_or(&engine);
    anstream::println!(
        "{:>4}  {shade}{:<8}{shade:#} {:<46} {:<13} {:>8}  {why}",
        "",
        reference.verdict.as_str(),
        "reference",
        "",
        time(reference.ms)
    );
    for snapshot in capture.snapshots(&root.function)? {
        let checked = report
            .passes
            .iter()
            .find(|p| p.index == snapshot.index && p.name == snapshot.name);
        let Some(pass) = checked else {
            let change = if snapshot.changed {
                "changed"
            } else {
                "unchanged"
            };
            anstream::println!(
                "{:>4}  {:<8} {:<46} {change}",
                snapshot.index,
                "-",
                snapshot.name
            );
            continue;
        };
        let shade = style(pass.verdict);
        let how = words::how(pass.how);
        anstream::println!(
            "{:>4}  {shade}{:<8}{shade:#} {:<46} {how:<13} {:>8}  {}",
            pass.index,
            pass.verdict.as_str(),
            pass.name,
            time(pass.ms),
            pass.why.as_deref().unwrap_or_default()
        );
    }
    Ok(match report.verdict {
        Verdict::Safe => ExitCode::AllSafe,
        Verdict::Unsafe => ExitCode::Violation,
        Verdict::Unknown => ExitCode::Unknown,
    })
}
