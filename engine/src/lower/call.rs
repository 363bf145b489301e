//! Terminators: branches, asserts, panics, and calls, which are inlined, modelled or leave the model.

use super::inline::Call;
use super::instance::{BodyRef, is_of_closure, last_segment};
use super::statement::overlap;
use super::types::{self, erase};
use super::value::Value;
use super::{Lowered, Lowerer, gap};
use crate::assumption::Assumption;
use crate::mir::{
    BodyKind, Const, Operand, Place, Rvalue, StatementKind, Terminator, TerminatorKind, TyKind,
};
use crate::program::{BlockId, StopKind, Terminator as End};
use std::collections::HashMap;

/// How the reason of a call ends that is neither inlined nor modelled.
pub const WITHOUT_BODY: &str = "whose body is not captured";

/// The successors of a terminator other than by unwinding.
pub fn normal_successors(kind: &TerminatorKind) -> Vec<u32> {
    match kind {
        TerminatorKind::Goto(b) => vec![b.0],
        TerminatorKind::SwitchInt {
            targets, otherwise, ..
        } => targets
            .iter()
            .map(|(_, b)| b.0)
            .chain(otherwise.iter().map(|b| b.0))
            .collect(),
        TerminatorKind::Drop { target, .. } | TerminatorKind::Assert { target, .. } => {
            vec![target.0]
        }
        TerminatorKind::Call { target, .. } => target.iter().map(|b| b.0).collect(),
        TerminatorKind::FalseEdge { real, .. } | TerminatorKind::FalseUnwind { real, .. } => {
            vec![real.0]
        }
        TerminatorKind::Yield { resume, .. } => vec![resume.0],
        TerminatorKind::InlineAsm(asm) => asm.targets.iter().map(|b| b.0).collect(),
        TerminatorKind::Return
        | TerminatorKind::Unreachable
        | TerminatorKind::UnwindResume
        | TerminatorKind::UnwindTerminate(_)
        | TerminatorKind::TailCall { .. }
        | TerminatorKind::CoroutineDrop => vec![],
    }
}

impl<'a> Lowerer<'a> {
    pub fn lower_terminator(
        &mut self,
        t: &Terminator,
        block: u32,
        blocks: &HashMap<u32, BlockId>,
        exit: BlockId,
    ) -> Lowered<()> {
        self.const_site = block;
        let to = |b: &crate::mir::BlockId| blocks[&b.0];
        match &t.kind {
            TerminatorKind::Goto(b) => self.goto(to(b)),
            TerminatorKind::SwitchInt {
                operand,
                targets,
                otherwise,
            } => {
                if let (Some(null), [(0, zero)], Some(other)) =
                    (self.null_switch(operand), targets.as_slice(), otherwise)
                {
                    self.end(End::Branch {
                        cond: null,
                        then: to(zero),
                        otherwise: to(other),
                    });
                    return Ok(());
                }
                let c = self.operand(operand)?;
                let c = self.bits(&c)?;
                self.finish_moves()?;
                for (value, target) in targets {
                    let hit = match self.pool.sort(c) {
                        crate::term::Sort::Bool if *value == 0 => self.pool.not(c),
                        crate::term::Sort::Bool => c,
                        s => {
                            let k = self.pool.bv(*value, s.width());
                            self.pool.eq(c, k)
                        }
                    };
                    let next = self.new_block();
                    self.end(End::Branch {
                        cond: hit,
                        then: to(target),
                        otherwise: next,
                    });
                    self.current = next;
                }
                match otherwise {
                    Some(b) => self.goto(to(b)),
                    None => self.end_in_stop(StopKind::Undefined("switch without a match".into())),
                }
            }
            TerminatorKind::Return => self.return_to(exit),
            TerminatorKind::Unreachable => {
                self.end_in_stop(StopKind::Undefined("unreachable code reached".into()));
            }
            TerminatorKind::UnwindResume | TerminatorKind::UnwindTerminate(_) => {
                self.end_in_stop(StopKind::Panic("unwinding".into()));
            }
            TerminatorKind::Assert {
                cond,
                expected,
                message,
                target,
                ..
            } => {
                let c = self.operand(cond)?;
                let c = self.bits(&c)?;
                self.finish_moves()?;
                let holds = if *expected { c } else { self.pool.not(c) };
                // Std's operators check for every build; code generation drops what this one does not want.
                if self.source.overflow_checks || !message.kind.is_optional() {
                    self.check(holds, StopKind::Panic(plain_message(&message.text)));
                } else {
                    self.used.insert(Assumption::OverflowDropped);
                }
                self.goto(to(target));
            }
            TerminatorKind::Drop { place, target, .. } => {
                self.lower_drop(place, block)?;
                self.goto(to(target));
            }
            TerminatorKind::Call {
                func,
                args,
                destination,
                target,
                ..
            } => {
                self.reject_overlap(args, destination)?;
                let next = target.as_ref().map(to);
                self.lower_call(func, args, destination, next, block)?;
            }
            TerminatorKind::FalseEdge { real, .. } | TerminatorKind::FalseUnwind { real, .. } => {
                self.goto(to(real));
            }
            TerminatorKind::TailCall { .. }
            | TerminatorKind::Yield { .. }
            | TerminatorKind::CoroutineDrop => return gap("coroutines and tail calls"),
            TerminatorKind::InlineAsm(_) => return gap("inline assembly"),
        }
        Ok(())
    }

    /// The successors of a terminator, without those that a constant condition excludes.
    pub fn feasible_successors(&mut self, kind: &TerminatorKind) -> Vec<u32> {
        let all = normal_successors(kind);
        let TerminatorKind::SwitchInt {
            operand,
            targets,
            otherwise,
        } = kind
        else {
            return all;
        };
        let constant = match operand {
            Operand::Const(Const::Named(p)) if p.last_name() == "IS_ZST" => true,
            Operand::RuntimeChecks(_) | Operand::Const(Const::Bool(_)) => true,
            _ => false,
        };
        if !constant {
            return all;
        }
        let value = self.operand(operand).and_then(|v| self.bits(&v));
        let Ok(Some(bits)) = value.map(|t| self.pool.as_const(t)) else {
            return all;
        };
        let taken = targets.iter().find(|(v, _)| *v == bits).map(|(_, b)| b.0);
        match taken.or(otherwise.as_ref().map(|b| b.0)) {
            Some(b) => vec![b],
            None => all,
        }
    }

    /// A moved argument is passed in place: the callee must not write its result over it.
    fn reject_overlap(&mut self, args: &[Operand], destination: &Place) -> Lowered<()> {
        for (i, a) in args.iter().enumerate() {
            let Operand::Move(p) = a else { continue };
            let twice = args.iter().enumerate().any(|(j, b)| match b {
                Operand::Move(q) => j > i && overlap(p, q),
                _ => false,
            });
            if twice && !p.projection.contains(&crate::mir::Elem::Deref) {
                let ty = self.place_type(p)?;
                if !self.leaves(&ty)?.is_empty() {
                    let no = self.pool.bool(false);
                    self.check_defined(no, "two arguments are moved out of the same place");
                }
            }
            if overlap(p, destination) {
                let ty = self.place_type(p)?;
                if self.leaves(&ty)?.is_empty() {
                    continue;
                }
                let no = self.pool.bool(false);
                self.check_defined(no, "a call returns into the place of its own argument");
            }
        }
        Ok(())
    }

    fn lower_call(
        &mut self,
        func: &Operand,
        args: &[Operand],
        destination: &Place,
        next: Option<BlockId>,
        block: u32,
    ) -> Lowered<()> {
        let path = match func {
            Operand::Const(Const::FnItem(p) | Const::Named(p)) => p.clone(),
            Operand::Const(c) => return gap(format!("a call of constant `{c:?}`")),
            Operand::Copy(p) | Operand::Move(p) => {
                let ty = self.place_type(p)?;
                match ty.kind() {
                    TyKind::FnDef { path, .. } => path.clone(),
                    _ => return self.call_pointer(func, args, destination, next, block),
                }
            }
            Operand::RuntimeChecks(_) => return gap("a call of a number"),
        };
        self.call_path(
            &path.to_string(),
            Some(&path),
            args,
            destination,
            next,
            block,
        )
    }

    /// A call through a function pointer: every possible target is tried.
    fn call_pointer(
        &mut self,
        func: &Operand,
        args: &[Operand],
        destination: &Place,
        next: Option<BlockId>,
        block: u32,
    ) -> Lowered<()> {
        let v = self.operand(func)?;
        let p = self.pointer_of(&v)?;
        let mut paths = vec![];
        for &t in &p.targets {
            match self.targets[t.0 as usize].clone() {
                super::pointer::Target::Function(path) => paths.push((t, path)),
                _ => return gap("a call through a pointer that is no function"),
            }
        }
        let call = Call {
            args,
            destination,
            next,
            block,
        };
        let key = |(_, path): &(_, String)| Self::accessed_key(path).map(str::to_owned);
        match paths.as_slice() {
            [only] if let Some(key) = key(only) => return self.access_thread_local(&key, &call),
            paths if paths.iter().any(|p| key(p).is_some()) => {
                return gap("an access to one of several thread-locals");
            }
            _ => {}
        }
        if let [(_, only)] = paths.as_slice()
            && !is_closure(only)
        {
            let only = only.clone();
            return self.call_path(&only, None, args, destination, next, block);
        }
        let mut callees = vec![];
        for (t, path) in paths {
            let body = match is_closure(&path) {
                true => self.bodies.closure(&path),
                false => self.bodies.by_path(&path, BodyKind::Fn)?,
            };
            let hit = self.tag_is(&p, t);
            let Some(body) = body else {
                // The reason asks for a body: functions of std have one only where somebody says that it is missing.
                let other = self.pool.not(hit);
                let what = format!("call of `{}`, {WITHOUT_BODY}", short(&path));
                self.check(other, StopKind::Unsupported(what));
                continue;
            };
            let values = match is_closure(&path) {
                true => self.arguments_of_closure(body, &call)?,
                false => self.arguments(body, &call)?,
            };
            callees.push((hit, body, values));
        }
        self.inline_one_of(
            &callees,
            &call,
            "a call through a pointer that is no function".into(),
        )
    }

    /// A closure that became a function pointer holds nothing, so that it does not matter where it is.
    fn arguments_of_closure(&mut self, body: BodyRef<'a>, call: &Call) -> Lowered<Vec<Value>> {
        let by_reference = body.body.args().next();
        let by_reference = by_reference.is_some_and(|l| types::pointee(&l.ty).is_some());
        let closure = match by_reference {
            true => {
                let anywhere = self.bv64(1);
                self.address_pointer(anywhere, false)
            }
            false => Value::default(),
        };
        let mut values = vec![closure];
        for (i, a) in call.args.iter().enumerate() {
            let want = body.body.locals.get(i + 2).map(|l| erase(&l.ty));
            self.in_call = true;
            let v = self.operand_as(a, want.as_ref());
            self.in_call = false;
            values.push(v?);
        }
        Ok(values)
    }

    /// Is it a call that has a model of its own? Says which kind.
    fn modelled(&mut self, path: &crate::mir::Path, call: &Call) -> Lowered<Option<Assumption>> {
        Ok(if self.intrinsic(path, call.args, call.destination)? {
            Some(Assumption::Intrinsics)
        } else if self.heap_call(path, call)? {
            Some(Assumption::Heap)
        } else if self.std_call(path, call)? {
            Some(Assumption::StdModels)
        } else if self.format_call(path, call)? {
            Some(Assumption::Formatting)
        } else {
            None
        })
    }

    fn call_path(
        &mut self,
        text: &str,
        path: Option<&crate::mir::Path>,
        args: &[Operand],
        destination: &Place,
        next: Option<BlockId>,
        block: u32,
    ) -> Lowered<()> {
        if self.nondet(text, args, destination, next)? {
            return Ok(());
        }
        let call = Call {
            args,
            destination,
            next,
            block,
        };
        if let Some((trait_ref, method)) = path.and_then(Self::trait_object_method) {
            return self.call_trait_object(trait_ref, method, &call);
        }
        if let Some(path) = path
            && self.call_boxed_once(path, &call)?
        {
            return Ok(());
        }
        if let Some(b) = self.bodies.by_path(text, BodyKind::Fn)? {
            return self.inline(b, &call, false);
        }
        let of_std = self.is_of_std(text, path);
        if of_std && text.ends_with("::precondition_check") {
            // Std's debug check of an operation whose own preconditions this model checks.
            self.used.insert(Assumption::PreconditionChecks);
            return match next {
                Some(n) => {
                    self.goto(n);
                    Ok(())
                }
                None => gap("a precondition check that does not return"),
            };
        }
        if next.is_none() && of_std {
            return self.diverge(text, args, block);
        }
        if let Some(p) = path
            && let Some(how) = self.modelled(p, &call)?
        {
            self.used.insert(how);
            self.moved.retain(|m| !overlap(m, destination));
            self.finish_moves()?;
            if let Some(n) = next {
                self.goto(n);
            }
            return Ok(());
        }
        if let Some(b) = self.resolve(text, path, args, destination)? {
            let spread = is_of_closure(&b.body.path);
            return self.inline(b, &call, spread);
        }
        if self.assumed_total(text, path, &call)? {
            return Ok(());
        }
        gap(format!("call of `{}`, {WITHOUT_BODY}", short(text)))
    }

    /// A call that never returns: a panic, an exit, an abort.
    fn diverge(&mut self, text: &str, args: &[Operand], block: u32) -> Lowered<()> {
        if text.ends_with("process::exit") {
            self.end(End::Blocked);
            return Ok(());
        }
        if text.ends_with("handle_alloc_error") {
            self.end(End::Blocked);
            return Ok(());
        }
        if text.ends_with("raw_vec::handle_error") || text.ends_with("raw_vec::capacity_overflow") {
            self.end_in_stop(StopKind::Panic("capacity overflow".into()));
            return Ok(());
        }
        let message = match self.panic_message(text, args, block) {
            Some(m) => m,
            None => return gap(format!("call of `{}`, which does not return", short(text))),
        };
        if self.is_assumed_postcondition(&message) {
            self.end(End::Blocked);
            return Ok(());
        }
        self.mark_assertion(&message, block);
        self.end_in_stop(StopKind::Panic(message));
        Ok(())
    }

    fn panic_message(&mut self, text: &str, args: &[Operand], block: u32) -> Option<String> {
        let literal = |op: &Operand| match op {
            Operand::Const(Const::Str(s)) => Some(s.to_string()),
            _ => None,
        };
        let last = last_segment(text);
        let direct = args.iter().find_map(literal);
        Some(match last {
            "panic"
            | "panic_nounwind"
            | "panic_str_2015"
            | "panic_str"
            | "begin_panic"
            | "panic_explicit"
            | "panic_display"
            | "unreachable_display" => direct
                .or_else(|| self.text_before(block))
                .unwrap_or_else(|| "explicit panic".into()),
            "panic_fmt" | "panic_nounwind_fmt" | "const_panic_fmt" => self
                .text_before(block)
                .unwrap_or_else(|| "panic with a formatted message".into()),
            "assert_failed" | "assert_failed_inner" => {
                let kind = args.iter().find_map(|a| match a {
                    Operand::Const(Const::Named(p)) => Some(p.last_name().to_string()),
                    _ => None,
                });
                match kind.as_deref() {
                    Some("Ne") => "assertion `left != right` failed".into(),
                    Some("Eq") => "assertion `left == right` failed".into(),
                    _ => "assertion failed".into(),
                }
            }
            "unwrap_failed" if text.contains("option") => {
                "called `Option::unwrap()` on a `None` value".into()
            }
            "unwrap_failed" => "called `Result::unwrap()` on an `Err` value".into(),
            "expect_failed" => direct.unwrap_or_else(|| "expect failed".into()),
            "panic_bounds_check" => "index out of bounds".into(),
            "panic_const_div_by_zero" => "attempt to divide by zero".into(),
            "panic_const_rem_by_zero" => {
                "attempt to calculate the remainder with a divisor of zero".into()
            }
            "panic_cannot_unwind" | "panic_in_cleanup" | "abort" => last.replace('_', " "),
            l if l.starts_with("panic_const_") => {
                format!("attempt to {} with overflow", &l["panic_const_".len()..])
            }
            // `strict_add` and the like
            l if text.ends_with(&format!("num::overflow_panic::{l}")) => {
                format!("attempt to {} with overflow", overflowing(l))
            }
            l if l.starts_with("slice_")
                || l.starts_with("panic")
                || l.ends_with("_panic")
                || l.ends_with("_fail")
                || l.ends_with("_failed")
                || l.starts_with("len_mismatch_fail") =>
            {
                direct.unwrap_or_else(|| l.replace('_', " "))
            }
            _ => return None,
        })
    }

    /// The last text literal that the block (or its only predecessor) mentions: the message of `panic!("..")`.
    fn text_before(&mut self, block: u32) -> Option<String> {
        let body = self.body();
        let mut at = block;
        for _ in 0..6 {
            let b = body.blocks.get(at as usize)?;
            for s in b.statements.iter().rev() {
                if let StatementKind::Assign(_, rvalue) = &s.kind
                    && let Some(m) = text_in(rvalue)
                {
                    return Some(m);
                }
            }
            let preds: Vec<u32> = body
                .blocks
                .iter()
                .filter(|p| normal_successors(&p.terminator.kind).contains(&at))
                .map(|p| p.id.0)
                .collect();
            let [only] = preds.as_slice() else {
                return None;
            };
            at = *only;
            if let TerminatorKind::Call { args, .. } = &body.blocks[at as usize].terminator.kind
                && let Some(m) = args.iter().find_map(|a| match a {
                    Operand::Const(Const::Str(s)) => Some(s.to_string()),
                    _ => None,
                })
            {
                return Some(m);
            }
            if !matches!(
                body.blocks[at as usize].terminator.kind,
                TerminatorKind::Call { .. } | TerminatorKind::Goto(_)
            ) {
                return None;
            }
        }
        None
    }

    /// A callee under another name: a method of a local impl, a closure.
    fn resolve(
        &mut self,
        text: &str,
        path: Option<&crate::mir::Path>,
        args: &[Operand],
        destination: &crate::mir::Place,
    ) -> Lowered<Option<BodyRef<'a>>> {
        if let Some(TyKind::Closure(c)) = path.and_then(|p| p.qself.as_ref()).map(|q| q.ty.kind())
            && text.contains("::call")
        {
            return Ok(self.bodies.closure(c));
        }
        let Some(path) = path else {
            return Ok(None);
        };
        let mut tys = vec![];
        for a in args {
            tys.push(self.operand_type(a)?.map(|t| erase(&t)));
        }
        let gives = erase(&self.place_type(destination)?);
        self.method_body(path, &tys, &gives)
    }

    /// Is it a function of std, and nobody else's of the same name? One inside a local impl of a trait of std is not.
    fn is_of_std(&self, text: &str, path: Option<&crate::mir::Path>) -> bool {
        let of_std = |path: &str| types::in_std(path).is_some();
        match path.and_then(|p| p.qself.as_ref()) {
            Some(qself) => {
                let adt = |ty: &crate::mir::Ty| match ty.kind() {
                    TyKind::Adt { path, .. } => Some(of_std(path)),
                    _ => None,
                };
                let trait_of_std = qself.trait_ref.as_ref().and_then(adt) == Some(true);
                trait_of_std && adt(&qself.ty).unwrap_or(true)
            }
            None => of_std(text),
        }
    }
}

/// `"index out of bounds: the length is {} but the index is {}"` without its holes.
/// What the panic says of an operation, by the name of the function that panics.
fn overflowing(operation: &str) -> &str {
    match operation {
        "sub" => "subtract",
        "mul" => "multiply",
        "div" => "divide",
        "rem" => "calculate the remainder",
        "neg" => "negate",
        "shl" => "shift left",
        "shr" => "shift right",
        other => other,
    }
}

fn plain_message(text: &str) -> String {
    // the message that the program prints is not the one that MIR prints
    if text.contains("which would overflow") {
        let words = [
            (" + ", "add"),
            (" - ", "subtract"),
            (" * ", "multiply"),
            (" / ", "divide"),
            (" % ", "calculate the remainder"),
            ("shift left", "shift left"),
            ("shift right", "shift right"),
        ];
        let word = words.iter().find(|(operator, _)| text.contains(operator));
        return format!(
            "attempt to {} with overflow",
            word.map_or("negate", |(_, w)| w)
        );
    }
    match text.split_once(": the length is") {
        Some((head, _)) => head.to_string(),
        None => text
            .replace("the remainder of", "the remainder")
            .replace("`{}` ", "")
            .replace("`{} ", "")
            .replace("{}`", "")
            .replace("  ", " "),
    }
}

fn short(text: &str) -> String {
    if text.chars().count() <= 120 {
        return text.to_string();
    }
    text.chars().take(117).collect::<String>() + "..."
}

fn text_in(rvalue: &Rvalue) -> Option<String> {
    let of = |op: &Operand| match op {
        Operand::Const(Const::Str(s)) => Some(s.to_string()),
        _ => None,
    };
    match rvalue {
        Rvalue::Use { operand, .. } | Rvalue::Cast { operand, .. } => of(operand),
        Rvalue::Aggregate(
            crate::mir::Aggregate::Array(ops) | crate::mir::Aggregate::Tuple(ops),
        ) => ops.iter().find_map(of),
        _ => None,
    }
}

/// Is this the type of a closure, and not the path of a function?
fn is_closure(name: &str) -> bool {
    name.starts_with("closure@") || name.starts_with("{closure@")
}
