//! OptVerify (Fedyukovich, Gurfinkel, Sharygina: Incremental Verification of Compiler Optimizations): the proof of
//! the program before a pass becomes the proof of the program after it, at the price of what the pass changed.
//!
//! Changed against the paper: cut-points are related by source line and nesting, not by equal graphs
//! (`guess_map`), so several heads of the new program may take the lemmas of one old head and new heads start
//! from `true`; variables are related by name and type first, then by columns of sampled runs that are equal or affine
//! images of each other; WeakPost is Houdini's drop of what a model refutes (Algorithm 3 as printed drops too much),
//! and before a lemma is given up, weaker forms of it are tried (`weaken`); and adaptation never decides by itself:
//! its result is certified on the whole graph like every other proof.

mod guess_map;
mod mk_ind;
mod steps;
mod sums;
mod unrolled;
mod weaken;

pub use guess_map::variables;
pub use mk_ind::representatives;
pub use unrolled::Unrolled;

use crate::program::Program;
use crate::prove::{Deadline, Lemmas, slice};
use crate::report::How;
use crate::smt::{Role, apart};
use crate::term::Var;
use crate::vc::Generator;
use std::collections::BTreeSet;

/// A proof that may travel: lemmas over the variables of a program. Nobody trusts it.
#[derive(Clone)]
pub struct Carried {
    pub program: Program,
    pub lemmas: Lemmas,
    /// Variables that the lemmas speak of where nothing reads them any more (`prove::remember`).
    pub kept: BTreeSet<Var>,
    /// What it took to find the first of them, from scratch.
    pub millis: u64,
    /// Was it certified for this program, in this process? Never of what was read from a file.
    pub shown: bool,
}

/// What is left of a proof for the next program.
#[derive(Clone)]
pub enum Proven {
    Inductive(Box<Carried>),
    Unrolled(Unrolled),
}

impl Proven {
    /// The lemmas, if it has any.
    pub fn lemmas(&self) -> Option<&Carried> {
        match self {
            Proven::Inductive(c) => Some(c),
            Proven::Unrolled(_) => None,
        }
    }

    /// What it took to find the first of it, from scratch.
    pub fn millis(&self) -> u64 {
        match self {
            Proven::Inductive(c) => c.millis,
            Proven::Unrolled(u) => u.millis,
        }
    }
}

/// A certified proof of the new program, found by adaptation.
pub struct Adapted {
    pub how: How,
    pub proof: Proven,
}

/// Tries to carry the proof over. `None`: it has to be proven (or refuted) anew.
pub fn adapt(
    before: &Proven,
    after: &Program,
    vcgen: Generator,
    deadline: &Deadline,
) -> Option<Adapted> {
    let (before, after, deadline) = (before.clone(), after.clone(), deadline.clone());
    let work = move || {
        let mut task = slice::slice(after);
        task.vcgen = vcgen;
        match &before {
            Proven::Inductive(carried) => mk_ind::mk_ind(carried, task, &deadline),
            Proven::Unrolled(bound) => unrolled::replay(bound, task, &deadline),
        }
    };
    apart(Role::Adapt, work).ok()?
}
