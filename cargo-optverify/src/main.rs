//! `cargo optverify`: proves that Rust functions cannot panic, and that rustc's optimizations keep it so.

mod capture;
mod rustflags;

use anyhow::{Context, Result, bail};
use std::path::PathBuf;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args()
        .skip_while(|a| a != "capture")
        .skip(1)
        .collect();
    let [file, flag, dir] = args.as_slice() else {
        bail!("capture FILE.rs -o DIR")
    };
    assert!(flag == "-o");
    let command = capture::single_file::command(&PathBuf::from(file), &Default::default())?;
    let request = capture::Request {
        command: &command,
        package: command.crate_name(),
        profile: "release",
        cache: &capture::single_file::cache_dir(),
    };
    match capture::capture(&request, &PathBuf::from(dir)).context("capture failed")? {
        capture::Outcome::Captured => Ok(()),
        capture::Outcome::DoesNotCompile { stderr } => {
            eprint!("{}", String::from_utf8_lossy(&stderr));
            bail!("does not compile")
        }
    }
}
