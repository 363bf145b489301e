//! GuessMap: which cut-points and variables of the program after a pass stand for those before it.
//!
//! A wrong guess costs a lemma, never soundness: what is guessed is only a candidate.

use super::Carried;
use crate::program::cpg::CutPoint;
use crate::program::{BlockId, Program};
use crate::prove::Task;
use crate::prove::concrete::Samples;
use crate::term::{FastMap, Pool, Sort, Term, Var, mask};
use petgraph::graph::NodeIndex;
use std::collections::BTreeMap;

/// For each head after the pass the heads before it whose lemmas are worth trying.
pub fn heads(before: &Carried, task: &Task) -> BTreeMap<NodeIndex, Vec<CutPoint>> {
    heads_among(&before.program, before.lemmas.keys().copied(), task)
}

/// The same, among these.
pub fn heads_among(
    before: &Program,
    old: impl Iterator<Item = CutPoint>,
    task: &Task,
) -> BTreeMap<NodeIndex, Vec<CutPoint>> {
    let old: Vec<(CutPoint, Option<u32>)> = old
        .filter_map(|c| match c {
            CutPoint::Head(b) => Some((c, line(before, b))),
            _ => None,
        })
        .collect();
    let mut new: Vec<(NodeIndex, Option<u32>)> = vec![];
    for n in task.cpg.heads() {
        if let CutPoint::Head(b) = task.cpg.graph[n] {
            new.push((n, line(&task.program, b)));
        }
    }
    let same_number = old.len() == new.len();
    let mut out = BTreeMap::new();
    for (k, (n, l)) in new.iter().enumerate() {
        let by_line: Vec<CutPoint> = old
            .iter()
            .filter(|(_, m)| m == l && l.is_some())
            .map(|(c, _)| *c)
            .collect();
        let chosen = if !by_line.is_empty() {
            by_line
        } else if same_number {
            vec![old[k].0]
        } else {
            old.iter().map(|(c, _)| *c).collect()
        };
        out.insert(*n, chosen);
    }
    out
}

fn line(program: &Program, b: BlockId) -> Option<u32> {
    program.block(b).span.as_ref().map(|s| s.line)
}

/// What each variable of the old program becomes: by name and sort, in order of appearance for equal names.
pub fn variables(before: &Program, after: &mut Program) -> FastMap<Var, Term> {
    let mut by_name: FastMap<(String, Sort), Vec<Var>> = FastMap::default();
    for &v in &after.vars {
        let info = after.pool.var_info(v);
        by_name
            .entry((info.name.clone(), info.sort))
            .or_default()
            .push(v);
    }
    let mut taken: FastMap<(String, Sort), usize> = FastMap::default();
    let mut out = FastMap::default();
    for &v in &before.vars {
        let info = before.pool.var_info(v);
        let key = (info.name.clone(), info.sort);
        let n = taken.entry(key.clone()).or_default();
        if let Some(&u) = by_name.get(&key).and_then(|all| all.get(*n)) {
            let t = after.pool.var(u);
            out.insert(v, t);
            *n += 1;
        }
    }
    out
}

/// Variables without a namesake: one whose values agree on all common samples of the two heads, or an affine image
/// of one. The runs of both
/// programs draw from the same seed, so rows of the same number belong together as long as loops run alike.
pub fn by_samples(
    old: &Samples,
    new: &Samples,
    before: &Program,
    after: &mut Program,
    wanted: &[Var],
) -> FastMap<Var, Term> {
    let mut out = FastMap::default();
    let n = old.rows.len().min(new.rows.len()).min(64);
    if n < 4 {
        return out;
    }
    let column =
        |s: &Samples, k: usize| -> Vec<u128> { s.rows[..n].iter().map(|r| r[k]).collect() };
    for (k, &v) in old.vars.iter().enumerate() {
        if !wanted.contains(&v) {
            continue;
        }
        let mine = column(old, k);
        let sort = before.pool.var_info(v).sort;
        let others: Vec<(Var, Vec<u128>)> = new
            .vars
            .iter()
            .enumerate()
            .filter(|(_, u)| after.pool.var_info(**u).sort == sort)
            .map(|(j, u)| (*u, column(new, j)))
            .collect();
        let same = others.iter().find(|(_, theirs)| *theirs == mine);
        let found = match (same, sort) {
            (Some((u, _)), _) => Some(after.pool.var(*u)),
            (None, Sort::Bv(w)) => affine(&mut after.pool, w, &mine, &others),
            _ => None,
        };
        if let Some(t) = found {
            out.insert(v, t);
        }
    }
    out
}

/// The column as a constant, as `x + c` or as `c - x`, modulo 2^w.
fn affine(pool: &mut Pool, w: u32, mine: &[u128], others: &[(Var, Vec<u128>)]) -> Option<Term> {
    let first = *mine.first()?;
    if mine.iter().all(|m| *m == first) {
        return Some(pool.bv(first, w));
    }
    for (u, theirs) in others {
        let difference = |i: usize| mine[i].wrapping_sub(theirs[i]) & mask(w);
        let sum = |i: usize| mine[i].wrapping_add(theirs[i]) & mask(w);
        if (0..mine.len()).all(|i| difference(i) == difference(0)) {
            let (x, c) = (pool.var(*u), pool.bv(difference(0), w));
            return Some(pool.add(x, c));
        }
        if (0..mine.len()).all(|i| sum(i) == sum(0)) {
            let (x, c) = (pool.var(*u), pool.bv(sum(0), w));
            return Some(pool.sub(c, x));
        }
    }
    None
}
