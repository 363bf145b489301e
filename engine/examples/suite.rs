//! Proves the reference of every capture below a folder: `suite CAPTURES_DIR [TIMEOUT_SECONDS] [FILTER]`.
//! Prints verdict, engine and time beside what the task's header expects.

use optverify_engine::{capture::Capture, lower, mir, program, prove::portfolio};
use std::path::Path;
use std::time::{Duration, Instant};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let seconds = args.get(2).and_then(|s| s.parse().ok()).unwrap_or(30);
    let filter = args.get(3).cloned().unwrap_or_default();
    let mut dirs: Vec<_> = walk(Path::new(&args[1]));
    dirs.sort();
    let (mut right, mut wrong, mut unknown) = (0, 0, 0);
    for dir in dirs {
        let capture = Capture::load(&dir).expect("capture");
        for root in capture.roots() {
            if !dir.display().to_string().contains(&filter) {
                continue;
            }
            let source_text =
                std::fs::read_to_string(Path::new(&capture.info.source_root).join(&root.file))
                    .unwrap_or_default();
            let expect = source_text
                .lines()
                .find_map(|l| l.strip_prefix("//@ expect: "))
                .unwrap_or("safe")
                .replace("miscompiled", "safe");
            let start = Instant::now();
            let text = capture.reference_text(&root.function).expect("reference");
            let file = mir::parse_file(&text).expect("parse");
            let source = lower::Source::of(&capture, vec![&file]);
            let mut p = match lower::lower(&source, &root.function) {
                Ok(p) => p,
                Err(e) => {
                    println!("{} LOWER {e}", root.name);
                    unknown += 1;
                    continue;
                }
            };
            program::simplify::simplify(&mut p);
            let lowered = start.elapsed();
            let settings = portfolio::Settings {
                timeout: Duration::from_secs(seconds),
                ..Default::default()
            };
            let answer = portfolio::prove(&p, &settings);
            let verdict = answer.verdict.word();
            let mark = if verdict == expect {
                right += 1;
                "ok   "
            } else if verdict == "unknown" {
                unknown += 1;
                "?    "
            } else {
                wrong += 1;
                "WRONG"
            };
            let why = match &answer.verdict {
                optverify_engine::prove::Verdict::Unknown(r) => r.to_string(),
                _ => String::new(),
            };
            println!(
                "{mark} {verdict:8} {:10} {:>8.1?} lower {:>7.1?} {} {why}",
                answer.engine,
                start.elapsed() - lowered,
                lowered,
                root.name
            );
        }
    }
    println!("{right} right, {wrong} WRONG, {unknown} unknown");
}

fn walk(dir: &Path) -> Vec<std::path::PathBuf> {
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
