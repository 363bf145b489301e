//! One file per command.

pub mod bench;
mod bench_acceleration;
mod bench_compare;
mod bench_vcgen;
pub mod capture;
mod certify;
pub mod check_proof;
pub mod check_witness;
pub mod explain;
pub mod explain_code;
pub mod generate;
pub mod graph;
pub mod init;
pub mod list;
pub mod passes;
pub mod replay;
pub mod verify;
