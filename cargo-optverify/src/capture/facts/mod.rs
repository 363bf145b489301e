//! What the compiler knows and MIR's text does not say: enum discriminants, values of named constants, sizes.
//! Always asked from the compiler, never guessed; what it does not tell is missing.

mod const_value;
mod constants;
mod foreign_enums;
mod local_drops;
mod local_empties;
mod local_enums;
mod local_slices;
mod local_unions;
mod modules;
mod names;
mod promoted;
mod shadows;
mod tuple_sizes;
mod type_sizes;

use crate::capture::command::RustcCommand;
use crate::capture::{instances, roots, runs, twins};
use anyhow::Result;
use optverify_engine::capture::{Facts, ImplHeader};
use std::collections::BTreeMap;
use std::path::Path;

/// Bodies before and after their constants were evaluated, and what the compiler printed of types' sizes.
#[derive(Default)]
pub struct Evaluated {
    pub before: String,
    pub after: String,
    pub sizes: String,
}

impl Evaluated {
    /// The whole crate, where it has constants with names.
    fn of_crate(command: &RustcCommand, scratch: &Path, reference: &str) -> Result<Self> {
        if !constants::are_named(reference) {
            return Ok(Self::default());
        }
        let run = runs::evaluated(command, scratch)?;
        if !run.succeeded() {
            return Ok(Self::default());
        }
        Ok(Self {
            before: reference.to_owned(),
            after: twins::told_apart(crate::capture::mir_text::read(run.mir_file(command))?),
            sizes: crate::capture::mir_text::with_std_named(
                String::from_utf8_lossy(&run.output.stdout).into_owned(),
            ),
        })
    }
}

/// `reference`: the closed crate. `cache`: where answers about std are kept, per compiler.
pub fn collect(
    command: &RustcCommand,
    scratch: &Path,
    reference: &str,
    cache: &Path,
) -> Result<Facts> {
    let evaluated = Evaluated::of_crate(command, scratch, reference)?;
    collect_from(command, scratch, reference, cache, &evaluated)
}

/// `const m::<impl at src/lib.rs:3:1: 3:9>::LIMIT: u8 = ..`: whose constant that is stands in the source.
fn impls_with_constants(reference: &str, source_root: &Path) -> BTreeMap<String, ImplHeader> {
    let constants = reference.lines().filter_map(|l| l.strip_prefix("const "));
    let found = constants.filter_map(|line| {
        let (start, rest) = line.split_once("<impl at ")?;
        let (span, item) = rest.split_once('>')?;
        // not a constant inside of a method
        let (name, _) = item.strip_prefix("::")?.split_once(": ")?;
        if name.contains("::") {
            return None;
        }
        let header = roots::impl_header(span, source_root)?;
        Some((format!("{start}<impl at {span}>"), header))
    });
    found.collect()
}

pub fn collect_from(
    command: &RustcCommand,
    scratch: &Path,
    reference: &str,
    cache: &Path,
    evaluated: &Evaluated,
) -> Result<Facts> {
    let mut facts = Facts {
        consts: constants::evaluated(&evaluated.before, &evaluated.after),
        ..Facts::default()
    };
    // only enums have discriminants and downcasts
    let enums = reference.contains("discriminant(") || reference.contains(" as ");
    if enums {
        facts.enums = foreign_enums::collect(command, scratch, reference, cache)?;
    }
    // names that mean two things are looked for in every crate
    let expanded = runs::expanded(command, scratch)?;
    if !expanded.succeeded() {
        // what the crate's names mean nobody can tell then, and no root has a verdict
        facts.shadows_std = true;
        return Ok(facts);
    }
    let source = String::from_utf8_lossy(&expanded.output.stdout);
    facts.enums.extend(local_enums::collect(&source, reference));
    facts.traits = instances::traits(&source);
    facts.types = instances::types(&source);
    facts.modules = modules::collect(&source, command);
    facts.shadows_std = shadows::defines(&source);
    let dep_info = runs::dep_info(command, scratch);
    let names = names::collect(&source, command, &dep_info);
    facts.shared_names = names.shared;
    facts.linked = names.linked;
    facts.links_others = names.links_others;
    facts.declared = names.declared;
    facts.unions = local_unions::collect(&source);
    facts.slices = local_slices::collect(&source);
    facts.empties = local_empties::collect(&source);
    facts.without_drop = local_drops::collect(&source);
    facts.impls = impls_with_constants(reference, &command.current_dir);
    facts.promoted = promoted::collect(reference);
    facts.type_sizes = type_sizes::collect(&evaluated.sizes, &source);
    let twice = type_sizes::defined_twice(&source);
    let consts = &mut facts.consts;
    consts.retain(|name, _| !type_sizes::mentions(name, &twice));
    facts.twice = Some(twice);
    let tuples = tuple_sizes::ask(command, scratch, reference)?;
    tuple_sizes::add(&mut facts.type_sizes, type_sizes::collect(&tuples, ""));
    Ok(facts)
}
