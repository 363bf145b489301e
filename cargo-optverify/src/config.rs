//! `[package.metadata.optverify]` and `[workspace.metadata.optverify]`: every option of `verify` under its own name,
//! before those of the command line.

use crate::cargo_build;
use crate::cli::BuildArgs;
use anyhow::{Result, bail};
use cargo_metadata::Metadata;
use serde_json::Value;
use std::path::Path;

/// Options that name files, relative to the manifest that they stand in.
const FILES: [&str; 5] = ["baseline", "write-baseline", "sarif", "junit", "html"];

/// The options as flags, the workspace's first. A package's settings hold when it is the only one verified.
pub fn flags(build: &BuildArgs) -> Result<Vec<String>> {
    let metadata = cargo_build::metadata(build)?;
    let mut flags = Vec::new();
    let workspace = &metadata.workspace_metadata["optverify"];
    flags.extend(as_flags(workspace, metadata.workspace_root.as_std_path())?);
    if let [package] = selected(build, &metadata).as_slice() {
        let folder = package.manifest_path.as_std_path().with_file_name("");
        flags.extend(as_flags(&package.metadata["optverify"], &folder)?);
    }
    Ok(flags)
}

fn selected<'a>(build: &BuildArgs, metadata: &'a Metadata) -> Vec<&'a cargo_metadata::Package> {
    let packages = metadata.workspace_packages();
    packages
        .into_iter()
        .filter(|package| cargo_build::is_selected(build, metadata, package))
        .collect()
}

fn as_flags(table: &Value, folder: &Path) -> Result<Vec<String>> {
    let mut flags = Vec::new();
    let table = match table {
        Value::Null => return Ok(flags),
        Value::Object(table) => table,
        other => bail!("metadata.optverify is {other}, not a table"),
    };
    for (name, value) in table {
        let flag = format!("--{name}");
        let text = |value: &Value| match value {
            Value::String(text) if FILES.contains(&name.as_str()) => {
                Ok(folder.join(text).display().to_string())
            }
            Value::String(text) => Ok(text.clone()),
            Value::Number(number) => Ok(number.to_string()),
            other => bail!("metadata.optverify.{name} is {other}: a text or a number was expected"),
        };
        match value {
            Value::Bool(true) => flags.push(flag),
            Value::Bool(false) => {}
            Value::Array(values) => {
                for value in values {
                    flags.extend([flag.clone(), text(value)?]);
                }
            }
            one => flags.extend([flag, text(one)?]),
        }
    }
    Ok(flags)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutate::{Random, damaged, each, rounds};
    use serde_json::json;

    /// Whatever the table holds: an error, or flags that the command line then judges.
    #[test]
    fn damaged_settings_are_errors_or_flags() {
        const SAMPLE: &str = r#"{"timeout": "20s", "allow-unknown": true, "fail-fast": false, "memory": 4000,
            "engine": ["bmc", "pdr"], "baseline": "accepted.toml", "gate": "every-pass", "root": ["a", "b"]}"#;
        let n = rounds(10_000);
        each(n, |seed| {
            use clap::Parser;
            let text = damaged(&mut Random(seed), SAMPLE);
            let Ok(table) = serde_json::from_str::<Value>(&text) else {
                return;
            };
            match as_flags(&table, Path::new("p")) {
                Err(error) => assert!(format!("{error:#}").contains("metadata.optverify")),
                Ok(flags) => {
                    let args = ["optverify".to_owned()].into_iter().chain(flags);
                    if let Err(error) = crate::cli::Cli::try_parse_from(args) {
                        assert!(!error.to_string().is_empty());
                    }
                }
            }
        });
        println!("figure: damaged settings | {n}, 0 panics");
    }

    #[test]
    fn names_are_those_of_the_command_line() {
        let table = json!({"timeout": "20s", "allow-unknown": true, "fail-fast": false, "memory": 4000,
                           "engine": ["bmc", "pdr"], "baseline": "accepted.toml"});
        let flags = as_flags(&table, Path::new("/p")).expect("flags").join(" ");
        for expected in [
            "--timeout 20s",
            "--allow-unknown",
            "--memory 4000",
            "--engine bmc --engine pdr",
            "--baseline /p/accepted.toml",
        ] {
            assert!(flags.contains(expected), "{expected} in {flags}");
        }
        assert!(!flags.contains("fail-fast"), "{flags}");
        assert!(as_flags(&json!({"timeout": {}}), Path::new("/p")).is_err());
        assert!(as_flags(&json!("yes"), Path::new("/p")).is_err());
    }
}
