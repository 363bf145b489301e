//! What functions do natively: builds of a file in each way that a verdict speaks of, and runs on many inputs.

use crate::functions::{ALLOWED, File, Function, Passing, arguments};
use crate::native;
use crate::random::Random;
use crate::types::{Items, Ty, Val, mask};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const SUPPORT: &str = include_str!("support.rs.txt");
const RUNNER: &str = include_str!("runner.rs.txt");

/// Claims that are counted in one function, and as many bounds.
const CLAIMS: usize = 64;

/// A way to build.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Build {
    /// The profile dev.
    Dev,
    /// The reference of the profile release: its overflow checks, and no optimization.
    Reference,
    Release,
}

impl Build {
    fn flags(self) -> &'static [&'static str] {
        match self {
            Build::Dev => &[
                "-Copt-level=0",
                "-Cdebug-assertions=on",
                "-Zmir-opt-level=0",
            ],
            Build::Reference => &crate::NATIVE_FLAGS,
            Build::Release => &["-Copt-level=3"],
        }
    }
}

/// What all runs of a function came to.
#[derive(Clone, Debug, Default)]
pub struct Truth {
    pub returned: u64,
    pub panicked: u64,
    pub out_of_fuel: u64,
    /// An input that panics.
    pub example: Option<Vec<Val>>,
    /// Every input was run to its end.
    pub complete: bool,
    /// For each claim: how often it failed, how often it held.
    pub claims: Vec<(i128, i128)>,
    /// For each bounded value: the least and the most that it was, the other way around if it never was.
    pub bounds: Vec<(i128, i128)>,
}

/// The library of a file as native code.
pub fn library(file: &File) -> String {
    native::library(file).replacen(ALLOWED, &format!("{ALLOWED}{SUPPORT}"), 1)
}

/// The library of texts that nobody calls by number.
pub fn plain_library(text: &str) -> String {
    format!("{ALLOWED}{SUPPORT}{text}")
}

pub struct Native {
    folder: PathBuf,
}

impl Native {
    /// Compiles a library; the error is the compiler's.
    pub fn build(folder: &Path, build: Build, library: &str) -> Result<Native, String> {
        let folder = folder.join(format!("{build:?}"));
        let failed = |e: std::io::Error| e.to_string();
        std::fs::create_dir_all(&folder).map_err(failed)?;
        std::fs::write(folder.join("generated.rs"), library).map_err(failed)?;
        let native = Native { folder };
        native.rustc(
            "generated",
            &[&["--crate-type=rlib"], build.flags()].concat(),
        )?;
        Ok(native)
    }

    fn rustc(&self, name: &str, flags: &[&str]) -> Result<(), String> {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let output = Command::new(rustc)
            .args(["--edition=2021", "--crate-name", name, "-L", "."])
            .args(flags)
            .arg(format!("{name}.rs"))
            .current_dir(&self.folder)
            .env("RUSTC_BOOTSTRAP", "1")
            .output()
            .map_err(|e| e.to_string())?;
        if output.status.success() {
            return Ok(());
        }
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }

    /// Compiles and runs a program on top of the library: its lines.
    pub fn program(&self, name: &str, source: &str, input: &str) -> Result<Vec<String>, String> {
        let failed = |e: std::io::Error| e.to_string();
        std::fs::write(self.folder.join(format!("{name}.rs")), source).map_err(failed)?;
        self.rustc(name, &["--extern=generated=libgenerated.rlib"])?;
        let mut child = Command::new(self.folder.join(name))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let mut stdin = child.stdin.take().ok_or("no standard input")?;
        let input = input.to_owned();
        let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
        let output = child.wait_with_output().map_err(failed)?;
        let written = writer.join().map_err(|_| "the writer panicked")?;
        if !output.status.success() {
            return Err(format!("{name} ended with {:?}", output.status));
        }
        written.map_err(failed)?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(text.lines().map(str::to_owned).collect())
    }

    /// Runs every function of a file on its inputs; of a grid no more than so many that panic.
    pub fn run(
        &self,
        file: &File,
        inputs: &[Inputs],
        most_panics: u64,
    ) -> Result<Vec<Truth>, String> {
        let mut text = String::new();
        for (f, inputs) in inputs.iter().enumerate() {
            match inputs {
                Inputs::Grid(sizes) => {
                    let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
                    text.push_str(&format!("grid {f} {most_panics} {}\n", sizes.join(" ")));
                }
                Inputs::Sample(calls) => {
                    for call in calls {
                        text.push_str(&format!("call {}", native::line(file, f, call)));
                    }
                }
            }
            text.push_str("claims \n");
        }
        let lines = self.program("runner", RUNNER, &text)?;
        let mut lines = lines.iter();
        let truths = inputs.iter().map(|inputs| read_truth(inputs, &mut lines));
        let truths: Option<Vec<Truth>> = truths.collect();
        truths.ok_or_else(|| "the runner said too little".to_owned())
    }
}

fn read_truth<'a>(inputs: &Inputs, lines: &mut impl Iterator<Item = &'a String>) -> Option<Truth> {
    let mut truth = Truth::default();
    match inputs {
        Inputs::Grid(sizes) => {
            let words = lines.next()?.split_whitespace();
            let words: Vec<u64> = words.map(|w| w.parse().ok()).collect::<Option<_>>()?;
            (truth.returned, truth.panicked, truth.out_of_fuel) = (words[0], words[1], words[2]);
            let example = words[3..].iter().map(|w| Val::Bits(u128::from(*w)));
            truth.example = (truth.panicked > 0).then(|| example.collect());
            truth.complete = truth.returned + truth.panicked == sizes.iter().product::<u64>();
        }
        Inputs::Sample(calls) => {
            for call in calls {
                match lines.next()?.as_str() {
                    "returned" => truth.returned += 1,
                    "fuel" => truth.out_of_fuel += 1,
                    _ => {
                        truth.panicked += 1;
                        truth.example.get_or_insert_with(|| call.clone());
                    }
                }
            }
        }
    }
    let counts = lines.next()?.split_whitespace();
    let counts: Vec<i128> = counts.map(|w| w.parse().ok()).collect::<Option<_>>()?;
    let mut pairs = counts.chunks(2).map(|c| (c[0], c[1]));
    truth.claims = pairs.by_ref().take(CLAIMS).collect();
    truth.bounds = pairs.collect();
    Some(truth)
}

/// What a function is run on.
pub enum Inputs {
    /// All of them: the number of values of each parameter.
    Grid(Vec<u64>),
    Sample(Vec<Vec<Val>>),
}

/// All inputs if there are few, else many: edges, small numbers, the numbers in the source and their neighbours.
pub fn inputs(function: &Function, items: &Items, random: &mut Random) -> Inputs {
    let sizes = function
        .parameters
        .iter()
        .map(|p| match (&p.ty, p.passing) {
            (Ty::Bool, Passing::Value) => Some(2),
            (Ty::Int(_, 8, _), Passing::Value) => Some(256),
            _ => None,
        });
    let sizes: Option<Vec<u64>> = sizes.collect();
    if let Some(sizes) = sizes.filter(|s| s.iter().product::<u64>() <= 1 << 17) {
        return Inputs::Grid(sizes);
    }
    let numbers = function.text.split(|c: char| !c.is_ascii_digit());
    let numbers: Vec<u128> = numbers.filter_map(|n| n.parse().ok()).collect();
    let sample = (0..300).map(|_| {
        let mut call = arguments(function, items, random);
        let types: Vec<Ty> = function.parameters.iter().map(|p| p.ty.clone()).collect();
        for (value, ty) in call.iter_mut().zip(&types) {
            toward(value, ty, &numbers, random);
        }
        call
    });
    Inputs::Sample(sample.collect())
}

/// Replaces some integers by numbers of the source, or their neighbours.
fn toward(value: &mut Val, ty: &Ty, numbers: &[u128], random: &mut Random) {
    match (value, ty) {
        (Val::Bits(b), Ty::Int(_, bits, _)) if random.one_in(3) && !numbers.is_empty() => {
            let near = random.pick(numbers).wrapping_add(random.below(3) as u128);
            *b = near.wrapping_sub(1) & mask(*bits);
        }
        (Val::Parts(parts), ty) => {
            let inner = match ty {
                Ty::Array(t, _) => t,
                _ => ty,
            };
            parts
                .iter_mut()
                .for_each(|p| toward(p, inner, numbers, random));
        }
        _ => {}
    }
}
