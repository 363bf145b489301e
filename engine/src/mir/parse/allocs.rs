//! Reading the tables of constant memory.
use super::super::alloc::{Alloc, AllocKind, POINTER_BYTES, Relocation};
use super::super::error::Parse;
use super::cursor::Cursor;

impl<'a> Cursor<'a> {
    pub fn at_alloc(&self) -> bool {
        self.starts_with("alloc")
            && self.peek_at(5).is_ascii_digit()
            && memchr::memchr(b' ', self.rest()).is_some_and(|blank| {
                self.rest()[5..blank].iter().all(u8::is_ascii_digit)
                    && self.peek_at(blank + 1) == b'('
            })
    }

    pub fn alloc(&mut self) -> Parse<Alloc> {
        self.expect("alloc")?;
        let id = self.index()?;
        self.expect(" (")?;
        let close = self.closing(self.pos - 1)?;
        let header = self.slice(self.pos, close);
        let mut alloc = Alloc {
            id,
            kind: AllocKind::Memory,
            size: 0,
            align: 0,
            bytes: Vec::new(),
            relocations: Vec::new(),
        };
        let (name, memory) = match header.rfind("size: ") {
            Some(start) => (header[..start].trim_end_matches(", "), Some(start)),
            None => (header, None),
        };
        alloc.kind = match (name.split_once(": "), memory) {
            _ if name.is_empty() => AllocKind::Memory,
            (Some(("static", path)), Some(_)) => AllocKind::Static(self.intern(path)),
            (Some(("extern static", path)), None) => AllocKind::ExternStatic(self.intern(path)),
            (Some(("fn", path)), None) => AllocKind::Function(self.intern(path)),
            (Some(("vtable", path)), None) => AllocKind::VTable(self.intern(path)),
            _ => AllocKind::Other(self.intern(name)),
        };
        let Some(memory) = memory else {
            self.pos = close + 1;
            self.end_line()?;
            return Ok(alloc);
        };
        self.pos += memory + "size: ".len();
        alloc.size = self.number_u64()?;
        self.expect(", align: ")?;
        alloc.align = self.number_u64()?;
        self.expect(") {")?;
        if self.eat("}") {
            self.end_line()?;
            return Ok(alloc);
        }
        self.end_line()?;
        loop {
            self.skip_blanks();
            if self.eat("}") {
                self.end_line()?;
                break;
            }
            self.alloc_line(&mut alloc)?;
        }
        if alloc.bytes.len() as u64 != alloc.size {
            return self.fail("the table does not have as many bytes as its header says");
        }
        Ok(alloc)
    }

    /// One line: an offset if there are several, bytes, `│` and the bytes as characters.
    fn alloc_line(&mut self, alloc: &mut Alloc) -> Parse<()> {
        if self.eat("0x") {
            while self.peek().is_ascii_hexdigit() {
                self.pos += 1;
            }
            self.expect(" │ ")?;
        }
        loop {
            self.skip_blanks();
            if self.eat("│") {
                self.next_line();
                return Ok(());
            }
            match self.peek() {
                b'_' => {
                    self.expect("__")?;
                    alloc.bytes.push(None);
                }
                byte if byte.is_ascii_hexdigit() && !self.in_cut_pointer(alloc) => {
                    let digits = self.slice(self.pos, self.pos + 2);
                    let Ok(byte) = u8::from_str_radix(digits, 16) else {
                        return self.fail("expected two hexadecimal digits");
                    };
                    self.pos += 2;
                    alloc.bytes.push(Some(byte));
                }
                _ => self.alloc_pointer_cell(alloc)?,
            }
        }
    }

    /// Whether the last pointer still lacks the bytes that stand on this line.
    fn in_cut_pointer(&self, alloc: &Alloc) -> bool {
        let behind = |relocation: &Relocation| relocation.offset + relocation.size;
        alloc
            .relocations
            .last()
            .is_some_and(|last| behind(last) > alloc.bytes.len() as u64)
    }

    /// `╾─alloc1─╼`; or its two parts, where it does not fit the line; or `╾00alloc1 (1 ptr byte)╼`.
    fn alloc_pointer_cell(&mut self, alloc: &mut Alloc) -> Parse<()> {
        let begins = self.eat("╾");
        if !begins && !self.in_cut_pointer(alloc) {
            return self.fail("expected a byte");
        }
        while self.eat("─") {}
        let mut partial = None;
        if matches!(self.peek(), b'0'..=b'9' | b'a'..=b'f')
            && self.peek_at(1).is_ascii_hexdigit()
            && self.peek_at(2) == b'a'
        {
            partial = u8::from_str_radix(self.slice(self.pos, self.pos + 2), 16).ok();
            self.pos += 2;
        }
        let target = if self.peek() == b'a' {
            Some(self.alloc_pointer()?)
        } else {
            None
        };
        if self.eat(" (") {
            while !matches!(self.peek(), b')' | b'\n' | 0) {
                self.pos += 1;
            }
            self.expect(")")?;
        }
        while self.eat("─") {}
        let ends = self.eat("╼");
        let size = if partial.is_some() { 1 } else { POINTER_BYTES };
        if begins {
            alloc.relocations.push(Relocation {
                offset: alloc.bytes.len() as u64,
                size,
                // The name may stand in the part on the next line.
                target: target.clone().unwrap_or_default(),
            });
        } else if let (Some(target), Some(last)) = (&target, alloc.relocations.last_mut()) {
            last.target = target.clone();
        }
        let Some(pointer) = alloc.relocations.last() else {
            return self.fail("expected a pointer");
        };
        let offset = pointer.target.offset;
        if begins && !ends {
            let rest_of_line = 16 - alloc.bytes.len() % 16;
            alloc.bytes.resize(
                alloc.bytes.len() + rest_of_line.min(size as usize - 1),
                Some(0),
            );
            return Ok(());
        }
        if !ends {
            return self.fail("expected `╼`");
        }
        let start = pointer.offset as usize;
        let end = start + pointer.size as usize;
        alloc.bytes.resize(end.max(alloc.bytes.len()), Some(0));
        for (byte, value) in alloc.bytes[start..end].iter_mut().zip(offset.to_le_bytes()) {
            *byte = Some(partial.unwrap_or(value));
        }
        Ok(())
    }
}
