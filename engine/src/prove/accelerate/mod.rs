//! Exact acceleration of loops over machine integers.

mod accelerator;
mod array;
mod candidates;
mod guard;
mod linear;
mod path;
mod recurrence;

#[cfg(test)]
mod examples;
#[cfg(test)]
mod tests;

pub use accelerator::{Accelerator, Exit, Precision, Refusal, accelerate};
pub use candidates::candidates;
pub use path::{Oracle, Path, Syntactic, live, restrict, split};
