//! `cargo optverify explain-code OV0003`: what a code means and what helps.

use crate::cli::ExplainCodeArgs;
use crate::exit_code::ExitCode;
use crate::report::reason::Code;
use anyhow::{Result, bail};

pub fn run(args: &ExplainCodeArgs) -> Result<ExitCode> {
    let Some(id) = &args.code else {
        for code in Code::all() {
            anstream::println!("{}  {}", code.id, code.title());
        }
        return Ok(ExitCode::AllSafe);
    };
    let Some(code) = Code::find(id) else {
        bail!("there is no code `{id}`; `cargo optverify explain-code` lists them");
    };
    let title = format!("**{}**: {}", code.id, code.title());
    anstream::println!("{}\n\n{}", styled(&title), styled(code.text()));
    Ok(ExitCode::AllSafe)
}

/// What stands between two stars is bold; where colours are off, nothing is.
fn styled(text: &str) -> String {
    let bold = anstyle::Style::new().bold();
    let mut out = String::new();
    for (index, part) in text.split("**").enumerate() {
        match index % 2 {
            0 => out += part,
            _ => out += &format!("{bold}{part}{bold:#}"),
        }
    }
    out
}
