//! The lowering and the interpreter against native execution: generated functions and functions of real crates,
//! boundary and random inputs, the reference and the snapshot after every pass.

#[path = "../common/mod.rs"]
mod common;
mod corpus;
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
use optverify_engine::program::Texts;
use random::Random;
use std::path::Path;
use types::{Items, Val};

/// Without the pass that is broken in rustc 1.95.0 (rust-lang/rust#158206): its output is not the compiler's to match.
const TOOL_FLAGS: &str = "-Zmir-enable-passes=-SimplifyComparisonIntegral";

/// The build that is the truth: no optimization of rustc's or LLVM's.
const NATIVE_FLAGS: [&str; 4] = [
    "-Copt-level=0",
    "-Zmir-opt-level=0",
    "-Coverflow-checks=off",
    "-Cdebug-assertions=off",
];

/// Generates a file, runs it natively and in the model.
fn check_generated(seed: u64, functions: usize, inputs: usize) -> Figures {
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
    let binary = native::compile(&program, &NATIVE_FLAGS);
    let captured = folder.join("capture");
    if !captured.exists() {
        let [from, to] = [&marked, &captured].map(|p| p.display().to_string());
        run(&project, &["capture", &from, "-o", &to]);
    }
    check_file(seed, &file, &binary, &captured, inputs)
}

/// The functions of real crates, in a project that depends on them.
fn check_corpus(seed: u64, inputs: usize) -> Figures {
    let file = corpus::file();
    let project = common::Project::package("corpus", &file.marked());
    project.file("Cargo.toml", &common::manifest("corpus", corpus::CRATES));
    project.file("src/main.rs", &native::program(&file));
    let binary = native::build(project.path(), "corpus", &NATIVE_FLAGS);
    run(&project, &["list", "--lib"]);
    check_file(seed, &file, &binary, &project.captured(), inputs)
}

/// The tool on its way to a capture.
fn run(project: &common::Project, args: &[&str]) {
    let mut tool = project.tool(args);
    tool.env("RUSTFLAGS", TOOL_FLAGS)
        .env("RUSTC_BOOTSTRAP", "1");
    let output = tool.output();
    let ran = common::Ran::of(output.expect("the tool runs"));
    assert_eq!(ran.code, 0, "{args:?}: {ran:?}");
}

/// Runs every function of a file natively, and in the model of its reference and of every changed snapshot.
fn check_file(seed: u64, file: &File, binary: &Path, captured: &Path, inputs: usize) -> Figures {
    let mut random = Random::new(seed ^ 0xabcd);
    let mut calls = vec![];
    for (i, f) in file.functions.iter().enumerate() {
        calls.extend((0..inputs).map(|_| (i, arguments(f, &file.items, &mut random))));
    }
    let ended = native::run(binary, file, &calls);
    let capture = Capture::load(captured).expect("the capture loads");
    let only = std::env::var("OPTVERIFY_DIFFERENTIAL_ONLY").ok();
    let mut figures = Figures::default();
    for (i, function) in file.functions.iter().enumerate() {
        if only.as_ref().is_some_and(|only| *only != function.name) {
            continue;
        }
        let calls: Vec<(&[Val], &Ended)> = calls
            .iter()
            .zip(&ended)
            .filter(|((f, _), _)| *f == i)
            .map(|((_, arguments), ended)| (arguments.as_slice(), ended))
            .collect();
        check_function(seed, &capture, &file.items, function, &calls, &mut figures);
    }
    figures
}

fn check_function(
    seed: u64,
    capture: &Capture,
    items: &Items,
    function: &Function,
    calls: &[(&[Val], &Ended)],
    figures: &mut Figures,
) {
    figures.functions += 1;
    let mut roots = capture.roots().iter();
    let root = roots.find(|r| r.function == function.name);
    let root = root.expect("a root");
    let (prepared, crate_mir) = match prepare_reference(capture, root, Texts::AnyBytes) {
        Ok(p) => p,
        Err(e) => return figures.refused(seed, &function.name, "reference", &e.to_string()),
    };
    let check = |stage: &str, program: &Program, figures: &mut Figures| {
        figures.programs += 1;
        for (arguments, ended) in calls {
            figures.executions += 1;
            match judge(program, function, items, arguments, ended) {
                Judgement::Agrees => figures.agreed += 1,
                Judgement::Unsupported(why) => figures.unsupported(seed, &function.name, &why),
                Judgement::Differs(how) => {
                    let call = format!("on {arguments:?}: {how}");
                    figures.differs(seed, &function.name, stage, call);
                }
            }
        }
    };
    let mut shown = prepared.program.show();
    check("reference", &prepared.program, figures);
    for snapshot in capture.snapshots(&root.function).expect("snapshots") {
        if !snapshot.changed {
            continue;
        }
        match prepare_snapshot(capture, root, &snapshot, &crate_mir, Texts::AnyBytes) {
            Ok(p) => {
                let text = p.program.show();
                if text != shown {
                    check(&snapshot.name, &p.program, figures);
                    shown = text;
                }
            }
            Err(e) => figures.refused(seed, &function.name, &snapshot.name, &e.to_string()),
        }
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
                    let figures = check_generated(seed, functions, inputs);
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
fn functions_of_real_crates_behave_as_natively() {
    let seed = number("OPTVERIFY_DIFFERENTIAL_SEED", 1);
    let figures = check_corpus(seed, number("OPTVERIFY_DIFFERENTIAL_INPUTS", 20) as usize);
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
