//! OptVerify (Fedyukovich, Gurfinkel, Sharygina: Incremental Verification of Compiler Optimizations): the proof of
//! the program before a pass becomes the proof of the program after it, at the price of what the pass changed.
//!
//! Changed against the paper: cut-points are related by source line and nesting, not by equal graphs
//! (`guess_map`), so several heads of the new program may take the lemmas of one old head and new heads start
//! from `true`; variables are related by name and type first, then by equal columns on sampled runs; WeakPost
//! is Houdini's drop of what a model refutes (Algorithm 3 as printed drops too much); and adaptation never
//! decides by itself: its result is certified on the whole graph like every other proof.

mod guess_map;
mod mk_ind;

pub use mk_ind::{Adapted, adapt};

use crate::program::Program;
use crate::prove::Lemmas;

/// A proof that may travel: lemmas over the variables of a program. Nobody trusts it.
#[derive(Clone)]
pub struct Carried {
    pub program: Program,
    pub lemmas: Lemmas,
}
