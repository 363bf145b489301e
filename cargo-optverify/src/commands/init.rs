//! `cargo optverify init`: the dependency, the settings and a workflow for CI. What is already there stays.

use crate::cargo_build;
use crate::cli::InitArgs;
use crate::exit_code::ExitCode;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// In the package.
const SETTINGS: &str = "\n# cargo optverify: options of its command line, by name\n[package.metadata.optverify]\n\
                        timeout = \"60s\"\ngate = \"optimized\"\n";
/// In the repository.
const WORKFLOW_FILE: &str = ".github/workflows/optverify.yml";
const WORKFLOW: &str = include_str!("init_workflow.yml");

pub fn run(args: &InitArgs) -> Result<ExitCode> {
    let manifest = match &args.manifest_path {
        Some(path) => path.clone(),
        None => cargo_build::nearest_manifest().context("there is no Cargo.toml here")?,
    };
    let text = read(&manifest)?;
    let parsed: toml::Table = toml::from_str(&text)
        .with_context(|| format!("{} is not understood", manifest.display()))?;
    let Some(package) = parsed.get("package") else {
        bail!(
            "{} has no package: run it in a member of the workspace",
            manifest.display()
        );
    };
    let has_dependency = parsed
        .get("dependencies")
        .is_some_and(|d| d.get("optverify").is_some());
    if has_dependency {
        anstream::println!("optverify is a dependency already");
    } else {
        add_dependency(args, &manifest)?;
    }
    if package
        .get("metadata")
        .is_some_and(|m| m.get("optverify").is_some())
    {
        anstream::println!("there are settings already");
    } else {
        let text = read(&manifest)?;
        let text = format!("{}\n{SETTINGS}", text.trim_end());
        write(&manifest, &text)?;
        anstream::println!(
            "settings are in {}: [package.metadata.optverify]",
            manifest.display()
        );
    }
    if !args.no_ci {
        workflow(args, &manifest)?;
    }
    anstream::println!("next: mark a function with #[optverify::verify] and run `cargo optverify`");
    Ok(ExitCode::AllSafe)
}

fn add_dependency(args: &InitArgs, manifest: &Path) -> Result<()> {
    let mut command = cargo_build::cargo();
    command
        .args(["add", "--quiet", "optverify", "--manifest-path"])
        .arg(manifest);
    match (&args.path, &args.git) {
        (Some(path), _) => drop(command.arg("--path").arg(path)),
        (None, Some(url)) => drop(command.args(["--git", url])),
        (None, None) => {}
    }
    if !command
        .status()
        .context("could not run cargo add")?
        .success()
    {
        bail!("cargo add failed; --path or --git says where the crate optverify is");
    }
    anstream::println!("optverify is a dependency now");
    Ok(())
}

/// In the root of the repository, or beside the manifest where there is none.
fn workflow(args: &InitArgs, manifest: &Path) -> Result<()> {
    let manifest = manifest
        .canonicalize()
        .with_context(|| format!("where is {}?", manifest.display()))?;
    let package = manifest.parent().map(Path::to_path_buf).unwrap_or_default();
    let mut folders = package.ancestors();
    let repository = folders.find(|dir| dir.join(".git").exists());
    let repository = repository.unwrap_or(&package);
    let file: PathBuf = repository.join(WORKFLOW_FILE);
    if file.exists() {
        anstream::println!("{} stays as it is", file.display());
        return Ok(());
    }
    let source = match &args.git {
        Some(url) => format!("--git {url} cargo-optverify"),
        None => "cargo-optverify".to_owned(),
    };
    let inside = package.strip_prefix(repository).unwrap_or(Path::new(""));
    let folder = if inside.as_os_str().is_empty() {
        ".".to_owned()
    } else {
        inside.display().to_string()
    };
    let text = WORKFLOW
        .replace("{SOURCE}", &source)
        .replace("{FOLDER}", &folder);
    std::fs::create_dir_all(file.parent().unwrap_or(repository))?;
    write(&file, &text)?;
    anstream::println!("a workflow is in {}", file.display());
    Ok(())
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("could not read {}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("could not write {}", path.display()))
}
