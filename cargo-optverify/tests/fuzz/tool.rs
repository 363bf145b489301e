//! What the tool says of a file: one verdict a root, read from its JSON messages.

use crate::common::Project;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Profile {
    Dev,
    Release,
}

impl Profile {
    pub fn name(self) -> &'static str {
        match self {
            Profile::Dev => "dev",
            Profile::Release => "release",
        }
    }
}

/// What the tool says of one root.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    pub overall: String,
    pub reference: String,
    pub optimized: String,
    pub engine: String,
    /// The arguments of the counterexample as Rust, and the panic that it ends in.
    pub inputs: Option<Vec<String>>,
    pub panic: String,
    /// Where the violation begins: `reference`, or a pass.
    pub pass: String,
    /// The class of the reason for an unknown.
    pub code: String,
    pub why: String,
    /// The time of its proofs.
    pub spent: Duration,
}

/// Reasons that are mistakes of the tool, whatever the program: internal errors, crashes, an answer that contradicts
/// itself.
const BROKEN: [&str; 3] = ["OV0021", "OV0022", "OV0019"];

impl Verdict {
    fn of(message: &Value) -> Verdict {
        let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
        let found = &message["counterexample"];
        let inputs = found["inputs"].as_object();
        let ms = |v: &Value, name: &str| v[name].as_u64().unwrap_or(0);
        let passes = message["passes"].as_array().into_iter().flatten();
        let passes = passes.map(|p| ms(p, "ms") + ms(p, "prepare_ms"));
        let spent = ms(&message["reference"], "ms") + passes.sum::<u64>();
        Verdict {
            overall: text(&message["verdict"]),
            reference: text(&message["reference"]["verdict"]),
            optimized: text(&message["optimized"]["verdict"]),
            engine: text(&message["reference"]["engine"]),
            inputs: inputs.map(|all| all.values().map(text).collect()),
            panic: text(&found["panic"]),
            pass: text(&found["pass"]),
            code: text(&message["code"]),
            why: text(&message["why"]),
            spent: Duration::from_millis(spent),
        }
    }

    pub fn is_broken(&self) -> bool {
        // what was late is slow, not broken
        self.overall == "unknown"
            && !self.why.contains("time is up")
            && (BROKEN.contains(&self.code.as_str()) || self.why.contains("broke off"))
    }
}

/// Runs the tool on a file, and gives the verdicts by the names of the roots inside the file.
pub fn verdicts(
    file: &Path,
    profile: Profile,
    milliseconds: u64,
) -> Result<BTreeMap<String, Verdict>, String> {
    let project = Project::empty();
    let mut tool = project.tool(&[
        &file.to_string_lossy(),
        "--message-format=json",
        "--no-native",
        "--no-proof-store",
        "--profile",
        profile.name(),
        "--timeout",
        &format!("{milliseconds}ms"),
        "-j",
        "1",
    ]);
    let output = tool.output().map_err(|e| e.to_string())?;
    let mut verdicts = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let message: Value = serde_json::from_str(line).map_err(|e| format!("{e} in {line}"))?;
        if message["reason"] == "optverify-root" {
            // `file::name`
            let root = message["root"].as_str().unwrap_or_default();
            let name = root.split_once("::").map_or(root, |(_, name)| name);
            verdicts.insert(name.to_owned(), Verdict::of(&message));
        }
    }
    if verdicts.is_empty() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(format!("no verdict ({:?}): {stderr}", output.status));
    }
    Ok(verdicts)
}

/// Which build of the tool this is: two of the same text have the same number.
pub fn identity() -> String {
    let project = Project::empty();
    let tool = project.tool(&[]);
    let bytes = std::fs::read(tool.get_program()).unwrap_or_default();
    let mut hasher = std::hash::DefaultHasher::new();
    std::hash::Hasher::write(&mut hasher, &bytes);
    format!("{:016x}", std::hash::Hasher::finish(&hasher))
}
