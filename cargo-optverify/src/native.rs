//! Runs a counterexample natively in both builds: not optimized, and with the user's own flags. This is
//! evidence for people; no verdict depends on it.

use crate::capture::command::{RustcCommand, without_mir_choices};
use crate::capture::compiler;
use crate::capture::mir_text::functions;
use anyhow::{Context, Result, bail};
use optverify_engine::capture::{Capture, Root};
use optverify_engine::report::Counterexample;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A native run that takes longer is stopped.
const PATIENCE: Duration = Duration::from_secs(5);

/// What both builds do with the same input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NativeRuns {
    /// The counterexample's input, or one near it on which the builds differ for all to see: what is
    /// undefined may happen to look right.
    pub inputs: Vec<(String, String)>,
    pub unoptimized: String,
    pub optimized: String,
}

impl std::fmt::Display for NativeRuns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let inputs: Vec<String> = self
            .inputs
            .iter()
            .map(|(name, v)| format!("{name} = {v}"))
            .collect();
        if !inputs.is_empty() {
            writeln!(f, "with {}", inputs.join(", "))?;
        }
        write!(
            f,
            "not optimized: {}\nas shipped:    {}",
            self.unoptimized, self.optimized
        )
    }
}

/// Best effort: an input that cannot be written as Rust, or a crate that needs cargo's environment,
/// gives an error that says so.
pub fn run(capture: &Capture, root: &Root, counterexample: &Counterexample) -> Result<NativeRuns> {
    let info = &capture.info;
    let mut inputs: Vec<(String, String)> = counterexample
        .inputs
        .iter()
        .map(|(name, value)| {
            (
                name.clone(),
                value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned),
            )
        })
        .collect();
    let header = header(capture, root);
    for (index, (_, value)) in inputs.iter_mut().enumerate() {
        if is_mutable(&header, index)
            && let Some(rest) = value.strip_prefix('&')
        {
            *value = format!("&mut {rest}");
        }
    }
    if inputs.iter().any(|(name, _)| name == "self") {
        bail!("methods are not run natively");
    }
    let rustc = std::env::var_os("RUSTC").map_or_else(|| PathBuf::from("rustc"), PathBuf::from);
    let rustc = compiler::behind_proxy(&rustc);
    if compiler::identify(&rustc)?.version != info.compiler.version {
        bail!("the compiler of the capture is not the one here");
    }
    let command = RustcCommand {
        rustc,
        args: info.flags.clone(),
        current_dir: PathBuf::from(&info.source_root),
        shared: None,
    };
    let folder = tempfile::tempdir().context("no temporary folder")?;
    let entry = format!("{}:{}|{}", root.file, root.line, arguments(&inputs));
    let build = |name: &str, args: Vec<String>| -> Result<PathBuf> {
        let dir = folder.path().join(name);
        std::fs::create_dir_all(&dir)?;
        compile(&command, args, &dir, &entry)
    };
    let shipped = command.for_capture(Path::new("."));
    let on = |yes: bool| if yes { "on" } else { "off" };
    let mut plain = without_mir_choices(&shipped);
    plain.extend([
        "-Copt-level=0".to_owned(),
        "-Zmir-opt-level=0".to_owned(),
        // the same program, only not optimized
        format!("-Coverflow-checks={}", on(info.profile.overflow_checks)),
        format!("-Cdebug-assertions={}", on(info.profile.debug_assertions)),
    ]);
    let (plain, shipped) = std::thread::scope(|scope| {
        let plain = scope.spawn(|| build("unoptimized", plain));
        let shipped = build("optimized", shipped);
        (
            plain
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            shipped,
        )
    });
    let (plain, shipped) = (plain?, shipped?);
    let draws = counterexample.any.join(",");
    let mut first = None;
    for inputs in
        std::iter::once(inputs.clone()).chain(neighbours(&inputs, &literals(capture, root)))
    {
        let runs = NativeRuns {
            unoptimized: execute(&plain, &inputs, &draws)?,
            optimized: execute(&shipped, &inputs, &draws)?,
            inputs,
        };
        if runs.unoptimized != runs.optimized {
            return Ok(runs);
        }
        first.get_or_insert(runs);
    }
    first.context("nothing was run")
}

/// `fn f(_1: &mut u8, _2: u8) -> u8 {`, as MIR prints it.
fn header(capture: &Capture, root: &Root) -> String {
    let text = capture.reference_text(&root.function).unwrap_or_default();
    let bodies = functions(&text);
    let body = bodies.iter().find(|b| b.path == root.function);
    let line = body.and_then(|b| b.text.lines().next());
    line.unwrap_or_default().to_owned()
}

/// Is the parameter of this number, from zero, a `&mut`?
fn is_mutable(header: &str, index: usize) -> bool {
    let Some((_, ty)) = header.split_once(&format!("_{}: &", index + 1)) else {
        return false;
    };
    let ty = match ty.strip_prefix('\'') {
        Some(named) => named.split_once(' ').map_or("", |(_, ty)| ty),
        None => ty,
    };
    ty.starts_with("mut ")
}

/// Is the value read at run time? One build then serves many inputs.
fn is_scalar(value: &str) -> bool {
    value.parse::<i128>().is_ok() || value.parse::<u128>().is_ok() || value.parse::<bool>().is_ok()
}

/// The arguments as Rust expressions; hidden from the optimizer, as they were arbitrary in the proof.
fn arguments(inputs: &[(String, String)]) -> String {
    let expression = |(index, (_, value)): (usize, &(String, String))| {
        let value = match is_scalar(value) {
            true => format!("::std::env::var(\"{ARGUMENT}{index}\").unwrap().parse().unwrap()"),
            false => value.clone(),
        };
        format!("::core::hint::black_box({value})")
    };
    inputs
        .iter()
        .enumerate()
        .map(expression)
        .collect::<Vec<_>>()
        .join(", ")
}

const ARGUMENT: &str = "OPTVERIFY_ARGUMENT_";
/// Two programs each, a few milliseconds.
const MOST_NEIGHBOURS: usize = 40;

/// The same input with one scalar replaced by a number that the program itself mentions.
fn neighbours(inputs: &[(String, String)], numbers: &[String]) -> Vec<Vec<(String, String)>> {
    let mut all = Vec::new();
    for (index, (_, value)) in inputs.iter().enumerate().filter(|(_, (_, v))| is_scalar(v)) {
        let is_bool = value.parse::<bool>().is_ok();
        let others = numbers
            .iter()
            .filter(|n| **n != *value && (n.parse::<bool>().is_ok() == is_bool));
        for number in others {
            let mut changed = inputs.to_vec();
            changed[index].1 = number.clone();
            all.push(changed);
        }
    }
    all.truncate(MOST_NEIGHBOURS);
    all
}

/// The numbers in the root's reference, inlined callees included: comparisons are where builds differ.
fn literals(capture: &Capture, root: &Root) -> Vec<String> {
    let text = capture.reference_text(&root.function).unwrap_or_default();
    let bodies = functions(&text);
    let body = bodies
        .iter()
        .find(|b| b.path == root.function)
        .map_or("", |b| b.text);
    let mut numbers = vec!["true".to_owned(), "false".to_owned()];
    for part in body.split("const ").skip(1) {
        let end = part
            .find(|c: char| !c.is_ascii_digit() && c != '-')
            .unwrap_or(part.len());
        let is_integer = part[end..].starts_with("_u") || part[end..].starts_with("_i");
        if is_integer && end > 0 && !numbers.contains(&part[..end].to_owned()) {
            numbers.push(part[..end].to_owned());
        }
    }
    // `switchInt(copy _1) -> [404: bb1, otherwise: bb2]`
    for part in body.split("-> [").skip(1) {
        let label = part.split(':').next().unwrap_or_default();
        if label.parse::<u128>().is_ok() && !numbers.contains(&label.to_owned()) {
            numbers.push(label.to_owned());
        }
    }
    numbers
}

/// The crate as a library with an entry point in it, and a program that calls it.
fn compile(command: &RustcCommand, args: Vec<String>, dir: &Path, native: &str) -> Result<PathBuf> {
    let source = command.source_file().unwrap_or_default().to_owned();
    let mut library: Vec<String> = Vec::new();
    let mut skip = false;
    for arg in args {
        // replaced below, or of no use to a library
        match arg.as_str() {
            "--crate-type" | "--out-dir" | "--crate-name" => skip = true,
            _ if std::mem::take(&mut skip) => {}
            // metadata is not enough to link
            _ => library.push(arg.replace(".rmeta", ".rlib")),
        }
    }
    let name = command.crate_name();
    let out = Command::new(&command.rustc)
        .args(&library)
        .args(["--crate-type", "rlib", "--crate-name", name, "--out-dir"])
        .arg(dir)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("OPTVERIFY_NATIVE", native)
        .current_dir(&command.current_dir)
        .output()?;
    if !out.status.success() {
        bail!(
            "{source} could not be built with this input: {}",
            first_error(&out.stderr)
        );
    }
    let main = dir.join("main.rs");
    std::fs::write(
        &main,
        format!(
            "extern crate {name} as _;\nunsafe extern \"Rust\" {{ safe fn __optverify_native_entry(); }}\n\
             fn main() {{ __optverify_native_entry(); println!(\"{RETURNED}\"); }}\n"
        ),
    )?;
    let program = dir.join("native");
    let mut link = Command::new(&command.rustc);
    link.args(["--edition=2024", "--crate-name", "native"])
        .arg(&main)
        .arg("-o")
        .arg(&program)
        .arg("--extern")
        .arg(format!(
            "{name}={}",
            dir.join(format!("lib{name}.rlib")).display()
        ))
        .args(command.values("-L").iter().flat_map(|l| ["-L", l]))
        .args(command.codegen("panic").map(|p| format!("-Cpanic={p}")))
        .current_dir(&command.current_dir);
    let out = link.output()?;
    if !out.status.success() {
        bail!(
            "the native program could not be linked: {}",
            first_error(&out.stderr)
        );
    }
    Ok(program)
}

const RETURNED: &str = "optverify: the root returned";
/// What the entry point that the macro makes prints before the result.
const RESULT: &str = "optverify: the result is ";

fn execute(program: &Path, inputs: &[(String, String)], draws: &str) -> Result<String> {
    let arguments = inputs.iter().enumerate();
    let mut child = Command::new(program)
        .envs(arguments.map(|(index, (_, value))| (format!("{ARGUMENT}{index}"), value)))
        .env("OPTVERIFY_REPLAY", draws)
        .env_remove("RUST_BACKTRACE")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("the native program did not start")?;
    let start = Instant::now();
    while child.try_wait()?.is_none() {
        if start.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            return Ok(format!("still running after {} s", PATIENCE.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output()?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    if stdout.contains(RETURNED) {
        let result = stdout.lines().rev().find_map(|l| l.strip_prefix(RESULT));
        return Ok(match result {
            Some(value) if value != "()" => format!("returns {value}"),
            _ => "returns".to_owned(),
        });
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let ended = || format!("ends with {}", output.status);
    Ok(panic_in(&stderr).map_or_else(ended, |panic| format!("panics {panic}")))
}

/// `at f.rs:3:5: message` of the first panic in a program's output.
pub fn panic_in(text: &str) -> Option<String> {
    // `thread 'main' panicked at f.rs:3:5:` and the message on the next line
    let mut lines = text
        .lines()
        .skip_while(|line| !line.contains("panicked at"));
    let place = lines.next()?.split("panicked at ").nth(1)?;
    let message = lines.next().unwrap_or_default();
    Some(format!("at {}: {message}", place.trim_end_matches(':')))
}

fn first_error(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    text.lines()
        .find(|line| line.starts_with("error"))
        .unwrap_or("no message")
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{Request, capture, single_file};

    #[test]
    fn parameters_that_are_written_are_passed_so() {
        let header = "fn f(_1: &mut [u8], _2: &u8, _3: &'a mut S<'a>, _4: fn(&mut u8)) -> () {";
        let mutable: Vec<bool> = (0..4).map(|index| is_mutable(header, index)).collect();
        assert_eq!(mutable, [true, false, true, false]);
    }

    /// The class of rust-lang/rust#158206: both builds of one program on one input.
    #[test]
    fn both_builds_of_a_miscompiled_program() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("flag.rs");
        let source = "#[inline(always)]\nfn note(seen: &mut u8, code: u16) -> bool {\n    let hit = code == 404;\n    \
                      *seen |= hit as u8;\n    hit\n}\n#[optverify::verify]\npub fn root(code: u16) {\n    \
                      let mut seen = 0;\n    if note(&mut seen, code) {\n        assert!(seen == 1);\n    } else {\n        \
                      assert!(seen == 0);\n    }\n}\n";
        std::fs::write(&file, source).expect("a file");
        let command = single_file::command(&file, &Default::default()).expect("a command");
        let cache = single_file::cache_dir();
        let request = Request {
            command: &command,
            package: "flag",
            profile: "release",
            cache: &cache,
            all_functions: false,
            only: &[],
        };
        let dir = folder.path().join("capture");
        capture(&request, &dir).expect("a capture");
        let captured = optverify_engine::capture::Capture::load(&dir).expect("it loads");
        let mut counterexample = Counterexample::default();
        counterexample
            .inputs
            .insert("code".to_owned(), "404".into());
        let runs = run(&captured, &captured.roots()[0], &counterexample).expect("both builds run");
        assert_eq!(runs.unoptimized, "returns");
        if captured.info.compiler.version.starts_with("1.95.0") {
            assert!(
                runs.optimized.contains("assertion failed: seen == 1"),
                "{runs:?}"
            );
        }
    }
}
