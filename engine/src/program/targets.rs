//! Which targets a pointer has in this program: the tags that flow into it, regardless of where (Andersen's inclusions, over
//! the simplified blocks). Lowering has such sets, too, but of code that turned out to be dead: a vector's buffer comes from
//! one of eight allocations of std's, of which constants leave one or two. What is decided here is `tag = target`, for
//! targets that cannot be.
//!
//! A variable that is live at the program's entry may hold anything; any other is assigned before it is read.

use super::liveness::Liveness;
use super::{Program, Stmt, Terminator};
use crate::term::{BinOp, FastMap, Node, Pool, Sort, Subst, Term, Var};
use std::collections::BTreeSet;

/// The width of a tag, and how the name of its variable ends.
const TAG: (Sort, &str) = (Sort::Bv(16), ".target");
/// Larger sets decide little.
const MOST: usize = 64;

/// The tags that a variable may hold; nothing if it may be any.
type Targets = Option<BTreeSet<u128>>;

/// Decides comparisons with targets that a pointer does not have. Was there one?
pub fn narrow(program: &mut Program) -> bool {
    let sets = targets(program);
    let mut subst = Subst::new();
    let mut found = false;
    for comparison in comparisons(program) {
        let Node::Binary(_, a, b) = *program.pool.node(comparison) else {
            continue;
        };
        let excluded = |x: Term, constant: Term| {
            let var = program.pool.as_var(x)?;
            let set = sets.get(&var)?.as_ref()?;
            let constant = program.pool.as_const(constant)?;
            (!set.is_empty() && !set.contains(&constant)).then_some(())
        };
        if excluded(a, b).or_else(|| excluded(b, a)).is_some() {
            let no = program.pool.bool(false);
            subst.fix(comparison, no);
            found = true;
        }
    }
    let read = read(program);
    for (&var, set) in &sets {
        let only = set.as_ref().filter(|set| set.len() == 1);
        if let Some(&tag) = only.and_then(|set| set.first()) {
            let tag = program.pool.constant(tag, TAG.0);
            subst.bind(var, tag);
            found |= read.contains(&var);
        }
    }
    if found {
        rewrite(program, &mut subst);
    }
    found
}

fn is_tag(pool: &Pool, var: Var) -> bool {
    let info = pool.var_info(var);
    info.sort == TAG.0 && info.origin.is_none() && info.name.ends_with(TAG.1)
}

fn targets(program: &Program) -> FastMap<Var, Targets> {
    let live = Liveness::of(program);
    let mut sets: FastMap<Var, Targets> = FastMap::default();
    let mut flows: Vec<(Var, Term)> = vec![];
    for b in program.reverse_postorder() {
        for stmt in &program.block(b).stmts {
            match stmt {
                Stmt::Assign(v, t) if is_tag(&program.pool, *v) => flows.push((*v, *t)),
                Stmt::Havoc(v, _) => {
                    sets.insert(*v, None);
                }
                _ => {}
            }
        }
    }
    for &(v, _) in &flows {
        let anything = live.is_live_in(program.entry, v);
        sets.entry(v)
            .or_insert_with(|| (!anything).then(BTreeSet::new));
    }
    loop {
        let mut grew = false;
        for &(v, t) in &flows {
            let Some(Some(before)) = sets.get(&v) else {
                continue;
            };
            let mut after = Some(before.clone());
            add(&program.pool, t, &sets, &mut after);
            let after = after.filter(|set| set.len() <= MOST);
            if after.as_ref() != Some(before) {
                sets.insert(v, after);
                grew = true;
            }
        }
        if !grew {
            return sets;
        }
    }
}

/// Adds the values that a term may have.
fn add(pool: &Pool, t: Term, sets: &FastMap<Var, Targets>, into: &mut Targets) {
    let mut open = vec![t];
    let mut seen = BTreeSet::new();
    while let (Some(t), Some(set)) = (open.pop(), into.as_mut()) {
        if !seen.insert(t) {
            continue;
        }
        match *pool.node(t) {
            Node::Const(tag) => {
                set.insert(tag);
            }
            Node::Ite(_, a, b) => open.extend([a, b]),
            Node::Var(v) => match sets.get(&v) {
                Some(Some(more)) => set.extend(more),
                _ => *into = None,
            },
            _ => *into = None,
        }
    }
}

/// Every `variable = constant` over tags in the blocks that can be reached.
fn comparisons(program: &Program) -> Vec<Term> {
    let mut open: Vec<Term> = vec![];
    for b in program.reverse_postorder() {
        open.extend(program.block(b).terms());
    }
    let mut seen: BTreeSet<Term> = BTreeSet::new();
    let mut found = vec![];
    while let Some(t) = open.pop() {
        if !seen.insert(t) {
            continue;
        }
        if let Node::Binary(BinOp::Eq, a, _) = *program.pool.node(t)
            && program.pool.sort(a) == TAG.0
        {
            found.push(t);
        }
        open.extend(program.pool.children(t));
    }
    found
}

fn read(program: &Program) -> BTreeSet<Var> {
    let reachable = program.reverse_postorder().into_iter();
    let terms: Vec<Term> = reachable.flat_map(|b| program.block(b).terms()).collect();
    program.pool.free_vars(&terms).into_iter().collect()
}

fn rewrite(program: &mut Program, subst: &mut Subst) {
    let pool = &mut program.pool;
    for block in &mut program.blocks {
        for stmt in &mut block.stmts {
            if let Stmt::Assign(_, t) | Stmt::Assume(t) = stmt {
                *t = subst.apply(pool, *t);
            }
        }
        if let Terminator::Branch { cond, .. } = &mut block.terminator {
            *cond = subst.apply(pool, *cond);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Block, BlockId, Draw, InputShape};
    use super::*;

    fn empty() -> Program {
        Program {
            pool: Pool::new(),
            name: "p".into(),
            blocks: vec![],
            entry: BlockId(0),
            stops: vec![],
            vars: vec![],
            inputs: vec![],
            source_names: vec![],
            draw_kinds: vec![],
            requires: vec![],
            outputs: vec![],
            returned: InputShape::Tuple(vec![]),
        }
    }

    fn block(stmts: Vec<Stmt>, terminator: Terminator) -> Block {
        Block {
            stmts,
            terminator,
            span: None,
            origin: Default::default(),
        }
    }

    /// `p := if(c, 2, 4)`, a loop that copies `p` to `q`, and `q = 4` or `q = 7` as what is asked.
    fn looped(pool_of: &mut Program, asked: u128, draw: bool) -> (Var, Var) {
        let pool = &mut pool_of.pool;
        let (c, p) = (
            pool.fresh("c", Sort::Bool),
            pool.fresh("p.target", Sort::Bv(16)),
        );
        let q = pool.fresh("q.target", Sort::Bv(16));
        let cond = pool.var(c);
        let (two, four) = (pool.bv(2, 16), pool.bv(4, 16));
        let chosen = pool.ite(cond, two, four);
        let (from, now) = (pool.var(p), pool.var(q));
        let asked = pool.bv(asked, 16);
        let is_it = pool.eq(now, asked);
        let mut first = vec![Stmt::Assign(p, chosen), Stmt::Assign(q, from)];
        if draw {
            first.push(Stmt::Havoc(q, Draw::Any));
        }
        let branch = Terminator::Branch {
            cond: is_it,
            then: BlockId(2),
            otherwise: BlockId(1),
        };
        pool_of.blocks = vec![
            block(first, Terminator::Goto(BlockId(1))),
            block(vec![Stmt::Assign(q, from)], branch),
            block(vec![], Terminator::Return),
        ];
        (p, q)
    }

    fn is_decided(asked: u128, draw: bool) -> bool {
        let mut program = empty();
        looped(&mut program, asked, draw);
        let narrowed = narrow(&mut program);
        let Terminator::Branch { cond, .. } = program.blocks[1].terminator else {
            panic!("a branch");
        };
        assert_eq!(narrowed, program.pool.is_false(cond));
        narrowed
    }

    #[test]
    fn targets_that_flow_nowhere_are_excluded() {
        assert!(is_decided(7, false));
        assert!(!is_decided(4, false), "it may be this one");
        assert!(!is_decided(7, true), "anything may have been drawn");
    }

    #[test]
    fn what_is_read_before_it_is_assigned_may_be_anything() {
        let mut program = empty();
        let (_, q) = looped(&mut program, 7, false);
        program.blocks[0]
            .stmts
            .retain(|s| matches!(s, Stmt::Assign(v, _) if *v != q));
        program.blocks[1].stmts.clear();
        assert!(!narrow(&mut program));
    }
}
