//! The book in docs/: every command in it is run, with its exit code, and the lines it shows are lines that the tool
//! prints. `OPTVERIFY_BLESS=1` writes the chapter of all options.

mod common;

use common::Project;
use std::path::{Path, PathBuf};
use std::process::Command;

fn book() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src")
}

fn chapter(name: &str) -> String {
    std::fs::read_to_string(book().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// A chapter as its test sees it.
#[derive(Debug)]
enum Part {
    Project(String),
    File { path: String, text: String },
    Commands { exit: i32, lines: Vec<String> },
}

fn parts(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut lines = text.lines();
    let (mut file, mut exit) = (None, 0);
    while let Some(line) = lines.next() {
        let note = line
            .strip_prefix("<!-- ")
            .and_then(|l| l.strip_suffix(" -->"));
        match note.and_then(|note| note.split_once(": ")) {
            Some(("project", name)) => parts.push(Part::Project(name.to_owned())),
            Some(("file", path)) => file = Some(path.to_owned()),
            Some(("exit", code)) => exit = code.parse().expect("a code"),
            Some(other) => panic!("{other:?}"),
            None => {}
        }
        let Some(kind) = line.strip_prefix("```") else {
            continue;
        };
        let block: Vec<String> = lines
            .by_ref()
            .take_while(|l| *l != "```")
            .map(str::to_owned)
            .collect();
        if kind == "console" {
            parts.push(Part::Commands { exit, lines: block });
            exit = 0;
        } else if let Some(path) = file.take() {
            parts.push(Part::File {
                path,
                text: block.join("\n") + "\n",
            });
        }
    }
    parts
}

/// Times and numbers of passes differ from run to run and from compiler to compiler.
fn normal(line: &str) -> String {
    let is_number = |word: &str| word.trim_start_matches('(').parse::<f64>().is_ok();
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut out: Vec<String> = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let next = words.get(index + 1).copied().unwrap_or_default();
        let counts = ["ms", "ms;", "ms)", "s", "s;", "s)", "passes,", "changed"];
        match is_number(word) && counts.iter().any(|c| next.starts_with(c)) {
            true => out.push("N".to_owned()),
            false if word.starts_with("ms") || *word == "s" || *word == "s)" || *word == "s;" => {
                out.push("T".to_owned())
            }
            false => out.push((*word).to_owned()),
        }
    }
    out.join(" ")
}

/// A folder with the tool under the name that cargo looks for.
fn tools(project: &Project) -> PathBuf {
    let folder = project.path().join("bin");
    std::fs::create_dir_all(&folder).expect("a folder");
    let link = folder.join("cargo-optverify");
    if !link.exists() {
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_cargo-optverify"), link).expect("a link");
    }
    folder
}

fn run(project: &Project, command: &str) -> (i32, String) {
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", tools(project).display());
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(project.path())
        .env("PATH", path)
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .expect("a shell");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    (
        output.status.code().unwrap_or(-1),
        format!("{text}{errors}"),
    )
}

fn check(name: &str) {
    let mut project = Project::empty();
    let mut commands = 0;
    for part in parts(&chapter(name)) {
        match part {
            Part::Project(name) => project = Project::package(&name, ""),
            Part::File { path, text } => drop(project.file(&path, &text)),
            Part::Commands { exit, lines } => {
                let mut printed = String::new();
                for line in lines {
                    if let Some(command) = line.strip_prefix("$ ") {
                        let (code, text) = run(&project, command);
                        assert_eq!(code, exit, "{name}: {command}\n{text}");
                        (printed, commands) = (text, commands + 1);
                    } else if !line.trim().is_empty() {
                        let found = printed.lines().any(|l| normal(l) == normal(&line));
                        assert!(found, "{name}: no line `{line}` in\n{printed}");
                    }
                }
            }
        }
    }
    assert!(commands > 0, "{name} has no commands");
}

#[test]
fn the_tutorial() {
    check("tutorial.md");
}

#[test]
fn proofs_and_passes() {
    check("passes.md");
}

#[test]
fn continuous_integration() {
    check("ci.md");
}

#[test]
fn formats() {
    check("formats.md");
}

#[test]
fn witnesses() {
    check("witnesses.md");
}

#[test]
fn codes_and_trouble() {
    check("codes.md");
    check("troubleshooting.md");
}

#[test]
fn every_chapter_is_in_the_summary_and_tested() {
    let summary = chapter("SUMMARY.md");
    let this = include_str!("book.rs");
    for entry in std::fs::read_dir(book()).expect("the book").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == "SUMMARY.md" || name == "images" {
            continue;
        }
        assert!(
            summary.contains(&format!("({name})")),
            "{name} is not in the summary"
        );
        let has_commands = chapter(&name).contains("```console");
        assert!(
            !has_commands || this.contains(&format!("check(\"{name}\")")),
            "{name} is not tested"
        );
    }
}

/// As mdBook makes anchors of headings: letters, digits, hyphens.
fn anchor(heading: &str) -> String {
    let kept = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let text = heading.trim().to_lowercase().replace(' ', "-");
    text.chars().filter(|c| kept(*c)).collect()
}

/// What is outside of code blocks.
fn prose(text: &str) -> String {
    let mut is_code = false;
    let mut out = String::new();
    for line in text.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            out += line;
            out.push('\n');
        }
    }
    out
}

/// The links of a chapter that lead nowhere.
fn broken_links(text: &str, book: &Path) -> Vec<String> {
    let prose = prose(text);
    let targets = prose
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    let leads = |target: &&str| {
        if target.starts_with("https://") {
            return true;
        }
        let (file, heading) = target.split_once('#').unwrap_or((target, ""));
        let there = match file {
            "" => Ok(text.to_owned()),
            _ => std::fs::read_to_string(book.join(file)),
        };
        let has = |text: String| {
            let mut headings = prose_headings(&text).into_iter();
            heading.is_empty() || headings.any(|h| anchor(&h) == heading)
        };
        there.is_ok_and(has)
    };
    targets.filter(|t| !leads(t)).map(str::to_owned).collect()
}

fn prose_headings(text: &str) -> Vec<String> {
    let prose = prose(text);
    let headings = prose.lines().filter(|l| l.starts_with('#'));
    headings
        .map(|l| l.trim_start_matches('#').to_owned())
        .collect()
}

/// What `mdbook build` would stumble over, and what it would not say: links, anchors, pictures.
#[test]
fn links_and_pictures() {
    let mut pictures = 0;
    for entry in std::fs::read_dir(book()).expect("the book").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.ends_with(".md") {
            continue;
        }
        let text = chapter(&name);
        assert_eq!(broken_links(&text, &book()), [""; 0], "{name}");
        pictures += text.matches("![").count();
        assert_eq!(
            text.lines().filter(|l| l.starts_with("```")).count() % 2,
            0,
            "{name}: a block without its end"
        );
    }
    assert!(pictures >= 3);
    // it can say no
    let wrong = "[a](none.md) [b](exit-codes.md#none) ![c](images/none.svg) [d](exit-codes.md)";
    assert_eq!(
        broken_links(wrong, &book()),
        ["none.md", "exit-codes.md#none", "images/none.svg"]
    );
    let settings: toml::Table =
        toml::from_str(&chapter("../book.toml")).expect("the book's settings");
    assert!(settings["book"]["title"].is_str());
}

/// The picture in the book is the one that the tool draws.
#[test]
fn the_picture_of_the_graph() {
    let parts = parts(&chapter("passes.md"));
    let source = parts.iter().find_map(|p| match p {
        Part::File { text, .. } => Some(text),
        _ => None,
    });
    let project = Project::package("passes", source.expect("a source"));
    let ran = project.run(&["graph", "transfer", "--output", "graph.svg"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let drawn = std::fs::read_to_string(project.path().join("graph.svg")).expect("a picture");
    let file = book().join("images/transfer.svg");
    if std::env::var_os("OPTVERIFY_BLESS").is_some() {
        std::fs::write(&file, &drawn).expect("it is written");
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        kept == drawn,
        "docs/src/images/transfer.svg is not what the tool draws: run this test with OPTVERIFY_BLESS=1"
    );
}

#[test]
fn completions_and_manual() {
    let project = Project::empty();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = project.run(&["completions", shell]);
        assert!(
            ran.code == 0 && ran.stdout.contains("partition"),
            "{shell}: {ran:?}"
        );
    }
    let bash = project.run(&["completions", "bash"]).stdout;
    let checked = Command::new("bash").args(["-n", "-c", &bash]).status();
    assert!(
        checked.is_ok_and(|status| status.success()),
        "bash does not understand it"
    );
    let man = project.run(&["man"]).stdout;
    assert!(
        man.contains(".TH CARGO-OPTVERIFY 1") && man.contains("write\\-baseline"),
        "{man}"
    );
    let unknown = project.run(&["explain-code", "OV9999"]);
    assert!(
        unknown.code == 101 && unknown.stderr.contains("OV9999"),
        "{unknown:?}"
    );
}

const COMMANDS: [&str; 12] = [
    "",
    "verify",
    "list",
    "passes",
    "explain",
    "check-proof",
    "graph",
    "replay",
    "bench",
    "init",
    "explain-code",
    "completions",
];

#[test]
fn all_options() {
    let project = Project::empty();
    // as wide as a page of the book
    let help = |args: &[&str]| {
        let mut tool = project.tool(args);
        let out = tool.env("COLUMNS", "100").output();
        common::Ran::of(out.expect("the tool runs"))
    };
    let mut text = String::from("# All options\n\nAs `--help` prints them.\n");
    for command in COMMANDS {
        let args: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
        let ran = help(&args);
        assert_eq!(ran.code, 0, "{ran:?}");
        let title = format!("cargo optverify {command}");
        let lines: Vec<&str> = ran.stdout.lines().map(str::trim_end).collect();
        text += &format!(
            "\n## {}\n\n```text\n{}\n```\n",
            title.trim(),
            lines.join("\n").trim_end()
        );
    }
    let file = book().join("options.md");
    if std::env::var_os("OPTVERIFY_BLESS").is_some() {
        std::fs::write(&file, &text).expect("it is written");
    }
    let now = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        now == text,
        "docs/src/options.md is not up to date: run this test with OPTVERIFY_BLESS=1"
    );
    // every command that is not hidden has its section
    let help = help(&["--help"]).stdout;
    let listed = help
        .lines()
        .skip_while(|l| *l != "Commands:")
        .skip(1)
        .take_while(|l| !l.is_empty());
    // what is indented further goes on with the line before
    let listed = listed.filter(|l| !l.starts_with("   "));
    for command in listed.filter_map(|l| l.split_whitespace().next()) {
        let is_plain = ["help", "man"].contains(&command);
        assert!(
            is_plain || COMMANDS.contains(&command),
            "{command} has no section"
        );
    }
}
