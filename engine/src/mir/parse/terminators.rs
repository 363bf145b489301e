//! Reading terminators and the blocks they lead to.
use std::sync::Arc;

use super::super::ast::*;
use super::super::error::Parse;
use super::cursor::Cursor;
use super::rvalues::RightSide;

/// Everything an arrow can lead to, before it is known what the terminator needs of it.
#[derive(Default)]
pub(super) struct Successors {
    /// `-> bb1`, one block without a label.
    only: Option<BlockId>,
    labelled: Vec<(Label, BlockId)>,
    unwind: Option<UnwindAction>,
}

#[derive(Clone, Copy, PartialEq)]
enum Label {
    Return,
    Unwind,
    Success,
    Otherwise,
    Resume,
    Drop,
    Real,
    Imaginary,
    Assembly,
    Value(u128),
}

impl Successors {
    fn take(&self, label: Label) -> Option<BlockId> {
        self.labelled
            .iter()
            .find(|(found, _)| *found == label)
            .map(|(_, block)| *block)
    }
    fn unwind(&self) -> UnwindAction {
        match (self.take(Label::Unwind), &self.unwind) {
            (Some(cleanup), _) => UnwindAction::Cleanup(cleanup),
            (None, Some(action)) => action.clone(),
            (None, None) => UnwindAction::Continue,
        }
    }
}

impl<'a> Cursor<'a> {
    /// A terminator that does not start with a place; `None` if this is a statement.
    pub fn terminator(&mut self) -> Parse<Option<TerminatorKind>> {
        let kind = match self.peek() {
            b'g' if self.eat("goto") => TerminatorKind::Goto(self.only_successor()?),
            b's' if self.eat("switchInt(") => {
                let operand = self.operand()?;
                self.expect(")")?;
                self.switch_targets(operand)?
            }
            b'r' if self.eat("return") => TerminatorKind::Return,
            b'r' if self.eat("resume") => TerminatorKind::UnwindResume,
            b'u' if self.eat("unreachable") => TerminatorKind::Unreachable,
            b't' if self.eat("terminate(") => TerminatorKind::UnwindTerminate(self.reason()?),
            b't' if self.eat("tailcall ") => {
                let func = self.operand()?;
                self.expect("(")?;
                TerminatorKind::TailCall {
                    func,
                    args: self.operands(")")?,
                }
            }
            b'd' if self.eat("drop(") => self.drop_terminator()?,
            b'a' if self.eat("assert(") => self.assert_terminator()?,
            b'a' if self.eat("asm!(") => self.inline_asm()?,
            b'c' if self.eat("coroutine_drop") => TerminatorKind::CoroutineDrop,
            b'f' if self.eat("falseEdge") => {
                let successors = self.successors()?;
                match (
                    successors.take(Label::Real),
                    successors.take(Label::Imaginary),
                ) {
                    (Some(real), Some(imaginary)) => TerminatorKind::FalseEdge { real, imaginary },
                    _ => return self.fail("expected a real and an imaginary block"),
                }
            }
            b'f' if self.eat("falseUnwind") => {
                let successors = self.successors()?;
                match successors.take(Label::Real) {
                    Some(real) => TerminatorKind::FalseUnwind {
                        real,
                        unwind: successors.unwind(),
                    },
                    None => return self.fail("expected a real block"),
                }
            }
            _ => return Ok(None),
        };
        Ok(Some(kind))
    }

    pub fn call(
        &mut self,
        destination: Place,
        func: Operand,
        args: Vec<Operand>,
    ) -> Parse<TerminatorKind> {
        let successors = self.successors()?;
        // One block and no label: it is what happens when a call that never returns unwinds.
        let unwind = match successors.only {
            Some(cleanup) => UnwindAction::Cleanup(cleanup),
            None => successors.unwind(),
        };
        let target = successors.take(Label::Return);
        Ok(TerminatorKind::Call {
            func,
            args,
            destination,
            target,
            unwind,
        })
    }

    pub fn yield_terminator(&mut self, resume_arg: Place, value: Operand) -> Parse<TerminatorKind> {
        let successors = self.successors()?;
        match successors.only.or(successors.take(Label::Resume)) {
            Some(resume) => {
                let drop = successors.take(Label::Drop);
                Ok(TerminatorKind::Yield {
                    value,
                    resume_arg,
                    resume,
                    drop,
                })
            }
            None => self.fail("expected a block to resume at"),
        }
    }

    /// An assignment is a statement unless its right side is a call or a yield.
    pub fn assignment(
        &mut self,
        locals: &[LocalDecl],
    ) -> Parse<Result<StatementKind, TerminatorKind>> {
        let place = self.place()?;
        self.expect(" = ")?;
        let target = place
            .as_local()
            .and_then(|local| locals.get(local.0 as usize));
        Ok(match self.right_side(target.map(|decl| &decl.ty))? {
            RightSide::Rvalue(rvalue) => Ok(StatementKind::Assign(place, rvalue)),
            RightSide::Call { func, args } => Err(self.call(place, func, args)?),
            RightSide::Yield(value) => Err(self.yield_terminator(place, value)?),
        })
    }

    fn only_successor(&mut self) -> Parse<BlockId> {
        self.expect(" -> ")?;
        self.block_id()
    }

    /// ` -> bb1`, ` -> unwind continue`, ` -> [return: bb1, unwind: bb2]`, or nothing.
    fn successors(&mut self) -> Parse<Successors> {
        let mut successors = Successors::default();
        if !self.eat(" -> ") {
            return Ok(successors);
        }
        if self.peek() == b'b' {
            successors.only = Some(self.block_id()?);
            return Ok(successors);
        }
        if !self.eat("[") {
            self.expect("unwind ")?;
            successors.unwind = Some(self.unwind_action()?);
            return Ok(successors);
        }
        loop {
            if self.eat("unwind ") {
                successors.unwind = Some(self.unwind_action()?);
            } else {
                let label = self.label()?;
                self.expect(": ")?;
                successors.labelled.push((label, self.block_id()?));
            }
            if self.eat("]") {
                return Ok(successors);
            }
            self.expect(", ")?;
        }
    }

    fn label(&mut self) -> Parse<Label> {
        if self.peek().is_ascii_digit() {
            return Ok(Label::Value(self.number()?));
        }
        let known = [
            ("return", Label::Return),
            ("unwind", Label::Unwind),
            ("success", Label::Success),
            ("otherwise", Label::Otherwise),
            ("resume", Label::Resume),
            ("drop", Label::Drop),
            ("real", Label::Real),
            ("imaginary", Label::Imaginary),
            ("label", Label::Assembly),
        ];
        match known.iter().find(|(name, _)| self.eat(name)) {
            Some((_, label)) => Ok(*label),
            None => self.fail("expected a label"),
        }
    }

    fn unwind_action(&mut self) -> Parse<UnwindAction> {
        if self.eat("continue") {
            Ok(UnwindAction::Continue)
        } else if self.eat("unreachable") {
            Ok(UnwindAction::Unreachable)
        } else {
            self.expect("terminate(")?;
            Ok(UnwindAction::Terminate(self.reason()?))
        }
    }

    fn reason(&mut self) -> Parse<Arc<str>> {
        let start = self.pos;
        while self.peek().is_ascii_alphabetic() || self.peek() == b'_' {
            self.pos += 1;
        }
        let reason = self.intern_range(start, self.pos);
        self.expect(")")?;
        Ok(reason)
    }

    fn switch_targets(&mut self, operand: Operand) -> Parse<TerminatorKind> {
        let successors = self.successors()?;
        let otherwise = successors.only.or(successors.take(Label::Otherwise));
        let mut targets = Vec::with_capacity(successors.labelled.len());
        for (label, block) in successors.labelled {
            match label {
                Label::Value(value) => targets.push((value, block)),
                Label::Otherwise => {}
                _ => return self.fail("expected a value or `otherwise`"),
            }
        }
        Ok(TerminatorKind::SwitchInt {
            operand,
            targets,
            otherwise,
        })
    }

    fn drop_terminator(&mut self) -> Parse<TerminatorKind> {
        let place = self.place()?;
        self.expect(")")?;
        let successors = self.successors()?;
        let Some(target) = successors.take(Label::Return) else {
            return self.fail("expected the block after the drop");
        };
        let drop = successors.take(Label::Drop);
        Ok(TerminatorKind::Drop {
            place,
            target,
            unwind: successors.unwind(),
            drop,
        })
    }

    fn assert_terminator(&mut self) -> Parse<TerminatorKind> {
        let expected = !self.eat("!");
        let cond = self.operand()?;
        self.expect(", \"")?;
        let end = self.string_end(self.pos - 1);
        let text = self.intern_range(self.pos, end.saturating_sub(1));
        self.pos = end;
        let mut args = Vec::new();
        while self.eat(", ") {
            args.push(self.operand()?);
        }
        self.expect(")")?;
        let successors = self.successors()?;
        let Some(target) = successors.take(Label::Success) else {
            return self.fail("expected the block after the assertion");
        };
        let message = AssertMessage {
            kind: AssertKind::from_text(&text),
            text,
            args,
        };
        Ok(TerminatorKind::Assert {
            cond,
            expected,
            message,
            target,
            unwind: successors.unwind(),
        })
    }

    /// The template is printed without escapes, so its end is the last quote before the operands.
    fn inline_asm(&mut self) -> Parse<TerminatorKind> {
        let start = self.pos;
        let Some(options) = memchr::memmem::find(self.rest(), b", options(") else {
            return self.fail("expected the options of inline assembly");
        };
        let options = start + options + ", options".len();
        let end = self.closing(options)? + 1;
        let head = self.slice(start, options);
        let operands = [
            "\", in(",
            "\", out(",
            "\", lateout(",
            "\", inout(",
            "\", inlateout(",
            "\", const ",
            "\", sym_fn ",
            "\", sym_static ",
            "\", label ",
        ];
        let first = operands.iter().filter_map(|word| head.find(word)).min();
        let text = self.intern_range(start, end);
        let (inputs, outputs) = match first {
            Some(quote) => {
                self.recount_line(start + quote + 1);
                self.asm_operands()?
            }
            None => (Vec::new(), Vec::new()),
        };
        self.recount_line(end);
        self.expect(")")?;
        let successors = self.successors()?;
        let mut targets: Vec<BlockId> = successors.only.into_iter().collect();
        let labelled = successors
            .labelled
            .iter()
            .filter(|(label, _)| *label != Label::Unwind);
        targets.extend(labelled.map(|(_, block)| *block));
        let diverges = successors.only.is_some();
        let has_unwind = successors.unwind.is_some() || successors.take(Label::Unwind).is_some();
        let unwind = (has_unwind && !diverges).then(|| successors.unwind());
        Ok(TerminatorKind::InlineAsm(InlineAsm {
            text,
            inputs,
            outputs,
            targets,
            unwind,
        }))
    }

    fn asm_operands(&mut self) -> Parse<(Vec<Operand>, Vec<Place>)> {
        let mut inputs = Vec::new();
        let mut outputs = Vec::new();
        while self.eat(", ") {
            if self.starts_with("options(") {
                break;
            } else if self.eat("const ") || self.eat("sym_fn ") {
                inputs.push(self.operand()?);
            } else if self.eat("label ") {
                self.index()?;
            } else if self.eat("sym_static ") {
                while !matches!(self.peek(), b',' | b'\n' | 0) {
                    let bracket = matches!(self.peek(), b'(' | b'[' | b'<' | b'{');
                    self.pos = if bracket {
                        self.closing(self.pos)?
                    } else {
                        self.pos
                    } + 1;
                }
            } else {
                self.asm_register(&mut inputs, &mut outputs)?;
            }
        }
        Ok((inputs, outputs))
    }

    /// `in(reg) copy _1`, `lateout("cx") _`, `inout(reg) copy _1 => _2`
    fn asm_register(&mut self, inputs: &mut Vec<Operand>, outputs: &mut Vec<Place>) -> Parse<()> {
        let reads = self.eat("in");
        let _ = self.eat("late");
        let writes = self.eat("out");
        if !(reads || writes) || self.peek() != b'(' {
            return self.fail("expected an operand of inline assembly");
        }
        self.pos = self.closing(self.pos)? + 1;
        self.expect(" ")?;
        if reads {
            inputs.push(self.operand()?);
        }
        if !writes {
            return Ok(());
        }
        if reads {
            self.expect(" => ")?;
        }
        if self.peek() == b'_' && !self.peek_at(1).is_ascii_digit() {
            self.pos += 1;
        } else {
            outputs.push(self.place()?);
        }
        Ok(())
    }
}
