//! The lowering and the interpreter against native execution: generated functions, boundary and random inputs,
//! the reference and the snapshot after every pass.

#[path = "../common/mod.rs"]
mod common;
mod expressions;
mod figures;
mod functions;
mod integers;
mod model;
mod native;
mod random;
mod scope;
mod statements;
mod types;

use figures::Figures;
use functions::{File, Function, arguments};
use model::{Judgement, judge};
use native::Ended;
use optverify_engine::capture::Capture;
use optverify_engine::pipeline::{prepare_reference, prepare_snapshot};
use optverify_engine::program::Program;
use random::Random;
use std::path::Path;
use types::{Items, Val};

/// Rustc 1.95.0 deletes comparisons whose result is still read (rust-lang/rust#158206).
const BROKEN_PASS: &str = "SimplifyComparisonIntegral";

/// A call and what both native builds made of it.
struct Call {
    arguments: Vec<Val>,
    unoptimized: Ended,
    optimized: Ended,
}

/// Generates a file, runs it natively and in the model.
fn check_file(seed: u64, functions: usize, inputs: usize) -> Figures {
    let file = File::generate(seed, functions);
    let kept = std::env::var_os("OPTVERIFY_DIFFERENTIAL_KEEP");
    let project = common::Project::empty();
    let folder = match &kept {
        Some(folder) => Path::new(folder).join(seed.to_string()),
        None => project.path().to_path_buf(),
    };
    std::fs::create_dir_all(&folder).expect("a folder");
    let (marked, program) = (folder.join("generated.rs"), folder.join("native.rs"));
    std::fs::write(&marked, file.marked()).expect("a file");
    std::fs::write(&program, native::program(&file)).expect("a file");

    let mut random = Random::new(seed ^ 0xabcd);
    let mut calls = vec![];
    for (i, f) in file.functions.iter().enumerate() {
        calls.extend((0..inputs).map(|_| (i, arguments(f, &file.items, &mut random))));
    }
    let unoptimized = native::compile(
        &program,
        "unoptimized",
        &[
            "-Copt-level=0",
            "-Zmir-opt-level=0",
            "-Coverflow-checks=off",
            "-Cdebug-assertions=off",
        ],
    );
    let optimized = native::compile(&program, "optimized", &["-O"]);
    let unoptimized = native::run(&unoptimized, &file, &calls);
    let optimized = native::run(&optimized, &file, &calls);

    let captured = folder.join("capture");
    if !captured.exists() {
        let marked = marked.display().to_string();
        let ran = project.run(&["capture", &marked, "-o", &captured.display().to_string()]);
        assert_eq!(ran.code, 0, "seed {seed}: {ran:?}");
    }
    let capture = Capture::load(&captured).expect("the capture loads");
    let mut figures = Figures::default();
    for (i, function) in file.functions.iter().enumerate() {
        let calls: Vec<Call> = calls
            .iter()
            .zip(unoptimized.iter().zip(&optimized))
            .filter(|((f, _), _)| *f == i)
            .map(|((_, arguments), (unoptimized, optimized))| Call {
                arguments: arguments.clone(),
                unoptimized: unoptimized.clone(),
                optimized: optimized.clone(),
            })
            .collect();
        let start = std::time::Instant::now();
        check_function(seed, &capture, &file.items, function, &calls, &mut figures);
        if kept.is_some() {
            let seconds = start.elapsed().as_secs_f32();
            println!(
                "seed {seed} {}: {seconds:.1} s, {} programs",
                function.name, figures.programs
            );
        }
    }
    figures
}

fn check_function(
    seed: u64,
    capture: &Capture,
    items: &Items,
    function: &Function,
    calls: &[Call],
    figures: &mut Figures,
) {
    figures.functions += 1;
    let only = std::env::var("OPTVERIFY_DIFFERENTIAL_ONLY");
    if only.is_ok_and(|only| only != function.name) {
        return;
    }
    let root = capture
        .roots()
        .iter()
        .find(|r| r.function == function.name)
        .expect("a root");
    let (prepared, crate_mir) = match prepare_reference(capture, root) {
        Ok(p) => p,
        Err(e) => return figures.refused(seed, &function.name, "reference", &e.to_string()),
    };
    let mut figure = |stage: &str, program: &Program, after_broken: bool| {
        figures.programs += 1;
        for call in calls {
            figures.executions += 1;
            match judge(program, function, items, &call.arguments, &call.unoptimized) {
                Judgement::Agrees => figures.agreed += 1,
                Judgement::Unsupported(why) => figures.unsupported(seed, &function.name, &why),
                Judgement::Differs(how) => {
                    // Behind the broken pass the compiler's own output is wrong; LLVM may do anything with it.
                    let rustcs_own = after_broken
                        && (how.contains("Undefined") || call.optimized != call.unoptimized);
                    if rustcs_own {
                        figures.compiler_bugs += 1;
                    } else {
                        figures.differs(format!(
                            "seed {seed}, {} after {stage} on {:?}: {how}",
                            function.name, call.arguments
                        ));
                    }
                }
            }
        }
    };
    let mut fingerprint = prepared.program.show();
    figure("reference", &prepared.program, false);
    let mut after_broken = false;
    let mut refused = vec![];
    for snapshot in capture.snapshots(&root.function) {
        after_broken |= snapshot.name.contains(BROKEN_PASS) && snapshot.changed;
        if !snapshot.changed {
            continue;
        }
        match prepare_snapshot(capture, root, &snapshot, &crate_mir) {
            Ok(p) => {
                let text = p.program.show();
                if text != fingerprint {
                    let broken = after_broken && capture.info.compiler.version.starts_with("1.95");
                    figure(&snapshot.name, &p.program, broken);
                    fingerprint = text;
                }
            }
            Err(e) => refused.push((snapshot.name.clone(), e.to_string())),
        }
    }
    for (stage, why) in refused {
        figures.refused(seed, &function.name, &stage, &why);
    }
}

/// Files of generated functions, checked on as many threads as there are cores.
fn check_files(seeds: std::ops::Range<u64>, functions: usize, inputs: usize) -> Figures {
    let next = std::sync::atomic::AtomicU64::new(seeds.start);
    let total = std::sync::Mutex::new(Figures::default());
    let threads = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(4);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    if seed >= seeds.end {
                        return;
                    }
                    let figures = check_file(seed, functions, inputs);
                    total.lock().expect("no thread has failed").add(figures);
                }
            });
        }
    });
    total.into_inner().expect("no thread has failed")
}

fn number(name: &str, otherwise: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.and_then(|t| t.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn generated_functions_behave_as_natively() {
    let seed = number("OPTVERIFY_DIFFERENTIAL_SEED", 1);
    let files = number("OPTVERIFY_DIFFERENTIAL_FILES", 2);
    let functions = number("OPTVERIFY_DIFFERENTIAL_FUNCTIONS", 10) as usize;
    let figures = check_files(seed..seed + files, functions, 20);
    figures.print();
    figures.assert_no_difference();
}

#[test]
#[ignore = "many minutes"]
fn many_generated_functions_behave_as_natively() {
    let seed = number("OPTVERIFY_DIFFERENTIAL_SEED", 1000);
    let figures = check_files(
        seed..seed + number("OPTVERIFY_DIFFERENTIAL_FILES", 100),
        60,
        25,
    );
    figures.print();
    figures.assert_no_difference();
}
