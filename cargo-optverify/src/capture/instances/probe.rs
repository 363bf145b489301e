//! Bodies of std's functions that only an instance calls: `<u8 as PartialOrd>::lt` where a generic body has `<T as
//! PartialOrd>::lt`. A probe crate calls each of them, and rustc inlines.

use crate::capture::command::RustcCommand;
use crate::capture::mir_text;
use crate::capture::runs;
use anyhow::{Context, Result};
use optverify_engine::capture::Manifest;
use optverify_engine::mir::{FnSig, GenericArg, Path, Ty, TyKind, parse_ty};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path as File;
use std::process::Command;

/// How deep rustc's inliner gets is counted anew for every function.
const FORWARDERS: usize = 3;

/// By the call: the function with everything inlined, under the call's name. `texts`: where the calls stand, which tell
/// the functions' types.
pub fn bodies(
    command: &RustcCommand,
    manifest: &Manifest,
    scratch: &File,
    calls: &BTreeSet<String>,
    texts: &str,
) -> Result<BTreeMap<String, String>> {
    let mut wanted: Vec<(String, FnSig)> = vec![];
    for (path, sig) in signatures(texts) {
        if calls.contains(&path) && !wanted.iter().any(|(known, _)| *known == path) {
            wanted.push((path, sig));
        }
    }
    let lines = wanted
        .iter()
        .enumerate()
        .map(|(n, (path, sig))| line(n, path, sig));
    let text = compiled(command, manifest, scratch, lines.collect())?;
    Ok(taken(&text, &wanted))
}

/// What std's projections stand for: `u8` for `<u8 as std::ops::Add>::Output`.
pub fn normalised(
    command: &RustcCommand,
    manifest: &Manifest,
    scratch: &File,
    projections: &BTreeSet<String>,
) -> Result<BTreeMap<String, String>> {
    let of_std = projections.iter().filter(|text| {
        let ty = parse_ty(text);
        ty.is_ok_and(|ty| is_nameable(&ty))
    });
    let of_std: Vec<&String> = of_std.collect();
    let lines = of_std.iter().enumerate().map(|(n, projection)| {
        let ty = forever(projection);
        format!("pub fn probe_{n}_{FORWARDERS}(_: &'static {ty}) {{}}\n")
    });
    let text = compiled(command, manifest, scratch, lines.collect())?;
    let found = of_std.iter().enumerate().filter_map(|(n, projection)| {
        let header = format!("fn probe_{n}_{FORWARDERS}(_1: &");
        let (_, rest) = text.split_once(&header)?;
        let rest = rest.trim_start_matches("'static ");
        let (ty, _) = rest.split_once(") -> () {")?;
        Some(((*projection).clone(), ty.to_owned()))
    });
    Ok(found.collect())
}

/// The MIR of these lines, as many as rustc takes: what it does not take is left out, and the rest asked again.
fn compiled(
    command: &RustcCommand,
    manifest: &Manifest,
    scratch: &File,
    mut lines: Vec<String>,
) -> Result<String> {
    let dir = scratch.join("probe");
    std::fs::create_dir_all(&dir)?;
    // names, types, borrows, ..: the compiler tells of one kind of error at a time
    for _ in 0..6 {
        if lines.is_empty() {
            break;
        }
        let run = compile(command, manifest, &dir, &lines.concat())?;
        if run.status.success() {
            return Ok(std::fs::read_to_string(dir.join("optverify_probe.mir"))?);
        }
        let errors = String::from_utf8_lossy(&run.stderr);
        let wrong: BTreeSet<usize> = errors
            .lines()
            .filter(|line| line.contains(": error"))
            .filter_map(|line| line.split("optverify_probe.rs:").nth(1)?.split(':').next())
            .filter_map(|number| number.parse().ok())
            .collect();
        let (mut number, before) = (0, lines.len());
        lines.retain(|_| {
            number += 1;
            !wrong.contains(&number)
        });
        if lines.len() == before {
            break;
        }
    }
    Ok(String::new())
}

/// The functions that constants of these texts name, with their types.
fn signatures(texts: &str) -> Vec<(String, FnSig)> {
    let types = texts.lines().filter_map(|line| {
        let (_, rest) = line.split_once("// + const_: Const { ty: ")?;
        let (ty, _) = rest.rsplit_once(", val: Value(")?;
        parse_ty(ty).ok()
    });
    let functions = types.filter_map(|ty| match ty.kind() {
        TyKind::FnDef { sig, path } => Some((path.clone(), sig.clone())),
        _ => None,
    });
    let of_std = functions.filter(|(path, sig)| {
        let plain = !sig.c_variadic && sig.abi.is_none();
        plain && is_of_std(path) && sig.inputs.iter().chain(&sig.output).all(is_nameable)
    });
    of_std.map(|(path, sig)| (path.to_string(), sig)).collect()
}

fn is_of_std(path: &Path) -> bool {
    let args = path.all_args().all(is_nameable_argument);
    args && match &path.qself {
        Some(qself) => is_nameable(&qself.ty) && qself.trait_ref.as_ref().is_some_and(is_nameable),
        None => in_std(&path.plain()),
    }
}

fn in_std(path: &str) -> bool {
    ["std::", "core::", "alloc::"]
        .iter()
        .any(|of| path.starts_with(of))
}

/// Can another crate write this type?
fn is_nameable(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Bool | TyKind::Char | TyKind::Str | TyKind::Int(_) | TyKind::Float(_) => true,
        TyKind::Tuple(parts) => parts.iter().all(is_nameable),
        TyKind::Slice(of) | TyKind::Array(of, _) => is_nameable(of),
        TyKind::Ref { ty, .. } | TyKind::RawPtr { ty, .. } => is_nameable(ty),
        TyKind::Adt { path, args } => in_std(path) && args.iter().all(is_nameable_argument),
        TyKind::Alias(path) => is_of_std(path),
        _ => false,
    }
}

fn is_nameable_argument(arg: &GenericArg) -> bool {
    match arg {
        GenericArg::Type(ty) => is_nameable(ty),
        _ => true,
    }
}

/// Public functions of std that are meant for std alone: what walks over the bytes of a text, and over ranges.
const INTERNALS: &str = "-Zcrate-attr=feature(str_internals, step_trait, pattern)";
/// The compiler does not know a feature.
const NO_FEATURE: &[u8] = b"E0635";

pub fn compile(
    command: &RustcCommand,
    manifest: &Manifest,
    dir: &File,
    text: &str,
) -> Result<std::process::Output> {
    let run = compile_with(&[INTERNALS], command, manifest, dir, text)?;
    let lacks_feature = (run.stderr.windows(NO_FEATURE.len())).any(|error| error == NO_FEATURE);
    match lacks_feature {
        true => compile_with(&[], command, manifest, dir, text),
        false => Ok(run),
    }
}

fn compile_with(
    features: &[&str],
    command: &RustcCommand,
    manifest: &Manifest,
    dir: &File,
    text: &str,
) -> Result<std::process::Output> {
    let source = dir.join("optverify_probe.rs");
    std::fs::write(&source, text)?;
    let profile = &manifest.profile;
    let setting = |name: &str, on: bool| format!("-C{name}={}", if on { "on" } else { "off" });
    Command::new(&command.rustc)
        .args(["--crate-name", "optverify_probe", "--crate-type", "lib"])
        .args(["--emit=mir", "--cap-lints=allow", "--edition", "2021"])
        .arg("--error-format=short")
        .args(features)
        .args(["-Zmir-opt-level=0", "-Zmir-enable-passes=+Inline"])
        .args(runs::UNLIMITED_INLINING)
        .args(runs::PRINTING)
        .arg(runs::OWN_FUNCTIONS)
        .arg(setting("overflow-checks", profile.overflow_checks))
        .arg(setting("debug-assertions", profile.debug_assertions))
        .arg(format!("-Cpanic={}", profile.panic))
        .args((command.values("--target").iter()).flat_map(|target| ["--target", target]))
        // nobody's source: like std's own
        .arg(format!(
            "--remap-path-prefix={}=/rustc/probe",
            dir.display()
        ))
        .arg("--out-dir")
        .arg(dir)
        .arg(&source)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTC_ICE", "0")
        .current_dir(&command.current_dir)
        .output()
        .context("could not run the compiler on the probe of std's functions")
}

/// One line for each function, by which errors tell it.
fn line(n: usize, path: &str, sig: &FnSig) -> String {
    let mut text = String::new();
    let types: Vec<String> = sig
        .inputs
        .iter()
        .map(|ty| forever(&ty.to_string()))
        .collect();
    let parameters = types
        .iter()
        .enumerate()
        .map(|(i, ty)| format!("a{i}: {ty}"));
    let parameters: Vec<String> = parameters.collect();
    let names: Vec<String> = (0..types.len()).map(|i| format!("a{i}")).collect();
    let output = sig.output.as_ref().map(|ty| forever(&ty.to_string()));
    let output = output.unwrap_or_else(|| "()".to_owned());
    let path = callable(&forever(path));
    for depth in 0..=FORWARDERS {
        let callee = match depth {
            0 => path.clone(),
            _ => format!("probe_{n}_{}", depth - 1),
        };
        // What an unsafe function asks for is asked of its body.
        let block = match sig.is_unsafe && depth == 0 {
            true => "unsafe ",
            false => "",
        };
        // writing to a text does not fail
        let _ = write!(
            text,
            "pub fn probe_{n}_{depth}({}) -> {output} {{ {block}{{ {callee}({}) }} }} ",
            parameters.join(", "),
            names.join(", ")
        );
    }
    text.push('\n');
    text
}

/// A method of a primitive type by its type: `<u8>::wrapping_mul` for `core::num::<impl u8>::wrapping_mul`.
fn callable(path: &str) -> String {
    let of_impl = path.rsplit_once("::<impl ").and_then(|(_, rest)| {
        let (ty, method) = rest.rsplit_once(">::")?;
        (!ty.contains(" for ")).then(|| format!("<{ty}>::{method}"))
    });
    // the module is private, and its functions are let out one above
    of_impl.unwrap_or_else(|| path.replacen("core::str::validations::", "core::str::", 1))
}

/// A type whose references live for ever: with them no lifetime has to be named.
fn forever(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['&', '\'']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let reference = rest.starts_with('&');
        rest = rest.trim_start_matches('&');
        if let Some(lifetime) = rest.strip_prefix('\'') {
            let end = lifetime.find(|c: char| !c.is_alphanumeric() && c != '_');
            rest = &lifetime[end.unwrap_or(lifetime.len())..];
            out.push_str(if reference { "&'static" } else { "'static" });
        } else {
            out.push_str("&'static ");
        }
    }
    out + rest
}

/// The outermost forwarders, under the names of what they call.
fn taken(text: &str, wanted: &[(String, FnSig)]) -> BTreeMap<String, String> {
    let bodies = mir_text::functions(text);
    let found = wanted.iter().enumerate().filter_map(|(n, (path, _))| {
        let own = format!("probe_{n}_{FORWARDERS}");
        let body = bodies.iter().find(|body| body.path == own)?;
        // one that still calls what it was made for says nothing
        let calls_itself = body
            .text
            .lines()
            .filter_map(|line| mir_text::callee(line.split("//").next()?.trim()))
            .any(|callee| callee == path || callee.starts_with("probe_"));
        let header = format!("fn {own}(");
        let renamed = body.text.replacen(&header, &format!("fn {path}("), 1);
        (!calls_itself).then(|| (path.clone(), renamed))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_of_primitive_types_are_called_by_them() {
        let of_u8 = "core::num::<impl u8>::wrapping_mul";
        assert_eq!(callable(of_u8), "<u8>::wrapping_mul");
        assert_eq!(callable("core::slice::<impl [u8]>::len"), "<[u8]>::len");
        assert_eq!(callable("std::mem::swap::<u8>"), "std::mem::swap::<u8>");
        let let_out = "core::str::validations::next_code_point::<I>";
        assert_eq!(callable(let_out), "core::str::next_code_point::<I>");
        let of_trait = "a::<impl Tr for u8>::f";
        assert_eq!(callable(of_trait), of_trait);
    }

    #[test]
    fn references_live_for_ever() {
        assert_eq!(forever("&'a mut [&u8]"), "&'static mut [&'static u8]");
        assert_eq!(
            forever("std::slice::Iter<'_, u8>"),
            "std::slice::Iter<'static, u8>"
        );
        assert_eq!(forever("(u8, char)"), "(u8, char)");
    }

    #[test]
    fn only_functions_of_std_on_types_of_std() {
        let line = |ty: &str| format!("    // + const_: Const {{ ty: {ty}, val: Value(x) }}\n");
        let text = line("for<'a, 'b> fn(&'a u8, &'b u8) -> bool {<u8 as std::cmp::PartialEq>::eq}")
            + &line("for<'a> fn(&'a m::S) -> m::S {<m::S as std::clone::Clone>::clone}")
            + &line("fn(T) -> u8 {std::convert::identity::<T>}");
        let found: Vec<String> = signatures(&text)
            .into_iter()
            .map(|(path, _)| path)
            .collect();
        assert_eq!(found, ["<u8 as std::cmp::PartialEq>::eq"]);
    }
}
