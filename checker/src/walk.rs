//! Walks a fragment: statements, terminators, calls. What a run may do there is over-approximated or not modelled,
//! never left out.

use crate::graph::{Frame, Order, Point, next_cut, return_point};
use crate::machine::{Kind, Machine, Obligation, State, join};
use crate::term::{Gap, Modelled, Scalar, Term, gap};
use crate::types;
use crate::value::{Arena, Object, Step};
use optverify_engine::mir::{
    Block, Const, Local, Operand, Place, Statement, StatementKind, TerminatorKind,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// The largest script that is given to a solver.
const MOST_TEXT: usize = 48 << 20;

impl Machine<'_> {
    /// Runs from the machine's state at `start` to the cut-points behind it, and returns the states there.
    pub fn walk(
        &mut self,
        start: &Point,
        order: &Order,
        cuts: &BTreeSet<Point>,
    ) -> Result<BTreeMap<Point, State>, String> {
        let first = self.state.clone();
        let mut waiting: HashMap<Point, Vec<State>> = HashMap::from([(start.clone(), vec![first])]);
        let mut ends: BTreeMap<Point, Vec<State>> = BTreeMap::new();
        for point in &order.points {
            let Some(state) = waiting.remove(point).and_then(|s| join(self, s)) else {
                continue;
            };
            if self.script.text.len() > MOST_TEXT {
                return Err("the conditions are too large".into());
            }
            self.state = state;
            let mut out = vec![];
            if let Err(gap) = self.unit(point, cuts, &mut out) {
                self.leave(gap);
                out.clear();
            }
            for (to, state) in out {
                if state.when.is(false) {
                    continue;
                }
                if order.back.contains(&(point.clone(), to.clone())) {
                    self.obligations.push(Obligation {
                        kind: Kind::Lemma,
                        what: format!(
                            "a second round of a loop without a cut-point, {}",
                            to.shown()
                        ),
                        when: state.when,
                    });
                    continue;
                }
                match cuts.contains(&to) {
                    true => ends.entry(to).or_default().push(state),
                    false => waiting.entry(to).or_default().push(state),
                }
            }
        }
        let mut joined = BTreeMap::new();
        for (cut, states) in ends {
            if let Some(state) = join(self, states) {
                joined.insert(cut, state);
            }
        }
        Ok(joined)
    }

    /// From a point to the end of its block, or to the next cut-point in it.
    fn unit(
        &mut self,
        at: &Point,
        cuts: &BTreeSet<Point>,
        out: &mut Vec<(Point, State)>,
    ) -> Modelled<()> {
        let frame = self.graph.frame(&at.chain);
        let frame = frame.ok_or(Gap("a point of no function".into()))?;
        let block = &frame.body.blocks[at.block as usize];
        let cut = next_cut(at, cuts);
        let end = cut
            .as_ref()
            .map_or(block.statements.len(), |c| c.statement as usize);
        for s in &block.statements[(at.statement as usize).min(end)..end] {
            self.statement(&frame, s).map_err(|g| in_line(g, s.line))?;
        }
        if let Some(cut) = cut {
            out.push((cut, self.state.clone()));
            return Ok(());
        }
        self.terminator(&frame, block, out)
            .map_err(|g| in_line(g, block.terminator.line))
    }

    fn statement(&mut self, frame: &Frame, s: &Statement) -> Modelled<()> {
        match &s.kind {
            StatementKind::Assign(place, rvalue) => {
                let ty = self.place_type(frame, place)?;
                let v = self.rvalue(frame, rvalue, &ty)?;
                self.assign(frame, place, v)
            }
            StatementKind::SetDiscriminant(place, index) => self.set_variant(frame, place, *index),
            StatementKind::StorageLive(local) | StatementKind::StorageDead(local) => {
                self.state.objects.remove(&self.local(frame, *local));
                Ok(())
            }
            StatementKind::Deinit(place) => self.assign(frame, place, Arena::UNINIT),
            StatementKind::Assume(operand) => {
                let holds = self.scalar(frame, operand)?;
                let fails = self.script.not(&holds);
                self.forbid(
                    Kind::Violation,
                    "a violated `assume` of the compiler",
                    &fails,
                );
                Ok(())
            }
            StatementKind::CopyNonOverlapping { .. } => gap("a copy of memory"),
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

    fn set_variant(&mut self, frame: &Frame, place: &Place, index: u32) -> Modelled<()> {
        let ty = self.place_type(frame, place)?;
        let optverify_engine::mir::TyKind::Adt { path, .. } = ty.kind() else {
            return gap(format!("a variant of `{ty}`"));
        };
        let facts = self.graph.bodies.capture.facts.enum_fact(path);
        let fact = facts.filter(|f| f.complete);
        let width = fact.and_then(|f| optverify_engine::mir::IntTy::from_name(&f.repr));
        let bits = fact.and_then(|f| f.variants.get(index as usize)?.bits());
        let (Some(bits), Some(int)) = (bits, width) else {
            return gap(format!("the discriminants of `{path}`"));
        };
        let v = self.arena.leaf(Term::bits(bits, int.bits()));
        let mut at = self.locate(frame, place)?;
        at.iter_mut().for_each(|l| l.path.push(Step::Discriminant));
        self.store(&at, v)
    }

    fn goto(&self, frame: &Frame, block: u32) -> (Point, State) {
        let to = Point {
            chain: frame.chain.clone(),
            block,
            statement: 0,
        };
        (to, self.state.clone())
    }

    fn terminator(
        &mut self,
        frame: &Rc<Frame>,
        block: &Block,
        out: &mut Vec<(Point, State)>,
    ) -> Modelled<()> {
        match &block.terminator.kind {
            TerminatorKind::Goto(b) => out.push(self.goto(frame, b.0)),
            TerminatorKind::SwitchInt {
                operand,
                targets,
                otherwise,
            } => {
                let bits = match self.graph.fixed(operand) {
                    Some(bits) => {
                        let hit = targets.iter().find(|(v, _)| *v == bits).map(|(_, b)| b);
                        if let Some(b) = hit.or(otherwise.as_ref()) {
                            out.push(self.goto(frame, b.0));
                            return Ok(());
                        }
                        return gap("a switch without a match");
                    }
                    None => self.scalar(frame, operand)?,
                };
                let whole = self.state.when.clone();
                let mut none = Term::boolean(true);
                for (value, target) in targets {
                    let hit = match bits.sort.of {
                        Scalar::Bool if *value == 0 => self.script.not(&bits),
                        Scalar::Bool => bits.clone(),
                        Scalar::Bv(w) => self.script.eq(&bits, &Term::bits(*value, w)),
                    };
                    let this = self.script.and(&none, &hit);
                    self.state.when = self.script.and(&whole, &this);
                    out.push(self.goto(frame, target.0));
                    let miss = self.script.not(&hit);
                    none = self.script.and(&none, &miss);
                }
                self.state.when = self.script.and(&whole, &none);
                match otherwise {
                    Some(b) => out.push(self.goto(frame, b.0)),
                    None => self.forbid(
                        Kind::Violation,
                        "a switch without a match",
                        &Term::boolean(true),
                    ),
                }
            }
            TerminatorKind::Return => self.return_to(frame, out)?,
            TerminatorKind::Unreachable => {
                self.forbid(Kind::Violation, "unreachable code", &Term::boolean(true));
            }
            TerminatorKind::UnwindResume | TerminatorKind::UnwindTerminate(_) => {
                self.forbid(Kind::Violation, "unwinding", &Term::boolean(true));
            }
            TerminatorKind::Assert {
                cond,
                expected,
                message,
                target,
                ..
            } => {
                let c = self.scalar(frame, cond)?;
                let fails = if *expected { self.script.not(&c) } else { c };
                // std's operators check in every build; code generation drops what this build does not want
                if self.graph.overflow_checks || !message.kind.is_optional() {
                    self.forbid(Kind::Violation, format!("panic: {}", message.text), &fails);
                }
                out.push(self.goto(frame, target.0));
            }
            TerminatorKind::Drop { place, target, .. } => {
                let ty = self.place_type(frame, place)?;
                if !types::needs_no_drop(&ty) {
                    return gap(format!("drop of `{ty}`"));
                }
                self.assign(frame, place, Arena::UNINIT)?;
                out.push(self.goto(frame, target.0));
            }
            TerminatorKind::FalseEdge { real, .. } | TerminatorKind::FalseUnwind { real, .. } => {
                out.push(self.goto(frame, real.0));
            }
            TerminatorKind::Call {
                func,
                args,
                destination,
                target,
                ..
            } => {
                self.reject_overlap(frame, args, destination)?;
                self.call(
                    frame,
                    block,
                    (func, args, destination, target.as_ref().map(|b| b.0)),
                    out,
                )?;
            }
            _ => return gap("inline assembly, coroutines or tail calls"),
        }
        Ok(())
    }

    fn call(
        &mut self,
        frame: &Rc<Frame>,
        block: &Block,
        (func, args, destination, target): (&Operand, &[Operand], &Place, Option<u32>),
        out: &mut Vec<(Point, State)>,
    ) -> Modelled<()> {
        match self.graph.callee(frame, block) {
            Some(callee) => self.enter(frame, &callee, args, out)?,
            None => {
                let Operand::Const(Const::FnItem(path) | Const::Named(path)) = func else {
                    return gap("a call through a pointer");
                };
                self.foreign(frame, path, args, destination, target)?;
                if let (Some(b), false) = (target, self.state.when.is(false)) {
                    out.push(self.goto(frame, b));
                }
            }
        }
        Ok(())
    }

    /// A moved argument is passed in place: nothing else of the call may be there.
    fn reject_overlap(
        &mut self,
        frame: &Frame,
        args: &[Operand],
        destination: &Place,
    ) -> Modelled<()> {
        let moved: Vec<&Place> = args
            .iter()
            .filter_map(|a| match a {
                Operand::Move(p) => Some(p),
                _ => None,
            })
            .collect();
        for (i, p) in moved.iter().enumerate() {
            let again = moved[i + 1..].iter().any(|q| overlap(p, q));
            if (again || overlap(p, destination)) && !self.place_type(frame, p)?.is_unit() {
                let what = "a call moves a place that it also uses otherwise";
                self.forbid(Kind::Violation, what, &Term::boolean(true));
            }
        }
        Ok(())
    }

    fn enter(
        &mut self,
        frame: &Frame,
        callee: &Frame,
        args: &[Operand],
        out: &mut Vec<(Point, State)>,
    ) -> Modelled<()> {
        let mut values = vec![];
        for (i, a) in args.iter().enumerate() {
            let ty = callee.body.locals[i + 1].ty.clone();
            values.push(self.operand(frame, a, Some(&ty))?);
        }
        self.move_out(frame, args)?;
        for (i, v) in values.into_iter().enumerate() {
            let object = Object::Local(callee.chain.clone(), i as u32 + 1);
            self.state.objects.insert(object, v);
        }
        let to = Point {
            chain: callee.chain.clone(),
            block: 0,
            statement: 0,
        };
        out.push((to, self.state.clone()));
        Ok(())
    }

    /// What is moved into a call is gone: the callee may have overwritten it.
    pub fn move_out(&mut self, frame: &Frame, args: &[Operand]) -> Modelled<()> {
        for a in args {
            if let Operand::Move(place) = a {
                self.assign(frame, place, Arena::UNINIT)?;
            }
        }
        Ok(())
    }

    fn return_to(&mut self, frame: &Rc<Frame>, out: &mut Vec<(Point, State)>) -> Modelled<()> {
        let Some((caller, block)) = &frame.caller else {
            return Ok(());
        };
        let TerminatorKind::Call { destination, .. } =
            &caller.body.blocks[*block as usize].terminator.kind
        else {
            return gap("a return to no call");
        };
        let Some(to) = return_point(frame) else {
            return gap("a return of a function that does not return");
        };
        let object = self.local(frame, Local::RETURN);
        let ty = frame.body.ret().clone();
        let v = self.object(&object)?;
        // nothing of the callee is left
        self.state
            .objects
            .retain(|o, _| !matches!(o, Object::Local(c, _) if *c == frame.chain));
        if !ty.is_unit() {
            if let Some(of) = types::scalar(&ty) {
                let read = self.arena.read(&mut self.script, v, &[], of)?;
                self.forbid(
                    Kind::Violation,
                    "a function returns no value",
                    &read.missing,
                );
            }
            self.assign(caller, destination, v)?;
        }
        out.push((to, self.state.clone()));
        Ok(())
    }
}

/// Does one place contain the other, as far as syntax tells?
fn overlap(a: &Place, b: &Place) -> bool {
    a.local == b.local && a.projection.iter().zip(&b.projection).all(|(x, y)| x == y)
}

fn in_line(g: Gap, line: u32) -> Gap {
    match g.0.contains("(MIR line ") {
        true => g,
        false => Gap(format!("{} (MIR line {line})", g.0)),
    }
}
