//! Questions to solvers: Z3 in this process, in a fresh context each time, and another one as a program of its own.

use crate::term::{Script, Term};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Unsat,
    Sat,
    /// No answer, and why.
    Unknown(String),
}

/// A second opinion: a program that reads SMT-LIB from its standard input.
#[derive(Clone, Debug)]
pub struct Second {
    pub program: PathBuf,
    args: Vec<&'static str>,
}

impl Second {
    /// `OPTVERIFY_SECOND_SOLVER`, or else bitwuzla or cvc5 on the path. An empty variable wants none.
    pub fn find() -> Option<Second> {
        let known = |program: PathBuf| {
            let name = program
                .file_stem()
                .map(|n| n.to_string_lossy().into_owned());
            let args = match name.as_deref() {
                Some("cvc5") => vec!["--lang=smt2", "--arrays-exp", "-"],
                _ => vec![],
            };
            Second { program, args }
        };
        if let Some(set) = std::env::var_os("OPTVERIFY_SECOND_SOLVER") {
            return (!set.is_empty()).then(|| known(set.into()));
        }
        let path = std::env::var_os("PATH")?;
        let mut folders = std::env::split_paths(&path);
        folders.find_map(|folder| {
            let candidates = ["bitwuzla", "cvc5"].map(|name| folder.join(name));
            candidates.into_iter().find(|c| c.is_file()).map(known)
        })
    }

    pub fn ask(&self, query: &Query, timeout: Duration) -> Answer {
        let text = format!("(set-logic ALL)\n{}(check-sat)\n", query.text);
        let spawned = Command::new(&self.program)
            .args(&self.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut child = match spawned {
            Ok(child) => child,
            Err(e) => return Answer::Unknown(format!("{}: {e}", self.program.display())),
        };
        let (Some(mut input), Some(mut output)) = (child.stdin.take(), child.stdout.take()) else {
            return Answer::Unknown("the second solver has no input".into());
        };
        let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            let mut text = String::new();
            let _ = output.read_to_string(&mut text);
            let _ = sender.send(text);
        });
        let answer = receiver.recv_timeout(timeout);
        let _ = child.kill();
        let _ = child.wait();
        let _ = writer.join();
        let Ok(answer) = answer else {
            return Answer::Unknown("the second solver took too long".into());
        };
        match answer.split_whitespace().next() {
            Some("unsat") => Answer::Unsat,
            Some("sat") => Answer::Sat,
            other => Answer::Unknown(format!(
                "the second solver: {}",
                other.unwrap_or("no answer")
            )),
        }
    }
}

/// A script with its assertions.
pub struct Query {
    text: String,
    assertions: usize,
}

impl Query {
    /// Can one of these be, given what the script assumes?
    pub fn any_of(script: &Script, conditions: &[&Term]) -> Query {
        let mut text = script.text.clone();
        for a in &script.assumptions {
            text.push_str(&format!("(assert {})\n", a.text));
        }
        let all: Vec<&str> = conditions.iter().map(|c| &*c.text).collect();
        match all.as_slice() {
            [] => text.push_str("(assert false)\n"),
            [one] => text.push_str(&format!("(assert {one})\n")),
            many => text.push_str(&format!("(assert (or {}))\n", many.join(" "))),
        }
        Query {
            text,
            assertions: script.assumptions.len() + 1,
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Z3's answer. A text that it cannot read is no answer.
pub fn z3(query: &Query, timeout: Duration) -> Answer {
    let text = query.text.clone();
    let expected = query.assertions;
    let plain = !text.contains("Array") && !text.contains("forall");
    let work = move || {
        let solver = match plain {
            true => z3::Solver::new_for_logic("QF_BV").unwrap_or_default(),
            false => z3::Solver::new(),
        };
        let mut params = z3::Params::new();
        params.set_u32(
            "timeout",
            u32::try_from(timeout.as_millis()).unwrap_or(u32::MAX),
        );
        solver.set_params(&params);
        solver.from_string(text);
        if solver.get_assertions().len() != expected {
            return Answer::Unknown("Z3 could not read the conditions".into());
        }
        match solver.check() {
            z3::SatResult::Unsat => Answer::Unsat,
            z3::SatResult::Sat => Answer::Sat,
            z3::SatResult::Unknown => {
                let why = solver.get_reason_unknown();
                Answer::Unknown(format!("Z3: {}", why.unwrap_or_default()))
            }
        }
    };
    // a thread of its own has a context of its own
    let thread = std::thread::Builder::new()
        .stack_size(256 << 20)
        .spawn(work);
    let joined = thread.map(std::thread::JoinHandle::join);
    match joined {
        Ok(Ok(answer)) => answer,
        _ => Answer::Unknown("Z3 broke off".into()),
    }
}
