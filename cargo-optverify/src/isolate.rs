//! Verifies one root in a process of its own: whatever the solver does there (a crash, all the memory, a query
//! that never ends) ends this root and nothing else.

use crate::cli::{NamedRoot, OneRootArgs};
use crate::contracts::Reports;
use crate::exit_code::ExitCode;
use crate::replay::fields;
use anyhow::{Context, Result, anyhow};
use optverify_engine::capture::{Capture, Root};
use optverify_engine::pipeline::{self, Options};
use optverify_engine::report::RootReport;
use optverify_engine::smt;
use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// Of the solver in one process: beyond this it fails, before the machine does.
const MEMORY_MB: u32 = 6000;

/// Of the address space of a whole process, stacks that are only reserved included, where the user does not say.
const ADDRESS_SPACE_MB: u32 = 12_000;

/// Terms and parsers recurse; a deep one is no reason to die.
const STACK: usize = 256 << 20;

/// Verifies the root in a child, and those whose contracts its proof uses; what goes wrong there is an unknown with its
/// reason.
pub fn verify_root(capture: &Capture, root: &Root, options: &Options) -> RootReport {
    let reports = Reports::new(|capture, r, contracts| {
        let is_asked_for = r.function == root.function;
        let export = options.export.clone().filter(|_| is_asked_for);
        let options = Options {
            contracts,
            export,
            ..options.clone()
        };
        verify_root_within(capture, r, &options, None)
    });
    reports.of(capture, root)
}

/// One root by itself, with a limit on the memory of the whole process, in MB. With `contracts` its verdict is what its own
/// proof says: `Reports` has the last word.
pub fn verify_root_within(
    capture: &Capture,
    root: &Root,
    options: &Options,
    memory: Option<u32>,
) -> RootReport {
    let command = match command(capture, root, options, memory) {
        Ok(command) => command,
        Err(why) => return RootReport::unknown(format!("cannot start the verification: {why:#}")),
    };
    // The child keeps its own time; the parent only ends one that does not.
    // Proofs from scratch, to compare, have the same time again for each pass.
    let rounds = if options.measure_scratch { 50 } else { 2 };
    let patience = options.timeout * rounds + Duration::from_secs(30);
    let mut report = supervise(command, patience);
    if let Some(counterexample) = &mut report.counterexample {
        let folder = Path::new(&capture.info.source_root);
        let source = std::fs::read_to_string(folder.join(&root.file)).unwrap_or_default();
        fields::name_all(&source, counterexample);
        fields::only_named_here(folder, counterexample);
    }
    report
}

fn command(
    capture: &Capture,
    root: &Root,
    options: &Options,
    memory: Option<u32>,
) -> Result<Command> {
    let mut command = limited(memory)?;
    command.args(["optverify", "verify-root"]);
    command.args(memory.map(|mb| format!("--memory={mb}")));
    command.args(named(capture, root)?);
    command.arg(format!("--timeout={}ms", options.timeout.as_millis()));
    command.arg(format!("--vcgen={}", options.vcgen));
    for engine in &options.engines {
        command.arg(format!("--engine={engine}"));
    }
    if options.measure_scratch {
        command.arg("--measure-scratch");
    }
    if options.refine {
        command.arg("--refine");
    }
    if options.contracts {
        command.arg("--contracts");
    }
    if let Some(store) = &options.store {
        command.arg("--proof-store").arg(store);
    }
    if let Some(file) = &options.export {
        command.arg("--export").arg(file);
    }
    Ok(command)
}

/// How a child is told which root is meant, and of which state of the capture.
pub fn named(capture: &Capture, root: &Root) -> Result<[OsString; 3]> {
    let mut roots = capture.roots().iter();
    let found = roots.position(|r| r.function == root.function && r.name == root.name);
    let index = found.ok_or_else(|| anyhow!("{} is not in its capture", root.name))?;
    let stamp = capture.stamp().to_string();
    Ok([capture.dir().into(), index.to_string().into(), stamp.into()])
}

/// The child's side of `named`.
pub fn meant(named: &NamedRoot) -> Result<(Capture, Root)> {
    let capture = Capture::load_again(&named.capture, named.stamp)?;
    let root = capture.roots().get(named.index).cloned();
    let root = root.context("no such root in the capture")?;
    Ok((capture, root))
}

/// This program again, in a process that the system gives no more memory than this.
pub fn limited(memory: Option<u32>) -> Result<Command> {
    let this = std::env::current_exe()?;
    let mb = match memory {
        Some(mb) if cfg!(unix) => mb,
        // elsewhere the limit is not to be had without asking
        None if cfg!(target_os = "linux") => ADDRESS_SPACE_MB,
        _ => return Ok(Command::new(this)),
    };
    // the shell sets the limit on the address space, and becomes the process; a lower one that is there stays
    let orders = if memory.is_some() {
        "&&"
    } else {
        "2>/dev/null;"
    };
    let script = format!("ulimit -v {} {orders} exec \"$@\"", u64::from(mb) * 1024);
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", &script, "sh"]).arg(this);
    Ok(shell)
}

fn supervise(command: Command, patience: Duration) -> RootReport {
    let report = output_of(command, patience).and_then(|text| {
        serde_json::from_str(&text).map_err(|e| format!("the verification's answer: {e}"))
    });
    report.unwrap_or_else(RootReport::unknown)
}

/// Runs the child to its end, or to the end of patience.
pub fn output_of(mut command: Command, patience: Duration) -> Result<String, String> {
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let spawned = command.spawn();
    let mut child = spawned.map_err(|e| format!("cannot start the verification: {e}"))?;
    let Some(mut output) = child.stdout.take() else {
        return Err("the verification has no output".into());
    };
    let (sender, receiver) = mpsc::channel();
    let reader = move || {
        let mut text = String::new();
        let read = output.read_to_string(&mut text).map(|_| text);
        // nobody waits any more if patience has ended
        let _ = sender.send(read);
    };
    std::thread::spawn(reader);
    let Ok(read) = receiver.recv_timeout(patience) else {
        let _ = child.kill();
        let _ = child.wait();
        return Err("the verification did not end in time and was killed".into());
    };
    let status = child.wait();
    let status = status.map_err(|e| format!("the verification was lost: {e}"))?;
    if !status.success() {
        return Err(format!(
            "the verification broke off ({status}): the solver crashed or ran out of memory"
        ));
    }
    read.map_err(|e| format!("the verification's answer: {e}"))
}

/// The child's side: `verify-root CAPTURE INDEX`, the report as JSON on standard output.
pub fn run(args: &OneRootArgs) -> Result<ExitCode> {
    smt::set_memory_limit_mb(args.memory.unwrap_or(MEMORY_MB));
    let report = match meant(&args.root) {
        Ok((capture, root)) => verify(args, capture, root)?,
        Err(why) => RootReport::unknown(format!("{why:#}")),
    };
    println!("{}", serde_json::to_string(&report)?);
    Ok(ExitCode::AllSafe)
}

fn verify(args: &OneRootArgs, capture: Capture, root: Root) -> Result<RootReport> {
    let options = Options {
        timeout: args.timeout,
        measure_scratch: args.measure_scratch,
        refine: args.refine,
        store: args.proof_store.clone(),
        export: args.export.clone(),
        engines: args.engine.clone(),
        vcgen: args.vcgen,
        contracts: args.contracts,
    };
    let work = move || {
        let report = pipeline::verify_root(&capture, &root, &options, &mut |_| {});
        // what was read may be of two programs if another capture has taken the place of this one
        match capture.is_unchanged() {
            Ok(()) => report,
            Err(why) => RootReport::unknown(why.to_string()),
        }
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work)?;
    // A bug of this tool is told as what it is.
    Ok(thread.join().unwrap_or_else(|panic| {
        let message = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        RootReport::unknown(format!("internal error of cargo-optverify: {message}"))
    }))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use optverify_engine::report::Verdict;

    fn shell(script: &str) -> RootReport {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        supervise(command, Duration::from_secs(2))
    }

    #[test]
    fn whatever_ends_the_child_is_an_unknown_with_its_reason() {
        let why = |script| {
            let report = shell(script);
            assert_eq!(report.verdict, Verdict::Unknown);
            report.why.expect("a reason")
        };
        assert!(why("kill -SEGV $$").contains("signal"));
        assert!(why("exit 3").contains("broke off"));
        assert!(why("echo '{\"verdict\":'").contains("answer"));
        assert!(why("sleep 30").contains("in time"));
    }

    #[test]
    fn a_report_comes_through_as_it_is() {
        let mut report = RootReport::unknown("for a reason");
        report.ms = 17;
        let text = serde_json::to_string(&report).expect("JSON");
        assert_eq!(shell(&format!("printf '%s' '{text}'")), report);
    }
}
