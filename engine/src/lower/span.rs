//! From a statement to the line that its author should look at.

use super::Lowerer;
use super::instance::InstanceId;
use crate::mir::{Body, SourceInfo, Span};
use crate::program::SourceSpan;

/// Is this the text of the standard library (or of the verifier's own crate)?
fn is_foreign(file: &str) -> bool {
    file.starts_with("/rustc/")
        || file.contains("/library/core/")
        || file.contains("/library/std/")
        || file.contains("/library/alloc/")
        || file.contains("/.cargo/registry/")
        || file.ends_with("optverify/src/lib.rs")
        || file.ends_with("optverify/src/nondet.rs")
        || file.ends_with("optverify/src/any.rs")
}

fn source_span(span: &Span) -> SourceSpan {
    SourceSpan {
        file: span.file.clone(),
        line: span.line,
        column: span.col,
    }
}

/// The innermost span on the chain of inlined calls that is in the user's own files.
fn in_body(body: &Body, info: &SourceInfo) -> Option<SourceSpan> {
    if let Some(span) = &info.span
        && !is_foreign(&span.file)
    {
        return Some(source_span(span));
    }
    let mut scope = body.scopes.get(info.scope as usize);
    while let Some(s) = scope {
        if s.inlined.is_some()
            && let Some(span) = &s.span
            && !is_foreign(&span.file)
        {
            return Some(source_span(span));
        }
        scope = s.parent.and_then(|p| body.scopes.get(p as usize));
    }
    None
}

impl Lowerer<'_> {
    pub fn user_span(&self, info: &SourceInfo) -> Option<SourceSpan> {
        if let Some(s) = in_body(self.body(), info) {
            return Some(s);
        }
        let mut at: Option<InstanceId> = Some(self.frame);
        while let Some(i) = at {
            let instance = &self.instances[i.0 as usize];
            if instance.call_span.is_some() {
                return instance.call_span.clone();
            }
            at = instance.parent;
        }
        info.span.as_ref().map(source_span)
    }
}
