//! The compiler-free core: MIR text -> program -> verification conditions -> proofs -> adapted proofs.
pub mod adapt;
pub mod assumption;
pub mod capture;
pub mod lower;
pub mod mir;
pub mod pipeline;
pub mod program;
pub mod prove;
pub mod refine;
pub mod report;
pub mod smt;
pub mod term;
pub mod vc;
