//! Obligations are conserved: a panic that is there before a pass and gone after it must have been unreachable.
//!
//! Where the program before the pass is proven safe, its proof shows just that, for every panic at once. Where it is
//! not (the prover gave up there, or a violation was found), a later pass that drops the panic would make a broken
//! program look safe: such a snapshot is unknown until results are compared (`--refine`).

use crate::program::{Program, Stop, StopKind};

/// The panics of the snapshot at hand, and those that were lost without having been shown unreachable.
pub struct Conserved {
    now: Vec<Stop>,
    /// Is that snapshot safe, and so each of its panics unreachable?
    proven: bool,
    lost: Vec<Stop>,
}

impl Conserved {
    pub fn of(program: &Program, proven: bool) -> Conserved {
        Conserved {
            now: panics(program),
            proven,
            lost: vec![],
        }
    }

    /// On to the snapshot after a pass, with whether it is proven safe. Returns what is lost by now, for people.
    pub fn follow(&mut self, after: &Program, proven: bool) -> Option<String> {
        let next = panics(after);
        let before = std::mem::replace(&mut self.now, next);
        if !std::mem::replace(&mut self.proven, proven) {
            self.lost.extend(before);
        }
        self.lost.retain(|s| !self.now.contains(s));
        let first = self.lost.first()?;
        let what = match &first.kind {
            StopKind::Panic(m) => m.as_str(),
            _ => return None,
        };
        let line = first
            .span
            .as_ref()
            .map_or(String::new(), |s| format!(" at {}:{}", s.file, s.line));
        Some(format!(
            "a pass dropped the panic `{what}`{line} that was not shown to be unreachable before; --refine compares results"
        ))
    }
}

/// The panics that control flow may reach.
fn panics(program: &Program) -> Vec<Stop> {
    let mut out: Vec<Stop> = vec![];
    for b in &program.blocks {
        if let crate::program::Terminator::Stop(s) = b.terminator
            && let stop @ Stop {
                kind: StopKind::Panic(_),
                ..
            } = &program.stops[s]
            && !out.contains(stop)
        {
            out.push(stop.clone());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Block, BlockId, InputShape, Terminator};

    /// A program whose only blocks are its panics.
    fn with_panics(messages: &[&str]) -> Program {
        let stops: Vec<Stop> = messages
            .iter()
            .map(|m| Stop {
                kind: StopKind::Panic((*m).into()),
                span: None,
            })
            .collect();
        let block = |i: usize| Block {
            stmts: vec![],
            terminator: Terminator::Stop(i),
            span: None,
            origin: Default::default(),
        };
        Program {
            pool: Default::default(),
            name: "p".into(),
            blocks: (0..stops.len()).map(block).collect(),
            entry: BlockId(0),
            stops,
            vars: vec![],
            inputs: vec![],
            source_names: vec![],
            draw_kinds: vec![],
            requires: vec![],
            outputs: vec![],
            returned: InputShape::Tuple(vec![]),
        }
    }

    #[test]
    fn a_panic_may_go_after_a_proof_only() {
        let mut c = Conserved::of(&with_panics(&["a", "b"]), true);
        assert_eq!(c.follow(&with_panics(&["a"]), false), None);
        let lost = c.follow(&with_panics(&[]), true).expect("`a` is gone");
        assert!(lost.contains("`a`"), "{lost}");
        // A proof of what is left says nothing about it.
        assert!(c.follow(&with_panics(&[]), true).is_some());
    }

    #[test]
    fn a_panic_that_comes_back_was_not_lost() {
        let mut c = Conserved::of(&with_panics(&["a"]), false);
        assert!(c.follow(&with_panics(&[]), false).is_some());
        assert_eq!(c.follow(&with_panics(&["a"]), true), None);
    }
}
