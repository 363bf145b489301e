//! `bench DIR --vcgen all`: the sixteen generators of verification conditions on a folder of tasks, as in the
//! paper's Table I, and their growth on its running example.
//!
//! Each task's reference is expanded (every loop so many iterations, runs that go on are no runs) into one loop-free
//! fragment. All generators get the same fragment, each in a thread and so a solver context of its own.

use super::bench::BenchTask;
use crate::cli::BenchArgs;
use crate::exit_code::ExitCode;
use anyhow::{Context, Result, anyhow};
use optverify_engine::program::Program;
use optverify_engine::smt::{Budget, Deadline};
use optverify_engine::vc::{Generator, Outcome, Report, check, running_example, unroll, whole};
use serde_json::{Value, json};
use std::time::Duration;

/// Expanded programs of more blocks get fewer iterations.
const BLOCKS: usize = 3000;

/// The sums of one generator.
#[derive(Clone, Default)]
struct Row {
    safe: Duration,
    faulty: Duration,
    /// Tasks on which it was the fastest.
    first: usize,
    generating: Duration,
    conditions: usize,
    written: u64,
    shared: u64,
    unknown: usize,
    resources: u64,
}

pub fn run(tasks: &[BenchTask], args: &BenchArgs) -> Result<ExitCode> {
    let all = Generator::all();
    let mut rows = vec![Row::default(); all.len()];
    let (mut measured, mut wrong) = (0, 0);
    let mut details = vec![];
    for task in tasks {
        let program = match expanded(task, args.unwind) {
            Ok(program) => program,
            Err(why) => {
                println!("skipped  {}: {why:#}", task.name);
                continue;
            }
        };
        let reports: Result<Vec<Report>> = all
            .iter()
            .map(|g| measure(&program, *g, args.timeout))
            .collect();
        let reports = reports.with_context(|| task.name.clone())?;
        let problem = disagreement(task, &reports);
        if let Some(problem) = &problem {
            wrong += 1;
            anstream::println!("\x1b[1;31mWRONG\x1b[0m    {}: {problem}", task.name);
        } else {
            println!(
                "{:<8} {} ({} blocks)",
                word(&reports),
                task.name,
                program.blocks.len()
            );
        }
        measured += 1;
        add(&mut rows, task, &reports);
        details.push(as_json(task, &all, &reports));
    }
    println!(
        "\n{measured} tasks, at most {} iterations of each loop\n",
        args.unwind
    );
    print_table(&all, &rows);
    println!("\nthe running example, written-out nodes and solving time\n");
    let growth = print_growth(&all, args.timeout)?;
    if let Some(path) = &args.json {
        let text = json!({"format_version": 1, "tasks": details, "running_example": growth});
        std::fs::write(path, serde_json::to_string_pretty(&text)? + "\n")
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(if wrong > 0 {
        ExitCode::Violation
    } else {
        ExitCode::AllSafe
    })
}

/// The reference of a task's first root, with as many iterations as fit.
fn expanded(task: &BenchTask, times: usize) -> Result<Program> {
    let reference = task.reference()?;
    let mut times = times;
    loop {
        if let Some(p) = unroll(&reference, times, BLOCKS) {
            return Ok(p);
        }
        if times == 0 {
            return Err(anyhow!("more than {BLOCKS} blocks"));
        }
        times /= 2;
    }
}

/// One generator on one program, in a thread of its own.
fn measure(program: &Program, generator: Generator, timeout: Duration) -> Result<Report> {
    let mut program = program.clone();
    let work = move || {
        let fragment = whole(&mut program);
        let millis = timeout.as_millis() as u32;
        let deadline = Deadline::after(timeout);
        let budget = Budget::millis(millis);
        check(&mut program.pool, &fragment, generator, budget, &deadline)
    };
    let thread = std::thread::Builder::new()
        .stack_size(256 << 20)
        .spawn(work)?;
    thread.join().map_err(|_| anyhow!("{generator} broke off"))
}

/// Verdicts that contradict each other, or what the task says.
fn disagreement(task: &BenchTask, reports: &[Report]) -> Option<String> {
    let valid = reports.iter().any(|r| r.outcome == Outcome::Valid);
    let invalid = reports.iter().any(|r| r.outcome == Outcome::Invalid);
    if valid && invalid {
        return Some("the generators contradict each other".to_string());
    }
    // An unsafe task may need more iterations; a safe one has no violation at any number.
    (invalid && task.expect == "safe").then(|| "a violation of a safe task".to_string())
}

fn word(reports: &[Report]) -> &'static str {
    match () {
        () if reports.iter().any(|r| r.outcome == Outcome::Valid) => "valid",
        () if reports.iter().any(|r| r.outcome == Outcome::Invalid) => "invalid",
        () => "unknown",
    }
}

fn add(rows: &mut [Row], task: &BenchTask, reports: &[Report]) {
    let solved = |r: &&Report| !matches!(r.outcome, Outcome::Unknown(_));
    let first = reports.iter().filter(solved).map(|r| r.solving).min();
    for (row, r) in rows.iter_mut().zip(reports) {
        if task.expect == "unsafe" {
            row.faulty += r.solving;
        } else {
            row.safe += r.solving;
        }
        let known = solved(&r);
        row.first += usize::from(known && Some(r.solving) == first);
        row.unknown += usize::from(!known);
        row.generating += r.generating;
        row.conditions += r.conditions;
        row.written = row.written.saturating_add(r.written);
        row.shared += r.shared;
        row.resources += r.resources;
    }
}

fn print_table(all: &[Generator], rows: &[Row]) {
    println!(
        "{:<8} {:>9} {:>9} {:>9} {:>9} {:>6} {:>8} {:>12} {:>11} {:>10} {:>8}",
        "",
        "safe s",
        "faulty s",
        "total s",
        "resources",
        "first",
        "unknown",
        "conditions",
        "written",
        "shared",
        "made s"
    );
    for (g, r) in all.iter().zip(rows) {
        println!(
            "{g:<8} {:>9.2} {:>9.2} {:>9.2} {:>9} {:>6} {:>8} {:>12} {:>11} {:>10} {:>8.2}",
            r.safe.as_secs_f64(),
            r.faulty.as_secs_f64(),
            (r.safe + r.faulty).as_secs_f64(),
            short(r.resources),
            r.first,
            r.unknown,
            r.conditions,
            short(r.written),
            short(r.shared),
            r.generating.as_secs_f64(),
        );
    }
}

/// `1234`, `56.7k`, `8.9M`, `1e15`.
fn short(n: u64) -> String {
    match n {
        0..=9_999 => n.to_string(),
        10_000..=999_999 => format!("{:.1}k", n as f64 / 1e3),
        1_000_000..=999_999_999 => format!("{:.1}M", n as f64 / 1e6),
        _ => format!("{:.0e}", n as f64),
    }
}

fn print_growth(all: &[Generator], timeout: Duration) -> Result<Vec<Value>> {
    const TIMES: [usize; 4] = [10, 20, 40, 80];
    let mut line = format!("{:<8}", "");
    for n in TIMES {
        line += &format!(" {:>10} {:>8}", format!("N = {n}"), "ms");
    }
    println!("{line}  growth of the last doubling");
    let mut out = vec![];
    for g in all {
        let mut line = format!("{g:<8}");
        let mut sizes = vec![];
        for n in TIMES {
            let program = unroll(&running_example(), n, usize::MAX)
                .ok_or_else(|| anyhow!("the running example has no expansion"))?;
            let r = measure(&program, *g, timeout)?;
            let ms = r.solving.as_secs_f64() * 1e3;
            line += &format!(" {:>10} {ms:>8.1}", short(r.written));
            out.push(json!({"vcgen": g.to_string(), "n": n, "written": r.written,
                "shared": r.shared, "solving_ms": ms}));
            sizes.push(r.written as f64);
        }
        let growth = (sizes[3] - sizes[2]) / (sizes[2] - sizes[1]);
        println!("{line}  x {growth:.1}");
    }
    Ok(out)
}

fn as_json(task: &BenchTask, all: &[Generator], reports: &[Report]) -> Value {
    let rows = all.iter().zip(reports).map(|(g, r)| {
        let outcome = match &r.outcome {
            Outcome::Valid => "valid",
            Outcome::Invalid => "invalid",
            Outcome::Unknown(_) => "unknown",
        };
        json!({"vcgen": g.to_string(), "outcome": outcome, "conditions": r.conditions,
            "written": r.written, "shared": r.shared,
            "resources": r.resources, "solving_ms": r.solving.as_secs_f64() * 1e3})
    });
    json!({"task": task.name, "expect": task.expect, "generators": rows.collect::<Vec<_>>()})
}
