//! Reads a proof file: claims that anybody may have written. Everything in it is checked, nothing is trusted.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

const FORMAT_VERSION: u32 = 1;
/// A larger one is not read.
const MOST_BYTES: u64 = 64 << 20;

#[derive(Deserialize)]
struct Envelope {
    format_version: u32,
    checksum: String,
    proof: String,
}

/// The proofs of one root.
#[derive(Debug, Clone, Deserialize)]
pub struct ProofFile {
    pub root: String,
    pub function: String,
    pub snapshots: Vec<Snapshot>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Snapshot {
    /// `reference`, or the pass's number.
    pub number: String,
    pub claim: Claim,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum Claim {
    Inductive {
        cuts: Vec<Cut>,
        places: Places,
    },
    /// Every run ends within so many passages of cut-points.
    Unrolled {
        engine: String,
        cuts: Vec<Cut>,
    },
    /// It is not safe: a run that ends in a violation, which is not this checker's business.
    Run {},
    None {
        why: String,
    },
}

/// The width in bits of each place that lemmas speak of; 0 is a boolean.
pub type Places = BTreeMap<String, u32>;

#[derive(Debug, Clone, Deserialize)]
pub struct Cut {
    pub at: Option<String>,
    pub statement: u32,
    pub lemmas: Vec<String>,
    #[serde(default)]
    pub left_out: BTreeMap<String, u32>,
}

/// Reads and unpacks; the error is a sentence for people.
pub fn read(file: &Path) -> Result<ProofFile, String> {
    let shown = file.display();
    let size = std::fs::metadata(file).map_err(|e| format!("no proof in {shown}: {e}"))?;
    if size.len() > MOST_BYTES {
        return Err(format!("the proof in {shown} is too large"));
    }
    let text = std::fs::read_to_string(file).map_err(|e| format!("{shown}: {e}"))?;
    parse(&text).map_err(|what| format!("the proof in {shown} {what}"))
}

pub fn parse(text: &str) -> Result<ProofFile, String> {
    let envelope: Envelope =
        serde_json::from_str(text).map_err(|e| format!("cannot be read: {e}"))?;
    if envelope.format_version != FORMAT_VERSION {
        let found = envelope.format_version;
        return Err(format!("has format {found}, not {FORMAT_VERSION}"));
    }
    if envelope.checksum != format!("{:016x}", checksum(envelope.proof.as_bytes())) {
        return Err("is damaged: its checksum is wrong".into());
    }
    serde_json::from_str(&envelope.proof).map_err(|e| format!("cannot be read: {e}"))
}

/// FNV-1a, 64 bits.
pub fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
