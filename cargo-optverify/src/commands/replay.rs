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
    anstream::println!("{}: {}", root.name, counterexample.panic);
    anstream::println!("input: {}", words::inputs(counterexample));
    if let Some(pass) = report.guilty_pass() {
        anstream::println!("safe as written, broken by the pass {}", pass.name);
    }
    anstream::println!();
    // what is undefined may look right: the test has the values on which the builds differ for all to see
    let runs = (!args.in_place || report.guilty_pass().is_some())
        .then(|| native::run(capture, root, counterexample));
    let mut shown = counterexample.clone();
    if let Some(Ok(runs)) = &runs {
        for (name, value) in &runs.inputs {
            shown.inputs.insert(name.clone(), value.clone().into());
        }
    }
    let test = unit_test(&text, root, &shown)?;
    let outcomes = if args.in_place {
        write(&file, &test.inserted(&text))?;
        anstream::println!("{}", test.text);
        anstream::println!("written to {}", file.display());
        match &args.file {
            Some(file) => run::single(file, &args.build, info, &test.name)?,
            None => run::in_package(&args.build, info, &test.name)?,
        }
    } else {
        match &args.output {
            Some(path) => {
                let own = is_test_of_package(path) && args.file.is_none();
                let import = own.then(|| format!("{}\n", test.import));
                write(
                    path,
                    &format!("{}{}", import.unwrap_or_default(), test.text),
                )?;
                anstream::println!("written to {}", path.display());
            }
            None => anstream::println!("{}", test.text),
        }
        let runs = runs.context("nothing was run")?.context(
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

/// A file of the folder `tests` is a crate of its own that has to import the root.
fn is_test_of_package(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::file_name);
    folder.is_some_and(|name| name == "tests")
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("could not make {}", folder.display()))?;
    }
    std::fs::write(path, text).with_context(|| format!("could not write {}", path.display()))
}
