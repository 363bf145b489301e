//! What a closure captures. MIR prints one operand for each variable that a closure names, and a closure that captures
//! several parts of one variable has more: the last ones are missing in the text.
//!
//! What borrows a part is a temporary that MIR building makes just before, in the order of the captures, and that nothing
//! else reads. The closure's own body tells how many captures there are and which of them borrow. Where all that is
//! missing borrows, and there are as many such temporaries as captures missing, they are the operands. Parts that are
//! captured by value leave no trace: such a closure has no model.

use super::instance::is_of_closure;
use super::types::erase;
use super::{Lowered, Lowerer, gap};
use crate::mir::{
    Body, DebugValue, Elem, Local, Operand, Place, Rvalue, Statement, StatementKind, Ty, TyKind,
};
use std::sync::Arc;

const NOT_PRINTED: &str = "an aggregate whose operands MIR does not print: a closure that captures several parts of one variable";

impl Lowerer<'_> {
    /// All operands of the closure that the statement at hand makes.
    pub fn captures(
        &mut self,
        printed: &[(Arc<str>, Operand)],
        into: &Ty,
    ) -> Lowered<Vec<Operand>> {
        let mut operands: Vec<Operand> = printed.iter().map(|(_, o)| o.clone()).collect();
        let read = self.shapes.fields(into);
        let is_printed = |i: u32| (i as usize) < printed.len();
        let borrows = match into.kind() {
            TyKind::Closure(text) => self.borrowed(text),
            _ => None,
        };
        let is_whole = borrows.as_ref().is_none_or(|b| b.len() <= printed.len());
        if is_whole && read.iter().all(|((_, i), _)| is_printed(*i)) {
            return Ok(operands);
        }
        let Some(missing) = borrows.and_then(|b| self.not_printed(printed, &b)) else {
            return gap(NOT_PRINTED);
        };
        for temporary in missing {
            let i = operands.len() as u32;
            let Some(have) = self.body().local(temporary).map(|l| erase(&l.ty)) else {
                return gap(NOT_PRINTED);
            };
            if read.iter().any(|((_, k), t)| *k == i && *t != have) {
                return gap(NOT_PRINTED);
            }
            operands.push(Operand::Move(Place::local(temporary)));
        }
        self.used.insert(crate::assumption::Assumption::Captures);
        Ok(operands)
    }

    /// Of each capture, whether it borrows: `debug a => (*(_1.0: &u8))` does. Every capture has such a line in the
    /// closure's body; all bodies of this type must agree.
    fn borrowed(&self, closure: &str) -> Option<Vec<bool>> {
        let files = self.source.files.iter().chain(&self.source.as_written);
        let bodies = files.flat_map(|f| &f.bodies);
        let of_it = bodies.filter(|body| {
            let first = body.args().next().map(|l| &l.ty);
            let ty = first.map(|ty| super::types::pointee(ty).unwrap_or(ty));
            is_of_closure(&body.path)
                && ty.is_some_and(|ty| matches!(ty.kind(), TyKind::Closure(t) if **t == *closure))
        });
        let mut told = of_it.map(borrowed_in);
        let first = told.next()??;
        told.all(|other| other.as_ref() == Some(&first))
            .then_some(first)
    }

    /// The temporaries of the captures that are not printed.
    fn not_printed(&self, printed: &[(Arc<str>, Operand)], borrows: &[bool]) -> Option<Vec<Local>> {
        let missing = borrows.get(printed.len()..)?;
        if missing.iter().any(|borrowed| !borrowed) {
            return None;
        }
        let body = self.body();
        let block = body.blocks.get(self.mir_block as usize)?;
        let aggregate = block.statements.get(self.statement as usize)?;
        // what the compiler made for the closure stands where the closure does
        aggregate.source_info.span.as_ref()?;
        let before = block.statements[..self.statement as usize].iter().rev();
        let made = before.take_while(|s| is_storage(s) || s.source_info == aggregate.source_info);
        let is_operand = |local: Local| {
            let of = Operand::Move(Place::local(local));
            printed.iter().any(|(_, operand)| *operand == of)
        };
        let mut found = vec![];
        for statement in made {
            let StatementKind::Assign(place, rvalue) = &statement.kind else {
                continue;
            };
            let local = place.as_local()?;
            // those of printed captures come first, and here last
            if found.len() == missing.len() && is_operand(local) {
                break;
            }
            let is_borrow = matches!(rvalue, Rvalue::Ref { .. } | Rvalue::Use { .. });
            match is_borrow && is_unread(body, local) {
                true => found.push(local),
                false if is_operand(local) => return None,
                false => {}
            }
        }
        found.reverse();
        (found.len() == missing.len()).then_some(found)
    }
}

fn is_storage(s: &Statement) -> bool {
    matches!(
        s.kind,
        StatementKind::StorageLive(_) | StatementKind::StorageDead(_) | StatementKind::Nop
    )
}

/// Of each field of the closure, whether it is a borrow of what was captured, from the names of what it captures.
fn borrowed_in(body: &Body) -> Option<Vec<bool>> {
    let mut fields: Vec<Option<bool>> = vec![];
    for info in &body.debug_infos {
        let DebugValue::Place(place) = &info.value else {
            continue;
        };
        if place.local != Local(1) {
            continue;
        }
        let inside = match place.projection.as_slice() {
            [Elem::Deref, rest @ ..] => rest,
            rest => rest,
        };
        let (i, borrowed) = match inside {
            [Elem::Field(i, _)] => (*i as usize, false),
            [Elem::Field(i, _), Elem::Deref] => (*i as usize, true),
            _ => return None,
        };
        if fields.len() <= i {
            fields.resize(i + 1, None);
        }
        if fields[i].replace(borrowed).is_some() {
            return None;
        }
    }
    fields.into_iter().collect()
}

/// Is a variable that the user did not name assigned once, and read by nothing that is printed?
fn is_unread(body: &Body, local: Local) -> bool {
    let name = format!("_{}", local.0);
    let is_name = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.filter(|word| *word == name).count()
    };
    let is_debug = |value: &DebugValue| matches!(value, DebugValue::Place(p) if p.local == local);
    let statements = body.blocks.iter().flat_map(|b| &b.statements);
    let expected = statements.filter(|s| match &s.kind {
        StatementKind::StorageLive(of) | StatementKind::StorageDead(of) => *of == local,
        StatementKind::Assign(place, _) => place.as_local() == Some(local),
        _ => false,
    });
    let (storage, assigned): (Vec<&Statement>, _) = expected.partition(|s| is_storage(s));
    let mentioned: usize = body.blocks.iter().map(|b| is_name(&b.to_string())).sum();
    let is_parameter = local.0 <= body.arg_count;
    assigned.len() == 1
        && mentioned == 1 + storage.len()
        && !is_parameter
        && !body.debug_infos.iter().any(|d| is_debug(&d.value))
}
