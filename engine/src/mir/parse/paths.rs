//! Reading paths of values: functions, constants, variants.
use super::super::ast::{Path, PathData, QSelf, Segment};
use super::super::error::Parse;
use super::cursor::{Cursor, is_ident_byte};

impl<'a> Cursor<'a> {
    /// A value's path. The same text was likely read before, so its end is found first.
    pub fn path(&mut self) -> Parse<Path> {
        let start = self.pos;
        let end = self.path_end()?;
        let text = self.slice(start, end);
        if let Some(known) = self.paths.get(text) {
            self.pos = end;
            return Ok(known.clone());
        }
        let path = self.nested(|cursor| cursor.path_structure(false))?;
        if self.pos != end {
            return self.fail("expected the end of a path");
        }
        self.paths.insert(text, path.clone());
        Ok(path)
    }

    fn path_end(&self) -> Parse<usize> {
        let mut at = self.pos;
        loop {
            match self.bytes.get(at) {
                Some(b'<' | b'{') => at = self.closing(at)? + 1,
                Some(byte) if is_ident_byte(*byte) => {
                    while self.bytes.get(at).is_some_and(|byte| is_ident_byte(*byte)) {
                        at += 1;
                    }
                    if self.bytes.get(at) == Some(&b'[') && self.bytes[..at].ends_with(b"promoted")
                    {
                        at = self.closing(at)? + 1;
                    }
                }
                _ => return self.fail_at(at, "expected a path"),
            }
            match self.bytes.get(at..at + 2) {
                Some(b"::") => at += 2,
                _ => return Ok(at),
            }
        }
    }

    /// Whether the brackets `<..>` hold a top-level ` as `.
    pub fn qualifies(&self, open: usize, close: usize) -> bool {
        let mut at = open + 1;
        while at < close {
            match self.bytes[at] {
                b'<' | b'(' | b'[' | b'{' => match self.closing(at) {
                    Ok(end) => at = end,
                    Err(_) => return false,
                },
                b' ' if self.bytes[at..close].starts_with(b" as ") => return true,
                _ => {}
            }
            at += 1;
        }
        false
    }

    /// `in_type`: generic arguments follow a name without `::`, as in `<T as Tr>::Name<'a>`.
    pub fn path_structure(&mut self, in_type: bool) -> Parse<Path> {
        let mut segments: Vec<Segment> = Vec::new();
        let qself = self.qualified_self()?;
        let mut need_separator = qself.is_some();
        loop {
            if need_separator && !self.eat("::") {
                break;
            }
            need_separator = true;
            let start = self.pos;
            match self.peek() {
                b'<' if self.starts_with("<impl ") => self.pos = self.closing(start)? + 1,
                b'<' if !segments.is_empty() => {
                    let args = self.generic_args()?;
                    let Some(last) = segments.last_mut().filter(|last| last.args.is_none()) else {
                        return self.fail_at(start, "unexpected generic arguments");
                    };
                    last.args = Some(args);
                    last.turbofish = true;
                    continue;
                }
                b'{' => self.pos = self.closing(start)? + 1,
                _ => {
                    while is_ident_byte(self.peek()) {
                        self.pos += 1;
                    }
                    if self.pos == start {
                        return self.fail("expected a name");
                    }
                    if self.peek() == b'[' && self.slice(start, self.pos) == "promoted" {
                        self.pos = self.closing(self.pos)? + 1;
                    }
                }
            }
            let name = self.intern_range(start, self.pos);
            let args = if in_type && self.peek() == b'<' {
                Some(self.generic_args()?)
            } else {
                None
            };
            segments.push(Segment {
                name,
                args,
                turbofish: false,
            });
        }
        if segments.is_empty() {
            return self.fail("expected a path");
        }
        Ok(Path(std::sync::Arc::new(PathData { qself, segments })))
    }

    fn qualified_self(&mut self) -> Parse<Option<QSelf>> {
        if self.peek() != b'<' {
            return Ok(None);
        }
        let close = self.closing(self.pos)?;
        if self.starts_with("<impl ") && !self.qualifies(self.pos, close) {
            return Ok(None);
        }
        self.pos += 1;
        let ty = self.ty()?;
        let trait_ref = if self.eat(" as ") {
            Some(self.ty()?)
        } else {
            None
        };
        self.expect(">")?;
        Ok(Some(QSelf { ty, trait_ref }))
    }
}
