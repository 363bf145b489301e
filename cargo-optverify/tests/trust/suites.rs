//! `check-proof` on verification tasks: no proof of any snapshot is refuted, and no task that is labelled unsafe has a
//! valid proof of its reference. The tasks are beside the repository, or where `OPTVERIFY_TASKS` says.

use crate::common::Project;
use crate::{figure, long};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A few of each kind, for every run; all of them in a long one.
const SOME: [&str; 2] = ["crafted/simple_safe1.rs", "crafted/const_safe1.rs"];

fn folder() -> Option<PathBuf> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?;
    let named = std::env::var_os("OPTVERIFY_TASKS").map(PathBuf::from);
    let found = named.unwrap_or_else(|| repository.join("../shared/tasks"));
    found.is_dir().then_some(found)
}

fn tasks(folder: &Path) -> Vec<PathBuf> {
    if !long() {
        return SOME
            .iter()
            .map(|t| folder.join(t))
            .filter(|t| t.is_file())
            .collect();
    }
    let mut all = vec![];
    for suite in std::fs::read_dir(folder).expect("suites").flatten() {
        let files = std::fs::read_dir(suite.path())
            .into_iter()
            .flatten()
            .flatten();
        all.extend(
            files
                .map(|f| f.path())
                .filter(|p| p.extension().is_some_and(|e| e == "rs")),
        );
    }
    all.sort();
    all
}

#[derive(Default)]
struct Sum {
    tasks: usize,
    valid: usize,
    twice: usize,
    not_checkable: usize,
    gave_up: usize,
}

#[test]
fn proofs_of_the_suites_are_valid() {
    let Some(folder) = folder() else {
        println!("no tasks beside the repository: nothing checked");
        return;
    };
    let mut sum = Sum::default();
    for task in tasks(&folder) {
        let source = std::fs::read_to_string(&task).expect("a task");
        // tasks of miscompilations have their own flags: their labels are not about this build
        if source.contains("//@ issue:") {
            continue;
        }
        let project = Project::empty();
        let name = task
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        project.file(&name, &source);
        let ran = project.run(&[
            "check-proof",
            &name,
            "--message-format",
            "json",
            "--timeout",
            "10s",
        ]);
        sum.tasks += 1;
        for message in ran.messages() {
            let snapshots = message["snapshots"].as_array().into_iter().flatten();
            for (n, snapshot) in snapshots.enumerate() {
                let verdict = &snapshot["verdict"];
                assert!(verdict.get("refuted").is_none(), "{name}: {snapshot}");
                let valid = verdict.get("valid");
                let labelled_unsafe = source.contains("//@ expect: unsafe");
                assert!(
                    !(n == 0 && valid.is_some() && labelled_unsafe),
                    "{name}: {snapshot}"
                );
                sum.valid += usize::from(valid.is_some());
                sum.twice += usize::from(valid.is_some_and(|v| v["second"] == Value::Bool(true)));
                sum.not_checkable += usize::from(verdict.get("not-checkable").is_some());
                sum.gave_up += usize::from(verdict.get("gave-up").is_some());
            }
        }
    }
    let Sum {
        tasks,
        valid,
        twice,
        not_checkable,
        gave_up,
    } = sum;
    figure(
        "check-proof on the suites",
        format!(
            "{tasks} tasks, snapshots: {valid} valid ({twice} by two solvers), 0 refuted, {not_checkable} not checkable or without a proof, {gave_up} without an answer"
        ),
    );
    assert!(valid > 0, "no proof was checked");
}
