//! A rustc command line: what the capture must know of it, and the same compile sent elsewhere.

use std::path::{Path, PathBuf};

/// One compile, as cargo (or the single-file mode) asks for it.
#[derive(Debug, Clone)]
pub struct RustcCommand {
    pub rustc: PathBuf,
    pub args: Vec<String>,
    pub current_dir: PathBuf,
    /// Where the workspace's libraries are with all their MIR.
    pub shared: Option<PathBuf>,
}

impl RustcCommand {
    /// The values of a flag, in every spelling: `--flag v`, `--flag=v`, and for `-C`: `-C v`, `-Cv`,
    /// `--codegen v`.
    pub fn values(&self, flag: &str) -> Vec<&str> {
        flags(&self.args)
            .filter(|f| f.name == flag)
            .filter_map(|f| f.value)
            .collect()
    }

    pub fn value(&self, flag: &str) -> Option<&str> {
        self.values(flag).pop()
    }

    /// The last `-C key=value`.
    pub fn codegen(&self, key: &str) -> Option<&str> {
        let mut found = None;
        for option in self.values("-C") {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            if name.replace('_', "-") == key {
                found = Some(value);
            }
        }
        found
    }

    pub fn crate_name(&self) -> &str {
        self.value("--crate-name").unwrap_or("unknown")
    }

    /// `lib`, `bin`, `proc-macro`, ..
    pub fn crate_types(&self) -> Vec<&str> {
        self.values("--crate-type")
            .into_iter()
            .flat_map(|list| list.split(','))
            .collect()
    }

    pub fn is_test_harness(&self) -> bool {
        self.args.iter().any(|a| a == "--test")
    }

    /// The source file: the one argument that belongs to no flag.
    pub fn source_file(&self) -> Option<&str> {
        flags(&self.args)
            .find(|f| f.name.is_empty())
            .and_then(|f| f.value)
    }

    /// Can a crate that this compile makes have roots? Without the crate `optverify` there is no
    /// `#[verify]`.
    pub fn sees_optverify(&self) -> bool {
        let names =
            |value: &&str| value.split_once('=').map_or(*value, |(name, _)| name) == "optverify";
        self.values("--extern").iter().any(names)
    }

    /// The same compile of another file, as a library.
    pub fn of_library(&self, source: &Path) -> RustcCommand {
        let is_other = |name: &str| !["", "--crate-type", "--test"].contains(&name);
        let kept = flags(&self.args).filter(|f| is_other(f.name));
        let mut args: Vec<String> = kept.flat_map(|f| f.raw.to_vec()).collect();
        args.extend(["--crate-type=lib".to_owned(), source.display().to_string()]);
        RustcCommand {
            args,
            ..self.clone()
        }
    }

    /// The same compile with other outputs: only MIR, into `out_dir`, nothing incremental, no
    /// diagnostics but errors as rustc prints them.
    pub fn for_capture(&self, out_dir: &Path) -> Vec<String> {
        let mut kept = Vec::new();
        for flag in flags(&self.args) {
            let dropped = match flag.name {
                "--emit" | "--out-dir" | "-o" | "--error-format" | "--json" | "--cap-lints" => true,
                "--diagnostic-width" => true,
                "-C" => {
                    let option = flag.value.unwrap_or_default();
                    ["incremental", "extra-filename"]
                        .iter()
                        .any(|name| option.starts_with(name))
                }
                _ => false,
            };
            if !dropped {
                kept.extend(flag.raw.iter().cloned());
            }
        }
        kept.extend(["--out-dir".to_owned(), out_dir.display().to_string()]);
        kept.extend(["--cap-lints", "allow"].map(str::to_owned));
        kept
    }

    /// Arguments that choose among MIR passes, which the reference must not have.
    pub fn is_mir_choice(arg: &str) -> bool {
        [
            "mir-opt-level",
            "mir-enable-passes",
            "inline-mir",
            "unsound-mir-opts",
            "mir-opt-bisect-limit",
        ]
        .iter()
        .any(|name| arg.replace('_', "-").starts_with(name))
    }
}

/// Without the user's own choice of MIR passes.
pub fn without_mir_choices(args: &[String]) -> Vec<String> {
    flags(args)
        .filter(|f| !(f.name == "-Z" && f.value.is_some_and(RustcCommand::is_mir_choice)))
        .flat_map(|f| f.raw.to_vec())
        .collect()
}

/// A flag with its value, however it was spelt. An empty name is a positional argument.
struct Flag<'a> {
    name: &'a str,
    value: Option<&'a str>,
    raw: &'a [String],
}

/// Long flags that take their value as a separate argument.
const WITH_VALUE: &[&str] = &[
    "--crate-name",
    "--crate-type",
    "--edition",
    "--emit",
    "--out-dir",
    "--extern",
    "--cfg",
    "--check-cfg",
    "--target",
    "--sysroot",
    "--error-format",
    "--json",
    "--cap-lints",
    "--color",
    "--print",
    "--codegen",
    "--remap-path-prefix",
    "--diagnostic-width",
    "--allow",
    "--warn",
    "--deny",
    "--forbid",
    "--force-warn",
    "--env-set",
    "--explain",
];

/// Short flags with a value, joined or separate.
const SHORT: &[&str] = &["-C", "-Z", "-L", "-l", "-o", "-A", "-W", "-D", "-F"];

fn flags(args: &[String]) -> impl Iterator<Item = Flag<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let arg = args.get(at)?;
        let start = at;
        at += 1;
        let following = |at: &mut usize| {
            let value = args.get(*at).map(String::as_str);
            *at += usize::from(value.is_some());
            value
        };
        let (name, value) =
            if let Some((name, value)) = arg.split_once('=').filter(|_| arg.starts_with("--")) {
                (name, Some(value))
            } else if WITH_VALUE.contains(&arg.as_str()) {
                (arg.as_str(), following(&mut at))
            } else if let Some(short) = SHORT.iter().find(|s| arg.starts_with(**s)) {
                let joined = &arg[short.len()..];
                (
                    *short,
                    if joined.is_empty() {
                        following(&mut at)
                    } else {
                        Some(joined)
                    },
                )
            } else if arg.starts_with('-') && arg.len() > 1 {
                (arg.as_str(), None)
            } else {
                ("", Some(arg.as_str()))
            };
        let name = if name == "--codegen" { "-C" } else { name };
        Some(Flag {
            name,
            value,
            raw: &args[start..at],
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(args: &str) -> RustcCommand {
        RustcCommand {
            rustc: "rustc".into(),
            args: args.split_whitespace().map(str::to_owned).collect(),
            current_dir: ".".into(),
            shared: None,
        }
    }

    #[test]
    fn reads_cargos_command_line() {
        let c = command(
            "--crate-name p --edition=2021 src/lib.rs --error-format=json --crate-type lib --emit=dep-info,link \
             -C opt-level=3 -Cextra-filename=-1f --out-dir target/x -C incremental=/i \
             --extern optverify=/t/liboptverify.rlib -Zmir-opt-level=2",
        );
        assert_eq!(c.crate_name(), "p");
        assert_eq!(c.source_file(), Some("src/lib.rs"));
        assert_eq!(c.codegen("opt-level"), Some("3"));
        assert_eq!(c.codegen("extra-filename"), Some("-1f"));
        assert!(c.sees_optverify());
        let capture = c.for_capture(Path::new("/scratch")).join(" ");
        assert!(
            !capture.contains("incremental")
                && !capture.contains("emit")
                && !capture.contains("json")
        );
        assert!(capture.contains("--out-dir /scratch") && capture.contains("-Zmir-opt-level=2"));
        assert!(
            !without_mir_choices(&c.args)
                .join(" ")
                .contains("mir-opt-level")
        );
    }
}
