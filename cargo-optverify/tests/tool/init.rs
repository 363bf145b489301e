//! `init`: what it writes works, and its workflow's own steps are run here.

use crate::common;

use common::Project;
use std::path::{Path, PathBuf};
use std::process::Command;

const WORKFLOW: &str = ".github/workflows/optverify.yml";

fn optverify() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("optverify");
    path.display().to_string()
}

fn fresh() -> Project {
    let project = Project::empty();
    project.file(
        "Cargo.toml",
        "[package]\nname = \"fresh\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
    );
    project.file(
        "src/lib.rs",
        "#[optverify::verify]\npub fn half(n: u8) -> u8 {\n    n / 2\n}\n",
    );
    project
}

fn read(project: &Project, name: &str) -> String {
    std::fs::read_to_string(project.path().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The scripts of the workflow's `run: |` steps, in order.
fn scripts(workflow: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut lines = workflow.lines().peekable();
    while let Some(line) = lines.next() {
        if line.trim() != "run: |" {
            continue;
        }
        let depth = line.len() - line.trim_start().len();
        let mut script = String::new();
        while let Some(next) = lines.next_if(|l| l.len() - l.trim_start().len() > depth) {
            script += &format!("{}\n", next.trim_start());
        }
        all.push(script);
    }
    all
}

/// As the runner does: `sh -e` in the package, cargo finds the tool on the path.
fn run_steps(project: &Project) -> (Vec<i32>, String) {
    let bin: PathBuf = project.path().join("bin");
    std::fs::create_dir_all(&bin).expect("a folder");
    let link = bin.join("cargo-optverify");
    if !link.exists() {
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_cargo-optverify"), link).expect("a link");
    }
    let path = format!(
        "{}:{}",
        bin.display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let summary = project.path().join("summary.md");
    let mut text = String::new();
    let mut codes = Vec::new();
    for script in scripts(&read(project, WORKFLOW)) {
        let out = Command::new("sh")
            .args(["-e", "-c", &script])
            .current_dir(project.path())
            .env("PATH", &path)
            .env("GITHUB_STEP_SUMMARY", &summary)
            .env_remove("RUSTFLAGS")
            .env_remove("CARGO_TARGET_DIR")
            .output()
            .expect("a shell");
        text += &String::from_utf8_lossy(&out.stdout);
        text += &String::from_utf8_lossy(&out.stderr);
        codes.push(out.status.code().unwrap_or(-1));
    }
    (codes, text)
}

#[test]
fn the_workflow_passes_and_fails_as_it_should() {
    let project = fresh();
    let ran = project.run(&["init", "--path", &optverify()]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let manifest = read(&project, "Cargo.toml");
    assert!(
        manifest.contains("[dependencies]\noptverify = {"),
        "{manifest}"
    );
    assert!(
        manifest.contains("[package.metadata.optverify]"),
        "{manifest}"
    );
    let (codes, text) = run_steps(&project);
    assert_eq!(codes, [0, 0], "{text}");
    // the runner reads it as YAML: a job with steps, each of which runs or uses something
    let workflow: serde_json::Value =
        serde_saphyr::from_str(&read(&project, WORKFLOW)).expect("YAML");
    let steps = workflow["jobs"]["optverify"]["steps"].as_array();
    let steps = steps.expect("steps");
    assert_eq!(steps.len(), 5, "{workflow:#}");
    for step in steps {
        assert_ne!(
            step["run"].is_string(),
            step["uses"].is_string(),
            "{step:#}"
        );
    }
    for file in ["report.sarif", "junit.xml", "report.html"] {
        assert!(read(&project, &format!("target/optverify/{file}")).len() > 100);
    }
    assert!(read(&project, "summary.md").contains("1 root: 1 safe"));

    project.file(
        "src/lib.rs",
        "#[optverify::verify]\npub fn half(n: u8) -> u8 {\n    2 / n\n}\n",
    );
    let (codes, text) = run_steps(&project);
    assert_eq!(codes, [0, 1], "{text}");
    assert!(text.contains("::error file=src/lib.rs,line=3"), "{text}");
}

#[test]
fn what_is_there_stays() {
    let project = fresh();
    assert_eq!(project.run(&["init", "--path", &optverify()]).code, 0);
    project.file(WORKFLOW, "name: mine\n");
    let before = read(&project, "Cargo.toml");
    let ran = project.run(&["init", "--path", &optverify()]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(read(&project, "Cargo.toml"), before);
    assert_eq!(read(&project, WORKFLOW), "name: mine\n");
}

/// The settings that `init` writes are settings that count; the command line wins.
#[test]
fn settings_of_the_manifest() {
    let project = Project::package(
        "set",
        "#[optverify::verify]\npub fn outside() -> usize {\n    std::env::args().count()\n}\n",
    );
    assert_eq!(project.run(&[]).code, 2);
    let with = |more: &str| project.file("Cargo.toml", &common::manifest("set", more));
    with("[package.metadata.optverify]\nallow-unknown = true\nmessage-format = \"short\"\n");
    let ran = project.run(&[]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.stdout.lines().count(), 3, "{ran:?}");
    let ran = project.run(&["verify", "--message-format", "json"]);
    assert_eq!(ran.messages().len(), 2, "{ran:?}");
    with("[package.metadata.optverify]\ntime-out = \"1s\"\n");
    let ran = project.run(&[]);
    assert_eq!(ran.code, 101, "{ran:?}");
    assert!(ran.stderr.contains("--time-out"), "{ran:?}");
}
