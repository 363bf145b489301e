//! Stable codes for every finding and every reason of unknown: what it means, what helps
//! (`cargo optverify explain-code`).
//!
//! The engine gives a reason as a sentence; the sentence is for people and may get better, the code stays.

use optverify_engine::report::{RootReport, Vacuous, Verdict};

/// One class of reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    pub id: &'static str,
    /// Parts of the engine's sentences; the first row with one that occurs decides.
    words: &'static [&'static str],
}

/// The texts: a section per code, also a chapter of the book.
const TEXTS: &str = include_str!("reasons.md");

const fn code(id: &'static str, words: &'static [&'static str]) -> Code {
    Code { id, words }
}

/// Whole sentences of the tool first, then the constructs without a model, from the special to the general.
const CODES: &[Code] = &[
    code("OV0022", &["internal error of cargo-optverify"]),
    code("OV0021", &["internal: the answer of"]),
    code("OV0025", &["the verification"]),
    code("OV0001", &["not decided within"]),
    code("OV0002", &["no engine could decide"]),
    code("OV0020", &["the solver failed"]),
    code("OV0013", &["depends on an approximated value"]),
    code("OV0028", &["assumed total", "which is assumed to"]),
    code(
        "OV0029",
        &["rests on the contract of", "known by its contract"],
    ),
    code("OV0017", &["the target "]),
    code("OV0016", &["MIR not understood", "no MIR body named"]),
    code("OV0018", &["the program is too large", "did not settle"]),
    code(
        "OV0019",
        &[
            "the capture's file",
            "the capture in",
            "no capture in",
            "is not in the dump",
        ],
    ),
    code(
        "OV0023",
        &[
            "an impossible",
            "a text ",
            "only texts that are not valid",
            "too long to be shown",
        ],
    ),
    code(
        "OV0003",
        &[
            "whose body is not captured",
            "which does not return",
            "that does not return",
        ],
    ),
    code(
        "OV0027",
        &[
            "whose name another one has",
            "named like a crate",
            "under the names of others",
        ],
    ),
    code("OV0004", &["recursion of"]),
    code("OV0014", &["may not be initialised"]),
    code(
        "OV0012",
        &["`Drop` of", "drop of `", "a trait object dropped"],
    ),
    code("OV0011", &["coroutine", "inline assembly"]),
    code(
        "OV0010",
        &[
            "trait object",
            "function pointer",
            "a constant function",
            "that is no function",
            "a closure call",
            "a call of constant",
            "a call of a number",
            "two callees",
        ],
    ),
    code("OV0005", &["a parameter", "an arbitrary"]),
    code(
        "OV0009",
        &[
            "constant",
            "static",
            "thread-local",
            "allocation",
            "an address of unusual form",
            "an undeclared local",
        ],
    ),
    code("OV0008", &["cast", "transmute", "unsizing", "union"]),
    code(
        "OV0007",
        &[
            "a copy ",
            "a swap ",
            "memory of type",
            "bytes behind",
            "bitwise comparison",
            "comparison of byte slices",
        ],
    ),
    code("OV0015", &["discriminant", "variant"]),
    code(
        "OV0006",
        &["pointer", "address", "dereference of", "a reborrow"],
    ),
    code(
        "OV0026",
        &[
            "array",
            "slice",
            "a row ",
            "a vector ",
            "a window",
            "an element of",
            "the length of",
            "repeated",
            "nested too deeply",
        ],
    ),
    code(
        "OV0024",
        &[
            "intrinsic",
            "an atomic ",
            "` on ",
            "an rvalue without a model",
            "f16",
            "f128",
            "float",
            "with unusual arguments",
            "formatting ",
            "of an unusual shape",
            "with other arguments",
            "an aggregate",
            "the size of",
            "the alignment of",
            "a layout of",
            "the content of",
            "of unknown type",
            "of another shape",
            "scalar",
            "a variable that was never made",
            "a leaf without a variable",
        ],
    ),
    code(OTHER, &[]),
    code(PANIC, &[]),
    code(UNDEFINED, &[]),
    code(MISCOMPILED, &[]),
    code(BETWEEN, &[]),
    code(EXCLUDED, &[]),
    code(UNREACHED, &[]),
];

const OTHER: &str = "OV0099";
const PANIC: &str = "OV1001";
const UNDEFINED: &str = "OV1002";
const MISCOMPILED: &str = "OV1003";
const BETWEEN: &str = "OV1004";
const EXCLUDED: &str = "OV2001";
const UNREACHED: &str = "OV2002";

impl Code {
    /// Of an engine's sentence.
    pub fn of(why: &str) -> Self {
        let has = |code: &&Code| code.words.iter().any(|word| why.contains(word));
        let found = CODES.iter().find(has).copied();
        found.unwrap_or(code(OTHER, &[]))
    }

    /// Of what is to be said about a root; nothing for one that is safe after every pass, and not vacuously.
    pub fn of_report(report: &RootReport) -> Option<Self> {
        let id = match report.verdict {
            Verdict::Unknown => return Some(Self::of(report.why.as_deref().unwrap_or_default())),
            Verdict::Unsafe if report.guilty_pass().is_some() => MISCOMPILED,
            Verdict::Unsafe => match &report.counterexample {
                Some(c) if c.panic.starts_with("undefined behaviour") => UNDEFINED,
                _ => PANIC,
            },
            Verdict::Safe => match report.passes.iter().find(|p| p.verdict != Verdict::Safe) {
                Some(_) => BETWEEN,
                None => match report.vacuous.first()?.kind {
                    Vacuous::Excluded | Vacuous::ExcludedHere => EXCLUDED,
                    Vacuous::Unreached => UNREACHED,
                },
            },
        };
        Self::find(id)
    }

    pub fn all() -> impl Iterator<Item = Code> {
        let mut all = CODES.to_vec();
        all.sort_by_key(|code| code.id);
        all.into_iter()
    }

    pub fn find(id: &str) -> Option<Self> {
        CODES
            .iter()
            .find(|code| code.id.eq_ignore_ascii_case(id))
            .copied()
    }

    /// The whole section, without the line of its heading.
    pub fn text(self) -> &'static str {
        self.section()
            .split_once('\n')
            .map_or("", |(_, text)| text.trim())
    }

    pub fn title(self) -> &'static str {
        let line = self.section().lines().next().unwrap_or_default();
        line.trim_start_matches(self.id).trim()
    }

    /// What a person can do, in one line.
    pub fn help(self) -> String {
        let (_, help) = self
            .text()
            .split_once("**What helps:**")
            .unwrap_or_default();
        help.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn section(self) -> &'static str {
        TEXTS
            .split("## ")
            .find(|section| section.starts_with(self.id))
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_text_and_every_text_a_code() {
        for code in Code::all() {
            assert!(!code.title().is_empty(), "{code:?}");
            assert!(code.help().len() > 20, "{code:?}");
        }
        let sections = TEXTS.split("## ").skip(1).count();
        assert_eq!(sections, CODES.len());
    }

    /// The sentences that the lowering can give, as they stand in its source.
    #[test]
    fn every_construct_without_a_model_has_a_class() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/src/lower");
        let mut other = Vec::new();
        let mut seen = 0;
        for entry in std::fs::read_dir(folder).expect("the lowering's sources") {
            let text = std::fs::read_to_string(entry.expect("an entry").path()).expect("text");
            for call in text.split("gap(").skip(1) {
                let start = call
                    .trim_start()
                    .trim_start_matches("format!(")
                    .trim_start();
                let Some(sentence) = start.strip_prefix('"').and_then(|s| s.split('"').next())
                else {
                    continue;
                };
                // a sentence that is only a value, as in `f{bits}`
                let sentence = sentence.replace("f{bits}", "f16").replace("f{w}", "f16");
                let without_body = optverify_engine::lower::WITHOUT_BODY;
                let sentence = sentence.replace("{WITHOUT_BODY}", without_body);
                seen += 1;
                if Code::of(&format!("not supported: {sentence}")).id == "OV0099" {
                    other.push(sentence);
                }
            }
        }
        assert!(seen > 100, "only {seen} sentences were found");
        assert!(other.is_empty(), "no class for {other:#?}");
    }
}
