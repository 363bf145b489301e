//! The flags that cargo would add to rustc here: environment first, then the configuration files.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// `CARGO_ENCODED_RUSTFLAGS`, else `RUSTFLAGS`, else `build.rustflags` of cargo's configuration.
pub fn for_directory(dir: &Path) -> Result<Vec<String>> {
    if let Ok(encoded) = std::env::var("CARGO_ENCODED_RUSTFLAGS") {
        return Ok(encoded
            .split('\x1f')
            .filter(|f| !f.is_empty())
            .map(str::to_owned)
            .collect());
    }
    for name in ["RUSTFLAGS", "CARGO_BUILD_RUSTFLAGS"] {
        if let Ok(flags) = std::env::var(name) {
            return Ok(flags.split_whitespace().map(str::to_owned).collect());
        }
    }
    let mut flags = Vec::new();
    for file in configuration_files(dir) {
        flags.extend(build_rustflags(&file)?);
    }
    Ok(flags)
}

/// From the weakest to the strongest: `CARGO_HOME`'s, then from the file system's root down to `dir`.
fn configuration_files(dir: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = dir.ancestors().map(|d| d.join(".cargo")).collect();
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo")));
    folders.extend(home.filter(|home| !folders.contains(home)));
    folders
        .into_iter()
        .rev()
        .filter_map(|folder| {
            ["config", "config.toml"]
                .map(|name| folder.join(name))
                .into_iter()
                .find(|f| f.is_file())
        })
        .collect()
}

fn build_rustflags(file: &Path) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("could not read {}", file.display()))?;
    let table: toml::Table = text
        .parse()
        .with_context(|| format!("could not parse {}", file.display()))?;
    let flags = table.get("build").and_then(|build| build.get("rustflags"));
    Ok(match flags {
        Some(toml::Value::String(flags)) => flags.split_whitespace().map(str::to_owned).collect(),
        Some(toml::Value::Array(flags)) => flags
            .iter()
            .filter_map(|f| Some(f.as_str()?.to_owned()))
            .collect(),
        _ => Vec::new(),
    })
}
