//! Marks Rust functions for `cargo optverify`, which proves that they cannot panic, also after rustc's
//! optimizations.
//!
//! ```
//! use optverify::verify;
//!
//! #[verify]
//! fn count_up_down(n: u32) {
//!     let (mut x, mut y) = (n, 0u32);
//!     while x > 0 {
//!         x -= 1;
//!         y += 1;
//!     }
//!     assert!(y == n);
//! }
//! # count_up_down(7);
//! ```
//!
//! In an ordinary build `#[verify]` changes nothing. [`any`] outside verification reads a
//! [replay] script, so that a counterexample becomes a unit test.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod any;
mod any_of_std;
pub mod nondet;
#[cfg(feature = "std")]
pub mod replay;

pub use any::{any, Any};
pub use optverify_macros::{ensures, requires, verify, Any};

/// Restricts verification to the executions in which `condition` holds.
///
/// Outside verification a condition that does not hold ends the replay: its inputs are no
/// counterexample.
#[inline(always)]
#[track_caller]
pub fn assume(condition: bool) {
    if !condition {
        nondet::assume_failed()
    }
}

/// Gives the closure of `#[ensures]` its parameter's type.
#[doc(hidden)]
#[inline(always)]
pub fn postcondition<T, F: FnOnce(&T) -> bool>(returned: &T, condition: F) -> bool {
    condition(returned)
}
