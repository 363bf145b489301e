//! The tool as people and programs call it: one binary for many small files of tests, because each binary is linked anew
//! and waits for its slowest test.

mod all_functions;
mod backwards;
mod bench_report;
mod built_book;
mod capture_folder;
mod check_proof;
#[path = "../common/mod.rs"]
mod common;
mod contracts;
mod foreign_types;
mod formats;
mod gate;
mod init;
mod json;
mod new_user;
mod one_name;
mod projects;
mod replay_command;
mod single_file;
mod trust_command;
mod witness;
mod witness_limits;
