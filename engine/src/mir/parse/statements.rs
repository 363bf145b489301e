//! Reading statements, blocks, and the comments that carry spans and the types of constants.
use std::sync::Arc;

use super::super::ast::*;
use super::super::error::Parse;
use super::cursor::Cursor;

impl<'a> Cursor<'a> {
    /// A block, from its indented header line to its closing brace.
    pub fn block(&mut self, locals: &[LocalDecl]) -> Parse<Block> {
        let id = self.block_id()?;
        let cleanup = self.eat(" (cleanup)");
        self.expect(": {")?;
        self.end_line()?;
        let mut statements = Vec::new();
        loop {
            self.skip_comment_lines();
            let line = self.line;
            let kind = match self.statement_or_terminator(locals)? {
                Ok(statement) => statement,
                Err(kind) => {
                    let (source_info, const_types) = self.line_comments()?;
                    let terminator = Terminator {
                        kind,
                        source_info,
                        const_types,
                        line,
                    };
                    self.skip_comment_lines();
                    self.expect("}")?;
                    self.end_line()?;
                    return Ok(Block {
                        id,
                        cleanup,
                        statements,
                        terminator,
                    });
                }
            };
            let (source_info, const_types) = self.line_comments()?;
            statements.push(Statement {
                kind,
                source_info,
                const_types,
                line,
            });
        }
    }

    /// Passes blank lines and whole-line comments, up to the first text of a line.
    pub fn skip_comment_lines(&mut self) {
        loop {
            self.skip_blanks();
            match self.peek() {
                b'\n' => self.next_line(),
                b'/' if self.peek_at(1) == b'/' => self.next_line(),
                b'\r' => self.pos += 1,
                _ => return,
            }
        }
    }

    fn statement_or_terminator(
        &mut self,
        locals: &[LocalDecl],
    ) -> Parse<Result<StatementKind, TerminatorKind>> {
        if matches!(self.peek(), b'_' | b'(') || self.starts_with("unwrap_binder!(") {
            return self.assignment(locals);
        }
        if let Some(terminator) = self.terminator()? {
            return Ok(Err(terminator));
        }
        Ok(Ok(self.other_statement()?))
    }

    fn other_statement(&mut self) -> Parse<StatementKind> {
        let kind = match self.peek() {
            b'S' if self.eat("StorageLive(") => StatementKind::StorageLive(self.local()?),
            b'S' if self.eat("StorageDead(") => StatementKind::StorageDead(self.local()?),
            b'n' if self.eat("nop") => return Ok(StatementKind::Nop),
            b'd' if self.eat("discriminant(") => {
                let place = self.place()?;
                self.expect(") = ")?;
                return Ok(StatementKind::SetDiscriminant(place, self.index()?));
            }
            b'a' if self.eat("assume(") => StatementKind::Assume(self.operand()?),
            b'c' if self.eat("copy_nonoverlapping(dst = ") => {
                let dst = self.operand()?;
                self.expect(", src = ")?;
                let src = self.operand()?;
                self.expect(", count = ")?;
                StatementKind::CopyNonOverlapping {
                    dst,
                    src,
                    count: self.operand()?,
                }
            }
            b'D' if self.eat("Deinit(") => StatementKind::Deinit(self.place()?),
            b'F' if self.eat("FakeRead(") => {
                let start = self.pos;
                while !matches!(self.peek(), b'\n' | 0)
                    && !self.starts_with(", _")
                    && !self.starts_with(", (")
                {
                    self.pos += 1;
                }
                let cause = self.intern_range(start, self.pos);
                self.expect(", ")?;
                StatementKind::FakeRead(cause, self.place()?)
            }
            b'R' if self.eat("Retag(") => {
                let start = self.pos;
                if self.peek() == b'[' {
                    self.pos = self.closing(self.pos)? + 1;
                    self.expect(" ")?;
                }
                let kind = self.intern_range(start, self.pos);
                StatementKind::Retag(kind, self.place()?)
            }
            b'P' if self.eat("PlaceMention(") => StatementKind::PlaceMention(self.place()?),
            b'A' if self.eat("AscribeUserType(") => {
                let close = self.closing(self.pos - 1)?;
                let text = self.intern_range(self.pos, close);
                self.pos = close;
                StatementKind::AscribeUserType(text)
            }
            b'C' if self.eat("Coverage::") => {
                return Ok(StatementKind::Coverage(self.up_to_semicolon()?));
            }
            b'C' if self.eat("ConstEvalCounter") => return Ok(StatementKind::ConstEvalCounter),
            b'B' if self.eat("BackwardIncompatibleDropHint(") => {
                let place = self.place()?;
                let reason = if self.eat(", ") {
                    let start = self.pos;
                    while !matches!(self.peek(), b')' | b'\n' | 0) {
                        self.pos += 1;
                    }
                    self.intern_range(start, self.pos)
                } else {
                    Arc::from("")
                };
                StatementKind::BackwardIncompatibleDropHint(place, reason)
            }
            _ => return self.fail("expected a statement"),
        };
        self.expect(")")?;
        Ok(kind)
    }

    /// Text up to the `;` that ends the line, comment aside.
    pub fn up_to_semicolon(&mut self) -> Parse<Arc<str>> {
        let start = self.pos;
        let line = self.slice(start, self.line_end());
        let code = line.find(" // ").map_or(line, |comment| &line[..comment]);
        match code.rfind(';') {
            Some(semicolon) => {
                self.pos = start + semicolon;
                Ok(self.intern_range(start, start + semicolon))
            }
            None => self.fail("expected `;`"),
        }
    }

    /// `;`, the comment behind it, and the comment lines below that tell the types of constants.
    fn line_comments(&mut self) -> Parse<(SourceInfo, Vec<Arc<str>>)> {
        self.expect(";")?;
        self.skip_blanks();
        let source_info = self.source_info("// scope ")?;
        self.end_line()?;
        let mut const_types = Vec::new();
        loop {
            let start = self.pos;
            self.skip_blanks();
            if !self.starts_with("// ") {
                self.pos = start;
                return Ok((source_info, const_types));
            }
            if self.eat("// + const_: Const { ty: ") {
                let line = self.slice(self.pos, self.line_end());
                if let Some(length) = line.rfind(", val: ").or_else(|| line.rfind(", ")) {
                    const_types.push(self.intern(&line[..length]));
                }
            }
            self.next_line();
        }
    }

    /// `// scope 1 at src/lib.rs:1:2: 3:4`, if the comment is there; stays on the line.
    pub fn source_info(&mut self, opening: &str) -> Parse<SourceInfo> {
        if !self.eat(opening) {
            return Ok(SourceInfo::default());
        }
        let scope = self.index()?;
        if !self.eat(" at ") {
            return Ok(SourceInfo { scope, span: None });
        }
        Ok(SourceInfo {
            scope,
            span: self.span(),
        })
    }

    /// The rest of the line as `file:line:column: line:column`, read from its end because a file
    /// name may hold anything.
    pub fn span(&mut self) -> Option<Span> {
        let start = self.pos;
        let mut end = self.line_end();
        self.pos = end;
        if end > start && self.bytes[end - 1] == b'\r' {
            end -= 1;
        }
        if end > start && self.bytes[end - 1] == b')' {
            end = start + self.slice(start, end).rfind(" (#")?;
        }
        let mut at = end;
        let end_col = self.number_before(start, &mut at)?;
        self.byte_before(start, &mut at, b':')?;
        let end_line = self.number_before(start, &mut at)?;
        self.byte_before(start, &mut at, b' ')?;
        self.byte_before(start, &mut at, b':')?;
        let col = self.number_before(start, &mut at)?;
        self.byte_before(start, &mut at, b':')?;
        let line = self.number_before(start, &mut at)?;
        self.byte_before(start, &mut at, b':')?;
        let file = self.slice(start, at);
        Some(Span {
            file: self.intern_file(file),
            line,
            col,
            end_line,
            end_col,
        })
    }

    fn number_before(&self, start: usize, at: &mut usize) -> Option<u32> {
        let mut value = 0u32;
        let mut place = 1u32;
        let from = *at;
        while *at > start && self.bytes[*at - 1].is_ascii_digit() {
            *at -= 1;
            let digit = u32::from(self.bytes[*at] - b'0');
            value = value.checked_add(digit.checked_mul(place)?)?;
            place = place.wrapping_mul(10);
        }
        (*at < from && from - *at < 10).then_some(value)
    }

    fn byte_before(&self, start: usize, at: &mut usize, byte: u8) -> Option<()> {
        if *at > start && self.bytes[*at - 1] == byte {
            *at -= 1;
            return Some(());
        }
        None
    }
}
