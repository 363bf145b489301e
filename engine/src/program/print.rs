//! Programs as text, for people who debug the lowering.

use super::{Program, Stmt, Terminator};
use std::fmt::Write;

impl Program {
    pub fn show(&self) -> String {
        let mut out = String::new();
        for (i, b) in self.blocks.iter().enumerate() {
            let line = b.span.as_ref().map(|s| s.line).unwrap_or(0);
            let _ = writeln!(out, "b{i}: (line {line})");
            for s in &b.stmts {
                let _ = match s {
                    Stmt::Assign(v, t) => writeln!(
                        out,
                        "  {} := {}",
                        self.pool.var_info(*v).name,
                        self.pool.show(*t)
                    ),
                    Stmt::Havoc(v, d) => {
                        writeln!(out, "  havoc {} ({d:?})", self.pool.var_info(*v).name)
                    }
                    Stmt::Assume(c) => writeln!(out, "  assume {}", self.pool.show(*c)),
                };
            }
            let _ = match &b.terminator {
                Terminator::Goto(t) => writeln!(out, "  goto b{}", t.0),
                Terminator::Branch {
                    cond,
                    then,
                    otherwise,
                } => writeln!(
                    out,
                    "  if {} goto b{} else b{}",
                    self.pool.show(*cond),
                    then.0,
                    otherwise.0
                ),
                Terminator::Return => writeln!(out, "  return"),
                Terminator::Stop(s) => writeln!(out, "  stop {:?}", self.stops[*s]),
                Terminator::Blocked => writeln!(out, "  blocked"),
            };
        }
        out
    }
}
