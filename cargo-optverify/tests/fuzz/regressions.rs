//! Programs whose verdict was wrong once: written here by the fuzzer, checked for ever after.
//!
//! `//@ profile:` says in which profile, `//@ truth: panics` or `//@ truth: never panics` before a root what native runs
//! say. Unknown is never wrong.

use crate::functions::File;
use crate::judge::Wrong;
use crate::shrink::{Case, shrink};
use crate::tool::{self, Profile, Verdict};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/regressions")
}

/// Makes the program small and writes it down: what is wrong, in one line.
pub fn record(seed: u64, case: &Case<'_>, file: &File, verdict: &Verdict, work: &Path) -> String {
    let name = &case.function.name;
    let profile = case.profile.name();
    let said = |verdict: &Verdict| match case.wrong {
        Wrong::Safe(stage) => format!(
            "{stage:?} safe (by {}), but it panics on {:?}",
            verdict.engine, case.input
        ),
        Wrong::Unsafe(stage) => format!(
            "{stage:?} unsafe (by {}, `{}` after {}), but it returns on {:?}",
            verdict.engine, verdict.panic, verdict.pass, verdict.inputs
        ),
        Wrong::Broken => format!("{} {}", verdict.code, verdict.why),
    };
    let headline = format!("seed {seed} {name} in {profile}: {}", said(verdict));
    println!("found: {headline}");
    let (text, verdict) = match shrink(case, &file.prelude, &work.join("shrink")) {
        Some(small) => small,
        None if case.wrong == Wrong::Broken => return format!("{headline}: only once"),
        None => {
            println!("  alone, it is not wrong");
            let all = format!("{}#[verify]\n{}", file.prelude, case.function.text);
            (crate::claims::without_fuel(&all), verdict.clone())
        }
    };
    let truth = match case.wrong {
        Wrong::Safe(_) => "panics",
        Wrong::Unsafe(_) => "never panics",
        Wrong::Broken => "breaks the tool",
    };
    let path = folder().join(format!("seed{seed}_{name}_{profile}.rs"));
    let text = format!(
        "//! Found by the fuzzer: {}\n//@ profile: {profile}\n//@ truth: {truth}\n{}\nuse optverify::verify;\n{text}",
        said(&verdict).replace('\n', " "),
        crate::ALLOWED.trim_end(),
    );
    if let Err(e) = std::fs::write(&path, &text) {
        println!("{} cannot be written: {e}", path.display());
    }
    println!("{}:\n{text}", path.display());
    format!("{headline}: {}", path.display())
}

/// The truth of a root: the last one that stands before it.
fn truth<'a>(text: &'a str, root: &str) -> Option<&'a str> {
    let before = text.split(&format!("fn {root}(")).next()?;
    let mut lines = before.lines().rev();
    lines.find_map(|l| l.strip_prefix("//@ truth: "))
}

fn check(file: &Path) -> Result<usize, String> {
    let text = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
    let profile = match text.lines().find_map(|l| l.strip_prefix("//@ profile: ")) {
        Some("dev") => Profile::Dev,
        Some("release") => Profile::Release,
        other => return Err(format!("no profile: {other:?}")),
    };
    let verdicts = tool::verdicts(file, profile, 10_000)?;
    for (root, verdict) in &verdicts {
        let all = [&verdict.overall, &verdict.reference, &verdict.optimized];
        let says = |word: &str| all.iter().any(|v| *v == word);
        let truth = truth(&text, root).ok_or_else(|| format!("{root} has no truth"))?;
        let wrong = match truth {
            "panics" => says("safe"),
            "never panics" => says("unsafe"),
            "breaks the tool" => verdict.is_broken(),
            other => return Err(format!("what truth is `{other}`?")),
        };
        if wrong {
            return Err(format!("{root} {truth}, but: {verdict:?}"));
        }
    }
    Ok(verdicts.len())
}

#[test]
fn verdicts_that_were_wrong_once_are_not() {
    let entries = std::fs::read_dir(folder()).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|e| e.path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "rs"));
    files.sort();
    let (mut roots, mut wrong) = (0, vec![]);
    for file in &files {
        match check(file) {
            Ok(checked) => roots += checked,
            Err(why) => wrong.push(format!("{}: {why}", file.display())),
        }
    }
    println!("{roots} regressions are right, {} are wrong", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
