//! The cargo build that captures: an ordinary build in a target directory of its own, with this binary as
//! the workspace's rustc wrapper.

use crate::capture::single_file::cache_dir;
use crate::cli::BuildArgs;
use crate::wrapper;
use anyhow::{Context, Result};
use cargo_metadata::{Message, Metadata, MetadataCommand, TargetKind};
use optverify_engine::capture::Capture;
use std::collections::BTreeSet;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The build failed, and cargo has said why.
#[derive(Debug, thiserror::Error)]
#[error("the build failed")]
pub struct BuildFailed;

/// Builds, and gives the captures of everything that was asked for.
pub fn captures(args: &BuildArgs) -> Result<Vec<Capture>> {
    let metadata = metadata(args)?;
    let built = build(args, &metadata)?;
    let mut found = find(&built)?;
    // a capture may have been deleted, or be of another version of this tool, or of a folder that was moved,
    // while cargo believes its crate fresh
    let lost: BTreeSet<&str> = built
        .iter()
        .filter(|b| args.all_functions || depends_on_optverify(&metadata, &b.package_id))
        .filter(|b| {
            b.capture
                .as_deref()
                .is_none_or(|dir| !is_of_here(dir, &metadata))
        })
        .map(|b| b.package.as_str())
        .collect();
    if !lost.is_empty() {
        clean(args, &metadata, &lost)?;
        found = find(&build(args, &metadata)?)?;
    }
    Ok(found)
}

/// Can the capture be read, and are its sources those of this workspace?
fn is_of_here(dir: &Path, metadata: &Metadata) -> bool {
    let here = metadata.workspace_root.as_std_path().canonicalize().ok();
    let root = |capture: &Capture| Path::new(&capture.info.source_root).canonicalize().ok();
    Capture::load_all(dir).is_ok_and(|all| all.iter().all(|c| root(c) == here))
}

fn find(built: &[Built]) -> Result<Vec<Capture>> {
    let dirs: BTreeSet<&PathBuf> = built.iter().filter_map(|b| b.capture.as_ref()).collect();
    Ok(dirs
        .into_iter()
        .filter_map(|dir| Capture::load_all(dir).ok())
        .flatten()
        .collect())
}

pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

pub fn metadata(args: &BuildArgs) -> Result<Metadata> {
    let mut command = MetadataCommand::new();
    command.no_deps();
    if let Some(path) = &args.manifest_path {
        command.manifest_path(path);
    }
    let mut other = Vec::new();
    for (flag, set) in [
        ("--locked", args.locked),
        ("--offline", args.offline),
        ("--frozen", args.frozen),
    ] {
        other.extend(set.then(|| flag.to_owned()));
    }
    for value in &args.config {
        other.extend(["--config".to_owned(), value.clone()]);
    }
    command.other_options(other);
    match command.exec() {
        Ok(metadata) => Ok(metadata),
        Err(cargo_metadata::Error::CargoMetadata { stderr }) => {
            eprint!("{stderr}");
            Err(BuildFailed.into())
        }
        Err(error) => Err(error).context("could not run cargo metadata"),
    }
}

/// Something that cargo built or found fresh.
struct Built {
    package_id: String,
    package: String,
    capture: Option<PathBuf>,
}

fn build(args: &BuildArgs, metadata: &Metadata) -> Result<Vec<Built>> {
    let mut command = cargo();
    command
        .args(["build", "--message-format", "json-render-diagnostics"])
        .args(selection(args))
        .args(["--profile", &args.profile])
        .arg("--target-dir")
        .arg(target_dir(args, metadata))
        .env(
            "RUSTC_WORKSPACE_WRAPPER",
            std::env::current_exe().context("where is this program?")?,
        )
        .env(wrapper::PROFILE_VARIABLE, &args.profile)
        .env(wrapper::CACHE_VARIABLE, cache_dir())
        .stdout(Stdio::piped());
    if args.all_functions {
        command.env(wrapper::ALL_VARIABLE, "1");
    }
    if metadata.workspace_members.len() > 1 {
        command.env(wrapper::SHARE_VARIABLE, "1");
    }
    let mut child = command.spawn().context("could not run cargo build")?;
    let stdout = child
        .stdout
        .take()
        .context("cargo has no standard output")?;
    let mut built = Vec::new();
    for message in Message::parse_stream(BufReader::new(stdout)) {
        if let Message::CompilerArtifact(artifact) = message? {
            built.extend(describe(&artifact, args, metadata));
        }
    }
    if !child.wait()?.success() {
        return Err(BuildFailed.into());
    }
    Ok(built)
}

/// Flags that choose what is built.
fn selection(args: &BuildArgs) -> Vec<String> {
    let mut flags: Vec<String> = Vec::new();
    let switches = [
        ("--workspace", args.workspace),
        ("--lib", args.lib),
        ("--bins", args.bins),
        ("--all-features", args.all_features),
        ("--no-default-features", args.no_default_features),
        ("--locked", args.locked),
        ("--offline", args.offline),
        ("--frozen", args.frozen),
        ("--quiet", args.quiet),
    ];
    flags.extend(
        switches
            .iter()
            .filter(|(_, set)| *set)
            .map(|(flag, _)| (*flag).to_owned()),
    );
    let lists = [
        ("--package", &args.package),
        ("--exclude", &args.exclude),
        ("--bin", &args.bin),
        ("--example", &args.example),
        ("--features", &args.features),
        ("--config", &args.config),
    ];
    for (flag, values) in lists {
        flags.extend(
            values
                .iter()
                .flat_map(|value| [flag.to_owned(), value.clone()]),
        );
    }
    if let Some(path) = &args.manifest_path {
        flags.extend(["--manifest-path".to_owned(), path.display().to_string()]);
    }
    if let Some(target) = &args.target {
        flags.extend(["--target".to_owned(), target.clone()]);
    }
    flags
}

/// Where a command of cargo works, and in which target directory: flags for one that builds besides the capture.
pub fn place_flags(args: &BuildArgs) -> Result<Vec<String>> {
    let dir = target_dir(args, &metadata(args)?);
    let mut flags = vec!["--target-dir".to_owned(), dir.display().to_string()];
    let manifest = args.manifest_path.as_ref().map(|p| p.display().to_string());
    for (flag, value) in [
        ("--manifest-path", manifest),
        ("--target", args.target.clone()),
    ] {
        flags.extend(value.into_iter().flat_map(|v| [flag.to_owned(), v]));
    }
    for (flag, values) in [("--features", &args.features), ("--config", &args.config)] {
        flags.extend(values.iter().flat_map(|v| [flag.to_owned(), v.clone()]));
    }
    for (flag, set) in [
        ("--all-features", args.all_features),
        ("--no-default-features", args.no_default_features),
        ("--locked", args.locked),
        ("--offline", args.offline),
        ("--frozen", args.frozen),
    ] {
        flags.extend(set.then(|| flag.to_owned()));
    }
    Ok(flags)
}

/// Own artifacts: an ordinary `cargo build` afterwards finds its own fresh. Captures of all functions are others
/// than those of the marked ones.
fn target_dir(args: &BuildArgs, metadata: &Metadata) -> PathBuf {
    let base = args
        .target_dir
        .clone()
        .unwrap_or_else(|| metadata.target_directory.clone().into_std_path_buf());
    base.join(match args.all_functions {
        true => "optverify-all",
        false => "optverify",
    })
}

fn describe(
    artifact: &cargo_metadata::Artifact,
    args: &BuildArgs,
    metadata: &Metadata,
) -> Option<Built> {
    let package = metadata
        .packages
        .iter()
        .find(|p| p.id == artifact.package_id)?;
    if !is_selected(args, metadata, package) {
        return None;
    }
    let skipped = [
        TargetKind::CustomBuild,
        TargetKind::ProcMacro,
        TargetKind::Test,
        TargetKind::Bench,
    ];
    if artifact
        .target
        .kind
        .iter()
        .any(|kind| skipped.contains(kind))
    {
        return None;
    }
    let files = artifact.filenames.iter().map(|f| f.as_std_path());
    let capture = files.filter_map(unit_name).find_map(|(deps, unit)| {
        let dir = wrapper::captures_beside(&deps)?.join(unit);
        dir.is_dir().then_some(dir)
    });
    Some(Built {
        package_id: package.id.repr.clone(),
        package: package.name.to_string(),
        capture,
    })
}

/// Cargo also reports the workspace's crates that a selected one depends on.
pub fn is_selected(
    args: &BuildArgs,
    metadata: &Metadata,
    package: &cargo_metadata::Package,
) -> bool {
    let named = |specs: &[String]| specs.iter().any(|spec| spec_matches(spec, package));
    if args.workspace {
        return !named(&args.exclude);
    }
    if !args.package.is_empty() {
        return named(&args.package);
    }
    let here = args.manifest_path.clone().or_else(nearest_manifest);
    let here = here.and_then(|path| path.canonicalize().ok());
    let root = metadata
        .workspace_root
        .join("Cargo.toml")
        .into_std_path_buf();
    match here {
        Some(here) if root.canonicalize().ok().as_ref() != Some(&here) => {
            package.manifest_path.as_std_path().canonicalize().ok() == Some(here)
        }
        _ => metadata.workspace_default_members.contains(&package.id),
    }
}

pub fn nearest_manifest() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    here.ancestors()
        .map(|dir| dir.join("Cargo.toml"))
        .find(|file| file.is_file())
}

/// `name`, `name@1.0.0`, `prefix*`, or a package id.
fn spec_matches(spec: &str, package: &cargo_metadata::Package) -> bool {
    let name = spec.split('@').next().unwrap_or(spec);
    package.id.repr == spec
        || package.name.as_str() == name
        || name
            .strip_suffix('*')
            .is_some_and(|prefix| package.name.starts_with(prefix))
}

/// The folder and the name with its hash: `p-1f` of `deps/libp-1f.rlib`. Cargo hard-links a unit's
/// artifact to a name without the hash; the link leads back.
fn unit_name(artifact: &Path) -> Option<(PathBuf, String)> {
    let folder = artifact.parent()?;
    let is_unit_folder = ["deps", "examples"]
        .iter()
        .any(|name| folder.ends_with(name));
    let deps = if is_unit_folder {
        folder.to_path_buf()
    } else {
        folder.join("deps")
    };
    let with_hash = if folder.ends_with("deps") {
        artifact.to_path_buf()
    } else {
        same_file_in(&deps, artifact)?
    };
    let stem = with_hash.file_stem()?.to_string_lossy().into_owned();
    let is_library = with_hash.extension().is_some_and(|e| e != "exe");
    let unit = if is_library {
        stem.strip_prefix("lib").unwrap_or(&stem).to_owned()
    } else {
        stem
    };
    Some((deps, unit))
}

#[cfg(unix)]
fn same_file_in(deps: &Path, artifact: &Path) -> Option<PathBuf> {
    use std::os::unix::fs::MetadataExt;
    let identity = |path: &Path| std::fs::metadata(path).map(|m| (m.dev(), m.ino())).ok();
    let wanted = identity(artifact)?;
    let entries = std::fs::read_dir(deps)
        .ok()?
        .filter_map(|e| Some(e.ok()?.path()));
    let has_hash = |path: &Path| {
        path.file_name()
            .is_some_and(|n| n.to_string_lossy().contains('-'))
    };
    entries
        .filter(|path| has_hash(path) && path != artifact)
        .find(|path| identity(path) == Some(wanted))
}

#[cfg(not(unix))]
fn same_file_in(_deps: &Path, _artifact: &Path) -> Option<PathBuf> {
    None
}

fn depends_on_optverify(metadata: &Metadata, package_id: &str) -> bool {
    let package = metadata.packages.iter().find(|p| p.id.repr == package_id);
    package.is_some_and(|p| {
        let normal =
            |d: &&cargo_metadata::Dependency| d.kind == cargo_metadata::DependencyKind::Normal;
        p.dependencies
            .iter()
            .filter(normal)
            .any(|d| d.name == "optverify" && !d.optional)
    })
}

fn clean(args: &BuildArgs, metadata: &Metadata, packages: &BTreeSet<&str>) -> Result<()> {
    let mut command = cargo();
    command
        .args([
            "clean",
            "--quiet",
            "--profile",
            &args.profile,
            "--target-dir",
        ])
        .arg(target_dir(args, metadata));
    command.args(packages.iter().flat_map(|p| ["--package", p]));
    if let Some(path) = &args.manifest_path {
        command.arg("--manifest-path").arg(path);
    }
    if let Some(target) = &args.target {
        command.args(["--target", target]);
    }
    command.status().context("could not run cargo clean")?;
    Ok(())
}
