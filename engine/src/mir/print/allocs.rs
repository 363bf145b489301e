//! Printing the tables of constant memory, sixteen bytes to a line.
use std::fmt::{Display, Formatter, Result, Write};

use super::super::alloc::{Alloc, AllocKind, POINTER_BYTES, Relocation};

const BYTES_PER_LINE: usize = 16;

impl Display for Alloc {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "alloc{} (", self.id)?;
        match &self.kind {
            AllocKind::Memory => {}
            AllocKind::Static(path) => write!(f, "static: {path}, ")?,
            AllocKind::ExternStatic(path) => return writeln!(f, "extern static: {path})"),
            AllocKind::Function(path) => return writeln!(f, "fn: {path})"),
            AllocKind::VTable(path) => return writeln!(f, "vtable: {path})"),
            AllocKind::Other(text) => return writeln!(f, "{text})"),
        }
        write!(f, "size: {}, align: {}) {{", self.size, self.align)?;
        if self.bytes.is_empty() {
            return f.write_str("}\n");
        }
        f.write_str("\n")?;
        Table::new(self).print(f)?;
        f.write_str("}\n")
    }
}

struct Table<'a> {
    alloc: &'a Alloc,
    /// Hexadecimal digits of the offsets before the lines; 0 if there is one line.
    offset_width: usize,
    /// The right column of the line being printed.
    characters: String,
}

impl<'a> Table<'a> {
    fn new(alloc: &'a Alloc) -> Table<'a> {
        let several = alloc.bytes.len() > BYTES_PER_LINE;
        let offset_width = if several {
            format!("{:x}", alloc.bytes.len()).len()
        } else {
            0
        };
        Table {
            alloc,
            offset_width,
            characters: String::new(),
        }
    }

    fn print(mut self, f: &mut Formatter<'_>) -> Result {
        let mut at = 0;
        let mut relocations = self.alloc.relocations.iter().peekable();
        self.start_line(f, 0)?;
        while at < self.alloc.bytes.len() {
            if at % BYTES_PER_LINE != 0 {
                f.write_str(" ")?;
            }
            if let Some(pointer) = relocations.next_if(|pointer| pointer.offset == at as u64) {
                self.pointer(f, at, pointer)?;
                at += pointer.size as usize;
            } else {
                match self.alloc.bytes[at] {
                    Some(byte) => {
                        write!(f, "{byte:02x}")?;
                        let printable = (0x20..0x7f).contains(&byte);
                        self.characters
                            .push(if printable { char::from(byte) } else { '.' });
                    }
                    None => {
                        f.write_str("__")?;
                        self.characters.push('░');
                    }
                }
                at += 1;
            }
            if at % BYTES_PER_LINE == 0 && at < self.alloc.bytes.len() {
                self.end_line(f)?;
                self.start_line(f, at)?;
            }
        }
        self.end_line(f)
    }

    fn start_line(&self, f: &mut Formatter<'_>, at: usize) -> Result {
        f.write_str("    ")?;
        if self.offset_width > 0 {
            write!(f, "0x{at:00$x} │ ", self.offset_width)?;
        }
        Ok(())
    }

    fn end_line(&mut self, f: &mut Formatter<'_>) -> Result {
        for _ in self.characters.chars().count()..BYTES_PER_LINE {
            f.write_str("   ")?;
        }
        writeln!(f, " │ {}", self.characters)?;
        self.characters.clear();
        Ok(())
    }

    fn pointer(&mut self, f: &mut Formatter<'_>, at: usize, pointer: &Relocation) -> Result {
        if pointer.size < POINTER_BYTES {
            self.characters.push('━');
            let byte = self.alloc.bytes[at].unwrap_or(0);
            return write!(f, "╾{byte:02x}{} (1 ptr byte)╼", pointer.target);
        }
        let size = pointer.size as usize;
        let mut name = pointer.target.to_string();
        let here = BYTES_PER_LINE - at % BYTES_PER_LINE;
        if size <= here {
            let width = cells(size - 1);
            note_if_oversized(&mut name, width, size);
            write!(f, "╾{name:─^width$}╼")?;
            self.characters.push('╾');
            self.characters.extend(std::iter::repeat_n('─', size - 2));
            self.characters.push('╼');
            return Ok(());
        }
        // The pointer goes on in the next line; its name stands where it fits.
        let below = size - here;
        let width_here = cells(here) - 2;
        let width_below = cells(below - 1) + 1;
        self.characters.push('╾');
        self.characters.extend(std::iter::repeat_n('─', here - 1));
        let next = at + here;
        if width_below > width_here && width_below >= name.len() {
            write!(f, "╾{:─^width_here$}", "")?;
            self.end_line(f)?;
            self.start_line(f, next)?;
            write!(f, "{name:─^width_below$}╼")?;
        } else {
            note_if_oversized(&mut name, width_here, size);
            write!(f, "╾{name:─^width_here$}")?;
            self.end_line(f)?;
            self.start_line(f, next)?;
            write!(f, "{:─^width_below$}╼", "")?;
        }
        self.characters.extend(std::iter::repeat_n('─', below - 1));
        self.characters.push('╼');
        Ok(())
    }
}

/// The width of `bytes` cells of two digits and the blanks behind them.
fn cells(bytes: usize) -> usize {
    bytes * 3
}

fn note_if_oversized(name: &mut String, width: usize, size: usize) {
    if name.len() > width {
        // Writing to a string does not fail.
        let _ = write!(name, " ({size} ptr bytes)");
    }
}
