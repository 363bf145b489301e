//! The cube of verification condition generators (Lourenco, Frade, Nakajima, Pinto: A Generalized Approach to
//! Verification Condition Generation), on loop-free fragments of an unstructured control-flow graph.
//!
//! Four encodings of control flow times four uses of contexts. All sixteen answer the same question about a
//! `Fragment` (are all its assertions kept?) with formulas of different size and shape. The paper defines them on
//! structured programs; here `flow` finds the structure that a graph has by dominators, and on graphs of structured
//! programs the formulas are the paper's. One encoding, one file.

mod check;
mod cnf;
mod example;
mod flow;
mod fragment;
mod lean;
mod passify;
pub mod seen;
mod size;
mod sp;
mod ssa;
mod unroll;

#[cfg(test)]
mod tests;

pub use check::{Outcome, Report, check, solve};
pub use example::running_example;
pub use fragment::{Ends, Fragment, Item};
pub use passify::{Start, constants, passify, whole};
pub use size::{shared, written};
pub use unroll::unroll;

use crate::term::{Pool, Term};

/// How control flow becomes logic.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Encoding {
    /// Strongest postconditions: branches are disjunctions.
    Sp,
    /// Conditional normal form: every statement is guarded by its path condition.
    Cnf,
    /// Strongest postconditions, nested so that no context is written twice.
    Lean,
    /// Conditional normal form of static single assignments: only assumptions, assertions and joins are guarded.
    Ssa,
}

/// What an assertion may rest on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Context {
    /// What is before it.
    Partial,
    /// What is before it, and the assertions there.
    PartialAsserts,
    /// The whole fragment, once for all assertions.
    Global,
    /// The whole fragment, and the assertions before it.
    GlobalAsserts,
}

impl Context {
    pub fn is_global(self) -> bool {
        matches!(self, Context::Global | Context::GlobalAsserts)
    }

    /// Are assertions lemmas for what follows?
    pub fn keeps_asserts(self) -> bool {
        matches!(self, Context::PartialAsserts | Context::GlobalAsserts)
    }
}

/// One corner of the cube.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub struct Generator {
    pub encoding: Encoding,
    pub context: Context,
}

impl Default for Generator {
    /// The one that measures best, see the table in `docs/vc-cube.md`.
    fn default() -> Generator {
        Generator {
            encoding: Encoding::Lean,
            context: Context::Partial,
        }
    }
}

/// A formula that must be valid: `context -> goal`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Condition {
    pub context: Term,
    pub goal: Term,
}

const ENCODINGS: [(Encoding, &str); 4] = [
    (Encoding::Cnf, "cnf"),
    (Encoding::Ssa, "ssa"),
    (Encoding::Sp, "sp"),
    (Encoding::Lean, "lean"),
];

const CONTEXTS: [(Context, &str); 4] = [
    (Context::GlobalAsserts, "ga"),
    (Context::Global, "g"),
    (Context::PartialAsserts, "pa"),
    (Context::Partial, "p"),
];

impl Generator {
    /// All sixteen, in the order of the paper's table.
    pub fn all() -> Vec<Generator> {
        let mut out = vec![];
        for (encoding, _) in ENCODINGS {
            for (context, _) in CONTEXTS {
                out.push(Generator { encoding, context });
            }
        }
        out
    }

    /// The conditions that are valid together exactly if no run of the fragment violates an assertion.
    pub fn conditions(self, pool: &mut Pool, fragment: &Fragment) -> Vec<Condition> {
        match self.encoding {
            Encoding::Sp => sp::conditions(pool, fragment, self.context),
            Encoding::Cnf => cnf::conditions(pool, fragment, self.context),
            Encoding::Lean => lean::conditions(pool, fragment, self.context),
            Encoding::Ssa => ssa::conditions(pool, fragment, self.context),
        }
    }
}

impl std::fmt::Display for Generator {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let encoding = ENCODINGS.iter().find(|(e, _)| *e == self.encoding);
        let context = CONTEXTS.iter().find(|(c, _)| *c == self.context);
        let name = |x: Option<&'static str>| x.unwrap_or_default();
        let (e, c) = (name(encoding.map(|x| x.1)), name(context.map(|x| x.1)));
        f.pad(&format!("{e}-{c}"))
    }
}

impl std::str::FromStr for Generator {
    type Err = String;

    fn from_str(text: &str) -> Result<Generator, String> {
        let wrong = || {
            format!(
                "`{text}` is no generator: use ENCODING-CONTEXT, of sp, cnf, lean, ssa and p, pa, g, ga"
            )
        };
        let (e, c) = text.split_once('-').ok_or_else(wrong)?;
        let encoding = ENCODINGS.iter().find(|(_, n)| *n == e);
        let context = CONTEXTS.iter().find(|(_, n)| *n == c);
        match (encoding, context) {
            (Some((encoding, _)), Some((context, _))) => Ok(Generator {
                encoding: *encoding,
                context: *context,
            }),
            _ => Err(wrong()),
        }
    }
}
