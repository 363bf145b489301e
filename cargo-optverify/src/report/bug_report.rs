//! The text for a bug report about a pass that breaks a program: for rust-lang/rust, as Markdown.

use super::RootResult;
use super::finding::columns;
use super::words::inputs;
use std::fmt::Write;
use std::path::Path;

/// Of all roots that a pass breaks; nothing if there is none.
pub fn text(results: &[RootResult]) -> Option<String> {
    let all: Vec<String> = results.iter().filter_map(one).collect();
    (!all.is_empty()).then(|| all.join("\n---\n\n"))
}

fn one(result: &RootResult) -> Option<String> {
    let report = &result.report;
    let broken = report.broken.as_ref()?;
    let counterexample = report.counterexample.as_ref()?;
    let capture = &result.capture;
    let mut out = String::new();
    let name = &result.root.name;
    let _ = writeln!(out, "# The MIR pass {} miscompiles `{name}`\n", broken.name);
    let source = Path::new(&capture.source_root).join(&result.root.file);
    match std::fs::read_to_string(&source) {
        Ok(text) if text.len() < 20_000 => {
            let _ = writeln!(
                out,
                "I tried this code:\n\n```rust\n{}\n```\n",
                text.trim_end()
            );
        }
        _ => {
            let file = &result.root.file;
            let _ = writeln!(
                out,
                "The code is `{name}` in {file}, line {}.\n",
                result.root.line
            );
        }
    }
    let _ = writeln!(out, "With the input: {}\n", inputs(counterexample));
    let (expected, instead) = match &counterexample.results {
        Some(r) => (r.before.clone(), r.after.clone()),
        None => (
            "the function returns: it cannot panic before this pass (proven)".to_owned(),
            format!(
                "{} ({}:{})",
                counterexample.panic, counterexample.file, counterexample.line
            ),
        ),
    };
    let _ = writeln!(out, "I expected to see this happen: {expected}\n");
    let _ = writeln!(out, "Instead, this happened: {instead}\n");
    if let Some(native) = &result.native {
        let _ = writeln!(out, "Run natively:\n\n```text\n{native}\n```\n");
    }
    let profile = &capture.profile;
    let _ = writeln!(
        out,
        "### Where it goes wrong\n\nThe program is right before the pass {} (number {} of the runtime phases) and wrong after \
         it, at opt-level {}, overflow checks {}, debug assertions {}. The MIR of `{}` before and after:\n\n```text\n{}\n```\n",
        broken.name,
        broken.index,
        profile.opt_level,
        profile.overflow_checks,
        profile.debug_assertions,
        result.root.function,
        columns(&broken.mir, 70)
    );
    let _ = writeln!(
        out,
        "### Meta\n\n`rustc --version --verbose`:\n\n```text\n{}\n```\n\nFound by cargo-optverify {}: the program before the \
         pass is proven, the one after it was refuted by a run of an interpreter of MIR.",
        capture.compiler.verbose.trim(),
        env!("CARGO_PKG_VERSION")
    );
    Some(out)
}
