//! The places of the user's own assumptions and assertions in a program, for who asks whether they matter.

use super::Lowerer;
use super::span::{is_foreign, source_span};
use crate::mir::SourceInfo;
use crate::program::{BlockId, SourceSpan};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MarkKind {
    /// The block where an assumption does not hold.
    Assume,
    /// The block where an assertion fails.
    Assert,
}

#[derive(Clone, Debug)]
pub struct Mark {
    pub kind: MarkKind,
    pub block: BlockId,
    pub span: SourceSpan,
}

impl Lowerer<'_> {
    /// The block at hand is where an assumption does not hold: one that is written where `assume` was inlined.
    pub fn mark_assumption(&mut self, block: u32) {
        let Some(info) = self.terminator_info(block) else {
            return;
        };
        let scopes = &self.body().scopes;
        let mut scope = scopes.get(info.scope as usize);
        while let Some(s) = scope {
            let callee = s.inlined.as_ref().map(|i| &*i.callee);
            if let (Some("optverify::assume"), Some(span)) = (callee, &s.span) {
                let span = source_span(span);
                return self.mark(MarkKind::Assume, span);
            }
            scope = s.parent.and_then(|p| scopes.get(p as usize));
        }
    }

    fn mark(&mut self, kind: MarkKind, span: SourceSpan) {
        if self.in_contract {
            return;
        }
        let block = self.current;
        self.marks.push(Mark { kind, block, span });
    }

    fn terminator_info(&self, block: u32) -> Option<SourceInfo> {
        let block = self.body().blocks.get(block as usize)?;
        Some(block.terminator.source_info.clone())
    }

    /// An assertion of the root itself, by the message that rustc gives it. `assert!(false)` says that nobody gets there,
    /// and helpers have assertions that only some of their callers get to.
    pub fn mark_assertion(&mut self, message: &str, block: u32) {
        let tests =
            message.starts_with("assertion failed: ") || message.starts_with("assertion `left ");
        let Some(info) = self.terminator_info(block) else {
            return;
        };
        if tests
            && message != "assertion failed: false"
            && self.is_of_root(&info)
            && let Some(span) = self.span.clone()
        {
            self.mark(MarkKind::Assert, span);
        }
    }

    /// Is this code of the root's own function? Around one with a contract stands another one that calls it.
    fn is_of_root(&self, info: &SourceInfo) -> bool {
        if info.span.as_ref().is_none_or(|s| is_foreign(&s.file)) {
            return false;
        }
        let mut levels = self.instances[self.frame.0 as usize].depth;
        let scopes = &self.body().scopes;
        let mut scope = scopes.get(info.scope as usize);
        while let Some(s) = scope {
            levels += u32::from(s.inlined.is_some());
            scope = s.parent.and_then(|p| scopes.get(p as usize));
        }
        let has_harness = self.instances[0]
            .body
            .body
            .path
            .contains("__optverify_root");
        levels == u32::from(has_harness)
    }
}
