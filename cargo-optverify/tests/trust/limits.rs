//! Sizes: a crate of many functions, a function of many blocks. Every root has a verdict, if only unknown, and no
//! process takes more memory than it may.

use crate::common::{Project, Ran};
use crate::{figure, long, verdicts};
use std::fmt::Write;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// In MB, for the address space of one process.
const MEMORY: u64 = 4000;

/// What a process tree took at most, in one process, in MB of memory that was really used.
#[derive(Default)]
struct Watch {
    peak_kb: AtomicU64,
    over: AtomicBool,
}

impl Watch {
    /// All processes below this one, looked at again and again.
    fn tree(&self, root: u32) {
        while !self.over.load(Ordering::SeqCst) {
            let mut todo = vec![root];
            while let Some(pid) = todo.pop() {
                let read = |name: &str| {
                    std::fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap_or_default()
                };
                // by thread: roots are started by several
                let tasks = std::fs::read_dir(format!("/proc/{pid}/task"));
                for task in tasks.into_iter().flatten().flatten() {
                    let children = std::fs::read_to_string(task.path().join("children"));
                    let children = children.unwrap_or_default();
                    todo.extend(
                        children
                            .split_whitespace()
                            .filter_map(|c| c.parse::<u32>().ok()),
                    );
                }
                // compilers have limits of their own
                if read("cmdline").contains("verify-root") {
                    let status = read("status");
                    let peak = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
                    let kb = peak.and_then(|l| l.split_whitespace().next()?.parse().ok());
                    self.peak_kb.fetch_max(kb.unwrap_or(0), Ordering::SeqCst);
                }
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Runs the tool, and says what its largest process of a root took, in MB.
fn watched(project: &Project, args: &[&str]) -> (Ran, u64, Duration) {
    let start = Instant::now();
    let memory = format!("--memory={MEMORY}");
    let args = [
        args,
        &[
            "--message-format",
            "json",
            "--no-native",
            "--quiet",
            &memory,
        ],
    ]
    .concat();
    let mut tool = project.tool(&args);
    let child = tool
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the tool starts");
    let (pid, watch) = (child.id(), Watch::default());
    let ran = std::thread::scope(|scope| {
        scope.spawn(|| watch.tree(pid));
        let out = child.wait_with_output().expect("it ends");
        watch.over.store(true, Ordering::SeqCst);
        Ran::of(out)
    });
    (
        ran,
        watch.peak_kb.load(Ordering::SeqCst) / 1024,
        start.elapsed(),
    )
}

/// Small functions of several kinds; one in eight calls another.
fn many_functions(n: usize) -> String {
    let mut text = String::new();
    for i in 0..n {
        let m = i % 50 + 2;
        let _ = match i % 8 {
            0 => writeln!(
                text,
                "pub fn f{i}(a: u32, b: u32) -> u32 {{ if a > {i} {{ a.wrapping_sub(b) }} else {{ b / 3 }} }}"
            ),
            1 => writeln!(
                text,
                "pub fn f{i}(a: u32) -> u32 {{ let (mut s, mut i) = (0u32, 0); while i < a % {m} {{ s = s.wrapping_add(i); i += 1; }} s }}"
            ),
            2 => writeln!(
                text,
                "pub fn f{i}(t: &[u8], i: usize) -> u8 {{ if i < t.len() {{ t[i] }} else {{ {m} }} }}"
            ),
            3 => writeln!(text, "pub fn f{i}(a: u8, b: u8) -> u8 {{ a / b.max({m}) }}"),
            4 => writeln!(
                text,
                "pub fn f{i}(a: Option<u32>) -> u32 {{ match a {{ Some(x) => x / {m}, None => {i} }} }}"
            ),
            5 => writeln!(
                text,
                "pub fn f{i}(a: u32) -> u32 {{ f{}(a, a ^ {i}) | 1 }}",
                i - 5
            ),
            6 => writeln!(
                text,
                "pub fn f{i}(a: [u16; 4], n: u8) -> u16 {{ a[(n % 4) as usize] ^ {i} }}"
            ),
            _ => writeln!(text, "pub fn f{i}(a: u32) -> u32 {{ a / (a & {i}) }}"),
        };
    }
    text
}

#[test]
fn a_crate_of_many_functions() {
    let n = if long() { 2000 } else { 40 };
    let project = Project::empty();
    project.file("many.rs", &many_functions(n));
    let (ran, peak, took) = watched(&project, &["many.rs", "--all-functions"]);
    let found = verdicts(&ran.messages());
    assert_eq!(found.len(), n, "{}", ran.stderr);
    let mut unknown = 0;
    for (name, verdict) in &found {
        let i: usize = name[1..].parse().expect("a number");
        let truth = if i % 8 == 7 { "unsafe" } else { "safe" };
        match verdict.as_str() {
            "unknown" => unknown += 1,
            other => assert_eq!(other, truth, "{name}"),
        }
    }
    assert!(
        peak < MEMORY && (peak > 0 || !cfg!(target_os = "linux")),
        "{peak} MB"
    );
    figure(
        "a crate of many functions",
        format!(
            "{n} functions, {unknown} unknown, 0 wrong, {} s, {peak} MB at most",
            took.as_secs()
        ),
    );
    assert!(unknown * 20 <= n, "{unknown} of {n} are unknown");
}

/// Two blocks for each of so many conditions.
fn many_blocks(n: usize) -> String {
    let mut text = String::from("#[optverify::verify]\npub fn big(mut x: u32, y: u32) -> u32 {\n");
    for i in 0..n / 2 {
        let _ = writeln!(
            text,
            "    if x & {} != y {{ x = x.wrapping_add({i}); }}",
            1 << (i % 20)
        );
    }
    text + "    x\n}\n"
}

#[test]
fn a_function_of_many_blocks() {
    let n = if long() { 20_000 } else { 300 };
    let project = Project::empty();
    project.file("blocks.rs", &many_blocks(n));
    let (ran, peak, took) = watched(&project, &["blocks.rs", "--timeout", "60s"]);
    let messages = ran.messages();
    let found = verdicts(&messages);
    let verdict = found.get("big").map(String::as_str);
    // no panic is in it
    assert!(matches!(verdict, Some("safe" | "unknown")), "{ran:?}");
    let why = messages[0]["why"].as_str().unwrap_or("no reason needed");
    assert!(!why.contains("internal error") && !why.is_empty(), "{why}");
    assert!(
        peak < MEMORY && (peak > 0 || !cfg!(target_os = "linux")),
        "{peak} MB"
    );
    let verdict = verdict.unwrap_or_default();
    figure(
        "a function of many blocks",
        format!(
            "{n} blocks: {verdict} ({why}), {} s, {peak} MB at most",
            took.as_secs()
        ),
    );
}
