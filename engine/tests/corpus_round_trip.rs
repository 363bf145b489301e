//! Real crates, captured at every runtime pass by both compilers, and closed by forced inlining:
//! every body must print back as it was read.
//!
//! Needs cargo, the crates (network or cargo's cache) and, for its half, a nightly. What is missing
//! is said, and the rest is checked.
use std::collections::HashSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use optverify_engine::mir::{RoundTripError, round_trip};

/// Small, few dependencies, between them most of the language.
const SMALL: &[&str] = &[
    "adler2 = \"=2.0.1\"",
    "bitflags = \"=2.9.4\"",
    "crc32fast = \"=1.5.0\"",
    "fnv = \"=1.0.7\"",
    "hex = \"=0.4.3\"",
    "itoa = \"=1.0.15\"",
    "ryu = \"=1.0.20\"",
    "semver = \"=1.0.27\"",
    "unicode-width = \"=0.2.1\"",
];

const LARGE: &[&str] = &[
    "arrayvec = \"=0.7.6\"",
    "base64 = \"=0.22.1\"",
    "either = \"=1.15.0\"",
    "indexmap = \"=2.11.4\"",
    "memchr = \"=2.7.6\"",
    "smallvec = \"=1.15.1\"",
];

/// Passes and markers of the runtime phases, as substrings of their names.
const RUNTIME_PASSES: &str = "runtime|MentionedItems|AbortUnwindingCalls|LowerIntrinsics|RemovePlaceMention|SimplifyCfg|LowerSliceLenCalls|InstSimplify\
    |Inline|RemoveZsts|RemoveUnneededDrops|UnreachableEnumBranching|UnreachablePropagation\
    |SimplifyConstCondition|ReferencePropagation|ScalarReplacementOfAggregates|SimplifyLocals\
    |DeadStoreElimination|GVN|SsaRangePropagation|MatchBranchSimplification|SingleUseConsts|JumpThreading\
    |EarlyOtherwiseBranch|SimplifyComparisonIntegral|RemoveNoopLandingPads|CopyProp|DestinationPropagation\
    |AddCallGuards|PreCodegen|DataflowConstProp|CheckAlignment|CheckNull|CheckEnums|CtfeLimit";

const CLOSED: &str = "-Zmir-opt-level=0 -Zmir-enable-passes=+Inline -Zinline-mir=yes \
    -Zinline-mir-threshold=100000 -Zinline-mir-hint-threshold=100000";
const WITH_SPANS: &str = "-Zmir-include-spans=on -Ztrim-diagnostic-paths=no";

struct Capture<'a> {
    name: &'a str,
    /// `None` is the compiler that runs this test.
    toolchain: Option<&'a str>,
    passes: &'a str,
    flags: &'a str,
}

#[derive(Default)]
struct Tally {
    n_files: usize,
    n_distinct: usize,
    n_bodies: usize,
    n_bytes: usize,
    checking: Duration,
    failures: Vec<String>,
}

#[test]
fn small_crates_at_every_pass() {
    let captures = [
        Capture {
            name: "shipped",
            toolchain: None,
            passes: RUNTIME_PASSES,
            flags: WITH_SPANS,
        },
        Capture {
            name: "shipped-nightly",
            toolchain: Some("nightly"),
            passes: RUNTIME_PASSES,
            flags: "",
        },
        Capture {
            name: "closed",
            toolchain: None,
            passes: "Inline",
            flags: CLOSED,
        },
        Capture {
            name: "closed-nightly",
            toolchain: Some("nightly"),
            passes: "runtime-optimized",
            flags: CLOSED,
        },
    ];
    check_corpus("small", SMALL, &captures);
}

#[test]
#[ignore = "gigabytes of dumps: some minutes"]
fn more_crates_at_every_pass() {
    let crates: Vec<&str> = SMALL.iter().chain(LARGE).copied().collect();
    let all_spans = [WITH_SPANS, CLOSED].join(" ");
    let captures = [
        Capture {
            name: "shipped",
            toolchain: None,
            passes: RUNTIME_PASSES,
            flags: WITH_SPANS,
        },
        Capture {
            name: "shipped-nightly",
            toolchain: Some("nightly"),
            passes: RUNTIME_PASSES,
            flags: WITH_SPANS,
        },
        Capture {
            name: "every-phase",
            toolchain: None,
            passes: "all",
            flags: "",
        },
        Capture {
            name: "closed",
            toolchain: None,
            passes: "Inline",
            flags: &all_spans,
        },
        Capture {
            name: "closed-nightly",
            toolchain: Some("nightly"),
            passes: "Inline",
            flags: &all_spans,
        },
    ];
    check_corpus("large", &crates, &captures);
}

fn check_corpus(corpus: &str, crates: &[&str], captures: &[Capture<'_>]) {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("corpus-{corpus}"));
    let project = root.join("project");
    let odd =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mir_samples/odd.rs"));
    // Without the crates our own odd program still goes through both compilers.
    if !write_project(&project, crates, "") {
        println!(
            "corpus: the crates are not to be had (no network?): only our own program is checked"
        );
        write_project(&project, &[], &odd.expect("a sample in this folder"));
    }
    let mut total = Tally::default();
    for capture in captures {
        if let Some(toolchain) = capture.toolchain
            && !has_toolchain(toolchain)
        {
            println!(
                "corpus: no {toolchain} toolchain here: `{}` is not checked",
                capture.name
            );
            continue;
        }
        let target = root.join(capture.name);
        let mut tally = Tally::default();
        let building = Instant::now();
        build(capture, &project, &target);
        let building = building.elapsed();
        check_folder(&target, &mut tally);
        println!(
            "corpus {corpus}/{}: {} bodies in {} files, {} distinct texts, {:.0} MB; built in {building:.0?}, \
             checked in {:.1?}; {} failures",
            capture.name,
            tally.n_bodies,
            tally.n_files,
            tally.n_distinct,
            tally.n_bytes as f64 / 1e6,
            tally.checking,
            tally.failures.len(),
        );
        assert!(
            tally.n_bodies > 0,
            "the capture `{}` is empty",
            capture.name
        );
        total.n_files += tally.n_files;
        total.n_bodies += tally.n_bodies;
        total.failures.append(&mut tally.failures);
        let _ = fs::remove_dir_all(&target);
    }
    let n_good = total.n_files - total.failures.len();
    println!(
        "corpus {corpus}: {} bodies, {n_good} of {} files round-trip: {:.2} %",
        total.n_bodies,
        total.n_files,
        100.0 * n_good as f64 / total.n_files.max(1) as f64
    );
    for failure in total.failures.iter().take(20) {
        println!("{failure}");
    }
    assert!(
        total.failures.is_empty(),
        "{} files do not round-trip",
        total.failures.len()
    );
}

/// Writes a project that depends on `crates`; false if cargo cannot get them.
fn write_project(project: &Path, crates: &[&str], source: &str) -> bool {
    let manifest = format!(
        "[package]\nname = \"corpus\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n{}\n",
        crates.join("\n")
    );
    fs::create_dir_all(project.join("src")).expect("a folder for the corpus");
    fs::write(project.join("Cargo.toml"), manifest).expect("the corpus manifest");
    fs::write(project.join("src/lib.rs"), source).expect("the corpus crate");
    let fetch = |offline: &[&str]| {
        let mut cargo = clean(Command::new("cargo"), None);
        let output = cargo
            .arg("fetch")
            .args(offline)
            .current_dir(project)
            .output();
        output.is_ok_and(|output| output.status.success())
    };
    fetch(&["--offline"]) || fetch(&[])
}

/// The surrounding cargo's settings must not leak into the corpus' own.
fn clean(mut command: Command, toolchain: Option<&str>) -> Command {
    for (name, _) in std::env::vars_os() {
        let Some(name) = name.to_str() else { continue };
        let own = name.starts_with("CARGO_") && name != "CARGO_HOME" || name.starts_with("RUSTC");
        if own || name == "RUSTFLAGS" || name == "CARGO" {
            command.env_remove(name);
        }
    }
    if let Some(toolchain) = toolchain {
        command.env("RUSTUP_TOOLCHAIN", toolchain);
    }
    command
}

fn has_toolchain(toolchain: &str) -> bool {
    let list = Command::new("rustup").args(["toolchain", "list"]).output();
    list.is_ok_and(|list| {
        String::from_utf8_lossy(&list.stdout)
            .lines()
            .any(|line| line.starts_with(toolchain))
    })
}

fn build(capture: &Capture<'_>, project: &Path, target: &Path) {
    let _ = fs::remove_dir_all(target);
    let dumps = target.join("dumps");
    // Encoded flags are separated by a character no path holds.
    let flags: Vec<String> = [
        "--emit=mir".to_string(),
        format!("-Zdump-mir={}", capture.passes),
    ]
    .into_iter()
    .chain([format!("-Zdump-mir-dir={}", dumps.display())])
    .chain(capture.flags.split_whitespace().map(String::from))
    .collect();
    let output = clean(Command::new("cargo"), capture.toolchain)
        .args(["build", "--release", "--offline", "--target-dir"])
        .arg(target)
        .current_dir(project)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"))
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}: {}",
        capture.name,
        String::from_utf8_lossy(&output.stderr)
    );
}

fn check_folder(folder: &Path, tally: &mut Tally) {
    let mut files = Vec::new();
    mir_files(folder, &mut files);
    let mut seen = HashSet::new();
    for file in files {
        let Ok(text) = fs::read_to_string(&file) else {
            continue;
        };
        tally.n_files += 1;
        // The text after a pass is the text before the next one, and most passes change nothing.
        let code = text.split_once('\n').map_or("", |(_, code)| code);
        let mut hasher = DefaultHasher::new();
        code.hash(&mut hasher);
        if !seen.insert(hasher.finish()) {
            tally.n_bodies += 1;
            continue;
        }
        tally.n_distinct += 1;
        tally.n_bytes += text.len();
        let start = Instant::now();
        let result: Result<_, RoundTripError> = round_trip(&text);
        tally.checking += start.elapsed();
        match result {
            Ok(stats) => tally.n_bodies += stats.n_bodies,
            Err(error) => {
                let name = file
                    .file_name()
                    .map(|name| name.to_string_lossy().into_owned());
                tally
                    .failures
                    .push(format!("{}: {error}", name.unwrap_or_default()));
            }
        }
    }
}

/// Dumps of the compiler's side analyses (`.-------.`) are not MIR bodies of a pass.
fn mir_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            mir_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "mir")
            && !path.to_string_lossy().contains(".-------.")
        {
            files.push(path);
        }
    }
}
