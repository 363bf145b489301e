//! Table 2 of the trace-automata paper for a folder of captures: `accelerate CAPTURES_DIR [TIMEOUT_SECONDS] [FILTER]`.
//! Each task is decided by bounded model checking alone, with acceleration, and with trace automata on top.

use optverify_engine::prove::accelerate::{self, Decision, Options};
use optverify_engine::{capture::Capture, lower, mir, program, prove};
use std::path::{Path, PathBuf};
use std::time::Instant;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let seconds: u64 = args.get(2).and_then(|s| s.parse().ok()).unwrap_or(5);
    let filter = args.get(3).cloned().unwrap_or_default();
    let only_full = args.get(4).is_some();
    let mut dirs = walk(Path::new(&args[1]));
    dirs.sort();
    for dir in dirs {
        if !dir.display().to_string().contains(&filter) {
            continue;
        }
        let Ok(capture) = Capture::load(&dir) else {
            continue;
        };
        for root in capture.roots() {
            let source = Path::new(&capture.info.source_root).join(&root.file);
            let expect = std::fs::read_to_string(source)
                .unwrap_or_default()
                .lines()
                .find_map(|l| l.strip_prefix("//@ expect: ").map(str::to_string))
                .unwrap_or_default();
            let Ok(text) = capture.reference_text() else {
                continue;
            };
            let Ok(file) = mir::parse_file(&text) else {
                continue;
            };
            let source = lower::Source::of(&capture, vec![&file]);
            let Ok(mut p) = lower::lower(&source, &root.function) else {
                println!("{}: not lowered", root.name);
                continue;
            };
            program::simplify::simplify(&mut p);
            let mut row = format!("{:<50} {expect:<8}", root.name);
            let rows: &[(bool, bool)] = if only_full {
                &[(true, true)]
            } else {
                &[(false, false), (true, false), (true, true)]
            };
            for &(acceleration, trace_automata) in rows {
                let options = Options {
                    acceleration,
                    trace_automata,
                    ..Options::default()
                };
                row += &decide(&p, options, seconds, &expect);
            }
            println!("{row}");
        }
    }
}

fn decide(p: &program::Program, options: Options, seconds: u64, expect: &str) -> String {
    let p = p.clone();
    let worker = std::thread::Builder::new()
        .stack_size(256 << 20)
        .spawn(move || {
            let start = Instant::now();
            let mut task = prove::slice::slice(p);
            let deadline = prove::Deadline::after_millis(seconds * 1000);
            let out = accelerate::run(&mut task, options, &deadline);
            let (word, why) = match &out.decision {
                Decision::Safe { .. } => ("safe", String::new()),
                Decision::Unsafe(_) => ("unsafe", String::new()),
                Decision::Unknown(r) => ("?", r.to_string()),
            };
            let why: String = why.chars().take(40).collect();
            (word, out.depth, start.elapsed(), why, out.n_accelerators)
        });
    let answer = worker.ok().and_then(|w| w.join().ok());
    match answer {
        None => " | broke".to_string(),
        Some((word, depth, took, why, n)) => {
            let mark = if word != "?" && word != expect {
                "WRONG "
            } else {
                ""
            };
            format!(" | {mark}{word:<6} d{depth:<3} a{n} {:>6.0?} {why}", took)
        }
    }
}

fn walk(dir: &Path) -> Vec<PathBuf> {
    if dir.join("capture.json").is_file() {
        return vec![dir.to_path_buf()];
    }
    let Ok(entries) = std::fs::read_dir(dir) else {
        return vec![];
    };
    entries
        .flatten()
        .filter(|e| e.path().is_dir())
        .flat_map(|e| walk(&e.path()))
        .collect()
}
