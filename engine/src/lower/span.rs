//! From a statement to the line that its author should look at.

use super::instance::InstanceId;
use super::{Lowerer, ObjectId, ObjectKey};
use crate::mir::{Body, DebugInfo, DebugValue, SourceInfo, Span, TyKind};
use crate::program::SourceSpan;

/// Is this the text of somebody else's crate?
pub fn is_foreign(file: &str) -> bool {
    is_std(file) || file.contains("/.cargo/registry/")
}

/// Is this the text of the standard library (or of the verifier's own crate)?
pub fn is_std(file: &str) -> bool {
    // where rustc says that it lies, and where it does if the toolchain's sources are installed; a crate may have a folder
    // `library/core` of its own
    file.starts_with("/rustc/") || file.contains("/rustlib/src/rust/library/") || is_ours(file)
}

/// The folder's whole name counts: `my-optverify` is the user's.
fn is_ours(file: &str) -> bool {
    const FILES: [&str; 4] = ["lib.rs", "nondet.rs", "any.rs", "any_of_std.rs"];
    let in_folder = |name: &str| file.strip_suffix(name)?.strip_suffix("optverify/src/");
    let folders = FILES.iter().filter_map(|name| in_folder(name));
    folders
        .into_iter()
        .any(|before| before.is_empty() || before.ends_with(['/', '\\']))
}

pub fn source_span(span: &Span) -> SourceSpan {
    SourceSpan {
        file: span.file.clone(),
        line: span.line,
        column: span.col,
        end: (span.end_line, span.end_col),
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
    /// Is this code of std's own iterators over slices and vectors, whoever called them? Their pointers live no longer
    /// than a borrow, so what they point into did not move in between.
    pub fn in_std_iterator(&self, info: &SourceInfo) -> bool {
        if info.span.as_ref().is_none_or(|s| !is_foreign(&s.file)) {
            return false;
        }
        let body = self.body();
        let mut scope = body.scopes.get(info.scope as usize);
        while let Some(s) = scope {
            if let Some(callee) = &s.inlined {
                let callee = &*callee.callee;
                let of_std = [
                    "std::", "core::", "alloc::", "<std::", "<core::", "<alloc::", "<&",
                ];
                if !of_std.iter().any(|p| callee.starts_with(p)) {
                    return false;
                }
                let iterators = [
                    "slice::Iter",
                    "slice::iter",
                    "slice::sort::",
                    "vec::IntoIter",
                    "vec::into_iter",
                ];
                if iterators.iter().any(|i| callee.contains(i)) {
                    return true;
                }
            }
            scope = s.parent.and_then(|p| body.scopes.get(p as usize));
        }
        false
    }

    /// Is the name of this local a word of the user's source? The variable that `for` makes spans the whole of what is
    /// iterated over, `self` also its `&mut`.
    pub fn is_named_by_user(&self, key: &ObjectKey) -> bool {
        let ObjectKey::Local(instance, local) = key else {
            return true;
        };
        let body = self.instances[instance.0 as usize].body.body;
        let is_its = |d: &&DebugInfo| matches!(&d.value, DebugValue::Place(p) if p.as_local() == Some(*local));
        let word = |d: &DebugInfo| match &d.source_info.span {
            None => true,
            Some(s) if is_foreign(&s.file) => false,
            Some(s) => {
                let width = s.end_col.saturating_sub(s.col) as usize;
                let more = width.checked_sub(d.name.chars().count());
                // `x`, `mut x` or `ref x`, `ref mut x`
                let is_word = s.line == s.end_line && matches!(more, Some(0 | 4 | 8));
                &*d.name == "self" || is_word
            }
        };
        // the first one is what the object is called
        body.debug_infos.iter().find(is_its).is_none_or(word)
    }

    /// The last segment of an object's type, if the type is of this crate.
    pub fn own_type(&self, object: ObjectId) -> Option<String> {
        let TyKind::Adt { path, .. } = self.objects[object.0 as usize].ty.kind() else {
            return None;
        };
        let last = path.rsplit("::").next().unwrap_or(path);
        self.is_local_type(path).then(|| last.to_string())
    }

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
