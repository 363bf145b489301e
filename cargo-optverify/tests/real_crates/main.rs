//! `--all-functions` on small crates of the registry, unchanged: what is understood, proven and found. Every finding is
//! run natively, and so is every safe function, with inputs by chance. Needs the network and an hour: `./x crates` runs
//! it and prints the table.
//!
//! `OPTVERIFY_CRATES=hex,itoa` takes only these; `OPTVERIFY_NATIVE=no` leaves the native runs out.

#[path = "../common/mod.rs"]
mod common;
mod fuzz;
mod items;
mod prepared;

use common::Project;
use fuzz::{Claim, Fuzzed};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Budget for one function.
const TIMEOUT: &str = "5s";
/// Reasons that are none of the function's: there was a model and too little time.
const LATE: [&str; 3] = [
    "not decided within",
    "no engine could",
    "did not end in time",
];

#[derive(Default)]
struct Row {
    safe: usize,
    violated: usize,
    /// What is run natively.
    claims: Vec<Claim>,
    /// Has a model, but no engine was done in time.
    late: usize,
    /// A parameter has a pointer or a cell inside, or a type of std with secrets: not first-order.
    no_value: usize,
    /// Why the others are unknown.
    unknown: Vec<String>,
    fuzzed: Fuzzed,
    /// Why there were no native runs.
    unknown_runs: Option<String>,
    seconds: u64,
}

impl Row {
    fn decided(&self) -> usize {
        self.safe + self.violated
    }

    fn roots(&self) -> usize {
        self.decided() + self.late + self.unknown.len()
    }

    fn print(&self, name: &str) {
        println!(
            "| {name} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            self.roots(),
            self.decided() + self.late,
            self.decided(),
            self.safe,
            self.fuzzed.functions,
            self.violated,
            self.fuzzed.confirmed,
            self.late,
            self.unknown.len(),
            self.no_value,
            self.seconds
        );
    }

    fn add(&mut self, other: Row) {
        self.safe += other.safe;
        self.violated += other.violated;
        self.late += other.late;
        self.no_value += other.no_value;
        self.unknown.extend(other.unknown);
        self.fuzzed.add(other.fuzzed);
        self.seconds += other.seconds;
    }
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

/// What the tool says of a crate; the end of its output where it failed.
fn survey(sources: &Path) -> Result<Row, String> {
    let project = copied(sources);
    let start = Instant::now();
    let all = ["--all-functions", "--lib", "--timeout", TIMEOUT];
    let ran = project.run(&[&all[..], &["--message-format", "json"]].concat());
    let mut row = Row {
        seconds: start.elapsed().as_secs(),
        ..Row::default()
    };
    if ran.code == 101 {
        let lines = ran.stderr.lines().rev().take(5);
        let lines: Vec<&str> = lines.collect::<Vec<_>>().into_iter().rev().collect();
        return Err(format!("the tool failed: {}", lines.join(" / ")));
    }
    for root in ran
        .messages()
        .iter()
        .filter(|m| m["reason"] == "optverify-root")
    {
        let text = |name: &str| root[name].as_str().unwrap_or_default().to_owned();
        let why = text("why");
        let claim = |inputs| Claim {
            root: text("root"),
            file: text("file"),
            line: root["line"].as_u64().unwrap_or_default() as usize,
            inputs,
        };
        match root["verdict"].as_str() {
            Some("safe") => {
                row.safe += 1;
                row.claims.push(claim(None));
            }
            Some("unsafe") => {
                row.violated += 1;
                let found = &root["counterexample"];
                let panic = found["panic"].as_str().unwrap_or_default();
                // what is undefined may look right
                if !panic.starts_with("undefined behaviour") {
                    row.claims.push(claim(Some(inputs(&found["inputs"]))));
                }
            }
            _ if LATE.iter().any(|words| why.contains(words)) => row.late += 1,
            _ if why.starts_with("a parameter") => row.no_value += 1,
            _ => {
                println!("unknown: {}: {why}", text("root"));
                row.unknown.push(why);
            }
        }
    }
    if std::env::var("OPTVERIFY_NATIVE").is_ok_and(|v| v == "no") {
        return Ok(row);
    }
    // A crate whose native runs cannot be made still has its verdicts.
    match caught(|| fuzz::fuzz(sources, &row.claims)) {
        Ok(fuzzed) => row.fuzzed = fuzzed,
        Err(why) => row.unknown_runs = Some(why),
    }
    Ok(row)
}

/// What panics is a reason and no end: the other crates' rows must not be lost.
fn caught<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).map_err(|what| {
        let text = what.downcast_ref::<String>().cloned();
        let text = text.or_else(|| what.downcast_ref::<&str>().map(|t| (*t).to_owned()));
        text.unwrap_or_else(|| "a panic without a text".to_owned())
    })
}

/// The values of a counterexample, by the parameters' names.
fn inputs(values: &serde_json::Value) -> BTreeMap<String, String> {
    let values = values.as_object().into_iter().flatten();
    let text = |v: &serde_json::Value| v.as_str().unwrap_or_default().to_owned();
    values.map(|(name, v)| (name.clone(), text(v))).collect()
}

/// A reason without the names in it, so that equal ones meet.
fn class(why: &str) -> String {
    let what = why.strip_prefix("not supported: ").unwrap_or(why);
    let what = what.split(" (MIR line").next().unwrap_or(what);
    let what = what.split(", at src/").next().unwrap_or(what);
    let parts = what.split('`').enumerate();
    let parts = parts.map(|(n, part)| if n % 2 == 1 { ".." } else { part });
    parts.collect::<Vec<_>>().join("`")
}

#[test]
#[ignore = "needs the network and an hour: ./x crates"]
fn crates_of_the_registry() {
    let crates = crates();
    let fetched = fetched(&crates);
    println!(
        "| crate | roots | understood | decided | safe | fuzzed | unsafe | confirmed | late | no model | no value | s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let mut all = Row::default();
    let mut failed: Vec<String> = Vec::new();
    for (name, version) in crates {
        let sources = fetched.path().join("vendor").join(name);
        let row = match caught(|| survey(&sources)).and_then(|row| row) {
            Ok(row) => row,
            Err(why) => {
                println!("failed: {name} {version}: {why}");
                failed.push(format!("{name}: {why}"));
                continue;
            }
        };
        row.print(&format!("{name} {version}"));
        failed.extend(row.unknown_runs.iter().map(|why| format!("{name}: {why}")));
        all.add(row);
    }
    all.print("**all**");
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for why in &all.unknown {
        *reasons.entry(class(why)).or_default() += 1;
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    println!();
    for (why, n) in reasons {
        println!("| {n} | {why} |");
    }
    all.fuzzed.print();
    assert!(all.fuzzed.wrong.is_empty(), "{:#?}", all.fuzzed.wrong);
    assert!(failed.is_empty(), "{failed:#?}");
}

/// A crate that fails is a reason, and the next one has its row.
#[test]
fn a_crate_that_does_not_compile_is_a_reason() {
    let project = Project::empty();
    let manifest = "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    project.file("Cargo.toml", manifest);
    project.file("src/lib.rs", "pub fn f() -> u8 { missing }");
    let failed = caught(|| survey(project.path())).and_then(|row| row);
    assert!(failed.is_err_and(|why| why.contains("the tool failed")));
    let failed: Result<(), String> = caught(|| panic!("{} is missing", "it"));
    assert_eq!(failed, Err("it is missing".to_owned()));
}

/// The native runs find what panics, and only that, whatever the tool says: private fields, methods of traits, texts.
#[test]
fn functions_that_panic_are_found() {
    let project = Project::empty();
    let manifest = "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    project.file("Cargo.toml", manifest);
    let source = include_str!("sample.rs.txt");
    project.file("src/lib.rs", source);
    project.file(
        "src/other.rs",
        "fn deep(x: Option<u8>) -> u8 { x.unwrap_or(1) }\n",
    );
    let claims = source.lines().enumerate().filter_map(|(n, line)| {
        let (_, name) = line.split_once("fn ")?;
        let name = name.split(['(', '<']).next()?;
        Some(Claim {
            root: format!("p::{name}"),
            file: "src/lib.rs".to_owned(),
            line: n + 1,
            inputs: None,
        })
    });
    let mut claims: Vec<Claim> = claims.collect();
    claims.push(Claim {
        root: "p::other::deep".to_owned(),
        file: "src/other.rs".to_owned(),
        line: 1,
        inputs: None,
    });
    let fuzzed = fuzz::fuzz(project.path(), &claims);
    let name = |line: &String| {
        let end = line.find([' ', '(']).unwrap_or(line.len());
        line[..end].trim_start_matches("p::").to_owned()
    };
    let names = |list: &[String]| list.iter().map(name).collect::<Vec<_>>();
    let wrong = names(&fuzzed.wrong);
    assert!(
        wrong.iter().all(|name| name.starts_with("bad_")),
        "{wrong:?}"
    );
    let bad = claims.iter().filter(|c| c.root.contains("::bad_")).count();
    assert_eq!(wrong.len(), bad, "{wrong:?}");
    assert_eq!(names(&fuzzed.not_made), ["not_made"]);
    assert_eq!(fuzzed.functions + 1, claims.len());
    assert!(fuzzed.runs > 1000, "{}", fuzzed.runs);
}

/// Counterexamples that panic natively are counted, the others are wrong.
#[test]
fn counterexamples_that_return_are_found() {
    let project = Project::empty();
    let manifest = "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    project.file("Cargo.toml", manifest);
    project.file("src/lib.rs", include_str!("sample.rs.txt"));
    project.file("src/other.rs", "");
    let claim = |root: &str, line: &str, values: &[(&str, &str)]| Claim {
        root: format!("p::{root}"),
        file: "src/lib.rs".to_owned(),
        line: 1
            + (include_str!("sample.rs.txt").lines())
                .position(|l| l.contains(line))
                .expect("the line"),
        inputs: Some(
            (values.iter())
                .map(|(name, v)| ((*name).to_owned(), (*v).to_owned()))
                .collect(),
        ),
    };
    let ring = "&Ring { bytes: &[7], head: 1, kind: inner::Kind::None }";
    let claims = [
        claim("bad_first", "fn bad_first", &[("self", ring)]),
        claim(
            "bad_cut",
            "fn bad_cut",
            &[("text", "\"\u{e9}\""), ("at", "1")],
        ),
        claim("bad_divide", "fn bad_divide", &[("a", "7"), ("b", "2")]),
        claim("count", "fn count", &[("list", "&[(1, true)]")]),
        claim("bad_name", "fn bad_name", &[("self", "&Missing")]),
        claim("add", "fn add", &[("a", "1")]),
    ];
    let fuzzed = fuzz::fuzz(project.path(), &claims);
    assert_eq!(fuzzed.confirmed, 2, "{:?}", fuzzed.wrong);
    let mut wrong = fuzzed.wrong.iter();
    assert!(
        wrong
            .next()
            .is_some_and(|l| l.starts_with("p::bad_divide ("))
    );
    assert!(wrong.next().is_some_and(|l| l.starts_with("p::count (")));
    assert_eq!(wrong.next(), None);
    let mut not_made = fuzzed.not_made;
    not_made.sort();
    assert_eq!(not_made, ["p::add", "p::bad_name"]);
}
