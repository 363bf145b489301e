//! One file per command.

pub mod bench;
pub mod capture;
pub mod explain;
pub mod graph;
pub mod list;
pub mod passes;
pub mod verify;
