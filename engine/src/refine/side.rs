//! One side of a product: a program whose draws read a shared list and whose graph speaks the product's language.

use crate::program::cpg::{Cpg, CutPoint, Edge};
use crate::program::{Block, BlockId, Draw, Program, Stmt, Stop, StopKind, Terminator};
use crate::prove::context;
use crate::term::{FastMap, Import, Pool, Sort, Term, Var};
use petgraph::graph::NodeIndex;
use petgraph::visit::EdgeRef;
use std::collections::{BTreeMap, BTreeSet};

/// One program with its graph, its terms in the product's pool.
pub struct Side {
    pub edges: BTreeMap<CutPoint, Vec<(CutPoint, Edge)>>,
    /// Position of each head in the weak topological order.
    pub order: BTreeMap<CutPoint, usize>,
    pub vars: FastMap<Var, Term>,
}

/// The stop that stands for an assumption of the program after the pass that does not hold.
const NOT_ASSUMED: &str = "an assumption fails that held before the pass";

/// The list of values that `any()` reads.
pub const TAPE: Sort = Sort::Array {
    index: 64,
    elem: 128,
};

/// Does the program draw anything?
pub fn draws(program: &Program) -> bool {
    let any = |s: &Stmt| matches!(s, Stmt::Havoc(_, Draw::Any));
    program.blocks.iter().any(|b| b.stmts.iter().any(any))
}

impl Side {
    pub fn of(
        program: &Program,
        is_after: bool,
        tape: Option<Var>,
        mark: &str,
        pool: &mut Pool,
    ) -> Result<Side, String> {
        let mut own = program.clone();
        let own_tape = own.pool.fresh("any", TAPE);
        let count = own.pool.fresh("drawn", Sort::Bv(64));
        own.vars.push(count);
        read_from_tape(&mut own, own_tape, count)?;
        let failed = is_after.then(|| make_assumptions_explicit(&mut own));
        let mut cpg = Cpg::of(&mut own);
        for e in cpg.graph.edge_indices().collect::<Vec<_>>() {
            context::simplify(&mut own.pool, &mut cpg.graph[e]);
        }
        drop_dead(&own, &mut cpg);
        let mut vars: FastMap<Var, Term> = FastMap::default();
        for i in 0..own.pool.n_vars() {
            let v = Var(i as u32);
            let info = own.pool.var_info(v).clone();
            let t = match tape {
                Some(t) if v == own_tape => pool.var(t),
                _ => {
                    let fresh = pool.fresh(format!("{}{mark}", info.name), info.sort);
                    pool.var(fresh)
                }
            };
            vars.insert(v, t);
        }
        let mut import = Import::default();
        let mut bring = |t: Term| {
            import
                .term(&own.pool, t, pool, &vars)
                .ok_or("a term that cannot be carried over")
        };
        let rename = |v: Var, vars: &FastMap<Var, Term>, pool: &Pool| {
            vars.get(&v).and_then(|t| pool.as_var(*t))
        };
        let mut raw: BTreeMap<CutPoint, Vec<(CutPoint, Edge)>> = BTreeMap::new();
        for e in cpg.graph.edge_references() {
            let w = e.weight();
            let mut edge = Edge {
                guard: bring(w.guard)?,
                updates: BTreeMap::new(),
                draws: w.draws.clone(),
                blocks: vec![],
            };
            for (v, t) in &w.updates {
                edge.updates.insert(*v, bring(*t)?);
            }
            let ends = (cpg.graph[e.source()], cpg.graph[e.target()]);
            raw.entry(ends.0).or_default().push((ends.1, edge));
        }
        let mut edges: BTreeMap<CutPoint, Vec<(CutPoint, Edge)>> = BTreeMap::new();
        for (from, list) in raw {
            for (to, mut edge) in list {
                // Proven unreachable; of the side after, the stop of a failed assumption stays.
                if matches!(to, CutPoint::Stop(s) if Some(s) != failed) {
                    continue;
                }
                let updates = std::mem::take(&mut edge.updates);
                for (v, t) in updates {
                    let v = rename(v, &vars, pool).ok_or("a variable without a name")?;
                    edge.updates.insert(v, t);
                }
                for d in &mut edge.draws {
                    d.var = rename(d.var, &vars, pool).ok_or("a draw without a name")?;
                }
                edges.entry(from).or_default().push((to, edge));
            }
        }
        let heads = cpg.wto.heads();
        let order = heads.iter().enumerate();
        Ok(Side {
            edges,
            order: order.map(|(i, h)| (CutPoint::Head(*h), i)).collect(),
            vars,
        })
    }
}

pub fn not_assumed() -> StopKind {
    StopKind::Panic(NOT_ASSUMED.into())
}

/// Draws become reads of the list: the same values for both sides, in the order in which each draws.
fn read_from_tape(program: &mut Program, tape: Var, count: Var) -> Result<(), String> {
    let zero = program.pool.bv(0, 64);
    let mut blocks = std::mem::take(&mut program.blocks);
    for block in &mut blocks {
        let mut stmts = vec![];
        for s in std::mem::take(&mut block.stmts) {
            let Stmt::Havoc(v, Draw::Any) = s else {
                stmts.push(s);
                continue;
            };
            let pool = &mut program.pool;
            let (t, n) = (pool.var(tape), pool.var(count));
            let value = pool.select(t, n);
            let value = match pool.var_info(v).sort {
                Sort::Bool => {
                    let low = pool.extract(value, 0, 1);
                    let one = pool.bv(1, 1);
                    pool.eq(low, one)
                }
                Sort::Bv(w) => pool.extract(value, 0, w),
                Sort::Array { .. } => return Err("an arbitrary array is drawn".into()),
            };
            let one = pool.bv(1, 64);
            let next = pool.add(n, one);
            stmts.extend([Stmt::Assign(v, value), Stmt::Assign(count, next)]);
        }
        block.stmts = stmts;
    }
    program.blocks = blocks;
    // The entry may be a loop head: counting starts in a block of its own.
    let start = program.entry;
    program.entry = BlockId(program.blocks.len() as u32);
    program.blocks.push(Block {
        stmts: vec![Stmt::Assign(count, zero)],
        terminator: Terminator::Goto(start),
        span: None,
        origin: Default::default(),
    });
    Ok(())
}

/// Runs that an assumption ends are no runs of the program before; of the one after they must be none either.
/// Returns the stop at which such runs end.
fn make_assumptions_explicit(program: &mut Program) -> usize {
    let stop = program.stops.len();
    program.stops.push(Stop {
        kind: not_assumed(),
        span: None,
    });
    let n = program.blocks.len();
    let failed = BlockId(n as u32);
    program.blocks.push(Block {
        stmts: vec![],
        terminator: Terminator::Stop(stop),
        span: None,
        origin: Default::default(),
    });
    for b in 0..n {
        if matches!(program.blocks[b].terminator, Terminator::Blocked) {
            program.blocks[b].terminator = Terminator::Goto(failed);
        }
        let stmts = std::mem::take(&mut program.blocks[b].stmts);
        let end = program.blocks[b].terminator.clone();
        let span = program.blocks[b].span.clone();
        let mut at = b;
        for s in stmts {
            let Stmt::Assume(cond) = s else {
                program.blocks[at].stmts.push(s);
                continue;
            };
            let next = program.blocks.len();
            program.blocks.push(Block {
                stmts: vec![],
                terminator: Terminator::Blocked,
                span: span.clone(),
                origin: Default::default(),
            });
            program.blocks[at].terminator = Terminator::Branch {
                cond,
                then: BlockId(next as u32),
                otherwise: failed,
            };
            at = next;
        }
        program.blocks[at].terminator = end;
    }
    stop
}

/// Drops updates of what nobody reads, neither a guard nor the caller.
fn drop_dead(program: &Program, cpg: &mut Cpg) {
    let state: BTreeSet<Var> = program.vars.iter().copied().collect();
    let mut live: BTreeMap<NodeIndex, BTreeSet<Var>> = BTreeMap::new();
    let mut visible: BTreeSet<Var> = program.outputs.iter().copied().collect();
    let mut named = vec![];
    crate::program::input_vars(&program.returned, &mut named);
    for i in &program.inputs {
        crate::program::input_vars(&i.shape, &mut named);
    }
    visible.extend(named);
    if let Some(exit) = cpg.node(CutPoint::Exit) {
        live.insert(exit, visible);
    }
    let mut changed = true;
    while changed {
        changed = false;
        for e in cpg.graph.edge_references() {
            let mut read = vec![e.weight().guard];
            let mut new: BTreeSet<Var> = BTreeSet::new();
            for v in live.get(&e.target()).into_iter().flatten() {
                match e.weight().updates.get(v) {
                    Some(&t) => read.push(t),
                    None => {
                        new.insert(*v);
                    }
                }
            }
            new.extend(program.pool.free_vars(&read));
            new.retain(|v| state.contains(v));
            let at = live.entry(e.source()).or_default();
            let n = at.len();
            at.extend(new);
            changed |= at.len() != n;
        }
    }
    for e in cpg.graph.edge_indices().collect::<Vec<_>>() {
        if let Some((_, to)) = cpg.graph.edge_endpoints(e) {
            let keep = live.get(&to);
            let edge = &mut cpg.graph[e];
            edge.updates
                .retain(|v, _| keep.is_some_and(|k| k.contains(v)));
            edge.draws
                .retain(|d| matches!(d.draw, Draw::Approximate(_)));
        }
    }
}
