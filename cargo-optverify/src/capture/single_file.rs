//! `cargo optverify FILE.rs`: no Cargo.toml, the crate `optverify` available. Its sources travel inside
//! this binary and are compiled once per compiler into a cache.

use crate::capture::command::RustcCommand;
use crate::capture::{compiler, folder};
use crate::rustflags;
use anyhow::{Context, Result, bail};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Name and text of a source file of the crate `optverify` and of its macros.
type Sources = &'static [(&'static str, &'static str)];

macro_rules! sources {
    ($folder:literal: $($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../../optverify/", $folder, $name)))),*]
    };
}

const LIBRARY: Sources =
    sources!("src/": "lib.rs" "any.rs" "any_of_std.rs" "nondet.rs" "replay.rs");
const MACROS: Sources = sources!("macros/src/": "lib.rs" "contract.rs" "derive_any.rs" "item_fn.rs" "mode.rs" "options.rs" "root.rs" "tokens.rs");

/// What the command line says about a file's compile.
#[derive(Debug, Clone)]
pub struct FileOptions {
    pub profile: String,
    pub target: Option<String>,
    pub edition: String,
}

impl Default for FileOptions {
    fn default() -> Self {
        Self {
            profile: "release".into(),
            target: None,
            edition: "2021".into(),
        }
    }
}

/// The compile that cargo would do for a package with this one file.
pub fn command(file: &Path, options: &FileOptions) -> Result<RustcCommand> {
    let source = std::fs::read_to_string(file)
        .with_context(|| format!("could not read {}", file.display()))?;
    let rustc = std::env::var_os("RUSTC").map_or_else(|| PathBuf::from("rustc"), PathBuf::from);
    let rustc = compiler::behind_proxy(&rustc);
    let current_dir = std::env::current_dir().context("the current directory is gone")?;
    let optverify = library(&rustc, options.target.as_deref())?;
    let stem = file
        .file_stem()
        .map(|s| s.to_string_lossy().into_owned())
        .unwrap_or_default();
    let crate_name: String = stem
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { '_' })
        .collect();
    let has_main = source
        .lines()
        .any(|line| line.starts_with("fn main(") || line.starts_with("pub fn main("));
    let mut args: Vec<String> = vec![
        "--crate-name".into(),
        if crate_name.starts_with(|c: char| c.is_ascii_digit()) {
            format!("_{crate_name}")
        } else {
            crate_name
        },
        format!("--edition={}", options.edition),
        "--crate-type".into(),
        if has_main { "bin" } else { "lib" }.into(),
        file.display().to_string(),
    ];
    args.extend(
        profile_flags(&options.profile)?
            .iter()
            .map(|flag| (*flag).to_owned()),
    );
    args.extend([
        "--extern".to_owned(),
        format!(
            "optverify={}",
            optverify.join("liboptverify.rlib").display()
        ),
    ]);
    args.extend([
        "-L".to_owned(),
        format!("dependency={}", optverify.display()),
    ]);
    if let Some(target) = &options.target {
        args.extend(["--target".to_owned(), target.clone()]);
    }
    args.extend(rustflags::for_directory(&current_dir)?);
    Ok(RustcCommand {
        rustc,
        args,
        current_dir,
        shared: None,
    })
}

/// Cargo's defaults for its built-in profiles.
fn profile_flags(profile: &str) -> Result<&'static [&'static str]> {
    Ok(match profile {
        "release" | "bench" => &["-Copt-level=3"],
        "dev" | "test" | "debug" => &[
            "-Copt-level=0",
            "-Cdebug-assertions=on",
            "-Coverflow-checks=on",
        ],
        other => bail!("a single file has only the profiles release and dev, not {other}"),
    })
}

/// The folder with `optverify` compiled for this compiler, made when it is missing.
fn library(rustc: &Path, target: Option<&str>) -> Result<PathBuf> {
    let identity = compiler_identity(rustc);
    let mut hasher = DefaultHasher::new();
    (LIBRARY, MACROS, identity, target).hash(&mut hasher);
    let cache = cache_dir();
    let place = cache.join(format!("optverify-{:016x}", hasher.finish()));
    if place.is_dir() {
        return Ok(place);
    }
    let scratch = folder::Scratch::beside(&place)?;
    let runs = scratch.runs();
    let out = scratch.content();
    for (name, text) in MACROS {
        write(&runs.join("macros"), name, text)?;
    }
    for (name, text) in LIBRARY {
        write(&runs.join("src"), name, text)?;
    }
    let out_arg = out.display().to_string();
    compile(
        rustc,
        &[
            "--crate-name",
            "optverify_macros",
            "--edition=2021",
            "--crate-type",
            "proc-macro",
            "-Copt-level=1",
            "--extern",
            "proc_macro",
            "--out-dir",
            &out_arg,
        ],
        &runs.join("macros/lib.rs"),
    )?;
    let macros = std::fs::read_dir(&out)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| {
            path.file_name()
                .is_some_and(|n| n.to_string_lossy().contains("optverify_macros"))
        })
        .context("the compiler wrote no macro library")?;
    let extern_macros = format!("optverify_macros={}", macros.display());
    let mut args = vec![
        "--crate-name",
        "optverify",
        "--edition=2021",
        "--crate-type",
        "lib",
        "-Copt-level=3",
        "--cfg",
        "feature=\"std\"",
        "--check-cfg",
        "cfg(feature, values(\"std\"))",
        "--extern",
        &extern_macros,
        "--out-dir",
        &out_arg,
    ];
    if let Some(target) = target {
        args.extend(["--target", target]);
    }
    compile(rustc, &args, &runs.join("src/lib.rs"))?;
    match scratch.publish(&place) {
        // somebody else may have been faster
        Err(error) if !place.is_dir() => Err(error),
        _ => Ok(place),
    }
}

/// Tells compilers apart without starting one: the file and when it was installed.
fn compiler_identity(rustc: &Path) -> (PathBuf, Option<std::time::SystemTime>) {
    let modified = std::fs::metadata(rustc).and_then(|m| m.modified()).ok();
    (rustc.to_path_buf(), modified)
}

pub fn cache_dir() -> PathBuf {
    let from_env = |name: &str| {
        std::env::var_os(name)
            .filter(|v| !v.is_empty())
            .map(PathBuf::from)
    };
    from_env("OPTVERIFY_CACHE_DIR")
        .or_else(|| from_env("XDG_CACHE_HOME").map(|dir| dir.join("optverify")))
        .or_else(|| from_env("HOME").map(|dir| dir.join(".cache/optverify")))
        .unwrap_or_else(|| std::env::temp_dir().join("optverify-cache"))
}

fn write(dir: &Path, name: &str, text: &str) -> Result<()> {
    std::fs::create_dir_all(dir)?;
    Ok(std::fs::write(dir.join(name), text)?)
}

fn compile(rustc: &Path, args: &[&str], source: &Path) -> Result<()> {
    let output = Command::new(rustc)
        .args(args)
        .arg(source)
        .args(["--cap-lints", "allow"])
        .output()?;
    if !output.status.success() {
        bail!(
            "could not compile the crate optverify with {}:\n{}",
            rustc.display(),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(())
}
