//! The proof store: the last proof of each root, to start from after an edit.
//!
//! A stored proof is a candidate and nothing else: it goes through the same adaptation and certification as the proof
//! of the snapshot before a pass, whatever the file says. Files are written under a temporary name and renamed, one
//! for each root as soon as it is proven: a killed run loses nothing, and of two runs at once the later one wins.
//! What cannot be read, or was written by another version, is ignored with a note.

use crate::adapt::{Carried, Proven, Unrolled};
use crate::capture::{Capture, Root};
use crate::program::cpg::CutPoint;
use crate::program::{Block, BlockId, InputShape, Program, SourceSpan, Terminator};
use crate::prove::{Lemma, Lemmas};
use crate::term::{Parts, Sort, Term, Var};
use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

const FORMAT_VERSION: u32 = 1;
/// A larger proof is faster found than read.
const MOST_BYTES: u64 = 16 << 20;

/// What is in a file: the proof as text, so that its checksum is over exactly what is read.
#[derive(Serialize, Deserialize)]
struct Envelope {
    format_version: u32,
    tool: String,
    checksum: u64,
    proof: String,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    /// Of the program that was proven.
    content: u64,
    proof: StoredProof,
}

#[derive(Serialize, Deserialize)]
enum StoredProof {
    Inductive {
        parts: Parts,
        /// How many of the variables are the program's state, in order.
        n_state: usize,
        heads: Vec<StoredHead>,
        #[serde(default)]
        kept: Vec<Var>,
        millis: u64,
    },
    Unrolled {
        engine: String,
        steps: usize,
        millis: u64,
    },
}

#[derive(Serialize, Deserialize)]
struct StoredHead {
    line: Option<u32>,
    /// Bound variables and body of each lemma.
    lemmas: Vec<(Vec<Var>, Term)>,
}

/// A proof as it was found last time.
pub struct Found {
    pub proof: Proven,
    /// Is it of exactly this program?
    pub same_program: bool,
}

/// One root's place in the store.
pub struct Slot {
    file: PathBuf,
}

fn hash(text: &impl Hash) -> u64 {
    let mut h = DefaultHasher::new();
    text.hash(&mut h);
    h.finish()
}

fn tool() -> String {
    format!("optverify {}", env!("CARGO_PKG_VERSION"))
}

/// A file of a root: a name for people, a number for the rest.
pub(super) fn file_name(root: &Root, key: u64) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = root.name.chars().map(plain).take(80).collect();
    format!("{name}-{key:016x}.json")
}

impl Slot {
    pub fn of(store: &Path, capture: &Capture, root: &Root) -> Slot {
        let info = &capture.info;
        let key = (
            &info.package,
            &info.crate_name,
            &root.name,
            &root.file,
            &info.profile.name,
            &info.target,
        );
        Slot {
            file: store.join(file_name(root, hash(&key))),
        }
    }

    /// The last proof, for a program with this fingerprint; `Err` is a note for people.
    pub fn load(&self, fingerprint: &str) -> Result<Option<Found>, String> {
        let note = |what: &str| {
            let file = self.file.display();
            format!("the stored proof {file} is ignored: {what}")
        };
        match std::fs::metadata(&self.file) {
            Err(_) => return Ok(None),
            Ok(m) if m.len() > MOST_BYTES => return Err(note("it is too large")),
            Ok(_) => {}
        }
        let text = std::fs::read_to_string(&self.file).map_err(|e| note(&e.to_string()))?;
        let envelope: Envelope =
            serde_json::from_str(&text).map_err(|_| note("it cannot be read"))?;
        if envelope.format_version != FORMAT_VERSION || envelope.tool != tool() {
            return Err(note("another version of the tool wrote it"));
        }
        if envelope.checksum != hash(&envelope.proof) {
            return Err(note("it is damaged"));
        }
        let stored: Stored =
            serde_json::from_str(&envelope.proof).map_err(|_| note("it cannot be read"))?;
        let same_program = stored.content == hash(&fingerprint);
        let proof = revive(stored.proof).ok_or_else(|| note("it is damaged"))?;
        Ok(Some(Found {
            proof,
            same_program,
        }))
    }

    /// Keeps the proof; a store that cannot be written is a note, not an error.
    pub fn save(&self, fingerprint: &str, proof: &Proven) -> Result<(), String> {
        let stored = Stored {
            content: hash(&fingerprint),
            proof: put_away(proof),
        };
        let write = || -> std::io::Result<()> {
            let proof = serde_json::to_string(&stored)?;
            let envelope = Envelope {
                format_version: FORMAT_VERSION,
                tool: tool(),
                checksum: hash(&proof),
                proof,
            };
            let text = serde_json::to_string(&envelope)?;
            let folder = self.file.parent().unwrap_or(Path::new("."));
            std::fs::create_dir_all(folder)?;
            let temporary = self.file.with_extension(format!("{}.tmp", unique()));
            // A full disk fails the first, a folder in the place of the file the second.
            std::fs::write(&temporary, text)
                .and_then(|()| std::fs::rename(&temporary, &self.file))
                .inspect_err(|_| drop(std::fs::remove_file(&temporary)))
        };
        write().map_err(|e| {
            format!(
                "the proof could not be stored in {}: {e}",
                self.file.display()
            )
        })
    }
}

/// A name that no other thread and no other process has.
fn unique() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{}-{n}", std::process::id())
}

fn put_away(proof: &Proven) -> StoredProof {
    let carried = match proof {
        Proven::Inductive(c) => c,
        Proven::Unrolled(u) => {
            return StoredProof::Unrolled {
                engine: u.engine.to_string(),
                steps: u.steps,
                millis: u.millis,
            };
        }
    };
    let program = &carried.program;
    let all: Vec<&Lemma> = carried.lemmas.values().flatten().collect();
    let roots: Vec<Term> = all.iter().map(|l| l.body).collect();
    let mut first = program.vars.clone();
    for l in &all {
        first.extend(&l.bound);
    }
    let (parts, renamed) = Parts::of(&program.pool, &first, &roots);
    let mut heads = vec![];
    for (at, lemmas) in &carried.lemmas {
        let CutPoint::Head(b) = at else { continue };
        let lemma = |l: &Lemma| {
            let bound = l.bound.iter().map(|v| renamed.vars[v]).collect();
            (bound, renamed.terms[&l.body])
        };
        heads.push(StoredHead {
            line: program.block(*b).span.as_ref().map(|s| s.line),
            lemmas: lemmas.iter().map(lemma).collect(),
        });
    }
    StoredProof::Inductive {
        parts,
        n_state: program.vars.len(),
        heads,
        kept: carried.kept.iter().map(|v| renamed.vars[v]).collect(),
        millis: carried.millis,
    }
}

/// No proof of ours was unrolled further.
const MOST_STEPS: usize = 100_000;

/// The proof over a program of which only names and lines are left: enough to guess what became of them.
fn revive(stored: StoredProof) -> Option<Proven> {
    let (parts, n_state, heads, kept, millis) = match stored {
        StoredProof::Inductive {
            parts,
            n_state,
            heads,
            kept,
            millis,
        } => (parts, n_state, heads, kept, millis),
        StoredProof::Unrolled {
            engine,
            steps,
            millis,
        } => {
            let engine = ["bmc", "accelerate", crate::prove::exhaust::NAME]
                .into_iter()
                .find(|e| *e == engine)?;
            return Some(Proven::Unrolled(Unrolled {
                engine,
                // a forged bound must not use up the time of the root
                steps: steps.min(MOST_STEPS),
                millis,
            }));
        }
    };
    let (n_vars, n_terms) = (parts.n_vars(), parts.n_terms());
    if n_state > n_vars {
        return None;
    }
    let pool = parts.pool(n_state)?;
    let mut lemmas = Lemmas::new();
    let mut blocks = vec![];
    for (i, head) in heads.into_iter().enumerate() {
        blocks.push(Block {
            stmts: vec![],
            terminator: Terminator::Blocked,
            span: head.line.map(|line| SourceSpan {
                file: "".into(),
                line,
                column: 0,
                end: (0, 0),
            }),
            origin: Default::default(),
        });
        let at = lemmas.entry(CutPoint::Head(BlockId(i as u32))).or_default();
        for (bound, body) in head.lemmas {
            let is_lemma = bound.iter().all(|v| (v.0 as usize) < n_vars)
                && (body.0 as usize) < n_terms
                && pool.sort(body) == Sort::Bool;
            if !is_lemma {
                return None;
            }
            at.push(Lemma { bound, body });
        }
    }
    // The entry; no run gets anywhere in this program.
    let entry = BlockId(blocks.len() as u32);
    blocks.push(Block {
        stmts: vec![],
        terminator: Terminator::Blocked,
        span: None,
        origin: Default::default(),
    });
    Some(Proven::Inductive(Box::new(Carried {
        program: Program {
            pool,
            name: "a stored proof".into(),
            blocks,
            entry,
            stops: vec![],
            vars: (0..n_state as u32).map(Var).collect(),
            inputs: vec![],
            source_names: vec![],
            draw_kinds: vec![],
            requires: vec![],
            outputs: vec![],
            returned: InputShape::Tuple(vec![]),
        },
        lemmas,
        // one that is no variable is a name of nothing
        kept: kept.into_iter().collect(),
        millis,
        shown: false,
    })))
}

#[cfg(test)]
mod tests;
