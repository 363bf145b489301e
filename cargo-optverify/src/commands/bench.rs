//! `cargo optverify bench DIR`: a folder of tasks under the rules of the verification competition.
//!
//! Each task runs in a process of its own with limits on CPU time and memory; what dies there dies alone and
//! counts as unknown. Scores: the schema of 2012 (safe +2, unsafe +1, false alarm -2, missed bug -4) and the
//! current one (+2, +1, -16, -32).

use super::{bench_acceleration, bench_compare, bench_vcgen};
use crate::cli::{BenchArgs, Cli, VcgenChoice};
use crate::exit_code::ExitCode;
use crate::report::bench_html::{self, Run};
use crate::report::bench_plot;
use crate::source;
use anyhow::{Context, Result, bail};
use clap::Parser;
use optverify_engine::pipeline::prepare_reference;
use optverify_engine::program::Program;
use optverify_engine::program::Texts;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Instant;

/// One task of a suite, from its header.
pub(super) struct BenchTask {
    pub file: PathBuf,
    pub name: String,
    pub suite: String,
    /// `safe`, `unsafe`, or `miscompiled`: the reference safe, the optimized build not.
    pub expect: String,
    flags: Option<String>,
}

impl BenchTask {
    /// The unoptimized program of the first root, for tables that compare techniques in this process.
    pub fn reference(&self) -> Result<Program> {
        let file = self.file.to_str().context("not a UTF-8 path")?;
        let cli = Cli::try_parse_from(["optverify", file])?;
        let captures = source::captures(cli.verify.file.as_deref(), &cli.verify.build, &[])?;
        let capture = captures.list.first().context("no capture")?;
        let root = capture.roots().first().context("no root")?;
        Ok(prepare_reference(capture, root, Texts::AnyBytes)?.0.program)
    }
}

struct Outcome {
    verdict: String,
    reference: String,
    /// The reference alone.
    first_ms: u64,
    engine_ms: u64,
    wall_ms: u64,
    engine: String,
    passes: Value,
    why: String,
}

/// What an answer is worth.
#[derive(Clone, Copy, PartialEq)]
enum Category {
    Correct { safe: bool },
    Wrong { claimed_safe: bool },
    Unknown,
}

impl Category {
    fn points(self) -> (i64, i64) {
        match self {
            Self::Correct { safe: true } => (2, 2),
            Self::Correct { safe: false } => (1, 1),
            Self::Wrong { claimed_safe: true } => (-4, -32),
            Self::Wrong {
                claimed_safe: false,
            } => (-2, -16),
            Self::Unknown => (0, 0),
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Correct { .. } => "correct",
            Self::Wrong { .. } => "WRONG",
            Self::Unknown => "unknown",
        }
    }
}

pub fn run(args: &BenchArgs) -> Result<ExitCode> {
    let mut tasks = vec![];
    collect(&args.dir, &compiler_version(), &mut tasks)?;
    if tasks.is_empty() {
        bail!(
            "no task below {}: a task is a .rs file with a line `//@ expect: safe` or `unsafe`",
            args.dir.display()
        );
    }
    tasks.sort_by(|a, b| a.file.cmp(&b.file));
    if args.vcgen == Some(VcgenChoice::All) {
        return bench_vcgen::run(&tasks, args);
    }
    if args.acceleration {
        return bench_acceleration::run(&tasks, args);
    }
    let jobs = args.jobs.unwrap_or(1).max(1);
    let next = Mutex::new(0usize);
    let results: Mutex<Vec<(usize, Category, Outcome)>> = Mutex::new(vec![]);
    let start = Instant::now();
    println!("{}", header(args.measure_scratch));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let i = {
                        let mut n = next.lock().unwrap_or_else(|e| e.into_inner());
                        *n += 1;
                        *n - 1
                    };
                    let Some(task) = tasks.get(i) else { return };
                    let outcome = execute(task, args);
                    let category = judge(task, &outcome);
                    print_row(task, category, &outcome, args.measure_scratch);
                    let mut all = results.lock().unwrap_or_else(|e| e.into_inner());
                    all.push((i, category, outcome));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(|e| e.into_inner());
    results.sort_by_key(|(i, ..)| *i);
    summarize(&tasks, &results, start.elapsed().as_millis() as u64);
    summarize_passes(&results, args.measure_scratch);
    let mut figures = as_json(&tasks, &results);
    if args.json.is_some() || args.baseline.is_some() {
        figures["yardstick_us"] = bench_compare::yardstick().into();
    }
    if let Some(baseline) = &args.baseline {
        bench_compare::compare(&figures, baseline)?;
    }
    if let Some(path) = &args.json {
        let text = serde_json::to_string_pretty(&figures)?;
        write(path, &format!("{text}\n"))?;
    }
    if args.html.is_some() || args.svg.is_some() {
        let runs = runs(args, &figures)?;
        if let Some(path) = &args.html {
            write(path, &bench_html::page(&runs))?;
        }
        if let Some(path) = &args.svg {
            write(path, &bench_plot::plot(&runs))?;
        }
    }
    let wrong = results
        .iter()
        .any(|r| matches!(r.1, Category::Wrong { .. }));
    let unknown = results.iter().any(|r| r.1 == Category::Unknown);
    Ok(if wrong {
        ExitCode::Violation
    } else if unknown {
        ExitCode::Unknown
    } else {
        ExitCode::AllSafe
    })
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// This run and those it is compared with, each under its file's name.
fn runs(args: &BenchArgs, figures: &Value) -> Result<Vec<Run>> {
    let mut runs = Vec::new();
    for path in &args.compare {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let run = Run::parse(&name, &text)
            .map_err(|what| anyhow::anyhow!("{} is no result of bench: {what}", path.display()))?;
        runs.push(run);
    }
    let name = args.json.as_deref().and_then(Path::file_stem);
    let name = name.map_or("this run".into(), |n| n.to_string_lossy());
    let run = Run::parse(&name, &figures.to_string()).map_err(anyhow::Error::msg)?;
    runs.push(run);
    Ok(runs)
}

/// `1.95.0` of the compiler that the tasks will be captured with.
fn compiler_version() -> String {
    let output = Command::new("rustc").arg("--version").output();
    let text = output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned());
    let text = text.unwrap_or_default();
    text.split_whitespace().nth(1).unwrap_or("").to_string()
}

fn collect(dir: &Path, compiler: &str, out: &mut Vec<BenchTask>) -> Result<()> {
    let entries =
        std::fs::read_dir(dir).with_context(|| format!("cannot read {}", dir.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, compiler, out)?;
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = std::fs::read_to_string(&path)?;
            let field = |name: &str| {
                text.lines()
                    .find_map(|l| l.strip_prefix("//@ ")?.strip_prefix(name))
                    .map(|v| v.trim().to_string())
            };
            let Some(expect) = field("expect:") else {
                continue;
            };
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
            // A miscompilation that this compiler does not have is an ordinary safe task.
            let listed = field("rustc:").is_none_or(|versions| {
                versions.split_whitespace().any(|v| compiler.starts_with(v))
            });
            let expect = if expect == "miscompiled" && !listed {
                "safe".to_string()
            } else {
                expect
            };
            out.push(BenchTask {
                name: stem.into_owned(),
                suite: field("suite:").unwrap_or_else(|| folder.to_string_lossy().into_owned()),
                expect,
                flags: field("flags:"),
                file: path,
            });
        }
    }
    Ok(())
}

/// The witness of a task lies as the task does: `DIR/loops/a.rs` has `OUT/loops/a.yml`.
fn witness_file(folder: &Path, dir: &Path, task: &BenchTask) -> PathBuf {
    let below = task.file.strip_prefix(dir).unwrap_or(&task.file);
    folder.join(below).with_extension("yml")
}

/// Runs one task in its own process.
fn execute(task: &BenchTask, args: &BenchArgs) -> Outcome {
    let start = Instant::now();
    let failed = |why: String, wall_ms| Outcome {
        verdict: "unknown".into(),
        reference: "unknown".into(),
        first_ms: 0,
        engine_ms: 0,
        wall_ms,
        engine: String::new(),
        passes: json!([]),
        why,
    };
    let exe = match std::env::current_exe() {
        Ok(exe) => exe,
        Err(e) => return failed(e.to_string(), 0),
    };
    // The shell sets the limits; CPU time has some slack for the compiler, memory counts address space. Proofs from
    // scratch are measured beside the run and are not to end it.
    let seconds = match args.timeout.as_secs() {
        t if args.measure_scratch => t * 20,
        t => t,
    };
    let script = format!(
        "ulimit -t {} 2>/dev/null; ulimit -v {} 2>/dev/null; exec \"$@\"",
        seconds + 15,
        args.memory * 1024
    );
    let mut command = Command::new("sh");
    command.args(["-c", &script, "sh"]);
    command.arg(exe).arg("optverify").arg(&task.file);
    command.args([
        "--message-format",
        "json",
        "--no-native",
        "--no-proof-store",
        "--timeout",
    ]);
    command.arg(format!("{}ms", args.timeout.as_millis()));
    if args.measure_scratch {
        command.arg("--measure-scratch");
    }
    for engine in &args.engine {
        command.args(["--engine", engine]);
    }
    if let Some(VcgenChoice::One(generator)) = args.vcgen {
        command.args(["--vcgen", &generator.to_string()]);
    }
    if args.refine {
        command.arg("--refine");
    }
    if let Some(folder) = &args.witnesses {
        let file = witness_file(folder, &args.dir, task);
        // one from before must not stand for this run
        let _ = std::fs::remove_file(&file);
        command.arg("--witness").arg(file);
    }
    if let Some(flags) = &task.flags {
        command.env("RUSTFLAGS", flags);
    }
    let output = match command.output() {
        Ok(output) => output,
        Err(e) => return failed(e.to_string(), 0),
    };
    let wall_ms = start.elapsed().as_millis() as u64;
    let text = String::from_utf8_lossy(&output.stdout);
    let root = text
        .lines()
        .filter_map(|l| serde_json::from_str::<Value>(l).ok())
        .find(|v| v["reason"] == "optverify-root");
    let Some(root) = root else {
        let stderr = String::from_utf8_lossy(&output.stderr);
        let last = stderr.lines().last().unwrap_or("no answer").to_string();
        return failed(format!("{} ({})", last, output.status), wall_ms);
    };
    let passes_ms = root["optimized"]["ms"].as_u64().unwrap_or(0);
    Outcome {
        verdict: text_of(&root["verdict"]),
        reference: text_of(&root["reference"]["verdict"]),
        first_ms: root["reference"]["ms"].as_u64().unwrap_or(0),
        engine_ms: root["reference"]["ms"].as_u64().unwrap_or(0) + passes_ms,
        wall_ms,
        engine: text_of(&root["reference"]["engine"]),
        passes: root["passes"].clone(),
        why: text_of(&root["why"]),
    }
}

fn text_of(v: &Value) -> String {
    v.as_str().unwrap_or_default().to_string()
}

fn judge(task: &BenchTask, outcome: &Outcome) -> Category {
    let unknown = outcome.verdict == "unknown";
    match task.expect.as_str() {
        _ if unknown => Category::Unknown,
        // The reference must be safe, the build is not.
        "miscompiled" if outcome.reference == "unsafe" => Category::Wrong {
            claimed_safe: false,
        },
        "miscompiled" if outcome.verdict == "unsafe" => Category::Correct { safe: false },
        // This compiler may not have the bug: safe is then the right answer, and cannot be told apart here.
        "miscompiled" => Category::Unknown,
        expect if expect == outcome.verdict => Category::Correct {
            safe: expect == "safe",
        },
        _ => Category::Wrong {
            claimed_safe: outcome.verdict == "safe",
        },
    }
}

fn header(scratch: bool) -> String {
    let tail = if scratch {
        "  | first proof | changed passes: adapted strengthened reverified | chain  scratch  speed-up"
    } else {
        ""
    };
    format!(
        "{:<8} {:<8} {:>8} {:>8}  {:<11} task{tail}",
        "", "verdict", "engine", "wall", "by"
    )
}

fn print_row(task: &BenchTask, category: Category, o: &Outcome, scratch: bool) {
    let style = match category {
        Category::Correct { .. } => anstyle::AnsiColor::Green.on_default(),
        Category::Wrong { .. } => anstyle::AnsiColor::Red.on_default().bold(),
        Category::Unknown => anstyle::AnsiColor::Yellow.on_default(),
    };
    let mut line = format!(
        "{style}{:<8}{style:#} {:<8} {:>5} ms {:>5} ms  {:<11} {}/{}",
        category.word(),
        o.verdict,
        o.engine_ms,
        o.wall_ms,
        o.engine,
        task.suite,
        task.name
    );
    if scratch {
        let (counts, chain, anew) = pass_figures(&o.passes);
        line += &format!(
            "  | {} ms | {} {} {} | {chain} ms  {anew} ms  {:.1}",
            o.first_ms,
            counts[0],
            counts[1],
            counts[2],
            anew as f64 / chain.max(1) as f64
        );
    }
    if !o.why.is_empty() {
        line += &format!("  {}", o.why);
    }
    anstream::println!("{line}");
}

/// (adapted, strengthened, reverified), time of the chain, time from scratch, over the passes that changed something.
/// Lowering a snapshot costs the same either way and is not counted.
fn pass_figures(passes: &Value) -> ([u64; 3], u64, u64) {
    let mut counts = [0; 3];
    let (mut chain, mut anew) = (0, 0);
    for p in passes.as_array().into_iter().flatten() {
        let number = |name: &str| p[name].as_u64().unwrap_or(0);
        let ms = number("ms").saturating_sub(number("prepare_ms"));
        match p["how"].as_str() {
            Some("adapted") => counts[0] += 1,
            Some("strengthened") => counts[1] += 1,
            Some("reverified") => counts[2] += 1,
            _ => continue,
        }
        chain += ms;
        anew += p["scratch_ms"].as_u64().unwrap_or(ms);
    }
    (counts, chain, anew)
}

fn summarize(tasks: &[BenchTask], results: &[(usize, Category, Outcome)], ms: u64) {
    let mut suites: Vec<&str> = tasks.iter().map(|t| t.suite.as_str()).collect();
    suites.sort_unstable();
    suites.dedup();
    println!();
    println!(
        "{:<18} {:>5} {:>7} {:>7} {:>5} {:>11} {:>6} {:>6}",
        "suite", "tasks", "correct", "unknown", "wrong", "median ms", "2012", "now"
    );
    type Row<'a> = (&'a str, Vec<&'a (usize, Category, Outcome)>);
    let mut rows: Vec<Row<'_>> = suites
        .iter()
        .map(|s| {
            let of = results.iter().filter(|r| tasks[r.0].suite == *s);
            (*s, of.collect())
        })
        .collect();
    if rows.len() > 1 {
        rows.push(("all", results.iter().collect()));
    }
    for (name, rows) in rows {
        let count = |f: &dyn Fn(Category) -> bool| rows.iter().filter(|r| f(r.1)).count();
        let correct = count(&|c| matches!(c, Category::Correct { .. }));
        let wrong = count(&|c| matches!(c, Category::Wrong { .. }));
        let mut times: Vec<u64> = rows.iter().map(|r| r.2.engine_ms).collect();
        times.sort_unstable();
        let median = times.get(times.len() / 2).copied().unwrap_or(0);
        let (old, new) = rows
            .iter()
            .map(|r| r.1.points())
            .fold((0, 0), |a, p| (a.0 + p.0, a.1 + p.1));
        println!(
            "{name:<18} {:>5} {correct:>7} {:>7} {wrong:>5} {median:>11} {old:>6} {new:>6}",
            rows.len(),
            rows.len() - correct - wrong
        );
    }
    println!("{} tasks in {:.1} s", results.len(), ms as f64 / 1000.0);
}

/// How proofs got through the passes, over all tasks whose reference was decided: what is not known cannot travel.
fn summarize_passes(results: &[(usize, Category, Outcome)], scratch: bool) {
    let decided = || results.iter().filter(|r| r.2.reference != "unknown");
    let mut all = [0u64; 3];
    for (_, _, o) in decided() {
        let (counts, ..) = pass_figures(&o.passes);
        for (sum, n) in all.iter_mut().zip(counts) {
            *sum += n;
        }
    }
    let changed: u64 = all.iter().sum();
    println!(
        "{changed} changed passes of decided roots: {} adapted ({:.1} %), {} strengthened, {} reverified",
        all[0],
        100.0 * all[0] as f64 / changed.max(1) as f64,
        all[1],
        all[2]
    );
    if !scratch {
        return;
    }
    let mut speed_ups = vec![];
    let mut slowest = (0.0f64, 0, 0);
    for (_, _, o) in decided() {
        let (_, chain, anew) = pass_figures(&o.passes);
        if anew == 0 {
            continue;
        }
        let ratio = chain as f64 / anew as f64;
        if ratio > slowest.0 {
            slowest = (ratio, chain, anew);
        }
        if o.first_ms > 1000 {
            speed_ups.push(1.0 / ratio.max(1e-9));
        }
    }
    let tenfold = speed_ups.iter().filter(|s| **s >= 10.0).count();
    println!(
        "first proof over one second: {} tasks, {tenfold} of them with a chain at least 10 times faster than from scratch; \
         slowest chain of all: {:.2} times scratch ({} ms, {} ms)",
        speed_ups.len(),
        slowest.0,
        slowest.1,
        slowest.2
    );
}

fn as_json(tasks: &[BenchTask], results: &[(usize, Category, Outcome)]) -> Value {
    let rows = results.iter().map(|(i, category, o)| {
        let t = &tasks[*i];
        json!({
            "task": t.name, "suite": t.suite, "expect": t.expect, "verdict": o.verdict,
            "reference": o.reference, "category": category.word(), "engine": o.engine,
            "engine_ms": o.engine_ms, "wall_ms": o.wall_ms, "passes": o.passes,
            "points_2012": category.points().0, "points": category.points().1, "why": o.why,
        })
    });
    json!({"format_version": 1, "tasks": rows.collect::<Vec<_>>()})
}
