//! MIR as rustc prints it: syntax tree, parser, printer. Knows text, not meaning.
pub mod alloc;
pub mod ast;
pub mod constant;
pub mod ty;

pub use ast::*;
