//! The parser's position in the text: looking, eating, numbers, lines, and the tables of shared texts.
use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::super::ast::{Path, Ty};
use super::super::error::{FailureData, MirError, Parse};

/// Deeper nesting of types and constants than this is refused: no compiler prints it, and the
/// parser's recursion must end before the stack does.
const MAX_DEPTH: u32 = 200;

pub(super) struct Cursor<'a> {
    pub text: &'a str,
    pub bytes: &'a [u8],
    pub pos: usize,
    /// Of `pos`, from 1.
    pub line: u32,
    depth: u32,
    texts: FxHashMap<&'a str, Arc<str>>,
    pub types: FxHashMap<&'a str, Ty>,
    pub paths: FxHashMap<&'a str, Path>,
    pub primitives: super::types::Primitives,
    last_file: Option<(&'a str, Arc<str>)>,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str) -> Cursor<'a> {
        Cursor {
            text,
            bytes: text.as_bytes(),
            pos: 0,
            line: 1,
            depth: 0,
            texts: FxHashMap::default(),
            types: FxHashMap::default(),
            paths: FxHashMap::default(),
            primitives: super::types::Primitives::new(),
            last_file: None,
        }
    }

    pub fn fail<T>(&self, what: impl Into<Cow<'static, str>>) -> Parse<T> {
        self.fail_at(self.pos, what)
    }
    #[cold]
    pub fn fail_at<T>(&self, offset: usize, what: impl Into<Cow<'static, str>>) -> Parse<T> {
        Err(Box::new(FailureData {
            offset,
            what: what.into(),
        }))
    }
    pub fn error(&self, failure: &FailureData) -> MirError {
        MirError::at(self.text, failure.offset, failure.what.clone())
    }

    /// Runs one level of a recursion.
    pub fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_DEPTH {
            return self.fail("nested too deeply");
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    pub fn peek(&self) -> u8 {
        self.peek_at(0)
    }
    /// 0 beyond the end: no MIR text contains it.
    pub fn peek_at(&self, ahead: usize) -> u8 {
        self.bytes.get(self.pos + ahead).copied().unwrap_or(0)
    }
    pub fn at_end(&self) -> bool {
        self.pos >= self.bytes.len()
    }
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.pos..).unwrap_or(&[])
    }
    pub fn starts_with(&self, expected: &str) -> bool {
        self.rest().starts_with(expected.as_bytes())
    }
    pub fn eat(&mut self, expected: &str) -> bool {
        let found = self.starts_with(expected);
        if found {
            self.pos += expected.len();
        }
        found
    }
    pub fn expect(&mut self, expected: &'static str) -> Parse<()> {
        if self.eat(expected) {
            return Ok(());
        }
        self.fail(format!("expected `{expected}`"))
    }
    /// The text of a byte range. Every range the parser makes ends at ASCII bytes; a range that
    /// does not reads as empty rather than panicking.
    pub fn slice(&self, from: usize, to: usize) -> &'a str {
        self.text.get(from..to).unwrap_or("")
    }
    pub fn intern(&mut self, text: &'a str) -> Arc<str> {
        self.texts
            .entry(text)
            .or_insert_with(|| Arc::from(text))
            .clone()
    }
    pub fn intern_range(&mut self, from: usize, to: usize) -> Arc<str> {
        let text = self.slice(from, to);
        self.intern(text)
    }
    pub fn intern_file(&mut self, file: &'a str) -> Arc<str> {
        if let Some((text, shared)) = &self.last_file
            && *text == file
        {
            return shared.clone();
        }
        let shared = self.intern(file);
        self.last_file = Some((file, shared.clone()));
        shared
    }

    pub fn skip_blanks(&mut self) {
        while self.peek() == b' ' {
            self.pos += 1;
        }
    }
    /// End of the current line, without its newline.
    pub fn line_end(&self) -> usize {
        memchr::memchr(b'\n', self.rest()).map_or(self.bytes.len(), |length| self.pos + length)
    }
    pub fn next_line(&mut self) {
        self.pos = self.line_end();
        if !self.at_end() {
            self.pos += 1;
            self.line += 1;
        }
    }
    pub fn recount_line(&mut self, to: usize) {
        let passed = self.bytes.get(self.pos..to).unwrap_or(&[]);
        self.line += memchr::memchr_iter(b'\n', passed).count() as u32;
        self.pos = to;
    }
    /// Passes the rest of a line that may hold nothing but a comment.
    pub fn end_line(&mut self) -> Parse<()> {
        self.skip_blanks();
        if self.peek() == b'\r' {
            self.pos += 1;
        }
        if !(self.at_end() || self.peek() == b'\n' || self.starts_with("//")) {
            return self.fail("expected the end of the line");
        }
        self.next_line();
        Ok(())
    }

    pub fn number(&mut self) -> Parse<u128> {
        let start = self.pos;
        let mut value: u128 = 0;
        while let digit @ b'0'..=b'9' = self.peek() {
            let shifted = value
                .checked_mul(10)
                .and_then(|v| v.checked_add(u128::from(digit - b'0')));
            let Some(shifted) = shifted else {
                return self.fail_at(start, "number does not fit 128 bits");
            };
            value = shifted;
            self.pos += 1;
        }
        if self.pos == start {
            return self.fail("expected a number");
        }
        Ok(value)
    }
    pub fn number_u64(&mut self) -> Parse<u64> {
        let start = self.pos;
        match u64::try_from(self.number()?) {
            Ok(value) => Ok(value),
            Err(_) => self.fail_at(start, "number does not fit 64 bits"),
        }
    }
    /// Indices of locals, blocks, fields and scopes; also without 128-bit arithmetic.
    pub fn index(&mut self) -> Parse<u32> {
        let start = self.pos;
        let mut value: u64 = 0;
        while let digit @ b'0'..=b'9' = self.peek() {
            value = value * 10 + u64::from(digit - b'0');
            self.pos += 1;
            if value > u64::from(u32::MAX) {
                return self.fail_at(start, "index does not fit 32 bits");
            }
        }
        if self.pos == start {
            return self.fail("expected a number");
        }
        Ok(value as u32)
    }

    /// The offset of the bracket that closes the one at `open`, on the same line. Texts between
    /// quotes and braces (file names, constants) may hold anything, so they are stepped over.
    pub fn closing(&self, open: usize) -> Parse<usize> {
        let bytes = self.bytes;
        let mut depth = 0u32;
        let mut braces = 0u32;
        let mut at = open;
        while at < bytes.len() {
            match bytes[at] {
                b'{' => braces += 1,
                b'}' => {
                    braces = braces.saturating_sub(1);
                    if braces == 0 && depth == 0 {
                        return Ok(at);
                    }
                }
                b'\n' => break,
                b'"' => {
                    at = self.string_end(at);
                    continue;
                }
                b'\'' => {
                    at = self.char_literal_end(at).unwrap_or(at + 1);
                    continue;
                }
                _ if braces > 0 => {}
                b'<' | b'(' | b'[' => depth += 1,
                b'>' if at > 0 && bytes[at - 1] == b'-' => {}
                b'>' | b')' | b']' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return Ok(at);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        self.fail_at(open, "this bracket is not closed")
    }
    /// Just behind the string that opens at `quote`, or the end of the text.
    pub fn string_end(&self, quote: usize) -> usize {
        let mut at = quote + 1;
        loop {
            match self.bytes.get(at) {
                None => return self.bytes.len(),
                Some(b'\\') => at += 2,
                Some(b'"') => return at + 1,
                Some(_) => at += 1,
            }
        }
    }
    /// Just behind the character literal that opens at `quote`; `None` if it is a lifetime.
    pub fn char_literal_end(&self, quote: usize) -> Option<usize> {
        let after = self.bytes.get(quote + 1..)?;
        let length = match *after.first()? {
            b'\\' => 2 + memchr::memchr(b'\'', after.get(2..)?)?,
            first if first < 0x80 => 1,
            0xf0.. => 4,
            0xe0.. => 3,
            _ => 2,
        };
        (after.get(length) == Some(&b'\'')).then_some(quote + length + 2)
    }
}

pub(super) fn is_ident_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'#' || byte >= 0x80
}
