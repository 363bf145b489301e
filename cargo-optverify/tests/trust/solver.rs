//! The solver does not know, runs out of time or memory, reports an error, takes its thread or its process along:
//! at any of its queries, the verdict is the same or unknown, for the reference and after every pass.

use crate::common::Project;
use crate::{figure, long};
use optverify_engine::capture::Capture;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Read;
use std::process::Stdio;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(15);
const KINDS: [&str; 6] = ["unknown", "timeout", "failed", "panic", "abort", "memory"];

/// The report of one root, verified in a process of its own as the tool does; nothing if that broke off.
fn verify(project: &Project, index: usize, fault: Option<&str>) -> Option<Value> {
    let capture = Capture::load(project.path().join("capture")).expect("a capture");
    let mut tool = project.tool(&[
        "verify-root",
        "capture",
        &index.to_string(),
        &capture.stamp().to_string(),
        "--timeout=20s",
    ]);
    if let Some(fault) = fault {
        tool.env("OPTVERIFY_FAULT", fault);
    }
    tool.stderr(Stdio::null()).stdout(Stdio::piped());
    let mut child = tool.spawn().expect("the tool starts");
    let mut output = child.stdout.take().expect("its output");
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        output.read_to_string(&mut text).map(|_| text)
    });
    // as `isolate` does: one that does not keep its time is ended from outside
    let start = Instant::now();
    while child.try_wait().expect("its state").is_none() {
        if start.elapsed() > PATIENCE {
            child.kill().expect("it can be ended");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let success = child.wait().expect("it ends").success();
    let text = reader.join().expect("a reader").expect("text");
    serde_json::from_str(&text).ok().filter(|_| success)
}

/// The verdict of every snapshot, by its number.
fn each(report: &Value) -> BTreeMap<u64, String> {
    let text = |v: &Value| v["verdict"].as_str().unwrap_or_default().to_owned();
    let passes = report["passes"].as_array().into_iter().flatten();
    let passes = passes.map(|p| (p["index"].as_u64().unwrap_or_default(), text(p)));
    passes
        .chain([(0, text(&report["reference"])), (u64::MAX, text(report))])
        .collect()
}

fn n_queries(report: &Value) -> u64 {
    let all = report["queries"].as_object().into_iter().flatten();
    all.flat_map(|(_, q)| ["sat", "unsat", "unknown", "failed"].map(|n| q[n].as_u64().unwrap_or(0)))
        .sum()
}

#[test]
fn no_fault_turns_a_verdict_round() {
    let project = Project::empty();
    project.file("sample.rs", crate::SOURCE);
    let ran = project.run(&["capture", "sample.rs", "-o", "capture"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let steps = if long() { 12 } else { 2 };
    let (mut runs, mut weaker) = (0, 0);
    for index in 0..crate::EXPECTED.len() {
        let calm = verify(&project, index, None).expect("a report");
        let (truth, queries) = (each(&calm), n_queries(&calm));
        let whole = truth[&u64::MAX].as_str();
        assert!(
            ["safe", "unsafe"].contains(&whole),
            "root {index} is {whole}"
        );
        if queries == 0 {
            // found by running it
            continue;
        }
        // the first, the last, and some between
        let mut at: Vec<u64> = (0..steps)
            .map(|n| 1 + n * queries.saturating_sub(1) / (steps - 1))
            .collect();
        at.dedup();
        for (kind, n) in KINDS.iter().flat_map(|k| at.iter().map(move |n| (k, n))) {
            let lastings: &[&str] = if long() { &["", "+"] } else { &["+"] };
            for lasting in lastings {
                let fault = format!("{kind}@{n}{lasting}");
                runs += 1;
                let Some(report) = verify(&project, index, Some(&fault)) else {
                    // whoever started it makes an unknown of that (`isolate`)
                    weaker += 1;
                    continue;
                };
                for (snapshot, verdict) in each(&report) {
                    let before = truth.get(&snapshot).map_or("unknown", String::as_str);
                    let same = verdict == before || verdict == "unknown";
                    assert!(
                        same,
                        "root {index} with {fault}, {snapshot}: {verdict}, not {before}"
                    );
                }
                weaker += usize::from(report["verdict"] == "unknown");
            }
        }
    }
    figure(
        "solver faults (kind x query x root)",
        format!("{runs} runs, {weaker} weaker verdicts, 0 wrong"),
    );
    // faults that change nothing test nothing
    assert!(weaker * 10 > runs, "{weaker} of {runs}");
}

/// What people see of a solver that takes its process along.
#[test]
fn a_dead_solver_is_an_unknown_with_its_reason() {
    let project = Project::empty();
    project.file("sample.rs", crate::SOURCE);
    let mut tool = project.tool(&[
        "sample.rs",
        "--message-format",
        "json",
        "--no-native",
        "--root",
        "down",
    ]);
    let ran = crate::common::Ran::of(
        tool.env("OPTVERIFY_FAULT", "abort@1")
            .output()
            .expect("runs"),
    );
    assert_eq!(ran.code, 2, "{ran:?}");
    let message = &ran.messages()[0];
    assert_eq!(message["verdict"], "unknown");
    assert!(
        message["why"]
            .as_str()
            .is_some_and(|why| why.contains("broke off")),
        "{message}"
    );
    assert_eq!(message["assumptions"], serde_json::json!([]));
}
