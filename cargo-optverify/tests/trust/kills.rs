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

#[test]
fn kills_at_random_points() {
    let project = Project::package("p", crate::SOURCE);
    let calm = Instant::now();
    assert_eq!(verdicts(&project.run(&JSON).messages()), expected());
    let whole = calm.elapsed().as_millis() as u64;
    let kills = if long() { 100 } else { 6 };
    let mut random = Random(7);
    let (mut hit, mut checks, mut n) = (0, 0, 0);
    // what is over before the kill comes does not count
    while hit < kills && n < kills * 5 {
        // every other one has something to build; all have something to prove
        if n % 2 == 0 {
            project.file("src/lib.rs", &format!("{}\n// {n}\n", crate::SOURCE));
        }
        if n % 3 == 0 {
            let _ = std::fs::remove_dir_all(project.path().join("target/optverify/release/proofs"));
        }
        let mut tool = project.tool(&JSON);
        tool.stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        let mut child = tool.spawn().expect("the tool starts");
        std::thread::sleep(Duration::from_millis(random.next() % (whole * 2 / 3)));
        hit += usize::from(child.try_wait().expect("its state").is_none());
        // the group: cargo, compilers and the processes of roots as well
        let group = format!("-{}", child.id());
        let _ = Command::new("kill")
            .args(["-9", "--", &group])
            .stderr(Stdio::null())
            .status();
        child.wait().expect("it ends");
        if n % 4 == 2 || hit == kills {
            let ran = project.run(&JSON);
            assert_eq!(
                verdicts(&ran.messages()),
                expected(),
                "after kill {n}: {ran:?}"
            );
            assert!(!ran.stderr.contains("ignored"), "after kill {n}: {ran:?}");
            checks += 1;
        }
        n += 1;
    }
    figure(
        "kill -9 at random points",
        format!("{n} ({hit} while running), {checks} runs after them, 0 wrong"),
    );
    assert_eq!(hit, kills, "kills came too late");
}
