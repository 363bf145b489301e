//! Reading the right side of an assignment, which may turn out to be a call.
use std::sync::Arc;

use super::super::ast::*;
use super::super::error::Parse;
use super::cursor::{Cursor, is_ident_byte};

/// What stands behind `place = `.
pub(super) enum RightSide {
    Rvalue(Rvalue),
    Call { func: Operand, args: Vec<Operand> },
    Yield(Operand),
}

impl<'a> Cursor<'a> {
    /// `target`: the type of the assigned local, which tells apart what prints alike.
    pub fn right_side(&mut self, target: Option<&Ty>) -> Parse<RightSide> {
        let rvalue = match self.peek() {
            b'c' | b'm'
                if self.starts_with("copy ")
                    || self.starts_with("move ")
                    || self.starts_with("const ") =>
            {
                let operand = self.operand()?;
                return self.after_operand(operand);
            }
            b'n' if self.eat("no_retag ") => Rvalue::Use {
                operand: self.operand()?,
                no_retag: true,
            },
            b'&' => self.borrow()?,
            b'[' => self.array()?,
            b'(' => {
                self.pos += 1;
                Rvalue::Aggregate(Aggregate::Tuple(self.operands(")")?))
            }
            b'*' => self.raw_pointer_aggregate()?,
            b'{' => self.closure()?,
            b'd' if self.eat("discriminant(") => {
                let place = self.place()?;
                self.expect(")")?;
                Rvalue::Discriminant(place)
            }
            b'd' if self.eat("deref_copy ") => Rvalue::CopyForDeref(self.place()?),
            b'y' if self.eat("yield(") => {
                let value = self.operand()?;
                self.expect(")")?;
                return Ok(RightSide::Yield(value));
            }
            b'w' if self.eat("wrap_binder!(") => {
                let operand = self.operand()?;
                self.expect("; ")?;
                let ty = self.ty()?;
                self.expect(")")?;
                Rvalue::WrapUnsafeBinder(operand, ty)
            }
            b'A'..=b'Z' => match self.operation(target)? {
                Some(rvalue) => rvalue,
                None => return self.after_path(target),
            },
            _ => return self.after_path(target),
        };
        Ok(RightSide::Rvalue(rvalue))
    }

    fn after_operand(&mut self, operand: Operand) -> Parse<RightSide> {
        if self.peek() == b'(' {
            self.pos += 1;
            return Ok(RightSide::Call {
                func: operand,
                args: self.operands(")")?,
            });
        }
        Ok(RightSide::Rvalue(if self.eat(" as ") {
            let ty = self.ty()?;
            self.expect(" (")?;
            let kind = self.cast_kind()?;
            Rvalue::Cast { operand, ty, kind }
        } else {
            Rvalue::Use {
                operand,
                no_retag: false,
            }
        }))
    }

    fn cast_kind(&mut self) -> Parse<CastKind> {
        let close = self.closing(self.pos - 1)?;
        let text = self.slice(self.pos, close);
        let kind = match CastKind::from_text(text) {
            Some(kind) => kind,
            None => CastKind::Other(self.intern(text)),
        };
        self.pos = close + 1;
        Ok(kind)
    }

    /// A path starts a call, an aggregate, or is a function item as an operand.
    fn after_path(&mut self, target: Option<&Ty>) -> Parse<RightSide> {
        let start = self.pos;
        let operand = self.operand()?;
        let Operand::Const(Const::FnItem(path)) = operand else {
            return self.after_operand(operand);
        };
        if self.peek() == b'<' || self.starts_with("(reborrow ") {
            self.pos = start;
            return Ok(RightSide::Rvalue(Rvalue::Other(self.up_to_semicolon()?)));
        }
        match self.peek() {
            b'(' => {
                self.pos += 1;
                let args = self.operands(")")?;
                Ok(if self.starts_with(" -> ") {
                    RightSide::Call {
                        func: Operand::Const(Const::FnItem(path)),
                        args,
                    }
                } else {
                    RightSide::Rvalue(Rvalue::Aggregate(Aggregate::AdtPositional(path, args)))
                })
            }
            b' ' if self.eat(" { ") => {
                let fields = self.named_operands()?;
                Ok(RightSide::Rvalue(Rvalue::Aggregate(Aggregate::AdtNamed(
                    path, fields,
                ))))
            }
            b';' if !matches!(target.map(Ty::kind), Some(TyKind::FnDef { .. })) => Ok(
                RightSide::Rvalue(Rvalue::Aggregate(Aggregate::AdtUnit(path))),
            ),
            _ => self.after_operand(Operand::Const(Const::FnItem(path))),
        }
    }

    /// Fields up to and with ` }`.
    fn named_operands(&mut self) -> Parse<Vec<(Arc<str>, Operand)>> {
        let mut fields = Vec::new();
        loop {
            let start = self.pos;
            while is_ident_byte(self.peek()) {
                self.pos += 1;
            }
            let name = self.intern_range(start, self.pos);
            self.expect(": ")?;
            fields.push((name, self.operand()?));
            if self.eat(" }") {
                return Ok(fields);
            }
            self.expect(", ")?;
        }
    }

    fn borrow(&mut self) -> Parse<Rvalue> {
        self.pos += 1;
        if self.eat("raw ") {
            let kind = if self.eat("mut ") {
                RawPtrKind::Mut
            } else {
                self.expect("const ")?;
                if self.eat("(fake) ") {
                    RawPtrKind::FakeForPtrMetadata
                } else {
                    RawPtrKind::Const
                }
            };
            return Ok(Rvalue::RawPtr {
                kind,
                place: self.place()?,
            });
        }
        if self.eat("/*tls*/ ") {
            let mutable = self.eat("mut ");
            return Ok(Rvalue::ThreadLocalRef {
                mutable,
                path: self.path()?,
            });
        }
        let lifetime = if self.peek() == b'\'' {
            let start = self.pos;
            while !matches!(self.peek(), b' ' | b'\n' | 0) {
                self.pos += 1;
            }
            let lifetime = self.intern_range(start, self.pos);
            self.expect(" ")?;
            Some(lifetime)
        } else {
            None
        };
        let kind = match self.peek() {
            b'm' if self.eat("mut ") => BorrowKind::Mut,
            b'f' if self.eat("fake shallow ") => BorrowKind::FakeShallow,
            b'f' if self.eat("fake ") => BorrowKind::FakeDeep,
            _ => BorrowKind::Shared,
        };
        Ok(Rvalue::Ref {
            lifetime,
            kind,
            place: self.place()?,
        })
    }

    fn array(&mut self) -> Parse<Rvalue> {
        let open = self.pos;
        self.pos += 1;
        if self.eat("]") {
            return Ok(Rvalue::Aggregate(Aggregate::Array(Vec::new())));
        }
        let first = self.operand()?;
        if self.eat("; ") {
            return Ok(Rvalue::Repeat(first, self.array_len(open)?));
        }
        let mut parts = vec![first];
        while !self.eat("]") {
            self.expect(", ")?;
            parts.push(self.operand()?);
        }
        Ok(Rvalue::Aggregate(Aggregate::Array(parts)))
    }

    fn raw_pointer_aggregate(&mut self) -> Parse<Rvalue> {
        self.pos += 1;
        let mutable = self.eat("mut ");
        if !mutable {
            self.expect("const ")?;
        }
        let ty = self.ty()?;
        self.expect(" from (")?;
        let parts = self.operands(")")?;
        Ok(Rvalue::Aggregate(Aggregate::RawPtr { mutable, ty, parts }))
    }

    fn closure(&mut self) -> Parse<Rvalue> {
        let close = self.closing(self.pos)?;
        let text = self.intern_range(self.pos + 1, close);
        self.pos = close + 1;
        let captures = if self.eat(" { ") {
            self.named_operands()?
        } else {
            Vec::new()
        };
        Ok(Rvalue::Aggregate(if text.starts_with("closure@") {
            Aggregate::Closure(text, captures)
        } else {
            Aggregate::Coroutine(text, captures)
        }))
    }

    /// `Add(a, b)`, `Not(a)`, `SizeOf(T)`; `None` where a struct of that name is built or called.
    fn operation(&mut self, target: Option<&Ty>) -> Parse<Option<Rvalue>> {
        let start = self.pos;
        while is_ident_byte(self.peek()) {
            self.pos += 1;
        }
        let name = self.slice(start, self.pos);
        let is_struct = matches!(target.map(Ty::kind), Some(TyKind::Adt { path, .. })
            if path.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with(':')));
        if !self.eat("(") || is_struct {
            self.pos = start;
            return Ok(None);
        }
        let rvalue = if let Some(op) = BinOp::from_name(name) {
            let left = self.operand()?;
            // One operand: a function or struct of the user's with this name.
            if !self.eat(", ") {
                self.pos = start;
                return Ok(None);
            }
            Rvalue::Binary(op, left, self.operand()?)
        } else if let Some(op) = UnOp::from_name(name) {
            if self.peek() == b')' {
                self.pos = start;
                return Ok(None);
            }
            Rvalue::Unary(op, self.operand()?)
        } else {
            match name {
                "Len" if matches!(self.peek(), b'_' | b'(') => Rvalue::Len(self.place()?),
                "SizeOf" => Rvalue::Nullary(NullOp::SizeOf(self.ty()?)),
                "AlignOf" => Rvalue::Nullary(NullOp::AlignOf(self.ty()?)),
                "OffsetOf" => {
                    let ty = self.ty()?;
                    self.expect(", ")?;
                    let fields = self.pos;
                    self.pos = self.closing(self.pos)? + 1;
                    Rvalue::Nullary(NullOp::OffsetOf(ty, self.intern_range(fields, self.pos)))
                }
                "UbChecks" => Rvalue::Nullary(NullOp::RuntimeChecks(RuntimeChecks::UbChecks)),
                "ContractChecks" => {
                    Rvalue::Nullary(NullOp::RuntimeChecks(RuntimeChecks::ContractChecks))
                }
                "ShallowInitBox" => {
                    let operand = self.operand()?;
                    self.expect(", ")?;
                    Rvalue::ShallowInitBox(operand, self.ty()?)
                }
                _ => {
                    self.pos = start;
                    return Ok(None);
                }
            }
        };
        self.expect(")")?;
        if self.starts_with(" -> ") {
            self.pos = start;
            return Ok(None);
        }
        Ok(Some(rvalue))
    }
}
