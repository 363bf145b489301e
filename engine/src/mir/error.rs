//! What is wrong with a MIR text, and where.
use std::borrow::Cow;

use thiserror::Error;

/// The first thing in a text that the parser could not read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{line}:{column}: {what}")]
pub struct MirError {
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
    pub what: String,
}

impl MirError {
    /// `offset` counts bytes of `text`; one beyond the end means the end.
    pub(super) fn at(text: &str, offset: usize, what: impl Into<String>) -> MirError {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &text[..offset];
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let column = before[line_start..].chars().count() + 1;
        MirError {
            line: line as u32,
            column: column as u32,
            what: what.into(),
        }
    }
}

/// The parser's own failure: one pointer wide, because every small parsing step returns one.
pub(super) type Failure = Box<FailureData>;

#[derive(Debug)]
pub(super) struct FailureData {
    pub offset: usize,
    pub what: Cow<'static, str>,
}

pub(super) type Parse<T> = Result<T, Failure>;
