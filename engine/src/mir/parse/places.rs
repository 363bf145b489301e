//! Reading places and operands.
use super::super::ast::{BlockId, Const, Elem, Local, Operand, Place, RuntimeChecks};
use super::super::error::Parse;
use super::cursor::{Cursor, is_ident_byte};

/// What opens a parenthesis of a place, and so tells how to read its end.
#[derive(Clone, Copy)]
enum Open {
    Deref,
    FieldOrCast,
    UnsafeBinder,
}

impl<'a> Cursor<'a> {
    pub fn local(&mut self) -> Parse<Local> {
        self.expect("_")?;
        Ok(Local(self.index()?))
    }

    pub fn block_id(&mut self) -> Parse<BlockId> {
        self.expect("bb")?;
        Ok(BlockId(self.index()?))
    }

    /// rustc prints `(*` for every dereference and `(` for every field before the local, then their
    /// ends in order; so a stack of openings reads any depth without recursion.
    pub fn place(&mut self) -> Parse<Place> {
        if self.peek() == b'_' {
            let local = self.local()?;
            if self.peek() != b'[' {
                return Ok(Place {
                    local,
                    projection: Vec::new(),
                });
            }
            let mut projection = Vec::new();
            while self.peek() == b'[' {
                projection.push(self.index_elem()?);
            }
            return Ok(Place { local, projection });
        }
        let mut open = Vec::with_capacity(8);
        loop {
            if self.eat("(*") {
                open.push(Open::Deref);
            } else if self.eat("(") {
                open.push(Open::FieldOrCast);
            } else if self.eat("unwrap_binder!(") {
                open.push(Open::UnsafeBinder);
            } else {
                break;
            }
        }
        let local = self.local()?;
        let mut projection = Vec::with_capacity(open.len());
        loop {
            while self.peek() == b'[' {
                projection.push(self.index_elem()?);
            }
            let Some(innermost) = open.pop() else {
                return Ok(Place { local, projection });
            };
            projection.push(match innermost {
                Open::Deref => Elem::Deref,
                Open::FieldOrCast if self.eat(".") => {
                    let field = self.index()?;
                    self.expect(": ")?;
                    Elem::Field(field, self.ty()?)
                }
                Open::FieldOrCast => {
                    self.expect(" as ")?;
                    self.cast_elem()?
                }
                Open::UnsafeBinder => {
                    self.expect("; ")?;
                    Elem::UnwrapUnsafeBinder(self.ty()?)
                }
            });
            self.expect(")")?;
        }
    }

    fn cast_elem(&mut self) -> Parse<Elem> {
        if self.eat("variant#") {
            return Ok(Elem::DowncastIndex(self.index()?));
        }
        if self.eat("subtype ") {
            return Ok(Elem::Subtype(self.ty()?));
        }
        let start = self.pos;
        while is_ident_byte(self.peek()) {
            self.pos += 1;
        }
        if self.pos > start && self.peek() == b')' {
            return Ok(Elem::Downcast(self.intern_range(start, self.pos)));
        }
        self.pos = start;
        Ok(Elem::OpaqueCast(self.ty()?))
    }

    fn index_elem(&mut self) -> Parse<Elem> {
        self.expect("[")?;
        let elem = if self.peek() == b'_' {
            Elem::Index(self.local()?)
        } else if self.eat(":-") {
            Elem::Subslice {
                from: 0,
                to: self.number_u64()?,
                from_end: true,
            }
        } else {
            let from_end = self.eat("-");
            let number = self.number_u64()?;
            if self.eat(" of ") {
                Elem::ConstantIndex {
                    offset: number,
                    min_length: self.number_u64()?,
                    from_end,
                }
            } else if from_end {
                return self.fail("expected ` of `");
            } else if self.eat("..") {
                Elem::Subslice {
                    from: number,
                    to: self.number_u64()?,
                    from_end: false,
                }
            } else {
                self.expect(":")?;
                let to = if self.eat("-") { self.number_u64()? } else { 0 };
                Elem::Subslice {
                    from: number,
                    to,
                    from_end: true,
                }
            }
        };
        self.expect("]")?;
        Ok(elem)
    }

    pub fn operand(&mut self) -> Parse<Operand> {
        match self.peek() {
            b'c' if self.eat("copy ") => Ok(Operand::Copy(self.place()?)),
            b'm' if self.eat("move ") => Ok(Operand::Move(self.place()?)),
            b'c' if self.eat("const ") => Ok(Operand::Const(self.const_value()?)),
            b'U' | b'C' | b'O' => match self.runtime_checks() {
                Some(checks) => Ok(Operand::RuntimeChecks(checks)),
                None => self.function_item(),
            },
            _ => self.function_item(),
        }
    }

    fn function_item(&mut self) -> Parse<Operand> {
        Ok(Operand::Const(Const::FnItem(self.path()?)))
    }

    fn runtime_checks(&mut self) -> Option<RuntimeChecks> {
        let known = [
            RuntimeChecks::UbChecks,
            RuntimeChecks::ContractChecks,
            RuntimeChecks::OverflowChecks,
        ];
        known.into_iter().find(|checks| {
            let after = self.peek_at(checks.name().len());
            !is_ident_byte(after) && after != b':' && after != b'(' && self.eat(checks.name())
        })
    }

    /// Operands with `, ` between them, up to and with the closing bracket. A tuple of one has a
    /// comma at its end.
    pub fn operands(&mut self, close: &'static str) -> Parse<Vec<Operand>> {
        let mut operands = Vec::new();
        while !self.eat(close) {
            if !operands.is_empty() {
                self.expect(",")?;
                if operands.len() == 1 && self.eat(close) {
                    break;
                }
                self.expect(" ")?;
            }
            operands.push(self.operand()?);
        }
        Ok(operands)
    }
}
