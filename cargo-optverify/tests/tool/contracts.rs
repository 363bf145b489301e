//! Who uses a contract depends on the root that proves it, whatever else the run verifies.

use crate::common;

use common::Project;

const METHODS: &str = r#"
use optverify::{ensures, verify};
pub struct Tree { pub depth: u32 }
impl Tree {
    #[verify]
    #[ensures(|r| *r <= 10)]
    pub fn level(&self, n: u32) -> u32 {
        if n == 0 { 0 } else { (self.level(n - 1) + self.level(n / 2) + self.depth % 3).min(10) }
    }
}
pub struct Bush { pub depth: u32 }
impl Bush {
    pub fn level(&self, n: u32) -> u32 {
        if n == 0 { 100 } else { self.level(n - 1).max(self.level(n / 2)).max(self.depth) }
    }
}
#[verify]
pub fn uses_tree(tree: Tree, n: u32) { assert!(tree.level(n) <= 10); }
#[verify]
pub fn uses_bush(bush: Bush, n: u32) { assert!(bush.level(n) <= 10); }
"#;

/// No engine proves the contract, and no run refutes it: the calls are too many.
const UNPROVEN: &str = r#"
use optverify::{ensures, verify};
#[verify]
#[ensures(|r| *r != 12345)]
pub fn mixed(n: u32) -> u32 {
    if n < 3 { n } else { mixed(n - 1).wrapping_mul(31) ^ mixed(n - 2).rotate_left(7) ^ mixed(n / 2) }
}
#[verify]
pub fn uses_mixed(n: u32) { assert!(mixed(n) != 12345); }
"#;

fn roots(project: &Project, args: &[&str]) -> Vec<serde_json::Value> {
    let args = [args, &["--message-format", "json", "--no-native"]].concat();
    let messages = project.run(&args).messages();
    let roots = messages.into_iter();
    roots.filter(|m| m["reason"] == "optverify-root").collect()
}

#[test]
fn the_root_of_a_contract_is_verified_for_who_uses_it() {
    let project = Project::empty();
    project.file("p.rs", METHODS);
    let found = roots(
        &project,
        &["p.rs", "--root", "uses_tree", "--timeout", "20s"],
    );
    let [root] = found.as_slice() else {
        panic!("one root was asked for: {found:?}");
    };
    assert_eq!(root["verdict"], "safe", "{root}");
    assert_eq!(root["reference"]["contracts"][0], "p::Tree::level");
    let assumptions = root["assumptions"].as_array().expect("a list");
    let contract = assumptions.iter().find(|a| a["code"] == "contract");
    let names = contract.expect("it is shown")["names"].to_string();
    assert!(names.contains("p::Tree::level"), "{names}");
    // a method of the same name is another
    let found = roots(
        &project,
        &["p.rs", "--root", "uses_bush", "--timeout", "20s"],
    );
    assert_eq!(found[0]["verdict"], "unsafe", "{found:?}");
    let passes = project.run(&["passes", "uses_tree", "p.rs"]);
    assert_eq!(passes.code, 0, "{passes:?}");
}

#[test]
fn a_contract_that_is_not_proven_proves_nothing() {
    let project = Project::empty();
    project.file("p.rs", UNPROVEN);
    for found in [
        roots(&project, &["p.rs", "--timeout", "2s"]),
        roots(
            &project,
            &["p.rs", "--root", "uses_mixed", "--timeout", "2s"],
        ),
    ] {
        let user = found.iter().find(|r| r["root"] == "p::uses_mixed");
        let user = user.expect("it was verified");
        assert_eq!(user["verdict"], "unknown", "{user}");
        assert_eq!(user["reference"]["verdict"], "unknown", "{user}");
        assert_eq!(user["code"], "OV0029", "{user}");
        assert!(user["assumptions"].as_array().is_some_and(Vec::is_empty));
    }
    let passes = project.run(&["passes", "uses_mixed", "p.rs", "--timeout", "2s"]);
    assert_eq!(passes.code, 2, "{passes:?}");
}
