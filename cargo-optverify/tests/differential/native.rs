//! The generated functions as a native program: it reads arguments, and prints what a caller can see afterwards.

use crate::functions::{ALLOWED, File, Passing};
use crate::types::{Ty, Val};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a call did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The returned value, and the contents behind each `&mut` parameter in order.
    Returned(Val, Vec<Val>),
    Panicked,
}

/// How to read and show values of the basic types; aggregates of the file are added to it.
const SUPPORT: &str = r#"
trait Travel: Sized { fn read(w: &mut dyn Iterator<Item = u128>) -> Self; fn show(&self, out: &mut String); }
macro_rules! ints { ($($t:ty as $u:ty),*) => { $(impl Travel for $t {
    fn read(w: &mut dyn Iterator<Item = u128>) -> Self { w.next().unwrap() as $t }
    fn show(&self, out: &mut String) { out.push_str(&format!("{} ", *self as $u)); }
})* } }
ints!(u8 as u8, u16 as u16, u32 as u32, u64 as u64, u128 as u128, usize as usize,
      i8 as u8, i16 as u16, i32 as u32, i64 as u64, i128 as u128, isize as usize);
impl Travel for bool {
    fn read(w: &mut dyn Iterator<Item = u128>) -> Self { w.next().unwrap() != 0 }
    fn show(&self, out: &mut String) { out.push_str(&format!("{} ", *self as u8)); }
}
impl Travel for char {
    fn read(w: &mut dyn Iterator<Item = u128>) -> Self { char::from_u32(w.next().unwrap() as u32).unwrap() }
    fn show(&self, out: &mut String) { out.push_str(&format!("{} ", *self as u32)); }
}
impl<T: Travel, const N: usize> Travel for [T; N] {
    fn read(w: &mut dyn Iterator<Item = u128>) -> Self { std::array::from_fn(|_| T::read(w)) }
    fn show(&self, out: &mut String) { self.iter().for_each(|x| x.show(out)); }
}
impl<A: Travel, B: Travel> Travel for (A, B,) {
    fn read(w: &mut dyn Iterator<Item = u128>) -> Self { (A::read(w), B::read(w)) }
    fn show(&self, out: &mut String) { self.0.show(out); self.1.show(out); }
}
impl<A: Travel, B: Travel, C: Travel> Travel for (A, B, C,) {
    fn read(w: &mut dyn Iterator<Item = u128>) -> Self { (A::read(w), B::read(w), C::read(w)) }
    fn show(&self, out: &mut String) { self.0.show(out); self.1.show(out); self.2.show(out); }
}
impl<T: Travel> Travel for Option<T> {
    fn read(w: &mut dyn Iterator<Item = u128>) -> Self { if w.next().unwrap() == 0 { None } else { Some(T::read(w)) } }
    fn show(&self, out: &mut String) { match self { None => out.push_str("0 "), Some(x) => { out.push_str("1 "); x.show(out) } } }
}
impl<T: Travel, E: Travel> Travel for Result<T, E> {
    fn read(w: &mut dyn Iterator<Item = u128>) -> Self { if w.next().unwrap() == 0 { Ok(T::read(w)) } else { Err(E::read(w)) } }
    fn show(&self, out: &mut String) { match self { Ok(x) => { out.push_str("0 "); x.show(out) } Err(x) => { out.push_str("1 "); x.show(out) } } }
}
fn sequence<T: Travel>(w: &mut dyn Iterator<Item = u128>) -> Vec<T> { let n = w.next().unwrap(); (0..n).map(|_| T::read(w)).collect() }
"#;

fn aggregates(file: &File) -> String {
    let mut out = String::new();
    let mut implement = |name: &str, read: String, show: String| {
        out.push_str(&format!(
            "impl Travel for {name} {{\nfn read(w: &mut dyn Iterator<Item = u128>) -> Self {{ {read} }}\n\
             fn show(&self, out: &mut String) {{ {show} }}\n}}\n"
        ));
    };
    for (s, fields) in file.items.structs.iter().enumerate() {
        let read: Vec<String> = (0..fields.len())
            .map(|i| format!("f{i}: Travel::read(w)"))
            .collect();
        let show: Vec<String> = (0..fields.len())
            .map(|i| format!("self.f{i}.show(out);"))
            .collect();
        implement(
            &format!("S{s}"),
            format!("S{s} {{ {} }}", read.join(", ")),
            show.join(" "),
        );
    }
    for (e, variants) in file.items.enums.iter().enumerate() {
        let (mut read, mut show) = (String::new(), String::new());
        for (v, payload) in variants.iter().enumerate() {
            let names: Vec<String> = (0..payload.len()).map(|i| format!("p{i}")).collect();
            let (made, bound) = if payload.is_empty() {
                (String::new(), String::new())
            } else {
                (
                    format!("({})", vec!["Travel::read(w)"; payload.len()].join(", ")),
                    format!("({})", names.join(", ")),
                )
            };
            let shown: Vec<String> = names.iter().map(|n| format!("{n}.show(out);")).collect();
            read.push_str(&format!("{v} => E{e}::V{v}{made}, "));
            show.push_str(&format!(
                "E{e}::V{v}{bound} => {{ out.push_str(\"{v} \"); {} }} ",
                shown.join(" ")
            ));
        }
        implement(
            &format!("E{e}"),
            format!("match w.next().unwrap() {{ {read} _ => unreachable!() }}"),
            format!("match self {{ {show} }}"),
        );
    }
    out
}

/// The functions without their attribute, and a `run` that reads which of them to call, and on what.
pub fn library(file: &File) -> String {
    let mut out = format!("{ALLOWED}{}{SUPPORT}{}", file.prelude, aggregates(file));
    let mut calls = String::new();
    for (i, f) in file.functions.iter().enumerate() {
        out.push_str(&f.text);
        let (mut reads, mut args, mut shows) = (String::new(), vec![], String::new());
        for (k, p) in f.parameters.iter().enumerate() {
            let ty = p.ty.name();
            let (read, arg) = match p.passing {
                Passing::Value => (format!("<{ty} as Travel>::read(w)"), format!("a{k}")),
                Passing::Ref => (format!("<{ty} as Travel>::read(w)"), format!("&a{k}")),
                Passing::RefMut => (format!("<{ty} as Travel>::read(w)"), format!("&mut a{k}")),
                Passing::Slice => (format!("sequence::<{ty}>(w)"), format!("&a{k}[..]")),
                Passing::SliceMut => (format!("sequence::<{ty}>(w)"), format!("&mut a{k}[..]")),
                Passing::Vector => (format!("sequence::<{ty}>(w)"), format!("a{k}")),
                Passing::VectorMut => (format!("sequence::<{ty}>(w)"), format!("&mut a{k}")),
            };
            reads.push_str(&format!("let mut a{k} = {read}; "));
            args.push(arg);
            match p.passing {
                Passing::RefMut => shows.push_str(&format!("a{k}.show(out); ")),
                Passing::SliceMut => {
                    shows.push_str(&format!("a{k}.iter().for_each(|x| x.show(out)); "))
                }
                _ => {}
            }
        }
        let args = args.join(", ");
        out.push_str(&format!(
            "fn run{i}(w: &mut dyn Iterator<Item = u128>, out: &mut String) {{ {reads} let r = {}({args}); r.show(out); {shows} }}\n",
            f.name
        ));
        calls.push_str(&format!("{i} => run{i}(w, out), "));
    }
    out.push_str(&format!(
        "pub fn run(w: &mut dyn Iterator<Item = u128>, out: &mut String) {{ match w.next().unwrap() {{ {calls} _ => unreachable!() }} }}\n"
    ));
    out
}

/// The library, and a `main` that makes the calls on the lines of its standard input.
pub fn program(file: &File) -> String {
    library(file)
        + "fn main() {\n    std::panic::set_hook(Box::new(|_| {}));\n    for line in std::io::stdin().lines() {\n        \
         let line = line.unwrap();\n        let mut w = line.split_whitespace().map(|x| x.parse::<u128>().unwrap());\n        \
         let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| { let mut out = String::new(); run(&mut w, &mut out); out }));\n        \
         println!(\"{}\", done.unwrap_or(\"panic\".to_owned()));\n    }\n}\n"
}

/// Compiles the program of a file with these flags.
pub fn compile(source: &Path, flags: &[&str]) -> PathBuf {
    let binary = source.with_extension("");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .args(["--edition=2021", "--crate-name", "generated"])
        .args(flags)
        .arg("-o")
        .arg(&binary)
        .arg(source)
        .env("RUSTC_BOOTSTRAP", "1")
        .output()
        .expect("the compiler starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "the generated program does not compile:\n{stderr}"
    );
    binary
}

/// Builds the program of a package with these flags.
pub fn build(package: &Path, name: &str, flags: &[&str]) -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["build", "--quiet", "--bin", name])
        .current_dir(package)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", flags.join(" "))
        .env("CARGO_TARGET_DIR", package.join("native"))
        .output()
        .expect("cargo starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name} does not build:\n{stderr}");
    package.join("native/debug").join(name)
}

/// A call as `run` of the native program reads it.
pub fn line(file: &File, f: usize, arguments: &[Val]) -> String {
    let mut line = format!("{f} ");
    for (p, value) in file.functions[f].parameters.iter().zip(arguments) {
        if let (true, Val::Parts(elements)) = (p.passing.is_sequence(), value) {
            line.push_str(&format!("{} ", elements.len()));
        }
        value.write(&mut line);
    }
    line + "\n"
}

/// Runs calls (function and arguments) in the native program.
pub fn run(binary: &Path, file: &File, calls: &[(usize, Vec<Val>)]) -> Vec<Ended> {
    let lines = calls.iter().map(|(f, arguments)| line(file, *f, arguments));
    let input: String = lines.collect();
    let stdin = binary.with_extension("input");
    std::fs::write(&stdin, input).expect("the input is written");
    let output = Command::new(binary)
        .stdin(std::fs::File::open(&stdin).expect("the input"))
        .output()
        .expect("the native program runs");
    assert!(
        output.status.success(),
        "the native program failed: {:?}",
        output.status
    );
    let text = String::from_utf8(output.stdout).expect("text");
    let ended = text.lines().zip(calls).map(|(line, (f, arguments))| {
        if line == "panic" {
            return Ended::Panicked;
        }
        let mut words = line
            .split_whitespace()
            .map(|w| w.parse().expect("a number"));
        let function = &file.functions[*f];
        let mut read = |ty: &Ty| Val::read(ty, &file.items, &mut words).expect("a whole value");
        let result = read(&function.result);
        let mut behind = vec![];
        for (p, before) in function.parameters.iter().zip(arguments) {
            match (p.passing, before) {
                (Passing::RefMut, _) => behind.push(read(&p.ty)),
                (Passing::SliceMut, Val::Parts(elements)) => {
                    behind.push(Val::Parts(elements.iter().map(|_| read(&p.ty)).collect()));
                }
                _ => {}
            }
        }
        Ended::Returned(result, behind)
    });
    let ended: Vec<Ended> = ended.collect();
    assert_eq!(ended.len(), calls.len(), "one line for each call");
    ended
}
