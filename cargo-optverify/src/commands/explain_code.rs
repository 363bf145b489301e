//! `cargo optverify explain-code OV0003`: what a code means and what helps.

use crate::cli::ExplainCodeArgs;
use crate::exit_code::ExitCode;
use crate::report::reason::Code;
use crate::report::{human, wrap};
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
    anstream::println!("{}\n\n{}", styled(&title), styled(&wrapped(code.text())));
    Ok(ExitCode::AllSafe)
}

/// Paragraph by paragraph, at the terminal's width.
fn wrapped(text: &str) -> String {
    let paragraph = |lines: &str| {
        let words: Vec<&str> = lines.split_whitespace().collect();
        wrap::lines(&words.join(" "), human::width(), "").join("\n")
    };
    let all: Vec<String> = text.trim().split("\n\n").map(paragraph).collect();
    all.join("\n\n")
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
