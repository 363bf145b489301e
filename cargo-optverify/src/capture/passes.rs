//! Which dumps the compiler is asked for. It prints the MIR before and after every pass that the filter names, and in every
//! phase, which takes ten times as long as the compile itself. But the text after a pass is the text before the next one:
//! where a crate has many functions that are wanted, every second pass of the optimizations is enough for all of them.
//!
//! Which passes there are is asked first, by a compile of one empty function with the same flags. A function that turns
//! out to have others (`#[optimize(none)]`) makes the crate be dumped as a whole.

use crate::capture::command::RustcCommand;
use crate::capture::dumps::{self, Dumps};
use crate::capture::runs::Run;
use anyhow::Result;
use optverify_engine::capture::Pass;
use std::collections::BTreeSet;
use std::path::Path;

/// The functions whose passes are wanted.
pub struct Wanted<'a> {
    pub functions: &'a BTreeSet<String>,
    /// All of the crate.
    pub n_bodies: usize,
}

/// A compile with what it dumped; nothing where it failed.
pub struct Dumped {
    pub run: Run,
    pub dumps: Dumps,
}

/// Below this the question costs more than the answer saves.
const MANY: usize = 20;

/// A command line ends somewhere; beyond this rustc dumps what nobody asked for.
const LONGEST_FILTER: usize = 60_000;

/// The one function of the crate that is asked.
const PROBE: &str = "optverify_probe";

/// `start`: runs the compiler, with results in this folder and with this filter.
pub fn dumped(
    command: &RustcCommand,
    scratch: &Path,
    wanted: &Wanted<'_>,
    start: impl Fn(&RustcCommand, &Path, &str) -> Result<Run>,
) -> Result<Dumped> {
    if wanted.functions.len() >= MANY && wanted.n_bodies <= 2 * wanted.functions.len() {
        let order = order(command, &scratch.join("passes"), &start)?;
        if let Some(filter) = every_second(&order) {
            let run = start(command, &scratch.join("some"), &filter)?;
            if run.succeeded()
                && let Some(dumps) = dumps::collect(&run.dump_dir(), wanted.functions, &order)?
            {
                return Ok(Dumped { run, dumps });
            }
        }
    }
    let functions: Vec<&str> = wanted.functions.iter().map(String::as_str).collect();
    let mut filter = functions.join("|");
    if filter.len() > LONGEST_FILTER {
        filter = "all".to_owned();
    }
    let run = start(command, scratch, &filter)?;
    let dumps = match run.succeeded() {
        true => dumps::collect(&run.dump_dir(), wanted.functions, &[])?.unwrap_or_default(),
        false => Dumps::new(),
    };
    Ok(Dumped { run, dumps })
}

/// The stages of the optimizations under these flags, in order, that before the first and the last included; empty where the
/// compiler does not tell.
fn order(
    command: &RustcCommand,
    scratch: &Path,
    start: impl Fn(&RustcCommand, &Path, &str) -> Result<Run>,
) -> Result<Vec<Pass>> {
    std::fs::create_dir_all(scratch)?;
    let source = scratch.join("probe.rs");
    std::fs::write(&source, format!("#![no_std]\npub fn {PROBE}() {{}}\n"))?;
    let run = start(&command.of_library(&source), scratch, PROBE)?;
    if !run.succeeded() || !run.dump_dir().is_dir() {
        return Ok(vec![]);
    }
    let function = BTreeSet::from([PROBE.to_owned()]);
    let found = dumps::collect(&run.dump_dir(), &function, &[])?.unwrap_or_default();
    let stages = found.into_values().flatten();
    Ok(stages.map(|dump| dump.pass).collect())
}

/// The filter for the first and the last stage and every second one between: with what is before it, that is everything.
fn every_second(order: &[Pass]) -> Option<String> {
    let [first, between @ .., before_last, last] = order else {
        return None;
    };
    let second = between.iter().skip(1).step_by(2);
    let names = [first].into_iter().chain(second).chain([before_last, last]);
    let names: Vec<&str> = names.map(|pass| pass.name.as_str()).collect();
    Some(names.join("|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_is_asked_for_or_comes_before_one_that_is() {
        for n in 3..9 {
            let pass = |i: u32| Pass {
                number: format!("3-2-{i:03}"),
                index: i,
                name: format!("P{i}"),
            };
            let order: Vec<Pass> = (0..n).map(pass).collect();
            let filter = every_second(&order).expect("a filter");
            let asked: Vec<&str> = filter.split('|').collect();
            // the first and the last are no passes, and have nothing before them
            let is_known = |i: usize| {
                let before_next = i + 2 < order.len() && asked.contains(&&*order[i + 1].name);
                asked.contains(&&*order[i].name) || before_next
            };
            assert!((0..order.len()).all(is_known), "{filter}");
        }
        assert_eq!(every_second(&[]), None);
    }
}
