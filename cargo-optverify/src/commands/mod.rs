//! One file per command.

pub mod capture;
pub mod graph;
pub mod list;
pub mod passes;
pub mod verify;
