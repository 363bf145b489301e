//! Proofs for others: the cut-points and lemmas of every proven snapshot, as SMT-LIB terms over MIR places.
//!
//! What is written here is a claim, made for a checker that shares no code with the engines. A lemma over something
//! that MIR has no name for (the heap, pointer targets, a value that no run looks at any more) is left out and
//! counted. The format is described in the book (`proof-files.md`); nothing in this tool reads it but the checker.

use super::rerun::RunValues;
use super::{smt_lib, store};
use crate::adapt::Proven;
use crate::capture::{Capture, Root};
use crate::program::cpg::CutPoint;
use crate::program::liveness::Liveness;
use crate::program::texts::of_inputs;
use crate::program::wto::Wto;
use crate::program::{BlockId, MirPoint, Program};
use crate::prove::{Counterexample, Lemma};
use crate::term::{Sort, Term, Var};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

pub const FORMAT_VERSION: u32 = 1;

#[derive(Serialize)]
struct Envelope {
    format_version: u32,
    tool: String,
    /// FNV-1a over the bytes of `proof`, in hexadecimal.
    checksum: String,
    proof: String,
}

/// The proofs of one root.
#[derive(Serialize)]
pub struct Exported {
    root: String,
    function: String,
    snapshots: Vec<Snapshot>,
}

#[derive(Serialize)]
struct Snapshot {
    /// `reference`, or the pass's number: `3-2-016`.
    number: String,
    name: String,
    claim: Claim,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
enum Claim {
    Inductive {
        cuts: Vec<Cut>,
        /// The width in bits of each place that lemmas speak of; 0 is a boolean.
        places: BTreeMap<String, u32>,
    },
    Unrolled {
        engine: String,
        steps: usize,
        cuts: Vec<Cut>,
    },
    /// Not safe: a run that ends in a violation, for `rerun`.
    Run(RunValues),
    None {
        why: String,
    },
}

#[derive(Serialize)]
struct Cut {
    /// `bb4/bb1`: block 1 of the function that block 4 of the root calls. Nothing if MIR has no such point.
    at: Option<String>,
    /// Before this statement; past the last one: before the terminator.
    statement: u32,
    lemmas: Vec<String>,
    /// Why lemmas are missing, each reason once with its number.
    left_out: BTreeMap<String, u32>,
}

impl Exported {
    pub fn new(root: &Root) -> Exported {
        Exported {
            root: root.name.clone(),
            function: root.function.clone(),
            snapshots: vec![],
        }
    }

    /// The proof of this program, which may have been found for an equal one (of the same fingerprint); or the run
    /// that refutes it.
    pub fn add(
        &mut self,
        number: &str,
        name: &str,
        program: &Program,
        proof: Option<&Proven>,
        refuted: Option<&(Program, Counterexample)>,
    ) {
        let claim = match proof {
            None => match refuted {
                Some((of, run)) => Claim::Run(RunValues::of(of, run)),
                None => Claim::None {
                    why: "it is not proven safe".into(),
                },
            },
            // The checker's texts are any bytes.
            Some(_) if !of_inputs(&program.inputs).is_empty() => Claim::None {
                why: "the proof rests on texts being valid UTF-8".into(),
            },
            Some(Proven::Unrolled(u)) => Claim::Unrolled {
                engine: u.engine.to_string(),
                steps: u.steps,
                cuts: Writer::of(program, program).cuts(|_| vec![]),
            },
            Some(Proven::Inductive(c)) => {
                let cuts = Writer::of(program, &c.program).cuts(|b| {
                    let lemmas = c.lemmas.get(&CutPoint::Head(b));
                    lemmas.cloned().unwrap_or_default()
                });
                let places = places(program, &cuts);
                Claim::Inductive { cuts, places }
            }
        };
        self.snapshots.push(Snapshot {
            number: number.to_string(),
            name: name.to_string(),
            claim,
        });
    }

    pub fn add_unproven(&mut self, number: &str, name: &str, why: &str) {
        self.snapshots.push(Snapshot {
            number: number.to_string(),
            name: name.to_string(),
            claim: Claim::None { why: why.into() },
        });
    }

    /// Complete or not at all: written beside, then renamed.
    pub fn write(&self, file: &Path) -> std::io::Result<()> {
        let proof = serde_json::to_string(self)?;
        let envelope = Envelope {
            format_version: FORMAT_VERSION,
            tool: format!("optverify {}", env!("CARGO_PKG_VERSION")),
            checksum: format!("{:016x}", checksum(proof.as_bytes())),
            proof,
        };
        let folder = file.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let temporary = file.with_extension(format!("{}.tmp", std::process::id()));
        std::fs::write(&temporary, serde_json::to_string(&envelope)?)?;
        std::fs::rename(&temporary, file).inspect_err(|_| drop(std::fs::remove_file(&temporary)))
    }
}

/// Where the proofs of a root are, in a folder for many.
pub fn proof_file(folder: &Path, capture: &Capture, root: &Root) -> PathBuf {
    let info = &capture.info;
    let key = format!(
        "{}|{}|{}|{}|{}|{}",
        info.package, info.crate_name, root.name, root.file, info.profile.name, info.target
    );
    folder.join(store::file_name(root, checksum(key.as_bytes())))
}

/// FNV-1a, 64 bits: against damage, not against malice. A proof needs no trust.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Writes lemmas over `proven`'s variables as lemmas over the places of `program`.
struct Writer<'a> {
    program: &'a Program,
    proven: &'a Program,
    live: Liveness,
    /// From variables of `proven` to those of `program`.
    same: HashMap<Var, Var>,
}

impl<'a> Writer<'a> {
    fn of(program: &'a Program, proven: &'a Program) -> Writer<'a> {
        let (from, to) = (proven.numbered_vars(), program.numbered_vars());
        Writer {
            program,
            proven,
            live: Liveness::of(program),
            same: from.into_iter().zip(to).collect(),
        }
    }

    fn cuts(&self, lemmas: impl Fn(BlockId) -> Vec<Lemma>) -> Vec<Cut> {
        let heads = Wto::of(self.program).heads();
        heads
            .into_iter()
            .map(|head| self.cut(head, &lemmas(head)))
            .collect()
    }

    fn cut(&self, head: BlockId, lemmas: &[Lemma]) -> Cut {
        let origin = &self.program.block(head).origin;
        let mut cut = Cut {
            at: origin.at.as_ref().map(point),
            statement: origin.at.as_ref().map_or(0, |p| p.statement),
            lemmas: vec![],
            left_out: BTreeMap::new(),
        };
        for (var, value) in &origin.known {
            // Initialisation is the checker's own business, and so are pointers that never change.
            let name = &self.program.pool.var_info(*var).origin;
            let Some(name) = name.as_deref().filter(|n| !n.ends_with("#init")) else {
                continue;
            };
            match smt_lib::known(&self.program.pool, *var, name, *value) {
                Ok(text) => cut.lemmas.push(text),
                Err(why) => *cut.left_out.entry(why).or_default() += 1,
            }
        }
        for lemma in lemmas {
            match self.lemma(head, lemma) {
                Ok(text) => cut.lemmas.push(text),
                Err(why) => *cut.left_out.entry(why).or_default() += 1,
            }
        }
        cut
    }

    fn lemma(&self, head: BlockId, lemma: &Lemma) -> Result<String, String> {
        let pool = &self.proven.pool;
        let mut names: HashMap<Var, String> = HashMap::new();
        let body: Term = lemma.body;
        for var in pool.free_vars(&[body]) {
            if lemma.bound.contains(&var) {
                continue;
            }
            let here = self.same.get(&var).ok_or("a variable without a place")?;
            // Writes of values that nobody reads are dropped from the program, not from MIR.
            if !self.live.is_live_in(head, *here) {
                return Err("a value that no run looks at any more".into());
            }
            let origin = self.program.pool.var_info(*here).origin.clone();
            names.insert(var, origin.ok_or("a variable without a place")?.to_string());
        }
        smt_lib::lemma(pool, &lemma.bound, body, &names)
    }
}

/// The places that the lemmas speak of.
fn places(program: &Program, cuts: &[Cut]) -> BTreeMap<String, u32> {
    let lemmas = cuts.iter().flat_map(|c| &c.lemmas);
    // Every second part of a text that is cut at bars stands between two of them.
    let spoken: BTreeSet<&str> = lemmas
        .flat_map(|l| l.split('|').skip(1).step_by(2))
        .collect();
    let mut out = BTreeMap::new();
    for var in (0..program.pool.n_vars() as u32).map(Var) {
        let info = program.pool.var_info(var);
        let width = match info.sort {
            Sort::Bool => 0,
            Sort::Bv(w) => w,
            Sort::Array { elem, .. } => elem,
        };
        if let Some(origin) = info.origin.as_deref().filter(|o| spoken.contains(o)) {
            out.insert(origin.to_string(), width);
        }
    }
    out
}

fn point(point: &MirPoint) -> String {
    let calls = point.calls.iter().chain([&point.block]);
    let blocks: Vec<String> = calls.map(|b| format!("bb{b}")).collect();
    blocks.join("/")
}
