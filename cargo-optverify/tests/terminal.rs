//! What people see, as goldens: at 80 and at 120 columns, with colours, quiet and verbose. `OPTVERIFY_BLESS=1` writes
//! them. Through a pipe there are only plain lines; on a terminal there are colours and progress.

use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/terminal")
}

fn tool(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-optverify"));
    command.args(["optverify", "sample.rs", "-j1"]).args(args);
    command.current_dir(folder());
    for name in [
        "RUSTFLAGS",
        "CARGO_ENCODED_RUSTFLAGS",
        "NO_COLOR",
        "CLICOLOR_FORCE",
        "COLUMNS",
    ] {
        command.env_remove(name);
    }
    command
}

fn output(mut command: Command) -> String {
    let out = command.output().expect("the tool runs");
    assert_eq!(
        out.status.code(),
        Some(1),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let text = [out.stderr, out.stdout].concat();
    String::from_utf8(text).expect("UTF-8")
}

/// What differs from run to run: times, numbers of passes, the compiler.
fn normal(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        if line.contains("rustc 1.")
            || line.contains("opt-level 3")
            || line.starts_with("assertions off")
        {
            continue;
        }
        let mut rest = line;
        while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
            let (before, number) = rest.split_at(at);
            let end = number
                .find(|c: char| !c.is_ascii_digit() && c != '.')
                .unwrap_or(number.len());
            let (number, after) = number.split_at(end);
            let is_count = [" ms", " s", " passes", " changed it"].iter().any(|unit| {
                let follows = after.strip_prefix(unit);
                follows.is_some_and(|f| !f.starts_with(|c: char| c.is_alphanumeric()))
            });
            out += before;
            out += if is_count { "N" } else { number };
            rest = after
                .strip_prefix(" ms")
                .or_else(|| after.strip_prefix(" s").filter(|_| is_count))
                .map_or(after, |r| {
                    out += " T";
                    r
                });
        }
        out += rest;
        out += "\n";
    }
    out
}

fn golden(name: &str, text: &str) {
    let file = folder().join(name);
    let text = normal(text);
    if std::env::var_os("OPTVERIFY_BLESS").is_some() {
        std::fs::write(&file, &text).expect("it is written");
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        expected == text,
        "{name} is different (OPTVERIFY_BLESS=1 writes it):\n{text}"
    );
}

#[test]
fn at_two_widths() {
    for width in [80, 120] {
        let mut command = tool(&[]);
        command.env("COLUMNS", width.to_string());
        let text = output(command);
        assert!(
            !text.contains('\u{1b}') && !text.contains('\r'),
            "plain lines: {text:?}"
        );
        golden(&format!("{width}.txt"), &text);
        let lines = text.lines();
        let long: Vec<&str> = lines.filter(|l| l.chars().count() > width).collect();
        assert!(long.is_empty(), "wider than {width}: {long:#?}");
        // what is too long for a line ends between words
        let first = text.lines().find(|l| l.contains("`sample::drains` can"));
        let title = "the sum of everything that was taken must not be ninety-five";
        let last = first.and_then(|l| l.split_whitespace().next_back());
        assert!(
            last.is_some_and(|word| title.split(' ').any(|w| w == word)),
            "{first:?}"
        );
    }
}

#[test]
fn colours_on_demand() {
    let mut command = tool(&["--color", "always"]);
    command.env("COLUMNS", "100");
    let text = output(command);
    assert!(text.contains("\u{1b}[1m\u{1b}[31m   unsafe"), "{text:?}");
    golden("color.txt", &text);
    let mut command = tool(&["--color", "never"]);
    command.env("CLICOLOR_FORCE", "1");
    assert!(!output(command).contains('\u{1b}'));
    let mut command = tool(&[]);
    command.env("NO_COLOR", "1").env("CLICOLOR_FORCE", "1");
    assert!(!output(command).contains('\u{1b}'), "NO_COLOR");
}

#[test]
fn quiet_and_verbose() {
    let mut command = tool(&["--quiet"]);
    command.env("COLUMNS", "100");
    golden("quiet.txt", &output(command));
    let verbose = output(tool(&["--verbose"]));
    assert!(verbose.contains("reference: safe by"), "{verbose}");
    assert!(verbose.contains("(adapted)"), "{verbose}");
}

/// Fields by their names, and nothing of what `for` and std's functions call theirs.
#[test]
fn steps_have_names_of_the_source() {
    let source = "struct Ring {\n    cells: [u8; 4],\n    head: usize,\n}\n\n#[optverify::verify]\nfn rounds(n: u8) {\n    \
                  let mut ring = Ring { cells: [0; 4], head: 0 };\n    for x in 0..n {\n        \
                  ring.cells[ring.head] = x.wrapping_add(1);\n        ring.head += 1;\n    }\n}\n";
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("sample.rs"), source).expect("a file");
    let mut command = tool(&[]);
    command.current_dir(folder.path());
    let text = output(command);
    assert!(text.contains("ring.head = "), "{text}");
    for other in [" iter.", "ring.1", "self", "rhs"] {
        let steps = text.lines().filter(|l| l.contains(". line "));
        let told: Vec<&str> = steps.filter(|l| l.contains(other)).collect();
        assert_eq!(told, [""; 0], "{other}");
    }
}

/// A terminal of the program `script`; without it the test says so.
#[test]
fn on_a_terminal() {
    let has_script = Command::new("script").arg("--version").output().is_ok();
    if !has_script {
        eprintln!("SKIPPED: no program `script` to make a terminal with");
        return;
    }
    let tool = env!("CARGO_BIN_EXE_cargo-optverify");
    let out = Command::new("script")
        .args([
            "-qec",
            &format!("stty cols 90; '{tool}' optverify sample.rs -j1"),
            "/dev/null",
        ])
        .current_dir(folder())
        .env_remove("NO_COLOR")
        .env_remove("COLUMNS")
        .env("TERM", "xterm-256color")
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(text.contains("/4 roots"), "progress: {text:?}");
    assert!(text.contains("\u{1b}[31m   unsafe"), "colours: {text:?}");
    assert!(
        text.contains("\u{1b}[2K") || text.contains("\r\u{1b}[K"),
        "progress is removed: {text:?}"
    );
}
