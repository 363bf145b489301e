//! `cargo optverify replay ROOT`: the counterexample as a unit test, run not optimized and as shipped.

use crate::cli::ReplayArgs;
use crate::commands::verify::timeout;
use crate::exit_code::ExitCode;
use crate::replay::{run, unit_test};
use crate::report::words;
use crate::{isolate, native, source};
use anyhow::{Context, Result};
use optverify_engine::pipeline::Options;
use optverify_engine::report::Verdict;
use std::path::Path;

pub fn run(args: &ReplayArgs) -> Result<ExitCode> {
    let captures = source::captures(args.file.as_deref(), &args.build)?;
    let (capture, root) = captures.root(&args.root)?;
    let options = Options {
        timeout: timeout(root, args.timeout),
        ..Options::default()
    };
    let report = isolate::verify_root(capture, root, &options);
    let Some(counterexample) = &report.counterexample else {
        let why = report.why.as_deref().unwrap_or("it is safe");
        anstream::println!("nothing to replay for {}: {why}", root.name);
        return Ok(match report.verdict {
            Verdict::Safe => ExitCode::AllSafe,
            _ => ExitCode::Unknown,
        });
    };
    let info = &capture.info;
    let file = Path::new(&info.source_root).join(&root.file);
    let text = std::fs::read_to_string(&file)
        .with_context(|| format!("could not read {}", file.display()))?;
    let test = unit_test(&text, root, counterexample)?;
    anstream::println!("{}: {}", root.name, counterexample.panic);
    anstream::println!("input: {}", words::inputs(counterexample));
    if let Some(pass) = report.guilty_pass() {
        anstream::println!("safe as written, broken by the pass {}", pass.name);
    }
    anstream::println!();
    let outcomes = if args.in_place {
        std::fs::write(&file, test.inserted(&text))
            .with_context(|| format!("could not write {}", file.display()))?;
        anstream::println!("{}", test.text);
        anstream::println!("written to {}", file.display());
        match &args.file {
            Some(file) => run::single(file, &args.build, info, &test.name)?,
            None => run::in_package(&args.build, info, &test.name)?,
        }
    } else {
        match &args.output {
            Some(path) => {
                if let Some(folder) = path.parent() {
                    std::fs::create_dir_all(folder)
                        .with_context(|| format!("could not make {}", folder.display()))?;
                }
                std::fs::write(path, &test.text)
                    .with_context(|| format!("could not write {}", path.display()))?;
                anstream::println!("written to {}", path.display());
            }
            None => anstream::println!("{}", test.text),
        }
        let runs = native::run(capture, root, counterexample).context(
            "it could not be run from outside (--in-place puts the test into the source)",
        )?;
        let with: Vec<String> = runs
            .inputs
            .iter()
            .map(|(n, v)| format!("{n} = {v}"))
            .collect();
        if !with.is_empty() {
            anstream::println!("run with {}", with.join(", "));
        }
        run::Outcomes {
            unoptimized: runs.unoptimized,
            optimized: runs.optimized,
        }
    };
    anstream::println!("not optimized: {}", outcomes.unoptimized);
    anstream::println!("as shipped:    {}", outcomes.optimized);
    Ok(ExitCode::Violation)
}
