//! `check-proof` on verification tasks: no proof of any snapshot is refuted, and no task that is labelled unsafe has a
//! valid proof of its reference. The tasks are beside the repository, or where `OPTVERIFY_TASKS` says.

use crate::common::Project;
use crate::{figure, long};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// For every run of the tests: the smallest tasks of each suite in turn, until this time is up. A long run has all.
const TIME: Duration = Duration::from_secs(60);

/// Small, and their proofs are not: minutes.
const SLOW: [&str; 3] = [
    "diamond_safe1.rs",
    "bubble_sort_safe.rs",
    "veris_c_openser_cases1_stripfullboth_arr_safe.rs",
];

fn folder() -> Option<PathBuf> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?;
    let named = std::env::var_os("OPTVERIFY_TASKS").map(PathBuf::from);
    let found = named.unwrap_or_else(|| repository.join("../shared/tasks"));
    found.is_dir().then_some(found)
}

/// The tasks of each suite, the smallest first.
fn suites(folder: &Path) -> Vec<Vec<PathBuf>> {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let all = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut all: Vec<PathBuf> = all.map(|e| e.path()).collect();
        all.sort();
        all
    };
    let suite = |folder: PathBuf| {
        let mut tasks = entries(&folder);
        tasks.retain(|t| t.extension().is_some_and(|e| e == "rs"));
        tasks.retain(|t| long() || !SLOW.iter().any(|slow| t.ends_with(slow)));
        tasks.sort_by_key(|t| t.metadata().map_or(0, |m| m.len()));
        tasks
    };
    let mut suites: Vec<Vec<PathBuf>> = entries(folder).into_iter().map(suite).collect();
    suites.retain(|tasks| !tasks.is_empty());
    suites
}

/// In turn: the first of each suite, the second of each, ..; with the number of the turn.
fn in_turn(suites: &[Vec<PathBuf>]) -> Vec<(usize, PathBuf)> {
    let longest = suites.iter().map(Vec::len).max().unwrap_or(0);
    let turn = |n: usize| {
        let tasks = suites.iter().filter_map(move |suite| suite.get(n));
        tasks.map(move |task| (n, task.clone()))
    };
    (0..longest).flat_map(turn).collect()
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
        figure(
            "check-proof on the suites",
            "skipped: no suites in ../shared/tasks beside the repository, nor in OPTVERIFY_TASKS",
        );
        return;
    };
    let (mut sum, start) = (Sum::default(), Instant::now());
    let suites = suites(&folder);
    let limit = if long() { "10s" } else { "3s" };
    for (turn, task) in in_turn(&suites) {
        // at least one of each
        if !long() && turn > 0 && start.elapsed() > TIME {
            break;
        }
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
            limit,
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
            "{tasks} tasks of {} suites, snapshots: {valid} valid ({twice} by two solvers), 0 refuted, {not_checkable} not checkable or without a proof, {gave_up} without an answer",
            suites.len()
        ),
    );
    assert!(valid > 0, "no proof was checked");
}
