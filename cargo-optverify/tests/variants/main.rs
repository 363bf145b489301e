//! Loop programs by class: each template is a proven and a failing function, of which variants with other types, bounds,
//! steps and names are made and verified. A solver of the samples that does not solve the class shows here.

#[path = "../common/mod.rs"]
mod common;
mod template;

use std::collections::BTreeMap;
use template::{Template, Variant};

/// The least share of variants that must be decided: what is missing is printed, and a loss of a whole class fails.
const DECIDED_PERCENT: usize = 90;

fn templates() -> Vec<Template> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/variants/templates");
    let files = std::fs::read_dir(folder).expect("templates").flatten();
    let mut paths: Vec<_> = files.map(|f| f.path()).collect();
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let name = path.file_stem().expect("a name").to_string_lossy();
        Template::read(&name, &std::fs::read_to_string(path).expect("a template"))
    };
    paths.iter().map(read).collect()
}

/// Verifies variants of one file: root -> verdict and reason.
fn verdicts(variants: &[Variant], timeout: &str) -> BTreeMap<String, (String, String)> {
    let mut source = "#![allow(warnings)]\nuse optverify::{any, assume, verify};\n".to_owned();
    for v in variants {
        source += &format!("mod {} {{\nuse super::*;\n{}}}\n", v.name, v.text);
    }
    let project = common::Project::empty();
    project.file("variants.rs", &source);
    let ran = project.run(&[
        "variants.rs",
        "--message-format",
        "json",
        "--timeout",
        timeout,
    ]);
    assert!(ran.code != 101, "{}", ran.stderr);
    let messages = ran.messages();
    let roots = messages.iter().filter(|m| m["reason"] == "optverify-root");
    let text = |v: &serde_json::Value| v.as_str().unwrap_or_default().to_owned();
    roots
        .map(|m| (text(&m["root"]), (text(&m["verdict"]), text(&m["why"]))))
        .collect()
}

/// Makes and verifies `count` variants of every template.
fn check(seed: u64, count: usize, timeout: &str) {
    let templates = templates();
    let (mut right, mut total) = (0, 0);
    let (mut wrong, mut unknown) = (vec![], vec![]);
    // One compile for all: starting the compiler is most of the time.
    let variants: Vec<Variant> = templates
        .iter()
        .flat_map(|t| (0..count).map(|i| t.variant(seed.wrapping_mul(1000) + i as u64)))
        .collect();
    let found = verdicts(&variants, timeout);
    for v in &variants {
        for (root, expected) in &v.roots {
            total += 1;
            let key = format!("variants::{}::{root}", v.name);
            let (verdict, why) = found.get(&key).unwrap_or_else(|| panic!("no root {key}"));
            match verdict.as_str() {
                _ if verdict == expected => right += 1,
                "unknown" => unknown.push(format!("{key} ({}): {why}", v.choices)),
                other => wrong.push(format!("{key} is {other}:\n{}", v.text)),
            }
        }
    }
    println!(
        "{} classes, {total} variants: {right} right, {} unknown, {} wrong",
        templates.len(),
        unknown.len(),
        wrong.len()
    );
    for line in &unknown {
        println!("  unknown {line}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        right * 100 >= total * DECIDED_PERCENT,
        "only {right} of {total} variants are decided"
    );
}

fn number(name: &str, otherwise: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.and_then(|t| t.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn variants_of_every_class_are_decided() {
    check(number("OPTVERIFY_VARIANTS_SEED", 1), 1, "10s");
}

#[test]
#[ignore = "many minutes"]
fn many_variants_of_every_class_are_decided() {
    let count = number("OPTVERIFY_VARIANTS_COUNT", 20) as usize;
    check(number("OPTVERIFY_VARIANTS_SEED", 100), count, "30s");
}
