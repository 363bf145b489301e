//! `cargo optverify explain ROOT`: the proof, as lemmas at the loops of the source.

use crate::cli::RootArgs;
use crate::commands::verify::timeout;
use crate::exit_code::ExitCode;
use crate::isolate;
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
    let by = report.reference.engine.as_deref().unwrap_or("none");
    anstream::println!("{}  ({}:{})", root.name, root.file, root.line);
    match report.reference.verdict {
        Verdict::Safe => anstream::println!("the reference is safe, proved by {by}:"),
        Verdict::Unsafe => {
            anstream::println!("the reference is unsafe: run `cargo optverify` for the input");
            return Ok(ExitCode::Violation);
        }
        Verdict::Unknown => {
            let why = report.reference.why.as_deref().unwrap_or("no reason given");
            anstream::println!("nothing is proven: {why}");
            return Ok(ExitCode::Unknown);
        }
    }
    if report.proof.is_empty() {
        anstream::println!("  every run was followed to its end: no loop needed a lemma");
    }
    for place in &report.proof {
        anstream::println!(
            "  at the loop of line {}, whenever control is there:",
            place.line
        );
        if place.lemmas.is_empty() {
            anstream::println!("    (nothing needs to be known)");
        }
        for lemma in &place.lemmas {
            anstream::println!("    {lemma}");
        }
    }
    anstream::println!("every step was checked again in a fresh solver");
    Ok(match report.verdict {
        Verdict::Safe => ExitCode::AllSafe,
        Verdict::Unsafe => ExitCode::Violation,
        Verdict::Unknown => ExitCode::Unknown,
    })
}
