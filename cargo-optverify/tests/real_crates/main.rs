//! `--all-functions` on small crates of the registry, unchanged: what is understood, proven and found, and every
//! finding run natively. Needs the network and some minutes: `./x crates` runs it and prints the table.
//!
//! `OPTVERIFY_CRATES=hex,itoa` takes only these; `OPTVERIFY_REPLAY=no` leaves the native runs out.

#[path = "../common/mod.rs"]
mod common;

use common::Project;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Budget for one function.
const TIMEOUT: &str = "5s";

#[derive(Default)]
struct Row {
    safe: usize,
    violated: usize,
    unknown: usize,
    /// No value can stand for something inside a parameter.
    no_input: usize,
    replayed: usize,
    not_replayed: Vec<String>,
    seconds: u64,
}

/// Name and version of every crate that is asked for.
fn crates() -> Vec<(&'static str, &'static str)> {
    let only = std::env::var("OPTVERIFY_CRATES").ok();
    let wanted = |name: &str| match &only {
        Some(list) => list.split(',').any(|n| n == name),
        None => true,
    };
    let lines = include_str!("crates.txt").lines();
    let lines = lines.filter(|line| !line.starts_with('#'));
    let pairs = lines.filter_map(|line| line.split_once(' '));
    pairs.filter(|(name, _)| wanted(name)).collect()
}

/// A project with the sources of all crates in `vendor`.
fn fetched(crates: &[(&str, &str)]) -> Project {
    let project = Project::empty();
    let mut manifest =
        "[package]\nname = \"fetch\"\nversion = \"0.1.0\"\n[dependencies]\n".to_owned();
    for (name, version) in crates {
        manifest += &format!("{name} = \"={version}\"\n");
    }
    project.file("Cargo.toml", &manifest);
    project.file("src/lib.rs", "");
    let mut vendor = Command::new(env!("CARGO"));
    vendor
        .args(["vendor", "vendor"])
        .current_dir(project.path());
    let output = vendor.output().expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    project
}

/// The crate's files as a project of its own.
fn copied(from: &Path) -> Project {
    let project = Project::empty();
    let mut folders = vec![from.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
            let path = entry.path();
            let name = path.strip_prefix(from).expect("inside").to_path_buf();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                project.file(&name.to_string_lossy(), &text);
            }
        }
    }
    let manifest = project.path().join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    if !text.contains("[workspace]") {
        project.file("Cargo.toml", &format!("{text}\n[workspace]\n"));
    }
    project
}

fn survey(sources: &Path) -> Row {
    let project = copied(sources);
    let start = Instant::now();
    let all = ["--all-functions", "--lib", "--timeout", TIMEOUT];
    let ran = project.run(&[&all[..], &["--message-format", "json"]].concat());
    let mut row = Row {
        seconds: start.elapsed().as_secs(),
        ..Row::default()
    };
    assert_ne!(ran.code, 101, "{ran:?}");
    for root in ran
        .messages()
        .iter()
        .filter(|m| m["reason"] == "optverify-root")
    {
        let name = root["root"].as_str().unwrap_or_default();
        let why = root["why"].as_str().unwrap_or_default();
        match root["verdict"].as_str() {
            Some("safe") => row.safe += 1,
            Some("unsafe") => {
                row.violated += 1;
                replay(sources, name, &mut row);
            }
            _ if why.starts_with("a parameter") => row.no_input += 1,
            _ => row.unknown += 1,
        }
    }
    row
}

/// Runs the counterexample as a unit test inside the crate, in both builds.
fn replay(sources: &Path, root: &str, row: &mut Row) {
    if std::env::var("OPTVERIFY_REPLAY").is_ok_and(|v| v == "no") {
        return;
    }
    let project = copied(sources);
    let ran = project.run(&["replay", root, "--all-functions", "--lib", "--in-place"]);
    let fails = |build: &str| ran.stdout.contains(&format!("{build} fails"));
    if fails("not optimized:") && fails("as shipped:   ") {
        row.replayed += 1;
    } else {
        let said = ran.stdout.lines().chain(ran.stderr.lines()).last();
        let said = said.unwrap_or_default().to_owned();
        row.not_replayed.push(format!("{root}: {said}"));
    }
}

#[test]
#[ignore = "needs the network and some minutes: ./x crates"]
fn crates_of_the_registry() {
    let crates = crates();
    let fetched = fetched(&crates);
    println!(
        "| crate | roots | decided | safe | unsafe | replayed | unknown | no value for a parameter | s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut contradicted = Vec::new();
    for (name, version) in crates {
        let row = survey(&fetched.path().join("vendor").join(name));
        let decided = row.safe + row.violated;
        println!(
            "| {name} {version} | {} | {decided} | {} | {} | {} | {} | {} | {} |",
            decided + row.unknown,
            row.safe,
            row.violated,
            row.replayed,
            row.unknown,
            row.no_input,
            row.seconds
        );
        for line in &row.not_replayed {
            eprintln!("not replayed: {line}");
        }
        // a test that ran and passed contradicts the verdict; one that could not be written does not
        contradicted.extend(
            row.not_replayed
                .into_iter()
                .filter(|l| l.contains("passes")),
        );
    }
    assert!(contradicted.is_empty(), "{contradicted:?}");
}
