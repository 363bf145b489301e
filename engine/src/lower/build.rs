//! The block under construction: statements, checks that split it, ends of runs.

use super::{Gap, Lowerer};
use crate::program::{Block, BlockId, Draw, MirPoint, Origin, Stmt, Stop, StopKind, Terminator};
use crate::term::{Term, Var};

/// The end of a block that is still being built. Never an end that no run gets past: a construct that is left in its
/// middle would be called safe for it.
const UNFINISHED: Terminator = Terminator::Stop(usize::MAX);

fn is_unfinished(block: &Block) -> bool {
    matches!(block.terminator, Terminator::Stop(usize::MAX))
}

impl Lowerer<'_> {
    pub fn new_block(&mut self) -> BlockId {
        let id = BlockId(self.blocks.len() as u32);
        self.blocks.push(Block {
            stmts: vec![],
            terminator: UNFINISHED,
            span: self.span.clone(),
            origin: Origin {
                at: self.point(),
                known: vec![],
            },
        });
        id
    }

    /// Where the lowering stands in MIR.
    fn point(&self) -> Option<MirPoint> {
        let instance = self.instances.get(self.frame.0 as usize)?;
        Some(MirPoint {
            calls: instance.calls.clone()?,
            block: self.mir_block,
            statement: self.statement,
        })
    }

    /// A block that no point of MIR stands for: where a callee returns to.
    pub fn new_return_block(&mut self) -> BlockId {
        let id = self.new_block();
        self.blocks[id.index()].origin.at = None;
        id
    }

    pub fn emit(&mut self, stmt: Stmt) {
        self.blocks[self.current.index()].stmts.push(stmt);
    }

    pub fn assign(&mut self, var: Var, term: Term) {
        if self.pool.as_var(term) != Some(var) {
            self.emit(Stmt::Assign(var, term));
        }
    }

    pub fn assume(&mut self, cond: Term) {
        if !self.pool.is_true(cond) {
            self.emit(Stmt::Assume(cond));
        }
    }

    pub fn havoc(&mut self, var: Var, draw: Draw) {
        self.emit(Stmt::Havoc(var, draw));
    }

    /// Ends the current block; what is emitted next is unreachable until `current` is set.
    pub fn end(&mut self, terminator: Terminator) {
        let at = self.current.index();
        self.blocks[at].terminator = terminator;
        if self.blocks[at].span.is_none() {
            self.blocks[at].span = self.span.clone();
        }
        self.current = self.new_block();
    }

    pub fn goto(&mut self, to: BlockId) {
        self.end(Terminator::Goto(to));
    }

    pub fn stop(&mut self, kind: StopKind) -> usize {
        // What a contract does in place of a call is not done by the program.
        let kind = match kind {
            StopKind::Panic(what) | StopKind::Undefined(what) if self.in_contract => {
                StopKind::Unsupported(format!(
                    "a function that is known by its contract, which may fail itself: {what}"
                ))
            }
            kind => kind,
        };
        // At the call, not at a line of the contract's own code.
        let site = self.contract_site.clone().filter(|_| self.in_contract);
        let stop = Stop {
            kind,
            span: site.or_else(|| self.span.clone()),
        };
        // One stop per place and reason, however often the place is inlined.
        let next = self.stops.len();
        let number = *self.stop_numbers.entry(stop.clone()).or_insert(next);
        match (self.stops.get_mut(number), stop.span.as_ref()) {
            (None, _) => self.stops.push(stop),
            (Some(known), Some(span)) => {
                if let Some(place) = &mut known.span {
                    place.widen(span);
                }
            }
            (Some(_), None) => {}
        }
        number
    }

    pub fn end_in_stop(&mut self, kind: StopKind) {
        let s = self.stop(kind);
        self.end(Terminator::Stop(s));
    }

    /// The run goes wrong here unless the condition holds.
    pub fn check(&mut self, holds: Term, kind: StopKind) {
        if self.pool.is_true(holds) {
            return;
        }
        let s = self.stop(kind);
        let bad = self.new_block();
        self.blocks[bad.index()].terminator = Terminator::Stop(s);
        let next = self.new_block();
        self.end(Terminator::Branch {
            cond: holds,
            then: next,
            otherwise: bad,
        });
        self.current = next;
    }

    pub fn check_defined(&mut self, holds: Term, what: &str) {
        self.check(holds, StopKind::Undefined(what.to_string()));
    }

    /// The program leaves the model here, and wherever the blocks that were made since `mark` have no end yet: a
    /// construct of several blocks may be left in its middle, and what follows it is then just as unknown.
    pub fn leave_model(&mut self, gap: Gap, mark: usize) {
        let stop = self.stop(StopKind::Unsupported(gap.0));
        self.end(Terminator::Stop(stop));
        for block in &mut self.blocks[mark..] {
            if is_unfinished(block) {
                block.terminator = Terminator::Stop(stop);
            }
        }
    }

    /// What is left without an end: blocks that nothing leads to, or a mistake of the lowering.
    pub fn finish_blocks(&mut self) {
        self.span = None;
        let stop = self.stop(StopKind::Unsupported(
            "internal error of cargo-optverify: a block that was not finished".into(),
        ));
        for block in self.blocks.iter_mut().filter(|b| is_unfinished(b)) {
            block.terminator = Terminator::Stop(stop);
        }
    }

    pub fn bv64(&mut self, n: u64) -> Term {
        self.pool.bv(u128::from(n), 64)
    }
}
