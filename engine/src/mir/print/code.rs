//! Printing places, operands, rvalues, statements and terminators.
use std::fmt::{Display, Formatter, Result};

use super::super::ast::*;
use super::{fields, list, number, tuple};

impl Display for Local {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str("_")?;
        number(f, self.0)
    }
}

impl Display for BlockId {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str("bb")?;
        number(f, self.0)
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for elem in self.projection.iter().rev() {
            match elem {
                Elem::Deref => f.write_str("(*")?,
                Elem::Index(_) | Elem::ConstantIndex { .. } | Elem::Subslice { .. } => {}
                Elem::UnwrapUnsafeBinder(_) => f.write_str("unwrap_binder!(")?,
                Elem::Field(..)
                | Elem::Downcast(_)
                | Elem::DowncastIndex(_)
                | Elem::OpaqueCast(_)
                | Elem::Subtype(_) => f.write_str("(")?,
            }
        }
        self.local.fmt(f)?;
        for elem in &self.projection {
            elem.fmt_after(f)?;
        }
        Ok(())
    }
}

impl Elem {
    /// What stands behind the place that this element projects from.
    fn fmt_after(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Elem::Deref => f.write_str(")"),
            Elem::Field(index, ty) => {
                f.write_str(".")?;
                number(f, *index)?;
                f.write_str(": ")?;
                ty.fmt(f)?;
                f.write_str(")")
            }
            Elem::Index(local) => write!(f, "[{local}]"),
            Elem::ConstantIndex {
                offset,
                min_length,
                from_end,
            } => {
                write!(
                    f,
                    "[{}{offset} of {min_length}]",
                    if *from_end { "-" } else { "" }
                )
            }
            Elem::Subslice {
                from,
                to,
                from_end: false,
            } => write!(f, "[{from}..{to}]"),
            Elem::Subslice { from, to: 0, .. } => write!(f, "[{from}:]"),
            Elem::Subslice { from: 0, to, .. } => write!(f, "[:-{to}]"),
            Elem::Subslice { from, to, .. } => write!(f, "[{from}:-{to}]"),
            Elem::Downcast(name) => write!(f, " as {name})"),
            Elem::DowncastIndex(index) => write!(f, " as variant#{index})"),
            Elem::OpaqueCast(ty) => write!(f, " as {ty})"),
            Elem::Subtype(ty) => write!(f, " as subtype {ty})"),
            Elem::UnwrapUnsafeBinder(ty) => write!(f, "; {ty})"),
        }
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Operand::Copy(place) => {
                f.write_str("copy ")?;
                place.fmt(f)
            }
            Operand::Move(place) => {
                f.write_str("move ")?;
                place.fmt(f)
            }
            Operand::Const(Const::FnItem(path)) => path.fmt(f),
            Operand::Const(constant) => {
                f.write_str("const ")?;
                constant.fmt(f)
            }
            Operand::RuntimeChecks(checks) => f.write_str(checks.name()),
        }
    }
}

impl Display for Rvalue {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Rvalue::Use { operand, no_retag } => {
                f.write_str(if *no_retag { "no_retag " } else { "" })?;
                operand.fmt(f)
            }
            Rvalue::Repeat(operand, len) => write!(f, "[{operand}; {len}]"),
            Rvalue::Ref {
                lifetime,
                kind,
                place,
            } => {
                f.write_str("&")?;
                if let Some(lifetime) = lifetime {
                    write!(f, "{lifetime} ")?;
                }
                f.write_str(match kind {
                    BorrowKind::Shared => "",
                    BorrowKind::Mut => "mut ",
                    BorrowKind::FakeDeep => "fake ",
                    BorrowKind::FakeShallow => "fake shallow ",
                })?;
                place.fmt(f)
            }
            Rvalue::RawPtr { kind, place } => {
                f.write_str(match kind {
                    RawPtrKind::Const => "&raw const ",
                    RawPtrKind::Mut => "&raw mut ",
                    RawPtrKind::FakeForPtrMetadata => "&raw const (fake) ",
                })?;
                place.fmt(f)
            }
            Rvalue::Len(place) => write!(f, "Len({place})"),
            Rvalue::Cast { operand, ty, kind } => write!(f, "{operand} as {ty} ({kind})"),
            Rvalue::Binary(op, left, right) => write!(f, "{}({left}, {right})", op.name()),
            Rvalue::Unary(op, operand) => write!(f, "{}({operand})", op.name()),
            Rvalue::Discriminant(place) => write!(f, "discriminant({place})"),
            Rvalue::Aggregate(aggregate) => aggregate.fmt(f),
            Rvalue::ShallowInitBox(operand, ty) => write!(f, "ShallowInitBox({operand}, {ty})"),
            Rvalue::CopyForDeref(place) => write!(f, "deref_copy {place}"),
            Rvalue::ThreadLocalRef { mutable, path } => {
                write!(f, "&/*tls*/ {}{path}", if *mutable { "mut " } else { "" })
            }
            Rvalue::Nullary(NullOp::SizeOf(ty)) => write!(f, "SizeOf({ty})"),
            Rvalue::Nullary(NullOp::AlignOf(ty)) => write!(f, "AlignOf({ty})"),
            Rvalue::Nullary(NullOp::OffsetOf(ty, fields)) => write!(f, "OffsetOf({ty}, {fields})"),
            Rvalue::Nullary(NullOp::RuntimeChecks(checks)) => write!(f, "{}()", checks.name()),
            Rvalue::WrapUnsafeBinder(operand, ty) => write!(f, "wrap_binder!({operand}; {ty})"),
            Rvalue::Other(text) => f.write_str(text),
        }
    }
}

impl Display for CastKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            CastKind::PointerCoercion(coercion, Some(source)) => {
                write!(f, "PointerCoercion({}, {})", coercion.name(), source.name())
            }
            CastKind::PointerCoercion(coercion, None) => {
                write!(f, "PointerCoercion({})", coercion.name())
            }
            CastKind::Other(text) => f.write_str(text),
            word => f.write_str(word.word()),
        }
    }
}

impl Display for Aggregate {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Aggregate::Array(parts) => {
                f.write_str("[")?;
                list(f, parts)?;
                f.write_str("]")
            }
            Aggregate::Tuple(parts) => tuple(f, parts),
            Aggregate::AdtUnit(path) => path.fmt(f),
            Aggregate::AdtPositional(path, parts) => {
                write!(f, "{path}(")?;
                list(f, parts)?;
                f.write_str(")")
            }
            Aggregate::AdtNamed(path, parts) => {
                write!(f, "{path} {{ ")?;
                fields(f, parts)?;
                f.write_str(" }")
            }
            Aggregate::Closure(text, captures) | Aggregate::Coroutine(text, captures) => {
                write!(f, "{{{text}}}")?;
                if captures.is_empty() {
                    return Ok(());
                }
                f.write_str(" { ")?;
                fields(f, captures)?;
                f.write_str(" }")
            }
            Aggregate::RawPtr { mutable, ty, parts } => {
                write!(f, "*{} {ty} from ", if *mutable { "mut" } else { "const" })?;
                tuple(f, parts)
            }
        }
    }
}

impl Display for StatementKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            StatementKind::Assign(place, rvalue) => write!(f, "{place} = {rvalue}"),
            StatementKind::FakeRead(cause, place) => write!(f, "FakeRead({cause}, {place})"),
            StatementKind::SetDiscriminant(place, variant) => {
                write!(f, "discriminant({place}) = {variant}")
            }
            StatementKind::Deinit(place) => write!(f, "Deinit({place})"),
            StatementKind::StorageLive(local) => write!(f, "StorageLive({local})"),
            StatementKind::StorageDead(local) => write!(f, "StorageDead({local})"),
            StatementKind::Retag(kind, place) => write!(f, "Retag({kind}{place})"),
            StatementKind::PlaceMention(place) => write!(f, "PlaceMention({place})"),
            StatementKind::AscribeUserType(text) => write!(f, "AscribeUserType({text})"),
            StatementKind::Coverage(text) => write!(f, "Coverage::{text}"),
            StatementKind::ConstEvalCounter => f.write_str("ConstEvalCounter"),
            StatementKind::Nop => f.write_str("nop"),
            StatementKind::Assume(operand) => write!(f, "assume({operand})"),
            StatementKind::CopyNonOverlapping { dst, src, count } => {
                write!(
                    f,
                    "copy_nonoverlapping(dst = {dst}, src = {src}, count = {count})"
                )
            }
            StatementKind::BackwardIncompatibleDropHint(place, reason) if reason.is_empty() => {
                write!(f, "BackwardIncompatibleDropHint({place})")
            }
            StatementKind::BackwardIncompatibleDropHint(place, reason) => {
                write!(f, "BackwardIncompatibleDropHint({place}, {reason})")
            }
        }
    }
}

impl Display for UnwindAction {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            UnwindAction::Continue => f.write_str("unwind continue"),
            UnwindAction::Unreachable => f.write_str("unwind unreachable"),
            UnwindAction::Terminate(reason) => write!(f, "unwind terminate({reason})"),
            UnwindAction::Cleanup(block) => write!(f, "unwind: {block}"),
        }
    }
}

impl Display for TerminatorKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            TerminatorKind::Goto(target) => write!(f, "goto -> {target}"),
            TerminatorKind::SwitchInt {
                operand,
                targets,
                otherwise,
            } => {
                write!(f, "switchInt({operand}) -> ")?;
                if let (true, Some(only)) = (targets.is_empty(), otherwise) {
                    return only.fmt(f);
                }
                f.write_str("[")?;
                for (index, (value, target)) in targets.iter().enumerate() {
                    write!(f, "{}{value}: {target}", if index > 0 { ", " } else { "" })?;
                }
                if let Some(otherwise) = otherwise {
                    write!(f, ", otherwise: {otherwise}")?;
                }
                f.write_str("]")
            }
            TerminatorKind::Return => f.write_str("return"),
            TerminatorKind::Unreachable => f.write_str("unreachable"),
            TerminatorKind::UnwindResume => f.write_str("resume"),
            TerminatorKind::UnwindTerminate(reason) => write!(f, "terminate({reason})"),
            TerminatorKind::Drop {
                place,
                target,
                unwind,
                drop,
            } => {
                write!(f, "drop({place}) -> [return: {target}")?;
                match (unwind, drop) {
                    (UnwindAction::Cleanup(_), Some(drop)) => {
                        write!(f, ", {unwind}, drop: {drop}]")
                    }
                    (_, Some(drop)) => write!(f, ", drop: {drop}, {unwind}]"),
                    (_, None) => write!(f, ", {unwind}]"),
                }
            }
            TerminatorKind::Call {
                func,
                args,
                destination,
                target,
                unwind,
            } => {
                write!(f, "{destination} = {func}(")?;
                list(f, args)?;
                match (target, unwind) {
                    (Some(target), unwind) => write!(f, ") -> [return: {target}, {unwind}]"),
                    (None, UnwindAction::Cleanup(cleanup)) => write!(f, ") -> {cleanup}"),
                    (None, unwind) => write!(f, ") -> {unwind}"),
                }
            }
            TerminatorKind::TailCall { func, args } => {
                write!(f, "tailcall {func}(")?;
                list(f, args)?;
                f.write_str(")")
            }
            TerminatorKind::Assert {
                cond,
                expected,
                message,
                target,
                unwind,
            } => {
                write!(
                    f,
                    "assert({}{cond}, \"{}\"",
                    if *expected { "" } else { "!" },
                    message.text
                )?;
                for arg in &message.args {
                    write!(f, ", {arg}")?;
                }
                write!(f, ") -> [success: {target}, {unwind}]")
            }
            TerminatorKind::Yield {
                value,
                resume_arg,
                resume,
                drop,
            } => {
                write!(f, "{resume_arg} = yield({value}) -> ")?;
                match drop {
                    Some(drop) => write!(f, "[resume: {resume}, drop: {drop}]"),
                    None => resume.fmt(f),
                }
            }
            TerminatorKind::CoroutineDrop => f.write_str("coroutine_drop"),
            TerminatorKind::FalseEdge { real, imaginary } => {
                write!(f, "falseEdge -> [real: {real}, imaginary: {imaginary}]")
            }
            TerminatorKind::FalseUnwind { real, unwind } => {
                write!(f, "falseUnwind -> [real: {real}, {unwind}]")
            }
            TerminatorKind::InlineAsm(asm) => asm.fmt(f),
        }
    }
}

impl Display for InlineAsm {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "asm!({})", self.text)?;
        match (&self.targets[..], &self.unwind) {
            ([], None) => Ok(()),
            ([], Some(UnwindAction::Cleanup(cleanup))) => write!(f, " -> {cleanup}"),
            ([], Some(unwind)) => write!(f, " -> {unwind}"),
            ([only], None) => write!(f, " -> {only}"),
            (targets, unwind) => {
                f.write_str(" -> [")?;
                let returns = !self.text.contains("NORETURN");
                for (index, target) in targets.iter().enumerate() {
                    let label = if index == 0 && returns {
                        "return"
                    } else {
                        "label"
                    };
                    write!(f, "{}{label}: {target}", if index > 0 { ", " } else { "" })?;
                }
                match unwind {
                    Some(unwind) => write!(f, ", {unwind}]"),
                    None => f.write_str("]"),
                }
            }
        }
    }
}
