//! The product of two programs: one run of it is a run of each, in step.
//!
//! A node is a pair of cut-points. Where the two are related both sides take an edge; where one side is at a head
//! that the other does not have, it goes on alone; a pair that nobody expects is a stop of its own, to be shown
//! unreachable. When the side before the pass has returned, the results are compared: a difference is a violation
//! of the product, so that every engine can prove or refute it like any program.
//!
//! What is claimed by a proof: on every input on which the program before returns, the program after returns as
//! well, with the same result. Returns as well: a cycle in which only the side after moves would be a loop that
//! the other side knows nothing of, and there is no edge for it; it ends in a stop.
//!
//! Both programs must have been proven safe: edges to their stops are left out.

use super::outputs::{Comparison, InputPair};
use super::side::{Side, TAPE, draws, not_assumed};
use crate::program::cpg::{CutPoint, Edge};
use crate::program::{
    Block, BlockId, Draw, Input, InputShape, Program, ScalarKind, Stmt, Stop, StopKind, Terminator,
};
use crate::term::{FastMap, Import, Pool, Sort, Term, Var};
use std::collections::{BTreeMap, BTreeSet};

/// A pair of cut-points: before, after.
pub type Pair = (CutPoint, CutPoint);

pub struct Product {
    pub program: Program,
    /// The pair that each node block stands for.
    pub nodes: BTreeMap<BlockId, Pair>,
    /// The sides' variables in the product.
    pub before: FastMap<Var, Term>,
    pub after: FastMap<Var, Term>,
    /// The product's input for each pair of leaves.
    pub inputs: Vec<Var>,
    /// The list that `any()` reads, if anybody draws.
    pub tape: Option<Var>,
}

/// More nodes than this are not a product that anybody proves.
const MAX_NODES: usize = 300;

pub fn product(
    before: &Program,
    after: &Program,
    inputs: &[InputPair],
    related: &BTreeSet<Pair>,
) -> Result<Product, String> {
    let mut pool = Pool::new();
    let draws = [before, after].iter().any(|p| draws(p));
    let tape = draws.then(|| pool.fresh("any", TAPE));
    let a = Side::of(before, false, tape, "", &mut pool)?;
    let b = Side::of(after, true, tape, "'", &mut pool)?;
    let build = Build {
        pool,
        before: (before, a),
        after: (after, b),
        related,
        blocks: vec![],
        nodes: BTreeMap::new(),
        by_pair: BTreeMap::new(),
        todo: vec![],
        stops: vec![],
        inputs: vec![],
        initial: FastMap::default(),
        extra: vec![],
    };
    build.run(inputs, tape)
}

struct Build<'a> {
    pool: Pool,
    before: (&'a Program, Side),
    after: (&'a Program, Side),
    related: &'a BTreeSet<Pair>,
    blocks: Vec<Block>,
    nodes: BTreeMap<BlockId, Pair>,
    by_pair: BTreeMap<Pair, BlockId>,
    todo: Vec<Pair>,
    stops: Vec<Stop>,
    inputs: Vec<Var>,
    /// What a leaf of the inputs was at the start, by side and variable.
    initial: FastMap<(bool, Var), Term>,
    /// Variables made here that belong to the state.
    extra: Vec<Var>,
}

/// Who takes the next edge.
#[derive(Clone, Copy, PartialEq)]
enum Moves {
    Both,
    Before,
    After,
    /// Nobody expects this pair.
    Lost,
    /// Both have ended.
    End,
}

impl Build<'_> {
    fn run(mut self, inputs: &[InputPair], tape: Option<Var>) -> Result<Product, String> {
        let entry = self.block();
        let shapes = self.shared_inputs(entry, inputs, tape);
        let first = self.node((CutPoint::Entry, CutPoint::Entry));
        self.blocks[entry.index()].terminator = Terminator::Goto(first);
        while let Some(pair) = self.todo.pop() {
            if self.nodes.len() > MAX_NODES {
                return Err("the product of both programs has too many nodes".into());
            }
            self.expand(pair)?;
        }
        let mut requires = vec![];
        for is_before in [true, false] {
            let (program, side) = if is_before { &self.before } else { &self.after };
            let mut vars = side.vars.clone();
            for ((b, v), t) in &self.initial {
                if *b == is_before {
                    vars.insert(*v, *t);
                }
            }
            let mut import = Import::default();
            for r in &program.requires {
                let t = import.term(&program.pool, *r, &mut self.pool, &vars);
                requires.push(t.ok_or("a precondition that cannot be carried over")?);
            }
        }
        let mut vars: Vec<Var> = self.inputs.clone();
        for side in [&self.before.1, &self.after.1] {
            vars.extend(side.vars.values().filter_map(|t| self.pool.as_var(*t)));
        }
        vars.extend(&self.extra);
        vars.sort();
        vars.dedup();
        Ok(Product {
            program: Program {
                name: format!("{} before and after", self.before.0.name),
                blocks: self.blocks,
                entry,
                stops: self.stops,
                vars,
                inputs: shapes,
                source_names: vec![],
                draw_kinds: vec![],
                requires,
                outputs: vec![],
                returned: InputShape::Tuple(vec![]),
                pool: self.pool,
            },
            nodes: self.nodes,
            before: self.before.1.vars,
            after: self.after.1.vars,
            inputs: self.inputs,
            tape,
        })
    }

    fn block(&mut self) -> BlockId {
        self.blocks.push(Block {
            stmts: vec![],
            terminator: Terminator::Blocked,
            span: None,
            origin: Default::default(),
        });
        BlockId(self.blocks.len() as u32 - 1)
    }

    /// One input for each leaf, given to both sides.
    fn shared_inputs(
        &mut self,
        entry: BlockId,
        pairs: &[InputPair],
        tape: Option<Var>,
    ) -> Vec<Input> {
        let mut fields = vec![];
        let scalar = |var: Var, pool: &Pool| InputShape::Scalar {
            var,
            kind: match pool.var_info(var).sort {
                Sort::Bool => ScalarKind::Bool,
                Sort::Bv(w) => ScalarKind::Unsigned(w),
                Sort::Array { elem, .. } => ScalarKind::Unsigned(elem),
            },
        };
        for pair in pairs {
            let info = match pair {
                (Some(v), _) => self.before.0.pool.var_info(*v),
                (None, Some(v)) => self.after.0.pool.var_info(*v),
                (None, None) => continue,
            }
            .clone();
            let input = self
                .pool
                .fresh(format!("{} at start", info.name), info.sort);
            let t = self.pool.var(input);
            for (is_before, own) in [(true, pair.0), (false, pair.1)] {
                let side = if is_before {
                    &self.before.1
                } else {
                    &self.after.1
                };
                let Some(own) = own else { continue };
                self.initial.insert((is_before, own), t);
                if let Some(v) = self.pool.as_var(side.vars[&own]) {
                    self.blocks[entry.index()].stmts.push(Stmt::Assign(v, t));
                }
            }
            self.inputs.push(input);
            fields.push(scalar(input, &self.pool));
        }
        if let Some(t) = tape {
            fields.push(scalar(t, &self.pool));
            self.extra.push(t);
        }
        fields
            .into_iter()
            .enumerate()
            .map(|(i, shape)| Input {
                name: i.to_string(),
                shape,
            })
            .collect()
    }

    fn node(&mut self, pair: Pair) -> BlockId {
        if let Some(&b) = self.by_pair.get(&pair) {
            return b;
        }
        let b = self.block();
        if let CutPoint::Head(h) = pair.1 {
            self.blocks[b.index()].span = self
                .after
                .0
                .blocks
                .get(h.index())
                .and_then(|b| b.span.clone());
        }
        self.by_pair.insert(pair, b);
        self.nodes.insert(b, pair);
        self.todo.push(pair);
        b
    }

    fn stop(&mut self, kind: StopKind) -> Terminator {
        let stop = Stop { kind, span: None };
        let at = self.stops.iter().position(|s| *s == stop);
        Terminator::Stop(at.unwrap_or_else(|| {
            self.stops.push(stop);
            self.stops.len() - 1
        }))
    }

    fn moves(&self, (p, q): Pair) -> Moves {
        let runs = |c: CutPoint| matches!(c, CutPoint::Entry | CutPoint::Head(_));
        match (runs(p), runs(q)) {
            (false, false) => Moves::End,
            (true, false) => Moves::Before,
            (false, true) => Moves::After,
            (true, true) => {
                let is_entry = |c: CutPoint| c == CutPoint::Entry;
                if self.related.contains(&(p, q)) || (is_entry(p) && is_entry(q)) {
                    Moves::Both
                } else if !self.related.iter().any(|(x, _)| *x == p) {
                    Moves::Before
                } else if !self.related.iter().any(|(_, y)| *y == q) {
                    Moves::After
                } else {
                    Moves::Lost
                }
            }
        }
    }

    fn expand(&mut self, pair: Pair) -> Result<(), String> {
        let at = self.by_pair[&pair];
        let (p, q) = pair;
        let alone = |c: CutPoint| vec![(c, None::<Edge>)];
        let edges = |side: &Side, c: CutPoint| -> Vec<(CutPoint, Option<Edge>)> {
            let all = side.edges.get(&c).into_iter().flatten();
            all.map(|(to, e)| (*to, Some(e.clone()))).collect()
        };
        let moves = self.moves(pair);
        let (first, second) = match moves {
            Moves::Both => (edges(&self.before.1, p), edges(&self.after.1, q)),
            Moves::Before => (edges(&self.before.1, p), alone(q)),
            Moves::After => (alone(p), edges(&self.after.1, q)),
            Moves::Lost => {
                let what = "the runs before and after the pass part ways".to_string();
                self.blocks[at.index()].terminator = self.stop(StopKind::Unsupported(what));
                return Ok(());
            }
            Moves::End => return self.compare(at, pair),
        };
        // What the model approximates is drawn before the guards that may read it.
        let mut havocs = vec![];
        for (_, e) in first.iter().chain(&second) {
            for d in e.iter().flat_map(|e| &e.draws) {
                if !havocs.iter().any(|(v, _)| *v == d.var) {
                    havocs.push((d.var, d.draw.clone()));
                }
            }
        }
        let havocs = havocs.into_iter().map(|(v, d)| Stmt::Havoc(v, d));
        self.blocks[at.index()].stmts.extend(havocs);
        let mut from = at;
        for (to_p, e) in &first {
            let (yes, no) = self.branch(from, e.as_ref().map(|e| e.guard));
            let mut inner = yes;
            for (to_q, f) in &second {
                let (yes, no) = self.branch(inner, f.as_ref().map(|f| f.guard));
                self.step(yes, pair, (*to_p, *to_q), e.as_ref(), f.as_ref(), moves);
                inner = no;
            }
            from = no;
        }
        Ok(())
    }

    /// Splits the block: where the guard holds, and where it does not.
    fn branch(&mut self, at: BlockId, guard: Option<Term>) -> (BlockId, BlockId) {
        let (yes, no) = (self.block(), self.block());
        let always = self.pool.bool(true);
        self.blocks[at.index()].terminator = Terminator::Branch {
            cond: guard.unwrap_or(always),
            then: yes,
            otherwise: no,
        };
        (yes, no)
    }

    /// Both sides' updates at once, then on to the next pair.
    fn step(
        &mut self,
        at: BlockId,
        from: Pair,
        to: Pair,
        e: Option<&Edge>,
        f: Option<&Edge>,
        moves: Moves,
    ) {
        let rank = |c: CutPoint| self.after.1.order.get(&c).copied();
        if moves == Moves::After && matches!(to.1, CutPoint::Head(_)) && rank(to.1) <= rank(from.1)
        {
            let what = "a loop that only the optimized program has may not end".to_string();
            self.blocks[at.index()].terminator = self.stop(StopKind::Unsupported(what));
            return;
        }
        let updates: Vec<(Var, Term)> = e
            .into_iter()
            .chain(f)
            .flat_map(|e| e.updates.iter().map(|(v, t)| (*v, *t)))
            .collect();
        let mut later = vec![];
        for (v, t) in updates {
            let info = self.pool.var_info(v).clone();
            let next = self.pool.fresh(format!("{} next", info.name), info.sort);
            self.extra.push(next);
            let n = self.pool.var(next);
            self.blocks[at.index()].stmts.push(Stmt::Assign(next, t));
            later.push(Stmt::Assign(v, n));
        }
        self.blocks[at.index()].stmts.extend(later);
        let next = self.node(to);
        self.blocks[at.index()].terminator = Terminator::Goto(next);
    }

    /// Both have ended: is there a difference that a caller sees?
    fn compare(&mut self, at: BlockId, (p, q): Pair) -> Result<(), String> {
        debug_assert_eq!(p, CutPoint::Exit, "the side before has no stops");
        if matches!(q, CutPoint::Stop(_)) {
            self.blocks[at.index()].terminator = self.stop(not_assumed());
            return Ok(());
        }
        let (before, after) = (&self.before, &self.after);
        let value = |_: &mut Pool, is_before: bool, v: Var| {
            let side = if is_before { &before.1 } else { &after.1 };
            side.vars[&v]
        };
        let initial =
            |_: &mut Pool, is_before: bool, v: Var| self.initial.get(&(is_before, v)).copied();
        let mut c = Comparison {
            pool: &mut self.pool,
            value: &value,
            initial: &initial,
            witnesses: vec![],
        };
        let cond = c.outcome(before.0, after.0)?;
        let witnesses = c.witnesses;
        for v in witnesses {
            self.blocks[at.index()]
                .stmts
                .push(Stmt::Havoc(v, Draw::Any));
            self.extra.push(v);
        }
        let (yes, no) = self.branch(at, Some(cond));
        let what = StopKind::Panic("the result is not the one before the pass".into());
        self.blocks[yes.index()].terminator = self.stop(what);
        self.blocks[no.index()].terminator = Terminator::Return;
        Ok(())
    }
}
