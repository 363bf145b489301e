//! The solver behind one door: named queries with budgets and four answers; nobody else imports z3.
//!
//! What is asked is QF_BV; where the bits are slow, the integers may refute it first (`integers`). Reads of array variables become constants, and functional consistency
//! (`i = j -> a[i] = a[j]`) is added lazily, for the pairs that a model violates (lazy Ackermannisation).
//! An `Unsat` is therefore final at any time, and a `Sat` is given out only when its model is consistent.
//! Assumptions are literals, never push/pop: what the solver learns survives.

mod answer;
mod apart;
mod divide;
mod eager;
mod fault;
mod float_arithmetic;
mod floats;
mod integers;
mod linear;
mod opaque;
mod polynomial;
mod products;
mod solver;
mod translate;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_floats;
#[cfg(test)]
mod tests_integers;

pub use answer::{
    Answer, Deadline, Model, QueryStats, Stats, Why, absorb_stats, answers, take_stats,
};
pub use apart::{Role, apart};
pub use solver::Solver;

/// Bounds one query: wall-clock milliseconds, and Z3's own resource count, which is the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    pub millis: u32,
    pub rlimit: u32,
}

impl Budget {
    /// Time alone; for queries that end a run anyway.
    pub fn millis(millis: u32) -> Budget {
        Budget { millis, rlimit: 0 }
    }

    /// A resource count that corresponds to about this many milliseconds, and a generous wall-clock net:
    /// the answer does not depend on how busy the machine is.
    pub fn steady(millis: u32) -> Budget {
        Budget {
            millis: millis.saturating_mul(8).max(200),
            rlimit: millis.saturating_mul(20_000),
        }
    }
}

/// Sets the process-wide ceiling of the solver's memory. A solver that meets it fails its query only.
pub fn set_memory_limit_mb(mb: u32) {
    z3::set_global_param("memory_max_size", &mb.to_string());
}

/// The version of the libz3 in use.
pub fn version() -> String {
    z3::full_version().to_string()
}
