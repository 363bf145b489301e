//! Reading constants.
use std::sync::Arc;

use super::super::ast::{AllocPointer, Const, ConstFields, IntTy};
use super::super::error::Parse;
use super::cursor::{Cursor, is_ident_byte};

impl<'a> Cursor<'a> {
    /// A constant behind the word `const`, or inside another constant.
    pub fn const_value(&mut self) -> Parse<Const> {
        let value = self.nested(Self::const_unguarded)?;
        if self.eat(" is ") {
            let pattern = self.bounds_text()?;
            return Ok(Const::Pattern {
                value: Box::new(value),
                pattern,
            });
        }
        Ok(value)
    }

    fn const_unguarded(&mut self) -> Parse<Const> {
        match self.peek() {
            b'0'..=b'9' | b'-' | b'+' => self.numeric(),
            b'"' => self.string(),
            b'\'' => self.character(),
            b'b' if self.peek_at(1) == b'"' => {
                self.pos += 1;
                Ok(Const::ByteStr(self.bytes_between_quotes()?))
            }
            b'*' if self.peek_at(1) == b'b' => {
                self.pos += 2;
                Ok(Const::ByteArray(self.bytes_between_quotes()?))
            }
            b'&' => {
                self.pos += 1;
                Ok(Const::Ref(Box::new(self.const_value()?)))
            }
            b'(' => self.const_tuple(),
            b'[' => {
                self.pos += 1;
                Ok(Const::Array(self.const_list("]")?))
            }
            b'{' => self.const_braces(),
            b'<' if self.eat("<uninit>") => Ok(Const::Uninit),
            b'<' if self.starts_with("<static(") => {
                let close = self.closing(self.pos)?;
                let text = self.intern_range(self.pos + "<static(".len(), close - 1);
                self.pos = close + 1;
                Ok(Const::Static(text))
            }
            b'Z' if self.eat("ZeroSized: ") => Ok(Const::ZeroSized(self.ty()?)),
            b't' if self.word("true") => Ok(Const::Bool(true)),
            b'f' if self.word("false") => Ok(Const::Bool(false)),
            b'_' if !is_ident_byte(self.peek_at(1)) && self.peek_at(1) != b':' => {
                self.pos += 1;
                Ok(Const::Other("_".into()))
            }
            b'N' => match self.nan() {
                Some(constant) => Ok(constant),
                None => self.const_path(),
            },
            b'S' | b'I' => match self.unevaluated_memory()? {
                Some(constant) => Ok(constant),
                None => self.const_path(),
            },
            b'i' | b'u' => match self.limit() {
                Some(constant) => Ok(constant),
                None => self.const_path(),
            },
            _ => self.const_path(),
        }
    }

    /// Eats a whole word.
    fn word(&mut self, word: &str) -> bool {
        let after = self.peek_at(word.len());
        !is_ident_byte(after) && after != b':' && self.eat(word)
    }

    fn numeric(&mut self) -> Parse<Const> {
        let start = self.pos;
        let negative = self.eat("-");
        if self.eat("Inf_") || self.eat("+Inf_") {
            return self.float_suffix(start);
        }
        let magnitude = self.number();
        match self.peek() {
            b'_' => {
                self.pos += 1;
                let name = self.pos;
                while is_ident_byte(self.peek()) {
                    self.pos += 1;
                }
                let Some(ty) = IntTy::from_name(self.slice(name, self.pos)) else {
                    return self.fail_at(name, "expected an integer type");
                };
                let magnitude = magnitude?;
                let bits = if negative {
                    magnitude.wrapping_neg()
                } else {
                    magnitude
                } & ty.mask();
                Ok(Const::Int { bits, ty })
            }
            b'.' | b'E' | b'f' => {
                while matches!(self.peek(), b'0'..=b'9' | b'.' | b'E' | b'+' | b'-') {
                    self.pos += 1;
                }
                self.float_suffix(start)
            }
            _ => Ok(Const::UntypedInt {
                negative,
                magnitude: magnitude?,
            }),
        }
    }

    fn float_suffix(&mut self, start: usize) -> Parse<Const> {
        let text = self.intern_range(start, self.pos);
        self.expect("f")?;
        let bits = match self.index()? {
            bits @ (16 | 32 | 64 | 128) => bits as u16,
            _ => return self.fail("expected a float type"),
        };
        Ok(Const::Float { text, bits })
    }

    fn nan(&mut self) -> Option<Const> {
        let start = self.pos;
        if self.eat("NaN_") {
            if let Ok(constant) = self.float_suffix(start) {
                return Some(constant);
            }
            self.pos = start;
        }
        None
    }

    /// `i32::MAX`, `u8::MAX`.
    pub fn limit(&mut self) -> Option<Const> {
        let rest = self.rest();
        let length = rest.iter().take(6).position(|byte| *byte == b':')?;
        let ty = IntTy::from_name(self.slice(self.pos, self.pos + length))?;
        let after = self.peek_at(length + 5);
        if is_ident_byte(after) || after == b':' {
            return None;
        }
        let bits = match rest.get(length..length + 5)? {
            b"::MIN" => ty.min_bits(),
            b"::MAX" => ty.max_bits(),
            _ => return None,
        };
        self.pos += length + 5;
        Some(Const::Int { bits, ty })
    }

    fn string(&mut self) -> Parse<Const> {
        let start = self.pos;
        let end = self.string_end(start);
        let inner = self.slice(start + 1, end.saturating_sub(1));
        let mut value = String::with_capacity(inner.len());
        let mut chars = inner.chars();
        while let Some(char) = chars.next() {
            match char {
                '\\' => match unescape(&mut chars) {
                    Some(escaped) => value.push(escaped),
                    None => return self.fail("unknown escape in this string"),
                },
                '\n' => return self.fail("this string does not end on its line"),
                char => value.push(char),
            }
        }
        if self.bytes.get(end - 1) != Some(&b'"') || end < start + 2 {
            return self.fail("this string does not end");
        }
        self.pos = end;
        Ok(Const::Str(value.into()))
    }

    fn character(&mut self) -> Parse<Const> {
        let Some(end) = self.char_literal_end(self.pos) else {
            return self.fail("expected a character");
        };
        let inner = self.slice(self.pos + 1, end - 1);
        let mut chars = inner.chars();
        let value = match chars.next() {
            Some('\\') => unescape(&mut chars),
            other => other,
        };
        match (value, chars.next()) {
            (Some(value), None) => {
                self.pos = end;
                Ok(Const::Char(value))
            }
            _ => self.fail("expected a character"),
        }
    }

    fn bytes_between_quotes(&mut self) -> Parse<Arc<[u8]>> {
        let start = self.pos;
        self.expect("\"")?;
        let mut value = Vec::new();
        loop {
            let byte = match self.peek() {
                b'"' => break,
                b'\\' => {
                    self.pos += 1;
                    match self.peek() {
                        b'x' => {
                            let digits = self.slice(self.pos + 1, self.pos + 3);
                            let Ok(byte) = u8::from_str_radix(digits, 16) else {
                                return self.fail("expected two hexadecimal digits");
                            };
                            self.pos += 2;
                            byte
                        }
                        b'n' => b'\n',
                        b't' => b'\t',
                        b'r' => b'\r',
                        b'0' => 0,
                        byte @ (b'\\' | b'"' | b'\'') => byte,
                        _ => return self.fail("unknown escape in this byte string"),
                    }
                }
                b'\n' | 0 => return self.fail_at(start, "this byte string does not end"),
                byte => byte,
            };
            value.push(byte);
            self.pos += 1;
        }
        self.pos += 1;
        Ok(value.into())
    }

    fn const_tuple(&mut self) -> Parse<Const> {
        self.pos += 1;
        let parts = self.const_list(")")?;
        Ok(Const::Tuple(parts))
    }

    /// Constants up to and with the closing bracket; `(1_u8,)` has a comma at its end.
    fn const_list(&mut self, close: &'static str) -> Parse<Vec<Const>> {
        let mut parts = Vec::new();
        while !self.eat(close) {
            if !parts.is_empty() {
                self.expect(",")?;
                if parts.len() == 1 && self.eat(close) {
                    break;
                }
                self.expect(" ")?;
            }
            parts.push(self.const_value()?);
        }
        Ok(parts)
    }

    fn const_braces(&mut self) -> Parse<Const> {
        let start = self.pos;
        let close = self.closing(start)?;
        let constant = if self.starts_with("{alloc") {
            self.pos += 1;
            let pointer = self.alloc_pointer()?;
            self.expect(": ")?;
            Const::Alloc {
                pointer,
                ty: self.ty()?,
            }
        } else if self.eat("{0x") {
            let digits = self.hex_digits();
            self.expect(" as ")?;
            Const::Address {
                digits,
                ty: self.ty()?,
            }
        } else if self.eat("{transmute(0x") {
            let digits = self.hex_digits();
            self.expect("): ")?;
            Const::Transmute {
                digits,
                ty: self.ty()?,
            }
        } else {
            self.pos = close;
            Const::Other(self.intern_range(start, close + 1))
        };
        self.expect("}")?;
        Ok(constant)
    }

    fn hex_digits(&mut self) -> Arc<str> {
        let start = self.pos;
        while self.peek().is_ascii_hexdigit() {
            self.pos += 1;
        }
        self.intern_range(start, self.pos)
    }

    /// `alloc1`, `alloc1+0x8`, `a1<imm>`.
    pub fn alloc_pointer(&mut self) -> Parse<AllocPointer> {
        let short = !self.eat("alloc");
        if short {
            self.expect("a")?;
        }
        let alloc = self.index()?;
        let offset = if self.eat("+0x") {
            let digits = self.hex_digits();
            match u64::from_str_radix(&digits, 16) {
                Ok(offset) => offset,
                Err(_) => return self.fail("expected a hexadecimal offset"),
            }
        } else {
            0
        };
        let immutable = self.eat("<imm>");
        Ok(AllocPointer {
            alloc,
            offset,
            immutable,
            short,
        })
    }

    /// Values that rustc has no syntax for print as its own data structure, then their type.
    fn unevaluated_memory(&mut self) -> Parse<Option<Const>> {
        if self.eat("Slice { alloc_id: alloc") {
            let alloc = self.index()?;
            self.expect(", meta: ")?;
            let meta = self.number_u64()?;
            self.expect(" }: ")?;
            return Ok(Some(Const::Slice {
                alloc,
                meta,
                ty: self.ty()?,
            }));
        }
        if self.eat("Indirect { alloc_id: alloc") {
            let alloc = self.index()?;
            self.expect(", offset: Size(")?;
            let offset = self.number_u64()?;
            self.expect(" bytes) }: ")?;
            return Ok(Some(Const::Indirect {
                alloc,
                offset,
                ty: self.ty()?,
            }));
        }
        if self.eat("Scalar(") {
            let close = self.closing(self.pos - 1)?;
            let text = self.intern_range(self.pos, close);
            self.pos = close;
            self.expect("): ")?;
            return Ok(Some(Const::Scalar {
                text,
                ty: self.ty()?,
            }));
        }
        Ok(None)
    }

    fn const_path(&mut self) -> Parse<Const> {
        let path = self.path()?;
        if self.eat(" {{ ") {
            let fields = ConstFields::Named(self.const_fields(" }}")?);
            return Ok(Const::Adt { path, fields });
        }
        if self.eat(" { ") {
            let fields = ConstFields::NamedInType(self.const_fields(" }")?);
            return Ok(Const::Adt { path, fields });
        }
        // A call through a constant function pointer goes on with operands or nothing.
        let called = ["(copy ", "(move ", "(const ", "() -> "]
            .iter()
            .any(|args| self.starts_with(args));
        if self.peek() == b'(' && !called {
            self.pos += 1;
            let fields = self.const_list(")")?;
            return Ok(Const::Adt {
                path,
                fields: ConstFields::Positional(fields),
            });
        }
        Ok(Const::Named(path))
    }
}

impl<'a> Cursor<'a> {
    /// Named fields up to and with the closing braces.
    fn const_fields(&mut self, close: &'static str) -> Parse<Vec<(Arc<str>, Const)>> {
        let mut fields = Vec::new();
        while !self.eat(close) {
            if !fields.is_empty() {
                self.expect(", ")?;
            }
            let start = self.pos;
            while is_ident_byte(self.peek()) {
                self.pos += 1;
            }
            let name = self.intern_range(start, self.pos);
            self.expect(": ")?;
            fields.push((name, self.const_value()?));
        }
        Ok(fields)
    }
}

/// The character behind a backslash of rustc's `Debug` output.
fn unescape(chars: &mut std::str::Chars<'_>) -> Option<char> {
    match chars.next()? {
        'n' => Some('\n'),
        't' => Some('\t'),
        'r' => Some('\r'),
        '0' => Some('\0'),
        char @ ('\\' | '"' | '\'') => Some(char),
        'u' => {
            let rest = chars.as_str();
            let close = rest.find('}')?;
            let code = u32::from_str_radix(rest.get(..close)?.strip_prefix('{')?, 16).ok()?;
            *chars = rest[close + 1..].chars();
            char::from_u32(code)
        }
        _ => None,
    }
}
