//! What a verification says: plain owned data, the same for people, JSON and tests.
//!
//! The fields are the JSON of the design document; fields may be added, never renamed.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The answer for one program. "Wrong" and "don't know" are never merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Safe,
    Unsafe,
    Unknown,
}

impl Verdict {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Unsafe => "unsafe",
            Self::Unknown => "unknown",
        }
    }

    /// Of a whole made of parts: a violation anywhere counts, safe is only what is safe everywhere.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unsafe, _) | (_, Self::Unsafe) => Self::Unsafe,
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (Self::Safe, Self::Safe) => Self::Safe,
        }
    }
}

/// How a pass's verdict was come by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// The same program as before the pass.
    Unchanged,
    /// The proof, carried over, was already safe.
    Adapted,
    /// The proof carried over needed more lemmas.
    Strengthened,
    /// Proven from scratch.
    Reverified,
}

/// The reference program's verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReferenceReport {
    pub verdict: Verdict,
    /// The engine that decided; `stored` if the proof of last time did.
    pub engine: Option<String>,
    /// With a stored proof: whether it was of this very program, was adapted to an edit, or did not help.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub how: Option<How>,
    pub ms: u64,
    /// For unknown: the reason.
    pub why: Option<String>,
    /// The roots whose contracts stand for calls here: what is proven holds if they are safe at the same stage.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contracts: Vec<String>,
}

/// The verdict after one pass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PassReport {
    pub index: u32,
    pub name: String,
    pub verdict: Verdict,
    pub how: Option<How>,
    pub ms: u64,
    /// Of it, reading and lowering the snapshot: what a proof from scratch would cost as well.
    #[serde(default)]
    pub prepare_ms: u64,
    /// With `--measure-scratch`: a proof from scratch, preparation not counted.
    pub scratch_ms: Option<u64>,
    pub why: Option<String>,
    /// How the snapshot came to have no foreign calls: `as shipped`, `inlined`, ..
    pub closed: Option<String>,
    /// Under `--refine`, of a pass that changed the program: does it return the same?
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refines: Option<RefineReport>,
    /// As for the reference.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contracts: Vec<String>,
}

/// Does the program after a pass return what it returned before?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Same {
    Equal,
    Differs,
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RefineReport {
    pub same: Same,
    pub ms: u64,
    pub why: Option<String>,
}

/// The verdict of the program after the last pass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OptimizedReport {
    pub verdict: Verdict,
    pub how: Option<How>,
    pub ms: u64,
}

/// An execution that ends in a violation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Counterexample {
    /// Parameters by name, as Rust writes their values, in the order of the signature.
    pub inputs: serde_json::Map<String, serde_json::Value>,
    /// The values that `any()` drew, in order.
    pub any: Vec<String>,
    /// The panic's message, or what is undefined.
    pub panic: String,
    pub file: String,
    pub line: u32,
    /// 0 where it is not known.
    #[serde(default)]
    pub column: u32,
    /// Where it ends, behind the last character; 0 where it is not known.
    #[serde(default)]
    pub end_line: u32,
    #[serde(default)]
    pub end_column: u32,
    /// Did it run to its end in the concrete interpreter?
    pub replayed: bool,
    pub steps: Vec<Step>,
    /// Where it happens: `reference`, or the first pass after which it does.
    pub pass: Option<String>,
    /// The edges of the cut-point graph that it goes along, each once, by the names of their ends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<(String, String)>,
    /// The struct that a variable of the steps is, for whoever knows its fields by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub structs: BTreeMap<String, String>,
    /// Of a pass that changes the result: both results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results: Option<Results>,
}

/// What a run gives before and after a pass, as text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Results {
    pub before: String,
    pub after: String,
}

/// One thing that happens on the way, in the user's names.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Step {
    pub file: String,
    pub line: u32,
    /// 0 where it is not known.
    #[serde(default)]
    pub column: u32,
    /// What happens there: `loop entered`, `hit = true`, ..
    pub what: String,
    /// Values after it, by source name.
    pub values: BTreeMap<String, String>,
}

/// A line of MIR before and after a pass; empty where the other side has none, both empty for lines left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MirRow {
    pub before: String,
    pub after: String,
    pub changed: bool,
}

/// The pass that broke a program: what it did to the MIR of which function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BrokenPass {
    pub index: u32,
    pub name: String,
    pub mir: Vec<MirRow>,
}

/// What holds whenever control is at a loop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProofAt {
    pub file: String,
    pub line: u32,
    pub lemmas: Vec<String>,
}

/// Everything that is known about one root.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RootReport {
    pub verdict: Verdict,
    pub reference: ReferenceReport,
    pub passes: Vec<PassReport>,
    pub optimized: OptimizedReport,
    pub counterexample: Option<Counterexample>,
    /// Of a root that a pass breaks: what the pass did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken: Option<BrokenPass>,
    /// The reference's proof: lemmas at loops, in source names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proof: Vec<ProofAt>,
    /// What a person should know besides: a stored proof that could not be read, ..
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    pub why: Option<String>,
    /// What the verdict rests on besides its proof or its run (`docs/src/assumptions.md`).
    #[serde(default)]
    pub assumptions: Vec<AssumptionReport>,
    /// Of a safe root: what makes its proof say less than it seems to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vacuous: Vec<VacuousReport>,
    /// What the solver was asked, by the name of the query: all engines, certification and passes together.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub queries: BTreeMap<String, QueryReport>,
    /// All of it, in milliseconds.
    pub ms: u64,
}

/// How a proof may say nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Vacuous {
    /// No execution satisfies the assumptions.
    Excluded,
    /// No execution that gets to this assumption satisfies it.
    ExcludedHere,
    /// No execution gets to this assertion.
    Unreached,
}

/// A place at which a proof says nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VacuousReport {
    pub kind: Vacuous,
    pub file: String,
    pub line: u32,
    /// 0 where it is not known.
    #[serde(default)]
    pub column: u32,
    #[serde(default)]
    pub end_line: u32,
    #[serde(default)]
    pub end_column: u32,
}

impl VacuousReport {
    pub fn new(kind: Vacuous, at: &crate::program::SourceSpan) -> Self {
        Self {
            kind,
            file: at.file.to_string(),
            line: at.line,
            column: at.column,
            end_line: at.end.0,
            end_column: at.end.1,
        }
    }
}

/// One approximation or trusted fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssumptionReport {
    /// Stable.
    pub code: String,
    pub text: String,
    /// The functions that it speaks of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

/// The queries of one name: their answers and their price.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct QueryReport {
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    pub failed: u64,
    pub ms: f64,
    /// The solver's own count of its work, the same on every machine.
    pub resources: u64,
}

impl RootReport {
    /// Nothing could be decided, for one reason.
    pub fn unknown(why: impl Into<String>) -> Self {
        let why = why.into();
        Self {
            verdict: Verdict::Unknown,
            reference: ReferenceReport {
                verdict: Verdict::Unknown,
                engine: None,
                how: None,
                ms: 0,
                why: Some(why.clone()),
                contracts: Vec::new(),
            },
            passes: Vec::new(),
            optimized: OptimizedReport {
                verdict: Verdict::Unknown,
                how: None,
                ms: 0,
            },
            counterexample: None,
            broken: None,
            proof: Vec::new(),
            notes: Vec::new(),
            why: Some(why),
            assumptions: Vec::new(),
            vacuous: Vec::new(),
            queries: BTreeMap::new(),
            ms: 0,
        }
    }

    /// The pass that a violation is to be blamed on: the first unsafe one after a safe reference.
    pub fn guilty_pass(&self) -> Option<&PassReport> {
        if self.reference.verdict != Verdict::Safe {
            return None;
        }
        self.passes.iter().find(|p| p.verdict == Verdict::Unsafe)
    }
}

/// What happens during a verification, for progress displays and logs.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// Work on the reference begins.
    ReferenceStarted,
    ReferenceFinished(ReferenceReport),
    PassFinished(PassReport),
}
