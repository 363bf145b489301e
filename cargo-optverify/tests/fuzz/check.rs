//! One file of random functions: settled, built in each way, run natively and through the tool, and compared.

use crate::confirm::Ended;
use crate::functions::File;
use crate::judge::{Figures, Stage, Wrong, accused, judge};
use crate::random::Random;
use crate::tool::{Profile, Verdict};
use crate::truth::{Build, Inputs, Native, Truth};
use crate::{cases, claims, common, confirm, regressions, shrink, tool, truth};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

/// Inputs of a function that panic, when what is asked is whether one does.
const ENOUGH: u64 = 100;

/// The same, when its claims are settled: what was seen to hold by then is a guess, and judged like any other.
const ENOUGH_TO_SETTLE: u64 = 1000;

pub struct Settings {
    pub profiles: &'static [Profile],
    /// Budget of the tool for one function.
    pub milliseconds: u64,
    pub size: cases::Size,
}

/// A file whose claims are settled, with what its functions are run on.
struct Settled {
    file: File,
    inputs: Vec<Inputs>,
    /// Its build as the reference of the profile release.
    reference: Native,
}

/// Compiles a file; functions that are no Rust after all are left out.
fn build(file: &mut File, folder: &Path, build: Build) -> Native {
    loop {
        let library = truth::library(file);
        match Native::build(folder, build, &library) {
            Ok(native) => return native,
            Err(why) => {
                let lines = why.split("generated.rs:").skip(1);
                let lines = lines.filter_map(|l| l.split(':').next()?.parse::<usize>().ok());
                let lines: Vec<usize> = lines.collect();
                let before = file.functions.len();
                file.functions.retain(|f| {
                    let at = library.find(&f.text).unwrap_or(0);
                    let first = library[..at].lines().count() + 1;
                    let last = first + f.text.lines().count();
                    !lines.iter().any(|l| (first..last).contains(l))
                });
                let left_out = before - file.functions.len();
                println!("{left_out} functions do not compile, e.g. {}", head(&why));
                assert!(left_out > 0, "the generated file does not compile:\n{why}");
            }
        }
    }
}

/// The first error of a compiler's many.
fn head(errors: &str) -> String {
    let lines = errors.lines().skip_while(|l| !l.starts_with("error"));
    lines.take(7).collect::<Vec<_>>().join("\n")
}

fn settled(seed: u64, count: usize, size: cases::Size, folder: &Path) -> Settled {
    let mut file = cases::file(seed, count, size);
    let native = build(&mut file, folder, Build::Reference);
    let mut random = Random::new(seed ^ 0xc1a1);
    let mut inputs: Vec<Inputs> = vec![];
    for function in &file.functions {
        inputs.push(truth::inputs(function, &file.items, &mut random));
    }
    let truths = native.run(&file, &inputs, ENOUGH_TO_SETTLE);
    let truths = truths.expect("the functions run");
    for (function, truth) in file.functions.iter_mut().zip(&truths) {
        claims::settle(function, truth, &mut random);
    }
    let names: Vec<String> = file.functions.iter().map(|f| f.name.clone()).collect();
    let reference = build(&mut file, folder, Build::Reference);
    let mut name = names.iter();
    inputs.retain(|_| {
        name.next()
            .is_some_and(|n| file.functions.iter().any(|f| f.name == *n))
    });
    Settled {
        file,
        inputs,
        reference,
    }
}

/// Generates a file, runs it natively and through the tool, and compares.
pub fn check(seed: u64, count: usize, settings: &Settings) -> Figures {
    let kept = std::env::var_os("OPTVERIFY_FUZZ_KEEP");
    let project = common::Project::empty();
    let folder = match &kept {
        Some(folder) => Path::new(folder).join(seed.to_string()),
        None => project.path().to_path_buf(),
    };
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut figures = Figures::default();
    let start = Instant::now();
    let Settled {
        mut file,
        inputs,
        reference,
    } = settled(seed, count, settings.size, &folder);
    figures.spent("settling", start.elapsed());
    let mut reference = Some(reference);
    let source = folder.join("fuzzed.rs");
    std::fs::write(&source, claims::without_fuel(&file.marked())).expect("a file");
    figures.functions = file.functions.len();
    for &profile in settings.profiles {
        let builds = match profile {
            Profile::Dev => vec![Build::Dev],
            Profile::Release => vec![Build::Reference, Build::Release],
        };
        let mut natives: Vec<(Build, Native, Vec<Truth>)> = vec![];
        let start = Instant::now();
        for b in builds {
            let built = (b == Build::Reference).then(|| reference.take()).flatten();
            let native = built.unwrap_or_else(|| build(&mut file, &folder, b));
            let truths = native.run(&file, &inputs, ENOUGH);
            let truths = truths.expect("the functions run");
            natives.push((b, native, truths));
        }
        figures.spent("native runs", start.elapsed());
        let start = Instant::now();
        let verdicts = tool::verdicts(&source, profile, settings.milliseconds);
        let verdicts = match verdicts {
            Ok(verdicts) => verdicts,
            Err(why) => {
                // the run fails at its end, with what the other files have shown
                let profile = profile.name();
                figures.wrong.push(format!("seed {seed} {profile}: {why}"));
                continue;
            }
        };
        let proving = verdicts.values().map(|v| v.spent).sum();
        figures.spent("verification", proving);
        figures.spent("capture", start.elapsed().saturating_sub(proving));
        let start = Instant::now();
        compare(
            seed,
            &file,
            profile,
            &natives,
            &verdicts,
            &folder,
            &mut figures,
        );
        figures.spent("comparison", start.elapsed());
    }
    figures
}

fn compare(
    seed: u64,
    file: &File,
    profile: Profile,
    natives: &[(Build, Native, Vec<Truth>)],
    verdicts: &BTreeMap<String, Verdict>,
    folder: &Path,
    figures: &mut Figures,
) {
    let confirmed = confirm_all(file, profile, natives, verdicts);
    for (i, function) in file.functions.iter().enumerate() {
        let Some(verdict) = verdicts.get(&function.name) else {
            let name = &function.name;
            figures
                .wrong
                .push(format!("seed {seed} {name}: no verdict"));
            continue;
        };
        figures.count(profile, verdict);
        let truth = |build: Build| {
            let native = natives.iter().find(|(b, ..)| *b == build);
            &native.expect("a build of the profile").2[i]
        };
        let first = truth(Stage::Reference.build(profile));
        figures.exhaustive += usize::from(first.complete);
        figures.panicking += usize::from(first.panicked > 0);
        let ended = confirmed.get(&i);
        match ended {
            Some(Ended::Panicked(message)) => {
                figures.confirmed += 1;
                // `index out of bounds` of the tool has numbers natively
                let said = verdict.panic.split([':', '`']).next().unwrap_or_default();
                if !message.contains(said.trim_end()) {
                    let (name, panic) = (&function.name, &verdict.panic);
                    let other = format!("seed {seed} {name}: `{panic}`, natively `{message}`");
                    figures.other_panics.push(other);
                }
            }
            _ => figures.unconfirmed += usize::from(verdict.inputs.is_some()),
        }
        if verdict.reference == "safe" && verdict.optimized == "unsafe" {
            figures.miscompiled += 1;
        }
        let Some(wrong) = judge(profile, verdict, truth, ended) else {
            continue;
        };
        if wrong == Wrong::Broken {
            let (name, why) = (&function.name, &verdict.why);
            let said = format!("seed {seed} {name} in {}: {why}", profile.name());
            figures.broken.push(said);
            continue;
        }
        let input = match wrong {
            Wrong::Safe(stage) => {
                let example = truth(stage.build(profile)).example.as_ref();
                example.map(|e| confirm::arguments(function, &file.items, e))
            }
            _ => None,
        };
        let case = shrink::Case {
            function,
            profile,
            wrong,
            input,
        };
        let said = regressions::record(seed, &case, file, verdict, folder);
        println!("WRONG {said}");
        figures.wrong.push(said);
    }
}

/// Runs the reported inputs in the builds of the stages that they accuse.
fn confirm_all(
    file: &File,
    profile: Profile,
    natives: &[(Build, Native, Vec<Truth>)],
    verdicts: &BTreeMap<String, Verdict>,
) -> BTreeMap<usize, Ended> {
    let mut confirmed = BTreeMap::new();
    for (build, native, _) in natives {
        let (mut calls, mut functions) = (vec![], vec![]);
        for (i, f) in file.functions.iter().enumerate() {
            let Some(verdict) = verdicts.get(&f.name) else {
                continue;
            };
            let here = accused(verdict).is_some_and(|s| s.build(profile) == *build);
            let inputs = verdict.inputs.as_ref().filter(|_| here);
            if let Some(call) = inputs.and_then(|inputs| confirm::call(&f.name, f, inputs)) {
                calls.push(call);
                functions.push(i);
            }
        }
        match confirm::run(native, &calls) {
            Ok(ended) => confirmed.extend(ended.into_iter().map(|(n, e)| (functions[n], e))),
            Err(why) => println!("counterexamples were not run: {}", head(&why)),
        }
    }
    confirmed
}
