//! From MIR text to syntax tree: by hand, on bytes, one pass. A wrong text is an error, never a panic.
mod allocs;
mod bodies;
mod consts;
mod cursor;
mod paths;
mod places;
mod rvalues;
mod statements;
mod terminators;
mod types;

use super::ast::{Body, MirFile, Path, Ty};
use super::error::{MirError, Parse};
use cursor::Cursor;

/// What stands at the start of a line.
enum Item {
    Body(Body),
    Alloc(super::alloc::Alloc),
}

/// Reads a whole file: a dump of one body, or the many of `--emit=mir`.
pub fn parse_file(text: &str) -> Result<MirFile, MirError> {
    let mut cursor = Cursor::new(text);
    let mut file = MirFile::default();
    loop {
        match next_item(&mut cursor) {
            Ok(None) => break,
            Ok(Some(Item::Body(body))) => {
                file.bodies.push(body);
                file.allocs_through_body.push(file.allocs.len());
            }
            Ok(Some(Item::Alloc(alloc))) => {
                file.allocs.push(alloc);
                if let Some(last) = file.allocs_through_body.last_mut() {
                    *last += 1;
                }
            }
            Err(failure) => return Err(cursor.error(&failure)),
        }
    }
    Ok(file)
}

/// A file of which some bodies may be unreadable, each named by its header line.
#[derive(Debug, Default)]
pub struct LenientFile {
    pub bodies: Vec<Result<Body, (String, MirError)>>,
    pub allocs: Vec<super::alloc::Alloc>,
}

/// Like [`parse_file`], but an unreadable body or table does not lose the others.
pub fn parse_bodies(text: &str) -> LenientFile {
    let mut cursor = Cursor::new(text);
    let mut file = LenientFile::default();
    loop {
        let start = cursor.pos;
        match next_item(&mut cursor) {
            Ok(None) => return file,
            Ok(Some(Item::Body(body))) => file.bodies.push(Ok(body)),
            Ok(Some(Item::Alloc(alloc))) => file.allocs.push(alloc),
            Err(failure) => {
                let error = cursor.error(&failure);
                cursor.pos = start;
                // The header, which comments may precede.
                let _ = skip_to_item(&mut cursor);
                let header = cursor.slice(cursor.pos, cursor.line_end()).to_string();
                file.bodies.push(Err((header, error)));
                cursor.skip_item();
            }
        }
    }
}

/// Reads one type, as in a `const_types` note.
pub fn parse_ty(text: &str) -> Result<Ty, MirError> {
    parse_whole(text, Cursor::ty)
}

/// Reads one value path.
pub fn parse_path(text: &str) -> Result<Path, MirError> {
    parse_whole(text, Cursor::path)
}

fn parse_whole<'a, T>(
    text: &'a str,
    parse: fn(&mut Cursor<'a>) -> Parse<T>,
) -> Result<T, MirError> {
    let mut cursor = Cursor::new(text);
    let result = parse(&mut cursor).and_then(|value| {
        if cursor.at_end() {
            Ok(value)
        } else {
            cursor.fail("expected the end")
        }
    });
    result.map_err(|failure| cursor.error(&failure))
}

fn next_item(cursor: &mut Cursor<'_>) -> Parse<Option<Item>> {
    let for_ctfe = skip_to_item(cursor)?;
    if cursor.at_end() {
        return Ok(None);
    }
    if cursor.at_alloc() {
        return Ok(Some(Item::Alloc(cursor.alloc()?)));
    }
    Ok(Some(Item::Body(cursor.body(for_ctfe)?)))
}

/// Passes comments, coroutine layouts and user type annotations. Says whether the next body is the
/// one for compile-time evaluation.
fn skip_to_item(cursor: &mut Cursor<'_>) -> Parse<bool> {
    let mut for_ctfe = false;
    loop {
        cursor.skip_blanks();
        match cursor.peek() {
            b'/' if cursor.starts_with("/*") => {
                let Some(length) = memchr::memmem::find(cursor.rest(), b"*/") else {
                    return cursor.fail("this comment does not end");
                };
                cursor.recount_line(cursor.pos + length + 2);
            }
            b'/' if cursor.starts_with("//") => {
                for_ctfe = cursor.starts_with("// MIR FOR CTFE");
                cursor.next_line();
            }
            b'|' | b'\n' | b'\r' => cursor.next_line(),
            _ => return Ok(for_ctfe),
        }
    }
}

impl Cursor<'_> {
    /// Passes an unreadable item: up to a closing brace at the start of a line, or the line itself
    /// where the item has no body.
    fn skip_item(&mut self) {
        let header = self.slice(self.pos, self.line_end());
        let one_line = header.trim_end().ends_with(';') || header.trim_end().ends_with(')');
        self.next_line();
        if one_line {
            return;
        }
        while !self.at_end() {
            let closes = self.peek() == b'}';
            let header = self.peek() != b' ' && (self.starts_with("fn ") || self.at_alloc());
            if header {
                return;
            }
            self.next_line();
            if closes {
                return;
            }
        }
    }
}
