//! A capture is loaded twice: by the tool, which looks at every file, and by the process of each root, which does not.
//! What changes in between never has the verdict of one program told of another.

use crate::common::Project;
use crate::{expected, figure, none_is_wrong, verdicts};
use optverify_engine::capture::Capture;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

fn captured(project: &Project, name: &str, source: &str) {
    // the same file, so that both captures have the same names
    project.file("sample.rs", source);
    let ran = project.run(&["capture", "sample.rs", "-o", name]);
    assert_eq!(ran.code, 0, "{ran:?}");
}

/// Writes what is in one folder into the other, file by file, except those of these names.
fn copy(from: &Path, to: &Path, except: &[&str]) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        match path.is_dir() {
            true => copy(&path, &to.join(name), except),
            false if except.iter().any(|e| *e == name) => {}
            false => {
                let text = std::fs::read(&path).expect("a file");
                std::fs::write(to.join(name), text).expect("a file");
            }
        }
    }
}

/// The roots the other way around: the number of one is that of another.
fn turned_round(capture: &Path) {
    let path = capture.join("capture.json");
    let text = std::fs::read_to_string(&path).expect("the manifest");
    let mut manifest: Value = serde_json::from_str(&text).expect("JSON");
    manifest["roots"].as_array_mut().expect("roots").reverse();
    std::fs::write(&path, manifest.to_string()).expect("a file");
}

/// What the process of a root says, if the folder changes after the tool has loaded it.
fn after(project: &Project, change: impl Fn(&Path)) -> Vec<(String, Value)> {
    let folder = project.path().join("changing");
    let _ = std::fs::remove_dir_all(&folder);
    copy(&project.path().join("honest"), &folder, &[]);
    // the clock of a file system has ticks
    std::thread::sleep(Duration::from_millis(50));
    let capture = Capture::load(&folder).expect("a capture");
    change(&folder);
    let roots = capture.roots().iter().enumerate();
    let said = roots.map(|(index, root)| {
        let ran = project.run(&[
            "verify-root",
            "changing",
            &index.to_string(),
            &capture.stamp().to_string(),
            "--timeout=20s",
        ]);
        let report = serde_json::from_str(&ran.stdout).unwrap_or_else(|e| panic!("{e}: {ran:?}"));
        let name = root.name.rsplit("::").next().unwrap_or_default();
        (name.to_owned(), report)
    });
    said.collect()
}

#[test]
fn what_changes_between_two_loads_has_no_verdict() {
    let project = Project::empty();
    captured(&project, "honest", crate::SOURCE);
    // the same functions, and nothing in them can fail
    captured(
        &project,
        "forged",
        &crate::SOURCE.replace("assert!(", "drop("),
    );
    let forged = project.path().join("forged");
    let others = ["capture.json", "facts.json"];
    let honest = after(&project, |_| {});
    assert_eq!(honest.len(), expected().len());
    for (root, report) in &honest {
        assert_eq!(report["verdict"], expected()[root].as_str(), "{report}");
    }
    type Change<'a> = (&'a str, Box<dyn Fn(&Path) + 'a>);
    let changes: [Change<'_>; 4] = [
        ("other roots", Box::new(turned_round)),
        ("another program", Box::new(|f| copy(&forged, f, &others))),
        (
            "another capture",
            Box::new(|f| {
                std::fs::remove_dir_all(f).expect("a folder");
                copy(&forged, f, &[]);
            }),
        ),
        (
            "other facts",
            Box::new(|f| {
                let facts = std::fs::read_to_string(f.join("facts.json")).expect("the facts");
                std::fs::write(f.join("facts.json"), facts + "\n").expect("a file");
            }),
        ),
    ];
    for (what, change) in &changes {
        for (root, report) in after(&project, change) {
            assert_eq!(report["verdict"], "unknown", "{what}, {root}: {report}");
            assert_eq!(report["reference"]["verdict"], "unknown", "{what}, {root}");
            let why = report["why"].as_str().unwrap_or_default();
            assert!(why.contains("was changed"), "{what}, {root}: {why}");
        }
    }
    figure(
        "captures changed between two loads",
        format!(
            "{} changes for each of {} roots, 0 verdicts",
            changes.len(),
            honest.len()
        ),
    );
}

/// The tool itself, with a capture that changes as soon as its first root is done.
#[test]
fn a_capture_that_changes_while_the_tool_runs() {
    let project = Project::empty();
    captured(&project, "honest", crate::SOURCE);
    let args = ["--from-capture", "honest", "--message-format", "json"];
    let mut tool = project.tool(&[&args[..], &["--no-native", "--quiet", "-j", "1"]].concat());
    tool.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = tool.spawn().expect("the tool starts");
    let mut output = BufReader::new(child.stdout.take().expect("piped"));
    let (mut first, mut rest) = (String::new(), String::new());
    output.read_line(&mut first).expect("a line");
    turned_round(&project.path().join("honest"));
    output.read_to_string(&mut rest).expect("text");
    child.wait().expect("it ends");
    let lines = [first, rest].concat();
    let messages: Vec<Value> = lines
        .lines()
        .map(|l| serde_json::from_str(l).unwrap_or_else(|e| panic!("{e}: {l}")))
        .collect();
    let unknown = none_is_wrong(&verdicts(&messages), "while the capture changes");
    // the next root may have been read already
    assert!((4..=5).contains(&unknown), "{messages:?}");
    let why = |m: &Value| m["why"].as_str().unwrap_or_default().to_owned();
    let told = messages.iter().filter(|m| why(m).contains("was changed"));
    // one that was being read meanwhile may say that its files do not fit together
    assert!(told.count() + 1 >= unknown, "{messages:?}");
}
