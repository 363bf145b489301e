//! Checks that a text was understood completely: printed again, it is the same but for comments.
use thiserror::Error;

use super::error::MirError;
use super::parse::parse_file;

/// What one text holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoundTripStats {
    pub n_bodies: usize,
    pub n_allocs: usize,
    /// Of code, without comments and blank lines.
    pub n_lines: usize,
}

#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RoundTripError {
    #[error("{0}")]
    Parse(#[from] MirError),
    /// The lines are normalised; an empty one is the end of its text.
    #[error("line {line} prints back differently\n  read:    {read}\n  printed: {printed}")]
    Mismatch {
        line: usize,
        read: String,
        printed: String,
    },
}

pub fn round_trip(text: &str) -> Result<RoundTripStats, RoundTripError> {
    let file = parse_file(text)?;
    let printed = file.to_string();
    let n_lines = same_code(text, &printed)?;
    Ok(RoundTripStats {
        n_bodies: file.bodies.len(),
        n_allocs: file.allocs.len(),
        n_lines,
    })
}

/// Compares two texts modulo comments, trailing blanks and blank lines; gives the number of lines.
pub fn same_code(read: &str, printed: &str) -> Result<usize, RoundTripError> {
    let mut read_lines = CodeLines::new(read);
    let mut printed_lines = CodeLines::new(printed);
    let mut n_lines = 0;
    loop {
        let (read, printed) = (read_lines.next(), printed_lines.next());
        if read != printed {
            return Err(RoundTripError::Mismatch {
                line: read_lines.n_read,
                read: read.unwrap_or("").to_string(),
                printed: printed.unwrap_or("").to_string(),
            });
        }
        if read.is_none() {
            return Ok(n_lines);
        }
        n_lines += 1;
    }
}

/// The text without comments, trailing blanks and blank lines.
pub fn normalise(text: &str) -> String {
    let mut normal = String::with_capacity(text.len());
    for line in CodeLines::new(text) {
        normal.push_str(line);
        normal.push('\n');
    }
    normal
}

/// The lines of code of a text, one by one.
struct CodeLines<'a> {
    text: &'a str,
    /// Lines taken from `text`, with the comments.
    n_read: usize,
    /// Between `alloc1 (..) {` and `}`: the right column may look like a comment.
    in_alloc: bool,
}

impl<'a> CodeLines<'a> {
    fn new(text: &'a str) -> CodeLines<'a> {
        CodeLines {
            text,
            n_read: 0,
            in_alloc: false,
        }
    }

    fn raw_line(&mut self) -> Option<&'a str> {
        if self.text.is_empty() {
            return None;
        }
        self.n_read += 1;
        let end = memchr::memchr(b'\n', self.text.as_bytes());
        let line = &self.text[..end.unwrap_or(self.text.len())];
        self.text = end.map_or("", |end| &self.text[end + 1..]);
        Some(line)
    }
}

impl<'a> Iterator for CodeLines<'a> {
    type Item = &'a str;
    fn next(&mut self) -> Option<&'a str> {
        loop {
            let line = self.raw_line()?;
            if line.starts_with("/*") {
                let mut last = line;
                while !last.contains("*/") {
                    last = self.raw_line()?;
                }
                continue;
            }
            if line.starts_with('|') {
                continue;
            }
            let code = if self.in_alloc {
                line
            } else {
                without_comment(line)
            }
            .trim_ascii_end();
            if code.is_empty() {
                continue;
            }
            if self.in_alloc {
                self.in_alloc = code != "}";
            } else {
                self.in_alloc = code.starts_with("alloc") && code.ends_with(") {");
            }
            return Some(code);
        }
    }
}

/// The line up to a `//` that stands alone between blanks and outside of literals.
fn without_comment(line: &str) -> &str {
    let bytes = line.as_bytes();
    let is_comment = |at: usize| {
        (at == 0 || bytes[at - 1] == b' ') && matches!(bytes.get(at + 2), None | Some(b' '))
    };
    let Some(first) = memchr::memchr_iter(b'/', bytes)
        .find(|at| bytes.get(at + 1) == Some(&b'/') && is_comment(*at))
    else {
        return line;
    };
    if memchr::memchr2(b'"', b'\'', &bytes[..first]).is_none() {
        return &line[..first];
    }
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => match literal_end(bytes, at) {
                Some(end) => at = end,
                // The tail of inline assembly, whose template has unescaped newlines and quotes.
                None => return line.rfind(" // ").map_or(line, |comment| &line[..comment]),
            },
            b'\'' if bytes.get(at + 1) == Some(&b'"') => at += 2,
            b'\'' if bytes.get(at + 1) == Some(&b'\\') => at += 2,
            b'/' if bytes[at..].starts_with(b"//") && is_comment(at) => return &line[..at],
            _ => {}
        }
        at += 1;
    }
    line
}

/// The closing quote of the string that opens at `quote`.
fn literal_end(bytes: &[u8], quote: usize) -> Option<usize> {
    let mut at = quote + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'"' => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}
