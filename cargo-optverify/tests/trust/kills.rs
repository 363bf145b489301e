//! kill -9 at random points, of the whole run with its compilers and solvers: the next run has the same verdicts, and
//! finds no stored proof that it cannot read.
#![cfg(unix)]

use crate::common::Project;
use crate::mutate::Random;
use crate::{expected, figure, long, verdicts};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const JSON: [&str; 4] = ["--message-format", "json", "--no-native", "--quiet"];

/// What a run has to do: everything, to build, to prove. What is fresh takes another time, so each kind has its own.
#[derive(Clone, Copy)]
enum Kind {
    Anew,
    Build,
    Prove,
}

const KINDS: [Kind; 3] = [Kind::Anew, Kind::Build, Kind::Prove];

fn prepare(project: &Project, kind: Kind, n: usize) {
    if matches!(kind, Kind::Anew | Kind::Build) {
        project.file("src/lib.rs", &format!("{}\n// {n}\n", crate::SOURCE));
    }
    if matches!(kind, Kind::Anew | Kind::Prove) {
        let proofs = project.path().join("target/optverify/release/proofs");
        let _ = std::fs::remove_dir_all(proofs);
    }
}

/// Does a process of this group prove a root?
fn is_proving(group: u32) -> bool {
    let mut look = Command::new("pgrep");
    look.args(["-g", &group.to_string(), "-f", "verify-root"]);
    let found = look.stdout(Stdio::null()).stderr(Stdio::null()).status();
    found.is_ok_and(|status| status.success())
}

/// The same as without kills, and nothing of the store is unreadable.
fn undisturbed(project: &Project, when: &str) -> Duration {
    let start = Instant::now();
    let ran = project.run(&JSON);
    assert_eq!(verdicts(&ran.messages()), expected(), "{when}: {ran:?}");
    assert!(!ran.stderr.contains("ignored"), "{when}: {ran:?}");
    start.elapsed()
}

#[test]
fn kills_at_random_points() {
    let project = Project::package("p", crate::SOURCE);
    undisturbed(&project, "at first");
    let mut whole = KINDS.map(|kind| {
        prepare(&project, kind, usize::MAX);
        undisturbed(&project, "calm")
    });
    let kills = if long() { 100 } else { 6 };
    let mut random = Random(7);
    let (mut hit, mut proving, mut checks, mut n) = (0, 0, 0, 0);
    // what is over before the kill comes does not count
    while hit < kills && n < kills * 5 {
        let kind = n % KINDS.len();
        prepare(&project, KINDS[kind], n);
        let mut tool = project.tool(&JSON);
        tool.stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        let start = Instant::now();
        let mut child = tool.spawn().expect("the tool starts");
        let point = whole[kind].mul_f64((random.next() % 1000) as f64 / 1000.0);
        std::thread::sleep(point);
        let proves = is_proving(child.id());
        if child.try_wait().expect("its state").is_none() {
            hit += 1;
            proving += usize::from(proves);
        } else {
            // this kind of run is quicker than it was
            whole[kind] = whole[kind].min(start.elapsed().mul_f64(0.9));
        }
        // the group: cargo, compilers and the processes of roots as well
        let group = format!("-{}", child.id());
        let _ = Command::new("kill")
            .args(["-9", "--", &group])
            .stderr(Stdio::null())
            .status();
        child.wait().expect("it ends");
        if n % 4 == 2 || hit == kills {
            undisturbed(&project, &format!("after kill {n}"));
            checks += 1;
        }
        n += 1;
    }
    figure(
        "kill -9 at random points of a run",
        format!(
            "{hit} while it ran ({proving} of them while it proved; {} came too late and do not count), {checks} runs \
             after them, 0 wrong",
            n - hit
        ),
    );
    assert_eq!(hit, kills, "kills came too late");
}
