//! Statements and the walk over a body's blocks.

use super::instance::InstanceId;
use super::{Gap, Lowered, Lowerer, MAX_BLOCKS};
use crate::mir::{Place, Rvalue, Statement, StatementKind};
use crate::program::{BlockId, StopKind, Terminator};
use std::collections::HashMap;

impl Lowerer<'_> {
    /// Lowers the body of an instance; its parameters are set, `exit` is where it returns to.
    pub fn lower_instance(&mut self, instance: InstanceId, exit: BlockId) {
        let body = self.instances[instance.0 as usize].body.body;
        if self.shapes.is_strange(body) {
            let what = format!("closures of `{}` under the names of others", body.path);
            return self.end_in_stop(StopKind::Unsupported(what));
        }
        let outer_frame = std::mem::replace(&mut self.frame, instance);
        let outer_span = self.span.clone();
        let outer_point = (self.mir_block, self.statement);
        let body = self.body();
        let order = reverse_postorder(body);
        let mut blocks: HashMap<u32, BlockId> = HashMap::new();
        for &b in &order {
            self.span = None;
            (self.mir_block, self.statement) = (b, 0);
            let id = self.new_block();
            blocks.insert(b, id);
        }
        self.mir_block = 0;
        self.goto(blocks[&0]);
        self.entries.insert(instance, blocks[&0]);
        // Branches on constants (sizes, settings of the build) leave blocks that no run gets to: what those would do
        // to pointers must not count.
        let mut reached: std::collections::HashSet<u32> = [0].into();
        for &b in &order {
            if !reached.contains(&b) {
                continue;
            }
            if self.blocks.len() > MAX_BLOCKS {
                break;
            }
            let block = &body.blocks[b as usize];
            self.current = blocks[&b];
            self.mir_block = b;
            let mut left = false;
            self.exposed.clear();
            for (i, s) in block.statements.iter().enumerate() {
                self.statement = i as u32;
                self.span = self.user_span(&s.source_info);
                self.iterating = self.in_std_iterator(&s.source_info);
                let at = self.current.index();
                if self.blocks[at].span.is_none() {
                    self.blocks[at].span = self.span.clone();
                }
                self.pending.clear();
                self.moved.clear();
                let mark = self.blocks.len();
                if let Err(g) = self.lower_statement(s, b) {
                    self.leave_model(with_line(g, s.line), mark);
                    left = true;
                    break;
                }
            }
            if left {
                continue;
            }
            self.statement = u32::MAX;
            reached.extend(self.feasible_successors(&block.terminator.kind));
            self.span = self.user_span(&block.terminator.source_info);
            self.iterating = self.in_std_iterator(&block.terminator.source_info);
            let at = self.current.index();
            if self.blocks[at].span.is_none() {
                self.blocks[at].span = self.span.clone();
            }
            self.pending.clear();
            self.moved.clear();
            let mark = self.blocks.len();
            if let Err(g) = self.lower_terminator(&block.terminator, b, &blocks, exit) {
                self.leave_model(with_line(g, block.terminator.line), mark);
            }
        }
        self.frame = outer_frame;
        self.span = outer_span;
        (self.mir_block, self.statement) = outer_point;
    }

    fn lower_statement(&mut self, s: &Statement, block: u32) -> Lowered<()> {
        self.const_site = block;
        match &s.kind {
            StatementKind::Assign(place, rvalue) => self.lower_assign(place, rvalue),
            StatementKind::SetDiscriminant(place, index) => {
                let at = self.locate(place)?;
                self.set_discriminant(&at, *index)
            }
            StatementKind::StorageLive(local) | StatementKind::StorageDead(local) => {
                let at = self.locate(&Place::local(*local))?;
                self.deinit(&at)
            }
            StatementKind::Deinit(place) => {
                let at = self.locate(place)?;
                self.deinit(&at)
            }
            StatementKind::Assume(op) => {
                let v = self.operand(op)?;
                let c = self.bits(&v)?;
                self.check_defined(c, "violated `assume` of the compiler");
                Ok(())
            }
            StatementKind::CopyNonOverlapping { dst, src, count } => {
                self.copy_memory(dst, src, count, true)
            }
            StatementKind::FakeRead(..)
            | StatementKind::Retag(..)
            | StatementKind::PlaceMention(_)
            | StatementKind::AscribeUserType(_)
            | StatementKind::Coverage(_)
            | StatementKind::ConstEvalCounter
            | StatementKind::Nop
            | StatementKind::BackwardIncompatibleDropHint(..) => Ok(()),
        }
    }

    fn lower_assign(&mut self, place: &Place, rvalue: &Rvalue) -> Lowered<()> {
        if let Some(local) = place.as_local()
            && let object = self.local_object(local)
            && self.is_scratch(object)
        {
            let at = self.locate(place)?;
            return self.deinit(&at);
        }
        let ty = self.place_type(place)?;
        let address = self.address_as_number(rvalue, &ty)?;
        self.exposed.remove(&place.local);
        if let (Some(p), Some(local)) = (address, place.as_local()) {
            self.exposed.insert(local, p);
            let at = self.locate(place)?;
            return self.store_number(&at);
        }
        let value = self.rvalue(rvalue, &ty)?;
        let at = self.locate(place)?;
        // A place may be moved out of and written by one statement; the write is later.
        self.moved.retain(|m| !overlap(m, place));
        self.store_located(&at, &value)?;
        self.finish_moves()
    }

    /// Sets the end of the current block for a return to `exit`.
    pub fn return_to(&mut self, exit: BlockId) {
        self.end(Terminator::Goto(exit));
    }
}

/// Does one place contain the other, as far as syntax tells?
pub fn overlap(a: &Place, b: &Place) -> bool {
    a.local == b.local && a.projection.iter().zip(&b.projection).all(|(x, y)| x == y)
}

fn with_line(g: Gap, line: u32) -> Gap {
    if line == 0 || g.0.contains("(MIR line ") {
        return g;
    }
    Gap(format!("{} (MIR line {line})", g.0))
}

/// The blocks that are reachable without unwinding, in reverse postorder: pointers then meet their targets early.
fn reverse_postorder(body: &crate::mir::Body) -> Vec<u32> {
    let mut seen = vec![false; body.blocks.len()];
    let mut order = vec![];
    let mut stack = vec![(0u32, 0usize)];
    if body.blocks.is_empty() {
        return order;
    }
    seen[0] = true;
    while let Some((b, next)) = stack.pop() {
        let succs = super::call::normal_successors(&body.blocks[b as usize].terminator.kind);
        if next < succs.len() {
            stack.push((b, next + 1));
            let s = succs[next];
            if let Some(flag) = seen.get_mut(s as usize)
                && !*flag
            {
                *flag = true;
                stack.push((s, 0));
            }
        } else {
            order.push(b);
        }
    }
    order.reverse();
    order
}
