//! `cargo optverify list`: the roots, without verifying them.

use crate::cli::{ListArgs, ListFormat};
use crate::exit_code::ExitCode;
use crate::source;
use anyhow::Result;

pub fn run(args: &ListArgs) -> Result<ExitCode> {
    let captures = source::captures(args.file.as_deref(), &args.build, &[])?;
    let mut any = false;
    for capture in &captures.list {
        for root in capture.roots() {
            any = true;
            match args.message_format {
                ListFormat::Human => {
                    anstream::println!("{}  ({}:{})", root.name, root.file, root.line)
                }
                ListFormat::Json => anstream::println!(
                    "{}",
                    serde_json::json!({
                        "reason": "optverify-listed", "format_version": 1, "package": capture.info.package,
                        "root": root.name, "file": root.file, "line": root.line, "options": root.options,
                    })
                ),
            }
        }
    }
    Ok(if any {
        ExitCode::AllSafe
    } else {
        ExitCode::Unknown
    })
}
