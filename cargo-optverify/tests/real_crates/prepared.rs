//! A copy of a crate with calls of its functions and makers of its types' values written into it.

use super::fuzz::{Claim, Fuzzed};
use super::items::{Function, Insertion, Items, MODULE};
use super::{common::Project, copied};
use cargo_metadata::MetadataCommand;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Every piece of text that was added has its number on its line; errors show the line.
pub const MARK: &str = "optverify piece ";

/// A call of a function; its piece has the same number as itself.
pub struct Call {
    pub root: String,
    /// Is it said to return?
    pub is_safe: bool,
    path: String,
    piece: Insertion,
}

pub struct Prepared {
    pub project: Project,
    library: String,
    root_file: PathBuf,
    /// The files that get text, as they were.
    originals: BTreeMap<PathBuf, String>,
    pub calls: Vec<Call>,
    /// Makers of values; numbered after the calls.
    types: Vec<Insertion>,
    modules: Vec<Insertion>,
}

impl Prepared {
    pub fn of(sources: &Path, claims: &[Claim], fuzzed: &mut Fuzzed) -> Self {
        let project = copied(sources);
        let manifest = project.path().join("Cargo.toml");
        let text = std::fs::read_to_string(&manifest).expect("a manifest");
        let program = "\n[[bin]]\nname = \"optverify_fuzz\"\npath = \"optverify_fuzz.rs\"\n";
        project.file("Cargo.toml", &(without_tests(&text) + program));
        project.file("optverify_fuzz.rs", "fn main() {}\n");
        let metadata = MetadataCommand::new()
            .manifest_path(&manifest)
            .no_deps()
            .exec()
            .expect("metadata");
        let package = metadata.packages.first().expect("a package");
        let library = package
            .targets
            .iter()
            .find(|t| !t.is_bin() && !t.is_custom_build());
        let library = library.expect("a library");
        let root_file = library.src_path.clone().into_std_path_buf();
        let items = Items::of_crate(&root_file);
        let mut calls = Vec::new();
        for claim in claims {
            let file = project.path().join(&claim.file);
            let found = items
                .functions
                .iter()
                .filter(|f| is_claimed(f, &file, claim));
            let [function] = found.collect::<Vec<_>>()[..] else {
                fuzzed.not_made.push(claim.root.clone());
                continue;
            };
            let Some(body) = function.call(claim.inputs.as_ref()) else {
                fuzzed.not_made.push(claim.root.clone());
                continue;
            };
            let name = format!("{MODULE}_{}", calls.len());
            calls.push(Call {
                root: claim.root.clone(),
                is_safe: claim.inputs.is_none(),
                path: format!("{}::{name}", function.module),
                piece: Insertion {
                    file,
                    at: function.at,
                    text: format!(
                        "pub(crate) fn {name}(draws: &mut crate::{MODULE}::Draws) {{ {body} }}",
                    ),
                },
            });
        }
        let Items { types, modules, .. } = items;
        let files = calls.iter().map(|call| &call.piece.file);
        let files = files.chain(types.iter().chain(&modules).map(|piece| &piece.file));
        let files: BTreeSet<PathBuf> = files.chain([&root_file]).cloned().collect();
        let read = |file: PathBuf| {
            let text = std::fs::read_to_string(&file).expect("a source file");
            (file, text)
        };
        Self {
            library: library.name.replace('-', "_"),
            originals: files.into_iter().map(read).collect(),
            project,
            root_file,
            calls,
            types,
            modules,
        }
    }

    /// The sources with all pieces but those of `out`.
    pub fn write(&self, out: &BTreeSet<usize>) {
        let pieces = self.calls.iter().map(|call| &call.piece).chain(&self.types);
        let pieces = pieces.enumerate().filter(|(n, _)| !out.contains(n));
        let marked = pieces.map(|(n, piece)| {
            let text = format!("\n{} /*{MARK}{n}*/\n", piece.text);
            (piece, text)
        });
        let modules = self.modules.iter().map(|piece| (piece, piece.text.clone()));
        let mut all: Vec<(&Insertion, String)> = modules.chain(marked).collect();
        // from the end, so that places stay
        all.sort_by_key(|(piece, _)| std::cmp::Reverse(piece.at));
        for (file, original) in &self.originals {
            let mut text = original.clone();
            for (piece, new) in all.iter().filter(|(piece, _)| piece.file == *file) {
                text.insert_str(piece.at, new);
            }
            if *file == self.root_file {
                text += "\n";
                text += include_str!("values.rs.txt");
                text += "    pub static ALL: &[fn(&mut Draws)] = &[\n";
                for (n, call) in self.calls.iter().enumerate() {
                    let path = if out.contains(&n) {
                        "|_| ()"
                    } else {
                        &call.path
                    };
                    text += &format!("        {path}, /*{MARK}{n}*/\n");
                }
                text += "    ];\n}\n";
            }
            std::fs::write(file, text).expect("a source file");
        }
        let main = format!(
            "fn main() {{ {}::{MODULE}::run(std::env::args().nth(1).unwrap().parse().unwrap()); }}\n",
            self.library
        );
        self.project.file("optverify_fuzz.rs", &main);
    }

    pub fn cargo(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO"));
        command.args(args).args(["--bin", "optverify_fuzz"]);
        // the same checks as in the release profile, only not optimized
        for name in ["OPT_LEVEL", "OVERFLOW_CHECKS", "DEBUG_ASSERTIONS"] {
            let value = if name == "OPT_LEVEL" { "0" } else { "false" };
            command.env(format!("CARGO_PROFILE_DEV_{name}"), value);
        }
        command.env("RUSTFLAGS", "--cap-lints=allow");
        command.env("CARGO_TARGET_DIR", self.project.path().join("target"));
        command.current_dir(self.project.path());
        command.output().expect("cargo runs")
    }
}

fn is_claimed(function: &Function, file: &Path, claim: &Claim) -> bool {
    let name = claim.root.rsplit("::").next().unwrap_or_default();
    let (first, last) = function.lines;
    function.file == file && function.name == name && (first..=last).contains(&claim.line)
}

/// The manifest without what only tests and benchmarks need.
fn without_tests(manifest: &str) -> String {
    let mut out = String::new();
    let mut keep = true;
    for line in manifest.lines() {
        if line.starts_with('[') {
            let name = line.trim_start_matches('[');
            let dropped = ["dev-dependencies", "test]", "bench]", "example]", "bin]"];
            keep =
                !dropped.iter().any(|d| name.starts_with(d)) && !name.contains(".dev-dependencies");
        }
        if keep {
            out += line;
            out.push('\n');
        }
    }
    out
}
