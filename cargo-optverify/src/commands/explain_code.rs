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
    anstream::println!("{}: {}\n\n{}", code.id, code.title(), code.text());
    Ok(ExitCode::AllSafe)
}
