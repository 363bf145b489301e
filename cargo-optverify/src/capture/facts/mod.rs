//! What the compiler knows and MIR's text does not say: enum discriminants, values of named constants, sizes.
//! Always asked from the compiler, never guessed; what it does not tell is missing.

mod constants;
mod foreign_enums;
mod local_enums;
mod local_unions;
mod type_sizes;

use crate::capture::command::RustcCommand;
use crate::capture::runs;
use anyhow::Result;
use optverify_engine::capture::Facts;
use std::path::Path;

/// `reference`: the closed crate. `cache`: where answers about std are kept, per compiler.
pub fn collect(
    command: &RustcCommand,
    scratch: &Path,
    reference: &str,
    cache: &Path,
) -> Result<Facts> {
    let mut facts = Facts::default();
    let mut sizes = String::new();
    if constants::are_named(reference) {
        let evaluated = runs::evaluated(command, scratch)?;
        if evaluated.succeeded() {
            let text = std::fs::read_to_string(evaluated.mir_file(command))?;
            facts.consts = constants::evaluated(reference, &text);
            sizes = String::from_utf8_lossy(&evaluated.output.stdout).into_owned();
        }
    }
    // only enums have discriminants and downcasts
    let enums = reference.contains("discriminant(") || reference.contains(" as ");
    if enums {
        facts.enums = foreign_enums::collect(command, scratch, reference, cache)?;
    }
    // unions print like structs: wherever a field is accessed, the crate's items are asked for
    if enums || reference.contains(".0: ") || reference.contains(".1: ") {
        let expanded = runs::expanded(command, scratch)?;
        if expanded.succeeded() {
            let source = String::from_utf8_lossy(&expanded.output.stdout);
            facts.enums.extend(local_enums::collect(&source, reference));
            facts.unions = local_unions::collect(&source);
            facts.type_sizes = type_sizes::collect(&sizes, &source);
        }
    }
    Ok(facts)
}
