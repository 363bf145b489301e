//! Enums of other crates: a probe crate matches on each, and the compiler's own MIR shows the
//! discriminants. Which variants there are, rustc tells itself: it names what a match leaves out (E0004).

use crate::capture::command::RustcCommand;
use crate::capture::mir_text::functions;
use anyhow::{Context, Result};
use optverify_engine::capture::{EnumFacts, VariantFacts};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// By path: the facts, or nothing where the type is no enum or cannot be named from outside.
type Answers = BTreeMap<String, Option<EnumFacts>>;

/// Crates whose answers depend on the compiler alone.
const STANDARD: &[&str] = &["std", "core", "alloc"];

/// A match is completed in this many steps, three variants at a time.
const MOST_ROUNDS: usize = 40;

pub fn collect(
    command: &RustcCommand,
    scratch: &Path,
    mir: &str,
    cache: &Path,
) -> Result<BTreeMap<String, EnumFacts>> {
    let mut crates: Vec<&str> = STANDARD.to_vec();
    crates.extend(
        command
            .values("--extern")
            .iter()
            .map(|e| e.split('=').next().unwrap_or(e)),
    );
    let types = mentioned_types(mir, &crates);
    let mut known: Answers = std::fs::read_to_string(cache)
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    let probes: Vec<Probe> = types
        .iter()
        .filter_map(|(path, full)| {
            // Of an enum that rustc does not list, others may have named other variants.
            let is_answered = match known.get(path) {
                None => false,
                Some(None) => true,
                Some(Some(facts)) => facts.complete || names_only(facts, path, mir),
            };
            (!is_answered).then(|| Probe::new(path, full, mir))
        })
        .collect();
    if !probes.is_empty() {
        known.extend(ask(command, scratch, probes)?);
        let is_standard = |path: &str| STANDARD.iter().any(|c| path.split("::").next() == Some(c));
        let lasting: Answers = known
            .iter()
            .filter(|(path, _)| is_standard(path))
            .map(|(p, a)| (p.clone(), a.clone()))
            .collect();
        write_cache(cache, &lasting);
    }
    Ok(types
        .into_keys()
        .filter_map(|path| Some((path.clone(), known.get(&path)?.clone()?)))
        .collect())
}

/// Are all variants known that the program names? What is named and no variant is asked for again each time.
fn names_only(facts: &EnumFacts, path: &str, mir: &str) -> bool {
    let is_known = |pattern: &String| {
        let name = pattern.trim_end_matches(" { .. }");
        facts
            .variants
            .iter()
            .any(|v| name.ends_with(&format!("::{}", v.name)))
    };
    variants_named(path, mir).iter().all(is_known)
}

/// Written whole or not at all; a cache that cannot be written costs only time.
fn write_cache(cache: &Path, answers: &Answers) {
    let Some(parent) = cache.parent() else { return };
    let _ = std::fs::create_dir_all(parent);
    if let (Ok(text), Ok(file)) = (
        serde_json::to_string(answers),
        tempfile::NamedTempFile::new_in(parent),
    ) && std::fs::write(file.path(), text).is_ok()
    {
        let _ = file.persist(cache);
    }
}

/// Every type of these crates in declarations: its path and one full spelling with generic arguments.
fn mentioned_types(mir: &str, crates: &[&str]) -> BTreeMap<String, String> {
    let mut types = BTreeMap::new();
    for line in mir.lines() {
        let code = line.split("//").next().unwrap_or(line);
        if !code.trim_start().starts_with("let ") && !code.starts_with("fn ") {
            continue;
        }
        for name in crates {
            let start = format!("{name}::");
            let mut from = 0;
            while let Some(found) = code[from..].find(&start) {
                let at = from + found;
                from = at + start.len();
                let before = code[..at].chars().next_back().unwrap_or(' ');
                if before.is_alphanumeric() || before == '_' || before == ':' {
                    continue;
                }
                let path_end = at
                    + code[at..]
                        .find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':')
                        .unwrap_or(code.len() - at);
                let path = code[at..path_end].trim_end_matches(':');
                let is_type = path
                    .rsplit("::")
                    .next()
                    .is_some_and(|last| last.starts_with(char::is_uppercase));
                if is_type {
                    let full = format!("{path}{}", angles(&code[path_end..]));
                    types.entry(path.to_owned()).or_insert(full);
                }
            }
        }
    }
    types
}

/// The `<..>` at the start of `text`, or nothing.
fn angles(text: &str) -> &str {
    let (mut depth, mut previous) = (0i32, ' ');
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if previous != '-' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return if at == 0 { "" } else { &text[..=at] };
        }
        previous = c;
    }
    ""
}

struct Probe {
    path: String,
    /// How the type is spelt; the generic arguments do not matter to discriminants.
    spelling: String,
    /// Simpler arguments, for when the ones in the program cannot be named from outside.
    fallback: Option<String>,
    arms: Vec<String>,
    complete: bool,
    /// Variants that the program names, for an enum that rustc does not list (`#[non_exhaustive]`).
    named: Vec<String>,
}

impl Probe {
    fn new(path: &str, full: &str, mir: &str) -> Self {
        let arguments = full[path.len()..]
            .trim_start_matches('<')
            .trim_end_matches('>');
        let arguments = top_level(arguments);
        let count = arguments.filter(|a| !a.starts_with('\'')).count();
        let simple = vec!["u8"; count].join(", ");
        let fallback = (count > 0).then(|| format!("{path}<{simple}>"));
        Self {
            path: path.to_owned(),
            spelling: full.to_owned(),
            fallback,
            arms: Vec::new(),
            complete: true,
            named: variants_named(path, mir),
        }
    }

    fn source(&self, number: usize) -> String {
        let arms: String = self
            .arms
            .iter()
            .enumerate()
            .map(|(index, arm)| format!("{arm} => {}, ", index + 1))
            .collect();
        let rest = if self.complete { "" } else { "_ => 0" };
        format!(
            "pub fn probe_{number}(x: &{}) -> u32 {{ match *x {{ {arms}{rest} }} }}\n",
            self.spelling
        )
    }
}

/// `path::Empty { .. }` for every `path::Empty` or `path::<u8>::Empty` in the text.
fn variants_named(path: &str, mir: &str) -> Vec<String> {
    let mut named = Vec::new();
    for (at, found) in mir.match_indices(path) {
        let rest = &mir[at + found.len()..];
        let Some(rest) = rest.strip_prefix("::") else {
            continue;
        };
        let generic = angles(rest);
        let rest = rest[generic.len()..].trim_start_matches("::");
        let end = rest
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        let pattern = format!("{path}::{} {{ .. }}", &rest[..end]);
        if rest.starts_with(char::is_uppercase) && !named.contains(&pattern) {
            named.push(pattern);
        }
    }
    named
}

/// `'_, (u8, u16)` has two parts.
fn top_level(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0i32;
    let parts = text.split(move |c| {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.map(str::trim).filter(|part| !part.is_empty())
}

/// MIR names types as the crate does, which may know no `std`. At the end: a probe is known by its line.
const CRATES: &str = "extern crate alloc; extern crate core;\n";

fn ask(command: &RustcCommand, scratch: &Path, mut probes: Vec<Probe>) -> Result<Answers> {
    let mut answers = Answers::new();
    let dir = scratch.join("probe");
    std::fs::create_dir_all(&dir)?;
    let source = dir.join("optverify_probe.rs");
    // of std's unstable enums: what rustc asks for
    let mut features: Vec<String> = Vec::new();
    for _ in 0..MOST_ROUNDS {
        if probes.is_empty() {
            break;
        }
        let text: String = probes
            .iter()
            .enumerate()
            .map(|(number, probe)| probe.source(number))
            .collect();
        std::fs::write(&source, text + CRATES)?;
        let output = Command::new(&command.rustc)
            .args([
                "--crate-name",
                "optverify_probe",
                "--crate-type",
                "lib",
                "--emit=mir",
                "--cap-lints=allow",
            ])
            .args([
                "--error-format=json",
                "-Zmir-opt-level=0",
                "-Ztrim-diagnostic-paths=no",
            ])
            .args(["--edition", command.value("--edition").unwrap_or("2021")])
            .args(
                command
                    .values("--extern")
                    .iter()
                    .flat_map(|e| ["--extern", e]),
            )
            .args(command.values("-L").iter().flat_map(|l| ["-L", l]))
            .args(
                command
                    .values("--target")
                    .iter()
                    .flat_map(|t| ["--target", t]),
            )
            .args(
                features
                    .iter()
                    .map(|f| format!("-Zcrate-attr=feature({f})")),
            )
            .arg("--out-dir")
            .arg(&dir)
            .arg(&source)
            .env("RUSTC_BOOTSTRAP", "1")
            .current_dir(&command.current_dir)
            .output()
            .context("could not run the compiler on the enum probe")?;
        if output.status.success() {
            let mir = std::fs::read_to_string(dir.join("optverify_probe.mir"))?;
            for (number, probe) in probes.iter().enumerate() {
                answers.insert(probe.path.clone(), read_switch(&mir, number, probe));
            }
            return Ok(answers);
        }
        let complaints = complaints(&String::from_utf8_lossy(&output.stderr));
        if complaints.is_empty() {
            break;
        }
        let new: Vec<String> = (complaints.iter().filter_map(|c| c.feature.clone()))
            .filter(|feature| !features.contains(feature))
            .collect();
        if !new.is_empty() {
            features.extend(new);
            features.sort();
            features.dedup();
            continue;
        }
        let mut kept = Vec::new();
        for (number, mut probe) in probes.into_iter().enumerate() {
            let mine: Vec<&Complaint> =
                complaints.iter().filter(|c| c.line == number + 1).collect();
            match mine.iter().find(|c| c.missing.is_none()) {
                Some(_) => match probe.fallback.take() {
                    Some(simpler) => {
                        probe.spelling = simpler;
                        probe.arms.clear();
                        kept.push(probe);
                    }
                    None => drop(answers.insert(probe.path, None)),
                },
                None => {
                    for arm in mine.iter().filter_map(|c| c.missing.as_ref()).flatten() {
                        if arm == "_" {
                            probe.complete = false;
                            probe.arms.append(&mut probe.named);
                        } else if !probe.arms.contains(arm) {
                            probe.arms.push(arm.clone());
                        }
                    }
                    kept.push(probe);
                }
            }
        }
        probes = kept;
    }
    answers.extend(probes.into_iter().map(|probe| (probe.path, None)));
    Ok(answers)
}

struct Complaint {
    line: usize,
    /// The patterns that a match leaves out; nothing for any other error.
    missing: Option<Vec<String>>,
    /// The library feature that a name of std needs.
    feature: Option<String>,
}

fn complaints(stderr: &str) -> Vec<Complaint> {
    let parse = |line: &str| -> Option<Complaint> {
        let message: Value = serde_json::from_str(line).ok()?;
        if message["level"] != "error" {
            return None;
        }
        let spans = message["spans"].as_array()?;
        let line = spans.iter().find(|s| s["is_primary"] == true)?["line_start"].as_u64()?;
        let text = message["message"].as_str()?;
        let patterns = text
            .strip_prefix("non-exhaustive patterns: ")
            .filter(|rest| !rest.starts_with("type "))
            .map(|rest| {
                rest.split('`')
                    .skip(1)
                    .step_by(2)
                    .map(str::to_owned)
                    .collect()
            });
        let unstable = text.strip_prefix("use of unstable library feature `");
        Some(Complaint {
            line: line as usize,
            missing: patterns,
            feature: unstable.and_then(|rest| Some(rest.split_once('`')?.0.to_owned())),
        })
    };
    stderr.lines().filter_map(parse).collect()
}

/// Reads the discriminants off the probe's `switchInt`: label -> block -> number of the arm.
fn read_switch(mir: &str, number: usize, probe: &Probe) -> Option<EnumFacts> {
    let name = format!("probe_{number}");
    let body = functions(mir)
        .into_iter()
        .find(|body| body.path == name)?
        .text;
    let of_std = STANDARD
        .iter()
        .any(|c| probe.path.split("::").next() == Some(c));
    if probe.arms.is_empty() && probe.complete && !of_std {
        // a match without arms: there are no variants
        return Some(EnumFacts {
            repr: "isize".to_owned(),
            complete: true,
            variants: vec![],
        });
    }
    let discriminant = body
        .lines()
        .find_map(|line| line.trim().split_once(" = discriminant(").map(|(l, _)| l))?;
    let repr = body.lines().find_map(|line| {
        line.trim()
            .strip_prefix(&format!("let mut {discriminant}: "))?
            .split(';')
            .next()
    })?;
    let labels = body
        .lines()
        .find_map(|line| {
            line.trim()
                .strip_prefix("switchInt(move ")?
                .split_once("-> [")
        })?
        .1;
    let mut variants = Vec::new();
    for label in labels.trim_end_matches("];").split(", ") {
        let (value, block) = label.split_once(": ")?;
        if value == "otherwise" {
            continue;
        }
        let mut lines = body
            .lines()
            .skip_while(|line| line.trim() != format!("{block}: {{"));
        let arm: usize = lines.find_map(|line| {
            line.trim()
                .strip_prefix("_0 = const ")?
                .strip_suffix("_u32;")?
                .parse()
                .ok()
        })?;
        let pattern = probe.arms.get(arm.checked_sub(1)?)?;
        let end = pattern.find([' ', '(', '{']).unwrap_or(pattern.len());
        let name = pattern[..end].rsplit("::").next()?.to_owned();
        variants.push(VariantFacts {
            name,
            discr: signed(value, repr)?,
        });
    }
    let complete = probe.complete && variants.len() == probe.arms.len();
    Some(EnumFacts {
        repr: repr.to_owned(),
        complete,
        variants,
    })
}

/// Labels are bit patterns: `18446744073709551609` is `-7_isize`.
fn signed(label: &str, repr: &str) -> Option<String> {
    let bits: u128 = label.parse().ok()?;
    let width = match repr.strip_prefix('i') {
        None => return Some(bits.to_string()),
        Some("size") => 64,
        Some(digits) => digits.parse::<u32>().ok()?,
    };
    let shift = 128 - width;
    Some((((bits << shift) as i128) >> shift).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_in_declarations() {
        let mir = "fn f(_1: &std::option::Option<std::ops::Range<u8>>) -> u8 {\n    let mut _2: (core::cmp::Ordering, u8); // std::x::Y\n";
        let types = mentioned_types(mir, STANDARD);
        let expected = [
            ("core::cmp::Ordering", "core::cmp::Ordering"),
            ("std::ops::Range", "std::ops::Range<u8>"),
            (
                "std::option::Option",
                "std::option::Option<std::ops::Range<u8>>",
            ),
        ];
        assert_eq!(
            types,
            expected.map(|(a, b)| (a.to_owned(), b.to_owned())).into()
        );
    }

    #[test]
    fn arguments_that_are_types() {
        let probe = |full| Probe::new("alloc::borrow::Cow", full, "").fallback;
        let simple = probe("alloc::borrow::Cow<'_, [(u8, u16)]>");
        assert_eq!(simple.as_deref(), Some("alloc::borrow::Cow<u8>"));
        assert_eq!(probe("alloc::borrow::Cow"), None);
    }

    #[test]
    fn labels_are_bit_patterns() {
        assert_eq!(
            signed("18446744073709551609", "isize").as_deref(),
            Some("-7")
        );
        assert_eq!(signed("255", "i8").as_deref(), Some("-1"));
        assert_eq!(signed("255", "u8").as_deref(), Some("255"));
    }
}
