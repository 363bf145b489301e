//! Round-trips MIR files and measures the parser: `mir_round_trip [--bench] PATH..`.
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use optverify_engine::mir::{parse_file, round_trip};

fn main() {
    let mut paths: Vec<String> = std::env::args().skip(1).collect();
    let bench = paths.first().is_some_and(|first| first == "--bench");
    if bench {
        paths.remove(0);
    }
    let mut files = Vec::new();
    for path in &paths {
        collect(Path::new(path), &mut files);
    }
    if bench {
        return measure(&files);
    }
    let (mut n_bodies, mut n_failed) = (0, 0);
    for file in &files {
        let Ok(text) = std::fs::read_to_string(file) else {
            continue;
        };
        match round_trip(&text) {
            Ok(stats) => n_bodies += stats.n_bodies,
            Err(error) => {
                n_failed += 1;
                println!("{}: {error}", file.display());
            }
        }
    }
    println!(
        "{} files, {n_bodies} bodies round-trip, {n_failed} files do not",
        files.len()
    );
}

fn measure(files: &[PathBuf]) {
    let texts: Vec<String> = files
        .iter()
        .filter_map(|file| std::fs::read_to_string(file).ok())
        .collect();
    let n_bytes: usize = texts.iter().map(String::len).sum();
    let report = |what: &str, spent: Duration| {
        let rate = n_bytes as f64 / 1e6 / spent.as_secs_f64();
        println!(
            "{what}: {:.1} MB in {spent:.2?}: {rate:.0} MB/s",
            n_bytes as f64 / 1e6
        );
    };
    let start = Instant::now();
    let n_bodies: usize = texts
        .iter()
        .filter_map(|text| parse_file(text).ok())
        .map(|file| file.bodies.len())
        .sum();
    report("parse", start.elapsed());
    let start = Instant::now();
    let n_round: usize = texts.iter().filter(|text| round_trip(text).is_ok()).count();
    report("round trip", start.elapsed());
    println!(
        "{n_bodies} bodies, {n_round} of {} files round-trip",
        texts.len()
    );
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let Ok(entries) = std::fs::read_dir(path) else {
            return;
        };
        for entry in entries.flatten() {
            collect(&entry.path(), files);
        }
    } else if path.extension().is_some_and(|extension| extension == "mir") {
        files.push(path.to_path_buf());
    }
}
