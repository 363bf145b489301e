//! The dump files of one run: rustc writes hundreds; the ones after each optimization pass of the wanted
//! functions are read, the rest stays in the scratch folder and goes away with it. Where not every pass was dumped, the text
//! before the next one stands for the text after it.

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

/// `order`: the passes that every function has, if only some were dumped; nothing comes back if one has others.
pub fn collect(dir: &Path, wanted: &BTreeSet<String>, order: &[Pass]) -> Result<Option<Dumps>> {
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
        let Some((stem, ..)) = parse_file_name(name) else {
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
        let Some((stem, mut pass, side)) = parse_file_name(&name) else {
            continue;
        };
        if side == Side::Before && order.is_empty() {
            continue;
        }
        let Some(function) = functions.get(stem).filter(|f| wanted.contains(*f)) else {
            continue;
        };
        let mut text = read(&dir.join(&name))?;
        if side == Side::Before {
            let at = order
                .iter()
                .position(|p| p.number == pass.number && p.name == pass.name);
            let Some(previous) = at.and_then(|at| order[..at].last()) else {
                return Ok(None);
            };
            let (here, there) = (
                format!("` before {}", pass.name),
                format!("` after {}", previous.name),
            );
            text = text.replacen(&here, &there, 1);
            pass = previous.clone();
        }
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
    let mut differ = false;
    for list in dumps.values_mut() {
        list.sort_by(|a, b| a.pass.number.cmp(&b.pass.number));
        list.dedup_by(|a, b| {
            let is_same = a.pass.number == b.pass.number;
            differ |= is_same && !order.is_empty() && a.body() != b.body();
            is_same
        });
        number_the_last(list);
        let numbers = list.iter().map(|d| (&d.pass.number, &d.pass.name));
        let all = order.iter().map(|p| (&p.number, &p.name));
        differ |= !order.is_empty() && !numbers.eq(all);
    }
    Ok((!differ).then_some(dumps))
}

fn read(path: &Path) -> Result<String> {
    crate::capture::mir_text::read(path)
        .with_context(|| format!("could not read {}", path.display()))
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

/// Of a pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    Before,
    After,
}

/// Runs on the body of a `const fn` that the compiler itself evaluates, under the number of the first pass.
const FOR_THE_COMPILER: &str = "CtfeLimit";

/// `crate.m-f.3-2-016.GVN.after.mir`: stem and pass, for the optimization phase and its end.
fn parse_file_name(name: &str) -> Option<(&str, Pass, Side)> {
    let (rest, side) = match name.strip_suffix(".before.mir") {
        Some(rest) => (rest, Side::Before),
        None => (name.strip_suffix(".after.mir")?, Side::After),
    };
    let (rest, pass) = rest.rsplit_once('.')?;
    let (stem, number) = rest.rsplit_once('.')?;
    if !number.starts_with("3-2-") && !number.starts_with("3-3-") || pass == FOR_THE_COMPILER {
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
        side,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names() {
        let (stem, pass, side) =
            parse_file_name("b.{impl#0}-m.3-2-016.GVN.after.mir").expect("a dump");
        assert_eq!(
            (stem, pass.index, pass.name.as_str(), side),
            ("b.{impl#0}-m", 16, "GVN", Side::After)
        );
        let before = parse_file_name("b.g.3-2-016.GVN.before.mir").expect("a dump");
        assert_eq!(before.2, Side::Before);
        assert!(parse_file_name("b.g.-------.renumber.0.mir").is_none());
        assert!(parse_file_name("b.g.2-1-000.analysis.after.mir").is_none());
        assert!(parse_file_name("b.g.3-2-001.CtfeLimit.after.mir").is_none());
    }

    /// What `collect` makes of files of `f`, given as pass, side and text; passes P1 to P3 between two markers.
    fn collected(files: &[(&str, &str, &str)]) -> Option<Vec<(String, String)>> {
        let stage = |(index, name): (u32, &str)| Pass {
            number: match name {
                "last" => "3-3-000".to_owned(),
                _ => format!("3-2-{index:03}"),
            },
            index,
            name: name.to_owned(),
        };
        let names = ["first", "P1", "P2", "P3", "last"];
        let order: Vec<Pass> = (0..).zip(names).map(stage).collect();
        let dir = tempfile::tempdir().expect("a folder");
        for (pass, side, text) in files {
            let number = (order.iter().find(|p| p.name == *pass)).map_or("3-2-009", |p| &p.number);
            let name = format!("c.f.{number}.{pass}.{side}.mir");
            let text = format!("// MIR for `f` {side} {pass}\n{text}");
            std::fs::write(dir.path().join(name), text).expect("a file");
        }
        let wanted = BTreeSet::from(["f".to_owned()]);
        let found = collect(dir.path(), &wanted, &order).expect("readable")?;
        let list = found["f"].iter();
        Some(
            list.map(|d| (d.pass.name.clone(), d.text.clone()))
                .collect(),
        )
    }

    #[test]
    fn the_text_before_a_pass_is_that_after_the_one_before_it() {
        let some = [
            ("first", "after", "a"),
            ("P2", "before", "b"),
            ("P2", "after", "c"),
            ("P3", "before", "c"),
            ("P3", "after", "d"),
            ("last", "after", "d"),
        ];
        let found = collected(&some).expect("all passes");
        let expected = [
            ("first", "a"),
            ("P1", "b"),
            ("P2", "c"),
            ("P3", "d"),
            ("last", "d"),
        ];
        for ((name, text), (pass, body)) in found.iter().zip(expected) {
            assert_eq!(
                (name.as_str(), text),
                (pass, &format!("// MIR for `f` after {pass}\n{body}"))
            );
        }
        assert_eq!(found.len(), expected.len());
        // one that is missing, one that nobody knows, two texts of one stage
        assert_eq!(collected(&some[..5]), None);
        assert_eq!(
            collected(&[&some[..], &[("P9", "before", "c")]].concat()),
            None
        );
        let mut other = some;
        other[3].2 = "e";
        assert_eq!(collected(&other), None);
    }
}
