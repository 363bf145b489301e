//! MIR as rustc prints it: syntax tree, parser, printer. Knows text, not meaning.
pub mod alloc;
pub mod ast;
pub mod constant;
mod error;
mod names;
mod parse;
mod print;
mod round_trip;
pub mod ty;

pub use ast::*;
pub use error::MirError;
pub use parse::{LenientFile, parse_bodies, parse_file, parse_path, parse_ty};
pub use round_trip::{RoundTripError, RoundTripStats, normalise, round_trip, same_code};
