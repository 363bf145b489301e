//! A place in the user's source. It is told apart from others by where it begins; its end is only for people.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Columns count characters, from one.
#[derive(Clone)]
pub struct SourceSpan {
    pub file: Arc<str>,
    pub line: u32,
    pub column: u32,
    /// Line and column behind the last character; 0 where it is not known. Neither compared nor printed: a pass that
    /// removes one of two checks that begin alike does not move the other.
    pub end: (u32, u32),
}

impl SourceSpan {
    fn start(&self) -> (&str, u32, u32) {
        (&self.file, self.line, self.column)
    }

    /// As far as the other one, which begins at the same place, if that is farther.
    pub fn widen(&mut self, other: &SourceSpan) {
        self.end = self.end.max(other.end);
    }
}

impl PartialEq for SourceSpan {
    fn eq(&self, other: &Self) -> bool {
        self.start() == other.start()
    }
}

impl Eq for SourceSpan {}

impl Hash for SourceSpan {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.start().hash(state);
    }
}

impl PartialOrd for SourceSpan {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SourceSpan {
    fn cmp(&self, other: &Self) -> Ordering {
        self.start().cmp(&other.start())
    }
}

/// Fingerprints of programs are made of it.
impl fmt::Debug for SourceSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, line, column) = self.start();
        f.debug_struct("SourceSpan")
            .field("file", &file)
            .field("line", &line)
            .field("column", &column)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(column: u32, end: (u32, u32)) -> SourceSpan {
        SourceSpan {
            file: "a.rs".into(),
            line: 3,
            column,
            end,
        }
    }

    #[test]
    fn a_place_is_where_it_begins() {
        let (mut short, long) = (span(5, (3, 10)), span(5, (3, 14)));
        assert_eq!(short, long);
        assert_eq!(format!("{short:?}"), format!("{long:?}"));
        assert_ne!(short, span(6, (3, 10)));
        short.widen(&long);
        assert_eq!(short.end, (3, 14));
        short.widen(&span(5, (0, 0)));
        assert_eq!(short.end, (3, 14));
    }
}
