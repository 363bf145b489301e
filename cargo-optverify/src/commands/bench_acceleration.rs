//! `bench DIR --acceleration`: what acceleration and trace automata add to bounded model checking, as in the
//! trace-automata paper's Table 2.
//!
//! Each task's reference is decided three times by the same engine, with nothing else of the portfolio: bounded model
//! checking alone, on the accelerated program, and on its product with the trace automaton. Verdicts are certified.

use super::bench::BenchTask;
use crate::cli::BenchArgs;
use crate::exit_code::ExitCode;
use anyhow::{Context, Result, anyhow};
use optverify_engine::prove::Verdict;
use optverify_engine::prove::accelerate::Options;
use optverify_engine::prove::portfolio::{Unwound, unwind};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// Name, acceleration, trace automata.
const CONFIGURATIONS: [(&str, bool, bool); 3] = [
    ("bmc", false, false),
    ("bmc + acceleration", true, false),
    ("bmc + acceleration + trace automata", true, true),
];

/// The sums of one configuration over the tasks of one suite with one expected verdict.
#[derive(Clone, Copy, Default)]
struct Cell {
    solved: usize,
    wrong: usize,
    /// Of the solved ones.
    took: Duration,
    building: Duration,
}

#[derive(Default)]
struct Row {
    n_tasks: usize,
    /// Tasks with at least one loop in closed form.
    accelerated: usize,
    cells: [Cell; 3],
}

pub fn run(tasks: &[BenchTask], args: &BenchArgs) -> Result<ExitCode> {
    let mut rows: BTreeMap<(String, bool), Row> = BTreeMap::new();
    let mut details = vec![];
    for task in tasks {
        let program = match task.reference() {
            Ok(program) => program,
            Err(why) => {
                println!("skipped  {}: {why:#}", task.name);
                continue;
            }
        };
        let mut cells = vec![];
        for (_, acceleration, trace_automata) in CONFIGURATIONS {
            let options = Options {
                acceleration,
                trace_automata,
                ..Options::default()
            };
            let cell = unwind(&program, options, args.timeout);
            cells.push(cell.map_err(|e| anyhow!("{}: {e}", task.name))?);
        }
        // Of a miscompiled task the reference is correct.
        let unsafe_expected = task.expect == "unsafe";
        let row = rows
            .entry((task.suite.clone(), unsafe_expected))
            .or_default();
        add(row, unsafe_expected, &cells);
        print_task(task, &cells);
        details.push(as_json(task, &cells));
    }
    print_table(&rows);
    if let Some(path) = &args.json {
        let text = json!({"format_version": 1, "tasks": details});
        std::fs::write(path, serde_json::to_string_pretty(&text)? + "\n")
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    let wrong = rows.values().flat_map(|r| r.cells).any(|c| c.wrong > 0);
    Ok(if wrong {
        ExitCode::Violation
    } else {
        ExitCode::AllSafe
    })
}

fn add(row: &mut Row, unsafe_expected: bool, cells: &[Unwound]) {
    row.n_tasks += 1;
    row.accelerated += usize::from(cells.iter().any(|c| c.outcome.n_accelerators > 0));
    for (sum, cell) in row.cells.iter_mut().zip(cells) {
        let right = match &cell.verdict {
            Verdict::Safe(_) => !unsafe_expected,
            Verdict::Unsafe(_) => unsafe_expected,
            Verdict::Unknown(_) => continue,
        };
        if right {
            sum.solved += 1;
            sum.took += cell.took;
            sum.building += cell.outcome.building;
        } else {
            sum.wrong += 1;
        }
    }
}

fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Safe(_) => "safe",
        Verdict::Unsafe(_) => "unsafe",
        Verdict::Unknown(_) => "unknown",
    }
}

fn print_task(task: &BenchTask, cells: &[Unwound]) {
    let mut line = String::new();
    for cell in cells {
        let ms = cell.took.as_millis();
        line += &format!("{:<8} {ms:>6} ms  ", word(&cell.verdict));
    }
    println!("{line}{}/{}", task.suite, task.name);
}

fn print_table(rows: &BTreeMap<(String, bool), Row>) {
    println!(
        "\n{:<22} {:>5} {:>8} | {:>15} | {:>22} | {:>22}",
        "", "tasks", "loops in", "bmc", "+ acceleration", "+ trace automata"
    );
    println!(
        "{:<22} {:>5} {:>8} | {:>6} {:>8} | {:>6} {:>6} {:>8} | {:>6} {:>6} {:>8}",
        "", "", "closed f.", "solved", "s", "solved", "made s", "s", "solved", "made s", "s"
    );
    for ((suite, unsafe_expected), row) in rows {
        let kind = if *unsafe_expected { "unsafe" } else { "safe" };
        let mut line = format!(
            "{:<22} {:>5} {:>9}",
            format!("{suite} {kind}"),
            row.n_tasks,
            row.accelerated
        );
        for (i, cell) in row.cells.iter().enumerate() {
            line += &format!(" | {:>6}", cell.solved);
            if i > 0 {
                line += &format!(" {:>6.2}", cell.building.as_secs_f64());
            }
            line += &format!(" {:>8.2}", cell.took.as_secs_f64());
            if cell.wrong > 0 {
                line += &format!(" ({} WRONG)", cell.wrong);
            }
        }
        println!("{line}");
    }
    println!(
        "\nSeconds are of the solved tasks, certification included; `made` is accelerators and automata."
    );
}

fn as_json(task: &BenchTask, cells: &[Unwound]) -> Value {
    let rows = CONFIGURATIONS.iter().zip(cells).map(|((name, ..), c)| {
        json!({"configuration": name, "verdict": word(&c.verdict), "ms": c.took.as_secs_f64() * 1e3,
            "building_ms": c.outcome.building.as_secs_f64() * 1e3, "depth": c.outcome.depth,
            "accelerators": c.outcome.n_accelerators, "automaton_states": c.outcome.n_automaton_states})
    });
    json!({"task": task.name, "suite": task.suite, "expect": task.expect, "rows": rows.collect::<Vec<_>>()})
}
