//! A function that returns the result of calling itself begins again: a loop, however deep the recursion is.
//!
//! The frame of the caller is the callee's. That is exact if nothing of the old frame is used any more: nothing happens
//! between the call and the return, nothing is dropped there, and nothing that lives on points into the frame.

use super::inline::Call;
use super::instance::{BodyRef, InstanceId};
use super::pointer::{Target, TargetId};
use super::value::{Leaf, Value};
use super::{Lowered, Lowerer, ObjectKey};
use crate::mir::{Body, Local, Place, StatementKind, TerminatorKind};
use crate::program::BlockId;

/// So many blocks may lie between a call and the return.
const MOST_STEPS: usize = 8;

impl<'a> Lowerer<'a> {
    /// Where the current function begins, if it calls itself here and only returns what comes back.
    pub fn own_tail_call(
        &self,
        callee: BodyRef<'a>,
        call: &Call<'_>,
        values: &[Value],
    ) -> Option<BlockId> {
        let body = self.body();
        // the root's own parameters are the inputs
        let own = self.frame != InstanceId(0) && std::ptr::eq(callee.body, body);
        if !own || values.len() != body.arg_count as usize {
            return None;
        }
        let result = call.destination.as_local() == Some(Local::RETURN);
        let keeps = self.point_into_frame(values) || self.kept_elsewhere();
        if !result || !returns_at_once(body, call.block) || keeps {
            return None;
        }
        self.entries.get(&self.frame).copied()
    }

    fn point_into_frame(&self, values: &[Value]) -> bool {
        let mut leaves = values.iter().flat_map(|v| &v.leaves);
        leaves.any(|(_, l)| match &l.leaf {
            Leaf::Pointer(p) => p.targets.iter().any(|t| self.is_in_frame(*t)),
            Leaf::Bits(_) => false,
        })
    }

    /// May something that outlives the frame point into it, like a box that is passed on? Frames of calls that are over
    /// do not count.
    fn kept_elsewhere(&self) -> bool {
        let depth = self.instances[self.frame.0 as usize].depth;
        self.points_to.iter().any(|((object, _), targets)| {
            let outlives = match self.objects[object.0 as usize].key {
                ObjectKey::Local(frame, _) => {
                    frame != self.frame && self.instances[frame.0 as usize].depth <= depth
                }
                _ => true,
            };
            outlives && targets.iter().any(|t| self.is_in_frame(*t))
        })
    }

    fn is_in_frame(&self, target: TargetId) -> bool {
        let Target::Place(object, _) = &self.targets[target.0 as usize] else {
            return false;
        };
        let key = &self.objects[object.0 as usize].key;
        matches!(key, ObjectKey::Local(frame, _) if *frame == self.frame)
    }

    /// The arguments become the parameters, all at once, and nothing else has a value.
    pub fn begin_again(&mut self, entry: BlockId, values: &[Value]) -> Lowered<()> {
        for (i, value) in values.iter().enumerate() {
            let at = self.locate(&Place::local(Local(i as u32 + 1)))?;
            self.stage_located(&at, value)?;
        }
        self.commit();
        self.moved.clear();
        let enter = self.new_block();
        self.goto(enter);
        self.current = enter;
        self.resets.push((enter, self.frame, true));
        self.goto(entry);
        Ok(())
    }
}

/// From the call's block there is nothing but the ends of locals up to the return.
fn returns_at_once(body: &Body, block: u32) -> bool {
    let mut terminator = body.blocks.get(block as usize).map(|b| &b.terminator.kind);
    for _ in 0..MOST_STEPS {
        let next = match terminator {
            Some(
                TerminatorKind::Call {
                    target: Some(t), ..
                }
                | TerminatorKind::Goto(t),
            ) => *t,
            Some(TerminatorKind::Return) => return true,
            _ => return false,
        };
        let Some(next) = body.blocks.get(next.0 as usize) else {
            return false;
        };
        let quiet =
            |s: &StatementKind| matches!(s, StatementKind::StorageDead(_) | StatementKind::Nop);
        let is_call = matches!(next.terminator.kind, TerminatorKind::Call { .. });
        if is_call || !next.statements.iter().all(|s| quiet(&s.kind)) {
            return false;
        }
        terminator = Some(&next.terminator.kind);
    }
    false
}
