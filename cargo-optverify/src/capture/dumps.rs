//! The dump files of one run: rustc writes hundreds; the ones after each optimization pass of the wanted
//! functions are read, the rest stays in the scratch folder and goes away with it.

use crate::capture::twins;
use anyhow::{Context, Result};
use optverify_engine::capture::Pass;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// One function after one pass.
pub struct Dump {
    pub pass: Pass,
    pub text: String,
}

impl Dump {
    /// Everything but the first line, which names the pass.
    pub fn body(&self) -> &str {
        self.text.split_once('\n').map_or("", |(_, body)| body)
    }
}

/// By the function's path: its dumps in the order of the passes. The first is the MIR before them.
pub type Dumps = BTreeMap<String, Vec<Dump>>;

pub fn collect(dir: &Path, wanted: &BTreeSet<String>) -> Result<Dumps> {
    let mut dumps = Dumps::new();
    let mut names: Vec<String> = Vec::new();
    for entry in
        std::fs::read_dir(dir).with_context(|| format!("no MIR dumps in {}", dir.display()))?
    {
        names.extend(entry?.file_name().into_string());
    }
    names.sort();
    // stem of the file name -> the function's path, as the first of its files says
    let mut stems: BTreeMap<String, String> = BTreeMap::new();
    for name in &names {
        let Some((stem, _)) = parse_file_name(name) else {
            continue;
        };
        if !stems.contains_key(stem) {
            let text = read(&dir.join(name))?;
            if let Some(function) = function_of(&text) {
                stems.insert(stem.to_owned(), function.to_owned());
            }
        }
    }
    let functions = twins::of_stems(&stems);
    for name in names {
        let Some((stem, pass)) = parse_file_name(&name) else {
            continue;
        };
        let Some(function) = functions.get(stem).filter(|f| wanted.contains(*f)) else {
            continue;
        };
        let mut text = read(&dir.join(&name))?;
        if !twins::number(function).is_empty()
            && let Some(printed) = stems.get(stem)
        {
            text = text.replacen(&format!("fn {printed}("), &format!("fn {function}("), 1);
        }
        dumps
            .entry(function.clone())
            .or_default()
            .push(Dump { pass, text });
    }
    for list in dumps.values_mut() {
        list.sort_by(|a, b| a.pass.number.cmp(&b.pass.number));
        list.dedup_by(|a, b| a.pass.number == b.pass.number);
        number_the_last(list);
    }
    Ok(dumps)
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("could not read {}", path.display()))
}

/// `runtime-optimized` opens a phase of its own; in the order of passes it comes one after the last.
fn number_the_last(list: &mut [Dump]) {
    if let [.., before, last] = list
        && last.pass.number.starts_with("3-3-")
    {
        last.pass.index = before.pass.index + 1;
    }
}

/// The function's path of ``// MIR for `m::f` after GVN``.
pub fn function_of(text: &str) -> Option<&str> {
    let header = text.lines().next()?.strip_prefix("// MIR for `")?;
    header.rsplit_once('`').map(|(path, _)| path)
}

/// `crate.m-f.3-2-016.GVN.after.mir`: stem and pass, for the optimization phase and its end.
fn parse_file_name(name: &str) -> Option<(&str, Pass)> {
    let rest = name.strip_suffix(".after.mir")?;
    let (rest, pass) = rest.rsplit_once('.')?;
    let (stem, number) = rest.rsplit_once('.')?;
    if !number.starts_with("3-2-") && !number.starts_with("3-3-") {
        return None;
    }
    let index = number.rsplit('-').next()?.parse().ok()?;
    Some((
        stem,
        Pass {
            number: number.to_owned(),
            index,
            name: pass.to_owned(),
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names() {
        let (stem, pass) = parse_file_name("b.{impl#0}-m.3-2-016.GVN.after.mir").expect("a dump");
        assert_eq!(
            (stem, pass.index, pass.name.as_str()),
            ("b.{impl#0}-m", 16, "GVN")
        );
        assert!(parse_file_name("b.g.-------.renumber.0.mir").is_none());
        assert!(parse_file_name("b.g.2-1-000.analysis.after.mir").is_none());
        assert!(parse_file_name("b.g.3-2-016.GVN.before.mir").is_none());
    }
}
