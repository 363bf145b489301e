//! Backwards: the reference has no proof but that of the optimized program, carried against the passes.

use crate::common::Project;

const LOOPS: &str = "use optverify::verify;

#[verify]
fn moved(n: u32) {
    let (mut x, mut y) = (n, 0u32);
    while x > 0 { x -= 1; y += 1; }
    assert!(y == n);
}

#[verify]
fn lost(n: u32) {
    let (mut x, mut y) = (n, 0u32);
    while x > 0 { x -= 1; if x != 7 { y += 1; } }
    assert!(y == n);
}

#[verify]
fn inside(bytes: &[u8]) -> u32 {
    let mut sum = 0u32;
    let mut i = 0;
    while i < bytes.len() { sum = sum.wrapping_add(bytes[i] as u32); i += 1; }
    sum
}

#[verify]
fn outside(bytes: &[u8]) -> u32 {
    let mut sum = 0u32;
    let mut i = 0;
    while i <= bytes.len() { sum = sum.wrapping_add(bytes[i] as u32); i += 1; }
    sum
}
";

#[test]
fn the_proof_of_the_optimized_program_proves_the_reference() {
    let project = Project::empty();
    project.file("loops.rs", LOOPS);
    let ran = project.run(&[
        "loops.rs",
        "--engine",
        "backwards",
        "--message-format",
        "json",
        "--no-native",
    ]);
    let mut roots = vec![];
    for message in ran.messages() {
        if message["reason"] == "optverify-root" {
            let name = message["root"].as_str().unwrap_or_default().to_string();
            roots.push((name, message));
        }
    }
    assert_eq!(roots.len(), 4, "{ran:?}");
    for (name, root) in roots {
        let reference = &root["reference"];
        if ["moved", "inside"].iter().any(|safe| name.ends_with(safe)) {
            assert_eq!(root["verdict"], "safe", "{root}");
            assert_eq!(reference["engine"], "backwards", "{root}");
            assert_eq!(reference["how"], "adapted", "{root}");
        } else {
            assert_ne!(root["verdict"], "safe", "{root}");
            assert_ne!(reference["verdict"], "safe", "{root}");
        }
    }
}
