//! Callees in place of their calls: arguments go into the callee's own locals, its result into the destination.

use super::instance::BodyRef;
use super::types::erase;
use super::value::Value;
use super::{Lowered, Lowerer, gap};
use crate::assumption::Assumption;
use crate::mir::{Local, Operand, Place, TyKind};
use crate::program::{BlockId, Terminator as End};

/// Calls nested deeper than this (recursion) leave the model.
pub const MAX_DEPTH: u32 = 48;
/// Blocks after which recursion is no longer unfolded: the tree of calls may be exponential.
const MAX_RECURSION_BLOCKS: usize = 8_000;

/// The depths that are tried for functions with trees of calls.
const EVEN: [u32; 8] = [16, 11, 8, 6, 5, 4, 3, 2];

/// What leaves the model where a function calls itself too often.
pub const TOO_DEEP: &str = "deeper than is unfolded";

/// How far functions that call themselves are unfolded.
#[derive(Clone, Copy, Debug)]
pub struct Unfolded {
    /// So many calls of one function inside of each other, and no more.
    pub most: u32,
    /// So many there were in this round.
    pub deepest: u32,
    /// The outermost call that was one too many.
    pub cut: Option<u32>,
}

/// A call as MIR has it.
#[derive(Clone, Copy)]
pub struct Call<'c> {
    pub args: &'c [Operand],
    pub destination: &'c Place,
    pub next: Option<BlockId>,
    /// The MIR block that it ends.
    pub block: u32,
}

impl<'a> Lowerer<'a> {
    /// Lowers a callee in place of its call.
    pub fn inline(&mut self, body: BodyRef<'a>, call: &Call<'_>, spread: bool) -> Lowered<()> {
        let values = match spread {
            true => self.spread_arguments(call.args, &body)?,
            false => self.arguments(body, call)?,
        };
        if let Some(entry) = self.own_tail_call(body, call, &values) {
            return self.begin_again(entry, &values);
        }
        self.inline_values(body, call, &values, 0)
    }

    /// The values of the arguments. They speak of the state before the call.
    pub fn arguments(&mut self, body: BodyRef<'a>, call: &Call<'_>) -> Lowered<Vec<Value>> {
        let mut values = vec![];
        for (i, a) in call.args.iter().enumerate() {
            let want = body.body.locals.get(i + 1).map(|l| erase(&l.ty));
            self.in_call = true;
            let v = self.operand_as(a, want.as_ref());
            self.in_call = false;
            values.push(v?);
        }
        Ok(values)
    }

    /// Lowers a callee, given its arguments. `choice` tells several possible callees of one call apart.
    pub fn inline_values(
        &mut self,
        body: BodyRef<'a>,
        call: &Call<'_>,
        values: &[Value],
        choice: u32,
    ) -> Lowered<()> {
        let depth = self.instances[self.frame.0 as usize].depth;
        let nested = self.times_active(body);
        if self.by_contract(body, call, values, nested > 0)? {
            return Ok(());
        }
        let is_full = nested > 0 && self.blocks.len() > MAX_RECURSION_BLOCKS;
        if is_full {
            let before = self.unfolded.cut.unwrap_or(nested);
            self.unfolded.cut = Some(before.min(nested));
        }
        if depth > MAX_DEPTH || is_full || nested > self.unfolded.most {
            return gap(format!("recursion of `{}` {TOO_DEEP}", body.body.path));
        }
        self.unfolded.deepest = self.unfolded.deepest.max(nested);
        if values.len() != body.body.arg_count as usize {
            return gap(format!("call of `{}` with other arguments", body.body.path));
        }
        let path = &*body.body.path;
        if self.source.stand_ins.contains(path) {
            self.used.insert(Assumption::StandIns);
            self.named.insert((Assumption::StandIns, path.to_owned()));
        } else if self.source.instances.contains(path) {
            self.used.insert(Assumption::Instances);
        }
        let instance = self.instance(call.block, choice, body);
        if self.instances[instance.0 as usize].body.body.path != body.body.path {
            return gap("a call site with two callees");
        }
        let enter = self.new_block();
        self.goto(enter);
        self.current = enter;
        self.resets.push((enter, instance, true));
        let frame = std::mem::replace(&mut self.frame, instance);
        for (i, v) in values.iter().enumerate() {
            let at = self.locate(&Place::local(Local(i as u32 + 1)));
            let stored = at.and_then(|at| self.store_located(&at, v));
            if let Err(g) = stored {
                self.frame = frame;
                return Err(g);
            }
        }
        self.frame = frame;
        self.finish_moves()?;
        let exit = self.new_return_block();
        self.lower_instance(instance, exit);
        self.current = exit;
        let Some(next) = call.next else {
            // A callee of type `!` that returns is not possible.
            self.end(End::Blocked);
            return Ok(());
        };
        let frame = std::mem::replace(&mut self.frame, instance);
        let at = self.locate(&Place::local(Local::RETURN));
        let result = at.and_then(|at| self.load_located(&at));
        self.frame = frame;
        let result = result?;
        if !result.leaves.is_empty() {
            let at = self.locate(call.destination)?;
            self.store_located(&at, &result)?;
        }
        self.goto(next);
        Ok(())
    }

    /// Lowers a call whose callee a run decides: each under its condition. What no condition takes leaves the model.
    pub fn inline_one_of(
        &mut self,
        callees: &[(crate::term::Term, BodyRef<'a>, Vec<Value>)],
        call: &Call<'_>,
        otherwise: String,
    ) -> Lowered<()> {
        let moved = self.moved.clone();
        for (choice, (hit, body, values)) in callees.iter().enumerate() {
            let (here, other) = (self.new_block(), self.new_block());
            self.end(End::Branch {
                cond: *hit,
                then: here,
                otherwise: other,
            });
            self.current = here;
            self.moved = moved.clone();
            let mark = self.blocks.len();
            if let Err(g) = self.inline_values(*body, call, values, choice as u32) {
                self.leave_model(g, mark);
            }
            self.current = other;
        }
        gap(otherwise)
    }

    /// How many calls of this function are being lowered, one inside of the other?
    fn times_active(&self, body: BodyRef<'_>) -> u32 {
        let mut at = Some(self.frame);
        let mut n = 0;
        while let Some(i) = at {
            let instance = &self.instances[i.0 as usize];
            n += u32::from(instance.body.body.path == body.body.path);
            at = instance.parent;
        }
        n
    }

    /// A function that calls itself twice is unfolded along its first call until nothing is left for the second. Where
    /// the root asks for it, all of its calls are unfolded as deep as is possible for all: is there a new depth to try?
    pub fn is_uneven(&mut self) -> bool {
        let Unfolded { most, deepest, cut } = self.unfolded;
        let uneven = cut.is_some_and(|cut| cut < deepest);
        let less = EVEN.iter().find(|d| **d < most.min(deepest));
        match less {
            Some(less) if uneven && self.source.even_recursion => {
                self.unfolded.most = *less;
                self.forget_objects();
                true
            }
            _ => false,
        }
    }

    /// `call(closure, (a, b))` passes what the closure's body takes as `closure, a, b`.
    pub fn spread_arguments(
        &mut self,
        args: &[Operand],
        body: &BodyRef<'_>,
    ) -> Lowered<Vec<Value>> {
        let [closure, tuple] = args else {
            return gap("a closure call of unusual form");
        };
        self.in_call = true;
        let closure = self.operand(closure);
        self.in_call = false;
        let mut out = vec![closure?];
        out.extend(self.spread_tuple(tuple, body)?);
        Ok(out)
    }

    /// What a closure's body takes beside the closure, out of the tuple that it is passed in.
    pub fn spread_tuple(&mut self, tuple: &Operand, body: &BodyRef<'_>) -> Lowered<Vec<Value>> {
        let Some(ty) = self.operand_type(tuple)? else {
            return gap("a closure call of unusual form");
        };
        let TyKind::Tuple(parts) = ty.kind() else {
            return gap("a closure call of unusual form");
        };
        if parts.len() + 1 != body.body.arg_count as usize {
            return gap("a closure call with other arguments");
        }
        self.in_call = true;
        let tuple = self.operand(tuple);
        self.in_call = false;
        let tuple = tuple?;
        let mut out = vec![];
        for i in 0..parts.len() {
            out.push(tuple.below(&[super::shape::Step::Field(i as u32)]));
        }
        Ok(out)
    }
}
